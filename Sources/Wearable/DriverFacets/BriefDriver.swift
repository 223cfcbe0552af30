// Wearables that are there for seconds, after they measured: cuffs, scales, thermometers.

public import Bluetooth

/// A driver that knows such wearables by what they advertise. They are linked before all others, are not missing while
/// nobody uses them, and hang up without losing anything. Without this facet a wearable is expected to stay.
public protocol BriefDriver: WearableDriver {
  /// - Parameter services: what the wearable advertises.
  func isBrief(advertising services: [BluetoothUUID]) -> Bool
}

extension WearableDriver {
  /// What knows wearables that are there for seconds; nil: all of its family stay.
  public var brief: (any BriefDriver)? { self as? any BriefDriver }
}
