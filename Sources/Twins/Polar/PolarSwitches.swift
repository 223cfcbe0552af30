// Settings that other devices make on a Polar wearable: radio switches, and automatic changes of the clock.

import Bluetooth
import EventLoop
import PolarMessages

extension VirtualPolar {
  /// Switches by the op code that sets them, with bits of the feature characteristic.
  enum RadioSwitch: UInt8, CaseIterable {
    case broadcast = 1
    case fiveKilohertz = 3
    case secondLink = 8
    case antPlus = 10

    var bit: UInt16 {
      switch self {
      case .broadcast: 1 << 0
      case .fiveKilohertz: 1 << 1
      case .secondLink: 1 << 7
      case .antPlus: 1 << 8
      }
    }
  }

  /// Handles a write of the feature configuration's control point.
  func configure(_ command: [UInt8]) {
    guard let operation = command.first else { return }
    func answer(_ status: UInt8, _ payload: [UInt8] = []) {
      notify(PolarUUID.pfcControl, [0xF0, operation, status] + payload)
    }
    let has = { (one: RadioSwitch) in self.traits.radioSwitches & one.bit != 0 }
    if let one = RadioSwitch(rawValue: operation), has(one) {
      guard command.count == 2, command[1] <= 1 else { return answer(3) }
      if traits.keepsRadio { return answer(5) }
      radio[operation] = command[1] == 1
      radioTurns.append((operation, command[1] == 1))
      answer(1)
    } else if let one = RadioSwitch(rawValue: operation &- 1), has(one) {
      answer(1, [radio[one.rawValue] == true ? 1 : 0])
    } else {
      answer(2)
    }
  }

  /// Restores the switches of a new device.
  public func forgetRadio() { radio = [RadioSwitch.broadcast.rawValue: traits.broadcastsHeartRate] }

  // MARK: Changes of the clock

  static let settingsPath = "/U/0/S/UDEVSET.BPB"

  /// Stores settings as left by another device: no data of the wearer.
  public func keepSettings(_ bytes: [UInt8]) {
    files.put(Self.settingsPath, bytes, isWhole: false)
    awaitChange()
  }

  /// Schedules the next change of the clock according to its settings.
  func awaitChange() {
    if let changeTimer { world.loop.cancel(changeTimer) }
    changeTimer = nil
    guard traits.changesClock, let bytes = files[Self.settingsPath]?.bytes,
      let settings = try? PbUserDeviceSettings(wire: bytes), settings.hasDaylightSaving,
      let time = Self.nanoseconds(settings.daylightSaving.nextDaylightSavingTime)
    else { return }
    // UTC by its own clock.
    let shift = Int64(settings.daylightSaving.offset)
    let utc = clock.now(at: world.loop.now) - Int64(clock.offset ?? 0) * 60_000_000_000
    guard time > utc else { return }
    changeTimer = world.loop.schedule(after: .nanoseconds(time - utc)) { [weak self] in
      guard let self else { return }
      let now = world.loop.now
      clock.set(clock.now(at: now) + shift * 1_000_000_000, offset: (clock.offset ?? 0) + Int32(shift / 60), at: now)
      streamClock = clock
      clockChanges += 1
    }
  }

  private static func nanoseconds(_ time: PbSystemDateTime) -> Int64? {
    PolarMoment.nanoseconds(
      Int(time.date.year), Int(time.date.month), Int(time.date.day), Int(time.time.hour), Int(time.time.minute),
      Int(time.time.seconds), Int(time.time.millis))
  }
}
