import Bluetooth
import EventLoop
import Health
import Hub
import PolarTwin
import RingStore
import Simulation
import StrapTwin
import Testing

/// What an ear beside the hub's notes of one wearable: measurements told while it had no link.
private struct Told {
  var samples: [(time: WallTime, rate: Int64)] = []
  private var counter: UInt8?
  private var heardAt: Instant?
  private var links = 0
  private var isFirst = true

  /// Manufacturer data of company 0x006B with a heart rate of four bytes, as `VirtualPolar` has it. The first value
  /// after a link counts as the last measurement of that link if it comes less than two seconds later. The same holds
  /// for the first value after the hub's start, if another hub may have stored it.
  @LoopActor mutating func hear(
    _ advertisement: Advertisement, at time: WallTime, isLinked: Bool, of strap: VirtualPolar, hubBegan: Instant
  ) {
    if strap.links != links { (links, isFirst) = (strap.links, true) }
    defer { if !isLinked { heardAt = advertisement.time } }
    guard !isLinked, let start = advertisement.data.firstRange(of: [0x07, 0xFF, 0x6B, 0x00])?.upperBound,
      start + 4 <= advertisement.data.count,
      advertisement.data[start] & 0x40 == 0
    else { return }
    let now = advertisement.data[start] >> 2 & 7
    // A counter of eight has gone round after so long.
    let isLate = heardAt.map { advertisement.time - $0 >= .seconds(7) } ?? true
    if isLate || now != counter {
      let known = [hubBegan, strap.beats.last?.at].compactMap { $0 }.max() ?? hubBegan
      if !isFirst || advertisement.time >= known + .seconds(2) {
        samples.append((time, Int64(advertisement.data[start + 3])))
      }
      isFirst = false
    }
    counter = now
  }
}

