// What one local day of a series was like: what was marked by the wearable, and what is derived from its values.

public import CivilTime

/// One value of a series on a day: of a vector one of its components.
///
/// What the wearable marked as the day's maximum or minimum stands apart from what is the largest or smallest of the
/// values at hand: the wearable may have measured between them.
public struct DayPart: Sendable, Equatable {
  /// A value and when it was measured, microseconds since 1970.
  public struct Extreme: Sendable, Hashable {
    public let value: Int64
    public let time: Int64
  }

  /// Of the items of kind minimum and maximum. Of several the lowest and the highest; of equal ones the earliest.
  public internal(set) var markedMinimum: Extreme?
  public internal(set) var markedMaximum: Extreme?
  /// Of the normal items, whether or not any is marked.
  public internal(set) var lowest: Extreme?
  public internal(set) var highest: Extreme?
  /// Of the item of kind resting with the latest time; of several with that time, the one that arrived last.
  public internal(set) var resting: Extreme?
  /// Sum of values; of intervals that go over midnight, the part that belongs to this day.
  var total: Int128 = 0
  /// Intervals: sum of value times length in this day, and of these lengths (µs).
  var weighted: Int128 = 0
  var weight: Int128 = 0

  /// Of the normal items, only where none is marked.
  public var derivedMinimum: Extreme? { markedMinimum == nil ? lowest : nil }
  public var derivedMaximum: Extreme? { markedMaximum == nil ? highest : nil }
  /// The lowest and the highest of both.
  public var minimum: Int64? { Self.lower(markedMinimum, lowest)?.value }
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
      // 2^26 intervals of a day's length with the largest value there is would be needed to leave 128 bits.
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

/// One local day of one series. All values are in the series' stored scale (see `Series.inUnit`).
///
/// | kind of item | counts for |
/// |---|---|
/// | normal | `count`, `manual`, `automatic`, `mean`, `sum`; lowest and highest of each part |
/// | maximum, minimum | the marked maximum and minimum of each part |
/// | resting | `restingCount`, and the latest of each part |
///
/// All kinds count for `first` and `last`. What its wearable itself doubts, or advertised (`SampleFlags.isDoubtful`),
/// counts there and for `doubtful`, and for nothing else: no mean and no extreme rests on it. Records and waveforms
/// have no values: they are only counted.
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
  /// Items of kind resting.
  public internal(set) var restingCount = 0
  /// Items of low quality, of any kind.
  public internal(set) var doubtful = 0
  /// Of a vector one for each component, in their order; of a record or a waveform none; of all others one.
  public internal(set) var parts: [DayPart]
  /// Earliest and latest time of an item of any kind.
  public internal(set) var first: Int64
  public internal(set) var last: Int64

  /// Of a series of states: the time of this day in each, by its number, µs; empty for all others.
  public internal(set) var states: [Int64]

  init(date: LocalDate, span: Range<Int64>, time: Int64, partCount: Int, hasStates: Bool) {
    self.date = date
    parts = Array(repeating: DayPart(), count: partCount)
    states = hasStates ? [Int64](repeating: 0, count: DailyMeaning.stateLimit) : []
    (start, end) = (span.lowerBound, span.upperBound)
    (first, last) = (time, time)
  }

  /// Of the first part, the lowest and the highest there is of it, marked or not; nil without any.
  public var minimum: Int64? { parts.first?.minimum }
  public var maximum: Int64? { parts.first?.maximum }
  /// Of the first part, the latest one; nil without such an item.
  public var resting: Int64? { parts.first?.resting?.value }
  public var mean: Double? { parts.first.flatMap { mean(of: $0) } }

  /// Scalars count equally, intervals by their length in this day, equally if none has any. nil without a normal item
  /// that has a value.
  public func mean(of part: DayPart) -> Double? {
    guard count > 0 else { return nil }
    return part.weight > 0 ? Double(part.weighted) / Double(part.weight) : Double(part.total) / Double(count)
  }

  /// Of the first part; nil without a normal item that has a value.
  public var sum: Double? { count > 0 ? parts.first.map { Double($0.total) } : nil }

  /// An item, or the part of one that lies in this day.
  /// - Parameters:
  ///   - share: what it adds to the sum; nil: its value.
  ///   - length: of the part, µs.
  ///   - value: by component; not asked where the series has none.
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
