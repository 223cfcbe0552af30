// Status word: the insole's activity and errors.

public import Bluetooth
public import Wearable

extension Botz {
  /// Information `..eab`, four bytes, and the first four of the status pack.
  ///
  /// Three bit maps are published; this is the one of the firmware's source. The firmware never sets bits 1 to 7, 23
  /// and 24. Any link sets bit 30, also the hub's own, so that bit has no meaning.
  public struct StatusWord: Sendable, Hashable {
    /// Bits as received.
    public let bits: UInt32

    /// A word with these bits.
    public init(bits: UInt32) { self.bits = bits }

    /// - Throws: `empty` without bytes, `truncated` below four.
    public init(_ bytes: RawBytes) throws(DecodeError) {
      if bytes.isEmpty { throw .empty }
      var reader = ByteReader(bytes)
      guard let bits = reader.u32() else { throw .truncated }
      self.bits = bits
    }

    /// The word of an insole with this activity and these error bits.
    public init(_ activity: Activity, errors: UInt32 = 0, isLinked: Bool = true) {
      bits = activity.bit | (errors & Self.errorMask) | (errors == 0 ? 0 : 1) | (isLinked ? Self.linked : 0)
    }

    /// Bits of errors.
    public static let errorMask: UInt32 = 0x007F_FF00
    /// Bit of an open link.
    public static let linked: UInt32 = 1 << 30

    /// Activity of the insole. At most one of the bits is set; of several the highest counts, but a pause always
    /// counts.
    public enum Activity: UInt8, Sendable, Hashable, CaseIterable {
      case idle
      /// A session is being recorded into an open file.
      case running
      case footStream, orientationStream, bothStreams
      /// A session is open, without recording.
      case paused

      /// Bit in the status word; 0 for idle.
      public var bit: UInt32 { self == .idle ? 0 : 1 << (24 + UInt32(rawValue)) }
      /// Whether a file is open.
      public var isSession: Bool { self == .running || self == .paused }
      /// True for the activities that are streams.
      public var isStream: Bool { self == .footStream || self == .orientationStream || self == .bothStreams }

      /// Name for display.
      public var name: String {
        switch self {
        case .idle: "idle"
        case .running: "recording an activity"
        case .footStream: "streaming foot pressure"
        case .orientationStream: "streaming orientation"
        case .bothStreams: "streaming"
        case .paused: "paused in an activity"
        }
      }
    }

    /// Activity by the rule above.
    public var activity: Activity {
      // A file is open while either bit is set, so the insole is not idle whatever other bits are set.
      if bits & Activity.paused.bit != 0 { return .paused }
      if bits & Activity.running.bit != 0 { return .running }
      return [.bothStreams, .orientationStream, .footStream].first { bits & $0.bit != 0 } ?? .idle
    }

    /// Whether a module has failed. Bit 0 alone, an error without a bit of its own, does not count.
    public var hasError: Bool { bits & Self.errorMask != 0 }

    /// Every set bit, by its name in the firmware, from bit 0 on.
    public var names: [String] { (0..<32).compactMap { bits & 1 << UInt32($0) == 0 ? nil : Self.names[$0] } }

    public func encode() -> [UInt8] {
      var bytes: [UInt8] = []
      bytes.append(littleEndian: bits)
      return bytes
    }

    private static let names = [
      "ERROR", "CALIBRATING", "READY", "IDLE", "LOGGING_ACTIVE", "LOW_BATTERY", "CHARGING", "DFU_ACTIVE",
      "BATTERY_FAULT", "BLUETOOTH_ERROR",
      "HARDWARE_ERROR", "DATA_ERROR", "DFU_ERROR", "ADC_ERROR", "I2C_ERROR", "BATTERY_DISCONNECTED", "MOTION_ERROR",
      "RTC_ERROR", "FILE_SYSTEM_ERROR",
      "ENCODE_ERROR", "NO_FILES", "STORAGE_FULL", "FLASH_FAILURE", "WEIGHT_NOT_CALIBRATED", "WEIGHT_CALIBRATING",
      "ACTIVITY_1_RUNNING",
      "ACTIVITY_3_FOOT_STREAM", "ACTIVITY_4_QUAT_STREAM", "ACTIVITY_5_BOTH_STREAM", "ACTIVITY_PAUSED", "D2D_CONNECTED",
      "RESERVED_31",
    ]
  }

  /// Information `..ec7`, 16 bytes; a read also triggers a notification.
  ///
  ///     0   u32  status word
  ///     4   u8   battery, percent: always 80
  ///     5   u8   charge state
  ///     6   u8   temperature, degrees C: always 25
  ///     7   u8   activity: always 0, the status word tells it
  ///     8   u32  uptime, s
  ///     12  u16  free storage, MB: always 0
  ///     14  u8   linked devices: always 0
  ///     15  u8   reserved
  public struct StatusPack: Sendable, Hashable {
    /// Status word, bits 0 to 31.
    public var status: StatusWord
    /// Battery level in percent.
    public var batteryPercent: UInt8 = 80
    /// Charge state, 0 not charging, 1 charging, 2 full.
    public var chargeState: UInt8 = 0
    /// Temperature in °C.
    public var temperatureCelsius: UInt8 = 25
    /// State of the activity: always 0, as the status word has it.
    public var activityState: UInt8 = 0
    /// Seconds since the start: a smaller number than before means a restart.
    public var uptime: UInt32
    /// Free memory in MB: always 0.
    public var freeMegabytes: UInt16 = 0
    /// Number of connected devices: always 0.
    public var linkedDevices: UInt8 = 0
    /// Reserved byte.
    public var reserved: UInt8 = 0

    /// A pack with the firmware's constants; `uptime` in seconds.
    public init(status: StatusWord, uptime: UInt32) {
      self.status = status
      self.uptime = uptime
    }

    /// - Throws: `empty` without bytes, `truncated` below 16.
    public init(_ bytes: RawBytes) throws(DecodeError) {
      status = try StatusWord(bytes)
      var reader = ByteReader(bytes)
      reader.skip(4)
      guard let battery = reader.u8(), let charge = reader.u8(), let temperature = reader.u8(),
        let activity = reader.u8(), let uptime = reader.u32(),
        let free = reader.u16(), let linked = reader.u8(), let reserved = reader.u8()
      else { throw .truncated }
      (batteryPercent, chargeState, temperatureCelsius, activityState) = (battery, charge, temperature, activity)
      (self.uptime, freeMegabytes, linkedDevices, self.reserved) = (uptime, free, linked, reserved)
    }

    public func encode() -> [UInt8] {
      var bytes = status.encode() + [batteryPercent, chargeState, temperatureCelsius, activityState]
      bytes.append(littleEndian: uptime)
      bytes.append(littleEndian: freeMegabytes)
      return bytes + [linkedDevices, reserved]
    }
  }
}
