// Checks a whole store: every table against what FORMAT.md promises, with the plain decoder, a bounded piece of work at a time.

internal import EventLoop
internal import Health

/// One verification. Each `step` is one short transaction; a store that lives meanwhile may move chunks between steps, which is not taken for damage.
struct StoreVerifier {
  /// Chunks of one step. The plain decoder takes some microseconds an item: a few chunks of thousands of items are what a loop can bear.
  static let step = 2

  private enum Stage {
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

  /// What the chunks of one ring add up to.
  private struct RingSum {
    var items: UInt64 = 0
    var chunks: UInt32 = 0
    var bytes: UInt64 = 0
    var highWater = Int64.min
    var end: UInt64 = 0
    /// The last item's bytes go on in the next chunk.
    var goesOn = false
  }

  /// The pages of one item so far.
  private struct StagedSum {
    var item: StagedItem?
    /// Where the next page begins.
    var end = 0
    /// The page before was full.
    var goesOn = true
  }

  /// Where the report stood when a ring was begun, to begin it again if it changes under our hands: at most so many times, then what its
  /// chunks add up to is not compared.
  private struct RingStart {
    let report: VerifyReport
    var repetitions = 0
  }
  private static let repetitionLimit = 3

  private(set) var report = VerifyReport()
  private var stage = Stage.journal(after: nil)
  private var highWater = Int64.min
  private var nextSequence: UInt64 = 0
  private var stored: UInt64?

  /// False when all is looked at.
  mutating func step(_ transaction: Transaction) throws(DatabaseFailure) -> Bool {
    switch stage {
    case .journal(let last): try checkJournal(transaction, last)
    case .ring(let last): try beginRing(transaction, last)
    case .chunks(let ring, let state, let next, let sum, let start): try checkChunks(transaction, ring, state, next, sum, start)
    case .strays(let key): try checkStrays(transaction, key)
    case .records(let table, let key): try checkRecords(transaction, table, key)
    case .batches(let key): try checkBatches(transaction, key)
    case .custody(let key): try checkCustody(transaction, key)
    case .staged(let key, let sum): try checkStaged(transaction, key, sum)
    case .done: return false
    }
    return true
  }

  private mutating func find(_ place: String, _ what: String) {
    report.findingCount += 1
    if report.findings.count < 100 { report.findings.append(VerifyReport.Finding(place: place, what: what)) }
  }

  // MARK: Journal

  private mutating func checkJournal(_ transaction: Transaction, _ last: UInt64?) throws(DatabaseFailure) {
    var entries: [(UInt64?, UnsafeRawBufferPointer)] = []
    var isMoved = false
    try transaction.withCursor(transaction.tables.journal) { cursor throws(DatabaseFailure) in
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
      checkJournalChunk(key, bytes)
    }
    // A key of another length ends the walk: there is no telling what is behind it.
    if entries.count < Self.step || entries.last?.0 == nil { stage = .ring(after: nil) } else { stage = .journal(after: entries.last?.0) }
  }

  private mutating func checkJournalChunk(_ key: UInt64, _ bytes: UnsafeRawBufferPointer) {
    let place = "journal \(key)"
    if bytes.count > ChunkBuffer.capacity { find(place, "\(bytes.count) bytes; at most \(ChunkBuffer.capacity)") }
    guard let chunk = PlainChunks.journal(bytes) else {
      stored = nil
      return find(place, "damaged")
    }
    report.items += UInt64(chunk.records.count)
    if chunk.sequence != key { find(place, "says it is \(chunk.sequence)") }
    if key < nextSequence { find(place, "begins before the chunk before it ends") }
    if !chunk.headerIsTrue { find(place, "its header's times are not those of its records") }
    if chunk.highWater < highWater { find(place, "its high water is below that of the chunk before") }
    if let stored, chunk.storedBefore != stored { find(place, "counts \(chunk.storedBefore) records before it, the chunk before \(stored)") }
    nextSequence = key &+ UInt64(chunk.records.count)
    stored = chunk.storedBefore &+ UInt64(chunk.records.count)
    highWater = max(highWater, chunk.highWater)
  }

