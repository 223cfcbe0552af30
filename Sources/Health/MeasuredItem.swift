// Measured value with all its properties, and the order of lists of such values.

/// Value with its time, meaning and origin.
public struct MeasuredItem: Sendable, Hashable {
  /// Series that the values belong to; it gives unit and scale.
  public let series: Series
  /// Place in the order of items; its time is the beginning of the item.
  public let key: ItemKey
  /// Length of an interval, microseconds; 0 for a single moment.
  public let length: Int64
  /// Values in the series' stored scale: one value, or one for each component of a vector.
  public let values: [Int64]
  /// Origin, kind, quality and trigger.
  public let flags: SampleFlags
  /// Whether its time is based on a clock that a time server had set.
  public let isClockSure: Bool
  /// Whether that was not so, and the time was corrected after a time server had set the clock.
  public let isClockCorrected: Bool

  /// - Parameter values: as they are stored; of an interval the length first.
  public init(
    _ series: Series, source: UInt32, way: UInt8, ordinal: UInt64, time: Int64, flags: SampleFlags, values: [Int64],
    isClockSure: Bool = true, isClockCorrected: Bool = false
  ) {
    self.series = series
    self.flags = flags
    self.isClockSure = isClockSure
    self.isClockCorrected = isClockCorrected
    let isInterval = series.layout == .interval
    length = isInterval ? max(values.first ?? 0, 0) : 0
    self.values = isInterval ? Array(values.dropFirst()) : values
    key = ItemKey(time: time, isManual: flags.isManual, source: source, way: way, ordinal: ordinal)
  }

  /// Beginning, microseconds since 1970.
  public var start: Int64 { key.time }
  /// End, microseconds since 1970; the same as `start` for a single moment.
  public var end: Int64 {
    let (sum, overflow) = start.addingReportingOverflow(length)
    return overflow ? .max : sum
  }
  /// Meaning of the value.
  public var kind: SampleKind { flags.kind }
  /// Whether a person started the measurement, and not the wearable or the hub.
  public var isManual: Bool { flags.isManual }
  /// Way by which it came.
  public var origin: Origin { flags.origin }
}

/// Place of an item among those of its series: by its beginning, then manual before automatic, then by arrival.
///
/// The key of an item never changes, so a list can be continued from any place.
public struct ItemKey: Sendable, Hashable, Comparable {
  /// Beginning of the item, microseconds since 1970.
  public let time: Int64
  /// True if the user started the measurement.
  public let isManual: Bool
  /// Number of the wearable; `way` as in FORMAT.md (0 live, 1 fetched); ordinal of the item in that ring.
  public let source: UInt32
  /// Way of its ring: 0 live, 1 fetched.
  public let way: UInt8
  /// Ordinal of the item in its ring.
  public let ordinal: UInt64

  /// A place; `time` in microseconds since 1970, `source` is the wearable's number.
  public init(time: Int64, isManual: Bool, source: UInt32, way: UInt8, ordinal: UInt64) {
    self.time = time
    self.isManual = isManual
    self.source = source
    self.way = way
    self.ordinal = ordinal
  }

  public static func < (a: ItemKey, b: ItemKey) -> Bool {
    if a.time != b.time { return a.time < b.time }
    if a.isManual != b.isManual { return a.isManual }
    return (a.source, a.way, a.ordinal) < (b.source, b.way, b.ordinal)
  }

  /// Key as text, to request the items after it: `1795521600000000.m.3.1.42`.
  public var text: String { "\(time).\(isManual ? "m" : "a").\(source).\(way).\(ordinal)" }

  /// nil for text that is no key.
  public init?(text: String) {
    let parts = text.utf8.count <= 80 ? text.split(separator: ".", omittingEmptySubsequences: false) : []
    guard parts.count == 5, let time = Int64(parts[0]), parts[1] == "m" || parts[1] == "a",
      let source = UInt32(parts[2]), let way = UInt8(parts[3]), let ordinal = UInt64(parts[4])
    else { return nil }
    self.init(time: time, isManual: parts[1] == "m", source: source, way: way, ordinal: ordinal)
  }
}

/// Filter of items by their properties. A nil property does not filter.
public struct ItemFilter: Sendable, Hashable {
  /// Meaning of the value.
  public var kind: SampleKind?
  /// Manual, or automatic.
  public var isManual: Bool?

  /// A filter; nil parts do not filter.
  public init(kind: SampleKind? = nil, isManual: Bool? = nil) {
    self.kind = kind
    self.isManual = isManual
  }

  /// Whether an item matches. Of an item in several parts only the last one does.
  public func wants(_ flags: SampleFlags) -> Bool {
    if flags.goesOn { return false }
    if let kind, kind != flags.kind { return false }
    return isManual.map { $0 == flags.isManual } ?? true
  }
}

/// First items after a key, ascending, from a stream in any order. Memory is limited to these items.
public struct ItemPage: Sendable {
  /// Items of one page at most.
  public static let limit = 1000

  /// Key that all items of the page follow; nil: the first page.
  public let after: ItemKey?
  private let limit: Int
  /// Ascending; one more than the page has, to know whether there are more.
  private var kept: [MeasuredItem] = []

  /// - Parameter limit: 1 to `ItemPage.limit`.
  public init(after: ItemKey? = nil, limit: Int) {
    self.after = after
    self.limit = min(max(limit, 1), Self.limit)
  }

  /// Items of the page, ascending.
  public var items: ArraySlice<MeasuredItem> { kept.prefix(limit) }

  /// Whether more items follow the last of `items`.
  public var hasMore: Bool { kept.count > limit }

  /// Key of the last item, after which the next page begins; nil on the last page.
  public var next: ItemKey? { hasMore ? items.last?.key : nil }

  /// Time from which items have no room on this page; nil while any has.
  public var fullFrom: Int64? {
    guard hasMore, let last = kept.last?.start, last < .max else { return nil }
    return last + 1
  }

  /// Whether an item with this key would be kept.
  public func hasRoom(for key: ItemKey) -> Bool {
    if let after, key <= after { return false }
    guard hasMore, let last = kept.last else { return true }
    return key < last.key
  }

  /// Takes an item if it belongs to the page.
  public mutating func add(_ item: MeasuredItem) {
    if !hasRoom(for: item.key) { return }
    // Most items come in the order of time.
    if let last = kept.last, item.key < last.key {
      kept.insert(item, at: place(of: item.key))
    } else {
      kept.append(item)
    }
    if kept.count > limit + 1 { kept.removeLast() }
  }

  private func place(of key: ItemKey) -> Int {
    var (low, high) = (0, kept.count)
    while low < high {
      let middle = (low + high) / 2
      if kept[middle].key < key { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
