// The disk lane's part of the rings: applies edits and makes room, always inside the caller's transaction.

internal import EventLoop
internal import Health

/// Items of one ring that a transaction deleted.
struct RingLoss: Sendable {
  let ring: RingID
  var items: UInt64 = 0
  var unexported: UInt64 = 0
  var from: Int64 = .max
  var to: Int64 = .min

  mutating func add(_ other: RingLoss) {
    items &+= other.items
    unexported &+= other.unexported
    from = min(from, other.from)
    to = max(to, other.to)
  }
}

/// The rings within one transaction: stored by the writer after a commit, dropped after a failure.
struct RingWriter {
  private(set) var table: RingTable
  private(set) var losses: [RingLoss] = []
  private var changed: Set<RingID> = []
  private let bounds: RetentionBounds
  /// Rings with a last chunk that is about to be rewritten: that chunk is not evicted to make room for its own edit.
  private let spared: Set<RingID>
  /// Loaded with the first eviction.
  private var clocks: BootClocks?

  init(_ table: RingTable, _ bounds: RetentionBounds, sparing edits: [RingEdit] = []) {
    self.table = table
    self.bounds = bounds
    spared = Set(edits.filter { $0.tail != nil }.map { $0.ring })
  }

  // MARK: Adding

  /// Applies an edit. Returns false, without writing, if the ring has changed since the edit was prepared. The edit
  /// must then be prepared again; that is no failure of the disk.
  mutating func apply(_ edit: RingEdit, _ transaction: Transaction) throws(DatabaseFailure) -> Bool {
    var state = table[edit.ring] ?? RingState()
    guard state.next == edit.expectedNext else { return false }
    if let tail = edit.tail {
      guard let bytes = try transaction.get(transaction.tables.chunks, edit.ring.chunkKey(tail.ordinal)),
        let header = RingChunkHeader(bytes), header.checksum == tail.checksum, state.chunks > 0
      else { return false }
      state.items -= min(state.items, UInt64(tail.count))
      state.bytes -= min(state.bytes, UInt64(tail.bytes))
      state.chunks -= 1
    }
    guard edit.isInOrder else { fatalError("chunks of a ring that do not follow each other") }
    for chunk in edit.chunks {
      try transaction.put(transaction.tables.chunks, edit.ring.chunkKey(chunk.ordinal), chunk.bytes)
      if state.chunks == 0 {
        state.first = chunk.ordinal
        state.firstItems = UInt32(chunk.count)
        state.firstEarliest = chunk.earliest
        state.firstLatest = chunk.latest
      }
      state.chunks &+= 1
      state.items &+= UInt64(chunk.count)
      state.bytes &+= UInt64(chunk.bytes.count)
      state.highWater = max(state.highWater, chunk.latest)
    }
    state.next = edit.next
    set(edit.ring, state)
    return true
  }

  /// Records of the journal that are deleted before they reach their ring still use up their ordinals.
  mutating func skip(_ ring: RingID, _ count: UInt64, from: Int64, to: Int64) {
    var state = table[ring] ?? RingState()
    let unexported = count - min(count, state.exported > state.next ? state.exported - state.next : 0)
    state.next &+= count
    if state.chunks == 0 { state.first = state.next }
    lose(ring, &state, items: count, unexported: unexported, from: from, to: to)
    set(ring, state)
  }

  /// Notes that a reader has confirmed everything below `ordinal`.
  mutating func confirm(_ ring: RingID, below ordinal: UInt64) {
    var state = table[ring] ?? RingState()
    if ordinal <= state.exported { return }
    state.exported = ordinal
    set(ring, state)
  }

  mutating func set(_ ring: RingID, _ state: RingState) {
    table[ring] = state
    changed.insert(ring)
  }

  /// Writes the rows that changed.
  func finish(_ transaction: Transaction) throws(DatabaseFailure) {
    for ring in changed.sorted() {
      guard let state = table[ring] else { continue }
      try transaction.put(transaction.tables.rings, ring.key, state.row)
    }
  }

  // MARK: Giving up

  /// Deletes the first chunk of a ring, and the chunks behind it that hold the rest of a record begun there. False for
  /// a ring without chunks.
  private mutating func evictFirst(_ ring: RingID, _ transaction: Transaction) throws(DatabaseFailure) -> Bool {
    var isGone = false
    for _ in 0..<Self.partsLimit {
      if isGone, spared.contains(ring), table[ring]?.chunks == 1 { return true }
      switch try evictOne(ring, transaction) {
      case .nothing: return isGone
      case .whole: return true
      case .goesOn: isGone = true
      }
    }
    return isGone
  }

