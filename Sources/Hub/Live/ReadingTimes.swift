// Time of a reading that carries its own time, and whether it is sure.

import CivilTime
import EventLoop
import Health
import Wearable

/// The rule for one moment of the hub's clock. Pure.
///
/// - A reading without a time gets the time of its arrival.
/// - A time up to `instant` before now counts as now: the reading came as it was measured. An older one is used as it
///   is, so that stored readings, which come in quick succession, keep their distances.
/// - If the wearable's clock was read, its readings give the time, with their certainty.
/// - If not, the time counts as local time of the hub's zone. Within `readingError` of now the time is sure if the
///   clock has agreed before (`UnreadClock`), else not. A reading no older than `agreement` counts as measured over
///   this link, an older one as stored by the wearable.
/// - A future time is invalid, and so is one of more than a year ago. A time of a clock that was never set is invalid,
///   unless the clock was last read in this state. Such a reading has the time of its arrival, and is not sure.
///
/// No reading is dated after now.
struct ReadingTimes {
  /// The wearable's clock; nil: never read.
  var curve: ClockCurve?
  /// µs by which the hub's clock was stepped since then: times of the curve are by the clock as it was.
  var stepped: Int64 = 0
  var zone = TimeZoneRules.utc
  /// Evidence from readings about a clock that was never read.
  var unread = UnreadClock()
  /// The hub's time.
  var now: WallTime

  struct Told: Equatable {
    let time: WallTime
    /// The time is as sure as the hub's clock.
    let isSure: Bool
    /// The time is the wearable's own, not that of the arrival.
    let isOwn: Bool
    /// False: only the arrival is known.
    var isKnown = true
  }

  /// µs: whole seconds, which are cut off, twice if a clock was set in that second, and the way over the link.
  static let instant: Int64 = 3_000_000
  /// µs. After a measurement a person looks at the result, and the sensor must be linked: some ten seconds. The rest is
  /// for clocks that people set by hand.
  static let agreement: Int64 = 60_000_000
  /// µs by which a time of a clock that was read may differ from now: two readings in whole seconds, and the link.
  static let readingError: Int64 = 5_000_000
  /// µs.
  static let longest: Int64 = 366 * 86_400_000_000

  func told(_ own: OwnTime?) -> Told {
    guard let own else { return Told(time: now, isSure: true, isOwn: false) }
    let unsure = Told(time: now, isSure: false, isOwn: false, isKnown: false)
    guard let shown = own.shown else { return unsure }
    // A reading that comes as it is measured is dated by the clock as set now, also in the second of setting.
    if let latest = curve?.latest(shown).flatMap(moved), age(latest).magnitude <= UInt64(Self.readingError) {
      return recent(latest, isSure: true)
    }
    // A clock that was never set may show again what it showed before the hub set it, days ago.
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

  /// The time of a reading that was measured just now, or a little before.
  private func recent(_ time: Int64, isSure: Bool) -> Told {
    let told = age(time) <= Self.instant ? now : WallTime(microseconds: time)
    return Told(time: told, isSure: isSure, isOwn: false)
  }

  /// Converts a time of the hub's clock as it was read to that clock as it is now.
  private func moved(_ time: Int64) -> Int64? {
    let (time, overflow) = time.addingReportingOverflow(stepped)
    return overflow ? nil : time
  }

  /// µs from a time to now; bounded, so that it has a magnitude.
  private func age(_ time: Int64) -> Int64 {
    let (age, overflow) = now.microseconds.subtractingReportingOverflow(time)
    return overflow ? .max : max(age, -Int64.max)
  }

  /// Converts local time of the hub's zone. For a time that occurs twice, the later one.
  private func utc(_ shown: Int64) -> Int64 {
    func less(_ offset: Int) -> Int64 { shown.subtractingReportingOverflow(Int64(offset) * 1_000_000).partialValue }
    return less(zone.offset(at: less(zone.offset(at: shown))))
  }
}

/// Evidence about a clock that cannot be read, reading by reading.
///
/// The oldest of several stored readings may show the time of now by a clock that is fast. So one reading that agrees
/// with now is no evidence. Evidence is a second one that was measured at another time and agrees with its arrival. The
/// time that the hub wrote to the clock counts as the first one: what the wearable stored before that comes within
/// `apart` of it.
struct UnreadClock {
  /// Time of the first reading that agreed with now, or time set on the clock, µs. nil: unknown, or a later reading was
  /// ahead.
  private var agreed: Int64?
  /// Another reading, measured at another time, agreed too.
  private(set) var isProven = false

  /// µs: readings that are sent together and all agree with now are no further apart.
  private static let apart: UInt64 = 2 * UInt64(ReadingTimes.readingError)

  init(_ kept: AgreedClock? = nil) { (agreed, isProven) = (kept?.shown, kept != nil) }

  /// The state to store over restarts of the hub.
  var kept: AgreedClock? { isProven ? agreed.map { AgreedClock($0) } : nil }

  /// Notes that the wearable took the time: its clock showed this then, µs. A clock that is set at each visit has
  /// agreed since the first of them.
  mutating func wasSet(_ shown: Int64) { agreed = agreed ?? shown }

  func hasAgreed(before shown: Int64) -> Bool {
    guard let agreed else { return false }
    let (distance, overflow) = shown.subtractingReportingOverflow(agreed)
    return overflow || distance.magnitude > Self.apart
  }

  /// - Parameters:
  ///   - shown: µs, by the wearable's clock.
  ///   - age: µs from then to now, if the clock is right.
  /// - Returns: whether `kept` changed.
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
  /// µs by which the hub's clock was stepped since the last reading; 0 if that was made in another boot.
  func stepped(now: Instant, _ wall: WallTime) -> Int64 {
    guard let last = readings.last, last.isOfThisBoot else { return 0 }
    let passed = now.nanoseconds.subtractingReportingOverflow(last.last.monotonic).partialValue / 1000
    return wall.microseconds.subtractingReportingOverflow(last.last.wall).partialValue
      .subtractingReportingOverflow(passed).partialValue
  }

  /// The clock by which a reading of now is dated: as the last visit that read the clock left it.
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
