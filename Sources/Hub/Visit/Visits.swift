// The turn of the wearable that holds the lane: over a new link or over the one that is open, with its stages where it
// has some.

import Bluetooth
import EventLoop
import Logging
import Reasons
import RingStore
import Wearable

/// Makes visits. Says what followed to the wearable and to the lane.
@LoopActor
final class Visits {
  let context: HubContext
  let registry: Registry
  private let lane: Lane
  private let links: LinkKeeper
  private let opener: LinkOpener
  private let outcomes: VisitOutcomes
  /// Number of the last visit that was begun.
  private var lastNumber: UInt64 = 0

  init(
    _ context: HubContext, _ registry: Registry, _ lane: Lane, _ links: LinkKeeper, _ opener: LinkOpener,
    _ outcomes: VisitOutcomes
  ) {
    self.context = context
    self.registry = registry
    self.lane = lane
    self.links = links
    self.opener = opener
    self.outcomes = outcomes
  }

  private var loop: any Loop { context.loop }

  /// A visit of `wearable`, over a new link or over the one that is open.
  func visit(_ wearable: EnrolledWearable) async {
    guard let driver = wearable.driver else { return }
    guard let link = await linked(wearable, driver) else { return }
    // Beside the lane nobody is visited: whoever turns out to hold something is visited over its link, when the lane is
    // free.
    guard let turn = link.session, lane.takesLane(wearable) else {
      if link.session == nil { syncOrder(of: wearable)?.end(SyncKeeper.keepsNothing(wearable.name)) }
      await bringTime(wearable, link)
      guard wearable.link === link else { return }
      return await opener.goLiveOnly(wearable, link, driver)
    }
    await runVisit(wearable, link, turn, driver)
  }

  /// Before its live sources: it would hang up while they are subscribed.
  private func bringTime(_ wearable: EnrolledWearable, _ link: LiveLink) async {
    guard LinkTime.isWanted(wearable, over: link), let turn = link.session else { return }
    let trigger = lane.planner.trigger(of: wearable)
    let time = LinkTime(wearable, turn, context, number: nextVisit(), trigger: trigger)
    if await time.bring(loop) { registry.persistIfEnrolled(wearable) }
  }

  /// The open link, or a new one whose database is known. Nil: it failed, which was said.
  private func linked(_ wearable: EnrolledWearable, _ driver: any WearableDriver) async -> LiveLink? {
    if let link = wearable.link, link.work != nil { return link }
    let link = await opener.connect(wearable, driver)
    if link != nil { lane.linkMade() }
    return link
  }

  private func runVisit(
    _ wearable: EnrolledWearable, _ link: LiveLink, _ turn: LinkSession, _ driver: any WearableDriver
  ) async {
    // An operator's action over the same link is done within its limit.
    while !turn.take() {
      guard turn.link.end == nil, (try? await loop.sleep(for: .milliseconds(250))) != nil else { return }
    }
    guard lane.holder === wearable, registry.all.allSatisfy({ $0.visits.running == nil }) else {
      fatalError("a visit begins that does not have the lane alone")
    }
    let runner = VisitRunner(self, wearable, turn, number: nextVisit(), trigger: lane.planner.trigger(of: wearable))
    wearable.visits.running = runner
    wearable.lane.announced = false
    turn.link.forgetOddities()
    context.changes.link(of: wearable, .used)
    turn.link.events.onProgress = { [weak runner] bytes in runner?.noteProgress(bytes) }
    // What connecting had to say is over: the wearable is there.
    wearable.trouble = outcomes.lasting(wearable)
    context.logger.info(
      "visit",
      metadata: ["DEVICE": "\(wearable.name)", "VISIT": "\(runner.record.number)", "TRIGGER": "\(runner.trigger.name)"])
    let end = await runner.run { () throws(GATTError) in
      let timer = loop.schedule(after: context.options.settleDeadline) { turn.link.giveUp(.link(.procedureTimeout)) }
      defer { loop.cancel(timer) }
      try await opener.goLive(wearable, link, driver)
    }
    let hadItsTime = runner.hadItsTime
    wearable.visits.running = nil
    wearable.visits.lastAsked = loop.now
    if wearable.link === link {
      if staysLinked(wearable, link, end) {
        await turn.goLive()
        await runner.serveRequests()
      } else {
        await turn.closing()
      }
    }
    turn.give()
    leave(wearable, link, end)
    outcomes.visitEnded(
      wearable, end, hasBrought: runner.hasBrought, hadItsTime: hadItsTime, scope: runner.fetchedScope,
      isOfAll: runner.isOfAll)
    if runner.hasMoved { goOn(wearable, runner) } else { settleRequests(wearable, turn, end) }
    outcomes.settleSync(wearable, end, remark: runner.record.remark)
  }

