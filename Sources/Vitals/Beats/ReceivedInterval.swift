// Received interval and the checks on it before any method runs. Improbable intervals are kept: the classifier finds
// missed and extra beats.

/// Interval between two beats, as received.
public struct ReceivedInterval: Sendable, Hashable {
  /// Skin contact as the sensor reports it.
  public enum Contact: UInt8, Sendable, Hashable {
    /// The sensor cannot detect it.
    case unsupported
    case present
    case absent
  }

  /// ms; any value, until it is screened.
  public var milliseconds: Double
  /// ms; nil if the sensor sends none.
  public var errorEstimate: Double?
  /// Whether the sensor itself marks the interval invalid, for example because of movement.
  public var isBlocked: Bool
  /// Skin contact of the sensor.
  public var contact: Contact

  /// An interval in ms; `errorEstimate` in ms, nil: none.
  public init(
    _ milliseconds: Double, errorEstimate: Double? = nil, isBlocked: Bool = false, contact: Contact = .unsupported
  ) {
    self.milliseconds = milliseconds
    self.errorEstimate = errorEstimate
    self.isBlocked = isBlocked
    self.contact = contact
  }
}

/// Properties of one type of sensor, for the checks on its intervals.
public struct IntervalScreening: Sendable, Hashable {
  /// Reason why an interval is not used.
  public enum Defect: UInt8, Sendable, Hashable {
    /// Value that is not a time that 16 bits of ms or of 1/1024 s can hold.
    case malformed
    case blocked
    case noContact
    /// An error estimate above `droppedError`, or one that is NaN.
    case tooUncertain
  }

  /// Result of the checks.
  public enum Verdict: Sendable, Hashable {
    case usable
    /// Used, but counts half in the artefact share.
    case uncertain
    /// Value not used; the stretch of beats ends here.
    case dropped(Defect)
  }

  /// False for a sensor that reports contact even on a table (Polar Verity Sense).
  public var trustsContact: Bool

  /// Checks; `trustsContact`: intervals without contact are dropped.
  public init(trustsContact: Bool = true) { self.trustsContact = trustsContact }

  /// ms: 220 and 30 beats a minute. Values outside are mostly missed or extra beats, hence kept for LT-1.
  public static let plausible = 273.0...2000.0
  /// ms: the range of a 16-bit number of ms; one of 1/1024 s ends below.
  public static let representable = 0.0...65_535.0
  /// ms: an arm band at rest reports 5 to 7, a settling one 20 to 40 (Polar's developers).
  public static let uncertainError = 10.0
  /// Largest error estimate in ms with which an interval is used.
  public static let droppedError = 30.0

  /// - Parameter contactLost: flag of the packet for all of its intervals (Heart Rate Measurement 0x2A37).
  public func verdict(on interval: ReceivedInterval, contactLost: Bool = false) -> Verdict {
    // NaN is outside every range.
    guard Self.representable.contains(interval.milliseconds) else { return .dropped(.malformed) }
    if interval.isBlocked { return .dropped(.blocked) }
    if contactLost || (trustsContact && interval.contact == .absent) { return .dropped(.noContact) }
    guard let error = interval.errorEstimate else { return .usable }
    guard error <= Self.droppedError else { return .dropped(.tooUncertain) }
    return error >= Self.uncertainError ? .uncertain : .usable
  }
}
