// The methods of io.hearth.Hub: what each takes and returns, who may call it, and the client's function for it.
//
// Made by `generate` from io.hearth.Hub.varlink. Do not edit.
// swift-format-ignore-file

public import JSONText
public import Reasons

/// Each method as a type, by its name in the interface.
public enum Methods {
  public enum Status: HubMethod {
    public static let name = "Status"
    public static let role = AccessRole.read
    public static let members: [String] = []

    public struct Parameters: Codable, Sendable, Hashable {
      public init() {
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var status: StatusDocument

      public init(status: StatusDocument) {
        self.status = status
      }
    }
  }

  /// Enrolled wearables by name, then candidates that are heard.
  public enum Devices: HubMethod {
    public static let name = "Devices"
    public static let role = AccessRole.read
    public static let givesMeasurements = true
    public static let members: [String] = []

    public struct Parameters: Codable, Sendable, Hashable {
      public init() {
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var devices: [DeviceDocument]

      public init(devices: [DeviceDocument]) {
        self.devices = devices
      }
    }
  }

  /// By name or address.
  public enum Device: HubMethod {
    public static let name = "Device"
    public static let role = AccessRole.read
    public static let givesMeasurements = true
    public static let members: [String] = ["name"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String

      public init(name: String) {
        self.name = name
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var device: DeviceDocument

      public init(device: DeviceDocument) {
        self.device = device
      }
    }
  }

  /// Pauses a wearable: no link, no visit and no advertised value, except on request. `until`: RFC 3339; null: until it is
  /// resumed. A second call replaces the end of the pause. Durable when this returns.
  public enum Pause: HubMethod {
    public static let name = "Pause"
    public static let role = AccessRole.operate
    public static let members: [String] = ["name", "until"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String
      public var until: String?

      public init(name: String, until: String? = nil) {
        self.name = name
        self.until = until
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var device: DeviceDocument

      public init(device: DeviceDocument) {
        self.device = device
      }
    }
  }

  public enum Resume: HubMethod {
    public static let name = "Resume"
    public static let role = AccessRole.operate
    public static let members: [String] = ["name"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String

      public init(name: String) {
        self.name = name
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var device: DeviceDocument

      public init(device: DeviceDocument) {
        self.device = device
      }
    }
  }

  /// Muted troubles, which neither lights nor the troubles of the hub or of a wearable show.
  public enum Mutes: HubMethod {
    public static let name = "Mutes"
    public static let role = AccessRole.read
    public static let members: [String] = []

    public struct Parameters: Codable, Sendable, Hashable {
      public init() {
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var mutes: [MuteDocument]

      public init(mutes: [MuteDocument]) {
        self.mutes = mutes
      }
    }
  }

  /// `code`: such as H2109. `name`: only for this wearable; null: for the hub and all wearables. `until`: RFC 3339; null:
  /// until it is taken back. Durable when this returns.
  public enum Mute: HubMethod {
    public static let name = "Mute"
    public static let role = AccessRole.operate
    public static let members: [String] = ["code", "name", "until"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var code: String
      public var name: String?
      public var until: String?

      public init(code: String, name: String? = nil, until: String? = nil) {
        self.code = code
        self.name = name
        self.until = until
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var mutes: [MuteDocument]

      public init(mutes: [MuteDocument]) {
        self.mutes = mutes
      }
    }
  }

  public enum Unmute: HubMethod {
    public static let name = "Unmute"
    public static let role = AccessRole.operate
    public static let members: [String] = ["code", "name"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var code: String
      public var name: String?

      public init(code: String, name: String? = nil) {
        self.code = code
        self.name = name
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var mutes: [MuteDocument]

      public init(mutes: [MuteDocument]) {
        self.mutes = mutes
      }
    }
  }

  /// Live values of one wearable or of all, until the client hangs up. Call it with `more`. With `every`, 1 to 3600
  /// seconds, only the newest value of each series is sent once in that time, one per reply. A client that does not read is
  /// disconnected (H6007).
  public enum Live: HubMethod {
    public static let name = "Live"
    public static let role = AccessRole.read
    public static let bounds = [
      Bound("every", range: 1...3600),
    ]
    public static let givesMeasurements = true
    public static let streams = true
    public static let members: [String] = ["name", "every"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String?
      public var every: Int?

      public init(name: String? = nil, every: Int? = nil) {
        self.name = name
        self.every = every
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var sample: JSON

      public init(sample: JSON) {
        self.sample = sample
      }
    }
  }

  /// With `more`: the data of a full-screen view, at each change, at most four times a second, until the client hangs up.
  /// Times of the last advertisement, counters, and changes of store figures by less than a hundredth do not count as
  /// changes. After five seconds without a change an empty view shows that the hub runs. A client that does not read for 30
  /// s is disconnected (H6007). Without `more`: everything, once.
  public enum Watch: HubMethod {
    public static let name = "Watch"
    public static let role = AccessRole.read
    public static let members: [String] = []

    public struct Parameters: Codable, Sendable, Hashable {
      public init() {
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var view: ViewDocument

      public init(view: ViewDocument) {
        self.view = view
      }
    }
  }

  /// 1 to 3600 seconds; null: as configured.
  public enum EnrollOpen: HubMethod {
    public static let name = "EnrollOpen"
    public static let role = AccessRole.operate
    public static let bounds = [
      Bound("seconds", range: 1...3600),
    ]
    public static let members: [String] = ["seconds"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var seconds: Int?

      public init(seconds: Int? = nil) {
        self.seconds = seconds
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var enrolment: EnrolmentDocument

      public init(enrolment: EnrolmentDocument) {
        self.enrolment = enrolment
      }
    }
  }

  public enum EnrollList: HubMethod {
    public static let name = "EnrollList"
    public static let role = AccessRole.read
    public static let members: [String] = []

    public struct Parameters: Codable, Sendable, Hashable {
      public init() {
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var enrolment: EnrolmentDocument

      public init(enrolment: EnrolmentDocument) {
        self.enrolment = enrolment
      }
    }
  }

  /// `which`: letter, address or advertised name. The enrolment is durable when this returns. An enrolled wearable with
  /// unusable keys (H2206, H2207, H2208, H2211) is paired again at its next visit, and keeps everything else. A wearable
  /// with a changing address is paired at once, and enrolled under its identity address. If that fails, the error is H2327,
  /// H2251 or H2211.
  public enum EnrollAccept: HubMethod {
    public static let name = "EnrollAccept"
    public static let role = AccessRole.operate
    public static let members: [String] = ["which", "name"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var which: String
      public var name: String?

      public init(which: String, name: String? = nil) {
        self.which = which
        self.name = name
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var device: DeviceDocument

      public init(device: DeviceDocument) {
        self.device = device
      }
    }
  }

  public enum EnrollClose: HubMethod {
    public static let name = "EnrollClose"
    public static let role = AccessRole.operate
    public static let members: [String] = []

    public struct Parameters: Codable, Sendable, Hashable {
      public init() {
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public init() {
      }
    }
  }

  public enum Rename: HubMethod {
    public static let name = "Rename"
    public static let role = AccessRole.operate
    public static let members: [String] = ["name", "new_name"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String
      public var newName: String

      public init(name: String, newName: String) {
        self.name = name
        self.newName = newName
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var device: DeviceDocument

      public init(device: DeviceDocument) {
        self.device = device
      }
    }
  }

  /// Forgets a wearable, so that the hub never connects to it again; its samples stay. A wearable that is bound to this hub
  /// is unbound first, which takes up to two minutes. If it cannot be reached it is forgotten without that, with H2245 as
  /// `warning`.
  public enum Forget: HubMethod {
    public static let name = "Forget"
    public static let role = AccessRole.administer
    public static let members: [String] = ["name"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String

      public init(name: String) {
        self.name = name
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var warning: TroubleDocument?

      public init(warning: TroubleDocument? = nil) {
        self.warning = warning
      }
    }
  }

  /// Whether items that are safe in the store are erased on the wearable. `choice`: yes, no, ask, or auto (as configured).
  /// Durable when this returns.
  public enum EraseSet: HubMethod {
    public static let name = "EraseSet"
    public static let role = AccessRole.operate
    public static let members: [String] = ["name", "choice"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String
      public var choice: String

      public init(name: String, choice: String) {
        self.name = name
        self.choice = choice
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var device: DeviceDocument

      public init(device: DeviceDocument) {
        self.device = device
      }
    }
  }

  /// Whether advertised values are stored while there is no link. `choice`: on, off, or auto (as configured). Durable when
  /// this returns.
  public enum ListenSet: HubMethod {
    public static let name = "ListenSet"
    public static let role = AccessRole.operate
    public static let members: [String] = ["name", "choice"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String
      public var choice: String

      public init(name: String, choice: String) {
        self.name = name
        self.choice = choice
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var device: DeviceDocument

      public init(device: DeviceDocument) {
        self.device = device
      }
    }
  }

  /// How long a wearable may be away before it counts as missing. `choice`: whole seconds from 300 on, never, or auto (as
  /// configured). Durable when this returns.
  public enum AbsenceSet: HubMethod {
    public static let name = "AbsenceSet"
    public static let role = AccessRole.operate
    public static let members: [String] = ["name", "choice"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String
      public var choice: String

      public init(name: String, choice: String) {
        self.name = name
        self.choice = choice
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var device: DeviceDocument

      public init(device: DeviceDocument) {
        self.device = device
      }
    }
  }

  /// Visits of a wearable or of all: the running one first, then the newest. `limit`: 1 to 1000, null: 20.
  public enum Visits: HubMethod {
    public static let name = "Visits"
    public static let role = AccessRole.read
    public static let bounds = [
      Bound("limit", range: 1...1000),
    ]
    public static let members: [String] = ["name", "limit", "why"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String?
      public var limit: Int?
      public var why: Bool?

      public init(name: String? = nil, limit: Int? = nil, why: Bool? = nil) {
        self.name = name
        self.limit = limit
        self.why = why
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var visits: [VisitDocument]
      public var queue: [QueuedDocument]

      public init(visits: [VisitDocument], queue: [QueuedDocument]) {
        self.visits = visits
        self.queue = queue
      }
    }
  }

  /// Puts a wearable first in the queue. A running visit of it counts as the requested one.
  public enum VisitNow: HubMethod {
    public static let name = "VisitNow"
    public static let role = AccessRole.operate
    public static let members: [String] = ["name"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String

      public init(name: String) {
        self.name = name
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var queued: QueuedDocument

      public init(queued: QueuedDocument) {
        self.queued = queued
      }
    }
  }

