// The documents of io.hearth.Hub as values. In JSON their names are snake_case, and what is nil is null.
//
// Made by `generate` from io.hearth.Hub.varlink. Do not edit.
// swift-format-ignore-file

public import JSONText

/// The words that members of documents are made of.
public enum Words {
  public struct RadioPhase: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let `starting` = Self(rawValue: "starting")
    public static let `ready` = Self(rawValue: "ready")
    public static let `down` = Self(rawValue: "down")
  }

  /// Why a visit is made.
  public struct VisitTrigger: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let `seen` = Self(rawValue: "seen")
    public static let `operator` = Self(rawValue: "operator")
    public static let `schedule` = Self(rawValue: "schedule")
    public static let `resumption` = Self(rawValue: "resumption")
    public static let `announcement` = Self(rawValue: "announcement")
  }

  /// Where a visit is.
  public struct VisitStage: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let `connect` = Self(rawValue: "connect")
    public static let `identify` = Self(rawValue: "identify")
    public static let `check` = Self(rawValue: "check")
    public static let `list` = Self(rawValue: "list")
    public static let `fetch` = Self(rawValue: "fetch")
    public static let `verify` = Self(rawValue: "verify")
    public static let `store` = Self(rawValue: "store")
    public static let `erase` = Self(rawValue: "erase")
    public static let `finish` = Self(rawValue: "finish")
    public static let `ended` = Self(rawValue: "ended")
  }

  /// How far the link of a running visit is.
  public struct VisitConnection: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let `connecting` = Self(rawValue: "connecting")
    public static let `authenticating` = Self(rawValue: "authenticating")
    public static let `preparing` = Self(rawValue: "preparing")
    public static let `connected` = Self(rawValue: "connected")
  }

  public struct VisitOutcome: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let `done` = Self(rawValue: "done")
    public static let `interrupted` = Self(rawValue: "interrupted")
    public static let `sliceOver` = Self(rawValue: "slice_over")
    public static let `busy` = Self(rawValue: "busy")
    public static let `refused` = Self(rawValue: "refused")
    public static let `broken` = Self(rawValue: "broken")
    public static let `silent` = Self(rawValue: "silent")
    public static let `noRoom` = Self(rawValue: "no_room")
    public static let `needsAttention` = Self(rawValue: "needs_attention")
    public static let `abandoned` = Self(rawValue: "abandoned")
  }

  /// By what right a wearable has its turn, first to last.
  public struct LanePriority: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Its slot is kept for it.
    public static let `reserved` = Self(rawValue: "reserved")
    /// There for seconds.
    public static let `brief` = Self(rawValue: "brief")
    public static let `operator` = Self(rawValue: "operator")
    /// Was steady, lost its link.
    public static let `recovering` = Self(rawValue: "recovering")
    public static let `firstContact` = Self(rawValue: "first_contact")
    /// Was of use, lost its link.
    public static let `returning` = Self(rawValue: "returning")
    public static let `scheduled` = Self(rawValue: "scheduled")
    public static let `unresponsive` = Self(rawValue: "unresponsive")
  }

  /// Why an attempt to connect a wearable may not begin now.
  public struct LaneHold: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// It does not serve.
    public static let `radio` = Self(rawValue: "radio")
    /// Another visit has it.
    public static let `lane` = Self(rawValue: "lane")
    public static let `pairing` = Self(rawValue: "pairing")
    /// With held_until.
    public static let `pace` = Self(rawValue: "pace")
    public static let `attempts` = Self(rawValue: "attempts")
    public static let `steadyFirst` = Self(rawValue: "steady_first")
    public static let `newcomerFirst` = Self(rawValue: "newcomer_first")
    public static let `recoveringFirst` = Self(rawValue: "recovering_first")
    public static let `briefFirst` = Self(rawValue: "brief_first")
    public static let `unproven` = Self(rawValue: "unproven")
  }

  /// How a wearable would come to a slot now.
  public struct SlotOutlook: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// It needs none.
    public static let `linked` = Self(rawValue: "linked")
    public static let `free` = Self(rawValue: "free")
    /// Attempts may take the free one.
    public static let `attempted` = Self(rawValue: "attempted")
    /// One is being given up.
    public static let `vacating` = Self(rawValue: "vacating")
    /// By slot_of, which yields to it at slot_at.
    public static let `taken` = Self(rawValue: "taken")
    /// Nothing yields to it.
    public static let `nothing` = Self(rawValue: "none")
  }

  public struct HubPhase: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let `starting` = Self(rawValue: "starting")
    public static let `serving` = Self(rawValue: "serving")
    public static let `stopping` = Self(rawValue: "stopping")
  }

  /// What a wearable is doing, or why nothing.
  public struct DeviceCondition: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let `absent` = Self(rawValue: "absent")
    /// Absent for longer than it should be.
    public static let `missing` = Self(rawValue: "missing")
    public static let `candidate` = Self(rawValue: "candidate")
    public static let `due` = Self(rawValue: "due")
    public static let `heard` = Self(rawValue: "heard")
    public static let `connecting` = Self(rawValue: "connecting")
    public static let `identifying` = Self(rawValue: "identifying")
    public static let `visiting` = Self(rawValue: "visiting")
    public static let `live` = Self(rawValue: "live")
    /// Nothing came over its link for half a minute.
    public static let `linked` = Self(rawValue: "linked")
    public static let `waiting` = Self(rawValue: "waiting")
    /// A person has to act, also while it is linked.
    public static let `attention` = Self(rawValue: "attention")
    /// Left alone, by order.
    public static let `paused` = Self(rawValue: "paused")
  }

  /// critical is H2230, low H2142.
  public struct BatteryCharge: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let `enough` = Self(rawValue: "enough")
    public static let `low` = Self(rawValue: "low")
    public static let `critical` = Self(rawValue: "critical")
  }

  public struct EnrolmentMode: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let `closed` = Self(rawValue: "closed")
    public static let `window` = Self(rawValue: "window")
    public static let `all` = Self(rawValue: "all")
  }

  /// Why a part of a gap has no values.
  public struct GapReason: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// It was there and is gone.
    public static let `evicted` = Self(rawValue: "evicted")
    public static let `notEnrolled` = Self(rawValue: "not_enrolled")
    /// People chose that it is not taken.
    public static let `byOrder` = Self(rawValue: "by_order")
    public static let `hubDown` = Self(rawValue: "hub_down")
    public static let `radioDown` = Self(rawValue: "radio_down")
    public static let `noSlot` = Self(rawValue: "no_slot")
    /// With its code.
    public static let `visitFailed` = Self(rawValue: "visit_failed")
    /// A visit said so.
    public static let `notRecording` = Self(rawValue: "not_recording")
    /// The wearable may still hold it.
    public static let `notFetched` = Self(rawValue: "not_fetched")
    /// Its battery rose in between.
    public static let `charging` = Self(rawValue: "charging")
    public static let `outOfReach` = Self(rawValue: "out_of_reach")
    public static let `unknown` = Self(rawValue: "unknown")
  }

  /// How a measurement by order ended.
  public struct MeasurementEnd: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Its time is over.
    public static let `limit` = Self(rawValue: "limit")
    /// By a person.
    public static let `stopped` = Self(rawValue: "stopped")
    /// It ended by itself.
    public static let `byWearable` = Self(rawValue: "by_wearable")
    /// With a reason, also if it ended without a value (H2153).
    public static let `failed` = Self(rawValue: "failed")
  }

  /// What measures. electrical, optical, optical_wrist: it reports intervals.
  public struct VitalsSensor: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let `electrical` = Self(rawValue: "electrical")
    public static let `optical` = Self(rawValue: "optical")
    public static let `opticalWrist` = Self(rawValue: "optical_wrist")
    public static let `rateOnly` = Self(rawValue: "rate_only")
    public static let `oximeter` = Self(rawValue: "oximeter")
    public static let `thermometer` = Self(rawValue: "thermometer")
    public static let `cuff` = Self(rawValue: "cuff")
    public static let `scale` = Self(rawValue: "scale")
  }

  /// What results rest on: electrical intervals, optical ones, rates.
  public struct VitalsBasis: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let `rr` = Self(rawValue: "rr")
    public static let `ppi` = Self(rawValue: "ppi")
    public static let `rate` = Self(rawValue: "rate")
  }

  /// How a measurement of vital signs ended.
  public struct VitalsFinish: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Its time was over.
    public static let `duration` = Self(rawValue: "duration")
    /// Ended early, by a person or with the one reading of a cuff: it has results.
    public static let `stop` = Self(rawValue: "stop")
    /// It was to end before there were results.
    public static let `terminated` = Self(rawValue: "terminated")
    public static let `error` = Self(rawValue: "error")
  }

  public struct VitalsPhase: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// It is being linked and its stream begun.
    public static let `initializing` = Self(rawValue: "initializing")
    public static let `ready` = Self(rawValue: "ready")
    public static let `starting` = Self(rawValue: "starting")
    /// It measures.
    public static let `processing` = Self(rawValue: "processing")
    /// Results are computed.
    public static let `stopping` = Self(rawValue: "stopping")
    public static let `terminating` = Self(rawValue: "terminating")
    public static let `terminated` = Self(rawValue: "terminated")
  }

  public struct SyncProgress: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let `waiting` = Self(rawValue: "waiting")
    public static let `running` = Self(rawValue: "running")
    public static let `done` = Self(rawValue: "done")
    public static let `nothingNew` = Self(rawValue: "nothing_new")
    public static let `failed` = Self(rawValue: "failed")
    public static let `skipped` = Self(rawValue: "skipped")
  }

  /// What a device gets of the slots. live: it keeps its link. turns: it has one in turn with others. visits: it keeps what it measures and needs a
  /// slot for its visits alone. seconds: it is on for seconds, and has a slot at once. unreachable: it is bonded to an adapter that does not serve.
  public struct SlotRole: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let `live` = Self(rawValue: "live")
    public static let `turns` = Self(rawValue: "turns")
    public static let `visits` = Self(rawValue: "visits")
    public static let `seconds` = Self(rawValue: "seconds")
    public static let `unreachable` = Self(rawValue: "unreachable")
  }
}

/// Why something is not as it should be. Codes are stable: `hearth explain H2102`.
public struct TroubleDocument: Codable, Sendable, Hashable {
  public var code: String
  public var area: String
  /// What such a code means, in general.
  public var sentence: String
  /// What happened to whom this time.
  public var detail: String
  /// What it means for samples.
  public var effect: String
  /// What to do.
  public var next: String

  public init(code: String, area: String, sentence: String, detail: String, effect: String, next: String) {
    self.code = code
    self.area = area
    self.sentence = sentence
    self.detail = detail
    self.effect = effect
    self.next = next
  }
}

/// One visit, past or running.
public struct VisitDocument: Codable, Sendable, Hashable {
  public var schema = "io.hearth.visit/1"
  public var number: UInt64
  public var device: String
  public var trigger: Words.VisitTrigger
  public var began: String
  /// Null while it runs, and for good if the hub died in it.
  public var ended: String?
  public var running: Bool
  public var stage: Words.VisitStage
  /// Of a running one, if the wearable belongs to one host and accepts it first. Null for all others; of one that ended the detail of its reason says
  /// at which of them it did.
  public var connection: Words.VisitConnection?
  /// Null while it runs.
  public var outcome: Words.VisitOutcome?
  public var reason: TroubleDocument?
  /// Of one that ended without a reason: why nothing was fetched, or what was.
  public var remark: String?
  public var bytesFetched: UInt64
  public var itemsDone: Int
  public var itemsListed: Int
  /// The item in work: its id, bytes so far, bytes altogether, and percent of these.
  public var item: String?
  public var itemFetched: Int?
  public var itemSize: Int?
  public var percent: Int?
  /// Bytes a second.
  public var rate: Int?
  /// When fetching will be over at this rate.
  public var expectedEnd: String?
  /// Of the time that one wearable may hold the lane at a stretch.
  public var sliceUsedMs: Int?
  public var sliceMs: Int?

  public init(
    number: UInt64, device: String, trigger: Words.VisitTrigger, began: String, ended: String? = nil, running: Bool,
    stage: Words.VisitStage, connection: Words.VisitConnection? = nil, outcome: Words.VisitOutcome? = nil,
    reason: TroubleDocument? = nil, remark: String? = nil, bytesFetched: UInt64, itemsDone: Int, itemsListed: Int,
    item: String? = nil, itemFetched: Int? = nil, itemSize: Int? = nil, percent: Int? = nil, rate: Int? = nil,
    expectedEnd: String? = nil, sliceUsedMs: Int? = nil, sliceMs: Int? = nil
  ) {
    self.number = number
    self.device = device
    self.trigger = trigger
    self.began = began
    self.ended = ended
    self.running = running
    self.stage = stage
    self.connection = connection
    self.outcome = outcome
    self.reason = reason
    self.remark = remark
    self.bytesFetched = bytesFetched
    self.itemsDone = itemsDone
    self.itemsListed = itemsListed
    self.item = item
    self.itemFetched = itemFetched
    self.itemSize = itemSize
    self.percent = percent
    self.rate = rate
    self.expectedEnd = expectedEnd
    self.sliceUsedMs = sliceUsedMs
    self.sliceMs = sliceMs
  }
}

