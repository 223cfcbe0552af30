// Summaries of local days, computed on request from a stream of items, and never stored.

public import CivilTime

/// Sums up items of one series, in any order.
///
/// Memory: about 400 bytes per day, for at most `dayLimit` days. An item within an open day allocates no memory. If
/// that is the day of the preceding item, no search is needed.
public struct DayAccumulator: Sendable {
  /// Days that may be open at once: more than ten years.
  public static let dayLimit = 4_000
  /// Longest plausible interval, µs: 32 days.
  public static let longestInterval: Int64 = 32 * 86_400_000_000
  /// Longest part of an interval beyond midnight that is ignored, µs. A wearable's midnight may differ from the hub's
  /// by the error that its clock may have before it is set.
  public static let sliver: Int64 = 20_000_000

  /// Series of the items.
  public let series: Series
  /// Zone of the days.
  public let zone: TimeZoneRules
  /// Items left out because one of their days would exceed `dayLimit`. The existing days stay complete.
  public private(set) var overflowed = 0
  /// Items left out because Hearth cannot have written them: flags without meaning, a length below 0 or above
  /// `longestInterval`.
  public private(set) var malformed = 0

  private let isInterval: Bool
  private let partCount: Int
  private let hasStates: Bool
  /// Days in the order in which they were opened.
  private var open: [DaySummary] = []
  /// Start of each day and its index in `open`, ascending.
  private var order: [(start: Int64, place: Int)] = []
  /// Day of the preceding item: its index and times.
  private var current = 0
  private var currentStart: Int64 = 0
  private var currentEnd: Int64 = 0

  /// Creates days without items; days begin at midnight of `zone`.
  public init(_ series: Series, zone: TimeZoneRules) {
    self.series = series
    self.zone = zone
    hasStates = series.daily == .state
    switch series.layout {
    case .scalar: (isInterval, partCount) = (false, 1)
    case .vector(let names): (isInterval, partCount) = (false, names.count)
    case .interval: (isInterval, partCount) = (true, 1)
    case .waveform, .record: (isInterval, partCount) = (false, 0)
    }
  }

  /// Days that have an item, ascending.
  public var days: [DaySummary] { order.map { open[$0.place] } }

  /// Adds an item of one value; of a vector, one with equal components.
  public mutating func add(time: Int64, flags: UInt8, value: Int64, length: Int64 = 0) {
    add(time: time, flags: flags, length: length) { _ in value }
  }

  /// Adds an item.
  ///
  /// An interval over midnight counts as one item in each day that it touches. Minimum, maximum and mean of each use
  /// its value. For the sum it is split by time. The parts are whole numbers of the stored scale, and add up to the
  /// value. A short part at its beginning or end belongs to the neighbouring day: below `sliver`, and below half of the
  /// interval. A wearable's minute after midnight thus stays in its day, however its clock was corrected. An item that
  /// goes on in the next counts once, together with it.
  /// - Parameters:
  ///   - time: microseconds since 1970; of an interval, its beginning.
  ///   - flags: as stored, see `SampleFlags`.
  ///   - length: of an interval, µs; ignored for other layouts.
  ///   - value: in the stored scale, by component; not called if the series has no values.
  public mutating func add(time: Int64, flags: UInt8, length: Int64 = 0, _ value: (Int) -> Int64) {
    guard let flags = SampleFlags(rawValue: flags) else {
      malformed += 1
      return
    }
    let length = isInterval ? length : 0
    if time >= currentStart, time < currentEnd, length >= 0, length <= currentEnd - time {
      if !flags.goesOn {
        open[current].add(time: time, flags, length: length, value)
      }
    } else {
      addElsewhere(time, flags, length, value)
    }
  }

