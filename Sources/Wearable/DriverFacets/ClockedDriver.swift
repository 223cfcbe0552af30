// What a wearable's clock shows, for the times of what it recorded.

/// A driver whose wearables have a clock that can be read.
public protocol ClockedDriver: WearableDriver {
  /// What the clock shows (µs since 1970) when it has lost its time: whatever is before was measured by no clock of
  /// this kind. Nil: nobody knows.
  var clockBeginning: Int64? { get }
  /// The clock shows the time of a zone, not Greenwich's.
  var showsLocalTime: Bool { get }
  /// Its sessions tell the hub's times of what was recorded, worked out from what this hub gave the clock: the hub
  /// corrects them by no reading.
  var givesHubTimes: Bool { get }
}

extension ClockedDriver {
  public var givesHubTimes: Bool { false }
}

extension WearableDriver {
  /// What has a clock; nil: nothing.
  public var clocked: (any ClockedDriver)? { self as? any ClockedDriver }
}
