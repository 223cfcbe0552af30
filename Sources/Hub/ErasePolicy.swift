// Whether anything may be removed on a wearable, and what is remembered of removals that had no effect. Kept in the wearable's notes.

import EventLoop
import Health

/// What the configuration says about removing.
public enum ErasePolicy: String, Sendable, Hashable, CaseIterable {
  /// Nothing is ever removed.
  case never
  /// What was verified and is durable.
  case verified
}

/// What an operator says about removing on one wearable, before the configuration.
public enum EraseChoice: String, Sendable, Hashable, CaseIterable {
  /// Only in a visit that an operator asked for.
  case ask
  /// What was verified and is durable.
  case yes
  /// Nothing is ever removed.
  case no
}

/// The notes of one wearable about removing.
struct ErasingNotes {
  static let choiceKey = "erase"
  static let calledKey = "erase.called"

  /// An operator's choice for this one; nil: as configured.
  var choice: EraseChoice?
  /// A removal that was acknowledged and did nothing, or that a wearable takes only once, and in which of its boots: it is not tried again before a
  /// restart.
  private(set) var called: (booted: WallTime?, at: WallTime, name: String)?

  /// Two estimates of one boot differ by the drift of a bad crystal over a month.
  static let sameBoot: Duration = .seconds(600)
  /// Of a wearable that does not say how long it runs: once a day.
  static let blindRetry: Duration = .seconds(86_400)

  init() {}

  init(_ notes: [String: String]) {
    choice = notes[Self.choiceKey].flatMap { EraseChoice(rawValue: $0) }
    guard let parts = notes[Self.calledKey]?.split(separator: " ", maxSplits: 2), parts.count == 3, let at = Int64(parts[1]) else { return }
    called = (Int64(parts[0]).map { WallTime(microseconds: $0) }, WallTime(microseconds: at), String(parts[2]))
  }

  func write(to notes: inout [String: String]) {
    notes[Self.choiceKey] = choice?.rawValue
    notes[Self.calledKey] = called.map { "\($0.booted.map { "\($0.microseconds)" } ?? "-") \($0.at.microseconds) \($0.name)" }
  }

  mutating func noteCalled(_ name: String, booted: WallTime?, now: WallTime) { called = (booted, now, name) }
  mutating func forget() { called = nil }

  func isUseless(_ name: String, booted: WallTime?, now: WallTime) -> Bool {
    // Names longer than a note keeps are compared as far as it goes.
    guard let called, name.hasPrefix(called.name) else { return false }
    guard let then = called.booted, let booted else { return now - called.at < Self.blindRetry }
    return abs((booted - then).inSeconds) <= Self.sameBoot.inSeconds
  }

  /// What holds for it.
  func effective(_ policy: ErasePolicy) -> EraseChoice { choice ?? (policy == .verified ? .yes : .no) }

  /// - Parameter isAsked: an operator asked for this very visit.
  func allows(_ policy: ErasePolicy, isAsked: Bool) -> Bool {
    switch effective(policy) {
    case .yes: true
    case .ask: isAsked
    case .no: false
    }
  }
}
