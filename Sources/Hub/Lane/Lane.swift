// One wearable at a time: who has the lane, and what its turn leads to.

import Bluetooth
import EventLoop
import HubLane
import Reasons
import RingStore
import Wearable

/// The lane. One holder, or a reservation for a pairing; between two it asks the planner who is next, and the slots
/// for room.
///
/// Who needs its link (`needsLink`) waits for no visit: a value that nobody hears is lost for good, a fetch that takes
/// some seconds longer is not. So such a one is linked beside the lane, whoever has it, and has the lane only for its
/// visit, if it holds something. How many are linked at a time, and who of them first, is said by `LinkPool`.
@LoopActor
final class Lane {
  /// Somebody's turn.
  private struct Turn {
    let wearable: EnrolledWearable
    let task: Task<Void, Never>
  }

  let context: HubContext
  let registry: Registry
  let planner: LanePlanner
  private let live: LiveValues
  let bonds: Bonds
  let slots: SlotKeeper
  var pace: AttemptPace
  private(set) var holder: EnrolledWearable?
  /// All turns, the holder's too, in the order in which they began: at most as many as slots and attempts.
  private var turns: [Turn] = []
  private var timer: LoopTimer?
  /// The lane is reserved while a wearable pairs, before it has a record.
  private(set) var isReserved = false
  /// An attempt is lent while a stranger is being linked that is tried (`Trial`).
  private(set) var isLent = false
  /// Makes the visit of who has the lane.
  var onTurn: @LoopActor (EnrolledWearable) async -> Void = { _ in }

  init(
    _ context: HubContext, _ registry: Registry, _ planner: LanePlanner, _ live: LiveValues, _ bonds: Bonds,
    _ slots: SlotKeeper
  ) {
    self.context = context
    self.registry = registry
    self.planner = planner
    self.live = live
    self.bonds = bonds
    self.slots = slots
    pace = AttemptPace(seed: context.options.seed)
    slots.onUseless = { [weak self] wearable in self?.strike(wearable, isVisit: false) }
    context.changes.listen { [weak self] change in
      switch change {
      case .lane: self?.consider()
      case .announced(let wearable): self?.announced(wearable)
      case .awaited(let wearable): self?.awaited(wearable)
      case .shown, .visitDone, .alerted, .useless, .drained: break
      }
    }
  }

  // MARK: Turns

  /// Carries out what the table decides now. Called after everything that could change the decision; cheap when it did
  /// not.
  private func consider() {
    guard context.phase == .serving, context.radio.state == .ready else { return }
    let first = table()
    let demand = first.demand
    makeWay(first, demand)
    let now = context.loop.now
    if now < pace.restsUntil { return wake(at: pace.restsUntil) }
    // Each round begins a turn, and there are no more attempts than that.
    for _ in 0...LinkPool.attempts {
      var table = self.table()
      table.mark()
      planner.keepMarks(table)
      let decision = table.decide(demand)
      var looks = decision.looks
      // A clock that is set, such as past a time of visits, is not reported.
      if planner.hasTimedVisits { looks.append(now + LanePlanner.clockLook) }
      if tryToBegin(\.link, table, decision, demand, &looks) { continue }
      // A link may have been evicted for it.
      if decision.link != nil { table = self.table() }
      if isFree, tryToBegin(\.visit, table, decision, demand, &looks) { continue }
      if let first = looks.min() { wake(at: first) }
      return
    }
  }

  /// Everything that a decision reads, as it is now.
  func table() -> LaneTable {
    var table = LaneTable(
      planner.candidates, slots.table(isPairing: isReserved, isTrying: isLent), planner.scheduler,
      pace.next(context.loop.now), now: context.loop.now, wall: context.loop.wall)
    table.isRadioReady = context.radio.state == .ready
    table.isLaneFree = holder == nil
    return table
  }

  /// Begins the turn of who goes next, or of the first that needs not wait for the same adapter.
  private func tryToBegin(
    _ line: KeyPath<LaneDecision, WearableID?>, _ table: LaneTable, _ decision: LaneDecision, _ demand: LinkDemand,
    _ looks: inout [Instant]
  ) -> Bool {
    var (table, decision) = (table, decision)
    // Each round passes by those of one adapter.
    for _ in 0...table.slots.adapters.count {
      guard let next = decision[keyPath: line].flatMap({ registry[$0] }) else { return false }
      if tryToBegin(next, table, decision, &looks) { return true }
      guard let waiting = table[next.id], table.pass(waiting) else { return false }
      // A link may have been evicted for it.
      let passed = table.passed
      table = self.table()
      table.passed = passed
      decision = table.decide(demand)
      looks += decision.looks
    }
    return false
  }

  /// Begins a turn, if there is a slot for it.
  private func tryToBegin(
    _ next: EnrolledWearable, _ table: LaneTable, _ decision: LaneDecision, _ looks: inout [Instant]
  ) -> Bool {
    guard let candidate = table[next.id], !next.lane.isHolder else { return false }
    let slot = table.slot(for: candidate, decision.pool)
    if let moment = slots.carryOut(slot, for: next, table) { looks.append(moment) }
    guard slot == .begin else { return false }
    begin(next, candidate)
    return true
  }

  private func begin(_ next: EnrolledWearable, _ candidate: LaneCandidate) {
    guard !next.lane.isHolder, !turns.contains(where: { $0.wearable === next }) else {
      fatalError("two turns of one wearable")
    }
    guard candidate.isLinkedBeside || isFree else { fatalError("a turn with the lane while another one has it") }
    let now = context.loop.now
    let isNewLink = !candidate.isLinked
    if !candidate.isLinkedBeside { holder = next }
    if isNewLink, candidate.isBrief { next.lane.brief.began() }
    next.lane.isHolder = true
    next.lane.retry.began(now)
    if isNewLink { pace.attemptBegan(now, candidate.paceStanding) }
    // A link over which nothing came is at work again.
    context.changes.raise(.shown)
    let task = context.loop.spawn { [weak self] in
      await self?.onTurn(next)
      self?.ended(next)
    }
    turns.append(Turn(wearable: next, task: task))
  }

