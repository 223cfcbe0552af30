// Random lives of straps, and what holds in each of them.

import Health
import Testing
import Vitals

private let seeds = freshSeeds(60, for: "lives of straps")

/// What befalls a detector: a value, a tick, an order.
private enum Stroke {
  case rate(Int, at: Int64)
  case tick(at: Int64)
  case begin(at: Int64)
  case end(at: Int64)
}

private func person(_ random: inout SeededRandom) -> VitalPerson {
  switch random.below(4) {
  case 0: VitalPerson()
  case 1: VitalPerson(age: random.whole(0...120))
  case 2: VitalPerson(sex: .male, age: random.whole(18...90), weight: random.number(30...210), maximumRate: 190)
  default: VitalPerson(sex: .female, age: random.whole(18...90), weight: random.number(45...120))
  }
}

/// Some hours of stretches: rest, effort, garbage, silence; now and then an order.
private func life(_ random: inout SeededRandom, ticks: Bool) -> [Stroke] {
  var strokes: [Stroke] = []
  var now = Int64(random.below(1_000_000_000))
  for _ in 0..<random.whole(5...30) {
    let level = random.whole(50...185)
    let end = now + Int64(random.whole(5...2400)) * 1_000_000
    let isSilent = random.chance(0.2)
    let step = Int64(random.whole(300...15_000)) * 1000
    while now < end {
      now += step
      if !isSilent { strokes.append(.rate(level + random.whole(-8...8), at: now)) }
      if ticks, random.chance(0.3) { strokes.append(.tick(at: now + Int64(random.below(Int(step))))) }
      if random.chance(0.002) { strokes.append(.rate([Int.min, -1, 0, 900, Int.max][random.below(5)], at: now)) }
    }
    if random.chance(0.15) { strokes.append(random.chance(0.5) ? .begin(at: now) : .end(at: now)) }
  }
  strokes.append(.tick(at: now + 2 * TrainingLimit.longest))
  return strokes
}

extension TrainingDetector {
  fileprivate mutating func follow(_ stroke: Stroke) -> [TrainingEvent] {
    switch stroke {
    case .rate(let rate, let time): [take(rate, at: time)].compactMap { $0 }
    case .tick(let time): [tick(at: time)].compactMap { $0 }
    case .begin(let time): begin(at: time)
    case .end(let time): end(at: time)
    }
  }
}

extension Stroke {
  fileprivate var time: Int64 {
    switch self {
    case .rate(_, let time), .tick(let time), .begin(let time), .end(let time): time
    }
  }

  fileprivate func moved(by time: Int64) -> Stroke {
    switch self {
    case .rate(let rate, let at): .rate(rate, at: at + time)
    case .tick(let at): .tick(at: at + time)
    case .begin(let at): .begin(at: at + time)
    case .end(let at): .end(at: at + time)
    }
  }
}