  /// Limit of chunks over which one record may extend.
  private static let partsLimit = ItemColumns.recordLimit / ItemColumns.bytesLimit + 2

  private enum Eviction {
    case nothing, whole, goesOn
  }

  private mutating func evictOne(_ ring: RingID, _ transaction: Transaction) throws(DatabaseFailure) -> Eviction {
    guard var state = table[ring], state.chunks > 0 else { return .nothing }
    let clocks = try bootClocks(transaction)
    let eviction = try transaction.withCursor(transaction.tables.chunks) { cursor throws(DatabaseFailure) -> Eviction in
      guard let entry = try cursor.seek(ring.key), let chunk = RingReading.chunk(entry, ring) else { return .nothing }
      let place = transaction.place(ring, chunk.first)
      let header = RingChunkHeader.verify(chunk.bytes, at: place)
      let bytes = UInt64(chunk.bytes.count)
      let goesOn = header.map { $0.hasBytes && Self.goesOn(chunk.bytes, $0, place) } ?? false
      try cursor.delete()
      let next = try cursor.seek(ring.chunkKey(chunk.first)).flatMap { RingReading.chunk($0, ring) }
      let following = next.flatMap { RingChunkHeader.verify($0.bytes, at: transaction.place(ring, $0.first)) }
      let items = Self.items(chunk.first, header, nextFirst: next?.first ?? state.next)
      let last = chunk.first &+ items
      let unexported = last > state.exported ? min(items, last - state.exported) : 0
      state.items -= min(state.items, items)
      state.bytes -= min(state.bytes, bytes)
      state.chunks -= 1
      if state.chunks == 0 { state.becomeEmpty() } else { state.begin(at: next?.first ?? state.next, following) }
      // By the corrected times, which readers saw.
      let shift = header.flatMap { clocks.shift($0.anchor, ring.way, latest: $0.latest) } ?? 0
      lose(
        ring, &state, items: items, unexported: unexported, from: header.map { $0.earliest &+ shift } ?? .max,
        to: header.map { $0.latest &+ shift } ?? .min)
      return goesOn ? .goesOn : .whole
    }
    // A row with chunks that do not exist would be selected again and again.
    if case .nothing = eviction { state.becomeEmpty() }
    set(ring, state)
    return eviction
  }

  /// The known clock differences of past boots.
  mutating func bootClocks(_ transaction: Transaction) throws(DatabaseFailure) -> BootClocks {
    if let clocks { return clocks }
    let loaded = try BootClocks.load(transaction)
    clocks = loaded
    return loaded
  }

  /// Items of a chunk. A damaged chunk's own count is unreliable; the next chunk's beginning shows how many it had.
  static func items(_ first: UInt64, _ header: RingChunkHeader?, nextFirst: UInt64) -> UInt64 {
    header.map { UInt64($0.count) } ?? min(nextFirst > first ? nextFirst - first : 0, UInt64(RingChunkHeader.itemLimit))
  }

  /// Whether the bytes of the chunk's last item go on in the next chunk.
  private static func goesOn(_ bytes: UnsafeRawBufferPointer, _ header: RingChunkHeader, _ at: ChunkPlace) -> Bool {
    var columns = ItemColumns(valueCount: header.valueCount, hasBytes: header.hasBytes)
    return RingChunkDecoder.decode(bytes, at: at, into: &columns) != nil && columns.goesOn(columns.count - 1)
  }

  private mutating func lose(
    _ ring: RingID, _ state: inout RingState, items: UInt64, unexported: UInt64, from: Int64, to: Int64
  ) {
    state.evicted &+= items
    state.evictedUnexported &+= unexported
    state.evictedFrom = min(state.evictedFrom, from)
    state.evictedTo = max(state.evictedTo, to)
    if losses.last?.ring != ring { losses.append(RingLoss(ring: ring)) }
    losses[losses.count - 1].items &+= items
    losses[losses.count - 1].unexported &+= unexported
    losses[losses.count - 1].from = min(losses[losses.count - 1].from, from)
    losses[losses.count - 1].to = max(losses[losses.count - 1].to, to)
  }

