// Battery Level Status (2BED): charging, faults and, optionally, the level.

public import Bluetooth
public import Wearable

/// Battery Service 1.1, section 3.2, laid out in the GATT Specification Supplement.
///
///     byte  0   flags
///                 bit 0     identifier is present
///                 bit 1     level is present
///                 bit 2     additional status is present
///                 bits 3-7  reserved, ignored
///     1-2       power state
///                 bit 0       a battery is in the device
///                 bits 1-2    wired power: 0 no, 1 yes, 2 unknown, 3 reserved
///                 bits 3-4    wireless power: likewise
///                 bits 5-6    0 unknown, 1 charging, 2 discharging and in use, 3 discharging and not in use
///                 bits 7-8    0 unknown, 1 good, 2 low, 3 critical
///                 bits 9-11   0 unknown or not charging, 1 constant current, 2 constant voltage, 3 trickle,
///                             4 float; 5-7 reserved
///                 bit 12      charging fault: battery
///                 bit 13      charging fault: external power
///                 bit 14      charging fault: other
///                 bit 15      reserved, ignored
///     then 2    identifier (flag 0)
///     then 1    level in percent, 0-100 (flag 1)
///     then 1    additional status (flag 2)
///                 bits 0-1  service required: 0 no, 1 yes, 2 unknown, 3 reserved
///                 bit 2     battery fault
///                 bits 3-7  reserved, ignored
public struct BatteryLevelStatus: Sendable, Hashable {
  /// A two-bit answer.
  public enum Answer: UInt8, Sendable, Hashable {
    case no = 0
    case yes = 1
    case unknown = 2
    case reserved = 3
  }

  /// State of charging, bits 5-6 of the power state.
  public enum ChargeState: UInt8, Sendable, Hashable {
    case unknown = 0
    case charging = 1
    case dischargingActive = 2
    case dischargingInactive = 3
  }

  /// The wearable's own summary of its charge.
  public enum ChargeLevel: UInt8, Sendable, Hashable {
    case unknown = 0
    case good = 1
    case low = 2
    case critical = 3
  }

  /// Method of charging, bits 9-11 of the power state.
  public enum ChargingType: Sendable, Hashable {
    case unknownOrNotCharging
    case constantCurrent
    case constantVoltage
    case trickle
    case float
    case reserved(UInt8)

    init(code: UInt8) {
      switch code {
      case 0: self = .unknownOrNotCharging
      case 1: self = .constantCurrent
      case 2: self = .constantVoltage
      case 3: self = .trickle
      case 4: self = .float
      default: self = .reserved(code)
      }
    }
  }

  /// Faults of charging, bits 12-14 of the power state.
  public struct Faults: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Fault of the battery, bit 12 of the power state.
    public static let battery = Faults(rawValue: 1)
    /// Fault of the external power source.
    public static let externalPower = Faults(rawValue: 2)
    /// Another fault.
    public static let other = Faults(rawValue: 4)
  }

  /// Status beyond the power state.
  public struct AdditionalStatus: Sendable, Hashable {
    /// True if the wearable requires service.
    public let serviceRequired: Answer
    /// True if the battery has a fault.
    public let hasBatteryFault: Bool
  }

  /// True if a battery is present.
  public let isBatteryPresent: Bool
  /// External power by wire.
  public let wiredPower: Answer
  /// External power without a wire.
  public let wirelessPower: Answer
  /// Whether the battery is charging or discharging.
  public let chargeState: ChargeState
  /// Summary of the level.
  public let chargeLevel: ChargeLevel
  /// Method of charging; `unknownOrNotCharging` without charging.
  public let chargingType: ChargingType
  /// Faults of charging; empty without any.
  public let chargingFaults: Faults
  /// Number that distinguishes several batteries of one wearable; nil: not announced.
  public let identifier: UInt16?
  /// Level in percent, 0-100; nil: not announced.
  public let percent: UInt8?
  /// Further status; nil: not announced.
  public let additional: AdditionalStatus?
  /// Bytes after the last announced field.
  public let trailingBytes: Int
  /// A reserved bit of the flags or states is set.
  public let hasReservedBits: Bool

  /// - Throws: `empty` without bytes, `truncated` if the power state or an announced field is missing, `outOfRange` for
  ///   a level above 100.
  public init(_ bytes: RawBytes) throws(DecodeError) {
    var reader = ByteReader(bytes)
    guard let flags = reader.u8() else { throw .empty }
    guard let power = reader.u16() else { throw .truncated }
    isBatteryPresent = power & 1 != 0
    wiredPower = Self.answer(UInt8(power >> 1 & 3))
    wirelessPower = Self.answer(UInt8(power >> 3 & 3))
    chargeState = ChargeState(rawValue: UInt8(power >> 5 & 3)) ?? .unknown
    chargeLevel = ChargeLevel(rawValue: UInt8(power >> 7 & 3)) ?? .unknown
    chargingType = ChargingType(code: UInt8(power >> 9 & 7))
    chargingFaults = Faults(rawValue: UInt8(power >> 12 & 7))

    if flags & 0x01 != 0 {
      guard let value = reader.u16() else { throw .truncated }
      identifier = value
    } else {
      identifier = nil
    }
    if flags & 0x02 != 0 {
      guard let value = reader.u8() else { throw .truncated }
      guard value <= 100 else { throw .outOfRange }
      percent = value
    } else {
      percent = nil
    }
    var reserved = flags & 0xF8 != 0 || power & 1 << 15 != 0
    if flags & 0x04 != 0 {
      guard let value = reader.u8() else { throw .truncated }
      additional = AdditionalStatus(serviceRequired: Self.answer(value & 3), hasBatteryFault: value & 4 != 0)
      reserved = reserved || value & 0xF8 != 0
    } else {
      additional = nil
    }
    hasReservedBits = reserved
    trailingBytes = reader.remaining
  }

  /// Text for people: whether it is charging, and any faults; nil if it does not report them.
  public var charging: String? {
    let state: String? =
      switch chargeState {
      case .unknown: nil
      case .charging: "charging"
      case .dischargingActive: "in use"
      case .dischargingInactive: "not in use"
      }
    var parts = state.map { [$0] } ?? []
    if chargingFaults.contains(.battery) || additional?.hasBatteryFault == true { parts.append("battery fault") }
    if chargingFaults.contains(.externalPower) { parts.append("power supply fault") }
    if chargingFaults.contains(.other) { parts.append("charging fault") }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  /// `Answer` names all four values of two bits.
  private static func answer(_ bits: UInt8) -> Answer { Answer(rawValue: bits & 3) ?? .reserved }
}
