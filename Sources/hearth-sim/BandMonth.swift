// Days of a gym full of bands, straps, insoles and wearables of Polar. The hub is killed, stopped, loses its radio and
// has its clock stepped.

import BandTwin
import Bluetooth
import BotzTwin
import CivilTime
import Drivers
import EventLoop
import Health
import Hub
import RingStore
import Simulation
import StrapTwin

/// A run. At its end the store contains what the bands' memories held long enough, and no more. Straps and insoles are
/// compared with their own truth; those of Polar are only company.
@LoopActor
final class BandMonth {
  private let loop: VirtualLoop
  private let options: TrialOptions
  private let world: VirtualWorld
  private let hub: SimulatedHub
  private let tail: EventTail
  private let guests: [BandGuest]
  private var random: SeededRandom
  /// Random choices of the hub's moves, apart from the others, so that a seed means the same without moves.
  private var travels: SeededRandom
  private var report: TrialReport
  private let began: Instant
  private let lives: HubLives
  private var presences: [BandPresence]
  /// The true wearers of each wearable, with start.
  private var worn: [[(from: Instant, wearer: WearerID?)]]
  private var confirmations = 0
  /// Hook for the judge at the end.
  var tampering: (@LoopActor (Int, BandKept) -> [BandKept])?

  init(_ loop: VirtualLoop, _ options: TrialOptions, _ tail: EventTail = EventTail()) {
    self.loop = loop
    self.options = options
    self.tail = tail
    report = TrialReport(options: options)
    began = loop.now
    var air = WorldOptions()
    air.directNotifications = true
    air.advertisementSpacing = .seconds(4)
    var plan = options.faults.plan
    // A day of a band has hundreds of pieces without repetition: with one of a hundred lost, no day would ever be
    // complete.
    plan.lostNotification = options.faults == .all ? 0.000_5 : 0
    world = VirtualWorld(loop: loop, seed: options.seed, options: air, faults: plan)
    random = SeededRandom(seed: options.seed).split(0xBA_4D_5)
    travels = SeededRandom(seed: options.seed).split(0x20_4E)
    guests = BandPopulation.guests(
      options.wearables, in: world, random.split(1), faults: options.faults, zone: options.rules,
      only: options.families, at: loop.wall)
    presences = guests.map { _ in BandPresence() }
    worn = guests.map { _ in [(loop.now, nil)] }
    // Each wearable may have to wait for all others.
    var settings = SimulatedHubOptions(
      monthOf: options, watchEvery: .seconds(300), storeBytes: 4 << 30, wait: .seconds(900))
    settings.hub.pairing = .always
    hub = SimulatedHub(world, drivers: Drivers.registry, options: settings, tail: tail)
    lives = HubLives(loop, hub, tail)
  }

  /// Names of all guests.
  var names: [String] { guests.map(\.name) }

  func run() async throws -> TrialReport {
    for guest in guests {
      guest.band?.onConfirmed = { [weak self] items in self?.confirm(items, of: guest) }
    }
    try await hub.start(enrolling: guests.map { ($0.name, $0.twin, $0.driver, $0.kind) })
    try await assignFirst()
    let end = loop.now + .seconds(Int64(options.days) * 86_400)
    var restartAt = loop.now + restartWait()
    var outageAt = loop.now + outageWait()
    while loop.now < end, hub.watch.violations.isEmpty {
      try await pass(.seconds(30))
      if options.faults == .none { continue }
      if loop.now >= outageAt {
        try await loseRadio()
        outageAt = loop.now + outageWait()
      }
      guard loop.now >= restartAt else { continue }
      try await restart()
      restartAt = loop.now + restartWait()
    }
    try await settle()
    return try await finish()
  }

  private func pass(_ time: Duration) async throws {
    try await loop.sleep(for: time)
    tail.set(now: (loop.now - began).wholeNanoseconds / 1_000_000_000)
    let works = hub.isRunning && hub.radio.state == .ready && !world.isHung
    for (number, guest) in guests.enumerated() {
      presences[number].note(
        works && guest.twin.isInRange && (guest.twin.isAdvertising || guest.twin.link != nil),
        at: loop.now)
    }
  }

  private func breakOff() {
    for number in presences.indices { presences[number].end(at: loop.now) }
  }

  // MARK: Trouble

  private func restartWait() -> Duration {
    random.duration(in: .seconds(3 * 3600)...(.seconds(30 * 3600)))
  }
  private func outageWait() -> Duration {
    random.duration(in: .seconds(6 * 3600)...(.seconds(48 * 3600)))
  }

  /// Switches the adapter off, and on again.
  private func loseRadio() async throws {
    breakOff()
    tail.add("-- the adapter is off")
    hub.radio.powerOff()
    try await loop.sleep(for: random.duration(in: .seconds(5)...(.seconds(300))))
    tail.add("-- and on")
    hub.radio.powerOn()
  }

