// A month of a ward full of sensors, under a hub that is killed, stopped, loses its radio and has its clock stepped.

import Bluetooth
import Drivers
import EventLoop
import Health
import Hub
import RingStore
import Simulation
import StrapTwin

/// A run. At its end the store has everything that the sensors' own logs show as sent: once, equal, and at its time. A
/// value is of low quality if the sensor doubts it.
@LoopActor
final class WardMonth {
  private let loop: VirtualLoop
  private let options: TrialOptions
  private let world: VirtualWorld
  private let hub: SimulatedHub
  private let tail: EventTail
  private let guests: [WardGuest]
  private var random: SeededRandom
  private var report: TrialReport
  private let began: Instant
  private let lives: HubLives
  private let judge: WardVerifier
  /// Time of the hub's last confirmation of a reading that its sensor then deleted.
  private var confirmedAt: Instant?
  private var isOver = false

  init(_ loop: VirtualLoop, _ options: TrialOptions, _ tail: EventTail = EventTail()) {
    self.loop = loop
    self.options = options
    self.tail = tail
    report = TrialReport(options: options)
    began = loop.now
    var air = WorldOptions()
    air.directNotifications = true
    // A cuff is heard for ten seconds: five times.
    air.advertisementSpacing = .seconds(2)
    var plan = options.faults.plan
    // The sensors themselves draw which values they lose.
    plan.lostNotification = 0
    world = VirtualWorld(loop: loop, seed: options.seed, options: air, faults: plan)
    random = SeededRandom(seed: options.seed).split(0x3A_2D_1)
    guests = WardPopulation.guests(
      options.wearables, in: world, random.split(1), faults: options.faults, zone: options.rules, at: loop.wall)
    // Each wearable may have to wait for all others.
    let settings = SimulatedHubOptions(
      monthOf: options, watchEvery: .seconds(300), storeBytes: 4 << 30, wait: .seconds(900))
    hub = SimulatedHub(world, drivers: Drivers.registry, options: settings, tail: tail)
    lives = HubLives(loop, hub, tail)
    judge = WardVerifier(hub, guests)
  }

  func run() async throws -> TrialReport {
    for guest in guests {
      guest.keeper?.onConfirmed = { [weak self] _ in self?.confirmedAt = self?.loop.now }
    }
    try await hub.start(enrolling: guests.map { ($0.name, $0.twin, "heart-rate", $0.kind) })
    if options.faults == .all {
      for (number, guest) in guests.enumerated() where guest.recorder != nil {
        wearOut(guest, random.split(UInt64(100 + number)))
      }
    }
    let end = loop.now + .seconds(Int64(options.days) * 86_400)
    var restartAt = loop.now + restartWait()
    var outageAt = loop.now + outageWait()
    var lookAt = loop.now + .seconds(86_400)
    while loop.now < end, hub.watch.violations.isEmpty, judge.violations.isEmpty {
      try await loop.sleep(for: .seconds(60))
      note()
      if loop.now >= lookAt {
        try await judge.look()
        lookAt = lookAt + .seconds(86_400)
      }
      if options.faults == .none { continue }
      if loop.now >= outageAt {
        try await loseRadio()
        outageAt = loop.now + outageWait()
      }
      guard loop.now >= restartAt else { continue }
      try await restart()
      restartAt = loop.now + restartWait()
    }
    isOver = true
    try await settle()
    return try await finish()
  }

  private func note() { tail.set(now: (loop.now - began).wholeNanoseconds / 1_000_000_000) }

  // MARK: Trouble

  private func restartWait() -> Duration { random.duration(in: .seconds(2 * 3600)...(.seconds(30 * 3600))) }
  private func outageWait() -> Duration { random.duration(in: .seconds(6 * 3600)...(.seconds(48 * 3600))) }

