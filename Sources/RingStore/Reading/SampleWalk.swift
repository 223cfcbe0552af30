// Walks through everything a query selects, in pages, each in one short transaction. Items may be moved or evicted
// between them.
//
// A place in the walk is, for each ring, the ordinal up to which all items were returned. Ordinals stay with an item on
// its way from journal to ring. If the journal is shorter than the walk left it, the walk goes back to the rings for
// the moved items.

internal import EventLoop
internal import Health

/// Used by the daemon and by a reader of a store at rest alike.
struct SampleWalk {
  /// Chunks looked at for one page: of one page each they are 256 KB, which a slow card reads in some 15 ms.
  static let chunkLimit = 64
  static let sampleLimit = 10_000
  /// Bytes that parts of one record may add up to: far above the largest file section a wearable gives.
  static let joinLimit = 1 << 20

  private enum Phase {
    case rings(after: RingID?)
    case journal
    case done
  }

  private(set) var query: SampleQuery
  /// Ordinals, by ring, below which everything was given, or is not wanted.
  private(set) var positions: [RingID: UInt64]
  private var phase = Phase.rings(after: nil)
  /// The next record of the journal; nil before its first page.
  private var journalNext: UInt64?
  /// Ordinals of the next record of each ring in the journal.
  private var counts: [RingID: UInt64] = [:]
  /// Start of the journal when the walk last began with the rings. Chunks moved since then may lie in rings that it had
  /// finished.
  private var journalFirst: UInt64?
  /// Records of the journal from here on are not given: they came after the walk began.
  private let journalEnd: UInt64
  private let rebuilt: [RingID: RingState]
  /// Returns only these rows.
  private let only: RetimedRows?
  /// A reader continues at its position: items lost since then are reported to it.
  private let isOfReader: Bool
  /// Clocks as they were on the first page.
  private var clocks: BootClocks?
  private var entered: Set<RingID> = []
  /// An item with bytes that continue in the next one.
  private var joined: (ring: RingID, from: UInt64, bytes: [UInt8])?
  private var columns = ItemColumns(valueCount: 1, hasBytes: false)

  /// `rebuilt`: rings with damaged rows.
  init(
    _ query: SampleQuery, from positions: [RingID: UInt64] = [:], journalEnd: UInt64 = .max,
    rebuilt: [RingID: RingState] = [:], only: RetimedRows? = nil
  ) {
    (self.query, self.positions, isOfReader) = (query, positions, !positions.isEmpty && only == nil)
    (self.journalEnd, self.rebuilt, self.only) = (journalEnd, rebuilt, only)
  }

  /// Returns about `limit` (1 to 10,000) samples at most: a record with bytes in several parts is never cut.
  mutating func page(_ transaction: Transaction, limit: Int) throws(DatabaseFailure) -> SamplePage {
    let limit = min(max(limit, 1), Self.sampleLimit)
    if clocks == nil { clocks = try BootClocks.load(transaction) }
    var (page, left) = (SamplePage(), Self.chunkLimit)
    while left > 0, page.samples.count < limit {
      switch phase {
      case .rings(let last):
        if last == nil { journalFirst = try JournalReading.first(transaction) }
        guard let (ring, state) = try RingReading.next(transaction, after: last, rebuilt) else {
          phase = .journal
          continue
        }
        if !query.wants(ring) || (positions[ring] ?? 0) >= only?.end(ring) ?? state.next {
          phase = .rings(after: ring)
          continue
        }
        if try !takeChunk(transaction, ring, state, limit, &page) {
          phase = .rings(after: ring)
          // The end is missing, and will not come.
          joined = nil
        }
        left -= 1
      case .journal:
        try takeJournal(transaction, limit, &left, &page)
      case .done:
        page.isLast = true
        return page
      }
    }
    if case .done = phase { page.isLast = true }
    return page
  }

  /// Excludes items at or after this time from here on.
  mutating func narrow(until time: WallTime) { query.until = min(query.until ?? time, time) }

  /// Ordinals, by ring, up to which all was given whole, and may be confirmed. Not series that this program does not
  /// know: a later one may give them.
  var given: [RingID: UInt64] {
    var given = positions.filter { $0.key.series != nil }
    if let joined { given[joined.ring] = joined.from }
    return given
  }

  // MARK: Rings

