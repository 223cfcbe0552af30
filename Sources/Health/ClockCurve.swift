// Many readings of one clock, and the hub's time of whatever it said between them.

/// Turns times of a wearable's clock into times of the hub's: a line between every two readings that follow each other, so that a clock that runs fast or slow
/// is right to the readings' own error wherever it was read before and after.
///
/// Where two readings contradict each other the clock was set, or lost its time, in between: an era ends. A time belongs to the newest era that can have shown
/// it, which is what lets a wearable that lost its clock keep the times of what it had measured before. How fast a clock goes is a matter of its crystal, which
/// nobody sets: an era whose own readings are too near to each other to tell goes as the one that can tell best.
public struct ClockCurve: Sendable, Equatable {
  /// From one setting of the clock to the next.
  private struct Era: Sendable, Equatable {
    /// By the wearable's clock, ascending: where each line begins to be used, and the line.
    var lines: [Span]
    /// The times that the clock can have shown in it.
    var shown: ClosedRange<Int64>
    /// Through its first reading and its last, which say how fast the clock went; nil where there is only one.
    var whole: ClockCorrection?

    /// Outside of its readings it goes as another one did.
    mutating func go(like other: ClockCorrection) {
      if let first = lines.indices.first { lines[first] = Span(from: lines[first].from, line: lines[first].line.going(like: other)) }
      if let last = lines.indices.dropFirst().last { lines[last] = Span(from: lines[last].from, line: lines[last].line.going(like: other)) }
    }
  }
  private struct Span: Sendable, Equatable {
    let from: Int64
    let line: ClockCorrection
  }

  /// Newest first; never empty.
  private let eras: [Era]

  /// A reading, and whether the hub's monotonic clock ran on from it to those of `isOfThisBoot`.
  public struct Reading: Sendable, Equatable {
    public let evidence: ClockEvidence
    public let isOfThisBoot: Bool

    public init(_ evidence: ClockEvidence, isOfThisBoot: Bool) {
      self.evidence = evidence
      self.isOfThisBoot = isOfThisBoot
    }
  }

  /// What is measured between the last reading and its fetch, and how much a fetch may lag behind the reading, µs: an hour, the longest turn there is.
  private static let lookahead: Int64 = 3_600_000_000

  /// - Parameter readings: in the order in which they were made.
  /// - Returns: nil without any.
  public init?(_ readings: [Reading]) {
    guard let newest = readings.last else { return nil }
    var eras: [Era] = []
    /// Of the era that is being put together, newest first.
    var members = [newest]
    var high = newest.evidence.device.saturatingAdd(Self.lookahead)
    for earlier in readings.dropLast().reversed() {
      let later = members[members.count - 1]
      if Self.line(earlier, later) != nil {
        members.append(earlier)
        continue
      }
      let passed = Self.passed(earlier, later)
      eras.append(Self.era(members, low: later.evidence.device.saturatingAdd(-passed), high: high))
      high = earlier.evidence.device.saturatingAdd(passed)
      members = [earlier]
    }
    eras.append(Self.era(members, low: .min, high: high))
    if let best = eras.compactMap(\.whole).max(by: { $0.baseline < $1.baseline }), best.baseline >= ClockCorrection.driftBaseline {
      for index in eras.indices where eras[index].whole.map({ $0.baseline < ClockCorrection.driftBaseline }) ?? true { eras[index].go(like: best) }
    }
    self.eras = eras
  }

  /// Of one reading.
  public init(_ evidence: ClockEvidence) {
    eras = [Era(lines: [Span(from: .min, line: ClockCorrection(evidence))], shown: .min ... .max)]
  }

  /// The hub's wall time (µs) at a time of the wearable's clock (µs); nil further away from all readings than `ClockCorrection.reach`.
  public func hubTime(of device: Int64) -> Int64? {
    let era = eras.first { $0.shown.contains(device) } ?? eras[0]
    var (low, high) = (0, era.lines.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if era.lines[middle].from <= device { low = middle } else { high = middle }
    }
    return era.lines[low].line.hubTime(of: device)
  }

  /// µs of the hub's clocks from one to the other, as well as they can say.
  private static func passed(_ earlier: Reading, _ later: Reading) -> Int64 {
    let (a, b) = (earlier.evidence, later.evidence)
    let isOneBoot = isOneBoot(earlier, later)
    let (time, overflow) = isOneBoot ? b.monotonic.subtractingReportingOverflow(a.monotonic) : b.wall.subtractingReportingOverflow(a.wall)
    return overflow ? 0 : max(0, isOneBoot ? time / 1000 : time) + ClockCorrection.readingError
  }

  /// The monotonic clock runs through one boot; where it went back there was another one, whoever says what.
  private static func isOneBoot(_ earlier: Reading, _ later: Reading) -> Bool {
    earlier.isOfThisBoot && later.isOfThisBoot && earlier.evidence.monotonic <= later.evidence.monotonic
  }

  /// nil: the clock was set in between, or nothing says how much time passed.
  public static func line(_ earlier: Reading, _ later: Reading) -> ClockCorrection? {
    isOneBoot(earlier, later) ? try? ClockCorrection(earlier.evidence, later.evidence) : try? ClockCorrection(acrossBoots: earlier.evidence, later.evidence)
  }

  /// - Parameter members: newest first, each one line from the next.
  private static func era(_ members: [Reading], low: Int64, high: Int64) -> Era {
    guard let newest = members.first, let oldest = members.last, members.count > 1 else {
      return Era(lines: members.map { Span(from: .min, line: ClockCorrection($0.evidence)) }, shown: min(low, high)...high)
    }
    var lines = zip(members.dropFirst(), members).compactMap { earlier, later in line(earlier, later).map { Span(from: earlier.evidence.device, line: $0) } }
    lines.reverse()
    // Before the first reading and behind the last one the drift of all of them counts, not that of the two nearest.
    let whole = line(oldest, newest)
    if let whole {
      lines.insert(Span(from: .min, line: whole), at: 0)
      lines.append(Span(from: newest.evidence.device, line: whole))
    }
    lines.sort { $0.from < $1.from }
    return Era(lines: lines, shown: min(low, high)...high, whole: whole)
  }
}

extension Int64 {
  fileprivate func saturatingAdd(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? other < 0 ? .min : .max : sum
  }
}
