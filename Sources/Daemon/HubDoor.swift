// The hub as its control socket sees it: the hub itself, its store, its lights and its settings behind one protocol.

import Bluetooth
import CivilTime
import Configuration
import Control
import EventLoop
import Export
import Health
import Hub
import HubProtocol
import Lights
import Reasons
import RingStore
import Wearable

/// Hands every call on to whom it belongs; decides nothing.
@LoopActor
final class HubDoor: HubService {
  private let hub: Hearth
  private let store: Store
  private let lights: LightDriver
  private let currentSettings: @LoopActor () -> Configuration

  init(_ hub: Hearth, store: Store, lights: LightDriver, settings: @escaping @LoopActor () -> Configuration) {
    self.hub = hub
    self.store = store
    self.lights = lights
    currentSettings = settings
  }

  func snapshot() -> HubSnapshot { hub.snapshot() }
  func wearables() -> [WearableSnapshot] { hub.wearables() }
  func wearable(named which: String) throws(HearthError) -> WearableSnapshot { try hub.wearable(named: which) }

  func enrolmentSnapshot() -> EnrolmentSnapshot { hub.enrolmentSnapshot() }
  func openEnrolment(for duration: Duration?) throws(HearthError) -> EnrolmentSnapshot {
    try hub.openEnrolment(for: duration)
  }
  func closeEnrolment() { hub.closeEnrolment() }
  func accept(_ which: String, name: String?) async throws(HearthError) -> WearableSnapshot {
    try await hub.accept(which, name: name)
  }
  func rename(_ which: String, to name: String) async throws(HearthError) -> WearableSnapshot {
    try await hub.rename(which, to: name)
  }
  func forget(_ which: String) async throws(HearthError) -> HearthError? { try await hub.forget(which) }
  func measure(
    _ which: String, _ order: MeasurementOrder, isWanted: @escaping @LoopActor () -> Bool,
    _ tell: @escaping @LoopActor (MeasurementNews) -> Void
  ) async throws(HearthError) -> MeasurementResult { try await hub.measure(which, order, isWanted: isWanted, tell) }
  func stopMeasuring(_ which: String) throws(HearthError) { try hub.stopMeasuring(which) }
  func measureVitals(
    _ which: String, _ order: VitalsOrder, isWanted: @escaping @LoopActor () -> Bool,
    _ tell: @escaping @LoopActor (VitalsNews) -> Void
  ) async throws(HearthError) -> VitalsResult { try await hub.measureVitals(which, order, isWanted: isWanted, tell) }
  func stopVitals(_ which: String) throws(HearthError) { try hub.stopVitals(which) }
  func startVitals(_ which: String, seconds: Int) throws(HearthError) { try hub.startVitals(which, seconds: seconds) }
  func terminateVitals(_ which: String) throws(HearthError) { try hub.terminateVitals(which) }
  func schedule(of which: String) throws(HearthError) -> ScheduleSnapshot { try hub.schedule(of: which) }
  func pause(_ which: String, until: WallTime?) async throws(HearthError) -> WearableSnapshot {
    try await hub.pause(which, until: until)
  }
  func resume(_ which: String) async throws(HearthError) -> WearableSnapshot { try await hub.resume(which) }
  func mutes() -> [MuteSnapshot] { hub.mutes() }
  func mute(_ reason: Reason, of which: String?, until: WallTime?) async throws(HearthError) -> [MuteSnapshot] {
    try await hub.mute(reason, of: which, until: until)
  }
  func unmute(_ reason: Reason, of which: String?) async throws(HearthError) -> [MuteSnapshot] {
    try await hub.unmute(reason, of: which)
  }
  func collection(of which: String) throws(HearthError) -> CollectionSnapshot { try hub.collection(of: which) }
  func orderPhases(_ which: String, _ words: [String]?) async throws(HearthError) -> CollectionSnapshot {
    try await hub.orderPhases(which, words)
  }
  func orderVisitTimes(_ which: String, _ minutes: [Int]?) async throws(HearthError) -> CollectionSnapshot {
    try await hub.orderVisitTimes(which, minutes)
  }
  func orderSchedule(_ which: String, _ schedule: MeasurementSchedule?) async throws(HearthError) -> ScheduleSnapshot {
    try await hub.orderSchedule(which, schedule)
  }
  func setListening(_ which: String, _ choice: Bool?) async throws(HearthError) -> WearableSnapshot {
    try await hub.setListening(which, choice)
  }
  func setAbsence(_ which: String, _ choice: Duration?) async throws(HearthError) -> WearableSnapshot {
    try await hub.setAbsence(which, choice)
  }
  func setErasing(_ which: String, _ choice: EraseChoice?) async throws(HearthError) -> WearableSnapshot {
    try await hub.setErasing(which, choice)
  }

