import Bluetooth
import EventLoop
import HostileTwin
import Simulation
import Testing

@Suite("Hostile peers on the air")
struct HostileTrickTests {
  /// A link to a peer that plays a trick, 2 s after it arrived.
  @LoopActor
  private func meet(
    _ loop: VirtualLoop, _ trick: HostileTrick, as guise: HostileGuise = .strap,
    _ body: (RawClient, HostilePeer, VirtualRadio) async throws -> Void
  ) async throws {
    let world = VirtualWorld(loop: loop, seed: 61)
    let peer = world.addHostile(trick, as: guise)
    let radio = try await readyRadio(world)
    peer.twin.arrive()
    try await loop.sleep(for: .seconds(2))
    let client = RawClient(try await radio.connect(to: peer.twin.address, deadline: loop.now + .seconds(10)))
    try await body(client, peer, radio)
    #expect(peer.tap.links == 1 && peer.twin.isSpoiled)
  }

  private static let exchange: [UInt8] = [0x02, 0xF7, 0x00]
  private static let services: [UInt8] = [0x10, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28]
  private static let characteristics: [UInt8] = [0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28]

  /// Reads all declarations, as a hub does before it subscribes.
  @LoopActor
  private func discover(_ client: RawClient) async {
    var start: UInt16 = 1
    while let answer = await client.request(
      [0x08, UInt8(truncatingIfNeeded: start), UInt8(start >> 8), 0xFF, 0xFF, 0x03, 0x28]), answer[0] == 0x09
    {
      let last = answer.count - Int(answer[1])
      start = (UInt16(answer[last]) | UInt16(answer[last + 1]) << 8) + 1
    }
  }

