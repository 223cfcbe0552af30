import Bluetooth
import EventLoop
import Health
import HubLane
import HubModel
import Reasons
import Testing
import Wearable

@testable import Hub

@Suite("What wearables advertise that they measure")
struct HearingTests {
  private let driver: RecorderDriver = {
    var driver = RecorderDriver()
    (driver.advertises, driver.isKnownToAdvertise) = (true, true)
    return driver
  }()

  /// Advertises a heart rate with its counter; `number` is that of the recorder.
  @LoopActor private func advertise(_ house: LaneHouse, _ counter: UInt8, _ rate: UInt8, number: UInt64 = 0) {
    let address = BluetoothAddress(value: 0xC0_0000_0000_00 | number, kind: .leRandom)
    // A list of 16-bit services, and manufacturer data.
    let data: [UInt8] = [3, 3, 0xF0, 0xFF, 5, 0xFF, 0xFF, 0xFF, counter, rate]
    house.radio.onAdvertisement?(
      Advertisement(address: address, rssi: -50, isConnectable: true, data: data, time: house.loop.now))
  }

  /// The first visit is over, and the link with it, and whatever a hub before this one heard is told no longer.
  @LoopActor private func visited(_ house: LaneHouse) async throws {
    house.start()
    try await house.wait { try house.visits().count { $0.ended != nil } == 1 }
    try await house.pass(AdvertisedValues.sameMeasurement)
    #expect(house.hearth.registry.all[0].link == nil)
  }

  @LoopActor private func kept(_ house: LaneHouse) async throws -> [(time: Int64, value: Int64)] {
    try await house.store.flush()
    return try await house.values()
  }

  @LoopActor private func count(_ house: LaneHouse, _ name: String) throws -> UInt64? {
    try house.hearth.wearable(named: "recorder-0").counters.first { $0.name == name }?.value
  }

