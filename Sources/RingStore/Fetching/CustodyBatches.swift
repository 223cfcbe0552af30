// Commits of fetched batches: batch and visit become durable together, and the receipt states that.

internal import EventLoop
internal import Health
internal import Reasons

extension Custodian {
  /// See `Store.commit`.
  func commit(_ batch: FetchedBatch) async throws(HearthError) -> Receipt {
    try await commit(batch, custody: nil, dropsStaged: false)
  }

  /// See `Store.commit`.
  func commit(_ batch: FetchedBatch, custody: CustodyRecord?, dropsStaged: Bool) async throws(HearthError)
    -> Receipt
  {
    let change = try custodyChange(batch, custody, dropsStaged)
    var digest = await self.digest(batch)
    await packer.turn.take()
    defer { packer.turn.give() }
    try disk.refuseIfClosing()
    // After a failure of its roots the environment must be opened again before any read.
    do { _ = try await disk.openWriter() } catch { throw await disk.explain(error) }
    var batch = batch
    if batch.leavesOutRepetitions, try await leaveOutRepetitions(in: &batch) { digest = await self.digest(batch) }
    if custody != nil { try registry.refuseForgotten(batch.wearable) }
    if let receipt = try disk.reading({ transaction throws(DatabaseFailure) in
      try Receipts.find(transaction, batch.wearable, digest)
    }) {
      if let change { try await keep(change, receipt) }
      return receipt
    }
    for _ in 0..<3 {
      if custody != nil { try registry.refuseForgotten(batch.wearable) }
      if let receipt = try await tryCommit(batch, digest, change) { return receipt }
    }
    throw HearthError(.storeFailing, "\(disk.options.path): rings change while they are written")
  }

  /// See `Store.refusal`.
  func refusal(of wearable: WearableID, _ series: Series) -> HearthError? {
    let ring = RingID(wearable: wearable, seriesNumber: series.id, way: .fetched)
    return refusal(of: ring, adding: 1, beside: Self.usualBatch)
  }

  /// Chunks of a driver's usual batch: 64 KB, hours of heart rate. With less room a fetch is not worthwhile.
  private nonisolated static let usualBatch = 16

  private func refusal(of ring: RingID, adding chunks: Int, beside others: Int = 0) -> HearthError? {
    let retention = packer.bounds[ring]
    if retention.whenFull == .evict { return nil }
    let state = status.extent.rings[ring] ?? RingState()
    if let quota = retention.quota, state.space + chunks * RingState.chunkSpace > quota {
      let (owner, name) = names(ring)
      return HearthError(
        .storeRefusing,
        "\(owner): the ring of \(name) has \(state.space) of \(quota) bytes; what is newer stays on the wearable")
    }
    guard let writer = disk.writer, !writer.hasRoomForFetched(status.extent, chunks: chunks + others) else {
      return nil
    }
    return storeIsFull(ring)
  }

  private func storeIsFull(_ ring: RingID) -> HearthError {
    let (owner, name) = names(ring)
    return HearthError(.storeRefusing, "\(owner): the store is full; \(name) stays on the wearable")
  }

  private func names(_ ring: RingID) -> (owner: String, series: String) {
    (
      registry.record(ring.wearable)?.name ?? "wearable-\(ring.wearable.number)",
      ring.series?.name ?? "series \(ring.seriesNumber)"
    )
  }

  private func digest(_ batch: FetchedBatch) async -> BatchDigest {
    var hasher = BatchHasher(source: batch.source.text)
    for (series, _, columns) in batch.items {
      hasher.begin(series: series.id, way: .fetched, valueCount: columns.valueCount, items: columns.count)
      var next = 0
      var used = 0
      while next < columns.count {
        // Large items count for more: a quarter of a megabyte takes some milliseconds on the smallest board.
        let count = min(columns.count - next, columns.hasBytes ? Self.largeItemsPerTurn : Packer.itemsPerTurn)
        hasher.add(columns, next..<(next + count), &used)
        next += count
        await Task.yield()
      }
    }
    return hasher.finish()
  }

  private nonisolated static let largeItemsPerTurn = 64

  /// The changes of rings that a batch needs, and the ordinals of its items.
  private func edits(_ batch: FetchedBatch) async throws(HearthError) -> (edits: [RingEdit], ranges: [ReceiptRange]) {
    var edits: [RingEdit] = []
    var ranges: [ReceiptRange] = []
    var done = 0
    // Fetched items have corrected device times. The hub's present clocks are only stored beside them, with whether
    // the times are reliable.
    let offset = disk.loop.wall.microseconds &- disk.loop.now.nanoseconds / 1000
    for series in batch.series {
      let ring = RingID(wearable: batch.wearable, seriesNumber: series.id, way: .fetched)
      let groups = batch.items.filter { $0.series == series }
      let runs = groups.map {
        RingItems.Run(
          anchor: ClockAnchor(offset: offset, boot: disk.options.bootID, trusted: $0.isSure ?? disk.loop.wallIsTrusted),
          items: $0.columns)
      }
      guard let edit = try await packer.edit(ring, RingItems(runs: runs), done: &done) else { continue }
      if let refusal = refusal(of: ring, adding: edit.chunks.count - (edit.tail == nil ? 0 : 1)) { throw refusal }
      edits.append(edit)
      var first = edit.expectedNext
      for group in groups {
        ranges.append(ReceiptRange(ring: ring, first: first, count: UInt64(group.columns.count)))
        first &+= UInt64(group.columns.count)
      }
      guard first == edit.next else { fatalError("a receipt with ordinals that are not those of its ring") }
    }
    return (edits, ranges)
  }

