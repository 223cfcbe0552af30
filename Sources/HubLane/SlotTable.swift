// The slots for links, by adapter, and what was promised of them.

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
  /// A pairing has an attempt of it.
  package var isPairing = false
  /// A device that is not enrolled and is tried has an attempt of it.
  package var isTrying = false

  package init(capacity: Int, links: Int) {
    self.capacity = capacity
    self.links = links
  }
}

/// A slot that was given up, and for which wearable, until that one has it.
package struct Eviction: Equatable {
  package var at: Instant
  package var beneficiary: WearableID

  package init(at: Instant, beneficiary: WearableID) {
    self.at = at
    self.beneficiary = beneficiary
  }
}

/// The slots of all adapters. Decisions ask it for sums: how many adapters there are is no business of theirs.
package struct SlotTable: Equatable {
  package var adapters: [AdapterSlots]
  package var eviction: Eviction?
  /// A device that is not enrolled holds a slot, and gives it up at once where one is needed.
  package var hasStranger = false

  package init(_ adapters: [AdapterSlots]) { self.adapters = adapters }

  package var capacity: Int { adapters.reduce(0) { $0 + $1.capacity } }
  package var links: Int { adapters.reduce(0) { $0 + $1.links } }

  /// A disconnection takes a few connection events, at most the supervision timeout of the routine profile (6 s). A
  /// slot that is not free then has gone to another device, and another link is evicted.
  private static let evictionBound: Duration = .seconds(6)

  /// Some adapter will have one more slot within seconds.
  var isClimbing: Bool { adapters.contains(where: \.isClimbing) }

  /// A link was evicted a moment ago, and its slot may not be free yet.
  func isVacating(_ now: Instant) -> Bool { eviction.map { now - $0.at < Self.evictionBound } ?? false }
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
  ///   - wearable: that wants it. Slots that are reserved for others or promised to them are not free.
  package func isSlotFree(besideAttempts attempts: Bool, for wearable: LaneCandidate?) -> Bool {
    let promised = isPromised(toOtherThan: wearable) ? 1 : 0
    return slots.adapters.indices.reduce(0) { $0 + max(room(on: $1, attempts, wearable), 0) } > promised
  }

  private func room(on adapter: Int, _ countsAttempts: Bool, _ wearable: LaneCandidate?) -> Int {
    let slots = slots.adapters[adapter]
    var (linked, attempts, reserved) = (0, (slots.isPairing ? 1 : 0) + (slots.isTrying ? 1 : 0), 0)
    for candidate in candidates where candidate.adapter == adapter {
      if candidate.isLinked { linked += 1 } else if candidate.hasTurn { attempts += 1 }
      if candidate.keepsSlot, candidate.id != wearable?.id { reserved += 1 }
    }
    return slots.capacity - max(linked + (countsAttempts ? attempts : 0), slots.links) - reserved
  }

  /// A slot was evicted for another wearable a moment ago. Otherwise the first that comes takes it, and one link after
  /// the other is given up for a wearable that never gets a slot. One that is recovering waits for no promise.
  private func isPromised(toOtherThan wearable: LaneCandidate?) -> Bool {
    guard slots.isVacating(now), let eviction = slots.eviction, eviction.beneficiary != wearable?.id,
      let beneficiary = self[eviction.beneficiary], beneficiary.dueSince != nil, !beneficiary.hasTurn,
      !beneficiary.keepsSlot, !beneficiary.isLeftOut
    else { return false }
    return wearable.map { !$0.isRecovering } ?? true
  }
}
