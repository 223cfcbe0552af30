// Numbers of TopStep's new platform: commands, keys, times. NOTES.md names their sources.

import EventLoop
import Health

/// Constants of the wire.
enum TopStep {
  /// First byte of every frame, the same as FitCloud's.
  static let magic: UInt8 = 0xAB
  /// Groups of commands: 1 update, 2 settings, 3 environment, 4 notification, 5 sync, 6 files. The hub uses 2, 3 and 5.
  static let commands: ClosedRange<UInt8> = 1...6

  /// Seconds from 1970 to 2000-01-01 00:00 UTC, the platform's epoch.
  static let epoch: Int64 = 946_684_800
  /// Valid times of a band, s since 2000: until 2136, as in 32 bits.
  static let times: Range<Int64> = 1..<(1 << 32)

  /// Time in s since 2000.
  static func seconds(_ microseconds: Int64) -> Int64 { floored(microseconds, 1_000_000) - epoch }

  /// µs since 1970 of a time within `times`; nil for any other. 0 means "no time".
  static func microseconds(_ seconds: Int64) -> Int64? {
    times.contains(seconds) ? (seconds + epoch) * 1_000_000 : nil
  }

  /// Quotient rounded towards the past.
  static func floored(_ value: Int64, _ divisor: Int64) -> Int64 {
    value / divisor - (value % divisor < 0 ? 1 : 0)
  }
}

/// Subject of a frame: command and key.
struct TopStepTopic: Sendable, Hashable {
  let command: UInt8
  let key: UInt8

  init(_ command: UInt8, _ key: UInt8) { (self.command, self.key) = (command, key) }

  // Settings.
  static let deviceInfo = TopStepTopic(2, 0x02)
  static let functions = TopStepTopic(2, 0x03)
  static let heartRate = TopStepTopic(2, 0x0D)
  static let setHeartRate = TopStepTopic(2, 0x0E)
  static let stress = TopStepTopic(2, 0x0F)
  static let setStress = TopStepTopic(2, 0x10)
  static let spo2 = TopStepTopic(2, 0x11)
  static let setSpO2 = TopStepTopic(2, 0x12)
  static let functionsChanged = TopStepTopic(2, 0x19)
  static let heartRateChanged = TopStepTopic(2, 0x1E)
  static let stressChanged = TopStepTopic(2, 0x1F)
  static let spo2Changed = TopStepTopic(2, 0x20)
  static let dataChanged = TopStepTopic(2, 0x48)

  // Environment.
  static let bind = TopStepTopic(3, 0x01)
  static let login = TopStepTopic(3, 0x02)
  static let unbind = TopStepTopic(3, 0x03)
  static let user = TopStepTopic(3, 0x04)
  static let time = TopStepTopic(3, 0x05)
  static let battery = TopStepTopic(3, 0x09)
  static let batteryChanged = TopStepTopic(3, 0x0A)
  static let bluetoothInfo = TopStepTopic(3, 0x11)

  // Sync. Keys 1 to 7 are data of the type with that number.
  static let syncStart = TopStepTopic(5, 0x21)
  static let syncEnd = TopStepTopic(5, 0x22)
  static let liveControl = TopStepTopic(5, 0x30)
  static let liveStopped = TopStepTopic(5, 0x31)
  static let liveValue = TopStepTopic(5, 0x32)

  static func data(_ type: UInt8) -> TopStepTopic { TopStepTopic(5, type) }

  /// Sent while the band transfers records or measures by order. Such frames are queued for the function that requested
  /// them.
  var isStreamed: Bool {
    command == 5 && (1...7 ~= key || self == .syncEnd || self == .liveStopped || self == .liveValue)
  }

  /// Sent when the wearer or another host changed settings.
  var isChange: Bool { command == 2 && 0x19...0x23 ~= key }

  /// Topic as text: `3/09`
  var text: String {
    let digits = String(key, radix: 16, uppercase: true)
    return "\(command)/" + (digits.count < 2 ? "0" : "") + digits
  }
}
