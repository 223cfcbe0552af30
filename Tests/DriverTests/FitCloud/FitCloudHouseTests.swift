// A band under the whole hub: visited over a simulated radio, its history stored and told complete.

import Bands
import EventLoop
import Simulation
import Testing
import Wearable

@testable import Bluetooth
@testable import CivilTime
@testable import FitCloudFamily
@testable import Health

/// A pocket band on the air.
final class HouseBand: VirtualPeripheral {
  let band = PocketBand()
  private var server: GATTServer
  private(set) var links = 0

  init(_ world: VirtualWorld, address: BluetoothAddress, random: SeededRandom) {
    server = GATTServer(
      [
        GATTServiceDefinition(
          .genericAccess, [GATTCharacteristicDefinition(.deviceName, .read, value: Array("Band".utf8))]),
        GATTServiceDefinition(
          Band.service,
          [
            GATTCharacteristicDefinition(Band.command, [.write, .writeWithoutResponse], value: []),
            GATTCharacteristicDefinition(Band.answer, .notify),
          ]),
      ], ownMTU: 64)
    super.init(world, address: address, advertisingInterval: .milliseconds(250), rssi: -60, random: random)
    band.carry = { [weak self] in self?.notify($0) }
  }

  override var label: String { "band" }
  override var mustBeServed: Bool { false }

  /// Flags; company 5448 with six bytes; the name.
  override var advertisingData: [UInt8] {
    [2, 1, 6, 9, 0xFF, 0x48, 0x54, 1, 2, 3, 4, 5, 6, 5, 9] + Array("Band".utf8)
  }

  override func linkOpened(_ link: VirtualLink) { links += 1 }
  override func linkClosed() {
    server.reset()
    band.forgetLink()
  }

  override func received(_ pdu: RawBytes, on link: VirtualLink) {
    if let response = server.respond(to: pdu) { link.carry(response, .protocolData) }
    for write in server.takeWrites()
    where write.characteristic == Band.command && write.attribute != .clientCharacteristicConfiguration {
      band.hear(write.value)
    }
  }

  private func notify(_ piece: [UInt8]) {
    guard let link, link.isOpen, let pdu = server.notification(for: Band.answer, value: piece) else { return }
    link.carry(pdu, .protocolData)
  }
}

@Suite("A FitCloud band under the whole hub", .serialized)
struct FitCloudHouseTests {
  @Test("is bound, set, fetched, and gets the verdict that its history is complete, without duplicates")
  func whole() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 77, faults: FaultPlan())
      let device = world.add { HouseBand($0, address: $1, random: $2) }
      let values = (0..<200).map { UInt8(60 + $0 % 30) }
      device.band.histories[3] = PocketBand.record("2026-11-20T00:00:00", interval: 5, values)
      device.band.histories[2] = PocketBand.record("2026-11-20T01:00:00", interval: 30, [2, 1, 4, 3])
      device.band.histories[1] = PocketBand.record("2026-11-20T09:00:00", interval: 60, [1, 44, 0, 10], size: 2)
      let hub = SimulatedHub(world, drivers: [FitCloudDriver()])
      try await hub.start(enrolling: [("band", device, Band.fitCloudDriver, Band.kind)])
      try await loop.sleep(for: .seconds(1800))
      // What it measured meanwhile.
      device.band.histories[131] = PocketBand.record("2026-11-21T10:00:00", interval: 1, [99])
      try await loop.sleep(for: .seconds(6 * 3600))
      await hub.stop()
      var counts: [String: Int] = [:]
      for sample in try await hub.storedSamples() { counts[sample.series.name, default: 0] += 1 }
      #expect(counts["heart_rate"] == 201 && counts["sleep_stage"] == 4 && counts["steps"] == 2)
      #expect(device.band.histories.isEmpty && device.band.verdicts.allSatisfy { $0 == 0 })
      #expect(device.band.asked.count { $0.id == FitCloudQuestion.bind(.new).ask } == 1)
      #expect(device.band.clock != nil && device.band.refused.isEmpty)
    }
  }

  /// Ahead of Greenwich's, and of a hub's in Greenwich.
  private static let zone = TimeZoneRules(name: "+01", changes: [], offsets: [], firstOffset: 3600, rule: nil)

  @Test(
    "loses no value and stores each once, whatever the radio, the power and lost verdicts do",
    arguments: (0..<6).map { _ in UInt64.random(in: 0 ... .max) })
  func faults(_ seed: UInt64) throws {
    try VirtualLoop.run { loop in
      var generator = SeededRandom(seed: seed)
      var plan = FaultPlan.gym
      plan.lostNotification = 0.01
      let world = VirtualWorld(loop: loop, seed: seed, faults: plan)
      let device = world.add { HouseBand($0, address: $1, random: $2) }
      var options = SimulatedHubOptions()
      options.hub.timeZone = Self.zone
      let hub = SimulatedHub(world, drivers: [FitCloudDriver()], options: options)
      try await hub.start(enrolling: [("band", device, Band.fitCloudDriver, Band.kind)])
      /// By the hub's own time, µs, of every minute that was recorded.
      var truth: [Int64: Int64] = [:]
      for _ in 0..<24 {
        try await loop.sleep(for: .seconds(Int64(generator.integer(in: 300...1200))))
        // Half an hour of a clock on the wall, by the minute, ending now.
        let minute = loop.wall.microseconds / 60_000_000
        let values = (1...20).map { UInt8(50 + Int(minute + $0) % 100) }
        let first = minute - 20
        if truth.keys.contains(where: { $0 >= first * 60_000_000 }) { continue }
        for (place, value) in values.enumerated() { truth[(first + Int64(place)) * 60_000_000] = Int64(value) }
        device.band.histories[3, default: []] += PocketBand.record(at: first * 60_000_000 + 3_600_000_000, values)
        if generator.chance(0.3) {
          await hub.kill()
          try await loop.sleep(for: .seconds(20))
          try await hub.start()
        }
      }
      await hub.stop()
      let stored = try await hub.storedSamples().filter { $0.series == .heartRate }
      let times = stored.map(\.time.microseconds)
      #expect(Set(times).count == times.count, "seed \(seed)")
      for sample in stored { #expect(truth[sample.time.microseconds] == sample.value, "seed \(seed)") }
      // What is not in the store is on the band.
      let left = device.band.histories[3]?.count ?? 0
      #expect(truth.count - stored.count <= left, "seed \(seed)")
      #expect(stored.count > truth.count / 2, "seed \(seed): \(stored.count) of \(truth.count)")
    }
  }
}

extension PocketBand {
  /// A value a minute from a moment of the wall clock on.
  static func record(at local: Int64, _ values: [UInt8]) -> [UInt8] {
    let word = FitCloudTime.word(local) ?? 0
    let date = UInt16(word >> 26 & 63) << 9 | UInt16(word >> 22 & 15) << 5 | UInt16(word >> 17 & 31)
    let minute = UInt16(word >> 12 & 31) * 60 + UInt16(word >> 6 & 63)
    return [UInt16(values.count), date, minute, 1].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } + values
  }
}
