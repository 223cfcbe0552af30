// Wearables whose data people may ask for kind by kind.

/// A driver that knows which kinds of data its wearables may keep. One wearable has some of them, which its session
/// says. Without this facet a sync is refused.
public protocol SyncedDriver: WearableDriver {
  /// In the order in which they are fetched.
  var syncDomains: [SyncDomain] { get }
  /// What it keeps is removed where a person orders that, and else never.
  var removesByOrderAlone: Bool { get }
}

extension SyncedDriver {
  public var removesByOrderAlone: Bool { false }
}

extension WearableDriver {
  /// What can be asked for kind by kind; nil: nothing.
  public var synced: (any SyncedDriver)? { self as? any SyncedDriver }
}
