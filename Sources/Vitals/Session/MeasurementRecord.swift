// Stored record of one measurement: person, times, input and results. Bounded; its bytes are in
// MeasurementRecordBytes.swift.

public import Health

/// Computed vital sign.
public struct VitalResult: Sendable, Hashable {
  /// Qualifications of a result.
  public struct Flags: OptionSet, Sendable, Hashable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Flag of a window shorter than the literature recommends; never of high confidence.
    public static let shortWindow = Flags(rawValue: 1)
    /// Flag of optical intervals: pulse-rate variability.
    public static let optical = Flags(rawValue: 2)
    /// The breathing lies outside the high band, so the band does not show it.
    public static let highBandUnreliable = Flags(rawValue: 4)
    /// Flag of a value outside the data that the formula was fitted to.
    public static let extrapolated = Flags(rawValue: 8)
    /// Flag of a value as the sensor reported it.
    public static let passedThrough = Flags(rawValue: 16)
    /// Correction changed intervals that it was computed from.
    public static let corrected = Flags(rawValue: 32)
    /// Skin temperature of the wrist, not body temperature.
    public static let wrist = Flags(rawValue: 64)
  }

  /// Name of the sign, such as `rmssd`.
  public let name: String
  /// Finite; 0 for a level or a zone.
  public let value: Double
  /// `very_high`: a level or a zone; empty for a number.
  public let text: String
  /// `ms`; empty for a ratio or an index.
  public let unit: String
  /// Confidence in the result.
  public let confidence: Confidence
  /// Length of the window, seconds.
  public let windowSeconds: Double
  /// Method with its version: `LS-1`. A change of any constant makes a new version.
  public let method: String
  /// Qualifications of the result.
  public let flags: Flags

  /// A result; longer texts are cut.
  public init(
    name: String, value: Double, text: String = "", unit: String, confidence: Confidence, windowSeconds: Double,
    method: String, flags: Flags = []
  ) {
    self.name = name
    self.value = value
    self.text = text
    self.unit = unit
    self.confidence = confidence
    self.windowSeconds = windowSeconds
    self.method = method
    self.flags = flags
  }
}

/// Vital sign without a result, with the reason.
public struct NotReported: Sendable, Hashable {
  /// Name of the sign, such as `respiration_rate`.
  public let name: String
  /// Name of the reason, such as `insufficient_quality`.
  public let reason: String

  /// A sign by its name, and the reason.
  public init(name: String, reason: String) {
    self.name = name
    self.reason = reason
  }
}

/// Basis of the results.
public enum MeasurementBasis: UInt8, CaseIterable, Sendable, Hashable {
  /// Intervals of the electrical signal, series `rr_interval`.
  case rr = 1
  /// Intervals of light, series `ppi`.
  case ppi = 2
  /// Rates only, series `heart_rate`.
  case rate = 3

  /// Name in documents: `rr`, `ppi` or `rate`.
  public var name: String { self == .rr ? "rr" : self == .ppi ? "ppi" : "rate" }

  /// The series that holds the input.
  public var series: Series { self == .rr ? .rrInterval : self == .ppi ? .ppi : .heartRate }
}

/// Interval as received, with its classification.
public struct RecordedInterval: Sendable, Hashable {
  /// Classification of an interval.
  public struct Flags: OptionSet, Sendable, Hashable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The first of a stretch: it does not follow the previous one.
    public static let beginsStretch = Flags(rawValue: 1)
    /// Flag of a value not used: blocked by the sensor, without contact, too uncertain.
    public static let dropped = Flags(rawValue: 2)
    /// Used, and counted as half an artefact.
    public static let uncertain = Flags(rawValue: 4)
    /// Classified as an ectopic beat.
    public static let ectopic = Flags(rawValue: 8)
    /// Classified as a missed beat: the interval holds two.
    public static let missed = Flags(rawValue: 16)
    /// Classified as an extra beat.
    public static let extra = Flags(rawValue: 32)
    /// A long or short interval.
    public static let longOrShort = Flags(rawValue: 64)
  }

  /// Microseconds: one 1/1024 s is 977, rounded.
  public let microseconds: UInt32
  /// Classification of the interval.
  public let flags: Flags

  /// An interval in microseconds.
  public init(microseconds: UInt32, flags: Flags = []) {
    self.microseconds = microseconds
    self.flags = flags
  }
}

/// Record of one measurement: its times, quality, intervals, results and missing signs.
public struct MeasurementRecord: Sendable, Hashable {
  /// Gap in the timeline of beats.
  public struct Gap: Sendable, Hashable {
    /// Microseconds from the start of the measurement.
    public let start: Int64
    /// Length of the gap, microseconds.
    public let length: Int64

    /// A gap; `start` and `length` in microseconds.
    public init(start: Int64, length: Int64) {
      self.start = start
      self.length = length
    }
  }