/// Who waits for the lane, and why. fetches: false where it keeps nothing, and being linked is all that is wanted.
public struct QueuedDocument: Codable, Sendable, Hashable {
  public var device: String
  public var why: String
  public var notBefore: String?
  public var trigger: Words.VisitTrigger
  public var fetches: Bool
  /// In the answer of VisitNow: the visit that was asked for has a higher number.
  public var after: UInt64?
  public var priority: Words.LanePriority?
  /// What follows is told with why: true alone. Null: an attempt may begin now.
  public var heldBy: Words.LaneHold?
  public var heldUntil: String?
  public var slot: Words.SlotOutlook?
  public var slotOf: String?
  public var slotAt: String?
  /// A connect would find it.
  public var heard: Bool?

  public init(
    device: String, why: String, notBefore: String? = nil, trigger: Words.VisitTrigger, fetches: Bool,
    after: UInt64? = nil, priority: Words.LanePriority? = nil, heldBy: Words.LaneHold? = nil, heldUntil: String? = nil,
    slot: Words.SlotOutlook? = nil, slotOf: String? = nil, slotAt: String? = nil, heard: Bool? = nil
  ) {
    self.device = device
    self.why = why
    self.notBefore = notBefore
    self.trigger = trigger
    self.fetches = fetches
    self.after = after
    self.priority = priority
    self.heldBy = heldBy
    self.heldUntil = heldUntil
    self.slot = slot
    self.slotOf = slotOf
    self.slotAt = slotAt
    self.heard = heard
  }
}

public struct StatusDocument: Codable, Sendable, Hashable {
  public struct Radio: Codable, Sendable, Hashable {
    public var state: Words.RadioPhase
    public var adapter: String
    public var address: String?
    /// public, random; null where there is no address.
    public var addressType: String?
    public var bus: String
    /// Links the kernel has, and how many the controller is believed to carry.
    public var links: Int
    public var slots: Int
    public var scanning: Bool
    /// Why it is down.
    public var reason: TroubleDocument?
    /// The reset ladder is at work, and on which rung; of the past the rung that was tried last.
    public var recovering: Bool
    public var rung: String?
    public var counters: Counters

    public init(
      state: Words.RadioPhase, adapter: String, address: String? = nil, addressType: String? = nil, bus: String,
      links: Int, slots: Int, scanning: Bool, reason: TroubleDocument? = nil, recovering: Bool, rung: String? = nil,
      counters: Counters
    ) {
      self.state = state
      self.adapter = adapter
      self.address = address
      self.addressType = addressType
      self.bus = bus
      self.links = links
      self.slots = slots
      self.scanning = scanning
      self.reason = reason
      self.recovering = recovering
      self.rung = rung
      self.counters = counters
    }
  }

  /// Something that needs a person; no device: the hub itself. muted_until: in a list of muted troubles, by the clock as it is now; null: until the mute is taken back.
  public struct Attention: Codable, Sendable, Hashable {
    public var device: String?
    public var reason: TroubleDocument
    public var mutedUntil: String?

    public init(device: String? = nil, reason: TroubleDocument, mutedUntil: String? = nil) {
      self.device = device
      self.reason = reason
      self.mutedUntil = mutedUntil
    }
  }

  /// Who holds the lane, and who waits for it.
  public struct Lane: Codable, Sendable, Hashable {
    public var holder: String?
    public var queue: [String]
    public var visit: VisitDocument?
    public var waiting: [QueuedDocument]

    public init(holder: String? = nil, queue: [String], visit: VisitDocument? = nil, waiting: [QueuedDocument]) {
      self.holder = holder
      self.queue = queue
      self.visit = visit
      self.waiting = waiting
    }
  }

  /// zone: in which the hub's days begin and people read its times, for example Europe/Berlin.
  public struct Clock: Codable, Sendable, Hashable {
    public var time: String
    public var synchronised: Bool
    public var plausible: Bool
    public var zone: String

    public init(time: String, synchronised: Bool, plausible: Bool, zone: String) {
      self.time = time
      self.synchronised = synchronised
      self.plausible = plausible
      self.zone = zone
    }
  }

  /// How long turns of the loop kept everybody else waiting, since start: 50 and 99 of 100 were at most turn_p50_ms and turn_p99_ms (within an eighth).
  public struct Loop: Codable, Sendable, Hashable {
    public var wakeUps: UInt64
    public var turns: UInt64
    public var turnP50Ms: Double
    public var turnP99Ms: Double
    public var longestTurnMs: Double
    public var stalls: UInt64

    public init(
      wakeUps: UInt64, turns: UInt64, turnP50Ms: Double, turnP99Ms: Double, longestTurnMs: Double, stalls: UInt64
    ) {
      self.wakeUps = wakeUps
      self.turns = turns
      self.turnP50Ms = turnP50Ms
      self.turnP99Ms = turnP99Ms
      self.longestTurnMs = longestTurnMs
      self.stalls = stalls
    }
  }

  public var schema = "io.hearth.status/1"
  public var name: String
  public var version: String
  public var phase: Words.HubPhase
  public var startedAt: String
  public var uptimeSeconds: Int
  public var radio: StatusDocument.Radio
  public var enrolled: Int
  public var present: Int
  /// Away for longer than they should be.
  public var missing: Int
  /// Left alone, by order; null: none.
  public var paused: Int?
  public var live: Int
  public var lane: StatusDocument.Lane
  public var enrolment: EnrolmentDocument
  public var store: StoreDocument
  public var clock: StatusDocument.Clock
  public var attention: [StatusDocument.Attention]
  /// What would stand in `attention` and is muted; null: nothing.
  public var muted: [StatusDocument.Attention]?
  public var loop: StatusDocument.Loop?
  public var counters: Counters
  /// When the newest backup was made.
  public var backupAt: String?

  public init(
    name: String, version: String, phase: Words.HubPhase, startedAt: String, uptimeSeconds: Int,
    radio: StatusDocument.Radio, enrolled: Int, present: Int, missing: Int, paused: Int? = nil, live: Int,
    lane: StatusDocument.Lane, enrolment: EnrolmentDocument, store: StoreDocument, clock: StatusDocument.Clock,
    attention: [StatusDocument.Attention], muted: [StatusDocument.Attention]? = nil, loop: StatusDocument.Loop? = nil,
    counters: Counters, backupAt: String? = nil
  ) {
    self.name = name
    self.version = version
    self.phase = phase
    self.startedAt = startedAt
    self.uptimeSeconds = uptimeSeconds
    self.radio = radio
    self.enrolled = enrolled
    self.present = present
    self.missing = missing
    self.paused = paused
    self.live = live
    self.lane = lane
    self.enrolment = enrolment
    self.store = store
    self.clock = clock
    self.attention = attention
    self.muted = muted
    self.loop = loop
    self.counters = counters
    self.backupAt = backupAt
  }
}

/// All slots of the adapter are taken. `since`: when the last one was; null where others than the hub have links. `holders`: names, the longest linked
/// first. `next`: who yields next to whoever waits first, and from when on. `place`: its own in the line, from 1.
public struct SlotWaitDocument: Codable, Sendable, Hashable {
  public var links: Int
  public var slots: Int
  public var since: String?
  public var holders: [String]
  public var next: String?
  public var nextAt: String?
  public var place: Int

  public init(
    links: Int, slots: Int, since: String? = nil, holders: [String], next: String? = nil, nextAt: String? = nil,
    place: Int
  ) {
    self.links = links
    self.slots = slots
    self.since = since
    self.holders = holders
    self.next = next
    self.nextAt = nextAt
    self.place = place
  }
}

/// What stayed beyond a limit that people set, until somebody acknowledges it. No medical alarm. kind: rest-above, rest-below, exercise-above, exercise-below
/// (of heart_rate), spo2-below, temperature-above, temperature-below. source: hub (its watch of live values), wearable (it says so itself). value: with which
/// it was raised last. since, last: when it was raised first and last. ended: since when it is over: the value was back inside for a minute; null: it is not.
/// muted_until: as of Attention.
public struct AlertDocument: Codable, Sendable, Hashable {
  public var kind: String
  public var series: String
  public var unit: String
  public var source: String
  public var limit: Double
  public var value: Double
  public var since: String
  public var last: String
  public var count: Int
  public var ended: String?
  public var reason: TroubleDocument
  public var mutedUntil: String?

  public init(
    kind: String, series: String, unit: String, source: String, limit: Double, value: Double, since: String,
    last: String, count: Int, ended: String? = nil, reason: TroubleDocument, mutedUntil: String? = nil
  ) {
    self.kind = kind
    self.series = series
    self.unit = unit
    self.source = source
    self.limit = limit
    self.value = value
    self.since = since
    self.last = last
    self.count = count
    self.ended = ended
    self.reason = reason
    self.mutedUntil = mutedUntil
  }
}

/// A training that the hub makes of the heart rates of a strap. origin: found (inferred: begin and end are where the heart rate rose and fell), ordered.
/// ends: null while it is under way. active_s: without its pauses. known_s: for how long there was a heart rate; of that time are zones (1 to 5 by the
/// maximum heart rate, null where that is unknown), rates and calories (by heart rate, sex, age and weight; null where they are not known; calories_known_s:
/// of how much of the time; extrapolated: not of the people that the formula was made of).
public struct EffortDocument: Codable, Sendable, Hashable {
  public var schema = "io.hearth.effort/1"
  public var device: String
  public var origin: String
  public var begins: String
  public var ends: String?
  public var lengthS: Double
  public var activeS: Double
  public var knownS: Double
  public var zonesS: [Double]?
  public var meanHeartRate: Double?
  public var highestHeartRate: Int?
  public var caloriesKcal: Double?
  public var caloriesKnownS: Double
  public var extrapolated: Bool

  public init(
    device: String, origin: String, begins: String, ends: String? = nil, lengthS: Double, activeS: Double,
    knownS: Double, zonesS: [Double]? = nil, meanHeartRate: Double? = nil, highestHeartRate: Int? = nil,
    caloriesKcal: Double? = nil, caloriesKnownS: Double, extrapolated: Bool
  ) {
    self.device = device
    self.origin = origin
    self.begins = begins
    self.ends = ends
    self.lengthS = lengthS
    self.activeS = activeS
    self.knownS = knownS
    self.zonesS = zonesS
    self.meanHeartRate = meanHeartRate
    self.highestHeartRate = highestHeartRate
    self.caloriesKcal = caloriesKcal
    self.caloriesKnownS = caloriesKnownS
    self.extrapolated = extrapolated
  }
}

/// What is watched of the live values of one wearable. exercise_choice: auto (as wearables of the same wearer tell), on, off. exercise: what is measured now
/// counts as exercise.
public struct AlertsDocument: Codable, Sendable, Hashable {
  /// A limit that may be set, and what is; null: nothing.
  public struct Limit: Codable, Sendable, Hashable {
    public var kind: String
    public var series: String
    public var unit: String
    public var lowest: Double
    public var highest: Double
    public var limit: Double?

    public init(kind: String, series: String, unit: String, lowest: Double, highest: Double, limit: Double? = nil) {
      self.kind = kind
      self.series = series
      self.unit = unit
      self.lowest = lowest
      self.highest = highest
      self.limit = limit
    }
  }

  public var schema = "io.hearth.alerts/1"
  public var device: String
  public var limits: [AlertsDocument.Limit]
  public var exerciseChoice: String
  public var exercise: Bool
  public var alerts: [AlertDocument]
  public var muted: [AlertDocument]?

  public init(
    device: String, limits: [AlertsDocument.Limit], exerciseChoice: String, exercise: Bool, alerts: [AlertDocument],
    muted: [AlertDocument]? = nil
  ) {
    self.device = device
    self.limits = limits
    self.exerciseChoice = exerciseChoice
    self.exercise = exercise
    self.alerts = alerts
    self.muted = muted
  }
}

public struct DeviceDocument: Codable, Sendable, Hashable {
  /// A trouble of a wearable that is muted: the members of Trouble, and until when, by the clock as it is now; null: until the mute is taken back.
  public struct Muted: Codable, Sendable, Hashable {
    public var code: String
    public var area: String
    public var sentence: String
    public var detail: String
    public var effect: String
    public var next: String
    public var mutedUntil: String?

    public init(
      code: String, area: String, sentence: String, detail: String, effect: String, next: String,
      mutedUntil: String? = nil
    ) {
      self.code = code
      self.area = area
      self.sentence = sentence
      self.detail = detail
      self.effect = effect
      self.next = next
      self.mutedUntil = mutedUntil
    }
  }

  /// Values of a wearable that were left out, or taken although they were odd, for one reason: how many, and when the last one came.
  public struct Oddity: Codable, Sendable, Hashable {
    public var what: String
    public var count: Int
    public var lastAt: String

    public init(what: String, count: Int, lastAt: String) {
      self.what = what
      self.count = count
      self.lastAt = lastAt
    }
  }

  /// What can be had of one series of a wearable. `can`: live (sent over a link), recorded (in recordings that somebody begins), history (kept without
  /// being asked), streamed (sent for as long as that is ordered), on_demand (measured once when that is ordered), monitoring (measured by itself),
  /// monitoring_window and monitoring_interval (when and how often can be ordered), denser (more densely when it is ordered), resting (its value at rest),
  /// rest_alert, exercise_alert (it warns of a value beyond bounds). came: whether a value of it ever came over a link; null: it is not sent.
  public struct Capabilities: Codable, Sendable, Hashable {
    public var series: String
    public var can: [String]
    public var came: Bool?

    public init(series: String, can: [String], came: Bool? = nil) {
      self.series = series
      self.can = can
      self.came = came
    }
  }

