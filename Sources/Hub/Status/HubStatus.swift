// The hub's state as values, for the control socket, the LEDs and the tests.

import Bluetooth
import EventLoop
import Health
import Lights
import Reasons
import RingStore

/// Describes the hub's state, and shows it on the LEDs. Holds troubles of the hub's own parts, and orders for the LEDs.
@LoopActor
final class HubStatus {
  private let context: HubContext
  private let registry: Registry
  private let presence: PresenceMonitor
  private let lane: Lane
  private let pairing: Pairing
  private let enrolment: EnrolmentKeeper
  var wearables: WearableStatus
  private let lamps: LEDKeeper
  private var startedAt: WallTime
  private var troubles = HubTroubles()
  /// Running checks and exports.
  private var storeTasks = 0
  private var isLocating = false
  private var backups: BackupWatch
  private var exports = ExportWatch()

  init(
    _ context: HubContext, _ registry: Registry, _ presence: PresenceMonitor, _ absence: AbsenceWatch, _ lane: Lane,
    _ pairing: Pairing, _ enrolment: EnrolmentKeeper, _ lights: LightDriver?
  ) {
    self.context = context
    self.registry = registry
    self.presence = presence
    self.lane = lane
    self.pairing = pairing
    self.enrolment = enrolment
    lamps = LEDKeeper(context, lights)
    startedAt = context.loop.wall
    backups = BackupWatch(madeAt: try? context.store.lastBackup(), since: context.loop.wall)
    wearables = WearableStatus(
      context: context, registry: registry, presence: presence, absence: absence, lane: lane, pairing: pairing)
    context.changes.listen { [weak self] change in
      switch change {
      case .shown: self?.show()
      case .visitDone: self?.dip()
      case .lane, .announced, .awaited, .alerted, .useless, .drained: break
      }
    }
  }

  // MARK: Notes

  /// Notes a configuration that could not be loaded on reload; shown until one can.
  func noteConfiguration(_ trouble: HearthError?) {
    troubles.configuration = trouble
    context.changes.raise(.shown)
  }

  /// Notes an update that was rolled back, or failed to; nil: no such update, or it is acknowledged.
  func noteUpdate(_ trouble: HearthError?) {
    troubles.update = trouble
    context.changes.raise(.shown)
  }

  /// Notes something about the hub itself that a person should know.
  func note(_ trouble: HearthError) { troubles.notes.append(trouble) }

  func storeChanged(_ trouble: HearthError?) {
    troubles.store = trouble
    if let trouble {
      context.logger.error("\(trouble)", metadata: ["CODE": "\(trouble.reason.code)"])
    } else {
      context.logger.notice("store healthy again")
    }
    context.changes.raise(.shown)
  }

  /// Notes that pending samples are durable.
  func committed() {
    lamps.wink()
    context.changes.raise(.shown)
  }

  /// A check or an export begins; STORE is slow until the last of them ends.
  func storeTaskBegan() {
    storeTasks += 1
    context.changes.raise(.shown)
  }

  func storeTaskEnded() {
    storeTasks = max(0, storeTasks - 1)
    context.changes.raise(.shown)
  }

  /// Shows the locate pattern, for as long as the lights permit it, or ends it.
  func locate(_ on: Bool) {
    isLocating = on
    context.changes.raise(.shown)
    if !on { return }
    context.loop.schedule(after: LightDriver.locateTime) { [weak self] in
      self?.isLocating = false
      self?.context.changes.raise(.shown)
    }
  }

  /// Notes that a backup was made, or failed.
  func noteBackup(_ outcome: Result<WallTime, HearthError>) {
    backups.note(outcome)
    context.changes.raise(.shown)
  }

  // MARK: LEDs

  func start() { lamps.start { [weak self] in self?.lightState() } }

  func stop() { lamps.stop() }

  private func show() { lamps.show(lightState()) }

  private func dip() {
    show()
    lamps.dip()
  }

