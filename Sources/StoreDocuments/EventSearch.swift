// Search in all events of the store, the same with a daemon and without one.

public import EventLoop
import Export
public import Reasons
public import RingStore

/// Filter of events; nil: any.
public struct EventFilter: Sendable {
  /// A wearable, by name or address.
  public var name: String?
  /// Code or block of codes; nil: any.
  public var code: CodePattern?
  /// Earliest time; nil: any.
  public var since: WallTime?
  /// Latest time; nil: any.
  public var until: WallTime?

  /// A filter; nil parts do not filter.
  public init(name: String? = nil, code: CodePattern? = nil, since: WallTime? = nil, until: WallTime? = nil) {
    self.name = name
    self.code = code
    self.since = since
    self.until = until
  }
}

/// Takes page after page of a store's events, the newest first, until there are enough or no more:
///
///     repeat { page = read(EventSearch.pageSize, before: search.before) } while search.take(page)
public struct EventSearch {
  /// Some milliseconds' work.
  public static let pageSize = 1000
  /// Limit: as many as a store holds.
  public static let bound = 10_000

  private let filter: EventFilter
  private let limit: Int
  private let wearables: Set<WearableID>?
  private var looked = 0
  /// Events found so far, the newest first.
  public private(set) var found: [StoreEvent] = []
  /// The next page has events of lower numbers; nil for the first.
  public private(set) var before: UInt64?

  /// - Throws: `noSuchWearable`.
  public init(_ filter: EventFilter, limit: Int, _ records: [WearableRecord]) throws(HearthError) {
    self.filter = filter
    self.limit = limit
    wearables = try filter.name.map { (name) throws(HearthError) in Set(try ExportFilter.wearables(name, records)) }
  }

  /// - Returns: whether there may be more.
  public mutating func take(_ page: [StoreEvent]) -> Bool {
    for event in page where found.count < limit && isWanted(event) { found.append(event) }
    looked += page.count
    before = page.last?.number ?? before
    return found.count < limit && page.count == Self.pageSize && looked < Self.bound
  }

  private func isWanted(_ event: StoreEvent) -> Bool {
    if let wearables, !(event.wearable.map { wearables.contains($0) } ?? false) { return false }
    if let code = filter.code, !code.matches(event.reason) { return false }
    if let since = filter.since, event.time < since { return false }
    if let until = filter.until, event.time >= until { return false }
    return true
  }
}