  /// The progress of visits of a wearable, at most twice a second and only at changes. Ends when no visit runs and no
  /// requested one waits; the last reply is the result. Left out are visits up to the number `after`, and partial ones,
  /// such as for a sync of one kind of data. Call it with `more`.
  public enum VisitWatch: HubMethod {
    public static let name = "VisitWatch"
    public static let role = AccessRole.read
    public static let bounds = [
      Bound("after", range: 0...Int64.max),
    ]
    public static let streams = true
    public static let members: [String] = ["name", "after"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String
      public var after: UInt64?

      public init(name: String, after: UInt64? = nil) {
        self.name = name
        self.after = after
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var visit: VisitDocument?
      public var queued: QueuedDocument?

      public init(visit: VisitDocument? = nil, queued: QueuedDocument? = nil) {
        self.visit = visit
        self.queued = queued
      }
    }
  }

  /// Orders a sync of a wearable and visits it next. `series`: names of series or of kinds of data; null: everything.
  /// Without a range it continues after the stored data. `automatic_only`: only automatic measurements. Refused while a
  /// sync of it runs (H2143), and if no requested data is available (H2131).
  public enum SyncNow: HubMethod {
    public static let name = "SyncNow"
    public static let role = AccessRole.operate
    public static let bounds = [
      Bound("series", count: 64),
    ]
    public static let members: [String] = ["name", "series", "since", "until", "automatic_only"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String
      public var series: [String]?
      public var since: String?
      public var until: String?
      public var automaticOnly: Bool?

      public init(
        name: String, series: [String]? = nil, since: String? = nil, until: String? = nil, automaticOnly: Bool? = nil
      ) {
        self.name = name
        self.series = series
        self.since = since
        self.until = until
        self.automaticOnly = automaticOnly
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var sync: SyncDocument

      public init(sync: SyncDocument) {
        self.sync = sync
      }
    }
  }

  /// The progress of the sync of a wearable, at most twice a second and only at changes. The last reply is the result.
  /// Null: no sync was ordered. Call it with `more`.
  public enum SyncWatch: HubMethod {
    public static let name = "SyncWatch"
    public static let role = AccessRole.read
    public static let streams = true
    public static let members: [String] = ["name"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String

      public init(name: String) {
        self.name = name
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var sync: SyncDocument?

      public init(sync: SyncDocument? = nil) {
        self.sync = sync
      }
    }
  }

  /// The items that the wearable holds or held. `last`: only items of the last visit.
  public enum Custody: HubMethod {
    public static let name = "Custody"
    public static let role = AccessRole.read
    public static let members: [String] = ["name", "last"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String
      public var last: Bool?

      public init(name: String, last: Bool? = nil) {
        self.name = name
        self.last = last
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var custody: CustodyDocument

      public init(custody: CustodyDocument) {
        self.custody = custody
      }
    }
  }

  public enum Link: HubMethod {
    public static let name = "Link"
    public static let role = AccessRole.read
    public static let members: [String] = ["name"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String

      public init(name: String) {
        self.name = name
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var link: LinkDocument

      public init(link: LinkDocument) {
        self.link = link
      }
    }
  }

  /// Sets a lasting profile. `profile`: foreground, background, idle, or auto (the hub chooses). `central`: only the hub
  /// sets the link; the wearable's characteristic is not written.
  public enum LinkSet: HubMethod {
    public static let name = "LinkSet"
    public static let role = AccessRole.operate
    public static let members: [String] = ["name", "profile", "central"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String
      public var profile: String
      public var central: Bool?

      public init(name: String, profile: String, central: Bool? = nil) {
        self.name = name
        self.profile = profile
        self.central = central
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var link: LinkDocument

      public init(link: LinkDocument) {
        self.link = link
      }
    }
  }

  /// The clock of the hub, and of a wearable or of all.
  public enum Clock: HubMethod {
    public static let name = "Clock"
    public static let role = AccessRole.read
    public static let members: [String] = ["name"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String?

      public init(name: String? = nil) {
        self.name = name
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var clock: ClockDocument

      public init(clock: ClockDocument) {
        self.clock = clock
      }
    }
  }

  public enum Radio: HubMethod {
    public static let name = "Radio"
    public static let role = AccessRole.read
    public static let members: [String] = []

    public struct Parameters: Codable, Sendable, Hashable {
      public init() {
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var radio: RadioDocument

      public init(radio: RadioDocument) {
        self.radio = radio
      }
    }
  }

  /// Which wearables keep a link and which take turns, if all enrolled devices are present.
  public enum RadioPlan: HubMethod {
    public static let name = "RadioPlan"
    public static let role = AccessRole.read
    public static let members: [String] = []

    public struct Parameters: Codable, Sendable, Hashable {
      public init() {
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var plan: SlotPlanDocument

      public init(plan: SlotPlanDocument) {
        self.plan = plan
      }
    }
  }

  /// Runs the radio's reset ladder from its first rung. Links are lost for some seconds.
  public enum RadioRecover: HubMethod {
    public static let name = "RadioRecover"
    public static let role = AccessRole.administer
    public static let members: [String] = []

    public struct Parameters: Codable, Sendable, Hashable {
      public init() {
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public init() {
      }
    }
  }

  /// Pairings that wait for a person.
  public enum Pairings: HubMethod {
    public static let name = "Pairings"
    public static let role = AccessRole.read
    public static let members: [String] = []

    public struct Parameters: Codable, Sendable, Hashable {
      public init() {
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var pairings: [PairingDocument]

      public init(pairings: [PairingDocument]) {
        self.pairings = pairings
      }
    }
  }

  /// `answer`: yes, no, or passkey with `passkey`, 0 to 999999.
  public enum PairAnswer: HubMethod {
    public static let name = "PairAnswer"
    public static let role = AccessRole.operate
    public static let bounds = [
      Bound("passkey", range: 0...999999),
    ]
    public static let members: [String] = ["name", "answer", "passkey"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String
      public var answer: String
      public var passkey: Int?

      public init(name: String, answer: String, passkey: Int? = nil) {
        self.name = name
        self.answer = answer
        self.passkey = passkey
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public init() {
      }
    }
  }

  /// The actions that a wearable offers, and the topics of its `Report`. This and the next two methods wait up to 180 s for
  /// a visit if there is no link.
  public enum Actions: HubMethod {
    public static let name = "Actions"
    public static let role = AccessRole.read
    public static let members: [String] = ["name"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String

      public init(name: String) {
        self.name = name
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var actions: [ActionDocument]
      public var reports: [String]

      public init(actions: [ActionDocument], reports: [String]) {
        self.actions = actions
        self.reports = reports
      }
    }
  }

  /// Runs an action. `arguments`: at most 16 words. `result`: what happened, in one sentence.
  public enum Act: HubMethod {
    public static let name = "Act"
    public static let role = AccessRole.operate
    public static let bounds = [
      Bound("arguments", count: 16),
    ]
    public static let members: [String] = ["name", "action", "arguments"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String
      public var action: String
      public var arguments: [String]?

      public init(name: String, action: String, arguments: [String]? = nil) {
        self.name = name
        self.action = action
        self.arguments = arguments
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var result: String

      public init(result: String) {
        self.result = result
      }
    }
  }

  /// Lets a wearable measure a series now, one at a time. Call it with `more`.
  /// - interval_s: between two values, 1 to 255; null: 1.
  /// - limit_s: duration, 15 to 255; null: 60. With `until_stopped` a person ends it, after an hour at most.
  /// - event: begun; then value for each value with its `sample`, which is stored as a manual one; then end.
  ///
  /// The measurement stops when the client hangs up. Refused during another measurement (H2139), and for series that the
  /// wearable does not measure on order (H2131, which lists those that it does).
  public enum Measure: HubMethod {
    public static let name = "Measure"
    public static let role = AccessRole.operate
    public static let bounds = [
      Bound("interval_s", range: 1...255),
      Bound("limit_s", range: 15...255),
    ]
    public static let givesMeasurements = true
    public static let streams = true
    public static let members: [String] = ["name", "series", "interval_s", "limit_s", "until_stopped"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String
      public var series: String
      public var intervalS: Int?
      public var limitS: Int?
      public var untilStopped: Bool?

      public init(name: String, series: String, intervalS: Int? = nil, limitS: Int? = nil, untilStopped: Bool? = nil) {
        self.name = name
        self.series = series
        self.intervalS = intervalS
        self.limitS = limitS
        self.untilStopped = untilStopped
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var event: String
      public var sample: JSON?
      public var measurement: MeasurementDocument

      public init(event: String, sample: JSON? = nil, measurement: MeasurementDocument) {
        self.event = event
        self.sample = sample
        self.measurement = measurement
      }
    }
  }

  /// Stops the measurement of `Measure`. The client of that call gets the end. Succeeds without a measurement too.
  public enum MeasureStop: HubMethod {
    public static let name = "MeasureStop"
    public static let role = AccessRole.operate
    public static let members: [String] = ["name"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String

      public init(name: String) {
        self.name = name
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public init() {
      }
    }
  }

  /// Measures vital signs from the data that a wearable sends: pulse, variability, breathing and the others that its kind
  /// of sensor has. Call it with `more`.
  /// - seconds: 20 to 180; null: 60.
  /// - person: name or number of the measured person; null: the present wearer.
  /// - stays: the session returns to ready after a measurement. `MeasureVitalsStart` begins further ones.
  /// `MeasureVitalsTerminate` ends the session, and so does the end of the connection. `end` is then the end of its last
  /// measurement.
  ///
  /// `event` is one of:
  /// - opened with `session`, first of all,
  /// - state with `state`,
  /// - values with `values`, each second during the measurement,
  /// - warning and error with `notice`,
  /// - results with `record`, once, when the record is stored,
  /// - end with `end`, the last.
  ///
  /// Members that an event does not have are null. If there is no link or no stream, the hub makes it first. The session
  /// ends without results when the client hangs up. That holds after a lost sensor too: in `initializing` the hub waits for
  /// the sensor, but does not measure again. Refused while the wearable or the person is measured (H2139). Also refused if
  /// the wearable sends no data for vital signs (H2131, which says what can be done instead).
  public enum MeasureVitals: HubMethod {
    public static let name = "MeasureVitals"
    public static let role = AccessRole.operate
    public static let bounds = [
      Bound("seconds", range: 20...180),
    ]
    public static let givesMeasurements = true
    public static let streams = true
    public static let members: [String] = ["name", "seconds", "person", "stays"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String
      public var seconds: Int?
      public var person: String?
      public var stays: Bool?

      public init(name: String, seconds: Int? = nil, person: String? = nil, stays: Bool? = nil) {
        self.name = name
        self.seconds = seconds
        self.person = person
        self.stays = stays
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var event: String
      public var session: VitalsSessionDocument?
      public var state: VitalsStateDocument?
      public var values: VitalsMomentDocument?
      public var notice: VitalsNoticeDocument?
      public var record: VitalsRecordDocument?
      public var end: VitalsEndDocument?

      public init(
        event: String, session: VitalsSessionDocument? = nil, state: VitalsStateDocument? = nil,
        values: VitalsMomentDocument? = nil, notice: VitalsNoticeDocument? = nil, record: VitalsRecordDocument? = nil,
        end: VitalsEndDocument? = nil
      ) {
        self.event = event
        self.session = session
        self.state = state
        self.values = values
        self.notice = notice
        self.record = record
        self.end = end
      }
    }
  }

