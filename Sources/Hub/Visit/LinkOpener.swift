// The turn of the wearable that holds the lane: from connecting to live data, with its stages in between where it has some.

import Bluetooth
import EventLoop
import Reasons
import RingStore
import Wearable

extension Hearth {
  /// A visit of `tenant`, over a new link or over the one that is open.
  func visit(_ tenant: Tenant) async {
    guard let driver = tenant.driver else { return }
    guard let link = await linked(tenant, driver) else { return }
    guard let turn = link.session else {
      await goLiveOnly(tenant, link, driver)
      return
    }
    await runVisit(tenant, link, turn, driver)
  }

  /// The open link, or a new one whose database is known. Nil: it failed, which was said.
  private func linked(_ tenant: Tenant, _ driver: any WearableDriver) async -> LiveLink? {
    if let link = tenant.link, link.work != nil { return link }
    tenant.live.counters.attempts += 1
    admitPairing(before: tenant.address)
    let bearer: any Bearer
    do {
      bearer = try await radio.connect(
        to: tenant.address, deadline: loop.now + options.connectDeadline, parameters: options.parameters(of: .foreground))
    } catch {
      failed(tenant, HearthError(error.reason, "\(tenant.record.name) \(error.clause)"), link: error)
      return nil
    }
    guard phase == .serving, tenantByAddress[tenant.address] === tenant else {
      // Forgotten, or stopped, while the link was being made.
      bearer.close(immediately: true)
      return nil
    }
    let client = GATTClient(bearer, loop: loop, floodGuard: options.floodGuard)
    let link = LiveLink(client, tenant: tenant, driver: driver, hub: self)
    tenant.link = link
    showLights()
    tenant.live.counters.links += 1
    client.onClosed = { [weak self, weak tenant, weak link] error in
      guard let self, let tenant, let link, tenant.link === link else { return }
      lost(tenant, error)
    }
    return await settling(tenant, link) { () throws(GATTError) in try await open(tenant, link, bearer, driver) } ? link : nil
  }

  /// Learns the wearable's database and lends the link to a session.
  private func open(_ tenant: Tenant, _ link: LiveLink, _ bearer: any Bearer, _ driver: any WearableDriver) async throws(GATTError) {
    let stored = tenant.record.gattCache.flatMap { bytes in bytes.withUnsafeBytes { GATTCache(decoding: $0) } }
    let database = try await link.client.open(cache: stored)
    let work = HubLink(link.client, bearer, taps: link.taps, database: database, radio: radio, loop: loop)
    work.zone = options.timeZone
    work.keep(driver.writePaces, since: link.since)
    work.boot = store.bootID.map { "\(String($0.high, radix: 16))-\(String($0.low, radix: 16))" }
    work.onOddity = { [weak self, weak tenant] oddity in
      guard let self, let tenant else { return }
      tenant.live.counters.anomalies += 1
      logger.notice("odd: \(oddity)", metadata: ["DEVICE": "\(tenant.record.name)"])
    }
    work.onGivenUp = { [weak self, weak tenant, weak link] trouble in
      guard let self, let tenant, let link, tenant.link === link, tenant.visits.running == nil else { return }
      // Between visits nobody else would notice.
      drop(tenant)
      visitEnded(tenant, VisitEnd(trouble, name: tenant.record.name))
      considerLane()
    }
    work.maySecure = { [weak self, weak tenant] in
      guard let self, let tenant else { return false }
      return maySecure(tenant)
    }
    reviewWearer(of: tenant)
    work.orders = tenant.orders
    work.memory = { [weak tenant] name in tenant?.record.notes[Tenant.driverNote + name] }
    work.onRemember = { [weak self, weak tenant] name, value in
      guard let self, let tenant else { return }
      tenant.record.notes[Tenant.driverNote + name] = value
      if tenantByAddress[tenant.address] === tenant { persist(tenant) }
    }
    let advertised = presence[tenant.address]?.sighting.name
    if tenant.noteName(advertised) { persist(tenant) }
    work.known = tenant.known(advertised)
    link.work = work
    guard let session = driver.makeSession(work) else {
      // Whatever others of its family keep, this one is only listened to.
      tenant.holdsData = false
      tenant.standing.keepsLink = true
      return
    }
    tenant.holdsData = driver.holdsData
    let turn = LinkSession(session, work, loop: loop)
    turn.onTrouble = { [weak work] trouble in work?.note("attention: \(trouble)") }
    turn.onFree = { [weak tenant] in tenant?.profile?.tellSession() }
    link.session = turn
    if let decoder = session.decoder { link.use(decoder) }
  }

