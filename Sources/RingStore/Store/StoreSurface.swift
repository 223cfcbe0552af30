// Queries, checks and purges of rings, for people and programs.

public import EventLoop
public import Health
public import Reasons

extension Store {
  /// Rings, in the order of wearable, series and way.
  public var rings: [RingStatus] { keeper.extent.rings.rings.map { StoreView.status($0.id, $0.state, packer.bounds) } }

  /// Reads everything that passes the query and is durable now: all rings in order, then the journal. With a reader's
  /// name the export begins behind what that reader has confirmed, and records its confirmations. The first
  /// confirmation makes the reader.
  ///
  /// - Throws: `enrolNameInvalid` for an invalid reader's name; or why the store cannot be read. `controlBadParameter`
  ///   for a reader together with a time, because confirmed rows must have no holes.
  public func export(_ query: SampleQuery, reader: String? = nil, by: String = "") async throws(HearthError)
    -> ExportSession
  {
    var positions: [RingID: UInt64] = [:]
    var corrections = ReaderCorrections()
    if let reader {
      try WearableRecord.validate(name: reader)
      if query.hasTimes { throw SampleQuery.timesWithReader }
      (positions, corrections) = try disk.reading { transaction throws(DatabaseFailure) in
        let known = try Readers.load(transaction, reader)
        return (known?.rings ?? [:], try Corrections.since(transaction, known))
      }
    }
    let retimed = corrections.retimed.map { RetimedWalk($0, journalEnd: live.durableBelow, rebuilt: keeper.rebuilt) }
    return ExportSession(
      self, SampleWalk(query, from: positions, journalEnd: live.durableBelow, rebuilt: keeper.rebuilt), retimed,
      reader: reader,
      by: by, corrections: corrections)
  }

  /// The newest `count` (at most 10,000) items of a wearable's series, both ways together, in order of time.
  ///
  /// - Throws: why the store cannot be read, see `Store`.
  public func newest(_ count: Int, of wearable: WearableID, _ series: Series) async throws(HearthError)
    -> [StoredSample]
  {
    let count = min(max(count, 1), SampleWalk.sampleLimit)
    let rebuilt = keeper.rebuilt
    var walk = try disk.reading { transaction throws(DatabaseFailure) in
      try StoreView.newest(transaction, wearable, series, count, rebuilt)
    }
    var newest: [StoredSample] = []
    while true {
      let page = try disk.reading { transaction throws(DatabaseFailure) in
        try walk.page(transaction, limit: SampleWalk.sampleLimit / 4)
      }
      keeper.noteDamage(page.corrupt)
      StoreView.keep(page.samples, &newest, count)
      if page.isLast { return newest }
      await Task.yield()
    }
  }

  /// Hands over all items of a wearable's series between about `since` and `until`, chunk by chunk: fetched ones
  /// first, then live ones. The loop gets its turn between chunks.
  ///
  /// - Throws: why the store cannot be read, see `Store`.
  public func scan(
    _ wearable: WearableID, _ series: Series, since: WallTime? = nil, until: WallTime? = nil,
    _ body: (ItemColumns) -> Void
  ) async throws(HearthError) {
    var walk = ColumnWalk(wearable, series, since: since, until: until, rebuilt: keeper.rebuilt)
    var columns = ItemColumns(valueCount: series.layout.valueCount, hasBytes: series.layout.hasBytes)
    var done = 0
    while !walk.isDone {
      try disk.reading { transaction throws(DatabaseFailure) in try walk.step(transaction, &columns) }
      if !columns.isEmpty { body(columns) }
      done += max(columns.count, 256)
      if done >= Packer.itemsPerTurn {
        done = 0
        await Task.yield()
      }
    }
    keeper.noteDamage(Array(walk.damaged))
  }

  /// Reads and checks everything, with a separate decoder. The loop gets its turn between steps, and `progress` gets
  /// the percentage of chunks that are done after each.
  ///
  /// - Throws: why the store cannot be read, see `Store`.
  public func verify(_ progress: (Int) -> Void = { _ in }) async throws(HearthError) -> VerifyReport {
    var verifier = StoreVerifier(registry.secrets.vault)
    try disk.reading { transaction throws(DatabaseFailure) in try verifier.checkCounts(transaction) }
    let chunks = max(1, keeper.latest.journalChunks + keeper.latest.ringChunks)
    while try disk.reading({ transaction throws(DatabaseFailure) in try verifier.step(transaction) }) {
      progress(min((verifier.report.journalChunks + verifier.report.ringChunks) * 100 / chunks, 99))
      await Task.yield()
    }
    return verifier.report
  }

  /// The chunks that a purge would delete: those of these wearables and series with all samples before `query.until`.
  /// The journal is moved into the rings first, so that only the newest seconds are out of reach.
  ///
  /// - Throws: the store's error, see `Store`.
  public func purgePlan(_ query: SampleQuery) async throws(HearthError) -> PurgePlan {
    try await flush()
    try await pack()
    var search = PurgeSearch(query, keeper.extent.rings.rings)
    while try disk.reading({ transaction throws(DatabaseFailure) in try search.step(transaction) }) {
      await Task.yield()
    }
    return search.plan
  }

