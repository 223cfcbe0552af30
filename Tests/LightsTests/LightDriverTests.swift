import EventLoop
import Lights
import Testing

/// A driver on recording pins, in virtual time.
@LoopActor
private final class Bench {
  let loop: VirtualLoop
  let pins: RecordingPins
  let driver: LightDriver
  var state = LightState()
  private let start: Instant

  init(_ loop: VirtualLoop, _ language: LightLanguage = .gym, lamps: Set<Lamp> = Set(Lamp.allCases)) {
    self.loop = loop
    pins = RecordingPins(loop: loop, lamps: lamps)
    driver = LightDriver(loop: loop, pins: pins, language: language)
    start = loop.now
    state.phase = .serving
  }

  func show(_ change: (inout LightState) -> Void = { _ in }) {
    change(&state)
    driver.show(state)
  }

  func wait(_ milliseconds: Int) async throws { try await loop.sleep(for: .milliseconds(milliseconds)) }

  /// Edges of one lamp in milliseconds from the start: lit positive, dark negative. The dark level at the very start is
  /// left out.
  func edges(_ lamp: Lamp) -> [Int] {
    pins.edges.filter { $0.lamp == lamp && $0.at > start || $0.lamp == lamp && $0.on }.map {
      ($0.on ? 1 : -1) * Int(($0.at - start).wholeNanoseconds / 1_000_000)
    }
  }

  /// When the lamp lit up.
  func onsets(_ lamp: Lamp) -> [Int] {
    pins.edges.filter { $0.lamp == lamp && $0.on }.map { Int(($0.at - start).wholeNanoseconds / 1_000_000) }
  }
}

@Suite("The light driver")
struct LightDriverTests {
  @Test("beats on the millisecond, 100 ms in two seconds in a gym and in three on a ward")
  func heartbeat() throws {
    try VirtualLoop.run { loop in
      let gym = Bench(loop)
      let ward = Bench(loop, .ward)
      gym.show()
      ward.show()
      try await gym.wait(6500)
      #expect(gym.edges(.hub) == [0, -100, 2000, -2100, 4000, -4100, 6000, -6100])
      #expect(ward.edges(.hub) == [0, -100, 3000, -3100, 6000, -6100])
      #expect(gym.edges(.link).isEmpty && gym.edges(.store).isEmpty)
      #expect(gym.driver.meanings.map(\.pattern) == [.heartbeat, .off, .off])
      #expect(gym.driver.levels == [.hub: false, .link: false, .store: false])
    }
  }

  @Test("is dark until the first state is shown")
  func darkBefore() throws {
    try VirtualLoop.run { loop in
      let bench = Bench(loop)
      try await bench.wait(5000)
      #expect(bench.pins.edges.map(\.on) == [false, false, false])
      #expect(bench.driver.meanings.map(\.pattern) == [.off, .off, .off])
    }
  }

  @Test("completes a cycle before it changes the pattern")
  func cyclesComplete() throws {
    try VirtualLoop.run { loop in
      let bench = Bench(loop)
      bench.show()
      try await bench.wait(50)
      bench.show { $0.configInvalid = .configReloadRefused }
      #expect(bench.driver.meanings[0].pattern == .heartbeat, "what the lamp still says")
      try await bench.wait(6000)
      #expect(bench.edges(.hub).prefix(10) == [0, -100, 2000, -2150, 2500, -2650, 3000, -3150, 3500, -3650])
      #expect(bench.driver.meanings[0].pattern == .code(4))
      #expect(bench.driver.meanings[0].reason == .configReloadRefused)
    }
  }

  @Test("keeps a code for ten seconds and then to the end of its cycle, though its cause is gone")
  func codesStay() throws {
    try VirtualLoop.run { loop in
      let bench = Bench(loop)
      bench.show { $0.attention = .keyMissing }
      try await bench.wait(10)
      bench.show { $0.attention = nil }
      try await bench.wait(20_000)
      // Code 3 takes 3.5 s: cycles at 0, 3.5 and 7 s; the one that ends at 10.5 s is the last.
      #expect(bench.onsets(.link) == [0, 500, 1000, 3500, 4000, 4500, 7000, 7500, 8000])
      #expect(bench.driver.meanings[1].pattern == .off)
    }
  }

