// Wearables with automatic measuring that can be ordered.

/// Driver of wearables that accept orders for automatic measuring. Without this facet such an order is refused.
public protocol MonitoringDriver: WearableDriver {
  /// Choices that `WearableOrders.monitoring` may name, each series once. An empty list: this model has no such choice.
  func monitoring(of wearable: KnownWearable) -> [MonitoringChoice]
}

extension WearableDriver {
  /// The facet for automatic measuring; nil without it.
  public var monitored: (any MonitoringDriver)? { self as? any MonitoringDriver }
}
