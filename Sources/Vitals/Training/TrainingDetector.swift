// Detection of physical effort from the heart rates of one strap: a pure state machine driven by values and monotonic
// time. The caller stores the results.

/// Event of an effort.
public enum TrainingEvent: Sendable, Hashable {
  /// An effort is in progress, since a moment that may be minutes ago.
  case began(TrainingOrigin, at: Int64)
  case ended(TrainingResult)
  /// A detected effort ended and was too short to be a training.
  case dropped
}

/// Detector for one strap on one person.
///
///     rest ── a value at the bound ──> rising ── 3 min of 4 at the bound ──> effort, since it rose
///     effort ── 5 min without a value at the bound ──> rest; the effort ended with the last such value
///
/// Values below the bound, a strap off the body and a strap out of reach are treated alike. Only the last value at the
/// bound counts. For an ordered effort the bound does not matter. Start and end are as ordered, and only an hour
/// without any value, or twelve hours in all, ends it. Guarantees: begin ≤ end ≤ now; efforts never overlap; the result
/// does not depend on when ticks come.
public struct TrainingDetector: Sendable, Hashable {
  /// Person whose effort is detected.
  public private(set) var person: VitalPerson
  /// Maximum rate, beats a minute; nil: unknown.
  private var maximum: Double?
  private var level = RestingRate()
  /// Latest time passed in, microseconds of the monotonic clock.
  private var now: Int64
  /// Current heart rate, and the time up to which it was counted.
  private var rate: Int?
  private var rateCame: Int64 = 0
  private var counted: Int64 = 0
  private var isAtBound = false
  private var effort: CurrentTraining?
  /// Rest that the next detected effort requires after an order, or the longest effort: a minute below the bound.
  private var restNeeded: Int64 = 0

  /// Reason why an effort ends by itself.
  private enum End { case over, longest }

  private struct CurrentTraining: Sendable, Hashable {
    let begin: Int64
    /// Nil: ordered while the resting rate was unknown.
    let bound: Int?
    var origin: TrainingOrigin
    /// Whether the effort is too short to be confirmed yet.
    var isRising: Bool
    /// Totals up to now, and up to the last value at the bound.
    var whole = TrainingTally()
    var kept = TrainingTally()
    var keptEnd: Int64
    /// Time up to which any value was last counted.
    var knownEnd: Int64
    /// Microseconds at or above the bound.
    var proven: Int64 = 0
    /// Microseconds below it since the last value at the bound.
    var below: Int64 = 0
    var pauses: Int64 = 0

    /// Adds time at the bound. A longer stretch below it before was a pause in a detected effort. In an ordered effort
    /// it is part of the effort.
    mutating func proved(for held: Int64, until end: Int64) {
      if origin == .found, below >= TrainingLimit.pause { pauses += below }
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
    person.usedMaximumRate.flatMap { $0 <= Double(TrainingLimit.rates.upperBound) ? $0 : nil }
  }

  /// The effort in progress, as of now; nil for one that is not confirmed yet.
  public var running: TrainingResult? {
    guard let effort, !effort.isRising else { return nil }
    return effort.whole.summary(effort.origin, from: effort.begin, to: now, pauses: effort.pauses, maximum: maximum)
  }

  /// Whether an effort is in progress, so that `tick` must be called.
  public var isRunning: Bool { effort.map { !$0.isRising } ?? false }

  /// Beats a minute from which effort is detected now; nil while the resting rate is unknown.
  public var bound: Int? { effort?.bound ?? level.bound(maximum: maximum) }

  // MARK: Events

  /// Takes a heart rate. A time before the last one counts as the last one.
  public mutating func take(_ rate: Int, at time: Int64) -> TrainingEvent? {
    let sign = tick(at: time)
    guard TrainingLimit.rates.contains(rate) else { return sign }
    self.rate = rate
    (rateCame, counted) = (now, now)
    let bound = bound
    isAtBound = bound.map { rate >= $0 } ?? false
    if effort == nil, restNeeded == 0, isAtBound {
      effort = CurrentTraining(begin: now, bound: bound, origin: .found, isRising: true, keptEnd: now, knownEnd: now)
    }
    return sign
  }

  /// Advances the time.
  public mutating func tick(at time: Int64) -> TrainingEvent? {
    let time = max(now, time)
    // Counted only up to the end of the longest effort.
    let limit = effort.map { SessionMoment.time($0.begin, plus: TrainingLimit.longest) } ?? time
    count(to: min(time, limit))
    now = time
    level.move(to: now)
    return judge()
  }

  // MARK: Orders

  /// Starts an ordered effort now. A detected effort ends; an ordered one continues.
  public mutating func begin(at time: Int64) -> [TrainingEvent] {
    var signs = [tick(at: time)].compactMap { $0 }
    if let effort, effort.origin == .ordered { return signs }
    if let effort, !effort.isRising { signs.append(finish(effort, .over, at: effort.keptEnd)) }
    effort = nil
    // The current value was counted until now; it continues as a value of this effort.
    effort = CurrentTraining(begin: now, bound: bound, origin: .ordered, isRising: false, keptEnd: now, knownEnd: now)
    signs.append(.began(.ordered, at: now))
    return signs
  }

