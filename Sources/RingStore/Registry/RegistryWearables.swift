// Enrolled wearables: changes that are durable when they return.

internal import EventLoop
internal import Reasons
internal import StateCodec

extension RegistryKeeper {
  /// See `Store.wearables`.
  var wearables: [WearableRecord] { content.records.filter { $0.retiredAt == nil } }

  /// See `Store.retiredWearables`.
  var retiredWearables: [WearableRecord] { content.records.filter { $0.retiredAt != nil } }

  /// See `Store.record`.
  func record(_ id: WearableID) -> WearableRecord? { content.records.first { $0.id == id } }

  /// See `Store.enrol`.
  func enrol(
    name: String, addressValue: UInt64, addressKind: UInt8, driver: String, kind: String,
    facts: WearableFacts = WearableFacts(), bond: Bond? = nil
  ) async throws(HearthError) -> WearableRecord {
    try WearableRecord.validate(name: name)
    if let bond { try refuseTooLong(bond) }
    await turn.take()
    defer { turn.give() }
    let enrolled = wearables
    let address = addressValue & 0xFFFF_FFFF_FFFF
    if let twin = enrolled.first(where: { $0.addressValue == address && $0.addressKind == addressKind }) {
      throw HearthError(.enrolNameTaken, "\(twin.addressText) is enrolled already, as \(twin.name)")
    }
    try refuseTaken(name, by: nil)
    if enrolled.count >= Registry.enrolledLimit || content.nextNumber == .max {
      throw HearthError(.registryFull, "\(enrolled.count) wearables are enrolled")
    }
    let record = WearableRecord(
      id: WearableID(number: content.nextNumber), addressValue: address, addressKind: addressKind, name: name,
      driver: driver, kind: kind,
      enrolledAt: disk.loop.wall, facts: facts
    ).bounded()
    let owned = bond.map { $0.of(record.id) }
    if let owned { try refuseSurplus(owned) }
    let row = try owned.map { bond throws(HearthError) in BondRow(bond, try secrets.forWriting()) }
    try await write([record], nextNumber: content.nextNumber + 1, bond: row)
    if let owned { note(owned) }
    return record
  }

  /// See `Store.update`.
  func update(_ records: [WearableRecord]) async throws(HearthError) {
    for record in records { try WearableRecord.validate(name: record.name) }
    await turn.take()
    defer { turn.give() }
    var states = StateChanges()
    var different: [WearableRecord] = []
    for record in records {
      guard let old = wearables.first(where: { $0.id == record.id }) else { throw Self.unknown(record.id) }
      try refuseTaken(record.name, by: record.id)
      guard let changed = try changed(old, to: record) else { continue }
      states.add(try StateChanges(from: old, to: changed, secrets))
      different.append(changed)
    }
    if different.isEmpty { return }
    try await write(different, states, nextNumber: content.nextNumber)
  }

  /// The stored record with what a caller may change, or nil if it is equal.
  private func changed(_ old: WearableRecord, to record: WearableRecord) throws(HearthError) -> WearableRecord? {
    var changed = old
    changed.name = record.name
    changed.driver = record.driver
    changed.kind = record.kind
    changed.facts = record.facts
    changed.battery = record.battery
    changed.gattCache = record.gattCache
    changed.notes = record.notes
    changed.secret = record.secret
    changed.hubState = record.hubState
    changed.driverState = record.driverState
    changed = changed.bounded()
    if changed == old { return nil }
    if changed.secret != old.secret {
      let vault = changed.secret == nil ? nil : try secrets.forWriting()
      changed.sealedSecret = changed.secret.flatMap { vault?.seal($0.bytes, at: WearableCodec.place(record.id)) }
    }
    return changed
  }

