// The registry on disk: one record per wearable, key = its number, big-endian; and the states of each wearable.

/// A record to write, or to delete if `record` is nil.
struct RegistryChange: Sendable {
  let id: WearableID
  let record: [UInt8]?
}

/// The registry, and those of the other small tables that are held in memory: loaded at opening.
struct RegistryContent: Sendable {
  var records: [WearableRecord] = []
  /// Number of damaged records of the registry, states, wearers, assignments and bonds. All remain in the file, and the
  /// numbers of wearables and wearers are not assigned again.
  var corrupt = 0
  var nextNumber: UInt32 = 1
  var people = People()
  /// Bonds by address type and address.
  var bonds: [Bond] = []
  var events = EventQueue(nextNumber: 1)
  /// The mark of the previous run, or of this one after its beginning.
  var run: RunMark?
  var clocks = BootClocks()
  var accesses = AccessLog(nextNumber: 1)
  /// Erasures that have begun and are not complete.
  var erasures: [Erasure] = []
}

enum Registry {
  /// Wearables enrolled at one time: ten times what one hub can serve in turn.
  static let enrolledLimit = 512
  /// Forgotten wearables that keep their names, for their samples. Beyond it the one forgotten first loses its name.
  static let retiredLimit = 3584

  /// Value: the next wearable's number, u32 little-endian. Stored separately, so that deleting the newest record does
  /// not free its number.
  private static let nextKey = Array("next-wearable".utf8)

  static func load(_ transaction: Transaction, _ vault: SecretsVault?) throws(DatabaseFailure) -> RegistryContent {
    var content = RegistryContent()
    if let bytes = try transaction.get(transaction.tables.meta, nextKey) {
      var reader = StoredReader(bytes)
      content.nextNumber = reader.integer(UInt32.self) ?? 1
    }
    try transaction.withCursor(transaction.tables.registry) { cursor throws(DatabaseFailure) in
      var entry = try cursor.first()
      while let found = entry {
        if let number = number(found.key) {
          content.nextNumber = max(content.nextNumber, number == .max ? .max : number + 1)
          if var record = WearableCodec.decode(WearableID(number: number), found.value) {
            record.openSecret(vault)
            content.records.append(record)
          } else {
            content.corrupt += 1
          }
        }
        entry = try cursor.next()
      }
    }
    content.corrupt += try States.load(transaction, vault, into: &content.records)
    for place in content.records.indices where content.records[place].retiredAt != nil {
      content.records[place].boundUncollected()
    }
    content.people = try People.load(transaction)
    let bonds = try Bonds.load(transaction, vault)
    content.bonds = bonds.records
    content.corrupt += content.people.damaged + bonds.damaged
    content.events = EventQueue(nextNumber: try Events.nextNumber(transaction))
    content.clocks = try BootClocks.load(transaction)
    content.run = try RunMark.load(transaction)
    content.erasures = try transaction.records(Erasure.self).records.filter { $0.doneAt == nil }
    content.accesses = AccessLog(nextNumber: try transaction.nextNumber(transaction.tables.accesses))
    return content
  }

  static func apply(_ transaction: Transaction, _ change: RegistryChange) throws(DatabaseFailure) {
    let key = withUnsafeBytes(of: change.id.number.bigEndian) { Array($0) }
    if let record = change.record {
      try transaction.put(transaction.tables.registry, key, record)
    } else {
      try transaction.delete(transaction.tables.registry, key)
      try States.removeAll(transaction, of: change.id)
      try removeCursors(transaction, of: change.id)
    }
  }

  /// Removes entries of `cursors`, a table of earlier writers that is never read, together with their wearable.
  private static func removeCursors(_ transaction: Transaction, of wearable: WearableID) throws(DatabaseFailure) {
    try transaction.removeAll([transaction.tables.cursors], prefix: [UInt8](bigEndian: wearable.number))
  }

  static func keepNextNumber(_ transaction: Transaction, _ number: UInt32) throws(DatabaseFailure) {
    if let bytes = try transaction.get(transaction.tables.meta, nextKey) {
      var reader = StoredReader(bytes)
      if reader.integer(UInt32.self) == number { return }
    }
    var value: [UInt8] = []
    value.append(littleEndian: number)
    try transaction.put(transaction.tables.meta, nextKey, value)
  }

  private static func number(_ key: UnsafeRawBufferPointer) -> UInt32? {
    key.count == 4 ? UInt32(bigEndian: key.loadUnaligned(as: UInt32.self)) : nil
  }
}

extension Transaction {
  /// Whether a wearable has an undamaged record and is not forgotten.
  func isEnrolled(_ wearable: WearableID) throws(DatabaseFailure) -> Bool {
    guard let bytes = try get(tables.registry, [UInt8](bigEndian: wearable.number)),
      let record = WearableCodec.decode(wearable, bytes)
    else { return false }
    return record.retiredAt == nil
  }
}
