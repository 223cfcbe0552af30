// From which heart rate on somebody is in effort: by their maximum rate and by the rest that was seen on this strap.

/// Numbers of efforts. Microseconds, beats a minute.
public enum EffortLimit {
  /// Somebody is in effort after 3 min at or above the bound, with at most one below it or without values. Stairs and a
  /// dash for the bus are over by then; the heart of somebody who runs needs 2 to 3 min to reach its rate.
  public static let proof: Int64 = 180_000_000
  public static let doubt: Int64 = 60_000_000
  /// Below the bound, off the body or out of reach for so long ends a found effort. Rests between sets and intervals
  /// are 1 to 3 min, a lift or a changing room without radio is left sooner.
  public static let bridge: Int64 = 300_000_000
  /// What is shorter is no training: guidelines counted bouts of activity from 10 min on.
  public static let least: Int64 = 600_000_000
  /// A found effort has at least so long at or above the bound in values, half of `least`: gaps make no training.
  public static let leastProven: Int64 = 300_000_000
  /// An order that was taken back at once.
  public static let leastOrdered: Int64 = 1_000_000
  /// An Ironman takes twelve hours. What goes on for longer is no effort but a heart.
  public static let longest: Int64 = 43_200_000_000
  /// An ordered effort whose strap tells nothing for an hour was forgotten. An hour is a run out of the hub's reach.
  public static let forgotten: Int64 = 3_600_000_000
  /// A stretch below the bound that is a pause and no active time: what shorter rests do not reach.
  public static let pause: Int64 = 60_000_000
  /// A value stands until the next one, for no longer than this: as long as `EnergyMeter` holds one.
  public static let hold: Int64 = 10_000_000
  /// What a heart does; other numbers are passed over.
  public static let rates = 25...250

  /// Percent of the maximum: where zone 2 begins.
  static let share = 60.0
  /// Where the maximum is known, beyond the rest that was seen: what standing up and a light fever do is 10 to 20.
  static let riseOfKnown = 20
  /// Where it is unknown: moderate effort begins at 40 % of what lies between rest and maximum, which is about 100.
  static let riseOfUnknown = 40
  /// Where it is unknown: rates at rest reach from 60 to 100.
  static let leastOfUnknown = 100
}

/// The lowest mean of a minute within the last 20 to 40 min.
///
/// So it follows what rises slowly. A fever rises by 10 to 20 bpm in an hour; effort takes minutes. Whoever lies at
/// 110 bpm for hours has a level of 110, and no effort below 130 or 150.
struct EffortLevel: Sendable, Hashable {
  /// Minutes and spans of twenty lie on a grid of their own, so that it does not matter when somebody asks.
  private static let minute: Int64 = 60_000_000
  private static let span: Int64 = 20
  /// A minute with less than half of it in values says nothing.
  private static let least: Int64 = 30_000_000

  /// Number of the minute that is counted.
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

  /// A rate stood from one moment to another, less than a minute later.
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

  /// Closes the minute that is over, and forgets what is too old.
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

  /// From which rate on somebody with this rest is in effort; nil while their rest is unknown.
  ///
  /// - Parameter maximum: beats a minute, of `VitalPerson.usedMaximumRate`.
  func bound(maximum: Double?) -> Int? {
    guard let rate else { return nil }
    guard let maximum, maximum > 0, maximum <= Double(EffortLimit.rates.upperBound) else {
      return max(EffortLimit.leastOfUnknown, rate + EffortLimit.riseOfUnknown)
    }
    let share = (maximum * EffortLimit.share / 100).rounded(.up)
    return max(Int(share), rate + EffortLimit.riseOfKnown)
  }
}
