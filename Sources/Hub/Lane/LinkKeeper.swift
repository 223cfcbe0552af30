// Ends of links that the hub itself decides, and what follows from them.

import EventLoop
import Reasons
import Wearable

/// Ends links. The wearable object holds its link.
@LoopActor
struct LinkKeeper {
  private let context: HubContext
  private let registry: Registry
  private let presence: PresenceMonitor

  init(context: HubContext, registry: Registry, presence: PresenceMonitor) {
    self.context = context
    self.registry = registry
    self.presence = presence
  }

  /// Ends a wearable's link by the hub's decision; streams and measurements on it are ended first.
  func disconnect(_ wearable: EnrolledWearable) {
    guard let link = wearable.link, let turn = link.session, turn.needsClosing else { return drop(wearable) }
    context.loop.spawn {
      await turn.disconnect()
      if wearable.link === link { drop(wearable) }
    }
  }

  /// Closes all sessions in parallel, as each is another link. All links end together with the hub. A session that is
  /// closed early is not attended any more, as it would begin again what was ended.
  func closeSessions() async {
    let sessions = registry.all.compactMap { $0.link?.session }.filter { $0.needsClosing }
    let closings = sessions.map { turn in context.loop.spawn { _ = await turn.disconnect(keepsTurn: true) } }
    for closing in closings { await closing.value }
  }

  /// Ends all links for good.
  ///
  /// - Parameter answer: answers the requests that waited for a wearable's link.
  func close(_ answer: @LoopActor (EnrolledWearable) -> Void) {
    for wearable in registry.all {
      if wearable.noteLink(), wearable.link == nil { registry.persist(wearable) }
      drop(wearable)
      answer(wearable)
    }
  }

  /// Ends a wearable's link, if it has one.
  func drop(_ wearable: EnrolledWearable) {
    if let link = wearable.link {
      if link.hasBrought { wearable.lane.reputation.proved() }
      wearable.lane.shortPresence.ended(withReading: link.hasMeasured)
    }
    wearable.noteWorth(context.loop.now)
    wearable.sumUpLink(context.loop.now)
    guard let link = wearable.takeLink() else { return }
    context.changes.link(of: wearable, .changed)
    presence.linkEnded(of: wearable)
    wearable.lane.linkEndedAt = context.loop.now
    wearable.lane.quietUntil = nil
    link.close(immediately: true)
    context.changes.link(of: wearable, .closed)
    presence.linkClosed(of: wearable)
    adoptDriver(of: wearable)
    registry.persistIfEnrolled(wearable)
  }

  /// Adopts the driver that the record names, between two links.
  private func adoptDriver(of wearable: EnrolledWearable) {
    let wanted = wearable.record.driver
    guard wearable.driver?.id != wanted, let driver = context.driver(id: wanted) else { return }
    wearable.adopt(driver)
    presence.prepare(wearable)
    // Another driver has other phases.
    if context.phase == .serving { registry.onMoved(wearable) }
  }
}
