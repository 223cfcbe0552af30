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

  /// The trigger of a visit.
  public struct VisitTrigger: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let `seen` = Self(rawValue: "seen")
    public static let `operator` = Self(rawValue: "operator")
    public static let `schedule` = Self(rawValue: "schedule")
    public static let `resumption` = Self(rawValue: "resumption")
    public static let `announcement` = Self(rawValue: "announcement")
  }

  /// The stage of a visit.
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

  /// The state of the link of a running visit.
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

  /// The priority class of a turn in the lane, first to last.
  public struct LanePriority: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A slot is kept for the wearable.
    public static let `reserved` = Self(rawValue: "reserved")
    /// The wearable is switched on for seconds only.
    public static let `shortPresence` = Self(rawValue: "short_presence")
    public static let `operator` = Self(rawValue: "operator")
    /// A stable link was lost.
    public static let `recovering` = Self(rawValue: "recovering")
    public static let `firstContact` = Self(rawValue: "first_contact")
    /// A link that delivered data was lost.
    public static let `returning` = Self(rawValue: "returning")
    public static let `scheduled` = Self(rawValue: "scheduled")
    public static let `unresponsive` = Self(rawValue: "unresponsive")
  }

  /// What keeps an attempt to connect from beginning now.
  public struct LaneHold: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The radio does not serve.
    public static let `radio` = Self(rawValue: "radio")
    /// Another visit holds the lane.
    public static let `lane` = Self(rawValue: "lane")
    public static let `pairing` = Self(rawValue: "pairing")
    /// Back-off until held_until.
    public static let `pace` = Self(rawValue: "pace")
    public static let `attempts` = Self(rawValue: "attempts")
    public static let `stableFirst` = Self(rawValue: "stable_first")
    public static let `newcomerFirst` = Self(rawValue: "newcomer_first")
    public static let `recoveringFirst` = Self(rawValue: "recovering_first")
    public static let `shortPresenceFirst` = Self(rawValue: "short_presence_first")
    public static let `unproven` = Self(rawValue: "unproven")
  }

  /// How a wearable would get a slot now.
  public struct SlotOutlook: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The wearable has a link and needs no slot.
    public static let `linked` = Self(rawValue: "linked")
    public static let `free` = Self(rawValue: "free")
    /// A slot is free, but attempts to connect may take it.
    public static let `attempted` = Self(rawValue: "attempted")
    /// A slot is being vacated.
    public static let `vacating` = Self(rawValue: "vacating")
    /// slot_of holds the slot and yields it at slot_at.
    public static let `taken` = Self(rawValue: "taken")
    /// No link yields to it.
    public static let `nothing` = Self(rawValue: "none")
  }

  public struct HubPhase: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let `starting` = Self(rawValue: "starting")
    public static let `serving` = Self(rawValue: "serving")
    public static let `stopping` = Self(rawValue: "stopping")
  }

  /// The activity of a wearable, or the cause of its inactivity.
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
    /// No value came over its link for half a minute.
    public static let `linked` = Self(rawValue: "linked")
    public static let `waiting` = Self(rawValue: "waiting")
    /// A person has to act, also while there is a link.
    public static let `attention` = Self(rawValue: "attention")
    /// Paused by order.
    public static let `paused` = Self(rawValue: "paused")
  }

  /// critical raises H2230, low H2142.
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

  /// The reason for a part of a gap without values.
  public struct GapReason: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The samples were stored and then deleted.
    public static let `evicted` = Self(rawValue: "evicted")
    public static let `notEnrolled` = Self(rawValue: "not_enrolled")
    /// Left out by order of a person.
    public static let `byOrder` = Self(rawValue: "by_order")
    public static let `hubDown` = Self(rawValue: "hub_down")
    public static let `radioDown` = Self(rawValue: "radio_down")
    public static let `noSlot` = Self(rawValue: "no_slot")
    /// With the code of the visit.
    public static let `visitFailed` = Self(rawValue: "visit_failed")
    /// A visit found that the wearable did not record.
    public static let `notRecording` = Self(rawValue: "not_recording")
    /// The wearable may still hold the samples.
    public static let `notFetched` = Self(rawValue: "not_fetched")
    /// The battery level rose in between.
    public static let `charging` = Self(rawValue: "charging")
    public static let `outOfReach` = Self(rawValue: "out_of_reach")
    public static let `unknown` = Self(rawValue: "unknown")
  }

  /// The end of an ordered measurement.
  public struct MeasurementEnd: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The time limit was reached.
    public static let `limit` = Self(rawValue: "limit")
    /// A person stopped it.
    public static let `stopped` = Self(rawValue: "stopped")
    /// The wearable ended it.
    public static let `byWearable` = Self(rawValue: "by_wearable")
    /// With a reason, also if it ended without a value (H2153).
    public static let `failed` = Self(rawValue: "failed")
  }

  /// Kind of sensor. electrical, optical and optical_wrist report intervals.
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

  /// The basis of results: electrical intervals, optical intervals, or rates.
  public struct VitalsBasis: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let `rr` = Self(rawValue: "rr")
    public static let `ppi` = Self(rawValue: "ppi")
    public static let `rate` = Self(rawValue: "rate")
  }

  /// The end of a measurement of vital signs.
  public struct VitalsFinish: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The time was over.
    public static let `duration` = Self(rawValue: "duration")
    /// Ended early with results: by a person, or by the only reading of a cuff.
    public static let `stop` = Self(rawValue: "stop")
    /// Ended before there were results.
    public static let `terminated` = Self(rawValue: "terminated")
    public static let `error` = Self(rawValue: "error")
  }

  public struct VitalsPhase: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The wearable is connected and its stream started.
    public static let `initializing` = Self(rawValue: "initializing")
    public static let `ready` = Self(rawValue: "ready")
    public static let `starting` = Self(rawValue: "starting")
    /// Measuring.
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

  /// The share of a device in the slots.
  /// - live: keeps its link.
  /// - turns: has a link in turn with others.
  /// - visits: stores its measurements and needs a slot only for its visits.
  /// - seconds: is on for seconds only, and gets a slot at once.
  /// - unreachable: is bonded to an adapter that does not serve.
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

