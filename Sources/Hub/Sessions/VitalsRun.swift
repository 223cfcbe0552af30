// A session of vital signs, from its order to its end. Passes events to its state machine, carries out the effects, and
// reports to the caller. VitalsLink.swift gets the sensor, VitalsResults.swift makes the results.

import EventLoop
import Health
import Reasons
import RingStore
import Vitals
import Wearable

/// Runs one session: one measurement, or several if it stays, then its end.
///
/// After an error the session waits for its sensor for a minute, so that the next measurement begins at once; then it
/// ends.
@LoopActor
final class VitalsRun {
  let id: UInt64
  let order: VitalsOrder
  let wearer: Wearer?
  /// A caller waits for it; else it is scheduled.
  let isByHand: Bool
  let wearable: EnrolledWearable
  unowned let keeper: SessionKeeper
  let context: HubContext
  var tap: VitalsTap
  let person: VitalPerson
  var turns: MeasurementTurns
  /// Time since which the present link has been settled.
  var settledAt: Instant?
  /// Reported before it was ready: the sensor is there, and not worn.
  var isOffBody = false
  /// A visit was requested, to have a link.
  var hasAsked = false
  /// The sensor streams, as the state machine knows it.
  var isStreaming = false
  var record: MeasurementRecord?
  var trouble: HearthError?
  /// Code of the error that ended it.
  var code: SessionCode?
  /// Moment when processing of the measurement began.
  var began: SessionMoment?
  private(set) var state = SessionState.initializing
  private let isWanted: @LoopActor () -> Bool
  let tell: @LoopActor (VitalsNews) -> Void
  private let onEnd: @LoopActor (VitalsResult) -> Void
  var events: [SessionEvent] = []
  private var notices: [SignalNotice] = []
  /// Reported conditions that still hold.
  var told: Set<SessionCode> = []
  private var isDraining = false
  private var isPosted = false
  private var timer: LoopTimer?
  private var nextTick: Instant
  private var lostAt: Instant?
  /// Values of the last tick.
  var instant = InstantValues()

  /// Interval of reporting values and checking conditions.
  static let tick: Duration = .seconds(1)
  /// Limit of waiting. After a lost link the session waits for its return as long as for a first connection.
  static let returnLimit: Duration = .microseconds(MeasurementSession.Limit.connection)

  init(
    _ id: UInt64, _ wearable: EnrolledWearable, _ sensor: VitalsSensor, _ wearer: Wearer?, _ order: VitalsOrder,
    isByHand: Bool, _ keeper: SessionKeeper, isWanted: @escaping @LoopActor () -> Bool,
    tell: @escaping @LoopActor (VitalsNews) -> Void, onEnd: @escaping @LoopActor (VitalsResult) -> Void
  ) {
    self.id = id
    self.wearable = wearable
    self.wearer = wearer
    self.order = order
    turns = MeasurementTurns(order)
    self.isByHand = isByHand
    self.keeper = keeper
    context = keeper.context
    self.isWanted = isWanted
    self.tell = tell
    self.onEnd = onEnd
    let loop = keeper.context.loop
    tap = VitalsTap(sensor, loop)
    person = context.person(wearer?.body)
    nextTick = loop.now + Self.tick
  }

  var loop: any Loop { context.loop }
  var moment: SessionMoment { keeper.moment }

  var session: VitalsSession {
    VitalsSession(
      id: id, wearable: wearable.name, person: wearer?.name, sensor: tap.sensor.sensor, seconds: turns.seconds)
  }

  // MARK: Events

  /// Begins with the table's outcome for a new session.
  func begin(_ outcome: SessionOutcome) {
    tell(.opened(session))
    tell(.state(state, at: loop.wall))
    hear(tap)
    carryOut(outcome)
    drain()
  }

  func hear(_ tap: VitalsTap) {
    self.tap = tap
    tap.onNotices = { [weak self] in self?.post($0) }
    wearable.live.add(tap)
    wantStreams()
  }

  /// Requests the streams of the wearable for as long as this session is open.
  func wantStreams() { wearable.lane.measuring.session = tap.sensor.streams }

  /// Passes an event to the session, at once.
  func take(_ event: SessionEvent) {
    events.append(event)
    drain()
  }

  /// Passes an event after the current callback of the loop, when no operation of the link is in progress.
  func post(_ event: SessionEvent) {
    events.append(event)
    post()
  }

  private func post(_ news: [SignalNotice]) {
    notices += news
    post()
  }

  func post() {
    if isPosted { return }
    isPosted = true
    loop.schedule(after: .zero) { [weak self] in
      guard let self else { return }
      isPosted = false
      if events.isEmpty { keepOpening() }
      drain()
    }
  }

  /// Carries out the outcome of an event that went to the table directly.
  func carryOut(_ outcome: SessionOutcome) {
    let wasDraining = isDraining
    isDraining = true
    for effect in outcome.effects { carryOut(effect) }
    isDraining = wasDraining
    if !wasDraining { drain() }
  }

