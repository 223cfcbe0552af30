// Validated dates, times and durations of Polar's messages.

public import CivilTime
public import PolarMessages

/// A moment on the wearable's clock, which shows local time. The hub corrects it by the clock readings of a visit.
public struct PolarMoment: Hashable, Sendable {
  /// µs since 1970-01-01T00:00:00 of the same clock.
  public let microseconds: Int64
  /// Minutes east of UTC, −720 to 840; nil if the wearable does not report them.
  public let zoneOffset: Int?

  /// `microseconds` since 1970 as if the wearable's time were UTC; `zoneOffset` in the unit of the property; nil:
  /// unknown.
  public init(microseconds: Int64, zoneOffset: Int? = nil) {
    self.microseconds = microseconds
    self.zoneOffset = zoneOffset
  }

  /// Elapsed µs until `end`. Between two zones that differs from what the clock shows.
  public func time(until end: PolarMoment) -> Int64 {
    let shown = end.microseconds - microseconds
    guard let from = zoneOffset, let to = end.zoneOffset else { return shown }
    return shown - Int64(to - from) * 60_000_000
  }
}

extension LocalDate {
  /// Start of the day, µs since 1970-01-01T00:00:00 of the same clock; nil outside of years 1 to 9999.
  var midnight: Int64? { (1...9999).contains(year) ? dayNumber * 86_400_000_000 : nil }
}

extension PbDate {
  /// nil if the date is missing or not in the calendar.
  public var civil: LocalDate? { LocalDate(year: Int(year), month: Int(month), day: Int(day)) }
}

extension PbDateProto3 {
  /// The date; nil: not in the calendar.
  public var civil: LocalDate? { LocalDate(year: Int(year), month: Int(month), day: Int(day)) }
}

extension PbTime {
  /// µs since midnight; nil for an invalid time.
  public var timeOfDay: Int64? {
    guard hour <= 23, minute <= 59, seconds <= 60, millis <= 999 else { return nil }
    return ((Int64(hour) * 60 + Int64(minute)) * 60 + Int64(seconds)) * 1_000_000 + Int64(millis) * 1000
  }
}

extension PbLocalDateTime {
  /// The moment; nil: incomplete or invalid.
  public var moment: PolarMoment? {
    guard hasDate, hasTime, let midnight = date.civil?.midnight, let timeOfDay = time.timeOfDay else { return nil }
    let isOffset = hasTimeZoneOffset && (-720...840).contains(timeZoneOffset)
    return PolarMoment(microseconds: midnight + timeOfDay, zoneOffset: isOffset ? Int(timeZoneOffset) : nil)
  }
}

extension PbSystemDateTime {
  /// µs since 1970-01-01T00:00:00Z.
  public var microseconds: Int64? {
    guard hasDate, hasTime, let midnight = date.civil?.midnight, let timeOfDay = time.timeOfDay else { return nil }
    return midnight + timeOfDay
  }
}

extension PbDuration {
  /// Sum in milliseconds; at most 2^32 of each unit, so 64 bits do not overflow.
  public var milliseconds: Int64 {
    Int64(hours) * 3_600_000 + Int64(minutes) * 60_000 + Int64(seconds) * 1000 + Int64(millis)
  }

  /// The duration as a sample interval, µs: 1 ms to a day; nil for all others.
  var spacing: Int64? { sampleSpacing(milliseconds: milliseconds) }
}

/// A plausible interval between samples, µs. With at most a day of it, the times of all samples of a file stay far
/// within 64 bits.
func sampleSpacing(milliseconds: Int64) -> Int64? {
  (1...86_400_000).contains(milliseconds) ? milliseconds * 1000 : nil
}

/// A value in the stored scale of its series, rounded to the nearest; nil for NaN, and beyond 64 bits.
func stored(_ value: Float, _ scale: Double = 1) -> Int64? { stored(Double(value), scale) }
func stored(_ value: Double, _ scale: Double = 1) -> Int64? { Int64(exactly: (value * scale).rounded()) }
