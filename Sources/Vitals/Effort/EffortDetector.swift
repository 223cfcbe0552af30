// Begin and end of effort, from the heart rates of one strap: a pure machine told of values and of time that passes. It
// knows the monotonic clock alone. What it found is somebody else's to keep.

/// What became of an effort.
public enum EffortSign: Sendable, Hashable {
  /// One is under way, since a moment that may be minutes ago.
  case began(EffortOrigin, at: Int64)
  case ended(EffortSummary)
  /// One that was found is over and was too short to be a training.
  case dropped
}

/// Watches one strap on one person.
///
///     rest ── a value at the bound ──> rising ── 3 min of 4 at the bound ──> effort, since it rose
///     effort ── 5 min without a value at the bound ──> rest; the effort ended with the last such value
///
/// Below the bound, off the body and out of reach are one to it: the last value at the bound counts. By order the bound
/// does not matter: begin and end are exact, and only an hour without any value, or twelve in all, ends it.
/// Promises: begin ≤ end ≤ now; efforts never overlap; however late a tick comes, the result is the same.
public struct EffortDetector: Sendable, Hashable {
  public private(set) var person: VitalPerson
  /// Beats a minute.
  private var maximum: Double?
  private var level = EffortLevel()
  /// The newest moment it was told of.
  private var now: Int64
  /// The value that stands, and until when it was counted.
  private var rate: Int?
  private var rateCame: Int64 = 0
  private var counted: Int64 = 0
  private var isAtBound = false
  private var effort: Effort?
  /// After an order, or the longest effort, a new one is found only behind a minute below the bound.
  private var restNeeded: Int64 = 0

  /// Why an effort ends by itself.
  private enum End { case over, longest }

  private struct Effort: Sendable, Hashable {
    let begin: Int64
    /// Nil: ordered while the rest was unknown.
    let bound: Int?
    var origin: EffortOrigin
    /// It has not been long enough to be called one.
    var isRising: Bool
    /// Up to now, and up to the last value at the bound.
    var whole = EffortTally()
    var kept = EffortTally()
    var keptEnd: Int64
    /// When any value was last counted.
    var knownEnd: Int64
    /// At or above the bound.
    var proven: Int64 = 0
    /// Below it, since the last value that was not.
    var below: Int64 = 0
    var pauses: Int64 = 0

    /// A value at the bound stood for a time. A longer stretch below it before was a pause, but not of an ordered
    /// effort: whoever orders says what belongs to it.
    mutating func proved(for held: Int64, until end: Int64) {
      if origin == .found, below >= EffortLimit.pause { pauses += below }
      below = 0
      proven += held
      kept = whole
      keptEnd = end
    }
  }

  /// - Parameter now: microseconds of the monotonic clock.
  public init(_ person: VitalPerson = VitalPerson(), at now: Int64) {
    self.person = person
    self.now = now
    maximum = Self.maximum(of: person)
  }

  private static func maximum(of person: VitalPerson) -> Double? {
    person.usedMaximumRate.flatMap { $0 <= Double(EffortLimit.rates.upperBound) ? $0 : nil }
  }

  /// The effort that is under way, as it is now; nil for one that only may become one.
  public var running: EffortSummary? {
    guard let effort, !effort.isRising else { return nil }
    return effort.whole.summary(effort.origin, from: effort.begin, to: now, pauses: effort.pauses, maximum: maximum)
  }

  /// Whether somebody has to look at it when time goes by.
  public var isRunning: Bool { effort.map { !$0.isRising } ?? false }

  /// Beats a minute, at or above which effort is found now; nil while the rest is unknown.
  public var bound: Int? { effort?.bound ?? level.bound(maximum: maximum) }

  // MARK: What happens

  /// A heart rate came. Earlier times than the last one are taken for the last one.
  public mutating func take(_ rate: Int, at time: Int64) -> EffortSign? {
    let sign = tick(at: time)
    guard EffortLimit.rates.contains(rate) else { return sign }
    self.rate = rate
    (rateCame, counted) = (now, now)
    let bound = bound
    isAtBound = bound.map { rate >= $0 } ?? false
    if effort == nil, restNeeded == 0, isAtBound {
      effort = Effort(begin: now, bound: bound, origin: .found, isRising: true, keptEnd: now, knownEnd: now)
    }
    return sign
  }

  /// Time went by.
  public mutating func tick(at time: Int64) -> EffortSign? {
    let time = max(now, time)
    // Counted up to the moment at which the longest effort is over, no further.
    let limit = effort.map { SessionMoment.time($0.begin, plus: EffortLimit.longest) } ?? time
    count(to: min(time, limit))
    now = time
    level.move(to: now)
    return judge()
  }

  // MARK: Orders

