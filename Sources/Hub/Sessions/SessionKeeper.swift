// Measurements of vital signs: who may have a session, and what all sessions share. A session's own way is `VitalsRun`.

import EventLoop
import Reasons
import RingStore
import Vitals
import Wearable

/// Runs the sessions. One wearable and one person have one at a time.
@LoopActor
final class SessionKeeper {
  let context: HubContext
  private let registry: Registry
  private let presence: PresenceMonitor
  let lane: Lane
  private let wearers: WearerKeeper
  /// Its ids begin with the wall clock's microseconds when the hub began: no id comes again after a restart, and
  /// nothing has to be written for that. A hub whose clock begins anew with each start does not begin in the same
  /// microsecond.
  private var table: SessionTable<WearableID, WearerID>
  private var runs: [UInt64: VitalsRun] = [:]
  /// The sessions that have their wearables.
  private let holding: PerWearable<VitalsRun>
  // Memory, not state: one of each for all sessions.
  private var live = LiveBeats()
  private var signs = VitalSigns()
  private var classifier = ArtefactClassifier()
  private var window = BeatWindow()

  /// The end of the hub waits so long for the ends of sessions: longer than a commit takes.
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
  /// `opened` is told first, `results` at most once, before the state that follows, and when the record is durable.
  /// After an error there are none.
  ///
  /// - Parameters:
  ///   - isByHand: a person ordered it; else the hub's schedule did.
  ///   - isWanted: asked each second; false ends the session.
  /// - Throws: before anything begins: `noSuchWearable`, `noSuchWearer`, `controlBadParameter` (7002) for a length
  ///   outside 20 to 180 s, `requestUntimely` (7009) while the wearable or the person is measured,
  ///   `requestUnsupported` for a wearable that sends nothing of use.
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

  /// Ends a running measurement early; its results stand.
  ///
  /// - Throws: `requestUntimely` (6005) where none runs.
  func stop(_ which: String) throws(HearthError) {
    let wearable = try registry.require(which)
    guard let run = holding[wearable], run.state == .processing else {
      throw Self.trouble(.stopUntimely, wearable.name)
    }
    run.take(.stop)
  }

  /// Another measurement of a session that stays, which is ready.
  ///
  /// - Throws: `controlBadParameter` (7002) for a length outside 20 to 180 s, `requestUntimely` (6004) where no session
  ///   is ready.
  func start(_ which: String, seconds: Int) throws(HearthError) {
    let wearable = try registry.require(which)
    guard VitalsOrder.lengths.contains(seconds) else { throw Self.trouble(.durationBeyond, wearable.name) }
    guard let run = holding[wearable], run.turns.stays, run.state == .ready else {
      throw Self.trouble(.startUntimely, wearable.name)
    }
    if !run.startAnother(seconds) { throw Self.trouble(.startUntimely, wearable.name) }
  }

  /// Ends a session in whatever state it is; a measurement that runs has no results. None is no fault.
  ///
  /// - Throws: `noSuchWearable`.
  func terminate(_ which: String) throws(HearthError) { terminate(try registry.require(which)) }

  func terminate(_ wearable: EnrolledWearable) { holding[wearable]?.take(.terminate) }

  /// Sessions go to their ends through their states, before their links end. Who ordered one hears its end.
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

  // MARK: What others ask

  /// It, or who wears it, is measured now.
  func isBusy(_ wearable: EnrolledWearable) -> Bool {
    if wearable.lane.measuring.isAny { return true }
    guard let wearer = wearable.choices.wearer else { return false }
    return table.entries.contains { $0.person == wearer }
  }

  /// As it told last; nil where nothing is known, such as without a link.
  func isOnBody(_ wearable: EnrolledWearable) -> Bool? {
    guard wearable.link != nil else { return nil }
    return wearable.live.isOnBody(loop.now)
  }

  // MARK: What others say

  /// It has another link, or none.
  func linkChanged(of wearable: EnrolledWearable) { holding[wearable]?.linkChanged() }

  /// A try to reach it was of no use, and a person has to act.
  func refused(_ wearable: EnrolledWearable, _ trouble: HearthError) { holding[wearable]?.refused(trouble) }

  // MARK: For a session

  var moment: SessionMoment {
    SessionMoment(monotonic: loop.now.nanoseconds / 1000, wall: loop.wall.microseconds)
  }

  func isPresent(_ wearable: EnrolledWearable) -> Bool { presence.isPresent(wearable) }

  func handle(_ event: SessionEvent, _ id: UInt64) -> SessionStep<WearableID, WearerID>? {
    table.handle(event, id, at: moment)
  }

  /// When something is due of a session if nothing else comes.
  func deadline(of id: UInt64) -> Instant? {
    table[id]?.session.deadline.map { Instant(nanoseconds: $0.time.multipliedReportingOverflow(by: 1000).partialValue) }
  }

  func due(_ id: UInt64) -> SessionEvent? {
    guard let deadline = table[id]?.session.deadline, deadline.time <= moment.monotonic else { return nil }
    return deadline.event
  }

  /// Its wearable is free for others. The machine is told behind this.
  func release(_ run: VitalsRun) {
    guard holding[run.wearable] === run else { return }
    holding[run.wearable] = nil
    run.wearable.lane.measuring.session = nil
  }

  /// It is over.
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

  /// A session's number with the hub's own code for it.
  static func trouble(_ code: SessionCode, _ name: String, because why: String? = nil) -> HearthError {
    let detail = why.map { ": \($0)" } ?? ""
    return HearthError(code.reason ?? .requestNotDone, "\(name): \(code.sentence) (\(code.rawValue))\(detail)")
  }
}
