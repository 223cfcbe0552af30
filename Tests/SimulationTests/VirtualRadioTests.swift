import Bluetooth
import EventLoop
import Simulation
import StrapTwin
import Testing

@Suite("The virtual radio")
struct VirtualRadioTests {
  @Test("a subscribed strap notifies once a second, and its ground truth is what was delivered")
  func notifiesOnceASecond() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 7)
      let strap = world.addStrap()
      let radio = try await readyRadio(world)
      let client = RawClient(try await radio.connect(to: strap.address, deadline: loop.now + .seconds(5)))
      #expect(await client.subscribe())
      try await loop.sleep(for: .seconds(60))
      #expect((59...60).contains(client.notifications.count))
      #expect(strap.truth.entries.count == client.notifications.count)
      for (entry, pdu) in zip(strap.truth.entries, client.notifications) {
        let rate = strap.traits.hasWideRate ? UInt16(pdu[4]) | UInt16(pdu[5]) << 8 : UInt16(pdu[4])
        #expect(rate == entry.rate)
      }
      client.bearer.close(immediately: true)
    }
  }

  @Test("all makes of straps together use every flag of the measurement")
  func makesDiffer() throws {
    let flags = try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 1)
      let straps = (0..<16).map { _ in world.addStrap() }
      let radio = try await readyRadio(world, slots: 16)
      var clients: [RawClient] = []
      for strap in straps {
        let client = RawClient(try await radio.connect(to: strap.address, deadline: loop.now + .seconds(5)))
        #expect(await client.subscribe())
        clients.append(client)
      }
      try await loop.sleep(for: .seconds(3600))
      #expect(clients.allSatisfy { $0.notifications.count > 3500 })
      return clients.flatMap(\.notifications).reduce(into: Set<UInt8>()) { $0.insert($1[3]) }
    }
    // Wide or not, with and without energy, intervals and contact; contact lost.
    for bit: UInt8 in [0x01, 0x02, 0x04, 0x08, 0x10] {
      #expect(flags.contains { $0 & bit != 0 } && flags.contains { $0 & bit == 0 })
    }
    #expect(flags.contains { $0 & 0x06 == 0x04 })
  }

  @Test("a connect beyond the slots is refused, and a link that lingers still holds its slot")
  func slotsAreCounted() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 2)
      let straps = (0..<3).map { _ in world.addStrap() }
      let radio = try await readyRadio(world, slots: 2)
      let first = try await radio.connect(to: straps[0].address, deadline: loop.now + .seconds(5))
      _ = try await radio.connect(to: straps[1].address, deadline: loop.now + .seconds(5))
      #expect(radio.links == [straps[0].address, straps[1].address])
      await #expect(throws: LinkError.slotsFull) {
        _ = try await radio.connect(to: straps[2].address, deadline: loop.now + .seconds(5))
      }
      first.close(immediately: false)
      await #expect(throws: LinkError.slotsFull) {
        _ = try await radio.connect(to: straps[2].address, deadline: loop.now + .seconds(5))
      }
      try await loop.sleep(for: .seconds(2))
      _ = try await radio.connect(to: straps[2].address, deadline: loop.now + .seconds(5))
      #expect(radio.ledger.mostLinks == 2)
      #expect(radio.facts.links == 2)
      #expect(radio.ledger.connectedEver == straps.map(\.address))
    }
  }

  @Test("a strap that is away is not heard by the deadline; one that comes in time is connected")
  func waitsForTheStrap() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 3)
      let strap = world.addStrap(.manual)
      let radio = try await readyRadio(world)
      let start = loop.now
      await #expect(throws: LinkError.notHeard) {
        _ = try await radio.connect(to: strap.address, deadline: start + .seconds(5))
      }
      #expect(loop.now - start == .seconds(5))
      #expect(radio.ledger.longestScanPause == .zero, "the kernel scans while it waits to hear one")
      #expect(radio.isScanning)
      loop.schedule(after: .seconds(3)) { strap.arrive() }
      _ = try await radio.connect(to: strap.address, deadline: loop.now + .seconds(6))
      #expect(radio.links == [strap.address])
    }
  }

  @Test("a strap out of range is lost after the supervision timeout, and kept when it is back before")
  func supervision() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 4)
      let strap = world.addStrap()
      let radio = try await readyRadio(world)
      let client = RawClient(try await radio.connect(to: strap.address, deadline: loop.now + .seconds(5)))
      #expect(await client.subscribe())
      try await loop.sleep(for: .seconds(10))
      strap.leave()
      let before = client.notifications.count
      try await loop.sleep(for: .milliseconds(3500))
      #expect(client.notifications.count == before)
      strap.arrive()
      try await loop.sleep(for: .milliseconds(100))
      // What waited in the strap came late, but came.
      #expect(client.notifications.count >= before + 3)
      #expect(client.closed.isEmpty)
      strap.leave()
      try await loop.sleep(for: .milliseconds(4100))
      #expect(client.closed == [.linkLost])
      #expect(radio.links.isEmpty)
      #expect(strap.truth.entries.count == client.notifications.count)
      try await loop.sleep(for: .seconds(60))
      #expect(client.closed == [.linkLost])
    }
  }

  @Test("cancelling a connect aborts it at once and scanning resumes")
  func cancelAborts() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 5)
      let strap = world.addStrap(.manual)
      let radio = try await readyRadio(world)
      let outcome = Box<LinkError?>(nil)
      let start = loop.now
      let task = loop.spawn {
        do throws(LinkError) { _ = try await radio.connect(to: strap.address, deadline: start + .seconds(30)) } catch {
          outcome.value = error
        }
      }
      try await loop.sleep(for: .seconds(2))
      #expect(radio.isScanning)
      task.cancel()
      await task.value
      #expect(outcome.value == .aborted)
      #expect(loop.now - start == .seconds(2))
      #expect(radio.isScanning)
    }
  }

  @Test("the adapter's end ends links and the running attempt; its return serves again")
  func adapterGoesAndReturns() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 6)
      let near = world.addStrap()
      let away = world.addStrap(.manual)
      let radio = try await readyRadio(world)
      let states = Box<[RadioState]>([])
      radio.onStateChange = { states.value.append($0) }
      let client = RawClient(try await radio.connect(to: near.address, deadline: loop.now + .seconds(5)))
      loop.schedule(after: .seconds(1)) { radio.powerOff(.adapterRemoved) }
      await #expect(throws: LinkError.adapterGone) {
        _ = try await radio.connect(to: away.address, deadline: loop.now + .seconds(5))
      }
      try await loop.sleep(for: .seconds(1))
      #expect(client.closed == [.adapterGone])
      #expect(radio.links.isEmpty && !radio.isScanning)
      await #expect(throws: LinkError.adapterGone) {
        _ = try await radio.connect(to: near.address, deadline: loop.now + .seconds(5))
      }
      radio.powerOn()
      try await loop.sleep(for: .seconds(1))
      #expect(states.value == [.down(.adapterRemoved), .ready])
      _ = try await radio.connect(to: near.address, deadline: loop.now + .seconds(5))
    }
  }

  @Test("send says no when the queue is full, and the room is reported")
  func backpressure() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 8)
      let strap = world.addStrap()
      let radio = try await readyRadio(world)
      let client = RawClient(try await radio.connect(to: strap.address, deadline: loop.now + .seconds(5)))
      var taken = 0
      while taken < 1000, client.bearer.send([0x0A, 0x03, 0x00]) { taken += 1 }
      #expect(taken == 8)
      #expect(client.writable == 0)
      try await loop.sleep(for: .seconds(1))
      #expect(client.writable == 1)
      #expect(client.received.count == taken)
      #expect(client.bearer.send([0x0A, 0x03, 0x00]))
    }
  }

  @Test("what a strap sent before it hung up comes before the end, and no value comes after close")
  func orderAtTheEnd() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 9)
      let curious = world.addStrap(conduct: .asksBack)
      let other = world.addStrap(conduct: .asksBack)
      let radio = try await readyRadio(world)
      let bearer = try await radio.connect(to: curious.address, deadline: loop.now + .seconds(5))
      // No callback is set yet: the questions and the end wait for one.
      curious.hangUp()
      try await loop.sleep(for: .seconds(1))
      let client = RawClient(bearer)
      try await loop.sleep(for: .seconds(1))
      #expect(client.received.count == 8)
      #expect(client.closed == [.peerClosed])

      let second = RawClient(try await radio.connect(to: other.address, deadline: loop.now + .seconds(5)))
      second.bearer.close(immediately: true)
      second.bearer.close(immediately: true)
      #expect(!second.bearer.send([0x0A, 0x03, 0x00]))
      try await loop.sleep(for: .seconds(60))
      #expect(second.received.isEmpty && second.closed.isEmpty)
      #expect(radio.links.isEmpty)
    }
  }

  @Test("after its process died a radio is silent, and the next one finds the straps free")
  func deathIsSilent() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 10)
      let strap = world.addStrap()
      let radio = try await readyRadio(world)
      let client = RawClient(try await radio.connect(to: strap.address, deadline: loop.now + .seconds(5)))
      #expect(await client.subscribe())
      let heard = Box(0)
      radio.onAdvertisement = { _ in heard.value += 1 }
      try await loop.sleep(for: .seconds(10))
      radio.die()
      let received = client.received.count
      let advertisements = heard.value
      try await loop.sleep(for: .seconds(60))
      #expect(client.received.count == received && client.closed.isEmpty && heard.value == advertisements)
      #expect(strap.truth.entries.count == client.notifications.count)
      let next = try await readyRadio(world)
      _ = try await next.connect(to: strap.address, deadline: loop.now + .seconds(5))
      #expect(world.radio === next)
    }
  }

  @Test("every fault of the plan happens, and scanning resumes after each")
  func faultsHappen() throws {
    try VirtualLoop.run { loop in
      var faults = FaultPlan()
      faults.failedToEstablish = 0.2
      faults.hungAttempt = 0.2
      faults.refusedSlot = 0.2
      faults.doubledAdvertisement = 0.3
      faults.lateAdvertisement = 0.3
      let world = VirtualWorld(loop: loop, seed: 11, faults: faults)
      let strap = world.addStrap()
      let radio = try await readyRadio(world)
      var errors: Set<LinkError> = []
      var linked = 0
      for _ in 0..<200 {
        do throws(LinkError) {
          let bearer = try await radio.connect(to: strap.address, deadline: loop.now + .seconds(5))
          bearer.close(immediately: true)
          linked += 1
        } catch { errors.insert(error) }
        #expect(radio.isScanning)
        try await loop.sleep(for: .seconds(3))
      }
      #expect(errors == [.failedToEstablish, .timedOut, .slotsFull])
      #expect(linked > 40 && linked < 160)
      #expect(radio.ledger.longestScanPause <= .seconds(5))
    }
  }

  @Test("a simulated hour of comings and goings is the same for the same seed, and another for another")
  func seedDecides() throws {
    let first = try hour(seed: 42)
    let again = try hour(seed: 42)
    let other = try hour(seed: 43)
    #expect(first == again)
    #expect(first != other)
    #expect(first.count > 1000)
  }

  /// Everything a bystander could record in an hour: advertisers, times and signal strengths.
  private func hour(seed: UInt64) throws -> [String] {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seed, faults: .gym)
      for _ in 0..<10 { world.addStrap(.gym) }
      let radio = try await readyRadio(world)
      let log = Box<[String]>([])
      radio.onAdvertisement = {
        log.value.append("\($0.time.nanoseconds) \($0.address) \($0.rssi ?? 0) \(hexadecimal($0.data))")
      }
      try await loop.sleep(for: .seconds(3600))
      return log.value
    }
  }

  @Test("one strap's troubles do not move another strap's draws")
  func streamsAreIndependent() throws {
    func first(_ adjust: @escaping @Sendable (inout StrapTraits) -> Void) throws -> [GroundTruth.Entry] {
      try VirtualLoop.run { loop in
        let world = VirtualWorld(loop: loop, seed: 12)
        let strap = world.addStrap()
        world.addStrap(adjust: adjust)
        let radio = try await readyRadio(world)
        let client = RawClient(try await radio.connect(to: strap.address, deadline: loop.now + .seconds(5)))
        #expect(await client.subscribe())
        try await loop.sleep(for: .seconds(100))
        client.bearer.close(immediately: true)
        return strap.truth.entries
      }
    }
    let quiet = try first { _ in }
    let busy = try first {
      $0.advertisingInterval = .milliseconds(100)
      $0.rssi = -30
    }
    #expect(quiet == busy && quiet.count > 90)
  }

  @Test("the same straps stream in real time")
  func realTime() throws {
    try EpollLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 3)
      world.addStrap(.demonstration)
      let radio = VirtualRadio(world)
      radio.start()
      let ready = Box<CheckedContinuation<BluetoothAddress, Never>?>(nil)
      let address = await withCheckedContinuation { continuation in
        ready.value = continuation
        radio.onAdvertisement = {
          ready.value?.resume(returning: $0.address)
          ready.value = nil
        }
      }
      let client = RawClient(try await radio.connect(to: address, deadline: loop.now + .seconds(5)))
      #expect(await client.subscribe())
      let start = loop.now
      while client.notifications.count < 2, loop.now - start < .seconds(10) {
        try await loop.sleep(for: .milliseconds(100))
      }
      #expect(client.notifications.count == 2)
      #expect(loop.now - start > .milliseconds(900))
      await radio.shutDown()
    }
  }
}

@LoopActor
final class Box<T: Sendable> {
  var value: T
  init(_ value: T) { self.value = value }
}
