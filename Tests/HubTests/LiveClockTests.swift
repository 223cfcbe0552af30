import Health
import Testing

@testable import Hub

extension LiveClock {
  /// The moment of one stream with blocks that reach from one value to the next, or of single values.
  fileprivate mutating func moment(of stamp: UInt64, arrival: Int64, span: Int64 = 0, period: Int64 = 0) -> Int64 {
    learn(.acc, stamp, arrival: arrival)
    return end(of: .acc, stamp, arrival: arrival, span: span, period: period) ?? .min
  }
}

@Suite("When a live value was measured that has the wearable's own time")
struct LiveClockTests {
  private static let second: Int64 = 1_000_000_000
  /// Some day, on the wearable's clock.
  private static let noon: Int64 = 800_000_000 * second

  /// Values every half second, each so much later than it was measured; how far each is from the truth, ns.
  private func errors(_ delays: [Int64], drift: Int64 = 0, clock: inout LiveClock, from: Int64 = 0) -> [Int64] {
    delays.enumerated().map { index, delay in
      let truth = from + Int64(index) * Self.second / 2
      let stamp = Self.noon + truth + truth / 1_000_000 * drift
      return clock.moment(of: UInt64(stamp), arrival: truth + delay) - truth
    }
  }

  @Test("what the air held up is put at its own time, and blocks follow each other without a seam")
  func late() {
    var clock = LiveClock()
    let delays = (0..<600 as Range<Int64>).map { 5_000_000 + $0 * 7919 % 395 * 1_000_000 }
    let found = errors([5_000_000] + delays + [4_000_000_000], clock: &clock)
    #expect(found.allSatisfy { (0...60_000_000).contains($0) }, "\(found.max() ?? 0)")
    // If one came late and the next did not, the hub's second between them was shorter or longer than the wearable's.
    #expect(zip(found, found.dropFirst()).allSatisfy { abs($0 - $1) <= 5_000_000 })
  }

  @Test("clocks that drift apart are followed", arguments: [-100, 100] as [Int64])
  func drift(_ drift: Int64) {
    var clock = LiveClock()
    let found = errors((0..<7200).map { Int64($0 % 7) * 10_000_000 + 2_000_000 }, drift: drift, clock: &clock)
    #expect(found.allSatisfy { (-1_000_000...60_000_000).contains($0) }, "\(found.min() ?? 0) \(found.max() ?? 0)")
  }

  @Test("first values that were late do not tear their stream")
  func lateAtFirst() {
    var clock = LiveClock()
    let found = errors([40_000_000, 5_000_000] + [Int64](repeating: 5_000_000, count: 40), clock: &clock)
    #expect(found.first == 40_000_000 && found.last == 5_000_000)
    #expect(zip(found, found.dropFirst()).allSatisfy { (0...2_500_000).contains($0 - $1) })
    var other = LiveClock()
    let far = errors([400_000_000, 5_000_000], clock: &other)
    #expect(far == [400_000_000, 5_000_000], "single values may move at once, as far as the one before lets them")
  }

