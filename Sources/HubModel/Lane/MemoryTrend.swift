// When a wearable's memory will be full.

package import EventLoop

/// When a wearable's memory will be full, from what it said about it.
package struct MemoryTrend: Equatable {
  package private(set) var free: Int?
  private var used: Int?
  private var at: Instant?
  /// Bytes an hour, as fast as it was last seen to fill.
  private var rate: Double?

  /// Less than this is full soon at any rate.
  package static let scarce = 0.1
  /// A shorter time between two readings says little about a rate.
  package static let leastSpan: Duration = .seconds(60)

  package init() {}

  /// Nil where the wearable does not say.
  package var total: Int? { free.flatMap { free in used.map { free + $0 } } }

  /// What the check of a visit said. What was removed since the reading before only makes the rate look lower; it is
  /// then kept as it was.
  package mutating func measured(free: Int?, total: Int?, at now: Instant) {
    guard let free, free >= 0 else { return }
    let used = total.flatMap { $0 >= free ? $0 - free : nil }
    if let at, let before = self.used, let used, now - at >= Self.leastSpan, used > before {
      rate = Double(used - before) / ((now - at).inSeconds / 3600)
    }
    self.free = free
    self.used = used
    at = now
  }

  /// Everything on it was removed: what it holds at the next check came after this.
  package mutating func emptied(at now: Instant) {
    if let used, let free { self.free = free + used }
    if used != nil { used = 0 }
    at = now
  }

  /// Nil while there is too little to tell, or so much room that it does not matter.
  package func hoursToFull(_ now: Instant) -> Double? {
    guard let free, let at else { return nil }
    if let rate, rate > 0 { return max(0, Double(free) / rate - (now - at).inSeconds / 3600) }
    guard let used else { return nil }
    return Double(free) < Self.scarce * Double(free + used) ? 0 : nil
  }
}
