// A wearable's clock over one link.

public import EventLoop
public import Health

/// A session that reads a clock. Without this facet the evidence of a visit is what its check reported.
@LoopActor
public protocol ClockedSession: WearableSession {
  /// The clock once more, for the evidence at the end of a visit; nil if it cannot be read.
  func readClock() async throws(VisitTrouble) -> DeviceClock?
  /// What a `check` that failed had found out, and set, of its clock: only these readings tell when that was. Nil:
  /// nothing.
  var clockSeen: DeviceClock? { get }
  /// What the last check found of what was read as its clock, in this visit and in earlier ones.
  var clockVerdict: ClockVerdict { get }
  /// What the last check wrote to a clock that cannot be read, and the wearable took, µs as that clock shows it.
  var timeGiven: Int64? { get }
  /// It ends a link over which it does not get the time within seconds. A link without a visit brings it, too.
  var wantsTimeAtOnce: Bool { get }
  /// The clock alone, as `check` reads and sets it; nil if it cannot be read.
  func checkClock() async throws(VisitTrouble) -> DeviceClock?
}

extension ClockedSession {
  public var clockVerdict: ClockVerdict { .isClock }
  public var timeGiven: Int64? { nil }
  public var wantsTimeAtOnce: Bool { false }
  public func checkClock() async throws(VisitTrouble) -> DeviceClock? { nil }
}

/// Whether what a wearable shows as its time is a clock.
public enum ClockVerdict: Sendable {
  case isClock
  /// It stood still once, as a clock does that waits to be set: a later check decides.
  case mayBeNone
  /// It is none, and never was.
  case isNone
}

/// A wearable's clock beside the hub's.
public struct DeviceClock: Sendable, Hashable {
  /// As the wearable said, before anything was set.
  public let evidence: ClockEvidence
  /// It was set to the hub's time, and read back within the driver's bound.
  public let wasSet: Bool
  /// As it said after that; nil if it was not set.
  public let afterwards: ClockEvidence?
  /// µs by which it shows less than the last of these says, where that tells what it would show had its counter not
  /// fallen back.
  public let fallen: Int64

  public init(evidence: ClockEvidence, wasSet: Bool = false, afterwards: ClockEvidence? = nil, fallen: Int64 = 0) {
    self.evidence = evidence
    self.wasSet = wasSet
    self.afterwards = afterwards
    self.fallen = fallen
  }
}

extension WearableSession {
  /// What reads a clock; nil: nothing.
  public var clocked: (any ClockedSession)? { self as? any ClockedSession }
}
