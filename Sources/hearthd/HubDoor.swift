// The hub as its control socket sees it: the hub itself, its store, its lights and its settings behind one protocol.

import Configuration
import Control
import EventLoop
import Health
import Hub
import Lights
import Reasons
import RingStore

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
  func openEnrolment(for duration: Duration?) throws(HearthError) -> EnrolmentSnapshot { try hub.openEnrolment(for: duration) }
  func closeEnrolment() { hub.closeEnrolment() }
  func accept(_ which: String, name: String?) async throws(HearthError) -> WearableSnapshot { try await hub.accept(which, name: name) }
  func rename(_ which: String, to name: String) async throws(HearthError) -> WearableSnapshot { try await hub.rename(which, to: name) }
  func forget(_ which: String) async throws(HearthError) { try await hub.forget(which) }

  func subscribeLive(_ which: String?, _ handler: @escaping @LoopActor (LiveValue) -> Void) throws(HearthError) -> Int {
    try hub.subscribeLive(which, handler)
  }
  func unsubscribeLive(_ token: Int) { hub.unsubscribeLive(token) }

  func storeStatus() -> StoreStatus { store.status }
  func storeRings() -> [RingStatus] { store.rings }
  func storeReaders() throws(HearthError) -> [ExportReader] { try store.readers() }
  func wearableRecords() -> [WearableRecord] { store.wearables + store.retiredWearables }
  func sampleExport() -> SampleExport { store.sampleExport(.ndjson) }

  /// Commits what is pending first: what leaves the hub must be durable here, and the reader gets all there is.
  func export(_ query: SampleQuery, reader: String?, by: String) async throws(HearthError) -> any ExportPages {
    try await store.flush()
    return try await store.export(query, reader: reader, by: by)
  }

  func newestSamples(_ count: Int, of wearable: WearableID, _ series: Series) async throws(HearthError) -> [StoredSample] {
    try await store.flush()
    return try await store.newest(count, of: wearable, series)
  }

  func days(
    of wearable: WearableID, _ series: Series, zone: TimeZoneRules, since: WallTime?, until: WallTime?
  ) async throws(HearthError) -> [DaySummary] {
    try await store.flush()
    return try await store.days(wearable, series, zone: zone, since: since, until: until)
  }

  /// The zone is read anew each time: it costs a file of some kilobytes, and whoever sets the machine's zone need not restart the hub.
  func timeZone() -> TimeZoneRules { currentSettings().timeZone }

  func verifyStore() async throws(HearthError) -> VerifyReport { try await store.verify() }
  func purgePlan(_ query: SampleQuery) async throws(HearthError) -> PurgePlan { try await store.purgePlan(query) }
  func purge(_ plan: PurgePlan) async throws(HearthError) -> UInt64 { try await store.purge(plan) }
  func recentEvents(_ limit: Int) throws(HearthError) -> [StoreEvent] { try store.recentEvents(limit) }
  func storeTaskBegan() { hub.storeTaskBegan() }
  func storeTaskEnded() { hub.storeTaskEnded() }

  func lightMeanings() -> [LightMeaning] { lights.meanings }
  func locate(_ on: Bool) { hub.locate(on) }

  func settings() -> [SettingDocument] {
    currentSettings().entries.map { SettingDocument(key: $0.key, value: $0.value, origin: $0.origin) }
  }
}