  @Test("keeps a code for ten seconds also against a worse one, and explains what is on the LED")
  func codesStayAgainstWorse() throws {
    try VirtualLoop.run { loop in
      let bench = Bench(loop)
      bench.show { $0.slotsFullAndOverdue = true }
      try await bench.wait(100)
      bench.show { $0.radio = .gone(.radioExhausted) }
      try await bench.wait(11_800)
      #expect(bench.driver.meanings[1].pattern == .code(2))
      try await bench.wait(200)
      #expect(bench.driver.meanings[1].pattern == .code(4))
      #expect(bench.onsets(.link) == [0, 500, 3000, 3500, 6000, 6500, 9000, 9500, 12_000])
    }
  }

  @Test("a code that an LED still shows though its reason is over is shown as over, and a present one is not")
  func over() throws {
    try VirtualLoop.run { loop in
      let bench = Bench(loop)
      var state = LightState()
      state.phase = .serving
      state.slotsFullAndOverdue = true
      bench.driver.show(state)
      try await bench.wait(100)
      #expect(bench.driver.meanings(by: state).map(\.isOver) == [false, false, false])
      state.slotsFullAndOverdue = false
      #expect(bench.driver.meanings(by: state).map(\.isOver) == [false, true, false])
      #expect(bench.driver.meanings(by: state)[1].reason == .slotsFull)
    }
  }