  /// See `Store.remove`.
  func remove(_ id: WearableID) async throws(HearthError) {
    await turn.take()
    defer { turn.give() }
    guard var record = wearables.first(where: { $0.id == id }) else { throw Self.unknown(id) }
    record.retiredAt = disk.loop.wall
    record.gattCache = nil
    record.notes = [:]
    // Coverage of the past needs these spans.
    var uncollected = record.uncollected
    for ofAll in [true, false] { uncollected.end(ofAll: ofAll, at: disk.loop.wall) }
    uncollected.giveWay()
    record.hubState = RememberedStates()
    let bare = record
    try record.hubState.keep(uncollected)
    let states = try StateChanges(from: bare, to: record, secrets)
    record.driverState = RememberedStates()
    record.secret = nil
    record.sealedSecret = nil
    record.lacksSecrets = false
    var forgotten: WearableID?
    let retired = retiredWearables
    if retired.count >= Registry.retiredLimit {
      forgotten = retired.min { ($0.retiredAt ?? disk.loop.wall, $0.id) < ($1.retiredAt ?? disk.loop.wall, $1.id) }?.id
    }
    try await write([record], states, deleting: forgotten, nextNumber: content.nextNumber, releasing: id)
    onForgotten?(id)
  }

  private func refuseTaken(_ name: String, by id: WearableID?) throws(HearthError) {
    let folded = name.lowercased()
    if let twin = wearables.first(where: { $0.id != id && $0.name.lowercased() == folded }) {
      throw HearthError(.enrolNameTaken, "'\(twin.name)' is the name of \(twin.addressText)")
    }
  }

  private static func unknown(_ id: WearableID) -> HearthError {
    HearthError(.noSuchWearable, "no wearable with number \(id.number) is enrolled")
  }

  /// Changes the disk, then memory. The caller has the registry's turn.
  private func write(
    _ records: [WearableRecord], _ states: StateChanges = StateChanges(), deleting: WearableID? = nil,
    nextNumber: UInt32, bond: BondRow? = nil,
    releasing: WearableID? = nil
  ) async throws(HearthError) {
    var changes = records.compactMap { record in
      let bytes = WearableCodec.encode(record)
      let isSame = content.records.first { $0.id == record.id }.map { WearableCodec.encode($0) == bytes } ?? false
      return isSame ? nil : RegistryChange(id: record.id, record: bytes)
    }
    if let deleting { changes.append(RegistryChange(id: deleting, record: nil)) }
    let ready = changes
    let bytes = ready.reduce(0) { $0 + ($1.record?.count ?? 0) }
    let released = releasing.map { id in bonds.filter { $0.wearable == id } } ?? []
    let leaves = try releasing.map { id throws(HearthError) in try custodyLeaves(of: id) } ?? 0
    let gone =
      (releasing == nil ? 0 : States.leaves(disk.pageSize) + Watermarks.pagesOfBatch)
      + (deleting == nil ? 0 : States.leaves(disk.pageSize))
    let pages =
      bytes / disk.pageSize + ready.count + states.pages(disk.pageSize) + gone + released.count + leaves
      + (bond == nil ? 2 : 6)
    try await disk.change(pages: pages) { transaction throws(DatabaseFailure) in
      if let bond { try Bonds.put(transaction, bond) }
      for old in released {
        try Bonds.remove(transaction, addressValue: old.addressValue, addressKind: old.addressKind)
      }
      if let releasing {
        try CustodyTable.removeAll(transaction, of: releasing)
        try States.removeAll(transaction, of: releasing)
        try Watermarks.removeAll(transaction, of: releasing)
      }
      try states.apply(transaction)
      for change in ready { try Registry.apply(transaction, change) }
      try Registry.keepNextNumber(transaction, nextNumber)
    }
    content.nextNumber = nextNumber
    if let releasing { content.bonds.removeAll { $0.wearable == releasing } }
    if let deleting { content.records.removeAll { $0.id == deleting } }
    for record in records {
      if let index = content.records.firstIndex(where: { $0.id == record.id }) {
        content.records[index] = record
      } else {
        content.records.append(record)
      }
    }
  }
}
