// Who may have a connection attempt or a slot, beside those who have one: bounds for those who were of no use yet.

package import HubModel

/// The attempts that are under way and the links that there are, as they stand at one moment.
///
/// The kernel takes several attempts at once and connects whoever is heard, but while a wearable that it connects does
/// not answer, which is three seconds at most, it connects nobody else. So few attempts of those who were of no use yet
/// are made at a time, and none while somebody waits whose link is owed to it.
package struct LinkPool {
  /// At a time. Each is a socket and an entry of the controller's accept list, which has 8 entries or more; three who
  /// return together are waited for together, and one place is left.
  package static let attempts = 4
  /// Of these, of wearables that are not proven: whatever they do, half of the places are left.
  package static let unprovenAttempts = 2
  /// Wearables that were mute when they were tried last and now have an attempt, or a link that may still bring
  /// something. An idle link may stay up for ever: it holds a slot, and must not block the attempts of others.
  package static let doubtful = 1

  /// Links, and attempts that may become one.
  package private(set) var taken = 0
  package private(set) var linking = 0
  package private(set) var unprovenLinking = 0
  /// Have an attempt, or a link that brought nothing, and are not proven.
  package private(set) var unproven = 0
  /// Of these, links that had time to bring a value and are idle: they yield to any wearable that waits.
  package private(set) var idle = 0
  package private(set) var doubtful = 0
  package let slots: Int
  package let isOwed: Bool

  package init(slots: Int, isOwed: Bool) {
    self.slots = slots
    self.isOwed = isOwed
  }

  /// - Parameter isIdle: its link had time to bring a value, and is not in use.
  package mutating func add(_ standing: Reputation.Standing, isLinked: Bool, hasBrought: Bool, isIdle: Bool = false) {
    taken += 1
    if !isLinked { linking += 1 }
    if standing == .proven || hasBrought { return }
    unproven += 1
    if isLinked, isIdle {
      idle += 1
      return
    }
    if !isLinked { unprovenLinking += 1 }
    if standing == .doubtful { doubtful += 1 }
  }

  /// An attempt of somebody who is not enrolled yet: a pairing.
  package mutating func addPairing() {
    taken += 1
    linking += 1
  }

  /// An attempt of a stranger that is tried: one of those who were of no use yet.
  package mutating func addStranger() { add(.new, isLinked: false, hasBrought: false) }

  /// The slots that those may fill who were of no use yet: two are left to others where there are that many.
  private var unprovenSlots: Int { max(1, min(3, slots - 2)) }

  /// The last slot is free, and is not for one that was mute.
  private var keepsLast: Bool { slots >= 3 && taken + 1 >= slots }

  /// Whether an idle link has to yield before an attempt that is admitted may begin, however many slots are free.
  package func displaces(_ standing: Reputation.Standing, isFirst: Bool) -> Bool {
    if standing == .proven || isFirst || idle == 0 { return false }
    return unproven >= unprovenSlots || standing == .doubtful && keepsLast
  }

  /// Whether an attempt of a wearable may begin now. Whether a slot is free is asked apart from this.
  ///
  /// - Parameter isAsked: a person asks for it.
  /// - Parameter isFirst: it was never linked: who was mute before stands in nobody's way then.
  /// - Parameter hasWaited: its moment is past. Links that are idle hold slots as long as nobody takes them, so on a
  ///   full adapter a last slot that is kept from it would be kept for ever.
  package func admits(_ standing: Reputation.Standing, isAsked: Bool, isFirst: Bool = false, hasWaited: Bool = false)
    -> Bool
  {
    guard linking < Self.attempts else { return false }
    if standing == .proven { return true }
    if isFirst { return true }
    guard !isOwed, unprovenLinking < Self.unprovenAttempts, unproven - idle < unprovenSlots else { return false }
    if standing == .new || isAsked { return true }
    // The last slot is kept for those who were of use.
    return doubtful < Self.doubtful && (hasWaited || !keepsLast || idle > 0)
  }
}