  /// Deletes the chunks of the plan. Returns the number of deleted items: fewer than planned if some were evicted
  /// meanwhile, never others.
  ///
  /// - Throws: the disk's error, see `Store`. Chunks deleted by then stay deleted: a transaction deletes at most 256.
  public func purge(_ plan: PurgePlan) async throws(HearthError) -> UInt64 {
    await packer.turn.take()
    defer { packer.turn.give() }
    try disk.refuseIfShut()
    var gone: UInt64 = 0
    // A bounded number of chunks in one transaction.
    for part in plan.parts {
      for begin in stride(from: 0, to: part.chunks.count, by: Self.purgeStep) {
        let chunks = Array(part.chunks[begin..<min(begin + Self.purgeStep, part.chunks.count)])
        do {
          let writer = try await disk.openWriter()
          let (count, outcome) = try await disk.perform { try writer.purge(part.ring, chunks) }
          disk.note(outcome)
          gone += count
        } catch {
          throw await disk.explain(error)
        }
      }
    }
    if gone > 0 { noteEvent(.storePurged, wearable: plan.onlyWearable, text: "\(gone) items purged by a person") }
    return gone
  }

  private nonisolated static let purgeStep = 256
}

extension PurgePlan {
  var onlyWearable: WearableID? {
    let all = Set(parts.map { $0.ring.wearable })
    return all.count == 1 ? all.first : nil
  }
}

/// A walk through everything a query selects, page by page.
@LoopActor
public final class ExportSession {
  private let store: Store
  private var walk: SampleWalk
  private var retimed: RetimedWalk?
  private let reader: String?
  private let by: String
  /// Corrections for the reader before the first page; confirmed with the rows.
  public let corrections: ReaderCorrections
  private var isDone = false
  /// Items given out since the last confirmation.
  private var unconfirmed: UInt64 = 0

  init(
    _ store: Store, _ walk: SampleWalk, _ retimed: RetimedWalk?, reader: String?, by: String,
    corrections: ReaderCorrections
  ) {
    self.store = store
    self.walk = walk
    self.retimed = retimed
    self.reader = reader
    self.by = by
    self.corrections = corrections
  }

  /// The next page of at most about `limit` (1 to 10,000) samples; nil when everything that was durable at the
  /// beginning was given out.
  ///
  /// - Throws: why the store cannot be read, see `Store`.
  public func next(limit: Int = 1000) async throws(HearthError) -> SamplePage? {
    if isDone { return nil }
    let page = try store.disk.reading { transaction throws(DatabaseFailure) in
      var page = try walk.page(transaction, limit: limit)
      try retimed?.add(to: &page, transaction, limit: limit)
      page.isLast = page.isLast && isRetold
      return page
    }
    store.keeper.noteDamage(page.corrupt)
    isDone = page.isLast
    unconfirmed += UInt64(page.samples.count)
    return page
  }

  /// Whether all rows with corrected times were given out.
  private var isRetold: Bool { retimed?.isDone ?? true }

  /// Records that the reader has safely stored all pages given out so far: durable on return. Without a reader's name
  /// it has no effect.
  ///
  /// - Throws: `storeTableFull` for more than 64 cursors, or 3,800 rings of one cursor; or the disk's error, see
  ///   `Store`. The pages are then unconfirmed.
  public func confirm() async throws(HearthError) {
    guard let reader, unconfirmed > 0 || isDone else { return }
    let given = GivenRows(
      positions: walk.given, items: unconfirmed, corrections: corrections.last,
      clock: isRetold ? corrections.lastClock : nil)
    try await store.confirm(given, reader: reader, by: by)
    // More pages may have been given out meanwhile.
    unconfirmed -= given.items
  }
}

extension Store {
  /// Deletes an export cursor. Durable on return. What its reader confirmed still counts as exported; a later export
  /// with this name begins with the oldest sample.
  ///
  /// - Returns: the cursor; nil if none has this name.
  /// - Throws: the store's error.
  public func removeReader(_ name: String) async throws(HearthError) -> ExportReader? {
    try await disk.change(pages: 8) { transaction throws(DatabaseFailure) in try Readers.remove(transaction, name) }
  }

  func confirm(_ given: GivenRows, reader: String, by: String) async throws(HearthError) {
    await packer.turn.take()
    defer { packer.turn.give() }
    let now = disk.loop.wall
    let result: Readers.Outcome
    do {
      let writer = try await disk.openWriter()
      let (kept, outcome) = try await disk.perform { try writer.confirm(given, reader, by: by, at: now) }
      disk.note(outcome)
      result = kept
      if kept == .kept, disk.options.awaits(reader) { keeper.count { $0.confirmedAt = now } }
    } catch {
      throw await disk.explain(error)
    }
    if result != .kept {
      throw HearthError(
        .storeTableFull, "at most \(Readers.limit) export cursors, of \(ExportReader.ringLimit) rings each")
    }
  }
}
