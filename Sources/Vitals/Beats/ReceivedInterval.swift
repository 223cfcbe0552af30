// One interval as a sensor told it, and whether it may be used: the checks on a single interval before any method sees
// it. What is merely improbable is kept, since a missed or an extra beat is the classifier's to find.

/// One interval between two beats, as it was received.
public struct ReceivedInterval: Sendable, Hashable {
  /// What a sensor says of its contact with the skin.
  public enum Contact: UInt8, Sendable, Hashable {
    /// The sensor cannot tell.
    case unsupported
    case present
    case absent
  }

  /// ms; anything, until it was screened.
  public var milliseconds: Double
  /// ms; nil when the sensor gives none.
  public var errorEstimate: Double?
  /// The sensor itself calls the interval invalid, such as for movement.
  public var isBlocked: Bool
  public var contact: Contact

  public init(
    _ milliseconds: Double, errorEstimate: Double? = nil, isBlocked: Bool = false, contact: Contact = .unsupported
  ) {
    self.milliseconds = milliseconds
    self.errorEstimate = errorEstimate
    self.isBlocked = isBlocked
    self.contact = contact
  }
}

/// What is known of one kind of sensor, for the checks on its intervals.
public struct IntervalScreening: Sendable, Hashable {
  /// Why an interval is not used.
  public enum Defect: UInt8, Sendable, Hashable {
    /// Not a time that 16 bits of ms or of 1/1024 s can hold.
    case malformed
    case blocked
    case noContact
    /// An error estimate above `droppedError`, or none that is a number.
    case tooUncertain
  }

  /// What becomes of one interval.
  public enum Verdict: Sendable, Hashable {
    case usable
    /// Used, and counted half in the artefact share.
    case uncertain
    /// Not used; the stretch of beats ends here.
    case dropped(Defect)
  }

  /// False for a sensor whose contact bits say "contact" on a table (Polar Verity Sense).
  public var trustsContact: Bool

  public init(trustsContact: Bool = true) { self.trustsContact = trustsContact }

  /// ms: 220 and 30 beats a minute. Outside is mostly a missed or an extra beat, hence kept for LT-1.
  public static let plausible = 273.0...2000.0
  /// ms: a 16-bit number of ms ends at 65 535, one of 1/1024 s before it.
  public static let representable = 0.0...65_535.0
  /// ms: an arm band at rest says 5 to 7, a settling one 20 to 40 (Polar's developers).
  public static let uncertainError = 10.0
  /// ms
  public static let droppedError = 30.0

  /// - Parameter contactLost: what the packet says for all of its intervals (Heart Rate Measurement 0x2A37).
  public func verdict(on interval: ReceivedInterval, contactLost: Bool = false) -> Verdict {
    // NaN is in no range.
    guard Self.representable.contains(interval.milliseconds) else { return .dropped(.malformed) }
    if interval.isBlocked { return .dropped(.blocked) }
    if contactLost || (trustsContact && interval.contact == .absent) { return .dropped(.noContact) }
    guard let error = interval.errorEstimate else { return .usable }
    guard error <= Self.droppedError else { return .dropped(.tooUncertain) }
    return error >= Self.uncertainError ? .uncertain : .usable
  }
}
