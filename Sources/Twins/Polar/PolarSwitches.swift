// What others set of a Polar wearable: the switches of its radio, and when its clock changes by itself.

import Bluetooth
import EventLoop
import PolarMessages

extension VirtualPolar {
  /// By the op code that sets it, bits of the feature characteristic beside.
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

  /// One write of the control point of the feature configuration.
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

  /// What others turned is as it was made.
  public func forgetRadio() { radio = [RadioSwitch.broadcast.rawValue: traits.broadcastsHeartRate] }

  // MARK: Clocks that change

  static let settingsPath = "/U/0/S/UDEVSET.BPB"

  /// Its settings as somebody left them: no data of the wearer.
  public func keepSettings(_ bytes: [UInt8]) {
    files.put(Self.settingsPath, bytes, isWhole: false)
    awaitChange()
  }

  /// What its settings say of the next change of the clocks.
  func awaitChange() {
    if let changeTimer { world.loop.cancel(changeTimer) }
    changeTimer = nil
    guard traits.changesClock, let bytes = files[Self.settingsPath]?.bytes,
      let settings = try? PbUserDeviceSettings(wire: bytes), settings.hasDaylightSaving,
      let time = Self.nanoseconds(settings.daylightSaving.nextDaylightSavingTime)
    else { return }
    // In UTC, of its own idea of it.
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