  public var schema = "io.hearth.device/1"
  public var name: String
  public var address: String
  /// public, random
  public var addressType: String
  public var kind: String
  public var state: Words.DeviceCondition
  public var enrolled: Bool
  /// Id of its driver, and of the one that its next link has, where that is another.
  public var driver: String?
  public var nextDriver: String?
  /// dBm
  public var rssi: Int?
  /// Percent, and when it was read.
  public var battery: Int?
  public var batteryAt: String?
  /// Null: never read, or longer than a day ago.
  public var batteryCharge: Words.BatteryCharge?
  /// When it was heard last, or its link ended, also before the hub started.
  public var lastSeen: String?
  /// It is missing when it was away for longer; null: it may be away for ever. And an operator's lasting choice of that; null: as configured, 0: for
  /// ever.
  public var absentAfterS: Int?
  public var absentChoiceS: Int?
  /// When a live value came last, whichever.
  public var lastValueAt: String?
  /// Beats per minute of now, and when they were measured; null as soon as the newest are too old for that.
  public var heartRate: Int?
  public var heartRateAt: String?
  /// The same of what it advertises while it has no link, which anybody could send.
  public var advertisedHeartRate: Int?
  public var advertisedHeartRateAt: String?
  public var linkedSince: String?
  public var nextTry: String?
  public var reason: TroubleDocument?
  public var manufacturer: String?
  public var model: String?
  public var firmware: String?
  public var serialNumber: String?
  public var bodyLocation: String?
  public var systemId: String?
  public var pnpId: String?
  /// Whether it is charging, and what is wrong with its battery, as it says itself.
  public var charging: String?
  /// What it measures, or calls so, of which nothing is kept, and why.
  public var notServed: String?
  /// What it told that was left out, or taken although it was odd, by reason, since the hub started; null: nothing. Views (`Watch`) leave it out.
  public var oddities: [DeviceDocument.Oddity]?
  /// What can be had of it, series by series: what it announced over a link, as far as its driver carries it out. Null: not known yet, as it had no
  /// link since it was enrolled, or since its firmware changed. Views (`Watch`) leave it out.
  public var capabilities: [DeviceDocument.Capabilities]?
  /// Who wears it now.
  public var wearer: String?
  /// The visit that is running, and the last one that ended.
  public var visit: VisitDocument?
  public var lastVisit: VisitDocument?
  /// Its place in the queue for the lane.
  public var queued: QueuedDocument?
  /// Why it has no link although it waits: no slot is free. Null: it does not wait, or not for a slot.
  public var slotWait: SlotWaitDocument?
  /// The hub tries again only when it was away and is heard again, or when somebody asks.
  public var coolsOff: Bool
  /// A measurement of it is under way, of vital signs or of a series. Null: none.
  public var measuring: Bool?
  /// foreground, background, idle: what its link was asked to keep, and whose numbers it keeps.
  public var requestedProfile: String?
  public var effectiveProfile: String?
  /// yes, no, ask: whether anything that is safe in the store is removed on it; ask: only in a visit that an operator asked for. order: only what a person
  /// orders. none: it keeps nothing that could be removed.
  public var erase: String
  /// An operator's lasting choice of these; null: as configured.
  public var eraseChoice: String?
  /// Whether values that it advertises are kept while it has no link; null where its family has none. And an operator's lasting choice; null: as configured.
  public var listens: Bool?
  public var listenChoice: Bool?
  /// Bytes on the wearable.
  public var memoryFree: Int?
  public var memoryTotal: Int?
  /// Phases that visits leave out by order, unless a person asks for them; null: none.
  public var leftOut: [String]?
  /// Since when it is left alone by order, and until when by the clock as it is now; null: it is not, or until it is resumed.
  public var pausedSince: String?
  public var pausedUntil: String?
  /// What would be its `reason`, or one of its `alerts`, and is muted; null: nothing.
  public var muted: [DeviceDocument.Muted]?
  /// What was beyond a limit, is not acknowledged and not muted; null: nothing.
  public var alerts: [AlertDocument]?
  /// A training that the hub finds in its heart rates, or was told of, while it is under way.
  public var effort: EffortDocument?
  public var counters: Counters

  public init(
    name: String, address: String, addressType: String, kind: String, state: Words.DeviceCondition, enrolled: Bool,
    driver: String? = nil, nextDriver: String? = nil, rssi: Int? = nil, battery: Int? = nil, batteryAt: String? = nil,
    batteryCharge: Words.BatteryCharge? = nil, lastSeen: String? = nil, absentAfterS: Int? = nil,
    absentChoiceS: Int? = nil, lastValueAt: String? = nil, heartRate: Int? = nil, heartRateAt: String? = nil,
    advertisedHeartRate: Int? = nil, advertisedHeartRateAt: String? = nil, linkedSince: String? = nil,
    nextTry: String? = nil, reason: TroubleDocument? = nil, manufacturer: String? = nil, model: String? = nil,
    firmware: String? = nil, serialNumber: String? = nil, bodyLocation: String? = nil, systemId: String? = nil,
    pnpId: String? = nil, charging: String? = nil, notServed: String? = nil, oddities: [DeviceDocument.Oddity]? = nil,
    capabilities: [DeviceDocument.Capabilities]? = nil, wearer: String? = nil, visit: VisitDocument? = nil,
    lastVisit: VisitDocument? = nil, queued: QueuedDocument? = nil, slotWait: SlotWaitDocument? = nil, coolsOff: Bool,
    measuring: Bool? = nil, requestedProfile: String? = nil, effectiveProfile: String? = nil, erase: String,
    eraseChoice: String? = nil, listens: Bool? = nil, listenChoice: Bool? = nil, memoryFree: Int? = nil,
    memoryTotal: Int? = nil, leftOut: [String]? = nil, pausedSince: String? = nil, pausedUntil: String? = nil,
    muted: [DeviceDocument.Muted]? = nil, alerts: [AlertDocument]? = nil, effort: EffortDocument? = nil,
    counters: Counters
  ) {
    self.name = name
    self.address = address
    self.addressType = addressType
    self.kind = kind
    self.state = state
    self.enrolled = enrolled
    self.driver = driver
    self.nextDriver = nextDriver
    self.rssi = rssi
    self.battery = battery
    self.batteryAt = batteryAt
    self.batteryCharge = batteryCharge
    self.lastSeen = lastSeen
    self.absentAfterS = absentAfterS
    self.absentChoiceS = absentChoiceS
    self.lastValueAt = lastValueAt
    self.heartRate = heartRate
    self.heartRateAt = heartRateAt
    self.advertisedHeartRate = advertisedHeartRate
    self.advertisedHeartRateAt = advertisedHeartRateAt
    self.linkedSince = linkedSince
    self.nextTry = nextTry
    self.reason = reason
    self.manufacturer = manufacturer
    self.model = model
    self.firmware = firmware
    self.serialNumber = serialNumber
    self.bodyLocation = bodyLocation
    self.systemId = systemId
    self.pnpId = pnpId
    self.charging = charging
    self.notServed = notServed
    self.oddities = oddities
    self.capabilities = capabilities
    self.wearer = wearer
    self.visit = visit
    self.lastVisit = lastVisit
    self.queued = queued
    self.slotWait = slotWait
    self.coolsOff = coolsOff
    self.measuring = measuring
    self.requestedProfile = requestedProfile
    self.effectiveProfile = effectiveProfile
    self.erase = erase
    self.eraseChoice = eraseChoice
    self.listens = listens
    self.listenChoice = listenChoice
    self.memoryFree = memoryFree
    self.memoryTotal = memoryTotal
    self.leftOut = leftOut
    self.pausedSince = pausedSince
    self.pausedUntil = pausedUntil
    self.muted = muted
    self.alerts = alerts
    self.effort = effort
    self.counters = counters
  }
}

public struct EnrolmentDocument: Codable, Sendable, Hashable {
  /// Somebody who is heard and may be accepted while `near` is true.
  public struct Candidate: Codable, Sendable, Hashable {
    public var letter: String
    public var name: String
    public var address: String
    public var kind: String
    public var rssi: Int?
    public var near: Bool
    public var proposedName: String

    public init(
      letter: String, name: String, address: String, kind: String, rssi: Int? = nil, near: Bool, proposedName: String
    ) {
      self.letter = letter
      self.name = name
      self.address = address
      self.kind = kind
      self.rssi = rssi
      self.near = near
      self.proposedName = proposedName
    }
  }

  public var schema = "io.hearth.enrolment/1"
  public var mode: Words.EnrolmentMode
  public var open: Bool
  public var openUntil: String?
  public var secondsLeft: Int?
  /// dBm
  public var nearRssi: Int
  public var candidates: [EnrolmentDocument.Candidate]

  public init(
    mode: Words.EnrolmentMode, open: Bool, openUntil: String? = nil, secondsLeft: Int? = nil, nearRssi: Int,
    candidates: [EnrolmentDocument.Candidate]
  ) {
    self.mode = mode
    self.open = open
    self.openUntil = openUntil
    self.secondsLeft = secondsLeft
    self.nearRssi = nearRssi
    self.candidates = candidates
  }
}

public struct StoreDocument: Codable, Sendable, Hashable {
  /// What is not in a ring yet.
  public struct Journal: Codable, Sendable, Hashable {
    public var samples: UInt64
    public var chunks: Int
    public var bytes: Int
    public var oldest: String?

    public init(samples: UInt64, chunks: Int, bytes: Int, oldest: String? = nil) {
      self.samples = samples
      self.chunks = chunks
      self.bytes = bytes
      self.oldest = oldest
    }
  }

  /// One series of one wearable, by one way in.
  public struct Ring: Codable, Sendable, Hashable {
    public var device: String
    public var series: String
    /// live, fetched
    public var way: String
    public var samples: UInt64
    public var chunks: Int
    public var bytes: Int
    /// Null: no bound.
    public var quotaBytes: Int?
    public var keepSeconds: Int64?
    /// At the bound: oldest goes, or refuse what could be fetched.
    public var evict: String
    public var oldest: String?
    public var newest: String?
    public var bytesPerDay: Int?
    /// No reader has confirmed them.
    public var unexported: UInt64
    /// Deleted to keep the bounds, ever; of these, such that no reader had confirmed; the time that all of it spanned.
    public var evictedSamples: UInt64
    public var evictedUnexported: UInt64
    public var evictedFrom: String?
    public var evictedTo: String?
    /// Deleted by a person, ever.
    public var purgedSamples: UInt64
    /// At its bound; what is new is left on the wearable.
    public var refuses: Bool

    public init(
      device: String, series: String, way: String, samples: UInt64, chunks: Int, bytes: Int, quotaBytes: Int? = nil,
      keepSeconds: Int64? = nil, evict: String, oldest: String? = nil, newest: String? = nil, bytesPerDay: Int? = nil,
      unexported: UInt64, evictedSamples: UInt64, evictedUnexported: UInt64, evictedFrom: String? = nil,
      evictedTo: String? = nil, purgedSamples: UInt64, refuses: Bool
    ) {
      self.device = device
      self.series = series
      self.way = way
      self.samples = samples
      self.chunks = chunks
      self.bytes = bytes
      self.quotaBytes = quotaBytes
      self.keepSeconds = keepSeconds
      self.evict = evict
      self.oldest = oldest
      self.newest = newest
      self.bytesPerDay = bytesPerDay
      self.unexported = unexported
      self.evictedSamples = evictedSamples
      self.evictedUnexported = evictedUnexported
      self.evictedFrom = evictedFrom
      self.evictedTo = evictedTo
      self.purgedSamples = purgedSamples
      self.refuses = refuses
    }
  }

  /// What was written to the card: since midnight where the hub is, by all writers of the store ever, and in a year at the pace of the last seven days.
  public struct Wear: Codable, Sendable, Hashable {
    public var bytesToday: UInt64
    public var budgetPerDay: UInt64?
    public var overBudget: Bool
    public var odometer: UInt64
    public var forecastPerYear: UInt64?

    public init(
      bytesToday: UInt64, budgetPerDay: UInt64? = nil, overBudget: Bool, odometer: UInt64,
      forecastPerYear: UInt64? = nil
    ) {
      self.bytesToday = bytesToday
      self.budgetPerDay = budgetPerDay
      self.overBudget = overBudget
      self.odometer = odometer
      self.forecastPerYear = forecastPerYear
    }
  }

  /// A cursor of exports.
  public struct Reader: Codable, Sendable, Hashable {
    public var name: String
    public var createdAt: String
    public var confirmedAt: String
    public var samples: UInt64
    public var by: String

    public init(name: String, createdAt: String, confirmedAt: String, samples: UInt64, by: String) {
      self.name = name
      self.createdAt = createdAt
      self.confirmedAt = confirmedAt
      self.samples = samples
      self.by = by
    }
  }

  public var schema = "io.hearth.store/1"
  public var path: String
  /// Bytes of the file, in use, free to be used again, and the bound of the file.
  public var fileBytes: Int
  public var usedBytes: Int
  public var freeBytes: Int
  public var limitBytes: Int
  public var samples: UInt64
  public var chunks: Int
  public var oldest: String?
  public var newest: String?
  /// In memory, not durable yet.
  public var pendingSamples: Int
  public var pendingBytes: Int
  public var lastCommit: String?
  public var commits: UInt64
  public var failedCommits: UInt64
  public var journal: StoreDocument.Journal
  /// By wearable and series; null in a HubState.
  public var rings: [StoreDocument.Ring]?
  /// No reader has confirmed them.
  public var unexported: UInt64
  /// By name; null in a HubState.
  public var readers: [StoreDocument.Reader]?
  /// Deleted to keep the bounds, ever; of these, such that no reader had confirmed; the time that all of it spanned.
  public var evictedSamples: UInt64
  public var evictedUnexported: UInt64
  public var evictedFrom: String?
  public var evictedTo: String?
  /// Lost since start because the disk refused them.
  public var droppedSamples: UInt64
  public var corruptChunks: UInt64
  public var corruptRecords: Int
  /// Bytes kept of items that are not whole yet; since start: bytes of these that were given up for want of room and are fetched again, and
  /// records of custody that gave way.
  public var stagedBytes: Int
  public var stagedGivenUp: UInt64
  public var custodyGivenWay: UInt64
  /// Bytes of damaged files that were set aside in the store's folder; the hub deletes none of them.
  public var asideBytes: Int?
  /// Read transactions of the database, open and possible.
  public var readerSlotsUsed: Int
  public var readerSlots: Int
  public var bytesWrittenToday: UInt64?
  public var wear: StoreDocument.Wear
  public var wearables: Int
  public var reason: TroubleDocument?
  public var daemon: Bool
  /// Which store this is: 16 hexadecimal digits; null in a HubState, and until somebody asked for rows with ordinals.
  public var identity: String?

