// Properties of a wearable's clock, needed for the times of its recordings.

/// Driver for wearables with a clock that can be read.
public protocol ClockedDriver: WearableDriver {
  /// Time from which a clock counts that has lost its time, µs since 1970. Earlier times cannot come from such a clock.
  /// nil: unknown.
  var clockBeginning: Int64? { get }
  /// Whether the clock shows local time instead of UTC.
  var showsLocalTime: Bool { get }
  /// Whether its sessions report recordings in the hub's time, computed from the time that this hub gave the clock. The
  /// hub then corrects them by no reading.
  var givesHubTimes: Bool { get }
}

extension ClockedDriver {
  /// False: items have the wearable's times.
  public var givesHubTimes: Bool { false }
}

extension WearableDriver {
  /// The facet for clocks; nil without it.
  public var clocked: (any ClockedDriver)? { self as? any ClockedDriver }
}
