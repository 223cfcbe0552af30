// Time as people read and write it: in the zone of the hub, whichever command they use. JSON does not use this.

public import CivilTime
public import EventLoop
internal import HubProtocol
public import Reasons
internal import RingStore

/// Parses and prints times in one zone, at one moment: the only type that does.
///
/// - A date is the whole local day, be it 23, 24 or 25 hours long.
/// - A time that occurs twice is the first of both; one that a change of the clock skips is the moment of the change.
/// - A printed time that occurs twice is followed by its offset.
public struct HubTime: Sendable {
  /// Zone of the hub.
  public let zone: TimeZoneRules
  /// Present time, for relative times.
  public let now: WallTime

  /// The end of a day for which a date alone stands.
  public enum Edge: Sendable {
    case start
    /// The first moment of the next day.
    case end
  }

  /// A parser at one moment.
  public init(zone: TimeZoneRules, now: WallTime) {
    self.zone = zone
    self.now = now
  }

  /// The accepted forms, for help and for errors.
  public static let forms =
    "today, yesterday, 14:30, 2026-11-22, 2026-11-22 10:00, 2h (or -2h; s m h d w), 2026-11-22T10:00:00+01:00"

  // MARK: Reading

  /// - Parameter option: the option of this value, for the error: `--since`.
  /// - Throws: `timeNotUnderstood`.
  public func time(_ text: String, _ edge: Edge = .start, of option: String) throws(HearthError) -> WallTime {
    guard let time = parse(text, edge) else {
      throw HearthError(.timeNotUnderstood, "\(option) takes \(Self.forms); not '\(harmless(text, limit: 64))'")
    }
    return time
  }

  /// - Throws: `timeNotUnderstood`.
  public func time(_ text: String?, _ edge: Edge = .start, of option: String) throws(HearthError) -> WallTime? {
    guard let text else { return nil }
    return try time(text, edge, of: option) as WallTime
  }

  private func parse(_ text: String, _ edge: Edge) -> WallTime? {
    if text == "now" { return now }
    if let date = date(text) {
      let span = zone.span(of: date)
      return WallTime(microseconds: edge == .start ? span.lowerBound : span.upperBound)
    }
    if let age = Self.age(text) {
      let (time, overflow) = now.microseconds.subtractingReportingOverflow(age)
      return overflow ? nil : WallTime(microseconds: time)
    }
    if let inDay = CivilMoment.timeOfDay(text) {
      return WallTime(microseconds: zone.moment(zone.date(of: now.microseconds), inDay: inDay))
    }
    guard let civil = CivilMoment(text: text) else { return nil }
    return WallTime(
      microseconds: civil.offset.map { civil.microseconds(at: $0) } ?? zone.moment(civil.date, inDay: civil.inDay))
  }

  private func date(_ text: String) -> LocalDate? {
    switch text {
    case "today": zone.date(of: now.microseconds)
    case "yesterday": LocalDate(dayNumber: zone.date(of: now.microseconds).dayNumber - 1)
    default: LocalDate(text: text)
    }
  }

  /// `90s`, `15m`, `2h`, `3d`, `1w`, each also with a minus, as microseconds; nil beyond their range.
  private static func age(_ text: String) -> Int64? {
    let units: [UInt8: Int64] = [0x73: 1, 0x6D: 60, 0x68: 3600, 0x64: 86_400, 0x77: 604_800]
    guard let unit = text.utf8.last.flatMap({ units[$0] }) else { return nil }
    let digits = text.utf8.drop { $0 == 0x2D }.dropLast()
    guard text.utf8.count - digits.count <= 2, (1...10).contains(digits.count),
      digits.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    let count = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
    let (product, overflow) = (count * unit).multipliedReportingOverflow(by: 1_000_000)
    return overflow ? nil : product
  }

  /// A length such as `15m` or `2h`, in seconds; nil if invalid.
  public static func seconds(_ text: String) -> Int64? {
    guard text.utf8.first != 0x2D, let microseconds = age(text) else { return nil }
    return microseconds / 1_000_000
  }

  // MARK: Printing

  /// `2026-11-22 10:00:05`
  public func text(_ time: WallTime) -> String { "\(zone.date(of: time.microseconds).text) \(clock(time))" }

  /// A time of a document; `?` if invalid.
  public func text(_ time: String?) -> String { time.flatMap { WallTime(rfc3339: $0) }.map { text($0) } ?? "?" }

  /// `2026-11-22`: the local day of a time of a document.
  public func day(_ time: String?) -> String {
    time.flatMap { WallTime(rfc3339: $0) }.map { zone.date(of: $0.microseconds).text } ?? "?"
  }

  /// `2026-11-22 10:00 to 11:00:05`: with the day of the end only if it differs.
  public func span(_ from: String?, _ to: String?) -> String {
    guard day(from) == day(to), let end = to.flatMap({ WallTime(rfc3339: $0) }) else {
      return "\(text(from)) to \(text(to))"
    }
    return "\(text(from)) to \(clock(end))"
  }

  /// `10:00:05` on the hub's clocks, `10:00:05+01:00` in an hour that occurs twice.
  public func clock(_ time: WallTime) -> String { String(clock(time, digits: 0)) }

  /// The same with milliseconds.
  public func fineClock(_ time: WallTime) -> String { clock(time, digits: 3) }

  /// `10:00`
  public func minute(_ time: WallTime) -> String { String(clock(time, digits: 0).prefix(5)) }

  /// `14:07:38`; of another day `20 Nov`, of another year `2025-11`: at most eight columns, for a table.
  public func short(_ time: String?) -> String? {
    guard let time, let then = WallTime(rfc3339: time) else { return nil }
    let date = zone.date(of: then.microseconds)
    let today = zone.date(of: now.microseconds)
    if date == today { return String(clock(then, digits: 0).prefix(8)) }
    return date.year == today.year ? "\(date.day) \(date.monthName)" : String(date.text.dropLast(3))
  }

  private func clock(_ time: WallTime, digits: Int) -> String {
    let offset = Int64(zone.offset(at: time.microseconds))
    // In two steps, as the ends of time have no room for an offset.
    let day = Int128(86_400_000_000)
    let inDay = Int64(floorRemainder(Int128(time.microseconds) + Int128(offset) * 1_000_000, day))
    var text = Self.hoursAndMinutes(inDay / 1_000_000) + ":" + Self.padded(inDay / 1_000_000 % 60, 2)
    if digits > 0 { text += "." + Self.padded(inDay / 1000 % 1000, 3) }
    if zone.isShownTwice(time.microseconds) {
      text += (offset < 0 ? "-" : "+") + Self.hoursAndMinutes(Int64(offset.magnitude))
    }
    return text
  }

  /// `10:00` of seconds.
  private static func hoursAndMinutes(_ seconds: Int64) -> String {
    padded(seconds / 3600, 2) + ":" + padded(seconds / 60 % 60, 2)
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