  /// Ends the effort by order. A detected one then counts, however short it was.
  ///
  /// - Returns: empty if no effort was in progress.
  public mutating func end(at time: Int64) -> [TrainingEvent] {
    var signs = [tick(at: time)].compactMap { $0 }
    guard let effort, !effort.isRising else { return signs }
    self.effort = nil
    restNeeded = TrainingLimit.pause
    let result = summary(of: effort, effort.whole, to: now)
    signs.append(result.length < TrainingLimit.leastOrdered ? .dropped : .ended(result))
    return signs
  }

  /// Ends an effort by its own rule, because the strap is taken off or its wearer changes.
  public mutating func close(at time: Int64) -> [TrainingEvent] {
    var signs = [tick(at: time)].compactMap { $0 }
    defer { effort = nil }
    guard let effort, !effort.isRising else { return signs }
    signs.append(finish(effort, .over, at: effort.origin == .found ? effort.keptEnd : now))
    return signs
  }

  /// Discards an effort that was reported as begun. The next is detected only after a minute below the bound.
  public mutating func abandon() {
    effort = nil
    restNeeded = TrainingLimit.pause
  }

  /// Updates what is known of the person; too late for an effort in progress.
  public mutating func know(_ person: VitalPerson) {
    guard running == nil, person != self.person else { return }
    effort = nil
    self.person = person
    maximum = Self.maximum(of: person)
  }

  /// Resumes an effort from before a restart of the hub; the values since its start must be passed next.
  ///
  /// - Parameter bound: the bound at that time.
  public mutating func resume(_ origin: TrainingOrigin, since begin: Int64, bound: Int?) {
    let begin = min(begin, now)
    effort = CurrentTraining(
      begin: begin, bound: bound, origin: origin, isRising: false, keptEnd: begin, knownEnd: begin)
  }

  // MARK: Counting

  /// Counts the current value up to a moment.
  private mutating func count(to time: Int64) {
    guard let rate else { return }
    let end = min(time, SessionMoment.time(rateCame, plus: TrainingLimit.hold))
    let held = SessionMoment.distance(counted, end)
    guard held > 0 else { return }
    level.add(rate, from: counted, to: end)
    counted = end
    if restNeeded > 0 { restNeeded = isAtBound ? TrainingLimit.pause : max(0, restNeeded - held) }
    guard effort != nil else { return }
    effort?.whole.add(rate, for: held, of: person, maximum: maximum)
    effort?.knownEnd = end
    if isAtBound { effort?.proved(for: held, until: end) } else { effort?.below += held }
  }

  // MARK: Begin and end

  private mutating func judge() -> TrainingEvent? {
    let hasBegun = judgeRise()
    guard let effort, !effort.isRising else { return nil }
    let limit = SessionMoment.time(effort.begin, plus: TrainingLimit.longest)
    let isFound = effort.origin == .found
    let last = isFound ? effort.keptEnd : effort.knownEnd
    let over = SessionMoment.time(last, plus: isFound ? TrainingLimit.bridge : TrainingLimit.forgotten)
    let sign: TrainingEvent
    if now >= over, over <= limit {
      sign = finish(effort, .over, at: last)
    } else if now >= limit {
      sign = finish(effort, .longest, at: isFound ? last : limit)
    } else {
      return hasBegun ? .began(.found, at: effort.begin) : nil
    }
    // An effort that was never reported needs no `dropped`.
    return hasBegun && sign == .dropped ? nil : sign
  }

  /// - Returns: whether the rise is an effort from now on.
  private mutating func judgeRise() -> Bool {
    guard let effort, effort.isRising else { return false }
    if effort.proven >= TrainingLimit.proof {
      self.effort?.isRising = false
      return true
    }
    if SessionMoment.distance(effort.begin, now) - effort.proven > TrainingLimit.doubt { self.effort = nil }
    return false
  }

  private mutating func finish(_ effort: CurrentTraining, _ reason: End, at end: Int64) -> TrainingEvent {
    self.effort = nil
    if reason == .longest { restNeeded = TrainingLimit.pause }
    let isFound = effort.origin == .found
    let result = summary(of: effort, isFound ? effort.kept : effort.whole, to: end)
    let isLong = result.length >= TrainingLimit.least && effort.proven >= TrainingLimit.leastProven
    return (isFound ? isLong : result.known > 0) ? .ended(result) : .dropped
  }

  private func summary(of effort: CurrentTraining, _ tally: TrainingTally, to end: Int64) -> TrainingResult {
    tally.summary(effort.origin, from: effort.begin, to: end, pauses: effort.pauses, maximum: maximum)
  }
}
