// What the hub is told at start.

public import Bluetooth
public import CivilTime

/// The hub's settings. Defaults are those of the configuration file.
public struct HearthOptions: Sendable {
  /// For people, for example `gym-north`.
  public var name = "hearth"
  public var enrolmentMode = EnrolmentMode.window
  /// dBm; -55 is about a hand's width from a Pi's antenna.
  public var nearRSSI = -55
  public var window: Duration = .seconds(120)
  /// When more wearables are present than the controller has slots, a live link yields to one that waits after this
  /// time.
  public var slice: Duration = .seconds(45)
  /// A present wearable that keeps data is visited at least this often.
  public var visitBound: Duration = .seconds(900)
  /// One whose visit ended this recently is not visited again because it went away and came back.
  public var fresh: Duration = .seconds(120)
  /// After local midnight, ascending; every day, then, what keeps data is visited, however fresh it is. Empty: no visit
  /// has a fixed time.
  public var visitAt: [Duration] = []
  /// Names of the phases that visits bring unasked; nil: all. Each wearable may have another choice of its own, of
  /// these and of the times.
  public var phases: Set<String>?
  /// Where days begin.
  public var timeZone = TimeZoneRules.utc
  /// From asking the radio to the open channel. Five advertising intervals of the slowest legal advertiser (10.24 s)
  /// would be too long
  /// to hold the lane for; ten seconds hear nine of ten wearables that were heard within the last fifteen.
  public var connectDeadline: Duration = .seconds(10)
  /// From the open channel to live data: some sixty round trips at a foreground interval take four seconds. Below the
  /// 30 s of ATT's own
  /// transaction rule, so that a peer that never answers cannot hold the lane for half a minute.
  public var settleDeadline: Duration = .seconds(20)
  /// A stranger is present while it was heard within this time: three of the slowest legal advertising intervals (10.24
  /// s). Enrolled wearables have their own: `AdvertisingRhythm`.
  public var presenceTimeout: Duration = .seconds(31)
  /// A connect is only tried at a wearable heard this recently, so that the controller finds it at once.
  public var freshness: Duration = .seconds(15)
  /// A wearable that was away for longer is missing; nil: none ever is. Each may have another choice of its own.
  public var absentAfter: Duration? = .seconds(25 * 3600)
  /// When a wearable's battery is low or critical.
  public var battery = BatteryBounds()
  /// Values that wearables advertise are kept while they have no link; each may have another choice of its own.
  public var keepsAdvertisedValues = true
  /// Bytes that one wearable may bring into the store in a day; nil: any number. A tenth of the store's size.
  public var shareOfDay: Int?
  /// What may be removed on wearables; each may have another choice of its own.
  public var erase = ErasePolicy.verified
  /// What the hub asks of links, where it differs from the profile's own numbers. Legal: checked when the configuration
  /// is loaded.
  public var profiles: [LinkProfile: ConnectionParameters] = [:]
  /// When a wearable that was enrolled may pair again.
  public var pairing = PairingRule.enrolment
  /// Between two backups; older than twice that is too old. nil: none are scheduled.
  public var backupEvery: Duration?
  /// Samples that wait for a reader for longer are said, and shown on the lamp STORE. nil: nobody wants to know.
  public var exportWithin: Duration?
  /// Seeds the jitter of retries, so that a simulation replays.
  public var seed: UInt64 = 0
  /// What decoding left free goes back to the kernel after each visit that fetched something. A simulation, whose heap
  /// is larger, has no use for it.
  public var givesMemoryBack = false
  /// How much a wearable may send unasked. Only benchmarks, which are no radio, change it.
  package var floodGuard = FloodGuard.standard

  public init() {}

  /// What the radio is asked for; it traps on what is illegal.
  public func parameters(of profile: LinkProfile) -> ConnectionParameters {
    (profiles[profile] ?? profile.parameters).nearestLegal
  }
}
