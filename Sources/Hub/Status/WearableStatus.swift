// State of each wearable, as people see it.

import Bluetooth
import EventLoop
import Health
import Reasons
import RingStore
import Wearable

/// Describes wearables, the enrolled ones and candidates. Has no state.
@LoopActor
struct WearableStatus {
  private let context: HubContext
  private let registry: Registry
  private let presence: PresenceMonitor
  private let absence: AbsenceWatch
  private let lane: Lane
  private let pairing: Pairing
  /// Unacknowledged alerts, and muted ones.
  var alerts: @LoopActor (EnrolledWearable) -> (told: [AlertSnapshot], muted: [AlertSnapshot]) = { _ in ([], []) }
  /// The profile that its link should have, and the one in effect.
  var profile: @LoopActor (EnrolledWearable) -> (wanted: LinkProfile, effective: LinkProfile?)? = { _ in nil }
  /// The training that is under way with a wearable.
  var training: @LoopActor (EnrolledWearable) -> TrainingSnapshot? = { _ in nil }

  init(
    context: HubContext, registry: Registry, presence: PresenceMonitor, absence: AbsenceWatch, lane: Lane,
    pairing: Pairing
  ) {
    self.context = context
    self.registry = registry
    self.presence = presence
    self.absence = absence
    self.lane = lane
    self.pairing = pairing
  }

  /// Enrolled wearables by name, then candidates that are heard.
  func all() -> [WearableSnapshot] {
    let (queue, rings) = (lane.queue(), liveRings())
    let enrolled = registry.all.map { snapshot(of: $0, queue, rings) }.sorted { $0.name < $1.name }
    let strangers = presence.candidates()
    return enrolled + strangers.map { candidate($0) }
  }

  /// The wearable of this name or address, enrolled or heard.
  func named(_ which: String) throws(HearthError) -> WearableSnapshot {
    if let wearable = registry.named(which) { return snapshot(of: wearable, lane.queue()) }
    let address = which.uppercased()
    let all = all()
    guard let found = all.first(where: { $0.name == which || $0.address.description == address }) else {
      throw HearthError(
        .noSuchWearable,
        "no wearable is called '\(which)'\(hint(nearMiss(which, among: all.map { $0.name }, atMost: 1)))")
    }
    return found
  }