@Suite("Heart rates that are advertised, and the whole hub")
struct AdvertisedValueTests {
  @Test(
    """
    of straps that wait for one of few slots every measurement that was heard is stored once, beside what comes over \
    their links
    """,
    arguments: [81, 82, 83] as [UInt64])
  func waiting(_ seed: UInt64) throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? seed)
      let straps = (0..<4).map { _ in world.add { VirtualPolar($0, address: $1, random: $2, traits: PolarTraits(.h10)) }
      }
      var options = SimulatedHubOptions()
      options.radio.slots = 2
      let hub = SimulatedHub(world, options: options)
      try await hub.start(
        enrolling: straps.enumerated().map { ("strap-\($0.offset)", $0.element, "heart-rate", "HR strap") })
      let began = loop.now
      var told: [BluetoothAddress: Told] = [:]
      let hubHears = hub.radio.onAdvertisement
      hub.radio.onAdvertisement = { advertisement in
        if let known = try? hub.hearth.wearable(named: advertisement.address.description),
          let strap = straps.first(where: { $0.address == known.address }), known.listens == true
        {
          told[advertisement.address, default: Told()].hear(
            advertisement, at: loop.wall, isLinked: known.linkedSince != nil, of: strap, hubBegan: began)
        }
        hubHears?(advertisement)
      }
      var wasShown = false
      var chance = SeededRandom(seed: world.seed)
      for _ in 0..<180 {
        try await loop.sleep(for: .seconds(10))
        wasShown = wasShown || hub.hearth.wearables().contains { $0.state == .heard && $0.advertisedHeartRate != nil }
        // Straps go out of range for a while, one after another.
        if chance.chance(0.05), let strap = straps.randomElement(using: &chance) {
          strap.leave()
          try await loop.sleep(for: .seconds(20))
          strap.arrive()
        }
      }
      #expect(wasShown)
      let counted = hub.hearth.wearables().map { wearable in
        wearable.counters.first { $0.name == "advertised" }?.value ?? 0
      }
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
          let count = mine.count {
            abs($0.time.microseconds - sample.time.microseconds) <= 1000 && $0.value == sample.rate
              && $0.origin == .advertised
          }
          #expect(count == 1, "\(sample) is stored \(count) times")
        }
        let times = mine.map(\.time)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
      }
      #expect(hub.watch.violations.isEmpty, "\(hub.watch.violations.joined(separator: "\n"))")
    }
  }

  @Test("a beacon that sends Polar's advertisements under the address of a plain strap that is away stores no value")
  func beacon() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 71)
      let strap = world.addStrap()
      let hub = SimulatedHub(world, options: SimulatedHubOptions())
      try await hub.start(enrolling: [("strap-0", strap, "heart-rate", "HR strap")])
      try await loop.sleep(for: .seconds(60))
      strap.leave()
      try await loop.sleep(for: .seconds(20))
      for second in 0..<60 as Range<UInt8> {
        let data = [0x07, 0xFF, 0x6B, 0x00, (second & 7) << 2 | 0x01, 0, 0, 199] as [UInt8]
        hub.radio.onAdvertisement?(
          Advertisement(address: strap.address, rssi: -40, isConnectable: true, data: data, time: loop.now))
        try await loop.sleep(for: .seconds(1))
      }
      await hub.stop()
      let stored = try await hub.storedSamples().filter { $0.series == .heartRate }
      #expect(stored.count > 30 && stored.allSatisfy { $0.origin == .live && $0.value != 199 })
    }
  }

  @Test(
    """
    no measurement is stored twice, whether it came over a link, from the air or both: across lost links, moves to \
    another driver, restarts and kills of the hub
    """,
    arguments: 91...96 as ClosedRange<UInt64>)
  func once(_ seed: UInt64) throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? seed)
      let straps = (0..<4).map { _ in world.add { VirtualPolar($0, address: $1, random: $2, traits: PolarTraits(.h10)) }
      }
      var options = SimulatedHubOptions()
      options.radio.slots = 3
      options.starvationBound = .seconds(600)
      let hub = SimulatedHub(world, options: options)
      // Half of them have yet to say what they are.
      try await hub.start(
        enrolling: straps.enumerated().map {
          ("strap-\($0.offset)", $0.element, $0.offset.isMultiple(of: 2) ? "heart-rate" : "polar-strap", "HR strap")
        })
      /// The second in which something was told, by the millisecond of the hub's clock in which it was heard.
      var told: [BluetoothAddress: [Int64: Int]] = [:]
      @LoopActor func listen() {
        let hubHears = hub.radio.onAdvertisement
        hub.radio.onAdvertisement = { advertisement in
          told[advertisement.address, default: [:]][loop.wall.microseconds / 1000] = Int(
            advertisement.time.nanoseconds / 1_000_000_000)
          hubHears?(advertisement)
        }
      }
      listen()
      var chance = SeededRandom(seed: world.seed)
      for _ in 0..<120 {
        try await loop.sleep(for: chance.duration(in: .seconds(1)...(.seconds(20))))
        switch chance.below(10) {
        case 0: await hub.kill()
        case 1: await hub.stop()
        case 2:
          let strap = straps[chance.below(straps.count)]
          strap.leave()
          try await loop.sleep(for: chance.duration(in: .milliseconds(100)...(.seconds(12))))
          strap.arrive()
        default: straps[chance.below(straps.count)].hangUp()
        }
        if hub.isRunning { continue }
        // As soon as a service manager may start it again.
        try await loop.sleep(for: chance.duration(in: .zero ... .seconds(3)))
        try await hub.start()
        listen()
      }
      await hub.stop()
      let stored = try await hub.storedSamples().filter { $0.series == .heartRate }
      let addresses = hub.addresses()
      for strap in straps {
        // What the air held up comes all at once.
        var beats = Dictionary(grouping: strap.beats) { $0.wall.microseconds / 1000 }
        var seconds: Set<Int> = []
        var fromTheAir = 0
        for sample in stored where addresses[sample.wearable] == strap.address {
          let moment = sample.time.microseconds / 1000
          var overLink: Int?
          for key in [moment, moment + 1] where overLink == nil {
            guard let place = beats[key]?.firstIndex(where: { Int64($0.rate) == sample.value }) else { continue }
            overLink = beats[key]?.remove(at: place).second
          }
          guard let second = overLink ?? told[strap.address]?[moment] ?? told[strap.address]?[moment + 1] else {
            Issue.record("\(sample.value) at \(sample.time) was never told")
            continue
          }
          if overLink == nil { fromTheAir += 1 }
          #expect(sample.value == Int64(strap.measured(in: second)))
          #expect(seconds.insert(second).inserted, "what was measured in second \(second) is stored twice")
        }
        // Links are back within seconds: the air has what is between.
        #expect(seconds.count > 300 && fromTheAir > 0, "\(seconds.count), \(fromTheAir) of them advertised")
      }
      #expect(try await hub.storedSamples().allSatisfy { $0.way == .live })
    }
  }
}