  @Test(
    """
    one that lets no central in is heard, and the kernel gives its link up three seconds after; only an unheard one \
    has the whole of an attempt
    """
  )
  func letsNobodyIn() throws {
    try VirtualLoop.run { loop in
      let heard = Box(0)
      let world = VirtualWorld(loop: loop, seed: 61)
      let peer = world.addHostile(.letsNobodyIn, as: .insole, isLoud: true)
      let radio = try await readyRadio(world)
      radio.onAdvertisement = { if $0.isConnectable, $0.rssi ?? -127 > -30 { heard.value += 1 } }
      /// How long an attempt of so many seconds takes to fail.
      @LoopActor func attempt(_ seconds: Int64, _ error: LinkError) async -> Duration {
        let began = loop.now
        await #expect(throws: error) {
          _ = try await radio.connect(to: peer.twin.address, deadline: began + .seconds(seconds))
        }
        return loop.now - began
      }
      peer.twin.arrive()
      try await loop.sleep(for: .seconds(5))
      #expect(heard.value > 3)
      // Advertising each 20 ms: so much later it is heard, at most.
      let givenUp = await attempt(10, .timedOut)
      #expect(givenUp > .seconds(3) && givenUp < .seconds(3) + .milliseconds(25), "\(givenUp)")
      // A hub that waits for less than the kernel learns the same.
      #expect(await attempt(2, .timedOut) == .seconds(2))
      peer.twin.leave()
      #expect(await attempt(10, .notHeard) == .seconds(10))
    }
  }

  @Test(
    "those that end a link do so at their time",
    arguments: [
      (.breaksAtTheFirstEvent, .linkLost, 0...0.3), (.hangsUpAtOnce, .peerClosed, 0...0.1),
      (.hangsUpAfterASecond, .peerClosed, 1...1.1), (.breaksEachThreeSeconds, .linkLost, 3...3.1),
      (.vanishesInTheLink, .linkLost, 4...4.2),
    ] as [(HostileTrick, LinkError, ClosedRange<Double>)])
  func ends(_ trick: HostileTrick, _ error: LinkError, _ seconds: ClosedRange<Double>) throws {
    try VirtualLoop.run { loop in
      try await meet(loop, trick) { client, _, _ in
        let began = loop.now
        while client.closed.isEmpty, loop.now - began < .seconds(20) { try await loop.sleep(for: .milliseconds(10)) }
        #expect(client.closed == [error] && seconds.contains((loop.now - began).inSeconds))
      }
    }
  }

  @Test("those that hang up behind a subscription confirm it first")
  func subscribed() throws {
    for (trick, limit) in [(HostileTrick.hangsUpAtEachSubscription, 0.2), (.reconnectsEachSecond, 1.2)] {
      try VirtualLoop.run { loop in
        try await meet(loop, trick) { client, _, _ in
          #expect(await client.subscribe())
          let began = loop.now
          while client.closed.isEmpty { try await loop.sleep(for: .milliseconds(10)) }
          #expect(client.closed == [.peerClosed] && (loop.now - began).inSeconds < limit)
        }
      }
    }
  }

  @Test(
    "a silent one answers what comes before its step, and not a word after",
    arguments: [
      (.mute, 0), (.muteAfterMTU, 1), (.muteAfterServices, 2), (.muteAtDescriptors, 3), (.muteAtSubscription, 4),
    ] as [(HostileTrick, Int)])
  func mute(_ trick: HostileTrick, _ answered: Int) throws {
    try VirtualLoop.run { loop in
      try await meet(loop, trick) { client, peer, radio in
        let questions = [
          Self.exchange, Self.services, Self.characteristics, [0x04, 0x04, 0x00, 0xFF, 0xFF], [0x12, 0x0C, 0, 1, 0],
        ]
        for (number, question) in questions.enumerated() where number <= answered {
          let before = client.received.count
          #expect(client.bearer.send(question))
          try await loop.sleep(for: .seconds(2))
          #expect(client.received.count == before + (number < answered ? 1 : 0), "\(question)")
        }
        try await loop.sleep(for: .seconds(60))
        #expect(client.closed.isEmpty && radio.links == [peer.twin.address] && peer.tap.plays > 0)
      }
    }
  }

  @Test("late answers come just before ATT's time is over, and one step an answer")
  func late() throws {
    for (trick, seconds) in [(HostileTrick.answersAfter29, 29.0), (.oneStepEach25, 25.0)] {
      try VirtualLoop.run { loop in
        try await meet(loop, trick) { client, _, _ in
          for question in [Self.exchange, Self.services] {
            let began = loop.now
            let answer = try #require(await client.request(question))
            #expect((seconds...seconds + 0.2).contains((loop.now - began).inSeconds))
            if trick == .oneStepEach25, answer[0] == 0x11 { #expect(answer.count == 2 + Int(answer[1])) }
          }
        }
      }
    }
  }

  @Test("answers that grow slower end below ATT's time")
  func slower() throws {
    try VirtualLoop.run { loop in
      try await meet(loop, .growsSlower) { client, _, _ in
        var spans: [Double] = []
        for _ in 0..<14 {
          let began = loop.now
          _ = try #require(await client.request(Self.services))
          spans.append((loop.now - began).inSeconds)
        }
        #expect(spans[0] < 0.2 && zip(spans, spans.dropFirst()).allSatisfy { $0 <= $1 + 0.1 })
        #expect((29...29.2).contains(spans[13]))
      }
    }
  }

  @Test("endless lists go up handle by handle, as the specification wants them")
  func endless() throws {
    try VirtualLoop.run { loop in
      try await meet(loop, .endlessServices) { client, _, _ in
        for start in 1...500 {
          let low = UInt8(truncatingIfNeeded: start)
          let answer = await client.request([0x10, low, UInt8(start >> 8), 0xFF, 0xFF, 0x00, 0x28])
          #expect(answer?.prefix(4) == [0x11, 0x06, low, UInt8(start >> 8)])
        }
      }
      try await meet(loop, .endlessReads) { client, _, _ in
        _ = await client.request(Self.exchange)
        let first = await client.request([0x0A, 0x03, 0x00])
        let next = await client.request([0x0C, 0x03, 0x00, 0xF6, 0x00])
        #expect(first?.count == 247 && first?[0] == 0x0B && next?.count == 247 && next?[0] == 0x0D)
      }
    }
  }

  @Test(
    "values come as the trick says",
    arguments: [
      (.neverSendsAValue, 0...0), (.oneValueThenMute, 1...1), (.oneValueEach25, 4...5), (.honestForAMinute, 57...61),
      (.floodsThenMute, 300...480), (.alternates, 57...61),
    ] as [(HostileTrick, ClosedRange<Int>)])
  func values(_ trick: HostileTrick, _ count: ClosedRange<Int>) throws {
    try VirtualLoop.run { loop in
      try await meet(loop, trick) { client, _, _ in
        await discover(client)
        #expect(await client.subscribe())
        try await loop.sleep(for: .seconds(110))
        #expect(count.contains(client.notifications.count), "\(client.notifications.count)")
        #expect(client.closed.isEmpty)
      }
    }
  }

  @Test("pairing that stalls ends when SMP's time is over, and one that crawls comes to its end late")
  func pairing() throws {
    for (trick, seconds) in [(HostileTrick.stallsFeatures, 30.0), (.stallsExchange, 30.0), (.crawlsExchange, 174.0)] {
      try VirtualLoop.run { loop in
        let asked = Box<Instant?>(nil)
        try await meet(loop, trick) { client, peer, radio in
          radio.onKeys = { _, _ in .kept }
          radio.onPairingRequest = {
            asked.value = loop.now
            radio.answer($0.address, .yes)
          }
          let began = loop.now
          while client.closed.isEmpty, peer.twin.bond == nil, loop.now - began < .seconds(400) {
            try await loop.sleep(for: .milliseconds(100))
          }
          #expect((seconds...seconds + 1.5).contains((loop.now - began).inSeconds), "\((loop.now - began).inSeconds)")
          #expect(client.closed == (trick == .crawlsExchange ? [] : [.authenticationFailed]))
          #expect((asked.value == nil) == (trick == .stallsFeatures))
        }
      }
    }
  }

  @Test("one that stretches its link is granted an interval of four seconds")
  func stretches() throws {
    try VirtualLoop.run { loop in
      try await meet(loop, .stretchesTheLink) { _, peer, radio in
        try await loop.sleep(for: .seconds(5))
        let parameters = try #require(radio.parameters(of: peer.twin.address))
        #expect(parameters.interval == 3200 && parameters.timeout == 3200)
      }
    }
  }

  @Test("every trick suits at least one kind, and transfers that go wrong all that transfer")
  func suits() {
    for trick in HostileTrick.allCases { #expect(HostileGuise.allCases.contains(where: trick.suits), "\(trick)") }
    #expect(HostileGuise.allCases.filter(HostileTrick.transferStalls.suits).count == 6)
  }
}
