// What the control socket needs of a hub. The daemon's adapter implements it with `Hearth`, tests with a few values.

public import EventLoop
public import Hub
public import Lights
public import Reasons
public import RingStore

/// A hub as its control socket sees it. All calls on the loop thread; none of them blocks.
@LoopActor
public protocol HubService: AnyObject {
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
  func forget(_ which: String) async throws(HearthError)

  /// Every live value (of one wearable, or of all) goes to `handler` until `unsubscribeLive`.
  func subscribeLive(_ which: String?, _ handler: @escaping @LoopActor (LiveValue) -> Void) throws(HearthError) -> Int
  func unsubscribeLive(_ token: Int)

  func storeStatus() -> StoreStatus
  /// The registry, the retired included: they name old samples.
  func wearableRecords() -> [WearableRecord]
  /// At most `limit` durable samples after `cursor`, in order; the work for one page is bounded.
  func readSamples(_ query: SampleQuery, after cursor: JournalCursor?, limit: Int) async throws(HearthError) -> SamplePage

  /// What each lamp says now.
  func lightMeanings() -> [LightMeaning]
  /// Shows the locate pattern, or ends it.
  func locate(_ on: Bool)
  func settings() -> [SettingDocument]
}
