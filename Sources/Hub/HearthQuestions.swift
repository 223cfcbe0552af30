// Queries and orders of people, forwarded to the component in charge. There are no rules here.

public import Bluetooth
public import EventLoop
public import Health
public import Lights
public import Reasons
public import RingStore
public import Wearable

extension Hearth {
  // MARK: The hub

  public var options: HearthOptions { context.options }
  public func snapshot() -> HubSnapshot { status.snapshot() }
  public func wearables() -> [WearableSnapshot] { status.wearables.all() }
  public func wearable(named which: String) throws(HearthError) -> WearableSnapshot {
    try status.wearables.named(which)
  }
  public func noteConfiguration(_ trouble: HearthError?) { status.noteConfiguration(trouble) }
  public func note(_ trouble: HearthError) { status.note(trouble) }
  public func noteUpdate(_ trouble: HearthError?) { status.noteUpdate(trouble) }
  /// The state that the LEDs have to show now; an LED may still show the state before.
  public func lightState() -> LightState { status.lightState() }
  public func locate(_ on: Bool) { status.locate(on) }
  /// Outages that are reported by the hour, as they stand now; newest first.
  public func untoldEvents() -> [StoreEvent] { events.untold() }
  public func storeTaskBegan() { status.storeTaskBegan() }
  public func storeTaskEnded() { status.storeTaskEnded() }

  // MARK: Enrolment

  @discardableResult
  public func openEnrolment(for duration: Duration?) throws(HearthError) -> EnrolmentSnapshot {
    try enrolment.open(for: duration)
  }
  public func closeEnrolment() { enrolment.close() }
  public func enrolmentSnapshot() -> EnrolmentSnapshot { enrolment.snapshot() }
  @discardableResult
  public func accept(_ which: String, name: String?) async throws(HearthError) -> WearableSnapshot {
    status.wearables.snapshot(of: try await enrolment.accept(which, name: name))
  }
  public func rename(_ which: String, to name: String) async throws(HearthError) -> WearableSnapshot {
    status.wearables.snapshot(of: try await registry.rename(which, to: name))
  }
  /// Returns a warning; see `EnrolmentKeeper.forget`.
  @discardableResult
  public func forget(_ which: String) async throws(HearthError) -> HearthError? { try await enrolment.forget(which) }
  public func pairings() -> [PairingSnapshot] { pairing.pairings() }
  public func answerPairing(_ which: String, _ answer: PairingAnswer) throws(HearthError) {
    try pairing.answer(which, answer)
  }

  // MARK: Bonds

  public func bonds() -> [BondSnapshot] { bondKeeper.list() }
  /// - Throws: why some of the keys cannot be read.
  public func bondKeys() throws(HearthError) -> [Bond] {
    guard let sealed = context.store.bonds.first(where: { $0.isSealed }) else { return context.store.bonds }
    let name = context.store.record(sealed.wearable)?.name ?? sealed.addressText
    throw context.store.secretsTrouble ?? HearthError(.secretsKeyWrong, "what is sealed of \(name) does not open")
  }
  /// Imports bonds; returns how many.
  public func importBonds(
    _ entries: [(name: String, kind: String, driver: String, bond: Bond)]
  ) async throws(HearthError) -> Int { try await bondKeeper.importBonds(entries) }
  public func removeBond(_ which: String) async throws(HearthError) { try await bondKeeper.removeBond(which) }

  // MARK: Backups

  /// Notes that a backup was made, or failed. Durable when it returns.
  public func noteBackup(_ outcome: Result<WallTime, HearthError>) async throws(HearthError) {
    if case .success(let time) = outcome { try await context.store.keepBackup(at: time) }
    status.noteBackup(outcome)
  }

  // MARK: The lane, visits and links

