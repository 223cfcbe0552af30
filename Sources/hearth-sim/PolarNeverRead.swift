// How far off the times of a clock are that was lost before anybody had read it.

import EventLoop
import PolarTwin

extension PolarDoubts {
  /// The times of such a clock are kept as it showed them, and are not sure: what is read after the loss says nothing
  /// of it. They are off by what it was off from the hub's clock as that stood when something was measured. Where the
  /// hub's own was stepped since the wearable's was set, that is the step, too: one span for each time between two.
  ///
  /// What a step adds is excused only where the clock was set, never read and never set by the hub, and only for what
  /// was measured by that clock after the step.
  static func neverRead(
    _ twin: VirtualPolar, _ clock: PolarClock, _ wallSteps: [(at: Instant, total: Int64)], lostAt: Instant,
    readAt next: Instant, unread: Int64
  ) -> [Span] {
    // A clock that cannot be read, and that the hub has set, stood as the hub's own did then.
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

  /// The most that it was off within a time, ns.
  ///
  /// - Parameter behind: by how much the hub's clock was behind what it would have shown without any step, ns.
  private static func error(
    _ twin: VirtualPolar, _ clock: PolarClock, from: Instant, until: Instant, behind: Int64
  ) -> Int64 {
    let start = twin.clocks[0].from
    let error = (twin.traits.clockError?.wholeNanoseconds ?? 0) + behind
    func drifted(_ moment: Instant) -> Int64 {
      // A clock that nobody reads any more: as far as it is known, it goes as the hub's own.
      if moment.nanoseconds == .max { return 0 }
      return clock.now(at: moment) - clock.now(at: start) - (moment.nanoseconds - start.nanoseconds)
    }
    return max(abs(error + drifted(max(from, start))), abs(error + drifted(until)))
  }

  /// Whether it was measured before a clock was lost that nobody had read: no hub can be sure of its time. What was
  /// measured so shortly before that it may be taken for something from after it is left out.
  func isUnknowable(_ value: TrueValue) -> Bool {
    spans.contains { $0.isNeverRead && value.to + PolarPool.bound + value.doubt < $0.setAt }
  }
}
