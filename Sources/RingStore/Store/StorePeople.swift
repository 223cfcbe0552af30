// Wearers, assignments and bonds: queries, and changes that are durable when they return.

public import EventLoop
public import Health
public import Reasons

extension Store {
  package var people: People { registry.people }

  // MARK: wearers

  /// Wearers, the retired ones too, in the order in which they were made.
  public var wearers: [Wearer] { registry.wearers }

  /// The wearer of a number, present or retired.
  public func wearer(_ id: WearerID) -> Wearer? {
    registry.wearer(id)
  }

  /// - Throws: `wearerNameInvalid`, `wearerNameTaken`, `storeTableFull` (4,096, the retired ones too), or the disk's
  ///   error; the store is then unchanged.
  public func addWearer(name: String) async throws(HearthError) -> Wearer {
    try await registry.addWearer(name: name)
  }

  /// - Throws: `noSuchWearer`, `wearerNameInvalid`, `wearerNameTaken`, or the disk's error; the store is then
  ///   unchanged.
  public func renameWearer(_ id: WearerID, to name: String) async throws(HearthError) {
    try await registry.renameWearer(id, to: name)
  }

  /// Retires a wearer: new assignments are refused from now on. Existing ones stay: the last one holds until the
  /// wearable gets another.
  ///
  /// - Throws: `noSuchWearer`, or the disk's error; the store is then unchanged.
  public func retireWearer(_ id: WearerID) async throws(HearthError) {
    try await registry.retireWearer(id)
  }

  /// Stores the house's own identifier of a wearer; nil removes it.
  ///
  /// - Throws: `noSuchWearer`, `wearerNameInvalid` if it is not 1 to 64 bytes of plain text, `wearerNameTaken`, or the
  ///   disk's error; the store is then unchanged.
  public func setHouseID(_ id: WearerID, _ houseID: String?) async throws(HearthError) {
    try await registry.setHouseID(id, houseID)
  }

  /// Replaces the body facts of a wearer.
  ///
  /// - Throws: `noSuchWearer`, `controlBadParameter` for a fact out of its range, or the disk's error; the store is
  ///   then unchanged.
  public func setBody(_ id: WearerID, _ body: BodyFacts) async throws(HearthError) {
    try await registry.setBody(id, body)
  }

  // MARK: bonds

  /// Bonds, by address type and address.
  public var bonds: [Bond] { registry.bonds }

  /// Stores a bond, replacing an older one with the same address.
  ///
  /// - Throws: `storeTableFull` for more than 512 bonds, or a bond with too many or too long keys. `secretsKeyMissing`
  ///   or `secretsKeyWrong` if it cannot be sealed. The disk's error. The store is then unchanged.
  public func putBond(_ bond: Bond) async throws(HearthError) {
    try await registry.putBond(bond)
  }

  /// Deletes a bond; without effect if it does not exist.
  ///
  /// - Throws: the disk's error; the store is then unchanged.
  public func removeBond(addressValue: UInt64, addressKind: UInt8) async throws(HearthError) {
    try await registry.removeBond(addressValue: addressValue, addressKind: addressKind)
    records.noteRemoved()
  }

  /// Assigns a wearable to a wearer, or to no wearer, from a time on, which may lie in the past. The assignment holds
  /// until the wearable's next one; one from the same time is replaced.
  ///
  /// - Throws: `noSuchWearable` (never enrolled), `noSuchWearer` (also one retired by then), `storeTableFull`
  ///   (65,536), or the disk's error; the store is then unchanged.
  public func assign(_ wearable: WearableID, to wearer: WearerID?, from time: WallTime) async throws(HearthError) {
    try await registry.assign(wearable, to: wearer, from: time)
  }

  /// Corrects the assignment that begins at `time`: to the microsecond, or as the first within that second.
  ///
  /// - Throws: `noSuchAssignment` (no assignment begins then), `assignmentTaken` (another one begins in that second),
  ///   `noSuchWearable`, `noSuchWearer`, or the disk's error; the store is then unchanged.
  public func edit(_ wearable: WearableID, from time: WallTime, _ edit: AssignmentEdit) async throws(HearthError) {
    try await registry.edit(wearable, from: time, edit)
  }

  /// The assignments of a wearable, in the order of time.
  public func assignments(of wearable: WearableID) -> [Assignment] {
    registry.assignments(of: wearable)
  }

  /// The wearer of a sample that a wearable measured at that time; nil for no wearer.
  public func wearer(of wearable: WearableID, at time: WallTime) -> WearerID? {
    registry.wearer(of: wearable, at: time)
  }
}
