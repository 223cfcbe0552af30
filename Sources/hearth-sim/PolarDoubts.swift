// Where nobody can know when something was measured: around a clock that somebody else set between two readings of it.

import EventLoop
import PolarTwin

/// Spans of one wearable's life. Between the last reading before a clock was set and the first one after it every time
/// may have been shown by either clock, and nothing says when the one took the other's place, nor how fast it went
/// meanwhile where it was not read often enough before. A clock that was set back shows some of the times from before
/// that reading once more. A recording that ran meanwhile goes on by the clock as it was when it began.
@LoopActor
struct PolarDoubts {
  /// One clock that others set, or that was lost.
  struct Span {
    enum Cause: Sendable {
      case setByOthers, lost, setBackByHub, hubsOwnSetBack
    }

    /// When, ns.
    let setAt: Int64
    let cause: Cause
    /// How much nobody can know, ns.
    let amount: Int64
    /// So much later it showed the same times again, after it was lost once more, ns; 0: it did not.
    let again: Int64
    /// Of what was measured when, ns.
    let span: ClosedRange<Int64>
    /// How long, between the readings before and after, a hub was linked that could have read the clock, ns.
    let unread: Int64
    /// Of a clock that was lost twice: as it was the first time, and when it was read for the first time after the
    /// second.
    var lost: PolarClock?
    var readAt: Int64 = .max
    /// Of a clock that was lost before anybody had read or set it: what of it counts by the hub's clock as that stood
    /// from then until then, ns.
    var walls: Range<Int64> = .min ..< .max
    /// That clock: a hub may not call a time sure that it showed.
    var isNeverRead = false
    /// The hub's own clock had been stepped since the run began.
    var isAfterStep = false

    /// For people.
    var doubted: ClosedRange<Int64> { span.clamped(to: walls.lowerBound...walls.upperBound) }
  }

  /// What nobody can know of one time, ns, and by which of `spans` most of it.
  struct Doubt {
    var amount: Int64 = 0
    /// Its clock showed the same so much later once more, ns.
    var again: Int64 = 0
    var span: Int32 = 0

    fileprivate mutating func add(_ other: Span, _ index: Int, _ most: inout Int64) {
      amount += other.amount
      again += other.again
      if other.amount + other.again > most { (most, span) = (other.amount + other.again, Int32(index)) }
    }
  }

  /// How much a reading may be wrong for all the hub knows, ns: some clocks tell whole seconds.
  static let readingError: Int64 = 2_000_000_000
  /// How fast a clock goes is known from two readings at least six hours apart, each of which may be wrong: together by
  /// 400 ms in 21,600 s, parts per million.
  private static let learnedRateError: Int64 = 2 * PolarPool.bound / 21_600 / 1000 + 1
  /// In the order of time.
  private(set) var spans: [Span] = []

  /// A visit that brought nothing is in the hub's log once an hour, and before a visit that finds another clock: a hub
  /// that was ended before that, or in it, knows no later reading, ns.
  private static let forgotten: Int64 = 3_600_000_000_000

