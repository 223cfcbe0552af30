// Wearables that record something, and are wanted for what they say over a link.

/// A driver of wearables that keep some of what they measure, and not all of it. What records nothing needs no such
/// declaration: it is linked while it is there.
public protocol LinkedDriver: WearableDriver {
  /// What it measures is lost while it has no link: where adapters are full it waits for its turn and not for its next
  /// visit.
  var needsLink: Bool { get }
}

extension WearableDriver {
  /// What it measures is lost while it has no link: as a driver declares, and true of what records nothing.
  public var needsLink: Bool { (self as? any LinkedDriver)?.needsLink ?? capabilities.recorded.isEmpty }
}