  @Test("it is kept once, with the time at which it was heard, and shown")
  func kept() throws {
    try inHouse(driver) { house, _ in
      try await visited(house)
      var seen: [Int64] = []
      let token = try house.hearth.subscribeLive("recorder-0") { seen.append($0.sample.value) }
      var expected: [(time: Int64, value: Int64)] = []
      for beat in 0..<20 as Range<UInt8> {
        expected.append((house.loop.wall.microseconds, Int64(60 + beat)))
        // Each is heard five times.
        for _ in 0..<5 {
          advertise(house, beat, 60 + beat)
          try await house.pass(.milliseconds(200))
        }
      }
      #expect(try await kept(house).map { [$0.time, $0.value] } == expected.map { [$0.time, $0.value] })
      #expect(seen == expected.map(\.value))
      let origins = try await house.samples(.heartRate).map(\.origin)
      #expect(origins.allSatisfy { $0 == .advertised } && origins.count == 20)
      #expect(house.hearth.registry.all[0].live.heartRate == nil, "what it advertises is nothing that came over a link")
      house.hearth.unsubscribeLive(token)
      let shown = try house.hearth.wearable(named: "recorder-0")
      #expect(
        shown.state == .heard && shown.heartRate == nil && shown.advertisedHeartRate?.bpm == 79 && shown.listens == true
      )
      #expect(try count(house, "advertised") == 20)
      try await house.pass(AdvertisedValues.recent + .milliseconds(10))
      #expect(try house.hearth.wearable(named: "recorder-0").state == .due)
    }
  }

  @Test("advertisements count only for one that has shown over a link that it is of a family that advertises so")
  func plain() throws {
    var driver = driver
    driver.isKnownToAdvertise = false
    try inHouse(driver) { house, _ in
      house.radio.isQuiet = true
      house.start()
      try await house.pass(.seconds(5))
      for beat in 0..<10 as Range<UInt8> { advertise(house, beat, 70) }
      #expect(try await kept(house).isEmpty)
      #expect(try house.hearth.wearable(named: "recorder-0").listens == nil)
      house.radio.isQuiet = false
      try await house.wait { try house.visits().count { $0.ended != nil } == 1 }
      try await house.pass(AdvertisedValues.sameMeasurement)
      advertise(house, 20, 71)
      #expect(try await kept(house).map(\.value) == [71])
      try house.killAndRestart()
      try await house.pass(.seconds(5))
      advertise(house, 21, 72)
      #expect(try await kept(house).map(\.value) == [71, 72], "what it has shown is kept")
    }
  }

  @Test("impossible values are counted, and not kept")
  func impossible() throws {
    try inHouse(driver) { house, _ in
      try await visited(house)
      for (beat, rate) in [(1, 0), (2, 19), (3, 20), (4, 255)] as [(UInt8, UInt8)] {
        advertise(house, beat, rate)
        try await house.pass(.seconds(1))
      }
      #expect(try await kept(house).map(\.value) == [20, 255])
      #expect(try count(house, "impossible") == 2)
      #expect(try count(house, "advertised") == 2)
    }
  }

  @Test("while it has a link it is that what counts")
  func linked() throws {
    var driver = driver
    driver.attention = .seconds(3600)
    try inHouse(driver) { house, _ in
      house.start()
      try await house.wait { try house.visits().count { $0.ended != nil } == 1 }
      #expect(house.hearth.registry.all[0].link != nil)
      for beat in 0..<10 as Range<UInt8> { advertise(house, beat, 70) }
      #expect(try await kept(house).isEmpty)
    }
  }

  @Test(
    """
    what is heard first within two seconds of the hub's start may be what another hub heard last: it is left out, and \
    later values are not
    """
  )
  func afterStart() throws {
    try inHouse(driver) { house, _ in
      house.radio.isQuiet = true
      house.start()
      for beat in 0..<3 as Range<UInt8> {
        advertise(house, beat, 60 + beat)
        try await house.pass(.milliseconds(900))
      }
      #expect(try await kept(house).map(\.value) == [61, 62])
    }
  }

  @Test("an operator's choice goes before the configuration, and outlives a restart", arguments: [true, false])
  func choice(isConfigured: Bool) throws {
    try inHouse(driver, prepare: { $0.keepsAdvertisedValues = isConfigured }) { house, _ in
      try await visited(house)
      advertise(house, 1, 61)
      var shown = try await house.hearth.setListening("recorder-0", !isConfigured)
      #expect(shown.listens == !isConfigured && shown.listeningChoice == !isConfigured)
      advertise(house, 2, 62)
      #expect(try await kept(house).map(\.value) == [isConfigured ? 61 : 62])
      try house.killAndRestart()
      try await house.pass(.seconds(5))
      advertise(house, 3, 63)
      #expect(try await kept(house).map(\.value) == (isConfigured ? [61] : [62, 63]))
      shown = try await house.hearth.setListening("recorder-0", nil)
      #expect(shown.listens == isConfigured && shown.listeningChoice == nil)
      advertise(house, 4, 64)
      #expect(try await kept(house).map(\.value) == (isConfigured ? [61, 64] : [62, 63]))
    }
  }

  @Test("a changed configuration holds from the next advertisement on")
  func reloaded() throws {
    try inHouse(driver) { house, _ in
      try await visited(house)
      var options = house.options
      options.keepsAdvertisedValues = false
      house.hearth.apply(options)
      advertise(house, 1, 61)
      house.hearth.apply(house.options)
      advertise(house, 2, 62)
      #expect(try await kept(house).map(\.value) == [62])
    }
  }

  @Test("new values with every advertisement cost the store two values a second, and cost other wearables no turn")
  func flood() throws {
    try inHouse(driver, recorders: 2) { house, _ in
      try await visited(house)
      try await house.wait { try house.visits(1).count { $0.ended != nil } == 1 }
      try await house.pass(.seconds(1))
      for tick in 0..<6000 {
        advertise(house, UInt8(tick % 256), 99)
        if tick % 100 == 0 { advertise(house, UInt8(tick / 100), 70, number: 1) }
        try await house.pass(.milliseconds(10))
      }
      let all = try await kept(house)
      // Ten seconds' worth at once, then the steady rate, for a minute.
      let bound = AdvertisedValues.valuesPerSecond * 70
      #expect((bound - 5...bound).contains(all.count { $0.value == 99 }))
      #expect(all.count { $0.value == 70 } == 60)
      #expect(try count(house, "too_many").map { Int($0) } == 6000 - all.count { $0.value == 99 })
    }
  }

  @Test("only enrolled wearables of families that advertise values are listened to")
  func strangers() throws {
    try inHouse(driver) { house, _ in
      try await visited(house)
      for beat in 0..<10 as Range<UInt8> { advertise(house, beat, 70, number: 7) }
      #expect(try await kept(house).isEmpty)
    }
    try inHouse { house, _ in
      try await visited(house)
      for beat in 0..<10 as Range<UInt8> { advertise(house, beat, 70) }
      #expect(try await kept(house).isEmpty)
      #expect(try house.hearth.wearable(named: "recorder-0").listens == nil)
    }
  }

  @Test("one that waits for a slot is not looked at with each advertisement, and still has the slot within two seconds")
  func full() throws {
    try inHouse(driver, recorders: 3) { house, _ in
      house.radio.foreignLinks = house.radio.slots
      house.start()
      try await house.pass(.seconds(60))
      let waiting = house.hearth.registry.all.map(\.lane)
      #expect(waiting.allSatisfy { $0.quietUntil.map { $0 > house.loop.now } ?? false } && house.radio.connects == 0)
      house.radio.foreignLinks -= 1
      try await house.pass(SlotDecision.rest + .milliseconds(500))
      #expect(house.radio.connects >= 1)
      try await house.wait(.seconds(60)) { house.hearth.registry.all.allSatisfy { $0.lane.visitedAt != nil } }
    }
  }

  @Test("a non-connectable advertisement brings no wearable nearer to its turn, and a connectable one does at once")
  func unreachable() throws {
    try inHouse(driver) { house, _ in
      house.radio.isQuiet = true
      house.start()
      @LoopActor func tell(connectable: Bool) {
        let address = BluetoothAddress(value: 0xC0_0000_0000_00, kind: .leRandom)
        house.radio.onAdvertisement?(
          Advertisement(
            address: address, rssi: -50, isConnectable: connectable, data: [3, 3, 0xF0, 0xFF], time: house.loop.now))
      }
      for _ in 0..<10 {
        tell(connectable: false)
        try await house.pass(.seconds(1))
      }
      let since = house.hearth.registry.all[0].lane.dueSince
      #expect(since != nil && house.radio.connects == 0)
      tell(connectable: true)
      try await house.pass(.milliseconds(10))
      #expect(house.radio.connects == 1, "who was heard a moment ago is connected")
    }
  }
}
