// Orders for a measurement of vital signs, and reports while it runs. `SessionKeeper` has the rules.

public import EventLoop
public import Reasons
public import Vitals

/// Order for a measurement of vital signs, from any values that the wearable sends.
public struct VitalsOrder: Sendable, Hashable {
  /// Length of the measurement in seconds, within `lengths`.
  public var seconds: Int
  /// Name or number of the person. nil: the present wearer, or no person if that is unknown.
  public var person: String?
  /// The session stays after the measurement: further ones begin at once, as the sensor streams already.
  public var stays: Bool

  /// Accepted lengths in seconds.
  public static let lengths = 20...180
  /// Length that most signs need: SDNN and the indices (see `VitalSign.usualSeconds`).
  public static let usualLength = 60

  /// An order of `seconds`; see the properties.
  public init(seconds: Int = Self.usualLength, person: String? = nil, stays: Bool = false) {
    self.seconds = seconds
    self.person = person
    self.stays = stays
  }
}

/// Reports, in the order in which they happen.
public enum VitalsNews: Sendable {
  /// The session was made; the first report.
  case opened(VitalsSession)
  /// The session changed its state.
  case state(SessionState, at: WallTime)
  /// Values once a second during the measurement.
  case values(VitalsMoment)
  /// A condition began (`isOn`) or ended, or an error occurred.
  case notice(SessionCode, isOn: Bool)
  /// Final results; once, before the state that follows, and already durable.
  case results(MeasurementRecord)
}

/// The person that is measured, and the sensor.
public struct VitalsSession: Sendable, Hashable {
  public var id: UInt64
  /// Name of the wearable.
  public var wearable: String
  /// nil: the wearer is unknown.
  public var person: String?
  /// Type of data that the sensor delivers.
  public var sensor: SensorClass
  /// Ordered length in seconds.
  public var seconds: Int

  /// A session; `person` nil: unknown wearer.
  public init(id: UInt64, wearable: String, person: String?, sensor: SensorClass, seconds: Int) {
    self.id = id
    self.wearable = wearable
    self.person = person
    self.sensor = sensor
    self.seconds = seconds
  }
}

/// State of a measurement at one moment.
public struct VitalsMoment: Sendable, Hashable {
  /// Microseconds measured so far.
  public var elapsed: Int64
  /// Ordered length, microseconds.
  public var requested: Int64
  /// Beats a minute; nil while there are no beats, and while the signal is too doubtful.
  public var pulseRate: Double?
  /// Share of artefacts in the last 10 s, 0 to 1; nil without intervals.
  public var artefactShare: Double?
  /// Whether values are hidden because of a doubtful signal.
  public var isHidden: Bool
  /// Instantaneous vital signs, computed every 5 s; empty in between.
  public var report: VitalReport?

  /// `elapsed` and `requested` in microseconds, `pulseRate` in 1/min, `artefactShare` from 0 to 1.
  public init(
    elapsed: Int64, requested: Int64, pulseRate: Double? = nil, artefactShare: Double? = nil, isHidden: Bool = false,
    report: VitalReport? = nil
  ) {
    self.elapsed = elapsed
    self.requested = requested
    self.pulseRate = pulseRate
    self.artefactShare = artefactShare
    self.isHidden = isHidden
    self.report = report
  }
}

/// End of a session.
public struct VitalsResult: Sendable {
  /// The session that ended.
  public var session: VitalsSession
  /// nil: no results, see `trouble`. For a session that stays, those of its last measurement.
  public var record: MeasurementRecord?
  /// Reason why there are no results, with the session's number in its detail.
  public var trouble: HearthError?
  /// Code of the error.
  public var code: SessionCode?

  /// An end with its record, or with its trouble.
  public init(
    session: VitalsSession, record: MeasurementRecord? = nil, trouble: HearthError? = nil, code: SessionCode? = nil
  ) {
    self.session = session
    self.record = record
    self.trouble = trouble
    self.code = code
  }
}