  public init(
    path: String, fileBytes: Int, usedBytes: Int, freeBytes: Int, limitBytes: Int, samples: UInt64, chunks: Int,
    oldest: String? = nil, newest: String? = nil, pendingSamples: Int, pendingBytes: Int, lastCommit: String? = nil,
    commits: UInt64, failedCommits: UInt64, journal: StoreDocument.Journal, rings: [StoreDocument.Ring]? = nil,
    unexported: UInt64, readers: [StoreDocument.Reader]? = nil, evictedSamples: UInt64, evictedUnexported: UInt64,
    evictedFrom: String? = nil, evictedTo: String? = nil, droppedSamples: UInt64, corruptChunks: UInt64,
    corruptRecords: Int, stagedBytes: Int, stagedGivenUp: UInt64, custodyGivenWay: UInt64, asideBytes: Int? = nil,
    readerSlotsUsed: Int, readerSlots: Int, bytesWrittenToday: UInt64? = nil, wear: StoreDocument.Wear, wearables: Int,
    reason: TroubleDocument? = nil, daemon: Bool, identity: String? = nil
  ) {
    self.path = path
    self.fileBytes = fileBytes
    self.usedBytes = usedBytes
    self.freeBytes = freeBytes
    self.limitBytes = limitBytes
    self.samples = samples
    self.chunks = chunks
    self.oldest = oldest
    self.newest = newest
    self.pendingSamples = pendingSamples
    self.pendingBytes = pendingBytes
    self.lastCommit = lastCommit
    self.commits = commits
    self.failedCommits = failedCommits
    self.journal = journal
    self.rings = rings
    self.unexported = unexported
    self.readers = readers
    self.evictedSamples = evictedSamples
    self.evictedUnexported = evictedUnexported
    self.evictedFrom = evictedFrom
    self.evictedTo = evictedTo
    self.droppedSamples = droppedSamples
    self.corruptChunks = corruptChunks
    self.corruptRecords = corruptRecords
    self.stagedBytes = stagedBytes
    self.stagedGivenUp = stagedGivenUp
    self.custodyGivenWay = custodyGivenWay
    self.asideBytes = asideBytes
    self.readerSlotsUsed = readerSlotsUsed
    self.readerSlots = readerSlots
    self.bytesWrittenToday = bytesWrittenToday
    self.wear = wear
    self.wearables = wearables
    self.reason = reason
    self.daemon = daemon
    self.identity = identity
  }
}

/// The newest samples of a series, in order of time.
public struct PeekDocument: Codable, Sendable, Hashable {
  public var schema = "io.hearth.peek/1"
  public var device: String
  public var series: String
  public var unit: String
  public var layout: String
  public var samples: [JSON]

  public init(device: String, series: String, unit: String, layout: String, samples: [JSON]) {
    self.device = device
    self.series = series
    self.unit = unit
    self.layout = layout
    self.samples = samples
  }
}

/// Lines are only there where no series was asked for. Days without items are left out. Items that no day counts: of more than 4,000 days, and such as no program of Hearth writes.
public struct DaysDocument: Codable, Sendable, Hashable {
  /// The time of a day in one of the classes of a series, such as a stage of sleep.
  public struct State: Codable, Sendable, Hashable {
    public var state: Int
    public var seconds: Double

    public init(state: Int, seconds: Double) {
      self.state = state
      self.seconds = seconds
    }
  }

  /// A value of a day, and when it was measured.
  public struct Value: Codable, Sendable, Hashable {
    public var value: Double
    public var time: String

    public init(value: Double, time: String) {
      self.value = value
      self.time = time
    }
  }

  /// What a day says of one value of a series. `name`: of a vector its component, such as systolic; else empty. `maximum`, `minimum`: of items that the wearable
  /// marked so, never the largest value at hand. `derived_max`, `derived_min`: of normal items, only where none is marked. `average`: of normal items, to one
  /// decimal. `resting`: of items that the wearable marked so, the latest by its time.
  public struct Part: Codable, Sendable, Hashable {
    public var name: String
    public var maximum: DaysDocument.Value?
    public var minimum: DaysDocument.Value?
    public var derivedMax: DaysDocument.Value?
    public var derivedMin: DaysDocument.Value?
    public var average: Double?
    public var resting: DaysDocument.Value?

    public init(
      name: String, maximum: DaysDocument.Value? = nil, minimum: DaysDocument.Value? = nil,
      derivedMax: DaysDocument.Value? = nil, derivedMin: DaysDocument.Value? = nil, average: Double? = nil,
      resting: DaysDocument.Value? = nil
    ) {
      self.name = name
      self.maximum = maximum
      self.minimum = minimum
      self.derivedMax = derivedMax
      self.derivedMin = derivedMin
      self.average = average
      self.resting = resting
    }
  }

  /// A local day. Values are in the unit of the series. `minimum`, `maximum`: the lowest and the highest there is of the first value, marked or not; `parts` tell them apart.
  public struct Day: Codable, Sendable, Hashable {
    public var date: String
    /// Its 00:00, and that of the next day.
    public var start: String
    public var end: String
    /// Normal items; of these, how many the user started, and the others.
    public var count: Int
    public var manual: Int
    public var automatic: Int
    /// Items that their wearable itself doubts: in none of the other numbers.
    public var doubtful: Int
    public var minimum: Double?
    public var maximum: Double?
    public var mean: Double?
    public var resting: Double?
    /// Of what is counted.
    public var sum: Double?
    /// Of numbers of classes, which have none of the values above.
    public var states: [DaysDocument.State]
    public var first: String
    public var last: String
    /// Who wore it between these, by name, in the order of time.
    public var wearers: [String]
    /// One, or of a vector one for each component; of classes none.
    public var parts: [DaysDocument.Part]

    public init(
      date: String, start: String, end: String, count: Int, manual: Int, automatic: Int, doubtful: Int,
      minimum: Double? = nil, maximum: Double? = nil, mean: Double? = nil, resting: Double? = nil, sum: Double? = nil,
      states: [DaysDocument.State], first: String, last: String, wearers: [String], parts: [DaysDocument.Part]
    ) {
      self.date = date
      self.start = start
      self.end = end
      self.count = count
      self.manual = manual
      self.automatic = automatic
      self.doubtful = doubtful
      self.minimum = minimum
      self.maximum = maximum
      self.mean = mean
      self.resting = resting
      self.sum = sum
      self.states = states
      self.first = first
      self.last = last
      self.wearers = wearers
      self.parts = parts
    }
  }

  public struct Days: Codable, Sendable, Hashable {
    public var series: String
    public var unit: String
    public var days: [DaysDocument.Day]
    public var overflowed: Int
    public var malformed: Int

    public init(series: String, unit: String, days: [DaysDocument.Day], overflowed: Int, malformed: Int) {
      self.series = series
      self.unit = unit
      self.days = days
      self.overflowed = overflowed
      self.malformed = malformed
    }
  }

  /// A night that ended on a day. Seconds; what was aimed at, and what the sleeper said of it, from 1 (poor) to 5 (well).
  public struct Night: Codable, Sendable, Hashable {
    public var from: String
    public var to: String
    public var awakeS: Int
    public var remS: Int
    public var lightS: Int
    public var deepS: Int
    public var unknownS: Int
    public var goalS: Int?
    public var rating: Int?

    public init(
      from: String, to: String, awakeS: Int, remS: Int, lightS: Int, deepS: Int, unknownS: Int, goalS: Int? = nil,
      rating: Int? = nil
    ) {
      self.from = from
      self.to = to
      self.awakeS = awakeS
      self.remS = remS
      self.lightS = lightS
      self.deepS = deepS
      self.unknownS = unknownS
      self.goalS = goalS
      self.rating = rating
    }
  }

  /// What a night was worth: recovery from 1 to 6 and how far within that step (0 to 100), the autonomic nervous system from 1 to 5 and against
  /// the usual; means of the night from beat to beat, RMSSD and breath to breath, and the wearer's usual ones.
  public struct Recharge: Codable, Sendable, Hashable {
    public var recovery: Int?
    public var level: Int?
    public var ans: Int?
    public var ansStatus: Double?
    public var rriMs: Int?
    public var rmssdMs: Int?
    public var breathMs: Int?
    public var usualRriMs: Int?
    public var usualRmssdMs: Int?
    public var usualBreathMs: Int?

    public init(
      recovery: Int? = nil, level: Int? = nil, ans: Int? = nil, ansStatus: Double? = nil, rriMs: Int? = nil,
      rmssdMs: Int? = nil, breathMs: Int? = nil, usualRriMs: Int? = nil, usualRmssdMs: Int? = nil,
      usualBreathMs: Int? = nil
    ) {
      self.recovery = recovery
      self.level = level
      self.ans = ans
      self.ansStatus = ansStatus
      self.rriMs = rriMs
      self.rmssdMs = rmssdMs
      self.breathMs = breathMs
      self.usualRriMs = usualRriMs
      self.usualRmssdMs = usualRmssdMs
      self.usualBreathMs = usualBreathMs
    }
  }

  /// Part 0 is the whole training, from 1 on the exercises it was made of. The number of the sport is the wearable's own. Active time.
  public struct Training: Codable, Sendable, Hashable {
    public var begins: String
    public var part: Int
    public var sport: Int?
    public var durationS: Int
    public var distanceM: Int?
    public var caloriesKcal: Int?
    public var meanHeartRate: Int?
    public var highestHeartRate: Int?
    public var manual: Bool
    /// The hub found it in the heart rates of the wearable, or was told to (manual); else the wearable recorded it.
    public var byHub: Bool

    public init(
      begins: String, part: Int, sport: Int? = nil, durationS: Int, distanceM: Int? = nil, caloriesKcal: Int? = nil,
      meanHeartRate: Int? = nil, highestHeartRate: Int? = nil, manual: Bool, byHub: Bool
    ) {
      self.begins = begins
      self.part = part
      self.sport = sport
      self.durationS = durationS
      self.distanceM = distanceM
      self.caloriesKcal = caloriesKcal
      self.meanHeartRate = meanHeartRate
      self.highestHeartRate = highestHeartRate
      self.manual = manual
      self.byHub = byHub
    }
  }

  /// A local day of one wearer. Shared: somebody else wore it for a part of a time of which distance or calories were told as one sum.
  public struct Line: Codable, Sendable, Hashable {
    public var date: String
    public var wearer: String?
    public var steps: Int?
    public var distanceM: Double?
    /// Of activity, of trainings, of rest.
    public var caloriesKcal: Double?
    public var trainingCaloriesKcal: Double?
    public var basalCaloriesKcal: Double?
    public var shared: Bool
    /// By class of active_time.
    public var activity: [DaysDocument.State]
    public var lowestHeartRate: Int?
    public var meanHeartRate: Double?
    public var highestHeartRate: Int?
    public var restingHeartRate: Int?
    public var nights: [DaysDocument.Night]
    public var recharge: DaysDocument.Recharge?
    public var trainings: [DaysDocument.Training]

    public init(
      date: String, wearer: String? = nil, steps: Int? = nil, distanceM: Double? = nil, caloriesKcal: Double? = nil,
      trainingCaloriesKcal: Double? = nil, basalCaloriesKcal: Double? = nil, shared: Bool,
      activity: [DaysDocument.State], lowestHeartRate: Int? = nil, meanHeartRate: Double? = nil,
      highestHeartRate: Int? = nil, restingHeartRate: Int? = nil, nights: [DaysDocument.Night],
      recharge: DaysDocument.Recharge? = nil, trainings: [DaysDocument.Training]
    ) {
      self.date = date
      self.wearer = wearer
      self.steps = steps
      self.distanceM = distanceM
      self.caloriesKcal = caloriesKcal
      self.trainingCaloriesKcal = trainingCaloriesKcal
      self.basalCaloriesKcal = basalCaloriesKcal
      self.shared = shared
      self.activity = activity
      self.lowestHeartRate = lowestHeartRate
      self.meanHeartRate = meanHeartRate
      self.highestHeartRate = highestHeartRate
      self.restingHeartRate = restingHeartRate
      self.nights = nights
      self.recharge = recharge
      self.trainings = trainings
    }
  }

  public var schema = "io.hearth.days/1"
  public var device: String
  public var zone: String
  public var lines: [DaysDocument.Line]
  public var series: [DaysDocument.Days]

  public init(device: String, zone: String, lines: [DaysDocument.Line], series: [DaysDocument.Days]) {
    self.device = device
    self.zone = zone
    self.lines = lines
    self.series = series
  }
}

