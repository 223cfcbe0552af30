import Bluetooth
import EventLoop
import Reasons
import Testing

@testable import RadioPool

func strap(_ number: UInt64) -> BluetoothAddress {
  BluetoothAddress(value: 0xF0F1_F2F3_F400 + number, kind: .leRandom)
}

/// A long-term key as the kernel tells it, of an authenticated pairing.
func bond(_ wearable: BluetoothAddress, at adapter: BluetoothAddress?) -> BondKeys {
  let octets = (0..<6).map { UInt8(truncatingIfNeeded: wearable.value >> (8 * UInt64($0))) }
  let record = octets + [2, 2, 1, 16] + [UInt8](repeating: 0, count: 10) + [UInt8](repeating: 7, count: 16)
  var keys = BondKeys(
    address: wearable, longTermKeys: [LongTermKey(record)].compactMap(\.self),
    identityKey: [UInt8](repeating: 9, count: 16))
  keys.adapter = adapter
  return keys
}

@LoopActor
private struct Setting {
  let loop: VirtualLoop
  let pool: RadioPool
  let radios: [PlayedRadio]

  init(_ loop: VirtualLoop, _ count: Int, ready: Bool = true) {
    self.loop = loop
    pool = RadioPool(loop)
    radios = (0..<UInt64(count)).map { PlayedRadio(loop, $0) }
    for radio in radios { pool.add(radio) }
    pool.start(owning: [])
    if ready { for radio in radios { radio.change(to: .ready) } }
  }

  func connect(_ address: BluetoothAddress, within limit: Duration = .seconds(30)) async -> LinkError? {
    do throws(LinkError) {
      _ = try await pool.connect(to: address, deadline: loop.now + limit, parameters: .foreground)
      return nil
    } catch { return error }
  }

  /// Radios that have the link of a wearable.
  func carrier(_ address: BluetoothAddress) -> [Int] { radios.indices.filter { radios[$0].open.contains(address) } }
}

@Suite("Several radios are one")
struct RadioPoolTests {
  @Test("an advertisement that several hear is reported once, with the loudness of the adapter that hears it best")
  func heardOnce() throws {
    try VirtualLoop.run { loop in
      let setting = Setting(loop, 3)
      var told: [Advertisement] = []
      setting.pool.onAdvertisement = { told.append($0) }
      for _ in 0..<20 {
        setting.radios[2].hear(strap(1), -80)
        setting.radios[0].hear(strap(1), -50)
        try await loop.sleep(for: .milliseconds(5))
        setting.radios[1].hear(strap(1), -64)
        try await loop.sleep(for: .seconds(1))
      }
      #expect(told.count == 20)
      #expect(told.dropFirst().allSatisfy { $0.rssi == -50 }, "\(told.map(\.rssi))")
      #expect(setting.pool.facts.counters.last?.value == 40)
    }
  }

  @Test(
    "what only one of them hears, and what changed, is reported each time; so are scan responses beside advertisements")
  func heardByOne() throws {
    try VirtualLoop.run { loop in
      let setting = Setting(loop, 2)
      var told = 0
      setting.pool.onAdvertisement = { _ in told += 1 }
      setting.radios[0].hear(strap(1), -50)
      setting.radios[0].hear(strap(1), -50)
      #expect(told == 2, "one adapter's own reports are its own to limit")
      setting.radios[1].hear(strap(1), -50, data: [3, 0xFF, 1, 2])
      #expect(told == 3)
      setting.radios[0].hear(strap(2), -50)
      setting.radios[0].hear(strap(2), -50, data: [2, 9, 65], isScanResponse: true)
      setting.radios[1].hear(strap(2), -50)
      setting.radios[1].hear(strap(2), -50, data: [2, 9, 65], isScanResponse: true)
      #expect(told == 5)
      try await loop.sleep(for: .milliseconds(100))
      setting.radios[1].hear(strap(2), -50)
      #expect(told == 6, "the next advertising event")
    }
  }

  @Test("the reported loudness changes over to another adapter only when that is plainly louder, or the first is deaf")
  func hysteresis() throws {
    try VirtualLoop.run { loop in
      let setting = Setting(loop, 2)
      var told: [Int8?] = []
      setting.pool.onAdvertisement = { told.append($0.rssi) }
      @LoopActor func hear(_ loudness: [Int8?], times: Int) async throws {
        for _ in 0..<times {
          for (radio, rssi) in zip(setting.radios, loudness) { if let rssi { radio.hear(strap(1), rssi) } }
          try await loop.sleep(for: .seconds(1))
        }
      }
      try await hear([-60, -57], times: 20)
      #expect(told.allSatisfy { $0 == -60 })
      told = []
      try await hear([-60, -45], times: 20)
      #expect(told.last == -45)
      told = []
      try await hear([-60, nil], times: 30)
      #expect(told.last == -60)
    }
  }