  private func ended(_ last: EnrolledWearable) {
    last.lane.isHolder = false
    if last.link == nil { last.lane.brief.ended(withReading: false) }
    turns.removeAll { $0.wearable === last }
    if holder === last { holder = nil }
    guard holder.map({ holder in turns.contains { $0.wearable === holder } }) ?? true else {
      fatalError("the lane is held without a turn")
    }
    // Not before: as long as the lane has it the link is a fast one, and streams would begin anew, twice.
    context.changes.link(of: last, .used)
    context.changes.link(of: last, .freed)
    context.changes.raise(.shown)
    context.changes.raise(.lane)
  }

  /// Gives up attempts that are in the way of links that cannot wait. Each keeps its place in the line.
  private func makeWay(_ table: LaneTable, _ demand: LinkDemand) {
    for turn in turns {
      if let candidate = table[turn.wearable.id], table.givesWay(candidate, demand) { turn.task.cancel() }
    }
  }

  private func wake(at instant: Instant) {
    if let timer { context.loop.cancel(timer) }
    timer = context.loop.schedule(at: instant) { [weak self] in
      self?.timer = nil
      self?.consider()
    }
  }

  // MARK: From outside

  /// Nobody has it, and nobody reserved it.
  var isFree: Bool { holder == nil && !isReserved }

  /// Whether a wearable that has a turn may be visited in it: it has the lane, or nobody has, and it may be visited
  /// now.
  func takesLane(_ wearable: EnrolledWearable) -> Bool {
    if holder === wearable { return true }
    guard isFree, wearable.lane.isHolder else { return false }
    guard wearable.lane.askedAt != nil || wearable.lane.visitReputation.notBefore(context.loop.now) == nil else {
      return false
    }
    holder = wearable
    return true
  }

  /// Who is being linked beside the lane, or all are.
  var besides: [EnrolledWearable] { turns.map(\.wearable).filter { $0 !== holder } }

  /// A link is made: somebody else's may be.
  func linkMade() { context.changes.raise(.lane) }

  /// Keeps it free of visits while a wearable is being paired.
  func reserve() { isReserved = true }

  func release() {
    isReserved = false
    context.changes.raise(.lane)
  }

  /// A device that is not enrolled may be linked now, while no wearable waits that goes before it.
  var mayLend: Bool {
    let table = table()
    return table.mayLend(table.demand)
  }

  func lend() {
    isLent = true
    pace.attemptBegan(context.loop.now, .new)
  }

  /// The stranger's link is made, or is not.
  func giveBack() {
    isLent = false
    context.changes.raise(.lane)
  }

  /// What it does ends now, if it has a turn.
  func cancelTurn(of wearable: EnrolledWearable) {
    for turn in turns where turn.wearable === wearable { turn.task.cancel() }
  }

  /// Ends the visit that is running, with what it has: what was fetched is kept and the wearable is left in order.
  func stop() async {
    let running = holder?.visits.running
    for turn in turns where turn.wearable !== holder || running == nil { turn.task.cancel() }
    running?.interrupt(.link(.cancelled))
    let hurry = context.loop.schedule(after: Self.closingTime) { [weak self] in
      for turn in self?.turns ?? [] { turn.task.cancel() }
    }
    for turn in turns { await turn.task.value }
    context.loop.cancel(hurry)
    if let timer { context.loop.cancel(timer) }
  }

  /// The service manager waits longer; a wearable that does not answer by then is left as it is.
  private static let closingTime: Duration = .seconds(5)

  /// Whether the visit of the holder should end at the next point at which nothing is lost by it.
  ///
  /// - Parameter since: when its slice began.
  func shouldYield(_ holder: EnrolledWearable, since: Instant) -> Bool {
    // A wearable that is linked beside the lane waits for a slot alone: the visit's, if all are taken.
    planner.shouldYield(holder, since: since, orLink: slots.areFull)
  }

  // MARK: What makes somebody's turn come

  /// An operator asks for a visit: first in the queue.
  func request(_ wearable: EnrolledWearable) {
    wearable.lane.asked(context.loop.now)
    consider()
  }

  /// A wearable said over its link that it holds something new: it is due as soon as its last visit is no longer fresh.
  private func announced(_ wearable: EnrolledWearable) {
    guard wearable.lane.holdsData, !wearable.lane.announced else { return }
    wearable.lane.announced = true
    wearable.lane.quietUntil = nil
    wearable.lane.retry.freed()
    consider()
  }

  /// Somebody began to wait for a wearable: what was waited for after its last failure is over.
  private func awaited(_ wearable: EnrolledWearable) {
    guard wearable.link == nil, context.phase == .serving else { return }
    wearable.lane.retry.awaited()
    wearable.lane.reputation.asked()
    wearable.lane.quietUntil = nil
    consider()
  }

  /// Somebody watches, measures, or waits for an order or a visit: a lost link is tried at once, and never left alone
  /// for minutes.
  func isAwaited(_ wearable: EnrolledWearable) -> Bool {
    if wearable.isLeftAlone { return false }
    let now = context.loop.now
    if let until = wearable.visits.watchedUntil, until > now { return true }
    if wearable.lane.isOrdered { return true }
    if let asked = wearable.lane.askedAt, now - asked < LaneState.requestPatience { return true }
    return live.isListened(wearable)
  }
}