  func subscribeLive(_ which: String?, _ handler: @escaping @LoopActor (LiveValue) -> Void) throws(HearthError) -> Int {
    try hub.subscribeLive(which, handler)
  }
  func unsubscribeLive(_ token: Int) { hub.unsubscribeLive(token) }

  func subscribeChanges(_ handler: @escaping @LoopActor () -> Void) -> Int { hub.subscribeChanges(handler) }
  func unsubscribeChanges(_ token: Int) { hub.unsubscribeChanges(token) }

  func visits(_ limit: Int, of which: String?) throws(HearthError) -> [VisitSnapshot] {
    try hub.visits(limit, of: which)
  }
  func laneQueue() -> [QueueSnapshot] { hub.laneQueue() }
  func laneReasons() -> [QueueSnapshot] { hub.laneReasons() }
  func visitNow(_ which: String) throws(HearthError) -> QueueSnapshot { try hub.visitNow(which) }
  func orderSync(_ which: String, _ request: SyncRequest) throws(HearthError) -> SyncSnapshot {
    try hub.orderSync(which, request)
  }
  func sync(of which: String) throws(HearthError) -> SyncSnapshot? { try hub.sync(of: which) }
  func custody(of which: String, lastVisitOnly: Bool) throws(HearthError) -> (
    visit: VisitSnapshot?, items: [CustodySnapshot]
  ) {
    try hub.custody(of: which, lastVisitOnly: lastVisitOnly)
  }
  func link(of which: String) throws(HearthError) -> LinkSnapshot { try hub.link(of: which) }
  func setLink(_ which: String, profile: LinkProfile?, byCentral: Bool) async throws(HearthError) -> LinkSnapshot {
    try await hub.setLink(which, profile: profile, byCentral: byCentral)
  }
  func clocks() throws(HearthError) -> [ClockSnapshot] { try hub.clocks() }
  func pairings() -> [PairingSnapshot] { hub.pairings() }
  func answerPairing(_ which: String, _ answer: PairingAnswer) throws(HearthError) {
    try hub.answerPairing(which, answer)
  }
  func recoverRadio() throws(HearthError) { try hub.recoverRadio() }
  func watch(_ which: String, for duration: Duration) { hub.watch(which, for: duration) }

  func beginBackup(samples: Bool) async throws(HearthError) -> BackupSession {
    try await store.beginBackup(samples: samples)
  }
  func noteBackup(_ outcome: Result<WallTime, HearthError>) async throws(HearthError) {
    try await hub.noteBackup(outcome)
  }

  func storeStatus() -> StoreStatus { store.status }
  func storeRings() -> [RingStatus] { store.rings }
  func storeReaders() throws(HearthError) -> [ExportReader] { try store.readers() }
  func storeIdentity() throws(HearthError) -> StoreIdentity? { try store.identity() }
  func makeStoreIdentity() async throws(HearthError) -> StoreIdentity { try await store.makeIdentity() }
  func wearableRecords() -> [WearableRecord] { store.wearables + store.retiredWearables }
  func sampleExport() -> SampleExport { store.sampleExport(.ndjson) }

  /// Commits what is pending: what leaves the hub must be durable here, and the reader gets all there is. Where the
  /// disk refuses, which the hub's state says (H4199), the reader gets what is durable: that is when it is needed most.
  private func settle() async { try? await store.flush() }

