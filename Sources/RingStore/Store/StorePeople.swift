// Wearers, assignments and bonds: what is known of them, and changes that are durable when they return.

public import EventLoop
public import Health
public import Reasons

extension Store {
  package var people: People { registry.people }

  // MARK: wearers

  /// All wearers, the retired ones too, in the order in which they were made.
  public var wearers: [Wearer] { registry.wearers }

  /// Present or retired.
  public func wearer(_ id: WearerID) -> Wearer? {
    registry.wearer(id)
  }

  /// - Throws: `wearerNameInvalid`, `wearerNameTaken`, `storeTableFull` (4,096, the retired ones too), or why the disk
  ///   refused; then nothing has changed.
  public func addWearer(name: String) async throws(HearthError) -> Wearer {
    try await registry.addWearer(name: name)
  }

  /// - Throws: `noSuchWearer`, `wearerNameInvalid`, `wearerNameTaken`, or why the disk refused; then nothing has
  ///   changed.
  public func renameWearer(_ id: WearerID, to name: String) async throws(HearthError) {
    try await registry.renameWearer(id, to: name)
  }

  /// From now on nothing can be assigned to the wearer. Assignments stay as they are: one that still holds goes on
  /// until the wearable gets another.
  ///
  /// - Throws: `noSuchWearer`, or why the disk refused; then nothing has changed.
  public func retireWearer(_ id: WearerID) async throws(HearthError) {
    try await registry.retireWearer(id)
  }

  /// Keeps the house's own identifier of a wearer; nil: none.
  ///
  /// - Throws: `noSuchWearer`, `wearerNameInvalid` for one that is not 1 to 64 bytes of plain text, `wearerNameTaken`,
  ///   or why the disk refused; then nothing has changed.
  public func setHouseID(_ id: WearerID, _ houseID: String?) async throws(HearthError) {
    try await registry.setHouseID(id, houseID)
  }

  /// Keeps what is known of a wearer's body, in place of what was.
  ///
  /// - Throws: `noSuchWearer`, `controlBadParameter` for a part out of its range, or why the disk refused; then nothing
  ///   has changed.
  public func setBody(_ id: WearerID, _ body: BodyFacts) async throws(HearthError) {
    try await registry.setBody(id, body)
  }

  // MARK: bonds

  /// By address type and address.
  public var bonds: [Bond] { registry.bonds }

  /// Keeps a bond, in place of an older one with the same address.
  ///
  /// - Throws: `storeTableFull` (512 bonds, or a bond of more or longer keys than there is room for),
  ///   `secretsKeyMissing` or `secretsKeyWrong` where nothing can be sealed, or why the disk refused; then nothing has
  ///   changed.
  public func putBond(_ bond: Bond) async throws(HearthError) {
    try await registry.putBond(bond)
  }

  /// Forgets a bond; nothing happens if there is none.
  ///
  /// - Throws: why the disk refused; then nothing has changed.
  public func removeBond(addressValue: UInt64, addressKind: UInt8) async throws(HearthError) {
    try await registry.removeBond(addressValue: addressValue, addressKind: addressKind)
    records.noteRemoved()
  }

  /// Says that from a time on, which may lie in the past, a wearable is worn by somebody, or by nobody. It holds until
  /// the wearable's next assignment; one from the same time is replaced.
  ///
  /// - Throws: `noSuchWearable` (never enrolled), `noSuchWearer` (also one who was retired by then), `storeTableFull`
  ///   (65,536), or why the disk refused; then nothing has changed.
  public func assign(_ wearable: WearableID, to wearer: WearerID?, from time: WallTime) async throws(HearthError) {
    try await registry.assign(wearable, to: wearer, from: time)
  }

  /// Puts the assignment right that begins at `time`: to the microsecond, or as the first within that second.
  ///
  /// - Throws: `noSuchAssignment` (none begins then), `assignmentTaken` (another one begins in that second),
  ///   `noSuchWearable`, `noSuchWearer`, or why the disk refused; then nothing has changed.
  public func edit(_ wearable: WearableID, from time: WallTime, _ edit: AssignmentEdit) async throws(HearthError) {
    try await registry.edit(wearable, from: time, edit)
  }

  /// In the order of time.
  public func assignments(of wearable: WearableID) -> [Assignment] {
    registry.assignments(of: wearable)
  }

  /// Whose sample it is that a wearable measured at that time; nil for nobody's.
  public func wearer(of wearable: WearableID, at time: WallTime) -> WearerID? {
    registry.wearer(of: wearable, at: time)
  }
}
