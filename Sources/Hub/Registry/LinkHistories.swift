// History of a wearable's links for the lane, and what the end of a link adds to it.

import EventLoop
import HubLane
import Wearable

extension EnrolledWearable {
  /// The stored history of its links, with the state of its open link.
  func linkHistory(_ now: Instant) -> LinkHistory {
    LinkHistory(
      lane, needsLink: needsLink, isBriefKind: isBrief, hasLink: link != nil, hasBrought: link?.hasBrought ?? false,
      steadiness: steadiness(now), links: live.counters.links, attempts: live.counters.attempts)
  }

  /// Whether it is linked without waiting for a visit, as values that it measures without a link are lost.
  var isLinkedBeside: Bool { link == nil && (needsLink || isBrief) }

  /// The reputation of its link. For a wearable that is linked only for visits, that of visits counts as well.
  var linkReputation: Reputation.Grade { needsLink ? lane.reputation.grade : lane.grade }

  /// The steadiness, with the values of its open link.
  private func steadiness(_ now: Instant) -> Steadiness {
    var steadiness = lane.steadiness
    if let link { steadiness.add(link.span(now)) }
    return steadiness
  }

  func isSteady(_ now: Instant) -> Bool { linkHistory(now).isSteady }

  /// Reserves its slot after a link that the hub did not end, if the wearable was steady.
  func reserveSlot(_ now: Instant) {
    // The link is gone by now, and is already part of the sum.
    guard isSteady(now) else { return }
    lane.slotReservedUntil = now + LinkHistory.reservation
  }

  /// Adds a link that ends to the history.
  func sumUpLink(_ now: Instant) {
    guard let link else { return }
    lane.steadiness.add(link.span(now))
    lane.steadiness.linkEnded()
  }
}
