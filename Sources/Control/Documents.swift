// What the control socket says, as values that both sides share. Names and meanings never change within a schema number; members are
// only ever added. In JSON the names are snake_case and what is unknown is null.

public import EventLoop
public import Hub
public import Reasons

/// A reason with its words.
public struct TroubleDocument: Codable, Sendable, Hashable {
  /// `H2102`
  public var code: String
  public var area: String
  /// What such a reason means.
  public var sentence: String
  /// What happened to whom this time.
  public var detail: String
  /// What it means for samples.
  public var effect: String
  /// What to do.
  public var next: String

  public init(_ error: HearthError) {
    let text = error.reason.text
    code = error.reason.code
    area = text.area
    sentence = text.sentence
    detail = error.detail
    effect = text.effect
    next = text.next
  }
}

/// The hub on one screen.
public struct StatusDocument: Codable, Sendable, Hashable {
  public struct Radio: Codable, Sendable, Hashable {
    /// `starting`, `ready`, `down`
    public var state: String
    public var adapter: String
    public var address: String?
    public var bus: String
    public var links: Int
    public var slots: Int
    public var scanning: Bool
    /// Why it is down.
    public var reason: TroubleDocument?
    /// The reset ladder is at work, and on which rung; of the past the rung that was tried last.
    public var recovering: Bool
    public var rung: String?
    public var counters: Counters
  }

  public struct Attention: Codable, Sendable, Hashable {
    /// Nil: the hub itself.
    public var device: String?
    public var reason: TroubleDocument
  }

  public struct Lane: Codable, Sendable, Hashable {
    public var holder: String?
    public var queue: [String]
    /// The visit that is running.
    public var visit: VisitDocument?
    /// Who waits, with the reason, in order.
    public var waiting: [QueuedDocument]
  }

  public struct Clock: Codable, Sendable, Hashable {
    public var time: String
    /// A time source disciplines it.
    public var synchronised: Bool
    public var plausible: Bool
  }

  public struct Loop: Codable, Sendable, Hashable {
    public var wakeUps: UInt64
    public var turns: UInt64
    /// How long turns kept everybody else waiting: so long or less for 50 and for 99 of 100, within an eighth; and the longest.
    public var turnP50Ms: Double
    public var turnP99Ms: Double
    public var longestTurnMs: Double
    public var stalls: UInt64

    public init(_ loop: LoopStatistics) {
      func milliseconds(_ time: Duration) -> Double { (time.inSeconds * 1e6).rounded() / 1000 }
      wakeUps = loop.wakeUps
      turns = loop.turns.count
      turnP50Ms = milliseconds(loop.turns.quantile(0.5))
      turnP99Ms = milliseconds(loop.turns.quantile(0.99))
      longestTurnMs = milliseconds(loop.longestTurn)
      stalls = loop.stalls
    }
  }

  public var schema = "io.hearth.status/1"
  public var name: String
  public var version: String
  /// `starting`, `serving`, `stopping`
  public var phase: String
  public var startedAt: String
  public var uptimeSeconds: Int
  public var radio: Radio
  public var enrolled: Int
  public var present: Int
  public var live: Int
  public var lane: Lane
  public var enrolment: EnrolmentDocument
  public var store: StoreDocument
  public var clock: Clock
  public var attention: [Attention]
  public var loop: Loop?
  public var counters: Counters

  public init(_ hub: HubSnapshot, enrolment: EnrolmentSnapshot, store: StoreDocument, now: WallTime) {
    name = hub.name
    version = hearthVersion
    phase = hub.phase.rawValue
    startedAt = hub.startedAt.rfc3339
    uptimeSeconds = Int(hub.uptime.inSeconds)
    radio = Radio(hub)
    enrolled = hub.enrolled
    present = hub.present
    live = hub.live
    lane = Lane(
      holder: hub.laneHolder, queue: hub.laneQueue, visit: hub.visit.map { VisitDocument($0) }, waiting: hub.queue.map { QueuedDocument($0) })
    self.enrolment = EnrolmentDocument(enrolment)
    self.store = store
    clock = Clock(time: now.rfc3339, synchronised: hub.clockIsSynchronised, plausible: hub.clockIsPlausible)
    attention = hub.attention.map { Attention(device: $0.wearable, reason: TroubleDocument($0.trouble)) }
    loop = hub.loop.map { Loop($0) }
    counters = Counters(hub.counters)
  }
}

extension StatusDocument.Radio {
  init(_ hub: HubSnapshot) {
    let facts = hub.radio
    switch hub.radioState {
    case .starting: state = "starting"
    case .ready: state = "ready"
    case .down(let down):
      state = "down"
      reason = TroubleDocument(HearthError(down, down.text.sentence))
    }
    adapter = facts.adapter
    address = facts.address?.description
    bus = facts.bus
    links = facts.links
    slots = facts.slots
    scanning = facts.isScanning
    recovering = facts.care.isRecovering
    rung = facts.care.rung
    counters = Counters(facts.counters)
  }
}

