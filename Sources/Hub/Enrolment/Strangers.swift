// Mode `all`: who joins by itself. Strangers are tried one after the other; who shows what a wearable of its kind shows
// gets a record, and who brought nothing since makes room for somebody new.

import Bluetooth
import EventLoop
import Reasons
import RingStore
import StateCodec
import Wearable

/// Tries strangers, and lets them join.
@LoopActor
final class Strangers {
  private let context: HubContext
  private let registry: Registry
  private let presence: PresenceMonitor
  private let lane: Lane
  /// Gives one a record. Durable when it returns.
  var onJoin: @LoopActor (Presence) async throws(HearthError) -> EnrolledWearable
  /// Takes the record of one away that never brought a value.
  var onEvict: @LoopActor (EnrolledWearable) async throws(HearthError) -> Void

  private var order = TrialOrder()
  private var running: [BluetoothAddress: Trial] = [:]
  /// They gave a value, or showed their services, and wait for their record.
  private var admitted = Admissions()
  private var timer: LoopTimer?
  /// No room for somebody new; told once, until there is some.
  private(set) var trouble: HearthError?
  private(set) var tries: UInt64 = 0
  private(set) var joins: UInt64 = 0
  private(set) var evictions: UInt64 = 0
  /// Tries that were not made, as the address changes.
  private(set) var refusals: UInt64 = 0
  private var refusalTold: Instant?
  var isOn = false { didSet { if isOn != oldValue { isOn ? wake(after: .zero) : stop() } } }

  /// Tries under way: one that is being linked, and three that are looked at. So a link that says nothing (5 s) costs
  /// no more than one that is not made (2 s).
  static let underWay = 4
  /// Who joined for the services that it showed, and brought nothing yet: each has visits, which cost time.
  static let unprovenLimit = 32
  /// Who joined has this long to bring a value before it may be evicted: the lane visits it at once, and tries it again
  /// after a rest of five minutes (`BackOff`), twice.
  static let grace: Duration = .seconds(900)
  /// How often it is looked whether somebody may be tried, while strangers are heard.
  nonisolated static let look: Duration = .milliseconds(250)
  /// After a link that is live its first values come.
  private static let firstValue: Duration = .seconds(10)
  /// Without anybody who may be tried now.
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
      // What it sends comes behind that.
      context.loop.schedule(after: Self.firstValue) { [weak self] in self?.noteProven() }
    }
    lane.slots.hasStranger = { [weak self] in self.map { !$0.running.isEmpty } ?? false }
    lane.slots.onNeeded = { [weak self] in self?.giveWay() }
  }

  /// A stranger was heard.
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
    // Nobody is about: the next one that is heard begins anew.
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

  /// Refusals are reported once in this time.
  private static let refusalPause: Duration = .seconds(3600)

  /// An address that changes is enrolled by pairing, for which a person has to ask: each pairing holds the lane, and
  /// whoever changes its address is always new.
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

  /// An enrolled wearable needs the slot that a try holds.
  private func giveWay() { for trial in running.values { trial.end() } }

  // MARK: Room

  /// Who joined by itself and brought nothing yet, the oldest first.
  private var unproven: [EnrolledWearable] { registry.all.filter { $0.remembered(JoinedByItself.self) != nil } }

  /// A value of it came, in this life of the hub or before, or a visit came to its end.
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
      // A clock that was put back makes nobody stay for ever.
      return abs((wall - joined.at).inSeconds) >= Self.grace.inSeconds
    }
  }

  private var isFull: Bool { registry.all.count >= PresenceTable.limit }

  /// One that brought no value in its try may have a place among those that wait to bring one.
  private var mayWait: Bool { unproven.count < Self.unprovenLimit || evictable() != nil }

  /// Somebody new has a place, or may take one. Tells where not, once.
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
      let full = HearthError(.registryFull, "\(registry.all.count) wearables are enrolled; nobody new joins by itself")
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

/// How many may join: a record is written twice, and once more where somebody is evicted, 75 KB of the card in all.
private struct Admissions {
  /// Six at once, then one in three seconds: a class of forty within two minutes.
  private var fast = TokenBucket(capacity: 6, period: .seconds(3))
  /// A hall that is opened fills within minutes. After 64 of them one in five minutes, 288 a day and 22 MB of the
  /// card, a seventh of the day's budget.
  private var slow = TokenBucket(capacity: 64, period: .seconds(300))

  func allows(_ now: Instant) -> Bool { fast.next(now) <= now && slow.next(now) <= now }

  mutating func took(_ now: Instant) {
    _ = fast.take(now)
    _ = slow.take(now)
  }
}
