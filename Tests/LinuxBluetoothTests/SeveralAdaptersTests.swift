import Bluetooth
import EventLoop
import Logging
import Reasons
import Testing

@testable import LinuxBluetooth

/// The radios of one hub, each made when an adapter is left over, as hearthd makes them.
@LoopActor
private final class Hub {
  let loop: VirtualLoop
  let kernel: FakeKernel
  let claims = AdapterClaims()
  private let options: LinuxRadioOptions
  private(set) var radios: [LinuxRadio] = []

  init(_ loop: VirtualLoop, _ choice: AdapterChoice = .automatic) {
    self.loop = loop
    kernel = FakeKernel(loop)
    options = LinuxRadioOptions(adapter: choice)
    claims.onSpare = { [weak self] in self?.add() }
  }

  func plugIn(_ index: UInt16, _ address: UInt64, bus: AdapterBus = .usb) -> FakeController {
    let controller = FakeController(index: index, bus: bus, address: address)
    kernel.add(controller)
    return controller
  }

  func start() { add() }

  private func add() {
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let radio = LinuxRadio(
      loop: loop, kernel: kernel, options: options, timing: AdapterTiming(), counters: RadioCounters(), logger: logger,
      claims: claims)
    radios.append(radio)
    radio.start()
  }

  /// Addresses of the adapters that serve, by radio; nil: no adapter.
  var serving: [UInt64?] { radios.map { $0.state == .ready ? $0.facts.address?.value : nil } }
}

@Suite("Several adapters of one machine")
struct SeveralAdaptersTests {
  @Test("each have a radio of their own, whichever order they are in, and no two radios have the same")
  func each() throws {
    try VirtualLoop.run { loop in
      let hub = Hub(loop)
      for (index, address) in [9, 3, 7, 5].enumerated() { _ = hub.plugIn(UInt16(index), UInt64(address)) }
      hub.start()
      try await loop.sleep(for: .seconds(5))
      #expect(hub.serving == [3, 5, 7, 9])
    }
  }

  @Test("come and go: one that is pulled takes its radio with it alone, and has it again when it is back")
  func plugged() throws {
    try VirtualLoop.run { loop in
      let hub = Hub(loop)
      let first = hub.plugIn(0, 3)
      _ = hub.plugIn(1, 5)
      hub.start()
      try await loop.sleep(for: .seconds(5))
      hub.kernel.remove(first)
      try await loop.sleep(for: .seconds(5))
      #expect(hub.serving == [nil, 5])
      #expect(hub.radios[0].state == .down(.adapterRemoved))
      _ = hub.plugIn(4, 3)
      try await loop.sleep(for: .seconds(5))
      #expect(hub.serving == [3, 5])
    }
  }

  @Test("another one in the place of one that was pulled is taken by the radio without one; one more has its own")
  func replaced() throws {
    try VirtualLoop.run { loop in
      let hub = Hub(loop)
      let first = hub.plugIn(0, 3)
      _ = hub.plugIn(1, 5)
      hub.start()
      try await loop.sleep(for: .seconds(5))
      hub.kernel.remove(first)
      try await loop.sleep(for: .seconds(1))
      _ = hub.plugIn(0, 8)
      try await loop.sleep(for: .seconds(5))
      #expect(hub.serving == [8, 5])
      _ = hub.plugIn(2, 3)
      try await loop.sleep(for: .seconds(5))
      #expect(hub.serving == [8, 5, 3])
      #expect(hub.radios.count == 3)
    }
  }

