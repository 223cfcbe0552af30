// Walks through one wearable's series column by column, for readers of millions of values.

internal import EventLoop
internal import Health

/// Chunk by chunk: what was fetched, then what was live, then what of it is still in the journal. Each step is one
/// short transaction; what is moved or evicted between them is neither missed nor given twice.
struct ColumnWalk {
  private let wearable: WearableID
  private let series: Series
  private let since: Int64?
  private var ways: [Way] = [.fetched, .live]
  private var positions: [RingID: UInt64] = [:]
  private var entered: Set<RingID> = []
  private var journalNext: UInt64?
  private var count: UInt64 = 0
  private(set) var isDone = false
  private(set) var damaged: Set<DamagedChunk> = []
  private let rebuilt: [RingID: RingState]
  /// Clocks as they were at the first step.
  private var clocks: BootClocks?
  private let glance: Glance?
  /// Items that the last step only glanced at.
  private(set) var glanced: (first: Int64, last: Int64, count: Int)?

  /// Times of chunks of rings that are passed over with a look at their header, microseconds.
  struct Glance {
    /// Times to read. A chunk with no item in them is passed over.
    let window: Range<Int64>
    /// Chunks with items no further apart than this give only their ends and count.
    let within: Int64
  }

  /// `rebuilt`: rings with damaged rows.
  init(
    _ wearable: WearableID, _ series: Series, since: WallTime? = nil, rebuilt: [RingID: RingState] = [:],
    glance: Glance? = nil
  ) {
    self.rebuilt = rebuilt
    self.glance = glance
    self.wearable = wearable
    self.series = series
    self.since = since?.microseconds
  }

  /// Reads only the header of chunks without items between two times.
  init(
    _ wearable: WearableID, _ series: Series, since: WallTime?, until: WallTime?, rebuilt: [RingID: RingState] = [:]
  ) {
    let start = since?.microseconds ?? .min
    let window = start..<max(start, until?.microseconds ?? .max)
    // No item lies that close to another: what overlaps is decoded.
    self.init(
      wearable, series, since: since, rebuilt: rebuilt, glance: until.map { _ in Glance(window: window, within: -1) })
  }

  /// The way that the next step reads.
  var way: Way { ways.first ?? .live }

  private func ring(_ way: Way) -> RingID { RingID(wearable: wearable, seriesNumber: series.id, way: way) }

  /// Replaces `columns` by the items of at most one chunk of a ring, or of some chunks of the journal. The result may
  /// be empty. Items before `since` may be among them.
  mutating func step(_ transaction: Transaction, _ columns: inout ItemColumns) throws(DatabaseFailure) {
    columns.removeAll()
    glanced = nil
    if clocks == nil { clocks = try BootClocks.load(transaction) }
    if let way = ways.first {
      if try !takeChunk(transaction, ring(way), &columns) { ways.removeFirst() }
      return
    }
    try takeJournal(transaction, &columns)
  }

  private mutating func takeChunk(_ transaction: Transaction, _ ring: RingID, _ columns: inout ItemColumns)
    throws(DatabaseFailure) -> Bool
  {
    let state = try RingReading.state(transaction, ring, rebuilt)
    var position = positions[ring] ?? 0
    if position >= state.next { return false }
    let clocks = clocks ?? BootClocks()
    let since = entered.insert(ring).inserted ? clocks.stored(since: since) : nil
    var taken = columns
    columns = ItemColumns(valueCount: 0, hasBytes: false)
    defer { columns = taken }
    var next = state.next
    var isDamaged: UInt64?
    var seen: (first: Int64, last: Int64, count: Int)?
    try transaction.withCursor(transaction.tables.chunks) { cursor throws(DatabaseFailure) in
      if let since { position = max(position, try RingReading.firstCandidate(cursor, ring, state, since)) }
      guard position < state.next, let chunk = try RingReading.chunk(cursor, ring, holding: position) else { return }
      let place = transaction.place(ring, chunk.first)
      if let glance, let header = RingChunkHeader.verify(chunk.bytes, at: place), header.ordinal >= position,
        glance.suffices(header, clocks.shift(header.anchor, ring.way, latest: header.latest))
      {
        next = header.nextOrdinal
        let shift = clocks.shift(header.anchor, ring.way, latest: header.latest) ?? 0
        if glance.window.overlaps(header.times(shift)) {
          seen = (header.earliest &+ shift, header.latest &+ shift, header.count)
        }
      } else if let header = RingChunkDecoder.decode(chunk.bytes, at: place, into: &taken),
        header.nextOrdinal > position
      {
        if let shift = clocks.shift(header.anchor, ring.way, latest: header.latest) { taken.shift(by: shift) }
        if position > header.ordinal { taken.removeFirst(Int(clamping: position - header.ordinal)) }
        next = header.nextOrdinal
      } else {
        taken.removeAll()
        isDamaged = chunk.first
        if chunk.first < .max {
          next =
            try cursor.seek(ring.chunkKey(chunk.first + 1)).flatMap { RingReading.chunk($0, ring)?.first } ?? state.next
        }
      }
    }
    glanced = seen
    if let isDamaged { damaged.insert(.ring(ring, isDamaged)) }
    positions[ring] = max(next, position)
    return next < state.next
  }

