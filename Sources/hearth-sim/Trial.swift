// A run: a world, a hub that is killed and stopped in it, an operator, and all checkers.

import Bluetooth
import BotzTwin
import CivilTime
import Drivers
import EventLoop
import Health
import Hub
import Reasons
import RingStore
import Simulation
import StrapTwin

struct TrialOptions: Sendable {
  var seed: UInt64
  var visits: Int
  var wearables: Int
  var faults: HearthSim.FaultChoice
  var measuresLane = false
  /// Adapters of the hub, for the mixed population; beside the first, of 5, 7, 8 and 20 links in turn.
  var adapters = 1
  var population = HearthSim.Population.mixed
  /// Days of the polar population; the others are measured in visits.
  var days = 30
  /// The hub's zone, by name; the wearables come from others. For the polar population.
  var zone = "UTC"
  /// Families of the bands, without company; empty: all, beside straps, insoles and wearables of Polar.
  var families: [HearthSim.Family] = []
  /// The day of its start, in the morning; nil: 2026-11-21.
  var from: LocalDate?

  var rules: TimeZoneRules { TimeZoneRules.named(zone) ?? .utc }
  /// 10:00 UTC.
  var morning: WallTime {
    from.map { WallTime(microseconds: $0.dayNumber * 86_400_000_000 + 36_000_000_000) } ?? VirtualLoop.morning
  }
}

@LoopActor
final class Trial {
  let loop: VirtualLoop
  let options: TrialOptions
  let world: VirtualWorld
  let hub: SimulatedHub
  let tail: EventTail
  /// Insoles and straps, in the order of their addition, with driver and kind.
  private(set) var everybody: [(name: String, peripheral: VirtualPeripheral, driver: String, kind: String)] = []
  private(set) var insoles: [VirtualInsole] = []
  var random: SeededRandom
  private let lives: HubLives
  private var report: TrialReport
  private let began: Instant
  /// Steps of the hub's clock.
  private var wallSteps = 0

  init(_ loop: VirtualLoop, _ options: TrialOptions, _ tail: EventTail = EventTail()) {
    self.loop = loop
    self.tail = tail
    self.options = options
    report = TrialReport(options: options)
    began = loop.now
    var air = WorldOptions()
    air.directNotifications = true
    air.advertisementSpacing = .seconds(2)
    var plan = options.faults.plan
    // As often for each visit as in a gym's day.
    plan.controllerHangsPerDay *= Self.density
    world = VirtualWorld(loop: loop, seed: options.seed, options: air, faults: plan)
    random = SeededRandom(seed: options.seed).split(0x7121_A1)
    var settings = SimulatedHubOptions()
    settings.watchEvery = .seconds(20)
    settings.radio.slots = options.measuresLane ? 5 : 4 + random.below(5)
    settings.furtherRadios = (1..<max(1, options.adapters)).map {
      var radio = VirtualRadioOptions(slots: [20, 5, 7, 8][$0 % 4])
      radio.dropsWhenFull = $0 % 4 == 2
      return radio
    }
    // Each wearable may have to wait for all others; a hanging controller adds two minutes.
    settings.starvationBound = .seconds(600) + .seconds(60) * options.wearables
    settings.visitBound = .seconds(2400) + .seconds(120) * options.wearables
    settings.hub.nearRSSI = -127
    // Keys are lost on purpose, and there is no person to pair again.
    settings.hub.pairing = .always
    if options.measuresLane {
      settings.radio.preferredInterval = 12
      settings.radio.holdsInterval = true
      // The time of an erase depends only on the flash, so erasing is off.
      settings.hub.erase = .never
    }
    hub = SimulatedHub(world, drivers: Drivers.registry, options: settings, tail: tail)
    lives = HubLives(loop, hub, tail)
    populate()
  }

  // MARK: The world

  private func populate() {
    for number in 0..<options.wearables {
      if !options.measuresLane, number % 4 == 3 { addStrap(number) } else { addInsole(number) }
    }
    if options.measuresLane { return }
    // A neighbour's strap, another person's insole, and two other devices: the hub must not connect to them.
    world.addStrap(.always)
    var left = InsoleTraits()
    left.isLeftFoot = true
    world.add { VirtualInsole($0, address: $1, random: $2, traits: left) }
    for _ in 0..<2 { world.addBystander() }
  }

