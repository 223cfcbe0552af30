// Streams that begin by order, and their rates.

public import Health

/// A driver whose sessions begin live streams by order. Without this facet such an order is refused.
public protocol StreamingDriver: WearableDriver {
  /// Live series that `WearableOrders.streams` may name. What comes by itself is none of them. Nil: the model is not
  /// known, and any live series of the kind may be ordered.
  func streams(of wearable: KnownWearable) -> [Series]?
}

/// A driver whose sessions begin streams at an ordered rate. Without this facet such an order is refused.
public protocol RatedDriver: StreamingDriver {
  /// Live series whose rate `WearableOrders.rates` may name, and the rates, slowest first. An empty list: the wearable
  /// says only over a link which rates it has.
  func rates(of wearable: KnownWearable) -> [Series: [WearableRate]]
}

extension WearableDriver {
  /// What streams by order; nil: nothing.
  public var streaming: (any StreamingDriver)? { self as? any StreamingDriver }
  /// What has rates that can be ordered; nil: nothing.
  public var rated: (any RatedDriver)? { self as? any RatedDriver }
}