  @Test("thousands of invented addresses leave a bounded table, and one that is heard all along is still known")
  func flood() throws {
    try VirtualLoop.run { loop in
      var ears = Ears()
      for number in 0..<20_000 {
        _ = ears.take(
          Advertisement(
            address: strap(UInt64(1000 + number)), rssi: -90, isConnectable: true, data: [], time: loop.now), at: 1)
        if number % 100 == 0 {
          _ = ears.take(
            Advertisement(address: strap(1), rssi: -50, isConnectable: true, data: [], time: loop.now), at: 0)
        }
      }
      #expect(ears.loudness(of: strap(1), at: 0, loop.now) == -50)
      #expect(ears.loudness(of: strap(1001), at: 1, loop.now) == nil)
    }
  }

  @Test("links are spread over the adapters in proportion to their slots, and all slots are used")
  func spread() throws {
    try VirtualLoop.run { loop in
      let setting = Setting(loop, 3)
      setting.radios[1].slots = 10
      for number in 0..<20 {
        for radio in setting.radios { radio.hear(strap(UInt64(number)), -50) }
        #expect(await setting.connect(strap(UInt64(number))) == nil)
        let shares = setting.radios.map { Double($0.open.count) / Double($0.slots) }
        #expect((shares.max() ?? 0) - (shares.min() ?? 0) <= 0.21, "\(shares)")
      }
      #expect(setting.radios.map(\.open.count) == [5, 10, 5])
      #expect(setting.pool.facts.links == 20 && setting.pool.facts.slots == 20)
      #expect(await setting.connect(strap(99)) == .slotsFull)
      #expect(setting.radios.allSatisfy { $0.attempts.count <= 10 }, "nobody was asked in vain")
    }
  }

  @Test("a wearable that one adapter alone hears is linked there, though another one is idle")
  func heardThere() throws {
    try VirtualLoop.run { loop in
      let setting = Setting(loop, 2)
      for number in 0..<4 {
        setting.radios[1].hear(strap(UInt64(number)), -70)
        #expect(await setting.connect(strap(UInt64(number))) == nil)
      }
      #expect(setting.radios[1].open.count == 4)
    }
  }

  @Test(
    "an attempt goes on at another adapter if one is full, gone, or fails with a wearable that was heard",
    arguments: [LinkError.slotsFull, .attemptsFull, .adapterGone, .timedOut, .failedToEstablish, .system(errno: 16)])
  func goesOn(_ error: LinkError) throws {
    try VirtualLoop.run { loop in
      let setting = Setting(loop, 3)
      setting.radios[0].failures = [error]
      setting.radios[1].failures = [error]
      #expect(await setting.connect(strap(1)) == nil)
      #expect(setting.carrier(strap(1)) == [2])
      #expect(setting.radios.map(\.attempts.count) == [1, 1, 1])
    }
  }

  @Test(
    "what says something of the wearable itself ends the attempt",
    arguments: [LinkError.notHeard, .peerClosed, .authenticationFailed, .keyMissing, .aborted])
  func ends(_ error: LinkError) throws {
    try VirtualLoop.run { loop in
      let setting = Setting(loop, 2)
      setting.radios[0].failures = [error]
      #expect(await setting.connect(strap(1)) == error)
      #expect(setting.radios[1].attempts.isEmpty)
    }
  }

  @Test("without time for another adapter the first failure is reported")
  func noTime() throws {
    try VirtualLoop.run { loop in
      let setting = Setting(loop, 2)
      setting.radios[0].failures = [.timedOut]
      #expect(await setting.connect(strap(1), within: .seconds(2)) == .timedOut)
      #expect(setting.radios[1].attempts.isEmpty)
    }
  }

  @Test("an adapter that failed with a wearable is passed over for a while, and is as good as any ten minutes later")
  func fades() throws {
    try VirtualLoop.run { loop in
      let setting = Setting(loop, 2)
      setting.radios[0].failures = [.timedOut]
      #expect(await setting.connect(strap(1)) == nil)
      #expect(setting.carrier(strap(1)) == [1])
      for radio in setting.radios { radio.open = [] }
      #expect(await setting.connect(strap(2)) == nil)
      #expect(setting.carrier(strap(2)) == [1], "a failure with one counts a little for others")
      setting.radios[1].open = []
      try await loop.sleep(for: .seconds(700))
      #expect(await setting.connect(strap(3)) == nil)
      #expect(setting.carrier(strap(3)) == [0])
    }
  }

