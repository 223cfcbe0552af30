// Commands and keys of the new platform by topic, and the UUIDs of a band.

public import Bluetooth

/// UUIDs of service and characteristics.
public enum TopStepPlace {
  public static let service = uuid(0x0000_01FF)
  /// Written, with or without response.
  public static let command = uuid(0x0000_FF02)
  /// Notified.
  public static let answer = uuid(0x0000_FF03)

  /// `xxxxxxxx-3C17-D293-8E48-14FE2E4DA212`.
  private static func uuid(_ first: UInt32) -> BluetoothUUID {
    BluetoothUUID(high: UInt64(first) << 32 | 0x3C17_D293, low: 0x8E48_14FE_2E4D_A212)
  }
}

/// Command: the topic of a frame.
public enum TopStepCommand {
  public static let update: UInt8 = 1
  public static let settings: UInt8 = 2
  public static let environment: UInt8 = 3
  public static let notification: UInt8 = 4
  public static let sync: UInt8 = 5
  public static let files: UInt8 = 6
}

/// Keys of command 2 that are not settings.
public enum TopStepSettingsKey {
  public static let all: UInt8 = 0x01
  public static let deviceInfo: UInt8 = 0x02
  public static let find: UInt8 = 0x30
  public static let stopFinding: UInt8 = 0x31
  public static let found: UInt8 = 0x32
  public static let dataChanged: UInt8 = 0x48
}

/// Keys of command 3.
public enum TopStepEnvironmentKey {
  public static let bind: UInt8 = 0x01
  public static let login: UInt8 = 0x02
  public static let unbind: UInt8 = 0x03
  public static let user: UInt8 = 0x04
  public static let time: UInt8 = 0x05
  public static let powerOff: UInt8 = 0x06
  public static let reboot: UInt8 = 0x07
  public static let factoryReset: UInt8 = 0x08
  public static let battery: UInt8 = 0x09
  public static let batteryChanged: UInt8 = 0x0A
  public static let language: UInt8 = 0x0B
  public static let setLanguage: UInt8 = 0x0C
  public static let hostState: UInt8 = 0x0D
  public static let bluetoothInfo: UInt8 = 0x11
}

/// Keys of command 5. Day messages have the number of their kind.
public enum TopStepSyncKey {
  public static let start: UInt8 = 0x21
  public static let end: UInt8 = 0x22
  public static let live: UInt8 = 0x30
  public static let liveStopped: UInt8 = 0x31
  public static let liveValue: UInt8 = 0x32
}

/// Kind of data that a band stores: its number in a sync, and the key of its day messages.
public enum TopStepKind: UInt8, Sendable, Hashable, CaseIterable {
  case heartRate = 1
  case oxygen = 2
  case pressure = 3
  case stress = 4
  case sleep = 5
  case activity = 6
  case sport = 7
}

/// Setting: its keys to get and to set, and the key that reports a change by the wearer.
public enum TopStepSetting: UInt8, Sendable, Hashable, CaseIterable {
  case functions = 0x03
  case units = 0x05
  case goals = 0x07
  case doNotDisturb = 0x09
  case raiseToWake = 0x0B
  case heartRate = 0x0D
  case stress = 0x0F
  case oxygen = 0x11
  case pressure = 0x13
  case femaleHealth = 0x15
  case notifications = 0x17

  public var get: UInt8 { rawValue }
  public var set: UInt8 { rawValue + 1 }
  /// Nil: it cannot be changed on the band.
  public var changed: UInt8? {
    switch self {
    case .functions: 0x19
    case .units: 0x1A
    case .goals: 0x1B
    case .doNotDisturb: 0x1C
    case .raiseToWake: 0x1D
    case .heartRate: 0x1E
    case .stress: 0x1F
    case .oxygen: 0x20
    case .pressure: 0x21
    case .femaleHealth, .notifications: nil
    }
  }
}

/// Result in the answer to a bind or login.
public enum TopStepAuthResult: UInt8, Sendable, Hashable, CaseIterable {
  case ok = 0
  case otherUser = 1
  case cancelled = 2
  case timedOut = 3
  case okWithoutClassicLink = 4
  case lowBattery = 5
  case resetting = 6
  case resetNeeded = 7
  case unknown = 127

  public var isAccepted: Bool { self == .ok || self == .okWithoutClassicLink }
}
