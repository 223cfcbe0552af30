// Drivers that know more of a wearable than the driver of a standard service.

/// A driver that takes wearables over from other drivers.
public protocol SuccessorDriver: WearableDriver {
  /// Drivers, by their ids, of which this one does everything for a wearable that it claims, and more. What was
  /// enrolled under one of them moves to this one once it has said over a link what it is.
  var extends: Set<String> { get }
}

extension WearableDriver {
  /// What takes wearables over; nil: nothing.
  public var successor: (any SuccessorDriver)? { self as? any SuccessorDriver }
}