  public func laneQueue() -> [QueueSnapshot] { lane.queue() }
  /// The same, with the reasons why each waits.
  public func laneReasons() -> [QueueSnapshot] { lane.reasons() }
  @discardableResult
  public func visitNow(_ which: String) throws(HearthError) -> QueueSnapshot { try lane.visitNow(which) }
  @discardableResult
  public func orderSync(_ which: String, _ request: SyncRequest) throws(HearthError) -> SyncSnapshot {
    try syncs.order(which, request)
  }
  public func sync(of which: String) throws(HearthError) -> SyncSnapshot? { try syncs.sync(of: which) }
  public func visits(_ limit: Int, of which: String?) throws(HearthError) -> [VisitSnapshot] {
    try visitQuestions.visits(limit, of: which)
  }
  public func custody(
    of which: String, lastVisitOnly: Bool
  ) throws(HearthError) -> (visit: VisitSnapshot?, items: [CustodySnapshot]) {
    try visitQuestions.custody(of: which, lastVisitOnly: lastVisitOnly)
  }
  public func clocks() throws(HearthError) -> [ClockSnapshot] { try visitQuestions.clocks() }
  public func link(of which: String) throws(HearthError) -> LinkSnapshot { try profiles.link(of: which) }
  public func setLink(
    _ which: String, profile: LinkProfile?, byCentral: Bool = false
  ) async throws(HearthError) -> LinkSnapshot {
    try await profiles.setLink(which, profile: profile, byCentral: byCentral)
  }
  public func watch(_ which: String, for duration: Duration) { profiles.watch(which, for: duration) }
  public func setErasing(_ which: String, _ choice: EraseChoice?) async throws(HearthError) -> WearableSnapshot {
    status.wearables.snapshot(of: try await visits.setErasing(which, choice))
  }

  // MARK: Live values

  public func subscribeLive(
    _ which: String?, _ handler: @escaping @LoopActor (LiveValue) -> Void
  ) throws(HearthError) -> Int { try live.subscribe(which, handler) }
  public func unsubscribeLive(_ token: Int) { live.unsubscribe(token) }
  /// Calls `handler` when the state that people see may have changed; often it is the same.
  public func subscribeChanges(_ handler: @escaping @LoopActor () -> Void) -> Int {
    context.changes.subscribe(handler)
  }
  public func unsubscribeChanges(_ token: Int) { context.changes.unsubscribe(token) }
  public func setListening(_ which: String, _ choice: Bool?) async throws(HearthError) -> WearableSnapshot {
    status.wearables.snapshot(of: try await presence.setListening(which, choice))
  }
  /// Zero: it may be away for any time; nil: as configured.
  public func setAbsence(_ which: String, _ choice: Duration?) async throws(HearthError) -> WearableSnapshot {
    status.wearables.snapshot(of: try await absence.setBound(which, choice))
  }

  // MARK: Alerts

  public func alerts() -> [AlertsSnapshot] { vitals.alerts.all() }
  public func alerts(of which: String) throws(HearthError) -> AlertsSnapshot { try vitals.alerts.alerts(of: which) }
  public func orderAlerts(
    _ which: String, _ change: (inout AlertOrders) -> Void
  ) async throws(HearthError) -> AlertsSnapshot { try await vitals.alerts.order(which, change) }
  public func acknowledgeAlerts(_ which: String) async throws(HearthError) -> AlertsSnapshot {
    try await vitals.alerts.acknowledge(which)
  }

  // MARK: Trainings

  /// Begins a training now, on a strap that does not record by itself.
  public func beginTraining(_ which: String) async throws(HearthError) -> TrainingSnapshot {
    try await vitals.trainings.begin(which)
  }
  /// Ends the running training now, whether it was ordered or detected.
  public func endTraining(_ which: String) async throws(HearthError) -> TrainingSnapshot {
    try await vitals.trainings.end(which)
  }

  // MARK: Wearables

