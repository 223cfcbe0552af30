// Commands and keys of the new platform by topic, and the UUIDs of a band.

public import Bluetooth

/// UUIDs of service and characteristics.
public enum TopStepPlace {
  /// Service of the new platform, `000001FF-…`.
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
  /// Firmware update.
  public static let update: UInt8 = 1
  /// Settings of the band.
  public static let settings: UInt8 = 2
  /// Owner, time and power.
  public static let environment: UInt8 = 3
  /// Notifications of the phone.
  public static let notification: UInt8 = 4
  /// Days and live values.
  public static let sync: UInt8 = 5
  /// Transfer of files.
  public static let files: UInt8 = 6
}

/// Keys of command 2 that are not settings.
public enum TopStepSettingsKey {
  /// Requests all settings.
  public static let all: UInt8 = 0x01
  /// Facts of the band.
  public static let deviceInfo: UInt8 = 0x02
  /// Lets the wearer find the band.
  public static let find: UInt8 = 0x30
  /// Ends the search for the band.
  public static let stopFinding: UInt8 = 0x31
  /// Reports that the band was found.
  public static let found: UInt8 = 0x32
  /// Reports new data.
  public static let dataChanged: UInt8 = 0x48
}

/// Keys of command 3.
public enum TopStepEnvironmentKey {
  /// Binds the band to an owner.
  public static let bind: UInt8 = 0x01
  /// Logs an owner in.
  public static let login: UInt8 = 0x02
  /// Ends the binding.
  public static let unbind: UInt8 = 0x03
  /// Sends facts of the wearer.
  public static let user: UInt8 = 0x04
  /// Sets the clock.
  public static let time: UInt8 = 0x05
  /// Switches the band off.
  public static let powerOff: UInt8 = 0x06
  /// Restarts the band.
  public static let reboot: UInt8 = 0x07
  /// Deletes all data and settings.
  public static let factoryReset: UInt8 = 0x08
  /// Requests the battery level.
  public static let battery: UInt8 = 0x09
  /// Reports a change of the battery.
  public static let batteryChanged: UInt8 = 0x0A
  /// Requests the language.
  public static let language: UInt8 = 0x0B
  /// Sets the language.
  public static let setLanguage: UInt8 = 0x0C
  /// Sends the state of the host.
  public static let hostState: UInt8 = 0x0D
  /// Requests facts of the Bluetooth chip.
  public static let bluetoothInfo: UInt8 = 0x11
}

/// Keys of command 5. Day messages have the number of their kind.
public enum TopStepSyncKey {
  /// Begins a sync.
  public static let start: UInt8 = 0x21
  /// Reports the end of a sync.
  public static let end: UInt8 = 0x22
  /// Starts a live measurement.
  public static let live: UInt8 = 0x30
  /// Reports its end.
  public static let liveStopped: UInt8 = 0x31
  /// Reports a live value.
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

  /// Key that requests the setting.
  public var get: UInt8 { rawValue }
  /// Key that sets it.
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

  /// True if the owner is accepted.
  public var isAccepted: Bool { self == .ok || self == .okWithoutClassicLink }
}
