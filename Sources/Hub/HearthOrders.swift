// Queries and orders about a wearable itself: requests, orders, monitoring and mutes.

public import EventLoop
public import Health
public import Reasons
public import Wearable

/// Orders in which `which` is the name or the address of an enrolled wearable.
extension Hearth {
  // MARK: Requests

  /// Actions and reports that a wearable supports. Over a free link it is asked at once, else in its next visit.
  ///
  /// - Throws: `noSuchWearable`; `notLinked` for an absent wearable; `requestNotDone` if its turn comes too late, it is
  ///   busy or the link is lost; or the visit's error.
  public func actions(of which: String) async throws(HearthError) -> (actions: [WearableAction], reports: [String]) {
    try await questions.actions(of: which)
  }

  /// Carries out an action of a wearable and reads the result back; see `actions(of:)` for when.
  ///
  /// - Parameter arguments: at most `WearableAction.argumentLimit`; more are ignored.
  /// - Returns: what happened, one sentence.
  /// - Throws: `requestUnsupported` if it has no such action; or the errors of `actions(of:)`.
  public func perform(
    _ action: String, _ arguments: [String] = [], on which: String
  ) async throws(HearthError) -> String { try await questions.perform(action, arguments, on: which) }

  /// Report of a wearable about itself, read now; see `actions(of:)` for when.
  ///
  /// - Throws: `requestUnsupported` if it has no such report; or the errors of `actions(of:)`.
  public func report(_ topic: String, of which: String) async throws(HearthError) -> [ReportRow] {
    try await questions.report(topic, of: which)
  }

  // MARK: Orders

  /// Orders for a wearable, and what can be ordered; without its secret.
  ///
  /// - Throws: `noSuchWearable`.
  public func orders(of which: String) throws(HearthError) -> OrdersSnapshot { try orders.orders(of: which) }

  /// Orders series that a wearable sends live beside its usual ones. Durable when it returns. A linked wearable gets
  /// the order at once.
  ///
  /// - Parameter streams: of several, unsupported ones are left out and reported.
  /// - Throws: `noSuchWearable`; `requestUnsupported` for a series that its kind, its model or this wearable never
  ///   sends by order; or the store's error. After an error the orders are unchanged.
  public func orderStreams(_ which: String, _ streams: Set<Series>) async throws(HearthError) -> OrdersSnapshot {
    try await orders.orderStreams(which, streams)
  }

  /// Orders samples a second (Hz) of live series, the complete list: other rates follow the link's profile. Durable
  /// when it returns. A linked wearable gets the order at once.
  ///
  /// - Parameter rates: of several, those of series without rates are left out and reported.
  /// - Throws: `noSuchWearable`; `requestUnsupported` for a series or a rate that its model, or this wearable, does not
  ///   have; or the store's error. After an error the orders are unchanged.
  public func orderRates(_ which: String, _ rates: [Series: Int]) async throws(HearthError) -> OrdersSnapshot {
    try await orders.orderRates(which, rates)
  }

  /// Orders features to be off, the complete list. Durable when it returns. A linked wearable gets the order at once.
  ///
  /// - Throws: `noSuchWearable`; `requestUnsupported` for a feature that its kind cannot switch off or that is ordered
  ///   on; or the store's error. After an error the orders are unchanged.
  public func orderSwitchedOff(_ which: String, _ names: Set<String>) async throws(HearthError) -> OrdersSnapshot {
    try await orders.orderSwitchedOff(which, names)
  }

  /// Orders values of settings; settings that are not named keep their order. Durable when it returns. A linked
  /// wearable gets the order at once.
  ///
  /// - Parameter changes: values by name. nil: no longer ordered; the earlier value is restored if this hub changed it.
  /// - Throws: `noSuchWearable`; `requestUnsupported` for a setting or a value that its model does not have, or that
  ///   contradicts features ordered off; or the store's error. After an error the orders are unchanged.
  public func orderSettings(
    _ which: String, _ changes: [String: String?]
  ) async throws(HearthError) -> OrdersSnapshot { try await orders.orderSettings(which, changes) }

  /// Sets the key with which a wearable encrypts its memory from now on; nil: later recordings are unencrypted. Durable
  /// when it returns.
  ///
  /// - Parameter secret: 16 bytes, for example of `freshSecret`.
  /// - Throws: `noSuchWearable`; `controlBadParameter` for another size; `secretUseless` for a wearable that is known
  ///   not to encrypt; or the store's error. After an error the orders are unchanged.
  public func orderSecret(_ which: String, _ secret: [UInt8]?) async throws(HearthError) -> OrdersSnapshot {
    try await orders.orderSecret(which, secret)
  }

  /// New random key of 16 bytes for `orderSecret`, from the random numbers of the system.
  public nonisolated static func freshSecret() -> [UInt8] {
    var random = SystemRandomNumberGenerator()
    return (0..<WearableOrders.secretSize).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }
  private var orders: OrderKeeper { OrderKeeper(context: context, registry: registry, presence: presence) }

  // MARK: Monitoring

  /// Returns how a wearable measures by itself: what was ordered, and what it last reported.
  ///
  /// - Throws: `noSuchWearable`.
  public func monitoring(of which: String) throws(HearthError) -> MonitoringSnapshot {
    try orders.monitoring(of: which)
  }

  /// The same, read from the wearable first; see `actions(of:)` for when.
  ///
  /// - Throws: `requestUnsupported` if that cannot be read; or the errors of `actions(of:)`.
  public func readMonitoring(of which: String) async throws(HearthError) -> MonitoringSnapshot {
    try await questions.readMonitoring(of: which)
    return try orders.monitoring(of: which)
  }

  /// Orders how a wearable measures one series by itself; fields that `change` leaves keep their order. Durable when it
  /// returns. A linked wearable gets the order at once.
  ///
  /// - Throws: `noSuchWearable`; `controlBadParameter` for contradicting limits; `requestUnsupported` for what its
  ///   model or this wearable does not support, or what contradicts another order; or the store's error. After an error
  ///   the orders are unchanged.
  public func orderMonitoring(
    _ which: String, _ series: Series, _ change: (inout MonitoringOrder) -> Void
  ) async throws(HearthError) -> MonitoringSnapshot { try await orders.orderMonitoring(which, series, change) }

  // MARK: Mutes

  /// Troubles that people are not notified of, by order.
  public func mutes() -> [MuteSnapshot] { muting.mutes() }

  /// Mutes a trouble, or changes an existing mute. Durable when it returns.
  ///
  /// - Parameters:
  ///   - which: only of this wearable; nil: of the hub and of all wearables.
  ///   - until: by the hub's clock; nil: until it is withdrawn.
  /// - Returns: all mutes.
  /// - Throws: `noSuchWearable`; `controlBadParameter` for a time in the past; `storeTableFull` beyond the limit; or
  ///   the store's error. After an error the mutes are unchanged.
  public func mute(_ reason: Reason, of which: String?, until: WallTime?) async throws(HearthError) -> [MuteSnapshot] {
    let mutes = try await muting.mute(reason, of: which, until: until)
    pauses.lookSooner()
    return mutes
  }

  /// Withdraws a mute. Durable when it returns.
  ///
  /// - Returns: the mutes that are left.
  /// - Throws: `noSuchWearable`; `controlBadParameter` if there is no such mute; or the store's error. After an error
  ///   the mutes are unchanged.
  public func unmute(_ reason: Reason, of which: String?) async throws(HearthError) -> [MuteSnapshot] {
    try await muting.unmute(reason, of: which)
  }

  private var muting: MuteKeeper { MuteKeeper(context: context, registry: registry) }
}
