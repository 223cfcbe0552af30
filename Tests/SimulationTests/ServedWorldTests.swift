import EventLoop
import Hub
import Reasons
import Simulation
import Testing
import Vitals

@testable import hearth_sim

@Suite("The world of hearth-sim serve")
struct ServedWorldTests {
  @LoopActor
  private func house(
    _ loop: VirtualLoop, _ population: ServedWorld.Population, seed: UInt64, wearables: Int = 9
  ) async throws -> (served: ServedWorld, hub: SimulatedHub) {
    let served = ServedWorld(loop, population, wearables: wearables, seed: seed)
    var options = SimulatedHubOptions()
    let radios = served.radioOptions(nil)
    (options.radio, options.furtherRadios) = (radios[0], Array(radios.dropFirst()))
    options.hub.pairing = .always
    let hub = SimulatedHub(served.world, options: options)
    try await hub.start { try await served.enrol(in: $0) }
    return (served, hub)
  }

  /// Names of wearables that store data and had at least one successful visit, by driver.
  @LoopActor
  private func visited(_ served: ServedWorld, _ hub: SimulatedHub, _ driver: String) throws -> [String] {
    try served.residents.filter { $0.driver == driver }.map(\.name).filter { name in
      try hub.hearth.visits(20, of: name).contains { $0.outcome == .done }
    }
  }

