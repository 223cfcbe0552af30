// Times of fetched samples, and whether they are sure.

import EventLoop
import Health
import RingStore
import Wearable

/// The hub's times of one item.
///
/// A time belongs to the first of the curves that can have shown it. Without such a curve, or if the result would be in
/// the future, the wearable's own time stays. Its clock was set differently then, in an unknown way. Such a time is
/// never placed after now, and is not sure. A time from a reading with an untrusted clock of the hub is not sure
/// either. A time after now by more than the error of readings is a future one, and refused. The item's bytes and the
/// readings are in the store, for better knowledge later.
struct ItemTimes: Sendable {
  /// Curves in the order in which they are tried.
  var curves: [ClockCurve] = []
  /// The hub's clock, and whether it is trusted.
  var now: WallTime
  var isTrusted: Bool
  /// The item has the hub's own times: its wearable has no readable clock, or its driver gives them.
  var areHubTimes = false
  /// The item's own time is a guess.
  var isGuess = false
  /// µs by which a correct clock of the wearable is ahead of UTC, for clocks that show local time.
  var zone: Int64 = 0

  /// Time that a value may be after now: the error of a reading.
  static let tolerance = ClockCorrection.readingError

  func hubTime(of device: Int64) -> (time: WallTime, isSure: Bool) {
    let told = told(device)
    return (told.time, told.isSure)
  }

  /// A time, and what is known of it.
  struct Told {
    let time: WallTime
    let isSure: Bool
    /// Explained by a reading, or the hub's own: at most as sure as the hub's clock, and counted for how far the
    /// wearable was read.
    let isExplained: Bool
    /// The time is after now by more than the error of readings, and no reading explains it. Samples with this time are
    /// refused, and only their bytes are stored.
    var isFuture = false
  }

  func told(_ device: Int64) -> Told {
    for curve in curves {
      guard let told = curve.told(device) else { continue }
      // A hub with an untrusted clock cannot judge that the time of a sure reading is after now.
      if isTrusted || !told.isSure, told.time > now.microseconds.saturatingAdd(Self.tolerance) { continue }
      let time = WallTime(microseconds: told.time)
      return Told(time: time, isSure: told.isSure && !isGuess, isExplained: !isGuess)
    }
    let (shifted, overflow) = device.subtractingReportingOverflow(zone)
    let own = overflow ? device : shifted
    let isPast = own <= now.microseconds.saturatingAdd(Self.tolerance)
    let isOwn = areHubTimes && isPast && !isGuess
    // Unknown for a clock that cannot be read, and for a hub with an untrusted clock.
    let isKnown = isTrusted && !isGuess && (areHubTimes || !curves.isEmpty)
    let isFuture = isKnown && own > (now + Watermark.tolerance).microseconds
    return Told(
      time: WallTime(microseconds: min(own, now.microseconds)), isSure: isOwn && isTrusted, isExplained: isOwn,
      isFuture: isFuture)
  }
}

extension ItemTimes {
  /// Shorter spans are durations that the wearable measured, not differences of clock times, µs: steps come by the
  /// minute.
  static let toldSpan: Int64 = 600_000_000

  /// Length of a span by the wearable's clock, beginning at a time, µs.
  ///
  /// If the clock was set in between, its two ends are by different clocks: then the difference of the hub's times is
  /// used. Differences that a crystal explains (100 ppm, and a second of error in a reading) are ignored.
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
  /// Times for an item that this visit fetched, or an earlier one listed.
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
    // An item that was listed before the clock was set has times of the clock before, up to that moment.
    if let first = book.firstListing(of: item.id), first != record.number, let readings = clock.of(first),
      readings.wasSet
    {
      curves += [curve(first, now: readings.last.monotonic)].compactMap { $0 }
    }
    let own = clock.of(record.number)
    // If this visit has set the clock: the clock before, up to that moment, and then the clock after.
    let ended = own.flatMap { $0.wasSet ? $0.closed?.monotonic : nil } ?? now
    curves += [curve(record.number, now: min(ended, now)), curve(record.number, now: now, afterSetting: true)]
      .compactMap { $0 }
    // Times of readings do not become future ones because the wall clock was set back since.
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

  /// Returns how far a clock with local time is ahead of UTC, in quarters of an hour; nil if it shows no local time.
  private static func zone(shownBy reading: ClockEvidence?) -> Int64? {
    guard let reading else { return nil }
    let quarter: Int64 = 900_000_000
    let (ahead, overflow) = reading.device.subtractingReportingOverflow(reading.wall)
    guard !overflow, ahead.magnitude <= 14 * 3_600_000_000 else { return nil }
    let quarters = (ahead + (ahead < 0 ? -quarter : quarter) / 2) / quarter
    return quarters * quarter
  }
}
