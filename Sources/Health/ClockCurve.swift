// Many readings of one clock, and the hub's time of whatever it said between them.

/// Turns times of a wearable's clock into times of the hub's: a line between every two readings that follow each other,
/// so that a clock that runs fast or slow is right to the readings' own error wherever it was read before and after.
///
/// Where two readings contradict each other, or how fast the crystal goes (`ClockRate`), the clock was set, or lost its
/// time, in between: an era ends. A time belongs to the newest era that can have shown it, which is what lets a
/// wearable that lost its clock keep the times of what it had measured before. Before its first reading and behind its
/// last one every era goes as fast as the crystal. A time that no era can have shown has no hub time: the wearable's
/// clock was set, or stood otherwise, where nobody read it.
///
/// Of readings that are nearer to each other than `spacing` the first counts, so that what one of them is wrong by,
/// some 10 ms, is spread over minutes and tears nothing; and what was recorded before a reading has the same times
/// whatever is read after it.
public struct ClockCurve: Sendable, Equatable {
  /// From one setting of the clock to the next.
  private struct Era: Sendable, Equatable {
    /// By the wearable's clock, ascending: where each line begins to be used, and the line.
    var lines: [Span]
    /// The times that the clock can have shown in it, and those that it showed if its readings are right.
    var shown: ClosedRange<Int64>
    var likely: ClosedRange<Int64>
    /// Until its last reading that was made beside a trusted clock, or is told by one that was made later; without end
    /// where that is the last of all.
    var sureUntil: Int64
    /// It was read after `listed`: something new may have been recorded in it.
    var isOpen = true

    /// By the line that is used there.
    func hubTime(of device: Int64) -> Int64? {
      var (low, high) = (0, lines.count)
      while high - low > 1 {
        let middle = (low + high) / 2
        if lines[middle].from <= device { low = middle } else { high = middle }
      }
      return lines[low].line.hubTime(of: device)
    }
  }
  private struct Span: Sendable, Equatable {
    let from: Int64
    let line: ClockCorrection
  }

  /// Newest first; never empty.
  private let eras: [Era]

  /// A reading, and whether it is known that the hub's monotonic clock ran on from it to all others of `isOfThisBoot`.
  public struct Reading: Sendable, Equatable {
    public let evidence: ClockEvidence
    public let isOfThisBoot: Bool
    /// Of a reading that another tells the hub's time of: whether the two vouch for it. What was read after the hub's
    /// clock was last trusted is told by that, and yet not sure.
    fileprivate let isSure: Bool

    public init(_ evidence: ClockEvidence, isOfThisBoot: Bool) {
      self.init(evidence, isOfThisBoot: isOfThisBoot, isSure: evidence.isTrusted)
    }

    fileprivate init(_ evidence: ClockEvidence, isOfThisBoot: Bool, isSure: Bool) {
      self.evidence = evidence
      self.isOfThisBoot = isOfThisBoot
      self.isSure = isSure
    }
  }

  /// An hour, µs: the longest turn there is.
  public static let longestTurn: Int64 = 3_600_000_000

  /// How much a reading that shows fractions of a second may be wrong, µs: half a request that took eight connection
  /// events of 60 ms.
  static let sharpError: Int64 = 250_000
  /// Between two readings of one line, µs. 10 ms in five minutes are as much as a crystal is wrong by, and nothing over
  /// the length of a block of samples.
  private static let spacing: Int64 = 300_000_000