  @Test("a second attempt or link to one wearable is refused, over whichever adapter the first one is")
  func taken() throws {
    try VirtualLoop.run { loop in
      let setting = Setting(loop, 2)
      setting.radios[0].attemptTime = .seconds(5)
      loop.spawn { _ = await setting.connect(strap(1)) }
      try await loop.sleep(for: .seconds(1))
      #expect(await setting.connect(strap(1)) == .taken)
      try await loop.sleep(for: .seconds(10))
      #expect(await setting.connect(strap(1)) == .taken)
      #expect(setting.carrier(strap(1)) == [0])
    }
  }

  @Test("a pool serves while one of its radios does, and otherwise says why")
  func states() throws {
    try VirtualLoop.run { loop in
      let setting = Setting(loop, 3, ready: false)
      var told: [RadioState] = []
      setting.pool.onStateChange = { told.append($0) }
      #expect(setting.pool.state == .starting)
      setting.radios[1].change(to: .ready)
      setting.radios[0].change(to: .down(.adapterBlocked))
      #expect(setting.pool.state == .ready && setting.pool.facts.adapter == "hci1")
      setting.radios[1].change(to: .down(.adapterRemoved))
      #expect(setting.pool.state == .starting)
      setting.radios[2].change(to: .down(.adapterMissing))
      #expect(setting.pool.state == .down(.adapterBlocked))
      #expect(told == [.ready, .starting, .down(.adapterBlocked)])
      #expect(await setting.connect(strap(1)) == .adapterGone)
      #expect(setting.pool.serves(without: setting.radios[0]) == false)
    }
  }

