// Reads that the daemon's open store and a reader of a store at rest have in common.

internal import EventLoop
internal import Health

enum StoreView {
  /// A walk through at least the last `count` items of a wearable's series, both ways; its result is for `keep`.
  static func newest(
    _ transaction: Transaction, _ wearable: WearableID, _ series: Series, _ count: Int, _ rebuilt: [RingID: RingState]
  ) throws(DatabaseFailure) -> SampleWalk {
    var positions: [RingID: UInt64] = [:]
    // A record may have many parts: a walk that begins inside one would return a part as the whole.
    let count =
      UInt64(count) + (series.layout.hasBytes ? UInt64(FetchedBatch.recordLimit / ItemColumns.bytesLimit + 1) : 0)
    for way in Way.allCases {
      let ring = RingID(wearable: wearable, seriesNumber: series.id, way: way)
      let next = try RingReading.state(transaction, ring, rebuilt).next
      positions[ring] = next - min(next, count)
    }
    return SampleWalk(SampleQuery(wearables: [wearable], series: [series]), from: positions, rebuilt: rebuilt)
  }

  /// Adds a page to the newest items so far and keeps `count` of them, by time.
  static func keep(_ page: [StoredSample], _ newest: inout [StoredSample], _ count: Int) {
    newest += page
    newest.sort { ($0.time, $0.way.rawValue, $0.ordinal) < ($1.time, $1.way.rawValue, $1.ordinal) }
    if newest.count > count { newest.removeFirst(newest.count - count) }
  }

  static func status(_ id: RingID, _ state: RingState, _ bounds: RetentionBounds) -> RingStatus {
    let retention = bounds[id]
    let isThere = state.chunks > 0
    let span = state.highWater &- state.firstEarliest
    // Below an hour a rate is not meaningful.
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
