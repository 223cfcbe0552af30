import EventLoop
import Hub
import Simulation
import Testing

@testable import hearth_sim

@Suite("The world of hearth-sim serve")
struct ServedWorldTests {
  @LoopActor
  private func house(
    _ loop: VirtualLoop, _ population: ServedWorld.Population, seed: UInt64
  ) async throws -> (served: ServedWorld, hub: SimulatedHub) {
    let served = ServedWorld(loop, population, wearables: 9, seed: seed)
    var options = SimulatedHubOptions()
    options.radio = served.radioOptions
    options.hub.pairing = .always
    let hub = SimulatedHub(served.world, options: options)
    try await hub.start { try await served.enrol(in: $0) }
    return (served, hub)
  }

  /// Names of those who keep data and of whom at least one visit went well, by driver.
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
    "nothing that a simulated wearable says is odd, in an hour", arguments: [.gym, .ward] as [ServedWorld.Population])
  func odd(_ population: ServedWorld.Population) throws {
    try VirtualLoop.run { loop in
      let (served, hub) = try await house(loop, population, seed: 6)
      try await loop.sleep(for: .seconds(3600))
      for resident in served.residents {
        // A finger that was moved is no fault of an oximeter.
        let odd = try hub.hearth.wearable(named: resident.name).oddities.map(\.what)
          .filter { !$0.hasSuffix("by its own status") }
        #expect(odd.isEmpty, "\(resident.name): \(odd)")
      }
      await hub.stop()
    }
  }

  @Test("the pace of what is shown is held against no card's budget")
  func budget() {
    #expect(ServeCommand.suitable(.gym).store.budgetPerDay == nil)
  }

  @Test("the seed decides who is there and who comes when")
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

  @Test("straps that nobody enrolled are heard, all of them, and have room")
  func straps() throws {
    try VirtualLoop.run { loop in
      let served = ServedWorld(loop, .straps, wearables: 20, seed: 1)
      let radio = VirtualRadio(served.world, options: served.radioOptions)
      radio.start()
      let heard = Box<[String]>([])
      radio.onAdvertisement = { heard.value.append($0.address.description) }
      try await loop.sleep(for: .seconds(10))
      #expect(Set(heard.value).count == 20 && served.residents.isEmpty)
      #expect(
        radio.facts.slots == 22 && radio.facts.adapter == "simulated" && radio.facts.bus == "virtual"
          && radio.facts.warnings.isEmpty)
      await radio.shutDown()
    }
  }
}