/// One wearable.
public struct DeviceDocument: Codable, Sendable, Hashable {
  public var schema = "io.hearth.device/1"
  public var name: String
  public var address: String
  /// `public` or `random`
  public var addressType: String
  public var kind: String
  /// `absent`, `candidate`, `due`, `heard`, `connecting`, `identifying`, `visiting`, `live`, `linked`, `waiting`, `attention`. `linked`: nothing came over its link
  /// for half a minute.
  public var state: String
  public var enrolled: Bool
  /// Id of its driver; nil for who is not enrolled. And of the one that its next link has, where that is another.
  public var driver: String?
  public var nextDriver: String?
  /// dBm
  public var rssi: Int?
  /// Percent.
  public var battery: Int?
  public var lastSeen: String?
  /// When a live value came last, whichever.
  public var lastValueAt: String?
  /// Beats per minute of now, and when they were measured; nil as soon as the newest are too old for that.
  public var heartRate: Int?
  public var heartRateAt: String?
  public var linkedSince: String?
  public var nextTry: String?
  public var reason: TroubleDocument?
  public var manufacturer: String?
  public var model: String?
  public var firmware: String?
  public var serialNumber: String?
  public var bodyLocation: String?
  /// Who wears it now; nil for nobody known.
  public var wearer: String?
  /// The visit that is running, and the last one that ended.
  public var visit: VisitDocument?
  public var lastVisit: VisitDocument?
  /// Its place in the queue for the lane.
  public var queued: QueuedDocument?
  /// The hub tries again only when it was away and is heard again, or when somebody asks.
  public var coolsOff: Bool
  /// `foreground`, `background`, `idle`: what its link was asked to keep, and whose numbers it keeps.
  public var requestedProfile: String?
  public var effectiveProfile: String?
  /// `yes`, `no`, `ask`: whether anything that is safe in the store is removed on it; `ask`: only in a visit that an operator asked for.
  public var erase: String
  /// An operator's lasting choice of these; nil: as configured.
  public var eraseChoice: String?
  /// Whether values that it advertises are kept while it has no link; nil where its family has none. And an operator's lasting choice; nil: as configured.
  public var listens: Bool?
  public var listenChoice: Bool?
  /// Bytes on the wearable.
  public var memoryFree: Int?
  public var memoryTotal: Int?
  public var counters: Counters

  public init(_ wearable: WearableSnapshot) {
    name = wearable.name
    address = wearable.address.description
    addressType = addressTypeName(wearable.address.kind.rawValue)
    kind = wearable.kind
    state = wearable.state.rawValue
    enrolled = wearable.isEnrolled
    driver = wearable.driver
    nextDriver = wearable.nextDriver
    rssi = wearable.rssi
    battery = wearable.battery
    lastSeen = wearable.lastSeen?.rfc3339
    lastValueAt = wearable.lastValue?.rfc3339
    heartRate = wearable.heartRate?.bpm
    heartRateAt = wearable.heartRate?.time.rfc3339
    linkedSince = wearable.linkedSince?.rfc3339
    nextTry = wearable.nextTry?.rfc3339
    reason = wearable.trouble.map { TroubleDocument($0) }
    manufacturer = wearable.manufacturer
    model = wearable.model
    firmware = wearable.firmware
    serialNumber = wearable.serialNumber
    bodyLocation = wearable.bodyLocation
    wearer = wearable.wearer
    visit = wearable.visit.map { VisitDocument($0) }
    lastVisit = wearable.lastVisit.map { VisitDocument($0) }
    queued = wearable.queued.map { QueuedDocument($0) }
    coolsOff = wearable.coolsOff
    requestedProfile = wearable.requestedProfile?.name
    effectiveProfile = wearable.effectiveProfile?.name
    erase = wearable.erasing.rawValue
    eraseChoice = wearable.eraseChoice?.rawValue
    listens = wearable.listens
    listenChoice = wearable.listeningChoice
    memoryFree = wearable.memoryFree
    memoryTotal = wearable.memoryTotal
    counters = Counters(wearable.counters)
  }
}

/// Who may join, and who would like to.
public struct EnrolmentDocument: Codable, Sendable, Hashable {
  public struct Candidate: Codable, Sendable, Hashable {
    /// `A`, `B`, … while the window is open.
    public var letter: String
    public var name: String
    public var address: String
    public var kind: String
    public var rssi: Int?
    public var near: Bool
    public var proposedName: String
  }

  public var schema = "io.hearth.enrolment/1"
  /// `closed`, `window`, `all`
  public var mode: String
  public var open: Bool
  public var openUntil: String?
  public var secondsLeft: Int?
  /// dBm
  public var nearRssi: Int
  public var candidates: [Candidate]

  public init(_ enrolment: EnrolmentSnapshot) {
    mode = enrolment.mode.rawValue
    open = enrolment.openUntil != nil
    openUntil = enrolment.openUntil?.rfc3339
    secondsLeft = enrolment.secondsLeft
    nearRssi = enrolment.nearRSSI
    candidates = enrolment.candidates.map {
      Candidate(
        letter: $0.letter, name: $0.name, address: $0.address.description, kind: $0.kind, rssi: $0.rssi, near: $0.isNear,
        proposedName: $0.proposedName)
    }
  }
}

/// One key of the configuration in force.
public struct SettingDocument: Codable, Sendable, Hashable {
  public var key: String
  public var value: String
  /// `default`, `preset ward`, or `file:line`.
  public var origin: String

  public init(key: String, value: String, origin: String) {
    self.key = key
    self.value = value
    self.origin = origin
  }
}
