// One wearable at a time: who is next, and the visit that makes it live.

import Bluetooth
import EventLoop
import Reasons
import RingStore
import Wearable

extension Hearth {
  /// Looks whether somebody may have the lane now. Called after everything that could change the answer; cheap when it did not.
  func considerLane() {
    guard phase == .serving, laneHolder == nil, radio.state == .ready else { return }
    if loop.now < laneRestsUntil { return wakeLane(at: laneRestsUntil) }
    guard let next = nextDue() else { return }
    // The controller's own count too: a link that was just closed, or that somebody else made, holds a slot.
    if max(linkedCount, radio.facts.links) >= radio.facts.slots {
      return makeRoom(for: next)
    }
    laneHolder = next
    slotVacatedAt = nil
    laneTask = loop.spawn { [weak self] in
      await self?.visit(next)
      self?.laneEnded()
    }
  }

  /// A closed link leaves its slot within a supervision event or two; the lane looks again after this.
  private static var slotRest: Duration { .seconds(2) }

  var linkedCount: Int { tenants.count { $0.link != nil } }

  /// The present, unlinked wearable that has waited longest. Marks since when each has waited.
  private func nextDue() -> Tenant? {
    var best: Tenant?
    var earliestRetry: Instant?
    for tenant in tenants where tenant.link == nil && tenant.driver != nil {
      guard isPresent(tenant) else {
        tenant.dueSince = nil
        continue
      }
      if !tenant.retry.allows(loop.now) {
        if let notBefore = tenant.retry.notBefore, earliestRetry.map({ notBefore < $0 }) ?? true { earliestRetry = notBefore }
        continue
      }
      // Its place in the line is kept while it is present, also through a gap in which it was not heard lately enough to be connected.
      let since = tenant.dueSince ?? loop.now
      tenant.dueSince = since
      guard let heard = presence[tenant.address]?.lastConnectable, loop.now - heard <= options.freshness else { continue }
      if let current = best?.dueSince, current <= since { continue }
      best = tenant
    }
    if best == nil, let earliestRetry { wakeLane(at: earliestRetry) }
    return best
  }

  /// All slots are taken and `waiting` has waited: the link held longest yields once it had its slice. The slot is free when the
  /// controller says so, and until then `waiting` keeps its place in the line; an attempt before would be refused and cost it its turn.
  private func makeRoom(for waiting: Tenant) {
    if let slotVacatedAt, loop.now - slotVacatedAt < Self.vacationBound {
      wakeLane(at: loop.now + .milliseconds(250))
      return
    }
    guard let since = waiting.dueSince else { return }
    let patience = since + options.slice
    guard let oldest = tenants.filter({ $0.link != nil }).min(by: { linkedSince($0) < linkedSince($1) }) else { return }
    let slice = linkedSince(oldest) + options.slice
    let moment = max(patience, slice)
    if loop.now < moment {
      wakeLane(at: moment)
      showLights()
      return
    }
    logger.info("\(oldest.record.name) yields its slot to \(waiting.record.name)")
    drop(oldest)
    // It goes to the end of the line; its own next turn comes like anybody's.
    oldest.retry.postpone(until: loop.now + .seconds(1))
    slotVacatedAt = loop.now
    wakeLane(at: loop.now + .milliseconds(250))
  }

  /// A disconnection takes a few connection events, at most the supervision timeout of the routine profile (6 s). A slot that is not free
  /// then has gone to somebody else, and another link must yield.
  private static var vacationBound: Duration { .seconds(6) }

  private func linkedSince(_ tenant: Tenant) -> Instant { tenant.link?.since ?? loop.now }

  private func wakeLane(at instant: Instant) {
    if let laneTimer { loop.cancel(laneTimer) }
    laneTimer = loop.schedule(at: instant) { [weak self] in
      self?.laneTimer = nil
      self?.considerLane()
    }
  }

  private func laneEnded() {
    laneHolder = nil
    laneTask = nil
    showLights()
    considerLane()
  }

  // MARK: The visit

