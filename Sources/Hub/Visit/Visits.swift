// The turn of the lane's holder, over a new link or an open one, with the stages of a visit if it has a session.

import Bluetooth
import EventLoop
import Logging
import Reasons
import RingStore
import Wearable

/// Makes visits. Passes the results to the wearable and to the lane.
@LoopActor
final class Visits {
  let context: HubContext
  let registry: Registry
  private let lane: Lane
  private let links: LinkKeeper
  private let opener: LinkOpener
  private let outcomes: VisitOutcomes
  /// Number of the last visit that began.
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

  /// Visits `wearable`, over a new link or over the open one.
  func visit(_ wearable: EnrolledWearable) async {
    guard let driver = wearable.driver else { return }
    guard let link = await linked(wearable, driver) else { return }
    // There are no visits beside the lane. A wearable that turns out to hold data is visited over its link when the
    // lane is free.
    guard let turn = link.session, lane.takesLane(wearable) else {
      if link.session == nil { syncOrder(of: wearable)?.end(SyncKeeper.keepsNothing(wearable.name)) }
      await bringTime(wearable, link)
      guard wearable.link === link else { return }
      return await opener.goLiveOnly(wearable, link, driver)
    }
    await runVisit(wearable, link, turn, driver)
  }

  /// Sets the time before live sources are subscribed, as the wearable would hang up meanwhile.
  private func bringTime(_ wearable: EnrolledWearable, _ link: LiveLink) async {
    guard LinkTime.isWanted(wearable, over: link), let turn = link.session else { return }
    let trigger = lane.planner.trigger(of: wearable)
    let time = LinkTime(wearable, turn, context, number: nextVisit(), trigger: trigger)
    if await time.bring(loop) { registry.persistIfEnrolled(wearable) }
  }

  /// The open link, or a new one with a known database. Nil: it failed, which was reported.
  private func linked(_ wearable: EnrolledWearable, _ driver: any WearableDriver) async -> LiveLink? {
    if let link = wearable.link, link.work != nil { return link }
    let link = await opener.connect(wearable, driver)
    if link != nil { lane.linkMade() }
    return link
  }

  private func runVisit(
    _ wearable: EnrolledWearable, _ link: LiveLink, _ turn: LinkSession, _ driver: any WearableDriver
  ) async {
    // An operator's action over the same link ends within its limit.
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
    // Troubles of connecting are over: the wearable is here.
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

  /// Handles a wearable that moved to another driver: that driver's visit comes next, with all requests.
  private func goOn(_ wearable: EnrolledWearable, _ runner: VisitRunner) {
    wearable.lane.resumes = true
    if runner.trigger == .operatorAsked || !requests[wearable].isEmpty { lane.request(wearable) }
    context.changes.raise(.lane)
  }

  /// Requests that came while the visit was being closed wait for the next one; those that are impossible are answered.
  private func settleRequests(_ wearable: EnrolledWearable, _ turn: LinkSession, _ end: VisitEnd) {
    if requests[wearable].isEmpty { return }
    guard end.outcome.consequence.endsLink || turn.link.end != nil else { return lane.request(wearable) }
    let trouble = end.trouble ?? VisitOutcomes.trouble(of: wearable, end)
    requests[wearable].refuse(trouble)
  }

  /// Leaves the link open if values come over it, or if it is needed.
  private func leave(_ wearable: EnrolledWearable, _ link: LiveLink, _ end: VisitEnd) {
    guard wearable.link === link else { return }
    // When the hub stops, all links end in order (`LinkKeeper`); the next hub makes them again.
    if context.phase != .serving { return }
    let stays = staysLinked(wearable, link, end)
    wearable.lane.keepsLink = stays
    guard stays else { return links.drop(wearable) }
    context.changes.happened(.linkKept(wearable))
    if wearable.noteLink() { registry.persist(wearable) }
    // A link does not stay as fast as it was made, whatever the visit's end.
    if let work = link.work { context.changes.link(of: wearable, .kept(work)) }
    context.changes.link(of: wearable, .used)
  }

  private func staysLinked(_ wearable: EnrolledWearable, _ link: LiveLink, _ end: VisitEnd) -> Bool {
    if end.outcome.consequence.endsLink || link.work?.end != nil || context.phase != .serving { return false }
    if wearable.lane.measuring.isAny || link.session?.session.attended?.attendance != nil { return true }
    if link.isDrained || wearable.isPaused, !lane.isAwaited(wearable) { return false }
    // After a failed check without live values, a link is useless.
    let streams = wearable.driver?.streams(link.work?.database) == true
    return streams && (end.trouble == nil || link.hears && link.isSettled)
  }

  /// Writes the last reading of each clock that the log lacks, as visits without data are rarely logged. The next hub
  /// needs it to date what was recorded before the clock is set or lost.
  func stop() async {
    for wearable in registry.all {
      guard let unlogged = wearable.visits.unlogged else { continue }
      wearable.visits.unlogged = nil
      do throws(HearthError) { try await context.store.putVisit(unlogged) } catch { logger.error("\(error)") }
    }
  }

  /// The store may reuse a number that was never written, but not within one life of the hub.
  private func nextVisit() -> UInt64 {
    let next = max((try? context.store.nextVisitNumber()) ?? 1, lastNumber + 1)
    lastNumber = next
    return next
  }

  // MARK: Queries of a running visit

  /// Requests of people that wait for visits.
  var requests: Requests { outcomes.orders.requests }

  /// The last ordered sync.
  func syncOrder(of wearable: EnrolledWearable) -> SyncOrder? { outcomes.orders.sync(of: wearable) }

  func shouldYield(_ holder: EnrolledWearable, since: Instant) -> Bool {
    lane.shouldYield(holder, since: since)
  }

  func isTimed(_ wearable: EnrolledWearable) -> Bool { lane.planner.isTimed(wearable) }

  /// Whether another wearable waits for the lane, or for the slot of this one's link.
  func isWanted(instead wearable: EnrolledWearable) -> Bool {
    lane.planner.isWanted(instead: wearable, orLink: lane.slots.areFull)
  }

  /// The lasting trouble of a wearable.
  func lasting(_ wearable: EnrolledWearable) -> HearthError? { outcomes.lasting(wearable) }

  /// The circumstances that decide whether removals are worth a try.
  func circumstances(of wearable: EnrolledWearable) -> ErasingNotes.Circumstances {
    outcomes.circumstances(of: wearable)
  }

  /// Moves a wearable to the driver that its session names as its own; see `Identification.follow`.
  func follow(_ session: any WearableSession, _ wearable: EnrolledWearable, _ link: HubLink) -> String? {
    Identification(context: context, registry: registry).follow(session, wearable, link)
  }

  func keepNotes(_ wearable: EnrolledWearable) { registry.keepNotes(wearable) }

  func mayErase(_ wearable: EnrolledWearable, in trigger: VisitTrigger) -> Bool {
    // Data that may not survive a power cut is no reason to erase.
    if !context.store.mayLetForget() { return false }
    return wearable.choices.erasing.allows(context.options.erase, isAsked: trigger == .operatorAsked)
  }

  var options: HearthOptions { context.options }
  var logger: Logger { context.logger }
}

extension WearableDriver {
  /// Whether a wearable with this database sends values unrequested.
  fileprivate func streams(_ database: GATTDatabase?) -> Bool {
    (database.map(liveSources(in:)) ?? liveSources).contains { $0.mode != .read }
  }
}
