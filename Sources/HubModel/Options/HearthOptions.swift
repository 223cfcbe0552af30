// Settings of the hub at its start.

public import Bluetooth
public import CivilTime

/// The hub's settings. Defaults are those of the configuration file.
public struct HearthOptions: Sendable {
  /// Name shown to people, for example `gym-north`.
  public var name = "hearth"
  /// Times when unknown wearables may be enrolled.
  public var enrolmentMode = EnrolmentMode.window
  /// dBm; -55 is about a hand's width from a Pi's antenna.
  public var nearRSSI = -55
  /// Default duration of an enrolment window, 2 min.
  public var window: Duration = .seconds(120)
  /// Time after which a live link yields to a waiting one, when wearables outnumber the controller's slots.
  public var slice: Duration = .seconds(45)
  /// A present wearable that stores data is visited at least this often.
  public var visitBound: Duration = .seconds(900)
  /// Time after a visit in which an absence and return cause no new visit, 2 min.
  public var fresh: Duration = .seconds(120)
  /// Visit times after local midnight, ascending. Every day at these times wearables that store data are visited,
  /// however fresh their data is. Empty: no fixed times.
  public var visitAt: [Duration] = []
  /// Names of the phases that visits collect unrequested; nil: all. Each wearable may have its own choice of phases and
  /// of times.
  public var phases: Set<String>?
  /// Zone of the hub's days.
  public var timeZone = TimeZoneRules.utc
  /// Time limit from the request to the open channel. Five advertising intervals of the slowest legal advertiser (10.24
  /// s) would hold the lane for too long. Ten seconds suffice for nine of ten wearables that were heard within the last
  /// fifteen.
  public var connectDeadline: Duration = .seconds(10)
  /// Time limit from the open channel to live data. Some sixty round trips at a foreground interval take four seconds.
  /// Below the 30 s of ATT's own transaction rule, so that a peer that never answers cannot hold the lane for half a
  /// minute.
  public var settleDeadline: Duration = .seconds(20)
  /// A stranger counts as present for this long after it was heard: three of the slowest legal advertising intervals
  /// (10.24 s). For enrolled wearables see `AdvertisingRhythm`.
  public var presenceTimeout: Duration = .seconds(31)
  /// A connect is only tried with a wearable heard this recently, so that the controller finds it at once.
  public var freshness: Duration = .seconds(15)
  /// A wearable that was away for longer is missing; nil: never. Each may have its own choice.
  public var absentAfter: Duration? = .seconds(25 * 3600)
  /// Battery levels that count as low or critical.
  public var battery = BatteryBounds()
  /// Whether values that wearables advertise without a link are stored; each may have its own choice.
  public var keepsAdvertisedValues = true
  /// Bytes that one wearable may add to the store in a day; nil: unlimited. A tenth of the store's size.
  public var shareOfDay: Int?
  /// Choice of what may be removed on wearables; each may have its own choice.
  public var erase = ErasePolicy.verified
  /// Connection parameters that differ from the profile's own. Legal: checked when the configuration is loaded.
  public var profiles: [LinkProfile: ConnectionParameters] = [:]
  /// Times when an enrolled wearable may pair again.
  public var pairing = PairingRule.enrolment
  /// Interval of backups; a backup older than twice that is too old. nil: no backups are scheduled.
  public var backupEvery: Duration?
  /// Samples that wait longer for a reader are reported, and shown on the LED STORE. nil: no report.
  public var exportWithin: Duration?
  /// Seed of the jitter of retries, so that a simulation replays.
  public var seed: UInt64 = 0
  /// Whether memory freed after decoding is returned to the kernel after each visit that fetched data. A simulation
  /// with its larger heap does not need that.
  public var givesMemoryBack = false
  /// Limit of what a wearable may send unrequested. Only benchmarks change it, as they have no radio.
  package var floodGuard = FloodGuard.standard

  /// Defaults of the configuration file.
  public init() {}

  /// Connection parameters of a profile; traps on illegal ones.
  public func parameters(of profile: LinkProfile) -> ConnectionParameters {
    (profiles[profile] ?? profile.parameters).nearestLegal
  }
}