  private func tryCommit(_ batch: FetchedBatch, _ digest: BatchDigest, _ change: CustodyChange?)
    async throws(HearthError) -> Receipt?
  {
    let writer: StoreWriter
    do { writer = try await disk.openWriter() } catch { throw await disk.explain(error) }
    var (edits, ranges) = try await edits(batch)
    let chunks = edits.reduce(0) { $0 + $1.chunks.count }
    if chunks > writer.chunksAtOnce {
      throw HearthError(
        .storeBatchTooLarge, "a batch of \(chunks) chunks; at most \(writer.chunksAtOnce) in a store of this size")
    }
    let (items, time, now, limits) = (UInt64(batch.count), disk.loop.wall, disk.believedTime, disk.limits)
    let (wearable, source, visit, reach) = (batch.wearable, batch.source, batch.visit.bounded(), batch.reach)
    let pages = (change?.pages ?? 0) + (reach.isEmpty ? 0 : Watermarks.pagesOfBatch)
    let kept = edits.first { packer.bounds[$0.ring].whenFull == .refuse }?.ring
    if try await packer.makeRoomAhead(chunks + pages, isRefusing: kept != nil, sparing: change?.spared) {
      (edits, ranges) = try await self.edits(batch)
    }
    let (ready, places) = (edits, ranges)
    let addition: StoreWriter.Addition<(receipt: Receipt, gone: Int)>
    do {
      addition = try await disk.perform {
        try writer.add(ready, mayRefuse: kept != nil, extraPages: pages, sparing: change?.spared, now: now) {
          transaction throws(DatabaseFailure) in
          try Visits.put(transaction, visit, limit: limits.visits)
          try Watermarks.move(transaction, wearable, reach, visit: visit.number, now: time)
          let receipt = try Receipts.add(
            transaction, wearable: wearable, digest: digest, source: source, committedAt: time, visit: visit.number,
            items: items, ranges: places, limit: limits.receipts)
          return (receipt, try change?.apply(transaction, receipt, limits) ?? 0)
        }
      }
    } catch {
      throw await disk.explain(error)
    }
    switch addition {
    case .conflict: return nil
    case .refused: throw storeIsFull(kept ?? RingID(wearable: wearable, seriesNumber: 0, way: .fetched))
    case .added(let result, let outcome):
      disk.note(outcome)
      let wall = disk.loop.wall
      status.count {
        $0.batches += 1
        $0.storedFetched &+= items
        $0.custodyGivenWay += UInt64(result.gone)
        $0.lastCommit = wall
      }
      return result.receipt
    }
  }

  private func custodyChange(_ batch: FetchedBatch, _ record: CustodyRecord?, _ dropsStaged: Bool) throws(HearthError)
    -> CustodyChange?
  {
    guard let record else { return nil }
    if record.receipts.count >= CustodyRecord.receiptLimit {
      throw HearthError(.storeBatchTooLarge, "\(record.id): an item has at most \(CustodyRecord.receiptLimit) parts")
    }
    if record.wearable != batch.wearable {
      throw HearthError(.custodyInvalid, "\(record.id) is not of the batch's wearable")
    }
    let checked = try Self.checked(record)
    let leaves = try dropsStaged ? stagedLeaves(StagedItem(wearable: record.wearable, id: record.id)) : 0
    return CustodyChange(record: checked, dropsStaged: dropsStaged, pages: leaves + 6)
  }

  /// Updates the item's custody for a batch that is already durable.
  private func keep(_ change: CustodyChange, _ receipt: Receipt) async throws(HearthError) {
    let limits = disk.limits
    let gone = try await disk.change(pages: change.pages) { transaction throws(DatabaseFailure) in
      try change.apply(transaction, receipt, limits)
    }
    status.count { $0.custodyGivenWay += UInt64(gone) }
  }
}

/// The change of an item's custody that one of its batches makes.
struct CustodyChange: Sendable {
  let record: CustodyRecord
  let dropsStaged: Bool
  /// Pages that the change may need.
  let pages: Int

  var item: StagedItem { StagedItem(wearable: record.wearable, id: record.id) }
  /// Staged bytes that outlast this commit are not deleted for it.
  var spared: StagedItem? { dropsStaged ? nil : item }

  /// - Returns: how many other records were deleted.
  func apply(_ transaction: Transaction, _ receipt: Receipt, _ limits: TableLimits) throws(DatabaseFailure) -> Int {
    var record = record
    if !record.receipts.contains(receipt.number), record.receipts.count < CustodyRecord.receiptLimit {
      record.receipts.append(receipt.number)
    }
    if dropsStaged { try Staged.drop(transaction, item) }
    return try CustodyTable.put(transaction, record, limits)
  }
}
