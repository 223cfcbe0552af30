// Finds chunks of a ring.

internal import EventLoop
internal import Health

enum RingReading {
  /// The first ring behind `last`, in the order of keys; the very first for nil. A damaged row is skipped, unless
  /// `rebuilt` has a substitute.
  static func next(
    _ transaction: Transaction, after last: RingID?, _ rebuilt: [RingID: RingState] = [:]
  ) throws(DatabaseFailure) -> (id: RingID, state: RingState)? {
    try transaction.withCursor(transaction.tables.rings) { cursor throws(DatabaseFailure) in
      var entry = try cursor.after(last?.key)
      while let found = entry {
        // A longer key would be found again behind the ring with which it begins.
        if found.key.count == RingID.keySize, let id = RingID(key: found.key),
          let state = RingState(found.value) ?? rebuilt[id]
        {
          return (id, state)
        }
        entry = try cursor.next()
      }
      return nil
    }
  }

  static func state(_ transaction: Transaction, _ ring: RingID, _ rebuilt: [RingID: RingState] = [:])
    throws(DatabaseFailure) -> RingState
  {
    guard let row = try transaction.get(transaction.tables.rings, ring.key) else { return RingState() }
    return RingState(row) ?? rebuilt[ring] ?? RingState()
  }

  /// The chunk that holds `ordinal`, otherwise the first one behind it; with the first ordinal of that chunk.
  static func chunk(_ cursor: Cursor, _ ring: RingID, holding ordinal: UInt64) throws(DatabaseFailure) -> (
    first: UInt64, bytes: UnsafeRawBufferPointer
  )? {
    let found = try cursor.seek(ring.chunkKey(ordinal))
    if let found, let chunk = chunk(found, ring), chunk.first == ordinal { return chunk }
    let before = found == nil ? try cursor.last() : try cursor.previous()
    if let before, let chunk = chunk(before, ring) {
      // A damaged chunk may hold the ordinal; then it is returned, and counted as damage.
      guard let header = RingChunkHeader(chunk.bytes), header.ordinal == chunk.first else { return chunk }
      if header.nextOrdinal > ordinal { return chunk }
    }
    let behind = before == nil ? try cursor.first() : try cursor.next()
    return behind.flatMap { self.chunk($0, ring) }
  }

  /// The first ordinal of the next chunk; nil at the end.
  static func behind(_ transaction: Transaction, _ ring: RingID, _ first: UInt64) throws(DatabaseFailure) -> UInt64? {
    if first == .max { return nil }
    return try transaction.withCursor(transaction.tables.chunks) { cursor throws(DatabaseFailure) in
      try cursor.seek(ring.chunkKey(first + 1)).flatMap { chunk($0, ring)?.first }
    }
  }

  /// The entry as a chunk of this ring; nil if it belongs to another.
  static func chunk(_ entry: Cursor.Entry, _ ring: RingID) -> (first: UInt64, bytes: UnsafeRawBufferPointer)? {
    guard RingID(key: entry.key) == ring, let first = RingID.ordinal(entry.key) else { return nil }
    return (first, entry.value)
  }

  /// An ordinal before which no item is at or after `since`. High water only rises along a ring, whatever the clock
  /// did, so bisection finds it; a damaged header only makes the walk start earlier.
  static func firstCandidate(_ cursor: Cursor, _ ring: RingID, _ state: RingState, _ since: Int64)
    throws(DatabaseFailure) -> UInt64
  {
    var low = state.first
    var high = state.next
    // Ordinals have 64 bits: 64 halvings reach any distance.
    while low < high {
      let middle = low + (high - low) / 2
      guard let found = try chunk(cursor, ring, holding: middle),
        let header = RingChunkHeader.verify(found.bytes, at: cursor.transaction.place(ring, found.first))
      else {
        if low == middle { return low }
        // Behind the last chunk, or damaged: continue before it.
        high = middle
        continue
      }
      if header.highWater >= since {
        if found.first <= low { return low }
        high = min(middle, found.first)
      } else {
        low = max(header.nextOrdinal, middle + 1)
      }
    }
    return low
  }
}
