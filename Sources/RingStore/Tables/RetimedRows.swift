// Rows that a reader confirmed with times of a wrong clock, which could be corrected since.

internal import EventLoop

/// The rows that may need it: those of these boots, below these ordinals.
struct RetimedRows: Sendable, Equatable {
  let boots: Set<BootID>
  /// Ordinals, by live ring, below which the reader has confirmed all.
  let ends: [RingID: UInt64]
  /// Lower bound of their stored and corrected times, microseconds: monotonic clocks begin with 0.
  let earliest: Int64

  /// nil if there are no such rows.
  init?(_ clocks: [BootClock], _ confirmed: [RingID: UInt64]) {
    ends = confirmed.filter { $0.key.way == .live && $0.value > 0 }
    guard let earliest = clocks.map({ min($0.lowest, $0.offset ?? $0.lowest) }).min(), !ends.isEmpty else { return nil }
    self.earliest = earliest
    boots = Set(clocks.map(\.boot))
  }

  func end(_ ring: RingID) -> UInt64 { ends[ring] ?? 0 }
}
