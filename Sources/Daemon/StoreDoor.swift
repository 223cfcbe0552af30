// Store, lights and settings for the control socket.

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

/// Answers from the store; pending data is committed first.
@LoopActor
final class StoreDoor: StoreService {
  private let hub: Hearth
  private let store: Store
  private let lights: LightDriver
  private var marks: MachineMarks?
  private let currentSettings: @LoopActor () -> Configuration

  init(_ hub: Hearth, store: Store, lights: LightDriver, settings: @escaping @LoopActor () -> Configuration) {
    self.hub = hub
    self.store = store
    self.lights = lights
    currentSettings = settings
  }

  func storeStatus() -> StoreStatus { store.status }
  func storeRings() -> [RingStatus] { store.rings }
  func storeReaders() throws(HearthError) -> [ExportReader] { try store.readers() }
  func removeReader(_ name: String) async throws(HearthError) -> ExportReader? { try await store.removeReader(name) }
  func storeIdentity() throws(HearthError) -> StoreIdentity? { try store.identity() }
  func makeStoreIdentity() async throws(HearthError) -> StoreIdentity {
    try await store.makeIdentity(on: try machine())
  }

  /// Cached once the radio is known.
  private func machine() throws(HearthError) -> MachineMarks {
    if let marks { return marks }
    // An address given to the adapter does not identify the machine.
    let isOwn = try store.radioIdentity() == nil
    let radio = isOwn ? hub.snapshot().radio.address?.description : nil
    let found = Machine.marks(radio: radio)
    if radio != nil || !isOwn { marks = found }
    return found
  }
  func wearableRecords() -> [WearableRecord] { store.wearables + store.retiredWearables }
  func sampleExport() -> SampleExport { store.sampleExport(.ndjson) }

  /// Commits pending data: data that leaves the hub must be durable here, and the reader gets all of it. If the disk
  /// refuses (reported as H4199), the reader gets the durable part: that is when it is needed most.
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

  /// The zone is read each time: it costs a file of some kilobytes, and a new zone of the machine then needs no
  /// restart.
  func timeZone() -> TimeZoneRules { currentSettings().timeZone }

  func verifyStore(_ progress: (Int) -> Void) async throws(HearthError) -> VerifyReport {
    try await store.verify(progress)
  }
  func purgePlan(_ query: SampleQuery) async throws(HearthError) -> PurgePlan { try await store.purgePlan(query) }
  func purge(_ plan: PurgePlan) async throws(HearthError) -> UInt64 { try await store.purge(plan) }

  func overwriteDeleted() async -> Int? { await store.overwriteDeleted() }
  func recentEvents(_ limit: Int, before: UInt64?) throws(HearthError) -> [StoreEvent] {
    try store.recentEvents(limit, before: before)
  }
  func erasurePlan(of id: WearerID, naming spans: [WornSpan]) async throws(HearthError) -> ErasurePlan {
    try await store.erasurePlan(of: id, naming: spans)
  }
  func erase(_ plan: ErasurePlan) async throws(HearthError) -> UInt64 { try await store.erase(plan) }
  func noteAccess(_ note: AccessNote) { store.noteAccess(note) }
  func accesses(_ limit: Int) throws(HearthError) -> [AccessRecord] { try store.accesses(limit) }
  func noteOrder(of wearable: WearableID?, _ text: String) {
    store.noteEvent(.orderGiven, wearable: wearable, text: text)
  }
  func beginBackup(samples: Bool) async throws(HearthError) -> BackupSession {
    try await store.beginBackup(samples: samples)
  }

  func lightMeanings() -> [LightMeaning] { lights.meanings(by: hub.lightState()) }
  func lightNight() -> NightState? { lights.night }

  func settings() -> [SettingDocument] {
    currentSettings().entries.map { SettingDocument(key: $0.key, value: $0.value, origin: $0.origin) }
  }
}
