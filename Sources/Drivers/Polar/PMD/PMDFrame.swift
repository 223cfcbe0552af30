// A frame of samples: its header, and the formats of its content.

public import Bluetooth
public import Wearable

extension PMD {
  /// A notification of the data characteristic, or a packet of a recording.
  ///
  ///     offset   size
  ///     0        1      measurement type (6 bits)
  ///     1        8      time of the **last** sample, ns since 2000-01-01 on the wearable's clock
  ///     9        1      bit 7: compressed; bits 0–6: frame type
  ///     10       …      content
  ///
  /// `content` points into the given bytes: a frame must not outlive them.
  public struct Frame {
    /// Number of the measurement type, 0 to 63.
    public let typeOctet: UInt8
    /// Time of the last sample, ns since 2000 on the wearable's clock.
    public let time: UInt64
    /// Frame type: the format of the content, 0 to 10, 13 or 14.
    public let frameType: UInt8
    /// True if the samples are compressed.
    public let isCompressed: Bool
    /// Bytes behind the header.
    public let content: RawBytes

    /// Length of the header in bytes.
    public static let headerSize = 10

    /// - Throws: `empty`; `truncated` below ten bytes; `outOfRange` for a frame type that does not exist.
    public init(_ bytes: RawBytes) throws(DecodeError) {
      guard !bytes.isEmpty else { throw .empty }
      guard bytes.count >= Self.headerSize else { throw .truncated }
      typeOctet = bytes[0] & MeasurementType.mask
      time = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 1, as: UInt64.self))
      isCompressed = bytes[9] & 0x80 != 0
      frameType = bytes[9] & 0x7F
      guard frameType <= 10 || frameType == 13 || frameType == 14 else { throw .outOfRange }
      content = RawBytes(rebasing: bytes[Self.headerSize...])
    }

    /// nil for an unknown type.
    public var type: MeasurementType? { MeasurementType(rawValue: typeOctet) }

    /// Encodes a frame, for simulated wearables.
    public static func encode(
      _ type: MeasurementType, time: UInt64, frameType: UInt8, isCompressed: Bool, _ content: [UInt8]
    ) -> [UInt8] {
      var bytes = [type.rawValue]
      bytes.append(littleEndian: time)
      bytes.append(frameType & 0x7F | (isCompressed ? 0x80 : 0))
      return bytes + content
    }
  }

  /// Format of the samples in a frame. Each sample has `channels` numbers of 32 bits, in the order of these
  /// descriptions.
  public enum Format: Sendable, Hashable {
    /// µV.
    case ecg
    /// Unsigned 14-bit value; over-sampling, skin contact (2 bits), contact impedance (2 bits).
    case ecgContact
    /// Unsigned 18-bit value; ECG tag (3 bits), pace tag (3 bits).
    case ecgTags
    /// ECG, bio-impedance, status.
    case ecgImpedance
    /// Light channels, each to be multiplied by the factor, then ambient light.
    case ppgAmbient(channels: Int)
    /// Light channels, each to be multiplied by the factor, then a 24-bit status word: bit i belongs to channel i.
    case ppgStatus(channels: Int)
    /// 12 counts of integrated pulses, then 12 pairs of gains (3 bits each). Settings of the sensor, not samples.
    case ppgGains
    /// A 32-bit mask.
    case ppgOperationMode
    /// Lower and upper half of a 64-bit number.
    case ppgSport
    /// A count of integrated pulses and its two gains.
    case ppgGain
    /// mg; the factor is not applied.
    case accMilliG
    /// mg, after multiplication by the factor.
    case accScaledMilliG
    /// g, after multiplication by the factor.
    case accG
    /// Beats a minute, ms, ms, flags.
    case ppi
    /// Degrees a second, after multiplication by the factor.
    case gyro
    /// Bit patterns of 32-bit floats, in degrees a second after multiplication by the factor.
    case gyroFloat
    /// Gauss, after multiplication by the factor.
    case magnetometer
    /// Milligauss, after multiplication by the factor; state of the calibration.
    case magnetometerCalibrated
    /// Bit pattern of a 32-bit float: hPa or degrees Celsius. The factor applies only to compressed frames.
    case float(isScaled: Bool)
    /// Beats a minute.
    case offlineHR
    /// Beats a minute, quality of the light signal, corrected beats a minute.
    case offlineHRQuality
    /// Records without numbers of 32 bits, decoded from the content: see `LocationFix` and its neighbours.
    case location(LocationRecord)

    /// Record of a position, by frame type.
    public enum LocationRecord: Sendable, Hashable {
      case fix, dilution, satellites, nmea
    }

    /// nil for combinations that do not exist.
    public init?(_ type: MeasurementType, frameType: UInt8, isCompressed: Bool) {
      switch (type, frameType, isCompressed) {
      case (.ecg, 0, false): self = .ecg
      case (.ecg, 1, false): self = .ecgContact
      case (.ecg, 2, false): self = .ecgTags
      case (.ecg, 3, false): self = .ecgImpedance
      case (.ppg, 0, false), (.ppg, 0, true): self = .ppgAmbient(channels: 3)
      case (.ppg, 4, false), (.ppg, 9, false): self = .ppgGains
      case (.ppg, 5, false): self = .ppgOperationMode
      case (.ppg, 6, false): self = .ppgSport
      case (.ppg, 14, false): self = .ppgGain
      case (.ppg, 7, true): self = .ppgStatus(channels: 16)
      case (.ppg, 8, true): self = .ppgStatus(channels: 24)
      case (.ppg, 10, true): self = .ppgStatus(channels: 20)
      case (.ppg, 13, true): self = .ppgStatus(channels: 2)
      case (.acc, 0...2, false): self = .accMilliG
      case (.acc, 0, true): self = .accG
      case (.acc, 1, true): self = .accScaledMilliG
      case (.ppi, 0, false): self = .ppi
      case (.gyro, 0, true): self = .gyro
      case (.gyro, 1, true): self = .gyroFloat
      case (.magnetometer, 0, true): self = .magnetometer
      case (.magnetometer, 1, true): self = .magnetometerCalibrated
      case (.pressure, 0, _), (.temperature, 0, _), (.skinTemperature, 0, _): self = .float(isScaled: isCompressed)
      case (.location, 0, false): self = .location(.fix)
      case (.location, 1, false): self = .location(.dilution)
      case (.location, 2, false): self = .location(.satellites)
      case (.location, 3, false): self = .location(.nmea)
      case (.offlineHR, 0, false): self = .offlineHR
      case (.offlineHR, 1, false): self = .offlineHRQuality
      default: return nil
      }
    }

    /// Numbers in a sample.
    public var channels: Int {
      switch self {
      case .ecg, .ppgOperationMode, .float, .offlineHR: 1
      case .ppgSport: 2
      case .ecgTags, .ecgImpedance, .ppgGain, .accMilliG, .accScaledMilliG, .accG, .gyro, .gyroFloat, .magnetometer,
        .offlineHRQuality:
        3
      case .ecgContact, .ppi, .magnetometerCalibrated: 4
      case .ppgAmbient(let channels), .ppgStatus(let channels): channels + 1
      case .ppgGains: 36
      case .location: 0
      }
    }

    /// Bits of each number in the first sample of a compressed frame.
    var referenceBits: Int {
      switch self {
      case .ppgAmbient, .ppgStatus: 24
      case .gyroFloat, .float: 32
      default: 16
      }
    }

    /// Whether the samples are evenly spaced between the previous frame's time and this frame's.
    var isEvenlySpaced: Bool {
      switch self {
      case .ppi, .offlineHR, .offlineHRQuality, .location(.nmea): false
      default: true
      }
    }
  }
}
