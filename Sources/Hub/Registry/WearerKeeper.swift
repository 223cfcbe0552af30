// Wearers: people, their bodies, and the assignments of wearables to them.

import EventLoop
import Health
import Reasons
import RingStore
import Wearable

/// People, and their assignments to wearables. The orders of a wearable follow from that.
@LoopActor
final class WearerKeeper {
  private let context: HubContext
  private let registry: Registry
  /// Runs until the next assignment begins.
  private var timer: LoopTimer?
  /// Called when a wearable has another wearer, or no longer one.
  var onChange: @LoopActor (EnrolledWearable) -> Void = { _ in }
  /// Called when the facts about the wearer's body changed, by another wearer or a correction.
  var onBody: @LoopActor (EnrolledWearable) -> Void = { _ in }

  init(_ context: HubContext, _ registry: Registry) {
    self.context = context
    self.registry = registry
  }

  private var store: Store { context.store }
  private var loop: any Loop { context.loop }

  // MARK: People

  /// Returns wearers in the order of their entry, the retired ones too.
  func wearers() -> [WearerSnapshot] { store.wearers.map { snapshot(of: $0) } }

  private func snapshot(of wearer: Wearer) -> WearerSnapshot {
    WearerSnapshot(
      wearer: wearer, wears: registry.all.filter { $0.choices.wearer == wearer.id }.map { $0.name }.sorted())
  }

  /// - Throws: `wearerNameInvalid`, `wearerNameTaken`, `storeTableFull`, or the store's error.
  func addWearer(_ name: String) async throws(HearthError) -> WearerSnapshot {
    snapshot(of: try await store.addWearer(name: name))
  }

  func renameWearer(_ which: String, to name: String) async throws(HearthError) -> WearerSnapshot {
    let wearer = try requireWearer(which)
    try await store.renameWearer(wearer.id, to: name)
    return try snapshot(wearer.id)
  }

  /// Ends new assignments to the wearer. Existing ones last until the wearable is assigned again.
  func retireWearer(_ which: String) async throws(HearthError) -> WearerSnapshot {
    let wearer = try requireWearer(which)
    try await store.retireWearer(wearer.id)
    return try snapshot(wearer.id)
  }

  /// Sets the house's own identifier; nil deletes it.
  func setHouseID(_ which: String, _ houseID: String?) async throws(HearthError) -> WearerSnapshot {
    let wearer = try requireWearer(which)
    try await store.setHouseID(wearer.id, houseID)
    return try snapshot(wearer.id)
  }

  /// Replaces the facts about a body. Wearables that need them get them at their next visit, or at once if linked.
  func setBody(_ which: String, _ change: (inout BodyFacts) -> Void) async throws(HearthError) -> WearerSnapshot {
    let wearer = try requireWearer(which)
    var body = wearer.body
    change(&body)
    try await store.setBody(wearer.id, body)
    review()
    return try snapshot(wearer.id)
  }

  private func snapshot(_ id: WearerID) throws(HearthError) -> WearerSnapshot {
    guard let wearer = store.wearer(id) else {
      throw HearthError(.noSuchWearer, "no wearer has the number \(id.number)")
    }
    return snapshot(of: wearer)
  }

  /// Finds a wearer by name, ignoring case, present people first; or by number.
  func requireWearer(_ which: String) throws(HearthError) -> Wearer {
    let folded = which.lowercased()
    let named = store.wearers.filter { $0.name.lowercased() == folded }
    if let wearer = named.first(where: { $0.retiredAt == nil }) ?? named.last { return wearer }
    if let number = UInt32(which), let wearer = store.wearer(WearerID(number: number)) { return wearer }
    throw HearthError(.noSuchWearer, "no wearer is called '\(which)'")
  }

  // MARK: Assignments

