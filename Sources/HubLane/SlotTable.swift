// The slots for links, by adapter, and what was promised of them.

package import Bluetooth
package import Custody
package import EventLoop

/// The slots of one adapter.
package struct AdapterSlots: Equatable {
  /// Links that its controller holds at the same time.
  package var capacity: Int
  /// Links that its controller counts, the hub's and others'. A link that was just closed is counted until it is gone.
  package var links: Int
  /// One more comes within seconds, if what was made lately holds.
  package var isClimbing = false

  package init(capacity: Int, links: Int) {
    self.capacity = capacity
    self.links = links
  }
}

/// A slot that was given up, and for which wearable, until that one has it.
package struct Eviction: Equatable {
  package var at: Instant
  package var beneficiary: WearableID
  /// The adapter of the slot; nil: not known, among several.
  package var adapter: Int?

  package init(at: Instant, beneficiary: WearableID, adapter: Int?) {
    self.at = at
    self.beneficiary = beneficiary
    self.adapter = adapter
  }
}

extension [Eviction] {
  /// One for each adapter, and one for each wearable: the last.
  package mutating func note(_ eviction: Eviction) {
    removeAll { $0.adapter == eviction.adapter || $0.beneficiary == eviction.beneficiary }
    append(eviction)
  }
}

/// The slots of all adapters. Decisions about a wearable that any adapter may link to ask it for sums, those about a
/// bonded one for its own adapter.
package struct SlotTable: Equatable {
  /// In the order of `RadioFacts.adapters`; one that does not serve has no slots.
  package var adapters: [AdapterSlots]
  /// A pairing has an attempt.
  package var isPairing = false
  /// A device that is not enrolled and is tried has an attempt.
  package var isTrying = false
  /// The last of each adapter.
  package var evictions: [Eviction] = []
  /// A device that is not enrolled holds a slot, and gives it up at once where one is needed.
  package var hasStranger = false

  package init(_ adapters: [AdapterSlots]) { self.adapters = adapters }

  package var capacity: Int { adapters.reduce(0) { $0 + $1.capacity } }
  package var links: Int { adapters.reduce(0) { $0 + $1.links } }

  /// A disconnection takes a few connection events, at most the supervision timeout of the routine profile (6 s). A
  /// slot that is not free then has gone to another device, and another link is evicted.
  private static let evictionBound: Duration = .seconds(6)

  /// An adapter that may link to a wearable will have one more slot within seconds.
  func isClimbing(for bond: AdapterPlace.Bond) -> Bool {
    switch bond {
    case .none: adapters.contains(where: \.isClimbing)
    case .at(let place): adapters.indices.contains(place) && adapters[place].isClimbing
    case .absent: false
    }
  }

  /// Evictions of a moment ago, whose slots may not be free yet.
  func vacating(_ now: Instant) -> [Eviction] { evictions.filter { now - $0.at < Self.evictionBound } }
}

extension LaneTable {
  /// Links of enrolled wearables.
  package var linked: Int { candidates.count { $0.isLinked } }

  /// All slots have a link.
  package var areSlotsFull: Bool { linked >= slots.capacity }

  /// Whether a slot is free, by the controllers' count too.
  ///
  /// - Parameters:
  ///   - attempts: whether those under way count as links that they may become.
  ///   - wearable: that wants it. Slots that are reserved for others or promised to them are not free. A bonded one
  ///     counts the slots of its adapter alone. If that adapter is absent, an attempt takes no slot and says why.
  package func isSlotFree(besideAttempts attempts: Bool, for wearable: LaneCandidate?) -> Bool {
    let bond = wearable?.bond ?? .none
    if bond == .absent { return true }
    // A slot that is promised and not free yet takes none of another adapter.
    let promised = promises(toOtherThan: wearable).map { place($0.adapter) }
    let free = slots.adapters.indices.reduce(0) { sum, adapter in
      guard serves(adapter, bond) else { return sum }
      return sum + max(room(on: adapter, attempts, wearable) - promised.count { $0 == adapter }, 0)
    }
    return free > promised.count { $0 == nil } + unplaced(attempts, wearable)
  }

  /// A link was evicted a moment ago on an adapter that may link to a wearable, and its slot may not be free yet.
  package func isVacating(for waiting: LaneCandidate) -> Bool {
    slots.vacating(now).contains { eviction in
      guard let adapter = place(eviction.adapter) else { return true }
      return serves(adapter, waiting.bond) && !passed.contains(adapter)
    }
  }

