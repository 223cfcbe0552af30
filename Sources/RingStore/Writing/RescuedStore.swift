// The store that is made of what a damaged file still gives: a draft beside it, written in steps, and marks for what is
// missing.

internal import CLMDB
internal import EventLoop
internal import Glibc
internal import Reasons

/// A draft that takes the damaged file's place when it is whole.
final class RescuedStore {
  static let draftName = "rescuing"
  private static let step = 4 << 20

  let environment: Environment
  private let path: String
  private let size: Int
  private var waiting: [(table: MDB_dbi, key: [UInt8], value: [UInt8], replaces: Bool)] = []
  private var waitingBytes = 0
  private(set) var rows = 0

  init(_ path: String, size: Int) throws(DatabaseFailure) {
    (self.path, self.size) = (path, size)
    Self.removeDraft(path)
    if mkdir("\(path)/\(Self.draftName)", 0o700) != 0 { throw DatabaseFailure(call: path, code: errno) }
    environment = try Environment(path: "\(path)/\(Self.draftName)", size: size, mode: .writer)
    try environment.openTables(creating: true)
  }

  deinit {
    environment.close()
    Self.removeDraft(path)
  }

  private static func removeDraft(_ path: String) {
    let draft = "\(path)/\(draftName)"
    for name in ["data.mdb", "data.mdb.new", "lock.mdb"] { unlink("\(draft)/\(name)") }
    rmdir(draft)
  }

  var tables: Tables { environment.tables }

  /// - Parameter replaces: false: what is there stays.
  func put(_ table: MDB_dbi, _ key: [UInt8], _ value: [UInt8], replaces: Bool) throws(DatabaseFailure) {
    if key.isEmpty || key.count > BackupRow.keyLimit { return }
    waiting.append((table, key, value, replaces))
    waitingBytes += key.count + value.count
    if waitingBytes >= Self.step { try flush() }
  }

  func flush() throws(DatabaseFailure) {
    if waiting.isEmpty { return }
    let ready = waiting
    (waiting, waitingBytes) = ([], 0)
    rows += ready.count
    try environment.write { transaction throws(DatabaseFailure) in
      for row in ready {
        if !row.replaces, try transaction.get(row.table, row.key) != nil { continue }
        try transaction.put(row.table, row.key, row.value)
      }
    }
  }

  // MARK: Marks of what is missing

  /// Marks in the journal for chunks that are lost, and where numbers go on behind them.
  func markJournal(_ gaps: [KeySpan]) throws(DatabaseFailure) {
    for gap in gaps {
      let number = if let known = Self.journalMark(gap) { known } else { try behindJournal() }
      try put(tables.journal, [UInt8](bigEndian: number), TailChunk.mark, replaces: false)
    }
    try flush()
  }

  /// The number under which a lost span of the journal is marked; nil for one without bounds.
  static func journalMark(_ gap: KeySpan) -> UInt64? {
    let high = gap.high.flatMap { RecordNumber.read($0) }
    return gap.low.flatMap { RecordNumber.read($0) } ?? high.map { $0 - min($0, 1) }
  }

  /// Returns the number behind the journal. Beyond the end, its length is unknown.
  private func behindJournal() throws(DatabaseFailure) -> UInt64 {
    let next = try environment.read { transaction throws(DatabaseFailure) in
      try StoreSummary.recover(transaction).nextSequence
    }
    let marks = Self.marks(behind: next)
    return JournalFile.exists(path) ? marks.withFile : marks.alone
  }

  /// Marks of a lost journal of unknown length that went on at `next`. With a journal file, its chunks stay behind the
  /// mark.
  static func marks(behind next: UInt64) -> (withFile: UInt64, alone: UInt64) {
    (next - min(next, 1), next < RecordNumber.end >> 1 ? next + 1 << 20 : next)
  }

  /// Marks in the rings with lost chunks, and rows that describe the rest. Chunks of a ring without a row get one.
  ///
  /// - Parameter awaited: see `StoreOptions.awaitedReaders`.
  func markRings(_ gaps: [KeySpan], rowsAreOld: Bool, awaiting awaited: [String]) throws(DatabaseFailure) {
    let known = try environment.read { transaction throws(DatabaseFailure) in try RingTable.load(transaction) }
    var touched: Set<RingID> = rowsAreOld ? Set(known.rings.map(\.id)) : []
    for (ring, state) in known.rings where !gaps.isEmpty {
      let missing = try environment.read { transaction throws(DatabaseFailure) in
        try Self.missing(ring, state, gaps, transaction)
      }
      for ordinal in missing { try put(tables.chunks, ring.chunkKey(ordinal), TailChunk.mark, replaces: false) }
      if !missing.isEmpty { touched.insert(ring) }
    }
    try flush()
    let withChunks = try environment.read { transaction throws(DatabaseFailure) in try Self.ringsOfChunks(transaction) }
    for ring in withChunks where known[ring] == nil { touched.insert(ring) }
    for ring in touched {
      var state = try environment.read { transaction throws(DatabaseFailure) in
        try RingTable.rebuild(transaction, ring, awaiting: awaited)
      }
      if let old = known[ring] { state.keep(old) }
      try put(tables.rings, ring.key, state.row, replaces: true)
    }
    try flush()
  }

