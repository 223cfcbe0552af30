// When a wearable's memory will be full.

package import EventLoop

/// Forecast of when a wearable's memory will be full, from what it reported.
package struct MemoryTrend: Equatable {
  package private(set) var free: Int?
  private var used: Int?
  private var at: Instant?
  /// Bytes an hour, at the highest rate seen last.
  private var rate: Double?

  /// A smaller free share counts as full soon.
  package static let scarce = 0.1
  /// A shorter time between two readings says little about a rate.
  package static let leastSpan: Duration = .seconds(60)

  package init() {}

  /// Nil if the wearable does not report it.
  package var total: Int? { free.flatMap { free in used.map { free + $0 } } }

  /// Takes the report of a visit's check. Removals since the reading before would only make the rate look lower; it is
  /// then left as it was.
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

  /// Notes that everything on it was removed: later content is new.
  package mutating func emptied(at now: Instant) {
    if let used, let free { self.free = free + used }
    if used != nil { used = 0 }
    at = now
  }

  /// Nil while there is too little data, or so much room that it does not matter.
  package func hoursToFull(_ now: Instant) -> Double? {
    guard let free, let at else { return nil }
    if let rate, rate > 0 { return max(0, Double(free) / rate - (now - at).inSeconds / 3600) }
    guard let used else { return nil }
    return Double(free) < Self.scarce * Double(free + used) ? 0 : nil
  }
}
