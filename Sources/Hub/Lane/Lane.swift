// The lane, a lock: which wearable holds it, and the start and end of its turn.

import Bluetooth
import EventLoop
import HubLane
import Reasons
import RingStore
import Wearable

/// The lane: the lock that lets one wearable at a time be visited. The lane has one holder, or is reserved for a
/// pairing. Between two holders it asks the planner for the next one, and the slots for room.
///
/// A wearable that needs its link all the time (`needsLink`) never waits for a visit: missed values are lost, a delayed
/// fetch is not. So it is linked beside the lane, whichever wearable has that, and takes the lane only for a visit, if
/// it holds data. `LinkPool` says how many are linked at a time, and in which order.
@LoopActor
final class Lane {
  /// The turn of one wearable.
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
  /// Turns, also the holder's, in the order of their start: at most as many as slots and attempts.
  private var turns: [Turn] = []
  private var timer: LoopTimer?
  /// The lane is reserved for the pairing of a wearable that has no record yet.
  private(set) var isReserved = false
  /// An attempt is lent while a stranger is connected for a try (`Trial`).
  private(set) var isLent = false
  /// Makes the visit of the lane's holder.
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
    slots.onUseless = { [weak self] wearable in self?.noteFailedTry(wearable, isVisit: false) }
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

  /// Carries out what the table decides now. Called after everything that could change the decision; cheap if it did
  /// not.
  private func consider() {
    guard context.phase == .serving, context.radio.state == .ready else { return }
    let first = table()
    let demand = first.demand
    makeWay(first, demand)
    let now = context.loop.now
    if now < pace.restsUntil { return wake(at: pace.restsUntil) }
    // Each round begins a turn, and their number is limited by the attempts.
    for _ in 0...LinkPool.attempts {
      var table = self.table()
      table.mark()
      planner.keepMarks(table)
      let decision = table.decide(demand)
      var looks = decision.looks
      // A clock that is set, for example past a visit time, is not reported.
      if planner.hasTimedVisits { looks.append(now + LanePlanner.clockLook) }
      if tryToBegin(\.link, table, decision, demand, &looks) { continue }
      // A link may have been evicted for the wearable.
      if decision.link != nil { table = self.table() }
      if isFree, tryToBegin(\.visit, table, decision, demand, &looks) { continue }
      if let first = looks.min() { wake(at: first) }
      return
    }
  }

  /// Returns the inputs of a decision, as they are now.
  func table() -> LaneTable {
    var table = LaneTable(
      planner.candidates, slots.table(isPairing: isReserved, isTrying: isLent), planner.scheduler,
      pace.next(context.loop.now), now: context.loop.now, wall: context.loop.wall)
    table.isRadioReady = context.radio.state == .ready
    table.isLaneFree = holder == nil
    return table
  }

  /// Begins the next turn: of the first in line, or of the first that does not wait for the same adapter.
  private func tryToBegin(
    _ line: KeyPath<LaneDecision, WearableID?>, _ table: LaneTable, _ decision: LaneDecision, _ demand: LinkDemand,
    _ looks: inout [Instant]
  ) -> Bool {
    var (table, decision) = (table, decision)
    // Each round skips the wearables of one adapter.
    for _ in 0...table.slots.adapters.count {
      guard let next = decision[keyPath: line].flatMap({ registry[$0] }) else { return false }
      if tryToBegin(next, table, decision, &looks) { return true }
      guard let waiting = table[next.id], table.pass(waiting) else { return false }
      // A link may have been evicted for the wearable.
      let passed = table.passed
      table = self.table()
      table.passed = passed
      decision = table.decide(demand)
      looks += decision.looks
    }
    return false
  }