  /// Adds an item of another day than the preceding one, or of several days.
  @inline(never)
  private mutating func addElsewhere(
    _ time: Int64, _ flags: SampleFlags, _ length: Int64, _ value: (Int) -> Int64
  ) {
    guard length >= 0, length <= Self.longestInterval else {
      malformed += 1
      return
    }
    if flags.goesOn { return }
    if let known = search(time) {
      let place = order[known].place
      let day = (start: open[place].start, end: open[place].end)
      if time < day.end, length <= day.end - time {
        open[place].add(time: time, flags, length: length, value)
        (current, currentStart, currentEnd) = (place, day.start, day.end)
        return
      }
    }
    guard let days = days(touchedBy: time, length) else {
      overflowed += 1
      return
    }
    if days.count == 1 {
      let place = place(of: days[0].date, days[0].span, time)
      open[place].add(time: time, flags, length: length, value)
      (current, currentStart, currentEnd) = (place, open[place].start, open[place].end)
      return
    }
    let parts = Self.parts(of: days, time, length)
    let whole = value(0)
    var done: Int64 = 0
    var doneShare: Int64 = 0
    for part in parts {
      let next = done + part.length
      let share = Int64(truncatingIfNeeded: floorDivide(Int128(whole) * Int128(next), Int128(length)))
      let place = place(of: part.date, part.span, part.begin)
      open[place].add(time: part.begin, flags, share: share &- doneShare, length: part.length) { _ in whole }
      (done, doneShare) = (next, share)
    }
  }

  /// Splits an interval at midnights, without slivers; the lengths add up to its own.
  private static func parts(
    of days: [(date: LocalDate, span: Range<Int64>)], _ time: Int64, _ length: Int64
  ) -> [(date: LocalDate, span: Range<Int64>, begin: Int64, length: Int64)] {
    var parts: [(date: LocalDate, span: Range<Int64>, begin: Int64, length: Int64)] = []
    var done: Int64 = 0
    for (index, day) in days.enumerated() {
      let next = index == days.count - 1 ? length : min(length, day.span.upperBound &- time)
      parts.append((day.date, day.span, time &+ done, next - done))
      done = next
    }
    let sliver = min(Self.sliver, length / 2)
    if parts.count > 1, parts[0].length < sliver {
      parts[1].length += parts[0].length
      parts.removeFirst()
    }
    if let last = parts.last, parts.count > 1, last.length < sliver {
      parts[parts.count - 2].length += last.length
      parts.removeLast()
    }
    return parts
  }

  /// Days between a time and `length` later, at least one; nil if the limit of open days would be exceeded.
  private func days(touchedBy time: Int64, _ length: Int64) -> [(date: LocalDate, span: Range<Int64>)]? {
    let (sum, overflow) = time.addingReportingOverflow(length)
    let end = overflow ? Int64.max : sum
    var found: [(date: LocalDate, span: Range<Int64>)] = []
    var missing = 0
    var begin = time
    repeat {
      let day: (date: LocalDate, span: Range<Int64>)
      if let known = search(begin), begin < open[order[known].place].end {
        let summary = open[order[known].place]
        day = (summary.date, summary.start..<summary.end)
      } else {
        let date = zone.date(of: begin)
        day = (date, zone.span(of: date))
        if search(day.span.lowerBound).map({ order[$0].start == day.span.lowerBound }) != true { missing += 1 }
      }
      found.append(day)
      // Only at the end of time can a day end at the time within it.
      if day.span.upperBound <= begin { break }
      begin = day.span.upperBound
    } while begin < end
    return order.count + missing <= Self.dayLimit ? found : nil
  }

  /// The last entry of `order` that begins at or before a time.
  private func search(_ time: Int64) -> Int? {
    var (low, high) = (0, order.count)
    while low < high {
      let middle = (low + high) / 2
      if order[middle].start <= time { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : nil
  }

  /// Index of a day in `open`, which is added if it is missing. `time` is that of its first item.
  private mutating func place(of date: LocalDate, _ span: Range<Int64>, _ time: Int64) -> Int {
    let before = search(span.lowerBound)
    if let before, order[before].start == span.lowerBound { return order[before].place }
    open.append(DaySummary(date: date, span: span, time: time, partCount: partCount, hasStates: hasStates))
    order.insert((span.lowerBound, open.count - 1), at: before.map { $0 + 1 } ?? 0)
    return open.count - 1
  }
}

/// Local days of a series, ascending, with the numbers of items that `DayAccumulator` left out.
public struct SeriesDays: Sendable {
  /// Days with items, ascending.
  public var days: [DaySummary]
  /// Items beyond the limit of days.
  public var overflowed = 0
  /// Items with a wrong number of values.
  public var malformed = 0

  /// True if no item was found.
  public var isEmpty: Bool { days.isEmpty && overflowed == 0 && malformed == 0 }

  /// Result of the items so far.
  public init(_ accumulator: DayAccumulator) {
    days = accumulator.days
    overflowed = accumulator.overflowed
    malformed = accumulator.malformed
  }
}
