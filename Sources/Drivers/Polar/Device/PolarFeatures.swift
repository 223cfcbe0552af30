// The feature configuration service: the radio switches that a wearable has, and the commands that set them.

public import Bluetooth
public import Wearable

extension Polar {
  /// The switches of a wearable: the value of the feature characteristic.
  ///
  ///     byte 0   bit 0 broadcast, 1 5 kHz, 2 update over the air, 4 whisper mode, 6 BLE mode, 7 several connections
  ///     byte 1   bit 0 ANT+, 1 security mode, 3 security mode begun by the sensor
  ///
  /// A value of one byte has no switches of the second. The meaning of further bytes is unknown.
  public struct Features: OptionSet, Sendable, Hashable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Broadcast of the heart rate.
    public static let broadcast = Features(rawValue: 1 << 0)
    /// Transmission at 5 kHz, for gym equipment.
    public static let transmission5kHz = Features(rawValue: 1 << 1)
    /// Firmware updates over the air.
    public static let updateOverTheAir = Features(rawValue: 1 << 2)
    /// Whisper mode: less transmission power if that is enough.
    public static let whisper = Features(rawValue: 1 << 4)
    /// BLE mode (bit 6), which can be set if present; polar-ble-sdk does not explain it.
    public static let bleMode = Features(rawValue: 1 << 6)
    /// Two connections at a time.
    public static let multiConnection = Features(rawValue: 1 << 7)
    /// ANT+ radio.
    public static let antPlus = Features(rawValue: 1 << 8)
    /// Security mode (bit 9), which the host can request.
    public static let securityMode = Features(rawValue: 1 << 9)
    /// Security that the sensor starts.
    public static let sensorInitiatedSecurity = Features(rawValue: 1 << 11)

    /// - Throws: `empty`.
    public init(_ bytes: RawBytes) throws(DecodeError) {
      var reader = ByteReader(bytes)
      guard let first = reader.u8() else { throw .empty }
      rawValue = UInt16(first) | UInt16(reader.u8() ?? 0) << 8
    }
  }

  /// A switch, by its two op codes: the lower one sets it, the upper one reads it.
  public enum Switch: UInt8, Sendable, Hashable, CaseIterable {
    case broadcast = 1
    case transmission5kHz = 3
    case whisper = 5
    case multiConnection = 8
    case antPlus = 10
    case sensorInitiatedSecurity = 14

    var feature: Features {
      switch self {
      case .broadcast: .broadcast
      case .transmission5kHz: .transmission5kHz
      case .whisper: .whisper
      case .multiConnection: .multiConnection
      case .antPlus: .antPlus
      case .sensorInitiatedSecurity: .sensorInitiatedSecurity
      }
    }
  }

  /// A command of the control point: an op code, and one byte if it sets a value.
  public enum FeatureCommand: Sendable, Hashable {
    case set(Switch, Bool)
    case ask(Switch)
    /// Op code 7. The numbers of the modes are undocumented.
    case setBLEMode(UInt8)
    /// Op code 12. The host cannot set this mode.
    case askSecurityMode

    /// Op code on the air.
    public var opCode: UInt8 {
      switch self {
      case .set(let which, _): which.rawValue
      case .ask(let which): which.rawValue + 1
      case .setBLEMode: 7
      case .askSecurityMode: 12
      }
    }

    public func encode() -> [UInt8] {
      switch self {
      case .set(_, let isOn): [opCode, isOn ? 1 : 0]
      case .setBLEMode(let mode): [opCode, mode]
      case .ask, .askSecurityMode: [opCode]
      }
    }
  }

  /// An answer of an older control point.
  ///
  ///     byte 0   F0
  ///     1        op code that is answered
  ///     2        status
  ///     3-       payload
  public struct ControlResponse: Sendable, Hashable {
    /// Status of an answer.
    public enum Status: Sendable, Hashable {
      case success
      case notSupported
      case invalidParameter
      case operationFailed
      case notAllowed
      case other(UInt8)

      init(code: UInt8) {
        switch code {
        case 1: self = .success
        case 2: self = .notSupported
        case 3: self = .invalidParameter
        case 4: self = .operationFailed
        case 5: self = .notAllowed
        default: self = .other(code)
        }
      }
    }

    /// Op code of the command that is answered.
    public let opCode: UInt8
    /// Status of the command.
    public let status: Status
    /// Bytes behind the status.
    public let payload: [UInt8]

    /// The requested state; nil if the answer does not have it.
    public var isOn: Bool? { status == .success ? payload.first.map { $0 == 1 } : nil }

    /// - Throws: `empty`, `truncated` below three bytes, `outOfRange` without the marker `F0`.
    public init(_ bytes: RawBytes) throws(DecodeError) {
      var reader = ByteReader(bytes)
      guard let marker = reader.u8() else { throw .empty }
      guard marker == 0xF0 else { throw .outOfRange }
      guard let opCode = reader.u8(), let status = reader.u8() else { throw .truncated }
      self.opCode = opCode
      self.status = Status(code: status)
      payload = Array(reader.rest())
    }
  }
}
