// Measurements of vital signs: which sessions are permitted, and what all sessions share. `VitalsRun` is one session.

import EventLoop
import Reasons
import RingStore
import Vitals
import Wearable

/// Runs the sessions. A wearable and a person have at most one each at a time.
@LoopActor
final class SessionKeeper {
  let context: HubContext
  private let registry: Registry
  private let presence: PresenceMonitor
  let lane: Lane
  private let wearers: WearerKeeper
  /// Ids begin with the wall clock's microseconds at the hub's start, so no id is reused after a restart, without any
  /// write. A hub with a clock that starts from the same time at each boot does not start in the same microsecond.
  private var table: SessionTable<WearableID, WearerID>
  private var runs: [UInt64: VitalsRun] = [:]
  /// The sessions that hold their wearables.
  private let holding: PerWearable<VitalsRun>
  // Memory for computations, not state: one object of each for all sessions.
  private var live = LiveBeatAnalyser()
  private var signs = VitalSigns()
  private var classifier = ArtefactClassifier()
  private var window = BeatWindow()

  /// Wait for the ends of sessions when the hub stops: longer than a commit takes.
  private static let farewell: Duration = .seconds(3)
  private static let look: Duration = .milliseconds(50)

  init(
    _ context: HubContext, _ registry: Registry, _ presence: PresenceMonitor, _ lane: Lane, _ wearers: WearerKeeper
  ) {
    self.context = context
    self.registry = registry
    self.presence = presence
    self.lane = lane
    self.wearers = wearers
    holding = PerWearable(registry)
    table = SessionTable(firstID: UInt64(max(context.loop.wall.microseconds, 1)))
  }

  private var loop: any Loop { context.loop }

  // MARK: Orders

  /// Measures once: from the order to the end of the session.
  ///
  /// `opened` is reported first. `results` is reported at most once, before the state that follows, when the record is
  /// durable. After an error there are no results.
  ///
  /// - Parameters:
  ///   - isByHand: a person ordered it; else the hub's schedule did.
  ///   - isWanted: called each second; false ends the session.
  /// - Throws: before the session begins:
  ///   - `noSuchWearable`, `noSuchWearer`;
  ///   - `controlBadParameter` (7002) for a length outside 20 to 180 s;
  ///   - `requestUntimely` (7009) while the wearable or the person is measured;
  ///   - `requestUnsupported` for a wearable without usable values.
  func measure(
    _ which: String, _ order: VitalsOrder, isByHand: Bool = true, isWanted: @escaping @LoopActor () -> Bool,
    _ tell: @escaping @LoopActor (VitalsNews) -> Void
  ) async throws(HearthError) -> VitalsResult {
    let wearable = try registry.require(which)
    guard VitalsOrder.lengths.contains(order.seconds) else { throw Self.trouble(.durationBeyond, wearable.name) }
    let wearer = try wearer(of: wearable, order)
    let sensor = try wearable.vitalsSensor()
    guard context.phase == .serving, !wearable.lane.isLeaving else {
      throw HearthError(.requestNotDone, "\(wearable.name) cannot be measured now: the hub is letting it go")
    }
    if let series = wearable.lane.measuring.series {
      let what = "it measures \(series.name) by order"
      throw Self.trouble(.sessionConcurrent, wearable.name, because: what)
    }
    let step = try open(wearable, wearer, sensor.patience)
    return await withCheckedContinuation { continuation in
      let run = VitalsRun(
        step.id, wearable, sensor, wearer, order, isByHand: isByHand, self, isWanted: isWanted, tell: tell
      ) { continuation.resume(returning: $0) }
      runs[step.id] = run
      holding[wearable] = run
      run.wantStreams()
      run.begin(step.outcome)
    }
  }

  private func wearer(of wearable: EnrolledWearable, _ order: VitalsOrder) throws(HearthError) -> Wearer? {
    if let name = order.person { return try wearers.requireWearer(name) }
    return wearable.choices.wearer.flatMap { context.store.wearer($0) }
  }

  private func open(
    _ wearable: EnrolledWearable, _ wearer: Wearer?, _ patience: Int64
  ) throws(HearthError) -> SessionStep<WearableID, WearerID> {
    do throws(SessionRefusal) {
      return try table.open(wearable.id, wearer?.id, at: moment, patience: patience)
    } catch {
      let other = table.entries.first { $0.device == wearable.id || ($0.person != nil && $0.person == wearer?.id) }
      let measured = other.flatMap { runs[$0.id] }.map { run in
        run.wearable === wearable
          ? "it is measured already" : "\(wearer?.name ?? "") is measured by \(run.wearable.name)"
      }
      throw Self.trouble(error.code, wearable.name, because: measured ?? "there are too many sessions")
    }
  }

