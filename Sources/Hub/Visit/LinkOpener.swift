// A link from the lane's turn to its use: connected, its database known, its session made, its sources subscribed.

import Bluetooth
import EventLoop
import Reasons
import RingStore
import StateCodec
import Wearable

/// Opens links, and handles links that end or fail while no visit runs over them.
@LoopActor
final class LinkOpener {
  private let context: HubContext
  private let registry: Registry
  private let presence: PresenceMonitor
  private let live: LiveValues
  private let pairing: Pairing
  private let wearers: WearerKeeper
  private let links: LinkKeeper
  private let outcomes: VisitOutcomes
  private let time: TimeTeller

  init(
    _ context: HubContext, _ registry: Registry, _ presence: PresenceMonitor, _ live: LiveValues, _ pairing: Pairing,
    _ wearers: WearerKeeper, _ links: LinkKeeper, _ outcomes: VisitOutcomes
  ) {
    self.context = context
    self.registry = registry
    self.presence = presence
    self.live = live
    self.pairing = pairing
    self.wearers = wearers
    self.links = links
    self.outcomes = outcomes
    time = TimeTeller(context)
    context.changes.listen { [weak self] change in
      switch change {
      case .useless(let wearable, let link, let error): self?.giveUp(wearable, link, error)
      case .drained(let wearable, let link): self?.letGo(wearable, link)
      case .shown, .visitDone, .lane, .announced, .awaited, .alerted: break
      }
    }
  }

  private var loop: any Loop { context.loop }
  private var identity: IdentityCheck { IdentityCheck(context: context, bonds: outcomes.bonds) }

  // MARK: Connecting

  /// Makes a new link, and gets its database. Nil: it failed, which was reported.
  func connect(_ wearable: EnrolledWearable, _ driver: any WearableDriver) async -> LiveLink? {
    let options = context.options
    wearable.live.counters.attempts += 1
    context.tally.linkAttempts += 1
    pairing.admit(before: wearable.address)
    let limit = wearable.connectLimit(options.connectDeadline, interval: presence.interval(of: wearable))
    let bearer: any Bearer
    do {
      bearer = try await context.connector.connect(
        to: wearable.address, for: .visit, deadline: loop.now + limit,
        parameters: options.parameters(of: .foreground))
    } catch {
      outcomes.noLink(wearable, HearthError(error.reason, "\(wearable.name) \(error.clause)"), error)
      return nil
    }
    guard context.phase == .serving, registry.contains(wearable) else {
      // The wearable was removed, or the hub stopped, while the link was being made.
      bearer.close(immediately: true)
      return nil
    }
    let link = adopt(bearer, wearable, driver)
    let isOpen = await settling(wearable, link) { () throws(GATTError) in
      try await open(wearable, link, bearer, driver)
    }
    return isOpen ? link : nil
  }

  private func adopt(_ bearer: any Bearer, _ wearable: EnrolledWearable, _ driver: any WearableDriver) -> LiveLink {
    let client = GATTClient(
      bearer, loop: loop, server: TimeService.server, floodGuard: context.options.floodGuard)
    time.serve(client)
    let link = LiveLink(client, wearable: wearable, driver: driver, context: context, live: live)
    wearable.take(link)
    context.changes.link(of: wearable, .changed)
    wearable.lane.gaveUpSlot = false
    context.changes.raise(.shown)
    wearable.live.counters.links += 1
    context.tally.linksMade += 1
    client.onClosed = { [weak self, weak wearable, weak link] error in
      guard let self, let wearable, let link, wearable.link === link else { return }
      lost(wearable, link, error)
    }
    return link
  }

  /// Gets the wearable's database, and passes the link to a session.
  private func open(
    _ wearable: EnrolledWearable, _ link: LiveLink, _ bearer: any Bearer, _ driver: any WearableDriver
  ) async throws(GATTError) {
    let stored = wearable.record.gattCache.flatMap { bytes in bytes.withUnsafeBytes { GATTCache(decoding: $0) } }
    let database = try await link.client.open(cache: stored)
    let work = HubLink(
      link.client, bearer, subscriptions: link.subscriptions, database: database, radio: context.radio, loop: loop)
    try await identity.judge(wearable, link, work)
    prepare(work, wearable, link, driver)
    link.work = work
    guard let session = driver.makeSession(work) else {
      // Other wearables of its family may store data; this one only streams.
      wearable.lane.holdsData = false
      wearable.lane.keepsLink = true
      return
    }
    wearable.lane.holdsData = driver.holdsData || driver is any MixedDriver
    let turn = LinkSession(session, work, loop: loop)
    turn.onTrouble = { [weak work] trouble in work?.note("attention: \(trouble)") }
    turn.onFree = { [context, weak wearable] in if let wearable { context.changes.link(of: wearable, .freed) } }
    turn.onOrders = { [weak self, weak wearable, weak link] in
      guard let self, let wearable, link?.noteMonitoring() == true else { return }
      registry.persistIfEnrolled(wearable)
      context.changes.raise(.shown)
    }
    link.session = turn
    if let decoder = session.decoding?.decoder { link.use(decoder) }
  }

