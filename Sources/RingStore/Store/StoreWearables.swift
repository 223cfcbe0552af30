// Wearables, wearers, assignments and bonds: what is known of them, and changes that are durable when they return.

public import Reasons

extension Store {
  /// Everybody who is enrolled, in the order of enrolment.
  public var wearables: [WearableRecord] { registry.wearables }

  /// Those that were forgotten; their samples keep their name.
  public var retiredWearables: [WearableRecord] { registry.retiredWearables }

  /// Enrolled or forgotten.
  public func record(_ id: WearableID) -> WearableRecord? {
    registry.record(id)
  }

  /// Takes a wearable in under a number that no other ever had, together with the keys it agreed upon, if there are
  /// any; the bond becomes that of the new number.
  ///
  /// - Throws: `enrolNameInvalid`, `enrolNameTaken` (the name, whatever its case, or the address is enrolled),
  ///   `registryFull` (512), `storeTableFull`, `secretsKeyMissing` or `secretsKeyWrong` for the bond (see `putBond`),
  ///   or why the disk refused; then nothing has changed.
  public func enrol(
    name: String, addressValue: UInt64, addressKind: UInt8, driver: String, kind: String,
    facts: WearableFacts = WearableFacts(), bond: Bond? = nil
  ) async throws(HearthError) -> WearableRecord {
    try await registry.enrol(
      name: name, addressValue: addressValue, addressKind: addressKind, driver: driver, kind: kind, facts: facts,
      bond: bond)
  }

  /// Keeps a changed name, driver, kind, battery, cache, secret, facts or states; and what is left of the notes. Writes
  /// only what differs.
  ///
  /// A write costs about 25 KB of flash: the caller decides how often a battery level is worth that.
  ///
  /// - Throws: `noSuchWearable`, `enrolNameInvalid`, `enrolNameTaken`, `secretsKeyMissing` or `secretsKeyWrong` for
  ///   another secret, or why the disk refused; then nothing has changed.
  public func update(_ record: WearableRecord) async throws(HearthError) {
    try await registry.update(record)
  }

  /// Forgets the enrolment with its keys, its custody, its watermarks, what was remembered of it and what was kept of
  /// its items. The samples stay, and so do the name and address to export them with.
  ///
  /// - Throws: `noSuchWearable`, or why the disk refused; then nothing has changed.
  public func remove(_ id: WearableID) async throws(HearthError) {
    try await registry.remove(id)
    records.noteRemoved()
  }
}
