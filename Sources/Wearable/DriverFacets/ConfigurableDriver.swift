// Settings and switches of a family of wearables that people may order.

/// Driver for wearables with settings that people may order. Without this facet such an order is refused.
public protocol ConfigurableDriver: WearableDriver {
  /// Settings that `WearableOrders.settings` may name, in an order for display.
  func settings(of wearable: KnownWearable) -> [WearableSetting]
  /// Features that `WearableOrders.switchedOff` may name.
  func switches(of wearable: KnownWearable) -> [WearableSwitch]
}

extension WearableDriver {
  /// The facet for settings; nil without it.
  public var configurable: (any ConfigurableDriver)? { self as? any ConfigurableDriver }
}
