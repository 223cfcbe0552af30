// Where nobody can know when something was measured: around a clock that somebody else set between two readings of it.

import EventLoop
import PolarTwin

/// Spans of one wearable's life. Between the last reading before a clock was set and the first one after it every time may have been shown by either clock,
/// and nothing says when the one took the other's place. A clock that was set back shows some of the times from before that reading once more.
@LoopActor
struct PolarDoubts {
  /// In the order of time: when, ns, and by how much the clock was set, ns.
  private var spans: [(span: ClosedRange<Int64>, step: Int64)] = []

  init(_ twin: VirtualPolar) {
    let readings = twin.clockReadings
    for (before, after) in zip(twin.clocks, twin.clocks.dropFirst()) {
      // One that the hub set it read before and after. One that was lost shows years that cannot be mistaken.
      let isByHub = twin.timesSet.contains { $0.at == after.from }
      guard !isByHub, before.clock.isSet, after.clock.isSet else { continue }
      let last = readings.last { $0 <= after.from } ?? Instant(nanoseconds: .min / 2)
      let next = readings.first { $0 > after.from } ?? Instant(nanoseconds: .max)
      let step = after.clock.now(at: after.from) - before.clock.now(at: after.from)
      spans.append((last.nanoseconds + min(0, step)...next.nanoseconds, abs(step)))
    }
  }

  /// The most that nobody can know of any time, ns.
  var most: Int64 { spans.reduce(0) { $0 + $1.step } }

  /// What of the time of a moment nobody can know, ns.
  func at(_ moment: Int64) -> Int64 { spans.reduce(0) { $1.span.contains(moment) ? $0 + $1.step : $0 } }
}
