// A month of a gym full of Polar's wearables, under a hub that is killed, stopped and has its clock stepped.

import Bluetooth
import CivilTime
import Drivers
import EventLoop
import Health
import Hub
import PolarTwin
import RingStore
import Simulation

/// A run. At its end the store must contain every measurement, for its wearer, at the time at which it was measured.
@LoopActor
final class PolarMonth {
  private let loop: VirtualLoop
  private let options: TrialOptions
  private let world: VirtualWorld
  private let hub: SimulatedHub
  private let tail: EventTail
  private let guests: [PolarGuest]
  private var random: SeededRandom
  private var report: TrialReport
  private let began: Instant
  private let lives: HubLives
  private let live: PolarLiveJudge
  /// The true wearers of each wearable, with start.
  private var worn: [[(from: Instant, wearer: WearerID?)]]
  private var isOver = false

  init(_ loop: VirtualLoop, _ options: TrialOptions, _ tail: EventTail = EventTail()) {
    self.loop = loop
    self.options = options
    self.tail = tail
    report = TrialReport(options: options)
    began = loop.now
    var air = WorldOptions()
    air.directNotifications = true
    // All wearables stay for minutes at least.
    air.advertisementSpacing = .seconds(4)
    var plan = options.faults.plan
    // `all` loses one packet of a hundred; no file of a thousand packets would ever be complete.
    plan.lostNotification = options.faults == .all ? 0.000_05 : 0
    world = VirtualWorld(loop: loop, seed: options.seed, options: air, faults: plan)
    random = SeededRandom(seed: options.seed).split(0x90_1A_2)
    guests = PolarPopulation.guests(
      options.wearables, in: world, random.split(1), faults: options.faults, zone: options.rules, at: loop.wall)
    worn = guests.map { _ in [(loop.now, nil)] }
    // A month of forty wearables is some three gigabytes without an export: evicted samples could not be judged.
    var settings = SimulatedHubOptions(
      monthOf: options, watchEvery: .seconds(900), storeBytes: 8 << 30, wait: .seconds(600))
    settings.hub.pairing = .always
    hub = SimulatedHub(world, drivers: Drivers.registry, options: settings, tail: tail)
    lives = HubLives(loop, hub, tail)
    live = PolarLiveJudge(hub, guests)
  }

  func run() async throws -> TrialReport {
    try await hub.start(enrolling: guests.map { ($0.name, $0.twin, $0.driver, $0.kind) })
    try await assignFirst()
    for number in guests.indices { wear(number, random.split(UInt64(100 + number))) }
    let end = loop.now + .seconds(Int64(options.days) * 86_400)
    var restartAt = loop.now + restartWait()
    var lookAt = loop.now + .seconds(86_400)
    while loop.now < end, hub.watch.violations.isEmpty {
      try await loop.sleep(for: .seconds(60))
      note()
      if loop.now >= lookAt {
        try await live.look()
        lookAt = lookAt + .seconds(86_400)
      }
      guard options.faults != .none, loop.now >= restartAt else { continue }
      try await restart()
      restartAt = loop.now + restartWait()
    }
    isOver = true
    try await settle()
    return try await finish()
  }

  private func note() { tail.set(now: (loop.now - began).wholeNanoseconds / 1_000_000_000) }

  /// Minutes east of Greenwich that each was last set to, or came with.
  var zones: [Int32?] { guests.map(\.twin.clock.offset) }

  // MARK: Lives of wearers

  /// Events of one wearable: recordings that people begin and end, an empty battery, a phone that sets the clock.
  private func wear(_ number: Int, _ draw: SeededRandom) {
    var draw = draw
    loop.schedule(after: draw.duration(in: .seconds(1800)...(.seconds(6 * 3600)))) { [weak self] in
      guard let self, !isOver else { return }
      act(on: guests[number].twin, &draw)
      wear(number, draw)
    }
  }

  /// Begins a strap's exercise like this hub: its name contains the start by the hub's clock.
  private func beginExercise(of twin: VirtualPolar, _ draw: inout SeededRandom) {
    let clock = UTCTime(loop.wall)
    guard twin.beginExercise("gym_\(clock.text)", isIntervals: draw.chance(0.5)) else { return }
    loop.schedule(after: draw.duration(in: .seconds(600)...(.seconds(5400)))) { [weak twin] in twin?.endExercise() }
  }

