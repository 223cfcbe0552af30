// Row of a store with its ordinal, as the daemon exports it: the input of batches and JSON runs.

import CivilTime
public import JSONText

/// Reason why a sample of the daemon is no valid row.
public struct RowMismatch: Error, Sendable, Hashable {
  /// Member that is missing or not exact.
  public var member: String
}

/// Ring of a store: its rows have their own ordinals.
public struct RingName: Sendable, Hashable {
  /// Number of the enrolment.
  public var enrolment: UInt32
  /// Name of the series.
  public var series: String
  /// True for fetched rows, false for live ones.
  public var isFetched: Bool

  /// A ring by its enrolment, series and way.
  public init(enrolment: UInt32, series: String, isFetched: Bool) {
    (self.enrolment, self.series, self.isFetched) = (enrolment, series, isFetched)
  }
}

/// Properties that a later row of the page can refer to.
public struct RowHead: Sendable, Hashable {
  /// µs since 1970, time of that row.
  public var time: Int64
  /// Ring of the row.
  public var ring: RingName
  /// Properties of the row.
  public var likeness: UplinkRow.Likeness
}

/// Row of a store.
public struct UplinkRow: Sendable, Hashable {
  /// Properties that rows of one run share, besides their ring.
  public struct Likeness: Sendable, Hashable {
    /// Name of the wearable.
    public var device = ""
    /// `A0:9E:1A:00:00:01`; empty: no longer known.
    public var address = ""
    /// Unit of the series.
    public var unit = ""
    /// Way of the sample.
    public var origin = ""
    /// Kind of the value, such as `maximum`; empty: normal.
    public var kind = ""
    /// True if the user started it.
    public var manual = false
    /// Wearer, as it is published; empty: unknown.
    public var wearer = ""
    /// Encoding of a waveform; 0: numbers.
    public var encoding: UInt32 = 0
    /// Time from sample to sample of a waveform, ns; 0: no waveform.
    public var period: UInt64 = 0
    /// Kind of a record; 0: none.
    public var record: UInt32 = 0
    /// True if the time rests on no trusted clock.
    public var clockUnsure = false
    /// Whether its time was corrected after it was stored.
    public var clockCorrected = false
    /// True if the wearable doubts it.
    public var lowQuality = false
    /// True if it has an end.
    public var hasEnd = false
    /// True if it has bytes.
    public var hasData = false
    /// True if it has a count.
    public var hasCount = false

    /// Properties of a usual row.
    public init() {}
  }

  /// Ring of the row.
  public var ring: RingName
  /// Ordinal of the row in its ring.
  public var ordinal: UInt64
  /// Properties that it shares.
  public var likeness: Likeness
  /// Time of the row, µs since 1970.
  public var time: Int64
  /// Components of a vector; for a waveform, all samples with their components.
  public var numbers: [ExactNumber]
  /// End of an interval, µs after the time.
  public var end: Int64 = 0
  /// Bytes of the row.
  public var data: [UInt8] = []
  /// Number of samples in the bytes.
  public var count: UInt32 = 0
  /// Number of its ordinals: its own and those directly before it.
  public var parts: UInt32 = 1

  /// A row; times in the units of the properties.
  public init(
    ring: RingName, ordinal: UInt64, likeness: Likeness, time: Int64, numbers: [ExactNumber], end: Int64 = 0,
    data: [UInt8] = [], count: UInt32 = 0, parts: UInt32 = 1
  ) {
    (self.ring, self.ordinal, self.likeness, self.time) = (ring, ordinal, likeness, time)
    (self.numbers, self.end, self.data, self.count, self.parts) = (numbers, end, data, count, parts)
  }
}