/// Ascending by begin; of one moment what was measured by hand first, then in the order of arrival. `name`: the wearable or the wearer they are of. `components`:
/// names of those of a vector. `next`: for `after` of the next page; null: there is no more.
public struct ItemsDocument: Codable, Sendable, Hashable {
  /// One measured value with all that is said of it.
  public struct Item: Codable, Sendable, Hashable {
    public var device: String
    public var start: String
    /// The same as `start` but of an interval.
    public var end: String
    public var durationS: Double
    /// Of a vector its first component, and `components` all of them.
    public var value: Double
    public var components: [Double]
    /// normal, maximum, minimum, resting
    public var kind: String
    /// By hand: somebody started the measurement. Else automatic.
    public var manual: Bool
    /// live, fetched, replayed, advertised
    public var origin: String
    /// low: the wearable doubted it; null: nobody did.
    public var quality: String?
    /// Who wore it.
    public var wearer: String?
    /// unsure: the time does not rest on a clock that a time server had set; corrected: it did not, and was corrected
    /// since
    public var clock: String?

    public init(
      device: String, start: String, end: String, durationS: Double, value: Double, components: [Double], kind: String,
      manual: Bool, origin: String, quality: String? = nil, wearer: String? = nil, clock: String? = nil
    ) {
      self.device = device
      self.start = start
      self.end = end
      self.durationS = durationS
      self.value = value
      self.components = components
      self.kind = kind
      self.manual = manual
      self.origin = origin
      self.quality = quality
      self.wearer = wearer
      self.clock = clock
    }
  }

  public var schema = "io.hearth.items/1"
  public var name: String
  public var series: String
  public var unit: String
  public var components: [String]
  public var zone: String
  public var items: [ItemsDocument.Item]
  public var next: String?

  public init(
    name: String, series: String, unit: String, components: [String], zone: String, items: [ItemsDocument.Item],
    next: String? = nil
  ) {
    self.name = name
    self.series = series
    self.unit = unit
    self.components = components
    self.zone = zone
    self.items = items
    self.next = next
  }
}

/// One local day, 23 to 25 hours long, of a wearable or of all that a wearer wore on it. `lines`: sums, nights and trainings as each wearable tells them.
public struct DailyDocument: Codable, Sendable, Hashable {
  /// A series on one day. `place`: of a temperature where it was measured, such as skin; null: nobody says. `devices`: whose items they are: what is measured is of
  /// all that somebody wore; what is counted, and classes, of one each. Lists are ascending by begin, by hand and automatic of normal items; `left_out`: items that
  /// they have no room for, which `Items` lists.
  public struct Entry: Codable, Sendable, Hashable {
    public var series: String
    public var unit: String
    public var place: String?
    public var devices: [String]
    public var day: DaysDocument.Day
    public var resting: [ItemsDocument.Item]
    public var manual: [ItemsDocument.Item]
    public var automatic: [ItemsDocument.Item]
    public var leftOut: Int

    public init(
      series: String, unit: String, place: String? = nil, devices: [String], day: DaysDocument.Day,
      resting: [ItemsDocument.Item], manual: [ItemsDocument.Item], automatic: [ItemsDocument.Item], leftOut: Int
    ) {
      self.series = series
      self.unit = unit
      self.place = place
      self.devices = devices
      self.day = day
      self.resting = resting
      self.manual = manual
      self.automatic = automatic
      self.leftOut = leftOut
    }
  }

  /// How much of a sleep one stage is. `stage`: unknown, awake, rem, light, deep. `percent`: of the sleep without the time awake; null of what is no sleep. `episodes`: how often it began.
  public struct Stage: Codable, Sendable, Hashable {
    public var stage: String
    public var seconds: Double
    public var percent: Double?
    public var episodes: Int

    public init(stage: String, seconds: Double, percent: Double? = nil, episodes: Int) {
      self.stage = stage
      self.seconds = seconds
      self.percent = percent
      self.episodes = episodes
    }
  }

  /// `seconds`: with the time awake, without what lies between pieces. Awake at the end is none of it.
  public struct Sleep: Codable, Sendable, Hashable {
    public var from: String
    public var to: String
    public var seconds: Double
    public var asleepS: Double
    public var stages: [DailyDocument.Stage]

    public init(from: String, to: String, seconds: Double, asleepS: Double, stages: [DailyDocument.Stage]) {
      self.from = from
      self.to = to
      self.seconds = seconds
      self.asleepS = asleepS
      self.stages = stages
    }
  }

  /// A run of stages without a rest of more than 20 minutes. `kind`: night (began between 20:00 and 09:00), nap (by day, 20 minutes to 3 hours of sleep), other.
  public struct Segment: Codable, Sendable, Hashable {
    public var kind: String
    public var sum: DailyDocument.Sleep

    public init(kind: String, sum: DailyDocument.Sleep) {
      self.kind = kind
      self.sum = sum
    }
  }

  /// The sleep of a date, from 20:00 to 20:00: its nights, these with its naps, the longest one that began between 20:00 and 08:00, the longest of any kind.
  public struct SleepDay: Codable, Sendable, Hashable {
    public var from: String
    public var to: String
    public var withoutNaps: DailyDocument.Sleep?
    public var withNaps: DailyDocument.Sleep?
    public var longestNight: DailyDocument.Sleep?
    public var longest: DailyDocument.Sleep?
    public var segments: [DailyDocument.Segment]

    public init(
      from: String, to: String, withoutNaps: DailyDocument.Sleep? = nil, withNaps: DailyDocument.Sleep? = nil,
      longestNight: DailyDocument.Sleep? = nil, longest: DailyDocument.Sleep? = nil, segments: [DailyDocument.Segment]
    ) {
      self.from = from
      self.to = to
      self.withoutNaps = withoutNaps
      self.withNaps = withNaps
      self.longestNight = longestNight
      self.longest = longest
      self.segments = segments
    }
  }

  public struct DeviceLine: Codable, Sendable, Hashable {
    public var device: String
    public var line: DaysDocument.Line

    public init(device: String, line: DaysDocument.Line) {
      self.device = device
      self.line = line
    }
  }

  public var schema = "io.hearth.daily/1"
  public var name: String
  public var zone: String
  public var date: String
  public var start: String
  public var end: String
  public var series: [DailyDocument.Entry]
  public var sleep: DailyDocument.SleepDay?
  public var lines: [DailyDocument.DeviceLine]

  public init(
    name: String, zone: String, date: String, start: String, end: String, series: [DailyDocument.Entry],
    sleep: DailyDocument.SleepDay? = nil, lines: [DailyDocument.DeviceLine]
  ) {
    self.name = name
    self.zone = zone
    self.date = date
    self.start = start
    self.end = end
    self.series = series
    self.sleep = sleep
    self.lines = lines
  }
}

/// `seconds`: of the span, whose times are rounded to milliseconds.
public struct CoverageDocument: Codable, Sendable, Hashable {
  /// A part of a gap and why nothing is there. `code`: of the event or visit that says so; `text`: its words.
  public struct Cause: Codable, Sendable, Hashable {
    public var from: String
    public var to: String
    public var cause: Words.GapReason
    public var code: String?
    public var text: String?

    public init(from: String, to: String, cause: Words.GapReason, code: String? = nil, text: String? = nil) {
      self.from = from
      self.to = to
      self.cause = cause
      self.code = code
      self.text = text
    }
  }

  public struct Gap: Codable, Sendable, Hashable {
    public var from: String
    public var to: String
    public var seconds: Double
    public var causes: [CoverageDocument.Cause]

    public init(from: String, to: String, seconds: Double, causes: [CoverageDocument.Cause]) {
      self.from = from
      self.to = to
      self.seconds = seconds
      self.causes = causes
    }
  }

  /// What a series has of a span of time. `occasional`: its values come when there is an occasion; then nothing is a gap and `share` is null.
  /// `way`: live, fetched: on which most of it comes. `period_s`: from value to value, usually; `tolerance_s`: a stretch without values that is longer is a gap.
  /// `gaps`: in order of time, at most 1000: of more the longest, and how many were left out. `damaged`: chunks that cannot be read.
  public struct Line: Codable, Sendable, Hashable {
    public var series: String
    public var occasional: Bool
    public var way: String
    public var samples: Int
    public var first: String?
    public var last: String?
    public var periodS: Double?
    public var toleranceS: Double?
    public var coveredS: Double?
    public var share: Double?
    public var gaps: [CoverageDocument.Gap]
    public var gapsLeftOut: Int
    public var damaged: Int

    public init(
      series: String, occasional: Bool, way: String, samples: Int, first: String? = nil, last: String? = nil,
      periodS: Double? = nil, toleranceS: Double? = nil, coveredS: Double? = nil, share: Double? = nil,
      gaps: [CoverageDocument.Gap], gapsLeftOut: Int, damaged: Int
    ) {
      self.series = series
      self.occasional = occasional
      self.way = way
      self.samples = samples
      self.first = first
      self.last = last
      self.periodS = periodS
      self.toleranceS = toleranceS
      self.coveredS = coveredS
      self.share = share
      self.gaps = gaps
      self.gapsLeftOut = gapsLeftOut
      self.damaged = damaged
    }
  }

  public var schema = "io.hearth.coverage/1"
  public var device: String
  public var zone: String
  public var since: String
  public var until: String
  public var seconds: Double
  public var series: [CoverageDocument.Line]

  public init(
    device: String, zone: String, since: String, until: String, seconds: Double, series: [CoverageDocument.Line]
  ) {
    self.device = device
    self.zone = zone
    self.since = since
    self.until = until
    self.seconds = seconds
    self.series = series
  }
}

/// `from` and `to`: since when and until when it was so (a link gone, the hub not running, the radio down); `from` alone: it has not ended yet.
/// `count`: it happened that often between the two; null: once.
public struct EventDocument: Codable, Sendable, Hashable {
  public var number: UInt64
  public var time: String
  public var code: String
  public var area: String
  public var device: String?
  public var text: String
  public var from: String?
  public var to: String?
  public var count: Int?

  public init(
    number: UInt64, time: String, code: String, area: String, device: String? = nil, text: String, from: String? = nil,
    to: String? = nil, count: Int? = nil
  ) {
    self.number = number
    self.time = time
    self.code = code
    self.area = area
    self.device = device
    self.text = text
    self.from = from
    self.to = to
    self.count = count
  }
}

/// What one user was given of one wearable by one method in one UTC day.
public struct AccessDocument: Codable, Sendable, Hashable {
  public var first: String
  public var last: String
  public var uid: UInt32
  /// As the machine calls the user.
  public var user: String?
  /// Of this interface: Export.
  public var method: String
  /// Null: what is known of people, such as their bodies.
  public var device: String?
  /// Numbers of those who wore it when it was measured, and their names as far as they have one now.
  public var wearers: [UInt32]
  public var names: [String]
  /// There were more wearers than are kept.
  public var moreWearers: Bool
  public var series: [String]
  /// Earliest and latest time of what was given.
  public var from: String?
  public var to: String?
  public var samples: UInt64
  public var calls: UInt64
  /// The export cursor.
  public var cursor: String?

  public init(
    first: String, last: String, uid: UInt32, user: String? = nil, method: String, device: String? = nil,
    wearers: [UInt32], names: [String], moreWearers: Bool, series: [String], from: String? = nil, to: String? = nil,
    samples: UInt64, calls: UInt64, cursor: String? = nil
  ) {
    self.first = first
    self.last = last
    self.uid = uid
    self.user = user
    self.method = method
    self.device = device
    self.wearers = wearers
    self.names = names
    self.moreWearers = moreWearers
    self.series = series
    self.from = from
    self.to = to
    self.samples = samples
    self.calls = calls
    self.cursor = cursor
  }
}

/// What erasing a person deletes, and where copies may be that it does not reach.
public struct ErasureDocument: Codable, Sendable, Hashable {
  public struct Part: Codable, Sendable, Hashable {
    public var device: String
    public var series: String
    public var way: String
    public var samples: UInt64
    public var unexported: UInt64
    public var from: String
    public var to: String

    public init(
      device: String, series: String, way: String, samples: UInt64, unexported: UInt64, from: String, to: String
    ) {
      self.device = device
      self.series = series
      self.way = way
      self.samples = samples
      self.unexported = unexported
      self.from = from
      self.to = to
    }
  }

  public var schema = "io.hearth.erasure/1"
  public var wearer: UInt32
  public var name: String
  public var samples: UInt64
  /// Confirmed by no reader of an export.
  public var unexported: UInt64
  public var parts: [ErasureDocument.Part]
  /// Times at which something was put on the person.
  public var assignments: Int
  /// One sentence each.
  public var copies: [String]
  /// Items of rings that went; null: nothing was deleted yet.
  public var erased: UInt64?

  public init(
    wearer: UInt32, name: String, samples: UInt64, unexported: UInt64, parts: [ErasureDocument.Part], assignments: Int,
    copies: [String], erased: UInt64? = nil
  ) {
    self.wearer = wearer
    self.name = name
    self.samples = samples
    self.unexported = unexported
    self.parts = parts
    self.assignments = assignments
    self.copies = copies
    self.erased = erased
  }
}

/// At most a hundred findings; finding_count counts all.
public struct VerifyDocument: Codable, Sendable, Hashable {
  public struct Finding: Codable, Sendable, Hashable {
    public var place: String
    public var what: String

    public init(place: String, what: String) {
      self.place = place
      self.what = what
    }
  }

  public var schema = "io.hearth.verify/1"
  public var clean: Bool
  public var journalChunks: Int
  public var ringChunks: Int
  public var rings: Int
  public var samples: UInt64
  public var records: Int
  public var findingCount: Int
  public var findings: [VerifyDocument.Finding]

