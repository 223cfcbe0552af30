// Kinds of data that a person may ask for alone, and what one visit is to bring of them.

public import EventLoop
public import Health

/// One kind of data of a wearable, as a sync names it.
public struct SyncDomain: Sendable, Hashable {
  /// `sleep`: lower case, digits and `-`; stable, since people and scripts type it.
  public let id: String
  /// What it may bring.
  public let series: [Series]
  /// The wearable measures it by itself; false: somebody begins it. nil: what it keeps does not say.
  public let isAutomatic: Bool?
  /// Of each value it says whether somebody began it: with `SyncWish.isAutomaticOnly` those values are left out.
  public let tellsManual: Bool

  public init(_ id: String, _ series: [Series], isAutomatic: Bool? = nil, tellsManual: Bool = false) {
    self.id = id
    self.series = series
    self.isAutomatic = isAutomatic
    self.tellsManual = tellsManual
  }

  /// The word names it, or one of its series.
  public func isMeant(by word: String) -> Bool { id == word || series.contains { $0.name == word } }
}

/// What one visit is to bring. A visit that nobody ordered brings everything.
public struct SyncWish: Sendable, Hashable {
  /// Ids of `SyncDomain`s; nil: all there are.
  public var domains: Set<String>?
  /// At or after, and before, µs since 1970 in Greenwich; nil: no bound of a person.
  public var since: Int64?
  public var until: Int64?
  /// Only what is measured without somebody beginning it, of domains that tell it (`SyncDomain.tellsManual`).
  public var isAutomaticOnly = false
  /// How far each series is stored, by its number, µs since 1970.
  public var watermarks: [UInt16: Int64] = [:]
  /// Up to when each was read to its end, whether or not something came.
  public var readTo: [UInt16: Int64] = [:]

  /// How far back a kind of data is asked for of which nothing is stored, µs: 30 days. What the wearable holds is the
  /// other limit.
  public static let longestBack: Int64 = 30 * 86_400_000_000
  /// By how much an answer goes back behind the watermark, µs: a wearable may write late what it measured early.
  public static let overlap: Int64 = 600_000_000

  public init() {}

  public func wants(_ domain: String) -> Bool { domains?.contains(domain) ?? true }

  /// From when on such data is asked for that can be asked for from a time on: a person's bound, else the watermark
  /// less the overlap, or up to when it was read, else 30 days back. Of several series the one that is behind counts.
  /// What comes twice is left out by the store where the item's verdict says so (`ItemVerdict.mayRepeat`).
  ///
  /// - Parameter overlap: twice the interval of a series that is measured by the clock, where that is longer.
  public func start(of series: [Series], now: WallTime, overlap: Int64 = Self.overlap) -> Int64 {
    if let since { return since }
    let stored = series.compactMap { watermarks[$0.id] }.min()
    let read = series.compactMap { readTo[$0.id] }.min()
    guard let mark = [stored, read].compactMap({ $0 }).max() else { return now.microseconds - Self.longestBack }
    return mark - max(overlap, Self.overlap)
  }
}

extension FetchDomain {
  public var syncDomains: [SyncDomain] { [SyncDomain(id, series)] }
  public func syncDomain(of item: HeldItem) -> String { syncDomains.first?.id ?? id }
  public func span(of item: HeldItem) -> Range<Int64>? { item.begins.flatMap { Self.span($0, before: 0) } }

  /// From a time on, or as much before it, until a day later: what is told of something that tells its begin alone.
  public static func span(_ begins: Int64, before: Int64) -> Range<Int64>? {
    let (from, isEarly) = begins.subtractingReportingOverflow(before)
    let (end, isLate) = begins.addingReportingOverflow(86_400_000_000)
    return isEarly || isLate ? nil : from..<end
  }
}