  /// Returns assignments in the order of time.
  func assignments(of which: String) throws(HearthError) -> [AssignmentSnapshot] {
    let wearable = try registry.require(which)
    return store.assignments(of: wearable.id).map { assignment in
      AssignmentSnapshot(
        from: assignment.from, wearer: assignment.wearer.map { store.wearer($0)?.name ?? "wearer-\($0.number)" },
        enteredAt: assignment.enteredAt)
    }
  }

  /// Assigns a wearable to a wearer from a time on, by default now; nil: to no wearer. Durable when this returns.
  ///
  /// - Returns: all its assignments.
  /// - Throws: `noSuchWearable`, `noSuchWearer`, `storeTableFull`, or the store's error. After an error the assignments
  ///   are unchanged.
  func assign(_ which: String, to wearer: String?, from time: WallTime?) async throws(HearthError)
    -> [AssignmentSnapshot]
  {
    let wearable = try registry.require(which)
    let id: WearerID? = if let wearer { try requireWearer(wearer).id } else { nil }
    try await store.assign(wearable.id, to: id, from: time ?? loop.wall)
    review()
    return try assignments(of: which)
  }

  /// Corrects an assignment that begins at a time; with `isDry` only reports what that would change.
  ///
  /// - Throws: `noSuchWearable`, `noSuchWearer`, `noSuchAssignment`, `assignmentTaken`, or the store's error. After an
  ///   error the assignments are unchanged.
  func correct(_ which: String, begin: WallTime, _ wish: AssignmentCorrection, isDry: Bool) async throws(HearthError)
    -> CorrectionPlan
  {
    let id = try registry.require(which).id
    var edit = AssignmentEdit.delete
    if !wish.deletes {
      let wearer: AssignmentEdit.NewWearer =
        if let name = wish.wearer { .changed(try requireWearer(name).id) } else {
          wish.isNobody ? .changed(nil) : .same
        }
      edit = .correct(from: wish.from, wearer)
    }
    let plan = try await store.correctionPlan(id, from: begin, edit)
    if isDry { return plan }
    try await store.edit(id, from: begin, edit)
    review()
    return plan
  }

  // MARK: Following them

  func stop() {
    if let timer { loop.cancel(timer) }
    timer = nil
  }

  /// Limit of a wait for a wall clock's time, as that clock may be set at any time.
  private static var longestSleep: Duration { .seconds(900) }

  /// Updates orders by the present wearers, now and when the next assignment begins.
  func review() {
    if let timer { loop.cancel(timer) }
    timer = nil
    for wearable in registry.all { review(wearable) }
    let now = loop.wall
    let next = registry.all.lazy.compactMap { [store] wearable in
      store.assignments(of: wearable.id).first { $0.from > now }?.from
    }.min()
    guard let next, context.phase != .stopping else { return }
    timer = loop.schedule(after: min(max(next - now, .milliseconds(1)), Self.longestSleep)) { [weak self] in
      self?.review()
    }
  }

  /// The last wearer, if the wearable must delete the facts about that body.
  private func takeOff(from wearable: EnrolledWearable) -> UInt32? {
    let last = store.assignments(of: wearable.id).last { $0.from <= loop.wall && $0.wearer != nil }
    guard let wearer = last?.wearer.flatMap({ store.wearer($0) }), wearer.body.isTakenOff else { return nil }
    return wearer.id.number
  }

  func review(_ wearable: EnrolledWearable) {
    let id = store.wearer(of: wearable.id, at: loop.wall)
    if wearable.choices.wearer != id {
      wearable.choices.wearer = id
      onChange(wearable)
    }
    let body = id.flatMap { store.wearer($0) }.map { WearerBody(number: $0.id.number, $0.body) }
    let takeOff = body == nil ? takeOff(from: wearable) : nil
    if wearable.choices.orders.wearer == body, wearable.choices.orders.takeOff == takeOff { return }
    wearable.choices.orders.wearer = body
    wearable.choices.orders.takeOff = takeOff
    onBody(wearable)
    wearable.applyOrders(loop)
  }
}
