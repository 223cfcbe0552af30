// Faults on the air and in the controller, as probabilities. All are zero unless a scenario sets them.

/// Faults of one world. Faults of a wearable are drawn from its own random stream, so that they never change those of
/// another wearable. Faults of the controller are drawn from the radio's stream.
public struct FaultPlan: Sendable {
  /// The advertisement is reported twice, as by kernels when two reports share a buffer.
  public var doubledAdvertisement = 0.0
  /// The advertisement is reported late, by up to `latestAdvertisement`; its sender may be gone by then.
  public var lateAdvertisement = 0.0
  /// Longest delay of a late advertisement, 3 s.
  public var latestAdvertisement: Duration = .seconds(3)
  /// The advertisement is lost: a collision, or a scan window on another channel.
  public var lostAdvertisement = 0.0
  /// The connection is created, but the wearable never responds on it (0x3E).
  public var failedToEstablish = 0.0
  /// The controller hangs on the attempt until the kernel gives up or the hub's deadline passes.
  public var hungAttempt = 0.0
  /// The controller refuses although it should have free slots.
  public var refusedSlot = 0.0
  /// A stay is interrupted by a short absence; see `shortAbsence`.
  public var shortAbsencePerStay = 0.0
  /// Length of a short absence. Below the link's supervision timeout the link survives, and waiting data is delivered
  /// late.
  public var shortAbsence: ClosedRange<Duration> = .milliseconds(500)...(.seconds(30))

  /// A requested change of parameters, by either side, is refused by the other or by the controller.
  public var refusedParameters = 0.0
  /// An event about a link (new parameters, its end) is late, by up to `latestEvent`.
  public var lateEvent = 0.0
  /// Longest delay of a late event, 2 s.
  public var latestEvent: Duration = .seconds(2)
  /// An event about new parameters is repeated.
  public var doubledEvent = 0.0
  /// A notification is lost in the wearable, because its queue was full.
  public var lostNotification = 0.0
  /// Hangs of the controller per day. It then hears no advertisements, links are silent, and attempts end by their
  /// deadline. A reset ends the hang: by `recover()`, or by the radio itself after `VirtualRadio.silenceBound` without
  /// an advertisement.
  public var controllerHangsPerDay = 0.0
  /// A pairing that both sides want fails anyway.
  public var failedPairing = 0.0
  /// The wearable lost its keys since the last link.
  public var lostBond = 0.0

  /// Creates a plan without faults.
  public init() {}

  /// Conditions of a busy gym.
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

  /// Plan with all faults at once: the gym, a failing controller, lost keys.
  public static let all: FaultPlan = {
    var plan = gym
    plan.refusedParameters = 0.1
    plan.lateEvent = 0.05
    plan.doubledEvent = 0.05
    plan.lostNotification = 0.01
    plan.controllerHangsPerDay = 2
    plan.failedPairing = 0.05
    plan.lostBond = 0.01
    return plan
  }()
}
