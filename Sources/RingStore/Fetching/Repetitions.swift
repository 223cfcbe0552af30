// Deduplication of a batch against the store: data fetched from a time on overlaps with stored data, and repetitions
// are left out.

internal import EventLoop
internal import Health
internal import Reasons

/// Identity of an item within one series of a wearable: begin, values, bytes, kind, and whether a person started the
/// measurement.
private struct RepeatedItem: Hashable {
  let time: Int64
  let flags: UInt8
  let values: [Int64]
  let bytes: [UInt8]

  init(_ sample: StoredSample) {
    time = sample.time.microseconds
    flags = sample.flags.rawValue & Self.kinds
    values = sample.values.isEmpty ? [sample.value] : sample.values
    bytes = sample.bytes
  }

  /// - Parameter parts: of one record, in order.
  init(_ columns: ItemColumns, _ parts: Range<Int>, heap: ArraySlice<UInt8>) {
    let first = parts.lowerBound
    time = columns.times[first]
    flags = UInt8(truncatingIfNeeded: columns.flags[first]) & Self.kinds
    values = columns.values.map { $0[first] }
    bytes = Array(heap)
  }

  /// Bits of the flags: started by hand, and the kind.
  private static let kinds: UInt8 = 0b1_1100
}

extension Custodian {
  /// Limit of stored items of one series that are compared with a batch: 45 days of one a minute.
  private nonisolated static let repetitionLimit = 65_536

  /// Removes items from a batch that the wearable's rings already have. Of equal items, as many remain as the batch
  /// has more than the store. The caller has the rings' turn.
  ///
  /// - Returns: whether items were removed.
  /// - Throws: `storeBatchTooLarge` if the store has too many items in the batch's time.
  func leaveOutRepetitions(in batch: inout FetchedBatch) async throws(HearthError) -> Bool {
    let before = batch.count
    for series in batch.series {
      var known = try await stored(series, beside: batch)
      if known.isEmpty { continue }
      batch.replaceItems { other, columns in other == series ? columns.without(&known) : columns }
    }
    return batch.count < before
  }

  /// Stored fetched items of a series in the time of a batch, and how often each occurs.
  private func stored(_ series: Series, beside batch: FetchedBatch) async throws(HearthError) -> [RepeatedItem: Int] {
    let times = batch.items.filter { $0.series == series }.flatMap(\.columns.times)
    guard let earliest = times.min(), let latest = times.max() else { return [:] }
    let query = SampleQuery(
      wearables: [batch.wearable], series: [series], since: WallTime(microseconds: earliest),
      until: latest == .max ? nil : WallTime(microseconds: latest + 1))
    var walk = SampleWalk(query, journalEnd: 0, rebuilt: status.rebuilt)
    var known: [RepeatedItem: Int] = [:]
    while true {
      let page = try disk.reading { transaction throws(DatabaseFailure) in
        try walk.page(transaction, limit: SampleWalk.sampleLimit)
      }
      status.noteDamage(page.corrupt)
      for sample in page.samples where sample.way == .fetched { known[RepeatedItem(sample), default: 0] += 1 }
      if known.count > Self.repetitionLimit {
        throw HearthError(
          .storeBatchTooLarge, "more than \(Self.repetitionLimit) items of \(series.name) at the times of a batch")
      }
      if page.isLast { return known }
      await Task.yield()
    }
  }
}

extension ItemColumns {
  /// The items without the known ones, each removed as often as it is known.
  fileprivate func without(_ known: inout [RepeatedItem: Int]) -> ItemColumns {
    var kept = ItemColumns(valueCount: valueCount, hasBytes: hasBytes)
    var next = 0
    var used = 0
    while next < count {
      var end = next + 1
      while end < count, goesOn(end - 1) { end += 1 }
      let size = hasBytes ? Int(lengths[next..<end].reduce(0, +)) : 0
      let item = RepeatedItem(self, next..<end, heap: heap[used..<(used + size)])
      if let left = known[item], left > 0 {
        known[item] = left - 1
      } else {
        kept.copy(self, next..<end, heap: used..<(used + size))
      }
      (next, used) = (end, used + size)
    }
    return kept
  }

  private mutating func copy(_ other: ItemColumns, _ range: Range<Int>, heap bytes: Range<Int>) {
    times += other.times[range]
    flags += other.flags[range]
    for index in values.indices { values[index] += other.values[index][range] }
    if hasBytes { lengths += other.lengths[range] }
    heap += other.heap[bytes]
  }
}