  @Test("a code after a lit LED begins with dark, so that its first flash can be counted")
  func codesBeginDark() throws {
    try VirtualLoop.run { loop in
      let bench = Bench(loop)
      bench.show { $0.links = 2 }
      try await bench.wait(5000)
      bench.show { $0.slotsFullAndOverdue = true }
      try await bench.wait(100)
      bench.show { $0.slotsFullAndOverdue = false }
      try await bench.wait(15_000)
      #expect(bench.edges(.link).prefix(6) == [0, -5000, 7000, -7150, 7500, -7650])
      #expect(
        bench.onsets(.link) == [0, 7000, 7500, 10_000, 10_500, 13_000, 13_500, 16_000, 16_500, 19_000],
        "held from its first flash")
    }
  }

  @Test("a new reason for the same code changes what is said and not what is seen")
  func reasonsChangeInPlace() throws {
    try VirtualLoop.run { loop in
      let bench = Bench(loop)
      bench.show { $0.attention = .keyMissing }
      try await bench.wait(700)
      bench.show { $0.attention = .authenticationFailed }
      #expect(bench.driver.meanings[1].reason == .authenticationFailed)
      try await bench.wait(3000)
      #expect(bench.onsets(.link) == [0, 500, 1000, 3500])
    }
  }

  @Test("a finished visit dips LINK and a commit winks STORE for 80 ms")
  func dips() throws {
    try VirtualLoop.run { loop in
      let bench = Bench(loop)
      bench.show { $0.links = 1 }
      try await bench.wait(6000)
      bench.driver.dip()
      bench.driver.wink()
      try await bench.wait(1000)
      #expect(bench.edges(.link) == [0, -6000, 6080])
      #expect(bench.edges(.store) == [6000, -6080])
      #expect(bench.driver.levels == [.hub: false, .link: true, .store: false])
    }
  }

  @Test(
    "dips and winks leave a moving LED alone and come no more often than a heartbeat",
    arguments: LightLanguage.allCases)
  func blinksAreRare(language: LightLanguage) throws {
    try VirtualLoop.run { loop in
      let bench = Bench(loop, language)
      bench.show {
        $0.links = 1
        $0.evictingUnexported = true
      }
      for _ in 0..<12_000 {
        bench.driver.dip()
        bench.driver.wink()
        try await bench.wait(5)
      }
      let dips = bench.edges(.link).filter { $0 < 0 }.map(-)
      #expect((15...30).contains(dips.count))
      for (first, second) in zip(dips, dips.dropFirst()) {
        #expect(second - first >= (language == .gym ? 2000 : 3000))
        if language == .ward { #expect(!isAlarmRate(1000 / Double(second - first))) }
      }
      #expect(bench.onsets(.store).prefix(3) == [0, 500, 3000], "code 2, undisturbed")
    }
  }

  @Test("a link that flaps does not make LINK flash at the rate of an alarm, and the last state is shown in the end")
  func flapping() throws {
    try VirtualLoop.run { loop in
      let bench = Bench(loop, .ward)
      for step in 0..<6001 {
        bench.show { $0.links = step % 2 }
        try await bench.wait(10)
      }
      let starts = bench.onsets(.link)
      #expect(starts.count > 3)
      for (first, second) in zip(starts, starts.dropFirst()) { #expect(!isAlarmRate(1000 / Double(second - first))) }
      try await bench.wait(4000)
      #expect(bench.driver.levels[.link] == false)
      bench.show { $0.links = 3 }
      #expect(bench.driver.levels[.link] == true, "a lamp that rested answers at once")
    }
  }

  @Test(
    "states thrown at it for an hour never flash an LED more than three times a second",
    arguments: LightLanguage.allCases)
  func neverFast(language: LightLanguage) throws {
    try VirtualLoop.run { loop in
      let bench = Bench(loop, language)
      var generator = Xorshift(state: 0x9E37_79B9_7F4A_7C15)
      for _ in 0..<20_000 {
        bench.show { $0 = anyState(&generator) }
        if generator.next() % 3 == 0 { bench.driver.dip() }
        if generator.next() % 3 == 0 { bench.driver.wink() }
        try await bench.wait(Int(generator.next() % 360))
      }
      for lamp in Lamp.allCases {
        let starts = bench.onsets(lamp)
        #expect(starts.count > 300)
        for index in starts.indices.dropLast(3) {
          #expect(starts[index + 3] - starts[index] >= 1000, "\(lamp.name) at \(starts[index]) ms")
        }
      }
    }
  }

  @Test("locating chases over all LEDs at once, ends after thirty seconds by itself, and can be asked for again")
  func locating() throws {
    try VirtualLoop.run { loop in
      let bench = Bench(loop)
      bench.show { $0.attention = .keyMissing }
      try await bench.wait(4100)
      bench.show { $0.locate = true }
      #expect(bench.driver.meanings.map(\.pattern) == [.locate, .locate, .locate])
      try await bench.wait(29_000)
      #expect(bench.onsets(.hub).filter { $0 > 4100 && $0 < 7100 } == [4450, 5450, 6450])
      #expect(bench.onsets(.link).filter { $0 > 4100 && $0 < 7100 } == [4550, 5550, 6550])
      #expect(bench.onsets(.store).filter { $0 > 4100 && $0 < 7100 } == [4650, 5650, 6650])
      #expect(bench.driver.meanings.map(\.pattern) == [.locate, .locate, .locate])
      try await bench.wait(1010)
      #expect(bench.driver.meanings.map(\.pattern) == [.heartbeat, .code(3), .off])
      #expect(bench.onsets(.store).count == 30)
      try await bench.wait(60_000)
      #expect(bench.onsets(.store).count == 30, "the state still asks; the lamps do not")
      bench.show { $0.locate = false }
      bench.show { $0.locate = true }
      try await bench.wait(5000)
      #expect(bench.onsets(.store).count == 35)
      bench.show { $0.locate = false }
      try await bench.wait(1000)
      #expect(bench.driver.meanings[0].pattern == .heartbeat, "and can be ended early")
    }
  }

  @Test("an LED frozen by stop is dark, its pins are given back, and it never moves again")
  func stopFreezes() throws {
    try VirtualLoop.run { loop in
      let bench = Bench(loop)
      bench.show { $0.links = 1 }
      try await bench.wait(2050)
      bench.driver.stop()
      #expect(bench.pins.isClosed)
      #expect(bench.driver.levels == [.hub: false, .link: false, .store: false])
      let count = bench.pins.edges.count
      bench.show { $0.links = 0 }
      bench.show { $0.locate = true }
      bench.driver.dip()
      bench.driver.wink()
      bench.driver.stop()
      try await bench.wait(60_000)
      #expect(bench.pins.edges.count == count)
    }
  }

  @Test("an idle hub sets a timer for each edge of its heartbeat and no other")
  func idleTimers() throws {
    try VirtualLoop.run { loop in
      let counting = CountingLoop(loop)
      let driver = LightDriver(loop: counting, pins: RecordingPins(loop: loop), language: .gym)
      var state = LightState()
      state.phase = .serving
      state.links = 1
      driver.show(state)
      for _ in 0..<60 {
        try await loop.sleep(for: .seconds(1))
        driver.show(state)
      }
      #expect((60...62).contains(counting.scheduled), "two edges in two seconds, for a minute")
    }
  }

  @Test("a stopped driver leaves no timer behind")
  func stopEndsTimers() {
    #expect(throws: VirtualLoopError.stuck) {
      try VirtualLoop.run { loop in
        let bench = Bench(loop)
        bench.show { $0.locate = true }
        bench.driver.stop()
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
      }
    }
  }
}

