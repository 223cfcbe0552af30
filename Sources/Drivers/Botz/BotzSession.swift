// Stages of a visit to an insole (identity, state, clock), and actions of an operator.

import Bluetooth
import EventLoop
import Health
import Wearable

final class BotzSession: WearableSession, ClockedSession, AttendedSession, LiveSession, ClosingSession,
  ReportingSession, OperatedSession
{
  private let link: any WearableLink
  private let insole: InsoleClient
  private let streams: InsoleStreams
  private let files: ActivityDomain?
  /// Announcements of new files while a session is being stopped.
  private let announced = Inbox(limit: 4)

  /// Bytes of the insole's own file system.
  static let memory = 0x6E_0000

  init(_ link: any WearableLink) {
    self.link = link
    let insole = InsoleClient(link)
    self.insole = insole
    let streams = InsoleStreams(insole)
    self.streams = streams
    files = link.database.characteristic(Botz.Management.frames, in: Botz.Management.service).map {
      ActivityDomain(insole, SMPChannel(link, $0), memory: Self.memory, streams: streams)
    }
  }

  var domains: [any FetchDomain] { files.map { [$0] } ?? [] }

  // MARK: check

  func check() async throws(VisitTrouble) -> CheckReport {
    try await refuseLeftFoot()
    guard link.database.characteristic(Botz.Information.status, in: Botz.Information.service) != nil else {
      throw .unsupported("an insole without its status")
    }
    var report = CheckReport()
    report.memoryTotal = Self.memory
    do throws(VisitTrouble) {
      let (status, pack) = try await insole.readStatusPack()
      if let pack {
        report.uptime = .seconds(Int64(pack.uptime))
        if pack.freeMegabytes > 0 { report.memoryFree = Int(pack.freeMegabytes) << 20 }
      }
      report.activity = Self.activity(status.activity)
      if status.activity.isSession { report.mayNotFetch = "it is \(status.activity.name)" }
    } catch {
      // A session may be running, so files are not fetched. The clock is set and live values are received all the same.
      guard case .unsupported(let why) = error else { throw error }
      report.mayNotFetch = why
    }
    if files == nil {
      link.note("this build has no management service: its files cannot be fetched")
      report.mayNotFetch = "this build has no file transfer"
    }
    if try await isUpdating() {
      report.activity = .busy
      report.mayNotFetch = "another program is updating its firmware"
      report.clock = try await insole.readClock()
      return report
    }
    report.clock = try await insole.setClock()
    return report
  }

  private static func activity(_ activity: Botz.StatusWord.Activity) -> CheckReport.Activity {
    switch activity {
    case .idle: .idle
    case .running: .recording
    case .paused: .paused
    case .footStream, .orientationStream, .bothStreams: .streaming
    }
  }

  /// Refuses a left foot: without a name in its advertisements an insole may be one.
  private func refuseLeftFoot() async throws(VisitTrouble) {
    guard let name = link.database.characteristic(.deviceName, in: .genericAccess) else { return }
    if try await insole.read(name) == Array(Botz.leftFootName.utf8) {
      throw .unsupported("this is the left foot; only the right one is visited")
    }
  }

  private func isUpdating() async throws(VisitTrouble) -> Bool {
    guard let bytes = try await insole.readIfPresent(Botz.Information.updateProgress) else { return false }
    // The first byte decides, whatever follows.
    return bytes.first.map { $0 != 0 } ?? false
  }

  // MARK: clock

  func readClock() async throws(VisitTrouble) -> DeviceClock? { try await insole.readClock() }

  /// nil: the clock is the last step of a check.
  var clockSeen: DeviceClock? { nil }

  var attendance: Duration? { streams.needsAttention ? InsoleStreams.watch : InsoleClient.clockInterval }

  func attend() async throws(VisitTrouble) {
    guard streams.needsAttention else { return try await insole.keepClock(always: true) }
    try await insole.keepClock()
    try await streams.attend()
  }

  // MARK: streams

  func wentLive() async throws(VisitTrouble) { try await streams.begin() }
  func ordersChanged() async throws(VisitTrouble) { try await streams.begin() }
  var needsClosing: Bool { streams.mayRun }
  func close() async throws(VisitTrouble) { try await streams.end() }

  func finish() async throws(VisitTrouble) {
    if let why = streams.refusal { throw .needsAttention(.streamNotBegun, "does not stream what was ordered: \(why)") }
  }

  var reports: [String] { ["streams"] }

  func report(_ topic: String) async throws(VisitTrouble) -> [ReportRow] {
    guard topic == "streams" else { throw .unsupported(topic) }
    return streams.rows
  }

  // MARK: actions

  var actions: [WearableAction] { BotzAction.all.map(\.action) }

  func perform(_ action: WearableAction, _ arguments: [String]) async throws(VisitTrouble) -> String {
    guard let known = BotzAction.all.first(where: { $0.action.name == action.name }) else {
      throw .unsupported(action.name)
    }
    return try await perform(known)
  }

  /// Performs an action, if it is a transition that the firmware handles correctly. No other transition is written.
  private func perform(_ action: BotzAction) async throws(VisitTrouble) -> String {
    if action == .stopStream, streams.isOrdered {
      throw .unsupported(
        "its streams are ordered and would begin again; take that back instead, with: settings NAME set streams none")
    }
    if action == .startActivity { try await streams.end() }
    let activity = try await insole.readStatus().activity
    guard let step = action.step(from: activity) else {
      if activity == action.goal { return "no change needed: it is \(activity.name) already" }
      throw .needsAttention(.requestUntimely, "is \(activity.name); \(action.obstacle(in: activity))")
    }
    let newest = try await insole.readNewestFile()
    if action == .stopActivity { try await hearAnnouncements() }
    // The header of a session carries the clock of this moment.
    try await insole.keepClock(always: true)
    if action == .startStream { try await streams.ask() }
    do throws(VisitTrouble) { try await take(step.write, from: activity, to: step.goal, action) } catch {
      if action == .startStream { streams.giveUpAsking() }
      throw error
    }
    streams.isNow(step.goal)
    return action == .stopActivity ? try await ending(newestBefore: newest) : action.success
  }

  private func take(
    _ write: Botz.ControlWrite, from activity: Botz.StatusWord.Activity, to goal: Botz.StatusWord.Activity,
    _ action: BotzAction
  ) async throws(VisitTrouble) {
    try await insole.command(write) { () throws(VisitTrouble) in
      // The wearer, or a phone, may have been faster.
      let now = try await insole.readStatus().activity
      if now != activity { throw .busy(what: "it is \(now.name)", retryAfter: nil) }
    }
    for _ in 0..<action.readBacks {
      try await link.settle(for: InsoleClient.pacing)
      if try await insole.readStatus().activity == goal { return }
    }
    throw .silent(what: "\(action.action.name): acknowledged, but it is \(try await insole.readStatus().activity.name)")
  }

  // MARK: the end of a session

  private func hearAnnouncements() async throws(VisitTrouble) {
    guard let newest = link.database.characteristic(Botz.Information.newestFile, in: Botz.Information.service),
      newest.properties.contains(.notify)
    else { return }
    try await link.subscribe(newest, into: announced)
    announced.removeAll()
  }

  /// Numbers repeat after an erase and after 255. The file of a session is recognised by a new number, by its
  /// announcement, or by its end time.
  private func ending(newestBefore: Botz.FileNumber?) async throws(VisitTrouble) -> String {
    // An announcement may be lost, so the number is read as well.
    try await link.settle(for: .seconds(1))
    guard let newest = try await insole.readNewestFile() else { return Self.lost }
    var isNew = newest != newestBefore
    while let value = announced.take() { if value.first == newest.value { isNew = true } }
    if !isNew { isNew = try await endedJustNow(newest) }
    return isNew ? "stopped: \(newest.name)" : Self.lost
  }

  private static let lost = "stopped, but no new file is announced: the session may be lost"

  /// Whether the last session in a file was closed within these seconds, by the insole's own clock.
  private func endedJustNow(_ number: Botz.FileNumber) async throws(VisitTrouble) -> Bool {
    guard let files, let end = try await files.inquiry.lastEnd(of: number), let now = try await insole.shownTime()
    else {
      return false
    }
    return (-2...30).contains(now - Int64(end))
  }
}
