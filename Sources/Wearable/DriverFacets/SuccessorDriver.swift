// Drivers that know more of a wearable than the driver of a standard service.

/// Driver that takes over wearables from other drivers.
public protocol SuccessorDriver: WearableDriver {
  /// Ids of drivers that this one replaces: for a wearable that it claims, it does everything that they do, and more. A
  /// wearable enrolled under one of them moves to this one once a link has shown what it is.
  var extends: Set<String> { get }
}

extension WearableDriver {
  /// The facet for taking over wearables; nil without it.
  public var successor: (any SuccessorDriver)? { self as? any SuccessorDriver }
}