  /// Begins another measurement in a session that stays and is ready. The client of `MeasureVitals` gets its events.
  /// `seconds`: 20 to 180, null: 60. H2139 in any other state.
  public enum MeasureVitalsStart: HubMethod {
    public static let name = "MeasureVitalsStart"
    public static let role = AccessRole.operate
    public static let bounds = [
      Bound("seconds", range: 20...180),
    ]
    public static let members: [String] = ["name", "seconds"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String
      public var seconds: Int?

      public init(name: String, seconds: Int? = nil) {
        self.name = name
        self.seconds = seconds
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public init() {
      }
    }
  }

  /// Ends the measurement of `MeasureVitals` early and keeps its results. H2139 without a measurement.
  public enum MeasureVitalsStop: HubMethod {
    public static let name = "MeasureVitalsStop"
    public static let role = AccessRole.operate
    public static let members: [String] = ["name"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String

      public init(name: String) {
        self.name = name
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public init() {
      }
    }
  }

  /// Ends a session in any state. A running measurement has no results. Succeeds without a session too.
  public enum MeasureVitalsTerminate: HubMethod {
    public static let name = "MeasureVitalsTerminate"
    public static let role = AccessRole.operate
    public static let members: [String] = ["name"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String

      public init(name: String) {
        self.name = name
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public init() {
      }
    }
  }

  public enum Report: HubMethod {
    public static let name = "Report"
    public static let role = AccessRole.read
    public static let givesMeasurements = true
    public static let members: [String] = ["name", "topic"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String
      public var topic: String

      public init(name: String, topic: String) {
        self.name = name
        self.topic = topic
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var report: ReportDocument

      public init(report: ReportDocument) {
        self.report = report
      }
    }
  }

  public enum Orders: HubMethod {
    public static let name = "Orders"
    public static let role = AccessRole.read
    public static let members: [String] = ["name"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String

      public init(name: String) {
        self.name = name
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var orders: OrdersDocument

      public init(orders: OrdersDocument) {
        self.orders = orders
      }
    }
  }

  /// Sets orders. Null: no change. The value `none` takes an order back, but not in streams and rates. Durable when this
  /// returns, and sent to a wearable at once if it has a link.
  /// - streams, rates: series that the wearable does not have are `skipped`. If it has only such series, the order is
  /// refused (H2131).
  /// - rates: all wanted ones, from `rate_choices`.
  /// - settings: those that change, by name.
  /// - measure: when the hub measures vital signs by itself, such as every=4h seconds=60 between=07:00-22:00.
  /// - phases: what the hub's own visits fetch: all, or names of phases or series. Taken back: as configured. A phase that
  /// the wearable does not have is refused (H2131).
  /// - visit_at: times of day for visits, such as 07:00, even if the data is fresh; or never. Taken back: as configured.
  public enum OrdersSet: HubMethod {
    public static let name = "OrdersSet"
    public static let role = AccessRole.operate
    public static let bounds = [
      Bound("streams", count: 255),
      Bound("rates", range: 1...100000, count: 255),
      Bound("switched_off", count: 16),
      Bound("settings", count: 16),
      Bound("phases", count: 16),
      Bound("visit_at", count: 16),
    ]
    public static let members: [String] = ["name", "streams", "rates", "switched_off", "settings", "measure", "phases", "visit_at"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String
      public var streams: [String]?
      public var rates: OrderedMap<Int>?
      public var switchedOff: [String]?
      public var settings: Texts?
      public var measure: String?
      public var phases: [String]?
      public var visitAt: [String]?

      public init(
        name: String, streams: [String]? = nil, rates: OrderedMap<Int>? = nil, switchedOff: [String]? = nil,
        settings: Texts? = nil, measure: String? = nil, phases: [String]? = nil, visitAt: [String]? = nil
      ) {
        self.name = name
        self.streams = streams
        self.rates = rates
        self.switchedOff = switchedOff
        self.settings = settings
        self.measure = measure
        self.phases = phases
        self.visitAt = visitAt
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var orders: OrdersDocument

      public init(orders: OrdersDocument) {
        self.orders = orders
      }
    }
  }

  /// Limits and alerts of a wearable, or of all enrolled ones by name.
  public enum Alerts: HubMethod {
    public static let name = "Alerts"
    public static let role = AccessRole.read
    public static let givesMeasurements = true
    public static let members: [String] = ["name"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String?

      public init(name: String? = nil) {
        self.name = name
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var alerts: [AlertsDocument]

      public init(alerts: [AlertsDocument]) {
        self.alerts = alerts
      }
    }
  }

  /// Null: no change. `limits`: those that change, by kind: a number as text, such as 120 or 38.5, or none. `exercise`:
  /// auto, on, off. Durable when this returns.
  public enum AlertsSet: HubMethod {
    public static let name = "AlertsSet"
    public static let role = AccessRole.operate
    public static let bounds = [
      Bound("limits", count: 7),
    ]
    public static let members: [String] = ["name", "limits", "exercise"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String
      public var limits: Texts?
      public var exercise: String?

      public init(name: String, limits: Texts? = nil, exercise: String? = nil) {
        self.name = name
        self.limits = limits
        self.exercise = exercise
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var alerts: AlertsDocument

      public init(alerts: AlertsDocument) {
        self.alerts = alerts
      }
    }
  }

  /// Acknowledges all alerts of a wearable. Durable when this returns.
  public enum AlertsAcknowledge: HubMethod {
    public static let name = "AlertsAcknowledge"
    public static let role = AccessRole.operate
    public static let members: [String] = ["name"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String

      public init(name: String) {
        self.name = name
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var alerts: AlertsDocument

      public init(alerts: AlertsDocument) {
        self.alerts = alerts
      }
    }
  }

  /// Begins or ends a training of a strap without trainings of its own (else H2131). The training is stored as a
  /// `training`, durable when the end is answered. A detected training can be ended too. H2139: an ordered one is already
  /// under way, or no training can be ended.
  public enum TrainingBegin: HubMethod {
    public static let name = "TrainingBegin"
    public static let role = AccessRole.operate
    public static let members: [String] = ["name"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String

      public init(name: String) {
        self.name = name
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var training: TrainingDocument

      public init(training: TrainingDocument) {
        self.training = training
      }
    }
  }

  public enum TrainingEnd: HubMethod {
    public static let name = "TrainingEnd"
    public static let role = AccessRole.operate
    public static let givesMeasurements = true
    public static let members: [String] = ["name"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String

      public init(name: String) {
        self.name = name
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var training: TrainingDocument

      public init(training: TrainingDocument) {
        self.training = training
      }
    }
  }

  /// Monitoring as the hub knows it. `now`: read from the wearable first, as `Report` does.
  public enum Monitoring: HubMethod {
    public static let name = "Monitoring"
    public static let role = AccessRole.read
    public static let members: [String] = ["name", "now"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String
      public var now: Bool?

      public init(name: String, now: Bool? = nil) {
        self.name = name
        self.now = now
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var monitoring: JSON

      public init(monitoring: JSON) {
        self.monitoring = monitoring
      }
    }
  }

  /// Orders how a wearable measures a series by itself. Null: no change. Durable when this returns, and sent to a wearable
  /// at once if it has a link.
  /// - begin, end: only together.
  /// - limits: those that change, by kind, as in AlertsSet.
  /// - forget: words of `can` for which the order is taken back. Values that this hub changed are then as before.
  ///
  /// An order that the wearable cannot take is refused (H2131).
  public enum MonitoringSet: HubMethod {
    public static let name = "MonitoringSet"
    public static let role = AccessRole.operate
    public static let bounds = [
      Bound("interval_s", range: 1...86400),
      Bound("limits", count: 4),
      Bound("maximum_heart_rate", range: 100...220),
      Bound("forget", count: 6),
    ]
    public static let members: [String] = ["name", "series", "on", "begin", "end", "interval_s", "limits", "maximum_heart_rate", "forget"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String
      public var series: String
      public var on: Bool?
      public var begin: String?
      public var end: String?
      public var intervalS: Int?
      public var limits: Texts?
      public var maximumHeartRate: Int?
      public var forget: [String]?

      public init(
        name: String, series: String, on: Bool? = nil, begin: String? = nil, end: String? = nil, intervalS: Int? = nil,
        limits: Texts? = nil, maximumHeartRate: Int? = nil, forget: [String]? = nil
      ) {
        self.name = name
        self.series = series
        self.on = on
        self.begin = begin
        self.end = end
        self.intervalS = intervalS
        self.limits = limits
        self.maximumHeartRate = maximumHeartRate
        self.forget = forget
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var monitoring: JSON

      public init(monitoring: JSON) {
        self.monitoring = monitoring
      }
    }
  }

  /// The key of encrypted recordings: 32 hexadecimal digits, or one that the hub generates. Null and false: no encryption
  /// from now on.
  public enum SecretSet: HubMethod {
    public static let name = "SecretSet"
    public static let role = AccessRole.administer
    public static let members: [String] = ["name", "secret", "generate"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String
      public var secret: String?
      public var generate: Bool?

      public init(name: String, secret: String? = nil, generate: Bool? = nil) {
        self.name = name
        self.secret = secret
        self.generate = generate
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var orders: OrdersDocument

      public init(orders: OrdersDocument) {
        self.orders = orders
      }
    }
  }

  /// All persons, including retired ones. Parameters accept the name or the number of a wearer.
  public enum Wearers: HubMethod {
    public static let name = "Wearers"
    public static let role = AccessRole.read
    public static let givesMeasurements = true
    public static let members: [String] = []

    public struct Parameters: Codable, Sendable, Hashable {
      public init() {
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var wearers: [WearerDocument]

      public init(wearers: [WearerDocument]) {
        self.wearers = wearers
      }
    }
  }

  public enum WearerAdd: HubMethod {
    public static let name = "WearerAdd"
    public static let role = AccessRole.operate
    public static let members: [String] = ["name"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String

      public init(name: String) {
        self.name = name
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var wearer: WearerDocument

      public init(wearer: WearerDocument) {
        self.wearer = wearer
      }
    }
  }

