// Schedule of a wearable's measurements by the hub: an interval, within a part of each local day.

public import CivilTime
public import EventLoop
import Wearable

/// An ordered schedule: `every=4h seconds=60 between=07:00-22:00`.
///
/// The times of a day are the first minute of the part and every interval after it, by the local clock, until the part
/// ends. Every 4 h between 07:00 and 22:00 is 07:00, 11:00, 15:00 and 19:00, on each day. A part that ends before it
/// begins goes over midnight. A time that a change of the clock skips comes later by that change; a time that occurs
/// twice comes the first time.
public struct MeasurementSchedule: Sendable, Hashable {
  /// Interval in seconds, a multiple of 60.
  public let every: Int
  /// Length of a measurement in seconds.
  public let seconds: Int
  /// Minutes after midnight. Equal values: a whole day from there.
  public let begin: Int
  /// End in minutes after midnight; equal to `begin`: a whole day.
  public let end: Int

  /// Seconds from a quarter of an hour, in which a measurement of 180 s is a fifth of the time, to a day.
  public static let intervals = 900...86_400
  package static let day = 1440

  /// nil if out of range.
  public init?(every: Int, seconds: Int = VitalsOrder.usualLength, begin: Int = 0, end: Int = 0) {
    guard Self.intervals.contains(every), every.isMultiple(of: 60), VitalsOrder.lengths.contains(seconds),
      (0..<Self.day).contains(begin), (0..<Self.day).contains(end)
    else { return nil }
    (self.every, self.seconds, self.begin, self.end) = (every, seconds, begin, end)
  }

  // MARK: Words

  /// The possible values, for people.
  public static let forms = "every=15m to 24h, seconds=20 to 180 (60 by default), between=07:00-22:00"

  /// Parses words in any order, each once; `every` is required. nil for anything else.
  public init?(text: String) {
    var words: [Substring: Substring] = [:]
    for word in text.split(separator: " ") {
      let parts = word.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, ["every", "seconds", "between"].contains(parts[0]), words[parts[0]] == nil else {
        return nil
      }
      words[parts[0]] = parts[1]
    }
    guard let every = words["every"].flatMap(Self.seconds) else { return nil }
    var (seconds, begin, end) = (VitalsOrder.usualLength, 0, 0)
    if let word = words["seconds"] {
      guard let number = Self.number(word) else { return nil }
      seconds = number
    }
    if let word = words["between"] {
      let parts = word.split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 2, let first = Self.minute(parts[0]), let last = Self.minute(parts[1]) else { return nil }
      (begin, end) = (first, last)
    }
    self.init(every: every, seconds: seconds, begin: begin, end: end)
  }

  /// Text as it is entered.
  public var text: String {
    let minutes = every / 60
    let length = minutes.isMultiple(of: 60) ? "\(minutes / 60)h" : "\(minutes)m"
    let part = begin == 0 && end == 0 ? "" : " between=\(MonitoringWindow.text(begin))-\(MonitoringWindow.text(end))"
    return "every=\(length) seconds=\(seconds)\(part)"
  }

  /// Digits alone: no sign, no blank.
  private static func number(_ word: Substring) -> Int? {
    guard (1...6).contains(word.utf8.count), word.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(word)
  }

  /// `90m`, `4h`
  private static func seconds(_ word: Substring) -> Int? {
    let unit = ["m": 60, "h": 3600][word.suffix(1)]
    guard let unit, let count = number(word.dropLast()) else { return nil }
    return count * unit
  }

  /// `07:00`; `24:00` is midnight.
  private static func minute(_ word: Substring) -> Int? {
    let parts = word.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].utf8.count == 2, let hours = number(parts[0]), let minutes = number(parts[1]),
      hours < 24 && minutes < 60 || hours == 24 && minutes == 0
    else { return nil }
    return (hours * 60 + minutes) % day
  }

  // MARK: Moments

  /// The first time after another; nil at the ends of time.
  public func next(after time: WallTime, in zone: TimeZoneRules) -> WallTime? {
    let day = zone.date(of: time.microseconds).dayNumber
    // A part over midnight began the day before. A day with a change of the clock may have no time left, or the same
    // one twice.
    return (day - 1...day + 2).lazy.compactMap { day in moments(of: day, in: zone).first { $0 > time } }.first
  }

  /// Times of the day with this number, in order.
  private func moments(of day: Int64, in zone: TimeZoneRules) -> [WallTime] {
    let length = begin == end ? Self.day - 1 : (end - begin + Self.day) % Self.day
    return stride(from: begin, through: begin + length, by: every / 60).compactMap { minute in
      Self.moment(day * 86_400 + Int64(minute) * 60, in: zone)
    }
  }

  /// Returns when clocks show this many seconds since 1970-01-01 00:00.
  private static func moment(_ shown: Int64, in zone: TimeZoneRules) -> WallTime? {
    // Offsets are below a day, so both sides of a change are examined.
    func offset(at second: Int64) -> Int64 { Int64(zone.offset(at: second * 1_000_000)) }
    guard (-100_000_000_000...200_000_000_000).contains(shown) else { return nil }
    let (before, behind) = (offset(at: shown - 86_400), offset(at: shown + 86_400))
    let first = [shown - before, shown - behind].filter { offset(at: $0) == shown - $0 }.min()
    return WallTime(microseconds: (first ?? shown - before) * 1_000_000)
  }
}
