// Dates, times and durations of Polar's messages, checked.

public import CivilTime
public import PolarMessages

/// A moment as the wearable's clock shows it. Its clock is set to local time, so this is what the hub corrects by what
/// the clock said in a visit.
public struct PolarMoment: Hashable, Sendable {
  /// Microseconds since 1970-01-01T00:00:00 of the same clock.
  public let microseconds: Int64
  /// Minutes east of UTC, where the wearable says so: −720 to 840.
  public let zoneOffset: Int?

  public init(microseconds: Int64, zoneOffset: Int? = nil) {
    self.microseconds = microseconds
    self.zoneOffset = zoneOffset
  }

  /// Microseconds that really pass until `end`: between two zones they are not what the clock shows.
  public func time(until end: PolarMoment) -> Int64 {
    let shown = end.microseconds - microseconds
    guard let from = zoneOffset, let to = end.zoneOffset else { return shown }
    return shown - Int64(to - from) * 60_000_000
  }
}

extension LocalDate {
  /// Microseconds since 1970-01-01T00:00:00 of the same clock at which it begins. Years outside of 1 to 9999, which no
  /// wearable means, have none.
  var midnight: Int64? { (1...9999).contains(year) ? dayNumber * 86_400_000_000 : nil }
}

extension PbDate {
  /// nil where it is not in the calendar, or not given.
  public var civil: LocalDate? { LocalDate(year: Int(year), month: Int(month), day: Int(day)) }
}

extension PbDateProto3 {
  public var civil: LocalDate? { LocalDate(year: Int(year), month: Int(month), day: Int(day)) }
}

extension PbTime {
  /// Microseconds since midnight; nil where there is no such time.
  public var timeOfDay: Int64? {
    guard hour <= 23, minute <= 59, seconds <= 60, millis <= 999 else { return nil }
    return ((Int64(hour) * 60 + Int64(minute)) * 60 + Int64(seconds)) * 1_000_000 + Int64(millis) * 1000
  }
}

extension PbLocalDateTime {
  public var moment: PolarMoment? {
    guard hasDate, hasTime, let midnight = date.civil?.midnight, let timeOfDay = time.timeOfDay else { return nil }
    let isOffset = hasTimeZoneOffset && (-720...840).contains(timeZoneOffset)
    return PolarMoment(microseconds: midnight + timeOfDay, zoneOffset: isOffset ? Int(timeZoneOffset) : nil)
  }
}

extension PbSystemDateTime {
  /// Microseconds since 1970-01-01T00:00:00Z.
  public var microseconds: Int64? {
    guard hasDate, hasTime, let midnight = date.civil?.midnight, let timeOfDay = time.timeOfDay else { return nil }
    return midnight + timeOfDay
  }
}

extension PbDuration {
  /// At most 2^32 of each unit, which 64 bits hold.
  public var milliseconds: Int64 {
    Int64(hours) * 3_600_000 + Int64(minutes) * 60_000 + Int64(seconds) * 1000 + Int64(millis)
  }

  /// As the distance of samples, µs: 1 ms to a day; nil for anything else.
  var spacing: Int64? { sampleSpacing(milliseconds: milliseconds) }
}

/// A distance between samples that may be counted on, µs: with at most a day of it, the times of as many samples as a
/// file can hold stay far within 64 bits.
func sampleSpacing(milliseconds: Int64) -> Int64? {
  (1...86_400_000).contains(milliseconds) ? milliseconds * 1000 : nil
}

/// A value in a series' stored scale, rounded to the nearest; nil for what is no number, or none that 64 bits hold.
func stored(_ value: Float, _ scale: Double = 1) -> Int64? { stored(Double(value), scale) }
func stored(_ value: Double, _ scale: Double = 1) -> Int64? { Int64(exactly: (value * scale).rounded()) }
