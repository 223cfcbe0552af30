// Checks rings against their rows: every chunk is decoded with the plain decoder, and their sums are compared.

internal import Health

extension StoreVerifier {
  mutating func beginRing(_ transaction: Transaction, _ last: RingID?) throws(DatabaseFailure) {
    var damaged: [RingID] = []
    let found = try transaction.withCursor(transaction.tables.rings) {
      cursor throws(DatabaseFailure) -> (RingID, RingState)? in
      var entry = try cursor.after(last?.key)
      while let row = entry {
        if let id = RingID(key: row.key), row.key.count == RingID.keySize {
          if let state = RingState(row.value) { return (id, state) }
          damaged.append(id)
        }
        entry = try cursor.next()
      }
      return nil
    }
    for id in damaged { find("rings \(id.text)", "damaged") }
    guard let (id, state) = found else {
      stage = .strays(after: [])
      return
    }
    report.rings += 1
    if state.chunks > 0, state.first >= state.next {
      find("rings \(id.text)", "begins at \(state.first), behind its end \(state.next)")
    }
    stage = .chunks(id, state, next: 0, RingSum(), RingStart(report: report))
  }

  mutating func checkChunks(
    _ transaction: Transaction, _ ring: RingID, _ state: RingState, _ next: UInt64, _ before: RingSum,
    _ start: RingStart
  ) throws(DatabaseFailure) {
    // A move or an eviction has changed the row meanwhile: begin again.
    let now = try RingReading.state(transaction, ring)
    if now != state, start.repetitions < Self.repetitionLimit {
      report = start.report
      stage = .chunks(
        ring, now, next: 0, RingSum(), RingStart(report: start.report, repetitions: start.repetitions + 1))
      return
    }
    var sum = before
    var found: [(UInt64, UnsafeRawBufferPointer)] = []
    try transaction.withCursor(transaction.tables.chunks) { cursor throws(DatabaseFailure) in
      var entry = try cursor.seek(ring.chunkKey(next))
      while let candidate = entry, let chunk = RingReading.chunk(candidate, ring), found.count < Self.step {
        found.append((chunk.first, chunk.bytes))
        entry = try cursor.next()
      }
    }
    for (ordinal, bytes) in found { checkChunk(transaction.place(ring, ordinal), bytes, now, &sum) }
    if found.count == Self.step, let last = found.last?.0, last < .max {
      stage = .chunks(ring, state, next: last + 1, sum, start)
      return
    }
    stage = .ring(after: ring)
    if now != state { return }
    let place = "rings \(ring.text)"
    if sum.chunks != state.chunks { find(place, "counts \(state.chunks) chunks; there are \(sum.chunks)") }
    if sum.items != state.items { find(place, "counts \(state.items) items; there are \(sum.items)") }
    if sum.bytes != state.bytes { find(place, "counts \(state.bytes) bytes; there are \(sum.bytes)") }
    if sum.end > state.next { find(place, "ends at \(state.next), its chunks at \(sum.end)") }
  }

  mutating func checkChunk(
    _ at: ChunkPlace, _ bytes: UnsafeRawBufferPointer, _ state: RingState, _ sum: inout RingSum
  ) {
    let (ring, ordinal) = (at.ring, at.ordinal)
    let place = "chunks \(ring.text) \(ordinal)"
    report.ringChunks += 1
    sum.chunks += 1
    sum.bytes += UInt64(bytes.count)
    if bytes.count > RingChunkEncoder.limit { find(place, "\(bytes.count) bytes; at most \(RingChunkEncoder.limit)") }
    guard let chunk = PlainChunks.ring(bytes, at: at) else { return find(place, "damaged") }
    report.items += UInt64(chunk.items.count)
    sum.items += UInt64(chunk.items.count)
    if chunk.ordinal != ordinal { find(place, "says it is \(chunk.ordinal)") }
    if ordinal < sum.end { find(place, "begins before the chunk before it ends") }
    if !chunk.headerIsTrue { find(place, "its header's times are not those of its items") }
    if chunk.highWater < sum.highWater { find(place, "its high water is below that of the chunk before") }
    if sum.chunks == 1,
      state.first != ordinal || state.firstEarliest != chunk.earliest || state.firstLatest != chunk.latest
    {
      find(place, "is the first one; the ring's row says otherwise")
    }
    if ordinal == sum.end, sum.chunks > 1, chunk.continues != sum.goesOn {
      find(place, "begins with the rest of an item, or not as it says")
    }
    sum.goesOn = chunk.items.last.map { $0.flags & 0x40 != 0 } ?? false
    sum.end = ordinal &+ UInt64(chunk.items.count)
    sum.highWater = max(sum.highWater, chunk.highWater)
  }

  /// Chunks of rings without a row would never be read.
  mutating func checkStrays(_ transaction: Transaction, _ key: [UInt8]) throws(DatabaseFailure) {
    let found = try transaction.withCursor(transaction.tables.chunks) { cursor throws(DatabaseFailure) -> RingID? in
      guard let entry = try cursor.seek(key.isEmpty ? [0] : key) else { return nil }
      return RingID(key: entry.key)
    }
    guard let found else {
      stage = .records(0, after: [])
      return
    }
    if try transaction.get(transaction.tables.rings, found.key) == nil {
      find("chunks \(found.text)", "belong to a ring without a row")
    }
    // Continue with the name of the next ring: a damaged key may be longer than all valid ones of this ring.
    stage = found.keyBehind.map { .strays(after: $0) } ?? .records(0, after: [])
  }
}

extension RingID {
  /// A key behind all keys of this ring; nil for the last possible ring.
  fileprivate var keyBehind: [UInt8]? {
    var key = key
    while let last = key.last {
      if last < .max {
        key[key.count - 1] = last + 1
        return key
      }
      key.removeLast()
    }
    return nil
  }

  /// Text for people: `3 heart_rate live`.
  var text: String { "\(wearable.number) \(series?.name ?? "series-\(seriesNumber)") \(way.name)" }
}
