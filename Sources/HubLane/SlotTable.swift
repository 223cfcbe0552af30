// The slots for links, by adapter, and the promises of them.

package import Bluetooth
package import Custody
package import EventLoop

/// Slots of one adapter: their limit, and the links that take them.
package struct AdapterSlots: Equatable {
  /// Limit of links that its controller holds at the same time.
  package var capacity: Int
  /// Links that its controller counts, the hub's and others'. A closed link is counted until it is gone.
  package var links: Int
  /// Another slot will be known within seconds, if recent links hold.
  package var isClimbing = false
  /// Has slots only for wearables that are bonded to it, as configured.
  package var onlyListens = false

  package init(capacity: Int, links: Int) {
    self.capacity = capacity
    self.links = links
  }
}

/// A slot that was given up for a wearable, until that one has it.
package struct Eviction: Equatable {
  package var at: Instant
  package var beneficiary: WearableID
  /// The adapter of the slot; nil: unknown, with several adapters.
  package var adapter: Int?

  package init(at: Instant, beneficiary: WearableID, adapter: Int?) {
    self.at = at
    self.beneficiary = beneficiary
    self.adapter = adapter
  }
}

extension [Eviction] {
  /// Notes an eviction: only the last for each adapter, and for each wearable.
  package mutating func note(_ eviction: Eviction) {
    removeAll { $0.adapter == eviction.adapter || $0.beneficiary == eviction.beneficiary }
    append(eviction)
  }
}

/// The slots of all adapters. For a wearable that any adapter may link to, decisions use sums; for a bonded one its own
/// adapter.
package struct SlotTable: Equatable {
  /// Slots in the order of `RadioFacts.adapters`; an adapter that is not ready has no slots.
  package var adapters: [AdapterSlots]
  /// A pairing has an attempt.
  package var isPairing = false
  /// A device that is not enrolled has an attempt for its try.
  package var isTrying = false
  /// The last eviction of each adapter.
  package var evictions: [Eviction] = []
  /// A device that is not enrolled holds a slot, and yields at once on demand.
  package var hasStranger = false

  package init(_ adapters: [AdapterSlots]) { self.adapters = adapters }

  /// Slots in all. Of an adapter that only listens those in use count.
  package var capacity: Int { adapters.reduce(0) { $0 + ($1.onlyListens ? $1.links : $1.capacity) } }
  package var links: Int { adapters.reduce(0) { $0 + $1.links } }

  /// A disconnection takes a few connection events, at most the supervision timeout of the routine profile (6 s). A
  /// slot that is not free by then went to another device, and another link is evicted.
  private static let evictionBound: Duration = .seconds(6)

  /// Whether an adapter that may link to a wearable will have one more slot within seconds.
  func isClimbing(for bond: AdapterPlace.Bond) -> Bool {
    switch bond {
    case .none: adapters.contains { $0.isClimbing && !$0.onlyListens }
    case .at(let place): adapters.indices.contains(place) && adapters[place].isClimbing
    case .absent: false
    }
  }

  /// Recent evictions, with slots that may not be free yet.
  func vacating(_ now: Instant) -> [Eviction] { evictions.filter { now - $0.at < Self.evictionBound } }
}

extension LaneTable {
  /// Links of enrolled wearables.
  package var linked: Int { candidates.count { $0.isLinked } }

  /// True if every slot has a link.
  package var areSlotsFull: Bool { linked >= slots.capacity }

  /// Whether a slot is free, also by the controllers' count.
  ///
  /// - Parameters:
  ///   - attempts: whether running attempts count as links.
  ///   - wearable: the wearable that needs it. Slots that are reserved or promised to others are not free. A bonded one
  ///     counts only the slots of its adapter. If that adapter is absent, an attempt takes no slot and reports why.
  package func isSlotFree(besideAttempts attempts: Bool, for wearable: LaneCandidate?) -> Bool {
    let bond = wearable?.bond ?? .none
    if bond == .absent { return true }
    // A promised slot that is not free yet takes no slot of another adapter.
    let promised = promises(toOtherThan: wearable).map { place($0.adapter) }
    let free = slots.adapters.indices.reduce(0) { sum, adapter in
      guard serves(adapter, bond) else { return sum }
      return sum + max(room(on: adapter, attempts, wearable) - promised.count { $0 == adapter }, 0)
    }
    return free > promised.count { $0 == nil } + unplaced(attempts, wearable)
  }

  /// Number of slots of each adapter that an attempt must leave to others: the reserved and the promised ones. Slots
  /// that attempts of theirs take already are not counted.
  ///
  /// - Parameter wearable: nil: a device that is not enrolled.
  package func slotsKept(from wearable: LaneCandidate?) -> [Int] {
    let promised = promises(toOtherThan: wearable).map { place($0.adapter) }
    let reserved = candidates.filter { $0.keepsSlot && !$0.hasTurn && $0.id != wearable?.id }.map { place(of: $0) }
    return slots.adapters.indices.map { adapter in (promised + reserved).count { $0 == adapter } }
  }