  @Test("any order of pulling and plugging ends with every adapter at one radio, and no radio more than were there")
  func shuffled() throws {
    let seed = UInt64.random(in: .min ... .max)
    try VirtualLoop.run { loop in
      var random = SplitMix64(seed: seed)
      let hub = Hub(loop)
      var there: [FakeController] = []
      hub.start()
      for _ in 0..<60 {
        let address = UInt64.random(in: 1...4, using: &random)
        if let place = there.firstIndex(where: { $0.address == address }) {
          hub.kernel.remove(there.remove(at: place))
        } else {
          there.append(hub.plugIn(UInt16(address), address))
        }
        try await loop.sleep(for: .milliseconds(Int64.random(in: 0..<4000, using: &random)))
      }
      try await loop.sleep(for: .seconds(60))
      #expect(Set(hub.serving.compactMap { $0 }) == Set(there.map(\.address)), "seed \(seed)")
      #expect(hub.serving.compactMap { $0 }.count == there.count && hub.radios.count <= 4, "seed \(seed)")
    }
  }

  @Test("with one address are one: the kernel would connect over the one that came last, and the other one is reported")
  func doubled() throws {
    try VirtualLoop.run { loop in
      let hub = Hub(loop)
      _ = hub.plugIn(0, 3)
      _ = hub.plugIn(1, 3)
      _ = hub.plugIn(2, 5)
      hub.start()
      try await loop.sleep(for: .seconds(5))
      #expect(hub.serving == [3, 5])
      #expect(hub.radios[0].facts.warnings.map(\.reason) == [.adapterAddressUnprogrammed])
      #expect(hub.radios[1].facts.warnings.isEmpty)
    }
  }

  @Test("with one address are two again when one of them is pulled out, and the warning about it ends")
  func doubledNoMore() throws {
    try VirtualLoop.run { loop in
      let hub = Hub(loop)
      _ = hub.plugIn(0, 3)
      let other = hub.plugIn(1, 3)
      hub.start()
      try await loop.sleep(for: .seconds(5))
      #expect(hub.radios[0].facts.warnings.count == 1)
      hub.kernel.remove(other)
      try await loop.sleep(for: .seconds(1))
      #expect(hub.serving == [3] && hub.radios[0].facts.warnings.isEmpty)
    }
  }

  @Test("are found within a minute if the kernel's event of their arrival was lost, or they could not be read then")
  func missed() throws {
    try VirtualLoop.run { loop in
      let hub = Hub(loop)
      _ = hub.plugIn(0, 3)
      hub.start()
      try await loop.sleep(for: .seconds(5))
      let late = FakeController(index: 2, address: 7)
      late.refusals[0x0004] = .busy
      hub.kernel.add(late)
      try await loop.sleep(for: .seconds(5))
      hub.kernel.controllers.append(FakeController(index: 1, address: 5))
      try await loop.sleep(for: .seconds(61))
      #expect(hub.serving == [3, 5])
      late.refusals = [:]
      try await loop.sleep(for: .seconds(61))
      #expect(hub.serving == [3, 5, 7])
      let asked = hub.kernel.commands.count
      try await loop.sleep(for: .seconds(300))
      let questions = hub.kernel.commands[asked...].filter { $0.opcode == 0x003C || $0.opcode == 0x0004 }
      #expect(questions.count { $0.opcode == 0x0004 } == 0 && questions.count <= 5 * hub.radios.count)
    }
  }

  @Test("without an address have no radio beside one that has: the kernel would take any for it")
  func nameless() throws {
    try VirtualLoop.run { loop in
      let hub = Hub(loop)
      _ = hub.plugIn(0, 0)
      _ = hub.plugIn(1, 3)
      hub.start()
      try await loop.sleep(for: .seconds(5))
      #expect(hub.serving == [3])
    }
  }

