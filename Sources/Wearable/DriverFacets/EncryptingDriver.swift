// Wearables that encrypt what they record under a secret that people give.

/// A driver of which some wearables encrypt their recordings. Without this facet a secret is refused.
public protocol EncryptingDriver: WearableDriver {
  /// Why a secret (`WearableOrders.secret`) is not for this one of its family, to be read after its name: `cannot
  /// encrypt what it records`. Nil where it has a use for one, or where nobody knows before it was asked.
  func secretRefusal(for known: KnownWearable) -> String?
}

extension WearableDriver {
  /// What takes a secret; nil: nothing.
  public var encrypting: (any EncryptingDriver)? { self as? any EncryptingDriver }
}