/// A trouble with its cause. Codes are stable: `hearth explain H2102`.
public struct TroubleDocument: Codable, Sendable, Hashable {
  public var code: String
  public var area: String
  /// The meaning of the code in general.
  public var sentence: String
  /// What happened this time, and to which wearable or part.
  public var detail: String
  /// The effect on samples.
  public var effect: String
  /// The next step.
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

/// A visit, past or running.
public struct VisitDocument: Codable, Sendable, Hashable {
  public var schema = "io.hearth.visit/1"
  public var number: UInt64
  public var device: String
  public var trigger: Words.VisitTrigger
  public var began: String
  /// Null while it runs, and for ever if the hub died during it.
  public var ended: String?
  public var running: Bool
  public var stage: Words.VisitStage
  /// For a running visit of a wearable that belongs to one host and has to accept it first; otherwise null. After the
  /// visit, the detail of its reason has the state in which it ended.
  public var connection: Words.VisitConnection?
  /// Null while it runs.
  public var outcome: Words.VisitOutcome?
  public var reason: TroubleDocument?
  /// For a visit that ended without a reason: what was fetched, or the cause if there was no fetch.
  public var remark: String?
  public var bytesFetched: UInt64
  public var itemsDone: Int
  public var itemsListed: Int
  /// The item in work: its id, bytes so far, bytes in all, and percent of these.
  public var item: String?
  public var itemFetched: Int?
  public var itemSize: Int?
  public var percent: Int?
  /// Bytes per second.
  public var rate: Int?
  /// Expected end of the fetch at this rate.
  public var expectedEnd: String?
  /// Used and whole slice: the time for which a wearable may hold the lane while others wait.
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

/// A wearable that waits for the lane, and the reason. fetches: false for a wearable without stored items, which only
/// needs a link.
public struct QueuedDocument: Codable, Sendable, Hashable {
  public var device: String
  public var why: String
  public var notBefore: String?
  public var trigger: Words.VisitTrigger
  public var fetches: Bool
  /// In the answer of VisitNow: the requested visit has a higher number than this.
  public var after: UInt64?
  public var priority: Words.LanePriority?
  /// The members from here on are only set for `why: true`. Null: an attempt may begin now.
  public var heldBy: Words.LaneHold?
  public var heldUntil: String?
  public var slot: Words.SlotOutlook?
  public var slotOf: String?
  public var slotAt: String?
  /// Whether an attempt to connect would find it.
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
    /// public, random; null without an address.
    public var addressType: String?
    public var bus: String
    /// Links that the kernel has, and the number that the controller is believed to carry (slots).
    public var links: Int
    public var slots: Int
    public var scanning: Bool
    /// The reason while it is down.
    public var reason: TroubleDocument?
    /// Whether the reset ladder is at work, and its rung; afterwards the rung that was tried last.
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

  /// A trouble that needs a person.
  /// - device: null for the hub itself.
  /// - muted_until: in a list of muted troubles, by the clock as it is now; null: until the mute is taken back.
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

  /// The wearable that holds the lane, and those that wait for it.
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

  /// zone: the hub's time zone, for example Europe/Berlin, in which its days begin and times are shown.
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

  /// Duration of turns of the event loop since start: other tasks wait during a turn. 50 and 99 of 100 turns took at most
  /// turn_p50_ms and turn_p99_ms (within an eighth).
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
  /// Wearables that are away for longer than they should be.
  public var missing: Int
  /// Paused wearables; null without any.
  public var paused: Int?
  public var live: Int
  public var lane: StatusDocument.Lane
  public var enrolment: EnrolmentDocument
  public var store: StoreDocument
  public var clock: StatusDocument.Clock
  public var attention: [StatusDocument.Attention]
  /// Troubles that would be in `attention` and are muted; null without any.
  public var muted: [StatusDocument.Attention]?
  public var loop: StatusDocument.Loop?
  public var counters: Counters
  /// Time of the newest backup.
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

/// The wait of a wearable for a slot while all slots of the adapter are taken.
/// - since: when the last slot was taken; null if other programs than the hub have links.
/// - holders: names of the wearables with a link, the longest linked first.
/// - next, next_at: the wearable that yields next to the first in the line, and its earliest time.
/// - place: its own place in the line, from 1.
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

/// An alert: a live value stayed beyond a limit that people set. An alert lasts until it is acknowledged. No medical
/// alarm.
/// - kind: rest-above, rest-below, exercise-above, exercise-below (of heart_rate), spo2-below, temperature-above,
/// temperature-below.
/// - source: hub (its watch of live values) or wearable (its own warning).
/// - value: the value that raised it last.
/// - since, last: when it was raised first and last.
/// - ended: when the value had been back inside for a minute; null: not yet.
/// - muted_until: as in Attention.
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

/// A training that the hub derives from the heart rates of a strap.
/// - origin: found (inferred: begin and end are the rise and the fall of the heart rate) or ordered.
/// - ends: null while it is under way.
/// - active_s: without its pauses.
/// - known_s: time with a heart rate. Zones, rates and calories are of that time.
/// - zones_s: zones 1 to 5 by the maximum heart rate; null if that is unknown.
/// - calories_kcal: by heart rate, sex, age and weight; null if these are unknown.
/// - calories_known_s: the part of the time that calories_kcal covers.
/// - extrapolated: the wearer is outside the group from which the formula was derived.
public struct TrainingDocument: Codable, Sendable, Hashable {
  public var schema = "io.hearth.training/1"
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

/// Limits and alerts of the live values of a wearable.
/// - exercise_choice: auto (detected from wearables of the same wearer), on, off.
/// - exercise: values measured now count as exercise.
public struct AlertsDocument: Codable, Sendable, Hashable {
  /// A possible limit, and its value if it is set.
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
  /// A muted trouble of a wearable: the members of Trouble, and the end of the mute by the clock as it is now. Null: until
  /// the mute is taken back.
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

