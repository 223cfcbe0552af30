// The hub's state as values, for the control socket, the lights and the tests.

import Bluetooth
import EventLoop
import Health
import Lights
public import Reasons
import RingStore

extension Hearth {
  public func snapshot() -> HubSnapshot {
    let facts = radio.facts
    var snapshot = HubSnapshot(
      name: options.name, phase: phase, startedAt: startedAt, uptime: loop.now - startedInstant, radioState: radio.state, radio: facts)
    snapshot.enrolled = tenants.count
    snapshot.present = tenants.count { isPresent($0) }
    snapshot.live = tenants.count { state(of: $0) == .live }
    snapshot.attention = attention()
    snapshot.laneHolder = laneHolder?.record.name
    snapshot.laneQueue = places().filter { $0.notBefore == nil }.compactMap { place in tenants.first { $0.record.id == place.id }?.record.name }
    snapshot.visit = laneHolder?.visits.running?.snapshot()
    snapshot.queue = laneQueue()
    snapshot.clockIsSynchronised = loop.wallIsTrusted
    snapshot.clockIsPlausible = clockIsPlausible
    snapshot.loop = (loop as? EpollLoop)?.statistics
    snapshot.counters = [("advertisements", advertisements), ("presence_evictions", presence.evictions)]
    return snapshot
  }

  /// Enrolled wearables by name, then candidates that are heard.
  public func wearables() -> [WearableSnapshot] {
    let queue = laneQueue()
    let enrolled = tenants.map { snapshot(of: $0, queue) }.sorted { $0.name < $1.name }
    let strangers = presence.recognised(since: loop.now - options.presenceTimeout).filter { tenantByAddress[$0.address] == nil }
    return enrolled + strangers.map { candidate($0) }
  }

  /// The wearable of this name or address, enrolled or heard.
  public func wearable(named which: String) throws(HearthError) -> WearableSnapshot {
    if let tenant = tenant(named: which) { return snapshot(of: tenant, laneQueue()) }
    let address = which.uppercased()
    let all = wearables()
    guard let found = all.first(where: { $0.name == which || $0.address.description == address }) else {
      throw HearthError(.noSuchWearable, "no wearable is called '\(which)'")
    }
    return found
  }

  func snapshot(of tenant: Tenant, _ queue: [QueueSnapshot] = []) -> WearableSnapshot {
    var snapshot = WearableSnapshot(
      name: tenant.record.name, address: tenant.address, kind: tenant.record.kind, state: state(of: tenant), isEnrolled: true)
    snapshot.driver = tenant.driver?.id ?? tenant.record.driver
    if snapshot.driver != tenant.record.driver { snapshot.nextDriver = tenant.record.driver }
    snapshot.rssi = presence[tenant.address]?.rssi.map { Int($0.rounded()) }
    snapshot.battery = tenant.live.battery
    let wall = loop.wall
    func time(_ instant: Instant) -> WallTime { wall + (instant - loop.now) }
    snapshot.heartRate = currentHeartRate(of: tenant).map { ($0.value, time($0.at)) }
    snapshot.lastValue = tenant.lastValue.map { time($0) }
    snapshot.lastSeen = [tenant.lastHeard, snapshot.lastValue].compactMap { $0 }.max()
    snapshot.linkedSince = tenant.link.map { loop.wall + ($0.since - loop.now) }
    snapshot.trouble = tenant.trouble
    if tenant.link == nil, let notBefore = tenant.retry.notBefore(loop.now) { snapshot.nextTry = loop.wall + (notBefore - loop.now) }
    snapshot.manufacturer = tenant.record.facts["manufacturer"]
    snapshot.model = tenant.record.facts["model"]
    snapshot.firmware = tenant.record.facts["firmware"]
    snapshot.serialNumber = tenant.record.facts["serial"]
    snapshot.bodyLocation = tenant.record.facts["body_location"]
    snapshot.visit = tenant.visits.running?.snapshot()
    snapshot.lastVisit = tenant.visits.last.map { self.snapshot(of: $0) }
    snapshot.queued = queue.first { $0.wearable == tenant.record.name }
    snapshot.coolsOff = tenant.link == nil && tenant.retry.isCooling
    if tenant.link != nil, let profile = tenant.profile {
      snapshot.requestedProfile = profile.wanted
      snapshot.effectiveProfile = profile.effectiveProfile
    }
    snapshot.wearer = tenant.wearer.flatMap { store.wearer($0)?.name }
    snapshot.erasing = tenant.erasing.effective(options.erase)
    snapshot.eraseChoice = tenant.erasing.choice
    if tenant.advertised != nil { snapshot.listens = listens(to: tenant) }
    snapshot.listeningChoice = tenant.listening
    snapshot.memoryFree = tenant.standing.memory.free
    snapshot.memoryTotal = tenant.standing.memory.total
    snapshot.counters = tenant.live.counters.named + tenant.wire
    return snapshot
  }

  private func candidate(_ presence: Presence) -> WearableSnapshot {
    var snapshot = WearableSnapshot(
      name: presence.sighting.name ?? presence.address.description, address: presence.address, kind: presence.kind, state: .candidate,
      isEnrolled: false)
    snapshot.rssi = presence.rssi.map { Int($0.rounded()) }
    snapshot.lastSeen = loop.wall + (presence.lastHeard - loop.now)
    return snapshot
  }

