// How far a store reaches: the ends of the journal, the rings, the pages, the wear.

import CivilTime
internal import EventLoop
internal import Glibc
internal import Health

/// Knowledge of the writer after each transaction; a copy of it goes to the loop.
struct StoreSummary: Sendable {
  // The journal.
  /// The last sequence number ever used, plus one.
  var nextSequence: UInt64 = 1
  /// Records ever committed to the journal.
  var stored: UInt64 = 0
  var highWater = WallTime(microseconds: .min)
  var journalFirst: UInt64?
  /// Records before the first chunk that is still there.
  var storedBeforeFirst: UInt64 = 0
  /// Earliest time in the oldest chunk.
  var journalOldest: WallTime?
  var journalChunks = 0
  var journalPages = 0

  // Rings.
  var rings = RingTable()

  /// Pages of bytes kept of items that are not whole.
  var stagedPages = 0

  // The file.
  var pagesUsed = 0
  var pagesFree = 0
  var fileSize = 0
  var readersInUse = 0

  // What format 1 evicted.
  var legacyEviction = EvictionTotals()
  var wear = Wear()

  var journalItems: UInt64 { stored - min(stored, storedBeforeFirst) }
}

extension StoreSummary {
  /// - Parameter awaited: `StoreOptions.awaitedReaders`, for rows of rings that are rebuilt.
  static func recover(
    _ transaction: Transaction, awaiting awaited: [String] = []
  ) throws(DatabaseFailure) -> StoreSummary {
    var extent = StoreSummary()
    extent.legacyEviction =
      try transaction.get(transaction.tables.meta, EvictionTotals.key).flatMap { EvictionTotals($0) }
      ?? EvictionTotals()
    extent.wear = try Wear(transaction)
    extent.rings = try RingTable.load(transaction, awaiting: awaited)
    try transaction.withCursor(transaction.tables.journal) { cursor throws(DatabaseFailure) in
      if try cursor.last() == nil, let end = try JournalEnd(transaction) {
        (extent.stored, extent.highWater) = (end.stored, end.highWater)
        if end.nextSequence < RecordNumber.end { extent.nextSequence = end.nextSequence }
      }
      // The last chunk has the complete state. If it is damaged, its key and the chunk before it have to do: numbers
      // that it may have used are not used again.
      var entry = try cursor.last()
      if let entry { extent.nextSequence = RecordNumber.after(entry.sequence ?? .max, by: ChunkBuffer.capacity) }
      var isLast = true
      var looked = 0
      while let candidate = entry, looked < 64 {
        if let header = ChunkHeader.verify(candidate.value, of: transaction.number) {
          if isLast, header.sequence == candidate.sequence { extent.nextSequence = header.nextSequence }
          extent.stored = header.storedAfter
          extent.highWater = header.highWater
          extent.wear.odometer = max(extent.wear.odometer, header.odometer)
          break
        }
        isLast = false
        looked += 1
        entry = try cursor.previous()
      }
    }
    // An end that no store reaches is put aside first.
    if extent.nextSequence < RecordNumber.end {
      for chunk in try transaction.tailBehindTable() { extent.take(chunk) }
    }
    try extent.measure(transaction)
    return extent
  }

  /// Sets aside chunks with one of the last possible numbers: no chunk could be appended behind them. Returns their
  /// numbers.
  mutating func putAsideUnreachable(_ transaction: Transaction) throws(DatabaseFailure) -> [UInt64] {
    let (found, told) = try Quarantine.takeUnreachable(transaction)
    let left = try Self.recover(transaction)
    nextSequence = max(left.nextSequence, told.nextSequence)
    stored = max(left.stored, told.stored)
    highWater = max(left.highWater, told.highWater)
    if transaction.entries(transaction.tables.journal) == 0 {
      try JournalEnd(nextSequence: nextSequence, stored: stored, highWater: highWater).keep(transaction)
    }
    return found
  }

  /// Takes a chunk that only the journal file has. A chunk lost there adds no knowledge.
  private mutating func take(_ chunk: TailChunk) {
    guard let header = ChunkHeader(chunk.entry.value) else { return }
    (nextSequence, stored, highWater) = (header.nextSequence, header.storedAfter, header.highWater)
    wear.odometer = max(wear.odometer, header.odometer)
  }

  mutating func measure(_ transaction: Transaction) throws(DatabaseFailure) {
    pagesUsed = transaction.pagesUsed
    stagedPages = transaction.entries(transaction.tables.staged)
    pagesFree = max(0, transaction.lastPage + 1 - pagesUsed)
    journalFirst = nil
    journalOldest = nil
    storedBeforeFirst = stored
    try transaction.withJournal { cursor throws(DatabaseFailure) in
      journalChunks = transaction.entries(transaction.tables.journal) + cursor.tailCount
      journalPages = transaction.pages(of: transaction.tables.journal) + cursor.tailCount
      if let first = try cursor.first() { noteFirst(first) }
    }
  }

