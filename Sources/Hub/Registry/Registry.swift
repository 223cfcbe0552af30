// Who is enrolled, by order of enrolment, name, address and number, and how that gets into the store.

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
  private(set) var all: [EnrolledWearable] = []
  /// Records that are being written.
  private var writes: [UInt64: Task<Void, Never>] = [:]
  private var nextWrite: UInt64 = 0
  private var byAddress: [BluetoothAddress: EnrolledWearable] = [:]
  /// The one that is being taken in.
  private(set) var admitting: WearableID?
  private var tables: [@LoopActor (WearableID) -> Void] = []
  /// Gives a wearable what other components keep of it, before anybody finds it here.
  var onAdmit: @LoopActor (EnrolledWearable) -> Void = { _ in }
  /// Ends what goes on at a wearable that is to be forgotten. Says what could not be ended.
  var onForget: @LoopActor (EnrolledWearable) async -> HearthError? = { _ in nil }
  /// A wearable was taken out: what waits for it is answered with this.
  var onRemoved: @LoopActor (EnrolledWearable, HearthError) -> Void = { _, _ in }
  /// A wearable has another driver from now on.
  var onMoved: @LoopActor (EnrolledWearable) -> Void = { _ in }
  /// Takes what was learned of a wearable while it runs over into its record, which is written next.
  var onPersist: @LoopActor (EnrolledWearable) -> Void = { _ in }

  init(_ context: HubContext) { self.context = context }

  // MARK: Who

  var names: Set<String> { Set(all.map { $0.name }) }

  subscript(address: BluetoothAddress) -> EnrolledWearable? { byAddress[address] }
  subscript(id: WearableID) -> EnrolledWearable? { all.first { $0.id == id } }

  /// False for one that was forgotten, also if its address was enrolled anew.
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

  /// Takes a stored wearable in; what a store of an earlier format keeps of it as notes becomes states. Nil for an
  /// address of a type that no address has.
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

  /// Takes it out; its record is the store's business.
  func remove(_ wearable: EnrolledWearable) {
    all.removeAll { $0 === wearable }
    byAddress[wearable.address] = nil
  }

  /// Calls `body` when nothing is left to do for a wearable that was taken out.
  func onGone(_ body: @escaping @LoopActor (WearableID) -> Void) { tables.append(body) }

  /// Lets go of what components keep of a wearable that was taken out.
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
    // A person knows it.
    record.hubState.forget(JoinedByItself.self)
    try await context.store.update(record)
    wearable.forget(JoinedByItself.self)
    wearable.rename(name)
    return wearable
  }

  /// Writes what was learned about a wearable, in the background and only if it differs: once when it has become live
  /// and once when its link ends, because a registry write costs some 25 KB of flash. A failure is the store's trouble
  /// and is shown as such.
  func persist(_ wearable: EnrolledWearable) {
    wearable.refreshRecord()
    onPersist(wearable)
    let number = nextWrite
    nextWrite += 1
    writes[number] = context.loop.spawn { [self] in
      do throws(HearthError) { try await write(wearable) } catch { context.logger.error("\(error)") }
      writes[number] = nil
    }
  }

  /// Writes a wearable's record as it is when its turn comes. Durable when it returns. Records of one wearable are
  /// written one after another, each with all that was kept before.
  ///
  /// - Throws: `noSuchWearable` for one that was forgotten meanwhile, or why the disk refused.
  func write(_ wearable: EnrolledWearable) async throws(HearthError) {
    await wearable.recordTurn.take()
    defer { wearable.recordTurn.give() }
    guard contains(wearable) else { throw HearthError(.noSuchWearable, "\(wearable.name) was forgotten") }
    try await context.store.update(wearable.record)
  }

  /// What was learned is written.
  func settle() async {
    while let (number, write) = writes.first {
      await write.value
      writes[number] = nil
    }
  }

  /// The same, for what may outlast its enrolment.
  func persistIfEnrolled(_ wearable: EnrolledWearable) { if contains(wearable) { persist(wearable) } }

  /// Keeps an operator's choice with a wearable; nil takes it back. Durable when it returns.
  ///
  /// - Throws: why the disk refused; then nothing has changed.
  func keep<S: RememberedState>(_ choice: S?, of wearable: EnrolledWearable) async throws(HearthError) {
    try await change(S.self, of: wearable) { (kept: inout S?) in kept = choice }
  }

  /// Changes what is kept of a wearable. Two changes at the same moment are made one after the other, the second to
  /// what the first has left. Durable when it returns.
  ///
  /// - Parameters:
  ///   - body: nil: nothing is kept, or is to be kept.
  ///   - after: takes over what was kept, before the next change of this wearable begins.
  /// - Throws: why the disk refused, or the body; then nothing has changed.
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

  /// Keeps the notes about removals.
  func keepNotes(_ wearable: EnrolledWearable) {
    wearable.writeErasing()
    persistIfEnrolled(wearable)
  }
}