  private mutating func takeJournal(_ transaction: Transaction, _ columns: inout ItemColumns) throws(DatabaseFailure) {
    var walk = self
    var taken = columns
    columns = ItemColumns(valueCount: 0, hasBytes: false)
    let ring = ring(.live)
    try transaction.withJournal { cursor throws(DatabaseFailure) in
      guard let first = try cursor.first()?.sequence else {
        walk.isDone = true
        return
      }
      if let next = walk.journalNext, next < first {
        // What comes next was moved to the ring.
        walk.journalNext = nil
        walk.ways = [.live]
        return
      }
      if walk.journalNext == nil {
        let next = try RingReading.state(transaction, ring, walk.rebuilt).next
        if next > walk.positions[ring] ?? 0 {
          // Moved since the ring was walked through.
          walk.ways = [.live]
          return
        }
        walk.count = next
        walk.journalNext = first
      }
      var entry = try JournalReading.chunk(cursor, holding: walk.journalNext ?? first)
      for _ in 0..<JournalWindow.step {
        guard let found = entry, let key = found.sequence else {
          walk.isDone = true
          return
        }
        walk.take(found.value, key, transaction.number, ring, &taken)
        entry = try cursor.next()
        // Over a gap, or over a damaged chunk that is not to be looked at again.
        if let following = entry?.sequence { walk.journalNext = following }
      }
      // Without an entry behind it, its number is meaningless.
      if entry == nil { walk.isDone = true }
    }
    self = walk
    columns = taken
  }

  private mutating func take(
    _ bytes: UnsafeRawBufferPointer, _ key: UInt64, _ number: StoreNumber, _ ring: RingID, _ columns: inout ItemColumns
  ) {
    guard let header = JournalReading.soundHeader(bytes, key, number) else {
      damaged.insert(.journal(key))
      journalNext = RecordNumber.after(key)
      return
    }
    if key < journalNext ?? 0 { return }
    let shift = clocks?.shift(header.anchor, ring.way, latest: header.latest.microseconds) ?? 0
    let base = header.baseWall.microseconds &+ shift
    var records = ChunkRecords(bytes, header)
    while let record = records.next() {
      guard record.wearable == ring.wearable.number, record.series == ring.seriesNumber else { continue }
      let isNew = count >= positions[ring] ?? 0
      count &+= 1
      guard isNew, record.valueCount == columns.valueCount, record.hasBytes == columns.hasBytes else { continue }
      positions[ring] = count
      let time = base &+ record.time
      record.withValues { columns.append(time: time, flags: record.flags, values: $0, bytes: record.bytes) }
    }
    journalNext = header.nextSequence
  }
}

extension ColumnWalk.Glance {
  fileprivate func suffices(_ header: RingChunkHeader, _ shift: Int64?) -> Bool {
    let times = header.times(shift ?? 0)
    if !window.overlaps(times) { return true }
    // Of a chunk across an end of the window, its items say how many are within it.
    if times.lowerBound < window.lowerBound || times.upperBound > window.upperBound { return false }
    let (length, overflow) = header.latest.subtractingReportingOverflow(header.earliest)
    return !overflow && length <= within
  }
}

extension RingChunkHeader {
  /// Returns the span from the earliest to the latest, both of them included.
  fileprivate func times(_ shift: Int64) -> Range<Int64> {
    let (earliest, latest) = (earliest &+ shift, latest &+ shift)
    return earliest..<max(earliest, latest == .max ? .max : latest + 1)
  }
}
