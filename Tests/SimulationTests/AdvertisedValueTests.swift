import Bluetooth
import EventLoop
import Health
import Hub
import PolarTwin
import RingStore
import Simulation
import Testing

/// What an ear beside the hub's notes of one wearable: measurements told while it had no link.
private struct Told {
  var samples: [(time: WallTime, rate: Int64)] = []
  private var counter: UInt8?
  private var heardAt: Instant?

  /// Manufacturer data of company 0x006B with a heart rate of four bytes, as `VirtualPolar` has it.
  mutating func hear(_ advertisement: Advertisement, at time: WallTime, isLinked: Bool) {
    defer { if !isLinked { heardAt = advertisement.time } }
    guard !isLinked, let start = advertisement.data.firstRange(of: [0x07, 0xFF, 0x6B, 0x00])?.upperBound, start + 4 <= advertisement.data.count,
      advertisement.data[start] & 0x40 == 0
    else { return }
    let now = advertisement.data[start] >> 2 & 7
    // A counter of eight has gone round after so long.
    let isLate = heardAt.map { advertisement.time - $0 >= .seconds(7) } ?? true
    if isLate || now != counter { samples.append((time, Int64(advertisement.data[start + 3]))) }
    counter = now
  }
}

@Suite("Heart rates that are advertised, and the whole hub")
struct AdvertisedValueTests {
  @Test("of straps that wait for one of few slots every measurement that was heard is stored once, beside what comes over their links", arguments: [81, 82, 83] as [UInt64])
  func waiting(_ seed: UInt64) throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? seed)
      let straps = (0..<4).map { _ in world.add { VirtualPolar($0, address: $1, random: $2, traits: PolarTraits(.h10)) } }
      var options = SimulatedHubOptions()
      options.radio.slots = 2
      let hub = SimulatedHub(world, options: options)
      try await hub.start(enrolling: straps.enumerated().map { ("strap-\($0.offset)", $0.element, "heart-rate", "HR strap") })
      var told: [BluetoothAddress: Told] = [:]
      let hubHears = hub.radio.onAdvertisement
      hub.radio.onAdvertisement = { advertisement in
        if let strap = try? hub.hearth.wearable(named: advertisement.address.description) {
          told[advertisement.address, default: Told()].hear(advertisement, at: loop.wall, isLinked: strap.linkedSince != nil)
        }
        hubHears?(advertisement)
      }
      var wasShown = false
      var chance = SeededRandom(seed: world.seed)
      for _ in 0..<180 {
        try await loop.sleep(for: .seconds(10))
        wasShown = wasShown || hub.hearth.wearables().contains { $0.state == .heard && $0.heartRate != nil }
        // One after the other goes out for a while.
        if chance.chance(0.05), let strap = straps.randomElement(using: &chance) {
          strap.leave()
          try await loop.sleep(for: .seconds(20))
          strap.arrive()
        }
      }
      #expect(wasShown)
      let counted = hub.hearth.wearables().map { wearable in wearable.counters.first { $0.name == "advertised" }?.value ?? 0 }
      await hub.stop()
      let stored = try await hub.storedSamples().filter { $0.series == .heartRate }
      #expect(Int(counted.reduce(0, +)) == told.values.reduce(0) { $0 + $1.samples.count })
      let addresses = hub.addresses()
      for strap in straps {
        let heard = try #require(told[strap.address]?.samples)
        #expect(heard.count > 100, "\(strap.address) told \(heard.count)")
        let mine = stored.filter { addresses[$0.wearable] == strap.address }
        for sample in heard {
          // The store keeps milliseconds.
          let count = mine.count { abs($0.time.microseconds - sample.time.microseconds) <= 1000 && $0.value == sample.rate }
          #expect(count == 1, "\(sample) is stored \(count) times")
        }
        let times = mine.map(\.time)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
      }
      #expect(hub.watch.violations.isEmpty, "\(hub.watch.violations.joined(separator: "\n"))")
    }
  }
}
