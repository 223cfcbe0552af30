// Encoding of a measurement's record for the store, with its version first. Parsing is total: a record or a typed
// defect.

/// Reason why bytes are no record of a measurement.
public enum RecordDefect: Error, Sendable, Hashable, CaseIterable {
  /// Longer than `MeasurementRecord.sizeLimit`.
  case size
  /// Version that this program does not know.
  case version
  case truncated
  /// Number out of its range.
  case number
  /// Text too long, or no UTF-8.
  case text
  /// Fault: more entries than a record holds, or trailing bytes.
  case content
  /// A field is missing or repeated.
  case field
}

/// | bytes | what |
/// |---|---|
/// | 1 | version: 1 |
/// | … | fields in rising order: tag (u8), length (varint), content |
///
/// | tag | content |
/// |---|---|
/// | 1 | session, number, basis |
/// | 2 | person |
/// | 3 | device |
/// | 4 | start, end, requested, actual: zig-zag |
/// | 5 | end reason: 0 duration, 1 stop, 2 terminated, 3 error and its code |
/// | 6 | artefact share, 0 to 1, and coverage, 0 to `Limit.coverage`: reals |
/// | 7 | intervals: microseconds × 2 of each, plus 1 if its flags follow |
/// | 8 | gaps: start and length of each, zig-zag |
/// | 9 | results: name, value, text, unit, confidence, window, method, flags of each |
/// | 10 | not reported: name, reason of each |
/// | 11 | left out |
///
/// Numbers are varints unless stated otherwise, reals 8 bytes little-endian, texts a length and UTF-8. Fields with
/// other tags come from later programs and are skipped. An incompatible change would get another version.
/// `Sources/RingStore/FORMAT.md` has the same for other readers, with all numbers of flags, ends and confidence.
extension MeasurementRecord {
  /// Value of the record's item in the series `measurement`: 1; a `TrainingRecord` has 2.
  public static let kind: Int64 = 1
  /// First byte of the record.
  public static let version: UInt8 = 1
  /// Capacity of one item of a ring: a record is never split.
  public static let sizeLimit = 3800

  /// Bytes of `fitted`; never longer than `sizeLimit`.
  public var bytes: [UInt8] { fitted.wholeBytes }

  /// Bytes of the whole record, whatever their length.
  var wholeBytes: [UInt8] {
    var writer = RecordWriter()
    writer.field(1) {
      $0.number(session)
      $0.number(UInt64(number))
      $0.number(UInt64(basis.rawValue))
    }
    writer.field(2) { $0.text(Self.cut(person, Limit.identity)) }
    writer.field(3) { $0.text(Self.cut(device, Limit.identity)) }
    writer.field(4) { for time in [start, end, requested, actual] { $0.signed(time) } }
    writer.field(5) { Self.write(endReason, &$0) }
    writer.field(6) {
      $0.real(Self.bounded(artefactShare, 1))
      $0.real(Self.bounded(coverage, Limit.coverage))
    }
    writer.field(7) { for interval in intervals { Self.write(interval, &$0) } }
    writer.field(8) { for gap in gaps { Self.write(gap, &$0) } }
    writer.field(9) { for result in results { Self.write(result, &$0) } }
    writer.field(10) { for entry in notReported { Self.write(entry, &$0) } }
    writer.field(11) { $0.number(UInt64(leftOut)) }
    return [Self.version] + writer.bytes
  }

  /// Parses a record.
  ///
  /// - Throws: its first defect.
  public init(bytes: [UInt8]) throws(RecordDefect) {
    guard bytes.count <= Self.sizeLimit else { throw .size }
    guard let version = bytes.first else { throw .truncated }
    guard version == Self.version else { throw .version }
    var reader = RecordReader(bytes.dropFirst())
    var record = MeasurementRecord(basis: .rate, endReason: .terminated)
    var last: UInt8 = 0
    while var field = try reader.field() {
      guard field.tag > last else { throw .field }
      // Every field up to 11 is always written.
      guard field.tag == last + 1 || last >= 11 else { throw .field }
      last = field.tag
      guard field.tag <= 11 else { continue }
      try record.read(field.tag, &field.content)
      guard field.content.isAtEnd else { throw .content }
    }
    guard last >= 11 else { throw .field }
    self = record
  }