  func state(of tenant: Tenant) -> WearableState {
    if tenant === laneHolder {
      if let stage = tenant.visits.running?.stage, stage.rawValue >= VisitStage.check.rawValue { return .visiting }
      return tenant.link == nil ? .connecting : .identifying
    }
    if isLive(tenant) { return .live }
    if let trouble = tenant.trouble, needsPerson(tenant, trouble) { return .attention }
    if tenant.link != nil { return .linked }
    if !isPresent(tenant) { return .absent }
    if !tenant.retry.allows(loop.now) { return .waiting }
    return isHeard(tenant) ? .heard : .due
  }

  /// A lost key is mended by the next link where the rule lets the wearable pair anew; should that fail, the trouble is another.
  private func needsPerson(_ tenant: Tenant, _ trouble: HearthError) -> Bool {
    if trouble.reason == .keyMissing, policy(for: tenant.address).allowsPairing { return false }
    return trouble.reason.needsPerson
  }

  func isPresent(_ tenant: Tenant) -> Bool {
    if tenant.link != nil { return true }
    return tenant.rhythm.isPresent(lastHeard: presence[tenant.address]?.lastHeard, now: loop.now)
  }

  private func attention() -> [Attention] {
    var list: [Attention] = []
    if let configTrouble { list.append(Attention(wearable: nil, trouble: configTrouble)) }
    if case .down(let reason) = radio.state { list.append(Attention(wearable: nil, trouble: HearthError(reason, reason.text.sentence))) }
    if let storeTrouble { list.append(Attention(wearable: nil, trouble: storeTrouble)) }
    for (wearable, trouble) in StoreWatch.troubles(store.status, store.rings, now: loop.now) {
      list.append(Attention(wearable: wearable.map { store.record($0)?.name ?? "wearable-\($0.number)" }, trouble: trouble))
    }
    if !clockIsPlausible { list.append(Attention(wearable: nil, trouble: HearthError(.clockUntrusted, "the hub's clock cannot be right"))) }
    list += notes.map { Attention(wearable: nil, trouble: $0) }
    for warning in radio.facts.warnings { list.append(Attention(wearable: nil, trouble: warning)) }
    for tenant in tenants {
      if let trouble = tenant.trouble, isPresent(tenant) { list.append(Attention(wearable: tenant.record.name, trouble: trouble)) }
    }
    return list
  }

  // MARK: Clock

  /// A hub in a cupboard often has no time server, so "not synchronised" alone is no alarm: every sample carries monotonic evidence.
  /// What cannot be right is a date before this software existed, or before the newest live sample in the store: what was fetched has times of clocks that
  /// anybody may have set.
  var clockIsPlausible: Bool {
    if loop.wallIsTrusted { return true }
    if loop.wall < Self.softwareEpoch { return false }
    guard let newest = store.status.newestLive else { return true }
    return loop.wall + .seconds(60) >= newest
  }

  /// 2026-11-01T00:00:00Z, the month of the first release.
  nonisolated static let softwareEpoch = WallTime(microseconds: 1_793_491_200_000_000)

  // MARK: Live values

  /// Hands every live value (of one wearable, or of all) to `handler` until `unsubscribe`.
  public func subscribeLive(_ which: String?, _ handler: @escaping @LoopActor (LiveValue) -> Void) throws(HearthError) -> Int {
    var id: WearableID?
    if let which { id = try require(which).record.id }
    let token = listeners.add(id, handler)
    if let tenant = tenants.first(where: { $0.record.id == id }) { awaited(tenant) }
    return token
  }

  public func unsubscribeLive(_ token: Int) { listeners.remove(token) }

  // MARK: Lights

  func lightState() -> LightState {
    var state = LightState()
    switch phase {
    case .starting: state.phase = .starting
    case .serving: state.phase = .serving
    case .stopping: state.phase = .stopping
    }
    state.configInvalid = configTrouble?.reason
    state.clockTrusted = clockIsPlausible
    switch radio.state {
    case .ready, .starting: state.radio = .serving
    case .down(let reason):
      // Without any Bluetooth to recover, a person has to act; everything else the hub works on by itself.
      let isHopeless = reason == .radioExhausted || reason == .kernelWithoutBluetooth || reason == .capabilityMissing || reason == .adapterMissing
      state.radio = isHopeless ? .gone(reason) : .recovering(reason)
    }
    if radio.facts.care.isRecovering, state.radio == .serving { state.radio = .recovering(.controllerSilent) }
    state.attention = tenants.first { self.state(of: $0) == .attention }?.trouble?.reason
    state.slotsFullAndOverdue = isSomebodyOverdue
    state.enrolmentOpen = enrolment.isOpen(loop.now)
    state.pairingWaits = !waitingPairings.isEmpty
    state.links = tenants.count { isAtWork($0) }
    state.storeFailing = storeTrouble?.reason
    let store = self.store.status
    state.budgetExceeded = store.wear.isOverBudget
    state.evictingUnexported = StoreWatch.isEvicting(store, loop.now)
    state.storeBusy = storeTasks > 0 || self.store.isPacking
    state.locate = isLocating
    return state
  }

  private var isSomebodyOverdue: Bool {
    guard linkedCount >= radio.facts.slots else { return false }
    return tenants.contains { $0.dueSince.map { loop.now - $0 > options.slice } ?? false }
  }
}

extension Reason {
  /// Of the block of reasons that only a person can mend, at the wearable or with its owner.
  var needsPerson: Bool { (2200..<2300).contains(rawValue) }
}
