// A wearable's clock over many visits: what corrects the times it recorded, and how fast it runs.

import CivilTime
import EventLoop
import Health
import RingStore

/// The readings of one visit.
struct ClockReadings: Sendable, Hashable {
  let visit: UInt64
  /// Reading before anything was set.
  var opened: ClockEvidence
  /// Reading after the clock was set, or at the end of the visit, whichever was last; nil if there was only one.
  var closed: ClockEvidence?
  var wasSet = false
  /// Made since the machine booted, so that the hub's monotonic clock is the same.
  var isOfThisBoot = true
  /// Whether the visit listed everything that the wearable held. An item that only a later visit lists was recorded
  /// since.
  var isListed = false
  /// Phases that were listed completely, if others were left out.
  var listedPhases: Set<String> = []

  /// Whether the clock moved during the visit by more than the tolerance of readings.
  var jumped: Bool {
    guard let closed else { return false }
    do throws(ClockDoubt) { _ = try ClockCorrection(opened, closed) } catch {
      if case .deviceClockSet = error { return true }
    }
    return false
  }

  /// The later reading.
  var last: ClockEvidence { closed ?? opened }

  /// A point of a curve for one of the two readings.
  func reading(_ evidence: ClockEvidence) -> ClockCurve.Reading {
    ClockCurve.Reading(evidence, isOfThisBoot: isOfThisBoot)
  }
}

/// The readings of one wearable's clock, oldest first.
struct ClockKeeper {
  private(set) var readings: [ClockReadings] = []
  /// µs by which the wearable's clock is behind what the last reading predicts, for a clock that falls back by itself.
  /// 0 after a restart, until the clock is read again.
  var fallen: Int64 = 0

  /// Three weeks of visits every four hours, or five days of one an hour. Older readings say no more about the crystal
  /// than newer ones.
  static let limit = 128
  /// Minimum distance of older readings between which the clock was not set, µs. Visits come every quarter of an hour,
  /// and one reading per hour holds the same information.
  static let spacing: Int64 = 3_600_000_000

  init() {}

  /// Reads the log of visits, oldest first.
  ///
  /// - Parameters:
  ///   - boot: the machine's boot. The monotonic clock runs through restarts of the hub until the next boot. nil:
  ///     unknown.
  ///   - disowned: the visit up to which the readings were not those of a clock.
  init(_ visits: [VisitRecord], boot: BootID?, disowned: DisownedClock? = nil) {
    for visit in visits.suffix(Self.limit) {
      guard let opened = visit.opened, visit.number > disowned?.visit ?? 0 else { continue }
      var kept = ClockReadings(
        visit: visit.number, opened: opened, closed: visit.closed, isOfThisBoot: boot != nil && visit.boot == boot)
      kept.wasSet = kept.jumped
      kept.isListed = visit.isListed
      readings.append(kept)
    }
  }

  mutating func opened(_ visit: UInt64, _ evidence: ClockEvidence, afterSetting: ClockEvidence?, wasSet: Bool) {
    readings.removeAll { $0.visit == visit }
    readings.append(ClockReadings(visit: visit, opened: evidence, closed: afterSetting, wasSet: wasSet))
    thinOut()
  }

  private mutating func thinOut() {
    while readings.count > Self.limit { readings.remove(at: leastWanted) }
  }

  /// The oldest reading that is close behind another, if the clock was set in neither; else the oldest of all.
  private var leastWanted: Int {
    for index in 1..<(readings.count - 1) where !readings[index].wasSet && !readings[index].jumped {
      let (before, after) = (readings[index - 1], readings[index + 1])
      guard !before.wasSet,
        after.opened.wall.subtractingReportingOverflow(before.opened.wall).partialValue < Self.spacing
      else { continue }
      // A reading may be dropped only if the line continues through it.
      if line(from: before, to: readings[index]) != nil, line(from: readings[index], to: after) != nil { return index }
    }
    return 0
  }

  /// Whether the log has readings, used or set aside.
  var hasReadings: Bool { !readings.isEmpty || !setAside.isEmpty }
  /// Readings that are not used until it is certain that they are a clock's, oldest first.
  private var setAside: [ClockReadings] = []

  /// Stops using all readings so far, as they were not those of a clock.
  ///
  /// - Parameter isForGood: whether that is certain; else the readings are set aside, and the log keeps them.
  mutating func disown(isForGood: Bool) {
    setAside = isForGood ? [] : setAside + readings
    (readings, fallen) = ([], 0)
  }

  /// Uses the readings again that were set aside, as they are a clock's.
  mutating func takeBack() {
    if setAside.isEmpty { return }
    (readings, setAside) = (setAside + readings, [])
    thinOut()
  }

  mutating func closed(_ visit: UInt64, _ evidence: ClockEvidence) {
    guard let index = readings.lastIndex(where: { $0.visit == visit }) else { return }
    readings[index].closed = evidence
  }

