// Finds the chunks that a purge would delete.

internal import EventLoop
internal import Health

/// A search for the whole chunks before a time, ring by ring, a bounded number of chunks a step.
struct PurgeSearch {
  /// Chunks of one step: each is read and its checksum computed.
  static let step = 64

  private let before: Int64
  private var rings: ArraySlice<(id: RingID, state: RingState)>
  private var parts: [PurgePlan.Part] = []

  // Position in the present ring.
  private var next: UInt64 = 0
  private var chunks: [PurgePlan.Chunk] = []
  private var items: UInt64 = 0
  private var unexported: UInt64 = 0
  private var clocks = BootClocks()
  private var from = Int64.max
  private var to = Int64.min

  init(_ query: SampleQuery, _ rings: [(id: RingID, state: RingState)]) {
    before = query.until?.microseconds ?? .max
    self.rings = rings.filter { query.wants($0.id) && $0.state.chunks > 0 }[...]
  }

  var plan: PurgePlan { PurgePlan(parts: parts) }

  /// Searches some chunks; returns false at the end.
  mutating func step(_ transaction: Transaction) throws(DatabaseFailure) -> Bool {
    guard let (ring, state) = rings.first else { return false }
    clocks = try BootClocks.load(transaction)
    let goesOn = try transaction.withCursor(transaction.tables.chunks) { cursor throws(DatabaseFailure) in
      var entry = try cursor.seek(ring.chunkKey(next))
      for _ in 0..<Self.step {
        guard let found = entry, let chunk = RingReading.chunk(found, ring) else { return false }
        let header = RingChunkHeader.verify(chunk.bytes, at: transaction.place(ring, chunk.first))
        let checksum = PurgePlan.checksum(chunk.bytes)
        let last = chunk.first
        entry = try cursor.next()
        let nextFirst = entry.flatMap { RingReading.chunk($0, ring)?.first } ?? state.next
        take(ring, last, header, checksum, RingWriter.items(last, header, nextFirst: nextFirst), state)
        if last == .max { return false }
        next = last + 1
      }
      return true
    }
    if !goesOn { endRing(ring) }
    return true
  }

  private mutating func take(
    _ ring: RingID, _ first: UInt64, _ header: RingChunkHeader?, _ checksum: UInt32, _ count: UInt64,
    _ state: RingState
  ) {
    // The time of a damaged chunk is unknown: only a purge of everything deletes it.
    let shift = header.flatMap { clocks.shift($0.anchor, ring.way, latest: $0.latest) } ?? 0
    guard header.map({ $0.latest &+ shift < before }) ?? (before == .max) else { return }
    chunks.append(PurgePlan.Chunk(ordinal: first, items: count, checksum: checksum))
    items &+= count
    let end = first &+ count
    unexported &+= end > state.exported ? min(count, end - state.exported) : 0
    if let header { (from, to) = (min(from, header.earliest &+ shift), max(to, header.latest &+ shift)) }
  }

  private mutating func endRing(_ ring: RingID) {
    if !chunks.isEmpty {
      parts.append(
        PurgePlan.Part(
          ring: ring, items: items, unexported: unexported, from: WallTime(microseconds: min(from, to)),
          to: WallTime(microseconds: max(from, to)),
          chunks: chunks))
    }
    rings.removeFirst()
    (next, chunks, items, unexported, from, to) = (0, [], 0, 0, .max, .min)
  }
}