  /// A reason for which values were left out, or accepted although they were odd: their number, and the time of the last one.
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

  /// Available data of one series of a wearable. came: whether a link ever brought a value; null: it is not sent. `can`
  /// has:
  /// - live: sent over a link.
  /// - recorded: in recordings that a person starts.
  /// - history: stored on the wearable without an order.
  /// - streamed: sent while that is ordered.
  /// - on_demand: measured once on order.
  /// - monitoring: measured by the wearable itself.
  /// - monitoring_window, monitoring_interval: time of day and interval of that can be ordered.
  /// - denser: more often, on order.
  /// - resting: its value at rest.
  /// - rest_alert, exercise_alert: the wearable warns of a value beyond bounds.
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
  /// Id of its driver, and of the driver for its next link if that is another one.
  public var driver: String?
  public var nextDriver: String?
  /// dBm
  public var rssi: Int?
  /// Percent, and the time of the reading.
  public var battery: Int?
  public var batteryAt: String?
  /// Null: never read, or read more than a day ago.
  public var batteryCharge: Words.BatteryCharge?
  /// When it was heard last or its link ended, also before the start of the hub.
  public var lastSeen: String?
  /// The wearable counts as missing after this absence; null: never. absent_choice_s is an operator's lasting choice;
  /// null: as configured, 0: never.
  public var absentAfterS: Int?
  public var absentChoiceS: Int?
  /// Time of the newest live value of any series.
  public var lastValueAt: String?
  /// Present heart rate in beats per minute, and its time; null as soon as the newest values are too old.
  public var heartRate: Int?
  public var heartRateAt: String?
  /// The same from advertisements while there is no link. Any device can send these.
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
  /// Charging state and battery fault, as the wearable itself reports them.
  public var charging: String?
  /// Announced measurements that the hub does not store, with the cause.
  public var notServed: String?
  /// Values that were left out, or accepted although they were odd, by reason, since the start of the hub; null without
  /// any. Views (`Watch`) leave it out.
  public var oddities: [DeviceDocument.Oddity]?
  /// Available data, series by series: what it announced over a link and its driver supports. Null: unknown, as it had no
  /// link since its enrolment or since a change of its firmware. Views (`Watch`) leave it out.
  public var capabilities: [DeviceDocument.Capabilities]?
  /// The present wearer.
  public var wearer: String?
  /// The running visit, and the last one that ended.
  public var visit: VisitDocument?
  public var lastVisit: VisitDocument?
  /// The entry in the queue for the lane.
  public var queued: QueuedDocument?
  /// Set while it waits for a slot. Null: it does not wait, or waits for something else.
  public var slotWait: SlotWaitDocument?
  /// The hub tries again only after the wearable was away and is heard again, or at an operator's request.
  public var coolsOff: Bool
  /// A measurement is under way, of vital signs or of a series. Null: no measurement.
  public var measuring: Bool?
  /// The profile that its link was asked for, and the profile with the numbers in use: foreground, background, idle.
  public var requestedProfile: String?
  public var effectiveProfile: String?
  /// Whether items that are safe in the store are erased on the wearable:
  /// - yes, no, or ask (only in a visit that an operator requested).
  /// - order: only on a person's order.
  /// - none: the wearable has no items that could be erased.
  public var erase: String
  /// An operator's lasting choice of that; null: as configured.
  public var eraseChoice: String?
  /// Whether advertised values are stored while there is no link; null if its family has none. The member listen_choice is
  /// an operator's lasting choice; null: as configured.
  public var listens: Bool?
  public var listenChoice: Bool?
  /// Bytes on the wearable.
  public var memoryFree: Int?
  public var memoryTotal: Int?
  /// Phases that visits leave out by order, unless a person requests them; null without any.
  public var leftOut: [String]?
  /// Begin and end of a pause by order.
  /// - paused_since: null if it is not paused.
  /// - paused_until: by the clock as it is now; null: until it is resumed.
  public var pausedSince: String?
  public var pausedUntil: String?
  /// Troubles that would be its `reason` or in its `alerts`, and are muted; null without any.
  public var muted: [DeviceDocument.Muted]?
  /// Alerts that are neither acknowledged nor muted; null without any.
  public var alerts: [AlertDocument]?
  /// A training under way, found in its heart rates or ordered.
  public var training: TrainingDocument?
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
    muted: [DeviceDocument.Muted]? = nil, alerts: [AlertDocument]? = nil, training: TrainingDocument? = nil,
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
    self.training = training
    self.counters = counters
  }
}

public struct EnrolmentDocument: Codable, Sendable, Hashable {
  /// A wearable that is heard, and can be accepted while `near` is true.
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
  /// Samples that are not in a ring yet.
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

  /// A series of a wearable that came in one way.
  public struct Ring: Codable, Sendable, Hashable {
    public var device: String
    public var series: String
    /// live, fetched
    public var way: String
    public var samples: UInt64
    public var chunks: Int
    public var bytes: Int
    /// Null: unbounded.
    public var quotaBytes: Int?
    public var keepSeconds: Int64?
    /// At the bound: delete the oldest, or refuse samples that could be fetched later.
    public var evict: String
    public var oldest: String?
    public var newest: String?
    public var bytesPerDay: Int?
    /// Samples that no reader has confirmed.
    public var unexported: UInt64
    /// Samples deleted to keep the bounds, ever; those of them that no reader had confirmed; and the time span of all of
    /// them.
    public var evictedSamples: UInt64
    public var evictedUnexported: UInt64
    public var evictedFrom: String?
    public var evictedTo: String?
    /// Samples deleted by a person, ever.
    public var purgedSamples: UInt64
    /// The ring is at its bound, and new items stay on the wearable.
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

