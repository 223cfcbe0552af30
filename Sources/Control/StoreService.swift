// What the control socket needs of the store, and of what is configured beside the hub.

public import CivilTime
public import EventLoop
public import Export
public import Health
public import HubProtocol
public import Lights
public import Reasons
public import RingStore

/// The store and the settings as the control socket sees them. All calls run on the loop thread and return without
/// blocking.
@LoopActor
public protocol StoreService: AnyObject {
  func storeStatus() -> StoreStatus
  /// Returns rings in the order of wearables, series and ways.
  func storeRings() -> [RingStatus]
  /// The export cursors, by name.
  func storeReaders() throws(HearthError) -> [ExportReader]
  /// Durable when it returns; nil: no cursor has this name.
  func removeReader(_ name: String) async throws(HearthError) -> ExportReader?
  /// nil: it was never asked for.
  func storeIdentity() throws(HearthError) -> StoreIdentity?
  /// Creates the identity if the store has no identity yet.
  func makeStoreIdentity() async throws(HearthError) -> StoreIdentity
  /// The registry, the retired included: they name old samples.
  func wearableRecords() -> [WearableRecord]
  /// Writes samples as ndjson, with the names of now.
  func sampleExport() -> SampleExport
  /// Exports everything that was received before the call; with a reader's name, behind what that reader confirmed.
  /// `by`: the connection that will confirm.
  func export(_ query: SampleQuery, reader: String?, by: String) async throws(HearthError) -> any ExportPages
  /// Returns samples in order of time.
  func newestSamples(_ count: Int, of wearable: WearableID, _ series: Series) async throws(HearthError)
    -> [StoredSample]
  /// A page, ascending by time.
  func items(_ query: ItemQuery) async throws(HearthError) -> ItemPage
  /// Values of all days that the range touches.
  func days(
    of sources: [ItemSource], _ series: Series, zone: TimeZoneRules, since: WallTime?, until: WallTime?
  ) async throws(HearthError) -> SeriesDays
  /// Returns the sleep from 20:00 to 20:00.
  func sleep(of sources: [ItemSource], on date: LocalDate, zone: TimeZoneRules) async throws(HearthError) -> SleepDay?
  /// The lines of a wearable's days, ascending.
  func dayLines(of wearable: WearableID, zone: TimeZoneRules, since: WallTime?, until: WallTime?)
    async throws(HearthError) -> [DayLine]
  /// Parts of a window (microseconds since 1970) for which a series has values.
  func coverage(of wearable: WearableID, _ series: Series, window: Range<Int64>) async throws(HearthError)
    -> SeriesCoverage
  /// Returns records as the store has them, the newest first.
  func visitRecords(_ limit: Int) throws(HearthError) -> [VisitRecord]
  /// `progress` gets percent.
  func verifyStore(_ progress: (Int) -> Void) async throws(HearthError) -> VerifyReport
  func purgePlan(_ query: SampleQuery) async throws(HearthError) -> PurgePlan
  func purge(_ plan: PurgePlan) async throws(HearthError) -> UInt64
  /// See `Store.overwriteDeleted`.
  func overwriteDeleted() async -> Int?
  /// The newest first.
  func recentEvents(_ limit: Int, before: UInt64?) throws(HearthError) -> [StoreEvent]
  /// `naming`: measurements that name the person.
  func erasurePlan(of id: WearerID, naming spans: [WornSpan]) async throws(HearthError) -> ErasurePlan
  func erase(_ plan: ErasurePlan) async throws(HearthError) -> UInt64
  /// Records data access, for `hearth access`.
  func noteAccess(_ note: AccessNote)
  /// The newest first.
  func accesses(_ limit: Int) throws(HearthError) -> [AccessRecord]
  /// Records an order, for `hearth events`; of one wearable or of the hub. Names no person except the user that
  /// ordered.
  func noteOrder(of wearable: WearableID?, _ text: String)

  /// Begins a backup of everything that is durable, and ends the one before.
  func beginBackup(samples: Bool) async throws(HearthError) -> BackupSession

  /// The zone in which the hub's days begin.
  func timeZone() -> TimeZoneRules
  /// Present meaning of each LED.
  func lightMeanings() -> [LightMeaning]
  /// nil if no night is configured.
  func lightNight() -> NightState?
  func settings() -> [SettingDocument]
}

/// The pages of one export. Each is read when it is asked for, in bounded work.
@LoopActor
public protocol ExportPages: AnyObject {
  /// Corrections that the reader gets before the first page; confirmed together with the pages.
  var corrections: ReaderCorrections { get }
  /// Returns at most about `limit` samples; nil behind the last page.
  func next(limit: Int) async throws(HearthError) -> SamplePage?
  /// The reader has safely taken all pages given so far: durable when it returns.
  func confirm() async throws(HearthError)
}

extension ExportSession: ExportPages {}
