// Good straps that lose their links again and again beside forty hostile peers that take the hub's time.

import Bluetooth
import BotzTwin
import Drivers
import EventLoop
import Health
import HostileTwin
import Hub
import PolarTwin
import RingStore
import Simulation
import StrapTwin

/// A run. Its promises: a good strap regains its link in time, and a new or returning one is heard in time. Every value
/// of a good one is in the store, once.
@LoopActor
final class Siege {
  private let loop: VirtualLoop
  private let options: TrialOptions
  private let plan: SiegePlan
  private let world: VirtualWorld
  private let hub: SimulatedHub
  private let tail: EventTail
  private let lives: HubLives
  private let began: Instant
  private var random: SeededRandom
  private var report: TrialReport
  private(set) var guests: [SiegeGuest] = []
  private(set) var foes: [HostilePeer] = []
  private var polar: PolarGuest?
  private var outcome = SiegeOutcome()
  /// Whether the hostile peers are there.
  private var isOn = false
  private var restartAt: [Instant] = []

  init(_ loop: VirtualLoop, _ options: TrialOptions, _ plan: SiegePlan? = nil, _ tail: EventTail = EventTail()) {
    self.loop = loop
    self.options = options
    self.plan = plan ?? SiegePlan.draw(options.seed, foes: options.wearables)
    self.tail = tail
    report = TrialReport(options: options)
    began = loop.now
    var air = WorldOptions()
    air.directNotifications = true
    world = VirtualWorld(loop: loop, seed: options.seed, options: air, faults: Self.faults(options.faults))
    random = SeededRandom(seed: options.seed).split(0x51_E6_E1)
    var settings = SimulatedHubOptions()
    settings.watchEvery = .seconds(20)
    settings.radio.slots = self.plan.slots
    // Starvation is judged here, and by the second.
    settings.starvationBound = .seconds(86_400)
    settings.hub.pairing = self.plan.pairsAlways ? .always : .enrolment
    hub = SimulatedHub(world, drivers: Drivers.registry, options: settings, tail: tail)
    lives = HubLives(loop, hub, tail)
    populate()
    (outcome.slots, outcome.good, outcome.foes) = (settings.radio.slots, guests.count, foes.count)
  }

  /// Faults of the air for all. Hanging attempts, refused slots and hanging controllers are the radio's own: with them
  /// no hub could keep a bound of seconds.
  private static func faults(_ choice: HearthSim.FaultChoice) -> FaultPlan {
    var plan = FaultPlan()
    if choice == .none { return plan }
    plan.doubledAdvertisement = 0.02
    plan.lateAdvertisement = 0.02
    plan.lostAdvertisement = 0.1
    plan.failedToEstablish = choice == .all ? 0.02 : 0.01
    return plan
  }

  private func populate() {
    for number in 0..<plan.straps + (plan.hasNewcomer ? 1 : 0) {
      let strap = world.addStrap(.manual)
      add(
        SiegeGuest(
          "good-\(number + 1)", "heart-rate", strap, measurement: strap.measurementHandle,
          isNewcomer: number == plan.straps))
    }
    if plan.hasPolar {
      var traits = PolarTraits(.h10)
      traits.deviceID = PolarPopulation.deviceID(7)
      traits.broadcastsHeartRate = false
      let twin = world.add(.manual) { VirtualPolar($0, address: $1, random: $2, traits: traits) }
      if let handle = twin.handle(0x2A37) {
        add(SiegeGuest("good-polar", "polar-strap", twin, measurement: handle, isNewcomer: false))
        polar = PolarGuest(name: "good-polar", driver: "polar-strap", kind: "HR strap", twin: twin, wearerCount: 1)
      }
    }
    foes = plan.hostile.map { world.addHostile($0.trick, as: $0.guise, isLoud: $0.isLoud) }
  }

  private func add(_ guest: SiegeGuest) {
    guests.append(guest)
    guest.onEnd = { [weak self] guest, kind, waited, isOver in
      guard let self, isOn else { return }
      let net = max(.zero, waited - guest.allowance)
      let milliseconds = Int(net.wholeNanoseconds / 1_000_000)
      outcome.note(kind, milliseconds, isOver: isOver)
      if milliseconds > SiegeOutcome.regain {
        note()
        tail.add("-- \(guest.name) \(kind.rawValue) waited \(SiegeOutcome.seconds(milliseconds))")
      }
    }
    guest.onServed = { [weak self] guest in self?.loseLater(guest) }
  }

  private func note() { tail.set(now: (loop.now - began).wholeNanoseconds / 1_000_000_000) }

  // MARK: The run

  func run() async throws -> TrialReport {
    try await hub.start(
      enrolling: guests.map { ($0.name, $0.twin, $0.driver, "HR strap") }
        + foes.map { ($0.name, $0.twin, $0.driver, $0.kind) })
    if polar != nil { _ = try await hub.hearth.orderStreams("good-polar", [.acc]) }
    let veterans = guests.filter { !$0.isNewcomer }
    for guest in veterans {
      guest.twin.arrive()
      // Added one after the other, as the time of first meetings is not measured.
      try await loop.sleep(for: .seconds(10))
    }
    try await loop.sleep(for: plan.warmUp)
    for guest in veterans where !guest.isServed { hub.watch.report("\(guest.name) does not stream before the siege") }
    isOn = true
    tail.add("-- the siege begins")
    for foe in foes { loop.schedule(after: plan.arrival * random.fraction()) { foe.twin.arrive() } }
    schedule()
    let end = loop.now + plan.limit
    while loop.now < end, outcome.losses.count < plan.losses, hub.watch.violations.isEmpty {
      try await loop.sleep(for: Self.look)
      note()
      lookAround()
      if let next = restartAt.first, loop.now >= next {
        restartAt.removeFirst()
        try await restart()
      }
    }
    return try await finish()
  }