  /// The journal's first chunk.
  mutating func noteFirst(_ first: Cursor.Entry) {
    journalFirst = first.sequence
    if let header = ChunkHeader(first.value) {
      journalOldest = header.earliest
      storedBeforeFirst = header.storedBefore
    }
  }
}

/// Samples that a store of format 1 deleted to make room, ever.
///
/// Value of the key "evicted" of `meta`: samples (u64), earliest time (i64), latest time (i64), microseconds,
/// little-endian.
struct EvictionTotals: Sendable {
  static let key = Array("evicted".utf8)
  var samples: UInt64 = 0
  var from = WallTime(microseconds: .max)
  var to = WallTime(microseconds: .min)

  init() {}

  init?(_ bytes: UnsafeRawBufferPointer) {
    var reader = StoredReader(bytes)
    guard let samples = reader.integer(UInt64.self), let from = reader.integer(Int64.self),
      let to = reader.integer(Int64.self)
    else {
      return nil
    }
    self.samples = samples
    self.from = WallTime(microseconds: from)
    self.to = WallTime(microseconds: to)
  }
}

/// The odometer of the store, and its value at the beginning of each day.
///
/// `meta` has "odometer" (u64) and "wear": per local day its number since 1970 (u32) and the odometer when it began
/// (u64). Earlier programs counted days of UTC: if such a day is ahead of the local day, it continues until that.
struct Wear: Sendable {
  static let odometerKey = Array("odometer".utf8)
  static let daysKey = Array("wear".utf8)
  /// Days of more than a year: a forecast for a year may look back on one.
  static let dayLimit = 400

  var odometer: UInt64 = 0
  private(set) var days: [(day: UInt32, odometer: UInt64)] = []
  /// The hub's zone: days begin at its midnight.
  var zone = TimeZoneRules.utc

  init() {}

  init(_ transaction: Transaction) throws(DatabaseFailure) {
    if let bytes = try transaction.get(transaction.tables.meta, Self.odometerKey) {
      var reader = StoredReader(bytes)
      odometer = reader.integer(UInt64.self) ?? 0
    }
    guard let bytes = try transaction.get(transaction.tables.meta, Self.daysKey) else { return }
    var reader = StoredReader(bytes)
    while days.count < Self.dayLimit, let day = reader.integer(UInt32.self), let odometer = reader.integer(UInt64.self)
    {
      days.append((day, odometer))
    }
  }

  private func day(_ time: WallTime) -> UInt32 { UInt32(clamping: zone.date(of: time.microseconds).dayNumber) }

  /// A clock that went back goes on in the day that was latest.
  func isNewDay(_ time: WallTime) -> Bool { days.last.map { day(time) > $0.day } ?? true }

  mutating func begin(_ time: WallTime) {
    days.append((day(time), odometer))
    if days.count > Self.dayLimit { days.removeFirst(days.count - Self.dayLimit) }
  }

  func keepDays(_ transaction: Transaction) throws(DatabaseFailure) {
    var bytes: [UInt8] = []
    for (day, odometer) in days {
      bytes.append(littleEndian: day)
      bytes.append(littleEndian: odometer)
    }
    try transaction.put(transaction.tables.meta, Self.daysKey, bytes)
  }

  func keepOdometer(_ transaction: Transaction) throws(DatabaseFailure) {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: odometer)
    try transaction.put(transaction.tables.meta, Self.odometerKey, bytes)
  }

  func status(budget: UInt64?, now: WallTime) -> WearStatus {
    let isToday = days.last.map { $0.day >= day(now) } ?? false
    let today = isToday ? odometer - min(odometer, days.last?.odometer ?? odometer) : 0
    return WearStatus(bytesToday: today, budgetPerDay: budget, odometer: odometer, forecastPerYear: forecast(now))
  }

  /// Computed from the last seven counted days, without the store's first. That day began at some hour, and took in the
  /// wearables' data of weeks, which is no pace. The result is nil until a tenth of the day after it has passed.
  /// Results beyond 64 bits are nil too: the odometer has no checksum.
  private func forecast(_ now: WallTime) -> UInt64? {
    let whole = days.count < Self.dayLimit ? days.dropFirst() : days[...]
    guard let first = whole.suffix(7).first else { return nil }
    let shown = Double(now.microseconds) / 1e6 + Double(zone.offset(at: now.microseconds))
    let elapsed = shown / 86_400 - Double(first.day)
    guard elapsed >= 0.1, elapsed < 3650 else { return nil }
    return UInt64(exactly: (Double(odometer - min(odometer, first.odometer)) / elapsed * 365).rounded())
  }
}
