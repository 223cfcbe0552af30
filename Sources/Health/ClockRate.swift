// How fast a wearable's clock goes, out of readings between which it may have been set by others.

/// A matter of the crystal, which nobody sets. The clock may be set, by a telephone and by little: so no two readings
/// alone are believed where there are more.
struct ClockRate: Sendable, Equatable {
  /// The line whose drift it is.
  let line: ClockCorrection
  /// A second stretch of time says the same.
  let isCorroborated: Bool

  /// By how much one crystal's rate may differ from one day to another, parts per million: a watch crystal loses 0.04
  /// ppm times the square of its distance from 25 °C, which is 36 ppm from there to -5 °C or 55 °C.
  static let steadiness: Int64 = 50
  /// By how much a watch crystal is wrong at most, over all temperatures, parts per million.
  static let most: Int64 = 100
  /// By how much most are: cut to 20, with some years of age, parts per million.
  static let usual: Int64 = 25

  /// - Parameter readings: in the order in which they were made.
  /// - Returns: nil where no two that show fractions of a second are `ClockCorrection.driftBaseline` apart, and where
  ///   the only two say what few crystals do: then somebody has probably set the clock in between.
  init?(_ readings: [ClockCurve.Reading]) {
    // The hub's own clock may be set between two of its boots: only where nothing else is there do they count.
    var lines = Self.lines(readings, withinBoots: true)
    if lines.isEmpty { lines = Self.lines(readings, withinBoots: false) }
    guard let (line, count) = Self.mostSaid(lines), count > 1 || abs(line.driftPPM ?? .infinity) <= Double(Self.usual)
    else { return nil }
    self.line = line
    isCorroborated = count > 1
  }

  /// One after the other, each over the shortest time that says anything.
  private static func lines(_ readings: [ClockCurve.Reading], withinBoots: Bool) -> [ClockCorrection] {
    var lines: [ClockCorrection] = []
    var first: ClockCurve.Reading?
    for reading in readings where reading.evidence.isSharp {
      guard let start = first, !withinBoots || ClockCurve.isOneBoot(start, reading),
        let line = ClockCurve.line(start, reading)
      else {
        first = reading
        continue
      }
      guard line.baseline >= ClockCorrection.driftBaseline else { continue }
      lines.append(line)
      first = reading
    }
    return lines
  }

  /// The crystal says the same each time; those who set its clock do not. Of what is said as often the smaller counts,
  /// as crystals are cut to be right, and of those who agree the one in the middle.
  private static func mostSaid(_ lines: [ClockCorrection]) -> (line: ClockCorrection, count: Int)? {
    let drifts = lines.map { $0.driftPPM ?? .infinity }
    func agreeing(_ drift: Double) -> [Int] { drifts.indices.filter { abs(drifts[$0] - drift) <= Double(steadiness) } }
    let said = drifts.map { (drift: $0, count: agreeing($0).count) }
    guard let best = said.max(by: { ($0.count, -abs($0.drift)) < ($1.count, -abs($1.drift)) }) else { return nil }
    let group = agreeing(best.drift).sorted { drifts[$0] < drifts[$1] }
    return (lines[group[(group.count - 1) / 2]], group.count)
  }
}
