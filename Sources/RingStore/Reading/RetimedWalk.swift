// Rows that a reader confirmed with times of a wrong clock, which could be corrected since.

internal import EventLoop

extension RetimedRows {
  func contains(_ sample: StoredSample) -> Bool {
    let ring = RingID(wearable: sample.wearable, seriesNumber: sample.series.id, way: sample.way)
    return sample.isCorrected && boots.contains(sample.bootID) && sample.ordinal < end(ring)
  }
}

/// A walk through such rows, beside the walk through the rows that the reader has not confirmed.
struct RetimedWalk {
  private let rows: RetimedRows
  private var walk: SampleWalk
  private(set) var isDone = false

  init(_ rows: RetimedRows, journalEnd: UInt64, rebuilt: [RingID: RingState]) {
    self.rows = rows
    walk = SampleWalk(
      SampleQuery(since: WallTime(microseconds: rows.earliest)), journalEnd: journalEnd, rebuilt: rebuilt, only: rows)
  }

  /// Adds the next rows to a page, at most about `limit`.
  mutating func add(to page: inout SamplePage, _ transaction: Transaction, limit: Int) throws(DatabaseFailure) {
    if isDone { return }
    let found = try walk.page(transaction, limit: limit)
    page.retimed = found.samples.filter { rows.contains($0) }
    page.corrupt += found.corrupt
    isDone = found.isLast
  }
}
