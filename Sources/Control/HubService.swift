// What the control socket needs of a hub. The daemon's adapter implements it with `Hearth`, tests with a few values.

public import Bluetooth
public import CivilTime
public import EventLoop
public import Export
public import Health
public import Hub
public import HubProtocol
public import Lights
public import Reasons
public import RingStore

/// A hub as its control socket sees it. All calls on the loop thread; none of them blocks.
@LoopActor
public protocol HubService: BondService, OrderService, AlertService, StandingService, MonitoringService,
  MeasuringService, VitalsService, TrainingService, BackupService
{
  func snapshot() -> HubSnapshot
  /// Enrolled wearables by name, then candidates that are heard.
  func wearables() -> [WearableSnapshot]
  func wearable(named which: String) throws(HearthError) -> WearableSnapshot

  func enrolmentSnapshot() -> EnrolmentSnapshot
  /// Nil: as long as the configuration says.
  func openEnrolment(for duration: Duration?) throws(HearthError) -> EnrolmentSnapshot
  func closeEnrolment()
  /// Durable when it returns.
  func accept(_ which: String, name: String?) async throws(HearthError) -> WearableSnapshot
  func rename(_ which: String, to name: String) async throws(HearthError) -> WearableSnapshot
  /// What it returns is a warning: it was forgotten, and something is left to do.
  func forget(_ which: String) async throws(HearthError) -> HearthError?
  /// Whether values that it advertises are kept; nil: as configured. Durable when it returns.
  func setListening(_ which: String, _ choice: Bool?) async throws(HearthError) -> WearableSnapshot
  /// How long it may be away before it is missing; zero: for ever, nil: as configured. Durable when it returns.
  func setAbsence(_ which: String, _ choice: Duration?) async throws(HearthError) -> WearableSnapshot
  /// Nil: as configured. Durable when it returns.
  func setErasing(_ which: String, _ choice: EraseChoice?) async throws(HearthError) -> WearableSnapshot

  /// Every live value (of one wearable, or of all) goes to `handler` until `unsubscribeLive`.
  func subscribeLive(_ which: String?, _ handler: @escaping @LoopActor (LiveValue) -> Void) throws(HearthError) -> Int
  func unsubscribeLive(_ token: Int)

  /// `handler` is told when what people are shown may be another, until `unsubscribeChanges`.
  func subscribeChanges(_ handler: @escaping @LoopActor () -> Void) -> Int
  func unsubscribeChanges(_ token: Int)

  /// At most `limit`, of one wearable or of all: the running one first, then the newest.
  func visits(_ limit: Int, of which: String?) throws(HearthError) -> [VisitSnapshot]
  /// Who waits for the lane, in order.
  func laneQueue() -> [QueueSnapshot]
  func laneReasons() -> [QueueSnapshot]
  /// Puts a wearable first in the queue.
  func visitNow(_ which: String) throws(HearthError) -> QueueSnapshot
  /// Orders a sync: its visit is the next one.
  func orderSync(_ which: String, _ request: SyncRequest) throws(HearthError) -> SyncSnapshot
  /// The one that runs, or the last one; nil: there was none.
  func sync(of which: String) throws(HearthError) -> SyncSnapshot?
  func custody(of which: String, lastVisitOnly: Bool) throws(HearthError) -> (
    visit: VisitSnapshot?, items: [CustodySnapshot]
  )
  func link(of which: String) throws(HearthError) -> LinkSnapshot
  /// Nil: back to policy. `byCentral`: the hub alone sets the link. Durable when it returns.
  func setLink(_ which: String, profile: LinkProfile?, byCentral: Bool) async throws(HearthError) -> LinkSnapshot
  /// By name.
  func clocks() throws(HearthError) -> [ClockSnapshot]
  func pairings() -> [PairingSnapshot]
  func answerPairing(_ which: String, _ answer: PairingAnswer) throws(HearthError)
  /// The radio's reset ladder, from its first rung.
  func recoverRadio() throws(HearthError)
  /// An operator looks at a wearable for so long.
  func watch(_ which: String, for duration: Duration)

  func storeStatus() -> StoreStatus
  /// In the order of wearables, series and ways.
  func storeRings() -> [RingStatus]
  /// The export cursors, by name.
  func storeReaders() throws(HearthError) -> [ExportReader]
  /// nil: it was never asked for.
  func storeIdentity() throws(HearthError) -> StoreIdentity?
  /// Made where there is none.
  func makeStoreIdentity() async throws(HearthError) -> StoreIdentity
  /// The registry, the retired included: they name old samples.
  func wearableRecords() -> [WearableRecord]
  /// Writes samples as ndjson, with the names of now.
  func sampleExport() -> SampleExport
  /// Everything that was received before the call; with a reader's name, behind what that reader confirmed. `by`: who
  /// will confirm.
  func export(_ query: SampleQuery, reader: String?, by: String) async throws(HearthError) -> any ExportPages
  /// In order of time.
  func newestSamples(_ count: Int, of wearable: WearableID, _ series: Series) async throws(HearthError)
    -> [StoredSample]
  /// One page, ascending by time.
  func items(_ query: ItemQuery) async throws(HearthError) -> ItemPage
  /// Of all days that the range touches.
  func days(
    of sources: [ItemSource], _ series: Series, zone: TimeZoneRules, since: WallTime?, until: WallTime?
  ) async throws(HearthError) -> SeriesDays
  /// From 20:00 to 20:00.
  func sleep(of sources: [ItemSource], on date: LocalDate, zone: TimeZoneRules) async throws(HearthError) -> SleepDay?
  /// The lines of a wearable's days, ascending.
  func dayLines(of wearable: WearableID, zone: TimeZoneRules, since: WallTime?, until: WallTime?)
    async throws(HearthError) -> [DayLine]
  /// What of a window (microseconds since 1970) a series has values for.
  func coverage(of wearable: WearableID, _ series: Series, window: Range<Int64>) async throws(HearthError)
    -> SeriesCoverage
  /// As the store has them, the newest first.
  func visitRecords(_ limit: Int) throws(HearthError) -> [VisitRecord]
  /// Where the hub's days begin.
  func timeZone() -> TimeZoneRules
  /// `progress` is told percent.
  func verifyStore(_ progress: (Int) -> Void) async throws(HearthError) -> VerifyReport
  func purgePlan(_ query: SampleQuery) async throws(HearthError) -> PurgePlan
  func purge(_ plan: PurgePlan) async throws(HearthError) -> UInt64
  /// The newest first.
  func recentEvents(_ limit: Int, before: UInt64?) throws(HearthError) -> [StoreEvent]
  /// Outages of links that are not written down yet, as they are told by the hour; the newest first.
  func untoldEvents() -> [StoreEvent]
  /// Of a wearer by name or number.
  func erasurePlan(of which: String) async throws(HearthError) -> ErasurePlan
  func erase(_ plan: ErasurePlan) async throws(HearthError) -> UInt64
  /// Keeps, for `hearth access`, what somebody was handed out.
  func noteAccess(_ note: AccessNote)
  /// The newest first.
  func accesses(_ limit: Int) throws(HearthError) -> [AccessRecord]
  /// Keeps, for `hearth events`, what somebody ordered; of one wearable or of the hub. Names no person but who ordered.
  func noteOrder(of wearable: WearableID?, _ text: String)
  /// A client lets the store work for longer than a moment; until it ended, the light says so.
  func storeTaskBegan()
  func storeTaskEnded()

  /// What each lamp says now.
  func lightMeanings() -> [LightMeaning]
  /// Nil where no night is configured.
  func lightNight() -> NightState?
  /// Shows the locate pattern, or ends it.
  func locate(_ on: Bool)
  func settings() -> [SettingDocument]
}

/// The pages of one export. Each is read when it is asked for, in bounded work.
@LoopActor
public protocol ExportPages: AnyObject {
  /// What its reader is told before the first page; confirmed with what is given.
  var corrections: ReaderCorrections { get }
  /// At most about `limit` samples; nil behind the last page.
  func next(limit: Int) async throws(HearthError) -> SamplePage?
  /// The reader has safely taken all pages given so far: durable when it returns.
  func confirm() async throws(HearthError)
}

extension ExportSession: ExportPages {}
