// Live values on their way to journal and listeners, over links or by advertisements.

import Bluetooth
import EventLoop
import Health
import Logging
import Reasons
import RingStore
import Wearable

/// Makes the paths of live values, and holds the listeners besides the journal.
@LoopActor
final class LiveValues {
  private let context: HubContext
  private let registry: Registry
  private let listeners = LiveListeners()

  init(_ context: HubContext, _ registry: Registry) {
    self.context = context
    self.registry = registry
  }

  // MARK: Listeners

  /// Passes every live value (of one wearable, or of all) to `handler` until `unsubscribe`.
  func subscribe(_ which: String?, _ handler: @escaping @LoopActor (LiveValue) -> Void) throws(HearthError) -> Int {
    let wearable: EnrolledWearable? = if let which { try registry.require(which) } else { nil }
    let token = listeners.add(wearable?.id, handler)
    if let wearable { context.changes.raise(.awaited(wearable)) }
    return token
  }

  func unsubscribe(_ token: Int) { listeners.remove(token) }

  /// Whether a listener asked for this very wearable.
  func isListened(_ wearable: EnrolledWearable) -> Bool { listeners.all.contains { $0.wearable == wearable.id } }

  /// The value in the form for people.
  static func value(_ item: LiveItem, of wearable: EnrolledWearable, _ context: HubContext) -> LiveValue {
    let loop = context.loop
    let sample = StoredSample.live(
      wearable.id, item.series, item.values, item.bytes, flags: item.flags, at: context.wall(of: item.time),
      monotonic: item.time,
      bootID: context.store.bootID, clockTrusted: loop.wallIsTrusted)
    return LiveValue(wearable: wearable.name, address: wearable.address, sample: sample)
  }

  private func tell(_ item: LiveItem, of wearable: EnrolledWearable) {
    let value = Self.value(item, of: wearable, context)
    for listener in listeners.all where listener.wearable == nil || listener.wearable == wearable.id {
      listener.handler(value)
    }
  }

  // MARK: Paths of values

  /// The intake of one link.
  func intake(of wearable: EnrolledWearable, _ driver: any WearableDriver) -> LiveIntake {
    wearable.live.budget.share = context.options.shareOfDay
    return LiveIntake(
      wearable.id, driver, isGuarded: context.options.floodGuard != .off, loop: context.loop, store: context.store,
      state: wearable.live, listeners: listeners)
  }

  /// Callbacks for the values of a link.
  func events(of wearable: EnrolledWearable, over link: LiveLink) -> LiveEvents {
    var events = events(of: wearable)
    events.malformed = { [weak self, unowned wearable] source, error in self?.noteMalformed(wearable, source, error) }
    events.odd = { [weak self, unowned wearable] in self?.noteOdd(wearable, $0) }
    events.flood = { [context, unowned wearable, weak link] in
      if let link { context.changes.raise(.useless(wearable, link, .flood)) }
    }
    events.learned = { [unowned wearable] in wearable.learn($0) }
    events.asked = { [weak link] in link?.write($0) }
    events.readingTimes = { [context, unowned wearable] in
      let (loop, zone) = (context.loop, context.options.timeZone)
      let curve = wearable.visits.clock.curve(
        zone, now: loop.now.nanoseconds, beginning: wearable.driver?.clocked?.clockBeginning)
      let stepped = wearable.visits.clock.stepped(now: loop.now, loop.wall)
      return ReadingTimes(curve: curve, stepped: stepped, zone: zone, now: loop.wall)
    }
    events.unreadClock = { [weak self, unowned wearable] kept in
      if let kept { wearable.remember(kept) } else { wearable.forget(AgreedClock.self) }
      self?.registry.persistIfEnrolled(wearable)
    }
    events.asksWhetherHeard = { [weak link] isHeard in link?.ask(isHeard) ?? false }
    // The store's own trouble gives the reason; the wearable offers the reading again over the next link.
    events.unstored = { [context, weak wearable, weak link] in
      if let wearable, let link { context.changes.raise(.useless(wearable, link, .closed(.aborted))) }
    }
    events.drained = { [context, weak wearable, weak link] in
      if let wearable, let link { context.changes.raise(.drained(wearable, link)) }
    }
    events.returned = { [weak self, unowned wearable, weak link] in
      link?.watchSilence()
      self?.livenessChanged(of: wearable, isLive: true)
    }
    return events
  }

  private func events(of wearable: EnrolledWearable) -> LiveEvents {
    LiveEvents(
      shareReached: { [context, unowned wearable] in wearable.noteShareReached(context) },
      announced: { [context, unowned wearable] in context.changes.raise(.announced(wearable)) },
      battery: { [context, unowned wearable] in wearable.noteBattery($0, context) },
      alerted: { [context, unowned wearable] in context.changes.raise(.alerted(wearable, $0)) },
      heard: { [weak self, unowned wearable] item in self?.tell(item, of: wearable) })
  }

  /// The path of advertised values; nil if its driver reads no advertisements.
  func advertisedValues(of wearable: EnrolledWearable) -> AdvertisedValues? {
    guard let listener = wearable.makeListener() else { return nil }
    return AdvertisedValues(
      listener, of: wearable, store: context.store, listeners: listeners, hubBegan: context.began
    ) { [weak self, unowned wearable] item in self?.tell(item, of: wearable) }
  }

  // MARK: Events of links

  /// Handles a link that ceases to be live after a long silence, or is live again.
  func livenessChanged(of wearable: EnrolledWearable, isLive: Bool) {
    let text: Logger.Message = isLive ? "live again" : "no values come over its link"
    context.logger.debug(text, metadata: ["DEVICE": "\(wearable.name)"])
    context.changes.link(of: wearable, .used)
    context.changes.raise(.shown)
  }

  /// Called once for each reason since the hub started.
  func noteOdd(_ wearable: EnrolledWearable, _ what: String) {
    let code = Reason.valueOdd.code
    context.logger.notice(
      "\(code) wire: \(wearable.name): \(what)", metadata: ["CODE": "\(code)", "DEVICE": "\(wearable.name)"])
  }

  func noteMalformed(_ wearable: EnrolledWearable, _ source: LiveSource, _ error: DecodeError) {
    let count = wearable.live.counters.malformed
    _ = wearable.live.oddities.note(.malformed(source.characteristic, error), at: context.loop.now)
    // Every value of a broken wearable would fill the log; the counter has all of them.
    guard count.nonzeroBitCount == 1 else { return }
    let code = Reason.gattValueMalformed.code
    context.logger.warning(
      "\(code) wire: \(wearable.name) sent a value of \(source.characteristic) that is \(error.rawValue)",
      metadata: ["CODE": "\(code)", "DEVICE": "\(wearable.name)", "COUNT": "\(count)"])
  }
}
