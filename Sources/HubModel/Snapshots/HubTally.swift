// Counters over all wearables since the hub started, including removed ones: they only grow.

public import Custody

/// Counted at the events themselves, as part of `HubSnapshot`.
public struct HubTally: Sendable, Equatable {
  /// Attempts to make a link.
  public var linkAttempts: UInt64 = 0
  /// Links that were made.
  public var linksMade: UInt64 = 0
  /// Links that broke.
  public var linksLost: UInt64 = 0
  /// Ended visits, by outcome.
  public var visits: [VisitOutcome: UInt64] = [:]

  /// Creates counters, all at 0.
  public init() {}
}
