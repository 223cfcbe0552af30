// Transfers in which no host may hang up.

public import EventLoop

/// A session whose wearable may lose data where the hub hangs up in the middle of a transfer. Without this facet the
/// hub hangs up at any time.
@LoopActor
public protocol TransferringSession: WearableSession {
  /// For how long a wearable in the middle of such a transfer may send nothing before it counts as silent; nil: no
  /// transfer is under way.
  var transferPatience: Duration? { get }
}

extension WearableSession {
  /// What transfers without a cut; nil: nothing.
  public var transferring: (any TransferringSession)? { self as? any TransferringSession }
}