  public enum WearerRename: HubMethod {
    public static let name = "WearerRename"
    public static let role = AccessRole.operate
    public static let members: [String] = ["wearer", "new_name"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var wearer: String
      public var newName: String

      public init(wearer: String, newName: String) {
        self.wearer = wearer
        self.newName = newName
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var wearer: WearerDocument

      public init(wearer: WearerDocument) {
        self.wearer = wearer
      }
    }
  }

  /// The site's own identifier of the person, 1 to 64 bytes of plain text. Hubs with the same identifier treat the person
  /// as one. Null: remove it.
  public enum WearerSet: HubMethod {
    public static let name = "WearerSet"
    public static let role = AccessRole.operate
    public static let members: [String] = ["wearer", "id"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var wearer: String
      public var id: String?

      public init(wearer: String, id: String? = nil) {
        self.wearer = wearer
        self.id = id
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var wearer: WearerDocument

      public init(wearer: WearerDocument) {
        self.wearer = wearer
      }
    }
  }

  /// Names with an identifier of the site, each once. Of equal names the one of a person that is not retired.
  public enum WearerIds: HubMethod {
    public static let name = "WearerIds"
    public static let role = AccessRole.read
    public static let members: [String] = []

    public struct Parameters: Codable, Sendable, Hashable {
      public init() {
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var ids: [WearerIdDocument]

      public init(ids: [WearerIdDocument]) {
        self.ids = ids
      }
    }
  }

  /// Wearables can no longer be assigned to the wearer; past assignments stay.
  public enum WearerRetire: HubMethod {
    public static let name = "WearerRetire"
    public static let role = AccessRole.operate
    public static let members: [String] = ["wearer"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var wearer: String

      public init(wearer: String) {
        self.wearer = wearer
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var wearer: WearerDocument

      public init(wearer: WearerDocument) {
        self.wearer = wearer
      }
    }
  }

  /// The data that erasing a person would delete.
  public enum WearerErasePlan: HubMethod {
    public static let name = "WearerErasePlan"
    public static let role = AccessRole.administer
    public static let members: [String] = ["wearer"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var wearer: String

      public init(wearer: String) {
        self.wearer = wearer
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var erasure: ErasureDocument

      public init(erasure: ErasureDocument) {
        self.erasure = erasure
      }
    }
  }

  /// Deletes a person with all their samples, if their number is `losing`. Returns when all is deleted.
  public enum WearerErase: HubMethod {
    public static let name = "WearerErase"
    public static let role = AccessRole.administer
    public static let bounds = [
      Bound("losing", range: 0...Int64.max),
    ]
    public static let members: [String] = ["wearer", "losing"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var wearer: String
      public var losing: UInt64

      public init(wearer: String, losing: UInt64) {
        self.wearer = wearer
        self.losing = losing
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var erasure: ErasureDocument

      public init(erasure: ErasureDocument) {
        self.erasure = erasure
      }
    }
  }

  /// The log of reads of measured values, newest first. `of`: a wearer or a wearable. `limit`: 1 to 1000, null: 100.
  public enum Accesses: HubMethod {
    public static let name = "Accesses"
    public static let role = AccessRole.administer
    public static let bounds = [
      Bound("limit", range: 1...1000),
    ]
    public static let members: [String] = ["of", "since", "until", "limit"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var of: String?
      public var since: String?
      public var until: String?
      public var limit: Int?

      public init(of: String? = nil, since: String? = nil, until: String? = nil, limit: Int? = nil) {
        self.of = of
        self.since = since
        self.until = until
        self.limit = limit
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var accesses: [AccessDocument]

      public init(accesses: [AccessDocument]) {
        self.accesses = accesses
      }
    }
  }

  /// Null: no change. `forget`: parameters of this method by name, as if they had never been entered. A wearable on this
  /// wearer keeps what it has. `take_off`: a wearable forgets the body when no person wears it any more. A wearable on
  /// another wearer gets the known values of that one. The rest is as before the hub changed it, or the vendor's default.
  public enum WearerBody: HubMethod {
    public static let name = "WearerBody"
    public static let role = AccessRole.operate
    public static let bounds = [
      Bound("height_cm", range: 90...240),
      Bound("weight_kg", range: 15...300),
      Bound("maximum_heart_rate", range: 100...240),
      Bound("resting_heart_rate", range: 20...120),
      Bound("vo2_max", range: 10...95),
      Bound("sleep_goal_minutes", range: 300...660),
      Bound("forget", count: 10),
    ]
    public static let members: [String] = ["wearer", "born", "sex", "height_cm", "weight_kg", "maximum_heart_rate", "resting_heart_rate", "vo2_max", "training_background", "typical_day", "sleep_goal_minutes", "take_off", "forget"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var wearer: String
      public var born: String?
      public var sex: String?
      public var heightCm: Int?
      public var weightKg: Int?
      public var maximumHeartRate: Int?
      public var restingHeartRate: Int?
      public var vo2Max: Int?
      public var trainingBackground: String?
      public var typicalDay: String?
      public var sleepGoalMinutes: Int?
      public var takeOff: Bool?
      public var forget: [String]?

      public init(
        wearer: String, born: String? = nil, sex: String? = nil, heightCm: Int? = nil, weightKg: Int? = nil,
        maximumHeartRate: Int? = nil, restingHeartRate: Int? = nil, vo2Max: Int? = nil,
        trainingBackground: String? = nil, typicalDay: String? = nil, sleepGoalMinutes: Int? = nil,
        takeOff: Bool? = nil, forget: [String]? = nil
      ) {
        self.wearer = wearer
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
        self.forget = forget
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var wearer: WearerDocument

      public init(wearer: WearerDocument) {
        self.wearer = wearer
      }
    }
  }

  public enum Assignments: HubMethod {
    public static let name = "Assignments"
    public static let role = AccessRole.read
    public static let members: [String] = ["name"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String

      public init(name: String) {
        self.name = name
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var assignments: AssignmentsDocument

      public init(assignments: AssignmentsDocument) {
        self.assignments = assignments
      }
    }
  }

  /// Assigns a wearable. `wearer` null: to no person. `from` null: now; a time may lie in the past or in the future. The
  /// assignment holds until the next one.
  public enum Assign: HubMethod {
    public static let name = "Assign"
    public static let role = AccessRole.operate
    public static let members: [String] = ["name", "wearer", "from"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String
      public var wearer: String?
      public var from: String?

      public init(name: String, wearer: String? = nil, from: String? = nil) {
        self.name = name
        self.wearer = wearer
        self.from = from
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var assignments: AssignmentsDocument

      public init(assignments: AssignmentsDocument) {
        self.assignments = assignments
      }
    }
  }

  /// Corrects the assignment that begins at `begin`, to the second: its begin (`from`), its wearer, or with `nobody` that
  /// there is no wearer. Null: no change. `dry`: only returns the effect.
  public enum AssignmentCorrect: HubMethod {
    public static let name = "AssignmentCorrect"
    public static let role = AccessRole.operate
    public static let members: [String] = ["name", "begin", "from", "wearer", "nobody", "dry"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String
      public var begin: String
      public var from: String?
      public var wearer: String?
      public var nobody: Bool?
      public var dry: Bool?

      public init(
        name: String, begin: String, from: String? = nil, wearer: String? = nil, nobody: Bool? = nil, dry: Bool? = nil
      ) {
        self.name = name
        self.begin = begin
        self.from = from
        self.wearer = wearer
        self.nobody = nobody
        self.dry = dry
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var correction: CorrectionsDocument

      public init(correction: CorrectionsDocument) {
        self.correction = correction
      }
    }
  }

  /// Deletes an assignment, as if it had never been entered: its samples belong to the assignment before it.
  public enum AssignmentDelete: HubMethod {
    public static let name = "AssignmentDelete"
    public static let role = AccessRole.operate
    public static let members: [String] = ["name", "begin", "dry"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String
      public var begin: String
      public var dry: Bool?

      public init(name: String, begin: String, dry: Bool? = nil) {
        self.name = name
        self.begin = begin
        self.dry = dry
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var correction: CorrectionsDocument

      public init(correction: CorrectionsDocument) {
        self.correction = correction
      }
    }
  }

  public enum Store: HubMethod {
    public static let name = "Store"
    public static let role = AccessRole.read
    public static let members: [String] = []

    public struct Parameters: Codable, Sendable, Hashable {
      public init() {
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var store: StoreDocument

      public init(store: StoreDocument) {
        self.store = store
      }
    }
  }

  /// The newest samples of a series of the wearable's present enrolment. `count`: 1 to 1000, null: 60.
  public enum StorePeek: HubMethod {
    public static let name = "StorePeek"
    public static let role = AccessRole.read
    public static let bounds = [
      Bound("count", range: 1...1000),
    ]
    public static let givesMeasurements = true
    public static let members: [String] = ["name", "series", "count"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String
      public var series: String
      public var count: Int?

      public init(name: String, series: String, count: Int? = nil) {
        self.name = name
        self.series = series
        self.count = count
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var peek: PeekDocument

      public init(peek: PeekDocument) {
        self.peek = peek
      }
    }
  }

  /// Reads and checks all stored data: seconds to minutes. With `more`, earlier replies report the progress at most once a
  /// second.
  public enum StoreVerify: HubMethod {
    public static let name = "StoreVerify"
    public static let role = AccessRole.read
    public static let members: [String] = []

    public struct Parameters: Codable, Sendable, Hashable {
      public init() {
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var verify: VerifyDocument?
      public var percent: Int

      public init(verify: VerifyDocument? = nil, percent: Int) {
        self.verify = verify
        self.percent = percent
      }
    }
  }

  /// The samples that a purge would delete: whole chunks with only samples from before `before`. Null: any wearable, series
  /// or time.
  public enum StorePurgePlan: HubMethod {
    public static let name = "StorePurgePlan"
    public static let role = AccessRole.read
    public static let members: [String] = ["name", "series", "before"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String?
      public var series: String?
      public var before: String?

      public init(name: String? = nil, series: String? = nil, before: String? = nil) {
        self.name = name
        self.series = series
        self.before = before
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var purge: PurgeDocument

      public init(purge: PurgeDocument) {
        self.purge = purge
      }
    }
  }

  /// Deletes these samples. `losing` is their number by the plan; H4103 if it has changed.
  public enum StorePurge: HubMethod {
    public static let name = "StorePurge"
    public static let role = AccessRole.administer
    public static let bounds = [
      Bound("losing", range: 0...Int64.max),
    ]
    public static let members: [String] = ["name", "series", "before", "losing"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String?
      public var series: String?
      public var before: String?
      public var losing: UInt64

      public init(name: String? = nil, series: String? = nil, before: String? = nil, losing: UInt64) {
        self.name = name
        self.series = series
        self.before = before
        self.losing = losing
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var purge: PurgeDocument

      public init(purge: PurgeDocument) {
        self.purge = purge
      }
    }
  }

