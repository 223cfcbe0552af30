import Bluetooth
import EventLoop
import Simulation
import StrapTwin
import Testing

@Suite("Hostile straps")
struct HostileStrapTests {
  @Test("each kind of misbehaviour is on the air as described", arguments: HostileConduct.allCases)
  func misbehaves(_ conduct: HostileConduct) throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 20)
      let strap = world.addStrap(conduct: conduct)
      let radio = try await readyRadio(world)
      let longest = Box(0)
      radio.onAdvertisement = { longest.value = max(longest.value, $0.data.count) }
      try await loop.sleep(for: .seconds(5))
      let client = RawClient(try await radio.connect(to: strap.address, deadline: loop.now + .seconds(5)))
      switch conduct {
      case .neverAnswers:
        #expect(client.bearer.send([0x0A, 0x03, 0x00]))
        try await loop.sleep(for: .seconds(40))
        #expect(client.received.isEmpty && client.closed.isEmpty)
      case .closesAtOnce:
        try await loop.sleep(for: .seconds(1))
        #expect(client.closed == [.peerClosed])
      case .floods:
        try await loop.sleep(for: .seconds(10))
        #expect(client.received.count > 10_000)
      case .endlessDiscovery:
        for start: UInt8 in 1...20 {
          let answer = await client.request([0x10, start, 0, 0xFF, 0xFF, 0x00, 0x28])
          #expect(answer?.first == 0x11)
        }
      case .malformedValues, .unknownHandles:
        #expect(await client.subscribe())
        try await loop.sleep(for: .seconds(60))
        #expect(client.received.count > 110)
        // `subscribe` took two of the received PDUs, which are not in the ground truth.
        let odd = client.received.count - 2 - strap.truth.entries.count
        #expect(odd >= strap.truth.entries.count)
        #expect(conduct != .malformedValues || strap.truth.malformed == odd)
      case .monstrousName:
        #expect(longest.value > 254)
        #expect(client.bearer.send([0x02, 0xF7, 0x00]))
        try await loop.sleep(for: .seconds(1))
        var name: [UInt8] = []
        while let part = await client.request([0x0C, 0x03, 0x00, UInt8(name.count & 255), UInt8(name.count >> 8)]),
          part[0] == 0x0D, part.count > 1
        {
          name += part.dropFirst()
        }
        #expect(name.count == 512)
        #expect(String(validating: name, as: UTF8.self) == nil)
      case .asksBack:
        try await loop.sleep(for: .seconds(1))
        #expect(client.received.map { $0[0] } == [0x02, 0x10, 0x04, 0x06, 0x0A, 0x12, 0x04, 0x3E])
        #expect(client.bearer.send([0x03, 0x05, 0x02]))
        try await loop.sleep(for: .seconds(1))
        #expect((strap as? HostileStrap)?.answersFromHub == [[0x03, 0x05, 0x02]])
      case .oversizedPDUs:
        #expect(await client.subscribe())
        try await loop.sleep(for: .seconds(5))
        #expect(client.notifications.allSatisfy { $0.count > 517 })
      }
      client.bearer.close(immediately: true)
      try await loop.sleep(for: .seconds(1))
      #expect(radio.links.isEmpty)
    }
  }
}
