// Writes items into the holes of rings. Each transaction leaves a whole store: what is still missing has a mark.

internal import EventLoop
internal import Health
internal import Reasons
internal import StateCodec

/// The store that takes the items. The caller holds its lock.
final class SalvageWriter {
  /// Bounds of one transaction: parts, items beyond which no part is added, and later chunks that change.
  static let partsAtOnce = 128
  static let itemsAtOnce = 65_536
  private static let followersLimit = 512

  let environment: Environment
  let writer: StoreWriter
  private let path: String
  /// Called before each transaction: tests kill themselves there.
  private let probe: (@Sendable (String) -> Void)?

  init(_ environment: Environment, _ options: StoreOptions, _ probe: (@Sendable (String) -> Void)?)
    throws(DatabaseFailure)
  {
    (self.environment, self.probe, path) = (environment, probe, options.path)
    environment.tail.replace(try JournalFile.tail(environment, options.path))
    writer = try StoreWriter(environment, options, account: WriteAccountFile(isThreadOfItsOwn: false))
  }

  // MARK: The journal

  /// Moves the whole journal into the rings: its items own the next ordinals.
  func drain() throws(HearthError) {
    do throws(DatabaseFailure) {
      for _ in 0...writer.extent.journalChunks {
        var window = JournalWindow(before: .max, takesNewest: true)
        while try environment.read({ transaction throws(DatabaseFailure) in try window.take(transaction) }) {}
        guard let first = window.first else { return }
        var edits: [RingEdit] = []
        while let (ring, items) = window.next() {
          if let edit = try edit(ring, items) { edits.append(edit) }
        }
        try require(pages: 2 * edits.count + window.chunks + 64)
        probe?("move")
        let outcome = try writer.move(edits, first: first, last: window.last, damaged: window.damaged, now: nil)
        if outcome == nil { throw DatabaseFailure.conflict }
      }
    } catch { throw explain(error) }
  }

  /// Adds items of lost journal chunks behind their rings. The mark that said they were lost goes with the same
  /// transaction, so that no second run adds them again.
  func add(_ items: [(ring: RingID, items: RingItems)], mark: UInt64) throws(HearthError) {
    do throws(DatabaseFailure) {
      var edits: [RingEdit] = []
      for (ring, items) in items {
        if let edit = try edit(ring, items) { edits.append(edit) }
      }
      try require(pages: edits.reduce(0) { $0 + $1.chunks.count } + 3 * edits.count + 64)
      probe?("journal")
      let added = try writer.add(edits, mayRefuse: false, now: nil) { transaction throws(DatabaseFailure) in
        try transaction.delete(transaction.tables.quarantine, [UInt8](bigEndian: mark))
      }
      guard case .added = added else { throw DatabaseFailure.conflict }
    } catch { throw explain(error) }
  }

  private func edit(_ ring: RingID, _ items: RingItems) throws(DatabaseFailure) -> RingEdit? {
    let state = writer.extent.rings[ring] ?? RingState()
    var editor = try environment.read { transaction throws(DatabaseFailure) in
      try RingEditor(transaction, ring, state, items)
    }
    while editor.step() > 0 {}
    return editor.edit
  }

  // MARK: Rings

  /// Writes parts into a hole, from its beginning on. What remains of the hole is behind them.
  ///
  /// - Parameters:
  ///   - parts: ascending, within the hole.
  ///   - endsHere: no part follows, and the ring had no items behind these.
  /// - Returns: false if too many later chunks would change.
  func put(_ parts: [SalvagePart], of ring: RingID, in hole: inout RingHole, endsHere: Bool) throws(HearthError) -> Bool
  {
    guard let end = parts.last?.range.upperBound else { return true }
    let place = hole
    do throws(DatabaseFailure) {
      let high = try environment.read { transaction throws(DatabaseFailure) in
        try Self.highWater(before: place.range.lowerBound, ring, transaction)
      }
      let reach = parts.reduce(high) { max($0, $1.highWater, $1.items?.times.max() ?? .min) }
      let followers = try environment.read { transaction throws(DatabaseFailure) in
        try Self.followers(of: ring, from: end, below: reach, transaction)
      }
      guard let followers else { return false }
      let pages = 2 * parts.count + followers.count + 64
      try require(pages: pages)
      probe?("rings")
      _ = try writer.write(pages: pages, keepingJournal: true) { work throws(DatabaseFailure) in
        try Self.put(parts, ring, place, high, endsHere: endsHere, work.transaction)
        for ordinal in followers { try Self.raise(ordinal, ring, to: reach, work.transaction) }
        let old = work.rings.table[ring] ?? RingState()
        var state = try RingTable.rebuild(work.transaction, ring, awaiting: [])
        state.keep(old)
        // Only the row says what all awaited readers have.
        state.exported = old.exported
        // A last mark makes a rebuilt row reserve more ordinals each time.
        state.next = max(old.next, end)
        if place.kind == .evicted { state.evicted -= min(state.evicted, parts.reduce(0) { $0 + $1.count }) }
        work.rings.set(ring, state)
      }
    } catch { throw explain(error) }
    hole.range = end..<max(end, hole.range.upperBound)
    return true
  }

