// One measured value with all that is said of it, and the order in which lists of them are given.

/// A value with its time, what it stands for, and how it came.
public struct MeasuredItem: Sendable, Hashable {
  public let series: Series
  /// Where in the order of items it stands; its time is where it begins.
  public let key: ItemKey
  /// Of an interval, microseconds; 0 for what is of one moment.
  public let length: Int64
  /// In the series' stored scale: one value, or one for each component of a vector.
  public let values: [Int64]
  public let flags: SampleFlags
  /// Whether its time rests on a clock that a time server had set.
  public let isClockSure: Bool
  /// It did not, and was corrected once a time server had set the clock.
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

  public var start: Int64 { key.time }
  /// The same as `start` for what is of one moment.
  public var end: Int64 {
    let (sum, overflow) = start.addingReportingOverflow(length)
    return overflow ? .max : sum
  }
  public var kind: SampleKind { flags.kind }
  /// Somebody started the measurement; else the wearable or the hub measured by itself.
  public var isManual: Bool { flags.isManual }
  public var origin: Origin { flags.origin }
}

/// The place of an item among those of its series: by its begin, what was measured by hand first, then by arrival.
///
/// It belongs to the item for ever, so a list can be asked for from any place on.
public struct ItemKey: Sendable, Hashable, Comparable {
  /// Microseconds since 1970.
  public let time: Int64
  public let isManual: Bool
  /// The wearable, the way on which it came, and its number on that way.
  public let source: UInt32
  public let way: UInt8
  public let ordinal: UInt64

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

  /// For who asks for what comes behind it: `1795521600000000.m.3.1.42`.
  public var text: String { "\(time).\(isManual ? "m" : "a").\(source).\(way).\(ordinal)" }

  /// nil for text that no key has.
  public init?(text: String) {
    let parts = text.utf8.count <= 80 ? text.split(separator: ".", omittingEmptySubsequences: false) : []
    guard parts.count == 5, let time = Int64(parts[0]), parts[1] == "m" || parts[1] == "a",
      let source = UInt32(parts[2]), let way = UInt8(parts[3]), let ordinal = UInt64(parts[4])
    else { return nil }
    self.init(time: time, isManual: parts[1] == "m", source: source, way: way, ordinal: ordinal)
  }
}

/// Which items are wanted, by what is said of them. What is nil does not filter.
public struct ItemFilter: Sendable, Hashable {
  public var kind: SampleKind?
  /// By hand, or automatic.
  public var isManual: Bool?

  public init(kind: SampleKind? = nil, isManual: Bool? = nil) {
    self.kind = kind
    self.isManual = isManual
  }

  /// Of an item in several parts only the last one is one.
  public func wants(_ flags: SampleFlags) -> Bool {
    if flags.goesOn { return false }
    if let kind, kind != flags.kind { return false }
    return isManual.map { $0 == flags.isManual } ?? true
  }
}

/// The first items behind a place, ascending, out of a stream in any order. Its memory is that of what it keeps.
public struct ItemPage: Sendable {
  /// Items of one page at most.
  public static let limit = 1000

  public let after: ItemKey?
  private let limit: Int
  /// Ascending; one more than the page has, to know whether there is more.
  private var kept: [MeasuredItem] = []

  /// - Parameter limit: 1 to `ItemPage.limit`.
  public init(after: ItemKey? = nil, limit: Int) {
    self.after = after
    self.limit = min(max(limit, 1), Self.limit)
  }

  public var items: ArraySlice<MeasuredItem> { kept.prefix(limit) }

  /// There is more behind the last of `items`.
  public var hasMore: Bool { kept.count > limit }

  /// Behind the last one: where the next page begins; nil on the last page.
  public var next: ItemKey? { hasMore ? items.last?.key : nil }

  /// Items from this time on have no room any more; nil while any has.
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

  public mutating func add(_ item: MeasuredItem) {
    if !hasRoom(for: item.key) { return }
    // Most come in the order of time.
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