  public init(
    clean: Bool, journalChunks: Int, ringChunks: Int, rings: Int, samples: UInt64, records: Int, findingCount: Int,
    findings: [VerifyDocument.Finding]
  ) {
    self.clean = clean
    self.journalChunks = journalChunks
    self.ringChunks = ringChunks
    self.rings = rings
    self.samples = samples
    self.records = records
    self.findingCount = findingCount
    self.findings = findings
  }
}

/// purged: how many went; null for a plan. held: pages of the store's file that still hold deleted samples, as somebody reads an older state of
/// it; 0: everything was overwritten; null: a plan, or the disk refused.
public struct PurgeDocument: Codable, Sendable, Hashable {
  public struct Part: Codable, Sendable, Hashable {
    public var device: String
    /// Whose samples these are, as far as anybody said.
    public var wearers: [String]
    public var series: String
    public var way: String
    public var samples: UInt64
    /// No reader has confirmed them.
    public var unexported: UInt64
    public var from: String
    public var to: String

    public init(
      device: String, wearers: [String], series: String, way: String, samples: UInt64, unexported: UInt64, from: String,
      to: String
    ) {
      self.device = device
      self.wearers = wearers
      self.series = series
      self.way = way
      self.samples = samples
      self.unexported = unexported
      self.from = from
      self.to = to
    }
  }

  public var schema = "io.hearth.purge/1"
  public var samples: UInt64
  public var unexported: UInt64
  public var parts: [PurgeDocument.Part]
  public var purged: UInt64?
  public var held: Int?

  public init(
    samples: UInt64, unexported: UInt64, parts: [PurgeDocument.Part], purged: UInt64? = nil, held: Int? = nil
  ) {
    self.samples = samples
    self.unexported = unexported
    self.parts = parts
    self.purged = purged
    self.held = held
  }
}

/// night: day, dimmed, cannot_dim; null where no night is configured.
public struct LightsDocument: Codable, Sendable, Hashable {
  /// sentence and next: what the code means, and what to do.
  /// over: true where the reason of its code holds no longer, as a lamp shows a code for ten seconds at least.
  public struct Light: Codable, Sendable, Hashable {
    public var lamp: String
    public var colour: String
    public var pattern: String
    public var timing: String
    public var meaning: String
    public var code: String?
    public var sentence: String?
    public var next: String?
    public var over: Bool?

    public init(
      lamp: String, colour: String, pattern: String, timing: String, meaning: String, code: String? = nil,
      sentence: String? = nil, next: String? = nil, over: Bool? = nil
    ) {
      self.lamp = lamp
      self.colour = colour
      self.pattern = pattern
      self.timing = timing
      self.meaning = meaning
      self.code = code
      self.sentence = sentence
      self.next = next
      self.over = over
    }
  }

  public var schema = "io.hearth.lights/1"
  public var language: String
  public var lights: [LightsDocument.Light]
  public var night: String?

  public init(language: String, lights: [LightsDocument.Light], night: String? = nil) {
    self.language = language
    self.lights = lights
    self.night = night
  }
}

/// What came of a measurement by order.
public struct MeasurementDocument: Codable, Sendable, Hashable {
  public var schema = "io.hearth.measurement/1"
  public var device: String
  public var series: String
  /// Null while it measures.
  public var end: Words.MeasurementEnd?
  /// So far; all of them are stored.
  public var values: Int
  public var reason: TroubleDocument?

  public init(
    device: String, series: String, end: Words.MeasurementEnd? = nil, values: Int, reason: TroubleDocument? = nil
  ) {
    self.device = device
    self.series = series
    self.end = end
    self.values = values
    self.reason = reason
  }
}

/// A vital sign: final in a record, while it is measured it may still change. The list of intervals is none of these. text: of a level or a zone its name, whose value is null.
public struct VitalValueDocument: Codable, Sendable, Hashable {
  public var name: String
  public var value: Double?
  public var text: String?
  public var unit: String
  /// unknown, low, medium, high
  public var confidence: String
  /// What it was computed from.
  public var windowS: Double
  public var method: String
  /// window_short, optical (from pulse intervals), hf_unreliable, extrapolated, passed_through, corrected, wrist
  public var flags: [String]

  public init(
    name: String, value: Double? = nil, text: String? = nil, unit: String, confidence: String, windowS: Double,
    method: String, flags: [String]
  ) {
    self.name = name
    self.value = value
    self.text = text
    self.unit = unit
    self.confidence = confidence
    self.windowS = windowS
    self.method = method
    self.flags = flags
  }
}

/// Why a vital sign that is enabled has no result.
public struct VitalMissingDocument: Codable, Sendable, Hashable {
  public var name: String
  public var reason: String

  public init(name: String, reason: String) {
    self.name = name
    self.reason = reason
  }
}

/// What is kept of a measurement. `person`: who was measured; null: nobody is known. `wearer`: whose the wearable was then, as it is known now.
public struct VitalsRecordDocument: Codable, Sendable, Hashable {
  /// Where beats are missing, from the start of the measurement.
  public struct Gap: Codable, Sendable, Hashable {
    public var startS: Double
    public var lengthS: Double

    public init(startS: Double, lengthS: Double) {
      self.startS = startS
      self.lengthS = lengthS
    }
  }

  /// As it came. flags: begins_stretch, dropped, uncertain, ectopic, missed, extra, long_or_short.
  public struct Interval: Codable, Sendable, Hashable {
    public var ms: Double
    public var flags: [String]

    public init(ms: Double, flags: [String]) {
      self.ms = ms
      self.flags = flags
    }
  }

  public var session: UInt64
  /// Of the measurement in its session, from 1.
  public var number: Int
  public var device: String
  public var person: String?
  public var wearer: String?
  public var basis: Words.VitalsBasis
  public var start: String
  public var end: String
  public var requestedS: Double
  public var actualS: Double
  public var endedBy: Words.VitalsFinish
  /// Of an error, as in the session; null else.
  public var code: Int?
  public var sentence: String?
  public var artefactShare: Double
  /// Of the time; above 1 the intervals cover more than there was, as of a sensor that tells some twice.
  public var coverage: Double
  public var gaps: [VitalsRecordDocument.Gap]
  /// How many the record has; the intervals themselves only where they were asked for.
  public var intervals: Int
  public var intervalList: [VitalsRecordDocument.Interval]?
  /// What the record has no room for; of intervals the last.
  public var leftOut: Int
  public var results: [VitalValueDocument]
  public var notReported: [VitalMissingDocument]

  public init(
    session: UInt64, number: Int, device: String, person: String? = nil, wearer: String? = nil,
    basis: Words.VitalsBasis, start: String, end: String, requestedS: Double, actualS: Double,
    endedBy: Words.VitalsFinish, code: Int? = nil, sentence: String? = nil, artefactShare: Double, coverage: Double,
    gaps: [VitalsRecordDocument.Gap], intervals: Int, intervalList: [VitalsRecordDocument.Interval]? = nil,
    leftOut: Int, results: [VitalValueDocument], notReported: [VitalMissingDocument]
  ) {
    self.session = session
    self.number = number
    self.device = device
    self.person = person
    self.wearer = wearer
    self.basis = basis
    self.start = start
    self.end = end
    self.requestedS = requestedS
    self.actualS = actualS
    self.endedBy = endedBy
    self.code = code
    self.sentence = sentence
    self.artefactShare = artefactShare
    self.coverage = coverage
    self.gaps = gaps
    self.intervals = intervals
    self.intervalList = intervalList
    self.leftOut = leftOut
    self.results = results
    self.notReported = notReported
  }
}

/// The newest measurements, ascending by start. `name`: the wearable or the person they are of. `unreadable`: so many more are damaged or of a later program.
public struct VitalsRecordsDocument: Codable, Sendable, Hashable {
  public var schema = "io.hearth.vitals-records/1"
  public var name: String
  public var zone: String
  public var records: [VitalsRecordDocument]
  public var unreadable: Int

  public init(name: String, zone: String, records: [VitalsRecordDocument], unreadable: Int) {
    self.name = name
    self.zone = zone
    self.records = records
    self.unreadable = unreadable
  }
}

/// A vital sign in the table of a session. reason: why its kind of sensor does not have it: needs_intervals, intervals_unproven, needs_rate, needs_oximeter,
/// needs_thermometer, needs_cuff, needs_scale, no_public_definition, proprietary, needs_camera; null where it is enabled.
public struct VitalSignDocument: Codable, Sendable, Hashable {
  public var name: String
  public var unit: String
  public var enabled: Bool
  public var reason: String?

  public init(name: String, unit: String, enabled: Bool, reason: String? = nil) {
    self.name = name
    self.unit = unit
    self.enabled = enabled
    self.reason = reason
  }
}

/// A measurement of vital signs that was ordered: of whom, by what, for how long, and what can come of it.
public struct VitalsSessionDocument: Codable, Sendable, Hashable {
  public var schema = "io.hearth.vitals/1"
  public var id: UInt64
  public var device: String
  /// Null where nobody is named, and nobody is known to wear it.
  public var person: String?
  public var sensor: Words.VitalsSensor
  /// Null: the sensor itself reports results.
  public var basis: Words.VitalsBasis?
  public var seconds: Int
  public var signs: [VitalSignDocument]

  public init(
    id: UInt64, device: String, person: String? = nil, sensor: Words.VitalsSensor, basis: Words.VitalsBasis? = nil,
    seconds: Int, signs: [VitalSignDocument]
  ) {
    self.id = id
    self.device = device
    self.person = person
    self.sensor = sensor
    self.basis = basis
    self.seconds = seconds
    self.signs = signs
  }
}

public struct VitalsStateDocument: Codable, Sendable, Hashable {
  public var state: Words.VitalsPhase
  public var time: String

  public init(state: Words.VitalsPhase, time: String) {
    self.state = state
    self.time = time
  }
}

/// What is known at one moment while it measures.
public struct VitalsMomentDocument: Codable, Sendable, Hashable {
  public var elapsedS: Double
  public var requestedS: Double
  /// Beats a minute; null while there are none, and while values are hidden.
  public var pulseRate: Double?
  /// Of the intervals of the last 10 s, 0 to 1; null without intervals.
  public var artefactShare: Double?
  /// What that share admits: high, medium, low, withheld; null without intervals.
  public var quality: String?
  /// The signal is too doubtful to show values.
  public var hidden: Bool
  /// Computed anew every 5 s; empty in between.
  public var results: [VitalValueDocument]

  public init(
    elapsedS: Double, requestedS: Double, pulseRate: Double? = nil, artefactShare: Double? = nil,
    quality: String? = nil, hidden: Bool, results: [VitalValueDocument]
  ) {
    self.elapsedS = elapsedS
    self.requestedS = requestedS
    self.pulseRate = pulseRate
    self.artefactShare = artefactShare
    self.quality = quality
    self.hidden = hidden
    self.results = results
  }
}

/// A condition that began (`on`) or ended, or an error. code: its number in the session, which is no H code. next: what a person can do about it. reason: the
/// H code of an error.
public struct VitalsNoticeDocument: Codable, Sendable, Hashable {
  public var code: Int
  public var sentence: String
  public var next: String
  public var on: Bool
  public var reason: String?

  public init(code: Int, sentence: String, next: String, on: Bool, reason: String? = nil) {
    self.code = code
    self.sentence = sentence
    self.next = next
    self.on = on
    self.reason = reason
  }
}

/// How a measurement of vital signs ended.
public struct VitalsEndDocument: Codable, Sendable, Hashable {
  public var end: Words.VitalsFinish
  /// Of an error, as in VitalsNotice.
  public var code: Int?
  /// Why there are no results.
  public var reason: TroubleDocument?

  public init(end: Words.VitalsFinish, code: Int? = nil, reason: TroubleDocument? = nil) {
    self.end = end
    self.code = code
    self.reason = reason
  }
}

/// A sync that was ordered: the one that runs, or the last one. It goes on over restarts of the hub.
public struct SyncDocument: Codable, Sendable, Hashable {
  /// How far one series of a wearable is stored: the `end` of the newest item whose time is known, null where none is. `refused`: items that said that
  /// they are of the future, since it was enrolled.
  public struct Mark: Codable, Sendable, Hashable {
    public var series: String
    public var end: String?
    public var refused: UInt64

    public init(series: String, end: String? = nil, refused: UInt64) {
      self.series = series
      self.end = end
      self.refused = refused
    }
  }

  /// One kind of data in a sync.
  public struct Part: Codable, Sendable, Hashable {
    /// sleep, recordings: as a sync names it.
    public var domain: String
    public var series: [String]
    public var state: Words.SyncProgress
    /// Why it failed, or is skipped.
    public var reason: TroubleDocument?
    /// In the range, and such as were stored in this sync.
    public var itemsListed: Int
    public var itemsStored: Int
    public var bytes: UInt64
    /// Of those listed, such as do not say when they were measured: they come whatever the range is.
    public var itemsUndated: Int

    public init(
      domain: String, series: [String], state: Words.SyncProgress, reason: TroubleDocument? = nil, itemsListed: Int,
      itemsStored: Int, bytes: UInt64, itemsUndated: Int
    ) {
      self.domain = domain
      self.series = series
      self.state = state
      self.reason = reason
      self.itemsListed = itemsListed
      self.itemsStored = itemsStored
      self.bytes = bytes
      self.itemsUndated = itemsUndated
    }
  }

