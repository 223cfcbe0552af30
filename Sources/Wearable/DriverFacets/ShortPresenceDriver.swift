// Wearables that are on for seconds only, after a measurement: cuffs, scales, thermometers.

public import Bluetooth

/// Driver that recognises such wearables by their advertisements. The hub connects to such wearables before all others.
/// While unused, a wearable of this kind does not count as missing. When it disconnects, no data is lost. Without this
/// facet a wearable is expected to stay.
public protocol ShortPresenceDriver: WearableDriver {
  /// - Parameter services: services that the wearable advertises.
  func hasShortPresence(advertising services: [BluetoothUUID]) -> Bool
}

extension WearableDriver {
  /// The facet for wearables that are on for seconds; nil: all of the family stay.
  public var shortPresence: (any ShortPresenceDriver)? { self as? any ShortPresenceDriver }
}
