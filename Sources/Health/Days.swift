// What local days were like, computed from a stream of items whenever somebody asks; nothing of it is stored.

public import CivilTime

/// Sums up items of one series, in whatever order they come.
///
/// Its memory is that of its days: about 400 bytes each, at most `dayLimit` of them. An item within a day that is open
/// allocates nothing; if that is the day of the item before, it is not even searched for.
public struct DayAccumulator: Sendable {
  /// Days that may be open at once: more than ten years.
  public static let dayLimit = 4_000
  /// The longest interval that is believed, µs: 32 days.
  public static let longestInterval: Int64 = 32 * 86_400_000_000
  /// A shorter part of an interval beyond midnight is none, µs: a wearable's midnight is that far from the hub's as its
  /// clock may be wrong before anybody sets it.
  public static let sliver: Int64 = 20_000_000

  public let series: Series
  public let zone: TimeZoneRules
  /// Items left out because their day, or one of their days, would have been more than `dayLimit`. The days that are
  /// there stay complete.
  public private(set) var overflowed = 0
  /// Items left out because no program of ours wrote them: flags without meaning, a length below 0 or above
  /// `longestInterval`.
  public private(set) var malformed = 0

  private let isInterval: Bool
  private let partCount: Int
  private let hasStates: Bool
  /// In the order in which they were opened.
  private var open: [DaySummary] = []
  /// Start of each and its place in `open`, ascending.
  private var order: [(start: Int64, place: Int)] = []
  /// The day of the item before: its place and times.
  private var current = 0
  private var currentStart: Int64 = 0
  private var currentEnd: Int64 = 0

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

  /// All days that have an item, ascending.
  public var days: [DaySummary] { order.map { open[$0.place] } }

  /// An item of one value; of a vector, one whose components are all the same.
  public mutating func add(time: Int64, flags: UInt8, value: Int64, length: Int64 = 0) {
    add(time: time, flags: flags, length: length) { _ in value }
  }

  /// An item.
  ///
  /// An interval over midnight counts as one item in each of the days it touches, with its value for minimum, maximum
  /// and mean, and is split by time for the sum: in whole numbers of the stored scale, so that the parts add up to the
  /// value. A part at its begin or end that is shorter than `sliver` and than half of it belongs to the day beside it:
  /// so a wearable's minute after midnight is of the day that it is for, however its clock was corrected. An item that
  /// goes on in the next is one item with that.
  /// - Parameters:
  ///   - time: microseconds since 1970; of an interval, its begin.
  ///   - flags: as stored, see `SampleFlags`.
  ///   - length: of an interval, µs; not looked at for other layouts.
  ///   - value: in the stored scale, by component; not asked where the series has none.
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

  /// An item of another day than the one before, or of several.
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

  /// An interval cut at midnights, without slivers; the lengths add up to its own.
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

  /// The days between a time and `length` later, at least one; nil if they would be too many with those that are open.
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
      // Only at the end of time does a day not go on behind the time that is in it.
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

  /// The place of a day in `open`, which it gets now if it has none. `time` is that of its first item.
  private mutating func place(of date: LocalDate, _ span: Range<Int64>, _ time: Int64) -> Int {
    let before = search(span.lowerBound)
    if let before, order[before].start == span.lowerBound { return order[before].place }
    open.append(DaySummary(date: date, span: span, time: time, partCount: partCount, hasStates: hasStates))
    order.insert((span.lowerBound, open.count - 1), at: before.map { $0 + 1 } ?? 0)
    return open.count - 1
  }
}

/// The local days of a series, ascending, and how many items they leave out: as `DayAccumulator` counts them.
public struct SeriesDays: Sendable {
  public var days: [DaySummary]
  public var overflowed = 0
  public var malformed = 0

  /// Nothing was found.
  public var isEmpty: Bool { days.isEmpty && overflowed == 0 && malformed == 0 }

  public init(_ accumulator: DayAccumulator) {
    days = accumulator.days
    overflowed = accumulator.overflowed
    malformed = accumulator.malformed
  }
}