  public var schema = "io.hearth.sync/1"
  public var device: String
  /// Of this wearable, from 1.
  public var number: UInt64
  public var ordered: String
  /// Null while it waits or runs.
  public var ended: String?
  public var since: String?
  public var until: String?
  public var automaticOnly: Bool
  /// The visit that has to do with it, or had last.
  public var visit: UInt64?
  /// How many of its domains are through.
  public var domainsOver: Int
  public var domains: [SyncDocument.Part]
  /// Why it ended before all of them were.
  public var reason: TroubleDocument?
  /// The item in work: its id, bytes so far, bytes altogether, and percent of these.
  public var item: String?
  public var itemFetched: Int?
  public var itemSize: Int?
  public var percent: Int?
  public var watermarks: [SyncDocument.Mark]

  public init(
    device: String, number: UInt64, ordered: String, ended: String? = nil, since: String? = nil, until: String? = nil,
    automaticOnly: Bool, visit: UInt64? = nil, domainsOver: Int, domains: [SyncDocument.Part],
    reason: TroubleDocument? = nil, item: String? = nil, itemFetched: Int? = nil, itemSize: Int? = nil,
    percent: Int? = nil, watermarks: [SyncDocument.Mark]
  ) {
    self.device = device
    self.number = number
    self.ordered = ordered
    self.ended = ended
    self.since = since
    self.until = until
    self.automaticOnly = automaticOnly
    self.visit = visit
    self.domainsOver = domainsOver
    self.domains = domains
    self.reason = reason
    self.item = item
    self.itemFetched = itemFetched
    self.itemSize = itemSize
    self.percent = percent
    self.watermarks = watermarks
  }
}

/// At most 1024 items.
public struct CustodyDocument: Codable, Sendable, Hashable {
  /// One thing that a wearable holds or held, and when each step of its way into the store was reached.
  public struct Item: Codable, Sendable, Hashable {
    public var id: String
    /// What tells this content from another at the same place.
    public var mark: String
    public var size: Int?
    public var bytesFetched: Int
    public var fetched: String?
    public var verified: String?
    public var durable: String?
    public var erased: String?
    public var receipts: Int
    public var firstReceipt: UInt64?
    public var remark: String
    public var visit: UInt64

    public init(
      id: String, mark: String, size: Int? = nil, bytesFetched: Int, fetched: String? = nil, verified: String? = nil,
      durable: String? = nil, erased: String? = nil, receipts: Int, firstReceipt: UInt64? = nil, remark: String,
      visit: UInt64
    ) {
      self.id = id
      self.mark = mark
      self.size = size
      self.bytesFetched = bytesFetched
      self.fetched = fetched
      self.verified = verified
      self.durable = durable
      self.erased = erased
      self.receipts = receipts
      self.firstReceipt = firstReceipt
      self.remark = remark
      self.visit = visit
    }
  }

  public var schema = "io.hearth.custody/1"
  public var device: String
  public var visit: VisitDocument?
  public var items: [CustodyDocument.Item]

  public init(device: String, visit: VisitDocument? = nil, items: [CustodyDocument.Item]) {
    self.device = device
    self.visit = visit
    self.items = items
  }
}

public struct LinkDocument: Codable, Sendable, Hashable {
  public struct Requested: Codable, Sendable, Hashable {
    public var profile: String
    public var minIntervalMs: Double
    public var maxIntervalMs: Double
    public var latency: Int
    public var timeoutMs: Int

    public init(profile: String, minIntervalMs: Double, maxIntervalMs: Double, latency: Int, timeoutMs: Int) {
      self.profile = profile
      self.minIntervalMs = minIntervalMs
      self.maxIntervalMs = maxIntervalMs
      self.latency = latency
      self.timeoutMs = timeoutMs
    }
  }

  /// profile: whose numbers these are; null if they are none's. source: observed, asked_by_wearable, assumed.
  public struct Effective: Codable, Sendable, Hashable {
    public var profile: String?
    public var intervalMs: Double
    public var latency: Int
    public var timeoutMs: Int
    public var source: String

    public init(profile: String? = nil, intervalMs: Double, latency: Int, timeoutMs: Int, source: String) {
      self.profile = profile
      self.intervalMs = intervalMs
      self.latency = latency
      self.timeoutMs = timeoutMs
      self.source = source
    }
  }

  public var schema = "io.hearth.link/1"
  public var device: String
  public var linked: Bool
  /// Why this profile.
  public var why: String
  /// An operator's lasting choice; null: by policy.
  public var override: String?
  /// The hub alone sets the link to that choice; the wearable's characteristic is not written.
  public var central: Bool
  public var requested: LinkDocument.Requested
  public var effective: LinkDocument.Effective?
  /// What the wearable's characteristic says: its number, and the profile of that number.
  public var reported: Int?
  public var reportedProfile: String?
  /// When it was read; it is read again after each write.
  public var reportedAt: String?
  /// What happened to the last write of the characteristic; null where there is none.
  public var characteristic: String?
  public var reason: TroubleDocument?
  public var mtu: Int?
  /// Encrypted at this moment, whoever began that; bytes of the key, null where nobody tells.
  public var secured: Bool
  public var keySize: Int?
  /// The hub has keys of it.
  public var bonded: Bool

  public init(
    device: String, linked: Bool, why: String, override: String? = nil, central: Bool,
    requested: LinkDocument.Requested, effective: LinkDocument.Effective? = nil, reported: Int? = nil,
    reportedProfile: String? = nil, reportedAt: String? = nil, characteristic: String? = nil,
    reason: TroubleDocument? = nil, mtu: Int? = nil, secured: Bool, keySize: Int? = nil, bonded: Bool
  ) {
    self.device = device
    self.linked = linked
    self.why = why
    self.override = override
    self.central = central
    self.requested = requested
    self.effective = effective
    self.reported = reported
    self.reportedProfile = reportedProfile
    self.reportedAt = reportedAt
    self.characteristic = characteristic
    self.reason = reason
    self.mtu = mtu
    self.secured = secured
    self.keySize = keySize
    self.bonded = bonded
  }
}

public struct ClockDocument: Codable, Sendable, Hashable {
  /// offset_us: how far it was ahead of the hub; of the hub's local time where it shows local time: then utc_offset_min are the minutes east of
  /// Greenwich that it said, and zone_offset_min those of the hub's zone. trusted: the hub's own clock was, then. doubt: why there is no drift.
  public struct Device: Codable, Sendable, Hashable {
    public var device: String
    public var offsetUs: Int64?
    public var utcOffsetMin: Int?
    public var zoneOffsetMin: Int?
    public var readAt: String?
    public var setAt: String?
    public var trusted: Bool
    public var driftPpm: Double?
    public var doubt: String?

    public init(
      device: String, offsetUs: Int64? = nil, utcOffsetMin: Int? = nil, zoneOffsetMin: Int? = nil,
      readAt: String? = nil, setAt: String? = nil, trusted: Bool, driftPpm: Double? = nil, doubt: String? = nil
    ) {
      self.device = device
      self.offsetUs = offsetUs
      self.utcOffsetMin = utcOffsetMin
      self.zoneOffsetMin = zoneOffsetMin
      self.readAt = readAt
      self.setAt = setAt
      self.trusted = trusted
      self.driftPpm = driftPpm
      self.doubt = doubt
    }
  }

  public var schema = "io.hearth.clock/1"
  public var time: String
  public var synchronised: Bool
  public var plausible: Bool
  public var zone: String
  public var devices: [ClockDocument.Device]

  public init(time: String, synchronised: Bool, plausible: Bool, zone: String, devices: [ClockDocument.Device]) {
    self.time = time
    self.synchronised = synchronised
    self.plausible = plausible
    self.zone = zone
    self.devices = devices
  }
}

public struct RadioDocument: Codable, Sendable, Hashable {
  public struct Rung: Codable, Sendable, Hashable {
    public var name: String
    public var count: UInt64

    public init(name: String, count: UInt64) {
      self.name = name
      self.count = count
    }
  }

  /// One of several adapters of the machine. advertisements: heard since the start.
  public struct Adapter: Codable, Sendable, Hashable {
    public var name: String
    public var address: String?
    public var bus: String
    public var state: Words.RadioPhase
    public var reason: TroubleDocument?
    public var links: Int
    public var slots: Int
    public var slotSource: String
    public var recovering: Bool
    public var advertisements: Int
    /// public; random: it has no public address, and the hub gave it this one. null: no address.
    public var addressType: String?

    public init(
      name: String, address: String? = nil, bus: String, state: Words.RadioPhase, reason: TroubleDocument? = nil,
      links: Int, slots: Int, slotSource: String, recovering: Bool, advertisements: Int, addressType: String? = nil
    ) {
      self.name = name
      self.address = address
      self.bus = bus
      self.state = state
      self.reason = reason
      self.links = links
      self.slots = slots
      self.slotSource = slotSource
      self.recovering = recovering
      self.advertisements = advertisements
      self.addressType = addressType
    }
  }

  public var schema = "io.hearth.radio/1"
  public var state: Words.RadioPhase
  public var adapter: String
  public var address: String?
  public var bus: String
  public var links: Int
  public var slots: Int
  /// standard, configured, learned
  public var slotSource: String
  public var scanning: Bool
  public var reason: TroubleDocument?
  public var lastHeard: String?
  /// The reset ladder: at work now; the rung that is or was last tried, and when; all rungs, and how often each was tried since start.
  public var recovering: Bool
  public var rung: String?
  public var lastRecovery: String?
  public var ladder: [RadioDocument.Rung]
  /// Actual parameters of links can be seen; live links can be changed.
  public var observesLinks: Bool
  public var updatesLiveLinks: Bool
  public var warnings: [TroubleDocument]
  /// Each by itself, where several serve as one radio; else null.
  public var adapters: [RadioDocument.Adapter]?
  public var counters: Counters

  public init(
    state: Words.RadioPhase, adapter: String, address: String? = nil, bus: String, links: Int, slots: Int,
    slotSource: String, scanning: Bool, reason: TroubleDocument? = nil, lastHeard: String? = nil, recovering: Bool,
    rung: String? = nil, lastRecovery: String? = nil, ladder: [RadioDocument.Rung], observesLinks: Bool,
    updatesLiveLinks: Bool, warnings: [TroubleDocument], adapters: [RadioDocument.Adapter]? = nil, counters: Counters
  ) {
    self.state = state
    self.adapter = adapter
    self.address = address
    self.bus = bus
    self.links = links
    self.slots = slots
    self.slotSource = slotSource
    self.scanning = scanning
    self.reason = reason
    self.lastHeard = lastHeard
    self.recovering = recovering
    self.rung = rung
    self.lastRecovery = lastRecovery
    self.ladder = ladder
    self.observesLinks = observesLinks
    self.updatesLiveLinks = updatesLiveLinks
    self.warnings = warnings
    self.adapters = adapters
    self.counters = counters
  }
}

/// What each enrolled device gets of the slots if all of them are here for an hour: the decisions of the hub, played through. Devices that are
/// paused are not in it.
public struct SlotPlanDocument: Codable, Sendable, Hashable {
  public struct Device: Codable, Sendable, Hashable {
    public var device: String
    public var role: Words.SlotRole
    public var present: Bool
    /// Seconds, of one that takes turns: the shortest turn and the longest time without a link within an hour. turn_s null: no turn ended.
    public var turnS: Int?
    public var gapS: Int?
    /// It advertises its heart rate, which is shown between its turns too.
    public var advertises: Bool

    public init(
      device: String, role: Words.SlotRole, present: Bool, turnS: Int? = nil, gapS: Int? = nil, advertises: Bool
    ) {
      self.device = device
      self.role = role
      self.present = present
      self.turnS = turnS
      self.gapS = gapS
      self.advertises = advertises
    }
  }

  public var schema = "io.hearth.slot-plan/1"
  /// Of all adapters that serve.
  public var slots: Int
  /// standard, configured, learned
  public var slotSource: String
  /// Devices that want a link for as long as they are here.
  public var wanting: Int
  /// Further slots with which none of them would wait, and adapters of 5 slots that have them.
  public var missing: Int
  public var missingAdapters: Int
  public var devices: [SlotPlanDocument.Device]

  public init(
    slots: Int, slotSource: String, wanting: Int, missing: Int, missingAdapters: Int, devices: [SlotPlanDocument.Device]
  ) {
    self.slots = slots
    self.slotSource = slotSource
    self.wanting = wanting
    self.missing = missing
    self.missingAdapters = missingAdapters
    self.devices = devices
  }
}

public struct PairingDocument: Codable, Sendable, Hashable {
  public var schema = "io.hearth.pairing/1"
  public var device: String
  public var address: String
  /// just_works: yes or no. compare: yes if the wearable shows the digits. passkey: the six digits it shows. show: type the digits on it.
  public var kind: String
  public var digits: String?
  public var until: String

  public init(device: String, address: String, kind: String, digits: String? = nil, until: String) {
    self.device = device
    self.address = address
    self.kind = kind
    self.digits = digits
    self.until = until
  }
}

/// usage: what may follow it; empty where nothing may.
public struct ActionDocument: Codable, Sendable, Hashable {
  public var name: String
  public var summary: String
  public var usage: String

  public init(name: String, summary: String, usage: String) {
    self.name = name
    self.summary = summary
    self.usage = usage
  }
}

/// What a wearable tells of itself, read from it at that moment.
public struct ReportDocument: Codable, Sendable, Hashable {
  /// A thing and its properties; numbers have their unit in the name of the field.
  public struct Row: Codable, Sendable, Hashable {
    public var name: String
    public var fields: Texts

    public init(name: String, fields: Texts) {
      self.name = name
      self.fields = fields
    }
  }

  public var schema = "io.hearth.report/1"
  public var device: String
  public var topic: String
  public var rows: [ReportDocument.Row]

  public init(device: String, topic: String, rows: [ReportDocument.Row]) {
    self.device = device
    self.topic = topic
    self.rows = rows
  }
}

