// The disk's side of the store: one transaction per batch, room made first, nothing written twice.

internal import EventLoop
internal import Glibc

/// What the journal holds, as far as its ends tell.
struct JournalExtent: Sendable {
  /// One above the last sequence number ever used.
  var nextSequence: UInt64 = 1
  /// Samples ever committed.
  var stored: UInt64 = 0
  var highWater = WallTime(microseconds: .min)
  var oldest: WallTime?
  var newest: WallTime?
  var chunks = 0
  var pagesUsed = 0
  var fileSize = 0
}

/// What was deleted to make room, ever.
///
/// Value of the key "evicted" of `meta`: samples (u64), earliest time (i64), latest time (i64), microseconds, little-endian.
struct EvictionTotals: Sendable {
  static let key = Array("evicted".utf8)
  var samples: UInt64 = 0
  var from = WallTime(microseconds: .max)
  var to = WallTime(microseconds: .min)

  init() {}

  init?(_ bytes: UnsafeRawBufferPointer) {
    var reader = StoredReader(bytes)
    guard let samples = reader.integer(UInt64.self), let from = reader.integer(Int64.self), let to = reader.integer(Int64.self) else {
      return nil
    }
    self.samples = samples
    self.from = WallTime(microseconds: from)
    self.to = WallTime(microseconds: to)
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: samples)
    bytes.append(littleEndian: from.microseconds)
    bytes.append(littleEndian: to.microseconds)
    return bytes
  }
}

struct CommitOutcome: Sendable {
  var extent: JournalExtent
  var evicted: EvictionTotals
  var evictedNow: UInt64
  /// What this thread made the kernel write; nil where that is not accounted for.
  var bytesWritten: UInt64?
}

/// Writes batches. Used by the disk lane alone, one batch at a time, which is why it may be handed there.
final class StoreWriter: @unchecked Sendable {
  /// Chunks in one transaction: bounds how long it takes and how many pages it may need.
  static let batchLimit = 32
  /// Chunks that one transaction deletes at most. Only a store that was configured smaller ever needs more than `batchLimit`.
  static let evictionLimit = 256

  private let environment: Environment
  /// Pages that may hold something. The rest is what LMDB needs to write copies beside what is still visible: a batch and the paths to
  /// it (at most 32 + 15 pages), twice more until the pages freed by one commit can be used again, and a short reader between.
  private let pagesAllowed: Int
  private var extent: JournalExtent
  private var evicted: EvictionTotals

  static func reserve(_ pages: Int) -> Int { max(160, pages / 64) }

  /// Looks at both ends of the journal.
  init(_ environment: Environment, sizeBytes: Int) throws(DatabaseFailure) {
    self.environment = environment
    let pages = min(sizeBytes / environment.pageSize, environment.pageLimit)
    pagesAllowed = pages - Self.reserve(pages)
    (extent, evicted) = try environment.read { transaction throws(DatabaseFailure) in try Self.recover(transaction) }
    extent.fileSize = environment.fileSize
  }

  var state: (extent: JournalExtent, evicted: EvictionTotals) { (extent, evicted) }

  /// Makes the chunks durable, all or none, deleting the oldest ones where there is no room.
  func commit(_ chunks: [ChunkBuffer]) throws(DatabaseFailure) -> CommitOutcome {
    precondition(chunks.count <= Self.batchLimit, "a batch above its limit")
    return try write(pages: chunks.count) { transaction, extent throws(DatabaseFailure) in
      for chunk in chunks { try append(transaction, chunk, &extent) }
    }
  }

  /// Makes changes of the registry durable, all or none.
  func commit(_ changes: [RegistryChange], nextNumber: UInt32) throws(DatabaseFailure) -> CommitOutcome {
    let bytes = changes.reduce(0) { $0 + ($1.record?.count ?? 0) }
    return try write(pages: bytes / environment.pageSize + changes.count) { transaction, _ throws(DatabaseFailure) in
      for change in changes { try Registry.apply(transaction, change) }
      try Registry.keepNextNumber(transaction, nextNumber)
    }
  }

  private func write(
    pages: Int, _ body: (Transaction, inout JournalExtent) throws(DatabaseFailure) -> Void
  ) throws(DatabaseFailure) -> CommitOutcome {
    let before = threadBytesWritten()
    var extent = extent
    var evicted = evicted
    try environment.write { transaction throws(DatabaseFailure) in
      try makeRoom(transaction, for: pages, &evicted)
      try body(transaction, &extent)
      if evicted.samples != self.evicted.samples { try transaction.put(transaction.tables.meta, EvictionTotals.key, evicted.bytes) }
      try Self.measure(transaction, &extent)
    }
    environment.extendToLengthKnown()
    extent.fileSize = environment.fileSize
    let evictedNow = evicted.samples &- self.evicted.samples
    self.extent = extent
    self.evicted = evicted
    let written = threadBytesWritten().flatMap { after in before.map { after >= $0 ? after - $0 : 0 } }
    return CommitOutcome(extent: extent, evicted: evicted, evictedNow: evictedNow, bytesWritten: written)
  }

