// What the hub says about itself, as values: the status document, the lights and the tests read these and nothing else.

public import Bluetooth
public import EventLoop
public import Health
public import Reasons
public import RingStore
public import Wearable

/// Where the hub is in its life.
public enum HubPhase: String, Sendable {
  case starting, serving, stopping
}

/// What a wearable is doing, as far as the hub knows.
public enum WearableState: String, Sendable, CaseIterable {
  /// Enrolled, not heard within its presence time.
  case absent
  /// As `absent`, and for longer than it should be.
  case missing
  /// Heard, not enrolled: a candidate. The hub never connects to it.
  case candidate
  /// Enrolled and present; waits for the lane.
  case due
  /// As `due`, and it says without a link what it measures.
  case heard
  /// Holds the lane: the link is being made.
  case connecting
  /// Holds the lane: connected; identity, database and subscriptions are being settled.
  case identifying
  /// Holds the lane: what it holds is being fetched; `visit` says how far.
  case visiting
  /// Linked, and something comes over the link, or it is so new that something may.
  case live
  /// Linked, and nothing came for half a minute: taken off, asked for nothing, or mute.
  case linked
  /// Enrolled and present, but the last attempt failed; `nextTry` says when the hub tries again.
  case waiting
  /// A person has to act; `trouble` says what.
  case attention
  /// Left alone, by order.
  case paused
}

extension WearableState {
  /// A person has to act: to mend something, or to look for it. The lamps, the first screen and exit codes ask this and
  /// nothing else.
  public var needsPerson: Bool { self == .attention || self == .missing }
}

/// One wearable as the hub sees it.
public struct WearableSnapshot: Sendable {
  public var name: String
  public var address: BluetoothAddress
  /// For people, for example `HR strap`; empty if no driver recognises it.
  public var kind: String
  /// Id of the driver that it has, and of the one that its next link has, where that is another; nil for who is not
  /// enrolled.
  public var driver: String?
  public var nextDriver: String?
  public var state: WearableState
  public var isEnrolled: Bool
  /// dBm, smoothed over recent advertisements; nil if never heard since start.
  public var rssi: Int?
  /// Percent; nil if unknown.
  public var battery: Int?
  /// When that was read; nil where it is not known.
  public var batteryRead: WallTime?
  /// What that means; nil where it is not known, or was read too long ago.
  public var batteryCharge: BatteryCharge?
  /// When it was heard last, or its link ended, whichever came later, also before the hub started; nil if never.
  public var lastSeen: WallTime?
  /// It is missing when it was away for longer; nil: it may be away for ever. And an operator's choice; nil: as
  /// configured, zero: for ever.
  public var absentAfter: Duration?
  /// It is left alone; nil: it is not.
  public var pause: PauseSnapshot?
  /// Its troubles that would be told and are muted.
  public var muted: [Attention] = []
  /// Phases that visits leave out by order.
  public var leftOut: [String] = []
  public var absenceChoice: Duration?
  /// When a live value came last, whichever; nil if none did since the hub started.
  public var lastValue: WallTime?
  /// The heart rate in bpm of now, and when it came; nil as soon as the newest is too old for that.
  public var heartRate: (bpm: Int, time: WallTime)?
  /// The same of what it advertises while it has no link.
  public var advertisedHeartRate: (bpm: Int, time: WallTime)?
  /// What was beyond a limit, is not acknowledged and not muted, by kind.
  public var alerts: [AlertSnapshot]
  /// A training of its heart rates that is under way.
  public var training: TrainingSnapshot?
  /// When the link came up, while it is up.
  public var linkedSince: WallTime?
  /// The last trouble, until a link is live again.
  public var trouble: HearthError?
  public var nextTry: WallTime?
  public var manufacturer: String?
  public var model: String?
  public var firmware: String?
  public var serialNumber: String?
  public var bodyLocation: String?
  public var systemID: String?
  public var productID: String?
  /// As it says itself.
  public var charging: String?
  /// What of it is not kept, and why.
  public var notServed: String?
  /// What of it was left out, or taken although it was odd, by reason.
  public var oddities: [OddValues] = []
  /// What can be had of it; nil: not known yet.
  public var capabilities: WearableCapabilities?
  /// Series of which a value ever came live, of all that can.
  public var cameLive: Set<Series> = []
  /// Name of who wears it now; nil for nobody known.
  public var wearer: String?
  /// Something is measured because somebody ordered it: one series by order, or vital signs.
  public var isMeasuring = false
  /// The visit that is running; nil if none is.
  public var visit: VisitSnapshot?
  /// The last visit that ended, since start.
  public var lastVisit: VisitSnapshot?
  /// Its place in the queue for the lane; nil if it does not wait.
  public var queued: QueueSnapshot?
  /// It waits for a slot; nil if it does not.
  public var slotWait: SlotWait?
  /// The hub gave up for now: it tries again only when the wearable was away and is heard again, or when somebody asks.
  public var coolsOff: Bool
  /// What its link was asked to keep, and the profile whose numbers it keeps; nil without a link or where it is not
  /// known.
  public var requestedProfile: LinkProfile?
  public var effectiveProfile: LinkProfile?
  /// Whether anything is removed on it, and an operator's choice; nil: as configured.
  public var erasing: EraseChoice
  public var removalWay = RemovalWay.afterReceipt
  public var eraseChoice: EraseChoice?
  /// Whether values that it advertises are kept; nil where its family has none. And an operator's choice; nil: as
  /// configured.
  public var listens: Bool?
  public var listeningChoice: Bool?
  /// Bytes on the wearable; nil where it does not say.
  public var memoryFree: Int?
  public var memoryTotal: Int?
  /// Named event counters of this wearable since start, in a fixed order.
  public var counters: [(name: String, value: UInt64)]