  func lightState() -> LightState {
    var state = LightState()
    switch context.phase {
    case .starting: state.phase = .starting
    case .serving: state.phase = .serving
    case .stopping: state.phase = .stopping
    }
    let mutes = context.mutes
    state.configInvalid = mutes.heard(troubles.configuration?.reason)
    state.clockTrusted = context.clockIsPlausible || mutes.isMuted(.clockUntrusted)
    state.update = mutes.heard(troubles.update?.reason)
    var isRadioMuted = mutes.isMuted(.controllerSilent)
    switch context.radio.state {
    case .ready, .starting: state.radio = .serving
    case .down(let reason) where mutes.isMuted(reason): isRadioMuted = true
    case .down(let reason):
      // Without any Bluetooth to recover, a person has to act; the hub works on all other faults by itself.
      let isHopeless =
        reason == .radioExhausted || reason == .kernelWithoutBluetooth || reason == .capabilityMissing
        || reason == .adapterMissing
      state.radio = isHopeless ? .gone(reason) : .recovering(reason)
    }
    if context.radio.facts.care.isRecovering, state.radio == .serving, !isRadioMuted {
      state.radio = .recovering(.controllerSilent)
    }
    state.attention = registry.all.first { wearables.state(of: $0).needsPerson }.flatMap {
      wearables.trouble(of: $0)?.reason
    }
    state.alert =
      registry.all.lazy.compactMap { [wearables] in wearables.alerts($0).told.first?.trouble.reason }.first
    state.slotsFullAndOverdue = !lane.overdue.isEmpty && !mutes.isMuted(.slotsFull)
    state.enrolmentOpen = enrolment.isOpen
    state.pairingWaits = pairing.isWaiting
    state.links = registry.all.count { wearables.isAtWork($0) }
    let store = context.store.status
    state.storeFailing = mutes.heard(troubles.store?.reason) ?? mutes.heard(StoreWatch.mediumFailing(store))
    state.budgetExceeded = store.wear.isOverBudget && !mutes.isMuted(.storeBudgetExceeded)
    state.evictingUnexported = StoreWatch.isEvicting(store, context.loop.now) && !mutes.isMuted(.storeEvicting)
    state.unread = mutes.heard(exportTrouble(store)?.reason)
    state.storeBusy = storeTasks > 0 || context.store.isPacking
    state.locate = isLocating
    return state
  }

  // MARK: The first screen

  /// The start by the clock as it is set now, as a hub may start before it knows the time. The difference of two clocks
  /// in a reading is no step.
  private func start() -> WallTime {
    let now = context.wall(of: context.began)
    if abs((now - startedAt).inSeconds) > 1 { startedAt = now }
    return startedAt
  }

  func snapshot() -> HubSnapshot {
    let facts = context.radio.facts
    var snapshot = HubSnapshot(
      name: context.options.name, phase: context.phase, startedAt: start(), uptime: context.loop.now - context.began,
      radioState: context.radio.state, radio: facts)
    snapshot.enrolled = registry.all.count
    let states = registry.all.map { wearables.state(of: $0) }
    snapshot.present = zip(registry.all, states).count { presence.isPresent($0) && $1 != .paused }
    snapshot.missing = states.count { $0 == .missing }
    snapshot.live = states.count { $0 == .live }
    snapshot.paused = registry.all.count(where: \.isPaused)
    (snapshot.attention, snapshot.muted) = attention()
    snapshot.laneHolder = (lane.holder ?? lane.besides.first)?.name
    let waiting = lane.waiting()
    snapshot.laneQueue = waiting.map { $0.name }
    snapshot.longestWait = waiting.compactMap { $0.lane.dueSince }.min().map { context.loop.now - $0 }
    snapshot.tally = context.tally
    snapshot.visit = lane.holder?.visits.running?.snapshot()
    snapshot.queue = lane.queue()
    snapshot.clockIsSynchronised = context.loop.wallIsTrusted
    snapshot.backupAt = backups.madeAt
    snapshot.clockIsPlausible = context.clockIsPlausible
    snapshot.loop = (context.loop as? EpollLoop)?.statistics
    snapshot.counters = presence.counters + (enrolment.strangers?.counters ?? [])
    return snapshot
  }

