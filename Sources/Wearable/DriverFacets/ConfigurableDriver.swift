// Settings and switches that people may order of a family of wearables.

/// A driver whose wearables keep settings that people may order. Without this facet such an order is refused.
public protocol ConfigurableDriver: WearableDriver {
  /// Settings that `WearableOrders.settings` may name, in an order for people.
  func settings(of wearable: KnownWearable) -> [WearableSetting]
  /// Features that `WearableOrders.switchedOff` may name.
  func switches(of wearable: KnownWearable) -> [WearableSwitch]
}

extension WearableDriver {
  /// What can be configured; nil: nothing.
  public var configurable: (any ConfigurableDriver)? { self as? any ConfigurableDriver }
}
