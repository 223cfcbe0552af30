// Day of sleep, from 20:00 to 20:00: its nights and naps, and the time in each stage.
//
// Based on the stages that a wearable reports; sleep is never derived from a heart rate. A stage belongs to the date of
// its beginning, which lasts from 20:00 to the next 20:00 by local time.

public import CivilTime

/// Sleep in one piece, or in several. Times are in microseconds.
public struct SleepSummary: Sendable, Equatable {
  /// Begin of sleep, microseconds since 1970.
  public internal(set) var start: Int64
  /// End of sleep, microseconds since 1970.
  public internal(set) var end: Int64
  /// Time in each stage, and number of its episodes, by the number of the stage.
  public internal(set) var stages = [Int64](repeating: 0, count: SleepDay.stageCount)
  /// Number of episodes of each stage.
  public internal(set) var episodes = [Int](repeating: 0, count: SleepDay.stageCount)

  /// Length in µs, including time awake, without time between pieces.
  public var length: Int64 { stages.reduce(0, &+) }
  /// Time asleep in µs: REM, light and deep sleep.
  public var asleep: Int64 { SleepDay.sleeping.reduce(0) { $0 &+ stages[$1] } }

  /// Percent of the total sleep, to one decimal; nil without sleep, and for stages that are not sleep.
  public func percent(_ stage: Int) -> Double? {
    guard asleep > 0, SleepDay.sleeping.contains(stage), stages.indices.contains(stage) else { return nil }
    return (Double(stages[stage]) * 1000 / Double(asleep)).rounded() / 10
  }

  /// Both together.
  func adding(_ other: SleepSummary) -> SleepSummary {
    var sum = self
    sum.start = min(start, other.start)
    sum.end = max(end, other.end)
    for stage in stages.indices {
      sum.stages[stage] &+= other.stages[stage]
      sum.episodes[stage] += other.episodes[stage]
    }
    return sum
  }
}

/// Sleep of one date.
public struct SleepDay: Sendable, Equatable {
  /// Run of stages without a longer rest.
  public struct Segment: Sendable, Equatable {
    /// Summary of the segment.
    public let summary: SleepSummary
    /// Kind of the segment.
    public let kind: Kind
    /// Whether it began between 20:00 and 08:00.
    public let isEarly: Bool
  }

  /// Kind of a segment, by its begin and length.
  public enum Kind: Sendable, Hashable {
    /// Began between 20:00 and 09:00.
    case night
    /// Began between 09:00 and 20:00, with 20 minutes to 3 hours of sleep.
    case nap
    /// Began between 09:00 and 20:00, too short or too long for a nap.
    case other

    /// Name in documents.
    public var name: String {
      switch self {
      case .night: "night"
      case .nap: "nap"
      case .other: "other"
      }
    }
  }

  /// Selection of segments for a day's sleep, by the number that wearables use for it.
  public enum Rule: Int, Sendable, CaseIterable {
    case withoutNaps = 0
    case withNaps = 1
    /// Longest sleep of those that began between 20:00 and 08:00.
    case longestNight = 2
    /// Longest sleep of any kind.
    case longest = 3
  }

  /// Date on which the day ends, at 20:00.
  public let date: LocalDate
  /// Segments in the order of time.
  public let segments: [Segment]

  /// nil without any sleep by this rule.
  public func summary(_ rule: Rule) -> SleepSummary? {
    switch rule {
    case .withoutNaps: sum { $0.kind == .night }
    case .withNaps: sum { $0.kind != .other }
    case .longestNight: longest { $0.kind == .night && $0.isEarly }
    case .longest: longest { _ in true }
    }
  }

  private func sum(_ isWanted: (Segment) -> Bool) -> SleepSummary? {
    let wanted = segments.filter(isWanted).map(\.summary)
    return wanted.first.map { first in wanted.dropFirst().reduce(first) { $0.adding($1) } }
  }

  /// Segment with the most sleep; of equal ones the first.
  private func longest(_ isWanted: (Segment) -> Bool) -> SleepSummary? {
    var found: SleepSummary?
    for segment in segments where isWanted(segment) && segment.summary.asleep > found?.asleep ?? -1 {
      found = segment.summary
    }
    return found
  }

  /// Numbers of `sleep_stage`: 0 unknown, 1 awake, 2 REM, 3 light, 4 deep.
  public static let stageCount = 5
  static let awake = 1
  static let sleeping = 2...4
  /// Names of the stages, by number.
  public static let stageNames = ["unknown", "awake", "rem", "light", "deep"]
}