  /// Changes its battery: its clock counts from 2000 until it is set.
  private func wearOut(_ guest: WardGuest, _ draw: SeededRandom) {
    var draw = draw
    loop.schedule(after: draw.duration(in: .seconds(20 * 3600)...(.seconds(120 * 3600)))) { [weak self] in
      guard let self, !isOver else { return }
      tail.add("-- \(guest.name) loses its clock")
      guest.sensor?.loseClock()
      wearOut(guest, draw)
    }
  }

  /// Switches the adapter off, and on again.
  private func loseRadio() async throws {
    tail.add("-- the adapter is off")
    hub.radio.powerOff()
    try await loop.sleep(for: random.duration(in: .seconds(5)...(.seconds(300))))
    tail.add("-- and on")
    hub.radio.powerOn()
  }

  /// Every second kill comes in the seconds after a reading was confirmed.
  private func restart() async throws {
    let kills = random.chance(0.5)
    var wait = random.duration(in: .zero ... .seconds(60))
    if random.chance(0.5), kills {
      let (begin, limit) = (loop.now, loop.now + .seconds(4 * 3600))
      while confirmedAt.map({ $0 < begin }) ?? true, loop.now < limit {
        try await loop.sleep(for: .milliseconds(500))
      }
      wait = random.duration(in: .zero ... .seconds(16))
    }
    try await lives.restart(after: wait, kills: kills, pause: random.duration(in: .seconds(1)...(.seconds(600))))
    guard options.faults == .all, let drawn = HubLives.drawClockStep(&random) else { return }
    try await lives.stepClock(by: drawn.step, after: drawn.wait)
  }

  // MARK: The end

  /// The final phase: no faults; sensors with stored readings come for as long as it takes.
  private func settle() async throws {
    guard hub.watch.violations.isEmpty, judge.violations.isEmpty else { return }
    world.faults = FaultPlan()
    for guest in guests where guest.recorder != nil { guest.twin.stayForGood() }
    let due = loop.now
    let limit = loop.now + .seconds(8 * 3600)
    // A sensor that was not used for long must be used once more to be heard.
    while loop.now < limit, guests.contains(where: { owes($0, before: due) }) {
      for guest in guests { if let keeper = guest.keeper, !keeper.kept.isEmpty { keeper.measureNow() } }
      try await loop.sleep(for: .seconds(600))
      note()
    }
    for guest in guests where owes(guest, before: due) {
      let kept = guest.keeper?.kept.count ?? guest.recorder?.untold(before: due).count ?? 0
      hub.watch.report("\(guest.name), \(guest.kind): still keeps \(kept) that were not fetched")
    }
  }

  /// Whether it has not delivered a measurement from before a moment.
  private func owes(_ guest: WardGuest, before moment: Instant) -> Bool {
    if let keeper = guest.keeper { return !keeper.kept.isEmpty }
    return !(guest.recorder?.untold(before: moment).isEmpty ?? true)
  }

  private func finish() async throws -> TrialReport {
    report.note(lives)
    report.violations = hub.watch.violations
    // The store must not change while it is judged, and no wearable may return by its schedule.
    for guest in guests {
      guest.twin.stayForGood()
      guest.twin.leave()
    }
    try await loop.sleep(for: .seconds(120))
    await hub.stop()
    try await hub.start()
    try await judge.finish(lives.wallSteps)
    await hub.stop()
    report.violations += judge.violations
    report.noteLosses(judge.losses.map { ($0.at - began, $0.count) }, window: hub.options.commitEvery)
    report.samples = judge.matched
    report.contentHash = judge.contentHash
    report.ward = judge.outcome(wallSteps: lives.wallSteps.count - 1)
    for guest in guests {
      // A hanging controller sends no confirmations.
      let faults = guest.sensor?.ledger.faults.filter { $0 != .leftUnconfirmed || options.faults != .all } ?? []
      guard let fault = faults.first else { continue }
      report.violations.append("\(guest.name), \(guest.kind): the hub \(fault.rawValue)")
    }
    report.virtualTime = loop.now - began
    report.tail = tail.lines
    return report
  }
}