  /// - Parameter rings: the result of `liveRings`; nil: they are looked up.
  func snapshot(
    of wearable: EnrolledWearable, _ queue: [QueueSnapshot] = [], _ rings: [WearableID: Set<UInt16>]? = nil
  ) -> WearableSnapshot {
    var snapshot = WearableSnapshot(
      name: wearable.name, address: wearable.address, kind: wearable.record.kind, state: state(of: wearable),
      isEnrolled: true)
    snapshot.driver = wearable.driver?.id ?? wearable.record.driver
    if snapshot.driver != wearable.record.driver { snapshot.nextDriver = wearable.record.driver }
    snapshot.rssi = presence[wearable.address]?.rssi.map { Int($0.rounded()) }
    snapshot.battery = wearable.live.battery
    snapshot.batteryRead = wearable.live.batteryRead
    snapshot.batteryCharge = wearable.batteryCharge(context)
    let wall = context.loop.wall
    func time(_ instant: Instant) -> WallTime { wall + (instant - context.loop.now) }
    snapshot.heartRate = wearable.live.currentHeartRate(context.loop.now).map {
      ($0.value, time($0.at))
    }
    if presence.isHeard(wearable) {
      let rate = presence.advertisedHeartRate(of: wearable)
      snapshot.advertisedHeartRate = rate.map { ($0.value, time($0.at)) }
    }
    let (told, muted) = alerts(wearable)
    snapshot.alerts = told
    snapshot.muted = mutedTroubles(of: wearable) + muted.map(\.attention)
    snapshot.pause = wearable.pauseSnapshot(context.loop)
    snapshot.training = training(wearable)
    snapshot.lastValue = presence.lastValue(of: wearable).map { time($0) }
    snapshot.lastSeen = absence.lastSign(of: wearable)
    snapshot.absentAfter = absence.bound(of: wearable)
    snapshot.absenceChoice = wearable.remembered(AbsenceChoice.self).map { .seconds(Int64($0.seconds)) }
    snapshot.linkedSince = wearable.link.map { context.wall(of: $0.since) }
    snapshot.trouble = trouble(of: wearable)
    if wearable.link == nil,
      let notBefore = wearable.lane.notBefore(context.loop.now, needsLink: wearable.needsLink)
    {
      snapshot.nextTry = context.wall(of: notBefore)
    }
    snapshot.manufacturer = wearable.fact("manufacturer")
    snapshot.model = wearable.fact("model")
    snapshot.firmware = wearable.fact("firmware")
    snapshot.serialNumber = wearable.fact("serial")
    snapshot.bodyLocation = wearable.fact("body_location")
    snapshot.systemID = wearable.fact("system_id")
    snapshot.productID = wearable.fact("pnp_id")
    snapshot.charging = wearable.fact("charging")
    snapshot.notServed = wearable.fact("not_served")
    snapshot.oddities = wearable.live.oddities.entries.map {
      OddValues(what: $0.what, count: $0.count, last: context.wall(of: $0.last))
    }
    snapshot.capabilities = wearable.capabilities
    snapshot.cameLive = cameLive(of: wearable, rings ?? liveRings())
    snapshot.isMeasuring = wearable.lane.measuring.isAny
    snapshot.visit = wearable.visits.running?.snapshot()
    snapshot.lastVisit = wearable.visits.lastSnapshot(context.store)
    snapshot.queued = queue.first { $0.wearable == wearable.name }
    snapshot.slotWait = lane.slotWait(of: wearable, in: queue)
    snapshot.coolsOff = wearable.link == nil && wearable.lane.retry.isCooling
    if wearable.link != nil, let profile = profile(wearable) {
      snapshot.requestedProfile = profile.wanted
      snapshot.effectiveProfile = profile.effective
    }
    snapshot.wearer = wearable.choices.wearer.flatMap { context.store.wearer($0)?.name }
    snapshot.erasing = wearable.choices.erasing.effective(context.options.erase)
    snapshot.removalWay = wearable.removalWay
    snapshot.eraseChoice = wearable.choices.erasing.choice
    if wearable.advertisesValues { snapshot.listens = presence.listens(to: wearable) }
    snapshot.listeningChoice = wearable.choices.listening
    snapshot.leftOut = wearable.leftOutPhases(context.options)
    snapshot.memoryFree = wearable.lane.memory.free
    snapshot.memoryTotal = wearable.lane.memory.total
    snapshot.counters = wearable.live.counters.named + wearable.live.wire(with: wearable.link)
    return snapshot
  }

  /// A wearable need not send all series of its model: straps with and without intervals between beats are of the same
  /// kind.
  private func cameLive(of wearable: EnrolledWearable, _ rings: [WearableID: Set<UInt16>]) -> Set<Series> {
    let stored = rings[wearable.id] ?? []
    let series = wearable.capabilities?.series ?? []
    return Set(series.filter { stored.contains($0.id) || wearable.live.budget.hasTaken($0) })
  }

  /// Series of which the store has, or had, live values.
  private func liveRings() -> [WearableID: Set<UInt16>] {
    var found: [WearableID: Set<UInt16>] = [:]
    for ring in context.store.rings where ring.id.way == .live {
      found[ring.id.wearable, default: []].insert(ring.id.seriesNumber)
    }
    return found
  }

  private func candidate(_ heard: Presence) -> WearableSnapshot {
    var snapshot = WearableSnapshot(
      name: heard.scanResult.name ?? heard.address.description, address: heard.address, kind: heard.kind,
      state: .candidate,
      isEnrolled: false)
    snapshot.rssi = heard.rssi.map { Int($0.rounded()) }
    snapshot.lastSeen = context.wall(of: heard.lastHeard)
    return snapshot
  }

