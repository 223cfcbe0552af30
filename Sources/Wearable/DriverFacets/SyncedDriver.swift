// Wearables with several kinds of data that people may request one by one.

/// Driver that declares which kinds of data its wearables may store. The session reports which of them one wearable
/// has. Without this facet a sync is refused.
public protocol SyncedDriver: WearableDriver {
  /// Kinds of data, in the order in which they are fetched.
  var syncDomains: [SyncDomain] { get }
  /// Whether stored data is erased only if a person orders that.
  var removesByOrderAlone: Bool { get }
}

extension SyncedDriver {
  /// False: no order of a person is needed.
  public var removesByOrderAlone: Bool { false }
}

extension WearableDriver {
  /// The facet for kinds of data; nil without it.
  public var synced: (any SyncedDriver)? { self as? any SyncedDriver }
}