  func export(_ query: SampleQuery, reader: String?, by: String) async throws(HearthError) -> any ExportPages {
    await settle()
    return try await store.export(query, reader: reader, by: by)
  }

  func newestSamples(_ count: Int, of wearable: WearableID, _ series: Series) async throws(HearthError)
    -> [StoredSample]
  {
    await settle()
    return try await store.newest(count, of: wearable, series)
  }

  func items(_ query: ItemQuery) async throws(HearthError) -> ItemPage {
    await settle()
    return try await store.items(query)
  }

  func days(
    of sources: [ItemSource], _ series: Series, zone: TimeZoneRules, since: WallTime?, until: WallTime?
  ) async throws(HearthError) -> SeriesDays {
    await settle()
    return try await store.days(sources, series, zone: zone, since: since, until: until)
  }

  func sleep(of sources: [ItemSource], on date: LocalDate, zone: TimeZoneRules) async throws(HearthError) -> SleepDay? {
    await settle()
    return try await store.sleep(sources, date, zone: zone)
  }

  func dayLines(of wearable: WearableID, zone: TimeZoneRules, since: WallTime?, until: WallTime?)
    async throws(HearthError) -> [DayLine]
  {
    await settle()
    return try await store.dayLines(wearable, zone: zone, since: since, until: until)
  }

  func coverage(of wearable: WearableID, _ series: Series, window: Range<Int64>) async throws(HearthError)
    -> SeriesCoverage
  {
    await settle()
    return try await store.coverage(wearable, series, window: window)
  }
  func visitRecords(_ limit: Int) throws(HearthError) -> [VisitRecord] { try store.recentVisits(limit) }

  /// The zone is read anew each time: it costs a file of some kilobytes, and whoever sets the machine's zone need not
  /// restart the hub.
  func timeZone() -> TimeZoneRules { currentSettings().timeZone }

  func verifyStore(_ progress: (Int) -> Void) async throws(HearthError) -> VerifyReport {
    try await store.verify(progress)
  }
  func purgePlan(_ query: SampleQuery) async throws(HearthError) -> PurgePlan { try await store.purgePlan(query) }
  func purge(_ plan: PurgePlan) async throws(HearthError) -> UInt64 { try await store.purge(plan) }
  func recentEvents(_ limit: Int, before: UInt64?) throws(HearthError) -> [StoreEvent] {
    try store.recentEvents(limit, before: before)
  }
  func untoldEvents() -> [StoreEvent] { hub.untoldEvents() }
  func erasurePlan(of which: String) async throws(HearthError) -> ErasurePlan {
    let id = try hub.wearerNumber(of: which)
    return try await store.erasurePlan(of: id, naming: hub.measurements(naming: id))
  }
  func erase(_ plan: ErasurePlan) async throws(HearthError) -> UInt64 { try await store.erase(plan) }
  func noteAccess(_ note: AccessNote) { store.noteAccess(note) }
  func accesses(_ limit: Int) throws(HearthError) -> [AccessRecord] { try store.accesses(limit) }
  func noteOrder(of wearable: WearableID?, _ text: String) {
    store.noteEvent(.orderGiven, wearable: wearable, text: text)
  }
  func storeTaskBegan() { hub.storeTaskBegan() }
  func storeTaskEnded() { hub.storeTaskEnded() }

  func bonds() -> [BondSnapshot] { hub.bonds() }
  func bondKeys() throws(HearthError) -> [Bond] { try hub.bondKeys() }
  func importBonds(_ bonds: [(name: String, kind: String, driver: String, bond: Bond)]) async throws(HearthError) -> Int
  {
    try await hub.importBonds(bonds)
  }
  func removeBond(_ which: String) async throws(HearthError) { try await hub.removeBond(which) }