  /// Bytes written to the card: since the hub's midnight, by all writers of the store ever, and per year by the last seven days.
  public struct Wear: Codable, Sendable, Hashable {
    public var bytesToday: UInt64
    public var budgetPerDay: UInt64?
    public var overBudget: Bool
    public var odometer: UInt64
    public var forecastPerYear: UInt64?
    /// Size of the SD card or eMMC, and bytes that such a card bears before it wears out: 100 times its size. Absent for
    /// another medium.
    public var cardBytes: UInt64?
    public var cardBears: UInt64?

    public init(
      bytesToday: UInt64, budgetPerDay: UInt64? = nil, overBudget: Bool, odometer: UInt64,
      forecastPerYear: UInt64? = nil, cardBytes: UInt64? = nil, cardBears: UInt64? = nil
    ) {
      self.bytesToday = bytesToday
      self.budgetPerDay = budgetPerDay
      self.overBudget = overBudget
      self.odometer = odometer
      self.forecastPerYear = forecastPerYear
      self.cardBytes = cardBytes
      self.cardBears = cardBears
    }
  }

  /// A reader of exports with its cursor.
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
  /// Bytes of the file, bytes in use, bytes free for reuse, and the bound of the file.
  public var fileBytes: Int
  public var usedBytes: Int
  public var freeBytes: Int
  public var limitBytes: Int
  public var samples: UInt64
  public var chunks: Int
  public var oldest: String?
  public var newest: String?
  /// Samples in memory that are not durable yet.
  public var pendingSamples: Int
  public var pendingBytes: Int
  public var lastCommit: String?
  public var commits: UInt64
  public var failedCommits: UInt64
  public var journal: StoreDocument.Journal
  /// Rings by wearable and series; null in a HubState.
  public var rings: [StoreDocument.Ring]?
  /// Samples that no reader has confirmed.
  public var unexported: UInt64
  /// Readers by name; null in a HubState.
  public var readers: [StoreDocument.Reader]?
  /// Samples deleted to keep the bounds, ever; those of them that no reader had confirmed; and the time span of all of
  /// them.
  public var evictedSamples: UInt64
  public var evictedUnexported: UInt64
  public var evictedFrom: String?
  public var evictedTo: String?
  /// Samples lost since start because the disk refused them.
  public var droppedSamples: UInt64
  public var corruptChunks: UInt64
  public var corruptRecords: Int
  /// Bytes of items that are not whole yet. Since start: bytes of such items that were deleted for lack of room and are
  /// fetched again, and records of custody that were deleted.
  public var stagedBytes: Int
  public var stagedGivenUp: UInt64
  public var custodyGivenWay: UInt64
  /// Bytes of damaged files that were set aside in the store's folder. The hub never deletes them.
  public var asideBytes: Int?
  /// Read transactions of the database: open, and possible.
  public var readerSlotsUsed: Int
  public var readerSlots: Int
  public var bytesWrittenToday: UInt64?
  public var wear: StoreDocument.Wear
  public var wearables: Int
  public var reason: TroubleDocument?
  public var daemon: Bool
  /// Identity of this store, 16 hexadecimal digits; null in a HubState, and until rows with ordinals were requested.
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

/// `lines` are only there if no series was requested. Days without items are left out.
///
/// - overflowed: items of more than 4,000 days, which no day counts.
/// - malformed: items that no program of Hearth writes.
/// - enrolment: as in `Export`.
public struct DaysDocument: Codable, Sendable, Hashable {
  /// The duration of a class of a series within a day, such as a stage of sleep.
  public struct State: Codable, Sendable, Hashable {
    public var state: Int
    public var seconds: Double

    public init(state: Int, seconds: Double) {
      self.state = state
      self.seconds = seconds
    }
  }

  /// A value of a day, and the time of its measurement.
  public struct Value: Codable, Sendable, Hashable {
    public var value: Double
    public var time: String

    public init(value: Double, time: String) {
      self.value = value
      self.time = time
    }
  }

  /// A value of a series on a day.
  /// - name: of a vector its component, such as systolic; else empty.
  /// - maximum, minimum: of items with that mark of the wearable, never the largest or smallest normal value.
  /// - derived_max, derived_min: of normal items, only if no item is marked so.
  /// - average: of normal items, to one decimal.
  /// - resting: of items with that mark of the wearable, the latest by its time.
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

  /// A local day. Values are in the unit of the series. minimum, maximum: the lowest and highest first value, marked or
  /// not; `parts` distinguish them.
  public struct Day: Codable, Sendable, Hashable {
    public var date: String
    /// 00:00 of the day, and of the next day.
    public var start: String
    public var end: String
    /// Number of normal items; those that the user started, and the others.
    public var count: Int
    public var manual: Int
    public var automatic: Int
    /// Items that the wearable itself doubts. The other numbers leave them out.
    public var doubtful: Int
    public var minimum: Double?
    public var maximum: Double?
    public var mean: Double?
    public var resting: Double?
    /// For counted series.
    public var sum: Double?
    /// For classes, which have no values like those above.
    public var states: [DaysDocument.State]
    public var first: String
    public var last: String
    /// Names of the wearers between these times, in order of time.
    public var wearers: [String]
    /// A single part, or one for each component of a vector; empty for classes.
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

  /// A night that ended on a day. Times in seconds. goal_s: the goal of sleep; rating: the sleeper's own rating, from 1
  /// (poor) to 5 (well).
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

  /// The recharge of a night.
  /// - recovery, level: recovery from 1 to 6, and the position within that step (0 to 100).
  /// - ans, ans_status: the autonomic nervous system from 1 to 5, and against the usual.
  /// - rri_ms, rmssd_ms, breath_ms: means of the night of beat-to-beat intervals, RMSSD and breath intervals. usual_: the
  /// wearer's usual ones.
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

