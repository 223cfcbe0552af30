// Whether a ring exceeds its bounds, and which ring is evicted first.

internal import Health

/// The bounds of every ring.
struct RetentionBounds: Sendable {
  var standard = Retention()
  var bySeries: [UInt16: Retention] = [:]
  /// Bytes of all rings of one wearable above which it is evicted before others; nil for no share.
  var share: Int?

  subscript(ring: RingID) -> Retention { bySeries[ring.seriesNumber] ?? standard }

  /// Whether a ring is too old or too large.
  func isExceeded(by state: RingState, of ring: RingID, now: Int64?) -> Bool {
    if state.chunks == 0 { return false }
    let retention = self[ring]
    if let keep = retention.keep, let now, state.firstLatest < now &- keep.microseconds { return true }
    // Data that should stay on the wearable is refused before it is fetched, not evicted afterwards.
    if ring.way == .fetched, retention.whenFull == .refuse { return false }
    return retention.quota.map { state.space > $0 && state.chunks > 1 } ?? false
  }

  /// Whether the first chunk has times in the future and may still be too old. Earlier versions, or a hub clock that
  /// was ahead, stored such times.
  func isDoubtful(_ ring: RingID, _ state: RingState, now: Int64?) -> Bool {
    guard state.chunks > 0, let keep = self[ring].keep, let now, state.firstLatest > now.saturatingAdd(Self.ahead)
    else { return false }
    return state.chunks > 1 || state.firstEarliest < now &- keep.microseconds
  }

  /// Time by which a corrected clock may have been ahead, µs: times within this are not in the future.
  private static let ahead: Int64 = 86_400_000_000
  /// Chunks at the beginning of a ring that are searched for a plausible time.
  private static let doubtLimit = 8

  /// Whether a chunk with times in the future is too old, by its latest plausible item. Without such an item the next
  /// chunk decides.
  func isOlderThanItSays(_ ring: RingID, _ state: RingState, now: Int64?, _ transaction: Transaction)
    throws(DatabaseFailure) -> Bool
  {
    guard isDoubtful(ring, state, now: now), let now, let keep = self[ring].keep else { return false }
    let latest = try transaction.withCursor(transaction.tables.chunks) { cursor throws(DatabaseFailure) -> Int64? in
      var entry = try cursor.seek(ring.key)
      for _ in 0..<Self.doubtLimit {
        guard let found = entry, let chunk = RingReading.chunk(found, ring) else { return nil }
        let place = transaction.place(ring, chunk.first)
        if let latest = Self.latest(chunk.bytes, place, until: now.saturatingAdd(Self.ahead)) { return latest }
        entry = try cursor.next()
      }
      return nil
    }
    return latest.map { $0 < now &- keep.microseconds } ?? false
  }

  /// Whether a chunk is too old only by a clock that was behind: its corrected time is later.
  func isYoungerThanItSays(_ ring: RingID, _ state: RingState, now: Int64?, _ transaction: Transaction)
    throws(DatabaseFailure) -> Bool
  {
    guard isExceeded(by: state, of: ring, now: now), !isExceeded(by: state, of: ring, now: nil), let now,
      let keep = self[ring].keep
    else { return false }
    let clocks = try BootClocks.load(transaction)
    if clocks.clocks.isEmpty { return false }
    return try transaction.withCursor(transaction.tables.chunks) { cursor throws(DatabaseFailure) in
      guard let entry = try cursor.seek(ring.key), let chunk = RingReading.chunk(entry, ring),
        let header = RingChunkHeader.verify(chunk.bytes, at: transaction.place(ring, chunk.first)),
        let shift = clocks.shift(header.anchor, ring.way, latest: header.latest)
      else { return false }
      return header.latest &+ shift >= now &- keep.microseconds
    }
  }

  /// The latest time of a chunk that is not after a moment; nil for no such time or a damaged chunk.
  private static func latest(_ bytes: UnsafeRawBufferPointer, _ place: ChunkPlace, until end: Int64) -> Int64? {
    guard let header = RingChunkHeader.verify(bytes, at: place), header.earliest <= end else { return nil }
    if header.latest <= end { return header.latest }
    var columns = ItemColumns(valueCount: header.valueCount, hasBytes: header.hasBytes)
    guard RingChunkDecoder.decode(bytes, at: place, into: &columns) != nil else { return nil }
    return columns.times.lazy.filter { $0 <= end }.max()
  }

  /// Order of eviction for the whole store: 0 confirmed by readers, 1 unconfirmed, 2 data that should have stayed on
  /// the wearable.
  func rank(_ id: RingID, _ state: RingState) -> Int {
    if state.firstIsExported { return 0 }
    return id.way == .fetched && self[id].whenFull == .refuse ? 2 : 1
  }
}

extension Duration {
  /// Whole microseconds, saturating.
  var microseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    return overflow ? (seconds < 0 ? .min : .max) : product &+ attoseconds / 1_000_000_000_000
  }
}

extension StoreOptions {
  var bounds: RetentionBounds {
    RetentionBounds(standard: standardRetention, bySeries: retention, share: wearableShare)
  }
}
