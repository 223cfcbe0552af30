// When a reading that tells its own time was measured, and whether that is sure.

import CivilTime
import EventLoop
import Health
import Wearable

/// The rule, for one moment of the hub's clock. Pure.
///
/// - A reading without a time is of the moment at which it came.
/// - A time up to `instant` before now is of now: the reading came as it was measured. An older one is its own, so that
///   readings that were kept, and come one behind the other, keep their distances.
/// - Where the wearable's clock was read, its readings say what its time is, as sure as they are.
/// - Where it was not, its time is taken for that of the hub's zone: sure within `readingError` of now if the clock has
///   agreed before (`UnreadClock`), and not sure else. What is no older than `agreement` counts as measured over this
///   link, and what is older as kept.
/// - A time that is yet to come, one of more than a year ago, and one of a clock that nobody set, unless that is how it
///   was read last, are none: the reading has the time at which it came, and is not sure.
///
/// Nothing is dated after now.
struct ReadingTimes {
  /// Of the wearable's clock; nil: it was never read.
  var curve: ClockCurve?
  /// µs by which the hub's clock was stepped since: what the curve tells is by the clock as it was.
  var stepped: Int64 = 0
  var zone = TimeZoneRules.utc
  /// What the readings of a clock that was never read have shown of it.
  var unread = UnreadClock()
  /// The hub's.
  var now: WallTime

  struct Told: Equatable {
    let time: WallTime
    /// As sure as the hub's clock is; else nothing vouches for it.
    let isSure: Bool
    /// The wearable's own time, and not that at which it came.
    let isOwn: Bool
    /// False: all that is known of its time is when it came.
    var isKnown = true
  }

  /// µs: whole seconds, which are cut off, once more where a clock was set in that second, and the way over the link.
  static let instant: Int64 = 3_000_000
  /// µs. A person who measured goes on to look, and the sensor to be linked: some ten seconds. The rest is left to
  /// clocks that people set by hand.
  static let agreement: Int64 = 60_000_000
  /// µs that a time by a clock that was read may be from now: two readings in whole seconds, and the link.
  static let readingError: Int64 = 5_000_000
  /// µs.
  static let longest: Int64 = 366 * 86_400_000_000

  func told(_ own: OwnTime?) -> Told {
    guard let own else { return Told(time: now, isSure: true, isOwn: false) }
    let unsure = Told(time: now, isSure: false, isOwn: false, isKnown: false)
    guard let shown = own.shown else { return unsure }
    // What comes as it is measured is of the clock as it stands, also in the second in which it was set.
    if let latest = curve?.latest(shown).flatMap(moved), age(latest).magnitude <= UInt64(Self.readingError) {
      return recent(latest, isSure: true)
    }
    // One that nobody has set may show again what it showed before the hub set it, days ago.
    if let told = curve?.told(shown, isLatest: own.isUnset), let time = moved(told.time),
      age(time) >= -Self.readingError
    {
      if age(time) <= Self.readingError { return recent(time, isSure: true) }
      return Told(time: WallTime(microseconds: time), isSure: told.isSure && !own.isUnset, isOwn: true)
    }
    if own.isUnset { return unsure }
    let time = utc(shown)
    let passed = age(time)
    if abs(passed) <= Self.agreement {
      return recent(time, isSure: abs(passed) <= Self.readingError && unread.hasAgreed(before: shown))
    }
    if passed < 0 || passed > Self.longest { return unsure }
    return Told(time: WallTime(microseconds: time), isSure: false, isOwn: true)
  }

  /// µs from the time of a reading to now, by a clock that was never read and seems to be set; nil for any other.
  func ageUnread(_ own: OwnTime?) -> Int64? {
    guard curve == nil, let own, !own.isUnset, let shown = own.shown else { return nil }
    return age(utc(shown))
  }

  /// Of a reading that was measured just now, or a little before.
  private func recent(_ time: Int64, isSure: Bool) -> Told {
    let told = age(time) <= Self.instant ? now : WallTime(microseconds: time)
    return Told(time: told, isSure: isSure, isOwn: false)
  }

