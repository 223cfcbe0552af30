// History of a wearable's links for the lane, and what the end of a link adds to it.

import EventLoop
import HubLane
import Wearable

extension EnrolledWearable {
  /// The stored history of its links, with the state of its open link.
  func linkHistory(_ now: Instant) -> LinkHistory {
    LinkHistory(
      lane, needsLink: needsLink, hasShortPresenceKind: hasShortPresence, hasLink: link != nil,
      hasBrought: link?.hasBrought ?? false,
      stability: stability(now), links: live.counters.links, attempts: live.counters.attempts)
  }

  /// Whether it is linked without waiting for a visit, as values that it measures without a link are lost.
  var isLinkedBeside: Bool { link == nil && (needsLink || hasShortPresence) }

  /// The reputation of its link. For a wearable that is linked only for visits, that of visits counts as well.
  var linkReputation: Reputation.Grade { needsLink ? lane.reputation.grade : lane.grade }

  /// The stability, with the values of its open link.
  private func stability(_ now: Instant) -> LinkStability {
    var stability = lane.stability
    if let link { stability.add(link.span(now)) }
    return stability
  }

  func isStable(_ now: Instant) -> Bool { linkHistory(now).isStable }

  /// Reserves its slot after a link that the hub did not end, if the wearable was stable.
  func reserveSlot(_ now: Instant) {
    // The link is gone by now, and is already part of the sum.
    guard isStable(now) else { return }
    lane.slotReservedUntil = now + LinkHistory.reservation
  }

  /// Adds a link that ends to the history.
  func sumUpLink(_ now: Instant) {
    guard let link else { return }
    lane.stability.add(link.span(now))
    lane.stability.linkEnded()
  }
}
