// Heart rate of a simulated Polar wearable: measured once a second, notified, and broadcast in advertisements.

import Bluetooth
public import EventLoop
import Simulation

/// Heart rate that reached the hub.
public struct PolarBeat: Sendable {
  /// Time at which it arrived.
  public let at: Instant
  /// The hub's clock at that moment.
  public let wall: WallTime
  /// bpm.
  public let rate: UInt8
  /// 1/1024 s; 0: not reported.
  public let interval: UInt16
  /// Second of the world's clock in which it was measured; advertisements report the same measurement.
  public let second: Int
}

extension VirtualPolar {
  /// Four bytes of heart rate if it broadcasts, with a new counter for each second.
  var manufacturerData: [UInt8] {
    guard radio[RadioSwitch.broadcast.rawValue] == true, traits.isWorn else {
      return [0x07, 0xFF, 0x6B, 0x00, 0x72, 0x02, 0x08, 0x97]
    }
    if second != advertisedBeat {
      advertisedBeat = second
      advertisedCounter = (advertisedCounter + 1) & 7
    }
    let rate = measured(in: second)
    return [0x07, 0xFF, 0x6B, 0x00, 0x22 | advertisedCounter << 2 | (batteryLevel < 15 ? 1 : 0), 0x0B, rate, rate]
  }

  var second: Int { Int(world.loop.now.nanoseconds / 1_000_000_000) }

  /// Heart rate in a second of the world's clock, whichever way it is reported.
  public func measured(in second: Int) -> UInt8 { UInt8(truncatingIfNeeded: heart.sample(second)[0]) }

  func startHeart() {
    if heartTimer != nil { return }
    scheduleBeat()
  }

  func stopHeart() {
    if let heartTimer { world.loop.cancel(heartTimer) }
    heartTimer = nil
  }

  func scheduleBeat() {
    // While they stream intervals, some models send a heart rate only every five seconds.
    let pause: Duration = traits.model != .h10 && streams[.ppi] != nil ? .seconds(5) : .seconds(1)
    heartTimer = world.loop.schedule(after: pause) { [weak self] in
      guard let self else { return }
      let rate = measured(in: second)
      // The H10 reports contact and intervals.
      let interval = UInt16(60_000 / Int(max(30, rate)) * 1024 / 1000)
      var value: [UInt8] = traits.model == .h10 ? [traits.isWorn ? 0x16 : 0x04, rate] : [0x00, rate]
      if traits.model == .h10, traits.isWorn { value.append(littleEndian: interval) }
      if !isSDKMode { tellBeat(value, rate: rate, interval: value.count > 2 ? interval : 0, second: second) }
      scheduleBeat()
    }
  }

  func tellBeat(_ value: [UInt8], rate: UInt8, interval: UInt16, second: Int) {
    guard let link, link.isOpen, let handle = server.valueHandle(of: 0x2A37), server.subscription(at: handle) & 1 != 0
    else { return }
    link.carry(
      server.notification(at: handle, value: value),
      .piece(nextPiece(.beat(rate: rate, interval: interval, second: second))), direct: true)
  }

  /// Takes it off. An H10 off the body disconnects after 45 s.
  public func takeOff() {
    guard traits.model == .h10 else { return }
    offBody = world.loop.schedule(after: .seconds(45)) { [weak self] in
      guard let self else { return }
      offBody = nil
      link?.peripheralHangsUp()
    }
  }
}
