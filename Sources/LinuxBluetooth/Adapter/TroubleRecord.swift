// What the troubles in a row say about the next try: how soon it comes, and whether a rung of the ladder comes first.

import EventLoop
import Reasons

struct TroubleRecord: Sendable {
  /// Troubles in a row that a new try may mend; chooses the back-off.
  private var failures = 0
  /// Times in a row in which another program powered the adapter off soon after it served.
  private var powerLosses = 0
  /// Silences of the controller in a row; chooses the rung.
  private(set) var silences = 0
  /// A rung was not tried since the controller was last found silent.
  private var mustClimb = false
  /// One was tried since the adapter last left its service.
  private var hasClimbed = false
  /// When the last one was.
  private var lastRung: Instant?
  /// Since when the controller is silent; nil: it is not, or was not for a while.
  private var silentSince: Instant?
  /// The next try begins at once.
  private var isUrgent = false

  /// A rung comes before the next try: each once, as fast as they fail, then one in `interval`. The tries between them
  /// only ask whether the controller answers again.
  func isRungDue(on bus: AdapterBus, at now: Instant, interval: Duration) -> Bool {
    guard mustClimb, silences > 0 else { return false }
    if !hasClimbedAll(on: bus) { return true }
    return lastRung.map { $0 + interval <= now } ?? true
  }

  /// Each rung was tried. A controller that served again after that and falls silent anew has them all before it.
  private func hasClimbedAll(on bus: AdapterBus) -> Bool { RecoveryLadder.isExhausted(silences, on: bus) }

  /// For how long the controller is silent.
  func silence(at now: Instant) -> Duration { silentSince.map { now - $0 } ?? .zero }

  func delay(after reason: Reason, at now: Instant, timing: AdapterTiming) -> Duration {
    timing.delay(after: reason, failures: failures, powerLosses: powerLosses, silence: silence(at: now))
  }

  /// Whether the next try begins at once, asked once.
  mutating func takeUrgency() -> Bool {
    defer { isUrgent = false }
    return isUrgent
  }

  mutating func anotherController() { silences = 0 }

  /// The rung to try now.
  mutating func climb(on bus: AdapterBus, at now: Instant) -> Rung {
    mustClimb = false
    hasClimbed = true
    lastRung = now
    return RecoveryLadder.rung(silences, on: bus)
  }

  /// An operator asks for a rung, 1 or more, of an adapter that serves.
  mutating func obey(_ rung: Int, on bus: AdapterBus) {
    silences = (rung - 1) % RecoveryLadder.rungs(on: bus).count
    isUrgent = true
  }

  /// An operator asks for a try now, from the first rung.
  mutating func beginAnew() {
    failures = 0
    silences = 1
    mustClimb = true
    hasClimbed = false
  }

  /// The adapter stopped serving, or could not begin to.
  ///
  /// - Parameter served: for how long it had served; nil: not at all.
  /// - Returns: whether every rung was tried in vain.
  mutating func note(
    _ reason: Reason, afterServing served: Duration?, on bus: AdapterBus, at now: Instant, recovered: Duration
  ) -> Bool {
    if let served, !isUrgent, served >= recovered || hasClimbedAll(on: bus) {
      failures = 0
      powerLosses = 0
      silences = 0
      silentSince = nil
    }
    // What another program did to the adapter is not refused by it.
    let isTheirs = reason == .adapterPoweredOff || AdapterTiming.waitsForOthers(reason)
    failures = isTheirs ? 0 : failures + 1
    if reason == .adapterPoweredOff { powerLosses += 1 }
    if reason == .adapterRemoved {
      // What comes back was without power.
      silences = 0
      mustClimb = false
      silentSince = nil
    }
    defer { hasClimbed = false }
    if reason != .controllerSilent { return false }
    if silences == 0 || hasClimbed || isUrgent { silences += 1 }
    if silentSince == nil { silentSince = now }
    mustClimb = true
    return hasClimbedAll(on: bus)
  }
}
