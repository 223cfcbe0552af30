// Clock of a band: local time without a zone, with its own rate, set by a host and lost without power.

public import EventLoop

/// Clock of a band, which runs at its own rate from the last setting on.
public struct WristClock: Sendable {
  /// 2000-01-01T00:00:00, from which a clock counts that lost its time; seconds since 1970.
  public static let unsetEpoch: Int64 = 946_684_800
  /// Amount of a setting that begins a new stretch: more than 15 minutes, the longest slot of a band.
  static let jump: Int64 = 900_000_000_000

  /// Time shown at `since`, ns since 1970, without a zone.
  private var base: Int64
  private var since: Instant
  /// Parts per million by which it is fast.
  public let drift: Int
  /// False: not set since it lost its time.
  public private(set) var isSet: Bool
  /// Number of jumps: times of two stretches have different scales.
  public private(set) var stretch = 0
  /// Settings: time, amount, and whether the setter was another device than this hub.
  public private(set) var settings: [(at: Instant, by: Duration, isForeign: Bool)] = []
  /// Whether another device than this hub set it last.
  public private(set) var isForeign = false

  /// - Parameters:
  ///   - shown: seconds since 1970 without a zone; nil: it lost its time.
  ///   - drift: −1000 to 1000.
  public init(shown: Int64?, drift: Int, at now: Instant) {
    base = (shown ?? Self.unsetEpoch) * 1_000_000_000
    since = now
    self.drift = drift
    isSet = shown != nil
  }

  /// Nanoseconds since 1970, without a zone.
  public func nanoseconds(at moment: Instant) -> Int64 {
    let elapsed = moment.nanoseconds - since.nanoseconds
    // Divided first to prevent an overflow after years; the error is below a microsecond.
    return base + elapsed + elapsed / 1_000_000 * Int64(drift)
  }

  /// Whole seconds since 1970, without a zone.
  public func seconds(at moment: Instant) -> Int64 { nanoseconds(at: moment).floored(by: 1_000_000_000) }

  /// Moment at which it shows so many seconds at its present rate.
  public func instant(of seconds: Int64) -> Instant {
    let shown = seconds * 1_000_000_000 - base
    return since + .nanoseconds(shown - shown / (1_000_000 + Int64(drift)) * Int64(drift))
  }

  /// Sets the clock to seconds of local time since 1970; `isForeign`: by another device.
  public mutating func set(_ seconds: Int64, at now: Instant, isForeign: Bool = false) {
    let step = seconds * 1_000_000_000 - nanoseconds(at: now)
    settings.append((now, .nanoseconds(step), isForeign))
    if !isSet || abs(step) > Self.jump { stretch += 1 }
    (base, since, isSet) = (seconds * 1_000_000_000, now, true)
    self.isForeign = isForeign
  }

  /// Loses the time, as after an empty battery.
  public mutating func lose(at now: Instant) {
    stretch += 1
    (base, since, isSet) = (Self.unsetEpoch * 1_000_000_000, now, false)
  }
}

/// Date and time of day in the form of bands.
public struct WristDate: Sendable, Hashable {
  /// Parts of the date and the time of day.
  public var year, month, day, hour, minute, second: Int

  /// A date with a time of day.
  public init(_ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0, _ minute: Int = 0, _ second: Int = 0) {
    (self.year, self.month, self.day) = (year, month, day)
    (self.hour, self.minute, self.second) = (hour, minute, second)
  }

  /// - Parameter seconds: since 1970, without a zone.
  public init(_ seconds: Int64) {
    let days = seconds.floored(by: 86_400)
    let rest = Int(seconds - days * 86_400)
    (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60)
    // Years counted from March, in eras of 400: their leap day is the last of the year. 0000-03-01 is day −719468.
    let shifted = days + 719_468
    let era = shifted.floored(by: 146_097)
    let inEra = shifted - era * 146_097
    let yearOfEra = (inEra - inEra / 1460 + inEra / 36_524 - inEra / 146_096) / 365
    let inYear = inEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * inYear + 2) / 153
    day = Int(inYear - (153 * shiftedMonth + 2) / 5 + 1)
    month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
    year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
  }

  /// Seconds since 1970, without a zone; fields out of range carry over.
  public var seconds: Int64 {
    let shiftedYear = Int64(month <= 2 ? year - 1 : year)
    let era = shiftedYear.floored(by: 400)
    let yearOfEra = shiftedYear - era * 400
    let shiftedMonth = Int64(month > 2 ? month - 3 : month + 9)
    let inYear = (153 * shiftedMonth + 2) / 5 + Int64(day) - 1
    let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + inYear - 719_468
    return days * 86_400 + Int64(hour) * 3600 + Int64(minute) * 60 + Int64(second)
  }
}

extension Int64 {
  /// Quotient rounded towards minus infinity; the divisor is above 0.
  func floored(by divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}
