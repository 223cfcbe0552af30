// What is heard: who is there, who came back, and what a wearable says without a link.

import Bluetooth
import EventLoop
import Reasons
import RingStore
import Wearable

/// Hears all advertisements. Says who is there and hands on what enrolled wearables measure and advertise; connects
/// nobody.
@LoopActor
final class PresenceMonitor {
  private let context: HubContext
  private let registry: Registry
  private let live: LiveValues
  private let air: PerWearable<AirState>
  private var table = PresenceTable()
  private var advertisements: UInt64 = 0

  init(_ context: HubContext, _ registry: Registry, _ live: LiveValues) {
    self.context = context
    self.registry = registry
    self.live = live
    air = PerWearable(registry)
    registry.onPersist = { [weak self] wearable in self?.keepRhythm(of: wearable) }
  }

  // MARK: Hearing

  func hear(_ advertisement: Advertisement) {
    advertisements += 1
    let before = table[advertisement.address]
    table.hear(advertisement) { [context] sighting in
      recognise(sighting, among: context.drivers).map { ($0.driver.id, $0.recognition.kind) }
    }
    if let wearable = registry[advertisement.address] {
      let air = air[wearable]
      air?.lastHeard = context.loop.wall
      // What a linked wearable measures comes over its link.
      if wearable.link == nil, let air { heard(wearable, air, advertisement, before) }
    } else {
      context.changes.onStranger?(advertisement.address)
    }
  }

  private func heard(
    _ wearable: EnrolledWearable, _ air: AirState, _ advertisement: Advertisement, _ before: Presence?
  ) {
    let now = context.loop.now
    if listens(to: wearable) { air.values?.hear(advertisement) }
    // A wearable whose link just ended was there until then, though it may not have advertised.
    let lastSign = [before?.lastHeard, wearable.lane.linkEndedAt].compactMap { $0 }.max()
    if !air.rhythm.isPresent(lastHeard: lastSign, now: now) {
      wearable.lane.seenAgain(after: lastSign.map { now - $0 })
      if let lastSign { context.changes.happened(.heardAgain(wearable, after: now - lastSign)) }
      let services = table[wearable.address]?.sighting.services ?? []
      if wearable.noteBrief(advertising: services) { registry.persist(wearable) }
    } else if advertisement.isConnectable {
      // Somebody else kept it on the air meanwhile, under its address: it may be tried at once all the same.
      let last = [before?.lastConnectable, wearable.lane.linkEndedAt].compactMap { $0 }.max()
      if last.map({ now - $0 > context.options.freshness }) ?? true { wearable.lane.retry.seenAgain() }
    }
    if !advertisement.isScanResponse { air.rhythm.heard(at: advertisement.time) }
    if let quietUntil = wearable.lane.quietUntil, now < quietUntil { return }
    // Who waits already and cannot be connected by this is no nearer to its turn.
    if wearable.lane.dueSince != nil, !advertisement.isConnectable { return }
    context.changes.raise(.lane)
  }

  /// Scan responses were asked for since then.
  func noteAsked(since instant: Instant) { table.noteAsked(since: instant) }

  // MARK: Who is there

  subscript(address: BluetoothAddress) -> Presence? { table[address] }

  /// What was heard under this address says nothing any more.
  func forget(_ address: BluetoothAddress) { table.forget(address) }

  /// Linked, or heard within its own rhythm.
  func isPresent(_ wearable: EnrolledWearable) -> Bool {
    if wearable.link != nil { return true }
    guard let air = air[wearable] else { return false }
    return air.rhythm.isPresent(lastHeard: table[wearable.address]?.lastHeard, now: context.loop.now)
  }

  /// Who was heard lately, is recognised and not enrolled, by address.
  func candidates() -> [Presence] {
    let since = context.loop.now - context.options.presenceTimeout
    return table.recognised(since: since).filter { registry[$0.address] == nil }
  }

  /// What is known of it now, of which what may be ordered depends.
  func known(of wearable: EnrolledWearable) -> KnownWearable { wearable.known(advertisedName(of: wearable)) }

  func advertisedName(of wearable: EnrolledWearable) -> String? { table[wearable.address]?.sighting.name }

  var counters: [(name: String, value: UInt64)] {
    [("advertisements", advertisements), ("presence_evictions", table.evictions)]
  }

  // MARK: Advertised values

  /// Gives a wearable the listener of its driver, where that knows of one.
  func prepare(_ wearable: EnrolledWearable) {
    let state = air[wearable] ?? AirState(wearable)
    air[wearable] = state
    state.values = live.advertisedValues(of: wearable)
  }

  /// Its link ended: what it advertises from now on has no link to what came before.
  func linkEnded(of wearable: EnrolledWearable) { air[wearable]?.rhythm.interrupt() }

  /// The link is closed.
  func linkClosed(of wearable: EnrolledWearable) { air[wearable]?.values?.linkEnded() }

  /// Between two of its advertisements; nil: not known.
  func interval(of wearable: EnrolledWearable) -> Duration? { air[wearable]?.rhythm.interval }

  /// When it was heard last, by the clock of that moment; nil: never.
  func lastHeard(_ wearable: EnrolledWearable) -> WallTime? { air[wearable]?.lastHeard }

  /// When a live value came last, over a link or in an advertisement.
  func lastValue(of wearable: EnrolledWearable) -> Instant? {
    [wearable.live.lastValue(over: wearable.link), air[wearable]?.values?.lastValue].compactMap { $0 }.max()
  }

  func advertisedHeartRate(of wearable: EnrolledWearable) -> LatestValue? {
    air[wearable]?.values?.currentHeartRate(context.loop.now)
  }

  private func keepRhythm(of wearable: EnrolledWearable) {
    guard let rhythm = air[wearable]?.rhythm, let interval = rhythm.memory,
      rhythm.differs(from: wearable.remembered(AdvertisingInterval.self))
    else { return }
    wearable.remember(interval)
  }

  /// Whether values that it advertises are kept: never of one that has not shown that it is of such a family.
  func listens(to wearable: EnrolledWearable) -> Bool {
    wearable.advertisesValues && !wearable.isPaused
      && (wearable.choices.listening ?? context.options.keepsAdvertisedValues)
  }

  /// It has no link, and yet values of it come.
  func isHeard(_ wearable: EnrolledWearable) -> Bool {
    guard wearable.link == nil, listens(to: wearable), let last = air[wearable]?.values?.lastValue else { return false }
    return context.loop.now - last <= AdvertisedValues.recent
  }

  /// Keeps an operator's choice whether values that this wearable advertises are kept; nil: as configured. Durable when
  /// it returns.
  ///
  /// - Throws: `noSuchWearable`, `requestUnsupported` where its kind advertises none, or why the disk refused; then
  ///   nothing has
  ///   changed.
  func setListening(_ which: String, _ choice: Bool?) async throws(HearthError) -> EnrolledWearable {
    let wearable = try registry.require(which)
    if choice == true, wearable.makeListener() == nil {
      throw HearthError(.requestUnsupported, "\(wearable.name): its kind advertises no values")
    }
    try await registry.change(ListeningChoice.self, of: wearable) { (kept: inout ListeningChoice?) in
      kept = choice.map { ListeningChoice(isOn: $0) }
    } after: { kept in
      wearable.choices.listening = kept?.isOn
    }
    return wearable
  }
}