  private func restart() async throws {
    let kills = random.chance(0.5)
    breakOff()
    try await lives.restart(
      after: random.duration(in: .zero ... .seconds(60)), kills: kills,
      pause: random.duration(in: .seconds(1)...(.seconds(600))), zone: drawZone())
    guard options.faults == .all, let drawn = HubLives.drawClockStep(&random) else { return }
    try await lives.stepClock(by: drawn.step, after: drawn.wait)
  }

  /// Draws a zone: with a probability of one in four the hub is moved to another zone, or its zone is corrected.
  private func drawZone() -> TimeZoneRules? {
    guard options.faults == .all, travels.chance(0.25) else { return nil }
    let names = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Asia/Tokyo"]
    return TimeZoneRules.named(names[travels.below(names.count)])
  }

  /// Checked before any time passes.
  private func confirm(_ items: [BandItem], of guest: BandGuest) {
    guard hub.isRunning else { return }
    confirmations += 1
    let judge = BandJudge(hub, lives)
    loop.spawn { [weak self] in
      guard let what = try? await judge.unconfirmed(items, of: guest) else { return }
      self?.hub.watch.report("\(guest.name): \(what)")
    }
  }

  // MARK: Wearers

  /// Each band is worn by one person, and from somewhere in the middle of the run on by another.
  private func assignFirst() async throws {
    for (number, guest) in guests.enumerated() where guest.band != nil {
      for person in 1...2 { _ = try await hub.store.addWearer(name: "\(guest.name)-\(person)") }
      try await assign(number, to: 1)
      let at = Duration.seconds(Int64(options.days) * 86_400) * random.integer(in: 30...70) / 100
      loop.schedule(after: at) { [weak self] in
        guard let self else { return }
        loop.spawn { [weak self] in try? await self?.assign(number, to: 2) }
      }
    }
  }

  /// Assigns it at once, or when the hub runs again: values from the time in between belong to the new wearer all the
  /// same.
  private func assign(_ number: Int, to person: Int) async throws {
    let (at, wall) = (loop.now, loop.wall)
    while !hub.isRunning { try await loop.sleep(for: .seconds(5)) }
    let store = hub.store
    guard let wearable = store.wearables.first(where: { $0.name == guests[number].name }),
      let wearer = store.wearers.first(where: { $0.name == "\(guests[number].name)-\(person)" })
    else { return }
    try await store.assign(wearable.id, to: wearer.id, from: wall)
    worn[number].append((at, wearer.id))
  }

  // MARK: The end

  /// Time within which every present wearable was visited, and its data fetched.
  private var roundBound: Duration { hub.options.visitBound }

  /// The final phase: no faults, and all wearables are present for two rounds.
  private func settle() async throws {
    guard hub.watch.violations.isEmpty else { return }
    world.faults = FaultPlan()
    for guest in guests { guest.twin.stayForGood() }
    let limit = loop.now + roundBound * 2 + .seconds(600)
    while loop.now < limit { try await pass(.seconds(30)) }
    breakOff()
  }

  private func finish() async throws -> TrialReport {
    report.note(lives)
    report.violations = hub.watch.violations
    report.erasedFiles = hub.watch.erasedFiles
    // The store must not change while it is judged.
    for guest in guests {
      guest.twin.stayForGood()
      guest.twin.leave()
    }
    try await loop.sleep(for: .seconds(120))
    await hub.stop()
    try await hub.start()
    var judge = BandJudge(hub, lives)
    judge.tampering = tampering
    for (number, guest) in guests.enumerated() {
      try await judge.judge(guest, presences[number], after: roundBound, worn[number])
    }
    let others = Set(
      guests.filter { $0.twin is VirtualStrap || $0.twin is VirtualInsole }.compactMap { guest in
        hub.store.wearables.first { $0.name == guest.name }?.id
      })
    await hub.stop()
    let samples = try await hub.storedSamples()
    let check = StoreCheck(samples.filter { others.contains($0.wearable) }, hub)
    report.violations += judge.violations + check.violations
    report.noteLosses(
      check.losses.map { ($0.at - began, $0.count) }, window: hub.options.commitEvery)
    report.noteSlewed(check.slewed, steps: lives.wallSteps.count)
    report.samples = samples.count
    report.files = check.matchedItems
    report.contentHash = judge.contentHash ^ check.contentHash
    var outcome = judge.outcome
    outcome.confirmations = confirmations
    outcome.families = BandFamily.present.map { family in
      (family.driver, guests.count { $0.driver == family.driver })
    }
    report.bands = outcome
    report.virtualTime = loop.now - began
    report.tail = tail.lines
    return report
  }
}
