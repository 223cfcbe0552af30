// Enrolled wearables, by order of enrolment, name, address and number, and changes of their records.

import Bluetooth
import EventLoop
import Reasons
import RingStore
import StateCodec

/// The enrolled wearables of this hub.
///
/// Promises: the order of `all` is that of the registry's numbers, so that iteration never depends on a hash seed; no
/// address is there twice.
@LoopActor
final class Registry {
  private let context: HubContext
  private let writer: RecordWriter
  private(set) var all: [EnrolledWearable] = []
  private var byAddress: [BluetoothAddress: EnrolledWearable] = [:]
  /// The wearable that is being admitted.
  private(set) var admitting: WearableID?
  private var tables: [@LoopActor (WearableID) -> Void] = []
  /// Called to give a wearable its states in other components, before it can be found here.
  var onAdmit: @LoopActor (EnrolledWearable) -> Void = { _ in }
  /// Ends streams, measurements and bindings of a wearable that is to be removed. Returns what could not be ended.
  var onForget: @LoopActor (EnrolledWearable) async -> HearthError? = { _ in nil }
  /// Called after a removal: requests that wait for the wearable get this error.
  var onRemoved: @LoopActor (EnrolledWearable, HearthError) -> Void = { _, _ in }
  /// Called when a wearable has another driver.
  var onMoved: @LoopActor (EnrolledWearable) -> Void = { _ in }
  /// Called before a write, to copy what was learned at run time into the record.
  var onPersist: @LoopActor (EnrolledWearable) -> Void = { _ in }

  init(_ context: HubContext) {
    self.context = context
    writer = RecordWriter(context)
    writer.registry = self
  }

  // MARK: Lookup

  var names: Set<String> { Set(all.map { $0.name }) }

  subscript(address: BluetoothAddress) -> EnrolledWearable? { byAddress[address] }
  subscript(id: WearableID) -> EnrolledWearable? { all.first { $0.id == id } }

  /// False for one that was removed, also if its address was enrolled again.
  func contains(_ wearable: EnrolledWearable) -> Bool { byAddress[wearable.address] === wearable }

  /// The enrolled wearable of this name or address.
  func named(_ which: String) -> EnrolledWearable? {
    let address = which.uppercased()
    return all.first { $0.name == which } ?? all.first { $0.address.description == address }
  }

  func require(_ which: String) throws(HearthError) -> EnrolledWearable {
    guard let wearable = named(which) else {
      throw HearthError(
        .noSuchWearable, "no wearable is called '\(which)'\(hint(nearMiss(which, among: names.sorted(), atMost: 1)))")
    }
    return wearable
  }

  // MARK: Changes

  /// Admits a stored wearable, and converts the notes of an earlier format into states. Nil for an address of an
  /// unknown type.
  @discardableResult
  func admit(_ record: WearableRecord) -> EnrolledWearable? {
    guard let address = record.address else { return nil }
    let driver = context.driver(id: record.driver)
    var record = record
    let isConverted = OldNotes.takeOver(&record, driver)
    let wearable = EnrolledWearable(record, address: address, driver: driver, store: context.store)
    admitting = wearable.id
    onAdmit(wearable)
    admitting = nil
    all.append(wearable)
    all.sort { $0.id.number < $1.id.number }
    byAddress[address] = wearable
    if isConverted { persist(wearable) }
    return wearable
  }

  /// Removes it from the registry; the store deletes its record.
  func remove(_ wearable: EnrolledWearable) {
    all.removeAll { $0 === wearable }
    byAddress[wearable.address] = nil
  }

  /// Calls `body` when all work for a removed wearable is done.
  func onGone(_ body: @escaping @LoopActor (WearableID) -> Void) { tables.append(body) }

  /// Lets components drop the state of a removed wearable.
  func letGo(_ wearable: EnrolledWearable) {
    for table in tables { table(wearable.id) }
  }

  /// Gives an enrolled wearable another name. Samples stay with the wearable.
  func rename(_ which: String, to name: String) async throws(HearthError) -> EnrolledWearable {
    let wearable = try require(which)
    await wearable.recordTurn.take()
    defer { wearable.recordTurn.give() }
    var record = wearable.record
    record.name = name
    // A wearable with a name by a person did not just join by itself.
    record.hubState.forget(JoinedByItself.self)
    try await context.store.update(record)
    wearable.forget(JoinedByItself.self)
    wearable.rename(name)
    return wearable
  }

  /// Writes what was learned about a wearable, in the background and only if it differs. A failure is the store's
  /// trouble and is shown as such.
  ///
  /// - Parameter delay: longest wait for writes of other wearables, as a transaction of its own costs some 25 KB of
  ///   flash. A kill within it loses the change: zero for what the hub could not learn again.
  func persist(_ wearable: EnrolledWearable, within delay: Duration = .zero) {
    wearable.refreshRecord()
    onPersist(wearable)
    writer.write(wearable, within: delay)
  }

  /// Delay for changes that the hub recognises again after a kill: one transaction a minute holds all of them.
  nonisolated static let gathering: Duration = .seconds(60)

  /// Writes a wearable's record in its state at that moment. Durable when it returns. Writes for one wearable run one
  /// after another, each with all earlier changes.
  ///
  /// - Throws: `noSuchWearable` for one that was removed meanwhile, or the store's error.
  func write(_ wearable: EnrolledWearable) async throws(HearthError) { try await writer.writeNow(wearable) }

  /// Waits until what was learned is written.
  func settle() async { await writer.settle() }

  /// The same, for tasks that may outlast the wearable's enrolment.
  func persistIfEnrolled(_ wearable: EnrolledWearable, within delay: Duration = .zero) {
    if contains(wearable) { persist(wearable, within: delay) }
  }

  /// Stores an operator's choice for a wearable; nil withdraws it. Durable when it returns.
  ///
  /// - Throws: the store's error; then the choice is unchanged.
  func keep<S: RememberedState>(_ choice: S?, of wearable: EnrolledWearable) async throws(HearthError) {
    try await change(S.self, of: wearable) { (kept: inout S?) in kept = choice }
  }

  /// Changes a stored state of a wearable. Two changes at the same moment run one after the other, the second on the
  /// result of the first. Durable when it returns.
  ///
  /// - Parameters:
  ///   - body: changes the state; nil means no state, before or after.
  ///   - after: applies the stored state, before the next change of this wearable begins.
  /// - Throws: the store's error, or that of the body; then the state is unchanged.
  func change<S: RememberedState>(
    _: S.Type, of wearable: EnrolledWearable, _ body: (inout S?) throws(HearthError) -> Void,
    after: (S?) -> Void = { _ in }
  ) async throws(HearthError) {
    await wearable.recordTurn.take()
    defer { wearable.recordTurn.give() }
    var state = wearable.remembered(S.self)
    try body(&state)
    if state?.isEmpty == true { state = nil }
    var record = wearable.record
    if let state { try record.hubState.keep(state) } else { record.hubState.forget(S.self) }
    try await context.store.update(record)
    if let state { wearable.remember(state) } else { wearable.forget(S.self) }
    after(state)
  }

  /// Stores the notes about removals.
  func keepNotes(_ wearable: EnrolledWearable) {
    wearable.writeErasing()
    persistIfEnrolled(wearable)
  }
}
