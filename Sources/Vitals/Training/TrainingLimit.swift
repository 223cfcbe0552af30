// Heart rate from which a person is in effort, by their maximum rate and the resting rate seen on this strap.

/// Limits of efforts. Microseconds, beats a minute.
public enum TrainingLimit {
  /// Effort is confirmed after 3 min at or above the bound, with at most one minute below it or without values. Stairs
  /// and a dash for the bus are over by then; a runner's heart needs 2 to 3 min to reach its rate.
  public static let proof: Int64 = 180_000_000
  /// Longest time below the bound, or without values, before an effort is confirmed: one minute.
  public static let doubt: Int64 = 60_000_000
  /// A detected effort ends after this long below the bound, off the body or out of reach. Rests between sets and
  /// intervals take 1 to 3 min; a lift or a changing room without radio is left sooner.
  public static let bridge: Int64 = 300_000_000
  /// Shorter efforts are no training: guidelines counted bouts of activity from 10 min on.
  public static let least: Int64 = 600_000_000
  /// A detected effort needs values at or above the bound for at least this long, half of `least`: gaps alone make no
  /// training.
  public static let leastProven: Int64 = 300_000_000
  /// A shorter ordered effort counts as an order taken back at once.
  public static let leastOrdered: Int64 = 1_000_000
  /// An Ironman takes twelve hours. A longer elevation has other causes than effort.
  public static let longest: Int64 = 43_200_000_000
  /// An ordered effort is considered forgotten if its strap sends no value for an hour. An hour is a run out of the
  /// hub's reach.
  public static let forgotten: Int64 = 3_600_000_000
  /// A stretch below the bound of this length is a pause and no active time; shorter rests count as active.
  public static let pause: Int64 = 60_000_000
  /// A value holds until the next one, at most this long: the same as in `EnergyMeter`.
  public static let hold: Int64 = 10_000_000
  /// Plausible heart rates; others are ignored.
  public static let rates = 25...250

  /// Percent of the maximum: start of zone 2.
  static let share = 60.0
  /// Rise above the resting rate, for a known maximum: standing up and a light fever add 10 to 20.
  static let riseOfKnown = 20
  /// Rise for an unknown maximum: moderate effort starts at 40 % of the difference between rest and maximum, which is
  /// about 100.
  static let riseOfUnknown = 40
  /// Limit for an unknown maximum: resting rates range from 60 to 100.
  static let leastOfUnknown = 100
}

/// Resting rate: the lowest mean of a minute within the last 20 to 40 min.
///
/// So it follows slow rises. A fever rises by 10 to 20 bpm in an hour; effort takes minutes. A patient with 110 bpm for
/// hours has a resting rate of 110, and no effort below 130 or 150.
struct RestingRate: Sendable, Hashable {
  /// Minutes and spans of twenty are on a fixed grid, so that the time of a query does not matter.
  private static let minute: Int64 = 60_000_000
  private static let span: Int64 = 20
  /// A minute with values for less than half of it is ignored.
  private static let least: Int64 = 30_000_000

  /// Number of the minute being counted.
  private var number: Int64?
  private var held: Int64 = 0
  /// Beats a minute times microseconds.
  private var sum: Int64 = 0
  private var lowest: Int?
  private var before: Int?

  /// Beats a minute; nil while less than a minute was seen.
  var rate: Int? {
    guard let lowest else { return before }
    return before.map { min($0, lowest) } ?? lowest
  }

  /// Adds a rate that held from one moment to another, less than a minute later.
  mutating func add(_ rate: Int, from begin: Int64, to end: Int64) {
    move(to: begin)
    let edge = SessionMoment.time(begin - begin % Self.minute, plus: Self.minute)
    let first = SessionMoment.distance(begin, min(end, edge))
    held += first
    sum += Int64(rate) * first
    guard end > edge else { return move(to: end) }
    move(to: end)
    held += end - edge
    sum += Int64(rate) * (end - edge)
  }

  /// Closes a minute that is over, and drops old minutes.
  mutating func move(to now: Int64) {
    let next = now / Self.minute
    defer { number = next }
    guard let number, next != number else { return }
    if held >= Self.least {
      let mean = Int(sum / held)
      lowest = lowest.map { min($0, mean) } ?? mean
    }
    (held, sum) = (0, 0)
    let spans = next / Self.span - number / Self.span
    if spans != 0 { (before, lowest) = (spans == 1 ? lowest : nil, nil) }
  }

  /// Rate from which a person with this resting rate is in effort; nil while the resting rate is unknown.
  ///
  /// - Parameter maximum: beats a minute, of `VitalPerson.usedMaximumRate`.
  func bound(maximum: Double?) -> Int? {
    guard let rate else { return nil }
    guard let maximum, maximum > 0, maximum <= Double(TrainingLimit.rates.upperBound) else {
      return max(TrainingLimit.leastOfUnknown, rate + TrainingLimit.riseOfUnknown)
    }
    let share = (maximum * TrainingLimit.share / 100).rounded(.up)
    return max(Int(share), rate + TrainingLimit.riseOfKnown)
  }
}