  func state(of wearable: EnrolledWearable) -> WearableState {
    if wearable.lane.isHolder {
      if let stage = wearable.visits.running?.stage, stage.rawValue >= VisitStage.check.rawValue { return .visiting }
      return wearable.link == nil ? .connecting : .identifying
    }
    if wearable.isPaused, wearable.link == nil { return .paused }
    // Also while its link is up, as the link does not bring all that is wanted.
    if personsTrouble(of: wearable) != nil { return .attention }
    if wearable.isLive(context.loop.now) { return .live }
    if wearable.link != nil { return .linked }
    if absenceTrouble(of: wearable) != nil { return .missing }
    if !presence.isPresent(wearable) { return .absent }
    if wearable.lane.notBefore(context.loop.now, needsLink: wearable.needsLink) != nil { return .waiting }
    return presence.isHeard(wearable) ? .heard : .due
  }

  /// The trouble to show; one that needs a person goes first.
  func trouble(of wearable: EnrolledWearable) -> HearthError? {
    troubles(of: wearable).first { isTold($0, of: wearable) }
  }

  /// The troubles that would be shown instead if they were not muted.
  ///
  /// - Parameter attentionOnly: only those for the first screen.
  func mutedTroubles(of wearable: EnrolledWearable, attentionOnly: Bool = false) -> [Attention] {
    if context.mutes.all.isEmpty { return [] }
    return troubles(of: wearable, attentionOnly: attentionOnly).prefix { !isTold($0, of: wearable) }
      .map { context.muted($0, of: wearable) }
  }

  private func isTold(_ trouble: HearthError, of wearable: EnrolledWearable) -> Bool {
    !context.mutes.isMuted(trouble.reason, of: wearable.id)
  }

  private func absenceTrouble(of wearable: EnrolledWearable) -> HearthError? {
    absence.trouble(of: wearable).flatMap { isTold($0, of: wearable) ? $0 : nil }
  }

  /// Returns its troubles, muted or not, in order: the first one that is not muted is shown. The first screen shows for
  /// an absent wearable only what needs a person.
  private func troubles(of wearable: EnrolledWearable, attentionOnly: Bool = false) -> [HearthError] {
    if state(of: wearable) == .paused { return [] }
    var found = personsTroubles(of: wearable)
    // A wearable that holds the lane or has a link is present.
    if !wearable.lane.isHolder, wearable.link == nil, let trouble = absence.trouble(of: wearable) {
      found.append(trouble)
    }
    if attentionOnly, !presence.isPresent(wearable) { return found }
    let others = [wearable.trouble, wearable.shareTrouble(context), batteryTrouble(of: wearable)].compactMap { $0 }
    return found + others.filter { !found.contains($0) }
  }

  private func personsTroubles(of wearable: EnrolledWearable) -> [HearthError] {
    var found: [HearthError] = []
    if let trouble = wearable.trouble, needsPerson(wearable, trouble) { found.append(trouble) }
    if let trouble = batteryTrouble(of: wearable), trouble.reason.needsPerson { found.append(trouble) }
    return found
  }

  private func personsTrouble(of wearable: EnrolledWearable) -> HearthError? {
    personsTroubles(of: wearable).first { isTold($0, of: wearable) }
  }

  /// Returns battery trouble for a present wearable only: one that left with an empty battery is charged elsewhere.
  private func batteryTrouble(of wearable: EnrolledWearable) -> HearthError? {
    presence.isPresent(wearable) ? wearable.batteryTrouble(context) : nil
  }

  /// The next link repairs a lost key if the rule permits pairing again; should that fail, the trouble is another.
  private func needsPerson(_ wearable: EnrolledWearable, _ trouble: HearthError) -> Bool {
    if trouble.reason == .keyMissing, pairing.policy(for: wearable.address).allowsPairing { return false }
    return trouble.reason.needsPerson
  }

  /// Whether its link is in use: live, or held by the lane.
  func isAtWork(_ wearable: EnrolledWearable) -> Bool {
    wearable.isLive(context.loop.now) || (wearable.link != nil && wearable.lane.isHolder)
  }
}

extension EnrolledWearable {
  /// Whether it is linked, and values come, or the link is so new that they may.
  func isLive(_ now: Instant) -> Bool { link.map { $0.isHeard(now) } ?? false }
}

extension Reason {
  /// Whether the reason is in the block that only a person can solve, at the wearable or with its owner.
  var needsPerson: Bool { (2200..<2300).contains(rawValue) }
}
