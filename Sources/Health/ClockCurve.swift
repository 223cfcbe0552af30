// Conversion of a wearable's times to the hub's, from many readings of its clock.

/// Converts times of a wearable's clock to times of the hub's, with a line between every two consecutive readings. A
/// fast or slow clock is thus as accurate as its readings, wherever it was read before and after.
///
/// An era ends if two readings contradict each other, or the rate of the crystal (`ClockRate`). The clock was then set
/// in between, or lost its time. A time belongs to the newest era that can have shown it. The earlier measurements of a
/// wearable that lost its clock thus keep their times. Before the first reading of an era, and after its last, the rate
/// of the crystal applies. A time that no era can have shown has no hub time: the clock was then set without a reading.
///
/// Of readings closer together than `spacing` only the first counts. An error of some 10 ms is thus spread over minutes
/// without a visible step. Samples recorded before a reading keep their times, whatever is read later.
public struct ClockCurve: Sendable, Equatable {
  /// Period from one setting of the clock to the next.
  private struct Era: Sendable, Equatable {
    /// Lines, ascending by the wearable's time from which each is used.
    var lines: [Span]
    /// Times that the clock can have shown in this era, and those that it showed if its readings are right.
    var shown: ClosedRange<Int64>
    var likely: ClosedRange<Int64>
    /// End of sure times: the last reading beside a trusted clock, or one corrected by a later trusted reading.
    /// Unlimited if that is the last reading of all.
    var sureUntil: Int64
    /// The clock was read after `listed`, so newer data may have been recorded in this era.
    var isOpen = true

    /// Time by the line that is valid there.
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

  /// Reading of the clock. The hub's monotonic clock ran without a break between all readings with `isOfThisBoot`.
  public struct Reading: Sendable, Equatable {
    /// Both clocks at one moment.
    public let evidence: ClockEvidence
    /// True if the reading is of the hub's present boot.
    public let isOfThisBoot: Bool
    /// Whether a trusted reading confirms the time of this one. A reading made after the hub's clock was last trusted
    /// gets its time from that, but is not sure.
    fileprivate let isSure: Bool

    /// A reading; sure if the hub's clock was trusted.
    public init(_ evidence: ClockEvidence, isOfThisBoot: Bool) {
      self.init(evidence, isOfThisBoot: isOfThisBoot, isSure: evidence.isTrusted)
    }

    fileprivate init(_ evidence: ClockEvidence, isOfThisBoot: Bool, isSure: Bool) {
      self.evidence = evidence
      self.isOfThisBoot = isOfThisBoot
      self.isSure = isSure
    }
  }

  /// Longest turn of a visit, µs: an hour.
  public static let longestTurn: Int64 = 3_600_000_000

  /// Largest error of a reading with fractions of a second, µs: half of a request that took eight connection events of
  /// 60 ms.
  static let sharpError: Int64 = 250_000
  /// Minimum distance of two readings of one line, µs. An error of 10 ms in five minutes equals that of a crystal, and
  /// is negligible over the length of a block of samples.
  private static let spacing: Int64 = 300_000_000

