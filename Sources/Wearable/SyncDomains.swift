// Kinds of data that a person may request one by one, and the scope of one visit.

public import EventLoop
public import Health

/// Kind of data of a wearable, as a sync names it.
public struct SyncDomain: Sendable, Hashable {
  /// `sleep`: lower case, digits and `-`; stable, since people and scripts type it.
  public let id: String
  /// Series that it may contain.
  public let series: [Series]
  /// Whether the wearable measures it automatically; false: a person starts it. nil: the stored data does not say.
  public let isAutomatic: Bool?
  /// Whether each value is marked as started by a person or not. With `SyncSelection.isAutomaticOnly` the former are
  /// left out.
  public let tellsManual: Bool

  /// A kind of data; `isAutomatic` nil: both kinds of measurements.
  public init(_ id: String, _ series: [Series], isAutomatic: Bool? = nil, tellsManual: Bool = false) {
    self.id = id
    self.series = series
    self.isAutomatic = isAutomatic
    self.tellsManual = tellsManual
  }

  /// Whether a word names this domain, or one of its series.
  public func isMeant(by word: String) -> Bool { id == word || series.contains { $0.name == word } }
}

/// Scope of one visit. A visit without an order fetches everything.
public struct SyncSelection: Sendable, Hashable {
  /// Ids of `SyncDomain`s; nil: all.
  public var domains: Set<String>?
  /// First moment, and end, in µs since 1970 UTC; nil: no bound by a person.
  public var since: Int64?
  /// Items before this time; nil: without an end.
  public var until: Int64?
  /// True for only automatic measurements, for domains that mark them (`SyncDomain.tellsManual`).
  public var isAutomaticOnly = false
  /// End of the stored data of each series, by its number, µs since 1970.
  public var watermarks: [UInt16: Int64] = [:]
  /// Time up to which each series was read completely, even if it had no data.
  public var readTo: [UInt16: Int64] = [:]

  /// Time for which data is requested if the store has no data yet, µs: 30 days. The wearable's memory is the other
  /// limit.
  public static let longestBack: Int64 = 30 * 86_400_000_000
  /// Overlap of a request with stored data, µs: a wearable may write a value later than it measured it.
  public static let overlap: Int64 = 600_000_000

  /// Creates an order for everything.
  public init() {}

  /// True if this kind of data is wanted.
  public func wants(_ domain: String) -> Bool { domains?.contains(domain) ?? true }

  /// Start of a request for data by time: a person's bound, else the watermark less the overlap, or the end of the last
  /// complete reading. Without either it is 30 days back. Of several series the one with the oldest data counts. The
  /// store drops duplicates if the item's verdict permits repetitions (`ItemVerdict.mayRepeat`).
  ///
  /// - Parameter overlap: twice the interval of automatic measuring, if that is longer.
  public func start(of series: [Series], now: WallTime, overlap: Int64 = Self.overlap) -> Int64 {
    if let since { return since }
    let stored = series.compactMap { watermarks[$0.id] }.min()
    let read = series.compactMap { readTo[$0.id] }.min()
    guard let mark = [stored, read].compactMap({ $0 }).max() else { return now.microseconds - Self.longestBack }
    return mark - max(overlap, Self.overlap)
  }
}

extension FetchDomain {
  /// The domain alone, as one kind of data.
  public var syncDomains: [SyncDomain] { [SyncDomain(id, series)] }
  /// Kind of data of an item.
  public func syncDomain(of item: HeldItem) -> String { syncDomains.first?.id ?? id }
  /// Span of an item, by its beginning; nil: unknown.
  public func span(of item: HeldItem) -> Range<Int64>? { item.begins.flatMap { Self.span($0, before: 0) } }

  /// Span of an item that reports only its beginning: from `before` earlier until a day later.
  public static func span(_ begins: Int64, before: Int64) -> Range<Int64>? {
    let (from, isEarly) = begins.subtractingReportingOverflow(before)
    let (end, isLate) = begins.addingReportingOverflow(86_400_000_000)
    return isEarly || isLate ? nil : from..<end
  }
}
