// Pauses of wearables by order: their start, what they end, and their end.

import EventLoop
import Reasons
import RingStore
import Wearable

/// Pauses the collection of a wearable and resumes it. Checks each minute, and at the next end, which pauses are over.
///
/// Promise: a paused wearable stays enrolled, with its bond and its orders; it is linked only for requests of people.
@LoopActor
final class PauseKeeper {
  private let context: HubContext
  private let registry: Registry
  private let lane: Lane
  private let links: LinkKeeper
  private let mutes: MuteKeeper
  private var timer: LoopTimer?
  private var keptAt: Instant

  /// Interval of checks: the clock may be set, and a link that a person requested may be left open.
  static let period: Duration = .seconds(60)
  /// Interval of writing the remaining time of pauses: a hub without a battery-backed clock continues from there.
  static let keeping: Duration = .seconds(3600)

  init(_ context: HubContext, _ registry: Registry, _ lane: Lane, _ links: LinkKeeper) {
    self.context = context
    self.registry = registry
    self.lane = lane
    self.links = links
    mutes = MuteKeeper(context: context, registry: registry)
    keptAt = context.loop.now
  }

  func start() {
    for wearable in registry.all {
      wearable.choices.pause?.end?.takeUp(context.loop.now)
      // As a hub of an earlier version, or one that lost its power, left it.
      let noted = wearable.uncollected.current(ofAll: true)
      if let pause = wearable.choices.pause, noted == nil {
        wearable.uncollected.begin(nil, at: pause.since)
        registry.persist(wearable)
      } else if !wearable.isPaused, noted != nil {
        wearable.uncollected.end(ofAll: true, at: context.loop.wall)
        registry.persist(wearable)
      }
    }
    look()
  }

  /// Stores the remaining time of pauses.
  func stop() async {
    if let timer { context.loop.cancel(timer) }
    timer = nil
    keep()
    await mutes.keepWhatIsLeft()
  }

  private func look() {
    let keeps = context.loop.now - keptAt >= Self.keeping
    if keeps {
      keptAt = context.loop.now
      keep()
    }
    if mutes.endWhatIsOver() || keeps { context.loop.spawn { [mutes] in await mutes.keepWhatIsLeft() } }
    for wearable in registry.all where wearable.isPaused {
      if wearable.choices.pause?.end?.look(context.loop) == true {
        end(wearable)
      } else {
        leave(wearable)
      }
    }
    let ends = registry.all.compactMap(\.choices.pause?.end) + context.mutes.all.compactMap(\.end)
    let next = ends.map { $0.left(context.loop.now) }.min().map { max($0, .milliseconds(1)) }
    timer = context.loop.schedule(after: min(next ?? Self.period, Self.period)) { [weak self] in self?.look() }
  }

  /// Sets the timer again, for an end before the next check.
  func lookSooner() {
    if let timer { context.loop.cancel(timer) }
    timer = nil
    if context.phase == .serving { look() }
  }

  private func keep() {
    for wearable in registry.all {
      guard let pause = wearable.choices.pause, pause.end != nil else { continue }
      wearable.remember(pause)
      registry.persist(wearable)
    }
  }

  // MARK: Orders

  /// Pauses a wearable from now on. Durable when it returns.
  ///
  /// - Parameter until: by the hub's clock; nil: until it is resumed.
  /// - Throws: `noSuchWearable`; `controlBadParameter` for a time in the past; or the store's error. After an error the
  ///   pause is unchanged.
  func pause(_ which: String, until: WallTime?) async throws(HearthError) -> EnrolledWearable {
    let wearable = try registry.require(which)
    let end = try OrderEnd.of(until, context.loop)
    let now = context.loop.wall
    try await registry.change(CollectionPause.self, of: wearable) { (kept: inout CollectionPause?) in
      kept = CollectionPause(since: kept?.since ?? now, end: end)
    } after: { kept in
      let isNew = !wearable.isPaused
      var kept = kept
      // A pause that ended while it was being prolonged begins again.
      if isNew { kept?.since = context.loop.wall }
      wearable.choices.pause = kept
      // A paused wearable waits for no slot.
      wearable.lane.dueSince = nil
      if isNew, let kept {
        wearable.uncollected.begin(nil, at: kept.since)
        registry.persistIfEnrolled(wearable)
        tell(wearable, EventSpan(from: kept.since))
      }
    }
    // A person's request continues.
    if wearable.isLeftAlone {
      wearable.visits.running?.interrupt(.link(.cancelled))
      if wearable.link == nil { lane.cancelTurn(of: wearable) }
    }
    leave(wearable)
    lookSooner()
    context.changes.raise(.shown)
    context.changes.raise(.lane)
    return wearable
  }

  /// Resumes collection. Durable when it returns; a wearable that is not paused stays as it is.
  ///
  /// - Throws: `noSuchWearable`, or the store's error; then the pause is unchanged.
  func resume(_ which: String) async throws(HearthError) -> EnrolledWearable {
    let wearable = try registry.require(which)
    try await registry.change(CollectionPause.self, of: wearable) { (kept: inout CollectionPause?) in
      kept = nil
    } after: { _ in
      end(wearable)
    }
    return wearable
  }

  private func end(_ wearable: EnrolledWearable) {
    guard let pause = wearable.choices.pause else { return }
    wearable.choices.pause = nil
    wearable.forget(CollectionPause.self)
    wearable.uncollected.end(ofAll: true, at: context.loop.wall)
    registry.persistIfEnrolled(wearable)
    tell(wearable, EventSpan(from: pause.since, to: context.loop.wall))
    // The wearable waits again, like one that returned after an absence.
    wearable.lane.seenAgain()
    context.changes.raise(.shown)
    context.changes.raise(.lane)
  }

  /// Ends the link of a paused wearable without open requests.
  private func leave(_ wearable: EnrolledWearable) {
    guard wearable.isLeftAlone, wearable.link != nil, wearable.visits.running == nil else { return }
    lane.cancelTurn(of: wearable)
    links.disconnect(wearable)
    context.changes.happened(.linkLeft(wearable))
  }

  private func tell(_ wearable: EnrolledWearable, _ span: EventSpan) {
    let name = wearable.name
    let text = span.to == nil ? "\(name): paused, by order" : "\(name): collected again; it was paused, by order"
    context.logger.notice("\(text)", metadata: ["DEVICE": "\(name)"])
    context.changes.happened(.notCollected(wearable, HearthError(.collectionPaused, text), span))
  }
}