  /// Begins a turn, if there is a slot for the wearable.
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
    if isNewLink, candidate.hasShortPresence { next.lane.shortPresence.began() }
    next.lane.isHolder = true
    next.lane.retry.began(now)
    if isNewLink { pace.attemptBegan(now, candidate.paceReputation) }
    // A link that delivered no data is in use again.
    context.changes.raise(.shown)
    let task = context.loop.spawn { [weak self] in
      await self?.onTurn(next)
      self?.ended(next)
    }
    turns.append(Turn(wearable: next, task: task))
  }

  private func ended(_ last: EnrolledWearable) {
    last.lane.isHolder = false
    if last.link == nil { last.lane.shortPresence.ended(withReading: false) }
    turns.removeAll { $0.wearable === last }
    if holder === last { holder = nil }
    guard holder.map({ holder in turns.contains { $0.wearable === holder } }) ?? true else {
      fatalError("the lane is held without a turn")
    }
    // Not earlier: while the wearable has the lane its link is a fast one, and streams would begin again twice.
    context.changes.link(of: last, .used)
    context.changes.link(of: last, .freed)
    context.changes.raise(.shown)
    context.changes.raise(.lane)
  }

  /// Cancels attempts that block urgent links. Each keeps its place in the line.
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

  /// The lane has no holder and no reservation.
  var isFree: Bool { holder == nil && !isReserved }

  /// Whether a wearable that has a turn may be visited in it. That is so if it has the lane, or if the lane is free and
  /// the wearable may be visited now.
  func takesLane(_ wearable: EnrolledWearable) -> Bool {
    if holder === wearable { return true }
    guard isFree, wearable.lane.isHolder else { return false }
    guard wearable.lane.askedAt != nil || wearable.lane.visitReputation.notBefore(context.loop.now) == nil else {
      return false
    }
    holder = wearable
    return true
  }

  /// Wearables that are being linked beside the lane; all turns if it has no holder.
  var besides: [EnrolledWearable] { turns.map(\.wearable).filter { $0 !== holder } }

  /// Notes that a link is made, so another may begin.
  func linkMade() { context.changes.raise(.lane) }

  /// Keeps the lane free of visits while a wearable is being paired.
  func reserve() { isReserved = true }

  func release() {
    isReserved = false
    context.changes.raise(.lane)
  }

  /// Whether a device that is not enrolled may be connected now: no waiting wearable goes before it.
  var mayLend: Bool {
    let table = table()
    return table.mayLend(table.demand)
  }

  func lend() {
    isLent = true
    pace.attemptBegan(context.loop.now, .new)
  }

  /// Ends the loan of an attempt, whether the stranger's link was made or not.
  func giveBack() {
    isLent = false
    context.changes.raise(.lane)
  }

  /// Ends a wearable's turn now, if it has one.
  func cancelTurn(of wearable: EnrolledWearable) {
    for turn in turns where turn.wearable === wearable { turn.task.cancel() }
  }

  /// Ends the running visit with what it has: fetched data is stored, and the wearable is left in order.
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

  /// The service manager waits longer. A wearable that does not answer by then is left as it is.
  private static let closingTime: Duration = .seconds(5)

  /// Whether the holder's visit should end at the next point without loss.
  ///
  /// - Parameter since: start of its slice.
  func shouldYield(_ holder: EnrolledWearable, since: Instant) -> Bool {
    // A wearable that is linked beside the lane waits only for a slot: the visit's, if all are taken.
    planner.shouldYield(holder, since: since, orLink: slots.areFull)
  }

  // MARK: Causes of a turn

  /// Takes an operator's request for a visit: the wearable becomes first in the queue.
  func request(_ wearable: EnrolledWearable) {
    wearable.lane.asked(context.loop.now)
    consider()
  }

  /// Handles a wearable's report of new data: it is due as soon as its last visit is no longer fresh.
  private func announced(_ wearable: EnrolledWearable) {
    guard wearable.lane.holdsData, !wearable.lane.announced else { return }
    wearable.lane.announced = true
    wearable.lane.quietUntil = nil
    wearable.lane.retry.freed()
    consider()
  }

  /// Handles a caller that begins to wait for a wearable: the wait after its last failure ends.
  private func awaited(_ wearable: EnrolledWearable) {
    guard wearable.link == nil, context.phase == .serving else { return }
    wearable.lane.retry.awaited()
    wearable.lane.reputation.asked()
    wearable.lane.quietUntil = nil
    consider()
  }

  /// Whether a person watches or measures with it, or waits for an order or a visit. Then a lost link is tried again at
  /// once, without pauses of minutes.
  func isAwaited(_ wearable: EnrolledWearable) -> Bool {
    if wearable.isLeftAlone { return false }
    let now = context.loop.now
    if let until = wearable.visits.watchedUntil, until > now { return true }
    if wearable.lane.isOrdered { return true }
    if let asked = wearable.lane.askedAt, now - asked < LaneState.requestPatience { return true }
    return live.isListened(wearable)
  }
}
