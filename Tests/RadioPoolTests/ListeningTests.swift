// The adapter that makes no links, so that advertisements are heard meanwhile.

import Bluetooth
import EventLoop
import Testing

@testable import RadioPool

@LoopActor
private struct Adapters {
  let loop: VirtualLoop
  let pool: RadioPool
  let radios: [PlayedRadio]

  init(_ loop: VirtualLoop, _ count: Int, _ rule: ListeningRule) {
    self.loop = loop
    pool = RadioPool(loop, listening: rule)
    radios = (0..<UInt64(count)).map { PlayedRadio(loop, $0) }
    for radio in radios { pool.add(radio) }
    pool.start(owning: [])
    for radio in radios { radio.change(to: .ready) }
  }

  @discardableResult
  func connect(_ address: BluetoothAddress) async -> LinkError? {
    do throws(LinkError) {
      _ = try await pool.connect(to: address, deadline: loop.now + .seconds(10), parameters: .foreground)
      return nil
    } catch { return error }
  }

  /// Begins an attempt at each wearable, which takes 5 s.
  func attempt(_ wearables: [UInt64]) async throws {
    for radio in radios { radio.attemptTime = .seconds(5) }
    for number in wearables { loop.spawn { await connect(strap(number)) } }
    try await loop.sleep(for: .milliseconds(10))
  }
}

struct ListeningTests {
  /// Longest time for which one of sixty advertisers, each with an advertisement a second, is not heard. Meanwhile four
  /// wearables that are heard and not reached are tried all the time, and no adapter receives while it tries.
  @LoopActor
  private func silence(_ loop: VirtualLoop, _ rule: ListeningRule) async throws -> Duration {
    let adapters = Adapters(loop, 4, rule)
    let deaf = (100..<104).map { strap($0) }
    for radio in adapters.radios { (radio.attemptTime, radio.unreachable) = (.seconds(3), Set(deaf)) }
    var heardAt: [BluetoothAddress: Instant] = [:]
    var longest = Duration.zero
    adapters.pool.onAdvertisement = { heard in
      longest = max(longest, heardAt[heard.address].map { heard.time - $0 } ?? .zero)
      heardAt[heard.address] = heard.time
    }
    let end = loop.now + .seconds(45)
    for wearable in deaf {
      loop.spawn { while loop.now < end { await adapters.connect(wearable) } }
    }
    for _ in 0..<60 {
      for number in 0..<60 {
        for radio in adapters.radios where radio.running == 0 { radio.hear(strap(UInt64(number)), -70) }
        try await loop.sleep(for: .milliseconds(1000 / 60))
      }
    }
    let now = loop.now
    for number in 0..<60 { longest = max(longest, heardAt[strap(UInt64(number))].map { now - $0 } ?? .seconds(60)) }
    return longest
  }

  @Test func `each of sixty advertisers is heard every second, though four wearables are tried all the time`() throws {
    try VirtualLoop.run { loop in
      let silence = try await silence(loop, .automatic)
      #expect(silence < .milliseconds(1100), "\(silence)")
    }
  }

  @Test func `without a listening adapter they are not heard for as long as all adapters make links`() throws {
    try VirtualLoop.run { loop in
      let silence = try await silence(loop, .never)
      #expect(silence >= .seconds(3), "\(silence)")
    }
  }

  @Test func `the last adapter without attempts makes a link if the others are full, or do not hear the wearable`()
    throws
  {
    try VirtualLoop.run { loop in
      let adapters = Adapters(loop, 3, .automatic)
      #expect(adapters.pool.facts.listensInTurn)
      try await adapters.attempt([1, 2, 3])
      #expect(adapters.radios.map(\.running) == [2, 1, 0])
      adapters.radios[2].hear(strap(4), -50)
      try await adapters.attempt([4])
      #expect(adapters.radios.map(\.running) == [2, 1, 1], "only that one hears it")
      try await loop.sleep(for: .seconds(10))
      for radio in adapters.radios { radio.slots = 3 }
      try await adapters.attempt([11, 12, 13, 14, 15])
      #expect(adapters.radios.map(\.open.count) == [2, 1, 1])
      #expect(adapters.radios.map(\.running) == [1, 2, 2], "all others have a link or an attempt in each slot")
    }
  }

  @Test func `two adapters make links at the same time, and so do more if all may make links`() throws {
    try VirtualLoop.run { loop in
      let two = Adapters(loop, 2, .automatic)
      #expect(!two.pool.facts.listensInTurn)
      try await two.attempt([1, 2])
      #expect(two.radios.map(\.running) == [1, 1])
      let three = Adapters(loop, 3, .never)
      try await three.attempt([1, 2, 3])
      #expect(three.radios.map(\.running) == [1, 1, 1] && !three.pool.facts.listensInTurn)
    }
  }

  @Test func `a named adapter makes no links, also if the others are full, but to wearables that are bonded to it`()
    throws
  {
    try VirtualLoop.run { loop in
      let adapters = Adapters(loop, 3, .adapter(0xAABB_CC00_0001))
      adapters.pool.setKeys([bond(strap(99), at: adapters.radios[1].address)])
      for number in 0..<10 {
        adapters.radios[1].hear(strap(UInt64(number)), -40)
        #expect(await adapters.connect(strap(UInt64(number))) == nil)
      }
      #expect(await adapters.connect(strap(10)) == .slotsFull)
      #expect(adapters.radios.map(\.open.count) == [5, 0, 5])
      #expect(await adapters.connect(strap(99)) == nil)
      let facts = adapters.pool.facts
      #expect((facts.links, facts.slots) == (11, 11), "its other slots are for no wearable")
      #expect(facts.adapters.map(\.onlyListens) == [false, true, false])
      for radio in [adapters.radios[0], adapters.radios[2]] { radio.change(to: .down(.adapterRemoved)) }
      #expect(await adapters.connect(strap(20)) == nil, "it is the only one that serves")
      #expect(adapters.pool.facts.adapters.allSatisfy { !$0.onlyListens })
    }
  }
}