  /// Ordinals at which something of the ring is missing: the first of each stretch.
  private static func missing(
    _ ring: RingID, _ state: RingState, _ gaps: [KeySpan], _ transaction: Transaction
  ) throws(DatabaseFailure) -> [UInt64] {
    func isLost(_ ordinal: UInt64) -> Bool { gaps.hold(ring.chunkKey(ordinal)) }
    var missing: [UInt64] = []
    var place = state.first
    try transaction.withCursor(transaction.tables.chunks) { cursor throws(DatabaseFailure) in
      var entry = try cursor.seek(ring.key)
      while let found = entry, RingID(key: found.key) == ring, let first = RingID.ordinal(found.key) {
        if first > place, isLost(place) { missing.append(place) }
        place = max(place, RingChunkHeader(found.value)?.nextOrdinal ?? RecordNumber.after(first))
        entry = try cursor.next()
      }
    }
    if place < state.next, isLost(place) || isLost(state.next - 1) { missing.append(place) }
    return missing
  }

  private static func ringsOfChunks(_ transaction: Transaction) throws(DatabaseFailure) -> [RingID] {
    var rings: [RingID] = []
    try transaction.withCursor(transaction.tables.chunks) { cursor throws(DatabaseFailure) in
      var entry = try cursor.first()
      while let found = entry {
        guard let ring = RingID(key: found.key), found.key.count == RingID.keySize + 8 else {
          entry = try cursor.next()
          continue
        }
        rings.append(ring)
        entry = try cursor.seek(ring.chunkKey(.max))
      }
    }
    return rings
  }

  /// Stores the end of the journal's table, if the newest root does not give it. Otherwise chunks of the journal file
  /// from there on would count as not yet in a ring, and would be there twice.
  func keepJournalEnd(isOlder: Bool) throws(DatabaseFailure) {
    guard isOlder, let moved = JournalFile.readHead(path)?.movedBelow else { return }
    try environment.write { transaction throws(DatabaseFailure) in
      let known = try JournalEnd(transaction)
      if known.map({ $0.nextSequence >= moved }) ?? false { return }
      try JournalEnd(
        nextSequence: moved, stored: known?.stored ?? 0,
        highWater: known?.highWater ?? WallTime(microseconds: .min)
      ).keep(transaction)
    }
  }

  // MARK: The end

  /// Marks it as a store and puts it in the damaged file's place, which keeps a name of its own.
  func takePlace(now: WallTime) throws(HearthError) -> String {
    do {
      try flush()
      try environment.write { transaction throws(DatabaseFailure) in
        let mark = try transaction.get(transaction.tables.meta, FormatMark.key)
        if mark.flatMap({ FormatMark.version(of: $0) }) == nil {
          try transaction.put(transaction.tables.meta, FormatMark.key, FormatMark.bytes(created: now))
        }
      }
    } catch { throw writeFailure(error, path) }
    environment.extendToLengthKnown()
    environment.close()
    try proveDraft()
    let (file, aside) = ("\(path)/data.mdb", try name(now))
    // At any moment there is a file of that name: the damaged one or the whole one.
    if link(file, aside) != 0, rename(file, aside) != 0 { throw openFailure(errno, aside) }
    syncDirectory(path)
    unlink(Environment.readerTable(path))
    if rename("\(path)/\(Self.draftName)/data.mdb", file) != 0 { throw openFailure(errno, file) }
    syncDirectory(path)
    return aside
  }

  /// Checks that the replacement of the damaged file is a store, by walking through its pages.
  private func proveDraft() throws(HearthError) {
    let draft = "\(path)/\(Self.draftName)"
    let isStore = try StoreProbe.isPresent(draft, hasLock: false)
    do {
      if isStore, try PageCheck.run(draft, size: size) == nil { return }
    } catch { throw HearthError(.storeDamaged, "\(draft)/data.mdb, made of it, is damaged too: \(error.text)") }
    throw HearthError(.storeDamaged, "\(draft)/data.mdb, made of it, is no store")
  }

  /// A card that damages file after file is not filled with them.
  private static let asideLimit = 20

  private func name(_ now: WallTime) throws(HearthError) -> String {
    for number in 0..<Self.asideLimit {
      let seconds = now.microseconds / 1_000_000
      let name = "\(path)/\(StoreProbe.asideName)\(seconds)\(number == 0 ? "" : "-\(number)")"
      if access(name, F_OK) != 0 { return name }
    }
    throw HearthError(.storeDamaged, "\(path) has too many damaged files that were set aside")
  }
}

extension RingState {
  /// Takes over the numbers of an old row that no chunk has.
  mutating func keep(_ old: RingState) {
    next = max(next, old.next)
    exported = max(exported, old.exported)
    (evicted, evictedUnexported, purged) = (old.evicted, old.evictedUnexported, old.purged)
    (evictedFrom, evictedTo, highWater) = (old.evictedFrom, old.evictedTo, max(highWater, old.highWater))
    if chunks == 0 { first = next }
  }
}
