// The hub's state as values. The status document, the lights and the tests read only these.

public import Bluetooth
public import EventLoop
public import Health
public import Reasons
public import RingStore
public import Wearable

/// The hub's phase of life.
public enum HubPhase: String, Sendable {
  case starting, serving, stopping
}
/// The state of a wearable, as far as the hub knows.
public enum WearableState: String, Sendable, CaseIterable {
  /// Enrolled, not heard within its presence time.
  case absent
  /// Like `absent`, for longer than permitted.
  case missing
  /// Heard, not enrolled: a candidate. The hub never connects to it.
  case candidate
  /// Enrolled and present; waits for the lane.
  case due
  /// Like `due`, and it advertises its values.
  case heard
  /// Has its turn: the link is being made.
  case connecting
  /// Has its turn: connected; identity, database and subscriptions are being settled.
  case identifying
  /// Has its turn: data is being fetched; `visit` shows the progress.
  case visiting
  /// Linked, and values come over the link, or it is so new that they may.
  case live
  /// Linked, without values for half a minute: taken off, not subscribed, or unresponsive.
  case linked
  /// Enrolled and present, but the last attempt failed; `nextTry` shows when the hub tries again.
  case waiting
  /// A person has to act; `trouble` shows why.
  case attention
  /// Paused by an operator's order.
  case paused
}