  /// A time of the hub's clock as it was read, by that clock as it is now.
  private func moved(_ time: Int64) -> Int64? {
    let (time, overflow) = time.addingReportingOverflow(stepped)
    return overflow ? nil : time
  }

  /// µs from a time to now; bounded, so that it has a magnitude.
  private func age(_ time: Int64) -> Int64 {
    let (age, overflow) = now.microseconds.subtractingReportingOverflow(time)
    return overflow ? .max : max(age, -Int64.max)
  }

  /// Of what a clock shows in the hub's zone. Where it shows a time twice, the later.
  private func utc(_ shown: Int64) -> Int64 {
    func less(_ offset: Int) -> Int64 { shown.subtractingReportingOverflow(Int64(offset) * 1_000_000).partialValue }
    return less(zone.offset(at: less(zone.offset(at: shown))))
  }
}

/// What a clock that cannot be read has shown of itself, reading by reading.
///
/// The oldest of several readings that a wearable kept may show the time of now by a clock that is fast. So one reading
/// that agrees with now is no evidence; a second one is, that was measured at another time and agrees with the moment
/// at which it came. The time that the hub has written to it counts as the first one: what the wearable kept before
/// that comes within `apart` of it.
struct UnreadClock {
  /// What the first reading showed that agreed with now, or what it was set to, µs; nil: neither has come, or a later
  /// reading was ahead of now.
  private var agreed: Int64?
  /// A reading agreed that was measured at another time.
  private(set) var isProven = false

  /// µs: readings that are handed over together and all agree with now are no further apart.
  private static let apart: UInt64 = 2 * UInt64(ReadingTimes.readingError)

  init(_ kept: AgreedClock? = nil) { (agreed, isProven) = (kept?.shown, kept != nil) }

  /// What outlives the hub of it.
  var kept: AgreedClock? { isProven ? agreed.map { AgreedClock($0) } : nil }

  /// The wearable took the time: its clock showed this then, µs. A clock that is set at each visit has agreed since the
  /// first of them.
  mutating func wasSet(_ shown: Int64) { agreed = agreed ?? shown }

  func hasAgreed(before shown: Int64) -> Bool {
    guard let agreed else { return false }
    let (distance, overflow) = shown.subtractingReportingOverflow(agreed)
    return overflow || distance.magnitude > Self.apart
  }

  /// - Parameters:
  ///   - shown: µs, by the wearable's clock.
  ///   - age: µs from then to now, if the clock is right.
  /// - Returns: `kept` is another one.
  @discardableResult
  mutating func note(_ shown: Int64, age: Int64) -> Bool {
    let wasProven = isProven
    if age < -ReadingTimes.readingError {
      (agreed, isProven) = (nil, false)
    } else if age <= ReadingTimes.readingError {
      if agreed == nil { agreed = shown }
      isProven = isProven || hasAgreed(before: shown)
    }
    return isProven != wasProven
  }
}

extension ClockKeeper {
  /// µs by which the hub's clock was stepped since the last reading; 0 where another boot made that.
  func stepped(now: Instant, _ wall: WallTime) -> Int64 {
    guard let last = readings.last, last.isOfThisBoot else { return 0 }
    let passed = now.nanoseconds.subtractingReportingOverflow(last.last.monotonic).partialValue / 1000
    return wall.microseconds.subtractingReportingOverflow(last.last.wall).partialValue
      .subtractingReportingOverflow(passed).partialValue
  }

  /// What dates a reading that comes now: of the last visit that read the clock, as that left it.
  ///
  /// - Parameters:
  ///   - now: the hub's monotonic clock, ns.
  ///   - beginning: what a clock of this kind shows when it has lost its time.
  func curve(_ zone: TimeZoneRules, now: Int64, beginning: Int64?) -> ClockCurve? {
    guard let last = readings.last else { return nil }
    let isSet = last.wasSet && last.closed != nil
    return correction(at: last.visit, zone, now: now, beginning: beginning, afterSetting: isSet)
  }
}
