// Times that cannot be known: around a clock that others set between two readings.

import EventLoop
import PolarTwin

/// Spans of one wearable's life with unknown times. Between the last reading before a setting of the clock and the
/// first one after it, either clock may have shown any time. The moment of the setting is unknown, and so is the drift
/// meanwhile if the clock was not read often enough before. A clock that was set back shows some of the times from
/// before that reading again. A recording that ran meanwhile continues by the clock of its start.
@LoopActor
struct PolarDoubts {
  /// A clock that others set, or that was lost.
  struct Span {
    enum Cause: Sendable {
      case setByOthers, lost, setBackByHub, hubsOwnSetBack
    }

    /// Time of the setting, ns.
    let setAt: Int64
    let cause: Cause
    /// Amount of doubt, ns.
    let amount: Int64
    /// Time after which it showed the same times again, as it was lost once more, ns; 0: it did not.
    let again: Int64
    /// Times of measurement that are concerned, ns.
    let span: ClosedRange<Int64>
    /// Time between the readings before and after in which a hub was linked and could have read the clock, ns.
    let unread: Int64
    /// Clock after the first loss, for one that was lost twice, and its first reading after the second.
    var lost: PolarClock?
    var readAt: Int64 = .max
    /// Times of the hub's clock between two of its steps, ns, for a clock that was lost before its first reading or
    /// setting.
    var walls: Range<Int64> = .min ..< .max
    /// True for a clock that is never read: a hub must not mark its times as sure.
    var isNeverRead = false
    /// The hub's own clock had been stepped since the run began.
    var isAfterStep = false

    /// Span for people.
    var doubted: ClosedRange<Int64> { span.clamped(to: walls.lowerBound...walls.upperBound) }
  }

  /// Doubt about one time, ns, and which of `spans` causes most of it.
  struct Doubt {
    var amount: Int64 = 0
    /// Time after which its clock showed the same time again, ns.
    var again: Int64 = 0
    var span: Int32 = 0

    fileprivate mutating func add(_ other: Span, _ index: Int, _ most: inout Int64) {
      amount += other.amount
      again += other.again
      if other.amount + other.again > most { (most, span) = (other.amount + other.again, Int32(index)) }
    }
  }

  /// Possible error of a reading, for all that the hub knows, ns: some clocks show whole seconds.
  static let readingError: Int64 = 2_000_000_000
  /// Error of a learned drift: from two readings at least six hours apart, with errors of 400 ms together in 21,600 s,
  /// parts per million.
  private static let learnedRateError: Int64 = 2 * PolarPool.bound / 21_600 / 1000 + 1
  /// Spans in the order of time.
  private(set) var spans: [Span] = []

  /// A visit without data is logged once an hour, and before a visit that finds another clock. A hub that ended before
  /// that, or in such a visit, knows no later reading, ns.
  private static let forgotten: Int64 = 3_600_000_000_000

  /// - Parameters:
  ///   - wallSteps: total step of the hub's clock, µs, with start; not empty.
  ///   - ends: times at which the hub was killed or stopped, in the order of time.
  init(_ twin: VirtualPolar, _ wallSteps: [(at: Instant, total: Int64)], hubEnded ends: [Instant]) {
    let readings = twin.clockReadings
    for (before, after) in zip(twin.clocks, twin.clocks.dropFirst()) {
      // A hub that set the clock read it before and after.
      if twin.timesSet.contains(where: { $0.at == after.from }) {
        if let span = Self.shownTwice(before.clock, after) { spans.append(span) }
        continue
      }
      let last = readings.last { $0 <= after.from } ?? Instant(nanoseconds: .min / 2)
      let next = readings.first { $0 > after.from } ?? Instant(nanoseconds: .max)
      var known = last.nanoseconds
      if known >= 0, ends.contains(where: { last <= $0 && $0.nanoseconds - Self.forgotten <= next.nanoseconds }) {
        // The first visit is always in the log.
        known = (readings.last { $0.nanoseconds <= known - Self.forgotten } ?? readings.first)?.nanoseconds ?? known
      }
      // Readings that the hub may have lost cannot have shown it the drift either.
      let learned = Self.learned(twin) { $0.nanoseconds <= known || $0 > last }
      let isUnread = known >= 0 && next.nanoseconds <= learned
      // A learned drift is as exact as its two readings.
      let rateError = isUnread ? PolarPool.unknownDrift : Self.learnedRateError
      let drifted = known >= 0 && next.nanoseconds < .max ? (next.nanoseconds - known) / 1_000_000 * rateError : 0
      // A lost clock shows years that are clearly wrong.
      let isMistakable = before.clock.isSet && after.clock.isSet
      let step = isMistakable ? Self.step(before.clock, after) : 0
      let unread = Self.linked(twin, last, next)
      if known < 0, before.clock.isSet, !after.clock.isSet {
        spans += Self.neverRead(
          twin, before.clock, wallSteps, lostAt: after.from, readAt: next, unread: unread)
        continue
      }
      if !before.clock.isSet, !after.clock.isSet {
        // Lost once more, or repeatedly: all show the same times, and a hub that reads the last one assigns the first
        // one's times to it.
        let read = twin.clocks.last { !$0.clock.isSet && $0.from <= next && $0.from >= after.from } ?? after
        spans.append(
          Span(
            setAt: after.from.nanoseconds, cause: .lost, amount: 0,
            again: read.from.nanoseconds - before.from.nanoseconds,
            span: before.from.nanoseconds...after.from.nanoseconds - 1,
            unread: unread, lost: before.clock, readAt: next.nanoseconds))
      }
      if step == 0, drifted == 0 { continue }
      spans.append(
        Span(
          setAt: after.from.nanoseconds, cause: after.clock.isSet ? .setByOthers : .lost,
          amount: abs(step) + drifted, again: 0,
          span: known + min(0, step, Self.steps(twin, last, next)) - Self.readingError...next.nanoseconds,
          unread: unread))
      if isMistakable, known >= 0 { spans += Self.shownBefore(twin, after, known, unread) }
    }
  }