  private func act(on twin: VirtualPolar, _ draw: inout SeededRandom) {
    if twin.traits.model == .h10, draw.chance(0.3) { return beginExercise(of: twin, &draw) }
    let kinds = PolarPopulation.kinds(of: twin.traits.model)
    let choice = draw.below(100)
    if choice < 60, let kind = kinds.isEmpty ? nil : kinds[draw.below(kinds.count)] {
      if twin.runningRecordings.contains(kind) {
        twin.endRecording(kind)
      } else {
        twin.beginRecording(kind)
        // Every third runs until a person ends it or memory is full. Kinds that fill megabytes an hour do so only in
        // runs that test that.
        let isHeavy = [.acc, .ppg, .gyro].contains(kind)
        if isHeavy ? twin.traits.memory < 2_000_000 : draw.below(3) == 0 { return }
        loop.schedule(
          after: draw.duration(in: isHeavy ? .seconds(300)...(.seconds(1200)) : .seconds(300)...(.seconds(3600)))
        ) { [weak twin] in
          twin?.endRecording(kind)
        }
      }
    } else if options.faults == .all {
      switch choice {
      case 60..<64: twin.reboot()
      // An empty battery: days without a clock have no files, and times before it belong to another clock.
      case 64..<65: twin.reboot(losesClock: true)
      case 65..<67: twin.moveClock(by: .milliseconds(Int64(draw.integer(in: -240_000...240_000))))
      default: break
      }
    }
  }

  // MARK: Wearers

  private func assignFirst() async throws {
    for (number, guest) in guests.enumerated() where guest.wearerCount > 1 {
      for person in 0..<guest.wearerCount { _ = try await hub.store.addWearer(name: "\(guest.name)-\(person + 1)") }
      try await assign(number, to: 0)
      for person in 1..<guest.wearerCount {
        loop.schedule(
          after: .seconds(Int64(options.days) * 86_400) * person / guest.wearerCount + .seconds(Int64(number) * 977)
        ) { [weak self] in
          guard let self else { return }
          loop.spawn { [weak self] in try? await self?.assign(number, to: person) }
        }
      }
    }
  }

  /// Assigns it at once, or when the hub runs again: values from the time in between belong to the new wearer all the
  /// same.
  private func assign(_ number: Int, to person: Int) async throws {
    let at = loop.now
    let wall = loop.wall
    while !hub.isRunning { try await loop.sleep(for: .seconds(5)) }
    let store = hub.store
    guard let wearable = store.wearables.first(where: { $0.name == guests[number].name }),
      let wearer = store.wearers.first(where: { $0.name == "\(guests[number].name)-\(person + 1)" })
    else { return }
    try await store.assign(wearable.id, to: wearer.id, from: wall)
    worn[number].append((at, wearer.id))
  }

  // MARK: The hub's troubles

  private func restartWait() -> Duration { random.duration(in: .seconds(8 * 3600)...(.seconds(60 * 3600))) }

  private func restart() async throws {
    let wait = random.duration(in: .zero ... .seconds(60))
    let kills = random.chance(0.5)
    try await lives.restart(after: wait, kills: kills, pause: random.duration(in: .seconds(1)...(.seconds(600))))
    guard options.faults == .all, let drawn = HubLives.drawClockStep(&random) else { return }
    try await lives.stepClock(by: drawn.step, after: drawn.wait)
  }

  // MARK: The end

  /// The final phase: recordings and trainings end. Two nights later, when no file changes any more, all wearables come
  /// for as long as it takes.
  private func settle() async throws {
    guard hub.watch.violations.isEmpty else { return }
    world.faults = FaultPlan()
    for guest in guests {
      for kind in PolarKind.allCases { guest.twin.endRecording(kind) }
      guest.twin.endExercise()
      guest.twin.retire()
      // Wherever they are meanwhile, no event of interest happens.
      guest.twin.isAdvertising = false
      guest.twin.hangUp()
    }
    try await loop.sleep(for: .seconds(50 * 3600))
    for guest in guests {
      guest.twin.isAdvertising = true
      guest.twin.stayForGood()
    }
    let limit = loop.now + .seconds(12 * 3600)
    try await loop.sleep(for: .seconds(1800))
    while loop.now < limit, guests.contains(where: { owes($0.twin) || $0.twin.isRecording }) {
      // Recordings that a hub ended to begin them again run again by now; files that are still being written are not
      // expected.
      for guest in guests { for kind in guest.twin.runningRecordings { guest.twin.endRecording(kind) } }
      try await loop.sleep(for: .seconds(300))
      note()
    }
    for guest in guests where owes(guest.twin) {
      let left = guest.twin.files.files.filter { Self.isDue($0, guest.twin) }
      hub.watch.report(
        "\(guest.name) still holds \(left.count) files that were never served: \(left.first?.path ?? "")")
    }
  }

