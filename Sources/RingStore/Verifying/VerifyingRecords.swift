// Checks tables of records with fields: each record by its codec, receipts and batches against each other.

internal import EventLoop
internal import StateCodec

extension StoreVerifier {
  mutating func checkRecords(_ transaction: Transaction, _ table: Int, _ key: [UInt8]) throws(DatabaseFailure) {
    let tables = Tables.withFields
    guard table < tables.count else {
      stage = .batches(after: [])
      return
    }
    let (name, number) = (tables[table].name, transaction.tables[keyPath: tables[table].field])
    var checked = 0
    var last: [UInt8]?
    var damaged: [[UInt8]] = []
    var unopened: [[UInt8]] = []
    try transaction.withCursor(number) { cursor throws(DatabaseFailure) in
      var entry = try cursor.after(key.isEmpty ? nil : key)
      while let found = entry, checked < Self.recordStep {
        checked += 1
        last = Array(found.key)
        if !tables[table].isSound(found) { damaged.append(Array(found.key)) }
        if let vault, let part = SealedPart.find(in: name, found), vault.open(part.seal, at: part.place) == nil {
          unopened.append(Array(found.key))
        }
        entry = try cursor.next()
      }
    }
    report.records += checked
    for key in damaged { find("\(name) \(hexadecimal(key).lowercased())", "damaged") }
    for key in unopened { find("\(name) \(hexadecimal(key).lowercased())", "its seal is another record's, or damaged") }
    stage = checked == Self.recordStep ? .records(table, after: last ?? []) : .records(table + 1, after: [])
  }

  static let recordStep = 64

  /// Every receipt must have its entry in `batches`, and vice versa.
  mutating func checkBatches(_ transaction: Transaction, _ key: [UInt8]) throws(DatabaseFailure) {
    if key.isEmpty, transaction.entries(transaction.tables.batches) != transaction.entries(transaction.tables.receipts)
    {
      find(
        "batches",
        """
        \(transaction.entries(transaction.tables.batches)) entries for \
        \(transaction.entries(transaction.tables.receipts)) receipts
        """
      )
    }
    var pairs: [(key: [UInt8], number: UInt64?)] = []
    try transaction.withCursor(transaction.tables.batches) { cursor throws(DatabaseFailure) in
      var entry = try cursor.after(key.isEmpty ? nil : key)
      while let found = entry, pairs.count < Self.recordStep {
        var reader = StoredReader(found.value)
        pairs.append((Array(found.key), reader.integer(UInt64.self)))
        entry = try cursor.next()
      }
    }
    for (key, number) in pairs {
      var receipt: Receipt?
      if let number { receipt = try Receipts.load(transaction, number) }
      let isOwn = receipt.map { [UInt8](bigEndian: $0.wearable.number) + $0.digest.bytes == key } ?? false
      if !isOwn {
        find("batches \(hexadecimal(key).lowercased())", "names a receipt that is not there, or another batch's")
      }
    }
    stage = pairs.count == Self.recordStep ? .batches(after: pairs.last?.key ?? []) : .custody(after: [])
  }
}

extension Tables {
  typealias RecordTable = (
    name: String, field: any WritableKeyPath<Tables, UInt32> & Sendable, isSound: @Sendable (Cursor.Entry) -> Bool
  )

  /// Tables of records with fields, each with a check of one record.
  static let withFields: [RecordTable] = [
    (
      "registry", \.registry,
      { entry in entry.key.count == 4 && WearableCodec.decode(WearableID(number: 0), entry.value) != nil }
    ),
    ("wearers", \.wearers, { Wearer.decode($0) != nil }),
    ("assignments", \.assignments, { Assignment.decode($0) != nil }),
    ("cursors", \.cursors, { FieldCodec.isSound($0.value) }),
    ("readers", \.readers, { ExportReader.decode($0) != nil }),
    ("bonds", \.bonds, { BondRow.decode($0) != nil }), ("receipts", \.receipts, { ReceiptRecord.decode($0) != nil }),
    ("visits", \.visits, { VisitRecord.decode($0) != nil }), ("events", \.events, { StoreEvent.decode($0) != nil }),
    ("custody", \.custody, { CustodyRecord.decode($0) != nil }),
    ("hub-state", \.hubState, { StateRecord<HubStates>.decode($0) != nil }),
    ("driver-state", \.driverState, { StateRecord<DriverStates>.decode($0) != nil }),
    ("accesses", \.accesses, { AccessRecord.decode($0) != nil }),
    ("erasures", \.erasures, { Erasure.decode($0) != nil }),
    ("corrections", \.corrections, { Correction.decode($0) != nil }),
    ("watermarks", \.watermarks, { Watermark.decode($0) != nil }),
  ]
}
