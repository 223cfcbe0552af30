// Reads a page of the journal in one short transaction.

internal import EventLoop
internal import Health

/// Used by the daemon and by a reader of a store at rest alike.
enum JournalScan {
  /// Chunks looked at for one page: 256 of one page each are 1 MB, which a slow card reads in 50 ms.
  static let chunkLimit = 256
  static let sampleLimit = 10_000

  /// Samples after `cursor`, at most `limit` (1 to 10,000).
  static func page(
    _ transaction: Transaction, _ query: SampleQuery, after cursor: JournalCursor?, limit: Int
  ) throws(DatabaseFailure) -> SamplePage {
    let filter = Filter(query)
    let limit = min(max(limit, 1), sampleLimit)
    var page = SamplePage()
    try transaction.withCursor(transaction.tables.journal) { walk throws(DatabaseFailure) in
      var wanted = cursor.map { $0.sequence == .max ? .max : $0.sequence + 1 } ?? 0
      if let since = query.since, let start = try firstCandidate(walk, since) { wanted = max(wanted, start) }
      var entry = try chunk(walk, containing: wanted)
      var looked = 0
      while let found = entry, let key = found.sequence {
        if looked == chunkLimit {
          page.next = JournalCursor(after: key == 0 ? 0 : key - 1)
          return
        }
        looked += 1
        if let last = take(found.value, key, from: wanted, filter, limit, &page) {
          page.next = JournalCursor(after: last)
          return
        }
        entry = try walk.next()
      }
    }
    return page
  }

  /// Puts the chunk's samples that pass on the page. Returns the last sequence looked at if the page is full.
  private static func take(
    _ bytes: UnsafeRawBufferPointer, _ key: UInt64, from wanted: UInt64, _ filter: Filter, _ limit: Int, _ page: inout SamplePage
  ) -> UInt64? {
    // Most chunks of a filtered scan are rejected by their header alone. A damaged one is noticed when its samples are asked for.
    if let header = ChunkHeader(bytes), header.sequence == key, !filter.mayMatch(header) { return nil }
    guard let header = ChunkHeader.verify(bytes), header.sequence == key else {
      page.corruptKeys.append(key)
      return nil
    }
    let before = (samples: page.samples.count, unknown: page.unknownSamples)
    var records = ChunkRecords(bytes)
    for index in 0..<UInt64(header.count) {
      guard let record = records.next() else {
        page.samples.removeLast(page.samples.count - before.samples)
        page.unknownSamples = before.unknown
        page.corruptKeys.append(key)
        return nil
      }
      let sequence = header.sequence &+ index
      if sequence < wanted { continue }
      let time = WallTime(microseconds: header.baseWall.microseconds &+ record.time)
      guard filter.matches(record, time) else { continue }
      guard let series = filter.series(record.series) else {
        page.unknownSamples += 1
        continue
      }
      page.samples.append(
        StoredSample(
          wearable: WearableID(number: record.wearable), series: series, value: record.value, time: time,
          monotonic: Instant(nanoseconds: header.baseMonotonic.nanoseconds &+ record.time &* 1000), bootID: header.boot,
          clockTrusted: header.clockTrusted, origin: record.origin, sequence: sequence))
      if page.samples.count == limit { return sequence }
    }
    return nil
  }

  /// The entry that holds `sequence`, else the first one behind it.
  private static func chunk(_ walk: Cursor, containing sequence: UInt64) throws(DatabaseFailure) -> Cursor.Entry? {
    let found = try walk.seek(sequence)
    if found?.sequence == sequence { return found }
    let before = found == nil ? try walk.last() : try walk.previous()
    if let before, let key = before.sequence {
      // A damaged chunk may hold it; then it is looked at, and counted.
      guard let header = ChunkHeader(before.value) else { return before }
      if header.sequence == key, key &+ UInt64(header.count) > sequence { return before }
    }
    return before == nil ? try walk.first() : try walk.next()
  }

  /// A sequence number before which no sample is at or after `since`. High water only rises along the journal, whatever the clock did,
  /// so bisecting finds the place; a damaged header only makes the scan start earlier.
  private static func firstCandidate(_ walk: Cursor, _ since: WallTime) throws(DatabaseFailure) -> UInt64? {
    guard let first = try walk.first()?.sequence, let last = try walk.last()?.sequence else { return nil }
    var low = first
    var high = last
    // Keys are sequence numbers with gaps of a chunk's length: 64 halvings reach any distance.
    while low < high {
      let middle = low + (high - low) / 2
      guard let entry = try walk.seek(middle), let key = entry.sequence, let header = ChunkHeader.verify(entry.value) else { return low }
      if header.highWater >= since {
        high = middle
      } else {
        low = max(key, middle) == .max ? .max : max(key, middle) + 1
      }
    }
    return low
  }

  /// A query made ready for many records.
  struct Filter {
    private let query: SampleQuery
    private var known: [Series?] = Array(repeating: nil, count: 256)
    private let wanted: Set<UInt16>?

    init(_ query: SampleQuery) {
      self.query = query
      for series in Series.all where series.id < 256 { known[Int(series.id)] = series }
      wanted = query.series.map { Set($0.map { $0.id }) }
    }

    func mayMatch(_ header: ChunkHeader) -> Bool {
      if let since = query.since, header.latest < since { return false }
      if let until = query.until, header.earliest >= until { return false }
      return true
    }

    func matches(_ record: ChunkRecord, _ time: WallTime) -> Bool {
      if let since = query.since, time < since { return false }
      if let until = query.until, time >= until { return false }
      if let wearables = query.wearables, !wearables.contains(WearableID(number: record.wearable)) { return false }
      if let wanted, !wanted.contains(record.series) { return false }
      return true
    }

    func series(_ id: UInt16) -> Series? { Int(id) < known.count ? known[Int(id)] : Series(id: id) }
  }
}