/// What people want of one wearable. streams: series that it is to send live, beside what it sends anyway. rates: samples a second of series; others follow
/// the link. secret: it has one; nothing says what it is.
public struct OrdersDocument: Codable, Sendable, Hashable {
  /// A feature that a wearable can switch off, and whether that is ordered.
  public struct Switch: Codable, Sendable, Hashable {
    public var name: String
    public var summary: String
    public var off: Bool

    public init(name: String, summary: String, off: Bool) {
      self.name = name
      self.summary = summary
      self.off = off
    }
  }

  /// A setting that a wearable keeps by itself, and what is ordered of it; null: nothing. values: what may be ordered; empty for a number, which has lowest,
  /// highest and a unit, which may be empty.
  public struct Setting: Codable, Sendable, Hashable {
    public var name: String
    public var summary: String
    public var values: [String]
    public var lowest: Int?
    public var highest: Int?
    public var unit: String?
    public var ordered: String?

    public init(
      name: String, summary: String, values: [String], lowest: Int? = nil, highest: Int? = nil, unit: String? = nil,
      ordered: String? = nil
    ) {
      self.name = name
      self.summary = summary
      self.values = values
      self.lowest = lowest
      self.highest = highest
      self.unit = unit
      self.ordered = ordered
    }
  }

  /// What can be ordered of a live series: samples a second, slowest first; none: the wearable says only over a link which it has. without_heart_rate: those
  /// of them at which the wearable tells no heart rate, whatever else it streams.
  public struct RateChoice: Codable, Sendable, Hashable {
    public var series: String
    public var rates: [Int]
    public var withoutHeartRate: [Int]

    public init(series: String, rates: [Int], withoutHeartRate: [Int]) {
      self.series = series
      self.rates = rates
      self.withoutHeartRate = withoutHeartRate
    }
  }

  /// What was left out of an order for several things, because the wearable does not have it, and why. Ordered alone it is refused.
  public struct Skipped: Codable, Sendable, Hashable {
    public var what: String
    public var reason: TroubleDocument

    public init(what: String, reason: TroubleDocument) {
      self.what = what
      self.reason = reason
    }
  }

  /// When the hub measures vital signs by itself. `text`: as it is ordered. `skipped`, `why`: the last one that was not made since the hub began; null: none.
  public struct Measure: Codable, Sendable, Hashable {
    public var text: String
    public var everyS: Int
    public var seconds: Int
    public var next: String?
    public var skipped: String?
    public var why: String?

    public init(
      text: String, everyS: Int, seconds: Int, next: String? = nil, skipped: String? = nil, why: String? = nil
    ) {
      self.text = text
      self.everyS = everyS
      self.seconds = seconds
      self.next = next
      self.skipped = skipped
      self.why = why
    }
  }

  /// What visits that the hub makes by itself bring. phases: all that a wearable of its kind may keep, in the order in which they are fetched. left_out: those
  /// that they leave out. ordered: what was chosen for this wearable: all, or names of phases; null: as configured. visit_at: times of day of visits that are
  /// made however fresh its data is; own_times: they were chosen for this wearable.
  public struct Collection: Codable, Sendable, Hashable {
    public var phases: [String]
    public var leftOut: [String]
    public var ordered: [String]?
    public var visitAt: [String]
    public var ownTimes: Bool

    public init(phases: [String], leftOut: [String], ordered: [String]? = nil, visitAt: [String], ownTimes: Bool) {
      self.phases = phases
      self.leftOut = leftOut
      self.ordered = ordered
      self.visitAt = visitAt
      self.ownTimes = ownTimes
    }
  }

  public var schema = "io.hearth.orders/1"
  public var device: String
  public var streams: [String]
  public var rates: OrderedMap<Int>
  public var rateChoices: [OrdersDocument.RateChoice]
  public var secret: Bool
  public var switches: [OrdersDocument.Switch]
  public var settings: [OrdersDocument.Setting]
  /// null: it is measured only when somebody asks.
  public var measure: OrdersDocument.Measure?
  /// null: it keeps nothing that visits could bring.
  public var collection: OrdersDocument.Collection?
  public var wearer: String?
  /// Of the order that this answers; null: nothing.
  public var skipped: [OrdersDocument.Skipped]?

  public init(
    device: String, streams: [String], rates: OrderedMap<Int>, rateChoices: [OrdersDocument.RateChoice], secret: Bool,
    switches: [OrdersDocument.Switch], settings: [OrdersDocument.Setting], measure: OrdersDocument.Measure? = nil,
    collection: OrdersDocument.Collection? = nil, wearer: String? = nil, skipped: [OrdersDocument.Skipped]? = nil
  ) {
    self.device = device
    self.streams = streams
    self.rates = rates
    self.rateChoices = rateChoices
    self.secret = secret
    self.switches = switches
    self.settings = settings
    self.measure = measure
    self.collection = collection
    self.wearer = wearer
    self.skipped = skipped
  }
}

/// Somebody who wears wearables.
public struct WearerDocument: Codable, Sendable, Hashable {
  public var schema = "io.hearth.wearer/1"
  public var number: UInt32
  public var name: String
  /// The house's own identifier of the person, the same at every hub; null: none was entered.
  public var id: String?
  public var entered: String
  /// Since when nothing new is assigned.
  public var retired: String?
  /// 1971-03-05
  public var born: String?
  /// female, male
  public var sex: String?
  public var heightCm: Int?
  public var weightKg: Int?
  /// Beats a minute.
  public var maximumHeartRate: Int?
  public var restingHeartRate: Int?
  /// ml/kg/min
  public var vo2Max: Int?
  /// occasional, regular, frequent, heavy, semi-pro, pro
  public var trainingBackground: String?
  /// sitting, standing, moving
  public var typicalDay: String?
  public var sleepGoalMinutes: Int?
  /// Wearables forget all of it when they are on nobody any more.
  public var takeOff: Bool
  /// Wearables that are on this wearer now.
  public var wears: [String]

  public init(
    number: UInt32, name: String, id: String? = nil, entered: String, retired: String? = nil, born: String? = nil,
    sex: String? = nil, heightCm: Int? = nil, weightKg: Int? = nil, maximumHeartRate: Int? = nil,
    restingHeartRate: Int? = nil, vo2Max: Int? = nil, trainingBackground: String? = nil, typicalDay: String? = nil,
    sleepGoalMinutes: Int? = nil, takeOff: Bool, wears: [String]
  ) {
    self.number = number
    self.name = name
    self.id = id
    self.entered = entered
    self.retired = retired
    self.born = born
    self.sex = sex
    self.heightCm = heightCm
    self.weightKg = weightKg
    self.maximumHeartRate = maximumHeartRate
    self.restingHeartRate = restingHeartRate
    self.vo2Max = vo2Max
    self.trainingBackground = trainingBackground
    self.typicalDay = typicalDay
    self.sleepGoalMinutes = sleepGoalMinutes
    self.takeOff = takeOff
    self.wears = wears
  }
}

/// Whom a name of this hub is in the house.
public struct WearerIdDocument: Codable, Sendable, Hashable {
  public var wearer: String
  public var id: String

  public init(wearer: String, id: String) {
    self.wearer = wearer
    self.id = id
  }
}

/// Who a wearable was, is and will be on, in the order of time.
public struct AssignmentsDocument: Codable, Sendable, Hashable {
  /// Until the next one's `from`; no wearer: nobody.
  public struct Entry: Codable, Sendable, Hashable {
    public var from: String
    public var wearer: String?
    public var entered: String

    public init(from: String, wearer: String? = nil, entered: String) {
      self.from = from
      self.wearer = wearer
      self.entered = entered
    }
  }

  public var schema = "io.hearth.assignments/1"
  public var device: String
  public var assignments: [AssignmentsDocument.Entry]

  public init(device: String, assignments: [AssignmentsDocument.Entry]) {
    self.device = device
    self.assignments = assignments
  }
}

/// Samples of a stretch of time, before `to`, that belong to another wearer than was said before. No wearer: nobody.
public struct CorrectionDocument: Codable, Sendable, Hashable {
  public var device: String
  public var enrolment: Int
  public var from: String
  public var to: String
  public var was: String?
  public var wearer: String?

  public init(device: String, enrolment: Int, from: String, to: String, was: String? = nil, wearer: String? = nil) {
    self.device = device
    self.enrolment = enrolment
    self.from = from
    self.to = to
    self.was = was
    self.wearer = wearer
  }
}

/// Rows that an export should have and has not: those of a ring with these ordinals, both included; all null: of a chunk of the journal, in which
/// rows of several rings may have been. `cause`: damaged (what the card returned is not what was written), gone (evicted, purged or erased before
/// the reader of this cursor had them).
public struct MissingRowsDocument: Codable, Sendable, Hashable {
  public var device: String?
  public var address: String?
  public var enrolment: Int?
  public var series: String?
  public var way: String?
  public var from: Int?
  public var to: Int?
  public var cause: String

  public init(
    device: String? = nil, address: String? = nil, enrolment: Int? = nil, series: String? = nil, way: String? = nil,
    from: Int? = nil, to: Int? = nil, cause: String
  ) {
    self.device = device
    self.address = address
    self.enrolment = enrolment
    self.series = series
    self.way = way
    self.from = from
    self.to = to
    self.cause = cause
  }
}

/// What putting an assignment right changes in samples that are there, and the export cursors that have had some of them and are told.
public struct CorrectionsDocument: Codable, Sendable, Hashable {
  public struct Part: Codable, Sendable, Hashable {
    public var from: String
    public var to: String
    public var was: String?
    public var wearer: String?
    public var samples: UInt64

    public init(from: String, to: String, was: String? = nil, wearer: String? = nil, samples: UInt64) {
      self.from = from
      self.to = to
      self.was = was
      self.wearer = wearer
      self.samples = samples
    }
  }

  public var schema = "io.hearth.correction/1"
  public var device: String
  public var parts: [CorrectionsDocument.Part]
  public var readers: [String]
  public var assignments: [AssignmentsDocument.Entry]

  public init(
    device: String, parts: [CorrectionsDocument.Part], readers: [String], assignments: [AssignmentsDocument.Entry]
  ) {
    self.device = device
    self.parts = parts
    self.readers = readers
    self.assignments = assignments
  }
}

public struct SettingDocument: Codable, Sendable, Hashable {
  public var key: String
  public var value: String
  public var origin: String

  public init(key: String, value: String, origin: String) {
    self.key = key
    self.value = value
    self.origin = origin
  }
}

/// A trouble that is not told. device: of this wearable alone; null: of the hub and of all. until: by the clock as it is now; null: until it is taken back.
public struct MuteDocument: Codable, Sendable, Hashable {
  public var code: String
  public var sentence: String
  public var device: String?
  public var since: String
  public var until: String?

  public init(code: String, sentence: String, device: String? = nil, since: String, until: String? = nil) {
    self.code = code
    self.sentence = sentence
    self.device = device
    self.since = since
    self.until = until
  }
}

/// What a full-screen view shows. The first of a stream has everything, each one after it what changed: what is null is as it was, and so are the
/// devices that are not named. A status comes once a minute at least.
public struct ViewDocument: Codable, Sendable, Hashable {
  public var schema = "io.hearth.view/1"
  public var status: StatusDocument?
  public var radio: RadioDocument?
  public var lights: LightsDocument?
  /// Those that changed, and the addresses of all in their order; who is not among these is not known any more.
  public var devices: [DeviceDocument]
  public var order: [String]?
  /// The newest 20 of each: the running visit first.
  public var visits: [VisitDocument]?
  public var events: [EventDocument]?

  public init(
    status: StatusDocument? = nil, radio: RadioDocument? = nil, lights: LightsDocument? = nil,
    devices: [DeviceDocument], order: [String]? = nil, visits: [VisitDocument]? = nil, events: [EventDocument]? = nil
  ) {
    self.status = status
    self.radio = radio
    self.lights = lights
    self.devices = devices
    self.order = order
    self.visits = visits
    self.events = events
  }
}

/// A bond without its keys. `address_type`: public, random. `lost`: one side no longer knows the key.
public struct BondDocument: Codable, Sendable, Hashable {
  public var device: String
  public var address: String
  public var addressType: String
  public var createdAt: String
  public var authenticated: Bool
  public var secureConnections: Bool
  public var identityKey: Bool
  public var lost: Bool?

  public init(
    device: String, address: String, addressType: String, createdAt: String, authenticated: Bool,
    secureConnections: Bool, identityKey: Bool, lost: Bool? = nil
  ) {
    self.device = device
    self.address = address
    self.addressType = addressType
    self.createdAt = createdAt
    self.authenticated = authenticated
    self.secureConnections = secureConnections
    self.identityKey = identityKey
    self.lost = lost
  }
}

/// A bond with its keys. `created_at`: microseconds since 1970.
public struct BondKeysDocument: Codable, Sendable, Hashable {
  /// Hexadecimal; `kind` as in the store.
  public struct Key: Codable, Sendable, Hashable {
    public var kind: UInt8
    public var key: String

    public init(kind: UInt8, key: String) {
      self.kind = kind
      self.key = key
    }
  }

  public var name: String
  public var kind: String
  public var driver: String
  public var address: String
  public var addressType: String
  public var createdAt: Int64
  public var keys: [BondKeysDocument.Key]

  public init(
    name: String, kind: String, driver: String, address: String, addressType: String, createdAt: Int64,
    keys: [BondKeysDocument.Key]
  ) {
    self.name = name
    self.kind = kind
    self.driver = driver
    self.address = address
    self.addressType = addressType
    self.createdAt = createdAt
    self.keys = keys
  }
}