  /// A training. Part 0 is the whole training, parts from 1 on are its exercises. sport is the wearable's own number.
  /// duration_s is active time.
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
    /// The hub detected it in heart rates, or a person ordered it (manual). Otherwise the wearable recorded it.
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

  /// A local day of a wearer.
  /// - shared: the wearable reported only one sum of distance or calories for a time in which another person wore it too.
  public struct Line: Codable, Sendable, Hashable {
    public var date: String
    public var wearer: String?
    public var steps: Int?
    public var distanceM: Double?
    /// Calories of activity, of trainings, and at rest.
    public var caloriesKcal: Double?
    public var trainingCaloriesKcal: Double?
    public var basalCaloriesKcal: Double?
    public var shared: Bool
    /// Duration of each class of active_time.
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
  public var enrolment: Int?

  public init(
    device: String, zone: String, lines: [DaysDocument.Line], series: [DaysDocument.Days], enrolment: Int? = nil
  ) {
    self.device = device
    self.zone = zone
    self.lines = lines
    self.series = series
    self.enrolment = enrolment
  }
}

/// Items in order of their begin. At the same moment manual ones come first, then the order of arrival counts. `name`:
/// the wearable or the wearer. `components`: names of the components of a vector. `next`: value for `after` to get the
/// next page; null: last page.
public struct ItemsDocument: Codable, Sendable, Hashable {
  /// A measured value with all its marks.
  public struct Item: Codable, Sendable, Hashable {
    public var device: String
    public var start: String
    /// Equal to `start`, except for an interval.
    public var end: String
    public var durationS: Double
    /// For a vector the first component; `components` has all of them.
    public var value: Double
    public var components: [Double]
    /// normal, maximum, minimum, resting
    public var kind: String
    /// Manual: a person started the measurement. Otherwise automatic.
    public var manual: Bool
    /// live, fetched, replayed, advertised
    public var origin: String
    /// low: the wearable doubts the value; null: it does not.
    public var quality: String?
    /// The wearer at that time.
    public var wearer: String?
    /// null: the time rests on a clock that a time server had set.
    /// - unsure: the time does not.
    /// - corrected: the time did not, and was corrected since.
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

/// A local day of 23 to 25 hours, of a wearable or of all wearables of a wearer. `lines`: sums, nights and trainings of
/// each wearable.
public struct DailyDocument: Codable, Sendable, Hashable {
  /// A series on one day.
  /// - place: for a temperature, the place of the measurement such as skin; null: unknown.
  /// - devices: the wearables of the items. Measured values combine all wearables of a wearer. Counts and classes have one
  /// entry for each wearable.
  /// - resting, manual, automatic: items in order of their begin. manual and automatic have normal items.
  /// - left_out: number of items that did not fit into the lists. `Items` returns them.
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

  /// The share of a stage in a sleep. `stage`: unknown, awake, rem, light, deep. `percent`: of the sleep without the time
  /// awake; null for stages that are not sleep. `episodes`: number of begins.
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

  /// `seconds`: with the time awake, without the time between pieces. Time awake at the end does not count.
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

  /// A run of stages with rests of at most 20 minutes. `kind`: night (began between 20:00 and 09:00), nap (by day, 20
  /// minutes to 3 hours of sleep), other.
  public struct Segment: Codable, Sendable, Hashable {
    public var kind: String
    public var sum: DailyDocument.Sleep

    public init(kind: String, sum: DailyDocument.Sleep) {
      self.kind = kind
      self.sum = sum
    }
  }

  /// The sleep of a date, from 20:00 to 20:00.
  /// - without_naps: its nights. with_naps: nights and naps.
  /// - longest_night: the longest sleep that began between 20:00 and 08:00.
  /// - longest: the longest of any kind.
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

/// `seconds`: length of the span, with its ends rounded to milliseconds. `enrolment`: number of the wearable's enrolment,
/// as in `Export`. If a wearer was requested:
/// - wearer: name of that person.
/// - worn: times of the span in which the person wore the wearable, in order. Only these times count, and `seconds` is
/// their length. Empty: the person wore no wearable, and `device` is the name of the person.
public struct CoverageDocument: Codable, Sendable, Hashable {
  /// A part of a gap and its reason. `code`: of the event or visit that is the evidence; `text`: its text.
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

  /// The coverage of a series in a span of time.
  /// - occasional: its values come on occasion. Then there are no gaps, and `share` is null.
  /// - way: live or fetched, the way of most samples.
  /// - period_s: the usual interval between values.
  /// - tolerance_s: a longer stretch without values is a gap.
  /// - gaps: in order of time, at most 1000. If there are more, the longest are listed; gaps_left_out counts the others.
  /// - damaged: number of unreadable chunks.
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

  /// A time in which a person wore a wearable.
  public struct Worn: Codable, Sendable, Hashable {
    public var from: String
    public var to: String

    public init(from: String, to: String) {
      self.from = from
      self.to = to
    }
  }

  public var schema = "io.hearth.coverage/1"
  public var device: String
  public var zone: String
  public var since: String
  public var until: String
  public var seconds: Double
  public var series: [CoverageDocument.Line]
  public var enrolment: Int?
  public var wearer: String?
  public var worn: [CoverageDocument.Worn]?

