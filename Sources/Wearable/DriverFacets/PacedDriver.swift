// Minimum time between two writes that a wearable requires.

public import Bluetooth

/// Driver of wearables that need slow writes to some services. Without this facet writes follow each other at once.
public protocol PacedDriver: WearableDriver {
  /// Services with a pause between any two writes to their characteristics. The pause applies to all writers of a link:
  /// sessions and the hub itself.
  var writePaces: [WritePace] { get }
}

/// Minimum distance of writes to the characteristics of one service.
public struct WritePace: Sendable, Hashable {
  /// Service of the characteristics.
  public let service: BluetoothUUID
  /// Pause from the end of one write, or from the start of the link, to the next write to any characteristic of the
  /// service.
  public let pause: Duration

  /// A pause between writes to a service.
  public init(service: BluetoothUUID, pause: Duration) {
    self.service = service
    self.pause = pause
  }
}

extension WearableDriver {
  /// The facet for paces; nil without it.
  public var paced: (any PacedDriver)? { self as? any PacedDriver }
}