extension UplinkRow {
  /// Parses a sample that was requested with its ordinal. `wearer` converts the person's name for publication.
  ///
  /// - Parameter others: heads of the page's earlier samples, for a sample that is `like` another. The sample's own
  ///   head is added even if the sample is invalid.
  /// - Throws: the member that is missing or not exact. Unknown members are ignored.
  public init(
    _ sample: JSON, after others: inout [RowHead], wearer: (String) -> String
  ) throws(RowMismatch) {
    guard case .object(let members) = sample else { throw RowMismatch(member: "") }
    var known: RowHead?
    if let like = sample["like"] {
      guard case .integer(let number) = like, let place = Int(exactly: number), others.indices.contains(place)
      else { throw RowMismatch(member: "like") }
      known = others[place]
    }
    var (likeness, ring) = (
      known?.likeness ?? Likeness(), known?.ring ?? RingName(enrolment: 0, series: "", isFetched: false)
    )
    var (numbers, data): ([ExactNumber], [UInt8]) = ([], [])
    var (hasEnrolment, hasWay) = (known != nil, known != nil)
    var canBeSaid = true
    var (ordinal, time, end): (UInt64?, Int64?, Int64?) = (nil, nil, nil)
    var (count, parts): (UInt32, UInt32) = (0, 1)
    for member in members {
      let (value, name) = (member.value, member.key)
      if value == .null { continue }
      func text() throws(RowMismatch) -> String {
        guard let text = value.text else { throw RowMismatch(member: name) }
        return text
      }
      func moment() throws(RowMismatch) -> Int64 {
        guard let time = CivilTime.moment(rfc3339: try text()) else { throw RowMismatch(member: name) }
        return time
      }
      func whole<Number: FixedWidthInteger>() throws(RowMismatch) -> Number {
        if case .integer(let number) = value, let exact = Number(exactly: number) { return exact }
        if case .decimal(let text) = value, let exact = Number(text) { return exact }
        throw RowMismatch(member: name)
      }
      switch name {
      case "device": likeness.device = try text()
      case "address": likeness.address = try text()
      case "series": ring.series = try text()
      case "time": time = try moment()
      case "after":
        let (sum, overflow) = (known?.time ?? 0).addingReportingOverflow(try whole())
        if known == nil || overflow { throw RowMismatch(member: name) }
        time = sum
      case "value": canBeSaid = Self.collect(value, into: &numbers, depth: 0)
      case "unit": likeness.unit = try text()
      case "origin": likeness.origin = try text()
      case "kind": likeness.kind = try text()
      case "manual": likeness.manual = value.isTrue
      case "end": end = try moment()
      case "wearer": likeness.wearer = wearer(try text())
      case "encoding": likeness.encoding = try whole()
      case "period_ns": likeness.period = try whole()
      case "record": likeness.record = try whole()
      case "count":
        count = try whole()
        likeness.hasCount = true
      case "data":
        guard let decoded = Base64.bytes(try text()) else { throw RowMismatch(member: name) }
        data = decoded
        likeness.hasData = true
      case "clock":
        let clock = try text()
        (likeness.clockUnsure, likeness.clockCorrected) = (clock == "unsure", clock == "corrected")
      case "quality": likeness.lowQuality = try text() == "low"
      case "enrolment":
        ring.enrolment = try whole()
        hasEnrolment = true
      case "way":
        ring.isFetched = try text() == "fetched"
        hasWay = true
      case "ordinal": ordinal = try whole()
      case "parts": parts = try whole()
      default: break
      }
    }
    guard hasEnrolment else { throw RowMismatch(member: "enrolment") }
    guard hasWay else { throw RowMismatch(member: "way") }
    guard let ordinal else { throw RowMismatch(member: "ordinal") }
    guard let time else { throw RowMismatch(member: "time") }
    if ring.series.isEmpty { throw RowMismatch(member: "series") }
    if parts == 0 || UInt64(parts - 1) > ordinal { throw RowMismatch(member: "parts") }
    likeness.hasEnd = end != nil
    others.append(RowHead(time: time, ring: ring, likeness: likeness))
    if !canBeSaid { throw RowMismatch(member: "value") }
    self.init(
      ring: ring, ordinal: ordinal, likeness: likeness, time: time, numbers: numbers, end: (end ?? time) &- time,
      data: data, count: count, parts: parts)
  }

  /// Appends a number, a list of numbers or a list of such lists.
  public static func collect(_ value: JSON, into numbers: inout [ExactNumber], depth: Int) -> Bool {
    if case .array(let items) = value, depth < 2 {
      for item in items { if !collect(item, into: &numbers, depth: depth + 1) { return false } }
      return true
    }
    guard let number = ExactNumber(value) else { return false }
    numbers.append(number)
    return true
  }
}

/// 48 bits of `A0:9E:1A:00:00:01`; 0 for any other text.
public func addressNumber(_ text: String) -> UInt64 {
  let parts = text.split(separator: ":", omittingEmptySubsequences: false)
  if parts.count != 6 { return 0 }
  var number: UInt64 = 0
  for part in parts {
    guard part.utf8.count == 2, let byte = UInt8(part, radix: 16) else { return 0 }
    number = number << 8 | UInt64(byte)
  }
  return number
}