  /// Hours without events are of no interest, so all actions of people and batteries are this many times as frequent as
  /// in a gym. There a person stays for an hour or two and returns after some.
  private static let density = 12.0

  /// Short stays, so that there are many events in little time. Every fifth never leaves.
  private func presence(_ number: Int) -> PresenceSchedule {
    number % 5 == 4
      ? .always
      : .comesAndGoes(near: .seconds(90)...(.seconds(600)), away: .seconds(30)...(.seconds(300)), startsNear: 0.5)
  }

  private func addStrap(_ number: Int) {
    let strap = world.addStrap(presence(number))
    everybody.append(("strap-\(number + 1)", strap, "heart-rate", "HR strap"))
  }

  private func addInsole(_ number: Int) {
    var draw = random.split(UInt64(number))
    var traits = InsoleTraits()
    traits.label = "insole-\(number + 1)"
    traits.rssi = draw.integer(in: -75 ... -45)
    traits.clockDrift = draw.integer(in: -50...50)
    if options.measuresLane {
      traits.files = .sessions([60])
    } else {
      vary(&traits, &draw)
    }
    let insole = world.add(options.measuresLane ? .always : presence(number)) {
      VirtualInsole($0, address: $1, random: $2, traits: traits)
    }
    insoles.append(insole)
    everybody.append((traits.label, insole, "botz", "insole"))
    if !options.measuresLane { wearOut(insole, draw) }
  }

  private func vary(_ traits: inout InsoleTraits, _ draw: inout SeededRandom) {
    traits.era = InsoleTraits.Era.allCases[draw.below(6) < 4 ? 0 : 1 + draw.below(2)]
    traits.hasLeftFoot = draw.chance(0.3)
    traits.pairing = draw.chance(0.8) || traits.era == .june2025 ? .justWorks : .refuses
    // Such a build is useless for a hub if it does not take the hub's key.
    traits.keepsFirstBond = traits.era != .june2025
    traits.idleProfile = draw.chance(0.8) ? .asBuilt : .asDocumented
    traits.clockWrap = draw.chance(0.8) ? .seconds(512) : nil
    traits.repliesWithDefiniteMaps = draw.chance(0.3)
    traits.bootSuffix = draw.chance(0.7) ? ".pb" : ".dat"
    traits.controlLatency = draw.chance(0.2) ? .zero ... .seconds(3) : .zero ... .zero
    traits.erasesOncePerBoot = draw.chance(0.6)
    let files: [InsoleTraits.Files] = [.none, .sessions([300, 40, 1200]), .lastIDTaken, .crashed, .cut]
    traits.files = files[draw.below(files.count)]
    traits.training = .init(length: .seconds(10)...(.seconds(300)), pause: .seconds(120)...(.seconds(1500)))
    guard options.faults == .all else { return }
    traits.losesReplies = draw.chance(0.2)
    traits.notificationLoss = draw.chance(0.3) ? 0.002 : 0
    traits.losesAnnouncements = draw.chance(0.2)
  }

  /// Batteries run empty and are charged again.
  private func wearOut(_ insole: VirtualInsole, _ draw: SeededRandom) {
    var draw = draw
    let wait = draw.duration(in: .seconds(1800)...(.seconds(6 * 3600)))
    loop.schedule(after: wait) { [weak self, weak insole] in
      guard let self, let insole else { return }
      insole.reboot()
      wearOut(insole, draw)
    }
  }

  // MARK: The run

  func run() async throws -> TrialReport {
    try await hub.start(enrolling: everybody)
    if options.measuresLane { return try await measure() }
    var restartAt = loop.now + restartWait()
    var actAt = loop.now + .seconds(60)
    // A random source of its own, so that the events of one adapter do not change without the others.
    var pulls = SeededRandom(seed: options.seed).split(0xADA_97E4)
    while lives.links < options.visits, hub.watch.violations.isEmpty {
      try await loop.sleep(for: .seconds(10))
      tail.set(now: (loop.now - began).wholeNanoseconds / 1_000_000_000)
      if loop.now >= restartAt {
        try await restart()
        restartAt = loop.now + restartWait()
      }
      if options.adapters > 1, pulls.chance(0.02) { pull(pulls.below(options.adapters)) }
      if loop.now >= actAt {
        await act()
        actAt = loop.now + random.duration(in: .seconds(10)...(.seconds(300)))
      }
    }
    return try await finish()
  }

