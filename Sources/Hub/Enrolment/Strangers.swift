// Mode `all`: wearables that join by themselves. Strangers are tried one after the other. A stranger that shows what
// its kind has gets a record; one that then brings no data makes room for another.

import Bluetooth
import EventLoop
import Reasons
import RingStore
import StateCodec
import Wearable

/// Tries strangers, and enrols those that pass.
@LoopActor
final class Strangers {
  private let context: HubContext
  private let registry: Registry
  private let presence: PresenceMonitor
  private let lane: Lane
  /// Makes a record of a stranger. Durable when it returns.
  var onJoin: @LoopActor (Presence) async throws(HearthError) -> EnrolledWearable
  /// Removes the record of a wearable that never brought a value.
  var onEvict: @LoopActor (EnrolledWearable) async throws(HearthError) -> Void

  private var order = TrialOrder()
  private var running: [BluetoothAddress: Trial] = [:]
  /// Limits the rate of new records, for strangers that passed their try.
  private var admitted = Admissions()
  private var timer: LoopTimer?
  /// Trouble that there is no room for another stranger; reported once, until there is some.
  private(set) var trouble: HearthError?
  private(set) var tries: UInt64 = 0
  private(set) var joins: UInt64 = 0
  private(set) var evictions: UInt64 = 0
  /// Number of tries that were refused because the address changes.
  private(set) var refusals: UInt64 = 0
  private var refusalTold: Instant?
  var isOn = false { didSet { if isOn != oldValue { isOn ? wake(after: .zero) : stop() } } }

  /// Number of parallel tries: one is being connected, and three are examined. So a link without values (5 s) costs no
  /// more than a failed connection (2 s).
  static let underWay = 4
  /// Limit of wearables that joined for their services, and brought no data yet: each is visited, which costs time.
  static let unprovenLimit = 32
  /// Time in which a wearable that joined must bring a value before it may be evicted. The lane visits it at once, and
  /// tries it again after a rest of five minutes (`BackOff`), twice.
  static let grace: Duration = .seconds(900)
  /// Interval of looking for the next stranger to try, while strangers are heard.
  nonisolated static let look: Duration = .milliseconds(250)
  /// Time from a live link to its first values.
  private static let firstValue: Duration = .seconds(10)
  /// Interval if no stranger may be tried now.
  private static let idleLook: Duration = .seconds(2)

  init(
    _ context: HubContext, _ registry: Registry, _ presence: PresenceMonitor, _ lane: Lane,
    onJoin: @escaping @LoopActor (Presence) async throws(HearthError) -> EnrolledWearable,
    onEvict: @escaping @LoopActor (EnrolledWearable) async throws(HearthError) -> Void
  ) {
    self.context = context
    self.registry = registry
    self.presence = presence
    self.lane = lane
    self.onJoin = onJoin
    self.onEvict = onEvict
    context.changes.listen { [weak self] change in
      guard case .visitDone = change else { return }
      // The values of a live link follow later.
      context.loop.schedule(after: Self.firstValue) { [weak self] in self?.noteProven() }
    }
    lane.slots.hasStranger = { [weak self] in self.map { !$0.running.isEmpty } ?? false }
    lane.slots.onNeeded = { [weak self] in self?.giveWay() }
  }

  /// Notes that a stranger was heard.
  func heard() { if isOn, timer == nil { wake(after: .zero) } }

  func stop() {
    if let timer { context.loop.cancel(timer) }
    timer = nil
    for trial in running.values { trial.end() }
  }

  private func wake(after wait: Duration) {
    if let timer { context.loop.cancel(timer) }
    timer = context.loop.schedule(after: wait) { [weak self] in
      self?.timer = nil
      self?.consider()
    }
  }

  // MARK: Tries

  private func consider() {
    guard isOn, context.phase == .serving else { return }
    noteProven()
    let now = context.loop.now
    let strangers = presence.candidates().filter { running[$0.address] == nil }
    // No stranger is heard; the next one starts the timer again.
    if strangers.isEmpty { return }
    guard hasRoom, admitted.allows(now), running.count < Self.underWay, lane.mayLend else {
      return wake(after: Self.look)
    }
    guard let next = order.next(among: strangers, now: now), let driver = context.driver(id: next.driverID) else {
      return wake(after: Self.idleLook)
    }
    begin(next, driver)
    wake(after: Self.look)
  }

  private func begin(_ stranger: Presence, _ driver: any WearableDriver) {
    let address = stranger.address
    if !address.isIdentity { return refuse(address) }
    let trial = Trial(context, driver)
    let failures = order.failures(of: address)
    running[address] = trial
    tries += 1
    lane.lend()
    context.loop.spawn { [weak self, lane] in
      let outcome = await trial.run(address, after: failures) { lane.giveBack() }
      await self?.ended(address, outcome)
    }
  }

