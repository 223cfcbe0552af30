// What the first stage of a visit found out.

/// What the first stage found out.
public struct CheckReport: Sendable {
  public enum Activity: String, Sendable, CaseIterable {
    case idle, recording, paused, streaming, busy
  }
  public var clock: DeviceClock?
  public var activity = Activity.idle
  /// Bytes; nil if it does not say.
  public var memoryFree: Int?
  public var memoryTotal: Int?
  /// Percent; nil if it does not say or the value is known to be invented.
  public var battery: Int?
  /// Since its start; a smaller one than before means that it was restarted.
  public var uptime: Duration?
  public var facts: [WearableFact] = []
  /// Why nothing may be fetched now, though all is well (a training is running); nil if it may.
  public var mayNotFetch: String?
  /// Where nothing may be fetched because the wearable is busy: when to look again. The visit then ends as one that met
  /// a busy wearable; nil: it comes again when it is due.
  public var comeAgainAfter: Duration?

  public init() {}
}