  public init(
    device: String, zone: String, since: String, until: String, seconds: Double, series: [CoverageDocument.Line],
    enrolment: Int? = nil, wearer: String? = nil, worn: [CoverageDocument.Worn]? = nil
  ) {
    self.device = device
    self.zone = zone
    self.since = since
    self.until = until
    self.seconds = seconds
    self.series = series
    self.enrolment = enrolment
    self.wearer = wearer
    self.worn = worn
  }
}

/// An event. `from`, `to`: duration of the state (a lost link, a stopped hub, a radio that is down); `from` alone: it has
/// not ended. `count`: number of events between the two times; null: one.
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

/// The measured values that a user got of a wearable by one method in one UTC day.
public struct AccessDocument: Codable, Sendable, Hashable {
  public var first: String
  public var last: String
  public var uid: UInt32
  /// Name of the user on the machine.
  public var user: String?
  /// A method of this interface, such as Export.
  public var method: String
  /// Null: personal data, such as body data.
  public var device: String?
  /// Numbers of the wearers at the time of measurement, and the present names of those that still have one.
  public var wearers: [UInt32]
  public var names: [String]
  /// There were more wearers than are logged.
  public var moreWearers: Bool
  public var series: [String]
  /// Earliest and latest time of these values.
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

/// The data that erasing a person deletes, and places of copies that it does not reach.
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
  /// Samples that no reader of an export has confirmed.
  public var unexported: UInt64
  public var parts: [ErasureDocument.Part]
  /// Number of assignments of wearables to the person.
  public var assignments: Int
  /// A sentence for each.
  public var copies: [String]
  /// Deleted items of rings; null: not deleted yet.
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

/// A purge, or the plan of one.
/// - purged: number of deleted samples; null for a plan.
/// - held: pages of the store's file that still hold deleted samples because a reader uses an older state. 0: all were
/// overwritten; null: a plan, or the disk refused.
public struct PurgeDocument: Codable, Sendable, Hashable {
  public struct Part: Codable, Sendable, Hashable {
    public var device: String
    /// Known wearers of these samples.
    public var wearers: [String]
    public var series: String
    public var way: String
    public var samples: UInt64
    /// Samples that no reader has confirmed.
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

/// night: day, dimmed, cannot_dim, off (dark but for trouble); null if no night is configured.
public struct LightsDocument: Codable, Sendable, Hashable {
  /// The state of a light.
  /// - sentence, next: meaning of the code, and the next step.
  /// - over: true if the reason for the code has ended, as a light shows a code for at least ten seconds.
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

/// The result of an ordered measurement.
public struct MeasurementDocument: Codable, Sendable, Hashable {
  public var schema = "io.hearth.measurement/1"
  public var device: String
  public var series: String
  /// Null while it measures.
  public var end: Words.MeasurementEnd?
  /// Number of values so far; all of them are stored.
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

/// A vital sign. In a record it is final; during a measurement it may still change. The list of intervals is not a vital
/// sign. text: the name of a level or a zone; value is then null.
public struct VitalValueDocument: Codable, Sendable, Hashable {
  public var name: String
  public var value: Double?
  public var text: String?
  public var unit: String
  /// unknown, low, medium, high
  public var confidence: String
  /// Length of the data that it was computed from.
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

/// The reason why an enabled vital sign has no result.
public struct VitalMissingDocument: Codable, Sendable, Hashable {
  public var name: String
  public var reason: String

  public init(name: String, reason: String) {
    self.name = name
    self.reason = reason
  }
}

/// The stored record of a measurement. `person`: the measured person; null: unknown. `wearer`: wearer of the wearable at
/// that time, by present knowledge.
public struct VitalsRecordDocument: Codable, Sendable, Hashable {
  /// A gap without beats, from the start of the measurement.
  public struct Gap: Codable, Sendable, Hashable {
    public var startS: Double
    public var lengthS: Double

    public init(startS: Double, lengthS: Double) {
      self.startS = startS
      self.lengthS = lengthS
    }
  }

  /// An interval as received. flags: begins_stretch, dropped, uncertain, ectopic, missed, extra, long_or_short.
  public struct Interval: Codable, Sendable, Hashable {
    public var ms: Double
    public var flags: [String]

    public init(ms: Double, flags: [String]) {
      self.ms = ms
      self.flags = flags
    }
  }

  public var session: UInt64
  /// Number of the measurement in its session, from 1.
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
  /// Code of an error, as in the session; else null.
  public var code: Int?
  public var sentence: String?
  public var artefactShare: Double
  /// Share of the time; above 1 the intervals cover more than the time, as some sensors report intervals twice.
  public var coverage: Double
  public var gaps: [VitalsRecordDocument.Gap]
  /// Number of intervals in the record; `interval_list` has them only on request.
  public var intervals: Int
  public var intervalList: [VitalsRecordDocument.Interval]?
  /// Number of entries that did not fit into the record; of intervals, the last ones.
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

/// The newest measurements in order of their start. `name`: the wearable or the person. `unreadable`: number of further
/// records that are damaged or of a later program.
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

/// A vital sign in the table of a session. reason: why its kind of sensor does not have it; null if it is enabled.
/// Reasons are needs_intervals, intervals_unproven, needs_rate, needs_oximeter, needs_thermometer, needs_cuff,
/// needs_scale, no_public_definition, proprietary, needs_camera.
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

/// An ordered measurement of vital signs: person, sensor, duration, and possible results.
public struct VitalsSessionDocument: Codable, Sendable, Hashable {
  public var schema = "io.hearth.vitals/1"
  public var id: UInt64
  public var device: String
  /// Null if no person is given, and the wearer is unknown.
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

/// The values at one moment of a measurement.
public struct VitalsMomentDocument: Codable, Sendable, Hashable {
  public var elapsedS: Double
  public var requestedS: Double
  /// Beats per minute; null without any, and while values are hidden.
  public var pulseRate: Double?
  /// Share of artefacts in the intervals of the last 10 s, 0 to 1; null without intervals.
  public var artefactShare: Double?
  /// Signal quality by that share: high, medium, low, withheld; null without intervals.
  public var quality: String?
  /// The signal is too doubtful to show values.
  public var hidden: Bool
  /// Computed again every 5 s; empty in between.
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

/// A condition that began (`on`) or ended, or an error.
/// - code: its number in the session, which is no H code.
/// - next: the next step for a person.
/// - reason: the H code of an error.
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

/// The end of a measurement of vital signs.
public struct VitalsEndDocument: Codable, Sendable, Hashable {
  public var end: Words.VitalsFinish
  /// Code of an error, as in VitalsNotice.
  public var code: Int?
  /// The reason why there are no results.
  public var reason: TroubleDocument?

