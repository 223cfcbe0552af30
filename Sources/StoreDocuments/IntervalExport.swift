// Intervals between beats as plain text, one in milliseconds a line, as programs for heart rate variability read it.

public import Export
public import Health
internal import HubProtocol
public import Reasons
internal import Vitals

/// Collects the intervals of one wearable, or of one person, and writes them in the order of time.
///
/// The format has no place for times, comments or gaps: what is missing between two lines is counted.
public struct IntervalExport {
  /// Series of intervals between beats.
  public static let series: [Series] = [.rrInterval, .ppi]
  /// A month and a half of beats; each takes 24 bytes.
  public static let limit = 4_000_000

  /// Missing seconds up to which two intervals are neighbours: a packet arrives late, and has several intervals.
  private static let tolerance: Int64 = 3_000_000
  /// Sources with values this close to each other measured at once, microseconds.
  private static let closeness: Int64 = 10_000_000

  private struct Source: Hashable {
    let device: String
    let address: String?
    let series: Series
    let way: String
  }

  private struct Beat {
    /// Microseconds since 1970.
    let time: Int64
    /// Value in the stored scale of the series.
    let value: Int32
    /// Place in the order of arrival.
    let order: UInt32
    let source: UInt16
    /// Intervals directly before it were left out.
    let isBehindLoss: Bool
  }

  /// Figures about a text of intervals.
  public struct Summary: Equatable, Sendable {
    /// Intervals in the text.
    public var intervals = 0
    /// Blocked by the sensor, without contact, too uncertain, or of no length.
    public var leftOut = 0
    /// Repeated by a wearable's memory: values of the same time came in two ways.
    public var repeated = 0
    /// Places at which two lines are not neighbours, and the time that is missing there, microseconds.
    public var gaps = 0
    /// Time that is missing at these places, microseconds.
    public var missing: Int64 = 0
    /// Times of the first and the last interval, microseconds since 1970.
    public var span: ClosedRange<Int64>?

    /// Creates an export without intervals.
    public init() {}
  }

  private let isOfPerson: Bool
  private var beats: [Beat] = []
  private var sources: [Source] = []
  private var known: [Source: UInt16] = [:]
  private var wearers: [String] = []
  private var lost: Set<UInt16> = []
  private var summary = Summary()

  /// - Parameter isOfPerson: several wearables are one person's, one after another.
  public init(isOfPerson: Bool) { self.isOfPerson = isOfPerson }

  /// Takes a row with its place. Rows that are no intervals are passed over.
  ///
  /// - Throws: `controlBadParameter` beyond `limit`, and for a selection that has several wearables or persons.
  public mutating func take(_ row: ExportRow) throws(HearthError) {
    guard let series = row.known, Self.series.contains(series), row.kind == nil, row.origin != Origin.advertised.name
    else { return }
    let source = try number(of: row, series)
    guard let value = Self.interval(row, series) else {
      summary.leftOut += 1
      lost.insert(source)
      return
    }
    if beats.count == Self.limit {
      throw Self.refusal("there are more than \(Self.limit) intervals: narrow them with --since and --until")
    }
    beats.append(
      Beat(
        time: row.time, value: value, order: UInt32(beats.count), source: source,
        isBehindLoss: lost.remove(source) != nil))
  }

  /// The interval of a row in the stored scale; nil for one that is not valid, and for a row of another series.
  public static func valid(_ row: ExportRow) -> Int32? {
    row.known.flatMap { series.contains($0) ? interval(row, $0) : nil }
  }

  /// Returns the interval in the stored scale; nil for one that is not valid.
  private static func interval(_ row: ExportRow, _ series: Series) -> Int32? {
    var received = ReceivedInterval(0)
    let stored: Int64
    switch row.value {
    case .number(let value) where series == .rrInterval:
      stored = value
    case .vector(let values) where series == .ppi && values.count == 3:
      stored = values[0]
      let status = values[2]
      received.errorEstimate = Double(values[1])
      received.isBlocked = status & 1 != 0
      received.contact = status & 4 == 0 ? .unsupported : status & 2 == 0 ? .absent : .present
    default: return nil
    }
    received.milliseconds = series.inUnit(Double(stored))
    if row.quality != nil { received.isBlocked = true }
    if case .dropped = IntervalScreening().verdict(on: received) { return nil }
    return stored > 0 ? Int32(exactly: stored) : nil
  }

