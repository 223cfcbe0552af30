// Wearables that measure by themselves, as they are told.

/// A driver whose wearables can be ordered how they measure by themselves. Without this facet such an order is refused.
public protocol MonitoringDriver: WearableDriver {
  /// What `WearableOrders.monitoring` may name, each series once. An empty list: this model has nothing of it.
  func monitoring(of wearable: KnownWearable) -> [MonitoringChoice]
}

extension WearableDriver {
  /// What measures by order; nil: nothing.
  public var monitored: (any MonitoringDriver)? { self as? any MonitoringDriver }
}
