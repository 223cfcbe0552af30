// What the tests of measurement sessions share: moments, and outcomes as text.

import Vitals

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