  /// It is bonded, and its own adapter is absent or full while others may have room: none of those that may be linked
  /// over others waits for it. Never where there is one adapter.
  ///
  /// - Parameter attempts: whether those under way count as links that they may become.
  func waitsApart(_ candidate: LaneCandidate, besideAttempts attempts: Bool) -> Bool {
    guard slots.adapters.count > 1, candidate.bond != .none, !candidate.isLinked else { return false }
    return candidate.bond == .absent || !isSlotFree(besideAttempts: attempts, for: candidate)
  }

  /// The slots of an adapter may be a wearable's.
  private func serves(_ adapter: Int?, _ bond: AdapterPlace.Bond) -> Bool {
    switch bond {
    case .none: true
    case .at(let place): adapter == place
    case .absent: false
    }
  }

  /// An adapter that a wearable may be linked over has its link.
  package func shares(_ holder: LaneCandidate, _ waiting: LaneCandidate) -> Bool {
    serves(place(of: holder), waiting.bond)
  }

  func place(of candidate: LaneCandidate) -> Int? { place(candidate.adapter) }

  private func place(_ adapter: Int?) -> Int? { slots.adapters.count == 1 ? 0 : adapter }

  /// Free slots of one adapter.
  private func room(on adapter: Int, _ countsAttempts: Bool, _ wearable: LaneCandidate?) -> Int {
    let (linked, attempts, reserved) = claims(on: adapter, wearable)
    let slots = slots.adapters[adapter]
    return slots.capacity - max(linked + (countsAttempts ? attempts : 0), slots.links) - reserved
  }

  /// Slots of several adapters that attempts and reservations take whose adapter is not known.
  private func unplaced(_ countsAttempts: Bool, _ wearable: LaneCandidate?) -> Int {
    if slots.adapters.count == 1 { return 0 }
    let (linked, attempts, reserved) = claims(on: nil, wearable)
    return linked + (countsAttempts ? attempts : 0) + reserved
  }

  private func claims(on adapter: Int?, _ wearable: LaneCandidate?) -> (linked: Int, attempts: Int, reserved: Int) {
    var (linked, attempts, reserved) = (0, 0, 0)
    if adapter == nil || slots.adapters.count == 1 { attempts = (slots.isPairing ? 1 : 0) + (slots.isTrying ? 1 : 0) }
    for candidate in candidates where place(of: candidate) == adapter {
      if candidate.isLinked { linked += 1 } else if candidate.hasTurn { attempts += 1 }
      if candidate.keepsSlot, candidate.id != wearable?.id { reserved += 1 }
    }
    return (linked, attempts, reserved)
  }

  /// The adapter that it is bonded to is full, though others may not be.
  package func isOwnAdapterFull(_ candidate: LaneCandidate) -> Bool {
    guard case .at(let place) = candidate.bond, slots.adapters.indices.contains(place) else { return false }
    return slots.adapters[place].capacity > 0 && links(for: candidate.bond) >= slots.adapters[place].capacity
  }

  /// Links on the adapters that may link to a wearable, by the greater of the two counts.
  package func links(for bond: AdapterPlace.Bond) -> Int {
    guard case .at(let place) = bond, slots.adapters.indices.contains(place) else { return max(linked, slots.links) }
    return max(claims(on: place, nil).linked, slots.adapters[place].links)
  }

  /// Slots of the adapters that may link to a wearable.
  package func capacity(for bond: AdapterPlace.Bond) -> Int {
    guard case .at(let place) = bond, slots.adapters.indices.contains(place) else { return slots.capacity }
    return slots.adapters[place].capacity
  }

  /// Another adapter than the one that a bonded wearable waits for has a free slot.
  func hasRoomElsewhere(than bond: AdapterPlace.Bond) -> Bool {
    guard case .at(let place) = bond else { return false }
    return slots.adapters.indices.contains { $0 != place && room(on: $0, true, nil) > 0 }
  }

  /// A slot was evicted for another wearable a moment ago. Otherwise the first that comes takes it, and one link after
  /// the other is given up for a wearable that never gets a slot. One that is recovering waits for no promise.
  private func promises(toOtherThan wearable: LaneCandidate?) -> [Eviction] {
    if wearable?.isRecovering == true { return [] }
    return slots.vacating(now).filter { eviction in
      guard eviction.beneficiary != wearable?.id, let beneficiary = self[eviction.beneficiary] else { return false }
      return beneficiary.dueSince != nil && !beneficiary.hasTurn && !beneficiary.keepsSlot && !beneficiary.isLeftOut
    }
  }
}
