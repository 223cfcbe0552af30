// Heart Rate Measurement (2A37): about one notification a second for each wearable, so it is decoded in place, without
// allocation.

public import Bluetooth
public import Wearable

/// Heart Rate Service 1.0, section 3.1.
///
///     byte  0      flags
///                    bit 0     the rate has two bytes
///                    bit 1     skin contact; valid only with bit 2
///                    bit 2     the sensor can detect contact
///                    bit 3     energy is present
///                    bit 4     RR intervals are present
///                    bits 5-7  reserved: counted, and otherwise ignored
///     then  1 | 2  rate, beats per minute
///     then  2      energy since the last reset, kilojoules (bit 3)
///     then  2 × n  RR intervals, 1/1024 s, oldest first (bit 4), up to the end of the value
///
/// All fields are little-endian. The length of the value bounds the number of intervals. There are at most nine in a
/// default MTU of 23, and 255 in the 512 bytes of an attribute.
///
/// `intervals` points into the given bytes: a measurement must not outlive them.
public struct HeartRateMeasurement {
  /// Skin contact of the sensor.
  public enum Contact: Sendable, Hashable {
    /// The sensor cannot detect contact.
    case notSupported
    case notDetected
    case detected
  }

  /// An irregularity of a value that is used nevertheless.
  public enum Anomaly: Sendable, Hashable {
    /// Bit 4 is set, but the value ends before the first interval.
    case noIntervals
    /// A single byte is left after the last whole interval.
    case halfInterval
    /// Bytes follow the last announced field.
    case trailingBytes

    /// Text for the log.
    public var text: StaticString {
      switch self {
      case .noIntervals: "heart rate: RR intervals announced, not sent"
      case .halfInterval: "heart rate: half an RR interval at the end"
      case .trailingBytes: "heart rate: bytes after the last field"
      }
    }
  }

  /// Largest value of the energy counter, at which the wearable stops counting until it is reset (Heart Rate Control
  /// Point, 2A39).
  public static let energyFull: UInt16 = 0xFFFF

  /// Heart rate in 1/min; 0 if the sensor found no beat.
  public let beatsPerMinute: UInt16
  /// Whether the rate has two bytes.
  public let isWide: Bool
  /// Skin contact, as far as the sensor detects it.
  public let contact: Contact
  /// Kilojoules since the last reset; nil if the value has no energy. `energyFull` marks a full counter, not a
  /// measurement.
  public let energyKilojoules: UInt16?
  /// RR intervals in place.
  public let intervals: RRIntervals
  /// Bytes at the end that belong to no field; 0 in a well-formed value.
  public let trailingBytes: Int
  /// Irregularity, if any.
  public let anomaly: Anomaly?
  /// Whether one of bits 5 to 7 of the flags is set.
  public let hasReservedFlags: Bool

  /// - Throws: `empty` without bytes, `truncated` if the flags announce a rate or an energy that is missing.
  public init(_ bytes: RawBytes) throws(DecodeError) {
    var reader = ByteReader(bytes)
    guard let flags = reader.u8() else { throw .empty }

    hasReservedFlags = flags & 0xE0 != 0
    isWide = flags & 0x01 != 0
    if isWide {
      guard let rate = reader.u16() else { throw .truncated }
      beatsPerMinute = rate
    } else {
      guard let rate = reader.u8() else { throw .truncated }
      beatsPerMinute = UInt16(rate)
    }

    contact = flags & 0x04 == 0 ? .notSupported : flags & 0x02 == 0 ? .notDetected : .detected

    if flags & 0x08 != 0 {
      guard let energy = reader.u16() else { throw .truncated }
      energyKilojoules = energy
    } else {
      energyKilojoules = nil
    }

    let rest = reader.rest()
    if flags & 0x10 != 0 {
      intervals = RRIntervals(rest)
      trailingBytes = rest.count % 2
      anomaly = trailingBytes != 0 ? .halfInterval : rest.isEmpty ? .noIntervals : nil
    } else {
      intervals = RRIntervals(RawBytes(start: nil, count: 0))
      trailingBytes = rest.count
      anomaly = rest.isEmpty ? nil : .trailingBytes
    }
  }

  /// Whether the sensor is worn and found a beat. Otherwise rate and intervals are no measurement.
  public var isMeasurement: Bool { beatsPerMinute != 0 && contact != .notDetected }

  /// Encodes a measurement, for simulated wearables. A rate above 255 always has two bytes.
  public static func encode(
    beatsPerMinute: UInt16, isWide: Bool = false, contact: Contact = .notSupported, energyKilojoules: UInt16? = nil,
    intervals: some Collection<UInt16> = EmptyCollection()
  ) -> [UInt8] {
    let wide = isWide || beatsPerMinute > 0xFF
    var flags: UInt8 = wide ? 0x01 : 0
    switch contact {
    case .notSupported: break
    case .notDetected: flags |= 0x04
    case .detected: flags |= 0x06
    }
    if energyKilojoules != nil { flags |= 0x08 }
    if !intervals.isEmpty { flags |= 0x10 }

    var bytes: [UInt8] = [flags]
    if wide {
      bytes.append(littleEndian: beatsPerMinute)
    } else {
      bytes.append(UInt8(truncatingIfNeeded: beatsPerMinute))
    }
    if let energyKilojoules { bytes.append(littleEndian: energyKilojoules) }
    for interval in intervals { bytes.append(littleEndian: interval) }
    return bytes
  }
}

/// RR intervals in place, oldest first, in 1/1024 s: a view of the given bytes, valid as long as they are. A last odd
/// byte is left out. Intervals of zero are included.
public struct RRIntervals: RandomAccessCollection {
  private let bytes: RawBytes

  init(_ bytes: RawBytes) { self.bytes = bytes }

  public var startIndex: Int { 0 }
  public var endIndex: Int { bytes.count / 2 }

  /// Interval in 1/1024 s, the oldest at 0.
  public subscript(index: Int) -> UInt16 {
    guard index >= 0 && index < endIndex else { fatalError("an RR interval that is not there") }
    return UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))
  }
}