  private func visit(_ tenant: Tenant) async {
    guard let driver = tenant.driver else { return }
    tenant.live.counters.attempts += 1
    let bearer: any Bearer
    do {
      bearer = try await radio.connect(to: tenant.address, deadline: loop.now + options.connectDeadline)
    } catch {
      return failed(tenant, HearthError(error.reason, "\(tenant.record.name) \(error.clause)"), link: error)
    }
    guard phase == .serving, tenantByAddress[tenant.address] === tenant else {
      // Forgotten, or stopped, while the link was being made.
      bearer.close(immediately: true)
      return
    }
    let client = GATTClient(bearer, loop: loop, floodGuard: options.floodGuard)
    let link = LiveLink(client, tenant: tenant, driver: driver, hub: self)
    tenant.link = link
    tenant.live.counters.links += 1
    tenant.dueSince = nil
    client.onClosed = { [weak self, weak tenant, weak link] error in
      guard let self, let tenant, let link, tenant.link === link else { return }
      lost(tenant, error)
    }
    await settle(tenant, link, driver)
  }

  /// From an open channel to live data, within the settle deadline.
  private func settle(_ tenant: Tenant, _ link: LiveLink, _ driver: any WearableDriver) async {
    let client = link.client
    var isLate = false
    let timer = loop.schedule(after: options.settleDeadline) {
      isLate = true
      client.close(immediately: true)
    }
    defer { loop.cancel(timer) }
    do {
      let stored = tenant.record.gattCache.flatMap { bytes in bytes.withUnsafeBytes { GATTCache(decoding: $0) } }
      let database = try await client.open(cache: stored)
      try await link.settle(driver, database)
      if tenant.link !== link { return }
      settled(tenant, client)
    } catch {
      if client.cache == nil { tenant.record.gattCache = nil }
      guard tenant.link === link || isLate else { return }  // `lost` has already said so
      let trouble = isLate
        ? HearthError(.procedureTimeout, "\(tenant.record.name) was not ready \(Int(options.settleDeadline.inSeconds)) s after connecting")
        : describe(error, tenant)
      drop(tenant)
      failed(tenant, trouble, link: nil)
    }
  }

  private func settled(_ tenant: Tenant, _ client: GATTClient) {
    tenant.trouble = nil
    logger.info("live", metadata: ["DEVICE": "\(tenant.record.name)", "MTU": "\(client.mtu)"])
    tenant.record.gattCache = client.cache?.encode()
    persist(tenant)
    showLights()
    lights?.dip()
  }

  /// Ends a live link that is of no use.
  func giveUp(_ tenant: Tenant, _ link: LiveLink, _ error: GATTError) {
    guard tenant.link === link else { return }
    drop(tenant)
    failed(tenant, describe(error, tenant), link: nil)
    considerLane()
  }

  private func describe(_ error: GATTError, _ tenant: Tenant) -> HearthError {
    HearthError(error.reason, "\(tenant.record.name) \(error.link?.clause ?? "was dropped: \(error)")")
  }

  /// A link that was open ended by itself.
  private func lost(_ tenant: Tenant, _ error: GATTError) {
    let lasted = tenant.link.map { loop.now - $0.since } ?? .zero
    drop(tenant)
    tenant.live.counters.losses += 1
    if lasted >= RetryPolicy.proven { tenant.retry.succeeded() }
    failed(tenant, describe(error, tenant), link: error.link)
    considerLane()
  }

  private func failed(_ tenant: Tenant, _ trouble: HearthError, link: LinkError?) {
    switch link {
    case .adapterGone?, .aborted?:
      // Nobody's fault out there: it may be tried as soon as the radio serves again.
      break
    case .slotsFull?:
      // Nobody's fault either, and it keeps its place: the lane rests, lest the freed slot go to whoever comes after it in the line.
      laneRestsUntil = loop.now + Self.slotRest
    case .authenticationFailed?, .keyMissing?:
      tenant.trouble = trouble
      tenant.retry.postpone(until: loop.now + .seconds(600))
    default:
      tenant.trouble = trouble
      tenant.dueSince = nil
      tenant.retry.failed(at: loop.now, random: &random)
    }
    logger.notice(
      "\(trouble)", metadata: ["CODE": "\(trouble.reason.code)", "DEVICE": "\(tenant.record.name)", "EFFECT": "\(trouble.reason.text.effect)"])
    showLights()
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
