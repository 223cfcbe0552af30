// Result of the first stage of a visit.

/// Report of the first stage.
public struct CheckReport: Sendable {
  /// Activity of a wearable.
  public enum Activity: String, Sendable, CaseIterable {
    case idle, recording, paused, streaming, busy
  }
  /// Clock of the wearable; nil: not read.
  public var clock: DeviceClock?
  /// Activity at the check.
  public var activity = Activity.idle
  /// Free memory in bytes; nil: not reported.
  public var memoryFree: Int?
  /// Size of the memory in bytes; nil: unknown.
  public var memoryTotal: Int?
  /// Battery level in percent. Nil: not reported, or the value is known to be a constant.
  public var battery: Int?
  /// Time since the wearable's start; a smaller value than before means a restart.
  public var uptime: Duration?
  /// Facts that the wearable states about itself.
  public var facts: [WearableFact] = []
  /// Reason why no data may be fetched now, although the visit succeeds (a training runs); nil: fetching is allowed.
  public var mayNotFetch: String?
  /// Time until the next look, if no data may be fetched because the wearable is busy. The visit then ends like one
  /// with a busy wearable. nil: the next visit comes when it is due.
  public var comeAgainAfter: Duration?

  /// A report without facts.
  public init() {}
}