  /// Interval of checking which wearables hold the lane and links.
  private static let look: Duration = .seconds(1)

  private func lookAround() {
    guard guests.contains(where: { $0.waited ?? .zero > .seconds(2) }) else { return }
    let names = hub.hearth.snapshot().laneHolder
    let holder = names.map { name in foes.first { $0.name == name }.map { "\($0.trick)" } ?? name }
    let held = foes.filter { $0.twin.link != nil }.map { "\($0.trick)" }
    outcome.noteHeld(lane: holder, links: held, Int(Self.look.wholeNanoseconds / 1_000_000))
  }

  private func schedule() {
    for guest in guests {
      if guest.isServed { loseLater(guest) }
      if guest.isNewcomer {
        loop.schedule(after: random.duration(in: .seconds(20)...(.seconds(200)))) { guest.twin.arrive() }
      }
    }
    if let traveller = guests.first {
      for number in 0..<plan.returns {
        loop.schedule(after: random.duration(in: .seconds(60)...(.seconds(300))) + .seconds(400) * number) {
          [weak self] in self?.travel(traveller)
        }
      }
    }
    restartAt = (0..<plan.restarts).map { _ in
      loop.now + random.duration(in: .seconds(90)...(max(.seconds(100), plan.limit / 3)))
    }.sorted()
  }

  private func restart() async throws {
    for guest in guests { guest.hubEnds() }
    try await lives.restart(
      after: random.duration(in: .zero ... .seconds(1)), kills: random.chance(0.7),
      pause: random.duration(in: .seconds(1)...(.seconds(10))))
    while hub.radio.state != .ready { try await loop.sleep(for: .milliseconds(10)) }
    for guest in guests { guest.hubServes() }
  }

  // MARK: Faults of good straps

  private func loseLater(_ guest: SiegeGuest) {
    guard isOn else { return }
    let link = guest.twin.link
    loop.schedule(after: random.duration(in: plan.peace)) { [weak self] in
      // Only the link of that moment; another fault may have ended it meanwhile.
      guard let self, isOn, guest.isServed, let link, guest.twin.link === link, link.isOpen else { return }
      lose(guest, link)
    }
  }

  private func lose(_ guest: SiegeGuest, _ link: VirtualLink) {
    let twin = guest.twin
    switch random.below(3) {
    case 0:
      guest.cause = .range
      twin.leave()
      let away =
        .milliseconds(Int64(link.parameters.timeout) * 10) + random.duration(in: .milliseconds(300)...(.seconds(12)))
      loop.schedule(after: away) { twin.arrive() }
    case 1:
      guest.cause = .reset
      // The strap boots before it advertises.
      twin.isAdvertising = false
      link.breaks()
      loop.schedule(after: random.duration(in: .milliseconds(200)...(.seconds(3)))) { twin.isAdvertising = true }
    default:
      guest.cause = .peer
      link.peripheralHangsUp()
    }
  }

  private func travel(_ guest: SiegeGuest) {
    guard isOn else { return }
    guard guest.isServed else {
      loop.schedule(after: .seconds(5)) { [weak self] in self?.travel(guest) }
      return
    }
    guest.cause = .returned
    guest.twin.leave()
    loop.schedule(after: random.duration(in: .seconds(120)...(.seconds(400)))) { guest.twin.arrive() }
  }

  // MARK: The end

  private func finish() async throws -> TrialReport {
    for guest in guests { guest.end() }
    isOn = false
    report.note(lives)
    report.violations = hub.watch.violations
    for twin in guests.map(\.twin) + foes.map(\.twin) {
      twin.isAdvertising = false
      twin.leave()
    }
    // Links end, and pending samples are stored.
    try await loop.sleep(for: .seconds(60))
    let values = polar.map { PolarLiveJudge(hub, [$0]) }
    try await values?.look(isLast: true)
    await hub.stop()
    let check = StoreCheck(try await hub.storedSamples(), hub, besides: polar.map { [$0.twin] } ?? [])
    report.violations += check.violations + (values?.violations ?? [])
    report.violations += FetchOverlap.violations(foes.compactMap { $0.twin as? VirtualInsole })
    report.noteLosses(
      check.losses.map { ($0.at - began, $0.count) }, window: hub.options.commitEvery,
      wearables: guests.count)
    report.samples = check.matched + (values?.matched ?? 0)
    report.contentHash = check.contentHash
    outcome.hostileLinks = foes.reduce(0) { $0 + $1.tap.links }
    report.siege = outcome
    report.violations += outcome.violations()
    report.virtualTime = loop.now - began
    report.tail = tail.lines
    return report
  }
}
