// A backup without samples: what may still be said of what was fetched, when the samples themselves stay behind.
//
// Custody and receipts say that samples are in this store. A store that is restored without them may say so only of
// what somebody else has: what a reader of exports has confirmed. Of everything else it has to forget that it was
// fetched, so that it is fetched again from wearables that still hold it, and is erased on none.

import Custody

/// Rings as they are without their chunks, and how far readers have confirmed them.
struct BackupCoverage: Sendable {
  /// By their keys.
  let rings: [(id: RingID, state: RingState)]
  private let confirmed: [RingID: UInt64]
  private let next: [RingID: UInt64]

  init(_ transaction: Transaction) throws(DatabaseFailure) {
    var states: [RingID: RingState] = [:]
    for (id, state) in try RingTable.load(transaction).rings { states[id] = state }
    confirmed = states.mapValues(\.exported)
    next = states.mapValues(\.next)
    // What a reader has confirmed of the journal has ordinals behind the ring's own: they are not given twice.
    for reader in try Readers.all(transaction).records {
      for (id, position) in reader.rings {
        states[id, default: RingState()].next = max(states[id]?.next ?? 0, position)
      }
    }
    rings = states.map { ($0.key, Self.emptied($0.value)) }.sorted { $0.id < $1.id }
  }

  private static func emptied(_ full: RingState) -> RingState {
    var state = full
    if full.items > 0 {
      state.evictedUnexported &+= full.unexported
      state.evicted &+= full.items
      state.evictedFrom = min(full.evictedFrom, full.firstEarliest)
      state.evictedTo = max(full.evictedTo, full.highWater)
    }
    state.becomeEmpty()
    return state
  }

  /// Whether readers have everything that a receipt is for. A range of nothing is had by everybody.
  func covers(_ receipt: Receipt) -> Bool {
    receipt.ranges.allSatisfy { range in
      let (end, overflow) = range.first.addingReportingOverflow(range.count)
      return range.count == 0 || !overflow && end <= confirmed[range.ring] ?? 0
    }
  }

  private func covers(_ transaction: Transaction, _ number: UInt64) throws(DatabaseFailure) -> Bool {
    // One that has given way is not known to be had.
    try Receipts.load(transaction, number).map { covers($0) } ?? false
  }

  /// Whether the record of an item is kept as it is; else the item is to be fetched again, where it still is.
  private func keeps(_ transaction: Transaction, _ record: CustodyRecord) throws(DatabaseFailure) -> Bool {
    for number in record.receipts where try !covers(transaction, number) { return false }
    return true
  }

  /// The value under which an entry is kept; nil where it stays behind.
  func value(_ transaction: Transaction, _ table: BackupTable, _ entry: Cursor.Entry) throws(DatabaseFailure)
    -> [UInt8]?
  {
    switch table {
    case .receipts:
      guard let receipt = ReceiptRecord.decode(entry)?.receipt else { return nil }
      return covers(receipt) ? Array(entry.value) : nil
    case .batches:
      var reader = StoredReader(entry.value)
      guard entry.value.count == 8, let number = reader.integer(UInt64.self) else { return nil }
      return try covers(transaction, number) ? Array(entry.value) : nil
    case .custody:
      guard let record = CustodyRecord.decode(entry) else { return nil }
      if try keeps(transaction, record) { return Array(entry.value) }
      return record.unfetched?.encode()
    case .staged:
      guard let (item, _) = StagedItem.parse(entry.key),
        let record = try CustodyTable.load(transaction, item.wearable, item.id)
      else { return nil }
      return try keeps(transaction, record) ? Array(entry.value) : nil
    case .watermarks:
      // Where asking goes on: from the beginning, unless readers have all that was stored.
      guard let mark = Watermark.decode(entry) else { return nil }
      let ring = RingID(wearable: mark.wearable, seriesNumber: mark.series, way: .fetched)
      guard let next = next[ring], let confirmed = confirmed[ring] else { return nil }
      return confirmed >= next ? Array(entry.value) : nil
    case .hubState:
      // Readings that a wearable would offer again count as new: their samples are not here.
      return entry.key.dropFirst(4).elementsEqual(ReadingMarks.name.utf8) ? nil : Array(entry.value)
    default: return Array(entry.value)
    }
  }
}

extension CustodyRecord {
  /// As it was when it was listed and nothing of it had come: a driver that knows what lies before and behind asks for
  /// it. nil where it is no longer on the wearable.
  fileprivate var unfetched: CustodyRecord? {
    if erasedAt != nil || !isListed { return nil }
    var record = CustodyRecord(wearable: wearable, id: id, mark: mark, size: size, begins: begins, visit: visit)
    record.phase = phase
    return record
  }
}