  @Test("a block never moves by more than is asked for, however long it was since the one before")
  func bounded() {
    var clock = LiveClock()
    var before: Int64?
    var last: Int64 = 0
    for index in 0..<60 as Range<Int64> {
      // The first one 45 ms late, and later one that the air held up for 5 s.
      let truth = index * Self.second
      let delay: Int64 = index == 0 ? 50_000_000 : index == 20 ? 5_000_000_000 : 5_000_000
      last = max(last, truth + delay)
      let error =
        clock.moment(of: UInt64(Self.noon + truth), arrival: last, span: Self.second - 7_600_000, period: 7_600_000)
        - truth
      if let before { #expect(abs(error - before) <= 1_900_000) }
      before = error
    }
    #expect(before.map { (4_000_000...6_000_000).contains($0) } == true, "\(before ?? 0)")
  }

  @Test("a clock that is set back a little is believed at once")
  func setBack() {
    var clock = LiveClock()
    _ = errors([Int64](repeating: 10_000_000, count: 100), clock: &clock)
    var found: [Int64] = []
    for index in 0..<140 as Range<Int64> {
      let truth = 50 * Self.second + index * Self.second / 2
      found.append(clock.moment(of: UInt64(Self.noon + truth - 3 * Self.second), arrival: truth + 10_000_000) - truth)
    }
    #expect(found.allSatisfy { abs($0 - 10_000_000) <= 1_000_000 }, "\(found.min() ?? 0)")
  }

  @Test(
    "a clock that is set, either way, is believed from then on",
    arguments: [-3600, -40, 40, 3600, 220_000_000] as [Int64])
  func set(_ by: Int64) {
    var clock = LiveClock()
    _ = errors([Int64](repeating: 10_000_000, count: 100), clock: &clock)
    let from = 50 * Self.second
    let arrival = from + 10_000_000
    #expect(clock.moment(of: UInt64(Self.noon + from + by * Self.second), arrival: arrival) == arrival)
    let next = clock.moment(
      of: UInt64(Self.noon + from + (by + 1) * Self.second), arrival: arrival + Self.second + 300_000_000)
    #expect(abs(next - arrival - Self.second) < 1_000_000)
  }

  @Test("after a silence it is learned again, and any number is a time")
  func silence() {
    var clock = LiveClock()
    _ = errors([10_000_000, 20_000_000], clock: &clock)
    #expect(clock.moment(of: UInt64(Self.noon), arrival: 100 * Self.second) == 100 * Self.second)
    var begin: Int64 = 0
    for stamp in [0, 1, .max, 1 << 63, UInt64(Self.noon)] as [UInt64] {
      for later in [101, 102, 1000] as [Int64] {
        let arrival = (begin + later) * Self.second
        #expect(clock.moment(of: stamp, arrival: arrival) <= arrival + LiveClock.jump)
      }
      begin += 1000
    }
  }

  @Test(
    """
    blocks that were late beyond the first second come nearer by a quarter of a sample each, never before the end of \
    the one before
    """
  )
  func drawnDown() {
    var clock = LiveClock()
    let period: Int64 = 20_000_000
    let span = 24 * period
    var end: Int64 = .min
    var errors: [Int64] = []
    for index in 0..<120 as Range<Int64> {
      let truth = index * 25 * period
      let arrival = truth + (index < 4 ? 208_000_000 : 8_000_000)
      let moment = clock.moment(of: UInt64(Self.noon + truth), arrival: arrival, span: span, period: period)
      if index > 0 { #expect((-period / 4...period / 4).contains(moment - span - end - period)) }
      end = moment
      errors.append(moment - truth)
    }
    #expect(errors.first == 208_000_000 && errors[60] == 8_000_000, "200 ms are 40 quarters of a sample")
  }

  @Test("if samples were lost the rest of an error goes at once; a block that claims more time than passed is refused")
  func lostAndLying() {
    var clock = LiveClock()
    let period: Int64 = 20_000_000
    let span = 24 * period
    var stamps: [Int64] = [0, 25, 50, 75, 200, 225].map { $0 * period }
    var errors: [Int64] = []
    for (index, truth) in stamps.enumerated() {
      let arrival = truth + (index < 2 ? 208_000_000 : 8_000_000)
      errors.append(clock.moment(of: UInt64(Self.noon + truth), arrival: arrival, span: span, period: period) - truth)
    }
    #expect(errors[3] > 190_000_000 && errors.suffix(2) == [8_000_000, 8_000_000], "\(errors)")
    // Blocks of half a second, all within one.
    let last = stamps.removeLast()
    var refused = 0
    for index in 1...60 as ClosedRange<Int64>
    where clock.moment(of: UInt64(Self.noon + last + index), arrival: last + 500_000_000, span: span, period: period)
      == .min
    {
      refused += 1
    }
    #expect((35...45).contains(refused), "\(refused)")
  }
}
