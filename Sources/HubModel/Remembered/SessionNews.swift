// What people order of a measurement of vital signs, and what they are told of it while it runs. The rules are
// `SessionKeeper`'s.

public import EventLoop
public import Reasons
public import Vitals

/// A measurement of vital signs, of whatever the wearable sends.
public struct VitalsOrder: Sendable, Hashable {
  /// 20 to 180.
  public var seconds: Int
  /// Whose: name or number of a wearer. nil: who wears it now, and nobody where that is not known.
  public var person: String?
  /// The session stays when the measurement is over: further ones begin at once, as the sensor streams already.
  public var stays: Bool

  public static let lengths = 20...180
  /// What most signs need: SDNN and the indices (see `VitalSign.usualSeconds`).
  public static let usualLength = 60

  public init(seconds: Int = Self.usualLength, person: String? = nil, stays: Bool = false) {
    self.seconds = seconds
    self.person = person
    self.stays = stays
  }
}

/// Something to be told of one, in the order in which it happens.
public enum VitalsNews: Sendable {
  /// The session was made. The first of all.
  case opened(VitalsSession)
  /// It went to another state.
  case state(SessionState, at: WallTime)
  /// Each second while it measures.
  case values(VitalsMoment)
  /// A condition began (`isOn`) or ended, or an error happened.
  case notice(SessionCode, isOn: Bool)
  /// Final results; once, before the state that follows. In the store when it is told.
  case results(MeasurementRecord)
}

/// Who is measured, and by what.
public struct VitalsSession: Sendable, Hashable {
  public var id: UInt64
  public var wearable: String
  /// nil where nobody is known to wear it.
  public var person: String?
  public var sensor: SensorClass
  public var seconds: Int

  public init(id: UInt64, wearable: String, person: String?, sensor: SensorClass, seconds: Int) {
    self.id = id
    self.wearable = wearable
    self.person = person
    self.sensor = sensor
    self.seconds = seconds
  }
}

/// What is known at a moment of a measurement.
public struct VitalsMoment: Sendable, Hashable {
  /// Microseconds that were measured.
  public var elapsed: Int64
  /// Microseconds.
  public var requested: Int64
  /// Beats a minute; nil while there are none, and while the signal is too doubtful to be shown.
  public var pulseRate: Double?
  /// Of the last 10 s, 0 to 1; nil without intervals.
  public var artefactShare: Double?
  /// Values are hidden, because the signal is doubtful.
  public var isHidden: Bool
  /// Instantaneous vital signs, computed anew every 5 s; empty in between.
  public var report: VitalReport?

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

/// How it ended.
public struct VitalsResult: Sendable {
  public var session: VitalsSession
  /// nil: there are no results, see `trouble`. Of a session that stays, those of its last measurement.
  public var record: MeasurementRecord?
  /// Why there are none, with the session's number in its detail.
  public var trouble: HearthError?
  /// Of an error.
  public var code: SessionCode?

  public init(
    session: VitalsSession, record: MeasurementRecord? = nil, trouble: HearthError? = nil, code: SessionCode? = nil
  ) {
    self.session = session
    self.record = record
    self.trouble = trouble
    self.code = code
  }
}
