// PLX Continuous Measurement (2A5F) and PLX Spot-check Measurement (2A5E): a value decoded in place, without
// allocation.

import Bluetooth
import Wearable

/// Pulse Oximeter Service 1.0.1, sections 3.2 and 3.3. The flags announce which fields are present, in this order. All
/// are little-endian, numbers are SFLOAT (`MedicalFloat`).
///
///     continuous                                  spot-check
///     byte 0   flags                              byte 0   flags
///                bit 0  fast pair                            bit 0  time
///                bit 1  slow pair                            bit 1  measurement status
///                bit 2  measurement status                   bit 2  device and sensor status
///                bit 3  device and sensor status             bit 3  pulse amplitude index
///                bit 4  pulse amplitude index                bit 4  the clock is not set
///                others reserved: counted, and otherwise ignored, like those of states
///     1-4      normal pair                        1-4      pair
///     then 4   fast pair                          then 7   time: Date Time, without a zone
///     then 4   slow pair
///     then 2   measurement status                 then 2   measurement status
///     then 3   device and sensor status           then 3   device and sensor status
///     then 2   pulse amplitude index, %           then 2   pulse amplitude index, %
///
/// A pair is the saturation in percent and the pulse in beats a minute.
struct PLXMeasurement: Sendable, Hashable {
  struct Pair: Sendable, Hashable {
    let saturation: MedicalFloat
    let pulse: MedicalFloat
  }

  let normal: Pair
  /// Averages over a shorter and a longer time; only in continuous measurements.
  private(set) var fast: Pair?
  private(set) var slow: Pair?
  /// Time, only in spot-checks.
  private(set) var time: DateTime?
  /// The time is from a clock that was never set.
  private(set) var clockIsNotSet = false
  private(set) var measurementStatus: MeasurementStatus?
  private(set) var sensorStatus: SensorStatus?
  private(set) var amplitudeIndex: MedicalFloat?
  /// Bytes after the last announced field.
  private(set) var trailingBytes = 0
  private var hasReservedFlags = false

  /// - Throws: `empty` without bytes, `truncated` if an announced field is missing.
  init(continuous bytes: RawBytes) throws(DecodeError) {
    var reader = ByteReader(bytes)
    guard let flags = reader.u8() else { throw .empty }
    normal = try Self.pair(&reader)
    hasReservedFlags = flags & 0xE0 != 0
    if flags & 0x01 != 0 { fast = try Self.pair(&reader) }
    if flags & 0x02 != 0 { slow = try Self.pair(&reader) }
    try readRest(&reader, flags >> 2)
  }

  /// - Throws: `empty` without bytes, `truncated` if an announced field is missing.
  init(spotCheck bytes: RawBytes) throws(DecodeError) {
    var reader = ByteReader(bytes)
    guard let flags = reader.u8() else { throw .empty }
    normal = try Self.pair(&reader)
    clockIsNotSet = flags & 0x10 != 0
    hasReservedFlags = flags & 0xE0 != 0
    if flags & 0x01 != 0 { time = try DateTime(&reader) }
    try readRest(&reader, flags >> 1)
  }

  /// - Parameter flags: shifted so that bit 0 is the measurement status.
  private mutating func readRest(_ reader: inout ByteReader, _ flags: UInt8) throws(DecodeError) {
    if flags & 0x01 != 0 { measurementStatus = try MeasurementStatus(&reader) }
    if flags & 0x02 != 0 { sensorStatus = try SensorStatus(&reader) }
    if flags & 0x04 != 0 { amplitudeIndex = try reader.sfloat() }
    trailingBytes = reader.remaining
  }

  private static func pair(_ reader: inout ByteReader) throws(DecodeError) -> Pair {
    let saturation = try reader.sfloat()
    return Pair(saturation: saturation, pulse: try reader.sfloat())
  }

  /// Whether a reserved bit of the flags or of a status is set.
  var hasReservedBits: Bool {
    hasReservedFlags || measurementStatus?.hasReservedBits ?? false || sensorStatus?.hasReservedBits ?? false
  }

  var hasReservedNumber: Bool {
    normal.saturation.isReserved || normal.pulse.isReserved || amplitudeIndex?.isReserved ?? false
  }

  /// Whether neither saturation nor pulse has a number. A continuous measurement is without them until the finger is
  /// in.
  var hasFailed: Bool { [normal.saturation, normal.pulse].allSatisfy { $0.special != nil && !$0.isReserved } }

  /// The wearable's own judgement of its numbers.
  enum Worth: Sendable, Hashable {
    case good
    /// The wearable doubts the numbers.
    case low
    /// Values not of a person, or not of now.
    case nothing
  }

