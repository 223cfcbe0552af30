// What the control socket says about links, clocks, pairings and the radio.

internal import Bluetooth
public import EventLoop
public import Hub

/// A link as it was asked for, as it is, and as the wearable says.
public struct LinkDocument: Codable, Sendable, Hashable {
  public struct Requested: Codable, Sendable, Hashable {
    /// `foreground`, `background`, `idle`
    public var profile: String
    public var minIntervalMs: Double
    public var maxIntervalMs: Double
    public var latency: Int
    public var timeoutMs: Int
  }

  public struct Effective: Codable, Sendable, Hashable {
    /// The profile whose numbers these are; nil if they are none's.
    public var profile: String?
    public var intervalMs: Double
    public var latency: Int
    public var timeoutMs: Int
    /// `observed`, `asked_by_wearable`, `assumed`
    public var source: String
  }

  public var schema = "io.hearth.link/1"
  public var device: String
  public var linked: Bool
  /// Why this profile.
  public var why: String
  /// An operator's lasting choice; nil: by policy.
  public var override: String?
  /// The hub alone sets the link to that choice; the wearable's characteristic is not written.
  public var central: Bool
  public var requested: Requested
  public var effective: Effective?
  /// What the wearable's characteristic says: its number, and the profile of that number.
  public var reported: Int?
  public var reportedProfile: String?
  /// What happened to the last write of the characteristic; nil where there is none.
  public var characteristic: String?
  public var reason: TroubleDocument?
  public var mtu: Int?
  public var secured: Bool

  public init(_ link: LinkSnapshot) {
    device = link.wearable
    linked = link.isLinked
    why = link.why
    override = link.override?.name
    central = link.isByCentral
    requested = Requested(
      profile: link.requestedProfile.name, minIntervalMs: Double(link.requested.minimumInterval) * 1.25,
      maxIntervalMs: Double(link.requested.maximumInterval) * 1.25, latency: Int(link.requested.latency), timeoutMs: Int(link.requested.timeout) * 10)
    effective = link.effective.map {
      Effective(
        profile: link.effectiveProfile?.name, intervalMs: Double($0.interval) * 1.25, latency: Int($0.latency), timeoutMs: Int($0.timeout) * 10,
        source: $0.source.rawValue)
    }
    reported = link.reportedProfile.map { Int($0) }
    reportedProfile = link.reportedProfile.flatMap { LinkProfile(rawValue: $0) }?.name
    characteristic = link.characteristic
    reason = link.trouble.map { TroubleDocument($0) }
    mtu = link.mtu
    secured = link.isSecured
  }
}

/// The clocks: the hub's, and those of the wearables.
public struct ClockDocument: Codable, Sendable, Hashable {
  public struct Device: Codable, Sendable, Hashable {
    public var device: String
    /// Microseconds that it was ahead of the hub, of its local time where it shows local time; nil if it was never asked.
    public var offsetUs: Int64?
    /// Minutes east of Greenwich that it said its time is, and those of the hub's zone then; nil where it says none.
    public var utcOffsetMin: Int?
    public var zoneOffsetMin: Int?
    public var readAt: String?
    public var setAt: String?
    /// The hub's own clock was trusted then.
    public var trusted: Bool
    public var driftPpm: Double?
    /// Why there is no drift.
    public var doubt: String?

    public init(_ clock: ClockSnapshot) {
      device = clock.wearable
      offsetUs = clock.offset
      utcOffsetMin = clock.shownZone
      zoneOffsetMin = clock.zone
      readAt = clock.readAt?.rfc3339
      setAt = clock.setAt?.rfc3339
      trusted = clock.wasTrusted
      driftPpm = clock.driftPPM.flatMap { $0.isFinite ? $0 : nil }
      doubt = clock.doubt
    }
  }

  public var schema = "io.hearth.clock/1"
  public var time: String
  public var synchronised: Bool
  public var plausible: Bool
  public var devices: [Device]

  public init(_ hub: HubSnapshot, _ clocks: [ClockSnapshot], now: WallTime) {
    time = now.rfc3339
    synchronised = hub.clockIsSynchronised
    plausible = hub.clockIsPlausible
    devices = clocks.map { Device($0) }
  }
}

/// A pairing that waits for a person.
public struct PairingDocument: Codable, Sendable, Hashable {
  public var schema = "io.hearth.pairing/1"
  public var device: String
  public var address: String
  /// `just_works` (yes or no), `compare` (yes if the wearable shows `digits`), `passkey` (the six digits it shows), `show` (`digits` are to
  /// be typed on the wearable)
  public var kind: String
  /// Six digits.
  public var digits: String?
  public var until: String

  public init(_ pairing: PairingSnapshot) {
    device = pairing.wearable
    address = pairing.request.address.description
    until = pairing.until.rfc3339
    switch pairing.request.kind {
    case .justWorks: kind = "just_works"
    case .passkey: kind = "passkey"
    case .compare(let number):
      kind = "compare"
      digits = Self.digits(number)
    case .show(let number):
      kind = "show"
      digits = Self.digits(number)
    }
  }

  static func digits(_ number: UInt32) -> String {
    let text = "\(number)"
    return String(repeating: "0", count: max(0, 6 - text.utf8.count)) + text
  }
}

/// The radio, and what is done to keep it alive.
public struct RadioDocument: Codable, Sendable, Hashable {
  public struct Rung: Codable, Sendable, Hashable {
    public var name: String
    /// How often it was tried since start.
    public var count: UInt64
  }

  public var schema = "io.hearth.radio/1"
  /// `starting`, `ready`, `down`
  public var state: String
  public var adapter: String
  public var address: String?
  public var bus: String
  public var links: Int
  public var slots: Int
  /// `standard`, `configured`, `learned`
  public var slotSource: String
  public var scanning: Bool
  /// Why it is down.
  public var reason: TroubleDocument?
  public var lastHeard: String?
  /// The reset ladder: at work now; the rung that is or was last tried, and when.
  public var recovering: Bool
  public var rung: String?
  public var lastRecovery: String?
  /// In the order in which they are tried.
  public var ladder: [Rung]
  /// Actual parameters of links can be seen; live links can be changed.
  public var observesLinks: Bool
  public var updatesLiveLinks: Bool
  public var warnings: [TroubleDocument]
  public var counters: Counters

  /// `wall` and `now` are readings of one moment.
  public init(_ hub: HubSnapshot, wall: WallTime, now: Instant) {
    let radio = StatusDocument.Radio(hub)
    let care = hub.radio.care
    state = radio.state
    adapter = radio.adapter
    address = radio.address
    bus = radio.bus
    links = radio.links
    slots = radio.slots
    slotSource = care.slotSource.rawValue
    scanning = radio.scanning
    reason = radio.reason
    lastHeard = care.lastHeard.map { (wall + ($0 - now)).rfc3339 }
    recovering = care.isRecovering
    rung = care.rung
    lastRecovery = care.lastRecovery.map { (wall + ($0 - now)).rfc3339 }
    ladder = care.rungs.map { Rung(name: $0.name, count: $0.count) }
    observesLinks = care.observesLinks
    updatesLiveLinks = care.updatesLiveLinks
    warnings = hub.radio.warnings.map { TroubleDocument($0) }
    counters = radio.counters
  }
}