  @Test("a radio that comes late is started, asks for names and has the keys; the ninth is refused")
  func late() throws {
    try VirtualLoop.run { loop in
      let setting = Setting(loop, 2)
      setting.pool.asksForNames = true
      setting.pool.setKeys([bond(strap(1), at: nil)])
      let late = PlayedRadio(loop, 7)
      #expect(setting.pool.add(late))
      #expect(late.ownedAtStart == [] && late.asksForNames)
      #expect(late.keys.map(\.identityKey) == [[UInt8](repeating: 9, count: 16)])
      for number in 10..<15 { #expect(setting.pool.add(PlayedRadio(loop, UInt64(number)))) }
      #expect(!setting.pool.add(PlayedRadio(loop, 20)))
    }
  }

  @Test("with one radio a pool is that radio: what it hears, says and knows is handed on as it is")
  func only() throws {
    try VirtualLoop.run { loop in
      let setting = Setting(loop, 1)
      var told: [Advertisement] = []
      setting.pool.onAdvertisement = { told.append($0) }
      for rssi: Int8 in [-50, -90, -50] { setting.radios[0].hear(strap(1), rssi) }
      #expect(told.map(\.rssi) == [-50, -90, -50])
      #expect(setting.pool.facts == setting.radios[0].facts && setting.pool.facts.adapters.isEmpty)
      let keys = [bond(strap(1), at: strap(2)), bond(strap(3), at: nil)]
      setting.pool.setKeys(keys)
      #expect(setting.radios[0].keys == keys)
      setting.radios[0].failures = [.slotsFull]
      #expect(await setting.connect(strap(1)) == .slotsFull)
    }
  }

  // MARK: Bonds

  @Test("a bonded wearable is linked over the adapter that it was paired with, and is not over another one")
  func bonded() throws {
    try VirtualLoop.run { loop in
      let setting = Setting(loop, 3)
      setting.pool.setKeys([bond(strap(1), at: setting.radios[2].address), bond(strap(2), at: strap(9))])
      setting.radios[0].hear(strap(1), -40)
      #expect(await setting.connect(strap(1)) == nil)
      #expect(setting.carrier(strap(1)) == [2])
      setting.radios[2].open = []
      setting.radios[2].change(to: .down(.adapterRemoved))
      #expect(await setting.connect(strap(1)) == .bondedElsewhere)
      #expect(await setting.connect(strap(2)) == .bondedElsewhere, "its adapter is not of this hub")
      #expect(setting.radios[0].attempts.isEmpty && setting.radios[1].attempts.isEmpty)
      setting.radios[2].change(to: .ready)
      setting.radios[2].open = Set((10..<15).map { strap($0) })
      #expect(await setting.connect(strap(1)) == .bondedSlotsFull, "no reason for others to wait")
      #expect(setting.pool.place(of: strap(1)) == AdapterPlace(last: 2, bond: .at(2)), "no attempt is under way")
      #expect(setting.pool.place(of: strap(2)) == AdapterPlace(bond: .absent))
      #expect(setting.pool.place(of: strap(3)) == AdapterPlace())
      setting.radios[2].change(to: .down(.adapterRemoved))
      #expect(setting.pool.place(of: strap(1))?.bond == .absent)
      #expect(Setting(loop, 1).pool.place(of: strap(1)) == nil)
    }
  }

  @Test("a slot that the hub keeps on an adapter for another wearable is taken by no attempt")
  func kept() throws {
    try VirtualLoop.run { loop in
      let setting = Setting(loop, 2)
      for radio in setting.radios { radio.slots = 1 }
      setting.pool.setKeys([bond(strap(1), at: setting.radios[0].address)])
      setting.pool.slotsKept = { $0 == strap(1) ? [0, 0] : [1, 0] }
      for number: UInt64 in [2, 3] { setting.radios[0].hear(strap(number), -40) }
      #expect(await setting.connect(strap(2)) == nil)
      #expect(setting.carrier(strap(2)) == [1], "the louder adapter has its slot for another wearable")
      #expect(await setting.connect(strap(3)) == .slotsFull)
      #expect(await setting.connect(strap(1)) == nil)
      #expect(setting.carrier(strap(1)) == [0])
    }
  }

  @Test("an adapter that another radio took over is that one's, with the keys that were made with it")
  func takenOver() throws {
    try VirtualLoop.run { loop in
      let setting = Setting(loop, 2)
      let first = setting.radios[0].address
      setting.pool.setKeys([bond(strap(1), at: first)])
      for radio in setting.radios { radio.change(to: .down(.adapterRemoved)) }
      setting.radios[1].address = first
      setting.radios[1].change(to: .ready)
      #expect(setting.radios[1].keys.map(\.longTermKeys.count) == [1])
      #expect(await setting.connect(strap(1)) == nil)
      #expect(setting.carrier(strap(1)) == [1])
    }
  }

  @Test("what encrypts is given to the adapter that it was made with, what resolves addresses to all of them")
  func shares() throws {
    try VirtualLoop.run { loop in
      let setting = Setting(loop, 2)
      setting.pool.setKeys([bond(strap(1), at: setting.radios[1].address), bond(strap(2), at: nil)])
      #expect(setting.radios[0].keys.map(\.longTermKeys.count) == [0, 1])
      #expect(setting.radios[1].keys.map(\.longTermKeys.count) == [1, 0])
      #expect(setting.radios.allSatisfy { $0.keys.allSatisfy { $0.identityKey != nil } })
    }
  }

  @Test("keys that are made say with which adapter, and security is raised over the adapter that has the link")
  func made() throws {
    try VirtualLoop.run { loop in
      let setting = Setting(loop, 2)
      var came: [BondKeys] = []
      setting.pool.onKeys = { _, keys in
        came.append(keys)
        return .kept
      }
      #expect(setting.radios[1].onKeys?(strap(1), bond(strap(1), at: nil)) == .kept)
      #expect(came.map(\.adapter) == [setting.radios[1].address])
      setting.radios[1].hear(strap(1), -40)
      let bearer = try await setting.pool.connect(
        to: strap(1), deadline: loop.now + .seconds(9), parameters: .foreground)
      try await setting.pool.secure(bearer)
      #expect(setting.radios[1].secured == [strap(1)] && setting.radios[0].secured.isEmpty)
    }
  }

  @Test("facts are the sum of those that serve, warnings are reported once, and each adapter is reported by itself")
  func sum() throws {
    try VirtualLoop.run { loop in
      let setting = Setting(loop, 3)
      let clash = HearthError(.bluetoothdClash, "it runs")
      for radio in setting.radios { radio.warnings = [clash] }
      setting.radios[2].change(to: .down(.adapterBlocked))
      let facts = setting.pool.facts
      #expect(facts.slots == 10 && facts.warnings == [clash] && facts.adapter == "hci0")
      #expect(facts.counters.first?.value == 9)
      #expect(facts.adapters.map(\.facts.adapter) == ["hci0", "hci1", "hci2"])
      #expect(facts.adapters.map(\.state) == [.ready, .ready, .down(.adapterBlocked)])
    }
  }
}