  /// Deletes an export cursor. Its reader's next export begins with the oldest sample. H6005: no cursor has this name.
  public enum StoreForgetCursor: HubMethod {
    public static let name = "StoreForgetCursor"
    public static let role = AccessRole.administer
    public static let members: [String] = ["cursor"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var cursor: String

      public init(cursor: String) {
        self.cursor = cursor
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var reader: StoreDocument.Reader

      public init(reader: StoreDocument.Reader) {
        self.reader = reader
      }
    }
  }

  /// Measured values of a series, page by page.
  /// - name: a wearable, or else a wearer with all wearables of that person.
  /// - kind: normal, maximum, minimum, resting. manual: true manual, false automatic. Null: all.
  /// - since is included, until is not.
  /// - after: `next` of the page before.
  /// - limit: 1 to 1000, null: 1000.
  public enum Items: HubMethod {
    public static let name = "Items"
    public static let role = AccessRole.read
    public static let bounds = [
      Bound("limit", range: 1...1000),
    ]
    public static let givesMeasurements = true
    public static let members: [String] = ["name", "series", "since", "until", "kind", "manual", "after", "limit"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String
      public var series: String
      public var since: String?
      public var until: String?
      public var kind: String?
      public var manual: Bool?
      public var after: String?
      public var limit: Int?

      public init(
        name: String, series: String, since: String? = nil, until: String? = nil, kind: String? = nil,
        manual: Bool? = nil, after: String? = nil, limit: Int? = nil
      ) {
        self.name = name
        self.series = series
        self.since = since
        self.until = until
        self.kind = kind
        self.manual = manual
        self.after = after
        self.limit = limit
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var items: ItemsDocument

      public init(items: ItemsDocument) {
        self.items = items
      }
    }
  }

  /// The newest measurements of vital signs. `name`: a wearable, or else a wearer with all wearables that measured that
  /// person. `limit`: 1 to 200, null: 20; with `intervals` to 50.
  public enum Measurements: HubMethod {
    public static let name = "Measurements"
    public static let role = AccessRole.read
    public static let bounds = [
      Bound("limit", range: 1...200),
    ]
    public static let givesMeasurements = true
    public static let members: [String] = ["name", "limit", "intervals"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String
      public var limit: Int?
      public var intervals: Bool?

      public init(name: String, limit: Int? = nil, intervals: Bool? = nil) {
        self.name = name
        self.limit = limit
        self.intervals = intervals
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var measurements: VitalsRecordsDocument

      public init(measurements: VitalsRecordsDocument) {
        self.measurements = measurements
      }
    }
  }

  /// A day with its lists. `name`: a wearable, or else a wearer. `date`: any time of that day; null: today.
  public enum Daily: HubMethod {
    public static let name = "Daily"
    public static let role = AccessRole.read
    public static let givesMeasurements = true
    public static let members: [String] = ["name", "date", "series"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String
      public var date: String?
      public var series: String?

      public init(name: String, date: String? = nil, series: String? = nil) {
        self.name = name
        self.date = date
        self.series = series
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var daily: DailyDocument

      public init(daily: DailyDocument) {
        self.daily = daily
      }
    }
  }

  /// The local days of a wearable. Each day with a part in the range is complete, from its 00:00 to its end. `name` can be
  /// a wearer, by name or number, unless a wearable has that name. The days then cover all wearables of that person, while
  /// the person wore them. `others` are the second and further wearables.
  public enum Days: HubMethod {
    public static let name = "Days"
    public static let role = AccessRole.read
    public static let givesMeasurements = true
    public static let members: [String] = ["name", "series", "since", "until"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String
      public var series: String?
      public var since: String?
      public var until: String?

      public init(name: String, series: String? = nil, since: String? = nil, until: String? = nil) {
        self.name = name
        self.series = series
        self.since = since
        self.until = until
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var days: DaysDocument
      public var others: [DaysDocument]?

      public init(days: DaysDocument, others: [DaysDocument]? = nil) {
        self.days = days
        self.others = others
      }
    }
  }

  /// The coverage of a wearable's series in a span of time, with reasons for gaps if the hub knows them. Without a series:
  /// all series with samples in the span or within seven days before it. `until` null: now. `since` null: 24 hours before.
  /// At most 400 days. `name` can be a wearer, as for `Days`. The answer then has each wearable that the person wore in the
  /// span, for the times in which the person wore it. `others` are the second and further wearables.
  public enum Coverage: HubMethod {
    public static let name = "Coverage"
    public static let role = AccessRole.read
    public static let members: [String] = ["name", "series", "since", "until"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String
      public var series: String?
      public var since: String?
      public var until: String?

      public init(name: String, series: String? = nil, since: String? = nil, until: String? = nil) {
        self.name = name
        self.series = series
        self.since = since
        self.until = until
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var coverage: CoverageDocument
      public var others: [CoverageDocument]?

      public init(coverage: CoverageDocument, others: [CoverageDocument]? = nil) {
        self.coverage = coverage
        self.others = others
      }
    }
  }

  /// Events, newest first; with a name or an address, those of that wearable. `limit`: 1 to 1000, null: 50. `code`: one
  /// (H2102) or a block (H21xx, H21). `since` is included, `until` is not. The whole stored log is searched for up to
  /// `limit` events.
  public enum Events: HubMethod {
    public static let name = "Events"
    public static let role = AccessRole.read
    public static let bounds = [
      Bound("limit", range: 1...1000),
    ]
    public static let members: [String] = ["limit", "name", "code", "since", "until"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var limit: Int?
      public var name: String?
      public var code: String?
      public var since: String?
      public var until: String?

      public init(
        limit: Int? = nil, name: String? = nil, code: String? = nil, since: String? = nil, until: String? = nil
      ) {
        self.limit = limit
        self.name = name
        self.code = code
        self.since = since
        self.until = until
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var events: [EventDocument]

      public init(events: [EventDocument]) {
        self.events = events
      }
    }
  }

  /// Durable samples: ring by ring, each in order of arrival, then samples that are not in a ring yet. Call it with `more`:
  /// each reply is one page, and the next is made when this one was read.
  /// - since is included, until is not.
  /// - cursor: only what its reader has not confirmed; not with times or a person.
  /// - devices, all_series: further ones of each.
  /// - person: a name or a number: samples of that person, of all wearables.
  /// - ordinals: samples have their places (`enrolment`, `way`, `ordinal`), and the reply has the identity of the `store`,
  /// else null. `parts` is there if a sample takes several places: this one and those directly before it.
  /// - brief, only with ordinals: a sample may have `like`, the position (from 0) of an earlier sample in its reply with
  /// the same other members. Then it has only `after`, microseconds from that one's `time`, `value`, `ordinal` and, if
  /// needed, `end` and `parts`.
  /// - gaps: rows that are missing on this page; null: no row.
  public enum Export: HubMethod {
    public static let name = "Export"
    public static let role = AccessRole.read
    public static let givesMeasurements = true
    public static let streams = true
    public static let members: [String] = ["device", "series", "since", "until", "cursor", "ordinals", "brief", "devices", "all_series", "person"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var device: String?
      public var series: String?
      public var since: String?
      public var until: String?
      public var cursor: String?
      public var ordinals: Bool?
      public var brief: Bool?
      public var devices: [String]?
      public var allSeries: [String]?
      public var person: String?

      public init(
        device: String? = nil, series: String? = nil, since: String? = nil, until: String? = nil, cursor: String? = nil,
        ordinals: Bool? = nil, brief: Bool? = nil, devices: [String]? = nil, allSeries: [String]? = nil,
        person: String? = nil
      ) {
        self.device = device
        self.series = series
        self.since = since
        self.until = until
        self.cursor = cursor
        self.ordinals = ordinals
        self.brief = brief
        self.devices = devices
        self.allSeries = allSeries
        self.person = person
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var samples: [JSON]
      public var corruptChunks: Int
      public var store: String?
      public var corrections: [CorrectionDocument]?
      public var correctionsMissed: Int?
      public var retimed: [JSON]?
      public var gaps: [MissingRowsDocument]?

      public init(
        samples: [JSON], corruptChunks: Int, store: String? = nil, corrections: [CorrectionDocument]? = nil,
        correctionsMissed: Int? = nil, retimed: [JSON]? = nil, gaps: [MissingRowsDocument]? = nil
      ) {
        self.samples = samples
        self.corruptChunks = corruptChunks
        self.store = store
        self.corrections = corrections
        self.correctionsMissed = correctionsMissed
        self.retimed = retimed
        self.gaps = gaps
      }
    }
  }

  /// A page of rows that the reader of this cursor has not confirmed; call it again for the next page.
  /// - The first call of a connection begins after the confirmed rows. Another cursor, device or series begins again.
  /// - confirm: the reader has safely stored all earlier pages of this connection. That is durable when this returns. After
  /// the last page, a call with `confirm` confirms it and returns no rows; a call without it begins again.
  /// - by: name of the caller, for people.
  /// - corrections, before the samples of the first page: rows that this reader confirmed before and that now belong to
  /// another wearer. Confirmed with the page. corrections_missed: number of earlier ones that are no longer stored.
  /// - retimed, with any page: rows that this reader confirmed with the time of a wrong clock, now corrected. Each replaces
  /// the row of its ring with its ordinal, or of its wearable and series with the time `was`. Confirmed after all of them
  /// were returned.
  /// - limit: rows of a page, 1 to 512, null: 512.
  /// - ordinals, brief, gaps: as in Export.
  public enum ExportNext: HubMethod {
    public static let name = "ExportNext"
    public static let role = AccessRole.read
    public static let bounds = [
      Bound("limit", range: 1...512),
    ]
    public static let givesMeasurements = true
    public static let members: [String] = ["cursor", "device", "series", "confirm", "by", "limit", "ordinals", "brief", "devices", "all_series"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var cursor: String
      public var device: String?
      public var series: String?
      public var confirm: Bool?
      public var by: String?
      public var limit: Int?
      public var ordinals: Bool?
      public var brief: Bool?
      public var devices: [String]?
      public var allSeries: [String]?

      public init(
        cursor: String, device: String? = nil, series: String? = nil, confirm: Bool? = nil, by: String? = nil,
        limit: Int? = nil, ordinals: Bool? = nil, brief: Bool? = nil, devices: [String]? = nil,
        allSeries: [String]? = nil
      ) {
        self.cursor = cursor
        self.device = device
        self.series = series
        self.confirm = confirm
        self.by = by
        self.limit = limit
        self.ordinals = ordinals
        self.brief = brief
        self.devices = devices
        self.allSeries = allSeries
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var samples: [JSON]
      public var corruptChunks: Int
      public var last: Bool
      public var store: String?
      public var corrections: [CorrectionDocument]?
      public var correctionsMissed: Int?
      public var retimed: [JSON]?
      public var gaps: [MissingRowsDocument]?

      public init(
        samples: [JSON], corruptChunks: Int, last: Bool, store: String? = nil, corrections: [CorrectionDocument]? = nil,
        correctionsMissed: Int? = nil, retimed: [JSON]? = nil, gaps: [MissingRowsDocument]? = nil
      ) {
        self.samples = samples
        self.corruptChunks = corruptChunks
        self.last = last
        self.store = store
        self.corrections = corrections
        self.correctionsMissed = correctionsMissed
        self.retimed = retimed
        self.gaps = gaps
      }
    }
  }