@Suite("Boards with fewer LEDs")
struct SmallBoardTests {
  @Test("a single LED shows the lowest number over all axes, HUB before LINK before STORE")
  func oneLamp() throws {
    try VirtualLoop.run { loop in
      let bench = Bench(loop, lamps: [.hub])
      bench.show {
        $0.radio = .gone(.radioExhausted)
        $0.storeFailing = .storeFailing
      }
      #expect(bench.driver.meanings.map(\.reason) == [.radioExhausted])
      let tie = Bench(loop, lamps: [.store])
      tie.show {
        $0.configInvalid = .configReloadRefused
        $0.storeFailing = .storeFailing
      }
      #expect(tie.driver.meanings.map(\.reason) == [.configReloadRefused])
      #expect(tie.driver.meanings.map(\.lamp) == [.hub])
      #expect(tie.driver.levels == [.store: true])
      #expect(Set(bench.pins.edges.map(\.lamp)) == [.hub] && Set(tie.pins.edges.map(\.lamp)) == [.store])
    }
  }

  @Test("a single LED moves as long as all is well: heartbeat without a link, the same in reverse with one")
  func oneLampMoves() throws {
    try VirtualLoop.run { loop in
      let bench = Bench(loop, lamps: [.hub])
      bench.show()
      try await bench.wait(3000)
      bench.show { $0.links = 2 }
      bench.driver.dip()
      try await bench.wait(5010)
      #expect(bench.edges(.hub) == [0, -100, 2000, -2100, 4100, -6000, 6100, -8000])
      #expect(bench.driver.meanings.map(\.pattern) == [.steady])
    }
  }

  @Test("a board without STORE shows its troubles on HUB and leaves LINK alone")
  func twoLamps() throws {
    try VirtualLoop.run { loop in
      let bench = Bench(loop, lamps: [.hub, .link])
      bench.show {
        $0.links = 1
        $0.storeFailing = .storeFailing
      }
      #expect(bench.driver.meanings.map(\.pattern) == [.code(4), .steady])
      #expect(bench.driver.meanings.map(\.lamp) == [.store, .link])
    }
  }
}

/// A loop that counts what is scheduled on it.
@LoopActor
private final class CountingLoop: Loop {
  private let loop: VirtualLoop
  private(set) var scheduled = 0

  init(_ loop: VirtualLoop) { self.loop = loop }

  var now: Instant { loop.now }
  var wall: WallTime { loop.wall }
  var wallIsTrusted: Bool { loop.wallIsTrusted }
  func schedule(at deadline: Instant, _ body: @escaping @LoopActor () -> Void) -> LoopTimer {
    scheduled += 1
    return loop.schedule(at: deadline, body)
  }
  func cancel(_ timer: LoopTimer) { loop.cancel(timer) }
  func stop() { loop.stop() }
}

private struct Xorshift {
  var state: UInt64
  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state >> 16
  }
}

private func anyState(_ generator: inout Xorshift) -> LightState {
  var state = LightState()
  let bits = generator.next()
  func chance(_ shift: UInt64, _ outOf: UInt64) -> Bool { (bits >> shift) % outOf == 0 }
  state.phase = chance(0, 4) ? .starting : .serving
  state.configInvalid = chance(2, 8) ? .configSyntax : nil
  state.clockTrusted = !chance(5, 8)
  state.radio = chance(8, 8) ? .gone(.radioExhausted) : chance(11, 8) ? .recovering(.controllerSilent) : .serving
  state.attention = chance(14, 8) ? .keyMissing : nil
  state.slotsFullAndOverdue = chance(17, 8)
  state.enrolmentOpen = chance(20, 4)
  state.links = Int(bits >> 22 & 1)
  state.storeFailing = chance(25, 16) ? .storeFailing : nil
  state.evictingUnexported = chance(29, 16)
  state.storeBusy = chance(33, 4)
  state.unread = chance(42, 8) ? .storeUnread : nil
  state.locate = chance(36, 64)
  return state
}