  private func owes(_ twin: VirtualPolar) -> Bool { twin.files.files.contains { Self.isDue($0, twin) } }

  /// Whether a file is complete, and no night's result of today or yesterday, which may still be rewritten. A recording
  /// is due at once. So is one that the last visits themselves began, as they do for one that they had ended two days
  /// before.
  private static func isDue(_ file: PolarFile, _ twin: VirtualPolar) -> Bool {
    guard file.isWhole, file.servedAt == nil, !twin.puts.contains(where: { $0.path == file.path }) else { return false }
    if file.path.hasSuffix(".REC") { return true }
    return !(0...1).contains { file.path.hasPrefix("/U/0/" + twin.folder(daysBack: $0) + "/") }
  }

  private func finish() async throws -> TrialReport {
    report.note(lives)
    report.violations = hub.watch.violations
    report.erasedFiles = hub.watch.erasedFiles
    // The store must not change while it is judged.
    for guest in guests { guest.twin.leave() }
    try await loop.sleep(for: .seconds(120))
    await hub.stop()
    try await hub.start()
    try await live.look(isLast: true)
    var judge = PolarJudge(hub, lives.wallSteps, hubEnded: lives.ends)
    for (number, guest) in guests.enumerated() { try await judge.judge(guest, worn[number]) }
    await hub.stop()
    report.violations += live.violations + judge.violations
    report.violations += PolarExcuse.objections(judge.excuses, wearables: options.wearables, days: options.days)
    report.noteLosses(live.losses.map { ($0.at - began, $0.count) }, window: hub.options.commitEvery)
    report.accounts = judge.accounts
    report.samples = live.matched + judge.matched
    report.files = guests.reduce(0) { $0 + $1.twin.dayParts.count + $1.twin.recordedRuns.count }
    report.contentHash = judge.contentHash
    report.month = TrialReport.Month(
      worstError: Double(judge.worstError) / 1_000_000, recorded: judge.matched, doubtful: judge.doubtful,
      excuses: judge.excuses,
      early: judge.early, worstEarly: Double(judge.worstEarly) / 1_000_000,
      changes: worn.reduce(0) { $0 + $1.count - 1 },
      busy: guests.reduce(0) { $0 + $1.twin.busyAnswers }, wallSteps: lives.wallSteps.count - 1)
    for guest in guests {
      if !guest.twin.files.lost.isEmpty {
        report.violations.append("\(guest.name): \(guest.twin.files.lost[0]) was removed and never served")
      }
      if !guest.twin.removalsOfRunning.isEmpty {
        report.violations.append(
          "\(guest.name): \(guest.twin.removalsOfRunning[0]) was to be removed while it was written")
      }
    }
    report.virtualTime = loop.now - began
    report.tail = tail.lines
    return report
  }
}

/// `20261121_101500_250`, UTC.
struct UTCTime {
  let text: String

  init(_ time: WallTime) {
    let seconds = time.microseconds / 1_000_000
    let date = LocalDate(dayNumber: seconds / 86_400)
    let rest = Int(seconds % 86_400)
    func digits(_ number: Int, _ places: Int) -> String {
      String(repeating: "0", count: max(0, places - "\(number)".count)) + "\(number)"
    }
    text =
      digits(Int(date.year), 4) + digits(Int(date.month), 2) + digits(Int(date.day), 2) + "_" + digits(rest / 3600, 2)
      + digits(rest / 60 % 60, 2)
      + digits(rest % 60, 2) + "_" + digits(Int(time.microseconds / 1000 % 1000), 3)
  }
}
