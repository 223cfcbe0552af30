// Presence: which wearables are heard, which returned, and what they advertise.

import Bluetooth
import EventLoop
import Reasons
import RingStore
import Wearable

/// Takes all advertisements. Decides which wearables are present, and passes on what enrolled ones advertise. Makes no
/// connections.
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
    table.hear(advertisement) { [context] scanResult in
      recognise(scanResult, among: context.drivers).map { ($0.driver.id, $0.recognition.kind) }
    }
    if let wearable = registry[advertisement.address] {
      let air = air[wearable]
      air?.lastHeard = context.loop.wall
      // Values of a linked wearable come over its link.
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
    // A wearable that just lost its link was present until then, though it may not have advertised.
    let lastSign = [before?.lastHeard, wearable.lane.linkEndedAt].compactMap { $0 }.max()
    if !air.rhythm.isPresent(lastHeard: lastSign, now: now) {
      wearable.lane.seenAgain(after: lastSign.map { now - $0 })
      if let lastSign { context.changes.happened(.heardAgain(wearable, after: now - lastSign)) }
      let services = table[wearable.address]?.scanResult.services ?? []
      if wearable.noteShortPresence(advertising: services) { registry.persist(wearable) }
    } else if advertisement.isConnectable {
      // Another device kept the address on the air meanwhile; the wearable may be tried at once all the same.
      let last = [before?.lastConnectable, wearable.lane.linkEndedAt].compactMap { $0 }.max()
      if last.map({ now - $0 > context.options.freshness }) ?? true { wearable.lane.retry.seenAgain() }
    }
    if !advertisement.isScanResponse { air.rhythm.heard(at: advertisement.time) }
    if let quietUntil = wearable.lane.quietUntil, now < quietUntil { return }
    // A waiting wearable gains no turn by an advertisement that permits no connection.
    if wearable.lane.dueSince != nil, !advertisement.isConnectable { return }
    context.changes.raise(.lane)
  }

  /// Notes that scan responses were requested since then.
  func noteAsked(since instant: Instant) { table.noteAsked(since: instant) }

  // MARK: Present wearables

  subscript(address: BluetoothAddress) -> Presence? { table[address] }

  /// Drops what was heard under this address, as it is no longer valid.
  func forget(_ address: BluetoothAddress) { table.forget(address) }

  /// Linked, or heard within its own advertising rhythm.
  func isPresent(_ wearable: EnrolledWearable) -> Bool {
    if wearable.link != nil { return true }
    guard let air = air[wearable] else { return false }
    return air.rhythm.isPresent(lastHeard: table[wearable.address]?.lastHeard, now: context.loop.now)
  }

  /// Recently heard advertisers that are recognised and not enrolled, by address.
  func candidates() -> [Presence] {
    let since = context.loop.now - context.options.presenceTimeout
    return table.recognised(since: since).filter { registry[$0.address] == nil }
  }

  /// Present knowledge of the wearable; possible orders depend on that.
  func known(of wearable: EnrolledWearable) -> KnownWearable { wearable.known(advertisedName(of: wearable)) }

  func advertisedName(of wearable: EnrolledWearable) -> String? { table[wearable.address]?.scanResult.name }

  var counters: [(name: String, value: UInt64)] {
    [("advertisements", advertisements), ("presence_evictions", table.evictions)]
  }

  // MARK: Advertised values

  /// Prepares a driver's listener for a wearable, if its driver has one.
  func prepare(_ wearable: EnrolledWearable) {
    let state = air[wearable] ?? AirState(wearable)
    air[wearable] = state
    state.values = live.advertisedValues(of: wearable)
  }

  /// Handles the end of a link: the gap before its next advertisement is no interval.
  func linkEnded(of wearable: EnrolledWearable) { air[wearable]?.rhythm.interrupt() }

  /// Handles the closed link: the next advertised value may have come over it already.
  func linkClosed(of wearable: EnrolledWearable) { air[wearable]?.values?.linkEnded() }

  /// Interval between its advertisements; nil: unknown.
  func interval(of wearable: EnrolledWearable) -> Duration? { air[wearable]?.rhythm.interval }

  /// Time of its last advertisement, by the clock of that moment; nil: never.
  func lastHeard(_ wearable: EnrolledWearable) -> WallTime? { air[wearable]?.lastHeard }

  /// Time of its last live value, over a link or in an advertisement.
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

  /// Whether its advertised values are stored: never for a wearable that has not proved its family.
  func listens(to wearable: EnrolledWearable) -> Bool {
    wearable.advertisesValues && !wearable.isPaused
      && (wearable.choices.listening ?? context.options.keepsAdvertisedValues)
  }

  /// Whether its values are coming without a link.
  func isHeard(_ wearable: EnrolledWearable) -> Bool {
    guard wearable.link == nil, listens(to: wearable), let last = air[wearable]?.values?.lastValue else { return false }
    return context.loop.now - last <= AdvertisedValues.recent
  }

  /// Stores an operator's choice whether advertised values of this wearable are stored; nil: as configured. Durable
  /// when it returns.
  ///
  /// - Throws: `noSuchWearable`; `requestUnsupported` if its kind advertises no values; or the store's error. After an
  ///   error the choice is unchanged.
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
