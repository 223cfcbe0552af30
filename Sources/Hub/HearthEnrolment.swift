// Queries and orders about which wearables belong to the hub, and about their keys.

public import Bluetooth
public import Reasons
public import RingStore

extension Hearth {
  // MARK: Enrolment

  /// Opens the enrolment window, or prolongs it.
  ///
  /// - Parameter duration: from 1 s to 1 h; nil: as configured.
  /// - Throws: `enrolForbidden` if the configuration forbids joining, `controlBadParameter` for another duration.
  @discardableResult
  public func openEnrolment(for duration: Duration?) throws(HearthError) -> EnrolmentSnapshot {
    try enrolment.open(for: duration)
  }

  /// Closes the enrolment window. Idempotent.
  public func closeEnrolment() { enrolment.close() }
  /// State of enrolment, with the candidates while the window is open or in mode `all`.
  public func enrolmentSnapshot() -> EnrolmentSnapshot { enrolment.snapshot() }

  /// Enrols a candidate. Durable when it returns. An enrolled wearable with useless keys may pair again.
  ///
  /// - Parameters:
  ///   - which: letter, address, advertised name or proposed name of the candidate.
  ///   - name: name of the wearable from now on; nil: the proposed one.
  /// - Throws: `enrolWindowClosed`, `enrolForbidden`, `enrolNotHeard`, `enrolNotRecognised`, `enrolTooFar`,
  ///   `enrolNameTaken`, `enrolNameInvalid`, `registryFull`, `enrolAddressChanges`, the error of a required pairing, or
  ///   the store's error.
  @discardableResult
  public func accept(_ which: String, name: String?) async throws(HearthError) -> WearableSnapshot {
    status.wearables.snapshot(of: try await enrolment.accept(which, name: name))
  }

  /// Gives an enrolled wearable another name; its samples stay with it. Durable when it returns.
  ///
  /// - Throws: `noSuchWearable`, `enrolNameInvalid`, `enrolNameTaken`, or the store's error; then the name is
  ///   unchanged.
  public func rename(_ which: String, to name: String) async throws(HearthError) -> WearableSnapshot {
    status.wearables.snapshot(of: try await registry.rename(which, to: name))
  }

  /// Ends a wearable's enrolment: its record, link and keys are deleted, and its samples stay in the store. What this
  /// hub began on the wearable is ended first, such as a measurement or a binding.
  ///
  /// - Returns: `bindingLeft` if the wearable still believes that it is bound to this hub; see
  ///   `EnrolmentKeeper.forget`.
  /// - Throws: `noSuchWearable`, or the store's error; then the wearable stays enrolled.
  @discardableResult
  public func forget(_ which: String) async throws(HearthError) -> HearthError? { try await enrolment.forget(which) }

  // MARK: Pairing

  /// Pairing requests of wearables that wait for an operator, at most 8, each for 30 s.
  public func pairings() -> [PairingSnapshot] { pairing.pairings() }

  /// Answers a pairing request that waits for an operator.
  ///
  /// - Parameter which: name or address of the wearable.
  /// - Throws: `pairingUnknown` if no request of it waits; `controlBadParameter` for a passkey above 999,999.
  public func answerPairing(_ which: String, _ answer: PairingAnswer) throws(HearthError) {
    try pairing.answer(which, answer)
  }

  // MARK: Bonds

  /// Bonds without their keys, by name of the wearable.
  public func bonds() -> [BondSnapshot] { bondKeeper.list() }

  /// Bonds with their keys, for an export.
  ///
  /// - Throws: why some of the keys cannot be read: the trouble of the key of secrets, or `secretsKeyWrong`.
  public func bondKeys() throws(HearthError) -> [Bond] {
    guard let sealed = context.store.bonds.first(where: { $0.isSealed }) else { return context.store.bonds }
    let name = context.store.record(sealed.wearable)?.name ?? sealed.addressText
    throw context.store.secretsTrouble ?? HearthError(.secretsKeyWrong, "sealed data of \(name) cannot be opened")
  }

  /// Imports bonds of another hub; a wearable that is not enrolled is enrolled under a free name. Each bond is durable
  /// by itself, so a second import resumes the first.
  ///
  /// - Returns: number of bonds that are new or changed.
  /// - Throws: `bondFileDamaged` for malformed keys, `registryFull`, `storeTableFull`, or the store's error. Bonds that
  ///   were stored by then stay.
  public func importBonds(
    _ entries: [(name: String, kind: String, driver: String, bond: Bond)]
  ) async throws(HearthError) -> Int { try await bondKeeper.importBonds(entries) }

  /// Deletes the keys of a wearable in the store, the kernel and the controller, which ends its link. The wearable
  /// stays enrolled.
  ///
  /// - Parameter which: name or address, also of a wearable that was forgotten.
  /// - Throws: `noSuchBond`, or the store's error; then the bond is unchanged.
  public func removeBond(_ which: String) async throws(HearthError) { try await bondKeeper.removeBond(which) }
}
