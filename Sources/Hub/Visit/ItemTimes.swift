// When what was fetched was measured, and whether that is sure.

import EventLoop
import Health
import RingStore
import Wearable

/// The hub's times of one item.
///
/// A time belongs to the first of the curves that can have shown it. One that none can have shown, or that they would
/// put behind the hub's now, is kept as the
/// wearable gave it: the clock stood otherwise then, and nobody knows how. It is never put behind now, and it is not
/// sure; neither is a time that rests on a
/// reading at which the hub's own clock was not trusted. What would lie behind now by more than readings are wrong by
/// is of the future, and refused. The item's bytes and the readings are in the store, for whoever comes to know better.
struct ItemTimes: Sendable {
  /// In the order in which they are asked.
  var curves: [ClockCurve] = []
  /// The hub's clock, and whether it is trusted.
  var now: WallTime
  var isTrusted: Bool
  /// The item has the hub's own times: its wearable has no clock that could be asked, or its driver gives them.
  var areHubTimes = false
  /// What the item says of its own time is a guess.
  var isGuess = false
  /// µs that the wearable's clock is ahead of Greenwich's when it is right: those that show local time.
  var zone: Int64 = 0

  /// By how much a time may lie behind now: what a reading may be wrong by.
  static let tolerance = ClockCorrection.readingError

  func hubTime(of device: Int64) -> (time: WallTime, isSure: Bool) {
    let told = told(device)
    return (told.time, told.isSure)
  }

  /// One time, and what is known of it.
  struct Told {
    let time: WallTime
    let isSure: Bool
    /// A reading explains it, or it is the hub's own: it may be no surer than the hub's clock, and tells how far the
    /// wearable was read.
    let isExplained: Bool
    /// It says that it is yet to come, by more than readings are wrong by, and no reading explains it: what has this
    /// time is refused, and its bytes alone are kept.
    var isFuture = false
  }

  func told(_ device: Int64) -> Told {
    for curve in curves {
      guard let told = curve.told(device) else { continue }
      // A hub that does not know the time cannot say that what a sure reading tells is yet to come.
      if isTrusted || !told.isSure, told.time > now.microseconds.saturatingAdd(Self.tolerance) { continue }
      let time = WallTime(microseconds: told.time)
      return Told(time: time, isSure: told.isSure && !isGuess, isExplained: !isGuess)
    }
    let (shifted, overflow) = device.subtractingReportingOverflow(zone)
    let own = overflow ? device : shifted
    let isPast = own <= now.microseconds.saturatingAdd(Self.tolerance)
    let isOwn = areHubTimes && isPast && !isGuess
    // Of a clock that nobody can read, or a hub that does not know the time, nobody can say that.
    let isKnown = isTrusted && !isGuess && (areHubTimes || !curves.isEmpty)
    let isFuture = isKnown && own > (now + Watermark.tolerance).microseconds
    return Told(
      time: WallTime(microseconds: min(own, now.microseconds)), isSure: isOwn && isTrusted, isExplained: isOwn,
      isFuture: isFuture)
  }
}

extension ItemTimes {
  /// Shorter spans are measured and not told from two times of a clock, µs: steps come by the minute.
  static let toldSpan: Int64 = 600_000_000

  /// How long a span was that the wearable tells by its clock, from a time on, µs.
  ///
  /// Where the clock was set in between, its two ends were shown by different clocks: then it is as long as the hub's
  /// times of them are apart. What a crystal explains (100 ppm, and a second that a reading may be wrong by) is left.
  func length(from device: Int64, _ length: Int64) -> Int64 {
    let (end, overflow) = device.addingReportingOverflow(length)
    guard length >= Self.toldSpan, !overflow else { return length }
    let (first, last) = (hubTime(of: device), hubTime(of: end))
    let (told, isFar) = last.time.microseconds.subtractingReportingOverflow(first.time.microseconds)
    guard first.isSure, last.isSure, !isFar, told > 0, told < 2 * length else { return length }
    return abs(told - length) > length / 10_000 + 1_000_000 ? told : length
  }
}

extension VisitRunner {
  /// For an item that this visit fetched, or an earlier one listed.
  func times(of item: HeldItem) -> ItemTimes {
    let clock = wearable.visits.clock
    let zone = hub.options.timeZone
    let begins = wearable.driver?.clocked?.clockBeginning
    let now = loop.now.nanoseconds
    let phase = book.phase(of: item.id)
    func curve(_ visit: UInt64, now: Int64, afterSetting: Bool = false) -> ClockCurve? {
      clock.correction(at: visit, zone, now: now, beginning: begins, afterSetting: afterSetting, phase: phase)
    }
    var curves: [ClockCurve] = []
    let givesHubTimes = wearable.driver?.clocked?.givesHubTimes == true
    // What was listed before the clock was set has the times of the clock as it was, until that.
    if let first = book.firstListing(of: item.id), first != record.number, let readings = clock.of(first),
      readings.wasSet
    {
      curves += [curve(first, now: readings.last.monotonic)].compactMap { $0 }
    }
    let own = clock.of(record.number)
    // Where this visit has set it, as it was until that, and then as it is.
    let ended = own.flatMap { $0.wasSet ? $0.closed?.monotonic : nil } ?? now
    curves += [curve(record.number, now: min(ended, now)), curve(record.number, now: now, afterSetting: true)]
      .compactMap { $0 }
    // A wall clock that was put back since the readings were made does not make their times those of the future.
    var latest = loop.wall
    if let opened = own?.opened {
      let (wall, overflow) = opened.wall.addingReportingOverflow(max(0, now - opened.monotonic) / 1000)
      if !overflow { latest = max(latest, WallTime(microseconds: wall)) }
    }
    var times = ItemTimes(curves: givesHubTimes ? [] : curves, now: latest, isTrusted: loop.wallIsTrusted)
    times.areHubTimes =
      givesHubTimes || own == nil && wearable.driver?.capabilities.contains(.timeRead) != true
    if givesHubTimes { return times }
    if wearable.driver?.clocked?.showsLocalTime == true {
      times.zone = Self.zone(shownBy: own?.last) ?? Int64(zone.offset(at: latest.microseconds)) * 1_000_000
    }
    return times
  }

  /// How far ahead of Greenwich's a clock is that shows local time, in quarters of an hour; nil where it shows none.
  private static func zone(shownBy reading: ClockEvidence?) -> Int64? {
    guard let reading else { return nil }
    let quarter: Int64 = 900_000_000
    let (ahead, overflow) = reading.device.subtractingReportingOverflow(reading.wall)
    guard !overflow, ahead.magnitude <= 14 * 3_600_000_000 else { return nil }
    let quarters = (ahead + (ahead < 0 ? -quarter : quarter) / 2) / quarter
    return quarters * quarter
  }
}