  func drain() {
    if isDraining { return }
    isDraining = true
    while true {
      if !notices.isEmpty {
        note(notices.removeFirst())
      } else if !events.isEmpty {
        let event = events.removeFirst()
        guard let step = keeper.handle(event, id) else { break }
        for effect in step.outcome.effects { carryOut(effect) }
      } else {
        break
      }
    }
    isDraining = false
    arm()
  }

  // MARK: Effects

  private func carryOut(_ effect: SessionEffect) {
    switch effect {
    case .openSensor: openSensor()
    case .announce(let code): announce(code)
    case .state(let change): changed(change)
    case .prepare:
      note(tap.watch.enabled(VitalSign.table(for: tap.sensor.sensor).count { $0.isEnabled }))
      events.append(.prepared)
    case .hurry: break
    case .compute(let measurement): compute(measurement)
    case .abandon: events.append(.computed)
    case .deliver:
      turns.ended(withResults: record != nil)
      if let record { tell(.results(record)) }
    case .discard: turns.ended(withResults: false)
    case .closeSensor:
      closeSensor()
      events.append(.closed)
    }
  }

  private func announce(_ code: SessionCode) {
    if code.kind == .error { self.code = code }
    tell(.notice(code, isOn: true))
  }

  private func changed(_ change: SessionTransition) {
    let before = state
    state = change.to
    context.logger.info(
      "session \(id) is \(change.to.name)",
      metadata: ["DEVICE": "\(wearable.name)", "MONOTONIC": "\(change.at.monotonic)", "WALL": "\(change.at.wall)"])
    switch change.to {
    case .ready:
      lostAt = nil
      if before == .initializing { streams(at: change.at) }
    case .processing:
      began = change.at
      // By the state machine's own microseconds, so that the last tick and the end are the same moment.
      nextTick = Instant(nanoseconds: change.at.monotonic * 1000) + Self.tick
      let length = Int64(turns.seconds) * 1_000_000
      tap.watch.measurementBegan(length: length, at: change.at)
    case .stopping: note(tap.watch.measurementEnded(at: change.at))
    case .initializing:
      lostAt = loop.now
      isStreaming = false
      note(tap.watch.streamEnded(at: change.at))
      // A session with results does not wait for the sensor.
      if turns.isDone, record != nil { events.append(.terminate) }
    case .starting, .terminating, .terminated: break
    }
    tell(.state(change.to, at: WallTime(microseconds: change.at.wall)))
    switch change.to {
    case .ready: goOn()
    case .terminated: finish()
    default: break
    }
  }

  // MARK: Time

  /// Sets the timer for the next tick, or an earlier event.
  private func arm() {
    if let timer { loop.cancel(timer) }
    timer = nil
    guard state != .terminated else { return }
    var next = nextTick
    if let due = keeper.deadline(of: id) { next = min(next, due) }
    timer = loop.schedule(at: next) { [weak self] in self?.fire() }
  }

  private func fire() {
    timer = nil
    let now = loop.now
    if now >= nextTick {
      nextTick = nextTick + Self.tick
      if nextTick <= now { nextTick = now + Self.tick }
      passed()
    }
    if let event = keeper.due(id) { events.append(event) }
    drain()
  }

  /// Handles the tick of a second.
  private func passed() {
    if !isWanted() { events.append(.terminate) }
    tap.noteLink(isOfUse: wearable.link?.isSettled ?? false)
    if state == .processing, tap.sensor.hasBeats { instant = keeper.instant(of: tap.timeline) }
    look()
    switch state {
    case .initializing:
      if turns.isDone || turns.stays, let lostAt, loop.now - lostAt >= Self.returnLimit { events.append(.terminate) }
      keepOpening()
    case .processing:
      tellValues()
      if hasResult { events.append(.stop) }
    case .ready: if turns.isForgotten(at: loop.now) { events.append(.terminate) }
    case .starting, .stopping, .terminating, .terminated: break
    }
  }

  private func tellValues() {
    guard let began else { return }
    tell(.values(moment(since: began)))
  }

  // MARK: The end

  private func finish() {
    keeper.forget(self)
    if let timer { loop.cancel(timer) }
    timer = nil
    var result = VitalsResult(session: session, record: record, code: record == nil ? code : nil)
    if record == nil, code != nil || !turns.hasResults { result.trouble = trouble ?? ended }
    onEnd(result)
  }

  private var ended: HearthError {
    if code == .connectionTimedOut, isOffBody { return SessionKeeper.trouble(.notOnBody, wearable.name) }
    guard let code else {
      let why = "the measurement was ended before it had results"
      return HearthError(.requestNotDone, "\(wearable.name): \(why)")
    }
    return SessionKeeper.trouble(code, wearable.name)
  }
}
