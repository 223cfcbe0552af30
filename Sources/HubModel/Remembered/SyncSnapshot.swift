// A sync, as people request and see it: the request, the progress, and the result of each kind of data.

public import EventLoop
public import Health
public import Reasons

/// Request for a sync of a wearable.
public struct SyncRequest: Sendable, Hashable {
  /// Names of kinds of data, or of series; empty: everything. At most `wordLimit`.
  public var words: [String]
  /// Begin of the times; nil: from what is stored.
  public var since: WallTime?
  /// Items before this time; nil: without an end.
  public var until: WallTime?
  /// True for only what the wearable measures by itself.
  public var isAutomaticOnly: Bool

  /// Maximum number of words of a request.
  public static let wordLimit = 64

  /// Whether each kind of data is fetched completely.
  package var isOfAllTimes: Bool { since == nil && until == nil && !isAutomaticOnly }

  /// A request; empty `words`: all kinds of data.
  public init(_ words: [String] = [], since: WallTime? = nil, until: WallTime? = nil, isAutomaticOnly: Bool = false) {
    self.words = words
    self.since = since
    self.until = until
    self.isAutomaticOnly = isAutomaticOnly
  }
}

/// A kind of data in a sync.
public struct SyncedDomain: Sendable, Hashable {
  /// Progress of one kind of data.
  public enum State: String, Sendable, Hashable, CaseIterable {
    case waiting
    case running
    /// New data was stored.
    case done
    case nothingNew = "nothing_new"
    case failed
    /// Phase not supported by this wearable, or not in this way.
    case skipped
  }

  public let id: String
  /// Series of this kind.
  public let series: [Series]
  /// Progress of this kind of data.
  public var state = State.waiting
  /// Reason why it failed, or was skipped.
  public var trouble: HearthError?
  /// Items listed in the range, items stored in this sync, and bytes fetched for them.
  public var itemsListed = 0
  /// Items stored in this sync.
  public var itemsStored = 0
  /// Bytes fetched for them.
  public var bytes: UInt64 = 0
  /// Listed items of unknown time: they are fetched for any range.
  public var itemsUndated = 0

  /// A kind of data that waits.
  public init(_ id: String, _ series: [Series]) {
    self.id = id
    self.series = series
  }

  /// True after its end, whatever the result.
  public var isOver: Bool { state != .waiting && state != .running }
  /// Whether all that was ordered is stored.
  package var isWhole: Bool { state == .done || state == .nothingNew }
}

/// A sync that runs, or the last one.
public struct SyncSnapshot: Sendable, Hashable {
  /// Number of this wearable's sync, from 1.
  public let number: UInt64
  /// Name of the wearable.
  public var wearable: String
  /// Kinds of data and range of times that were requested.
  public let request: SyncRequest
  /// Time of the order, by the wall clock.
  public let ordered: WallTime
  /// End; nil: not ended.
  public var ended: WallTime?
  /// Number of the visit that carries it out, or did last; nil: no visit yet.
  public var visit: UInt64?
  /// Domains in the order in which they are fetched.
  public var domains: [SyncedDomain]
  /// Reason why it ended before all kinds were finished.
  public var trouble: HearthError?
  /// The item under way, its bytes so far and in total.
  public var item: String?
  /// Bytes of the current item so far.
  public var itemFetched: Int?
  /// Size of the current item in bytes.
  public var itemSize: Int?
  /// Marks of how far its series are stored.
  public var watermarks: [SyncedSeries] = []

  /// A sync that waits for its visit.
  public init(
    number: UInt64, wearable: String, request: SyncRequest, ordered: WallTime, domains: [SyncedDomain]
  ) {
    self.number = number
    self.wearable = wearable
    self.request = request
    self.ordered = ordered
    self.domains = domains
  }

  /// Whether it leaves out some phases. The words of the request do not survive a restart.
  ///
  /// - Parameter phases: all phases of the wearable's kind.
  package func isPartial(of phases: [String]) -> Bool {
    !request.isOfAllTimes || !Set(phases).isSubset(of: domains.map(\.id))
  }

  /// True after its end.
  public var isOver: Bool { ended != nil }
  /// Kinds of data that have ended.
  public var domainsOver: Int { domains.count(where: \.isOver) }
}

/// Mark of how far one series of a wearable is stored.
public struct SyncedSeries: Sendable, Hashable {
  /// Series that the sync fetches.
  public let series: Series
  /// End of the newest stored item, if any.
  public let end: WallTime?
  /// Number of items with a future time since it was enrolled.
  public let refused: UInt64

  /// Reach of a series; `refused`: items with future times.
  public init(series: Series, end: WallTime?, refused: UInt64) {
    self.series = series
    self.end = end
    self.refused = refused
  }
}
