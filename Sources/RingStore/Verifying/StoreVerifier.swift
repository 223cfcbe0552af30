// Checks a whole store: every table against what FORMAT.md promises, with the plain decoder, a bounded piece of work at
// a time.

internal import EventLoop
internal import Health

/// A verification. Each `step` is one short transaction; a live store may move chunks between steps, which does not
/// count as damage.
struct StoreVerifier {
  /// Chunks of one step. The plain decoder takes some microseconds an item: a few chunks of thousands of items are what
  /// a loop can bear.
  static let step = 2

  enum Stage {
    case journal(after: UInt64?)
    case ring(after: RingID?)
    case chunks(RingID, RingState, next: UInt64, RingSum, RingStart)
    case strays(after: [UInt8])
    case records(Int, after: [UInt8])
    case batches(after: [UInt8])
    case custody(after: [UInt8])
    case staged(after: [UInt8], StagedSum)
    case done
  }

  /// Sums over the chunks of one ring.
  struct RingSum {
    var items: UInt64 = 0
    var chunks: UInt32 = 0
    var bytes: UInt64 = 0
    var highWater = Int64.min
    var end: UInt64 = 0
    /// The last item's bytes go on in the next chunk.
    var goesOn = false
  }

  /// The pages of one item so far.
  struct StagedSum {
    var item: StagedItem?
    /// Start of the next page.
    var end: UInt64 = 0
    /// The page before was full.
    var goesOn = true
  }

  /// State of the report at the start of a ring. If the ring changes meanwhile, it is verified again from there. After
  /// so many attempts the sums of its chunks are not compared.
  struct RingStart {
    let report: VerifyReport
    var repetitions = 0
  }
  static let repetitionLimit = 3

  /// Vault to open seals with; nil: only their layout is looked at.
  let vault: SecretsVault?
  var report = VerifyReport()
  var stage = Stage.journal(after: nil)
  var highWater = Int64.min
  var nextSequence: UInt64 = 0
  var stored: UInt64?

  init(_ vault: SecretsVault? = nil) { self.vault = vault }

  /// False when all is looked at.
  mutating func step(_ transaction: Transaction) throws(DatabaseFailure) -> Bool {
    switch stage {
    case .journal(let last): try checkJournal(transaction, last)
    case .ring(let last): try beginRing(transaction, last)
    case .chunks(let ring, let state, let next, let sum, let start):
      try checkChunks(transaction, ring, state, next, sum, start)
    case .strays(let key): try checkStrays(transaction, key)
    case .records(let table, let key): try checkRecords(transaction, table, key)
    case .batches(let key): try checkBatches(transaction, key)
    case .custody(let key): try checkCustody(transaction, key)
    case .staged(let key, let sum): try checkStaged(transaction, key, sum)
    case .done: return false
    }
    return true
  }

  mutating func find(_ place: String, _ what: String) {
    report.findingCount += 1
    if report.findings.count < 100 { report.findings.append(VerifyReport.Finding(place: place, what: what)) }
  }

  /// Compares counted pages with those of the file, for a live store that cannot be walked page by page.
  mutating func checkCounts(_ transaction: Transaction) throws(DatabaseFailure) {
    let (used, free, pages) = (transaction.pagesUsed, try transaction.freePages, transaction.lastPage + 1)
    if used + free > pages { find("data.mdb", DatabaseFailure.miscounted(used: used, free: free, of: pages).call) }
  }

  mutating func checkJournal(_ transaction: Transaction, _ last: UInt64?) throws(DatabaseFailure) {
    var entries: [(UInt64?, UnsafeRawBufferPointer)] = []
    var isMoved = false
    try transaction.withJournal { cursor throws(DatabaseFailure) in
      if let last, let first = try cursor.first()?.sequence { isMoved = first > last }
      var entry = try cursor.after(last.map { [UInt8](bigEndian: $0) })
      while let found = entry, entries.count < Self.step {
        entries.append((found.sequence, found.value))
        entry = try cursor.next()
      }
    }
    // What came before the next chunk is in the rings by now.
    if isMoved { stored = nil }
    for (key, bytes) in entries {
      report.journalChunks += 1
      guard let key else {
        find("journal", "a key of another length")
        continue
      }
      checkJournalChunk(key, bytes, transaction.number)
    }
    // A key of another length ends the walk: there is no telling what is behind it.
    if entries.count < Self.step || entries.last?.0 == nil {
      stage = .ring(after: nil)
    } else {
      stage = .journal(after: entries.last?.0)
    }
  }

  mutating func checkJournalChunk(_ key: UInt64, _ bytes: UnsafeRawBufferPointer, _ number: StoreNumber) {
    let place = "journal \(key)"
    if bytes.count > ChunkBuffer.capacity { find(place, "\(bytes.count) bytes; at most \(ChunkBuffer.capacity)") }
    guard let chunk = PlainChunks.journal(bytes, of: number) else {
      stored = nil
      return find(place, "damaged")
    }
    report.items += UInt64(chunk.records.count)
    if chunk.sequence != key { find(place, "says it is \(chunk.sequence)") }
    if key < nextSequence { find(place, "begins before the chunk before it ends") }
    if !chunk.headerIsTrue { find(place, "its header's times are not those of its records") }
    if chunk.highWater < highWater { find(place, "its high water is below that of the chunk before") }
    if let stored, chunk.storedBefore != stored {
      find(place, "counts \(chunk.storedBefore) records before it, the chunk before \(stored)")
    }
    nextSequence = key &+ UInt64(chunk.records.count)
    stored = chunk.storedBefore &+ UInt64(chunk.records.count)
    highWater = max(highWater, chunk.highWater)
  }
}