  /// Prepares the knowledge and the callbacks of a session's link.
  private func prepare(_ work: HubLink, _ wearable: EnrolledWearable, _ link: LiveLink, _ driver: any WearableDriver) {
    work.knowledge.zone = context.options.timeZone
    work.keep(driver.paced?.writePaces ?? [], since: link.since)
    work.knowledge.boot = context.store.bootID.map { "\(String($0.high, radix: 16))-\(String($0.low, radix: 16))" }
    work.events.onOddity = { [weak wearable, context] oddity in
      guard let wearable else { return }
      wearable.live.counters.anomalies += 1
      context.logger.notice("odd: \(oddity)", metadata: ["DEVICE": "\(wearable.name)"])
    }
    work.events.onReached = { [context] in context.changes.raise(.shown) }
    work.events.onGivenUp = { [weak self, weak wearable, weak link] trouble in
      guard let self, let wearable, let link, wearable.link === link, wearable.visits.running == nil else { return }
      // Between visits no other component would notice.
      links.drop(wearable)
      outcomes.visitEnded(wearable, VisitEnd(trouble, name: wearable.name))
      context.changes.raise(.lane)
    }
    work.events.maySecure = { [weak self, weak wearable] in
      guard let self, let wearable else { return false }
      return pairing.maySecure(wearable)
    }
    work.events.whereRefused = { [weak self, weak wearable] in
      guard let self, let wearable else { return .stands }
      return pairing.whereRefused(wearable)
    }
    work.events.encryptsAfterRefusal = { [weak self, weak wearable] in
      if let self, let wearable { pairing.refusedUs(wearable) }
    }
    wearers.review(wearable)
    work.knowledge.orders = wearable.orders
    work.events.hasReading = { [store = context.store, id = wearable.id] mark async throws(HearthError) in
      guard let ticket = store.ticket(of: mark, id) else { return false }
      try await store.durable(ticket, atOnce: true)
      return true
    }
    work.events.memory = { [weak wearable] in wearable?.record.driverState ?? RememberedStates() }
    work.events.onRemember = { [weak self, weak wearable] states in
      guard let self, let wearable else { return }
      wearable.keepDriverState(states)
      registry.persistIfEnrolled(wearable)
    }
    work.events.beforeClockMoves = { [weak self, weak wearable] shown async throws(HearthError) in
      guard let self, let wearable, registry.contains(wearable) else { return }
      try await wearable.keepClock(shown, context.store)
    }
    let advertised = presence.advertisedName(of: wearable)
    let services = presence[wearable.address]?.scanResult.services ?? []
    if wearable.noteSighting(name: advertised, services: services) { registry.persist(wearable) }
    work.knowledge.known = wearable.known(advertised, firmware: link.client.firmwareRead)
  }

  /// Runs the steps to a settled link, within the settle deadline. False: it failed, which was reported.
  private func settling(
    _ wearable: EnrolledWearable, _ link: LiveLink, _ body: () async throws(GATTError) -> Void
  ) async -> Bool {
    var isLate = false
    let client = link.client
    let limit = wearable.settleLimit(context.options.settleDeadline)
    let watch = SettlingWatch(link, loop: loop, limit: limit) { [lane = outcomes.lane, weak wearable] in
      // A link may be slow if no other wearable waits, or if the wearable is proven.
      wearable.map { $0.linkReputation != .proven && lane.planner.isWanted(instead: $0, orLink: true) } ?? false
    }
    watch.onLate = {
      isLate = true
      client.close(immediately: true)
    }
    watch.begin()
    defer { watch.end() }
    do throws(GATTError) {
      try await body()
      return wearable.link === link
    } catch {
      if client.cache == nil, link.isBelieved { wearable.keepCache(nil) }
      guard wearable.link === link || isLate else { return false }  // `lost` has already reported that
      if let suspicion = link.suspicion {
        links.drop(wearable)
        outcomes.notBelieved(wearable, suspicion)
        return false
      }
      let trouble =
        isLate ? HearthError(.procedureTimeout, "\(wearable.name) \(watch.clause)") : describe(error, wearable)
      links.drop(wearable)
      // The turn was given up for another wearable, so the failure does not count.
      outcomes.noLink(wearable, trouble, !isLate && error == .cancelled ? .aborted : nil)
      return false
    }
  }

