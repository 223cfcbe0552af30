// Check of the lane: one wearable at a time.

import BotzTwin
import EventLoop

/// Two insoles are never fetched from at the same time.
enum FetchOverlap {
  @LoopActor
  static func violations(_ insoles: [VirtualInsole]) -> [String] {
    let spans = insoles.flatMap { insole in insole.fetchSpans.map { (label: insole.label, from: $0.from, to: $0.to) } }
      .sorted { $0.from < $1.from }
    var found: [String] = []
    for (a, b) in zip(spans, spans.dropFirst()) where b.from < a.to && a.label != b.label && found.count < 5 {
      found.append(
        "\(a.label) and \(b.label) were fetched from at the same time, at \(b.from.nanoseconds / 1_000_000_000) s")
    }
    return found
  }
}