  public init(name: String, address: BluetoothAddress, kind: String, state: WearableState, isEnrolled: Bool) {
    self.name = name
    self.address = address
    self.kind = kind
    self.state = state
    self.isEnrolled = isEnrolled
    coolsOff = false
    erasing = .no
    alerts = []
    counters = []
  }
}

/// Someone or something that needs a person, for the first screen.
public struct Attention: Sendable, Hashable {
  /// Name of the wearable, or nil for the hub itself.
  public var wearable: String?
  public var trouble: HearthError
  /// In a list of muted troubles: until when, by the clock as it is now; nil: until a person takes the mute back.
  public var mutedUntil: WallTime?

  public init(wearable: String?, trouble: HearthError, mutedUntil: WallTime? = nil) {
    self.wearable = wearable
    self.trouble = trouble
    self.mutedUntil = mutedUntil
  }
}

/// How wearables may join.
public enum EnrolmentMode: String, Sendable, CaseIterable {
  /// Nobody joins.
  case closed
  /// People open a window; near wearables may be accepted while it is open.
  case window
  /// Every recognised wearable joins by itself.
  case all
}

/// The state of enrolment.
public struct EnrolmentSnapshot: Sendable {
  public struct Candidate: Sendable {
    /// `A`, `B`, … stable while the window is open.
    public var letter: String
    /// As advertised, cleaned; the address where it has none.
    public var name: String
    public var address: BluetoothAddress
    public var kind: String
    public var rssi: Int?
    public var isNear: Bool
    /// The name it would get, for example `strap-04`.
    public var proposedName: String

    public init(
      letter: String, name: String, address: BluetoothAddress, kind: String, rssi: Int?, isNear: Bool,
      proposedName: String
    ) {
      self.letter = letter
      self.name = name
      self.address = address
      self.kind = kind
      self.rssi = rssi
      self.isNear = isNear
      self.proposedName = proposedName
    }
  }
  public var mode: EnrolmentMode
  /// Until when the window is open; nil when it is not.
  public var openUntil: WallTime?
  public var secondsLeft: Int?
  /// A candidate is near at or above this, in dBm.
  public var nearRSSI: Int
  public var candidates: [Candidate]

  public init(
    mode: EnrolmentMode, openUntil: WallTime? = nil, secondsLeft: Int? = nil, nearRSSI: Int,
    candidates: [Candidate] = []
  ) {
    self.mode = mode
    self.openUntil = openUntil
    self.secondsLeft = secondsLeft
    self.nearRSSI = nearRSSI
    self.candidates = candidates
  }
}

/// The hub on one screen.
public struct HubSnapshot: Sendable {
  public var name: String
  public var phase: HubPhase
  public var startedAt: WallTime
  public var uptime: Duration
  public var radioState: RadioState
  public var radio: RadioFacts
  public var enrolled: Int
  public var present: Int
  public var missing: Int
  public var live: Int
  public var attention: [Attention]
  /// Wearables that are left alone by order, and troubles that would stand in `attention` and are muted.
  public var paused = 0
  public var muted: [Attention] = []
  /// Who holds the lane, and who waits for it, in order. Names.
  public var laneHolder: String?
  public var laneQueue: [String]
  /// The visit that is running, and who waits for the lane with the reason, in order.
  public var visit: VisitSnapshot?
  public var queue: [QueueSnapshot]
  /// A time source disciplines the clock.
  public var clockIsSynchronised: Bool
  /// When the newest backup was made.
  public var backupAt: WallTime?
  /// Synchronised, or at least not before this software or the newest sample.
  public var clockIsPlausible: Bool
  public var loop: LoopStatistics?
  /// How long whoever waits longest could have had the lane by now; nil: nobody waits for it.
  public var longestWait: Duration?
  public var tally = HubTally()
  /// Named event counters since start, in a fixed order.
  public var counters: [(name: String, value: UInt64)]

  public init(
    name: String, phase: HubPhase, startedAt: WallTime, uptime: Duration, radioState: RadioState, radio: RadioFacts
  ) {
    self.name = name
    self.phase = phase
    self.startedAt = startedAt
    self.uptime = uptime
    self.radioState = radioState
    self.radio = radio
    enrolled = 0
    present = 0
    missing = 0
    live = 0
    attention = []
    laneQueue = []
    queue = []
    clockIsSynchronised = false
    clockIsPlausible = true
    counters = []
  }
}

/// One live value of any layout, for `hearth live`.
public struct LiveValue: Sendable {
  public var wearable: String
  public var address: BluetoothAddress
  public var sample: StoredSample

  public init(wearable: String, address: BluetoothAddress, sample: StoredSample) {
    self.wearable = wearable
    self.address = address
    self.sample = sample
  }
}