  /// - Parameters:
  ///   - readings: in the order in which they were made.
  ///   - since: how long ago (µs) the last of them was made: the clock has shown nothing that is further behind it.
  ///   - beginning: what a clock of this kind shows when it has lost its time (µs); none ever shows less. nil: nobody
  ///     knows.
  ///   - listed: the last reading by which all that the wearable held had been listed: what is new was recorded in an
  ///     era that was read later. nil: none.
  /// - Returns: nil without any.
  public init?(
    _ readings: [Reading], since: Int64 = longestTurn, beginning: Int64? = nil, listed: ClockEvidence? = nil
  ) {
    let listedAt = listed.flatMap { listed in readings.lastIndex { $0.evidence == listed } } ?? -1
    let readings = Self.anchored(readings)
    guard let newest = readings.last else { return nil }
    let crystal = ClockRate(readings)
    /// Newest first, and so are those who belong to each.
    var parts: [(members: [Reading], shown: ClosedRange<Int64>, likely: ClosedRange<Int64>)] = []
    var members = [newest]
    // A record that is fetched as it is written is of the clock as it is now, even where that is read as a little ahead
    // of its last reading: else an era in which it was ahead would have it. A live reading is asked of `latest`.
    let now = newest.evidence.device.saturatingAdd(max(0, since))
    let error = newest.evidence.isSharp ? Self.sharpError : ClockCorrection.readingError
    var likelyHigh = now.saturatingAdd(error + max(0, since) / 1_000_000 * ClockRate.most)
    var high = now.saturatingAdd(
      ClockCorrection.readingError + max(0, since) / 1_000_000 * ClockCorrection.driftLimit)
    for earlier in readings.dropLast().reversed() {
      let later = members[members.count - 1]
      if Self.isOneEra(earlier, later, crystal) {
        members.append(earlier)
        continue
      }
      let slack = Self.error(earlier, later)
      let isKnown = Self.isOneBoot(earlier, later) || (earlier.evidence.isTrusted && later.evidence.isTrusted)
      let passed = isKnown ? Self.devicePassed(earlier, later, crystal) : ClockCorrection.reach
      var likelyLow = later.evidence.device.saturatingAdd(-passed)
      var low = likelyLow.saturatingAdd(-slack)
      // Where nothing says how long it was, a clock that went on is taken to have gone on from the reading before.
      if !isKnown, later.evidence.device >= earlier.evidence.device {
        (likelyLow, low) = (max(likelyLow, earlier.evidence.device), max(low, earlier.evidence.device))
      }
      parts.append((members, min(low, high)...high, min(likelyLow, likelyHigh)...likelyHigh))
      likelyHigh = earlier.evidence.device.saturatingAdd(passed)
      high = likelyHigh.saturatingAdd(slack)
      members = [earlier]
    }
    let low = beginning ?? .min
    parts.append((members, min(low, high)...high, min(low, likelyHigh)...likelyHigh))
    let rate = crystal?.line ?? Self.longest(parts.map(\.members))
    var newestOfEra = readings.count - 1
    eras = parts.map { part in
      defer { newestOfEra -= part.members.count }
      return Era(
        lines: Self.lines(part.members, rate), shown: part.shown, likely: part.likely,
        sureUntil: Self.sureUntil(part.members), isOpen: newestOfEra > listedAt)
    }
  }

  /// Where the hub's own clock was set meanwhile it was wrong before: what its monotonic clock connects with the newest
  /// reading that can be trusted is told by that.
  private static func anchored(_ readings: [Reading]) -> [Reading] {
    guard let place = readings.lastIndex(where: { $0.evidence.isTrusted }) else { return readings }
    let anchor = readings[place].evidence
    /// As long as each was made in one boot with its neighbour.
    var first = place
    var last = place
    while first > 0, isOneBoot(readings[first - 1], readings[first]) { first -= 1 }
    while last < readings.count - 1, isOneBoot(readings[last], readings[last + 1]) { last += 1 }
    var told = readings
    for index in first...last {
      let evidence = readings[index].evidence
      let passed = (Int128(evidence.monotonic) - Int128(anchor.monotonic)) / 1000
      guard let wall = Int64(exactly: Int128(anchor.wall) + passed),
        (Int128(wall) - Int128(evidence.wall)).magnitude >= smallestStep
      else { continue }
      let isOfThisBoot = readings[index].isOfThisBoot
      let anchored = ClockEvidence(device: evidence.device, monotonic: evidence.monotonic, wall: wall, isTrusted: true)
      told[index] = Reading(anchored, isOfThisBoot: isOfThisBoot, isSure: evidence.isTrusted || index < place)
    }
    return told
  }

