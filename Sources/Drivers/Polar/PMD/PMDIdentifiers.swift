// Identifiers of the measurement service, and its types of measurement.

public import Bluetooth
public import Wearable

/// Polar's measurement data service (PMD): live streams, and recordings in the wearable's own memory.
///
/// Source of all byte tables here: polar-ble-sdk 8.0.0 and its measurement documents. Multi-byte numbers are
/// little-endian.
public enum PMD {
  /// The measurement data service, `FB005C80-…`.
  public static let service = Polar.uuid(0x80)
  /// Read: features. Write: commands. Indication or notification: answers, and streams that ended.
  public static let controlPoint = Polar.uuid(0x81)
  /// Notification: frames of samples (`Frame`).
  public static let data = Polar.uuid(0x82)

  /// Type of measurement, by its six-bit number on the air.
  public enum MeasurementType: UInt8, Sendable, Hashable, CaseIterable {
    case ecg = 0
    case ppg = 1
    case acc = 2
    case ppi = 3
    case gyro = 5
    case magnetometer = 6
    case skinTemperature = 7
    /// A mode of the wearable, without data.
    case sdkMode = 9
    case location = 10
    case pressure = 11
    case temperature = 12
    /// A capability of the wearable, without data.
    case offlineRecording = 13
    /// Recorded heart rate; live heart rate comes from the Heart Rate Service.
    case offlineHR = 14

    /// Bits of the type in an octet.
    public static let mask: UInt8 = 0x3F

    /// The type in the lower six bits of an octet; nil for an unknown number.
    public init?(octet: UInt8) { self.init(rawValue: octet & Self.mask) }

    /// False for the two types that are switches.
    public var isData: Bool { self != .sdkMode && self != .offlineRecording }

    /// Whether it is started with settings, which can be queried. Pulse intervals and heart rate have no settings.
    public var hasSettings: Bool { isData && self != .ppi && self != .offlineHR }
  }

  /// Whether frames are sent live or stored in the wearable: bit 7 of the type's octet.
  public enum Delivery: UInt8, Sendable, Hashable {
    case online = 0
    case offline = 0x80
  }

  /// The features: the value of the control point when read. `0F`, then two octets of flags; more may follow.
  ///
  ///     bit   octet 1            octet 2
  ///     0     ECG                –
  ///     1     PPG                SDK mode
  ///     2     ACC                location
  ///     3     PPI                pressure
  ///     4     –                  temperature
  ///     5     gyroscope          records in its own memory
  ///     6     magnetometer       records the heart rate
  ///     7     skin temperature   –
  public struct Features: Sendable, Hashable {
    /// Types that the wearable has.
    public let types: Set<MeasurementType>

    /// First octet of the value.
    public static let marker: UInt8 = 0x0F

    private static let table: [[(mask: UInt8, type: MeasurementType)]] = [
      [
        (0x01, .ecg), (0x02, .ppg), (0x04, .acc), (0x08, .ppi), (0x20, .gyro), (0x40, .magnetometer),
        (0x80, .skinTemperature),
      ],
      [
        (0x02, .sdkMode), (0x04, .location), (0x08, .pressure), (0x10, .temperature), (0x20, .offlineRecording),
        (0x40, .offlineHR),
      ],
    ]

    /// Features with these types.
    public init(types: Set<MeasurementType>) { self.types = types }

    /// - Throws: `empty`, `truncated` below three bytes, `outOfRange` without the marker `0F`.
    public init(_ bytes: RawBytes) throws(DecodeError) {
      guard let first = bytes.first else { throw .empty }
      guard first == Self.marker else { throw .outOfRange }
      guard bytes.count >= 3 else { throw .truncated }
      var types: Set<MeasurementType> = []
      for (octet, row) in zip(bytes[1...], Self.table) {
        for entry in row where octet & entry.mask != 0 { types.insert(entry.type) }
      }
      self.init(types: types)
    }

    public func encode() -> [UInt8] {
      [Self.marker] + Self.table.map { row in row.reduce(UInt8(0)) { types.contains($1.type) ? $0 | $1.mask : $0 } }
    }

    /// True if it has SDK mode.
    public var hasSDKMode: Bool { types.contains(.sdkMode) }
    /// True if it records into its memory.
    public var recordsOffline: Bool { types.contains(.offlineRecording) }

    /// Types that it streams; the heart rate comes over a service of its own.
    public var online: Set<MeasurementType> { types.filter { $0.isData && $0 != .offlineHR } }
    /// Types that it records in its own memory.
    public var offline: Set<MeasurementType> { recordsOffline ? types.filter { $0.isData } : [] }
  }
}
