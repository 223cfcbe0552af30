// A query for measured items, by wearable or wearer.

public import EventLoop
public import Health

/// The items of one wearable: all of them, or those of the times when a certain person wore it.
public struct ItemSource: Sendable, Hashable {
  /// Wearable that measured the items.
  public let wearable: WearableID
  /// Ascending and disjoint, microseconds since 1970; nil for all times.
  public let stretches: [Range<Int64>]?

  /// Items of a wearable; `stretches` in microseconds since 1970, nil: all times.
  public init(_ wearable: WearableID, stretches: [Range<Int64>]? = nil) {
    self.wearable = wearable
    self.stretches = stretches
  }

  /// Whether an item belongs to the source, by its own time.
  func wants(_ time: Int64) -> Bool {
    guard let stretches else { return true }
    let place = stretches.place { $0.lowerBound <= time }
    return place > 0 && time < stretches[place - 1].upperBound
  }
}

extension People {
  /// The wearables of a wearer and the times of wearing, in the order of the wearables.
  package func sources(of wearer: WearerID) -> [ItemSource] {
    let wearables = Set(assignments.filter { $0.wearer == wearer }.map(\.wearable)).sorted()
    return wearables.map { wearable in
      var stretches: [Range<Int64>] = []
      let all = assignments(of: wearable)
      for (index, assignment) in all.enumerated() where assignment.wearer == wearer {
        let from = assignment.from.microseconds
        let to = index + 1 < all.count ? all[index + 1].from.microseconds : .max
        if from < to { stretches.append(from..<to) }
      }
      return ItemSource(wearable, stretches: stretches)
    }
  }

  /// A wearer by name or number; of several with that name the present one, otherwise the last one. The case of letters
  /// counts only between two of them, as present wearers differ in more.
  package func wearer(named text: String) -> Wearer? {
    let folded = text.lowercased()
    let alike = wearers.filter { $0.name.lowercased() == folded }
    for named in [alike.filter { $0.name == text }, alike] {
      if let found = named.first(where: { $0.retiredAt == nil }) ?? named.last { return found }
    }
    return UInt32(text).flatMap { wearer(WearerID(number: $0)) }
  }
}

/// A query for one page of the items of one series, ascending by time.
public struct ItemQuery: Sendable {
  /// Wearables and times of the items.
  public var sources: [ItemSource]
  /// Series of the items.
  public var series: Series
  /// Inclusive lower and exclusive upper bound of the item's begin.
  public var since: WallTime?
  /// Exclusive upper bound of an item's begin; nil: without an end.
  public var until: WallTime?
  /// Filter by properties.
  public var filter: ItemFilter
  /// Item behind which the query begins.
  public var after: ItemKey?
  /// 1 to `ItemPage.limit`.
  public var limit: Int

  /// A query for one page of at most `limit` items behind `after`.
  public init(
    _ sources: [ItemSource], _ series: Series, since: WallTime? = nil, until: WallTime? = nil,
    filter: ItemFilter = ItemFilter(), after: ItemKey? = nil, limit: Int = ItemPage.limit
  ) {
    self.sources = sources
    self.series = series
    self.since = since
    self.until = until
    self.filter = filter
    self.after = after
    self.limit = limit
  }
}
