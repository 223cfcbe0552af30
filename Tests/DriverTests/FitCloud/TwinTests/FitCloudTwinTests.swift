import Bluetooth
import EventLoop
import Health
import Simulation
import Testing

@testable import BandTwin

/// The twin on the air, with a host of a few lines in place of a hub.
@Suite("The virtual FitCloud band on the air")
struct FitCloudTwinTests {
  @Test("is bound, set, and reports its battery, byte for byte")
  func bytes() throws {
    try VirtualLoop.run { loop in
      let (world, radio) = try await bandWorld(loop, 1)
      let band = world.addFitCloud { $0.band.batteryPerHour = 0 }
      let host = try await FitCloudHost.meet(band, radio)
      let bind = FitCloudWire.frame(FitCloudCommand(3, 0x11, FitCloudHost.user).payload, number: 1)
      try await host.write(bind)
      try await loop.sleep(for: .seconds(6))
      // Acknowledged at once, answered when the wearer has pressed.
      #expect(host.heard.first == hex("AB10000000000001") && band.owner != nil)
      #expect(host.commands() == [FitCloudCommand(3, 0x12, [0])])
      // Set time and ask for the battery in one frame.
      try await host.write(hex("AB00000C0DFE0009020001000468C2778F1B0000"))
      try await loop.sleep(for: .seconds(1))
      #expect(host.heard[2] == hex("AB10000000000009"))
      #expect(host.heard[3] == FitCloudWire.frame(hex("02001C00025000"), number: 2))
      #expect(abs(band.recorder.clock.seconds(at: loop.now) - WristDate(2026, 3, 1, 7, 30, 16).seconds) <= 1)
      #expect(band.ledger.faults.isEmpty && band.ledger.bindings == 1)
    }
  }

  @Test(
    "ignores a stranger, or refuses aloud, and lets its owner in again without a button",
    arguments: [false, true])
  func strangers(isAloud: Bool) throws {
    try VirtualLoop.run { loop in
      let (world, radio) = try await bandWorld(loop, 2)
      let band = world.addFitCloud { $0.refusesAloud = isAloud }
      let host = try await FitCloudHost.meet(band, radio)
      try await host.write(hex("AB000005C709000202001B0000"))
      try await loop.sleep(for: .seconds(1))
      #expect(host.heard == (isAloud ? [hex("AB30000000000002")] : []))
      #expect(band.ledger.faults == [.unauthorised])
      // No user is known yet.
      #expect(try await host.ask(3, 0x13, FitCloudHost.user) == [1])
      #expect(try await host.bind() == 0)
      host.close()
      try await loop.sleep(for: .seconds(5))
      let again = try await FitCloudHost.meet(band, radio)
      var other = FitCloudHost.user
      other[3] = 8
      #expect(try await again.ask(3, 0x13, other) == [1])
      #expect(try await again.bind(other) == 5)
      #expect(try await again.ask(3, 0x13, FitCloudHost.user, wait: .seconds(1)) == [0])
      #expect(try await again.ask(2, 0x1B)?.count == 2)
      #expect(try await again.ask(3, 0x15) == [0] && band.owner == nil)
      #expect(try await again.say(2, 0x1B).isEmpty)
    }
  }

  @Test("obeys a repeated frame once, and answers a wrong checksum with the error form")
  func repeated() throws {
    try VirtualLoop.run { loop in
      let (world, radio) = try await bandWorld(loop, 3)
      let band = world.addFitCloud()
      let host = try await FitCloudHost.meet(band, radio)
      #expect(try await host.bind() == 0)
      let before = host.heard.count
      for _ in 0..<2 {
        try await host.write(hex("AB000005C709000202001B0000"))
        try await loop.sleep(for: .seconds(1))
      }
      let said = host.heard.dropFirst(before)
      #expect(said.filter { $0 == hex("AB10000000000002") }.count == 2 && said.count == 3)
      try await host.write(hex("AB000005C70A000302001B0000"))
      try await loop.sleep(for: .seconds(1))
      #expect(host.heard.last == hex("AB30000000000003"))
    }
  }

