// What goes wrong on the air and in the controller, as probabilities. All zero unless a scenario says otherwise.

/// Faults of one world. What happens to one wearable is drawn from its own stream, so that one wearable's troubles
/// never move another's; what happens to the controller is drawn from the radio's.
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
  /// The controller hangs on the attempt until the kernel gives it up, or the hub's deadline is there.
  public var hungAttempt = 0.0
  /// The controller refuses although slots should be free.
  public var refusedSlot = 0.0
  /// A stay is cut by a short absence; see `shortAbsence`.
  public var shortAbsencePerStay = 0.0
  /// Length of a short absence. Below the supervision timeout of the link it survives and what waited is delivered
  /// late.
  public var shortAbsence: ClosedRange<Duration> = .milliseconds(500)...(.seconds(30))

  /// A change of parameters that was asked for, by either side, is refused by the other or by the controller.
  public var refusedParameters = 0.0
  /// An event about a link (new parameters, its end) comes late, by up to `latestEvent`.
  public var lateEvent = 0.0
  public var latestEvent: Duration = .seconds(2)
  /// An event about new parameters comes a second time.
  public var doubledEvent = 0.0
  /// A notification is lost in the wearable, whose queue was full.
  public var lostNotification = 0.0
  /// How often a day the controller stops to do anything: it hears nobody, links are silent, attempts end by their
  /// deadline. It works again after a reset: by `recover()`, or by the radio itself when it has heard nothing for
  /// `VirtualRadio.silenceBound`.
  public var controllerHangsPerDay = 0.0
  /// A pairing that both sides want fails all the same.
  public var failedPairing = 0.0
  /// The wearable lost its keys since the last link.
  public var lostBond = 0.0

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

  /// Everything at once: the hall, a controller that fails, keys that are lost.
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
