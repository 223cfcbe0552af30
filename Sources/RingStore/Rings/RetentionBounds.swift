// When a ring holds more than it may, and which gives way first.

internal import Health

/// The bounds of every ring.
struct RetentionBounds: Sendable {
  var standard = Retention()
  var bySeries: [UInt16: Retention] = [:]
  /// Bytes of all rings of one wearable above which it gives way before others; nil: it has no share.
  var share: Int?

  subscript(ring: RingID) -> Retention { bySeries[ring.seriesNumber] ?? standard }

  /// Too old, or too large.
  func isExceeded(by state: RingState, of ring: RingID, now: Int64?) -> Bool {
    if state.chunks == 0 { return false }
    let retention = self[ring]
    if let keep = retention.keep, let now, state.firstLatest < now &- keep.microseconds { return true }
    // What should rather stay on the wearable is refused before it comes, not evicted after.
    if ring.way == .fetched, retention.whenFull == .refuse { return false }
    return retention.quota.map { state.space > $0 && state.chunks > 1 } ?? false
  }

  /// Its first chunk says of something that it is yet to come, as stores of before took it, or a hub whose clock was
  /// ahead; and yet it may be too old.
  func isDoubtful(_ ring: RingID, _ state: RingState, now: Int64?) -> Bool {
    guard state.chunks > 0, let keep = self[ring].keep, let now, state.firstLatest > now.saturatingAdd(Self.ahead)
    else { return false }
    return state.chunks > 1 || state.firstEarliest < now &- keep.microseconds
  }

  /// What a clock that was put right may have been ahead by, µs: no time to come yet.
  private static let ahead: Int64 = 86_400_000_000
  /// Chunks at the beginning of a ring that are looked at for a time that can be.
  private static let doubtLimit = 8

  /// A chunk with times to come is as old as the latest of its others, or, where it has none, as what came into the
  /// ring behind it.
  func isOlderThanItSays(_ ring: RingID, _ state: RingState, now: Int64?, _ transaction: Transaction)
    throws(DatabaseFailure) -> Bool
  {
    guard isDoubtful(ring, state, now: now), let now, let keep = self[ring].keep else { return false }
    let latest = try transaction.withCursor(transaction.tables.chunks) { cursor throws(DatabaseFailure) -> Int64? in
      var entry = try cursor.seek(ring.key)
      for _ in 0..<Self.doubtLimit {
        guard let found = entry, let chunk = RingReading.chunk(found, ring) else { return nil }
        if let latest = Self.latest(chunk.bytes, until: now.saturatingAdd(Self.ahead)) { return latest }
        entry = try cursor.next()
      }
      return nil
    }
    return latest.map { $0 < now &- keep.microseconds } ?? false
  }

  /// Too old by a clock that was behind, and by nothing else: the chunk came later than it says.
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
        let header = RingChunkHeader.verify(chunk.bytes),
        let shift = clocks.shift(header.anchor, ring.way, latest: header.latest)
      else { return false }
      return header.latest &+ shift >= now &- keep.microseconds
    }
  }

  /// The latest time of a chunk that is not behind a moment; nil where there is none, or the chunk is damaged.
  private static func latest(_ bytes: UnsafeRawBufferPointer, until end: Int64) -> Int64? {
    guard let header = RingChunkHeader.verify(bytes), header.earliest <= end else { return nil }
    if header.latest <= end { return header.latest }
    var columns = ItemColumns(valueCount: header.valueCount, hasBytes: header.hasBytes)
    guard RingChunkDecoder.decode(bytes, into: &columns) != nil else { return nil }
    return columns.times.lazy.filter { $0 <= end }.max()
  }

  /// Who gives way for the whole store, worst last: what readers have; what nobody has; what should have stayed on the
  /// wearable.
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