  @Test("repeats what is not acknowledged after ten seconds, twice, and then leaves it")
  func patience() throws {
    try VirtualLoop.run { loop in
      let (world, radio) = try await bandWorld(loop, 4)
      let band = world.addFitCloud()
      let host = try await FitCloudHost.meet(band, radio)
      #expect(try await host.bind() == 0)
      host.acknowledges = false
      let before = host.heard.count
      let began = loop.now
      try await host.say(2, 0x1B, wait: .seconds(40))
      let battery = host.heard.dropFirst(before).filter { $0[1] == 0 }
      #expect(battery.count == 3 && Set(battery).count == 1 && band.repeats == 2)
      #expect(loop.now - began >= .seconds(40) && band.sending == nil)
      host.acknowledges = true
      // The number did not advance.
      try await host.say(2, 0x1B)
      #expect(host.heard.last?[7] == battery.first?[7])
    }
  }

  @Test("loses pieces that are longer than it takes, or come too soon, and hears them when they are sent again")
  func pieces() throws {
    try VirtualLoop.run { loop in
      let (world, radio) = try await bandWorld(loop, 5)
      let band = world.addFitCloud { traits in
        traits.band.takesBytes = 20
        (traits.band.pace, traits.band.statedPace) = (.milliseconds(200), .milliseconds(200))
      }
      let host = try await FitCloudHost.meet(band, radio)
      host.pieceBytes = 40
      #expect(try await host.bind() == nil && band.ledger.faults == [.pieceTooLong])
      host.pieceBytes = 20
      #expect(try await host.bind() == nil && band.ledger.faults.last == .pieceTooSoon)
      host.pace = .milliseconds(200)
      try await loop.sleep(for: .seconds(10))
      #expect(try await host.bind() == 0)
    }
  }

  @Test("asks its wearer, a person that may say no, or not be there")
  func wearer() throws {
    try VirtualLoop.run { loop in
      let (world, radio) = try await bandWorld(loop, 6)
      let band = world.addFitCloud { traits in
        traits.band.cancelsBindings = 1
        traits.band.ignoresBindings = 1
      }
      let host = try await FitCloudHost.meet(band, radio)
      #expect(try await host.bind() == 2)
      #expect(try await host.bind(wait: .seconds(29)) == nil && band.owner == nil)
      try await loop.sleep(for: .seconds(3))
      #expect(host.commands().last == FitCloudCommand(3, 0x12, [3]))
      #expect(try await host.bind() == 0)
      let low = world.addFitCloud { $0.band.battery = 5 }
      let other = try await FitCloudHost.meet(low, radio)
      #expect(try await other.bind() == 1)
    }
  }

