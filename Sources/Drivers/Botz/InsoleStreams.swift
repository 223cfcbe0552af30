// Ordered live streams of an insole: started at idle, verified by their values, and stopped before any other operation.

import Bluetooth
import EventLoop
import Health
import Reasons
import Wearable

/// Keeps the ordered streams running. Streams and sessions exclude each other, and a stream outlasts its link. The hub
/// therefore stops its own stream before files are fetched, before a session, when it is no longer ordered, and before
/// it disconnects. Streams of another client are left running.
@LoopActor
final class InsoleStreams {
  typealias Activity = Botz.StatusWord.Activity

  private let insole: InsoleClient
  private var link: any WearableLink { insole.link }
  /// An operator has started both streams, for this link.
  private(set) var isAsked = false
  /// A stream of this hub may be running.
  private(set) var mayRun: Bool
  private var running: Activity?
  private let status = Inbox(limit: 4)
  private let values: [Series: Inbox] = [.footPressure: Inbox(limit: 1), .orientation: Inbox(limit: 1)]
  private var isSubscribed = false
  /// A visit is fetching: no stream starts before it is over.
  private var isHeld = false
  /// Time of the last value of each series, monotonic ns.
  private var heardAt: [Series: Int64] = [:]
  /// Reason why no stream runs, and the earliest next attempt; failures in a row.
  private var why: String?
  private var until: Int64 = 0
  private var failures = 0

  /// Time to notice that a stream has ended. There is no traffic on the air while it runs.
  static let watch: Duration = .seconds(5)
  /// Time from a start in the status to the first value. The slower stream has a value every 0.4 s.
  static let proof: Duration = .seconds(5)
  /// Silence after which a stream counts as ended, whatever the status says: another client that disconnects ends the
  /// streams of all.
  static let silence: Duration = .seconds(15)
  /// Interval at which the end of a session is checked, since it may not be announced.
  static let sessionWatch: Duration = .seconds(60)
  /// Pause after the first failure, doubled each time.
  static let firstPause: Duration = .seconds(10)
  static let longestPause: Duration = .seconds(600)
  /// Failures in a row after which the operator is notified.
  static let patience = 3
  private static let readBacks = 4

  /// Series that can be ordered. An insole sends its other live series only while it records.
  nonisolated static let series: [Series] = [.footPressure, .orientation]

  init(_ insole: InsoleClient) {
    self.insole = insole
    mayRun = insole.link.remembered(BotzActiveStreamsFlag.self) != nil
  }

  private var now: Int64 { link.hubTime.monotonic }

  /// State that shows the ordered streams; idle without an order.
  var wanted: Activity {
    switch (
      isAsked || link.orders.streams.contains(.footPressure), isAsked || link.orders.streams.contains(.orientation)
    ) {
    case (true, true): .bothStreams
    case (true, false): .footStream
    case (false, true): .orientationStream
    case (false, false): .idle
    }
  }

  var isOrdered: Bool { Self.series.contains { link.orders.streams.contains($0) } }
  var needsAttention: Bool { wanted != .idle || mayRun }

  // MARK: When

  /// Called when the link stays, or when orders changed.
  func begin() async throws(VisitTrouble) {
    (isHeld, until, failures) = (false, 0, 0)
    try await arrange()
  }

  func attend() async throws(VisitTrouble) {
    if isHeld { return }
    lookAtStatus()
    if let stream = running {
      for series in stream.series where values[series]?.take() != nil { heardAt[series] = now }
      let silent = stream.series.filter { now - (heardAt[$0] ?? 0) >= Self.silence.wholeNanoseconds }
      if silent.isEmpty, stream == wanted { return }
      if !silent.isEmpty {
        link.note("\(silent.map(\.name).joined(separator: ", ")) fell silent: it is started again")
        failed("it fell silent")
        try await end()
      }
    }
    try await arrange()
  }

  /// Called before files are requested: no stream starts until the visit is over.
  func hold() async throws(VisitTrouble) {
    isHeld = true
    try await end()
  }

  /// Stops the streams of this hub.
  func end() async throws(VisitTrouble) {
    if mayRun {
      if try await insole.readStatus().activity.isStream { try await stop() }
      (mayRun, running) = (false, nil)
    }
    if wanted == .idle { link.forget(BotzActiveStreamsFlag.self) }
  }

  // MARK: Actions of an operator

  /// Called before an action starts the streams.
  func ask() async throws(VisitTrouble) {
    try await prepare()
    (isAsked, mayRun) = (true, true)
    try link.remember(BotzActiveStreamsFlag())
  }

  /// Notes the state after an action.
  func isNow(_ activity: Activity) {
    if activity == .bothStreams { began(activity) } else if !activity.isStream { isOver() }
  }

  private func isOver() {
    (isAsked, mayRun, running) = (false, false, nil)
    if wanted == .idle { link.forget(BotzActiveStreamsFlag.self) }
  }

  func giveUpAsking() { isAsked = false }

  // MARK: Start and stop

