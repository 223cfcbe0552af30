// Stored form of an effort beyond the columns of a `training`: a record of series `measurement`, kind 2, at the same
// moment. Parsing is total: a record or a typed defect.

/// | bytes | what |
/// |---|---|
/// | 1 | version: 1 |
/// | … | fields in rising order: tag (u8), length (varint), content |
///
/// | tag | content |
/// |---|---|
/// | 1 | origin (1 detected by the hub, 2 ordered); microseconds from begin to end, active, with a rate |
/// | 2 | microseconds in zones 1 to 5; missing if the maximum rate is unknown |
/// | 3 | mean rate (real, 1/min), highest rate; missing without any |
/// | 4 | kcal (real), microseconds for which they are known, 1 if a part is extrapolated; missing without any |
///
/// Numbers are varints, reals 8 bytes little-endian. Fields with other tags come from later programs and are skipped.
public struct TrainingRecord: Sendable, Hashable {
  /// Value of the record's item in the series `measurement`: 2; a `MeasurementRecord` has 1.
  public static let kind: Int64 = 2
  /// First byte of the record.
  public static let version: UInt8 = 1

  /// Energy of an effort.
  public struct Energy: Sendable, Hashable {
    /// Energy in kcal.
    public var kilocalories: Double
    /// Microseconds for which the energy is known.
    public var known: Int64
    /// True if a part is extrapolated.
    public var isExtrapolated: Bool

    /// Energy; `known`: microseconds for which it is known.
    public init(kilocalories: Double, known: Int64, isExtrapolated: Bool) {
      (self.kilocalories, self.known, self.isExtrapolated) = (kilocalories, known, isExtrapolated)
    }
  }

  /// Origin of the effort.
  public var origin: TrainingOrigin
  /// Microseconds from begin to end.
  public var length: Int64
  /// Microseconds in effort.
  public var active: Int64
  /// Microseconds with a rate.
  public var known: Int64
  /// Time in zones; nil: the maximum rate is unknown.
  public var zones: TrainingZones?
  /// Mean heart rate, beats a minute.
  public var meanRate: Double?
  /// Highest rate in 1/min, if any.
  public var highestRate: Int?
  /// Energy of the effort; nil: unknown.
  public var energy: Energy?

  /// Record of an effort.
  public init(_ summary: TrainingResult) {
    origin = summary.origin
    length = summary.length
    active = summary.active
    known = summary.known
    zones = summary.zones
    meanRate = summary.meanRate
    highestRate = summary.highestRate
    energy = summary.kilocalories.map {
      Energy(kilocalories: $0, known: summary.energyKnown, isExtrapolated: summary.isExtrapolated)
    }
  }

  /// Bytes, at most 91.
  public var bytes: [UInt8] {
    var writer = RecordWriter()
    writer.field(1) {
      $0.number(UInt64(origin.rawValue))
      for time in [length, active, known] { $0.number(UInt64(max(0, time))) }
    }
    if let zones { writer.field(2) { for time in zones.all { $0.number(UInt64(max(0, time))) } } }
    if let meanRate, let highestRate {
      writer.field(3) {
        $0.real(meanRate)
        $0.number(UInt64(max(0, highestRate)))
      }
    }
    if let energy {
      writer.field(4) {
        $0.real(energy.kilocalories)
        $0.number(UInt64(max(0, energy.known)))
        $0.number(energy.isExtrapolated ? 1 : 0)
      }
    }
    return [Self.version] + writer.bytes
  }

  /// Parses a record.
  ///
  /// - Throws: its first defect.
  public init(_ bytes: some Sequence<UInt8>) throws(RecordDefect) {
    let all = Array(bytes)
    guard all.count <= MeasurementRecord.sizeLimit else { throw .size }
    guard let version = all.first else { throw .truncated }
    guard version == Self.version else { throw .version }
    var reader = RecordReader(all.dropFirst())
    var head: (TrainingOrigin, Int64, Int64, Int64)?
    (zones, meanRate, highestRate, energy) = (nil, nil, nil, nil)
    var last: UInt8 = 0
    while let field = try reader.field() {
      var content = field.content
      guard field.tag > last else { throw .field }
      last = field.tag
      switch field.tag {
      case 1:
        guard let origin = TrainingOrigin(rawValue: try content.number(UInt8.self)) else { throw .content }
        head = (
          origin, try content.number(Int64.self), try content.number(Int64.self), try content.number(Int64.self)
        )
      case 2: zones = try Self.zones(&content)
      case 3: (meanRate, highestRate) = (try content.real(), try content.number(Int.self))
      case 4: energy = try Self.energy(&content)
      default: continue
      }
      guard content.isAtEnd else { throw .content }
    }
    guard let head else { throw .field }
    (origin, length, active, known) = head
  }

  private static func zones(_ reader: inout RecordReader) throws(RecordDefect) -> TrainingZones {
    var zones = TrainingZones()
    for zone in 1...5 { zones[zone] = try reader.number(Int64.self) }
    return zones
  }

  private static func energy(_ reader: inout RecordReader) throws(RecordDefect) -> Energy {
    let kilocalories = try reader.real()
    let known = try reader.number(Int64.self)
    return Energy(kilocalories: kilocalories, known: known, isExtrapolated: try reader.number(UInt8.self) != 0)
  }
}
