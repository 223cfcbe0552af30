// Clock of a wearable over one link.

public import EventLoop
public import Health

/// Session that reads a clock. Without this facet the evidence of a visit is what its check reported.
@LoopActor
public protocol ClockedSession: WearableSession {
  /// Reads the clock again, for the evidence at the end of a visit; nil if it cannot be read.
  func readClock() async throws(VisitTrouble) -> DeviceClock?
  /// Clock as a failed `check` had read or set it, which is then the only record of that. nil: not read.
  var clockSeen: DeviceClock? { get }
  /// Verdict of the last check about the reported time, based on this visit and earlier ones.
  var clockVerdict: ClockVerdict { get }
  /// Time that the last check wrote to a clock that cannot be read, and that the wearable accepted, µs on that clock.
  var timeGiven: Int64? { get }
  /// Whether the wearable ends a link over which it does not get the time within seconds. A link without a visit also
  /// sets it.
  var wantsTimeAtOnce: Bool { get }
  /// Reads and sets the clock alone, as `check` does; nil if it cannot be read.
  func checkClock() async throws(VisitTrouble) -> DeviceClock?
}

extension ClockedSession {
  /// The wearable has a clock.
  public var clockVerdict: ClockVerdict { .isClock }
  /// nil: no time was given.
  public var timeGiven: Int64? { nil }
  /// False: the clock is read first.
  public var wantsTimeAtOnce: Bool { false }
  /// nil: the clock is not read. Never throws.
  public func checkClock() async throws(VisitTrouble) -> DeviceClock? { nil }
}

/// Verdict whether the reported time comes from a running clock.
public enum ClockVerdict: Sendable {
  case isClock
  /// The time stood still once, as on a clock that waits to be set: a later check decides.
  case mayBeNone
  /// The wearable has no running clock, and never had.
  case isNone
}

/// Clock of a wearable beside the hub's.
public struct DeviceClock: Sendable, Hashable {
  /// Reading before any setting.
  public let evidence: ClockEvidence
  /// Whether the clock was set to the hub's time, and read back within the driver's bound.
  public let wasSet: Bool
  /// Reading after the setting; nil if it was not set.
  public let afterwards: ClockEvidence?
  /// µs by which the clock shows less than the last of these readings. A reading gives the time without falls if the
  /// clock's counter falls back.
  public let fallen: Int64

  /// A clock beside the hub's; `afterwards`: reading after it was set.
  public init(evidence: ClockEvidence, wasSet: Bool = false, afterwards: ClockEvidence? = nil, fallen: Int64 = 0) {
    self.evidence = evidence
    self.wasSet = wasSet
    self.afterwards = afterwards
    self.fallen = fallen
  }
}

extension WearableSession {
  /// The facet for clocks; nil without it.
  public var clocked: (any ClockedSession)? { self as? any ClockedSession }
}