  private func arrange() async throws(VisitTrouble) {
    if wanted == .idle {
      why = nil
      return try await end()
    }
    guard now >= until else { return }
    do throws(VisitTrouble) { try await bringAbout(wanted) } catch {
      switch error {
      case .busy(let what, _):
        // Not a failure: checked again later.
        (running, why, until) = (nil, what, now + Self.sessionWatch.wholeNanoseconds)
      case .refused(let code, _): failed("it refused: \(code)")
      case .unsupported(let what): failed(what)
      case .silent(let what):
        failed(what)
        try await end()
      default: throw error
      }
    }
  }

  private func bringAbout(_ stream: Activity) async throws(VisitTrouble) {
    try await prepare()
    let activity = try await insole.readStatus().activity
    if activity.isSession { throw .busy(what: "it is \(activity.name)", retryAfter: nil) }
    if activity != stream, activity.isStream {
      // The stream of another client that has the ordered series.
      if !mayRun, stream.series.isSubset(of: activity.series) { return try await prove(stream) }
      try await stop()
    }
    if activity != stream {
      try await insole.command(.start(stream.startCode)) { () throws(VisitTrouble) in
        // A wearer may begin at any moment, and a start would suspend the sensors of the recording.
        let now = try await insole.readStatus().activity
        if now != .idle { throw .busy(what: "it is \(now.name)", retryAfter: nil) }
        mayRun = true
        try link.remember(BotzActiveStreamsFlag())
      }
      try await readBack("its streams do not begin") { $0 == stream }
    }
    try await prove(stream)
  }

  private func prove(_ stream: Activity) async throws(VisitTrouble) {
    for series in stream.series.sorted(by: { $0.id < $1.id }) {
      guard let inbox = values[series] else { continue }
      do throws(VisitTrouble) { _ = try await link.next(from: inbox, within: Self.proof) } catch {
        guard case .silent = error else { throw error }
        throw .silent(what: "the status shows it, but no \(series.name) comes")
      }
    }
    began(stream)
  }

  private func began(_ stream: Activity) {
    (running, why, until, failures) = (stream, nil, 0, 0)
    for series in stream.series { heardAt[series] = now }
  }

  private func failed(_ what: String) {
    running = nil
    why = what
    let pause = min(Self.longestPause, Self.firstPause * (1 << min(failures, 10)))
    failures += 1
    until = now + pause.wholeNanoseconds
    link.note("streams: \(what)")
  }

  /// Stops the streams with stop 5. Codes 3 and 4 leave a flag undefined, and force it on at the other foot.
  private func stop() async throws(VisitTrouble) {
    var isOver = false
    do throws(VisitTrouble) {
      try await insole.command(.stop(.bothStreams)) { () throws(VisitTrouble) in
        let now = try await insole.readStatus().activity
        isOver = !now.isStream
        if isOver { throw .busy(what: "it is \(now.name)", retryAfter: nil) }
      }
    } catch {
      if isOver { return }
      throw error
    }
    try await readBack("its streams do not end") { !$0.isStream }
    running = nil
  }

  private func readBack(_ trouble: String, until isSo: (Activity) -> Bool) async throws(VisitTrouble) {
    for _ in 0..<Self.readBacks {
      try await link.settle(for: InsoleClient.pacing)
      if isSo(try await insole.readStatus().activity) { return }
    }
    throw .silent(what: trouble)
  }

  // MARK: Unsolicited status

  private func prepare() async throws(VisitTrouble) {
    if !isSubscribed {
      let sources: [(BluetoothUUID, Inbox?)] = [
        (Botz.Information.footPressure, values[.footPressure]), (Botz.Information.orientation, values[.orientation]),
        (Botz.Information.status, status),
      ]
      for (uuid, inbox) in sources {
        guard let inbox, let characteristic = link.database.characteristic(uuid, in: Botz.Information.service) else {
          continue
        }
        try await link.subscribe(characteristic, into: inbox)
      }
      isSubscribed = true
    }
    for inbox in values.values { inbox.removeAll() }
  }

  /// Processes status notifications: the begin or the end of a session or stream.
  private func lookAtStatus() {
    var last: Activity?
    while let bytes = status.take() { last = bytes.withUnsafeBytes { try? Botz.StatusWord($0).activity } ?? last }
    guard let last else { return }
    if let stream = running, last != stream, !(last.isStream && stream.series.isSubset(of: last.series)) {
      running = nil
      if last.isSession { mayRun = false }
      why = "it is \(last.name)"
      // Stopped by another client: started again, later each time.
      if !last.isSession { failed("another client ended it") }
    } else if running == nil, last == .idle, failures == 0 {
      until = 0
    }
  }

  // MARK: Display

  /// Reason why ordered streams do not run after some attempts; nil while they run, or wait for a temporary obstacle.
  var refusal: String? { failures >= Self.patience ? why : nil }

  var rows: [ReportRow] {
    Self.series.compactMap { series in
      let isWanted = wanted.series.contains(series)
      let isRunning = running?.series.contains(series) == true
      guard isWanted || isRunning else { return nil }
      var fields = [ReportRow.Field("state", isRunning ? "running" : refusal == nil ? "waiting" : "refused")]
      if !isRunning {
        if refusal != nil { fields.append(ReportRow.Field("code", Reason.streamNotBegun.code)) }
        fields.append(ReportRow.Field("why", why ?? "not begun yet"))
      }
      return ReportRow(series.name, fields)
    }
  }
}
