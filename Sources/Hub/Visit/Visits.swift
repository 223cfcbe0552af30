// A visit with stages: how it is begun, ended early, and what its end leads to.

import Bluetooth
import EventLoop
public import Reasons
import RingStore
import Wearable

extension Hearth {
  func runVisit(_ tenant: Tenant, _ link: LiveLink, _ turn: LinkSession, _ driver: any WearableDriver) async {
    // An operator's action over the same link is done within its limit.
    while !turn.take() {
      guard turn.link.end == nil, (try? await loop.sleep(for: .milliseconds(250))) != nil else { return }
    }
    let runner = VisitRunner(self, tenant, turn, number: nextVisit(), trigger: scheduler.trigger(candidate(tenant)))
    tenant.visits.running = runner
    tenant.standing.announced = false
    turn.link.forgetOddities()
    tenant.profile?.review()
    turn.link.onProgress = { [weak runner] bytes in runner?.noteProgress(bytes) }
    // What connecting had to say is over: the wearable is there.
    tenant.trouble = lasting(tenant)
    logger.info("visit", metadata: ["DEVICE": "\(tenant.record.name)", "VISIT": "\(runner.record.number)", "TRIGGER": "\(runner.trigger.name)"])
    let end = await runner.run { () throws(GATTError) in
      let timer = loop.schedule(after: options.settleDeadline) { turn.link.giveUp(.link(.procedureTimeout)) }
      defer { loop.cancel(timer) }
      try await goLive(tenant, link, driver)
    }
    tenant.visits.running = nil
    tenant.visits.lastAsked = loop.now
    if tenant.link === link {
      if staysLinked(tenant, link, end) {
        await turn.goLive()
        await runner.serveRequests()
      } else {
        await turn.farewell()
      }
    }
    turn.give()
    leave(tenant, link, end)
    visitEnded(tenant, end)
    settleRequests(tenant, turn, end)
  }

  /// What was asked while the visit was being closed waits for the next one; what could not be asked is answered.
  private func settleRequests(_ tenant: Tenant, _ turn: LinkSession, _ end: VisitEnd) {
    if tenant.requests.isEmpty { return }
    guard end.outcome.consequence.endsLink || turn.link.end != nil else { return requestVisit(tenant) }
    let trouble = end.trouble ?? HearthError(.visitBroken, "\(tenant.record.name): a visit ended: \(end.outcome.name)")
    refuseRequests(of: tenant, trouble)
  }

  /// The link stays where something comes over it, or is needed over it.
  private func leave(_ tenant: Tenant, _ link: LiveLink, _ end: VisitEnd) {
    guard tenant.link === link else { return }
    let stays = staysLinked(tenant, link, end)
    // What the end of the hub ends is wanted again by the next one.
    if phase == .serving { tenant.standing.keepsLink = stays }
    guard stays else { return drop(tenant) }
    if tenant.noteLink() { persist(tenant) }
    // No link is left as fast as it was made, whatever became of its visit.
    if let work = link.work, tenant.profile?.link !== work { tenant.profile?.attach(work) }
    tenant.profile?.review()
  }

  private func staysLinked(_ tenant: Tenant, _ link: LiveLink, _ end: VisitEnd) -> Bool {
    if end.outcome.consequence.endsLink || link.work?.end != nil || phase != .serving { return false }
    if link.session?.session.attendance != nil { return true }
    // Where the check failed and nothing may be listened to either, a link is of no use.
    return tenant.driver?.streams == true && (end.trouble == nil || link.hears && link.isSettled)
  }

  /// What follows the end of a visit: the choice of the next one, the log, the lights.
  func visitEnded(_ tenant: Tenant, _ end: VisitEnd) {
    let consequence = end.outcome.consequence
    tenant.standing.oldestUnfetched = tenant.visits.oldestUnfetched(now: loop.wall).map { loop.now - (loop.wall - $0) }
    if let failure = end.failure {
      noteFailure(tenant, end.trouble ?? HearthError(.visitBroken, "\(tenant.record.name): a visit ended: \(end.outcome.name)"), failure)
      if !consequence.isTrouble { tenant.trouble = nil }
    } else if tenant.trouble?.reason.staysWithItems == true {
      tenant.trouble = nil
    }
    visitEnded(tenant, end.outcome)
    if end.trouble?.reason == .keyMissing { keyIsMissing(tenant) }
    // Work that goes on without a key is no reason to be silent about it.
    if tenant.trouble?.reason.staysWithItems ?? true, lostBonds.contains(tenant.address) {
      tenant.trouble = lostKey(tenant)
    }
    // Its memory fills, and only a person can mend that.
    if tenant.trouble == nil, tenant.erasing.keepsWhatWasRemoved(circumstances(of: tenant)) {
      tenant.trouble = HearthError(.eraseIneffective, "\(tenant.record.name) keeps what it was told to remove")
    }
    if tenant.trouble == nil { tenant.trouble = lasting(tenant) }
    if consequence.dips { lights?.dip() }
    logger.info("visit ended", metadata: ["DEVICE": "\(tenant.record.name)", "OUTCOME": "\(end.outcome.name)"])
    showLights()
  }

