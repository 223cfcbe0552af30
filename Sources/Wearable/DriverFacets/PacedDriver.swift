// The least time between two writes that a wearable wants.

public import Bluetooth

/// A driver whose wearables want some services written slowly. Without this facet writes follow each other at once.
public protocol PacedDriver: WearableDriver {
  /// Services whose characteristics are written one after the other, with a pause between. Whoever writes them over a
  /// link, a session or the hub itself, is held to it.
  var writePaces: [WritePace] { get }
}

/// How closely the characteristics of one service may be written.
public struct WritePace: Sendable, Hashable {
  public let service: BluetoothUUID
  /// From the end of one write, or from the begin of the link, to the next write, whichever characteristics they are
  /// of.
  public let pause: Duration

  public init(service: BluetoothUUID, pause: Duration) {
    self.service = service
    self.pause = pause
  }
}

extension WearableDriver {
  /// What keeps a pace; nil: nothing.
  public var paced: (any PacedDriver)? { self as? any PacedDriver }
}
