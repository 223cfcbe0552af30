import Bluetooth
import BotzTwin
import EventLoop
import Simulation
import StrapTwin
import Testing

@Suite("Parameters, keys and hangs of the virtual radio")
struct LinkFaultTests {
  /// A strap on a link of 15 ms, and what the radio said about its parameters.
  @LoopActor
  private final class Bench {
    let world: VirtualWorld
    let strap: VirtualStrap
    let radio: VirtualRadio
    let told = Box<[EffectiveParameters]>([])

    init(_ loop: any Loop, seed: UInt64, _ faults: FaultPlan = FaultPlan()) async throws {
      world = VirtualWorld(loop: loop, seed: seed, faults: faults)
      strap = world.addStrap()
      var options = VirtualRadioOptions()
      options.preferredInterval = 12
      radio = VirtualRadio(world, options: options)
      radio.start()
      radio.onParameters = { [told] _, parameters in told.value.append(parameters) }
      try await loop.sleep(for: .seconds(1))
    }

    func connect() async throws -> RawClient {
      RawClient(try await radio.connect(to: strap.address, deadline: world.loop.now + .seconds(5)))
    }
  }

  @Test("a link begins with what was asked and changes some events after it was asked to")
  func update() throws {
    try VirtualLoop.run { loop in
      let bench = try await Bench(loop, seed: 1)
      _ = try await bench.connect()
      #expect(bench.radio.parameters(of: bench.strap.address)?.interval == 12)
      let start = loop.now
      let changed = try await bench.radio.update(bench.strap.address, to: .background)
      #expect(changed.satisfies(.background) && changed.source == .observed)
      #expect(loop.now - start == .milliseconds(90))
      #expect(bench.told.value == [changed] && bench.radio.parameters(of: bench.strap.address) == changed)
      await #expect(throws: LinkError.linkLost) {
        _ = try await bench.radio.update(.init(value: 1, kind: .lePublic), to: .background)
      }
    }
  }

  @Test("refused, a change leaves the link as it was, whatever asked for it")
  func refused() throws {
    try VirtualLoop.run { loop in
      var faults = FaultPlan()
      faults.refusedParameters = 1
      let bench = try await Bench(loop, seed: 2, faults)
      _ = try await bench.connect()
      #expect(try await bench.radio.update(bench.strap.address, to: .idle).satisfies(.foreground))
      let answer = Box<Bool?>(nil)
      bench.strap.link?.askForParameters(.background) { answer.value = $0 }
      try await loop.sleep(for: .seconds(1))
      #expect(answer.value == false && bench.told.value.isEmpty && bench.radio.ledger.updatesRefused == 2)
    }
  }

  @Test("a wearable's request is agreed to if it is legal and not too slow")
  func wearableAsks() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 3)
      let strap = world.addStrap()
      var options = VirtualRadioOptions()
      options.longestInterval = 100
      options.observesLinks = false
      let radio = VirtualRadio(world, options: options)
      radio.start()
      try await loop.sleep(for: .seconds(1))
      _ = try await radio.connect(to: strap.address, deadline: loop.now + .seconds(5))
      #expect(radio.parameters(of: strap.address)?.source == .assumed)
      let answers = Box<[Bool]>([])
      let illegal = ConnectionParameters(minimumInterval: 160, maximumInterval: 400, latency: 10, timeout: 1000)
      for wanted in [illegal, .idle, .background] { strap.link?.askForParameters(wanted) { answers.value.append($0) } }
      try await loop.sleep(for: .seconds(2))
      #expect(answers.value == [false, false, true])
      #expect(
        radio.parameters(of: strap.address)?.source == .askedByWearable
          && radio.parameters(of: strap.address)?.interval == 80)
    }
  }

  @Test("events come late and twice, and say the truth all the same")
  func lateAndDoubled() throws {
    try VirtualLoop.run { loop in
      var faults = FaultPlan()
      faults.lateEvent = 1
      faults.doubledEvent = 1
      let bench = try await Bench(loop, seed: 4, faults)
      let client = try await bench.connect()
      let changed = try await bench.radio.update(bench.strap.address, to: .background)
      try await loop.sleep(for: .seconds(3))
      #expect(bench.told.value == [changed, changed])
      bench.strap.hangUp()
      #expect(bench.radio.links.isEmpty)
      try await loop.sleep(for: .milliseconds(1))
      #expect(client.closed.isEmpty)
      try await loop.sleep(for: .seconds(3))
      #expect(client.closed == [.peerClosed])
    }
  }

  @Test("a controller that hangs is silent until it is reset, by the radio itself or when it is asked for")
  func hangs() throws {
    try VirtualLoop.run { loop in
      let bench = try await Bench(loop, seed: 5)
      let heard = Box(0)
      bench.radio.onAdvertisement = { _ in heard.value += 1 }
      let states = Box<[RadioState]>([])
      bench.radio.onStateChange = { states.value.append($0) }
      bench.world.addStrap()
      let client = try await bench.connect()
      #expect(await client.subscribe())
      for asked in [false, true] {
        try await loop.sleep(for: .seconds(10))
        states.value = []
        bench.radio.hang()
        let before = (heard.value, client.received.count)
        try await loop.sleep(for: .seconds(60))
        #expect(before == (heard.value, client.received.count) && states.value.isEmpty && bench.radio.state == .ready)
        await #expect(throws: LinkError.timedOut) {
          _ = try await bench.radio.connect(to: bench.world.straps[1].address, deadline: loop.now + .seconds(5))
        }
        if asked { bench.radio.recover() }
        try await loop.sleep(for: .seconds(40))
        #expect(states.value == [.down(.adapterPoweredOff), .ready] && heard.value > before.0)
      }
      #expect(client.closed == [.adapterGone])
      #expect(
        bench.radio.ledger.hangs == 2 && bench.radio.ledger.recoveries == 2
          && bench.radio.facts.care.rungs.map(\.count) == [2])
    }
  }

  @Test("notifications are lost as often as the plan says, and are not in the truth")
  func lostNotifications() throws {
    try VirtualLoop.run { loop in
      var faults = FaultPlan()
      faults.lostNotification = 0.3
      let bench = try await Bench(loop, seed: 6, faults)
      let client = try await bench.connect()
      #expect(await client.subscribe())
      try await loop.sleep(for: .seconds(300))
      #expect((170...250).contains(client.notifications.count))
      #expect(bench.strap.truth.entries.count == client.notifications.count)
    }
  }

  @Test("a notification that is lost behind others that wait is the one that is missing")
  func losesTheNewest() throws {
    try VirtualLoop.run { loop in
      var faults = FaultPlan()
      faults.lostNotification = 0.3
      let world = VirtualWorld(loop: loop, seed: 12, faults: faults)
      let strap = world.addStrap()
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: [strap])
      // Shorter than the link's patience: what it measures meanwhile waits, and comes all at once.
      for _ in 0..<20 {
        try await loop.sleep(for: .seconds(20))
        strap.leave()
        try await loop.sleep(for: .milliseconds(3500))
        strap.arrive()
      }
      await hub.stop()
      try await judge(hub, "LinkFaultTests/losesTheNewest")
    }
  }

  @Test("pairing gives keys once; a bond lost by the wearable ends the next encrypted link")
  func pairing() throws {
    try VirtualLoop.run { loop in
      let bench = try await Bench(loop, seed: 7)
      let requests = Box(0)
      let keys = Box<[BondKeys]>([])
      bench.radio.onPairingRequest = { request in
        requests.value += 1
        #expect(request.kind == .justWorks)
        bench.radio.answer(request.address, .yes)
      }
      bench.radio.onKeys = { _, made in
        keys.value.append(made)
        return .kept
      }
      var client = try await bench.connect()
      try await bench.radio.secure(client.bearer)
      try await bench.radio.secure(client.bearer)
      #expect(requests.value == 1 && keys.value.count == 1 && keys.value[0].longTermKeys[0].isSecureConnections)
      client.bearer.close(immediately: true)
      try await loop.sleep(for: .seconds(1))
      bench.world.faults.lostBond = 1
      client = try await bench.connect()
      await #expect(throws: LinkError.keyMissing) { try await bench.radio.secure(client.bearer) }
      try await loop.sleep(for: .seconds(1))
      #expect(client.closed == [.keyMissing] && bench.radio.ledger.keysMissing == 1)
      await bench.radio.forgetKeys(of: bench.strap.address)
      client = try await bench.connect()
      try await bench.radio.secure(client.bearer)
      #expect(requests.value == 2)
    }
  }

  @Test("a pairing that is not answered, that is refused or that fails leaves no bond")
  func noPairing() throws {
    try VirtualLoop.run { loop in
      let bench = try await Bench(loop, seed: 8)
      let failures = Box<[LinkError]>([])
      bench.radio.onPairingFailed = { failures.value.append($1) }
      bench.radio.onPairingRequest = { bench.radio.answer($0.address, .no) }
      await #expect(throws: LinkError.authenticationFailed) {
        try await bench.radio.secure(try await bench.connect().bearer)
      }
      bench.radio.onPairingRequest = { _ in }
      try await loop.sleep(for: .seconds(3))
      let start = loop.now
      await #expect(throws: LinkError.authenticationFailed) {
        try await bench.radio.secure(try await bench.connect().bearer)
      }
      #expect(loop.now - start > .seconds(30))
      bench.world.faults.failedPairing = 1
      bench.radio.onPairingRequest = { bench.radio.answer($0.address, .yes) }
      try await loop.sleep(for: .seconds(3))
      await #expect(throws: LinkError.authenticationFailed) {
        try await bench.radio.secure(try await bench.connect().bearer)
      }
      #expect(failures.value.count == 3 && bench.radio.ledger.pairingsFailed == 3 && bench.strap.bond == nil)
    }
  }

  @Test("a packet of 125 octets costs 1.46 ms: ten of them fit an event of 15 ms")
  func airtime() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 9)
      var traits = InsoleTraits()
      traits.files = .sessions([300])
      let insole = world.add { VirtualInsole($0, address: $1, random: $2, traits: traits) }
      var options = VirtualRadioOptions()
      options.preferredInterval = 12
      let radio = VirtualRadio(world, options: options)
      radio.start()
      try await loop.sleep(for: .seconds(1))
      let client = RawClient(try await radio.connect(to: insole.address, deadline: loop.now + .seconds(5)))
      #expect(await client.request([0x02, 0xF7, 0x00]) == [0x03, 121, 0])
      let handle = try #require(insole.handle(InsoleUUID.smp, InsoleUUID.smpData))
      #expect(await client.request([0x12, UInt8(handle & 255) + 1, UInt8(handle >> 8), 1, 0]) == [0x13])
      let path = Array("/lfs1/hardware/activity_001.dat".utf8)
      let request: [UInt8] =
        [0x08, 0, 0, 0x2C, 0, 8, 1, 0, 0xA2, 0x63, 0x6F, 0x66, 0x66, 0, 0x64, 0x6E, 0x61, 0x6D, 0x65, 0x78, 0x1F] + path
      #expect(client.bearer.send([0x52, UInt8(handle & 255), UInt8(handle >> 8)] + request))
      var perEvent: [Int] = []
      var before = client.notifications.count
      for _ in 0..<8 {
        try await loop.sleep(for: .milliseconds(15))
        perEvent.append(client.notifications.count - before)
        before = client.notifications.count
      }
      #expect(perEvent.filter { $0 > 0 } == [10, 10, 1])
    }
  }
}
