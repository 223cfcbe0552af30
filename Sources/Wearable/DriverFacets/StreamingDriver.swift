// Streams that start by order, and their rates.

public import Health

/// Driver with sessions that start live streams by order. Without this facet such an order is refused.
public protocol StreamingDriver: WearableDriver {
  /// Live series that `WearableOrders.streams` may name, without those sent in any case. Nil: the model is unknown, and
  /// any live series of the kind may be ordered.
  func streams(of wearable: KnownWearable) -> [Series]?
}

/// Driver with sessions that start streams at an ordered rate. Without this facet such an order is refused.
public protocol RatedDriver: StreamingDriver {
  /// Live series with rates that `WearableOrders.rates` may name, and these rates, slowest first. An empty list: only a
  /// link shows which rates the wearable has.
  func rates(of wearable: KnownWearable) -> [Series: [WearableRate]]
}

extension WearableDriver {
  /// The facet for streams; nil without it.
  public var streaming: (any StreamingDriver)? { self as? any StreamingDriver }
  /// The facet for rates of streams; nil without it.
  public var rated: (any RatedDriver)? { self as? any RatedDriver }
}