  /// The present state of each light.
  public enum Lights: HubMethod {
    public static let name = "Lights"
    public static let role = AccessRole.read
    public static let members: [String] = []

    public struct Parameters: Codable, Sendable, Hashable {
      public init() {
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var lights: LightsDocument

      public init(lights: LightsDocument) {
        self.lights = lights
      }
    }
  }

  /// Shows the locate pattern, which ends after 30 s; `on: false` ends it now.
  public enum Locate: HubMethod {
    public static let name = "Locate"
    public static let role = AccessRole.operate
    public static let members: [String] = ["on"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var on: Bool?

      public init(on: Bool? = nil) {
        self.on = on
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public init() {
      }
    }
  }

  /// The configuration in force, key by key.
  public enum ConfigShow: HubMethod {
    public static let name = "ConfigShow"
    public static let role = AccessRole.read
    public static let members: [String] = []

    public struct Parameters: Codable, Sendable, Hashable {
      public init() {
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var settings: [SettingDocument]

      public init(settings: [SettingDocument]) {
        self.settings = settings
      }
    }
  }

  /// The bonds of the hub, without the keys.
  public enum BondList: HubMethod {
    public static let name = "BondList"
    public static let role = AccessRole.read
    public static let members: [String] = []

    public struct Parameters: Codable, Sendable, Hashable {
      public init() {
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var bonds: [BondDocument]

      public init(bonds: [BondDocument]) {
        self.bonds = bonds
      }
    }
  }

  /// The keys of all bonds, for sealing: only for root and for the daemon's own user.
  public enum BondKeys: HubMethod {
    public static let name = "BondKeys"
    public static let role = AccessRole.administer
    public static let members: [String] = []

    public struct Parameters: Codable, Sendable, Hashable {
      public init() {
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var hub: String
      public var bonds: [BondKeysDocument]

      public init(hub: String, bonds: [BondKeysDocument]) {
        self.hub = hub
        self.bonds = bonds
      }
    }
  }

  /// Imports bonds of another hub, at most 64 per call; wearables that are not enrolled are enrolled. Durable when this
  /// returns. Only for root and for the daemon's own user.
  public enum BondImport: HubMethod {
    public static let name = "BondImport"
    public static let role = AccessRole.administer
    public static let bounds = [
      Bound("bonds", count: 64),
    ]
    public static let members: [String] = ["bonds"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var bonds: [BondKeysDocument]

      public init(bonds: [BondKeysDocument]) {
        self.bonds = bonds
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var imported: Int

      public init(imported: Int) {
        self.imported = imported
      }
    }
  }

  /// Deletes the keys of a wearable, which stays enrolled. `name`: its name or address.
  public enum BondRemove: HubMethod {
    public static let name = "BondRemove"
    public static let role = AccessRole.administer
    public static let members: [String] = ["name"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var name: String

      public init(name: String) {
        self.name = name
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public init() {
      }
    }
  }

  /// A backup of the store, page after page of one connection; `begin` starts it. `page`: base64 of rows
  /// (Sources/RingStore/Backup), with keys in clear. Only for root and for the daemon's own user. Refused (H4205) if it
  /// took too long, or if the hub needed the room that it keeps.
  public enum BackupNext: HubMethod {
    public static let name = "BackupNext"
    public static let role = AccessRole.administer
    public static let members: [String] = ["begin", "samples"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var begin: Bool?
      public var samples: Bool?

      public init(begin: Bool? = nil, samples: Bool? = nil) {
        self.begin = begin
        self.samples = samples
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public var page: String
      public var last: Bool

      public init(page: String, last: Bool) {
        self.page = page
        self.last = last
      }
    }
  }

  /// Reports the result of a backup. `made_at`: its time, microseconds since 1970. `failure`: why it failed.
  public enum BackupTell: HubMethod {
    public static let name = "BackupTell"
    public static let role = AccessRole.administer
    public static let bounds = [
      Bound("made_at", range: 0...Int64.max),
    ]
    public static let members: [String] = ["made_at", "failure"]

    public struct Parameters: Codable, Sendable, Hashable {
      public var madeAt: Int64?
      public var failure: String?

      public init(madeAt: Int64? = nil, failure: String? = nil) {
        self.madeAt = madeAt
        self.failure = failure
      }
    }

    public struct Reply: Codable, Sendable, Hashable {
      public init() {
      }
    }
  }
}

extension ControlClient {
  public func status(_ parameters: Methods.Status.Parameters = .init(), patience: Int32? = nil) throws(HearthError) -> Methods.Status.Reply {
    try call(Methods.Status.self, parameters, patience: patience)
  }

  /// Enrolled wearables by name, then candidates that are heard.
  public func devices(_ parameters: Methods.Devices.Parameters = .init(), patience: Int32? = nil) throws(HearthError) -> Methods.Devices.Reply {
    try call(Methods.Devices.self, parameters, patience: patience)
  }