  private mutating func number(of row: ExportRow, _ series: Series) throws(HearthError) -> UInt16 {
    let source = Source(device: row.device, address: row.address, series: series, way: row.place?.way ?? row.origin)
    if !isOfPerson, let first = sources.first { try check(source, first) }
    if let wearer = row.wearer, !wearers.contains(wearer) {
      wearers.append(wearer)
      if wearers.count > 1 {
        throw Self.refusal(
          """
          \(harmless(wearers[0])) and \(harmless(wearer)) wore \(harmless(row.device)), and a file of intervals is of \
          one person: give --person, or --since and --until
          """)
      }
    }
    if let number = known[source] { return number }
    guard let number = UInt16(exactly: sources.count) else {
      throw Self.refusal("intervals of more than 65 536 sources are in this selection: give --device")
    }
    sources.append(source)
    known[source] = number
    return number
  }

  private func check(_ source: Source, _ first: Source) throws(HearthError) {
    if source.device != first.device {
      throw Self.refusal(
        """
        \(harmless(first.device)) and \(harmless(source.device)) have intervals, and a file of intervals is of one \
        wearable or person: give --device or --person
        """)
    }
    if source.address != first.address {
      throw Self.refusal(
        "two wearables called \(harmless(first.device)) have intervals: give the address of one with --device")
    }
  }

  private static func refusal(_ detail: String) -> HearthError { HearthError(.controlBadParameter, detail) }

  /// The text, piece by piece.
  ///
  /// - Throws: `controlBadParameter` if two wearables or two series have intervals of the same time, and what `write`
  ///   throws.
  public mutating func finish(_ write: ([UInt8]) throws -> Void) throws -> Summary {
    beats.sort { ($0.time, $0.order) < ($1.time, $1.order) }
    try dropRepeated()
    var text: [UInt8] = []
    var last: Beat?
    for beat in beats {
      let series = sources[Int(beat.source)].series
      series.append(Int64(beat.value), to: &text)
      text.append(UInt8(ascii: "\n"))
      if let last {
        let length = Int64(series.inUnit(Double(beat.value)) * 1000)
        let missing = beat.time - last.time - length
        if missing > Self.tolerance || beat.isBehindLoss || beat.source != last.source {
          summary.gaps += 1
          summary.missing += max(0, missing)
        }
      }
      last = beat
      if text.count > 32 << 10 {
        try write(text)
        text.removeAll(keepingCapacity: true)
      }
    }
    try write(text)
    summary.intervals = beats.count
    if let first = beats.first, let last { summary.span = first.time...last.time }
    return summary
  }

  /// Leaves out intervals that came in two ways: those of the source with fewer, while the other one measured.
  private mutating func dropRepeated() throws(HearthError) {
    guard sources.count > 1 else { return }
    var counts = [Int](repeating: 0, count: sources.count)
    for beat in beats { counts[Int(beat.source)] += 1 }
    var settled: Set<[UInt16]> = []
    while let (one, other) = overlap(settled) {
      let (first, second) = (sources[Int(one)], sources[Int(other)])
      if first.device != second.device || first.address != second.address {
        throw Self.refusal(
          """
          \(harmless(first.device)) and \(harmless(second.device)) have intervals of the same time: give --device too
          """)
      }
      if first.series != second.series {
        throw Self.refusal(
          "\(harmless(first.device)) has \(first.series.name) and \(second.series.name) of the same time: give --series"
        )
      }
      let isFirstShorter = counts[Int(one)] < counts[Int(other)]
      leaveOut(isFirstShorter ? one : other, while: isFirstShorter ? other : one)
      settled.insert([min(one, other), max(one, other)])
    }
  }

  /// Leaves out intervals of a source between neighbours of another one, and so close to one that it may be the same.
  private mutating func leaveOut(_ repeated: UInt16, while measuring: UInt16) {
    let times = beats.filter { $0.source == measuring }.map(\.time)
    let before = beats.count
    var next = 0
    beats.removeAll { beat in
      guard beat.source == repeated else { return false }
      while next < times.count, times[next] < beat.time { next += 1 }
      let (last, following) = (next > 0 ? times[next - 1] : nil, next < times.count ? times[next] : nil)
      let isNear = [last, following].contains { $0.map { abs($0 - beat.time) < Self.tolerance } ?? false }
      let isBetween = last.flatMap { last in following.map { $0 - last < Self.closeness } } ?? false
      return isNear || isBetween
    }
    summary.repeated += before - beats.count
  }

  /// Two sources that measured at once.
  ///
  /// - Parameter settled: pairs that do not count, the smaller number first.
  private func overlap(_ settled: Set<[UInt16]>) -> (UInt16, UInt16)? {
    var latest = [Int64?](repeating: nil, count: sources.count)
    var last: UInt16?
    for beat in beats {
      if let last, last != beat.source, let before = latest[Int(beat.source)], beat.time - before < Self.closeness,
        !settled.contains([min(last, beat.source), max(last, beat.source)])
      {
        return (last, beat.source)
      }
      latest[Int(beat.source)] = beat.time
      last = beat.source
    }
    return nil
  }
}
