// Record of failures in a row, which sets the delay of the next try and whether a rung comes first.

import EventLoop
import Reasons

struct TroubleRecord: Sendable {
  /// Failures in a row that a new try may end; chooses the back-off.
  private var failures = 0
  /// Times in a row that another program powered the adapter off soon after it served.
  private var powerLosses = 0
  /// Silences of the controller in a row; chooses the rung.
  private(set) var silences = 0
  /// Whether no rung was tried since the controller was last found silent.
  private var mustClimb = false
  /// Whether a rung was tried since the adapter was last in service.
  private var hasClimbed = false
  /// Time of the last rung.
  private var lastRung: Instant?
  /// Time since which the controller has been silent; nil: it is not silent, or has served for a while since.
  private var silentSince: Instant?
  /// Whether the next try starts at once.
  private var isUrgent = false

  /// Whether a rung comes before the next try. Each is tried once, as fast as they fail, then one per `interval`. The
  /// tries between them only probe the controller.
  func isRungDue(on bus: AdapterBus, at now: Instant, interval: Duration) -> Bool {
    guard mustClimb, silences > 0 else { return false }
    if !hasClimbedAll(on: bus) { return true }
    return lastRung.map { $0 + interval <= now } ?? true
  }

  /// Whether each rung was tried. A controller that served after that and falls silent again gets all of them again.
  private func hasClimbedAll(on bus: AdapterBus) -> Bool { RecoveryLadder.isExhausted(silences, on: bus) }

  /// Returns how long the controller has been silent.
  func silence(at now: Instant) -> Duration { silentSince.map { now - $0 } ?? .zero }

  func delay(after reason: Reason, at now: Instant, timing: AdapterTiming) -> Duration {
    timing.delay(after: reason, failures: failures, powerLosses: powerLosses, silence: silence(at: now))
  }

  /// Whether the next try starts at once; asking clears it.
  mutating func takeUrgency() -> Bool {
    defer { isUrgent = false }
    return isUrgent
  }

  mutating func anotherController() { silences = 0 }

  /// Returns the rung to try now.
  mutating func climb(on bus: AdapterBus, at now: Instant) -> Rung {
    mustClimb = false
    hasClimbed = true
    lastRung = now
    return RecoveryLadder.rung(silences, on: bus)
  }

  /// Notes that an operator requested a rung, 1 or more, for an adapter in service.
  mutating func obey(_ rung: Int, on bus: AdapterBus) {
    silences = (rung - 1) % RecoveryLadder.rungs(on: bus).count
    isUrgent = true
  }

  /// Notes that an operator requested a try now, from the first rung.
  mutating func beginAnew() {
    failures = 0
    silences = 1
    mustClimb = true
    hasClimbed = false
  }

  /// Notes that the adapter stopped serving or could not start.
  ///
  /// - Parameter served: how long it had served; nil: it never did.
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
    // Changes made by another program are not the adapter's own failure.
    let isTheirs = reason == .adapterPoweredOff || AdapterTiming.waitsForOthers(reason)
    failures = isTheirs ? 0 : failures + 1
    if reason == .adapterPoweredOff { powerLosses += 1 }
    if reason == .adapterRemoved {
      // An adapter that was removed and came back has been without power.
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
