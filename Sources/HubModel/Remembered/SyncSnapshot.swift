// A sync as people ask for it and see it: what is wanted, how far it is, what came of each kind of data.

public import EventLoop
public import Health
public import Reasons

/// What somebody wants of a wearable.
public struct SyncRequest: Sendable, Hashable {
  /// Names of kinds of data, or of series; empty: everything. At most `wordLimit`.
  public var words: [String]
  /// At or after, and before; nil: on from what is stored.
  public var since: WallTime?
  public var until: WallTime?
  /// Only what the wearable measures by itself.
  public var isAutomaticOnly: Bool

  public static let wordLimit = 64

  /// Whatever it brings of, it brings whole.
  package var isOfAllTimes: Bool { since == nil && until == nil && !isAutomaticOnly }

  public init(_ words: [String] = [], since: WallTime? = nil, until: WallTime? = nil, isAutomaticOnly: Bool = false) {
    self.words = words
    self.since = since
    self.until = until
    self.isAutomaticOnly = isAutomaticOnly
  }
}

/// One kind of data in a sync.
public struct SyncedDomain: Sendable, Hashable {
  public enum State: String, Sendable, Hashable, CaseIterable {
    case waiting
    case running
    /// Something is stored that was not before.
    case done
    case nothingNew = "nothing_new"
    case failed
    /// Not to be had of this wearable, or not in this way.
    case skipped
  }

  public let id: String
  public let series: [Series]
  public var state = State.waiting
  /// Why it failed, or is skipped.
  public var trouble: HearthError?
  /// Items that were listed in the range, such as were stored in this sync, and bytes that were fetched for them.
  public var itemsListed = 0
  public var itemsStored = 0
  public var bytes: UInt64 = 0
  /// Of those listed, such as do not tell when they were measured: they come whatever the range is.
  public var itemsUndated = 0

  public init(_ id: String, _ series: [Series]) {
    self.id = id
    self.series = series
  }

  public var isOver: Bool { state != .waiting && state != .running }
  /// All of it that was ordered is stored.
  package var isWhole: Bool { state == .done || state == .nothingNew }
}

/// A sync that runs, or the last one.
public struct SyncSnapshot: Sendable, Hashable {
  /// Of this wearable, from 1.
  public let number: UInt64
  public var wearable: String
  public let request: SyncRequest
  public let ordered: WallTime
  public var ended: WallTime?
  /// The visit that has to do with it, or had last.
  public var visit: UInt64?
  /// In the order in which they are fetched.
  public var domains: [SyncedDomain]
  /// Why it ended before all of them were through.
  public var trouble: HearthError?
  /// The item in work, its bytes so far and altogether.
  public var item: String?
  public var itemFetched: Int?
  public var itemSize: Int?
  /// How far its series are stored.
  public var watermarks: [SyncedSeries] = []

  public init(
    number: UInt64, wearable: String, request: SyncRequest, ordered: WallTime, domains: [SyncedDomain]
  ) {
    self.number = number
    self.wearable = wearable
    self.request = request
    self.ordered = ordered
    self.domains = domains
  }

  /// It leaves out some of what may be kept. The words of the request are not kept over a restart.
  ///
  /// - Parameter phases: all of the wearable's kind.
  package func isPartial(of phases: [String]) -> Bool {
    !request.isOfAllTimes || !Set(phases).isSubset(of: domains.map(\.id))
  }

  public var isOver: Bool { ended != nil }
  public var domainsOver: Int { domains.count(where: \.isOver) }
}

/// How far one series of a wearable is stored.
public struct SyncedSeries: Sendable, Hashable {
  public let series: Series
  public let end: WallTime?
  /// Items that said that they are of the future, since it was enrolled.
  public let refused: UInt64

  public init(series: Series, end: WallTime?, refused: UInt64) {
    self.series = series
    self.end = end
    self.refused = refused
  }
}