  private func exportTrouble(_ store: StoreStatus) -> HearthError? {
    if !context.clockIsPlausible { return nil }
    return exports.trouble(within: context.options.exportWithin, store, context.loop.wall)
  }

  /// Troubles that a person should know, and muted ones.
  private func attention() -> (told: [Attention], muted: [Attention]) {
    var (told, muted): ([Attention], [Attention]) = ([], [])
    for one in hubTroubles() {
      let whose = one.wearable.flatMap { registry.named($0)?.id }
      if context.mutes.isMuted(one.trouble.reason, of: whose) {
        muted.append(context.muted(one.trouble, of: whose, called: one.wearable))
      } else {
        told.append(one)
      }
    }
    for wearable in registry.all {
      let name = wearable.name
      let isNews = presence.isPresent(wearable) || wearables.state(of: wearable).needsPerson
      if isNews, let trouble = wearables.trouble(of: wearable) {
        told.append(Attention(wearable: name, trouble: trouble))
      }
      let alerts = wearables.alerts(wearable)
      // Alerts are shown wherever the wearable is now, as they are not acknowledged.
      told += alerts.told.map { Attention(wearable: name, trouble: $0.trouble) }
      muted += wearables.mutedTroubles(of: wearable, attentionOnly: true) + alerts.muted.map(\.attention)
    }
    return (told, muted)
  }

  /// Troubles of the hub itself, and of the store's rings.
  private func hubTroubles() -> [Attention] {
    var list: [Attention] = []
    let facts = context.radio.facts
    if let trouble = troubles.configuration { list.append(Attention(wearable: nil, trouble: trouble)) }
    var down: Reason?
    if case .down(let reason) = context.radio.state {
      down = reason
      // The radio may add details.
      let told = facts.warnings.first { $0.reason == reason }
      list.append(Attention(wearable: nil, trouble: told ?? HearthError(reason, reason.text.sentence)))
    }
    if let trouble = troubles.store { list.append(Attention(wearable: nil, trouble: trouble)) }
    let store = context.store.status
    for (wearable, trouble) in StoreWatch.troubles(store, context.store.rings, now: context.loop.now) {
      list.append(
        Attention(
          wearable: wearable.map { context.store.record($0)?.name ?? "wearable-\($0.number)" }, trouble: trouble))
    }
    if !context.clockIsPlausible {
      list.append(Attention(wearable: nil, trouble: HearthError(.clockUntrusted, "the hub's clock cannot be right")))
    }
    if context.clockIsPlausible, let trouble = backups.trouble(every: context.options.backupEvery, context.loop.wall) {
      list.append(Attention(wearable: nil, trouble: trouble))
    }
    if let trouble = exportTrouble(store) { list.append(Attention(wearable: nil, trouble: trouble)) }
    if let trouble = troubles.update { list.append(Attention(wearable: nil, trouble: trouble)) }
    if let trouble = enrolment.strangers?.trouble { list.append(Attention(wearable: nil, trouble: trouble)) }
    list += troubles.notes.map { Attention(wearable: nil, trouble: $0) }
    for warning in facts.warnings where warning.reason != down {
      list.append(Attention(wearable: nil, trouble: warning))
    }
    let overdue = lane.overdue
    if let first = overdue.first {
      let who = overdue.count == 1 ? "\(first.name) waits" : "\(first.name) and \(overdue.count - 1) more wait"
      let what =
        lane.slots.areFull
        ? "a slot, and all \(facts.slots) are in use" : "a slot of the adapter of its bond, and all of those are in use"
      let trouble = HearthError(.slotsFull, "\(who) for \(what)")
      list.append(Attention(wearable: nil, trouble: trouble))
    }
    return list
  }
}

/// Troubles of the hub's own parts.
private struct HubTroubles {
  /// A configuration that could not be loaded.
  var configuration: HearthError?
  var store: HearthError?
  var update: HearthError?
  /// Faults at the start, such as LEDs that cannot be reached.
  var notes: [HearthError] = []
}
