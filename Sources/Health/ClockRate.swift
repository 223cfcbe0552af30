// How fast a wearable's clock goes, out of readings between which it may have been set by others.

/// A matter of the crystal, which nobody sets. The clock may be set, by a telephone and by little: so no two readings alone are believed where there are more.
struct ClockRate: Sendable, Equatable {
  /// The line whose drift it is.
  let line: ClockCorrection
  /// A second stretch of time says the same.
  let isCorroborated: Bool

  /// By how much one crystal's rate may differ from one day to another, parts per million: a watch crystal loses 0.04 ppm times the square of its
  /// distance from 25 °C, which is 36 ppm from there to -5 °C or 55 °C.
  static let steadiness: Int64 = 50

  /// - Parameter readings: in the order in which they were made.
  /// - Returns: nil where no two that show fractions of a second are `ClockCorrection.driftBaseline` apart.
  init?(_ readings: [ClockCurve.Reading]) {
    // The hub's own clock may be set between two of its boots: only where nothing else is there do they count.
    var lines = Self.lines(readings, withinBoots: true)
    if lines.isEmpty { lines = Self.lines(readings, withinBoots: false) }
    guard let line = Self.median(lines), let own = line.driftPPM else { return nil }
    self.line = line
    isCorroborated = lines.count { abs(($0.driftPPM ?? .infinity) - own) <= Double(Self.steadiness) } > 1
  }

  /// One after the other, each over the shortest time that says anything.
  private static func lines(_ readings: [ClockCurve.Reading], withinBoots: Bool) -> [ClockCorrection] {
    var lines: [ClockCorrection] = []
    var first: ClockCurve.Reading?
    for reading in readings where reading.isSharp {
      guard let start = first, !withinBoots || ClockCurve.isOneBoot(start, reading), let line = ClockCurve.line(start, reading) else {
        first = reading
        continue
      }
      guard line.baseline >= ClockCorrection.driftBaseline else { continue }
      lines.append(line)
      first = reading
    }
    return lines
  }

  /// By the time that each spans. Of two the smaller, as crystals are cut to be right.
  private static func median(_ lines: [ClockCorrection]) -> ClockCorrection? {
    func drift(_ line: ClockCorrection) -> Double { line.driftPPM ?? .infinity }
    if lines.count < 3 { return lines.min { abs(drift($0)) < abs(drift($1)) } }
    let sorted = lines.sorted { drift($0) < drift($1) }
    let half = sorted.reduce(0) { $0 + $1.baseline / 2 }
    var passed: Int64 = 0
    return sorted.first {
      passed += $0.baseline
      return passed >= half
    }
  }
}