  /// The worse judgement of its two statuses; `good` without a status.
  ///
  /// - Parameter hasOwnTime: it has the time of its measurement, so a value from storage is acceptable.
  func worth(hasOwnTime: Bool) -> Worth {
    let measurement = (measurementStatus ?? []).subtracting(hasOwnTime ? .fromStorage : [])
    let sensor = sensorStatus ?? []
    if !measurement.isDisjoint(with: .nothing) || !sensor.isDisjoint(with: .nothing) { return .nothing }
    return measurement.isDisjoint(with: .doubtful) && sensor.isDisjoint(with: .doubtful) ? .good : .low
  }
}

extension PLXMeasurement {
  /// The bytes of a spot-check with a time that are the same live and from storage.
  static func identity(ofSpotCheck bytes: RawBytes) -> ArraySlice<UInt8> { Array(bytes)[...].dropFirst().prefix(11) }

  /// The bytes of a spot-check as if live: without the status bit that it comes from storage.
  static func withoutStorage(spotCheck bytes: [UInt8]) -> [UInt8] {
    guard let flags = bytes.first, flags & 0x02 != 0 else { return bytes }
    let status = 5 + (flags & 0x01 != 0 ? 7 : 0)
    guard bytes.count >= status + 2 else { return bytes }
    var plain = bytes
    plain[status + 1] &= ~UInt8(truncatingIfNeeded: MeasurementStatus.fromStorage.rawValue >> 8)
    return plain
  }

  /// Section 3.2.1.5; bits 0 to 4 are reserved.
  struct MeasurementStatus: OptionSet, Sendable, Hashable {
    let rawValue: UInt16

    init(rawValue: UInt16) { self.rawValue = rawValue }

    init(_ reader: inout ByteReader) throws(DecodeError) {
      guard let bits = reader.u16() else { throw .truncated }
      rawValue = bits
    }

    var hasReservedBits: Bool { rawValue & 0x1F != 0 }

    static let ongoing = Self(rawValue: 1 << 5)
    static let earlyEstimate = Self(rawValue: 1 << 6)
    static let validated = Self(rawValue: 1 << 7)
    static let fullyQualified = Self(rawValue: 1 << 8)
    /// Measured some time ago.
    static let fromStorage = Self(rawValue: 1 << 9)
    static let demonstration = Self(rawValue: 1 << 10)
    static let testing = Self(rawValue: 1 << 11)
    static let calibrationOngoing = Self(rawValue: 1 << 12)
    static let unavailable = Self(rawValue: 1 << 13)
    static let questionable = Self(rawValue: 1 << 14)
    static let invalid = Self(rawValue: 1 << 15)

    /// States that are not a measurement, or not of now.
    static let nothing: Self = [.fromStorage, .demonstration, .testing, .unavailable, .invalid]
    static let doubtful: Self = [.earlyEstimate, .calibrationOngoing, .questionable]
  }

  /// Section 3.2.1.6; bits 16 to 23 are reserved.
  struct SensorStatus: OptionSet, Sendable, Hashable {
    let rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }

    init(_ reader: inout ByteReader) throws(DecodeError) {
      guard let bits = reader.u24() else { throw .truncated }
      rawValue = bits
    }

    var hasReservedBits: Bool { rawValue >> 16 != 0 }

    static let displayUpdateOngoing = Self(rawValue: 1 << 0)
    static let equipmentMalfunction = Self(rawValue: 1 << 1)
    static let processingIrregularity = Self(rawValue: 1 << 2)
    static let inadequateSignal = Self(rawValue: 1 << 3)
    static let poorSignal = Self(rawValue: 1 << 4)
    static let lowPerfusion = Self(rawValue: 1 << 5)
    static let erraticSignal = Self(rawValue: 1 << 6)
    static let nonpulsatileSignal = Self(rawValue: 1 << 7)
    static let questionablePulse = Self(rawValue: 1 << 8)
    static let analysisOngoing = Self(rawValue: 1 << 9)
    static let interference = Self(rawValue: 1 << 10)
    static let unconnectedToUser = Self(rawValue: 1 << 11)
    static let unknownSensor = Self(rawValue: 1 << 12)
    static let displaced = Self(rawValue: 1 << 13)
    static let malfunction = Self(rawValue: 1 << 14)
    static let disconnected = Self(rawValue: 1 << 15)

    /// States of a sensor not applied to a person.
    static let nothing: Self = [.unconnectedToUser, .disconnected]
    /// Bits other than these, except for those that are normal during a good measurement.
    static let doubtful = Self(rawValue: 0xFFFF).subtracting([.displayUpdateOngoing, .analysisOngoing, .nothing])
  }
}