  func actions(of which: String) async throws(HearthError) -> (actions: [WearableAction], reports: [String]) {
    try await hub.actions(of: which)
  }
  func perform(_ action: String, _ arguments: [String], on which: String) async throws(HearthError) -> String {
    try await hub.perform(action, arguments, on: which)
  }
  func report(_ topic: String, of which: String) async throws(HearthError) -> [ReportRow] {
    try await hub.report(topic, of: which)
  }
  func orders(of which: String) throws(HearthError) -> OrdersSnapshot { try hub.orders(of: which) }
  func orderStreams(_ which: String, _ streams: Set<Series>) async throws(HearthError) -> OrdersSnapshot {
    try await hub.orderStreams(which, streams)
  }
  func orderRates(_ which: String, _ rates: [Series: Int]) async throws(HearthError) -> OrdersSnapshot {
    try await hub.orderRates(which, rates)
  }
  func orderSwitchedOff(_ which: String, _ names: Set<String>) async throws(HearthError) -> OrdersSnapshot {
    try await hub.orderSwitchedOff(which, names)
  }
  func orderSettings(_ which: String, _ changes: [String: String?]) async throws(HearthError) -> OrdersSnapshot {
    try await hub.orderSettings(which, changes)
  }
  func orderSecret(_ which: String, _ secret: [UInt8]?) async throws(HearthError) -> OrdersSnapshot {
    try await hub.orderSecret(which, secret)
  }
  func wearers() -> [WearerSnapshot] { hub.wearers() }
  func addWearer(_ name: String) async throws(HearthError) -> WearerSnapshot { try await hub.addWearer(name) }
  func renameWearer(_ which: String, to name: String) async throws(HearthError) -> WearerSnapshot {
    try await hub.renameWearer(which, to: name)
  }
  func retireWearer(_ which: String) async throws(HearthError) -> WearerSnapshot { try await hub.retireWearer(which) }
  func setBody(_ which: String, _ change: (inout BodyFacts) -> Void) async throws(HearthError) -> WearerSnapshot {
    try await hub.setBody(which, change)
  }
  func assignments(of which: String) throws(HearthError) -> [AssignmentSnapshot] { try hub.assignments(of: which) }
  func assign(_ which: String, to wearer: String?, from time: WallTime?) async throws(HearthError)
    -> [AssignmentSnapshot]
  {
    try await hub.assign(which, to: wearer, from: time)
  }
  func correctAssignment(_ which: String, begin: WallTime, _ wish: AssignmentWish, isDry: Bool)
    async throws(HearthError) -> CorrectionPlan
  {
    try await hub.correctAssignment(which, begin: begin, wish, isDry: isDry)
  }

  func alerts() -> [AlertsSnapshot] { hub.alerts() }
  func alerts(of which: String) throws(HearthError) -> AlertsSnapshot { try hub.alerts(of: which) }
  func orderAlerts(_ which: String, _ change: (inout AlertOrders) -> Void) async throws(HearthError) -> AlertsSnapshot {
    try await hub.orderAlerts(which, change)
  }
  func acknowledgeAlerts(_ which: String) async throws(HearthError) -> AlertsSnapshot {
    try await hub.acknowledgeAlerts(which)
  }
  func beginTraining(_ which: String) async throws(HearthError) -> TrainingSnapshot {
    try await hub.beginTraining(which)
  }
  func endTraining(_ which: String) async throws(HearthError) -> TrainingSnapshot { try await hub.endTraining(which) }

  func monitoring(of which: String) throws(HearthError) -> MonitoringSnapshot { try hub.monitoring(of: which) }
  func readMonitoring(of which: String) async throws(HearthError) -> MonitoringSnapshot {
    try await hub.readMonitoring(of: which)
  }
  func orderMonitoring(_ which: String, _ series: Series, _ change: (inout MonitoringOrder) -> Void)
    async throws(HearthError) -> MonitoringSnapshot
  {
    try await hub.orderMonitoring(which, series, change)
  }

  func lightMeanings() -> [LightMeaning] { lights.meanings(by: hub.lightState()) }
  func lightNight() -> NightState? { lights.night }
  func locate(_ on: Bool) { hub.locate(on) }

  func settings() -> [SettingDocument] {
    currentSettings().entries.map { SettingDocument(key: $0.key, value: $0.value, origin: $0.origin) }
  }
}
