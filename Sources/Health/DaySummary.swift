// Summary of one local day of a series: extremes marked by the wearable, and those derived from its values.

public import CivilTime

/// Summary of a scalar, or of one component of a vector, on a day.
///
/// The wearable's own maximum or minimum of the day is kept apart from the largest or smallest stored value. The
/// wearable may have measured between stored values.
public struct DayPart: Sendable, Equatable {
  /// Value with the time of its measurement, microseconds since 1970.
  public struct Extreme: Sendable, Hashable {
    /// Value in the stored scale of the series.
    public let value: Int64
    /// Time of its measurement, microseconds since 1970.
    public let time: Int64
  }

  /// Extreme of items of kind minimum and maximum. Of several the lowest and the highest; of equal ones the earliest.
  public internal(set) var markedMinimum: Extreme?
  /// Highest value that the wearable marked.
  public internal(set) var markedMaximum: Extreme?
  /// Lowest of normal items, whether or not any is marked.
  public internal(set) var lowest: Extreme?
  /// Highest normal value.
  public internal(set) var highest: Extreme?
  /// Resting value from items of kind resting: the latest by its time; of several with that time, the last to arrive.
  public internal(set) var resting: Extreme?
  /// Sum of values; of an interval over midnight, the part within this day.
  var total: Int128 = 0
  /// Intervals: sum of value times length within this day, and sum of these lengths (µs).
  var weighted: Int128 = 0
  var weight: Int128 = 0

  /// Minimum of normal items, only if no item is marked.
  public var derivedMinimum: Extreme? { markedMinimum == nil ? lowest : nil }
  /// Highest normal value, only if no item is marked.
  public var derivedMaximum: Extreme? { markedMaximum == nil ? highest : nil }
  /// Lower of the marked and the derived minimum, in the stored scale.
  public var minimum: Int64? { Self.lower(markedMinimum, lowest)?.value }
  /// Higher of the marked and the derived maximum, in the stored scale.
  public var maximum: Int64? { Self.higher(markedMaximum, highest)?.value }

  private static func lower(_ a: Extreme?, _ b: Extreme?) -> Extreme? {
    guard let a, let b else { return a ?? b }
    return (b.value, b.time) < (a.value, a.time) ? b : a
  }

  private static func higher(_ a: Extreme?, _ b: Extreme?) -> Extreme? {
    guard let a, let b else { return a ?? b }
    if a.value != b.value { return b.value > a.value ? b : a }
    return b.time < a.time ? b : a
  }

  mutating func add(_ kind: SampleKind, _ value: Int64, _ time: Int64, share: Int64, length: Int64) {
    let this = Extreme(value: value, time: time)
    switch kind {
    case .normal:
      lowest = Self.lower(lowest, this)
      highest = Self.higher(highest, this)
      // An overflow would need 2^26 intervals of a day's length with the largest possible value.
      total &+= Int128(share)
      if length > 0 {
        weighted &+= Int128(value) * Int128(length)
        weight &+= Int128(length)
      }
    case .maximum: markedMaximum = Self.higher(markedMaximum, this)
    case .minimum: markedMinimum = Self.lower(markedMinimum, this)
    case .resting: if time >= resting?.time ?? .min { resting = this }
    }
  }
}

/// Summary of one local day of one series. All values are in the series' stored scale (see `Series.inUnit`).
///
///     kind of item       counts for
///     normal             `count`, `manual`, `automatic`, `mean`, `sum`; lowest and highest of each part
///     maximum, minimum   the marked maximum and minimum of each part
///     resting            `restingCount`, and the latest of each part
///
/// All kinds count for `first` and `last`. Items of low quality, and advertised ones (`SampleFlags.isDoubtful`), count
/// there and for `doubtful` only: no mean and no extreme uses them. Records and waveforms have no values and are only
/// counted.
public struct DaySummary: Sendable, Equatable {
  /// Local day.
  public let date: LocalDate
  /// Microseconds since 1970: 00:00 of this day and of the next one, 23 to 25 hours apart when clocks change.
  /// `start <= time < end`.
  public let start, end: Int64
  /// Normal items. An item that is stored twice counts twice.
  public internal(set) var count = 0
  /// Normal items that the user started, and the others.
  public internal(set) var manual = 0
  /// Normal items that the wearable measured automatically.
  public internal(set) var automatic = 0
  /// Items of kind resting.
  public internal(set) var restingCount = 0
  /// Items of low quality, of any kind.
  public internal(set) var doubtful = 0
  /// Parts of a vector are its components, in their order. A record or a waveform has no part, and any other layout
  /// one.
  public internal(set) var parts: [DayPart]
  /// Earliest and latest time of an item of any kind.
  public internal(set) var first: Int64
  /// Latest time of an item of any kind.
  public internal(set) var last: Int64

  /// Times of a series of states: time of this day in each, by its number, µs; otherwise empty.
  public internal(set) var states: [Int64]

  init(date: LocalDate, span: Range<Int64>, time: Int64, partCount: Int, hasStates: Bool) {
    self.date = date
    parts = Array(repeating: DayPart(), count: partCount)
    states = hasStates ? [Int64](repeating: 0, count: DailyMeaning.stateLimit) : []
    (start, end) = (span.lowerBound, span.upperBound)
    (first, last) = (time, time)
  }

  /// Lowest and highest value of the first part, marked or not; nil without any.
  public var minimum: Int64? { parts.first?.minimum }
  /// Highest value of the first part, marked or not, in the stored scale; nil without any.
  public var maximum: Int64? { parts.first?.maximum }
  /// Latest resting value of the first part; nil without such an item.
  public var resting: Int64? { parts.first?.resting?.value }
  /// Mean of the first part; nil: no normal item with a value.
  public var mean: Double? { parts.first.flatMap { mean(of: $0) } }

  /// Mean of a part. Scalars count equally, intervals by their length within this day, or equally if all lengths are 0.
  /// Nil without a normal item that has a value.
  public func mean(of part: DayPart) -> Double? {
    guard count > 0 else { return nil }
    return part.weight > 0 ? Double(part.weighted) / Double(part.weight) : Double(part.total) / Double(count)
  }

  /// Sum of the first part; nil without a normal item that has a value.
  public var sum: Double? { count > 0 ? parts.first.map { Double($0.total) } : nil }

  /// Adds an item, or the part of one within this day.
  /// - Parameters:
  ///   - share: amount added to the sum; nil: its value.
  ///   - length: length of the part, µs.
  ///   - value: by component; not called if the series has no values.
  mutating func add(time: Int64, _ flags: SampleFlags, share: Int64? = nil, length: Int64, _ value: (Int) -> Int64) {
    if time < first { first = time }
    if time > last { last = time }
    if flags.isDoubtful {
      doubtful += 1
      return
    }
    let kind = flags.kind
    if kind == .resting { restingCount += 1 }
    if kind == .normal {
      count += 1
      if flags.isManual { manual += 1 } else { automatic += 1 }
      if length > 0, !states.isEmpty, let state = Int(exactly: value(0)), states.indices.contains(state) {
        states[state] &+= length
      }
    }
    for index in parts.indices {
      let value = value(index)
      parts[index].add(kind, value, time, share: share ?? value, length: length)
    }
  }
}
