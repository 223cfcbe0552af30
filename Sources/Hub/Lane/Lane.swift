// One wearable at a time: who has the lane, and what its turn leads to.

import Bluetooth
import EventLoop
import Reasons
import RingStore
import Wearable

/// The lane. One holder, or a reservation for a pairing; between two it asks the planner who is next, and the slots
/// for room.
///
/// Who is only listened to needs no visit, and so no lane: while a visit runs over its link, such a one is linked
/// beside it. A value that nobody hears is lost for good, a fetch that takes some seconds longer is not. The radio
/// makes one link at a time, so there is at most one of them, and none while the holder's own link is being made.
@LoopActor
final class Lane {
  let context: HubContext
  let registry: Registry
  let planner: LanePlanner
  private let live: LiveValues
  private let bonds: Bonds
  let slots: SlotKeeper
  private var pace: LanePace
  private(set) var holder: EnrolledWearable?
  private var task: Task<Void, Never>?
  /// Who is being linked beside the holder.
  private var aside: EnrolledWearable?
  private var asideTask: Task<Void, Never>?
  private var timer: LoopTimer?
  /// The lane is reserved while a wearable pairs, before it has a record.
  private var isReserved = false
  /// The radio is lent while a stranger is being linked that is tried (`Trial`): it makes one link at a time.
  private var isLent = false
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
    pace = LanePace(seed: context.options.seed)
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

  /// Looks whether somebody may have the lane, or be linked beside it, now. Called after everything that could change
  /// the answer; cheap when it did not.
  private func consider() {
    guard context.phase == .serving, !isReserved, context.radio.state == .ready else { return }
    let isBeside = holder != nil
    // The radio makes one link at a time.
    if let busy = linking {
      if !busy.isBrief, planner.briefWaits { cancelTurn(of: busy) }
      if isBeside { return }
    }
    if isBeside, aside != nil { return }
    let now = context.loop.now
    if now < pace.restsUntil { return wake(at: pace.restsUntil) }
    let plan = planner.makePlan(onlyListened: isBeside)
    guard let next = plan.next.flatMap({ registry[$0] }) else {
      if let wakeAt = plan.wakeAt { wake(at: wakeAt) }
      return
    }
    // A visit over a link that is open already needs no slot.
    if next.link == nil {
      if linking != nil || isLent { return }
      let attempt = pace.nextAttempt(now)
      if now < attempt { return wake(at: attempt) }
      guard slots.take() else {
        if let moment = slots.makeRoom(for: next) { wake(at: moment) }
        return
      }
    }
    begin(next, isBeside: isBeside)
  }

  /// Whose link is being made.
  private var linking: EnrolledWearable? { [holder, aside].compactMap { $0 }.first { $0.link == nil } }

  private func begin(_ next: EnrolledWearable, isBeside: Bool) {
    next.lane.isHolder = true
    next.lane.retry.began(context.loop.now)
    pace.attemptBegan(context.loop.now)
    // A link over which nothing came is at work again.
    context.changes.raise(.shown)
    let turn = context.loop.spawn { [weak self] in
      await self?.onTurn(next)
      self?.ended(next, isBeside: isBeside)
    }
    if isBeside { (aside, asideTask) = (next, turn) } else { (holder, task) = (next, turn) }
  }

  private func ended(_ last: EnrolledWearable, isBeside: Bool) {
    last.lane.isHolder = false
    if isBeside { (aside, asideTask) = (nil, nil) } else { (holder, task) = (nil, nil) }
    // Not before: as long as the lane has it the link is a fast one, and streams that were told so would begin anew,
    // and anew
    // when that is over.
    last.profile?.review()
    last.profile?.tellSession()
    context.changes.raise(.shown)
    context.changes.raise(.lane)
  }

  private func wake(at instant: Instant) {
    if let timer { context.loop.cancel(timer) }
    timer = context.loop.schedule(at: instant) { [weak self] in
      self?.timer = nil
      self?.consider()
    }
  }

  // MARK: From outside

  /// Nobody has it, nobody is linked beside it, and nobody reserved it.
  var isFree: Bool { holder == nil && aside == nil && !isReserved }

  /// It is being linked beside the lane, or beside a turn that is over by now.
  func isBeside(_ wearable: EnrolledWearable) -> Bool { aside === wearable }

  /// The holder's link is made: somebody else's may be.
  func linkMade() { context.changes.raise(.lane) }