extension WearableState {
  /// Whether a person has to act: to solve a trouble, or to look for the wearable. The LEDs, the first screen and exit
  /// codes depend only on this.
  public var needsPerson: Bool { self == .attention || self == .missing }
}
/// A wearable, as the hub sees it.
public struct WearableSnapshot: Sendable {
  /// Name of the wearable.
  public var name: String
  /// Address of the wearable.
  public var address: BluetoothAddress
  /// Shown to people, for example `HR strap`; empty if no driver recognises it.
  public var kind: String
  /// Id of its driver, and of the driver of its next link if that differs; nil if not enrolled.
  public var driver: String?
  /// Id of the driver of its next link, if that differs.
  public var nextDriver: String?
  public var state: WearableState
  public var isEnrolled: Bool
  /// dBm, smoothed over recent advertisements; nil if never heard since start.
  public var rssi: Int?
  /// Percent; nil if unknown.
  public var battery: Int?
  /// Time of that reading; nil if unknown.
  public var batteryRead: WallTime?
  /// The level that it means; nil if unknown, or read too long ago.
  public var batteryCharge: BatteryCharge?
  /// Time of its last advertisement or end of link, whichever is later, also before the hub started; nil if never.
  public var lastSeen: WallTime?
  /// Limit of an absence; nil: for ever. And an operator's choice; nil: as configured, zero: for ever.
  public var absentAfter: Duration?
  /// The pause; nil: not paused.
  public var pause: PauseSnapshot?
  /// Troubles that would be shown, but are muted.
  public var muted: [Attention] = []
  /// Phases that visits leave out by order.
  public var leftOut: [String] = []
  /// An operator's limit of an absence; nil: as configured, zero: for ever.
  public var absenceChoice: Duration?
  /// Time of the last live value of any series; nil: not since the hub started.
  public var lastValue: WallTime?
  /// The current heart rate in bpm, and its time; nil as soon as the newest is too old.
  public var heartRate: (bpm: Int, time: WallTime)?
  /// The same for advertised values without a link.
  public var advertisedHeartRate: (bpm: Int, time: WallTime)?
  /// Alerts that are neither acknowledged nor muted, by kind.
  public var alerts: [AlertSnapshot]
  /// A training in its heart rates that is under way.
  public var training: TrainingSnapshot?
  /// When the link came up, while it is up.
  public var linkedSince: WallTime?
  /// The last trouble, until a link is live again.
  public var trouble: HearthError?
  /// Earliest time of the next attempt; nil: none is planned.
  public var nextTry: WallTime?
  public var manufacturer: String?
  public var model: String?
  public var firmware: String?
  public var serialNumber: String?
  public var bodyLocation: String?
  public var systemID: String?
  public var productID: String?
  /// As the wearable reports it.
  public var charging: String?
  /// Data that is not stored, and why.
  public var notServed: String?
  /// Values that were left out, or taken although odd, by reason.
  public var oddities: [OddValues] = []
  /// Capabilities; nil: not known yet.
  public var capabilities: WearableCapabilities?
  /// Series of which a value ever came live, of all that are possible.
  public var cameLive: Set<Series> = []
  /// Name of the present wearer; nil: unknown.
  public var wearer: String?
  /// An ordered measurement runs: one series, or vital signs.
  public var isMeasuring = false
  /// The running visit; nil: no visit runs.
  public var visit: VisitSnapshot?
  /// The last visit that ended, since start.
  public var lastVisit: VisitSnapshot?
  /// Place in the queue for the lane; nil if it does not wait.
  public var queued: QueueSnapshot?
  /// Wait for a slot; nil if it does not wait.
  public var slotWait: SlotWait?
  /// The hub stopped trying for now, until the wearable is heard again after an absence, or until a request.
  public var coolsOff: Bool
  /// The profile that its link should have, and the one that matches the parameters in effect; nil without a link, or
  /// if unknown.
  public var requestedProfile: LinkProfile?
  /// Profile in effect; nil: not connected.
  public var effectiveProfile: LinkProfile?
  /// Whether the hub removes data on it, and an operator's choice; nil: as configured.
  public var erasing: EraseChoice
  /// How data are removed from the wearable.
  public var removalWay = RemovalWay.afterReceipt
  /// An operator's choice about erasing; nil: as configured.
  public var eraseChoice: EraseChoice?
  /// Whether its advertised values are stored; nil if its family does not advertise values. And an operator's choice;
  /// nil: as configured.
  public var listens: Bool?
  /// An operator's choice about advertised values; nil: as configured.
  public var listeningChoice: Bool?
  /// Bytes in the wearable's memory; nil if it does not report them.
  public var memoryFree: Int?
  /// Size of its memory in bytes; nil: not reported.
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
/// A wearable, or a part of the hub, that needs a person, for the first screen.
public struct Attention: Sendable, Hashable {
  /// Name of the wearable, or nil for the hub itself.
  public var wearable: String?
  public var trouble: HearthError
  /// In a list of muted troubles: end of the mute, by the clock as it is set now; nil: until a person withdraws it.
  public var mutedUntil: WallTime?
  public init(wearable: String?, trouble: HearthError, mutedUntil: WallTime? = nil) {
    self.wearable = wearable
    self.trouble = trouble
    self.mutedUntil = mutedUntil
  }
}
/// How wearables may join.
public enum EnrolmentMode: String, Sendable, CaseIterable {
  /// No wearable may join.
  case closed
  /// Operators open a window; near wearables may be accepted while it is open.
  case window
  /// Every recognised wearable joins by itself.
  case all
}
/// The state of enrolment.
public struct EnrolmentSnapshot: Sendable {
  /// Unknown wearable that could be enrolled.
  public struct Candidate: Sendable {
    /// `A`, `B`, … stable while the window is open.
    public var letter: String
    /// As advertised, cleaned; the address if it advertises no name.
    public var name: String
    public var address: BluetoothAddress
    public var kind: String
    /// Signal strength in dBm; nil: unknown.
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
  /// End of the open window; nil: closed.
  public var openUntil: WallTime?
  /// Seconds until the window closes; nil: it is closed.
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
  /// Wearables that are paused by order, and muted troubles that would be in `attention`.
  public var paused = 0
  public var muted: [Attention] = []
  /// Names of the lane's holder, and of those that wait for the lane, in order.
  public var laneHolder: String?
  /// Names of wearables that wait for the lane.
  public var laneQueue: [String]
  /// The running visit, and the queue for the lane with the reasons, in order.
  public var visit: VisitSnapshot?
  public var queue: [QueueSnapshot]
  /// A time source disciplines the clock.
  public var clockIsSynchronised: Bool
  /// When the newest backup was made.
  public var backupAt: WallTime?
  /// Synchronised, or at least not before this software or the newest sample.
  public var clockIsPlausible: Bool
  /// Figures of the event loop; nil: virtual time.
  public var loop: LoopStatistics?
  /// Longest time since one of the waiting wearables could have had the lane; nil: the queue is empty.
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
/// A live value of any layout, for `hearth live`.
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
