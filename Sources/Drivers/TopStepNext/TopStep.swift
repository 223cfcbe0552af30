// Numbers of TopStep's new platform: commands, keys, times. Where they are from stands in NOTES.md.

import EventLoop
import Health

/// Names of the wire.
enum TopStep {
  /// Begins every frame, as it does FitCloud's.
  static let magic: UInt8 = 0xAB
  /// Groups of commands: 1 update, 2 settings, 3 environment, 4 notification, 5 sync, 6 files. The hub uses 2, 3 and 5.
  static let commands: ClosedRange<UInt8> = 1...6

  /// s from 1970 to 2000-01-01 00:00 UTC, from which the platform counts.
  static let epoch: Int64 = 946_684_800
  /// s since 2000 that a band can mean: until 2136, as in 32 bits.
  static let times: Range<Int64> = 1..<(1 << 32)

  /// s since 2000.
  static func seconds(_ microseconds: Int64) -> Int64 { floored(microseconds, 1_000_000) - epoch }

  /// µs since 1970 of a time within `times`; nil for any other, 0 among them, which is none.
  static func microseconds(_ seconds: Int64) -> Int64? {
    times.contains(seconds) ? (seconds + epoch) * 1_000_000 : nil
  }

  /// Rounded towards the past.
  static func floored(_ value: Int64, _ divisor: Int64) -> Int64 {
    value / divisor - (value % divisor < 0 ? 1 : 0)
  }
}

/// What a frame is about: command and key.
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

  // Sync. Keys 1 to 7 are data, of the type of that number.
  static let syncStart = TopStepTopic(5, 0x21)
  static let syncEnd = TopStepTopic(5, 0x22)
  static let liveControl = TopStepTopic(5, 0x30)
  static let liveStopped = TopStepTopic(5, 0x31)
  static let liveValue = TopStepTopic(5, 0x32)

  static func data(_ type: UInt8) -> TopStepTopic { TopStepTopic(5, type) }

  /// Told while the band hands over what it recorded, or measures by order: whoever asked for that waits for it.
  var isStreamed: Bool {
    command == 5 && (1...7 ~= key || self == .syncEnd || self == .liveStopped || self == .liveValue)
  }

  /// Somebody changed settings at the band, or another host did.
  var isChange: Bool { command == 2 && 0x19...0x23 ~= key }

  /// `3/09`
  var text: String {
    let digits = String(key, radix: 16, uppercase: true)
    return "\(command)/" + (digits.count < 2 ? "0" : "") + digits
  }
}