  /// The ring to evict from next, up to a class of the eviction order. Within a class, wearables above their share come
  /// first, even if other rings are older: a flood evicts only its own samples.
  private func victim(below limit: Int) -> RingID? {
    var best: (rank: Int, isWithin: Int, latest: Int64, id: RingID)?
    let greedy = wearablesAboveShare()
    for (id, state) in table.rings where state.chunks > 0 {
      let rank = bounds.rank(id, state)
      if rank >= limit || (state.chunks == 1 && spared.contains(id)) { continue }
      let isWithin = greedy.contains(id.wearable) ? 0 : 1
      if let best, (best.rank, best.isWithin, best.latest) <= (rank, isWithin, state.firstLatest) { continue }
      best = (rank, isWithin, state.firstLatest, id)
    }
    return best?.id
  }

  /// Returns at most as many wearables as shares fit into the store.
  private func wearablesAboveShare() -> Set<WearableID> {
    guard let share = bounds.share else { return [] }
    var greedy: Set<WearableID> = []
    var (wearable, space) = (WearableID?.none, 0)
    // Rings of one wearable are adjacent.
    for (id, state) in table.rings {
      if id.wearable != wearable { (wearable, space) = (id.wearable, 0) }
      space += state.space
      if space > share { greedy.insert(id.wearable) }
    }
    return greedy
  }

  /// Approximate number of chunks that may be evicted for fetched samples, without those of data that should have
  /// stayed on its wearable.
  var chunksThatYieldToFetched: Int {
    var chunks = 0
    for (id, state) in table.rings where state.chunks > 0 && bounds.rank(id, state) < 2 {
      // A ring that refuses eviction gives only confirmed chunks: the first one is known to be such.
      chunks += id.way == .fetched && bounds[id].whenFull == .refuse ? 1 : Int(state.chunks)
    }
    return chunks
  }

  /// Evicts the oldest chunk of the store; optionally without data that should have stayed on its wearable, or only
  /// confirmed samples. False if there is no such chunk.
  mutating func evictOldest(_ transaction: Transaction, keepingRefused: Bool = false, onlyExported: Bool = false)
    throws(DatabaseFailure) -> Bool
  {
    guard let victim = victim(below: onlyExported ? 1 : keepingRefused ? 2 : 3) else { return false }
    // A row that named missing chunks is correct now, and the next ring is tried.
    _ = try evictFirst(victim, transaction)
    return true
  }

  /// Applies a ring's own bounds, at most `limit` chunks at a time. `now` is nil while the clock is not trusted.
  ///
  /// - Returns: what is left of `limit`.
  mutating func enforceBounds(_ ring: RingID, now: Int64?, limit: Int, _ transaction: Transaction)
    throws(DatabaseFailure) -> Int
  {
    var left = limit
    while left > 0, let state = table[ring] {
      if !bounds.isExceeded(by: state, of: ring, now: now),
        !(try bounds.isOlderThanItSays(ring, state, now: now, transaction))
      {
        break
      }
      if try bounds.isYoungerThanItSays(ring, state, now: now, transaction) { break }
      _ = try evictFirst(ring, transaction)
      left -= 1
    }
    return left
  }

  /// True also if it is unclear: for a first chunk with times in the future only the disk can decide.
  func isAnythingOutOfBounds(now: Int64?) -> Bool {
    table.rings.contains {
      bounds.isExceeded(by: $0.state, of: $0.id, now: now) || bounds.isDoubtful($0.id, $0.state, now: now)
    }
  }

  /// Deletes whole chunks that a person selected for a purge, if they are unchanged since. Returns the number of
  /// deleted items.
  mutating func purge(_ ring: RingID, _ chunks: [PurgePlan.Chunk], _ transaction: Transaction) throws(DatabaseFailure)
    -> UInt64
  {
    guard var state = table[ring] else { return 0 }
    var gone: UInt64 = 0
    try transaction.withCursor(transaction.tables.chunks) { cursor throws(DatabaseFailure) in
      for chunk in chunks {
        guard let entry = try cursor.seek(ring.chunkKey(chunk.ordinal)), let found = RingReading.chunk(entry, ring),
          found.first == chunk.ordinal,
          PurgePlan.checksum(found.bytes) == chunk.checksum
        else { continue }
        state.bytes -= min(state.bytes, UInt64(found.bytes.count))
        try cursor.delete()
        state.chunks -= min(state.chunks, 1)
        state.items -= min(state.items, chunk.items)
        gone &+= chunk.items
      }
      if state.chunks > 0, let entry = try cursor.seek(ring.key), let first = RingReading.chunk(entry, ring) {
        state.begin(at: first.first, RingChunkHeader.verify(first.bytes, at: transaction.place(ring, first.first)))
      } else {
        state.becomeEmpty()
      }
    }
    state.purged &+= gone
    set(ring, state)
    return gone
  }
}