  public init(end: Words.VitalsFinish, code: Int? = nil, reason: TroubleDocument? = nil) {
    self.end = end
    self.code = code
    self.reason = reason
  }
}

/// An ordered sync: the running one, or the last one. A sync goes on after a restart of the hub.
public struct SyncDocument: Codable, Sendable, Hashable {
  /// Watermark of a series of a wearable: `end` of the newest stored item with a known time; null without one. `refused`:
  /// number of items with a time in the future, since the enrolment.
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

  /// A kind of data in a sync.
  public struct Part: Codable, Sendable, Hashable {
    /// The name of the kind in a sync, such as sleep or recordings.
    public var domain: String
    public var series: [String]
    public var state: Words.SyncProgress
    /// The reason why it failed or is skipped.
    public var reason: TroubleDocument?
    /// Number of items in the range, and of items stored in this sync.
    public var itemsListed: Int
    public var itemsStored: Int
    public var bytes: UInt64
    /// Listed items without a time of measurement, which are fetched for any range.
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
  /// Number of the sync of this wearable, from 1.
  public var number: UInt64
  public var ordered: String
  /// Null while it waits or runs.
  public var ended: String?
  public var since: String?
  public var until: String?
  public var automaticOnly: Bool
  /// The visit that works on it, or did last.
  public var visit: UInt64?
  /// Number of its domains that are finished.
  public var domainsOver: Int
  public var domains: [SyncDocument.Part]
  /// The reason for an end before all domains were finished.
  public var reason: TroubleDocument?
  /// The item in work: its id, bytes so far, bytes in all, and percent of these.
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
  /// An item that a wearable holds or held, and the time of each step on its way into the store.
  public struct Item: Codable, Sendable, Hashable {
    public var id: String
    /// A mark that distinguishes this content from other content at the same place.
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

  /// profile: the profile with these numbers; null if no profile has them. source: observed, asked_by_wearable, assumed.
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
  /// The reason for this profile.
  public var why: String
  /// An operator's lasting choice; null: the hub chooses.
  public var override: String?
  /// Only the hub sets the link; the wearable's characteristic is not written.
  public var central: Bool
  public var requested: LinkDocument.Requested
  public var effective: LinkDocument.Effective?
  /// Value of the wearable's characteristic: its number, and the profile with that number.
  public var reported: Int?
  public var reportedProfile: String?
  /// Time of that reading. The characteristic is read again after each write.
  public var reportedAt: String?
  /// Result of the last write of the characteristic; null without one.
  public var characteristic: String?
  public var reason: TroubleDocument?
  public var mtu: Int?
  /// Encrypted at this moment, whichever side began that; bytes of the key, null if unknown.
  public var secured: Bool
  public var keySize: Int?
  /// The hub has keys of the wearable.
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
  /// The clock of a wearable.
  /// - offset_us: how far it was ahead of the hub's clock; for a clock with local time, of the hub's local time.
  /// - utc_offset_min, zone_offset_min: for a clock with local time, the minutes east of Greenwich that it reported, and
  /// those of the hub's zone.
  /// - trusted: the hub's own clock was trusted at that time.
  /// - doubt: why there is no drift.
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

  /// An adapter of a machine with several. advertisements: number heard since the start.
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
    /// public; random: the adapter has no public address, and the hub gave it this one; null: no address.
    public var addressType: String?
    /// True: makes links only to devices that are bonded to it (radio.listen).
    public var onlyListens: Bool?

    public init(
      name: String, address: String? = nil, bus: String, state: Words.RadioPhase, reason: TroubleDocument? = nil,
      links: Int, slots: Int, slotSource: String, recovering: Bool, advertisements: Int, addressType: String? = nil,
      onlyListens: Bool? = nil
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
      self.onlyListens = onlyListens
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
  /// The reset ladder:
  /// - recovering: whether it is at work.
  /// - rung, last_recovery: the present or last rung, and its time.
  /// - ladder: all rungs, each with the number of its uses since start.
  public var recovering: Bool
  public var rung: String?
  public var lastRecovery: String?
  public var ladder: [RadioDocument.Rung]
  /// Whether actual parameters of links can be read, and whether live links can be changed.
  public var observesLinks: Bool
  public var updatesLiveLinks: Bool
  public var warnings: [TroubleDocument]
  /// The single adapters if several serve as one radio; else null.
  public var adapters: [RadioDocument.Adapter]?
  /// True: attempts leave one of the adapters without any, so that it receives all advertisements (radio.listen).
  public var listensInTurn: Bool?
  public var counters: Counters

  public init(
    state: Words.RadioPhase, adapter: String, address: String? = nil, bus: String, links: Int, slots: Int,
    slotSource: String, scanning: Bool, reason: TroubleDocument? = nil, lastHeard: String? = nil, recovering: Bool,
    rung: String? = nil, lastRecovery: String? = nil, ladder: [RadioDocument.Rung], observesLinks: Bool,
    updatesLiveLinks: Bool, warnings: [TroubleDocument], adapters: [RadioDocument.Adapter]? = nil,
    listensInTurn: Bool? = nil, counters: Counters
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
    self.listensInTurn = listensInTurn
    self.counters = counters
  }
}

/// The slots of each enrolled device if all of them are present for an hour: a simulation with the hub's own rules.
/// Paused devices are left out.
public struct SlotPlanDocument: Codable, Sendable, Hashable {
  public struct Device: Codable, Sendable, Hashable {
    public var device: String
    public var role: Words.SlotRole
    public var present: Bool
    /// For turns, in seconds: the shortest turn, and the longest time without a link within an hour. turn_s null: no turn
    /// ended.
    public var turnS: Int?
    public var gapS: Int?
    /// The wearable advertises its heart rate, which is shown between its turns too.
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
  /// Slots of all adapters that serve.
  public var slots: Int
  /// standard, configured, learned
  public var slotSource: String
  /// Devices that want a link for as long as they are present.
  public var wanting: Int
  /// Further slots with which no device would wait, and the number of adapters with 5 slots for that.
  public var missing: Int
  public var missingAdapters: Int
  /// Adapters that make links only to devices that are bonded to them: their other slots do not count.
  public var listening: [String]?
  /// True: attempts leave one of the adapters without any as long as others have slots.
  public var listensInTurn: Bool?
  public var devices: [SlotPlanDocument.Device]