  private mutating func read(_ tag: UInt8, _ field: inout RecordReader) throws(RecordDefect) {
    switch tag {
    case 1:
      session = try field.number()
      number = try field.number(UInt32.self)
      guard let known = MeasurementBasis(rawValue: try field.number(UInt8.self)) else { throw .number }
      basis = known
    case 2: person = try field.text(atMost: Limit.identity)
    case 3: device = try field.text(atMost: Limit.identity)
    case 4:
      start = try field.signed()
      end = try field.signed()
      requested = try field.signed()
      actual = try field.signed()
    case 5: endReason = try Self.readEnd(&field)
    case 6:
      artefactShare = try Self.readReal(&field, upTo: 1)
      coverage = try Self.readReal(&field, upTo: Limit.coverage)
    case 11: leftOut = try field.number(UInt32.self)
    default: try readList(tag, &field)
    }
  }

  /// Reads one list. Entries that a record would leave out are an error, since no record writes them.
  private mutating func readList(_ tag: UInt8, _ field: inout RecordReader) throws(RecordDefect) {
    while !field.isAtEnd {
      switch tag {
      case 7: append(try Self.readInterval(&field))
      case 8: append(Gap(start: try field.signed(), length: try field.signed()))
      case 9: append(try Self.readResult(&field))
      default:
        let name = try field.text(atMost: Limit.word)
        append(NotReported(name: name, reason: try field.text(atMost: Limit.word)))
      }
      guard leftOut == 0 else { throw .content }
    }
  }

  private static func write(_ end: MeasurementEnd, _ field: inout RecordWriter) {
    switch end {
    case .duration: field.number(0)
    case .stop: field.number(1)
    case .terminated: field.number(2)
    case .error(let code):
      field.number(3)
      field.number(UInt64(code.rawValue))
    }
  }

  private static func readEnd(_ field: inout RecordReader) throws(RecordDefect) -> MeasurementEnd {
    switch try field.number() {
    case 0: return .duration
    case 1: return .stop
    case 2: return .terminated
    case 3:
      guard let code = SessionCode(rawValue: try field.number(UInt16.self)) else { throw .number }
      return .error(code)
    default: throw .number
    }
  }

  private static func bounded(_ value: Double, _ limit: Double) -> Double {
    value.isFinite ? min(max(value, 0), limit) : 0
  }

  private static func readReal(_ field: inout RecordReader, upTo limit: Double) throws(RecordDefect) -> Double {
    let value = try field.real()
    guard (0...limit).contains(value) else { throw .number }
    return value
  }

  /// Writes an interval. Most have no flags: one of up to 1.04 s takes three bytes.
  static func write(_ interval: RecordedInterval, _ field: inout RecordWriter) {
    let hasFlags = !interval.flags.isEmpty
    field.number(UInt64(interval.microseconds) << 1 | (hasFlags ? 1 : 0))
    if hasFlags { field.number(UInt64(interval.flags.rawValue)) }
  }

  private static func readInterval(_ field: inout RecordReader) throws(RecordDefect) -> RecordedInterval {
    let head = try field.number()
    guard let microseconds = UInt32(exactly: head >> 1) else { throw .number }
    guard head & 1 == 1 else { return RecordedInterval(microseconds: microseconds) }
    let flags = try field.number(UInt16.self)
    // Each interval has exactly one encoding: empty flags are not written.
    guard flags != 0 else { throw .number }
    return RecordedInterval(microseconds: microseconds, flags: RecordedInterval.Flags(rawValue: flags))
  }

  static func write(_ gap: Gap, _ field: inout RecordWriter) {
    field.signed(gap.start)
    field.signed(gap.length)
  }

  static func write(_ entry: NotReported, _ field: inout RecordWriter) {
    field.text(entry.name)
    field.text(entry.reason)
  }

  static func write(_ result: VitalResult, _ field: inout RecordWriter) {
    field.text(result.name)
    field.real(result.value)
    field.text(result.text)
    field.text(result.unit)
    field.number(UInt64(result.confidence.rawValue))
    field.real(result.windowSeconds)
    field.text(result.method)
    field.number(UInt64(result.flags.rawValue))
  }

  private static func readResult(_ field: inout RecordReader) throws(RecordDefect) -> VitalResult {
    let name = try field.text(atMost: Limit.word)
    let value = try field.real()
    let text = try field.text(atMost: Limit.word)
    let unit = try field.text(atMost: Limit.word)
    guard let confidence = Confidence(rawValue: try field.number(UInt8.self)) else { throw .number }
    let window = try field.real()
    let method = try field.text(atMost: Limit.word)
    return VitalResult(
      name: name, value: value, text: text, unit: unit, confidence: confidence, windowSeconds: window, method: method,
      flags: VitalResult.Flags(rawValue: try field.number(UInt16.self)))
  }
}