  /// Takes a chunk of a ring, or the part that the page has room for. False if the ring is at its end.
  private mutating func takeChunk(
    _ transaction: Transaction, _ ring: RingID, _ state: RingState, _ limit: Int, _ page: inout SamplePage
  ) throws(DatabaseFailure) -> Bool {
    var position = positions[ring] ?? 0
    let clocks = clocks ?? BootClocks()
    let since = entered.insert(ring).inserted ? clocks.stored(since: query.since?.microseconds) : nil
    let found = try transaction.withCursor(transaction.tables.chunks) { cursor throws(DatabaseFailure) in
      if let since { position = max(position, try RingReading.firstCandidate(cursor, ring, state, since)) }
      return position < state.next ? try RingReading.chunk(cursor, ring, holding: position) : nil
    }
    if isOfReader, positions[ring] != nil { page.miss(ring, from: position, below: found?.first ?? state.next) }
    guard let found else {
      positions[ring] = max(positions[ring] ?? 0, state.next)
      return false
    }
    let place = transaction.place(ring, found.first)
    if joined == nil, let header = RingChunkHeader(found.bytes),
      !query.mayWant(header, clocks.shift(header.anchor, ring.way, latest: header.latest))
        || only?.boots.contains(header.anchor.boot) == false,
      header.nextOrdinal > position, RingChunkHeader.verify(found.bytes, at: place) != nil
    {
      // Most chunks of a query for a time are rejected by their header alone. The decoder verifies the others.
      positions[ring] = header.nextOrdinal
      return true
    }
    guard let header = decode(found.bytes, at: place), header.nextOrdinal > position else {
      let next = max(try RingReading.behind(transaction, ring, found.first) ?? state.next, position)
      page.lose(ring, chunk: found.first, from: position, below: next)
      (joined, positions[ring]) = (nil, next)
      return true
    }
    // Below the count, because the chunk ends behind the position.
    var index = position > header.ordinal ? Int(clamping: position - header.ordinal) : 0
    if header.ordinal > position { joined = nil }
    guard let series = ring.series else {
      page.unknownSamples += header.count - index
      positions[ring] = header.nextOrdinal
      return true
    }
    let shift = clocks.shift(header.anchor, ring.way, latest: header.latest)
    var offset = columns.hasBytes ? Int(columns.lengths[..<index].reduce(0, +)) : 0
    if joined == nil, index > 0 ? columns.goesOn(index - 1) : header.continues {
      // The rest of an item without its beginning is no sample.
      var isRest = true
      while isRest, index < columns.count {
        offset += columns.hasBytes ? Int(columns.lengths[index]) : 0
        isRest = columns.goesOn(index)
        index += 1
      }
    }
    while index < columns.count, page.samples.count < limit || joined != nil {
      let length = columns.hasBytes ? Int(columns.lengths[index]) : 0
      give(ring, series, header, shift, index, columns.heap[offset..<(offset + length)], &page)
      offset += length
      index += 1
    }
    positions[ring] = header.ordinal &+ UInt64(index)
    return true
  }

  private mutating func decode(_ bytes: UnsafeRawBufferPointer, at place: ChunkPlace) -> RingChunkHeader? {
    guard let header = RingChunkHeader(bytes) else { return nil }
    if columns.valueCount == header.valueCount, columns.hasBytes == header.hasBytes {
      columns.removeAll()
    } else {
      columns = ItemColumns(valueCount: header.valueCount, hasBytes: header.hasBytes)
    }
    return RingChunkDecoder.decode(bytes, at: place, into: &columns)
  }

  private mutating func give(
    _ ring: RingID, _ series: Series, _ header: RingChunkHeader, _ shift: Int64?, _ index: Int,
    _ bytes: ArraySlice<UInt8>, _ page: inout SamplePage
  ) {
    let stored = columns.times[index]
    let time = stored &+ (shift ?? 0)
    guard let flags = SampleFlags(rawValue: UInt8(truncatingIfNeeded: columns.flags[index])) else {
      page.unknownSamples += 1
      return
    }
    var whole: [UInt8] = []
    let ordinal = header.ordinal &+ UInt64(index)
    var from = ordinal
    if columns.hasBytes {
      if let started = joined, started.ring == ring {
        whole = started.bytes
        from = started.from
      }
      whole += bytes
      joined = nil
      if flags.goesOn, whole.count < Self.joinLimit {
        joined = (ring, from, whole)
        return
      }
    }
    if !query.wants(time, of: ring.wearable) { return }
    page.samples.append(
      StoredSample(
        ring, series, header.anchor, columns, index, time: time, flags: flags, bytes: whole,
        monotonic: stored &- header.anchor.offset, shift: shift, ordinals: from...ordinal))
  }

