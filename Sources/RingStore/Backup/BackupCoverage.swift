// Backups without samples: which records of custody may still be restored when the samples themselves are not.
//
// Custody and receipts state that samples are in this store. A store restored without them may state so only for
// samples that exist elsewhere: those that a reader of exports has confirmed. Every other record of fetched data is
// left out. Wearables that still hold that data are then asked for it again, and it is not erased on them.

import Custody

/// Rings as they are without their chunks, and how far readers have confirmed them.
struct BackupCoverage: Sendable {
  /// Rings without chunks, sorted by their keys.
  let rings: [(id: RingID, state: RingState)]
  private let confirmed: [RingID: UInt64]
  private let next: [RingID: UInt64]

  init(_ transaction: Transaction) throws(DatabaseFailure) {
    var states: [RingID: RingState] = [:]
    for (id, state) in try RingTable.load(transaction).rings { states[id] = state }
    confirmed = states.mapValues(\.exported)
    next = states.mapValues(\.next)
    // Readers may have confirmed samples of the journal, with ordinals behind the ring's own: never assign those
    // again.
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

  /// Whether readers have confirmed every sample of a receipt. An empty range always counts as confirmed.
  func covers(_ receipt: Receipt) -> Bool {
    receipt.ranges.allSatisfy { range in
      let (end, overflow) = range.first.addingReportingOverflow(range.count)
      return range.count == 0 || !overflow && end <= confirmed[range.ring] ?? 0
    }
  }

  private func covers(_ transaction: Transaction, _ number: UInt64) throws(DatabaseFailure) -> Bool {
    // An evicted receipt does not count as confirmed.
    try Receipts.load(transaction, number).map { covers($0) } ?? false
  }

  /// Whether the record of an item is backed up unchanged. If not, the item is fetched again, if its wearable still
  /// has it.
  private func keeps(_ transaction: Transaction, _ record: CustodyRecord) throws(DatabaseFailure) -> Bool {
    for number in record.receipts where try !covers(transaction, number) { return false }
    return true
  }

  /// The value under which an entry is backed up; nil if the entry is left out.
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
      // Fetching starts from the beginning again, unless readers have confirmed the whole ring.
      guard let mark = Watermark.decode(entry) else { return nil }
      let ring = RingID(wearable: mark.wearable, seriesNumber: mark.series, way: .fetched)
      guard let next = next[ring], let confirmed = confirmed[ring] else { return nil }
      return confirmed >= next ? Array(entry.value) : nil
    case .hubState:
      // Readings that a wearable would offer again count as new: their samples are not in the backup.
      return entry.key.dropFirst(4).elementsEqual(ReadingMarks.name.utf8) ? nil : Array(entry.value)
    default: return Array(entry.value)
    }
  }
}

extension CustodyRecord {
  /// The record as it was when the item was listed and no byte of it was fetched. Drivers that know what lies before
  /// and behind the item then ask for it. nil if the item is no longer on the wearable.
  fileprivate var unfetched: CustodyRecord? {
    if erasedAt != nil || !isListed { return nil }
    var record = CustodyRecord(wearable: wearable, id: id, mark: mark, size: size, begins: begins, visit: visit)
    record.phase = phase
    return record
  }
}
