// Receipts: proof that a batch is durable. Only this file makes one, and erasing on a wearable requires one.

import Custody
import EventLoop
import StateCodec

/// The tables `receipts` and `batches`, which change together: one entry of `batches` for each receipt.
enum Receipts {
  /// Ranges of one receipt: a batch has one for each of its series and ways, and there are far fewer of those.
  static let rangeLimit = 1024

  /// The receipt of a durable batch; nil if there is no receipt, or its record is damaged, which leaves the batch
  /// unproven.
  static func find(_ transaction: Transaction, _ wearable: WearableID, _ digest: BatchDigest) throws(DatabaseFailure)
    -> Receipt?
  {
    let entry = try transaction.get(transaction.tables.batches, batchKey(wearable, digest))
    guard let entry, let number = number(entry), let receipt = try load(transaction, number) else { return nil }
    return receipt.wearable == wearable && receipt.digest == digest ? receipt : nil
  }

  static func load(_ transaction: Transaction, _ number: UInt64) throws(DatabaseFailure) -> Receipt? {
    try transaction.record(ReceiptRecord.self, [UInt8](bigEndian: number))?.receipt
  }

  /// Makes the receipt of a batch that the same transaction stores. The receipt must stay inside the store until that
  /// transaction is durable.
  ///
  /// The caller has checked with `find` that the batch is not stored yet. A source that is too long is cut; the oldest
  /// receipts are deleted.
  static func add(
    _ transaction: Transaction, wearable: WearableID, digest: BatchDigest, source: BatchSource, committedAt: WallTime,
    visit: UInt64, items: UInt64,
    ranges: [ReceiptRange], limit: Int = TableLimits().receipts
  ) throws(DatabaseFailure) -> Receipt {
    guard ranges.count <= rangeLimit && ranges.allSatisfy({ $0.ring.wearable == wearable }) else {
      fatalError("a receipt for more than one batch")
    }
    let receipt = Receipt.minted(
      number: try transaction.nextNumber(transaction.tables.receipts), wearable: wearable, digest: digest,
      source: source.bounded, committedAt: committedAt, visit: visit, items: items, ranges: ranges)
    try transaction.put(ReceiptRecord(receipt: receipt))
    var number: [UInt8] = []
    number.append(littleEndian: receipt.number)
    try transaction.put(transaction.tables.batches, batchKey(wearable, digest), number)
    try transaction.giveWay(transaction.tables.receipts, limit: limit) { entry throws(DatabaseFailure) in
      try forget(transaction, entry)
    }
    return receipt
  }

  /// The newest receipts of a wearable, in descending order.
  static func latest(_ transaction: Transaction, of wearable: WearableID, limit: Int) throws(DatabaseFailure)
    -> [Receipt]
  {
    let prefix = [UInt8](bigEndian: wearable.number)
    var numbers = try transaction.withCursor(transaction.tables.batches) { cursor throws(DatabaseFailure) in
      var numbers: [UInt64] = []
      var entry = try cursor.seek(prefix)
      while let found = entry, found.key.starts(with: prefix) {
        if let number = number(found.value) { numbers.append(number) }
        entry = try cursor.next()
      }
      return numbers
    }
    numbers.sort(by: >)
    var receipts: [Receipt] = []
    for number in numbers where receipts.count < limit {
      if let receipt = try load(transaction, number), receipt.wearable == wearable { receipts.append(receipt) }
    }
    return receipts
  }

  /// Removes the entry of `batches` for a deleted receipt.
  private static func forget(_ transaction: Transaction, _ entry: Cursor.Entry) throws(DatabaseFailure) {
    let batches = transaction.tables.batches
    if let old = ReceiptRecord.decode(entry)?.receipt {
      let key = batchKey(old.wearable, old.digest)
      // A batch with a damaged receipt was committed again: its entry is that of the newer receipt.
      if let value = try transaction.get(batches, key), number(value) == old.number {
        try transaction.delete(batches, key)
      }
      return
    }
    // A damaged receipt does not state its batch: search all of them.
    let old = entry.sequence
    let orphan: [UInt8]? = try transaction.withCursor(batches) { cursor throws(DatabaseFailure) in
      var candidate = try cursor.first()
      while let found = candidate {
        if number(found.value) == old { return Array(found.key) }
        candidate = try cursor.next()
      }
      return nil
    }
    if let orphan { try transaction.delete(batches, orphan) }
  }

  private static func batchKey(_ wearable: WearableID, _ digest: BatchDigest) -> [UInt8] {
    [UInt8](bigEndian: wearable.number) + digest.bytes
  }

  private static func number(_ value: UnsafeRawBufferPointer) -> UInt64? {
    var reader = StoredReader(value)
    return value.count == 8 ? reader.integer(UInt64.self) : nil
  }
}

/// Key: number. Tags: 1 wearable (u32), 2 digest (16 bytes), 3 source, 4 commit (i64), 5 visit (u64), 6 items (u64). 7
/// a range: series (u16), way (u8), first ordinal (u64), items (u64); repeated.
struct ReceiptRecord: StoredRecord {
  static var table: any KeyPath<Tables, UInt32> & Sendable { \.receipts }
  static var tags: ClosedRange<UInt8> { 1...7 }

  let receipt: Receipt

  init(receipt: Receipt) { self.receipt = receipt }

  var key: [UInt8] { [UInt8](bigEndian: receipt.number) }

  func write(to fields: inout FieldWriter) {
    fields.put(1, receipt.wearable.number)
    fields.put(2, receipt.digest.bytes)
    fields.put(3, receipt.source.text)
    fields.put(4, receipt.committedAt.microseconds)
    fields.put(5, receipt.visit)
    fields.put(6, receipt.items)
    for range in receipt.ranges {
      var content: [UInt8] = []
      content.append(littleEndian: range.ring.seriesNumber)
      content.append(range.ring.way.rawValue)
      content.append(littleEndian: range.first)
      content.append(littleEndian: range.count)
      fields.put(7, content)
    }
  }

  init?(key: inout StoredReader, fields: inout FieldReader) {
    var wearable: UInt32?
    var digest: BatchDigest?
    var source: String?
    var committedAt: Int64?
    var visit: UInt64?
    var items: UInt64?
    var ranges: [(series: UInt16, way: Way, first: UInt64, count: UInt64)] = []
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&wearable)
      case 2: digest = BatchDigest(fields.content)
      case 3: fields.read(&source, atMost: BatchSource.textLimit)
      case 4: fields.read(&committedAt)
      case 5: fields.read(&visit)
      case 6: fields.read(&items)
      case 7:
        var reader = StoredReader(fields.content)
        guard let series = reader.integer(UInt16.self), let way = reader.u8().flatMap({ Way(rawValue: $0) }),
          let first = reader.integer(UInt64.self), let count = reader.integer(UInt64.self), reader.isAtEnd
        else { return nil }
        ranges.append((series, way, first, count))
      default: break
      }
    }
    guard let number = key.bigEndian(UInt64.self), let wearable, let digest, let source, let committedAt, let visit,
      let items
    else { return nil }
    let id = WearableID(number: wearable)
    receipt = Receipt.minted(
      number: number, wearable: id, digest: digest, source: BatchSource(text: source),
      committedAt: WallTime(microseconds: committedAt), visit: visit, items: items,
      ranges: ranges.map {
        ReceiptRange(ring: RingID(wearable: id, seriesNumber: $0.series, way: $0.way), first: $0.first, count: $0.count)
      })
  }
}