  private static func put(
    _ parts: [SalvagePart], _ ring: RingID, _ hole: RingHole, _ before: Int64, endsHere: Bool,
    _ transaction: Transaction
  ) throws(DatabaseFailure) {
    let (chunks, start) = (transaction.tables.chunks, hole.range.lowerBound)
    var (at, high) = (start, before)
    func mark() throws(DatabaseFailure) {
      // At the start there is one, or the damaged chunk itself.
      if hole.kind == .damaged, at > start { try transaction.put(chunks, ring.chunkKey(at), TailChunk.mark) }
    }
    for part in parts {
      if at < part.range.lowerBound { try mark() }
      if hole.kind == .damaged, part.range.lowerBound == start { try transaction.delete(chunks, ring.chunkKey(start)) }
      high = max(high, part.highWater)
      try put(part, ring, &high, transaction)
      at = part.range.upperBound
    }
    if at < hole.range.upperBound, !endsHere { try mark() }
  }

  private static func put(_ part: SalvagePart, _ ring: RingID, _ high: inout Int64, _ transaction: Transaction)
    throws(DatabaseFailure)
  {
    guard let items = part.items else { return }
    var (position, continues) = (0, part.continues)
    while position < items.count {
      var bytes: [UInt8] = []
      let ordinal = part.range.lowerBound &+ UInt64(position)
      let taken = RingChunkEncoder.encode(
        items, from: position, at: transaction.place(ring, ordinal), highWater: high, anchor: part.anchor,
        continues: continues, into: &bytes)
      try transaction.put(transaction.tables.chunks, ring.chunkKey(ordinal), bytes)
      for time in items.times[position..<(position + taken)] { high = max(high, time) }
      position += taken
      continues = items.goesOn(position - 1)
    }
  }

  // MARK: High water

  /// Damaged chunks that are passed over in the search for the one before.
  private static let damagedLimit = 64

  private static func highWater(before ordinal: UInt64, _ ring: RingID, _ transaction: Transaction)
    throws(DatabaseFailure) -> Int64
  {
    try transaction.withCursor(transaction.tables.chunks) { cursor throws(DatabaseFailure) in
      var entry = try cursor.before(ring.chunkKey(ordinal))
      for _ in 0..<damagedLimit {
        guard let found = entry, let chunk = RingReading.chunk(found, ring) else { return .min }
        if let header = RingChunkHeader.verify(chunk.bytes, at: transaction.place(ring, chunk.first)) {
          return header.highWater
        }
        entry = try cursor.previous()
      }
      return .min
    }
  }

  /// Chunks behind the parts that state a lower high water; nil for too many. A hub that went on without the lost
  /// items did not know their times.
  private static func followers(of ring: RingID, from ordinal: UInt64, below high: Int64, _ transaction: Transaction)
    throws(DatabaseFailure) -> [UInt64]?
  {
    try transaction.withCursor(transaction.tables.chunks) { cursor throws(DatabaseFailure) in
      var found: [UInt64] = []
      var entry = try cursor.seek(ring.chunkKey(ordinal))
      while let candidate = entry, let chunk = RingReading.chunk(candidate, ring) {
        if let header = RingChunkHeader.verify(chunk.bytes, at: transaction.place(ring, chunk.first)) {
          if header.highWater >= high { break }
          found.append(chunk.first)
          if found.count > followersLimit { return nil }
        }
        entry = try cursor.next()
      }
      return found
    }
  }

  private static func raise(_ ordinal: UInt64, _ ring: RingID, to high: Int64, _ transaction: Transaction)
    throws(DatabaseFailure)
  {
    let key = ring.chunkKey(ordinal)
    guard var bytes = try transaction.get(transaction.tables.chunks, key).map({ Array($0) }),
      let header = bytes.withUnsafeBytes({ RingChunkHeader($0) })
    else { return }
    let start = header.isPlaced ? transaction.place(ring, ordinal).start : CRC32C()
    bytes.withUnsafeMutableBytes { bytes in
      bytes.store(high, at: RingChunkHeader.Offset.highWater)
      bytes.store(
        ChunkHeader.checksum(UnsafeRawBufferPointer(bytes), start), at: RingChunkHeader.Offset.checksum)
    }
    try transaction.put(transaction.tables.chunks, key, bytes)
  }

  // MARK: Room, and the end

  /// Refuses without room: no stored item gives way to an older one.
  private func require(pages: Int) throws(DatabaseFailure) {
    let needed = writer.extent.pagesUsed + PageReserve.of(0) / 4 + pages + 2
    if needed > writer.pagesAllowed { throw DatabaseFailure.refusal }
  }

  /// Notes the event of a salvage.
  func note(_ text: String, now: WallTime) throws(HearthError) {
    probe?("event")
    do throws(DatabaseFailure) {
      try require(pages: 8)
      _ = try writer.change(pages: 8) { transaction throws(DatabaseFailure) in
        let number = try Events.nextNumber(transaction)
        try transaction.put(
          StoreEvent(
            number: number, time: now, reason: Reason.storeSalvaged.rawValue, wearable: nil, text: text,
            span: EventSpan()))
      }
    } catch { throw explain(error) }
  }

  private func explain(_ failure: DatabaseFailure) -> HearthError {
    if failure.isRefusal {
      return HearthError(.storeFull, "\(path): no room for older samples; raise store.size, then run it again")
    }
    return writeFailure(failure, path)
  }
}

extension SalvagePart {
  /// Items that it brings.
  var count: UInt64 { UInt64(items?.count ?? 0) }
}
