// Wearables: queries, and changes that are durable when they return.

public import Reasons

extension Store {
  /// Enrolled wearables, in the order of enrolment.
  public var wearables: [WearableRecord] { registry.wearables }

  /// Forgotten wearables; their samples keep their name.
  public var retiredWearables: [WearableRecord] { registry.retiredWearables }

  /// The record of a wearable, enrolled or forgotten.
  public func record(_ id: WearableID) -> WearableRecord? {
    registry.record(id)
  }

  /// Enrols a wearable under a number that was never used. The bond, if there is one, then belongs to the new number.
  ///
  /// - Throws: `enrolNameInvalid`, `enrolNameTaken` (the name, ignoring case, or the address is enrolled),
  ///   `registryFull` (512), `storeTableFull`. `secretsKeyMissing` or `secretsKeyWrong` for the bond (see `putBond`).
  ///   The disk's error. The store is then unchanged.
  public func enrol(
    name: String, addressValue: UInt64, addressKind: UInt8, driver: String, kind: String,
    facts: WearableFacts = WearableFacts(), bond: Bond? = nil
  ) async throws(HearthError) -> WearableRecord {
    try await registry.enrol(
      name: name, addressValue: addressValue, addressKind: addressKind, driver: driver, kind: kind, facts: facts,
      bond: bond)
  }

  /// Writes a changed name, driver, kind, battery, cache, secret, facts or states, and the remaining notes. Only
  /// differences are written.
  ///
  /// A write costs about 25 KB of flash: the caller decides how often a battery level is worth that.
  ///
  /// - Throws: `noSuchWearable`, `enrolNameInvalid`, `enrolNameTaken`, `secretsKeyMissing` or `secretsKeyWrong` for
  ///   another secret, or the disk's error; the store is then unchanged.
  public func update(_ record: WearableRecord) async throws(HearthError) { try await update([record]) }

  /// The same for several wearables, in one transaction: all of them, or none.
  ///
  /// - Throws: as for one record; then all records stay unchanged.
  public func update(_ records: [WearableRecord]) async throws(HearthError) { try await registry.update(records) }

  /// Deletes the enrolment with its keys, custody, watermarks, states and staged bytes. The samples stay, and so do
  /// the name and address for their export.
  ///
  /// - Throws: `noSuchWearable`, or the disk's error; the store is then unchanged.
  public func remove(_ id: WearableID) async throws(HearthError) {
    try await registry.remove(id)
    records.noteRemoved()
  }
}
