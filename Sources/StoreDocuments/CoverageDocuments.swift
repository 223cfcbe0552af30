// Coverage of a span of time by a wearable's values, as a document: the same from a daemon and from a store without
// one.

public import CivilTime
public import EventLoop
public import Export
public import Health
public import HubProtocol
public import Reasons
public import RingStore

/// A request for a wearable's coverage, of a person's wearable for the times in which the person wore it.
public struct CoverageRequest: Sendable {
  /// The wearable.
  public let wearable: WearableID
  /// Name of the person; nil: a wearable was named.
  public let wearer: String?
  /// Series to be examined.
  public let series: [Series]
  /// Series without values are included if they were named.
  public let isNamed: Bool
  /// Microseconds since 1970.
  public let window: Range<Int64>
  /// The parts of the window that count, ascending: for a wearable all of it.
  public let parts: [Range<Int64>]
  /// Begin of the enrolment; nil: unknown.
  public let enrolledAt: WallTime?
  /// End of the enrolment; nil: still enrolled.
  public let retiredAt: WallTime?
  /// Times in which it was paused, or some of it was not fetched, by order.
  public let uncollected: UncollectedSpans

  /// The usual length, without a start.
  fileprivate static let usual: Int64 = 86_400_000_000
  /// The longest span of one call: a year and a bit more.
  public static let longest: Int64 = 400 * 86_400_000_000
  /// A series with values within this time before the window is expected in it.
  static let memory: Int64 = 7 * 86_400_000_000

  /// - Throws: `noSuchWearable`; `controlBadParameter` for an unknown series, and for a span that is empty or too long.
  public init(
    _ name: String, _ seriesName: String?, since: WallTime?, until: WallTime?, now: WallTime,
    _ records: [WearableRecord]
  ) throws(HearthError) {
    let wearable = try ExportFilter.wearable(name, records)
    let span = try CoverageSpan(seriesName, since: since, until: until, now: now)
    self.init(ItemSource(wearable), wearer: nil, span, records)
  }

  fileprivate init(_ source: ItemSource, wearer: String?, _ span: CoverageSpan, _ records: [WearableRecord]) {
    wearable = source.wearable
    self.wearer = wearer
    series = span.series
    isNamed = span.isNamed
    window = span.window
    parts = (source.stretches ?? [window]).map { $0.clamped(to: span.window) }.filter { !$0.isEmpty }
    let record = records.first { $0.id == source.wearable }
    enrolledAt = record?.enrolledAt
    retiredAt = record?.retiredAt
    uncollected = record?.uncollected ?? UncollectedSpans()
  }

  /// Length of what counts, microseconds.
  var length: Int64 { parts.length }

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

/// The series and the span of time of a request, checked.
private struct CoverageSpan {
  let series: [Series]
  let isNamed: Bool
  let window: Range<Int64>

  init(_ seriesName: String?, since: WallTime?, until: WallTime?, now: WallTime) throws(HearthError) {
    if let seriesName { series = [try ExportFilter.series(seriesName)] } else { series = Series.all }
    isNamed = seriesName != nil
    // Later times than now have no values.
    let end = min(until ?? now, now).microseconds
    let (usualStart, overflow) = end.subtractingReportingOverflow(CoverageRequest.usual)
    let start = since?.microseconds ?? (overflow ? .min : usualStart)
    guard start < end else {
      throw HearthError(.controlBadParameter, "the span of time is empty: its end is not after its begin")
    }
    let (length, isTooLong) = end.subtractingReportingOverflow(start)
    guard !isTooLong, length <= CoverageRequest.longest else {
      throw HearthError(.controlBadParameter, "coverage is counted for 400 days at most: give a later --since")
    }
    window = start..<end
  }
}

/// A request for the coverage of a wearable, or of all wearables that a person wore in a span of time.
public struct CoverageRequests: Sendable {
  /// Requests, one for each wearable; empty for a person that wore none.
  public let all: [CoverageRequest]
  private let subject: ItemSubject
  private let window: Range<Int64>
  private let names: SampleExport

  /// - Throws: as `CoverageRequest`.
  public init(
    _ name: String, _ seriesName: String?, since: WallTime?, until: WallTime?, now: WallTime,
    _ records: [WearableRecord], _ names: SampleExport
  ) throws(HearthError) {
    let subject = try ItemSubject(name, records, names)
    let span = try CoverageSpan(seriesName, since: since, until: until, now: now)
    all = subject.sources.map { CoverageRequest($0, wearer: subject.wearer, span, records) }
      .filter { !$0.parts.isEmpty }
    (self.subject, window, self.names) = (subject, span.window, names)
  }

  /// Converts the coverage of one of the requested wearables.
  ///
  /// - Parameter found: of each series, the coverage of each part of the request.
  public func document(
    _ request: CoverageRequest, _ found: [SeriesCoverage], _ evidence: GapEvidence, zone: TimeZoneRules
  ) -> CoverageDocument {
    CoverageDocument(request, found, evidence, device: names.name(of: request.wearable), zone: zone)
  }

