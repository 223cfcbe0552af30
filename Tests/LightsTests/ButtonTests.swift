import EventLoop
import Lights
import Testing

/// A button that is pressed and let go in virtual time: looked at when its level changes and when its machine asks.
private struct Bench {
  var machine: ButtonMachine
  var now = Instant(nanoseconds: 1_000_000_000)
  private var level: Bool
  private let start: Instant
  /// What it gave, and when in milliseconds.
  var given: [String] = []

  init(isDown: Bool = false) {
    machine = ButtonMachine(isDown: isDown, at: now)
    level = isDown
    start = now
  }

  mutating func set(_ isDown: Bool) {
    level = isDown
    look()
  }

  mutating func wait(_ milliseconds: Int) {
    let end = now + .milliseconds(milliseconds)
    while let deadline = machine.deadline, deadline <= end {
      now = max(now, deadline)
      look()
    }
    now = end
  }

  /// Time passes without a look.
  mutating func stall(_ milliseconds: Int) { now = now + .milliseconds(milliseconds) }

  mutating func look() {
    for action in machine.advance(isDown: level, at: now) {
      given.append("\(action) \((now - start).wholeNanoseconds / 1_000_000)")
    }
  }
}

@Suite("The button")
struct ButtonTests {
  @Test("a short press opens the enrolment window, once it is let go")
  func short() {
    var bench = Bench()
    bench.wait(1000)
    bench.set(true)
    bench.wait(200)
    #expect(bench.given.isEmpty)
    bench.set(false)
    bench.wait(10_000)
    #expect(bench.given == ["openEnrolment 1230"])
    #expect(bench.machine.deadline == nil, "a button at rest wakes nobody")
  }

  @Test("held for three seconds it shows which box this is, at once and not again, without effect when it is let go")
  func locate() {
    var bench = Bench()
    bench.set(true)
    bench.wait(5000)
    #expect(bench.given == ["locate 3000"])
    bench.set(false)
    bench.wait(5000)
    #expect(bench.given == ["locate 3000"])
  }

  @Test("held for ten it also asks for a clean stop, however long it is held then")
  func stop() {
    var bench = Bench()
    bench.set(true)
    bench.wait(9999)
    #expect(bench.given == ["locate 3000"])
    bench.wait(60_000)
    #expect(bench.given == ["locate 3000", "stop 10000"])
    #expect(bench.machine.deadline == nil)
    bench.set(false)
    bench.wait(1000)
    bench.set(true)
    bench.wait(100)
    bench.set(false)
    bench.wait(100)
    #expect(
      bench.given.last?.hasPrefix("openEnrolment") == true && bench.given.count == 3,
      "the next press is a press of its own")
  }

  @Test("contacts that bounce are one press; a spark is ignored")
  func bounces() {
    var bench = Bench()
    for _ in 0..<10 {
      bench.set(true)
      bench.wait(2)
      bench.set(false)
      bench.wait(1)
    }
    bench.set(true)
    bench.wait(300)
    for _ in 0..<10 {
      bench.set(false)
      bench.wait(2)
      bench.set(true)
      bench.wait(1)
    }
    bench.set(false)
    bench.wait(1000)
    #expect(bench.given.count == 1 && bench.given[0].hasPrefix("openEnrolment"))
    var sparks = Bench()
    for _ in 0..<1000 {
      sparks.set(true)
      sparks.wait(29)
      sparks.set(false)
      sparks.wait(29)
    }
    #expect(sparks.given.isEmpty)
  }

  @Test("a bounce in the middle of a hold does not restart it")
  func bounceWhileHeld() {
    var bench = Bench()
    bench.set(true)
    bench.wait(2900)
    bench.set(false)
    bench.wait(10)
    bench.set(true)
    bench.wait(7500)
    #expect(bench.given.map { $0.split(separator: " ")[0] } == ["locate", "stop"])
  }

  @Test("a button that is down from the start is not listened to until it was up")
  func leanedOn() {
    var bench = Bench(isDown: true)
    bench.look()
    bench.wait(60_000)
    #expect(bench.given.isEmpty && bench.machine.deadline == nil)
    bench.set(false)
    bench.wait(1000)
    #expect(bench.given.isEmpty, "letting go of it is no press either")
    bench.set(true)
    bench.wait(100)
    bench.set(false)
    bench.wait(100)
    #expect(bench.given.count == 1)
  }

  @Test("a look that comes late never makes a stop of a press with an unseen end")
  func late() {
    var bench = Bench()
    bench.set(true)
    bench.wait(100)
    bench.stall(20_000)
    bench.set(false)
    bench.wait(100)
    #expect(bench.given.map { $0.split(separator: " ")[0] } == ["locate"])
    var held = Bench()
    held.set(true)
    held.stall(20_000)
    held.look()
    #expect(held.given == ["locate 20000", "stop 20000"], "still held: both are due, in order")
  }
}

