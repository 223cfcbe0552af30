// What goes wrong on the air and in the controller, as probabilities. All zero unless a scenario says otherwise.

/// Faults of one world, drawn per event from the stream of the wearable concerned (so one wearable's troubles never move another's).
public struct FaultPlan: Sendable {
  /// The advertisement is also reported a second time, as kernels do when two reports share a buffer.
  public var doubledAdvertisement = 0.0
  /// The advertisement is reported late, by up to `latestAdvertisement`; its sender may be gone by then.
  public var lateAdvertisement = 0.0
  public var latestAdvertisement: Duration = .seconds(3)
  /// Nobody hears this advertisement: a collision, or a scan window that looked at another channel.
  public var lostAdvertisement = 0.0
  /// The connection is created, but the wearable never answers on it (0x3E).
  public var failedToEstablish = 0.0
  /// The controller hangs on the attempt until the hub's deadline.
  public var hungAttempt = 0.0
  /// The controller refuses although slots should be free.
  public var refusedSlot = 0.0
  /// A stay is cut by a short absence; see `shortAbsence`.
  public var shortAbsencePerStay = 0.0
  /// Length of a short absence. Below the supervision timeout of 4 s the link survives and what waited is delivered late.
  public var shortAbsence: ClosedRange<Duration> = .milliseconds(500)...(.seconds(30))

  public init() {}

  /// What a busy hall does to a hub.
  public static let gym: FaultPlan = {
    var plan = FaultPlan()
    plan.doubledAdvertisement = 0.02
    plan.lateAdvertisement = 0.02
    plan.lostAdvertisement = 0.1
    plan.failedToEstablish = 0.05
    plan.hungAttempt = 0.02
    plan.refusedSlot = 0.01
    plan.shortAbsencePerStay = 0.5
    return plan
  }()
}