  /// By what a time server steps a clock instead of letting it go faster or slower, µs: a tenth of the least that any
  /// does (128 ms).
  private static let smallestStep: UInt128 = 12_800

  /// Of clocks in whole seconds: the longest time in which nobody set it; nil where none says how fast it goes.
  private static func longest(_ eras: [[Reading]]) -> ClockCorrection? {
    let all = eras.compactMap { members -> ClockCorrection? in
      guard let oldest = members.last, let newest = members.first, !areSharp(oldest, newest) else { return nil }
      return line(oldest, newest)
    }
    return all.max { $0.baseline < $1.baseline }.flatMap { $0.baseline >= ClockCorrection.driftBaseline ? $0 : nil }
  }

  /// Of one reading.
  public init(_ evidence: ClockEvidence) {
    eras = [
      Era(
        lines: [Span(from: .min, line: ClockCorrection(evidence))], shown: .min ... .max, likely: .min ... .max,
        sureUntil: evidence.isTrusted ? .max : .min)
    ]
  }

  /// The hub's wall time (µs) at a time of the wearable's clock (µs); nil where no era can have shown it, and further
  /// away from all readings than `ClockCorrection.reach`.
  public func hubTime(of device: Int64) -> Int64? { told(device)?.time }

  /// The hub's wall time (µs) if the clock still stood as it has since it was set last, whether it can have shown that
  /// since or not. Whole seconds of the moment in which it was set back lie before all that it has shown since.
  public func latest(_ device: Int64) -> Int64? { eras.first?.hubTime(of: device) }

  /// The same of the era that can have shown it, and whether a reading vouches for it at which the hub's own clock was
  /// trusted, or was put right later in that boot: not one from before it was measured, if there are others since.
  ///
  /// - Parameter isLatest: of the clock as it is since it was set last, and not as it was before.
  public func told(_ device: Int64, isLatest: Bool = false) -> (time: Int64, isSure: Bool)? {
    let eras = isLatest ? eras.prefix(1) : eras[...]
    // What one era showed and another only if its readings are wrong belongs to the one.
    guard
      let era = eras.first(where: { $0.likely.contains(device) }) ?? eras.first(where: { $0.shown.contains(device) })
    else { return nil }
    // The clock was moved, and has shown this time on both sides of that.
    let isTwice = eras.count { $0.isOpen && $0.likely.contains(device) } > 1
    return era.hubTime(of: device).map { ($0, device <= era.sureUntil && !isTwice) }
  }

  /// - Parameter members: of an era, newest first.
  private static func sureUntil(_ members: [Reading]) -> Int64 {
    guard let last = members.firstIndex(where: { $0.isSure }) else { return .min }
    return last == 0 ? .max : members[last].evidence.device
  }

  /// - Parameters:
  ///   - members: newest first, each one line from the next; not empty.
  ///   - rate: how fast the clock goes outside of the readings; nil: as fast as the hub's.
  private static func lines(_ members: [Reading], _ rate: ClockCorrection?) -> [Span] {
    var kept: [Reading] = []
    for reading in members.reversed() where kept.last.map({ passed($0, reading) >= spacing }) ?? true {
      kept.append(reading)
    }
    var spans = zip(kept, kept.dropFirst()).compactMap { earlier, later in
      line(earlier, later).map { Span(from: earlier.evidence.device, line: $0.going(like: rate)) }
    }
    if spans.isEmpty {
      spans = kept.prefix(1).map { Span(from: .min, line: ClockCorrection($0.evidence).going(like: rate)) }
    }
    spans.sort { $0.from < $1.from }
    return spans
  }
}
