// Rows that a reader confirmed with the time of a clock that was off, and whose times could be corrected since.

internal import EventLoop

/// Which rows they may be: of these boots, below these ordinals.
struct RetimedRows: Sendable, Equatable {
  let boots: Set<BootID>
  /// By live ring, the ordinal below which the reader has confirmed all.
  let ends: [RingID: UInt64]
  /// None of them is stored or read with an earlier time, microseconds: monotonic clocks begin with 0.
  let earliest: Int64

  /// nil: there are none.
  init?(_ clocks: [BootClock], _ confirmed: [RingID: UInt64]) {
    ends = confirmed.filter { $0.key.way == .live && $0.value > 0 }
    guard let earliest = clocks.map({ min($0.lowest, $0.offset ?? $0.lowest) }).min(), !ends.isEmpty else { return nil }
    self.earliest = earliest
    boots = Set(clocks.map(\.boot))
  }

  func end(_ ring: RingID) -> UInt64 { ends[ring] ?? 0 }

  func contains(_ sample: StoredSample) -> Bool {
    let ring = RingID(wearable: sample.wearable, seriesNumber: sample.series.id, way: sample.way)
    return sample.isCorrected && boots.contains(sample.bootID) && sample.ordinal < end(ring)
  }
}

/// A walk through such rows, beside the walk through what the reader has not confirmed.
struct RetimedWalk {
  private let rows: RetimedRows
  private var walk: SampleWalk
  private(set) var isDone = false

  init(_ rows: RetimedRows, journalEnd: UInt64, rebuilt: [RingID: RingState]) {
    self.rows = rows
    walk = SampleWalk(
      SampleQuery(since: WallTime(microseconds: rows.earliest)), journalEnd: journalEnd, rebuilt: rebuilt, only: rows)
  }

  /// Adds the next of them to a page, about `limit` of them at most.
  mutating func add(to page: inout SamplePage, _ transaction: Transaction, limit: Int) throws(DatabaseFailure) {
    if isDone { return }
    let found = try walk.page(transaction, limit: limit)
    page.retimed = found.samples.filter { rows.contains($0) }
    page.corrupt += found.corrupt
    isDone = found.isLast
  }
}