  /// - Parameters:
  ///   - readings: in the order in which they were made.
  ///   - since: age of the last reading, µs; the clock has shown no time further ahead than that.
  ///   - beginning: time from which a clock of this kind counts after it lost its time, µs; it never shows an earlier
  ///     one. nil: unknown.
  ///   - listed: the last reading at which everything on the wearable had been listed. Newer data was recorded in an
  ///     era that was read later. nil: unknown.
  /// - Returns: nil without readings.
  public init?(
    _ readings: [Reading], since: Int64 = longestTurn, beginning: Int64? = nil, listed: ClockEvidence? = nil
  ) {
    let listedAt = listed.flatMap { listed in readings.lastIndex { $0.evidence == listed } } ?? -1
    let readings = Self.anchored(readings)
    guard let newest = readings.last else { return nil }
    let crystal = ClockRate(readings)
    /// Eras with their readings, both newest first.
    var parts: [(members: [Reading], shown: ClosedRange<Int64>, likely: ClosedRange<Int64>)] = []
    var members = [newest]
    // A record may be fetched while it is written, with a time slightly ahead of the last reading. Such a time must
    // count as the present era, and not as an earlier one in which the clock was ahead. A live reading uses `latest`.
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
      // If the elapsed time is unknown and the clock did not go back, it is assumed to have continued from the earlier
      // reading.
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

  /// Corrects readings from before the hub's own clock was set. The newest trusted reading gives the time of all that
  /// the monotonic clock connects with it.
  private static func anchored(_ readings: [Reading]) -> [Reading] {
    guard let place = readings.lastIndex(where: { $0.evidence.isTrusted }) else { return readings }
    let anchor = readings[place].evidence
    /// Readings of the same boot, each connected with its neighbour.
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

  /// Minimum correction that counts as a step of the hub's clock, µs: a tenth of the smallest step of any time server
  /// (128 ms). Below that, time servers change the clock's rate.
  private static let smallestStep: UInt128 = 12_800

  /// Finds, for clocks in whole seconds, the longest period without a setting; nil if no era has a rate.
  private static func longest(_ eras: [[Reading]]) -> ClockCorrection? {
    let all = eras.compactMap { members -> ClockCorrection? in
      guard let oldest = members.last, let newest = members.first, !areSharp(oldest, newest) else { return nil }
      return line(oldest, newest)
    }
    return all.max { $0.baseline < $1.baseline }.flatMap { $0.baseline >= ClockCorrection.driftBaseline ? $0 : nil }
  }

  /// Curve of a single reading.
  public init(_ evidence: ClockEvidence) {
    eras = [
      Era(
        lines: [Span(from: .min, line: ClockCorrection(evidence))], shown: .min ... .max, likely: .min ... .max,
        sureUntil: evidence.isTrusted ? .max : .min)
    ]
  }

  /// Hub's wall time (µs) at a time of the wearable's clock (µs). Nil if no era can have shown it, or if it is further
  /// from all readings than `ClockCorrection.reach`.
  public func hubTime(of device: Int64) -> Int64? { told(device)?.time }

  /// Hub's wall time (µs) by the present setting of the clock, even if that cannot have shown it. Needed for
  /// whole-second times of the moment in which the clock was set back: rounded down, they lie before all that it has
  /// shown since.
  public func latest(_ device: Int64) -> Int64? { eras.first?.hubTime(of: device) }

  /// The same, and whether the time is sure. A reading beside a trusted hub clock, or one that was corrected later in
  /// that boot, confirms it. A reading from before the measurement counts only if there is no later one.
  ///
  /// - Parameter isLatest: by the present setting of the clock only.
  public func told(_ device: Int64, isLatest: Bool = false) -> (time: Int64, isSure: Bool)? {
    let eras = isLatest ? eras.prefix(1) : eras[...]
    // A likely era takes precedence over one that is possible only with errors of the readings.
    guard
      let era = eras.first(where: { $0.likely.contains(device) }) ?? eras.first(where: { $0.shown.contains(device) })
    else { return nil }
    // The clock was moved, and showed this time both before and after.
    let isTwice = eras.count { $0.isOpen && $0.likely.contains(device) } > 1
    return era.hubTime(of: device).map { ($0, device <= era.sureUntil && !isTwice) }
  }

  /// - Parameter members: readings of an era, newest first.
  private static func sureUntil(_ members: [Reading]) -> Int64 {
    guard let last = members.firstIndex(where: { $0.isSure }) else { return .min }
    return last == 0 ? .max : members[last].evidence.device
  }

  /// - Parameters:
  ///   - members: newest first, each one line from the next; not empty.
  ///   - rate: rate of the clock outside of the readings; nil: that of the hub's.
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