  /// Keeps it free of visits while a wearable is being paired.
  func reserve() { isReserved = true }

  func release() {
    isReserved = false
    context.changes.raise(.lane)
  }

  /// A stranger may be linked now: nobody is being linked, and a slot is free.
  var mayLend: Bool {
    linking == nil && !isReserved && !isLent && context.radio.state == .ready && slots.isFree
      && context.loop.now >= pace.restsUntil && pace.nextAttempt(context.loop.now) <= context.loop.now
  }

  func lend() {
    isLent = true
    pace.attemptBegan(context.loop.now)
  }

  /// The stranger's link is made, or is not.
  func giveBack() {
    isLent = false
    context.changes.raise(.lane)
  }

  /// What its holder does ends now, if it is this one.
  func cancelTurn(of wearable: EnrolledWearable) {
    if holder === wearable { task?.cancel() }
    if aside === wearable { asideTask?.cancel() }
  }

  /// Ends the visit that is running, with what it has: what was fetched is kept and the wearable is left in order.
  func stop() async {
    asideTask?.cancel()
    await asideTask?.value
    let running = holder?.visits.running
    running?.interrupt(.link(.cancelled))
    let hurry = context.loop.schedule(after: Self.closingTime) { [weak self] in self?.task?.cancel() }
    if running == nil { task?.cancel() }
    await task?.value
    context.loop.cancel(hurry)
    if let timer { context.loop.cancel(timer) }
  }

  /// The service manager waits longer; a wearable that does not answer by then is left as it is.
  private static let closingTime: Duration = .seconds(5)

  /// Every slot is taken and somebody waits for longer than a slice.
  var isOverdue: Bool {
    guard slots.areFull else { return false }
    let now = context.loop.now
    return registry.all.contains { $0.lane.dueSince.map { now - $0 > context.options.slice } ?? false }
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
    wearable.lane.quietUntil = nil
    consider()
  }

  /// Somebody watches, measures, or waits for an order or a visit: a lost link is tried at once, and never left alone
  /// for
  /// minutes.
  func isAwaited(_ wearable: EnrolledWearable) -> Bool {
    let now = context.loop.now
    if let until = wearable.visits.watchedUntil, until > now { return true }
    if wearable.isMeasuring { return true }
    if !wearable.requests.isEmpty || wearable.sync?.isOver == false { return true }
    if let asked = wearable.lane.askedAt, now - asked < RequestQueue.patience { return true }
    return live.isListened(wearable)
  }

  // MARK: What follows a turn

  /// Says that a try was of no use, and lets follow what follows from it.
  func noteFailure(_ wearable: EnrolledWearable, _ trouble: HearthError, _ failure: TryFailure) {
    // The next link is made without a key, and asks for none.
    let isMended = failure == .link(.authenticationFailed) && bonds.isUnpairable(wearable)
    let failure = isMended ? TryFailure.link(.keyMissing) : failure
    var shown = trouble
    let isForeground = isAwaited(wearable)
    switch pace.failed(&wearable.lane.retry, failure, context.loop.now, isForeground: isForeground) {
    case .innocent: break
    // Its place is kept: the lane rests, lest the freed slot go to whoever comes after it in the line.
    case .laneRests: pace.restsUntil = context.loop.now + SlotKeeper.rest
    case .later, .attention:
      wearable.trouble = trouble
      wearable.lane.dueSince = nil
    case .wait, .onceAtOnce:
      if wearable.lane.retry.isCooling {
        let tries = Reconnection.tries + 1
        let detail = "\(trouble.detail), \(tries) times; tried again when it is seen again after an absence"
        shown = HearthError(trouble.reason, detail)
      }
      // What works without keys needs nobody; the log says that it has none, and hearth link that it is not encrypted.
      if !isMended || wearable.lane.retry.isCooling { wearable.trouble = shown }
      wearable.lane.dueSince = nil
    }
    wearable.lane.quietUntil = nil
    if wearable.visits.running == nil, wearable.lane.retry.isCooling || trouble.reason.needsPerson {
      wearable.requests.refuse(trouble, context.loop)
      wearable.sync?.end(trouble)
    }
    if trouble.reason.needsPerson { wearable.vitals?.refused(trouble) }
    context.logger.notice(
      "\(shown)",
      metadata: [
        "CODE": "\(trouble.reason.code)", "DEVICE": "\(wearable.name)", "EFFECT": "\(trouble.reason.text.effect)",
      ])
    context.changes.raise(.shown)
  }
}
