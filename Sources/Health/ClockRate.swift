// Rate of a wearable's clock, from readings between which other programs may have set it.

/// Rate of the clock, which depends on its crystal. The clock may be set slightly by a phone, so a single pair of
/// readings is not trusted if there are more.
struct ClockRate: Sendable, Equatable {
  /// Line with this drift.
  let line: ClockCorrection
  /// Whether a second period confirms the rate.
  let isCorroborated: Bool

  /// Variation of one crystal's rate between days, parts per million. A watch crystal loses 0.04 ppm times the square
  /// of its distance from 25 °C. That is 36 ppm at -5 °C or 55 °C.
  static let steadiness: Int64 = 50
  /// Largest error of a watch crystal over all temperatures, parts per million.
  static let most: Int64 = 100
  /// Usual largest error: crystals are cut to 20, with some years of ageing, parts per million.
  static let usual: Int64 = 25

  /// - Parameter readings: in the order in which they were made.
  /// - Returns: nil if no two readings with fractions of a second are `ClockCorrection.driftBaseline` apart. Also nil
  ///   if a single pair shows a rate that few crystals have: then the clock was probably set in between.
  init?(_ readings: [ClockCurve.Reading]) {
    // The hub's own clock may be set between two of its boots, so such pairs count only without others.
    var lines = Self.lines(readings, withinBoots: true)
    if lines.isEmpty { lines = Self.lines(readings, withinBoots: false) }
    guard let (line, count) = Self.mostSaid(lines), count > 1 || abs(line.driftPPM ?? .infinity) <= Double(Self.usual)
    else { return nil }
    self.line = line
    isCorroborated = count > 1
  }

  /// Consecutive lines, each over the shortest sufficient period.
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

  /// The rate that most periods confirm: a crystal repeats its rate, other programs' settings do not. Of equally
  /// frequent rates the smallest counts, since crystals are cut to be right, and within a group the middle one.
  private static func mostSaid(_ lines: [ClockCorrection]) -> (line: ClockCorrection, count: Int)? {
    let drifts = lines.map { $0.driftPPM ?? .infinity }
    func agreeing(_ drift: Double) -> [Int] { drifts.indices.filter { abs(drifts[$0] - drift) <= Double(steadiness) } }
    let said = drifts.map { (drift: $0, count: agreeing($0).count) }
    guard let best = said.max(by: { ($0.count, -abs($0.drift)) < ($1.count, -abs($1.drift)) }) else { return nil }
    let group = agreeing(best.drift).sorted { drifts[$0] < drifts[$1] }
    return (lines[group[(group.count - 1) / 2]], group.count)
  }
}