  /// - Parameter phases: phases that were listed completely; nil: everything that the wearable held.
  mutating func listed(_ visit: UInt64, _ phases: Set<String>? = nil) {
    guard let index = readings.lastIndex(where: { $0.visit == visit }) else { return }
    if let phases { readings[index].listedPhases = phases } else { readings[index].isListed = true }
  }

  func of(_ visit: UInt64) -> ClockReadings? { readings.last { $0.visit == visit } }

  /// Correction for times that were recorded before visit `visit` set the clock, from the visit's reading before
  /// setting and all readings of earlier visits. Nil if the visit did not read the clock.
  ///
  /// - Parameters:
  ///   - zone: the hub's zone; a wearable that shows local time may follow its changes by itself.
  ///   - now: the hub's monotonic time, ns, up to which the wearable's clock has run since it was read. nil: for an
  ///     hour.
  ///   - beginning: what a clock of this kind shows after it lost its time.
  ///   - phase: the phase of the recorded data; nil: unknown.
  ///   - isSet: whether the data was recorded after the visit had set the clock.
  func correction(
    at visit: UInt64, _ zone: TimeZoneRules = .utc, now: Int64? = nil, beginning: Int64? = nil,
    afterSetting isSet: Bool = false, phase: String? = nil
  ) -> ClockCurve? {
    guard let index = readings.lastIndex(where: { $0.visit == visit }) else { return nil }
    var readings = upTo(index)
    if isSet {
      guard self.readings[index].wasSet, let closed = self.readings[index].closed else { return nil }
      readings.append(self.readings[index].reading(closed))
    }
    guard let last = readings.last?.evidence.monotonic else { return nil }
    let since = now.map { $0.subtractingReportingOverflow(last).partialValue / 1000 } ?? ClockCurve.longestTurn
    // For a clock that moved since then, it is unknown whether a new item was recorded before or after that.
    let listed = self.readings[..<index].last { reading in
      reading.isListed || phase.map(reading.listedPhases.contains) ?? false
    }?.last
    return ClockCurve(readings.withChanges(of: zone), since: since, beginning: beginning, listed: listed)
  }

  /// Whether the clock was set in a visit, or since the reading before it. After a restart only the log of visits shows
  /// from which visit on the wearable's times are different.
  func beganEra(at visit: UInt64) -> Bool {
    guard let index = readings.lastIndex(where: { $0.visit == visit }) else { return false }
    if readings[index].wasSet || readings[index].jumped { return true }
    guard index > 0 else { return false }
    let (before, now) = (readings[index - 1], readings[index])
    return ClockCurve.isSet(between: before.reading(before.last), and: now.reading(now.opened), among: upTo(index))
  }

  /// Returns the readings of visits before one, and the first reading of that visit.
  private func upTo(_ index: Int) -> [ClockCurve.Reading] {
    var all: [ClockCurve.Reading] = []
    for reading in readings[..<index] {
      all.append(reading.reading(reading.opened))
      if let closed = reading.closed { all.append(reading.reading(closed)) }
    }
    all.append(readings[index].reading(readings[index].opened))
    return all
  }

  private func line(from earlier: ClockReadings, to later: ClockReadings) -> ClockCorrection? {
    ClockCurve.line(earlier.reading(earlier.last), later.reading(later.opened))
  }

  // MARK: For people

  /// Parts per million by which the clock is fast, over the longest time without a setting; or why that is unknown.
  var drift: (ppm: Double?, doubt: String?) {
    guard let newest = readings.last else { return (nil, "it was never asked for its time") }
    var best: ClockCorrection?
    for earlier in readings.dropLast().reversed() {
      // Readings before a jump of the clock cannot be compared, nor can those with an implausible clock of the hub.
      guard let line = line(from: earlier, to: newest) else { break }
      best = line
      if earlier.wasSet { break }
    }
    if let ppm = best?.driftPPM { return (ppm, nil) }
    if readings.count == 1 { return (nil, "it was read once only") }
    if best == nil {
      return (nil, newest.opened.isTrusted ? "it was set since the last visit" : "the hub's clock is not trusted")
    }
    return (nil, "its readings are less than 6 h apart")
  }

  /// Microseconds by which the wearable's clock was ahead at the last reading. A wearable that reports local time is
  /// compared with the hub's zone.
  func ahead(_ zone: TimeZoneRules) -> Int64? {
    (readings.last?.last).map { last in
      let ahead = (last.device &- fallen).subtractingReportingOverflow(last.wall).partialValue
      return last.offset == nil
        ? ahead : ahead.subtractingReportingOverflow(Int64(zone.offset(at: last.wall)) * 1_000_000).partialValue
    }
  }
  var lastSet: ClockReadings? { readings.last { $0.wasSet } }
}