  // MARK: Journal

  private mutating func takeJournal(
    _ transaction: Transaction, _ limit: Int, _ left: inout Int, _ page: inout SamplePage
  ) throws(DatabaseFailure) {
    var walk = self
    let room = left
    var used = 0
    var gathered = page
    try transaction.withJournal { cursor throws(DatabaseFailure) in
      guard let first = try cursor.first()?.sequence else {
        // All of it was moved since into rings, of which some are behind us.
        walk.phase = (walk.journalNext ?? walk.journalFirst) == nil ? .done : .rings(after: nil)
        (walk.journalNext, walk.journalFirst, walk.counts) = (nil, nil, [:])
        return
      }
      if walk.journalNext.map({ $0 < first }) ?? (walk.journalFirst.map { $0 < first } ?? false) {
        // What comes next was moved, or something was moved into rings that are behind us.
        walk.journalNext = nil
        walk.counts = [:]
        walk.phase = .rings(after: nil)
        return
      }
      let next = walk.journalNext ?? first
      walk.journalNext = next
      var entry = try JournalReading.chunk(cursor, holding: next)
      while let found = entry, let key = found.sequence, key < walk.journalEnd, used < room {
        used += 1
        if try !walk.takeChunk(transaction, found.value, key, limit, &gathered) { return }
        entry = try cursor.next()
        // Over a gap, or over a damaged chunk that is not to be looked at again.
        if let following = entry?.sequence { walk.journalNext = following }
      }
      if used < room || entry == nil { walk.phase = .done }
    }
    self = walk
    page = gathered
    left -= used
  }

  /// The records of one chunk from `journalNext` on. False if the page is full before its end.
  private mutating func takeChunk(
    _ transaction: Transaction, _ bytes: UnsafeRawBufferPointer, _ key: UInt64, _ limit: Int, _ page: inout SamplePage
  ) throws(DatabaseFailure) -> Bool {
    guard let header = JournalReading.soundHeader(bytes, key, transaction.number) else {
      page.loseJournal(key)
      journalNext = RecordNumber.after(key)
      return true
    }
    let anchor = header.anchor
    let shift = clocks?.shift(anchor, .live, latest: header.latest.microseconds)
    let base = header.baseWall.microseconds &+ (shift ?? 0)
    var records = ChunkRecords(bytes, header)
    var sequence = key
    while let record = records.next() {
      defer { sequence &+= 1 }
      if sequence < journalNext ?? 0 { continue }
      if page.samples.count >= limit { return false }
      journalNext = sequence &+ 1
      let ring = RingID(wearable: WearableID(number: record.wearable), seriesNumber: record.series, way: .live)
      guard query.wants(ring) else { continue }
      var ordinal = counts[ring] ?? 0
      if counts[ring] == nil { ordinal = try RingReading.state(transaction, ring, rebuilt).next }
      counts[ring] = ordinal &+ 1
      if ordinal < positions[ring] ?? 0 { continue }
      positions[ring] = ordinal &+ 1
      let time = base &+ record.time
      guard query.wants(time, of: ring.wearable) else { continue }
      guard let series = ring.series, let flags = SampleFlags(rawValue: record.flags) else {
        page.unknownSamples += 1
        continue
      }
      let isScalar = record.valueCount == 1 && !record.hasBytes
      page.samples.append(
        StoredSample(
          wearable: ring.wearable, series: series, way: .live, ordinal: ordinal, time: WallTime(microseconds: time),
          flags: flags,
          value: record.valueCount > 0 ? record.value : 0, values: isScalar ? [] : record.withValues { Array($0) },
          bytes: Array(record.bytes),
          monotonic: Instant(nanoseconds: header.baseMonotonic.nanoseconds &+ record.time &* 1000), bootID: anchor.boot,
          clockTrusted: anchor.trusted, shift: shift))
    }
    journalNext = header.nextSequence
    return true
  }
}