  /// Whether a link was just evicted on an adapter that may link to a wearable, and its slot may not be free yet.
  package func isVacating(for waiting: LaneCandidate) -> Bool {
    slots.vacating(now).contains { eviction in
      guard let adapter = place(eviction.adapter) else { return true }
      return serves(adapter, waiting.bond) && !passed.contains(adapter)
    }
  }

  /// Whether it is bonded to an adapter that is absent or full, while others may have room. Wearables that may be
  /// linked over others do not wait for it. Never with a single adapter.
  ///
  /// - Parameter attempts: whether running attempts count as links.
  func waitsApart(_ candidate: LaneCandidate, besideAttempts attempts: Bool) -> Bool {
    guard slots.adapters.count > 1, candidate.bond != .none, !candidate.isLinked else { return false }
    return candidate.bond == .absent || !isSlotFree(besideAttempts: attempts, for: candidate)
  }

  /// Whether a wearable may use the slots of an adapter.
  private func serves(_ adapter: Int?, _ bond: AdapterPlace.Bond) -> Bool {
    switch bond {
    case .none: adapter.map { !slots.adapters.indices.contains($0) || !slots.adapters[$0].onlyListens } ?? true
    case .at(let place): adapter == place
    case .absent: false
    }
  }

  /// Whether its link is on an adapter that the other wearable may use.
  package func shares(_ holder: LaneCandidate, _ waiting: LaneCandidate) -> Bool {
    serves(place(of: holder), waiting.bond)
  }

  func place(of candidate: LaneCandidate) -> Int? { place(candidate.adapter) }

  private func place(_ adapter: Int?) -> Int? { slots.adapters.count == 1 ? 0 : adapter }

  /// Free slots of one adapter.
  private func room(on adapter: Int, _ countsAttempts: Bool, _ wearable: LaneCandidate?) -> Int {
    let (linked, attempts, reserved) = usage(on: adapter, wearable)
    let slots = slots.adapters[adapter]
    return slots.capacity - max(linked + (countsAttempts ? attempts : 0), slots.links) - reserved
  }

  /// Slots for attempts and reservations on an unknown adapter, with several adapters.
  private func unplaced(_ countsAttempts: Bool, _ wearable: LaneCandidate?) -> Int {
    if slots.adapters.count == 1 { return 0 }
    let (linked, attempts, reserved) = usage(on: nil, wearable)
    return linked + (countsAttempts ? attempts : 0) + reserved
  }

  private func usage(on adapter: Int?, _ wearable: LaneCandidate?) -> (linked: Int, attempts: Int, reserved: Int) {
    var (linked, attempts, reserved) = (0, 0, 0)
    if adapter == nil || slots.adapters.count == 1 { attempts = (slots.isPairing ? 1 : 0) + (slots.isTrying ? 1 : 0) }
    for candidate in candidates where place(of: candidate) == adapter {
      if candidate.isLinked { linked += 1 } else if candidate.hasTurn { attempts += 1 }
      if candidate.keepsSlot, candidate.id != wearable?.id { reserved += 1 }
    }
    return (linked, attempts, reserved)
  }

  /// Whether the adapter that it is bonded to is full, though others may not be.
  package func isOwnAdapterFull(_ candidate: LaneCandidate) -> Bool {
    guard case .at(let place) = candidate.bond, slots.adapters.indices.contains(place) else { return false }
    return slots.adapters[place].capacity > 0 && links(for: candidate.bond) >= slots.adapters[place].capacity
  }

  /// Links on the adapters that may link to a wearable, by the greater of the two counts.
  package func links(for bond: AdapterPlace.Bond) -> Int {
    guard case .at(let place) = bond, slots.adapters.indices.contains(place) else { return max(linked, slots.links) }
    return max(usage(on: place, nil).linked, slots.adapters[place].links)
  }

  /// Slots of the adapters that may link to a wearable.
  package func capacity(for bond: AdapterPlace.Bond) -> Int {
    guard case .at(let place) = bond, slots.adapters.indices.contains(place) else { return slots.capacity }
    return slots.adapters[place].capacity
  }

  /// Whether an adapter other than that of a bonded wearable has a free slot.
  func hasRoomElsewhere(than bond: AdapterPlace.Bond) -> Bool {
    guard case .at(let place) = bond else { return false }
    return slots.adapters.indices.contains { $0 != place && serves($0, .none) && room(on: $0, true, nil) > 0 }
  }

  /// Slots that were just evicted for other wearables. Without such promises the first wearable to come takes the slot.
  /// Then one link after the other is given up for a wearable that never gets a slot. A recovering wearable does not
  /// wait for a promise.
  private func promises(toOtherThan wearable: LaneCandidate?) -> [Eviction] {
    if wearable?.isRecovering == true { return [] }
    return slots.vacating(now).filter { eviction in
      guard eviction.beneficiary != wearable?.id, let beneficiary = self[eviction.beneficiary] else { return false }
      return beneficiary.dueSince != nil && !beneficiary.hasTurn && !beneficiary.keepsSlot && !beneficiary.isLeftOut
    }
  }
}