@Suite("Night")
struct NightTests {
  @Test("is read and written in one form", arguments: ["22:00-07:00", "00:00-23:59", "08:30-12:00"])
  func roundTrip(text: String) { #expect(NightHours(text: text)?.text == text) }

  @Test(
    "what is no night is refused",
    arguments: [
      "", "22:00", "22:00-", "22:00-22:00", "24:00-07:00", "22:60-07:00", "9:00-10:00", "22:00-07:00-", "aa:00-07:00",
      "-1:00-07:00",
    ])
  func refused(text: String) { #expect(NightHours(text: text) == nil) }

  @Test("begins and ends on the minute, over midnight or within a day")
  func contains() throws {
    let over = NightHours.usual
    let within = try #require(NightHours(text: "08:30-12:00"))
    func at(_ hour: Int, _ minute: Int, _ second: Int = 0) -> Int { hour * 3600 + minute * 60 + second }
    #expect(
      [at(21, 59, 59), at(22, 0), at(0, 0), at(6, 59, 59), at(7, 0)].map { over.contains(second: $0) } == [
        false, true, true, true, false,
      ])
    #expect(
      [at(8, 29, 59), at(8, 30), at(11, 59, 59), at(12, 0), at(0, 0)].map { within.contains(second: $0) } == [
        false, true, true, false, false,
      ])
    #expect(over.contains(second: at(23, 0) + 86_400 * 3) && over.contains(second: -3600), "any second is one of a day")
  }

  @Test("changes when it says")
  func changes() {
    let night = NightHours.usual
    for second in stride(from: 0, to: 86_400, by: 37) {
      let left = night.secondsUntilChange(second: second)
      #expect((1...86_400).contains(left))
      #expect(night.contains(second: second + left) != night.contains(second: second))
      #expect(night.contains(second: second + left - 1) == night.contains(second: second))
    }
  }

  @Test("dims a board that can, once for each change, and says of another that it cannot")
  func driver() throws {
    try VirtualLoop.run { loop in
      let able = RecordingPins(loop: loop, canDim: true)
      let unable = RecordingPins(loop: loop)
      let first = LightDriver(loop: loop, pins: able, language: .ward)
      let second = LightDriver(loop: loop, pins: unable, language: .ward)
      #expect(first.night == nil)
      for isNight in [false, true, true, false, nil, true] as [Bool?] {
        first.setNight(isNight)
        second.setNight(isNight)
      }
      #expect(able.dimmings == [true, false, true] && first.night == .dimmed)
      #expect(unable.dimmings.isEmpty && second.night == .cannotDim)
      second.setNight(false)
      #expect(second.night == .day)
      first.stop()
      first.setNight(false)
      #expect(able.dimmings == [true, false, true], "nothing after stop")
    }
  }

  @Test("hours of darkness hide what is well, and show trouble, a search for the box and a door that is open")
  func darkness() throws {
    try VirtualLoop.run { loop in
      let pins = RecordingPins(loop: loop)
      let driver = LightDriver(loop: loop, pins: pins, language: .ward)
      @LoopActor func shown(_ change: (inout LightState) -> Void) async throws -> [Pattern] {
        var state = LightState()
        (state.phase, state.links, state.storeBusy) = (.serving, 3, true)
        change(&state)
        driver.show(state)
        try await loop.sleep(for: .seconds(30))
        return driver.meanings.map(\.pattern)
      }
      driver.setNight(nil, isOff: true)
      #expect(driver.night == .off)
      let calm = try await shown { _ in }
      #expect(calm == [.off, .off, .off])
      #expect(driver.meanings.allSatisfy { $0.meaning.hasPrefix("off at night: ") && $0.reason == nil })
      driver.dip()
      driver.wink()
      #expect(driver.levels.values.allSatisfy { !$0 })
      #expect(try await shown { $0.attention = .wearableMissing } == [.off, .code(3), .off])
      #expect(try await shown { $0.storeFailing = .storeFailing } == [.off, .off, .code(4)])
      #expect(try await shown { $0.enrolmentOpen = true } == [.off, .slow, .off])
      #expect(try await shown { $0.phase = .stopping } == [.slow, .off, .off])
      driver.setNight(nil)
      #expect(driver.night == nil)
      #expect(try await shown { _ in } == [.heartbeat, .steady, .slow])
      driver.stop()
    }
  }
}