  /// Trouble that stays, visit after visit, until a person mends it: what it holds cannot be read. nil where there is none.
  func lasting(_ tenant: Tenant) -> HearthError? {
    // A book that cannot be read says nothing; the visit that needs it says why.
    try? tenant.visits.book.load()
    let (name, book) = (tenant.record.name, tenant.visits.book)
    let (locked, defective) = (book.locked.count, book.defective.count)
    let torn =
      defective == 1
      ? "a file of \(name) cannot be read; it is kept as it is"
      : "\(defective) files of \(name) cannot be read; they are kept as they are"
    if locked == 0 { return defective == 0 ? nil : HearthError(.itemDefective, torn) }
    let what = locked == 1 ? "a file of \(name) is" : "\(locked) files of \(name) are"
    let text = "\(what) encrypted, and the hub has \(tenant.record.secret == nil ? "no key" : "another key")"
    return HearthError(.itemLocked, defective == 0 ? text : "\(text); \(torn)")
  }

  /// One that was never written may be given again by the store, but not in one life of the hub.
  private func nextVisit() -> UInt64 {
    let next = max((try? store.nextVisitNumber()) ?? 1, lastVisit + 1)
    lastVisit = next
    return next
  }

  /// Reads what the log of visits says about those who are enrolled: their clocks, and when they were visited.
  func rememberVisits() {
    guard let visits = try? store.recentVisits(1000) else { return }
    for tenant in tenants {
      let own = visits.reversed().filter { $0.wearable == tenant.record.id }
      tenant.visits.clock = ClockKeeper(own, boot: store.bootID)
      tenant.visits.last = own.last
      // What it holds is looked at again in its next visit; what could not be read in the last one is there until then.
      if let last = own.last, let reason = Reason(rawValue: last.outcome), reason.staysWithItems, tenant.trouble == nil {
        tenant.trouble = HearthError(reason, last.remark)
      }
      guard let done = own.last(where: { $0.ended != nil && $0.laneOutcome == VisitOutcome.done.rawValue }), let ended = done.ended else { continue }
      let age = loop.wall - ended
      // A wall clock that was set since then makes no visit come later than it would without the log.
      if age >= .zero { tenant.standing.visitedAt = loop.now - age }
    }
  }

  /// Ends the visit that is running, with what it has: what was fetched is kept and the wearable is left in order.
  func endVisit() async {
    laneHolder?.visits.running?.interrupt(.link(.cancelled))
    let hurry = loop.schedule(after: Self.farewell) { [weak self] in self?.laneTask?.cancel() }
    if laneHolder?.visits.running == nil { laneTask?.cancel() }
    await laneTask?.value
    loop.cancel(hurry)
  }

  /// The service manager waits longer; a wearable that does not answer by then is left as it is.
  private static var farewell: Duration { .seconds(5) }

  /// Keeps the notes about a wearable.
  func keepNotes(_ tenant: Tenant) {
    tenant.erasing.write(to: &tenant.record.notes)
    if tenantByAddress[tenant.address] === tenant { persist(tenant) }
  }

  /// Under which removals are worth a try, or not.
  func circumstances(of tenant: Tenant) -> ErasingNotes.Circumstances {
    ErasingNotes.Circumstances(booted: tenant.visits.booted, firmware: tenant.record.facts["firmware"], now: loop.wall)
  }

  func mayErase(_ tenant: Tenant, in trigger: VisitTrigger) -> Bool { tenant.erasing.allows(options.erase, isAsked: trigger == .operatorAsked) }

  /// Keeps an operator's choice whether anything is removed on this wearable; nil: as configured. Durable when it returns.
  ///
  /// - Throws: `noSuchWearable`, `requestUnsupported` where its kind removes nothing, or why the disk refused; then nothing has changed.
  public func setErasing(_ which: String, _ choice: EraseChoice?) async throws(HearthError) -> WearableSnapshot {
    let tenant = try require(which)
    if choice == .yes || choice == .ask, tenant.driver?.capabilities.contains(.erase) != true {
      throw HearthError(.requestUnsupported, "\(tenant.record.name): its kind has nothing that could be removed")
    }
    var record = tenant.record
    var notes = tenant.erasing
    notes.choice = choice
    notes.write(to: &record.notes)
    try await store.update(record)
    tenant.erasing.choice = choice
    tenant.erasing.write(to: &tenant.record.notes)
    return snapshot(of: tenant)
  }
}

extension VisitEnd {
  /// As the rules of reconnection know it; nil where nothing failed.
  var failure: TryFailure? {
    switch outcome {
    case .done, .sliceOver, .abandoned: nil
    case .interrupted: .link(link?.link ?? .linkLost)
    case .busy: .busy(retryAfter: retryAfter)
    case .refused: .refused
    case .broken: .broken
    case .silent: .silent
    case .noRoom: .noRoom
    // The next link finds out whether it goes on without the key, or pairs anew.
    case .needsAttention: trouble?.reason == .keyMissing ? .link(.keyMissing) : .needsAttention
    }
  }
}

extension WearableDriver {
  /// It has something to say unasked.
  var streams: Bool { liveSources.contains { $0.mode != .read } }
}

extension Reason {
  /// Told as long as the wearable holds what it is about.
  var staysWithItems: Bool { self == .itemLocked || self == .itemDefective }
}