  /// Limits of a record. Entries beyond them are left out and counted, texts are cut.
  public enum Limit {
    /// 180 s at 220 beats a minute are 660; as many again for extra beats. The record's bytes have room for about 900.
    public static let intervals = 1320
    /// Limit of the coverage: sensors that send intervals twice reach 2, and values above ten are wrong anyway.
    public static let coverage = 10.0
    /// A gap is longer than 2 s: 180 s have no more.
    public static let gaps = 90
    /// About 25 vital signs are known.
    public static let results = 64
    /// UTF-8 bytes of a name, unit, method or reason.
    public static let word = 48
    /// UTF-8 bytes of a person or a device.
    public static let identity = 128
  }

  /// Number of the session.
  public var session: UInt64 = 0
  /// Number of the measurement within its session, from 1.
  public var number: UInt32 = 0
  /// Empty if the wearer is unknown.
  public var person = ""
  /// Name of the wearable.
  public var device = ""
  /// Kind of values that the results were computed from.
  public var basis: MeasurementBasis
  /// Microseconds since 1970, by the hub's clock at that time.
  public var start: Int64 = 0
  /// End, microseconds since 1970.
  public var end: Int64 = 0
  /// Requested duration, microseconds: 20 to 180 s.
  public var requested: Int64 = 0
  /// Microseconds by the monotonic clock: not always `end` − `start`.
  public var actual: Int64 = 0
  /// Reason why the measurement ended.
  public var endReason: MeasurementEnd
  /// Share of artefacts among the intervals, 0 to 1.
  public var artefactShare: Double = 0
  /// Share of the time, 0 to `Limit.coverage`; above 1 the intervals cover more time than there was.
  public var coverage: Double = 0
  /// Intervals of the measurement.
  public internal(set) var intervals: [RecordedInterval] = []
  /// Gaps between intervals.
  public internal(set) var gaps: [Gap] = []
  /// Results by sign.
  public internal(set) var results: [VitalResult] = []
  /// Signs without a result.
  public internal(set) var notReported: [NotReported] = []
  /// Entries of the four lists left out because of a limit, or for lack of room in the bytes.
  public internal(set) var leftOut: UInt32 = 0

  /// An empty record.
  public init(basis: MeasurementBasis, endReason: MeasurementEnd) {
    self.basis = basis
    self.endReason = endReason
  }

  /// Creates the record of a measurement that ended.
  public init(session: UInt64, _ measurement: Measurement, basis: MeasurementBasis, person: String, device: String) {
    self.init(basis: basis, endReason: measurement.end ?? .terminated)
    self.session = session
    number = measurement.number
    self.person = Self.cut(person, Limit.identity)
    self.device = Self.cut(device, Limit.identity)
    start = (measurement.began ?? measurement.ordered).wall
    end = (measurement.ended ?? measurement.began ?? measurement.ordered).wall
    requested = measurement.requested
    actual = measurement.actual
  }

  /// Adds an interval; beyond the limit it is only counted.
  public mutating func append(_ interval: RecordedInterval) { add(interval, \.intervals, Limit.intervals) }

  /// Adds a gap; beyond the limit it is only counted.
  public mutating func append(_ gap: Gap) { add(gap, \.gaps, Limit.gaps) }

  /// Leaves out a value that is not finite.
  public mutating func append(_ result: VitalResult) {
    guard result.value.isFinite, result.windowSeconds.isFinite else { return leaveOut() }
    func word(_ text: String) -> String { Self.cut(text, Limit.word) }
    add(
      VitalResult(
        name: word(result.name), value: result.value, text: word(result.text), unit: word(result.unit),
        confidence: result.confidence,
        windowSeconds: result.windowSeconds, method: word(result.method), flags: result.flags),
      \.results, Limit.results)
  }

  /// Adds a missing sign; beyond the limit it is only counted.
  public mutating func append(_ entry: NotReported) {
    add(
      NotReported(name: Self.cut(entry.name, Limit.word), reason: Self.cut(entry.reason, Limit.word)),
      \.notReported, Limit.results)
  }

  private mutating func add<Entry>(_ entry: Entry, _ list: WritableKeyPath<Self, [Entry]>, _ limit: Int) {
    guard self[keyPath: list].count < limit else { return leaveOut() }
    self[keyPath: list].append(entry)
  }

  private mutating func leaveOut() { leftOut = leftOut == .max ? .max : leftOut + 1 }

  /// The longest prefix of whole characters within so many bytes of UTF-8.
  static func cut(_ text: String, _ limit: Int) -> String {
    guard text.utf8.count > limit else { return text }
    var cut = ""
    var size = 0
    for character in text {
      size += String(character).utf8.count
      guard size <= limit else { break }
      cut.append(character)
    }
    return cut
  }
}
