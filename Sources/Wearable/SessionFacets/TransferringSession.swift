// Transfers during which no host may disconnect.

public import EventLoop

/// Session of a wearable that may lose data if the hub disconnects during a transfer. Without this facet the hub
/// disconnects at any time.
@LoopActor
public protocol TransferringSession: WearableSession {
  /// Longest silence of a wearable in such a transfer before it counts as unresponsive; nil: no transfer is running.
  var transferPatience: Duration? { get }
}

extension WearableSession {
  /// The facet for transfers without interruption; nil without it.
  public var transferring: (any TransferringSession)? { self as? any TransferringSession }
}
