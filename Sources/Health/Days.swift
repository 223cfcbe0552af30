// What a local day was like, computed from a stream of items whenever somebody asks; nothing of it is stored.

/// One local day of one series. All values are in the series' stored scale (see `Series.inUnit`).
///
/// | kind of item | counts for |
/// |---|---|
/// | normal | `count`, `manual`, `automatic`, `minimum`, `maximum`, `mean`, `sum` |
/// | maximum, minimum | `maximum`, `minimum` alone |
/// | resting | `resting` alone |
///
/// All kinds count for `first` and `last`. Of vectors the first component is the value. Records and waveforms have
/// none: they are only counted.
public struct DaySummary: Sendable, Equatable {
  public let date: LocalDate
  /// Microseconds since 1970: the day's 00:00 and that of the next day, 23 to 25 hours apart where clocks are changed.
  /// `start <= time < end`.
  public let start, end: Int64
  /// Normal items. An item that is stored twice counts twice.
  public internal(set) var count = 0
  /// Of these, how many the user started, and the others.
  public internal(set) var manual = 0
  public internal(set) var automatic = 0
  /// nil without such an item.
  public internal(set) var minimum: Int64?
  public internal(set) var maximum: Int64?
  /// Value of the item of kind resting with the latest time; of several with that time, the one that arrived last.
  public internal(set) var resting: Int64?
  /// Earliest and latest time of an item of any kind.
  public internal(set) var first: Int64
  public internal(set) var last: Int64

  /// Of a series of states: the time of this day in each, by its number, µs; empty for all others.
  public internal(set) var states: [Int64]

  /// Sum of values; of intervals that go over midnight, the part that belongs to this day.
  var total: Int128 = 0
  /// Intervals: sum of value times length in this day, and of these lengths (µs).
  var weighted: Int128 = 0
  var weight: Int128 = 0
  var hasValues = false
  var restingTime: Int64 = .min

  init(date: LocalDate, span: Range<Int64>, time: Int64, hasStates: Bool) {
    self.date = date
    states = hasStates ? [Int64](repeating: 0, count: DailyMeaning.stateLimit) : []
    (start, end) = (span.lowerBound, span.upperBound)
    (first, last) = (time, time)
  }

  /// The last microsecond of the day, for who shows 23:59:59.
  public var lastInstant: Int64 { end > start ? end - 1 : end }

  /// Scalars count equally, intervals by their length in this day, equally if none has any. nil without a normal item
  /// that has a value.
  public var mean: Double? {
    guard hasValues, count > 0 else { return nil }
    return weight > 0 ? Double(weighted) / Double(weight) : Double(total) / Double(count)
  }

  /// nil without a normal item that has a value.
  public var sum: Double? { hasValues ? Double(total) : nil }

  /// An item, or the part of one that lies in this day.
  /// - Parameters:
  ///   - value: nil if the series has none.
  ///   - share: what it adds to the sum.
  ///   - length: of the part, µs.
  mutating func add(time: Int64, _ flags: SampleFlags, value: Int64?, share: Int64, length: Int64) {
    if time < first { first = time }
    if time > last { last = time }
    switch flags.kind {
    case .normal:
      count += 1
      if flags.isManual { manual += 1 } else { automatic += 1 }
      guard let value else { return }
      hasValues = true
      minimum = min(minimum ?? value, value)
      maximum = max(maximum ?? value, value)
      // 2^26 intervals of a day's length with the largest value there is would be needed to leave 128 bits.
      total &+= Int128(share)
      if length > 0 {
        if let state = Int(exactly: value), states.indices.contains(state) { states[state] &+= length }
        weighted &+= Int128(value) * Int128(length)
        weight &+= Int128(length)
      }
    case .maximum:
      if let value { maximum = max(maximum ?? value, value) }
    case .minimum:
      if let value { minimum = min(minimum ?? value, value) }
    case .resting:
      if let value, time >= restingTime {
        resting = value
        restingTime = time
      }
    }
  }
}

/// Sums up items of one series, in whatever order they come.
///
/// Its memory is that of its days: about 200 bytes each, at most `dayLimit` of them. An item within a day that is open
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
  private let hasValue: Bool
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
    case .scalar, .vector: (isInterval, hasValue) = (false, true)
    case .interval: (isInterval, hasValue) = (true, true)
    case .waveform, .record: (isInterval, hasValue) = (false, false)
    }
  }

  /// All days that have an item, ascending.
  public var days: [DaySummary] { order.map { open[$0.place] } }

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
  ///   - value: in the stored scale; of a vector, the first component.
  ///   - length: of an interval, µs; not looked at for other layouts.
  public mutating func add(time: Int64, flags: UInt8, value: Int64, length: Int64 = 0) {
    guard let flags = SampleFlags(rawValue: flags) else {
      malformed += 1
      return
    }
    let length = isInterval ? length : 0
    if time >= currentStart, time < currentEnd, length >= 0, length <= currentEnd - time {
      if !flags.goesOn {
        open[current].add(time: time, flags, value: hasValue ? value : nil, share: value, length: length)
      }
    } else {
      addElsewhere(time, flags, value, length)
    }
  }

  /// An item of another day than the one before, or of several.
  @inline(never)
  private mutating func addElsewhere(_ time: Int64, _ flags: SampleFlags, _ value: Int64, _ length: Int64) {
    guard length >= 0, length <= Self.longestInterval else {
      malformed += 1
      return
    }
    if flags.goesOn { return }
    if let known = search(time) {
      let place = order[known].place
      let day = (start: open[place].start, end: open[place].end)
      if time < day.end, length <= day.end - time {
        open[place].add(time: time, flags, value: hasValue ? value : nil, share: value, length: length)
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
      open[place].add(time: time, flags, value: hasValue ? value : nil, share: value, length: length)
      (current, currentStart, currentEnd) = (place, open[place].start, open[place].end)
      return
    }
    let parts = Self.parts(of: days, time, length)
    var done: Int64 = 0
    var doneShare: Int64 = 0
    for part in parts {
      let next = done + part.length
      let share = Int64(truncatingIfNeeded: floorDivide(Int128(value) * Int128(next), Int128(length)))
      let place = place(of: part.date, part.span, part.begin)
      open[place].add(time: part.begin, flags, value: value, share: share &- doneShare, length: part.length)
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
    open.append(DaySummary(date: date, span: span, time: time, hasStates: hasStates))
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

private func floorDivide(_ value: Int128, _ divisor: Int128) -> Int128 {
  value / divisor - (value % divisor < 0 ? 1 : 0)
}
