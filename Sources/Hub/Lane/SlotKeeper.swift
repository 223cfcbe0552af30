// Carries out the table's decisions about slots: ends the link that gives its slot up.

import Bluetooth
import EventLoop
import HubLane
import Reasons
import Wearable

/// Makes room for a wearable that waits. Remembers the last evictions.
@LoopActor
final class SlotKeeper {
  private let context: HubContext
  private let registry: Registry
  private let links: LinkKeeper
  /// The last eviction of each adapter, until the wearable that it was made for had the slot.
  private var evictions: [Eviction] = []
  /// The last forecast, stored for some seconds.
  var forecast: CachedForecast?

  init(_ context: HubContext, _ registry: Registry, _ links: LinkKeeper) {
    self.context = context
    self.registry = registry
    self.links = links
  }

  /// The slots as the controller counts them.
  ///
  /// - Parameters:
  ///   - isPairing: a pairing has an attempt.
  ///   - isTrying: a device that is not enrolled has an attempt.
  func table(isPairing: Bool, isTrying: Bool) -> SlotTable {
    let facts = context.radio.facts
    var table = SlotTable(facts.adapters.isEmpty ? [AdapterSlots(facts)] : facts.adapters.map { AdapterSlots($0) })
    (table.isPairing, table.isTrying) = (isPairing, isTrying)
    table.evictions = evictions
    table.hasStranger = hasStranger()
    return table
  }

  /// True if all slots have a link.
  var areFull: Bool { registry.all.count { $0.link != nil } >= context.radio.facts.slots }

  /// Whether a device that is not enrolled holds a slot, which it gives up at once on demand.
  var hasStranger: @LoopActor () -> Bool = { false }
  /// Called when that device must give up its slot.
  var onNeeded: @LoopActor () -> Void = {}
  /// Called when a link delivered no data in its time: it counts as a failed try.
  var onUseless: @LoopActor (EnrolledWearable) -> Void = { _ in }

  /// Carries out the decision about a slot for a waiting wearable.
  ///
  /// - Returns: time of the next look; nil: the passing of time changes no decision.
  func carryOut(_ decision: SlotDecision, for waiting: EnrolledWearable, _ table: LaneTable) -> Instant? {
    switch decision {
    case .begin:
      evictions.removeAll { $0.beneficiary == waiting.id }
      return nil
    case .wait(let until): return until
    case .shown(let look):
      context.changes.raise(.shown)
      return look
    case .evictStranger(let look):
      onNeeded()
      return look
    case .evict(let id, let isInterruption, let look):
      if let holder = table[id], let wearable = registry[id] {
        if isInterruption { _ = waiting.lane.interruptions.take(context.loop.now) }
        evict(wearable, holder, for: waiting, table)
      }
      return look
    }
  }

  private func evict(
    _ wearable: EnrolledWearable, _ holder: LaneCandidate, for waiting: EnrolledWearable, _ table: LaneTable
  ) {
    guard wearable.link != nil, wearable !== waiting else { fatalError("a slot is taken that no other wearable has") }
    context.logger.info("\(wearable.name) yields its slot to \(waiting.name)")
    let trouble = HearthError(.slotsFull, "\(wearable.name) gave its slot to \(waiting.name)")
    context.changes.happened(wearable.needsLink ? .linkLost(wearable, trouble) : .linkLeft(wearable))
    if table.hadProbation(holder) { onUseless(wearable) }
    links.disconnect(wearable)
    // A wearable with memory loses no data with its link.
    wearable.lane.keepsLink = wearable.needsLink
    // The wearable goes to the end of the line; its next turn comes by the usual rules.
    wearable.lane.retry.postpone(until: context.loop.now + .seconds(1))
    wearable.lane.gaveUpSlot = true
    if wearable.hasShortPresence, table.isShortPresenceOver(holder) { wearable.lane.overstayed = true }
    evictions.note(Eviction(at: context.loop.now, beneficiary: waiting.id, adapter: holder.adapter))
  }
}

extension Lane {
  /// Slots of each adapter that an attempt leaves to other wearables.
  func slotsKept(from address: BluetoothAddress) -> [Int] {
    let table = table()
    return table.slotsKept(from: registry[address].flatMap { table[$0.id] })
  }
}

extension AdapterSlots {
  fileprivate init(_ facts: RadioFacts) {
    self.init(capacity: facts.slots, links: facts.links)
    isClimbing = facts.isClimbing
  }

  /// Slots of one of several adapters. An adapter that is not ready has no slots.
  fileprivate init(_ adapter: AdapterFacts) {
    self = adapter.state == .ready ? AdapterSlots(adapter.facts) : AdapterSlots(capacity: 0, links: 0)
    onlyListens = adapter.onlyListens
  }
}

extension LaneTable {
  /// Returns why there is no slot for a wearable that waits; nil if one is free.
  ///
  /// - Parameters:
  ///   - waiting: the wearable. A bonded one waits for its own adapter, also while that is not ready.
  ///   - place: its place in the line, from 1.
  ///   - line: those before it, and itself. The first that could have the same slot gets it.
  func slotWait(of waiting: LaneCandidate, at place: Int, in line: some Sequence<LaneCandidate>) -> SlotWait? {
    if waiting.bond == .absent { return nil }
    let first = line.first { competes($0, with: waiting) && canEvict($0) } ?? waiting
    let (links, capacity) = (links(for: waiting.bond), capacity(for: waiting.bond))
    if links < capacity { return nil }
    let holders = candidates.filter { $0.isLinked && shares($0, waiting) }
      .sorted { linkedSince($0) < linkedSince($1) }
    var wait = SlotWait(links: links, slots: capacity, holders: holders.map(\.name), place: place)
    // The holder that was linked last took the last slot. If devices outside the registry hold slots, the time is
    // unknown.
    if holders.count >= capacity { wait.since = holders.last.map { wall(of: linkedSince($0)) } }
    if !isVacating(for: waiting), let since = first.dueSince,
      let (next, moment) = eviction(for: first, waitingSince: since)
    {
      wait.next = next.name
      wait.nextAt = wall(of: max(moment, now))
    }
    return wait
  }

  /// Whether a link yields to this wearable, at once or later.
  private func canEvict(_ waiting: LaneCandidate) -> Bool {
    eviction(for: waiting, waitingSince: waiting.dueSince ?? now) != nil
  }

  /// Whether it may take the slot that another wearable waits for. Not if it is bonded to another adapter, or may have
  /// a free slot elsewhere.
  private func competes(_ other: LaneCandidate, with waiting: LaneCandidate) -> Bool {
    if slots.adapters.count == 1 { return true }
    if other.isLinked { return false }
    if other.bond == waiting.bond { return true }
    return other.bond == .none && !isSlotFree(besideAttempts: false, for: other)
  }
}
