// Scripted days for the detector: a strap that sends a rate every second, and what became of it.

import Health
import Testing
import Vitals

/// A strap's day. Times in seconds since its begin.
struct StrapDay {
  static let second: Int64 = 1_000_000
  /// Begin of the day on the monotonic clock.
  let origin: Int64
  var detector: TrainingDetector
  private(set) var now: Int64 = 0
  private(set) var signs: [TrainingEvent] = []
  private var random = SeededRandom(7)

  init(_ person: VitalPerson = VitalPerson(), origin: Int64 = 0) {
    self.origin = origin
    detector = TrainingDetector(person, at: origin)
  }

  var time: Int64 { origin + now * Self.second }

  /// A rate every second, going from one to another, with some noise.
  mutating func beat(_ from: Int, to: Int? = nil, minutes: Double, noise: Int = 2) {
    let seconds = Int64(minutes * 60)
    for second in 0..<seconds {
      let rate = from + Int(Double((to ?? from) - from) * Double(second) / Double(seconds))
      let wobble = noise > 0 ? random.whole(-noise...noise) : 0
      keep(detector.take(rate + wobble, at: time))
      now += 1
    }
  }

  /// Adds a silence; ticks every so many seconds, without ticks for nil.
  mutating func silence(minutes: Double, tick: Int64? = 5) {
    let end = now + Int64(minutes * 60)
    while now < end {
      now = min(end, now + (tick ?? end - now))
      if tick != nil { keep(detector.tick(at: time)) }
    }
  }

  mutating func begin() { signs += detector.begin(at: time) }
  mutating func close() { signs += detector.close(at: time) }
  mutating func end() { signs += detector.end(at: time) }
  mutating func tick() { keep(detector.tick(at: time)) }
  private mutating func keep(_ sign: TrainingEvent?) { if let sign { signs.append(sign) } }

  var efforts: [TrainingResult] {
    signs.compactMap { if case .ended(let summary) = $0 { summary } else { nil } }
  }
  /// Seconds since the day's begin.
  func seconds(_ time: Int64) -> Double { Double(time - origin) / Double(Self.second) }
}

extension VitalPerson {
  /// 40 years old: a maximum of 180, zone 2 from 108 on.
  static let forty = VitalPerson(sex: .female, age: 40, weight: 62)
}
