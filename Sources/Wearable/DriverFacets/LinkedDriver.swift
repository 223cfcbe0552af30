// Wearables that record some data, but need a link for their live values.

/// Driver of wearables that store only a part of what they measure. A wearable that stores no data needs no such
/// declaration: it is linked while it is present.
public protocol LinkedDriver: WearableDriver {
  /// Whether live values are lost without a link. If the adapters are full, the wearable waits for a free slot and not
  /// for its next visit.
  var needsLink: Bool { get }
}

extension WearableDriver {
  /// Whether live values are lost without a link: as a driver declares, and true if it records no series.
  public var needsLink: Bool { (self as? any LinkedDriver)?.needsLink ?? capabilities.recorded.isEmpty }
}
