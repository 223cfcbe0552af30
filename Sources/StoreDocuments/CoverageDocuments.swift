// Coverage of a span of time by a wearable's values, as a document: the same from a daemon and from a store without
// one.

public import CivilTime
public import EventLoop
internal import Export
public import Health
public import HubProtocol
public import Reasons
public import RingStore

/// A request for a wearable's coverage.
public struct CoverageRequest: Sendable {
  /// The wearable.
  public let wearable: WearableID
  /// Series to be examined.
  public let series: [Series]
  /// Series without values are included if they were named.
  public let isNamed: Bool
  /// Microseconds since 1970.
  public let window: Range<Int64>
  /// Begin of the enrolment; nil: unknown.
  public let enrolledAt: WallTime?
  /// End of the enrolment; nil: still enrolled.
  public let retiredAt: WallTime?
  /// Times in which it was paused, or some of it was not fetched, by order.
  public let uncollected: UncollectedSpans

  /// The usual length, without a start.
  private static let usual: Int64 = 86_400_000_000
  /// The longest span of one call: a year and a bit more.
  public static let longest: Int64 = 400 * 86_400_000_000
  /// A series with values within this time before the window is expected in it.
  static let memory: Int64 = 7 * 86_400_000_000

  /// - Throws: `noSuchWearable`; `controlBadParameter` for an unknown series, and for a span that is empty or too long.
  public init(
    _ name: String, _ seriesName: String?, since: WallTime?, until: WallTime?, now: WallTime,
    _ records: [WearableRecord]
  ) throws(HearthError) {
    wearable = try ExportFilter.wearable(name, records)
    if let seriesName { series = [try ExportFilter.series(seriesName)] } else { series = Series.all }
    isNamed = seriesName != nil
    // Later times than now have no values.
    let end = min(until ?? now, now).microseconds
    let (usualStart, overflow) = end.subtractingReportingOverflow(Self.usual)
    let start = since?.microseconds ?? (overflow ? .min : usualStart)
    guard start < end else {
      throw HearthError(.controlBadParameter, "the span of time is empty: its end is not after its begin")
    }
    let (length, isTooLong) = end.subtractingReportingOverflow(start)
    guard !isTooLong, length <= Self.longest else {
      throw HearthError(.controlBadParameter, "coverage is counted for 400 days at most: give a later --since")
    }
    window = start..<end
    let record = records.first { [wearable] in $0.id == wearable }
    enrolledAt = record?.enrolledAt
    retiredAt = record?.retiredAt
    uncollected = record?.uncollected ?? UncollectedSpans()
  }

  /// Series to count: those that are shown, and beside a single one those that show whether the wearable recorded.
  public func counted(_ rings: [RingStatus]) -> [Series] {
    if !isNamed { return series }
    let start = WallTime(microseconds: window.lowerBound)
    let beside = rings.filter { ring in
      ring.id.wearable == wearable && ring.id.way == .fetched && ring.newest.map { $0 >= start } ?? false
    }
    return series
      + beside.compactMap { Series(id: $0.id.seriesNumber) }.filter { other in
        guard case .steady = other.steadiness else { return false }
        return !series.contains(other)
      }
  }
}

extension CoverageDocument {
  /// Limit of gaps of a series in a document.
  static let gapLimit = 1000

  /// Converts the coverage of a wearable, with the reasons of its gaps.
  public init(
    _ request: CoverageRequest, _ found: [SeriesCoverage], _ evidence: GapEvidence, device: String, zone: TimeZoneRules
  ) {
    let recorded = found.map { (series: $0.series, spans: $0.fetched.covered) }
    let lines = found.compactMap { coverage -> Line? in
      guard request.series.contains(coverage.series),
        request.isNamed || evidence.isExpected(coverage, request.window)
      else { return nil }
      let beside = recorded.filter { $0.series != coverage.series }.flatMap(\.spans)
      return Line(coverage, beside: beside, request.window, evidence)
    }
    self.init(
      device: device, zone: zone.name, since: WallTime(microseconds: request.window.lowerBound).rfc3339,
      until: WallTime(microseconds: request.window.upperBound).rfc3339, seconds: request.window.inSeconds,
      series: lines)
  }
}

extension CoverageDocument.Line {
  /// - Parameter beside: times at which other values were fetched.
  init(_ coverage: SeriesCoverage, beside: [Range<Int64>], _ window: Range<Int64>, _ evidence: GapEvidence) {
    func time(_ moment: Int64?) -> String? { moment.map { WallTime(microseconds: $0).rfc3339 } }
    let way = evidence.way(of: coverage)
    let main = way == .live ? coverage.live : coverage.fetched
    let samples = coverage.live.count + coverage.fetched.count
    let first = [coverage.live.first, coverage.fetched.first].compactMap { $0 }.min()
    let last = [coverage.live.last, coverage.fetched.last].compactMap { $0 }.max()
    guard case .steady = coverage.series.steadiness else {
      self.init(
        series: coverage.series.name, occasional: true, way: way.name, samples: samples, first: time(first),
        last: time(last), gaps: [], gapsLeftOut: 0, damaged: coverage.damaged)
      return
    }
    let covered = coverage.covered
    let all = covered.gaps(in: window)
    // The longest gaps, in order of time.
    var shown = all
    if all.count > CoverageDocument.gapLimit {
      shown.sort { $0.count > $1.count }
      shown = shown.prefix(CoverageDocument.gapLimit).sorted { $0.lowerBound < $1.lowerBound }
    }
    let tolerance = main.tolerance
    let beside = beside.joined(within: tolerance)
    let gaps = shown.map { gap in
      CoverageDocument.Gap(
        from: WallTime(microseconds: gap.lowerBound).rfc3339, to: WallTime(microseconds: gap.upperBound).rfc3339,
        seconds: gap.inSeconds,
        causes: evidence.causes(of: gap, coverage.series, way, tolerance: tolerance, beside: beside)
          .map { CoverageDocument.Cause($0) })
    }
    self.init(
      series: coverage.series.name, occasional: false, way: way.name, samples: samples, first: time(first),
      last: time(last), periodS: main.rhythm.period.map { Double($0) / 1e6 }, toleranceS: Double(tolerance) / 1e6,
      coveredS: Double(covered.length) / 1e6,
      share: Double(covered.length) / Double(window.upperBound - window.lowerBound), gaps: gaps,
      gapsLeftOut: all.count - shown.count, damaged: coverage.damaged)
  }
}

extension CoverageDocument.Cause {
  init(_ stretch: GapEvidence.Stretch) {
    self.init(
      from: WallTime(microseconds: stretch.span.lowerBound).rfc3339,
      to: WallTime(microseconds: stretch.span.upperBound).rfc3339, cause: .init(stretch.kind.name), code: stretch.code,
      text: stretch.text)
  }
}

extension Range<Int64> {
  fileprivate var inSeconds: Double { Double(upperBound - lowerBound) / 1e6 }
}