  @Test("in ten minutes of a gym insoles and bands are visited, custody and profiles are there, and straps are live")
  func gym() throws {
    try VirtualLoop.run { loop in
      let (served, hub) = try await house(loop, .gym, seed: 4)
      #expect(
        served.residents.map(\.name).prefix(6) == [
          "strap-01", "insole-01", "band-01", "strap-02", "insole-02", "sensor-01",
        ])
      try await loop.sleep(for: .seconds(600))
      for driver in ["botz", "polar"] {
        let names = try visited(served, hub, driver)
        #expect(!names.isEmpty, "nobody of \(driver) was visited")
        let items = try names.flatMap { try hub.hearth.custody(of: $0, lastVisitOnly: false).items }
        #expect(items.contains { $0.durable != nil && $0.receipts > 0 }, "nothing of \(driver) is in custody")
      }
      for name in served.residents.map(\.name) { _ = try hub.hearth.link(of: name) }
      let links = try served.residents.map { try hub.hearth.link(of: $0.name) }.filter(\.isLinked)
      #expect(!links.isEmpty && links.allSatisfy { $0.effective != nil })
      for strap in ["strap-01", "strap-02"] {
        #expect(try hub.hearth.wearable(named: strap).lastValue != nil, "\(strap) was never live")
      }
      #expect(hub.hearth.wearers().map(\.wearer.name).prefix(2) == ["Ada", "Ben"])
      #expect(hub.watch.violations.isEmpty, "\(hub.watch.violations)")
      await hub.stop()
    }
  }

  @Test("in ten minutes of a ward bands and watches are visited, and straps are live")
  func ward() throws {
    try VirtualLoop.run { loop in
      let (served, hub) = try await house(loop, .ward, seed: 5)
      try await loop.sleep(for: .seconds(600))
      let names = try visited(served, hub, "polar")
      #expect(names.contains { $0.hasPrefix("band") } && names.contains { $0.hasPrefix("watch") }, "\(names)")
      for strap in ["strap-01", "strap-02"] {
        #expect(try hub.hearth.wearable(named: strap).lastValue != nil, "\(strap) was never live")
      }
      #expect(hub.watch.violations.isEmpty, "\(hub.watch.violations)")
      await hub.stop()
    }
  }

  @Test(
    "all that a simulated wearable sends is regular, in an hour", arguments: [.gym, .ward] as [ServedWorld.Population])
  func odd(_ population: ServedWorld.Population) throws {
    try VirtualLoop.run { loop in
      let (served, hub) = try await house(loop, population, seed: 6)
      try await loop.sleep(for: .seconds(3600))
      for resident in served.residents {
        // A finger that was moved is no fault of an oximeter, nor one of a thermometer that shows it.
        let odd = try hub.hearth.wearable(named: resident.name).oddities.map(\.what)
          .filter { !$0.hasSuffix("by its own status") && !$0.contains("a measurement that failed") }
        #expect(odd.isEmpty, "\(resident.name): \(odd)")
      }
      await hub.stop()
    }
  }

  @Test("the pace of what is shown is held against no card's budget")
  func budget() {
    #expect(ServeCommand.suitable(.gym).store.budgetPerDay == nil)
  }

  /// Results of one measurement of each, side by side, by wearable and name.
  @LoopActor
  private func measure(
    _ names: [String], _ hub: SimulatedHub, seconds: Int = VitalsOrder.usualLength
  ) async throws -> [String: [String: VitalResult]] {
    let found = Box<[String: [String: VitalResult]]>([:])
    let done = Box(0)
    for name in names {
      hub.world.loop.spawn {
        defer { done.value += 1 }
        do throws(HearthError) {
          let result = try await hub.hearth.measureVitals(name, VitalsOrder(seconds: seconds), isWanted: { true }) {
            _ in
          }
          let results = (result.record?.results ?? []).map { ($0.name, $0) }
          found.value[name] = Dictionary(results) { first, _ in first }
          if let trouble = result.trouble { Issue.record("\(trouble.detail)") }
        } catch { Issue.record("\(name): \(error.detail)") }
      }
    }
    while done.value < names.count { try await hub.world.loop.sleep(for: .seconds(1)) }
    return found.value
  }

  @Test("an arm sensor and a band of a gym are measured: each ends with a pulse, and the arm sensor with more")
  func measuredGym() throws {
    try VirtualLoop.run { loop in
      let (_, hub) = try await house(loop, .gym, seed: 4)
      try await loop.sleep(for: .seconds(20))
      let found = try await measure(["sensor-01", "band-01"], hub)
      for (name, results) in found { #expect(results["pulse_rate"] != nil, "\(name): \(results.keys.sorted())") }
      let arm = try #require(found["sensor-01"])
      for sign in ["rmssd", "sdnn", "mean_rr"] {
        #expect(arm[sign].map { $0.flags.contains(.optical) && $0.confidence >= .medium } == true, "\(sign)")
      }
      await hub.stop()
    }
  }

  @Test("a cuff, an oximeter, a thermometer and a scale of a ward are measured, each as it is used next")
  func measuredWard() throws {
    try VirtualLoop.run { loop in
      let (_, hub) = try await house(loop, .ward, seed: 5, wearables: 12)
      try await loop.sleep(for: .seconds(20))
      let found = try await measure(
        ["cuff-01", "oximeter-01", "thermometer-01", "scale-01", "band-01"], hub, seconds: 160)
      #expect(found["cuff-01"]?["blood_pressure_systolic"] != nil)
      #expect(found["oximeter-01"]?["spo2"] != nil && found["thermometer-01"]?["temperature"] != nil)
      #expect(found["scale-01"]?["weight"] != nil && found["band-01"]?["pulse_rate"] != nil)
      await hub.stop()
    }
  }

  @Test("the seed decides which wearables are there and which come when")
  func seeds() throws {
    func lives(_ seed: UInt64) throws -> [String] {
      try VirtualLoop.run { loop in
        let served = ServedWorld(loop, .gym, wearables: 12, seed: seed)
        try await loop.sleep(for: .seconds(3600))
        return served.residents.map {
          "\($0.name) \($0.peripheral.address) \($0.peripheral.arrivals) \($0.peripheral.isInRange)"
        }
      }
    }
    let first = try lives(1)
    #expect(try first == lives(1) && first != lives(2))
  }

  @Test("a class of forty over four adapters is live within a minute, each value once, whichever come late or leave")
  func course() throws {
    try VirtualLoop.run { loop in
      let (served, hub) = try await house(loop, .course, seed: 3, wearables: 40)
      for resident in served.residents { resident.peripheral.stayForGood() }
      try await loop.sleep(for: .seconds(60))
      #expect(hub.hearth.wearables().count { $0.state == .live } == 40)
      #expect(hub.radios.map(\.openChannels.count) == [8, 7, 5, 20])
      #expect(hub.watch.violations.isEmpty, "\(hub.watch.violations)")
      await hub.stop()
    }
  }

  @Test("an adapter that is pulled takes its straps' links, and they are live over the others within ten seconds")
  func pulled() throws {
    try VirtualLoop.run { loop in
      let (served, hub) = try await house(loop, .course, seed: 4, wearables: 12)
      for resident in served.residents { resident.peripheral.stayForGood() }
      try await loop.sleep(for: .seconds(60))
      for place in 1..<4 {
        let had = hub.radios[place].openChannels.count
        #expect(had > 0)
        hub.radios[place].powerOff(.adapterRemoved)
        try await loop.sleep(for: .seconds(10))
        #expect(hub.hearth.wearables().count { $0.state == .live } == 12, "adapter \(place + 1) with \(had) links")
        hub.radios[place].powerOn()
        try await loop.sleep(for: .seconds(30))
      }
      #expect(hub.watch.violations.isEmpty, "\(hub.watch.violations)")
      await hub.stop()
    }
  }

  @Test("straps that were never enrolled are heard, all of them, and have room")
  func straps() throws {
    try VirtualLoop.run { loop in
      let served = ServedWorld(loop, .straps, wearables: 20, seed: 1)
      let radio = served.world.makeRadio(served.radioOptions(nil), loop).radio
      radio.start()
      let heard = Box<[String]>([])
      radio.onAdvertisement = { heard.value.append($0.address.description) }
      try await loop.sleep(for: .seconds(10))
      #expect(Set(heard.value).count == 20 && served.residents.isEmpty)
      #expect(
        radio.facts.slots == 20 && radio.facts.adapter == "simulated" && radio.facts.bus == "virtual"
          && radio.facts.warnings.isEmpty && radio.facts.adapters.count == 3)
      await radio.shutDown()
    }
  }
}