  /// By name or address.
  public func device(_ parameters: Methods.Device.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.Device.Reply {
    try call(Methods.Device.self, parameters, patience: patience)
  }

  /// Pauses a wearable: no link, no visit and no advertised value, except on request. `until`: RFC 3339; null: until it is
  /// resumed. A second call replaces the end of the pause. Durable when this returns.
  public func pause(_ parameters: Methods.Pause.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.Pause.Reply {
    try call(Methods.Pause.self, parameters, patience: patience)
  }

  public func resume(_ parameters: Methods.Resume.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.Resume.Reply {
    try call(Methods.Resume.self, parameters, patience: patience)
  }

  /// Muted troubles, which neither lights nor the troubles of the hub or of a wearable show.
  public func mutes(_ parameters: Methods.Mutes.Parameters = .init(), patience: Int32? = nil) throws(HearthError) -> Methods.Mutes.Reply {
    try call(Methods.Mutes.self, parameters, patience: patience)
  }

  /// `code`: such as H2109. `name`: only for this wearable; null: for the hub and all wearables. `until`: RFC 3339; null:
  /// until it is taken back. Durable when this returns.
  public func mute(_ parameters: Methods.Mute.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.Mute.Reply {
    try call(Methods.Mute.self, parameters, patience: patience)
  }

  public func unmute(_ parameters: Methods.Unmute.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.Unmute.Reply {
    try call(Methods.Unmute.self, parameters, patience: patience)
  }

  /// With `more`: the data of a full-screen view, at each change, at most four times a second, until the client hangs up.
  /// Times of the last advertisement, counters, and changes of store figures by less than a hundredth do not count as
  /// changes. After five seconds without a change an empty view shows that the hub runs. A client that does not read for 30
  /// s is disconnected (H6007). Without `more`: everything, once.
  public func watch(_ parameters: Methods.Watch.Parameters = .init(), patience: Int32? = nil) throws(HearthError) -> Methods.Watch.Reply {
    try call(Methods.Watch.self, parameters, patience: patience)
  }

  /// 1 to 3600 seconds; null: as configured.
  public func enrollOpen(_ parameters: Methods.EnrollOpen.Parameters = .init(), patience: Int32? = nil) throws(HearthError) -> Methods.EnrollOpen.Reply {
    try call(Methods.EnrollOpen.self, parameters, patience: patience)
  }

  public func enrollList(_ parameters: Methods.EnrollList.Parameters = .init(), patience: Int32? = nil) throws(HearthError) -> Methods.EnrollList.Reply {
    try call(Methods.EnrollList.self, parameters, patience: patience)
  }

  /// `which`: letter, address or advertised name. The enrolment is durable when this returns. An enrolled wearable with
  /// unusable keys (H2206, H2207, H2208, H2211) is paired again at its next visit, and keeps everything else. A wearable
  /// with a changing address is paired at once, and enrolled under its identity address. If that fails, the error is H2327,
  /// H2251 or H2211.
  public func enrollAccept(_ parameters: Methods.EnrollAccept.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.EnrollAccept.Reply {
    try call(Methods.EnrollAccept.self, parameters, patience: patience)
  }

  public func enrollClose(_ parameters: Methods.EnrollClose.Parameters = .init(), patience: Int32? = nil) throws(HearthError) {
    _ = try call(Methods.EnrollClose.self, parameters, patience: patience)
  }

  public func rename(_ parameters: Methods.Rename.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.Rename.Reply {
    try call(Methods.Rename.self, parameters, patience: patience)
  }

  /// Forgets a wearable, so that the hub never connects to it again; its samples stay. A wearable that is bound to this hub
  /// is unbound first, which takes up to two minutes. If it cannot be reached it is forgotten without that, with H2245 as
  /// `warning`.
  public func forget(_ parameters: Methods.Forget.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.Forget.Reply {
    try call(Methods.Forget.self, parameters, patience: patience)
  }

  /// Whether items that are safe in the store are erased on the wearable. `choice`: yes, no, ask, or auto (as configured).
  /// Durable when this returns.
  public func eraseSet(_ parameters: Methods.EraseSet.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.EraseSet.Reply {
    try call(Methods.EraseSet.self, parameters, patience: patience)
  }

  /// Whether advertised values are stored while there is no link. `choice`: on, off, or auto (as configured). Durable when
  /// this returns.
  public func listenSet(_ parameters: Methods.ListenSet.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.ListenSet.Reply {
    try call(Methods.ListenSet.self, parameters, patience: patience)
  }

  /// How long a wearable may be away before it counts as missing. `choice`: whole seconds from 300 on, never, or auto (as
  /// configured). Durable when this returns.
  public func absenceSet(_ parameters: Methods.AbsenceSet.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.AbsenceSet.Reply {
    try call(Methods.AbsenceSet.self, parameters, patience: patience)
  }

  /// Visits of a wearable or of all: the running one first, then the newest. `limit`: 1 to 1000, null: 20.
  public func visits(_ parameters: Methods.Visits.Parameters = .init(), patience: Int32? = nil) throws(HearthError) -> Methods.Visits.Reply {
    try call(Methods.Visits.self, parameters, patience: patience)
  }

  /// Puts a wearable first in the queue. A running visit of it counts as the requested one.
  public func visitNow(_ parameters: Methods.VisitNow.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.VisitNow.Reply {
    try call(Methods.VisitNow.self, parameters, patience: patience)
  }

  /// Orders a sync of a wearable and visits it next. `series`: names of series or of kinds of data; null: everything.
  /// Without a range it continues after the stored data. `automatic_only`: only automatic measurements. Refused while a
  /// sync of it runs (H2143), and if no requested data is available (H2131).
  public func syncNow(_ parameters: Methods.SyncNow.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.SyncNow.Reply {
    try call(Methods.SyncNow.self, parameters, patience: patience)
  }

  /// The items that the wearable holds or held. `last`: only items of the last visit.
  public func custody(_ parameters: Methods.Custody.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.Custody.Reply {
    try call(Methods.Custody.self, parameters, patience: patience)
  }

  public func link(_ parameters: Methods.Link.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.Link.Reply {
    try call(Methods.Link.self, parameters, patience: patience)
  }

  /// Sets a lasting profile. `profile`: foreground, background, idle, or auto (the hub chooses). `central`: only the hub
  /// sets the link; the wearable's characteristic is not written.
  public func linkSet(_ parameters: Methods.LinkSet.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.LinkSet.Reply {
    try call(Methods.LinkSet.self, parameters, patience: patience)
  }

  /// The clock of the hub, and of a wearable or of all.
  public func clock(_ parameters: Methods.Clock.Parameters = .init(), patience: Int32? = nil) throws(HearthError) -> Methods.Clock.Reply {
    try call(Methods.Clock.self, parameters, patience: patience)
  }

  public func radio(_ parameters: Methods.Radio.Parameters = .init(), patience: Int32? = nil) throws(HearthError) -> Methods.Radio.Reply {
    try call(Methods.Radio.self, parameters, patience: patience)
  }

  /// Which wearables keep a link and which take turns, if all enrolled devices are present.
  public func radioPlan(_ parameters: Methods.RadioPlan.Parameters = .init(), patience: Int32? = nil) throws(HearthError) -> Methods.RadioPlan.Reply {
    try call(Methods.RadioPlan.self, parameters, patience: patience)
  }

  /// Runs the radio's reset ladder from its first rung. Links are lost for some seconds.
  public func radioRecover(_ parameters: Methods.RadioRecover.Parameters = .init(), patience: Int32? = nil) throws(HearthError) {
    _ = try call(Methods.RadioRecover.self, parameters, patience: patience)
  }

  /// Pairings that wait for a person.
  public func pairings(_ parameters: Methods.Pairings.Parameters = .init(), patience: Int32? = nil) throws(HearthError) -> Methods.Pairings.Reply {
    try call(Methods.Pairings.self, parameters, patience: patience)
  }

  /// `answer`: yes, no, or passkey with `passkey`, 0 to 999999.
  public func pairAnswer(_ parameters: Methods.PairAnswer.Parameters, patience: Int32? = nil) throws(HearthError) {
    _ = try call(Methods.PairAnswer.self, parameters, patience: patience)
  }

  /// The actions that a wearable offers, and the topics of its `Report`. This and the next two methods wait up to 180 s for
  /// a visit if there is no link.
  public func actions(_ parameters: Methods.Actions.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.Actions.Reply {
    try call(Methods.Actions.self, parameters, patience: patience)
  }

  /// Runs an action. `arguments`: at most 16 words. `result`: what happened, in one sentence.
  public func act(_ parameters: Methods.Act.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.Act.Reply {
    try call(Methods.Act.self, parameters, patience: patience)
  }

  /// Stops the measurement of `Measure`. The client of that call gets the end. Succeeds without a measurement too.
  public func measureStop(_ parameters: Methods.MeasureStop.Parameters, patience: Int32? = nil) throws(HearthError) {
    _ = try call(Methods.MeasureStop.self, parameters, patience: patience)
  }

  /// Begins another measurement in a session that stays and is ready. The client of `MeasureVitals` gets its events.
  /// `seconds`: 20 to 180, null: 60. H2139 in any other state.
  public func measureVitalsStart(_ parameters: Methods.MeasureVitalsStart.Parameters, patience: Int32? = nil) throws(HearthError) {
    _ = try call(Methods.MeasureVitalsStart.self, parameters, patience: patience)
  }

  /// Ends the measurement of `MeasureVitals` early and keeps its results. H2139 without a measurement.
  public func measureVitalsStop(_ parameters: Methods.MeasureVitalsStop.Parameters, patience: Int32? = nil) throws(HearthError) {
    _ = try call(Methods.MeasureVitalsStop.self, parameters, patience: patience)
  }

  /// Ends a session in any state. A running measurement has no results. Succeeds without a session too.
  public func measureVitalsTerminate(_ parameters: Methods.MeasureVitalsTerminate.Parameters, patience: Int32? = nil) throws(HearthError) {
    _ = try call(Methods.MeasureVitalsTerminate.self, parameters, patience: patience)
  }

  public func report(_ parameters: Methods.Report.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.Report.Reply {
    try call(Methods.Report.self, parameters, patience: patience)
  }

  public func orders(_ parameters: Methods.Orders.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.Orders.Reply {
    try call(Methods.Orders.self, parameters, patience: patience)
  }

  /// Sets orders. Null: no change. The value `none` takes an order back, but not in streams and rates. Durable when this
  /// returns, and sent to a wearable at once if it has a link.
  /// - streams, rates: series that the wearable does not have are `skipped`. If it has only such series, the order is
  /// refused (H2131).
  /// - rates: all wanted ones, from `rate_choices`.
  /// - settings: those that change, by name.
  /// - measure: when the hub measures vital signs by itself, such as every=4h seconds=60 between=07:00-22:00.
  /// - phases: what the hub's own visits fetch: all, or names of phases or series. Taken back: as configured. A phase that
  /// the wearable does not have is refused (H2131).
  /// - visit_at: times of day for visits, such as 07:00, even if the data is fresh; or never. Taken back: as configured.
  public func ordersSet(_ parameters: Methods.OrdersSet.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.OrdersSet.Reply {
    try call(Methods.OrdersSet.self, parameters, patience: patience)
  }

  /// Limits and alerts of a wearable, or of all enrolled ones by name.
  public func alerts(_ parameters: Methods.Alerts.Parameters = .init(), patience: Int32? = nil) throws(HearthError) -> Methods.Alerts.Reply {
    try call(Methods.Alerts.self, parameters, patience: patience)
  }

  /// Null: no change. `limits`: those that change, by kind: a number as text, such as 120 or 38.5, or none. `exercise`:
  /// auto, on, off. Durable when this returns.
  public func alertsSet(_ parameters: Methods.AlertsSet.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.AlertsSet.Reply {
    try call(Methods.AlertsSet.self, parameters, patience: patience)
  }

  /// Acknowledges all alerts of a wearable. Durable when this returns.
  public func alertsAcknowledge(_ parameters: Methods.AlertsAcknowledge.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.AlertsAcknowledge.Reply {
    try call(Methods.AlertsAcknowledge.self, parameters, patience: patience)
  }

  /// Begins or ends a training of a strap without trainings of its own (else H2131). The training is stored as a
  /// `training`, durable when the end is answered. A detected training can be ended too. H2139: an ordered one is already
  /// under way, or no training can be ended.
  public func trainingBegin(_ parameters: Methods.TrainingBegin.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.TrainingBegin.Reply {
    try call(Methods.TrainingBegin.self, parameters, patience: patience)
  }

  public func trainingEnd(_ parameters: Methods.TrainingEnd.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.TrainingEnd.Reply {
    try call(Methods.TrainingEnd.self, parameters, patience: patience)
  }

  /// Monitoring as the hub knows it. `now`: read from the wearable first, as `Report` does.
  public func monitoring(_ parameters: Methods.Monitoring.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.Monitoring.Reply {
    try call(Methods.Monitoring.self, parameters, patience: patience)
  }

  /// Orders how a wearable measures a series by itself. Null: no change. Durable when this returns, and sent to a wearable
  /// at once if it has a link.
  /// - begin, end: only together.
  /// - limits: those that change, by kind, as in AlertsSet.
  /// - forget: words of `can` for which the order is taken back. Values that this hub changed are then as before.
  ///
  /// An order that the wearable cannot take is refused (H2131).
  public func monitoringSet(_ parameters: Methods.MonitoringSet.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.MonitoringSet.Reply {
    try call(Methods.MonitoringSet.self, parameters, patience: patience)
  }

  /// The key of encrypted recordings: 32 hexadecimal digits, or one that the hub generates. Null and false: no encryption
  /// from now on.
  public func secretSet(_ parameters: Methods.SecretSet.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.SecretSet.Reply {
    try call(Methods.SecretSet.self, parameters, patience: patience)
  }

  /// All persons, including retired ones. Parameters accept the name or the number of a wearer.
  public func wearers(_ parameters: Methods.Wearers.Parameters = .init(), patience: Int32? = nil) throws(HearthError) -> Methods.Wearers.Reply {
    try call(Methods.Wearers.self, parameters, patience: patience)
  }

  public func wearerAdd(_ parameters: Methods.WearerAdd.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.WearerAdd.Reply {
    try call(Methods.WearerAdd.self, parameters, patience: patience)
  }

  public func wearerRename(_ parameters: Methods.WearerRename.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.WearerRename.Reply {
    try call(Methods.WearerRename.self, parameters, patience: patience)
  }

  /// The site's own identifier of the person, 1 to 64 bytes of plain text. Hubs with the same identifier treat the person
  /// as one. Null: remove it.
  public func wearerSet(_ parameters: Methods.WearerSet.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.WearerSet.Reply {
    try call(Methods.WearerSet.self, parameters, patience: patience)
  }

  /// Names with an identifier of the site, each once. Of equal names the one of a person that is not retired.
  public func wearerIds(_ parameters: Methods.WearerIds.Parameters = .init(), patience: Int32? = nil) throws(HearthError) -> Methods.WearerIds.Reply {
    try call(Methods.WearerIds.self, parameters, patience: patience)
  }

  /// Wearables can no longer be assigned to the wearer; past assignments stay.
  public func wearerRetire(_ parameters: Methods.WearerRetire.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.WearerRetire.Reply {
    try call(Methods.WearerRetire.self, parameters, patience: patience)
  }

  /// The data that erasing a person would delete.
  public func wearerErasePlan(_ parameters: Methods.WearerErasePlan.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.WearerErasePlan.Reply {
    try call(Methods.WearerErasePlan.self, parameters, patience: patience)
  }

  /// Deletes a person with all their samples, if their number is `losing`. Returns when all is deleted.
  public func wearerErase(_ parameters: Methods.WearerErase.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.WearerErase.Reply {
    try call(Methods.WearerErase.self, parameters, patience: patience)
  }

  /// The log of reads of measured values, newest first. `of`: a wearer or a wearable. `limit`: 1 to 1000, null: 100.
  public func accesses(_ parameters: Methods.Accesses.Parameters = .init(), patience: Int32? = nil) throws(HearthError) -> Methods.Accesses.Reply {
    try call(Methods.Accesses.self, parameters, patience: patience)
  }

  /// Null: no change. `forget`: parameters of this method by name, as if they had never been entered. A wearable on this
  /// wearer keeps what it has. `take_off`: a wearable forgets the body when no person wears it any more. A wearable on
  /// another wearer gets the known values of that one. The rest is as before the hub changed it, or the vendor's default.
  public func wearerBody(_ parameters: Methods.WearerBody.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.WearerBody.Reply {
    try call(Methods.WearerBody.self, parameters, patience: patience)
  }

  public func assignments(_ parameters: Methods.Assignments.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.Assignments.Reply {
    try call(Methods.Assignments.self, parameters, patience: patience)
  }

  /// Assigns a wearable. `wearer` null: to no person. `from` null: now; a time may lie in the past or in the future. The
  /// assignment holds until the next one.
  public func assign(_ parameters: Methods.Assign.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.Assign.Reply {
    try call(Methods.Assign.self, parameters, patience: patience)
  }

  /// Corrects the assignment that begins at `begin`, to the second: its begin (`from`), its wearer, or with `nobody` that
  /// there is no wearer. Null: no change. `dry`: only returns the effect.
  public func assignmentCorrect(_ parameters: Methods.AssignmentCorrect.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.AssignmentCorrect.Reply {
    try call(Methods.AssignmentCorrect.self, parameters, patience: patience)
  }

  /// Deletes an assignment, as if it had never been entered: its samples belong to the assignment before it.
  public func assignmentDelete(_ parameters: Methods.AssignmentDelete.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.AssignmentDelete.Reply {
    try call(Methods.AssignmentDelete.self, parameters, patience: patience)
  }

  public func store(_ parameters: Methods.Store.Parameters = .init(), patience: Int32? = nil) throws(HearthError) -> Methods.Store.Reply {
    try call(Methods.Store.self, parameters, patience: patience)
  }

  /// The newest samples of a series of the wearable's present enrolment. `count`: 1 to 1000, null: 60.
  public func storePeek(_ parameters: Methods.StorePeek.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.StorePeek.Reply {
    try call(Methods.StorePeek.self, parameters, patience: patience)
  }

  /// Reads and checks all stored data: seconds to minutes. With `more`, earlier replies report the progress at most once a
  /// second.
  public func storeVerify(_ parameters: Methods.StoreVerify.Parameters = .init(), patience: Int32? = nil) throws(HearthError) -> Methods.StoreVerify.Reply {
    try call(Methods.StoreVerify.self, parameters, patience: patience)
  }

  /// The samples that a purge would delete: whole chunks with only samples from before `before`. Null: any wearable, series
  /// or time.
  public func storePurgePlan(_ parameters: Methods.StorePurgePlan.Parameters = .init(), patience: Int32? = nil) throws(HearthError) -> Methods.StorePurgePlan.Reply {
    try call(Methods.StorePurgePlan.self, parameters, patience: patience)
  }

  /// Deletes these samples. `losing` is their number by the plan; H4103 if it has changed.
  public func storePurge(_ parameters: Methods.StorePurge.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.StorePurge.Reply {
    try call(Methods.StorePurge.self, parameters, patience: patience)
  }

  /// Deletes an export cursor. Its reader's next export begins with the oldest sample. H6005: no cursor has this name.
  public func storeForgetCursor(_ parameters: Methods.StoreForgetCursor.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.StoreForgetCursor.Reply {
    try call(Methods.StoreForgetCursor.self, parameters, patience: patience)
  }

  /// Measured values of a series, page by page.
  /// - name: a wearable, or else a wearer with all wearables of that person.
  /// - kind: normal, maximum, minimum, resting. manual: true manual, false automatic. Null: all.
  /// - since is included, until is not.
  /// - after: `next` of the page before.
  /// - limit: 1 to 1000, null: 1000.
  public func items(_ parameters: Methods.Items.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.Items.Reply {
    try call(Methods.Items.self, parameters, patience: patience)
  }

  /// The newest measurements of vital signs. `name`: a wearable, or else a wearer with all wearables that measured that
  /// person. `limit`: 1 to 200, null: 20; with `intervals` to 50.
  public func measurements(_ parameters: Methods.Measurements.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.Measurements.Reply {
    try call(Methods.Measurements.self, parameters, patience: patience)
  }

  /// A day with its lists. `name`: a wearable, or else a wearer. `date`: any time of that day; null: today.
  public func daily(_ parameters: Methods.Daily.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.Daily.Reply {
    try call(Methods.Daily.self, parameters, patience: patience)
  }

  /// The local days of a wearable. Each day with a part in the range is complete, from its 00:00 to its end. `name` can be
  /// a wearer, by name or number, unless a wearable has that name. The days then cover all wearables of that person, while
  /// the person wore them. `others` are the second and further wearables.
  public func days(_ parameters: Methods.Days.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.Days.Reply {
    try call(Methods.Days.self, parameters, patience: patience)
  }

  /// The coverage of a wearable's series in a span of time, with reasons for gaps if the hub knows them. Without a series:
  /// all series with samples in the span or within seven days before it. `until` null: now. `since` null: 24 hours before.
  /// At most 400 days. `name` can be a wearer, as for `Days`. The answer then has each wearable that the person wore in the
  /// span, for the times in which the person wore it. `others` are the second and further wearables.
  public func coverage(_ parameters: Methods.Coverage.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.Coverage.Reply {
    try call(Methods.Coverage.self, parameters, patience: patience)
  }

  /// Events, newest first; with a name or an address, those of that wearable. `limit`: 1 to 1000, null: 50. `code`: one
  /// (H2102) or a block (H21xx, H21). `since` is included, `until` is not. The whole stored log is searched for up to
  /// `limit` events.
  public func events(_ parameters: Methods.Events.Parameters = .init(), patience: Int32? = nil) throws(HearthError) -> Methods.Events.Reply {
    try call(Methods.Events.self, parameters, patience: patience)
  }

  /// A page of rows that the reader of this cursor has not confirmed; call it again for the next page.
  /// - The first call of a connection begins after the confirmed rows. Another cursor, device or series begins again.
  /// - confirm: the reader has safely stored all earlier pages of this connection. That is durable when this returns. After
  /// the last page, a call with `confirm` confirms it and returns no rows; a call without it begins again.
  /// - by: name of the caller, for people.
  /// - corrections, before the samples of the first page: rows that this reader confirmed before and that now belong to
  /// another wearer. Confirmed with the page. corrections_missed: number of earlier ones that are no longer stored.
  /// - retimed, with any page: rows that this reader confirmed with the time of a wrong clock, now corrected. Each replaces
  /// the row of its ring with its ordinal, or of its wearable and series with the time `was`. Confirmed after all of them
  /// were returned.
  /// - limit: rows of a page, 1 to 512, null: 512.
  /// - ordinals, brief, gaps: as in Export.
  public func exportNext(_ parameters: Methods.ExportNext.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.ExportNext.Reply {
    try call(Methods.ExportNext.self, parameters, patience: patience)
  }

  /// The present state of each light.
  public func lights(_ parameters: Methods.Lights.Parameters = .init(), patience: Int32? = nil) throws(HearthError) -> Methods.Lights.Reply {
    try call(Methods.Lights.self, parameters, patience: patience)
  }

  /// Shows the locate pattern, which ends after 30 s; `on: false` ends it now.
  public func locate(_ parameters: Methods.Locate.Parameters = .init(), patience: Int32? = nil) throws(HearthError) {
    _ = try call(Methods.Locate.self, parameters, patience: patience)
  }

  /// The configuration in force, key by key.
  public func configShow(_ parameters: Methods.ConfigShow.Parameters = .init(), patience: Int32? = nil) throws(HearthError) -> Methods.ConfigShow.Reply {
    try call(Methods.ConfigShow.self, parameters, patience: patience)
  }

  /// The bonds of the hub, without the keys.
  public func bondList(_ parameters: Methods.BondList.Parameters = .init(), patience: Int32? = nil) throws(HearthError) -> Methods.BondList.Reply {
    try call(Methods.BondList.self, parameters, patience: patience)
  }

  /// The keys of all bonds, for sealing: only for root and for the daemon's own user.
  public func bondKeys(_ parameters: Methods.BondKeys.Parameters = .init(), patience: Int32? = nil) throws(HearthError) -> Methods.BondKeys.Reply {
    try call(Methods.BondKeys.self, parameters, patience: patience)
  }

  /// Imports bonds of another hub, at most 64 per call; wearables that are not enrolled are enrolled. Durable when this
  /// returns. Only for root and for the daemon's own user.
  public func bondImport(_ parameters: Methods.BondImport.Parameters, patience: Int32? = nil) throws(HearthError) -> Methods.BondImport.Reply {
    try call(Methods.BondImport.self, parameters, patience: patience)
  }

  /// Deletes the keys of a wearable, which stays enrolled. `name`: its name or address.
  public func bondRemove(_ parameters: Methods.BondRemove.Parameters, patience: Int32? = nil) throws(HearthError) {
    _ = try call(Methods.BondRemove.self, parameters, patience: patience)
  }

  /// A backup of the store, page after page of one connection; `begin` starts it. `page`: base64 of rows
  /// (Sources/RingStore/Backup), with keys in clear. Only for root and for the daemon's own user. Refused (H4205) if it
  /// took too long, or if the hub needed the room that it keeps.
  public func backupNext(_ parameters: Methods.BackupNext.Parameters = .init(), patience: Int32? = nil) throws(HearthError) -> Methods.BackupNext.Reply {
    try call(Methods.BackupNext.self, parameters, patience: patience)
  }

  /// Reports the result of a backup. `made_at`: its time, microseconds since 1970. `failure`: why it failed.
  public func backupTell(_ parameters: Methods.BackupTell.Parameters = .init(), patience: Int32? = nil) throws(HearthError) {
    _ = try call(Methods.BackupTell.self, parameters, patience: patience)
  }
}
