// Clock of a Polar wearable: local time with a drift of its own, lost without power.

public import EventLoop

/// Local time in nanoseconds since 2000, as the wearable believes it.
public struct PolarClock: Sendable {
  /// Time from which an unset clock counts: 2019-01-01.
  public static let unset: Int64 = 599_616_000_000_000_000
  /// Seconds from 1970 to 2000.
  static let epoch: Int64 = 946_684_800

  private var base: Int64
  private var since: Instant
  private let drift: Int64
  /// True once it was set.
  public private(set) var isSet: Bool
  /// Minutes from UTC, as set.
  public private(set) var offset: Int32?

  init(_ traits: PolarTraits, wall: WallTime, at now: Instant) {
    drift = Int64(traits.clockDrift)
    since = now
    isSet = traits.clockError != nil
    if let error = traits.clockError {
      base =
        wall.microseconds * 1000 - Self.epoch * 1_000_000_000 + Int64(traits.zoneOffset) * 60_000_000_000
        + error.wholeNanoseconds
      offset = Int32(traits.zoneOffset)
    } else {
      base = Self.unset
    }
  }

  /// Time that it shows, ns since 2000.
  public func now(at moment: Instant) -> Int64 {
    let elapsed = moment.nanoseconds - since.nanoseconds
    return base + elapsed + elapsed / 1_000_000 * drift
  }

  /// Moment at which it shows this time, with its drift.
  public func instant(of local: Int64) -> Instant {
    let shown = local - base
    return since + .nanoseconds(shown - Int64((Double(shown) * Double(drift) / (1_000_000 + Double(drift))).rounded()))
  }

  /// True nanoseconds in which it advances by so many.
  func trueTime(_ shown: Int64) -> Int64 { shown - shown / (1_000_000 + drift) * drift }

  mutating func set(_ local: Int64, offset: Int32?, at now: Instant) {
    (base, since, isSet) = (local, now, true)
    self.offset = offset
  }

  mutating func lose(at now: Instant) {
    (base, since, isSet, offset) = (Self.unset, now, false, nil)
  }
}

/// Moment in the form of the wearable's messages and folders.
struct PolarMoment: Hashable {
  let year, month, day, hour, minute, second, millisecond: Int

  /// - Parameter nanoseconds: since 2000.
  init(_ nanoseconds: Int64) {
    let milliseconds = nanoseconds.floored(by: 1_000_000)
    let seconds = milliseconds.floored(by: 1000)
    let days = seconds.floored(by: 86_400)
    let rest = Int(seconds - days * 86_400)
    (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60)
    millisecond = Int(milliseconds - seconds * 1000)
    // Gregorian years counted from March, in eras of 400; 2000-03-01 is day 60.
    let shifted = days - 60 + 146_097
    let era = shifted.floored(by: 146_097)
    let ofEra = shifted - era * 146_097
    let ofYears = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * ofYears + ofYears / 4 - ofYears / 100)
    let march = (5 * ofYear + 2) / 153
    day = Int(ofYear - (153 * march + 2) / 5 + 1)
    month = Int(march < 10 ? march + 3 : march - 9)
    year = Int(2000 + (era - 1) * 400 + ofYears) + (month <= 2 ? 1 : 0)
  }

  /// Nanoseconds since 2000; nil for an invalid date.
  static func nanoseconds(
    _ year: Int, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int, _ second: Int, _ millisecond: Int
  ) -> Int64? {
    guard (2000...2100).contains(year), (1...12).contains(month), (1...31).contains(day), (0...23).contains(hour),
      (0...59).contains(minute), (0...59).contains(second)
    else {
      return nil
    }
    let years = Int64(month <= 2 ? year - 1 : year)
    let ofYear = Int64((153 * ((month + 9) % 12) + 2) / 5 + day - 1)
    let days = years * 365 + years / 4 - years / 100 + years / 400 + ofYear - 730_425
    return ((days * 86_400 + Int64(hour * 3600 + minute * 60 + second)) * 1000 + Int64(millisecond)) * 1_000_000
  }

  /// `20240517`, `091500`.
  var dateFolder: String { Self.digits(year, 4) + Self.digits(month, 2) + Self.digits(day, 2) }
  var timeFolder: String { Self.digits(hour, 2) + Self.digits(minute, 2) + Self.digits(second, 2) }
  /// `2024-05-17 09:15:00`.
  var text: String {
    Self.digits(year, 4) + "-" + Self.digits(month, 2) + "-" + Self.digits(day, 2) + " " + Self.digits(hour, 2) + ":"
      + Self.digits(minute, 2) + ":" + Self.digits(second, 2)
  }

  static func digits(_ number: Int, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
  }
}

extension Int64 {
  func floored(by divisor: Int64) -> Int64 { self >= 0 ? self / divisor : -((-self + divisor - 1) / divisor) }
}