  /// It is another driver's: what was asked for, and everything else, is that driver's to bring in a visit that comes
  /// next.
  private func goOn(_ wearable: EnrolledWearable, _ runner: VisitRunner) {
    wearable.lane.resumes = true
    if runner.trigger == .operatorAsked || !requests[wearable].isEmpty { lane.request(wearable) }
    context.changes.raise(.lane)
  }

  /// What was asked while the visit was being closed waits for the next one; what could not be asked is answered.
  private func settleRequests(_ wearable: EnrolledWearable, _ turn: LinkSession, _ end: VisitEnd) {
    if requests[wearable].isEmpty { return }
    guard end.outcome.consequence.endsLink || turn.link.end != nil else { return lane.request(wearable) }
    let trouble = end.trouble ?? VisitOutcomes.trouble(of: wearable, end)
    requests[wearable].refuse(trouble)
  }

  /// The link stays where something comes over it, or is needed over it.
  private func leave(_ wearable: EnrolledWearable, _ link: LiveLink, _ end: VisitEnd) {
    guard wearable.link === link else { return }
    // With the hub all links end, each when what goes on over it was ended (`LinkKeeper`); what that ends is wanted
    // again by the next hub.
    if context.phase != .serving { return }
    let stays = staysLinked(wearable, link, end)
    wearable.lane.keepsLink = stays
    guard stays else { return links.drop(wearable) }
    context.changes.happened(.linkKept(wearable))
    if wearable.noteLink() { registry.persist(wearable) }
    // No link is left as fast as it was made, whatever became of its visit.
    if let work = link.work { context.changes.link(of: wearable, .kept(work)) }
    context.changes.link(of: wearable, .used)
  }

  private func staysLinked(_ wearable: EnrolledWearable, _ link: LiveLink, _ end: VisitEnd) -> Bool {
    if end.outcome.consequence.endsLink || link.work?.end != nil || context.phase != .serving { return false }
    if wearable.lane.measuring.isAny || link.session?.session.attended?.attendance != nil { return true }
    if link.isDrained || wearable.isPaused, !lane.isAwaited(wearable) { return false }
    // Where the check failed and nothing may be listened to either, a link is of no use.
    let streams = wearable.driver?.streams(link.work?.database) == true
    return streams && (end.trouble == nil || link.hears && link.isSettled)
  }

  /// Writes the last reading of each clock that the log lacks, as visits that brought nothing are seldom written: the
  /// next hub times by it what was recorded before the clock is set or lost.
  func stop() async {
    for wearable in registry.all {
      guard let unlogged = wearable.visits.unlogged else { continue }
      wearable.visits.unlogged = nil
      do throws(HearthError) { try await context.store.putVisit(unlogged) } catch { logger.error("\(error)") }
    }
  }

  /// One that was never written may be given again by the store, but not in one life of the hub.
  private func nextVisit() -> UInt64 {
    let next = max((try? context.store.nextVisitNumber()) ?? 1, lastNumber + 1)
    lastNumber = next
    return next
  }

  // MARK: What a running visit asks

  /// What people asked and waits for visits.
  var requests: Requests { outcomes.orders.requests }

  /// The sync that was ordered last.
  func syncOrder(of wearable: EnrolledWearable) -> SyncOrder? { outcomes.orders.sync(of: wearable) }

  func shouldYield(_ holder: EnrolledWearable, since: Instant) -> Bool {
    lane.shouldYield(holder, since: since)
  }

  func isTimed(_ wearable: EnrolledWearable) -> Bool { lane.planner.isTimed(wearable) }

  /// Somebody waits for the lane, or for the slot of its link.
  func isWanted(instead wearable: EnrolledWearable) -> Bool {
    lane.planner.isWanted(instead: wearable, orLink: lane.slots.areFull)
  }

  /// Trouble that stays, visit after visit.
  func lasting(_ wearable: EnrolledWearable) -> HearthError? { outcomes.lasting(wearable) }

  /// Under which removals are worth a try, or not.
  func circumstances(of wearable: EnrolledWearable) -> ErasingNotes.Circumstances {
    outcomes.circumstances(of: wearable)
  }

  /// Moves a wearable to the driver that its session says is its own; see `Identification.follow`.
  func follow(_ session: any WearableSession, _ wearable: EnrolledWearable, _ link: HubLink) -> String? {
    Identification(context: context, registry: registry).follow(session, wearable, link)
  }

  func keepNotes(_ wearable: EnrolledWearable) { registry.keepNotes(wearable) }

  func mayErase(_ wearable: EnrolledWearable, in trigger: VisitTrigger) -> Bool {
    // What is not kept beyond the power is no reason to erase.
    if !context.store.mayLetForget() { return false }
    return wearable.choices.erasing.allows(context.options.erase, isAsked: trigger == .operatorAsked)
  }

  var options: HearthOptions { context.options }
  var logger: Logger { context.logger }
}

extension WearableDriver {
  /// A wearable with this database has something to say unasked.
  fileprivate func streams(_ database: GATTDatabase?) -> Bool {
    (database.map(liveSources(in:)) ?? liveSources).contains { $0.mode != .read }
  }
}