  /// A clock that others set back far enough shows times of one before the last, too. For all that the hub knows, it
  /// was set right after the last reading. A time that both can have shown belongs to the newer one.
  private static func shownBefore(
    _ twin: VirtualPolar, _ after: (clock: PolarClock, from: Instant), _ known: Int64, _ unread: Int64
  ) -> [Span] {
    let moment = Instant(nanoseconds: known)
    return zip(twin.clocks, twin.clocks.dropFirst()).compactMap { era, next in
      let ahead = era.clock.now(at: moment) - after.clock.now(at: moment)
      let first = max(era.from.nanoseconds, known - ahead - readingError)
      guard era.clock.isSet, ahead > 0, next.from <= moment, first < next.from.nanoseconds else { return nil }
      return Span(
        setAt: after.from.nanoseconds, cause: .setByOthers, amount: ahead, again: 0,
        span: first...next.from.nanoseconds, unread: unread)
    }
  }

  /// A clock that the hub set back shows again what it showed just before. A day's file does not distinguish the two:
  /// what was not fetched by then counts at either place.
  private static func shownTwice(_ before: PolarClock, _ after: (clock: PolarClock, from: Instant)) -> Span? {
    let back = -step(before, after)
    guard before.isSet, back > readingError else { return nil }
    let moment = after.from.nanoseconds
    return Span(
      setAt: moment, cause: .setBackByHub, amount: 0, again: back, span: moment - back - readingError...moment,
      unread: 0)
  }

  /// A strap's exercise has the hub's time in its name. If the hub's own clock was set back after that, its end may be
  /// after the hub's now when it is fetched. No value is dated after now, so it gets now as its time.
  ///
  /// - Returns: the doubt about a value that was measured at a moment.
  mutating func noteExercise(_ exercise: StrapExercise, _ wallSteps: [(at: Instant, total: Int64)])
    -> (_ moment: Int64) -> Doubt
  {
    let then = wallSteps.last { $0.at <= exercise.began }?.total ?? 0
    let later = wallSteps.filter { $0.at > exercise.began }
    guard let back = later.min(by: { $0.total < $1.total }), back.total < then, let ended = exercise.ended else {
      return { _ in Doubt() }
    }
    let amount = (then - back.total) * 1000
    let span = ended.nanoseconds - amount...ended.nanoseconds
    spans.append(
      Span(setAt: back.at.nanoseconds, cause: .hubsOwnSetBack, amount: amount, again: 0, span: span, unread: 0))
    let doubt = Doubt(amount: amount, span: Int32(spans.count - 1))
    return { span.contains($0) ? doubt : Doubt() }
  }

  private static func step(_ before: PolarClock, _ after: (clock: PolarClock, from: Instant)) -> Int64 {
    after.clock.now(at: after.from) - before.now(at: after.from)
  }