  private func append(_ transaction: Transaction, _ chunk: ChunkBuffer, _ extent: inout JournalExtent) throws(DatabaseFailure) {
    let mark = chunk.finish(storedBefore: extent.stored, highWater: extent.highWater)
    if try transaction.append(chunk.sequence, chunk.bytes) {
      extent.stored &+= UInt64(chunk.count)
      extent.highWater = mark
      extent.nextSequence = max(extent.nextSequence, chunk.nextSequence)
      return
    }
    // An earlier commit failed while it wrote its roots, and yet they arrived. `recover` has counted what it found.
    let isThere = try transaction.withCursor(transaction.tables.journal) { cursor throws(DatabaseFailure) in
      guard let entry = try cursor.seek(chunk.sequence), entry.sequence == chunk.sequence else { return false }
      return entry.value.dropFirst(ChunkHeader.size).elementsEqual(chunk.bytes.dropFirst(ChunkHeader.size))
    }
    if !isThere { throw DatabaseFailure(call: "append behind the journal's end", code: EEXIST) }
  }

  /// Deletes from the old end until `count` pages more are allowed, and a leaf or two.
  private func makeRoom(_ transaction: Transaction, for count: Int, _ evicted: inout EvictionTotals) throws(DatabaseFailure) {
    let allowed = pagesAllowed - count - 2
    if transaction.pagesUsed <= allowed { return }
    try transaction.withCursor(transaction.tables.journal) { cursor throws(DatabaseFailure) in
      var deleted = 0
      while deleted < Self.evictionLimit, transaction.pagesUsed > allowed, let entry = try cursor.first() {
        if let header = ChunkHeader.verify(entry.value) {
          evicted.samples &+= UInt64(header.count)
          evicted.from = min(evicted.from, header.earliest)
          evicted.to = max(evicted.to, header.latest)
          try cursor.delete()
        } else {
          // A damaged chunk's own count is worth nothing; the chunk behind it knows how many came before.
          try cursor.delete()
          if let next = try cursor.first(), let header = ChunkHeader.verify(next.value), header.storedBefore > evicted.samples {
            evicted.samples = header.storedBefore
          }
        }
        deleted += 1
      }
    }
  }

  private static func recover(_ transaction: Transaction) throws(DatabaseFailure) -> (JournalExtent, EvictionTotals) {
    var extent = JournalExtent()
    let evicted = try transaction.get(transaction.tables.meta, EvictionTotals.key).flatMap { EvictionTotals($0) } ?? EvictionTotals()
    try transaction.withCursor(transaction.tables.journal) { cursor throws(DatabaseFailure) in
      // The last chunk tells everything. Where it is damaged, its key does, and the one before it: numbers that it may have used are
      // not used again.
      var entry = try cursor.last()
      if let key = entry?.sequence { extent.nextSequence = key &+ UInt64(ChunkBuffer.capacity) }
      var isLast = true
      var looked = 0
      while let candidate = entry, looked < 64 {
        if let header = ChunkHeader.verify(candidate.value) {
          if isLast { extent.nextSequence = header.nextSequence }
          extent.stored = header.storedAfter
          extent.highWater = header.highWater
          break
        }
        isLast = false
        looked += 1
        entry = try cursor.previous()
      }
    }
    try measure(transaction, &extent)
    return (extent, evicted)
  }

  private static func measure(_ transaction: Transaction, _ extent: inout JournalExtent) throws(DatabaseFailure) {
    extent.chunks = transaction.entries(transaction.tables.journal)
    extent.pagesUsed = transaction.pagesUsed
    (extent.oldest, extent.newest) = try transaction.withCursor(transaction.tables.journal) { cursor throws(DatabaseFailure) in
      let oldest = try cursor.first().flatMap { ChunkHeader($0.value)?.earliest }
      let newest = try cursor.last().flatMap { ChunkHeader($0.value)?.latest }
      return (oldest, newest)
    }
  }
}

/// Bytes that the calling thread made the kernel send towards a block device.
func threadBytesWritten() -> UInt64? {
  guard let bytes = readSmallFile("/proc/thread-self/io") else { return nil }
  for line in bytes.split(separator: 0x0A) where line.starts(with: "write_bytes: ".utf8) {
    return UInt64(String(decoding: line.dropFirst(13), as: UTF8.self))
  }
  return nil
}
