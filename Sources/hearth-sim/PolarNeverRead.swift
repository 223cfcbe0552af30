// Errors of times of a clock that was lost before its first reading.

import EventLoop
import PolarTwin

extension PolarDoubts {
  /// Times of such a clock are stored as it showed them, marked as unsure, as readings after the loss do not apply to
  /// it. Their error is its difference from the hub's clock at the time of measurement. If the hub's own clock was
  /// stepped since the wearable's was set, the step adds to it: one span for each time between two steps.
  ///
  /// The error of a step is excused only under two conditions. The clock was set, but never read and never set by the
  /// hub; and the value was measured by that clock after the step.
  static func neverRead(
    _ twin: VirtualPolar, _ clock: PolarClock, _ wallSteps: [(at: Instant, total: Int64)], lostAt: Instant,
    readAt next: Instant, unread: Int64
  ) -> [Span] {
    // A clock that cannot be read, and that the hub has set, had the hub's own time.
    let isHubs = twin.timesSet.contains { $0.at <= lostAt }
    let walls = isHubs ? Array(wallSteps.prefix(1)) : wallSteps.filter { $0.at < next }
    let ends = walls.dropFirst().map(\.at.nanoseconds) + [.max]
    return zip(walls, ends).enumerated().compactMap { index, wall in
      let (began, end) = wall
      let amount = error(
        twin, clock, from: began.at, until: min(next, Instant(nanoseconds: end)),
        behind: (walls[0].total - began.total) * 1000)
      if amount == 0 { return nil }
      return Span(
        setAt: lostAt.nanoseconds, cause: .lost, amount: amount, again: 0,
        span: .min / 2 - readingError...next.nanoseconds, unread: unread,
        walls: (index == 0 ? .min : began.at.nanoseconds)..<end, isNeverRead: !isHubs, isAfterStep: index > 0)
    }
  }

  /// Largest error within a time, ns.
  ///
  /// - Parameter behind: by how much the hub's clock was behind its state without any step, ns.
  private static func error(
    _ twin: VirtualPolar, _ clock: PolarClock, from: Instant, until: Instant, behind: Int64
  ) -> Int64 {
    let start = twin.clocks[0].from
    let error = (twin.traits.clockError?.wholeNanoseconds ?? 0) + behind
    func drifted(_ moment: Instant) -> Int64 {
      // A clock that is not read any more: as far as known, it runs like the hub's own.
      if moment.nanoseconds == .max { return 0 }
      return clock.now(at: moment) - clock.now(at: start) - (moment.nanoseconds - start.nanoseconds)
    }
    return max(abs(error + drifted(max(from, start))), abs(error + drifted(until)))
  }

  /// Whether it was measured before the loss of a clock that was never read: no hub can be sure of its time. Values so
  /// shortly before that they may be taken for later ones are left out.
  func isUnknowable(_ value: GroundTruthValue) -> Bool {
    spans.contains { $0.isNeverRead && value.to + PolarPool.bound + value.doubt < $0.setAt }
  }
}