  @Test("without an address are each given a static random one before they are powered, and links are made from it")
  func staticAddresses() throws {
    try VirtualLoop.run { loop in
      let hub = Hub(loop)
      hub.claims.staticAddress = { 0xC000_0000_0010 + UInt64($0) }
      let first = hub.plugIn(0, 0)
      _ = hub.plugIn(1, 0)
      _ = hub.plugIn(2, 3)
      hub.start()
      try await loop.sleep(for: .seconds(5))
      #expect(hub.serving == [0xC000_0000_0010, 0xC000_0000_0011, 3])
      #expect(hub.radios.map { $0.facts.address?.kind } == [.leRandom, .leRandom, .lePublic])
      #expect(hub.radios.allSatisfy { $0.facts.warnings.isEmpty })
      for radio in hub.radios { _ = try? await radio.connect(to: strap, deadline: loop.now + .seconds(5)) }
      #expect(hub.kernel.bearers.map(\.request.local) == hub.radios.map { $0.facts.address })
      // What another program changed is put right without a new address, which would end the links.
      let told = hub.kernel.commands.count { $0.opcode == 0x002B }
      hub.kernel.removeMonitors(first)
      try await loop.sleep(for: .seconds(5))
      #expect(hub.kernel.commands.count { $0.opcode == 0x002B } == told && hub.serving.first == 0xC000_0000_0010)
      // Plugged in again it has another number and the same address.
      hub.kernel.remove(first)
      try await loop.sleep(for: .seconds(5))
      #expect(hub.serving == [nil, 0xC000_0000_0011, 3])
      _ = hub.plugIn(5, 0)
      try await loop.sleep(for: .seconds(10))
      #expect(hub.serving == [0xC000_0000_0010, 0xC000_0000_0011, 3])
    }
  }

  @Test("without an address that another program gave a static one get the hub's, and without one stay off")
  func staticOfOthers() throws {
    try VirtualLoop.run { loop in
      let hub = Hub(loop)
      hub.claims.staticAddress = { _ in 0xC000_0000_0010 }
      let controller = hub.plugIn(0, 0)
      #expect(controller.takeStatic([1, 0, 0, 0, 0, 0xC0]) == .success)
      controller.current.formUnion([.powered, .lowEnergy])
      hub.start()
      try await loop.sleep(for: .seconds(5))
      #expect(hub.serving == [0xC000_0000_0010] && controller.staticAddress == 0xC000_0000_0010)
      let bare = Hub(loop)
      _ = bare.plugIn(0, 0)
      bare.start()
      try await loop.sleep(for: .seconds(5))
      #expect(bare.radios.map(\.state) == [.down(.managementRefused)])
    }
  }

  @Test("that are left to others, or are not named, have no radio")
  func left() throws {
    try VirtualLoop.run { loop in
      let five = BluetoothAddress(value: 5, kind: .lePublic)
      let hub = Hub(loop, .any([.bus(.usb), .not(five)]))
      _ = hub.plugIn(0, 3)
      _ = hub.plugIn(1, 5)
      _ = hub.plugIn(2, 7, bus: .uart)
      _ = hub.plugIn(3, 8)
      hub.start()
      try await loop.sleep(for: .seconds(5))
      #expect(hub.serving == [3, 8])
    }
  }

  @Test("are looked after one by one: a silent one climbs its ladder, does not end the hub, and the others serve on")
  func sick() throws {
    try VirtualLoop.run { loop in
      let hub = Hub(loop)
      let sick = hub.plugIn(0, 3)
      // Far from the numbers that the other one gets when its bus is reset.
      _ = hub.plugIn(60_000, 5)
      hub.start()
      try await loop.sleep(for: .seconds(5))
      var surrendered = 0
      hub.radios[0].onGiveUp = { _ in surrendered += 1 }
      hub.radios[0].isLast = { hub.radios[1].state != .ready }
      sick.isSilent = true
      hub.kernel.setPower(sick, false)
      try await loop.sleep(for: .seconds(3600))
      #expect(hub.serving == [nil, 5])
      #expect(surrendered == 0 && hub.radios[0].facts.care.rungs.contains { $0.count > 0 })
      // The bus was reset: the kernel takes it for another controller.
      for controller in hub.kernel.controllers { controller.isSilent = false }
      try await loop.sleep(for: .seconds(4000))
      #expect(hub.serving == [3, 5])
    }
  }
}