  @Test("keeps the common schedule and those of each kind, and says when its wearer changed one")
  func schedules() throws {
    try VirtualLoop.run { loop in
      let (world, radio) = try await bandWorld(loop, 7)
      let band = world.addFitCloud()
      let host = try await FitCloudHost.meet(band, radio)
      #expect(try await host.bind() == 0)
      #expect(try await host.ask(2, 0x23) == hex("01 0000 05A0 000A"))
      #expect(try await host.say(2, 0x22, hex("01 01E0 0564 000F")).isEmpty)
      #expect(try await host.ask(2, 0x23) == hex("01 01E0 0564 000F"))
      #expect(band.recorder.schedules[.heartRate] == BandSchedule(start: 480, end: 1380, interval: 15))
      try await host.say(2, 0xCB, hex("02 00 0000 05A0 0005"))
      #expect(try await host.ask(2, 0xCC, [2]) == hex("02 00 0000 05A0 0005"))
      #expect(band.recorder.schedules[.spo2]?.isOn == false && band.recorder.schedules[.heartRate]?.isOn == true)
      let before = host.heard.count
      band.changeOnBand(BandSchedule(interval: 5))
      try await loop.sleep(for: .seconds(1))
      #expect(host.commands(from: before) == [FitCloudCommand(2, 0x51)])
      #expect(try await host.ask(2, 0x23) == hex("01 0000 05A0 0005"))
      try await host.say(2, 0x46, hex("01 78 01 A0"))
      #expect(try await host.ask(2, 0x47) == hex("01 78 01 A0"))
      band.isCharging = true
      try await loop.sleep(for: .seconds(1))
      #expect(
        host.commands().last?.items.first?.value == [79, 1] || host.commands().last?.items.first?.value == [80, 1])
    }
  }

  @Test("measures while a host watches, has no value at first, and reports values of pressure")
  func live() throws {
    try VirtualLoop.run { loop in
      let (world, radio) = try await bandWorld(loop, 8)
      let band = world.addFitCloud()
      let host = try await FitCloudHost.meet(band, radio)
      #expect(try await host.bind() == 0)
      let before = host.heard.count
      try await host.write(hex("AB000009024F0001050023000400010501"))
      try await loop.sleep(for: .seconds(90))
      let rates = host.commands(from: before).compactMap { $0.items.first?.value }
      #expect(rates.count == 12 && rates.first?.allSatisfy { $0 == 0 } == true)
      #expect(rates.dropFirst().allSatisfy { $0.count == 5 && $0[0] > 40 && $0[1...] == [0, 0, 0, 0] })
      #expect(band.ledger.live.map { UInt8($0.values[0]) } == rates.dropFirst().map { $0[0] } && band.live == nil)
      let second = host.heard.count
      try await host.say(5, 0x23, hex("0006 02 00"), wait: .seconds(20))
      let pressures = host.commands(from: second).compactMap { $0.items.first?.value }.dropFirst(4)
      #expect(!pressures.isEmpty && pressures.allSatisfy { $0[1] > 80 && $0[2] > 40 && $0[3] > $0[2] })
      try await host.say(5, 0x23, hex("0000 02 00"))
      #expect(band.live == nil)
    }
  }

  @Test("of the older generation wants 32 bytes, writes with an answer and its own keys")
  func old() throws {
    try VirtualLoop.run { loop in
      let (world, radio) = try await bandWorld(loop, 9)
      let band = world.addFitCloud { $0.becomeOld() }
      let host = try await FitCloudHost.meet(band, radio)
      host.pace = .milliseconds(60)
      host.isAnswered = true
      @LoopActor
      func say(_ command: UInt8, _ key: UInt8, _ value: [UInt8], _ number: UInt16) async throws -> FitCloudCommand? {
        let frame = FitCloudWire.frame(FitCloudCommand(command, key, value).payload, number: number)
        let before = host.heard.count
        try await host.write(frame)
        try await loop.sleep(for: .seconds(6))
        return host.commands(from: before).last
      }
      #expect(try await say(3, 0x01, [1, 2, 3, 4], 1) == FitCloudCommand(3, 0x02, [1]))
      let value = [4, 3, 2, 1] + [UInt8](repeating: 0, count: 25) + [1, 0, 0]
      #expect(try await say(3, 0x01, value, 2) == FitCloudCommand(3, 0x02, [0]))
      let battery = try await say(2, 0x14, [], 3)
      #expect(battery?.items.first?.key == 0x15)
      #expect(try await say(2, 0x11, [], 4)?.items.first?.value.count == 32)
      // How it measures by itself is a part of all its settings.
      let settings = try await say(2, 0x1E, [], 5)?.items.first
      #expect(settings?.key == 0x1F && settings?.value.count == 53)
      #expect(settings?.value.dropFirst(40).prefix(5).elementsEqual([1, 0, 0, 5, 160]) == true)
      _ = try await say(2, 0x1C, [1, 1, 224, 4, 176], 6)
      let changed = try await say(2, 0x1E, [], 7)?.items.first?.value
      #expect(changed?.dropFirst(40).prefix(5).elementsEqual([1, 1, 224, 4, 176]) == true)
      try await host.write(FitCloudWire.frame(hex("050006000400010503"), number: 8))
      try await loop.sleep(for: .seconds(20))
      let lively = host.commands().last?.items.first
      #expect(lively?.key == 0x15 && lively?.value.count == 7 && lively?.value.suffix(5).first ?? 0 > 40)
      #expect(band.ledger.faults.isEmpty)
    }
  }

  @Test("sleeps through the first frame of a link, if it is one that does")
  func firstFrame() throws {
    try VirtualLoop.run { loop in
      let (world, radio) = try await bandWorld(loop, 10)
      let band = world.addFitCloud { $0.band.turnOn(.ignoresFirstFrame, seed: 1) }
      for _ in 0..<2 {
        let host = try await FitCloudHost.meet(band, radio)
        #expect(try await host.say(3, 0x13, FitCloudHost.user).isEmpty && host.heard.isEmpty)
        #expect(try await host.ask(3, 0x13, FitCloudHost.user) == [1])
        host.close()
        try await loop.sleep(for: .seconds(5))
      }
    }
  }

  @Test("writes down what no host may do")
  func faults() throws {
    try VirtualLoop.run { loop in
      let (world, radio) = try await bandWorld(loop, 11)
      let band = world.addFitCloud { $0.frameBytes = 20 }
      let host = try await FitCloudHost.meet(band, radio)
      #expect(try await host.bind() == 0)
      try await loop.sleep(for: .seconds(43_200))
      // A second kind while the first is under way, and a verdict of what was not sent.
      try await host.say(5, 0x01, [3], wait: .milliseconds(50))
      try await host.say(5, 0x20, [0], wait: .milliseconds(50))
      try await host.say(5, 0x01, [4], wait: .seconds(20))
      #expect(band.ledger.faults == [.confirmedUnsent, .askedDuringSync] && band.ledger.confirmed.isEmpty)
      #expect(band.ledger.deliveries.map(\.fate) == [.lost, .delivered])
      try await host.say(6, 0x01)
      #expect(band.ledger.faults.last == .dangerous(0x0601))
      try await host.write([0xAB, 0x10, 0, 0, 0, 0, 0x77, 0x77])
      try await loop.sleep(for: .seconds(1))
      #expect(band.ledger.faults.last == .acknowledgedNothing)
    }
  }

  @Test("meets with accidents by itself, each behind its switch")
  func accidents() throws {
    try VirtualLoop.run { loop in
      let (world, radio) = try await bandWorld(loop, 12)
      let quirks: [BandQuirk] = [.isReset, .isBoundByPhone, .losesTime, .drifts, .isFromElsewhere]
      let bands = quirks.map { quirk in world.addFitCloud { $0.band.turnOn(quirk, seed: 9) } }
      for band in bands {
        let host = try await FitCloudHost.meet(band, radio)
        #expect(try await host.bind() == 0)
        if band.traits.quirks != [.isFromElsewhere] {
          let local = loop.wall.microseconds / 1_000_000 + 3600
          try await host.say(2, 0x01, FitCloudWire.time(local))
        }
        host.close()
        try await loop.sleep(for: .seconds(5))
      }
      try await loop.sleep(for: .seconds(2 * 86_400))
      let local = loop.wall.microseconds / 1_000_000 + 3600
      let errors = bands.map { abs($0.recorder.clock.seconds(at: loop.now) - local) }
      #expect(bands[0].owner == nil && bands[1].owner != FitCloudHost.user.dropLast(4) && errors[1] <= 1)
      #expect(errors[2] > 86_400 && !bands[2].recorder.clock.isSet && bands[2].owner != nil)
      #expect((3...25).contains(errors[3]) && errors[4] > 1000)
      #expect(bands.allSatisfy { $0.ledger.faults.isEmpty })
    }
  }
}