  /// The document of a person that wore no wearable.
  public func nothingWorn(_ zone: TimeZoneRules) -> CoverageDocument {
    CoverageDocument(
      device: subject.name, zone: zone.name, since: WallTime(microseconds: window.lowerBound).rfc3339,
      until: WallTime(microseconds: window.upperBound).rfc3339, seconds: 0, series: [], wearer: subject.wearer,
      worn: [])
  }
}

extension CoverageDocument {
  /// Limit of gaps of a series in a document.
  static let gapLimit = 1000

  /// Converts the coverage of a wearable, with the reasons of its gaps.
  ///
  /// - Parameter found: of each series, the coverage of each part of the request.
  public init(
    _ request: CoverageRequest, _ found: [SeriesCoverage], _ evidence: GapEvidence, device: String, zone: TimeZoneRules
  ) {
    let recorded = found.map { (series: $0.series, spans: $0.fetched.covered) }
    let pieces = Dictionary(grouping: found, by: \.series)
    let lines = request.series.compactMap { series -> Line? in
      guard let pieces = pieces[series], request.isNamed || evidence.isExpected(pieces, request.window)
      else { return nil }
      let beside = recorded.filter { $0.series != series }.flatMap(\.spans)
      return Line(series, pieces, beside: beside, length: request.length, evidence)
    }
    func worn(_ part: Range<Int64>) -> Worn {
      Worn(
        from: WallTime(microseconds: part.lowerBound).rfc3339, to: WallTime(microseconds: part.upperBound).rfc3339)
    }
    self.init(
      device: device, zone: zone.name, since: WallTime(microseconds: request.window.lowerBound).rfc3339,
      until: WallTime(microseconds: request.window.upperBound).rfc3339, seconds: Double(request.length) / 1e6,
      series: lines, enrolment: Int(request.wearable.number), wearer: request.wearer,
      worn: request.wearer == nil ? nil : request.parts.map(worn))
  }
}

extension CoverageDocument.Line {
  /// - Parameters:
  ///   - pieces: of each part of the span.
  ///   - beside: times at which other values were fetched.
  ///   - length: of all parts, microseconds.
  init(
    _ series: Series, _ pieces: [SeriesCoverage], beside: [Range<Int64>], length: Int64, _ evidence: GapEvidence
  ) {
    func time(_ moment: Int64?) -> String? { moment.map { WallTime(microseconds: $0).rfc3339 } }
    let way = evidence.way(of: series, pieces)
    func main(_ piece: SeriesCoverage) -> CoverageAccumulator { way == .live ? piece.live : piece.fetched }
    let samples = pieces.reduce(0) { $0 + $1.live.count + $1.fetched.count }
    let damaged = pieces.map(\.damaged).max() ?? 0
    let first = pieces.flatMap { [$0.live.first, $0.fetched.first] }.compactMap { $0 }.min()
    let last = pieces.flatMap { [$0.live.last, $0.fetched.last] }.compactMap { $0 }.max()
    guard case .steady = series.steadiness else {
      self.init(
        series: series.name, occasional: true, way: way.name, samples: samples, first: time(first),
        last: time(last), gaps: [], gapsLeftOut: 0, damaged: damaged)
      return
    }
    var covered: Int64 = 0
    var all: [(gap: Range<Int64>, tolerance: Int64)] = []
    for piece in pieces {
      let spans = piece.covered
      covered += spans.length
      all += spans.gaps(in: piece.live.window).map { ($0, main(piece).tolerance) }
    }
    // The longest gaps, in order of time.
    var shown = all
    if all.count > CoverageDocument.gapLimit {
      shown.sort { $0.gap.count > $1.gap.count }
      shown = shown.prefix(CoverageDocument.gapLimit).sorted { $0.gap.lowerBound < $1.gap.lowerBound }
    }
    // The part with most values says how far apart they usually are.
    let usual = pieces.map(main).max { $0.count < $1.count }
    let beside = beside.joined(within: usual?.tolerance ?? 0)
    let gaps = shown.map { gap, tolerance in
      CoverageDocument.Gap(
        from: WallTime(microseconds: gap.lowerBound).rfc3339, to: WallTime(microseconds: gap.upperBound).rfc3339,
        seconds: gap.inSeconds,
        causes: evidence.causes(of: gap, series, way, tolerance: tolerance, beside: beside)
          .map { CoverageDocument.Cause($0) })
    }
    self.init(
      series: series.name, occasional: false, way: way.name, samples: samples, first: time(first),
      last: time(last), periodS: usual?.rhythm.period.map { Double($0) / 1e6 },
      toleranceS: usual.map { Double($0.tolerance) / 1e6 }, coveredS: Double(covered) / 1e6,
      share: length > 0 ? Double(covered) / Double(length) : 0, gaps: gaps, gapsLeftOut: all.count - shown.count,
      damaged: damaged)
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
