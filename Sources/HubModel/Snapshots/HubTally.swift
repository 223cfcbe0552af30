// What the hub counted over all wearables since it started, those that it no longer knows included: it only grows.

public import Custody

/// Counted where it happens, as part of `HubSnapshot`.
public struct HubTally: Sendable, Equatable {
  /// Tries to make a link, links that were made, and links that ended by themselves.
  public var linkAttempts: UInt64 = 0
  public var linksMade: UInt64 = 0
  public var linksLost: UInt64 = 0
  /// Visits that ended, by how.
  public var visits: [VisitOutcome: UInt64] = [:]

  public init() {}
}
