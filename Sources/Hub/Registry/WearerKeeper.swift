// Who wears what: people, their bodies, and from when on a wearable is on whom.

import EventLoop
import Health
import Reasons
import RingStore
import Wearable

/// People, and which wearable is on whom. What follows from that for a wearable are its orders.
@LoopActor
final class WearerKeeper {
  private let context: HubContext
  private let registry: Registry
  /// Runs until the next assignment begins.
  private var timer: LoopTimer?
  /// Somebody else wears a wearable, or nobody does.
  var onChange: @LoopActor (EnrolledWearable) -> Void = { _ in }
  /// What is known of the body that wears it is another, as its wearer is or was put right.
  var onBody: @LoopActor (EnrolledWearable) -> Void = { _ in }

  init(_ context: HubContext, _ registry: Registry) {
    self.context = context
    self.registry = registry
  }

  private var store: Store { context.store }
  private var loop: any Loop { context.loop }

  // MARK: People

  /// In the order in which they were entered, the retired ones too.
  func wearers() -> [WearerSnapshot] { store.wearers.map { snapshot(of: $0) } }

  private func snapshot(of wearer: Wearer) -> WearerSnapshot {
    WearerSnapshot(
      wearer: wearer, wears: registry.all.filter { $0.choices.wearer == wearer.id }.map { $0.name }.sorted())
  }

  /// - Throws: `wearerNameInvalid`, `wearerNameTaken`, `storeTableFull`, or why the disk refused.
  func addWearer(_ name: String) async throws(HearthError) -> WearerSnapshot {
    snapshot(of: try await store.addWearer(name: name))
  }

  func renameWearer(_ which: String, to name: String) async throws(HearthError) -> WearerSnapshot {
    let wearer = try requireWearer(which)
    try await store.renameWearer(wearer.id, to: name)
    return try snapshot(wearer.id)
  }

  /// Nothing can be assigned to the wearer any more. What is on somebody stays there until it is assigned anew.
  func retireWearer(_ which: String) async throws(HearthError) -> WearerSnapshot {
    let wearer = try requireWearer(which)
    try await store.retireWearer(wearer.id)
    return try snapshot(wearer.id)
  }

  /// The house's own identifier; nil: none.
  func setHouseID(_ which: String, _ houseID: String?) async throws(HearthError) -> WearerSnapshot {
    let wearer = try requireWearer(which)
    try await store.setHouseID(wearer.id, houseID)
    return try snapshot(wearer.id)
  }

  /// Replaces what is known of a body; wearables that want to know it are told at their next visit, or at once where
  /// they are linked.
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

  /// By name, whatever the case of its letters, of those who are present first; or by number.
  func requireWearer(_ which: String) throws(HearthError) -> Wearer {
    let folded = which.lowercased()
    let named = store.wearers.filter { $0.name.lowercased() == folded }
    if let wearer = named.first(where: { $0.retiredAt == nil }) ?? named.last { return wearer }
    if let number = UInt32(which), let wearer = store.wearer(WearerID(number: number)) { return wearer }
    throw HearthError(.noSuchWearer, "no wearer is called '\(which)'")
  }

  // MARK: Assignments

  /// In the order of time.
  func assignments(of which: String) throws(HearthError) -> [AssignmentSnapshot] {
    let wearable = try registry.require(which)
    return store.assignments(of: wearable.id).map { assignment in
      AssignmentSnapshot(
        from: assignment.from, wearer: assignment.wearer.map { store.wearer($0)?.name ?? "wearer-\($0.number)" },
        enteredAt: assignment.enteredAt)
    }
  }

  /// From a time on, now where none is given, a wearable is on somebody or, with nil, on nobody. Durable when this
  /// returns.
  ///
  /// - Returns: all its assignments.
  /// - Throws: `noSuchWearable`, `noSuchWearer`, `storeTableFull`, or why the disk refused; then nothing has changed.
  func assign(_ which: String, to wearer: String?, from time: WallTime?) async throws(HearthError)
    -> [AssignmentSnapshot]
  {
    let wearable = try registry.require(which)
    let id: WearerID? = if let wearer { try requireWearer(wearer).id } else { nil }
    try await store.assign(wearable.id, to: id, from: time ?? loop.wall)
    review()
    return try assignments(of: which)
  }

  /// Puts an assignment right that begins at a time; with `isDry` only says what that would change.
  ///
  /// - Throws: `noSuchWearable`, `noSuchWearer`, `noSuchAssignment`, `assignmentTaken`, or why the disk refused; then
  ///   nothing has changed.
  func correct(_ which: String, begin: WallTime, _ wish: AssignmentWish, isDry: Bool) async throws(HearthError)
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

  /// The wall clock may be set at any time: whoever waits for one of its times looks again this often.
  private static var longestSleep: Duration { .seconds(900) }

  /// Lets orders follow who wears what, now and when the next assignment begins.
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

  /// Who wore it last, and wants that it forgets the body.
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