  // MARK: Going live

  /// Starts live values of a wearable that only streams.
  func goLiveOnly(_ wearable: EnrolledWearable, _ link: LiveLink, _ driver: any WearableDriver) async {
    let isLive = await settling(wearable, link) { () throws(GATTError) in try await goLive(wearable, link, driver) }
    guard isLive else { return }
    wearable.trouble = nil
    wearable.lane.wentLive(isVisited: link.session != nil)
    context.changes.happened(.linkKept(wearable))
    // A wearable with a session is visited over this link, and gets its requests then.
    if link.session == nil { outcomes.orders.requests[wearable].refuse(RequestQueue.hasNothingToAsk(wearable.name)) }
    context.changes.raise(.shown)
    context.changes.raise(.visitDone)
    if link.isDrained { letGo(wearable, link) }
  }

  /// Subscribes its live sources, unless they are.
  func goLive(_ wearable: EnrolledWearable, _ link: LiveLink, _ driver: any WearableDriver) async throws(GATTError) {
    guard let work = link.work, !link.isSettled else { return }
    try await link.settle(driver, work.database)
    if wearable.link !== link { throw .closed(.aborted) }
    // By now its identity is known.
    work.knowledge.known = presence.known(of: wearable)
    context.logger.info("live", metadata: ["DEVICE": "\(wearable.name)", "MTU": "\(link.client.mtu)"])
    wearable.keepCache(link.client.cache?.encode())
    identity.learn(wearable, link)
    registry.persist(wearable)
    context.changes.link(of: wearable, .settled(work))
    try await Identification(context: context, registry: registry).identify(wearable, link, work)
  }

  // MARK: The end

  /// Ends a useless live link.
  private func giveUp(_ wearable: EnrolledWearable, _ link: LiveLink, _ error: GATTError) {
    guard wearable.link === link else { return }
    if wearable.visits.running != nil {
      // The visit handles the consequences.
      link.work?.giveUp(.link(error))
      return
    }
    links.drop(wearable)
    outcomes.noLink(wearable, describe(error, wearable), nil)
    context.changes.raise(.lane)
  }

  /// Ends a live link without further data, so that its slot is free for others. A visit checks that itself at its end.
  private func letGo(_ wearable: EnrolledWearable, _ link: LiveLink) {
    guard wearable.link === link, link.isSettled, wearable.visits.running == nil, !outcomes.lane.isAwaited(wearable)
    else { return }
    links.drop(wearable)
    wearable.lane.keepsLink = wearable.needsLink
    outcomes.leftInOrder(wearable)
    // A wearable that goes on advertising would be linked again at once, and again.
    if !wearable.hasShortPresence { wearable.lane.retry.postpone(until: loop.now + Self.drainedRest) }
  }

  /// A wearable that measures again is heard within a minute.
  private static let drainedRest: Duration = .seconds(60)

  private func describe(_ error: GATTError, _ wearable: EnrolledWearable) -> HearthError {
    HearthError(error.reason, "\(wearable.name) \(error.clause)")
  }

  /// Handles the end of an open link that the hub did not end.
  private func lost(_ wearable: EnrolledWearable, _ link: LiveLink, _ error: GATTError) {
    let lasted = loop.now - link.since
    wearable.live.counters.lost()
    context.tally.linksLost += 1
    // Callers that wait for an answer over it get the reason.
    link.work?.ended(.link(error))
    let wasUseful = link.hasBrought && lasted >= BackOff.useful
    links.drop(wearable)
    wearable.reserveSlot(loop.now)
    if wearable.visits.running != nil { return }
    // The wearable has sent all its data.
    if wearable.hasShortPresence, link.isSettled, error.link == .peerClosed { return outcomes.leftInOrder(wearable) }
    if wasUseful {
      wearable.lane.retry.wasUseful()
    } else if lasted >= BackOff.proven {
      wearable.lane.retry.succeeded()
    }
    outcomes.noLink(wearable, describe(error, wearable), error.link)
    context.changes.raise(.lane)
  }
}