  public func actions(of which: String) async throws(HearthError) -> (actions: [WearableAction], reports: [String]) {
    try await questions.actions(of: which)
  }
  public func perform(
    _ action: String, _ arguments: [String] = [], on which: String
  ) async throws(HearthError) -> String { try await questions.perform(action, arguments, on: which) }
  public func report(_ topic: String, of which: String) async throws(HearthError) -> [ReportRow] {
    try await questions.report(topic, of: which)
  }
  /// Measures one series at a time, until its end; see `MeasurementKeeper.measure`.
  public func measure(
    _ which: String, _ order: MeasurementOrder, isWanted: @escaping @LoopActor () -> Bool,
    _ tell: @escaping @LoopActor (MeasurementNews) -> Void
  ) async throws(HearthError) -> MeasurementResult {
    try await vitals.measurements.measure(which, order, isWanted: isWanted, tell)
  }
  public func stopMeasuring(_ which: String) throws(HearthError) { try vitals.measurements.stop(which) }
  /// Measures vital signs from live values until the time is over, `isWanted` returns false, or `stopVitals`.
  public func measureVitals(
    _ which: String, _ order: VitalsOrder, isWanted: @escaping @LoopActor () -> Bool,
    _ tell: @escaping @LoopActor (VitalsNews) -> Void
  ) async throws(HearthError) -> VitalsResult {
    try await vitals.sessions.measure(which, order, isWanted: isWanted, tell)
  }
  /// Ends all sessions as the hub stops: callers get their end before this returns.
  public func endSessions() async { await vitals.sessions.endAll() }
  /// Ends a running measurement early; its results are valid.
  public func stopVitals(_ which: String) throws(HearthError) { try vitals.sessions.stop(which) }
  /// Starts another measurement in a session that stays.
  public func startVitals(_ which: String, seconds: Int) throws(HearthError) {
    try vitals.sessions.start(which, seconds: seconds)
  }
  public func terminateVitals(_ which: String) throws(HearthError) { try vitals.sessions.terminate(which) }
  /// The times at which the hub measures it by itself.
  public func schedule(of which: String) throws(HearthError) -> ScheduleSnapshot {
    try vitals.schedules.schedule(of: which)
  }
  /// nil: no longer. Durable when it returns.
  public func orderSchedule(
    _ which: String, _ schedule: MeasurementSchedule?
  ) async throws(HearthError) -> ScheduleSnapshot { try await vitals.schedules.order(which, schedule) }
  public func orders(of which: String) throws(HearthError) -> OrdersSnapshot { try orders.orders(of: which) }
  /// Pauses a wearable until a time, or until it is resumed. Durable when they return.
  public func pause(_ which: String, until: WallTime?) async throws(HearthError) -> WearableSnapshot {
    status.wearables.snapshot(of: try await pauses.pause(which, until: until))
  }
  public func resume(_ which: String) async throws(HearthError) -> WearableSnapshot {
    status.wearables.snapshot(of: try await pauses.resume(which))
  }
  /// Troubles that are muted for people.
  public func mutes() -> [MuteSnapshot] { muting.mutes() }
  public func mute(_ reason: Reason, of which: String?, until: WallTime?) async throws(HearthError) -> [MuteSnapshot] {
    let mutes = try await muting.mute(reason, of: which, until: until)
    pauses.lookSooner()
    return mutes
  }
  public func unmute(_ reason: Reason, of which: String?) async throws(HearthError) -> [MuteSnapshot] {
    try await muting.unmute(reason, of: which)
  }
  /// The data that visits collect of it unrequested, and when.
  public func collection(of which: String) throws(HearthError) -> CollectionSnapshot {
    try collection.collection(of: which)
  }
  /// nil: as configured; empty: all phases, or no times. Durable when they return.
  public func orderPhases(_ which: String, _ words: [String]?) async throws(HearthError) -> CollectionSnapshot {
    try await collection.orderPhases(which, words)
  }
  /// Sets the times of visits, in minutes after midnight; nil: as configured.
  public func orderVisitTimes(_ which: String, _ minutes: [Int]?) async throws(HearthError) -> CollectionSnapshot {
    try await collection.orderVisitTimes(which, minutes)
  }
  public func orderStreams(_ which: String, _ streams: Set<Series>) async throws(HearthError) -> OrdersSnapshot {
    try await orders.orderStreams(which, streams)
  }
  public func orderRates(_ which: String, _ rates: [Series: Int]) async throws(HearthError) -> OrdersSnapshot {
    try await orders.orderRates(which, rates)
  }
  public func orderSwitchedOff(_ which: String, _ names: Set<String>) async throws(HearthError) -> OrdersSnapshot {
    try await orders.orderSwitchedOff(which, names)
  }
  public func orderSettings(
    _ which: String, _ changes: [String: String?]
  ) async throws(HearthError) -> OrdersSnapshot { try await orders.orderSettings(which, changes) }
  public func orderSecret(_ which: String, _ secret: [UInt8]?) async throws(HearthError) -> OrdersSnapshot {
    try await orders.orderSecret(which, secret)
  }
  public func monitoring(of which: String) throws(HearthError) -> MonitoringSnapshot {
    try orders.monitoring(of: which)
  }
  /// The same, read from the wearable first.
  public func readMonitoring(of which: String) async throws(HearthError) -> MonitoringSnapshot {
    try await questions.readMonitoring(of: which)
    return try orders.monitoring(of: which)
  }
  public func orderMonitoring(
    _ which: String, _ series: Series, _ change: (inout MonitoringOrder) -> Void
  ) async throws(HearthError) -> MonitoringSnapshot { try await orders.orderMonitoring(which, series, change) }
  /// A new random key.
  public nonisolated static func freshSecret() -> [UInt8] {
    var random = SystemRandomNumberGenerator()
    return (0..<WearableOrders.secretSize).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }

  // MARK: Wearers

  public func wearers() -> [WearerSnapshot] { wearerKeeper.wearers() }
  public func addWearer(_ name: String) async throws(HearthError) -> WearerSnapshot {
    try await wearerKeeper.addWearer(name)
  }
  public func renameWearer(_ which: String, to name: String) async throws(HearthError) -> WearerSnapshot {
    try await wearerKeeper.renameWearer(which, to: name)
  }
  public func retireWearer(_ which: String) async throws(HearthError) -> WearerSnapshot {
    try await wearerKeeper.retireWearer(which)
  }
  public func setHouseID(_ which: String, _ houseID: String?) async throws(HearthError) -> WearerSnapshot {
    try await wearerKeeper.setHouseID(which, houseID)
  }
  public func setBody(
    _ which: String, _ change: (inout BodyFacts) -> Void
  ) async throws(HearthError) -> WearerSnapshot { try await wearerKeeper.setBody(which, change) }
  public func wearerNumber(of which: String) throws(HearthError) -> WearerID {
    try wearerKeeper.requireWearer(which).id
  }
  public func assignments(of which: String) throws(HearthError) -> [AssignmentSnapshot] {
    try wearerKeeper.assignments(of: which)
  }
  public func assign(
    _ which: String, to wearer: String?, from time: WallTime?
  ) async throws(HearthError) -> [AssignmentSnapshot] { try await wearerKeeper.assign(which, to: wearer, from: time) }
  public func correctAssignment(
    _ which: String, begin: WallTime, _ wish: AssignmentCorrection, isDry: Bool
  ) async throws(HearthError) -> CorrectionPlan {
    try await wearerKeeper.correct(which, begin: begin, wish, isDry: isDry)
  }

  // MARK: Components that answer
  private var visitQuestions: VisitQuestions { VisitQuestions(context: context, registry: registry, lane: lane) }
  var questions: WearableQuestions {
    WearableQuestions(
      context: context, registry: registry, presence: presence, lane: lane, requests: visitOrders.requests)
  }
  var syncs: SyncKeeper {
    SyncKeeper(context: context, registry: registry, presence: presence, lane: lane, orders: visitOrders)
  }
  private var muting: MuteKeeper { MuteKeeper(context: context, registry: registry) }
  var collection: CollectionKeeper { CollectionKeeper(context: context, registry: registry) }
  private var orders: OrderKeeper { OrderKeeper(context: context, registry: registry, presence: presence) }
}