  private func ended(_ address: BluetoothAddress, _ outcome: Trial.Outcome) async {
    defer {
      running[address] = nil
      context.changes.raise(.lane)
    }
    guard isOn, context.phase == .serving, registry[address] == nil else { return }
    guard outcome == .value || outcome == .services && mayWait, let stranger = presence[address],
      stranger.isRecognised
    else {
      return order.failed(address, now: context.loop.now)
    }
    admitted.took(context.loop.now)
    do throws(HearthError) {
      try await makeRoom(for: stranger)
      let wearable = try await onJoin(stranger)
      joins += 1
      order.joined(address)
      wearable.remember(JoinedByItself(at: context.loop.wall))
      registry.persist(wearable)
    } catch {
      order.failed(address, now: context.loop.now)
      if error.reason != .registryFull { context.logger.error("\(error)") }
    }
  }

  /// Minimum time between two reports of refusals.
  private static let refusalPause: Duration = .seconds(3600)

  /// A changing address is enrolled by pairing, which an operator must request. Each pairing holds the lane, and a
  /// device with changing addresses always counts as new.
  private func refuse(_ address: BluetoothAddress) {
    let now = context.loop.now
    order.failed(address, now: now)
    refusals += 1
    if let refusalTold, now - refusalTold < Self.refusalPause { return }
    refusalTold = now
    let text = "\(address) is an address that changes: such a wearable joins only if a person accepts it"
    let trouble = HearthError(.enrolAddressChanges, text)
    context.logger.notice("\(trouble)", metadata: ["CODE": "\(trouble.reason.code)", "ADDRESS": "\(address)"])
    context.changes.happened(.strangerRefused(trouble))
  }

  /// Ends all tries, as an enrolled wearable needs a slot.
  private func giveWay() { for trial in running.values { trial.end() } }

  // MARK: Room

  /// Wearables that joined by themselves and brought no data yet, the oldest first.
  private var unproven: [EnrolledWearable] { registry.all.filter { $0.remembered(JoinedByItself.self) != nil } }

  /// Whether a value of it came, in this life of the hub or before, or a visit was completed.
  private func hasBrought(_ wearable: EnrolledWearable) -> Bool {
    wearable.live.counters.samples > 0 || wearable.lane.visitedAt != nil
      || context.store.rings.contains { $0.id.wearable == wearable.id }
  }

  private func noteProven() {
    for wearable in unproven where hasBrought(wearable) {
      wearable.forget(JoinedByItself.self)
      registry.persist(wearable)
    }
  }

  private func evictable() -> EnrolledWearable? {
    let wall = context.loop.wall
    return unproven.first { wearable in
      guard let joined = wearable.remembered(JoinedByItself.self), !hasBrought(wearable), !wearable.lane.isHolder,
        !wearable.lane.measuring.isAny, wearable.choices.wearer == nil
      else { return false }
      // The absolute value, so that a clock that was set back gives no wearable an endless stay.
      return abs((wall - joined.at).inSeconds) >= Self.grace.inSeconds
    }
  }

  private var isFull: Bool { registry.all.count >= PresenceTable.limit }

  /// Whether a stranger that sent no value in its try may join and bring one later.
  private var mayWait: Bool { unproven.count < Self.unprovenLimit || evictable() != nil }

  /// Whether there is room for a stranger, free or by eviction. Reports a lack of room once.
  private var hasRoom: Bool {
    if !isFull || evictable() != nil {
      if trouble != nil {
        trouble = nil
        context.logger.notice("there is room for wearables again")
        context.changes.raise(.shown)
      }
      return true
    }
    if trouble == nil {
      let full = HearthError(.registryFull, "\(registry.all.count) wearables are enrolled; no new one joins by itself")
      trouble = full
      context.logger.warning("\(full)", metadata: ["CODE": "\(full.reason.code)"])
      context.changes.happened(.enrolmentFull(full))
      context.changes.raise(.shown)
    }
    return false
  }

  private func makeRoom(for stranger: Presence) async throws(HearthError) {
    if !isFull, unproven.count < Self.unprovenLimit { return }
    guard let oldest = evictable() else {
      if !isFull { return }
      throw HearthError(.registryFull, "no room for \(stranger.address)")
    }
    let text = "\(oldest.name) had joined by itself, brought no value, and made room for \(stranger.address)"
    try await onEvict(oldest)
    evictions += 1
    let trouble = HearthError(.enrolmentEvicted, text)
    context.logger.notice("\(trouble)", metadata: ["CODE": "\(trouble.reason.code)", "DEVICE": "\(oldest.name)"])
    context.changes.happened(.evicted(oldest.id, trouble))
  }

  var counters: [(name: String, value: UInt64)] {
    [
      ("enrolment_tries", tries), ("enrolment_joins", joins), ("enrolment_evictions", evictions),
      ("enrolment_refusals", refusals),
    ]
  }
}

/// Limits how many join: a record is written twice, and once more for an eviction, 75 KB of the card in all.
private struct Admissions {
  /// Six at once, then one in three seconds: a class of forty within two minutes.
  private var fast = TokenBucket(capacity: 6, period: .seconds(3))
  /// A hall that is opened fills within minutes. After 64 records one in five minutes: 288 a day and 22 MB of the card,
  /// a seventh of the day's budget.
  private var slow = TokenBucket(capacity: 64, period: .seconds(300))

  func allows(_ now: Instant) -> Bool { fast.next(now) <= now && slow.next(now) <= now }

  mutating func took(_ now: Instant) {
    _ = fast.take(now)
    _ = slow.take(now)
  }
}