  /// Runs what leads to a link that is of use, within the settle deadline. False: it failed, which was said.
  private func settling(_ tenant: Tenant, _ link: LiveLink, _ body: () async throws(GATTError) -> Void) async -> Bool {
    var isLate = false
    let client = link.client
    let timer = loop.schedule(after: options.settleDeadline) {
      isLate = true
      client.close(immediately: true)
    }
    defer { loop.cancel(timer) }
    do throws(GATTError) {
      try await body()
      return tenant.link === link
    } catch {
      if client.cache == nil { tenant.record.gattCache = nil }
      guard tenant.link === link || isLate else { return false }  // `lost` has already said so
      let trouble = isLate
        ? HearthError(.procedureTimeout, "\(tenant.record.name) was not ready \(Int(options.settleDeadline.inSeconds)) s after connecting")
        : describe(error, tenant)
      drop(tenant)
      failed(tenant, trouble, link: nil)
      return false
    }
  }

  /// A wearable that is only listened to.
  private func goLiveOnly(_ tenant: Tenant, _ link: LiveLink, _ driver: any WearableDriver) async {
    guard await settling(tenant, link, { () throws(GATTError) in try await goLive(tenant, link, driver) }) else { return }
    tenant.trouble = nil
    tenant.dueSince = nil
    tenant.standing.askedAt = nil
    tenant.standing.returned = false
    refuseRequests(of: tenant, Self.hasNothingToAsk(tenant.record.name))
    showLights()
    lights?.dip()
  }

  /// Subscribes its live sources, unless they are.
  func goLive(_ tenant: Tenant, _ link: LiveLink, _ driver: any WearableDriver) async throws(GATTError) {
    guard let work = link.work, !link.isSettled else { return }
    try await link.settle(driver, work.database)
    if tenant.link !== link { throw .closed(.aborted) }
    // It has said by now what it is.
    work.known = known(of: tenant)
    logger.info("live", metadata: ["DEVICE": "\(tenant.record.name)", "MTU": "\(link.client.mtu)"])
    tenant.record.gattCache = link.client.cache?.encode()
    persist(tenant)
    tenant.profile?.attach(work)
    try await identify(tenant, link, work)
  }

  /// Ends a live link that is of no use.
  func giveUp(_ tenant: Tenant, _ link: LiveLink, _ error: GATTError) {
    guard tenant.link === link else { return }
    if tenant.visits.running != nil {
      // The visit says what follows.
      link.work?.giveUp(.link(error))
      return
    }
    drop(tenant)
    failed(tenant, describe(error, tenant), link: nil)
    considerLane()
  }

  private func describe(_ error: GATTError, _ tenant: Tenant) -> HearthError { HearthError(error.reason, "\(tenant.record.name) \(error.clause)") }

  /// A link that was open ended by itself.
  private func lost(_ tenant: Tenant, _ error: GATTError) {
    let lasted = tenant.link.map { loop.now - $0.since } ?? .zero
    tenant.live.counters.losses += 1
    if tenant.visits.running != nil {
      tenant.link?.work?.ended(.link(error))
      return drop(tenant)
    }
    drop(tenant)
    if lasted >= Reconnection.proven { tenant.retry.succeeded() }
    failed(tenant, describe(error, tenant), link: error.link)
    considerLane()
  }

  private func failed(_ tenant: Tenant, _ trouble: HearthError, link: LinkError?) {
    noteFailure(tenant, trouble, link.map { .link($0) } ?? .refused)
    // A request is not given up for one link that could not be made, but it ends with the tries.
    if tenant.retry.isCooling { tenant.standing.askedAt = nil }
  }
}

extension LinkError {
  /// What happened, to be read after a wearable's name.
  var clause: String {
    switch self {
    case .notHeard: "was not heard in time"
    case .slotsFull: "found no free slot on the adapter"
    case .linkLost: "went out of reach"
    case .peerClosed: "hung up"
    case .adapterGone: "lost its adapter"
    case .authenticationFailed: "refused or failed pairing"
    case .keyMissing: "no longer knows the hub's key"
    case .failedToEstablish: "did not answer the connection"
    case .aborted: "was given up by the hub"
    case .timedOut: "did not connect in time"
    case .system(let errno): "could not be connected (errno \(errno))"
    }
  }
}

extension GATTError {
  /// How the link ended, where that is what happened.
  var link: LinkError? {
    if case .closed(let link) = self { return link }
    return nil
  }
}