  /// Ends a running measurement early; its results are valid.
  ///
  /// - Throws: `requestUntimely` (6005) if no measurement runs.
  func stop(_ which: String) throws(HearthError) {
    let wearable = try registry.require(which)
    guard let run = holding[wearable], run.state == .processing else {
      throw Self.trouble(.stopUntimely, wearable.name)
    }
    run.take(.stop)
  }

  /// Starts another measurement in a session that stays and is ready.
  ///
  /// - Throws: `controlBadParameter` (7002) for a length outside 20 to 180 s, `requestUntimely` (6004) if no session is
  ///   ready.
  func start(_ which: String, seconds: Int) throws(HearthError) {
    let wearable = try registry.require(which)
    guard VitalsOrder.lengths.contains(seconds) else { throw Self.trouble(.durationBeyond, wearable.name) }
    guard let run = holding[wearable], run.turns.stays, run.state == .ready else {
      throw Self.trouble(.startUntimely, wearable.name)
    }
    if !run.startAnother(seconds) { throw Self.trouble(.startUntimely, wearable.name) }
  }

  /// Ends a session in any state; a running measurement has no results. Without a session there is no error.
  ///
  /// - Throws: `noSuchWearable`.
  func terminate(_ which: String) throws(HearthError) { terminate(try registry.require(which)) }

  func terminate(_ wearable: EnrolledWearable) { holding[wearable]?.take(.terminate) }

  /// Ends all sessions, through all states, before their links end. Callers get the end.
  func endAll() async {
    if runs.isEmpty {
      _ = table.endAll(at: moment)
      return
    }
    for step in table.endAll(at: moment) { runs[step.id]?.carryOut(step.outcome) }
    let end = loop.now + Self.farewell
    repeat {
      guard (try? await loop.sleep(for: Self.look)) != nil else { return }
    } while !runs.isEmpty && loop.now < end
  }

  // MARK: Queries

  /// Whether the wearable, or its wearer, is being measured.
  func isBusy(_ wearable: EnrolledWearable) -> Bool {
    if wearable.lane.measuring.isAny { return true }
    guard let wearer = wearable.choices.wearer else { return false }
    return table.entries.contains { $0.person == wearer }
  }

  /// Whether it is worn, as last reported; nil if unknown, for example without a link.
  func isOnBody(_ wearable: EnrolledWearable) -> Bool? {
    guard wearable.link != nil else { return nil }
    return wearable.live.isOnBody(loop.now)
  }

  // MARK: Notifications

  /// Notes another link, or its end.
  func linkChanged(of wearable: EnrolledWearable) { holding[wearable]?.linkChanged() }

  /// Notes a failed try that needs a person.
  func refused(_ wearable: EnrolledWearable, _ trouble: HearthError) { holding[wearable]?.refused(trouble) }

  // MARK: For a session

  var moment: SessionMoment {
    SessionMoment(monotonic: loop.now.nanoseconds / 1000, wall: loop.wall.microseconds)
  }

  func isPresent(_ wearable: EnrolledWearable) -> Bool { presence.isPresent(wearable) }

  func handle(_ event: SessionEvent, _ id: UInt64) -> SessionStep<WearableID, WearerID>? {
    table.handle(event, id, at: moment)
  }

  /// Time of the session's next timed event.
  func deadline(of id: UInt64) -> Instant? {
    table[id]?.session.deadline.map { Instant(nanoseconds: $0.time.multipliedReportingOverflow(by: 1000).partialValue) }
  }

  func due(_ id: UInt64) -> SessionEvent? {
    guard let deadline = table[id]?.session.deadline, deadline.time <= moment.monotonic else { return nil }
    return deadline.event
  }

  /// Releases the wearable of a session for others; the state machine is notified afterwards.
  func release(_ run: VitalsRun) {
    guard holding[run.wearable] === run else { return }
    holding[run.wearable] = nil
    run.wearable.lane.measuring.session = nil
  }

  /// Drops a session that is over.
  func forget(_ run: VitalsRun) { runs[run.id] = nil }

  func instant(of timeline: BeatTimeline) -> InstantValues { live.values(of: timeline, at: loop.now.seconds) }

  func report(
    _ request: VitalRequest, _ timeline: BeatTimeline, from start: Double, to end: Double
  ) -> VitalReport {
    timeline.fill(&window, from: start, to: end)
    return signs.report(request, of: window)
  }

  func add(_ timeline: BeatTimeline, to record: inout MeasurementRecord, from start: Double, to end: Double) {
    record.add(timeline, from: start, to: end, &classifier)
  }

  /// A session's code together with the hub's own code for it.
  static func trouble(_ code: SessionCode, _ name: String, because why: String? = nil) -> HearthError {
    let detail = why.map { ": \($0)" } ?? ""
    return HearthError(code.reason ?? .requestNotDone, "\(name): \(code.sentence) (\(code.rawValue))\(detail)")
  }
}