/// Takes the stages of one date in the order of arrival. If two overlap, the later one counts.
///
/// Memory: at most `limit` stages.
public struct SleepDayAccumulator: Sendable {
  /// Maximum number of stages of a day: one for each half minute, and twice that for a recomputed night.
  public static let limit = 5_760
  /// Longest plausible stage. A stage that reaches into a day begins at most this long before it.
  public static let longest: Int64 = 86_400_000_000
  /// Longest rest within a segment: as long as the shortest sleep that counts as a nap.
  static let rest: Int64 = 20 * 60_000_000
  static let nap: ClosedRange<Int64> = 20 * 60_000_000...3 * 3_600_000_000

  private struct Piece {
    var start: Int64
    var end: Int64
    let stage: Int
  }

  private let date: LocalDate
  private let zone: TimeZoneRules
  private var told: [Piece] = []
  /// Stages left out because there were too many.
  public private(set) var overflowed = 0

  /// An empty day, from 20:00 on the day before to 20:00.
  public init(_ date: LocalDate, zone: TimeZoneRules) {
    self.date = date
    self.zone = zone
  }

  /// Times in which stages of a date begin, with a margin.
  public static func window(_ date: LocalDate, zone: TimeZoneRules) -> Range<Int64> {
    let before = zone.span(of: LocalDate(dayNumber: date.dayNumber - 1)).lowerBound
    return before..<max(before, zone.span(of: date).upperBound)
  }

  /// - Parameters:
  ///   - time: beginning of the stage, microseconds since 1970.
  ///   - stage: number as in `sleep_stage`; others are unknown.
  public mutating func add(time: Int64, flags: UInt8, length: Int64, stage: Int64) {
    guard let flags = SampleFlags(rawValue: flags), flags.kind == .normal, !flags.goesOn,
      (1...Self.longest).contains(length), time <= .max - length, Self.place(time, zone).date == date.dayNumber
    else { return }
    guard told.count < Self.limit else {
      overflowed += 1
      return
    }
    let stage = Int(exactly: stage).flatMap { (0..<SleepDay.stageCount).contains($0) ? $0 : nil } ?? 0
    told.append(Piece(start: time, end: time + length, stage: stage))
  }

  /// Sleep of the day; nil without any segment.
  public var day: SleepDay? {
    var segments: [SleepDay.Segment] = []
    var run: [Piece] = []
    func close() {
      if let segment = segment(run) { segments.append(segment) }
      run = []
    }
    for piece in Self.disjoint(told) {
      if let last = run.last, piece.start - last.end > Self.rest { close() }
      run.append(piece)
    }
    close()
    return segments.isEmpty ? nil : SleepDay(date: date, segments: segments)
  }

  /// nil for a run without sleep.
  private func segment(_ run: [Piece]) -> SleepDay.Segment? {
    var run = run[...]
    while run.last?.stage == SleepDay.awake { run.removeLast() }
    guard let first = run.first, let last = run.last else { return nil }
    var summary = SleepSummary(start: first.start, end: last.end)
    var before: Int?
    for piece in run {
      summary.stages[piece.stage] &+= piece.end - piece.start
      if piece.stage != before { summary.episodes[piece.stage] += 1 }
      before = piece.stage
    }
    guard summary.asleep > 0 else { return nil }
    let second = Self.place(first.start, zone).second
    let isNight = second >= Self.evening || second < Self.morning
    let kind: SleepDay.Kind = isNight ? .night : Self.nap.contains(summary.asleep) ? .nap : .other
    return SleepDay.Segment(summary: summary, kind: kind, isEarly: second >= Self.evening || second < 8 * 3600)
  }

  private static let evening: Int64 = 20 * 3600
  private static let morning: Int64 = 9 * 3600

  /// Date (as a day number) to which a stage with this beginning belongs, and the local second of the day.
  private static func place(_ time: Int64, _ zone: TimeZoneRules) -> (date: Int64, second: Int64) {
    let local = floorDivide(time, 1_000_000) + Int64(zone.offset(at: time))
    let day = floorDivide(local, 86_400)
    let second = local - day * 86_400
    return (second >= evening ? day + 1 : day, second)
  }

  /// Stages in the order of time, without parts that a later one overlaps.
  private static func disjoint(_ told: [Piece]) -> [Piece] {
    var kept: [Piece] = []
    for piece in told.reversed() {
      // The first that ends after its beginning.
      var (low, high) = (0, kept.count)
      while low < high {
        let middle = (low + high) / 2
        if kept[middle].end <= piece.start { low = middle + 1 } else { high = middle }
      }
      var rest = piece
      var new: [Piece] = []
      var place = low
      while place < kept.count, kept[place].start < piece.end {
        if rest.start < kept[place].start {
          new.append(Piece(start: rest.start, end: kept[place].start, stage: piece.stage))
        }
        new.append(kept[place])
        rest.start = kept[place].end
        place += 1
      }
      if rest.start < rest.end { new.append(rest) }
      kept.replaceSubrange(low..<place, with: new)
    }
    return kept
  }
}
