// A wearable's state as a value: what it is, how it is doing, and what the hub does with it.

public import Bluetooth
public import EventLoop
public import Health
public import Reasons
public import Wearable

/// The state of a wearable, as far as the hub knows.
public enum WearableState: String, Sendable, CaseIterable {
  /// Enrolled, not heard within its presence time.
  case absent
  /// Presence like `absent`, for longer than permitted.
  case missing
  /// Heard, not enrolled: a candidate. The hub never connects to it.
  case candidate
  /// Enrolled and present; waits for the lane.
  case due
  /// Presence like `due`, and it advertises its values.
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
  /// Id of its driver; nil if not enrolled.
  public var driver: String?
  /// Id of the driver of its next link, if that differs.
  public var nextDriver: String?
  /// State of the wearable. In state `attention` it may be linked, but the link does not bring all that is wanted.
  public var state: WearableState
  /// False for a candidate, which the hub hears and does not connect to.
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
  /// Limit of an absence, after which the wearable is missing; nil: for ever.
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
  /// Time when the link came up, while it is up.
  public var linkedSince: WallTime?
  /// The last trouble, until a link is live again.
  public var trouble: HearthError?
  /// Earliest time of the next attempt; nil: no attempt is planned.
  public var nextTry: WallTime?
  /// Manufacturer, as the wearable reports it; nil: not reported. The same holds for the next six.
  public var manufacturer: String?
  /// Model name or number.
  public var model: String?
  /// Version of the firmware.
  public var firmware: String?
  /// Serial number of the unit.
  public var serialNumber: String?
  /// Place on the body for which the sensor is made.
  public var bodyLocation: String?
  /// 64 bits that identify the unit, in hexadecimal (System ID, 2A23).
  public var systemID: String?
  /// PnP ID (2A50): source of the vendor id, vendor, product and version.
  public var productID: String?
  /// Charging state and problems of the battery, as the wearable reports them; nil: not reported.
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
  /// The profile that its link should have; nil: not connected.
  public var requestedProfile: LinkProfile?
  /// The profile that matches the parameters in effect; nil: not connected, or no profile matches them.
  public var effectiveProfile: LinkProfile?
  /// Whether the hub removes data on it, by the operator's choice or the configuration.
  public var erasing: EraseChoice
  /// Way in which data are removed from the wearable.
  public var removalWay = RemovalWay.afterReceipt
  /// An operator's choice about erasing; nil: as configured.
  public var eraseChoice: EraseChoice?
  /// Whether its advertised values are stored; nil if its family does not advertise values.
  public var listens: Bool?
  /// An operator's choice about advertised values; nil: as configured.
  public var listeningChoice: Bool?
  /// Bytes in the wearable's memory; nil if it does not report them.
  public var memoryFree: Int?
  /// Size of its memory in bytes; nil: not reported.
  public var memoryTotal: Int?
  /// Named event counters of this wearable since start, in a fixed order.
  public var counters: [(name: String, value: UInt64)]
  /// A wearable of which no more is known: optional fields are nil, lists are empty, and erasing is `no`.
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