  /// - Parameters:
  ///   - wallSteps: what the hub's clock was stepped by in all, µs, from when on; not empty.
  ///   - ends: when the hub was killed or stopped, in the order of time.
  init(_ twin: VirtualPolar, _ wallSteps: [(at: Instant, total: Int64)], hubEnded ends: [Instant]) {
    let readings = twin.clockReadings
    for (before, after) in zip(twin.clocks, twin.clocks.dropFirst()) {
      // One that the hub set it read before and after.
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
      // What the hub may have forgotten cannot have told it how fast the clock goes either.
      let learned = Self.learned(twin) { $0.nanoseconds <= known || $0 > last }
      let isUnread = known >= 0 && next.nanoseconds <= learned
      // Where it can, it knows it as well as the two readings were that say it.
      let rateError = isUnread ? PolarPool.unknownDrift : Self.learnedRateError
      let drifted = known >= 0 && next.nanoseconds < .max ? (next.nanoseconds - known) / 1_000_000 * rateError : 0
      // One that was lost shows years that cannot be mistaken.
      let isMistakable = before.clock.isSet && after.clock.isSet
      let step = isMistakable ? Self.step(before.clock, after) : 0
      let unread = Self.linked(twin, last, next)
      if known < 0, before.clock.isSet, !after.clock.isSet {
        spans += Self.neverRead(
          twin, before.clock, wallSteps, lostAt: after.from, readAt: next, unread: unread)
        continue
      }
      if !before.clock.isSet, !after.clock.isSet {
        // Lost once more, or more often: all show the same times, and a hub that reads the last takes for its what the
        // first one showed.
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

  /// A clock that others set back far enough shows what one before the last showed, too: for all the hub knows it was
  /// set right after the last reading, and a time that both can have shown is the newer one's.
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

  /// A clock that the hub set back shows once more what it showed just before. A day's file does not say which of the
  /// two it means: what was not fetched by then counts at either place.
  private static func shownTwice(_ before: PolarClock, _ after: (clock: PolarClock, from: Instant)) -> Span? {
    let back = -step(before, after)
    guard before.isSet, back > readingError else { return nil }
    let moment = after.from.nanoseconds
    return Span(
      setAt: moment, cause: .setBackByHub, amount: 0, again: back, span: moment - back - readingError...moment,
      unread: 0)
  }

  /// An exercise of a strap has the hub's time in its name. Where the hub's own clock was set back after that, the end
  /// of it may lie behind the hub's now when it is fetched: nothing is dated after that, and it gets now for its time.
  ///
  /// - Returns: what nobody can know of a value that was measured at a moment.
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

  /// By how much others set a clock between two readings, all in all: a hub sees no more of it.
  private static func steps(_ twin: VirtualPolar, _ last: Instant, _ next: Instant) -> Int64 {
    zip(twin.clocks, twin.clocks.dropFirst()).reduce(0) { sum, pair in
      let (before, after) = pair
      return after.from >= last && after.from < next && before.clock.isSet && after.clock.isSet
        ? sum + step(before.clock, after) : sum
    }
  }

  /// How long somebody was linked within a span, ns.
  private static func linked(_ twin: VirtualPolar, _ from: Instant, _ until: Instant) -> Int64 {
    twin.linkSpans.reduce(0) { sum, link in
      let (begin, end) = (max(link.from, from), min(link.until ?? until, until))
      return begin < end ? sum + end.nanoseconds - begin.nanoseconds : sum
    }
  }

  /// When the hub can know how fast the clock goes: it was read twice, far enough apart, and nobody set it in between,
  /// ns.
  private static func learned(_ twin: VirtualPolar, isKept: (Instant) -> Bool) -> Int64 {
    let starts = twin.clocks.map(\.from)
    let first = zip(starts, starts.dropFirst() + [Instant(nanoseconds: .max)]).compactMap { from, until in
      let own = twin.clockReadings.filter { from <= $0 && $0 < until && isKept($0) }
      return own.first { $0 - own[0] >= .seconds(6 * 3600) }?.nanoseconds
    }
    return first.min() ?? .max - 1
  }

  /// The most that nobody can know of any time, ns.
  var most: Int64 { spans.reduce(0) { $0 + $1.amount } }

  /// What of the time of a moment nobody can know.
  ///
  /// - Parameter began: of the recording that it belongs to, ns.
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

  /// What a clock showed that was lost, and lost again before anybody read it, µs since 1970; nil: a hub can take it
  /// for what the last one showed.
  ///
  /// A time that the clock had not come to again when it was read belongs to no clock that the hub knows. It keeps such
  /// a time as the wearable gave it, and as one that is not sure.
  func given(_ value: TrueValue) -> Int64? {
    guard value.inDoubt.again > 0, spans.indices.contains(Int(value.inDoubt.span)) else { return nil }
    let span = spans[Int(value.inDoubt.span)]
    guard let lost = span.lost, value.from + span.again > span.readAt - Self.readingError else { return nil }
    return lost.now(at: Instant(nanoseconds: value.from)) / 1000 + Self.epoch
  }

  /// From 1970 to 2000, µs.
  private static let epoch: Int64 = 946_684_800_000_000

  /// For people: what became of the clock, when it was read, and what is in doubt, in seconds of the run.
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
