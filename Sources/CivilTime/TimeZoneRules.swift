// Time zones: local dates and the start and end of local days, as a value.

/// Rules of one time zone: the UTC offsets of its clocks in past, present and future.
///
/// Every time belongs to exactly one local day, and the days follow each other without gap or overlap:
///
/// - A day begins at its 00:00. If that does not exist (clocks go forward over midnight), it begins at the first moment
///   after it.
/// - A day with a repeated hour is longer, and begins only once. Clocks may also go back *over* midnight, as some did
///   at 00:01. The minute before then belongs to the day that comes back: a day ends when no clock will show it again.
/// - A day that does not exist (the date line moved) is empty: its end is its start.
public struct TimeZoneRules: Sendable {
  /// `Europe/Berlin`; `local` if the name is unknown.
  public let name: String
  /// Times of changes, seconds since 1970, ascending. `offsets` has the seconds east of UTC from each on.
  private let changes: [Int64]
  private let offsets: [Int64]
  /// Offset before the first change.
  private let firstOffset: Int64
  /// Rule after the last change; nil: the offset stays.
  private let rule: YearlyRule?

  /// Coordinated Universal Time.
  public static let utc = TimeZoneRules(name: "UTC", changes: [], offsets: [], firstOffset: 0, rule: nil)

  /// Bound later than any possible time; its negative is earlier: 64 bits of microseconds are less than 2^44 seconds.
  /// Days can still be added without overflow.
  static let never: Int64 = 1 << 59
  /// Range of UTC offsets in seconds (RFC 9636, section 3.2).
  static let offsetRange: ClosedRange<Int64> = -89_999...93_599

  /// `offsets` are within `offsetRange`, as many as `changes`, which are ascending and within `never`.
  init(name: String, changes: [Int64], offsets: [Int64], firstOffset: Int64, rule: YearlyRule?) {
    assert(changes.count == offsets.count && (offsets + [firstOffset]).allSatisfy(Self.offsetRange.contains))
    self.name = name
    self.changes = changes
    self.offsets = offsets
    self.firstOffset = firstOffset
    self.rule = rule
  }

  /// Parses a file of `/usr/share/zoneinfo` (TZif, RFC 9636, versions 1 to 4). nil if it is damaged, larger than
  /// `TZif.sizeLimit` or has leap seconds.
  public init?(tzif bytes: [UInt8], name: String) {
    guard let file = TZif(bytes) else { return nil }
    self.init(name: name, changes: file.changes, offsets: file.offsets, firstOffset: file.firstOffset, rule: file.rule)
  }

  /// Seconds that local clocks are ahead of UTC.
  /// - Parameter time: microseconds since 1970.
  public func offset(at time: Int64) -> Int { Int(stretch(at: floorDivide(time, 1_000_000)).offset) }

  /// The local day of a time.
  /// - Parameter time: microseconds since 1970.
  public func date(of time: Int64) -> LocalDate {
    let second = floorDivide(time, 1_000_000)
    var stretch = stretch(at: second)
    var day = floorDivide(second + stretch.offset, 86_400)
    // A stretch further away than this cannot show an earlier time.
    let horizon = second + Self.offsetRange.upperBound - Self.offsetRange.lowerBound
    while stretch.end <= horizon {
      stretch = self.stretch(at: stretch.end)
      day = min(day, floorDivide(stretch.start + stretch.offset, 86_400))
    }
    return LocalDate(dayNumber: day)
  }

  /// The period of a local day, microseconds since 1970: from its start to the start of the next. Clamped to the range
  /// of 64 bits.
  public func span(of date: LocalDate) -> Range<Int64> {
    let day = date.dayNumber
    let start = microseconds(startOfDay(day))
    return start..<max(start, microseconds(startOfDay(day + 1)))
  }

  /// The second after the last at which clocks show less than the day's 00:00.
  private func startOfDay(_ day: Int64) -> Int64 {
    let midnight = day * 86_400
    var stretch = stretch(at: midnight - Self.offsetRange.lowerBound + 1)
    while stretch.start + stretch.offset >= midnight { stretch = self.stretch(at: stretch.start - 1) }
    return min(stretch.end, midnight - stretch.offset)
  }

  /// The next moment at which clocks go forward or back; nil if there is no change within `horizon` seconds.
  ///
  /// - Parameter time: microseconds since 1970.
  /// - Returns: the time, microseconds since 1970, and the shift in seconds; negative: back.
  public func nextChange(after time: Int64, within horizon: Int64 = 400 * 86_400) -> (time: Int64, shift: Int)? {
    let second = floorDivide(time, 1_000_000)
    var stretch = stretch(at: second)
    // Changes of the name only are skipped. There are never more than a few a year.
    while stretch.end < Self.never, stretch.end - second <= horizon {
      let next = self.stretch(at: stretch.end)
      if next.offset != stretch.offset { return (microseconds(stretch.end), Int(next.offset - stretch.offset)) }
      if next.end <= stretch.end { return nil }
      stretch = next
    }
    return nil
  }

  private func microseconds(_ second: Int64) -> Int64 {
    let (product, overflow) = second.multipliedReportingOverflow(by: 1_000_000)
    return overflow ? (second < 0 ? .min : .max) : product
  }

  /// Period without a clock change: `start <= second < end`.
  struct Stretch: Equatable {
    var start = -TimeZoneRules.never
    var end = TimeZoneRules.never
    var offset: Int64
  }

  /// The stretch that contains a second; `second` is within `never`.
  func stretch(at second: Int64) -> Stretch {
    // The first change after it.
    var (low, high) = (0, changes.count)
    while low < high {
      let middle = (low + high) / 2
      if changes[middle] <= second { low = middle + 1 } else { high = middle }
    }
    let start = low > 0 ? changes[low - 1] : -Self.never
    let offset = low > 0 ? offsets[low - 1] : firstOffset
    if low < changes.count { return Stretch(start: start, end: changes[low], offset: offset) }
    guard let rule else { return Stretch(start: start, offset: offset) }
    var stretch = rule.stretch(at: second)
    stretch.start = max(stretch.start, start)
    return stretch
  }
}
