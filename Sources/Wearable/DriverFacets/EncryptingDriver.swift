// Wearables that encrypt their recordings with a secret that people provide.

/// Driver of a family with some wearables that encrypt their recordings. Without this facet a secret is refused.
public protocol EncryptingDriver: WearableDriver {
  /// Returns why this wearable cannot use a secret (`WearableOrders.secret`), to be read after its name: `cannot
  /// encrypt what it records`. Nil if it can, or if only a try can show that.
  func secretRefusal(for known: KnownWearable) -> String?
}

extension WearableDriver {
  /// The facet for secrets; nil without it.
  public var encrypting: (any EncryptingDriver)? { self as? any EncryptingDriver }
}