  /// Somebody says that effort begins now. One that was found ends; one that was ordered goes on.
  public mutating func begin(at time: Int64) -> [EffortSign] {
    var signs = [tick(at: time)].compactMap { $0 }
    if let effort, effort.origin == .ordered { return signs }
    if let effort, !effort.isRising { signs.append(finish(effort, .over, at: effort.keptEnd)) }
    effort = nil
    // The value that stands was counted until now; it goes on as a value of this effort.
    effort = Effort(begin: now, bound: bound, origin: .ordered, isRising: false, keptEnd: now, knownEnd: now)
    signs.append(.began(.ordered, at: now))
    return signs
  }

  /// Somebody says that it is over: one that was found is one, then, however short it was.
  ///
  /// - Returns: empty where none was under way.
  public mutating func end(at time: Int64) -> [EffortSign] {
    var signs = [tick(at: time)].compactMap { $0 }
    guard let effort, !effort.isRising else { return signs }
    self.effort = nil
    restNeeded = EffortLimit.pause
    let result = summary(of: effort, effort.whole, to: now)
    signs.append(result.length < EffortLimit.leastOrdered ? .dropped : .ended(result))
    return signs
  }

  /// Whoever wears it takes it off, or is another from now on: what was under way ends by its own rule.
  public mutating func close(at time: Int64) -> [EffortSign] {
    var signs = [tick(at: time)].compactMap { $0 }
    defer { effort = nil }
    guard let effort, !effort.isRising else { return signs }
    signs.append(finish(effort, .over, at: effort.origin == .found ? effort.keptEnd : now))
    return signs
  }

  /// What was told to have begun is none. Another is found only behind a minute below the bound.
  public mutating func abandon() {
    effort = nil
    restNeeded = EffortLimit.pause
  }

  /// More is known of the person; of an effort that is under way it is known too late.
  public mutating func know(_ person: VitalPerson) {
    guard running == nil, person != self.person else { return }
    effort = nil
    self.person = person
    maximum = Self.maximum(of: person)
  }

  /// An effort of an earlier life of the hub goes on: values since its begin are to be taken next.
  ///
  /// - Parameter bound: as it was then.
  public mutating func resume(_ origin: EffortOrigin, since begin: Int64, bound: Int?) {
    let begin = min(begin, now)
    effort = Effort(begin: begin, bound: bound, origin: origin, isRising: false, keptEnd: begin, knownEnd: begin)
  }

  // MARK: Counting

  /// Counts the value that stands, up to a moment.
  private mutating func count(to time: Int64) {
    guard let rate else { return }
    let end = min(time, SessionMoment.time(rateCame, plus: EffortLimit.hold))
    let held = SessionMoment.distance(counted, end)
    guard held > 0 else { return }
    level.add(rate, from: counted, to: end)
    counted = end
    if restNeeded > 0 { restNeeded = isAtBound ? EffortLimit.pause : max(0, restNeeded - held) }
    guard effort != nil else { return }
    effort?.whole.add(rate, for: held, of: person, maximum: maximum)
    effort?.knownEnd = end
    if isAtBound { effort?.proved(for: held, until: end) } else { effort?.below += held }
  }

  // MARK: Begin and end

  private mutating func judge() -> EffortSign? {
    let hasBegun = judgeRise()
    guard let effort, !effort.isRising else { return nil }
    let limit = SessionMoment.time(effort.begin, plus: EffortLimit.longest)
    let isFound = effort.origin == .found
    let last = isFound ? effort.keptEnd : effort.knownEnd
    let over = SessionMoment.time(last, plus: isFound ? EffortLimit.bridge : EffortLimit.forgotten)
    let sign: EffortSign
    if now >= over, over <= limit {
      sign = finish(effort, .over, at: last)
    } else if now >= limit {
      sign = finish(effort, .longest, at: isFound ? last : limit)
    } else {
      return hasBegun ? .began(.found, at: effort.begin) : nil
    }
    // Nobody was told of it.
    return hasBegun && sign == .dropped ? nil : sign
  }

  /// - Returns: what rose is an effort from now on.
  private mutating func judgeRise() -> Bool {
    guard let effort, effort.isRising else { return false }
    if effort.proven >= EffortLimit.proof {
      self.effort?.isRising = false
      return true
    }
    if SessionMoment.distance(effort.begin, now) - effort.proven > EffortLimit.doubt { self.effort = nil }
    return false
  }

  private mutating func finish(_ effort: Effort, _ reason: End, at end: Int64) -> EffortSign {
    self.effort = nil
    if reason == .longest { restNeeded = EffortLimit.pause }
    let isFound = effort.origin == .found
    let result = summary(of: effort, isFound ? effort.kept : effort.whole, to: end)
    let isLong = result.length >= EffortLimit.least && effort.proven >= EffortLimit.leastProven
    return (isFound ? isLong : result.known > 0) ? .ended(result) : .dropped
  }

  private func summary(of effort: Effort, _ tally: EffortTally, to end: Int64) -> EffortSummary {
    tally.summary(effort.origin, from: effort.begin, to: end, pauses: effort.pauses, maximum: maximum)
  }
}