  public init(
    slots: Int, slotSource: String, wanting: Int, missing: Int, missingAdapters: Int, listening: [String]? = nil,
    listensInTurn: Bool? = nil, devices: [SlotPlanDocument.Device]
  ) {
    self.slots = slots
    self.slotSource = slotSource
    self.wanting = wanting
    self.missing = missing
    self.missingAdapters = missingAdapters
    self.listening = listening
    self.listensInTurn = listensInTurn
    self.devices = devices
  }
}

public struct PairingDocument: Codable, Sendable, Hashable {
  public var schema = "io.hearth.pairing/1"
  public var device: String
  public var address: String
  /// The answer that the pairing needs:
  /// - just_works: yes or no.
  /// - compare: yes if the wearable shows these digits.
  /// - passkey: the six digits that the wearable shows.
  /// - show: type these digits on the wearable.
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

/// usage: the arguments; empty without any.
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

/// A wearable's own report, read from it at that moment.
public struct ReportDocument: Codable, Sendable, Hashable {
  /// A subject with its properties. Names of numeric fields end with the unit.
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

/// The orders for a wearable.
/// - streams: series that it sends live, beside those that it always sends.
/// - rates: samples per second of series; other series follow the link.
/// - secret: there is one, which is never returned.
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

  /// A setting that a wearable keeps by itself, and its order; null: no order.
  /// - values: the possible values; empty for a number.
  /// - lowest, highest, unit: of a number. The unit may be empty.
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

  /// Possible rates of a live series in samples per second, slowest first. Empty: the wearable reports them only over a
  /// link. without_heart_rate: those rates at which the wearable sends no heart rate, whatever else it streams.
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

  /// A part of an order that was left out because the wearable does not have it, and the reason. An order of that part
  /// alone is refused.
  public struct Skipped: Codable, Sendable, Hashable {
    public var what: String
    public var reason: TroubleDocument

    public init(what: String, reason: TroubleDocument) {
      self.what = what
      self.reason = reason
    }
  }

  /// Automatic measurements of vital signs by the hub. `text`: the order. `skipped`, `why`: the last one that was skipped
  /// since the start of the hub, if any.
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

  /// The data that the hub's own visits fetch.
  /// - phases: all phases of a wearable of its kind, in order of fetching.
  /// - left_out: those that the visits leave out.
  /// - ordered: the choice for this wearable: all, or names of phases; null: as configured.
  /// - visit_at: times of day of visits that happen even if the data is fresh.
  /// - own_times: these times were chosen for this wearable.
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
  /// null: it is measured only on request.
  public var measure: OrdersDocument.Measure?
  /// null: the wearable stores no data that visits could fetch.
  public var collection: OrdersDocument.Collection?
  public var wearer: String?
  /// Left-out parts of the order that this document answers; null without any.
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

/// A wearer: a person that wears wearables.
public struct WearerDocument: Codable, Sendable, Hashable {
  public var schema = "io.hearth.wearer/1"
  public var number: UInt32
  public var name: String
  /// The site's own identifier of the person, the same at every hub; null: not entered.
  public var id: String?
  public var entered: String
  /// Time from which wearables can no longer be assigned.
  public var retired: String?
  /// 1971-03-05
  public var born: String?
  /// female, male
  public var sex: String?
  public var heightCm: Int?
  public var weightKg: Int?
  /// Beats per minute.
  public var maximumHeartRate: Int?
  public var restingHeartRate: Int?
  /// ml/kg/min
  public var vo2Max: Int?
  /// occasional, regular, frequent, heavy, semi-pro, pro
  public var trainingBackground: String?
  /// sitting, standing, moving
  public var typicalDay: String?
  public var sleepGoalMinutes: Int?
  /// Wearables forget all body data when no person wears them any more.
  public var takeOff: Bool
  /// The wearables that this person wears now.
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

/// The site's identifier for a name of this hub.
public struct WearerIdDocument: Codable, Sendable, Hashable {
  public var wearer: String
  public var id: String

  public init(wearer: String, id: String) {
    self.wearer = wearer
    self.id = id
  }
}

/// Past, present and future wearers of a wearable, in order of time.
public struct AssignmentsDocument: Codable, Sendable, Hashable {
  /// Holds until `from` of the next one. Without a wearer: on no person.
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

/// Samples of a span of time, before `to`, that belong to another wearer than reported before. Without a wearer: to no
/// person.
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

/// Rows that are missing in an export: rows of a ring with these ordinals, both included. All null: rows of a chunk of
/// the journal, possibly of several rings. `cause`: damaged (the card returned other bytes than were written), or gone
/// (evicted, purged or erased before the reader of this cursor had them).
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

/// The effect of a correction on stored samples, and the export cursors that had some of them and get the correction.
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

/// A mute of a trouble.
/// - device: only for this wearable; null: for the hub and all wearables.
/// - until: by the clock as it is now; null: until it is taken back.
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

/// The data of a full-screen view. The first of a stream is complete. Later ones have the changes: null and unnamed
/// devices mean no change. A status comes at least once a minute.
public struct ViewDocument: Codable, Sendable, Hashable {
  public var schema = "io.hearth.view/1"
  public var status: StatusDocument?
  public var radio: RadioDocument?
  public var lights: LightsDocument?
  /// Devices that changed, and the addresses of all in their order; a device that is missing there is no longer known.
  public var devices: [DeviceDocument]
  public var order: [String]?
  /// The newest 20 of each; of visits the running one first.
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
  /// A key in hexadecimal digits; `kind` as in the store.
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
