// Checks custody against receipts, and staged pages against their records.

internal import EventLoop

extension StoreVerifier {
  /// A receipt in a record must exist and belong to the same wearable, or be deleted together with all smaller
  /// numbers.
  mutating func checkCustody(_ transaction: Transaction, _ key: [UInt8]) throws(DatabaseFailure) {
    let receipts = transaction.tables.receipts
    let oldest =
      try transaction.withCursor(receipts) { cursor throws(DatabaseFailure) in try cursor.first()?.sequence } ?? .max
    let next = try transaction.nextNumber(receipts)
    var records: [CustodyRecord] = []
    var checked = 0
    var last: [UInt8]?
    try transaction.withCursor(transaction.tables.custody) { cursor throws(DatabaseFailure) in
      var entry = try cursor.after(key.isEmpty ? nil : key)
      while let found = entry, checked < Self.recordStep {
        checked += 1
        last = Array(found.key)
        // Damaged records were reported with the other tables.
        if let record = CustodyRecord.decode(found) { records.append(record) }
        entry = try cursor.next()
      }
    }
    for record in records {
      let place = "custody \(record.wearable.number) \(record.id)"
      for number in record.receipts {
        if number == 0 || number >= next { find(place, "names receipt \(number), which was never made") }
        if number < oldest || number >= next { continue }
        // A damaged receipt was reported already.
        if let receipt = try Receipts.load(transaction, number) {
          if receipt.wearable != record.wearable { find(place, "names receipt \(number), which is another wearable's") }
        } else if try transaction.get(receipts, [UInt8](bigEndian: number)) == nil {
          find(place, "names receipt \(number), which is not there")
        }
      }
      if record.durableAt != nil, record.receipts.isEmpty { find(place, "is durable without a receipt") }
    }
    stage = checked == Self.recordStep ? .custody(after: last ?? []) : .staged(after: [], StagedSum())
  }

  /// Pages must be contiguous, all but an item's last must be full, and the item must have its record.
  mutating func checkStaged(_ transaction: Transaction, _ key: [UInt8], _ before: StagedSum) throws(DatabaseFailure) {
    var pages: [(key: [UInt8], value: UnsafeRawBufferPointer)] = []
    try transaction.withCursor(transaction.tables.staged) { cursor throws(DatabaseFailure) in
      var entry = try cursor.after(key.isEmpty ? nil : key)
      while let found = entry, pages.count < Self.recordStep {
        pages.append((Array(found.key), found.value))
        entry = try cursor.next()
      }
    }
    var sum = before
    for (key, value) in pages {
      report.records += 1
      guard let (item, offset) = key.withUnsafeBytes({ StagedItem.parse($0) }) else {
        find("staged \(hexadecimal(key).lowercased())", "a key that names no item")
        continue
      }
      let place = "staged \(item.wearable.number) \(item.id) \(offset)"
      if item != sum.item {
        sum = StagedSum(item: item)
        if try transaction.get(transaction.tables.custody, CustodyTable.key(item.wearable, item.id)) == nil {
          find(place, "belongs to an item without a record")
        }
      }
      if offset != sum.end || !sum.goesOn {
        find(place, "does not follow the page before, which ends at \(sum.end)")
      }
      let content = key.withUnsafeBytes {
        Staged.content(Cursor.Entry(key: $0, value: value), at: offset, transaction.number)
      }
      if content == nil { find(place, "damaged") }
      let count = content?.count ?? max(0, min(value.count - Staged.headerSize, Staged.pageSize))
      sum.end = offset &+ UInt64(count)
      sum.goesOn = count == Staged.pageSize
    }
    stage = pages.count == Self.recordStep ? .staged(after: pages.last?.key ?? [], sum) : .done
  }
}
