// The parts of a time span for which a series has values: from the headers of chunks if they suffice.

internal import EventLoop
public import Health
public import Reasons

/// A series' coverage of a time window, separately for live and fetched values: each way has its own rate.
public struct SeriesCoverage: Sendable {
  /// Series whose coverage it is.
  public let series: Series
  /// Stretches with fetched values.
  public let fetched: CoverageAccumulator
  /// Stretches with live values.
  public let live: CoverageAccumulator
  /// Number of chunks of the window that could not be read.
  public let damaged: Int

  /// Coverage of one series; `damaged`: chunks that cannot be read.
  public init(series: Series, fetched: CoverageAccumulator, live: CoverageAccumulator, damaged: Int) {
    self.series = series
    self.fetched = fetched
    self.live = live
    self.damaged = damaged
  }

  /// Stretches with values of either way, ascending, microseconds since 1970.
  public var covered: [Range<Int64>] { (fetched.covered + live.covered).joined(within: 0) }
}

/// A chunk is not decoded if its items are closer together than the smallest possible gap. Of a waveform, which has
/// thousands of chunks a day, almost all chunks are skipped so.
struct CoverageScan {
  private var walk: ColumnWalk
  private var columns: ItemColumns
  private let series: Series
  private var fetched: CoverageAccumulator
  private var live: CoverageAccumulator
  private let isInterval: Bool

  /// Intervals that reach into the window begin at most this long before it: the same limit as for days.
  private static let lead: Int64 = 2 * 86_400_000_000

  init(_ wearable: WearableID, _ series: Series, _ window: Range<Int64>, _ rebuilt: [RingID: RingState]) {
    let least: Int64 = if case .steady(let least) = series.steadiness { least } else { 1 }
    fetched = CoverageAccumulator(window, least: least)
    live = CoverageAccumulator(window, least: least)
    self.series = series
    let isInterval = series.layout == .interval
    self.isInterval = isInterval
    let start = isInterval ? max(window.lowerBound, .min + Self.lead) - Self.lead : window.lowerBound
    // The length of an interval is in its values.
    let glance = ColumnWalk.Glance(window: start..<window.upperBound, within: isInterval ? -1 : fetched.least)
    walk = ColumnWalk(
      wearable, series, since: WallTime(microseconds: start), rebuilt: rebuilt, glance: glance)
    columns = ItemColumns(valueCount: series.layout.valueCount, hasBytes: series.layout.hasBytes)
  }

  var isDone: Bool { walk.isDone }
  var damage: Set<DamagedChunk> { walk.damaged }

  /// Returns the amount of work, in items.
  mutating func step(_ transaction: Transaction) throws(DatabaseFailure) -> Int {
    let way = walk.way
    try walk.step(transaction, &columns)
    if way == .fetched { take(&fetched) } else { take(&live) }
    return max(columns.count, 256)
  }

  private func take(_ coverage: inout CoverageAccumulator) {
    if let seen = walk.glanced { coverage.add(from: seen.first, to: seen.last, count: seen.count) }
    for index in 0..<columns.count where columns.flags[index] & Self.goesOn == 0 {
      coverage.add(columns.times[index], length: isInterval ? columns.values[0][index] : 0)
    }
  }

  private static let goesOn = Int64(SampleFlags(origin: .live, goesOn: true).rawValue)

  var result: SeriesCoverage {
    SeriesCoverage(series: series, fetched: fetched, live: live, damaged: walk.damaged.count)
  }
}

extension StoreReader {
  /// Returns the coverage like `Store.coverage`.
  ///
  /// - Throws: the reader's error, see `StoreReader`.
  public func coverage(_ wearable: WearableID, _ series: Series, window: Range<Int64>) throws(HearthError)
    -> SeriesCoverage
  {
    var scan = CoverageScan(wearable, series, window, rebuilt)
    while !scan.isDone { _ = try reading { transaction throws(DatabaseFailure) in try scan.step(transaction) } }
    return scan.result
  }
}
