// States of a wearable on disk, of the hub and of drivers: one table for each, one record for each kind of state.

internal import Reasons
internal import StateCodec

/// The owner of a table's states: the hub or a driver.
protocol StateTable {
  static var table: any KeyPath<Tables, UInt32> & Sendable { get }
}

enum HubStates: StateTable {
  static var table: any KeyPath<Tables, UInt32> & Sendable { \.hubState }
}

enum DriverStates: StateTable {
  static var table: any KeyPath<Tables, UInt32> & Sendable { \.driverState }
}

/// A state. Key: wearable (u32), name of its kind. Tags: 1 version of the kind (u16), 2 the kind's own fields, without
/// layout and checksum. 3 the same sealed (`SecretStates`), bound to the key and the content of tag 1.
struct StateRecord<Owner: StateTable>: StoredRecord {
  static var table: any KeyPath<Tables, UInt32> & Sendable { Owner.table }
  static var tags: ClosedRange<UInt8> { 1...SecretTag.sealedState }

  let wearable: WearableID
  let name: String
  /// Entry without fields if there is a seal.
  let entry: RememberedStates.Entry
  private(set) var seal: [UInt8]?

  init(_ wearable: WearableID, _ name: String, _ entry: RememberedStates.Entry) {
    self.wearable = wearable
    self.name = name
    self.entry = entry
  }

  var isSecret: Bool { Owner.self == DriverStates.self && SecretStates.kinds.contains(name) }

  var place: SealPlace {
    var bound: [UInt8] = []
    bound.append(littleEndian: entry.version)
    return SealPlace(table: "driver-state", key: key, tag: SecretTag.sealedState, bound: bound)
  }

  /// The record with its fields sealed.
  func sealed(_ vault: SecretsVault) -> Self {
    var record = Self(wearable, name, RememberedStates.Entry(version: entry.version, fields: []))
    record.seal = vault.seal(entry.fields, at: place)
    return record
  }

  /// The state in the clear; nil if its seal does not open.
  func opened(_ vault: SecretsVault?) -> RememberedStates.Entry? {
    guard let seal else { return entry }
    guard let fields = vault?.open(seal, at: place), fields.withUnsafeBytes({ FieldCodec.areFields($0) }) else {
      return nil
    }
    return RememberedStates.Entry(version: entry.version, fields: fields)
  }

  var key: [UInt8] { [UInt8](bigEndian: wearable.number) + Array(name.utf8) }

  func write(to fields: inout FieldWriter) {
    fields.put(1, entry.version)
    if let seal { fields.put(SecretTag.sealedState, seal) } else { fields.put(SecretTag.state, entry.fields) }
  }

  init?(key: inout StoredReader, fields: inout FieldReader) {
    guard let number = key.bigEndian(UInt32.self), let name = key.rest(), RememberedStates.isName(name.utf8) else {
      return nil
    }
    var version: UInt16?
    var content: [UInt8]?
    var seal: [UInt8]?
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&version)
      case SecretTag.state:
        fields.read(&content, atMost: RememberedStates.sizeLimit)
        if !FieldCodec.areFields(fields.content) { fields.refuse() }
      case SecretTag.sealedState: fields.readSeal(&seal, content: RememberedStates.sizeLimit)
      default: break
      }
    }
    guard let version, version > 0, (content == nil) != (seal == nil) else { return nil }
    self.init(WearableID(number: number), name, RememberedStates.Entry(version: version, fields: content ?? []))
    self.seal = seal
  }
}

enum States {
  /// Adds the states of each wearable to its record of the registry.
  ///
  /// - Returns: the number of damaged records, which remain until a state of their kind is written again.
  static func load(_ transaction: Transaction, _ vault: SecretsVault?, into records: inout [WearableRecord])
    throws(DatabaseFailure) -> Int
  {
    let hub = try transaction.records(StateRecord<HubStates>.self)
    let drivers = try transaction.records(StateRecord<DriverStates>.self)
    var places: [WearableID: Int] = [:]
    for (place, record) in records.enumerated() { places[record.id] = place }
    for state in hub.records {
      if let place = places[state.wearable] { records[place].hubState.load(state.name, state.entry) }
    }
    for state in drivers.records {
      guard let place = places[state.wearable] else { continue }
      if let entry = state.opened(vault) {
        records[place].driverState.load(state.name, entry)
      } else {
        records[place].lacksSecrets = true
      }
    }
    return hub.damaged + drivers.damaged
  }

  static func removeAll(_ transaction: Transaction, of wearable: WearableID) throws(DatabaseFailure) {
    let tables = transaction.tables
    try transaction.removeAll([tables.hubState, tables.driverState], prefix: [UInt8](bigEndian: wearable.number))
  }

  /// Pages that are copied when all states of a wearable are deleted.
  static func leaves(_ pageSize: Int) -> Int { 2 * (RememberedStates.totalLimit / pageSize + 4) }
}

/// Changes of one wearable's states that must be written.
struct StateChanges: Sendable {
  private var put: (hub: [StateRecord<HubStates>], drivers: [StateRecord<DriverStates>]) = ([], [])
  private var removed: (hub: [[UInt8]], drivers: [[UInt8]]) = ([], [])

  init() {}

  /// - Throws: why there is no vault, if a secret must be written.
  init(from old: WearableRecord, to new: WearableRecord, _ secrets: StoreSecrets) throws(HearthError) {
    (put.hub, removed.hub) = Self.changes(old.hubState, new.hubState, of: new.id)
    (put.drivers, removed.drivers) = Self.changes(old.driverState, new.driverState, of: new.id)
    for (place, state) in put.drivers.enumerated() where state.isSecret {
      put.drivers[place] = state.sealed(try secrets.forWriting())
    }
  }

  /// Adds the changes of another wearable.
  mutating func add(_ other: StateChanges) {
    put.hub += other.put.hub
    put.drivers += other.put.drivers
    removed.hub += other.removed.hub
    removed.drivers += other.removed.drivers
  }

  private static func changes<Owner>(
    _ old: RememberedStates, _ new: RememberedStates, of id: WearableID
  ) -> (put: [StateRecord<Owner>], removed: [[UInt8]]) {
    let changed = new.entries.filter { old.entries[$0.key] != $0.value }.sorted { $0.key < $1.key }
    let gone = old.entries.keys.filter { new.entries[$0] == nil }.sorted()
    return (
      changed.map { StateRecord(id, $0.key, $0.value) }, gone.map { [UInt8](bigEndian: id.number) + Array($0.utf8) }
    )
  }

  func apply(_ transaction: Transaction) throws(DatabaseFailure) {
    for key in removed.hub { try transaction.delete(transaction.tables.hubState, key) }
    for key in removed.drivers { try transaction.delete(transaction.tables.driverState, key) }
    for state in put.hub { try transaction.put(state) }
    for state in put.drivers { try transaction.put(state) }
  }

  /// Pages that the changes may need: leaves, overflow pages of long states, and the paths to them.
  func pages(_ pageSize: Int) -> Int {
    let sizes = put.hub.map(\.entry.fields.count) + put.drivers.map { $0.seal?.count ?? $0.entry.fields.count }
    let count = sizes.count + removed.hub.count + removed.drivers.count
    return count == 0 ? 0 : sizes.reduce(0, +) / pageSize + count + 6
  }
}
