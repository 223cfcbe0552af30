// What the control socket needs of a hub: `Hearth` has it, and in tests a few values.

public import Bluetooth
public import EventLoop
public import Hub
public import Reasons
public import RingStore

/// A hub as its control socket sees it. All calls run on the loop thread and return without blocking.
@LoopActor
public protocol HubService: BondService, OrderService, AlertService, PauseService, MonitoringService,
  MeasuringService, VitalsService, TrainingService
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
  /// Returns a warning if the wearable was forgotten, and something is left to do.
  func forget(_ which: String) async throws(HearthError) -> HearthError?
  /// Whether values that it advertises are kept; nil: as configured. Durable when it returns.
  func setListening(_ which: String, _ choice: Bool?) async throws(HearthError) -> WearableSnapshot
  /// Sets how long it may be away before it is missing; zero: for ever, nil: as configured. Durable when it returns.
  func setAbsence(_ which: String, _ choice: Duration?) async throws(HearthError) -> WearableSnapshot
  /// Nil: as configured. Durable when it returns.
  func setErasing(_ which: String, _ choice: EraseChoice?) async throws(HearthError) -> WearableSnapshot

  /// Every live value (of one wearable, or of all) goes to `handler` until `unsubscribeLive`.
  func subscribeLive(_ which: String?, _ handler: @escaping @LoopActor (LiveValue) -> Void) throws(HearthError) -> Int
  func unsubscribeLive(_ token: Int)

  /// Calls `handler` when shown values may have changed, until `unsubscribeChanges`.
  func subscribeChanges(_ handler: @escaping @LoopActor () -> Void) -> Int
  func unsubscribeChanges(_ token: Int)

  /// Returns at most `limit` visits, of one wearable or of all: the running one first, then the newest.
  func visits(_ limit: Int, of which: String?) throws(HearthError) -> [VisitSnapshot]
  /// Wearables that wait for the lane, in order.
  func laneQueue() -> [QueueSnapshot]
  func laneReasons() -> [QueueSnapshot]
  /// Share of the slots that each wearable gets while all enrolled ones are here.
  func slotPlan() -> SlotPlan
  /// Puts a wearable first in the queue.
  func visitNow(_ which: String) throws(HearthError) -> QueueSnapshot
  /// Orders a sync: its visit is the next one.
  func orderSync(_ which: String, _ request: SyncRequest) throws(HearthError) -> SyncSnapshot
  /// The sync that runs, or the last one; nil: there was no sync.
  func sync(of which: String) throws(HearthError) -> SyncSnapshot?
  func custody(of which: String, lastVisitOnly: Bool) throws(HearthError) -> (
    visit: VisitSnapshot?, items: [CustodySnapshot]
  )
  func link(of which: String) throws(HearthError) -> LinkSnapshot
  /// Nil: back to policy. `byCentral`: the hub alone sets the link. Durable when it returns.
  func setLink(_ which: String, profile: LinkProfile?, byCentral: Bool) async throws(HearthError) -> LinkSnapshot
  /// Returns clocks by name.
  func clocks() throws(HearthError) -> [ClockSnapshot]
  func pairings() -> [PairingSnapshot]
  func answerPairing(_ which: String, _ answer: PairingAnswer) throws(HearthError)
  /// The radio's reset ladder, from its first rung.
  func recoverRadio() throws(HearthError)
  /// An operator looks at a wearable for so long.
  func watch(_ which: String, for duration: Duration)

  /// Outages of links that are not written down yet, as the hourly report will have them; the newest first.
  func pendingEvents() -> [StoreEvent]
  /// Number of a wearer, given by name or number.
  func wearerNumber(of which: String) throws(HearthError) -> WearerID
  /// Spans for which measurements name a person other than the wearable's wearer.
  func measurements(naming id: WearerID) async throws(HearthError) -> [WornSpan]
  /// A client lets the store work for longer than a moment; until it ended, the light says so.
  func storeTaskBegan()
  func storeTaskEnded()

  /// Shows the locate pattern, or ends it.
  func locate(_ on: Bool)
  /// Records the result of a backup. Durable when it returns.
  func noteBackup(_ outcome: Result<WallTime, HearthError>) async throws(HearthError)
}

extension Hearth: HubService {}
