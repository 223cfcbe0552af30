// Rows as the EDF encoder takes them: plain values, and the same as bytes for a temporary file.

public import Health

/// A sample of one wearable. Values are in the stored scale of the series.
public struct EDFRow: Sendable, Hashable {
  /// Values of the row, by layout.
  public enum Content: Sendable, Hashable {
    /// Components of a scalar or a vector.
    case values([Int64])
    /// Length (microseconds) and value of an interval.
    case span(length: Int64, value: Int64)
    /// Waveform: nanoseconds from sample to sample, then sample after sample, each with all its components.
    case block(period: Int64, numbers: [Int32])
    /// A record, or bytes in an encoding of the wearable's own.
    case opaque
  }

  /// Marks that the store has for a value, besides its number.
  public struct Marks: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The wearable doubts the value.
    public static let lowQuality = Marks(rawValue: 1)
    /// The user started the measurement.
    public static let manual = Marks(rawValue: 2)
    /// The time rests on no trusted clock.
    public static let clockUnsure = Marks(rawValue: 4)
    /// The time was corrected.
    public static let clockCorrected = Marks(rawValue: 8)

    /// Words as annotations say them.
    var words: String {
      var words: [String] = []
      if contains(.lowQuality) { words.append("low quality") }
      if contains(.manual) { words.append("started by hand") }
      if contains(.clockUnsure) { words.append("clock unsure") }
      if contains(.clockCorrected) { words.append("clock corrected") }
      return words.joined(separator: ", ")
    }
  }

  /// Index of its wearable in the list of the file, from 0.
  public var device: Int
  /// Series that the values belong to; it gives unit and scale.
  public var series: Series
  /// Time of the row, microseconds since 1970.
  public var time: Int64
  /// Way by which they came.
  public var origin: Origin
  /// Meaning of the value.
  public var kind: SampleKind
  /// Marks of the store.
  public var marks: Marks
  /// Values of the row.
  public var content: Content

  /// A row; `device` is the index in the file, `time` in microseconds since 1970.
  public init(
    device: Int, series: Series, time: Int64, origin: Origin = .live, kind: SampleKind = .normal, marks: Marks = [],
    _ content: Content
  ) {
    (self.device, self.series, self.time, self.origin) = (device, series, time, origin)
    (self.kind, self.marks, self.content) = (kind, marks, content)
  }
}

extension EDFRow {
  /// Bytes of a row before its numbers.
  private static let headLength = 24

  /// Appends the row to `bytes`, so that `init(_:at:)` reads it again. For a file of this program alone.
  public func append(to bytes: inout [UInt8]) {
    func number(_ value: some FixedWidthInteger) { withUnsafeBytes(of: value.littleEndian) { bytes += $0 } }
    let (tag, count): (UInt8, Int) =
      switch content {
      case .values(let values): (0, values.count)
      case .span: (1, 2)
      case .block(_, let numbers): (2, numbers.count)
      case .opaque: (3, 0)
      }
    number(UInt32(truncatingIfNeeded: count))
    number(Int32(truncatingIfNeeded: device))
    number(series.id)
    bytes += [origin.rawValue, kind.rawValue, marks.rawValue, tag, 0, 0]
    number(time)
    switch content {
    case .values(let values): for value in values { number(value) }
    case .span(let length, let value):
      number(length)
      number(value)
    case .block(let period, let numbers):
      number(period)
      for value in numbers { number(value) }
    case .opaque: break
    }
  }

  /// The row at `offset`, which is moved behind it; nil at the end, and for bytes that no `append` made.
  public init?(_ bytes: UnsafeRawBufferPointer, at offset: inout Int) {
    guard offset >= 0, bytes.count - offset >= Self.headLength else { return nil }
    let start = offset
    func number<Number: FixedWidthInteger>(_ place: Int, _ type: Number.Type) -> Number {
      Number(littleEndian: bytes.loadUnaligned(fromByteOffset: start + place, as: type))
    }
    let count = Int(number(0, UInt32.self))
    guard let series = Series(id: number(8, UInt16.self)), let origin = Origin(rawValue: bytes[start + 10]),
      let kind = SampleKind(rawValue: bytes[start + 11])
    else { return nil }
    let tag = bytes[start + 13]
    let length = tag == 2 ? 8 + 4 * count : 8 * count
    guard bytes.count - start - Self.headLength >= length else { return nil }
    let body = Self.headLength
    switch tag {
    case 0: content = .values((0..<count).map { number(body + 8 * $0, Int64.self) })
    case 1 where count == 2: content = .span(length: number(body, Int64.self), value: number(body + 8, Int64.self))
    case 2:
      content = .block(
        period: number(body, Int64.self), numbers: (0..<count).map { number(body + 8 + 4 * $0, Int32.self) })
    case 3: content = .opaque
    default: return nil
    }
    (self.series, self.origin, self.kind) = (series, origin, kind)
    marks = Marks(rawValue: bytes[start + 12])
    device = Int(number(4, Int32.self))
    time = number(16, Int64.self)
    offset = start + body + length
  }
}

extension EDFRow {
  /// nil for a series that this program does not know.
  ///
  /// - Parameter device: the place of its wearable in the list of the file.
  public init?(_ row: ExportRow, device: Int) {
    guard let series = row.known else { return nil }
    var marks: Marks = []
    if row.quality == "low" { marks.insert(.lowQuality) }
    if row.isManual { marks.insert(.manual) }
    if row.clock == "unsure" { marks.insert(.clockUnsure) }
    if row.clock == "corrected" { marks.insert(.clockCorrected) }
    self.init(
      device: device, series: series, time: row.time, origin: Origin(name: row.origin),
      kind: SampleKind.allCases.first { $0.name == row.kind } ?? .normal, marks: marks, Content(row))
  }
}

extension EDFRow.Content {
  fileprivate init(_ row: ExportRow) {
    switch (row.value, row.end, row.period) {
    case (.number(let value), let end?, _): self = .span(length: end &- row.time, value: value)
    case (.number(let value), nil, _): self = .values([value])
    case (.vector(let values), _, _): self = .values(values)
    case (.samples(let samples), _, let period?):
      var numbers: [Int32] = []
      numbers.reserveCapacity(samples.count * samples.components)
      for sample in 0..<samples.count {
        for component in 0..<samples.components {
          guard let number = Int32(exactly: samples.number(sample, component)) else {
            self = .opaque
            return
          }
          numbers.append(number)
        }
      }
      self = .block(period: period, numbers: numbers)
    default: self = .opaque
    }
  }
}

extension Origin {
  fileprivate init(name: String) {
    self = [Origin.live, .fetched, .replayed, .advertised].first { $0.name == name } ?? .live
  }
}
