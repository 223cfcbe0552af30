import Testing

@testable import EventLoop

/// Two clocks, and a processor that others take away between any two readings.
private struct Clocks {
  var now: Int64 = 5_000_000_000
  var distance: Int64 = 1_700_000_000_000_000_000
  var random: SplitMix64
  /// How often it is taken, of a hundred.
  var load = 0

  private mutating func pass() {
    let isTaken = random.next() % 100 < UInt64(load)
    now += isTaken ? 100_000 + Int64(random.next() % 10_000_000) : 200
  }

  mutating func reading() -> ClockDistance.Reading {
    let before = now
    pass()
    let wall = now + distance
    pass()
    defer { pass() }
    return ClockDistance.Reading(before: before, wall: wall, after: now)
  }
}

@Suite("The distance of the clocks")
struct ClockDistanceTests {
  @Test("it stays as it is whatever is taken from the processor, to the nanosecond", arguments: [50, 90, 100])
  func stays(load: Int) {
    let seed = UInt64.random(in: 0...UInt64.max)
    var clocks = Clocks(random: SplitMix64(seed: seed))
    var distance = ClockDistance()
    let first = distance.read { clocks.reading() }
    clocks.load = load
    for _ in 0..<2000 {
      let found = distance.read { clocks.reading() }
      if found != first {
        Issue.record("moved by \(found - first) ns, seed \(seed)")
        return
      }
    }
    #expect(abs(first - clocks.distance) <= 400)
  }

  @Test("a clock that is set is followed at once without load, and soon under load")
  func followed() {
    let seed = UInt64.random(in: 0...UInt64.max)
    for load in [0, 70] {
      for step: Int64 in [-3_600_000_000_000, -250_000, 250_000, 86_400_000_000_000] {
        var clocks = Clocks(random: SplitMix64(seed: seed))
        var distance = ClockDistance()
        _ = distance.read { clocks.reading() }
        clocks.load = load
        clocks.distance += step
        var found = distance.read { clocks.reading() }
        for _ in 0..<(load == 0 ? 0 : 200) { found = distance.read { clocks.reading() } }
        #expect(abs(found - clocks.distance) <= ClockDistance.width, "set by \(step) ns at load \(load), seed \(seed)")
      }
    }
  }

  @Test("the first is narrow on a machine that is busy every other time")
  func first() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var clocks = Clocks(random: SplitMix64(seed: seed))
    clocks.load = 50
    var distance = ClockDistance()
    let found = distance.read { clocks.reading() }
    #expect(abs(found - clocks.distance) <= ClockDistance.width, "seed \(seed)")
  }
}
