// What the lane is told of a wearable's links, and what their end adds to it.

import EventLoop
import HubLane
import Wearable

extension EnrolledWearable {
  /// What is remembered of its links, with what its link brings now.
  func linkHistory(_ now: Instant) -> LinkHistory {
    LinkHistory(
      lane, needsLink: needsLink, isBriefKind: isBrief, hasLink: link != nil, hasBrought: link?.hasBrought ?? false,
      steadiness: steadiness(now), links: live.counters.links, attempts: live.counters.attempts)
  }

  /// Its link waits for no visit: what it measures is lost without one.
  var isLinkedBeside: Bool { link == nil && (needsLink || isBrief) }

  /// The reputation of its link. For a wearable that is linked for its visits alone those count as well.
  var linkStanding: Reputation.Standing { needsLink ? lane.reputation.standing : lane.standing }

  /// With what its link brings now.
  private func steadiness(_ now: Instant) -> Steadiness {
    var steadiness = lane.steadiness
    if let link { steadiness.add(link.span(now)) }
    return steadiness
  }

  func isSteady(_ now: Instant) -> Bool { linkHistory(now).isSteady }

  /// A link ended that the hub did not end: its slot is reserved for it if it was steady.
  func reserveSlot(_ now: Instant) {
    // Its link is gone by now, and is summed up already.
    guard isSteady(now) else { return }
    lane.slotReservedUntil = now + LinkHistory.reservation
  }

  /// Its link ends.
  func sumUpLink(_ now: Instant) {
    guard let link else { return }
    lane.steadiness.add(link.span(now))
    lane.steadiness.linkEnded()
  }
}