  /// Returns by how much others set a clock between two readings, in total: a hub sees only that.
  private static func steps(_ twin: VirtualPolar, _ last: Instant, _ next: Instant) -> Int64 {
    zip(twin.clocks, twin.clocks.dropFirst()).reduce(0) { sum, pair in
      let (before, after) = pair
      return after.from >= last && after.from < next && before.clock.isSet && after.clock.isSet
        ? sum + step(before.clock, after) : sum
    }
  }

  /// Returns how long a hub was linked within a span, ns.
  private static func linked(_ twin: VirtualPolar, _ from: Instant, _ until: Instant) -> Int64 {
    twin.linkSpans.reduce(0) { sum, link in
      let (begin, end) = (max(link.from, from), min(link.until ?? until, until))
      return begin < end ? sum + end.nanoseconds - begin.nanoseconds : sum
    }
  }

  /// Returns when the hub can have learned the drift: by two readings far enough apart, without a setting between, ns.
  private static func learned(_ twin: VirtualPolar, isKept: (Instant) -> Bool) -> Int64 {
    let starts = twin.clocks.map(\.from)
    let first = zip(starts, starts.dropFirst() + [Instant(nanoseconds: .max)]).compactMap { from, until in
      let own = twin.clockReadings.filter { from <= $0 && $0 < until && isKept($0) }
      return own.first { $0 - own[0] >= .seconds(6 * 3600) }?.nanoseconds
    }
    return first.min() ?? .max - 1
  }

  /// The largest doubt about any time, ns.
  var most: Int64 { spans.reduce(0) { $0 + $1.amount } }

  /// The doubt about the time of a moment.
  ///
  /// - Parameter began: start of the recording that it belongs to, ns.
  func at(_ moment: Int64, recordingSince began: Int64 = .max) -> Doubt {
    var doubt = Doubt()
    var most: Int64 = 0
    for (index, doubted) in spans.enumerated()
    where doubted.walls.contains(moment)
      && (doubted.span.contains(moment) || (doubted.again == 0 && began <= doubted.setAt && doubted.setAt <= moment))
    {
      doubt.add(doubted, index, &most)
    }
    return doubt
  }

  /// Time that a lost clock showed before it was lost again unread, µs since 1970; nil: a hub can assign it to the last
  /// clock.
  ///
  /// A time that the clock had not reached again when it was read belongs to no clock that the hub knows. The hub
  /// stores such a time as the wearable gave it, marked as unsure.
  func given(_ value: GroundTruthValue) -> Int64? {
    guard value.inDoubt.again > 0, spans.indices.contains(Int(value.inDoubt.span)) else { return nil }
    let span = spans[Int(value.inDoubt.span)]
    guard let lost = span.lost, value.from + span.again > span.readAt - Self.readingError else { return nil }
    return lost.now(at: Instant(nanoseconds: value.from)) / 1000 + Self.epoch
  }

  /// Time from 1970 to 2000, µs.
  private static let epoch: Int64 = 946_684_800_000_000

  /// Describes for people the history of the clock, its readings, and the doubts, in seconds of the run.
  func account(of twin: VirtualPolar, since start: Instant) -> [String] {
    func seconds(_ moment: Int64) -> String { PolarExcuse.seconds(moment, since: start) }
    var lines: [String] = []
    for (index, era) in twin.clocks.enumerated() {
      let isHubs = twin.timesSet.contains { $0.at == era.from }
      let step = index > 0 ? era.clock.now(at: era.from) - twin.clocks[index - 1].clock.now(at: era.from) : 0
      lines.append(
        """
        \(seconds(era.from.nanoseconds)): clock \(era.clock.isSet ? isHubs ? "set by the hub" : "set" : "lost"), by \
        \(Double(step / 1_000_000) / 1000) s
        """
      )
    }
    lines.append("read at " + twin.clockReadings.map { seconds($0.nanoseconds) }.joined(separator: ", "))
    for run in twin.recordedRuns where !run.delivered.isEmpty {
      lines.append("\(run.signal.kind) recorded since \(seconds(run.began.nanoseconds))")
    }
    for exercise in twin.exercises {
      lines.append(
        """
        exercise \(exercise.name) since \(seconds(exercise.began.nanoseconds)), \
        \(exercise.rates.count + exercise.intervals.count) values
        """
      )
    }
    for doubt in spans {
      lines.append(
        """
        in doubt by \(Double((doubt.amount + doubt.again) / 1_000_000) / 1000) s from \
        \(seconds(doubt.doubted.lowerBound)) to \(seconds(doubt.doubted.upperBound))
        """
      )
    }
    return lines
  }
}
