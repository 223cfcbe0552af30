// The part of a hub that the control socket needs for orders, assignments of wearers, and actions of wearables.

public import EventLoop
public import Health
public import Hub
public import Reasons
public import RingStore
public import Wearable

/// Orders of people to a hub, as the control socket needs them.
@LoopActor
public protocol OrderService {
  /// Actions that a wearable offers, and readings that it reports. If it is not connected, this and the next two wait
  /// for a visit.
  func actions(of which: String) async throws(HearthError) -> (actions: [WearableAction], reports: [String])
  /// - Returns: what happened, one sentence.
  func perform(_ action: String, _ arguments: [String], on which: String) async throws(HearthError) -> String
  func report(_ topic: String, of which: String) async throws(HearthError) -> [ReportRow]

  func orders(of which: String) throws(HearthError) -> OrdersSnapshot
  /// Durable when they return.
  func orderStreams(_ which: String, _ streams: Set<Series>) async throws(HearthError) -> OrdersSnapshot
  func orderRates(_ which: String, _ rates: [Series: Int]) async throws(HearthError) -> OrdersSnapshot
  func orderSwitchedOff(_ which: String, _ names: Set<String>) async throws(HearthError) -> OrdersSnapshot
  /// nil takes an order back.
  func orderSettings(_ which: String, _ changes: [String: String?]) async throws(HearthError) -> OrdersSnapshot
  func schedule(of which: String) throws(HearthError) -> ScheduleSnapshot
  /// nil: measured only on request. Durable when it returns.
  func orderSchedule(_ which: String, _ schedule: MeasurementSchedule?) async throws(HearthError) -> ScheduleSnapshot
  /// Data that scheduled visits fetch from the wearable, and when.
  func collection(of which: String) throws(HearthError) -> CollectionSnapshot
  /// nil: as configured; empty: all phases, or no times. Durable when they return.
  func orderPhases(_ which: String, _ words: [String]?) async throws(HearthError) -> CollectionSnapshot
  func orderVisitTimes(_ which: String, _ minutes: [Int]?) async throws(HearthError) -> CollectionSnapshot
  func orderSecret(_ which: String, _ secret: [UInt8]?) async throws(HearthError) -> OrdersSnapshot

  func wearers() -> [WearerSnapshot]
  func addWearer(_ name: String) async throws(HearthError) -> WearerSnapshot
  func renameWearer(_ which: String, to name: String) async throws(HearthError) -> WearerSnapshot
  func retireWearer(_ which: String) async throws(HearthError) -> WearerSnapshot
  /// nil: removes the identifier.
  func setHouseID(_ which: String, _ houseID: String?) async throws(HearthError) -> WearerSnapshot
  func setBody(_ which: String, _ change: (inout BodyFacts) -> Void) async throws(HearthError) -> WearerSnapshot
  /// Returns assignments in the order of time.
  func assignments(of which: String) throws(HearthError) -> [AssignmentSnapshot]
  /// `wearer` nil: takes the wearable from its wearer; `time` nil: now.
  func assign(_ which: String, to wearer: String?, from time: WallTime?) async throws(HearthError)
    -> [AssignmentSnapshot]
  func correctAssignment(_ which: String, begin: WallTime, _ wish: AssignmentCorrection, isDry: Bool)
    async throws(HearthError) -> CorrectionPlan
}