@Suite("Lives of straps")
struct TrainingPropertyTests {
  @Test("Begin ≤ end ≤ now, efforts never overlap, zones are the time with values", arguments: seeds)
  func holds(_ seed: UInt64) {
    var random = SeededRandom(seed)
    let person = person(&random)
    let strokes = life(&random, ticks: true)
    var detector = TrainingDetector(person, at: 0)
    var now: Int64 = 0
    var free: Int64 = 0
    var isOpen = false
    var isOrderedEnd = false
    for stroke in strokes {
      now = max(now, stroke.time)
      if case .end = stroke { isOrderedEnd = true } else { isOrderedEnd = false }
      for sign in detector.follow(stroke) {
        switch sign {
        case .began(_, let begin):
          #expect(!isOpen && begin >= free && begin <= now)
          (isOpen, free) = (true, begin)
        case .dropped:
          #expect(isOpen)
          isOpen = false
        case .ended(let effort):
          // A training that a late tick both found and ended was never reported to have begun.
          isOpen = false
          check(effort, person, free: free, now: now, isOrderedEnd: isOrderedEnd)
          free = effort.end
        }
      }
      #expect((detector.running != nil) == isOpen)
      if let running = detector.running { #expect(running.begin >= free && running.end == now) }
    }
    #expect(detector.running == nil, "nothing goes on for ever")
  }

  private func check(_ effort: TrainingResult, _ person: VitalPerson, free: Int64, now: Int64, isOrderedEnd: Bool) {
    #expect(free <= effort.begin && effort.begin <= effort.end && effort.end <= now)
    #expect(effort.length <= TrainingLimit.longest)
    #expect(0 <= effort.known && effort.known <= effort.length)
    #expect(0 <= effort.active && effort.active <= effort.length)
    #expect(effort.energyKnown <= effort.known + 1)
    #expect(effort.zones.map { $0.all.reduce(0, +) == effort.known } ?? true)
    #expect((effort.zones != nil) == (person.usedMaximumRate != nil))
    if effort.known > 0, let mean = effort.meanRate, let highest = effort.highestRate {
      #expect(mean <= Double(highest) + 1e-9 && mean >= 25)
    }
    if effort.origin == .found, !isOrderedEnd { #expect(effort.length >= TrainingLimit.least) }
  }

  @Test("Ticks between values change no effort, nor does what the clock began with", arguments: seeds)
  func ticks(_ seed: UInt64) {
    var random = SeededRandom(seed)
    let person = person(&random)
    let strokes = life(&random, ticks: false)
    var few = TrainingDetector(person, at: 0)
    var many = few
    // Whole spans of the level, so that its grid lies as it did.
    let later = Int64(random.whole(1...10_000)) * 1_200_000_000
    var moved = TrainingDetector(person, at: later)
    var (plain, ticked, shifted) = ([TrainingResult](), [TrainingResult](), [TrainingResult]())
    var before: Int64 = 0
    for stroke in strokes {
      var between = before
      while between < stroke.time, random.chance(0.8) {
        between += Int64(random.whole(1...600_000_000))
        if between < stroke.time { keep(many.follow(.tick(at: between)), &ticked) }
      }
      before = stroke.time
      keep(few.follow(stroke), &plain)
      keep(many.follow(stroke), &ticked)
      keep(moved.follow(stroke.moved(by: later)), &shifted)
    }
    #expect(rounded(plain) == rounded(ticked))
    let back = shifted.map { effort in
      var effort = effort
      (effort.begin, effort.end) = (effort.begin - later, effort.end - later)
      return effort
    }
    #expect(plain == back)
  }

  private func keep(_ signs: [TrainingEvent], _ efforts: inout [TrainingResult]) {
    for case .ended(let effort) in signs { efforts.append(effort) }
  }

  /// Energy is a sum of reals, which depends on the cuts.
  private func rounded(_ efforts: [TrainingResult]) -> [TrainingResult] {
    efforts.map { effort in
      var effort = effort
      effort.kilocalories = effort.kilocalories.map { ($0 * 1000).rounded() / 1000 }
      effort.energyKnown = (effort.energyKnown + 500) / 1000
      return effort
    }
  }

  @Test("In silence an effort ends once, and no further event comes", arguments: seeds)
  func silence(_ seed: UInt64) {
    var random = SeededRandom(seed)
    var day = StrapDay(person(&random))
    day.beat(random.whole(55...80), minutes: 5)
    day.beat(random.whole(120...170), minutes: random.number(4...40))
    var now = day.time
    var ends = 0
    for _ in 0..<2000 {
      now += Int64(random.below(60_000_000))
      let known = day.detector.running?.known
      if let sign = day.detector.tick(at: now) {
        if case .began = sign { continue }
        ends += 1
      } else if let known, let later = day.detector.running?.known {
        #expect(later >= known)
      }
    }
    #expect(ends <= 1)
    #expect(day.detector.running == nil)
  }
}
