// What can be read of a store, whoever has it open: used by the daemon's store and by a reader of one at rest.

internal import EventLoop
internal import Health

enum StoreView {
  /// A walk through the last `count` items and more of a wearable's series, both ways; what it gives is for `keep`.
  static func newest(
    _ transaction: Transaction, _ wearable: WearableID, _ series: Series, _ count: Int, _ rebuilt: [RingID: RingState]
  ) throws(DatabaseFailure) -> SampleWalk {
    var positions: [RingID: UInt64] = [:]
    // A record may have many parts: a walk that begins in the middle of one would give a part for the whole.
    let count =
      UInt64(count) + (series.layout.hasBytes ? UInt64(FetchedBatch.recordLimit / ItemColumns.bytesLimit + 1) : 0)
    for way in Way.allCases {
      let ring = RingID(wearable: wearable, seriesNumber: series.id, way: way)
      let next = try RingReading.state(transaction, ring, rebuilt).next
      positions[ring] = next - min(next, count)
    }
    return SampleWalk(SampleQuery(wearables: [wearable], series: [series]), from: positions, rebuilt: rebuilt)
  }

  /// Adds a page to the newest so far and keeps `count`, by time.
  static func keep(_ page: [StoredSample], _ newest: inout [StoredSample], _ count: Int) {
    newest += page
    newest.sort { ($0.time, $0.way.rawValue, $0.ordinal) < ($1.time, $1.way.rawValue, $1.ordinal) }
    if newest.count > count { newest.removeFirst(newest.count - count) }
  }

  static func status(_ id: RingID, _ state: RingState, _ bounds: RetentionBounds) -> RingStatus {
    let retention = bounds[id]
    let isThere = state.chunks > 0
    let span = state.highWater &- state.firstEarliest
    // An hour, below which a rate is chance.
    let perDay =
      isThere && span >= 3_600_000_000 ? Int(min(Double(state.bytes) / Double(span) * 86_400_000_000, 1e18)) : nil
    return RingStatus(
      id: id, items: state.items, chunks: Int(state.chunks), bytes: state.space, retention: retention,
      oldest: isThere ? WallTime(microseconds: state.firstEarliest) : nil,
      newest: state.next > 0 ? WallTime(microseconds: state.highWater) : nil,
      unexported: state.unexported, evicted: state.evicted, evictedUnexported: state.evictedUnexported,
      evictedFrom: state.evictedSpan?.from, evictedTo: state.evictedSpan?.to,
      purged: state.purged, bytesPerDay: perDay,
      refuses: id.way == .fetched && retention.whenFull == .refuse
        && (retention.quota.map { state.space + RingState.chunkSpace > $0 } ?? false))
  }
}
