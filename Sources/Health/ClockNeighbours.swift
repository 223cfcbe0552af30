// What two readings of one clock say of each other: how much time passed between them, and whether the clock was set.

extension ClockCurve {
  /// µs of the hub's clocks from one to the other, as well as they can say; 0 where they went back.
  static func passed(_ earlier: Reading, _ later: Reading) -> Int64 {
    let (a, b) = (earlier.evidence, later.evidence)
    let isOneBoot = isOneBoot(earlier, later)
    let (time, overflow) =
      isOneBoot ? b.monotonic.subtractingReportingOverflow(a.monotonic) : b.wall.subtractingReportingOverflow(a.wall)
    return overflow ? 0 : max(0, isOneBoot ? time / 1000 : time)
  }

  /// µs that the wearable's clock should have moved on meanwhile.
  static func devicePassed(_ earlier: Reading, _ later: Reading, _ crystal: ClockRate?) -> Int64 {
    let passed = passed(earlier, later)
    return crystal.map { $0.line.deviceTime(after: passed) } ?? passed
  }

  /// How much the two may be wrong together, µs. Between boots the hub's own clock may have been put right.
  static func error(_ earlier: Reading, _ later: Reading) -> Int64 {
    isOneBoot(earlier, later) && areSharp(earlier, later) ? sharpError : ClockCorrection.readingError
  }

  static func areSharp(_ earlier: Reading, _ later: Reading) -> Bool {
    earlier.evidence.isSharp && later.evidence.isSharp
  }

  /// Whether the hub's monotonic clock ran from one to the other: then nothing that was done to its wall clock matters,
  /// and no end of its process does.
  ///
  /// Another boot begins after the earlier reading was made. So where both clocks together say that it began before,
  /// and that to the minutes that a time server may set a clock by, there was none.
  static func isOneBoot(_ earlier: Reading, _ later: Reading) -> Bool {
    let (a, b) = (earlier.evidence, later.evidence)
    guard a.monotonic <= b.monotonic else { return false }
    if earlier.isOfThisBoot && later.isOfThisBoot { return true }
    guard a.isTrusted, b.isTrusted else { return false }
    let moved = (Int128(b.wall) - Int128(b.monotonic / 1000)) - (Int128(a.wall) - Int128(a.monotonic / 1000))
    return moved.magnitude < UInt128(max(0, min(a.monotonic / 1000, longestStep)))
  }

  /// What a clock that was held to be right is set by, µs; a machine that starts anew needs a tenth of it.
  private static let longestStep: Int64 = 300_000_000

  /// nil: the clock was set in between, or nothing says how much time passed.
  public static func line(_ earlier: Reading, _ later: Reading) -> ClockCorrection? {
    isOneBoot(earlier, later)
      ? try? ClockCorrection(earlier.evidence, later.evidence)
      : try? ClockCorrection(acrossBoots: earlier.evidence, later.evidence)
  }

  /// Whether somebody set the clock between two readings, as far as can be seen.
  ///
  /// - Parameter all: readings of this clock, in the order in which they were made, which say how fast it goes.
  public static func isSet(between earlier: Reading, and later: Reading, among all: [Reading]) -> Bool {
    !isOneEra(earlier, later, ClockRate(all))
  }

  /// Nobody set the clock in between, as far as can be seen: by more than the readings may be wrong, and than the
  /// crystal may have gone.
  static func isOneEra(_ earlier: Reading, _ later: Reading, _ crystal: ClockRate?) -> Bool {
    guard line(earlier, later) != nil else { return false }
    let passed = passed(earlier, later)
    let isKnown = crystal?.isCorroborated ?? false
    let expected = isKnown ? devicePassed(earlier, later, crystal) : passed
    let rate = isKnown ? ClockRate.steadiness : areSharp(earlier, later) ? ClockRate.most : ClockCorrection.driftLimit
    let limit = error(earlier, later) + passed / 1_000_000 * rate
    // One line goes through both: nothing here is longer than a year.
    return abs(later.evidence.device - earlier.evidence.device - expected) <= limit
  }
}

extension Int64 {
  /// The sum, or the end of the range that it would pass.
  package func saturatingAdd(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? other < 0 ? .min : .max : sum
  }
}
