// Whether live values stayed beyond a limit for long enough: counted from value to value. Pure.
//
//     value beyond, while its limit applies   counts the time since the value before, if that was beyond too
//     value inside                            counting starts again; 60 s of them re-arm a raised limit
//     no value                                no counting and no alert: only a value changes the state

import EventLoop
import Health

/// A change of the state of a limit.
enum AlertSign: Sendable, Hashable {
  case raised(AlertKind, value: Int64, limit: Int64)
  /// Back within the limit for long enough; the limit is watched again.
  case over(AlertKind)
}

/// A limit, with the time counted towards it.
struct AlertTimer: Sendable {
  let kind: AlertKind
  let limit: Int64
  /// Raised, and not yet within the limit for long enough.
  private(set) var isRaised: Bool
  private var latest: LatestValue?
  /// Whether the value before was beyond the limit and counted.
  private var wasCounting = false
  private var wasInside = false
  private var beyond: Duration = .zero
  private var inside: Duration = .zero

  init(_ kind: AlertKind, limit: Int64, isRaised: Bool = false) {
    (self.kind, self.limit, self.isRaised) = (kind, limit, isRaised)
  }

  /// Takes a value of the kind's series; values earlier than the last one are ignored.
  mutating func note(_ value: Int64, isExercise: Bool, at now: Instant) -> AlertSign? {
    let passed = latest.map { now - $0.at } ?? .zero
    if passed < .zero { return nil }
    let follows = isConnected(now)
    keep(value, now)
    let isBeyond = kind.isAbove ? value > limit : value < limit
    let counts = isBeyond && isExercise == (kind.situation == .exercise)
    if !counts || !wasCounting || passed > kind.situation.bridge && !follows { beyond = .zero }
    if counts, wasCounting, follows { beyond += passed }
    inside = !isBeyond && wasInside && follows ? inside + passed : .zero
    (wasCounting, wasInside) = (counts, !isBeyond)
    if isRaised {
      guard inside >= AlertKind.rearming else { return nil }
      (isRaised, beyond) = (false, .zero)
      return .over(kind)
    }
    guard counts, beyond >= kind.situation.patience else { return nil }
    isRaised = true
    return .raised(kind, value: value, limit: limit)
  }

  /// Whether there is no gap between the value before and one of now. A value that is shown as current (`Liveness`)
  /// holds until the next.
  private func isConnected(_ now: Instant) -> Bool {
    guard let latest else { return false }
    return kind.series == .bodyTemperature ? now - latest.at <= AlertKind.slowGap : latest.isCurrent(now)
  }

  private mutating func keep(_ value: Int64, _ now: Instant) {
    if latest == nil { latest = LatestValue(Int(value), at: now) } else { latest?.came(Int(value), at: now) }
  }
}

/// The limits of one wearable, at most one of each kind. Allocates no memory for a value without a change.
struct AlertWatch: Sendable {
  private var timers: [AlertTimer] = []
  private var signs: [AlertSign] = []

  /// True if at least one limit is set.
  var isWatching: Bool { !timers.isEmpty }

  /// Takes new limits; counted time towards an unchanged one is preserved.
  ///
  /// - Parameter raised: alerts that an earlier run raised, without their end.
  mutating func set(_ limits: [AlertKind: Int64], raised: Set<AlertKind>) {
    timers = AlertKind.allCases.compactMap { kind in
      guard let limit = limits[kind] else { return nil }
      let kept = timers.first { $0.kind == kind && $0.limit == limit }
      return kept ?? AlertTimer(kind, limit: limit, isRaised: raised.contains(kind))
    }
  }

  /// - Returns: whether there are signs to report (`takeSigns`).
  mutating func note(_ series: Series, _ value: Int64, isExercise: Bool, at now: Instant) -> Bool {
    for index in timers.indices where timers[index].kind.series == series {
      if let sign = timers[index].note(value, isExercise: isExercise, at: now) { signs.append(sign) }
    }
    return !signs.isEmpty
  }

  mutating func takeSigns() -> [AlertSign] {
    defer { signs = [] }
    return signs
  }
}
