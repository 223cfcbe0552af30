// Comparison of two readings of one clock: the time between them, and whether the clock was set.

extension ClockCurve {
  /// Elapsed time by the hub's clocks, µs, as accurate as possible; 0 if they went back.
  static func passed(_ earlier: Reading, _ later: Reading) -> Int64 {
    let (a, b) = (earlier.evidence, later.evidence)
    let isOneBoot = isOneBoot(earlier, later)
    let (time, overflow) =
      isOneBoot ? b.monotonic.subtractingReportingOverflow(a.monotonic) : b.wall.subtractingReportingOverflow(a.wall)
    return overflow ? 0 : max(0, isOneBoot ? time / 1000 : time)
  }

  /// Expected advance of the wearable's clock in that time, µs.
  static func devicePassed(_ earlier: Reading, _ later: Reading, _ crystal: ClockRate?) -> Int64 {
    let passed = passed(earlier, later)
    return crystal.map { $0.line.deviceTime(after: passed) } ?? passed
  }

  /// Largest error of both together, µs. Between boots the hub's own clock may have been corrected.
  static func error(_ earlier: Reading, _ later: Reading) -> Int64 {
    isOneBoot(earlier, later) && areSharp(earlier, later) ? sharpError : ClockCorrection.readingError
  }

  static func areSharp(_ earlier: Reading, _ later: Reading) -> Bool {
    earlier.evidence.isSharp && later.evidence.isSharp
  }

  /// Whether the hub's monotonic clock ran from one reading to the other. Settings of its wall clock and restarts of
  /// its process then have no effect.
  ///
  /// Another boot would begin after the earlier reading. The difference of the two clocks gives the beginning of the
  /// boot. If that lies before the earlier reading, within the correction of a time server, there was no other boot.
  static func isOneBoot(_ earlier: Reading, _ later: Reading) -> Bool {
    let (a, b) = (earlier.evidence, later.evidence)
    guard a.monotonic <= b.monotonic else { return false }
    if earlier.isOfThisBoot && later.isOfThisBoot { return true }
    guard a.isTrusted, b.isTrusted else { return false }
    let moved = (Int128(b.wall) - Int128(b.monotonic / 1000)) - (Int128(a.wall) - Int128(a.monotonic / 1000))
    return moved.magnitude < UInt128(max(0, min(a.monotonic / 1000, longestStep)))
  }

  /// Largest correction of a clock that counted as right, µs; a machine that boots needs a tenth of it.
  private static let longestStep: Int64 = 300_000_000

  /// nil if the clock was set in between, or the elapsed time is unknown.
  public static func line(_ earlier: Reading, _ later: Reading) -> ClockCorrection? {
    isOneBoot(earlier, later)
      ? try? ClockCorrection(earlier.evidence, later.evidence)
      : try? ClockCorrection(acrossBoots: earlier.evidence, later.evidence)
  }

  /// Whether the clock was set between two readings, as far as detectable.
  ///
  /// - Parameter all: readings of this clock, in the order in which they were made, for its rate.
  public static func isSet(between earlier: Reading, and later: Reading, among all: [Reading]) -> Bool {
    !isOneEra(earlier, later, ClockRate(all))
  }

  /// Whether the clock was not set in between, as far as detectable: within the errors of the readings, and the drift
  /// of the crystal.
  static func isOneEra(_ earlier: Reading, _ later: Reading, _ crystal: ClockRate?) -> Bool {
    guard line(earlier, later) != nil else { return false }
    let passed = passed(earlier, later)
    let isKnown = crystal?.isCorroborated ?? false
    let expected = isKnown ? devicePassed(earlier, later, crystal) : passed
    let rate = isKnown ? ClockRate.steadiness : areSharp(earlier, later) ? ClockRate.most : ClockCorrection.driftLimit
    let limit = error(earlier, later) + passed / 1_000_000 * rate
    // Both are on one line, since all distances here are below a year.
    return abs(later.evidence.device - earlier.evidence.device - expected) <= limit
  }
}

extension Int64 {
  /// The sum, or the end of the range if it overflows.
  package func saturatingAdd(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? other < 0 ? .min : .max : sum
  }
}
