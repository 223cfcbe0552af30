// Queries and orders about wearers: their names, bodies and wearables.

public import EventLoop
public import Health
public import Reasons
public import RingStore

/// Wearers are found by name, ignoring case, or by number; wearables by name or address.
extension Hearth {
  // MARK: Wearers

  /// Wearers in the order of their entry, the retired ones too.
  public func wearers() -> [WearerSnapshot] { wearerKeeper.wearers() }

  /// Enters a wearer. Durable when it returns.
  ///
  /// - Throws: `wearerNameInvalid`, `wearerNameTaken`, `storeTableFull` (4,096, the retired ones too), or the store's
  ///   error.
  public func addWearer(_ name: String) async throws(HearthError) -> WearerSnapshot {
    try await wearerKeeper.addWearer(name)
  }

  /// Gives a wearer another name. Durable when it returns.
  ///
  /// - Throws: `noSuchWearer`, `wearerNameInvalid`, `wearerNameTaken`, or the store's error; then the name is
  ///   unchanged.
  public func renameWearer(_ which: String, to name: String) async throws(HearthError) -> WearerSnapshot {
    try await wearerKeeper.renameWearer(which, to: name)
  }

  /// Ends new assignments to a wearer. Existing ones last until the wearable is assigned again.
  ///
  /// - Throws: `noSuchWearer`, or the store's error; then the wearer is unchanged.
  public func retireWearer(_ which: String) async throws(HearthError) -> WearerSnapshot {
    try await wearerKeeper.retireWearer(which)
  }

  /// Sets the house's own identifier of a wearer; nil deletes it.
  ///
  /// - Parameter houseID: 1 to 64 bytes of plain text.
  /// - Throws: `noSuchWearer`, `wearerNameInvalid`, `wearerNameTaken`, or the store's error; then the wearer is
  ///   unchanged.
  public func setHouseID(_ which: String, _ houseID: String?) async throws(HearthError) -> WearerSnapshot {
    try await wearerKeeper.setHouseID(which, houseID)
  }

  /// Changes the facts about a wearer's body. Wearables that need them get them at their next visit, or at once if
  /// linked.
  ///
  /// - Throws: `noSuchWearer`, `controlBadParameter` for a fact out of its range, or the store's error; then the facts
  ///   are unchanged.
  public func setBody(
    _ which: String, _ change: (inout BodyFacts) -> Void
  ) async throws(HearthError) -> WearerSnapshot { try await wearerKeeper.setBody(which, change) }

  /// Number of a wearer, which never changes.
  ///
  /// - Throws: `noSuchWearer`.
  public func wearerNumber(of which: String) throws(HearthError) -> WearerID {
    try wearerKeeper.requireWearer(which).id
  }

  // MARK: Assignments

  /// Assignments of a wearable to wearers, past and future, in the order of time.
  ///
  /// - Throws: `noSuchWearable`.
  public func assignments(of which: String) throws(HearthError) -> [AssignmentSnapshot] {
    try wearerKeeper.assignments(of: which)
  }

  /// Assigns a wearable to a wearer from a time on, which may lie in the past. Durable when it returns.
  ///
  /// - Parameters:
  ///   - wearer: nil: to no wearer.
  ///   - time: nil: now.
  /// - Returns: all assignments of the wearable.
  /// - Throws: `noSuchWearable`, `noSuchWearer` (also one retired by then), `storeTableFull` (65,536), or the store's
  ///   error. After an error the assignments are unchanged.
  public func assign(
    _ which: String, to wearer: String?, from time: WallTime?
  ) async throws(HearthError) -> [AssignmentSnapshot] { try await wearerKeeper.assign(which, to: wearer, from: time) }

  /// Corrects the assignment that begins at a time, and says what that changes in stored samples.
  ///
  /// - Parameter isDry: only say what would change.
  /// - Throws: `noSuchWearable`, `noSuchWearer`, `noSuchAssignment`, `assignmentTaken`, or the store's error. After an
  ///   error the assignments are unchanged.
  public func correctAssignment(
    _ which: String, begin: WallTime, _ wish: AssignmentCorrection, isDry: Bool
  ) async throws(HearthError) -> CorrectionPlan {
    try await wearerKeeper.correct(which, begin: begin, wish, isDry: isDry)
  }
}
