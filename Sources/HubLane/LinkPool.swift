// Which wearables may have another attempt or slot: limits for those that are not proven.

package import HubModel

/// The present attempts and links, at one moment.
///
/// The kernel takes several attempts at once and connects whichever wearable is heard. But while it connects one that
/// does not answer, three seconds at most, it connects no other. So unproven wearables get few attempts at a time, and
/// no attempt while a link is needed by another wearable (required, lost or waited for).
package struct LinkPool {
  /// Parallel attempts. Each is a socket and an entry of the controller's accept list, which has 8 entries or more.
  /// Three wearables that return together are waited for together, and one place is left.
  package static let attempts = 4
  /// Attempts of these that unproven wearables may have: half of the places are left, whatever they do.
  package static let unprovenAttempts = 2
  /// Limit of doubtful (unresponsive) wearables with an attempt, or with a link that may still deliver data. An idle
  /// link may stay up for ever: it holds a slot, and must not block the attempts of others.
  package static let doubtful = 1

  /// Links, and attempts that may become links.
  package private(set) var taken = 0
  package private(set) var linking = 0
  package private(set) var unprovenLinking = 0
  /// Wearables that are not proven, with an attempt or a link without data.
  package private(set) var unproven = 0
  /// Idle links of these, which had time to bring a value: they yield to any wearable that waits.
  package private(set) var idle = 0
  package private(set) var doubtful = 0
  package let slots: Int
  package let isLinkNeeded: Bool

  package init(slots: Int, isLinkNeeded: Bool) {
    self.slots = slots
    self.isLinkNeeded = isLinkNeeded
  }

  /// - Parameter isIdle: its link had time to bring a value, and is not in use.
  package mutating func add(_ reputation: Reputation.Grade, isLinked: Bool, hasBrought: Bool, isIdle: Bool = false) {
    taken += 1
    if !isLinked { linking += 1 }
    if reputation == .proven || hasBrought { return }
    unproven += 1
    if isLinked, isIdle {
      idle += 1
      return
    }
    if !isLinked { unprovenLinking += 1 }
    if reputation == .doubtful { doubtful += 1 }
  }

  /// Adds an attempt for a pairing of a device that is not enrolled yet.
  package mutating func addPairing() {
    taken += 1
    linking += 1
  }

  /// Adds an attempt for the try of a stranger, which counts as unproven.
  package mutating func addStranger() { add(.new, isLinked: false, hasBrought: false) }

  /// Slots for unproven wearables: two are left for others if there are enough.
  private var unprovenSlots: Int { max(1, min(3, slots - 2)) }

  /// The last slot is free, and is not for a doubtful wearable.
  private var keepsLast: Bool { slots >= 3 && taken + 1 >= slots }

  /// Whether an idle link has to yield before an admitted attempt may begin, however many slots are free.
  package func displaces(_ reputation: Reputation.Grade, isFirst: Bool) -> Bool {
    if reputation == .proven || isFirst || idle == 0 { return false }
    return unproven >= unprovenSlots || reputation == .doubtful && keepsLast
  }

  /// Whether an attempt of a wearable may begin now. Whether a slot is free is a separate question.
  ///
  /// - Parameter isAsked: a person requested it.
  /// - Parameter isFirst: it was never linked; then unresponsive ones do not delay it.
  /// - Parameter hasWaited: its deadline is past. Idle links hold slots until they are needed, so on a full adapter the
  ///   last slot would otherwise stay closed to it for ever.
  package func admits(_ reputation: Reputation.Grade, isAsked: Bool, isFirst: Bool = false, hasWaited: Bool = false)
    -> Bool
  {
    guard linking < Self.attempts else { return false }
    if reputation == .proven { return true }
    if isFirst { return true }
    guard !isLinkNeeded, unprovenLinking < Self.unprovenAttempts, unproven - idle < unprovenSlots else { return false }
    if reputation == .new || isAsked { return true }
    // The last slot is reserved for proven wearables.
    return doubtful < Self.doubtful && (hasWaited || !keepsLast || idle > 0)
  }
}
