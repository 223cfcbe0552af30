// Where nobody can know when something was measured: around a clock that somebody else set between two readings of it.

import EventLoop
import PolarTwin

/// Spans of one wearable's life. Between the last reading before a clock was set and the first one after it every time may have been shown by either clock, and nothing
/// says when the one took the other's place, nor how fast it went meanwhile where it was not read often enough before. A clock that was set back shows some of the
/// times from before that reading once more. A recording that ran meanwhile goes on by the clock as it was when it began.
@LoopActor
struct PolarDoubts {
  /// How much a reading may be wrong for all the hub knows, ns: some clocks tell whole seconds.
  private static let readingError: Int64 = 2_000_000_000
  /// In the order of time: when the clock was set, ns, by how much, ns, and what is in doubt by that.
  private var spans: [(setAt: Int64, step: Int64, span: ClosedRange<Int64>)] = []

  /// A visit that brought nothing is in the hub's log once an hour, and before a visit that finds another clock: a hub that was ended before that, or in it, knows no later
  /// reading, ns.
  private static let forgotten: Int64 = 3_600_000_000_000

  /// - Parameter ends: when the hub was killed or stopped, in the order of time.
  init(_ twin: VirtualPolar, hubEnded ends: [Instant]) {
    let readings = twin.clockReadings
    let learned = Self.learned(twin)
    for (before, after) in zip(twin.clocks, twin.clocks.dropFirst()) where !twin.timesSet.contains(where: { $0.at == after.from }) {
      // One that the hub set it read before and after.
      let last = readings.last { $0 <= after.from } ?? Instant(nanoseconds: .min / 2)
      let next = readings.first { $0 > after.from } ?? Instant(nanoseconds: .max)
      var known = last.nanoseconds
      if known >= 0, ends.contains(where: { last <= $0 && $0.nanoseconds - Self.forgotten <= next.nanoseconds }) {
        // The first visit is always in the log.
        known = (readings.last { $0.nanoseconds <= known - Self.forgotten } ?? readings.first)?.nanoseconds ?? known
      }
      let isUnread = known >= 0 && next.nanoseconds <= learned
      let drifted = isUnread ? (next.nanoseconds - known) / 1_000_000 * PolarPool.unknownDrift : 0
      // One that was lost shows years that cannot be mistaken.
      let isMistakable = before.clock.isSet && after.clock.isSet
      // Where nobody ever read the one before, nobody knows how far it was off.
      let unknown = known < 0 && before.clock.isSet ? twin.traits.clockError?.wholeNanoseconds ?? 0 : 0
      let step = isMistakable ? after.clock.now(at: after.from) - before.clock.now(at: after.from) : unknown
      if step == 0, drifted == 0 { continue }
      spans.append((after.from.nanoseconds, abs(step) + drifted, known + min(0, step) - Self.readingError...next.nanoseconds))
    }
  }

  /// When the hub can know how fast the clock goes: it was read twice, far enough apart, and nobody set it in between, ns.
  private static func learned(_ twin: VirtualPolar) -> Int64 {
    let starts = twin.clocks.map(\.from)
    let first = zip(starts, starts.dropFirst() + [Instant(nanoseconds: .max)]).compactMap { from, until in
      let own = twin.clockReadings.filter { from <= $0 && $0 < until }
      return own.first { $0 - own[0] >= .seconds(6 * 3600) }?.nanoseconds
    }
    return first.min() ?? .max - 1
  }

  /// The most that nobody can know of any time, ns.
  var most: Int64 { spans.reduce(0) { $0 + $1.step } }

  /// What of the time of a moment nobody can know, ns.
  ///
  /// - Parameter began: of the recording that it belongs to, ns.
  func at(_ moment: Int64, recordingSince began: Int64 = .max) -> Int64 {
    spans.reduce(0) { $1.span.contains(moment) || (began <= $1.setAt && $1.setAt <= moment) ? $0 + $1.step : $0 }
  }
}
