// How links end by the hub's own will, and what their end leaves behind.

import EventLoop
import Reasons
import Wearable

/// Ends links. A link is kept by the wearable that has it.
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

  /// Ends a wearable's link by the hub's own will: what goes on at it is ended first.
  func disconnect(_ wearable: EnrolledWearable) {
    guard let link = wearable.link, let turn = link.session, turn.needsClosing else { return drop(wearable) }
    context.loop.spawn {
      await turn.disconnect()
      if wearable.link === link { drop(wearable) }
    }
  }

  /// Ends what goes on at all of them at once: each is another link. They end together, with the hub: one that is done
  /// early is not looked after any more, or what was ended there would begin anew.
  func closeSessions() async {
    let sessions = registry.all.compactMap { $0.link?.session }.filter { $0.needsClosing }
    let closings = sessions.map { turn in context.loop.spawn { _ = await turn.disconnect(keepsTurn: true) } }
    for closing in closings { await closing.value }
  }

  /// Ends all links for good.
  ///
  /// - Parameter answer: answers what waited for the link of a wearable.
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
      wearable.lane.brief.ended(withReading: link.hasMeasured)
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

  /// Between two links: from now on a wearable is the business of the driver that its record names.
  private func adoptDriver(of wearable: EnrolledWearable) {
    let wanted = wearable.record.driver
    guard wearable.driver?.id != wanted, let driver = context.driver(id: wanted) else { return }
    wearable.adopt(driver)
    presence.prepare(wearable)
    // Its phases are others.
    if context.phase == .serving { registry.onMoved(wearable) }
  }
}