  // MARK: Rings

  private mutating func beginRing(_ transaction: Transaction, _ last: RingID?) throws(DatabaseFailure) {
    var damaged: [RingID] = []
    let found = try transaction.withCursor(transaction.tables.rings) { cursor throws(DatabaseFailure) -> (RingID, RingState)? in
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
    guard let (id, state) = found else { return stage = .strays(after: []) }
    report.rings += 1
    if state.chunks > 0, state.first >= state.next { find("rings \(id.text)", "begins at \(state.first), behind its end \(state.next)") }
    stage = .chunks(id, state, next: 0, RingSum(), RingStart(report: report))
  }

  private mutating func checkChunks(
    _ transaction: Transaction, _ ring: RingID, _ state: RingState, _ next: UInt64, _ before: RingSum, _ start: RingStart
  ) throws(DatabaseFailure) {
    // Whoever moved or evicted meanwhile has changed the row: begin again with it.
    let now = try RingReading.state(transaction, ring)
    if now != state, start.repetitions < Self.repetitionLimit {
      report = start.report
      return stage = .chunks(ring, now, next: 0, RingSum(), RingStart(report: start.report, repetitions: start.repetitions + 1))
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
    for (ordinal, bytes) in found { checkChunk(ring, ordinal, bytes, now, &sum) }
    if found.count == Self.step, let last = found.last?.0, last < .max { return stage = .chunks(ring, state, next: last + 1, sum, start) }
    stage = .ring(after: ring)
    if now != state { return }
    let place = "rings \(ring.text)"
    if sum.chunks != state.chunks { find(place, "counts \(state.chunks) chunks; there are \(sum.chunks)") }
    if sum.items != state.items { find(place, "counts \(state.items) items; there are \(sum.items)") }
    if sum.bytes != state.bytes { find(place, "counts \(state.bytes) bytes; there are \(sum.bytes)") }
    if sum.end > state.next { find(place, "ends at \(state.next), its chunks at \(sum.end)") }
  }

  private mutating func checkChunk(_ ring: RingID, _ ordinal: UInt64, _ bytes: UnsafeRawBufferPointer, _ state: RingState, _ sum: inout RingSum) {
    let place = "chunks \(ring.text) \(ordinal)"
    report.ringChunks += 1
    sum.chunks += 1
    sum.bytes += UInt64(bytes.count)
    if bytes.count > RingChunkEncoder.limit { find(place, "\(bytes.count) bytes; at most \(RingChunkEncoder.limit)") }
    guard let chunk = PlainChunks.ring(bytes) else { return find(place, "damaged") }
    report.items += UInt64(chunk.items.count)
    sum.items += UInt64(chunk.items.count)
    if chunk.ordinal != ordinal { find(place, "says it is \(chunk.ordinal)") }
    if ordinal < sum.end { find(place, "begins before the chunk before it ends") }
    if !chunk.headerIsTrue { find(place, "its header's times are not those of its items") }
    if chunk.highWater < sum.highWater { find(place, "its high water is below that of the chunk before") }
    if sum.chunks == 1, state.first != ordinal || state.firstEarliest != chunk.earliest || state.firstLatest != chunk.latest {
      find(place, "is the first one; the ring's row says otherwise")
    }
    if ordinal == sum.end, sum.chunks > 1, chunk.continues != sum.goesOn { find(place, "begins with the rest of an item, or not as it says") }
    sum.goesOn = chunk.items.last.map { $0.flags & 0x40 != 0 } ?? false
    sum.end = ordinal &+ UInt64(chunk.items.count)
    sum.highWater = max(sum.highWater, chunk.highWater)
  }

  /// Chunks of rings that have no row would never be read.
  private mutating func checkStrays(_ transaction: Transaction, _ key: [UInt8]) throws(DatabaseFailure) {
    let found = try transaction.withCursor(transaction.tables.chunks) { cursor throws(DatabaseFailure) -> RingID? in
      guard let entry = try cursor.seek(key.isEmpty ? [0] : key) else { return nil }
      return RingID(key: entry.key)
    }
    guard let found else { return stage = .records(0, after: []) }
    if try transaction.get(transaction.tables.rings, found.key) == nil { find("chunks \(found.text)", "belong to a ring without a row") }
    // Behind every possible ordinal of this ring.
    stage = .strays(after: found.chunkKey(.max) + [0])
  }

  // MARK: Records

  private mutating func checkRecords(_ transaction: Transaction, _ table: Int, _ key: [UInt8]) throws(DatabaseFailure) {
    let tables = Tables.withFields
    guard table < tables.count else { return stage = .batches(after: []) }
    let (name, number) = (tables[table].name, transaction.tables[keyPath: tables[table].field])
    var checked = 0
    var last: [UInt8]?
    var damaged: [[UInt8]] = []
    try transaction.withCursor(number) { cursor throws(DatabaseFailure) in
      var entry = try cursor.after(key.isEmpty ? nil : key)
      while let found = entry, checked < Self.recordStep {
        checked += 1
        last = Array(found.key)
        if !tables[table].isSound(found) { damaged.append(Array(found.key)) }
        entry = try cursor.next()
      }
    }
    report.records += checked
    for key in damaged { find("\(name) \(hexadecimal(key).lowercased())", "damaged") }
    stage = checked == Self.recordStep ? .records(table, after: last ?? []) : .records(table + 1, after: [])
  }

  private static let recordStep = 64

  /// Every receipt has its entry in `batches`, and the other way round.
  private mutating func checkBatches(_ transaction: Transaction, _ key: [UInt8]) throws(DatabaseFailure) {
    if key.isEmpty, transaction.entries(transaction.tables.batches) != transaction.entries(transaction.tables.receipts) {
      find("batches", "\(transaction.entries(transaction.tables.batches)) entries for \(transaction.entries(transaction.tables.receipts)) receipts")
    }
    var pairs: [(key: [UInt8], number: UInt64?)] = []
    try transaction.withCursor(transaction.tables.batches) { cursor throws(DatabaseFailure) in
      var entry = try cursor.after(key.isEmpty ? nil : key)
      while let found = entry, pairs.count < Self.recordStep {
        var reader = StoredReader(found.value)
        pairs.append((Array(found.key), reader.integer(UInt64.self)))
        entry = try cursor.next()
      }
    }
    for (key, number) in pairs {
      var receipt: Receipt?
      if let number { receipt = try Receipts.load(transaction, number) }
      let isOwn = receipt.map { [UInt8](bigEndian: $0.wearable.number) + $0.digest.bytes == key } ?? false
      if !isOwn { find("batches \(hexadecimal(key).lowercased())", "names a receipt that is not there, or another batch's") }
    }
    stage = pairs.count == Self.recordStep ? .batches(after: pairs.last?.key ?? []) : .custody(after: [])
  }

  // MARK: Custody

  /// A receipt that a record names is there and of the same wearable, or has given way, as all with smaller numbers have.
  private mutating func checkCustody(_ transaction: Transaction, _ key: [UInt8]) throws(DatabaseFailure) {
    let receipts = transaction.tables.receipts
    let oldest = try transaction.withCursor(receipts) { cursor throws(DatabaseFailure) in try cursor.first()?.sequence } ?? .max
    let next = try transaction.nextNumber(receipts)
    var records: [CustodyRecord] = []
    var checked = 0
    var last: [UInt8]?
    try transaction.withCursor(transaction.tables.custody) { cursor throws(DatabaseFailure) in
      var entry = try cursor.after(key.isEmpty ? nil : key)
      while let found = entry, checked < Self.recordStep {
        checked += 1
        last = Array(found.key)
        // Damaged ones were found with the other records.
        if let record = CustodyRecord.decode(found) { records.append(record) }
        entry = try cursor.next()
      }
    }
    for record in records {
      let place = "custody \(record.wearable.number) \(record.id)"
      for number in record.receipts {
        if number == 0 || number >= next { find(place, "names receipt \(number), which was never made") }
        if number < oldest || number >= next { continue }
        // A damaged receipt was found already.
        if let receipt = try Receipts.load(transaction, number) {
          if receipt.wearable != record.wearable { find(place, "names receipt \(number), which is another wearable's") }
        } else if try transaction.get(receipts, [UInt8](bigEndian: number)) == nil {
          find(place, "names receipt \(number), which is not there")
        }
      }
      if record.durableAt != nil, record.receipts.isEmpty { find(place, "is durable without a receipt") }
    }
    stage = checked == Self.recordStep ? .custody(after: last ?? []) : .staged(after: [], StagedSum())
  }

  /// Pages follow each other without holes, all but an item's last are full, and the item has its record.
  private mutating func checkStaged(_ transaction: Transaction, _ key: [UInt8], _ before: StagedSum) throws(DatabaseFailure) {
    var pages: [(key: [UInt8], value: UnsafeRawBufferPointer)] = []
    try transaction.withCursor(transaction.tables.staged) { cursor throws(DatabaseFailure) in
      var entry = try cursor.after(key.isEmpty ? nil : key)
      while let found = entry, pages.count < Self.recordStep {
        pages.append((Array(found.key), found.value))
        entry = try cursor.next()
      }
    }
    var sum = before
    for (key, value) in pages {
      report.records += 1
      guard let (item, offset) = key.withUnsafeBytes({ StagedItem.parse($0) }) else {
        find("staged \(hexadecimal(key).lowercased())", "a key that names no item")
        continue
      }
      let place = "staged \(item.wearable.number) \(item.id) \(offset)"
      if item != sum.item {
        sum = StagedSum(item: item)
        if try transaction.get(transaction.tables.custody, Custody.key(item.wearable, item.id)) == nil { find(place, "belongs to an item without a record") }
      }
      if offset != UInt64(sum.end) || !sum.goesOn { find(place, "does not follow the page before, which ends at \(sum.end)") }
      let content = Staged.content(value, at: offset)
      if content == nil { find(place, "damaged") }
      let count = content?.count ?? max(0, min(value.count - Staged.headerSize, Staged.pageSize))
      sum.end = Int(clamping: offset) &+ count
      sum.goesOn = count == Staged.pageSize
    }
    stage = pages.count == Self.recordStep ? .staged(after: pages.last?.key ?? [], sum) : .done
  }
}

extension RingID {
  /// For people: `3 heart_rate live`.
  var text: String { "\(wearable.number) \(series?.name ?? "series-\(seriesNumber)") \(way.name)" }
}

extension Tables {
  typealias RecordTable = (name: String, field: any WritableKeyPath<Tables, UInt32> & Sendable, isSound: @Sendable (Cursor.Entry) -> Bool)

  /// Those whose values are records with fields, and how one of theirs is read.
  static let withFields: [RecordTable] = [
    ("registry", \.registry, { entry in entry.key.count == 4 && WearableCodec.decode(WearableID(number: 0), entry.value) != nil }),
    ("wearers", \.wearers, { Wearer.decode($0) != nil }), ("assignments", \.assignments, { Assignment.decode($0) != nil }),
    ("cursors", \.cursors, { FieldCodec.isSound($0.value) }), ("readers", \.readers, { ExportReader.decode($0) != nil }),
    ("bonds", \.bonds, { Bond.decode($0) != nil }), ("receipts", \.receipts, { ReceiptRecord.decode($0) != nil }),
    ("visits", \.visits, { VisitRecord.decode($0) != nil }), ("events", \.events, { StoreEvent.decode($0) != nil }),
    ("custody", \.custody, { CustodyRecord.decode($0) != nil }),
  ]
}
