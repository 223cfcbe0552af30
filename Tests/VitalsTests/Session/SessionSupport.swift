// What the tests of measurement sessions share: seeds, random numbers that come again, moments, and outcomes as text.

import Foundation
import Vitals

/// Seeds that nobody has tried before, printed; `HEARTH_SEED=N` runs one again.
func sessionSeeds(_ what: String, _ count: Int) -> [UInt64] {
  if let seed = ProcessInfo.processInfo.environment["HEARTH_SEED"].flatMap({ UInt64($0) }) { return [seed] }
  let drawn = (0..<count).map { _ in UInt64.random(in: 0...UInt64(Int64.max)) }
  print("\(what): seeds \(drawn)")
  return drawn
}

/// SplitMix64.
struct SessionRandom: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// One value out of `ceiling`.
  mutating func below(_ ceiling: Int) -> Int { Int.random(in: 0..<ceiling, using: &self) }
}

/// A moment so many seconds after the hub began, on 25 November 2026.
func moment(_ seconds: Double, stepped: Double = 0) -> SessionMoment {
  let passed = Int64(seconds * 1_000_000)
  return SessionMoment(
    monotonic: 5_000_000_000 + passed, wall: 1_795_000_000_000_000 + passed + Int64(stepped * 1_000_000))
}

extension SessionOutcome {
  /// `accepted: 8007, initializing, open`
  var text: String {
    let words = effects.map { effect in
      switch effect {
      case .openSensor: "open"
      case .announce(let code): "\(code.rawValue)"
      case .state(let change): change.to.name
      case .prepare: "prepare"
      case .hurry: "hurry"
      case .compute: "compute"
      case .abandon: "abandon"
      case .deliver: "deliver"
      case .discard: "discard"
      case .closeSensor: "close"
      }
    }
    let taken =
      switch answer {
      case .accepted: "accepted"
      case .deferred: "deferred"
      case .refused(let code): "refused \(code.rawValue)"
      case .ignored: "ignored"
      }
    return words.isEmpty ? taken : "\(taken): " + words.joined(separator: ", ")
  }

  /// The states that were announced, in order.
  var states: [SessionState] {
    effects.compactMap { if case .state(let change) = $0 { change.to } else { nil } }
  }

  /// The codes that were announced, in order.
  var codes: [SessionCode] { effects.compactMap { if case .announce(let code) = $0 { code } else { nil } } }
}