  /// A person unplugs an adapter, and plugs it in again.
  private func pull(_ place: Int) {
    let radio = hub.radios[place]
    if hub.radios.count(where: { $0.state == .ready }) < 2 { return }
    tail.add("-- adapter \(place + 1) is pulled")
    radio.powerOff(.adapterRemoved)
    loop.schedule(after: .seconds(30)) { [weak radio] in radio?.powerOn() }
  }

  private func restartWait() -> Duration { random.duration(in: .seconds(300)...(.seconds(3600))) }

  private func restart() async throws {
    let wait = random.duration(in: .zero ... .seconds(10))
    let kills = random.chance(0.5)
    try await lives.restart(after: wait, kills: kills, pause: random.duration(in: .seconds(1)...(.seconds(90))))
  }

  /// An operator acts, whatever the hub is doing.
  private func act() async {
    report.operatorActs += 1
    let who = everybody[random.below(everybody.count)]
    let draw = random.below(100)
    await Operator(hub, tail).act(draw, who)
    guard options.faults == .all, random.chance(0.1) else { return }
    // Also while samples wait for the disk: each keeps the time it was given. The store counts a step of up to 10 ms as
    // slewing.
    let step = random.integer(in: -120_000...120_000)
    guard abs(step) > 10 else { return }
    loop.stepWall(by: .milliseconds(Int64(step)))
    wallSteps += 1
  }

  private func finish() async throws -> TrialReport {
    report.note(lives)
    report.violations = hub.watch.violations
    await hub.stop()
    let samples = try await hub.storedSamples()
    let check = StoreCheck(samples, hub)
    report.violations += check.violations
    report.violations += FetchOverlap.violations(insoles)
    for insole in insoles where !insole.forbidden.isEmpty {
      report.violations.append("\(insole.label): \(insole.forbidden[0])")
    }
    for insole in insoles where !insole.forbiddenFrames.isEmpty {
      report.violations.append("\(insole.label): \(insole.forbiddenFrames[0])")
    }
    report.noteCrossed(insoles.flatMap { insole in insole.crossed.map { "\(insole.label): \($0)" } })
    report.noteSlewed(check.slewed, steps: wallSteps)
    report.samples = samples.count
    report.files = check.matchedItems
    report.erasedFiles = hub.watch.erasedFiles
    report.contentHash = check.contentHash
    report.noteLosses(check.losses.map { ($0.at - began, $0.count) }, window: hub.options.commitEvery)
    report.virtualTime = loop.now - began
    report.tail = tail.lines
    return report
  }

  // MARK: The lane

  /// Ten trainings of an hour and a half: some 1.4 MB.
  private static let trainings = [Int](repeating: 5400, count: 10)

  /// Measures the efficiency. All wearables were visited once, so that pairing and discovery are over. Then all return
  /// from ten trainings at the same time, and a visit for everything is requested.
  private func measure() async throws -> TrialReport {
    try await untilAllIsServed()
    // The last visit ends in order.
    try await loop.sleep(for: .seconds(5))
    let start = loop.now
    var sizes: [Int] = []
    for insole in insoles {
      let before = insole.files.count
      insole.train(Self.trainings)
      sizes += insole.files.dropFirst(before).map(\.bytes.count)
    }
    for who in everybody { _ = try hub.hearth.visitNow(who.name) }
    try await untilAllIsServed()
    let end = insoles.compactMap(\.fetchSpans.last?.to).max() ?? loop.now
    let bound = sizes.reduce(Duration.zero) { $0 + LaneBound.time(forFile: $1, interval: .milliseconds(15)) }
    let lane = TrialReport.LaneEfficiency(
      bytes: sizes.reduce(0, +), seconds: (end - start).inSeconds, boundSeconds: bound.inSeconds)
    var report = try await finish()
    report.lane = lane
    return report
  }

  /// Runs for a day at most.
  private func untilAllIsServed() async throws {
    let limit = loop.now + .seconds(86_400)
    while insoles.contains(where: { $0.files.contains { !$0.isServedWhole } }), loop.now < limit {
      try await loop.sleep(for: .seconds(1))
      tail.set(now: (loop.now - began).wholeNanoseconds / 1_000_000_000)
    }
  }
}
