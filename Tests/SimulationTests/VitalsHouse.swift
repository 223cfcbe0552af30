// A hub among wearables with measured wearers: orders and troubles of all kinds, and rules for all orders together and
// for the store.

import EventLoop
import Health
import Hub
import PolarTwin
import Reasons
import RingStore
import Simulation
import StrapTwin
import Vitals

@LoopActor
final class VitalsHouse {
  let loop: VirtualLoop
  let world: VirtualWorld
  let hub: SimulatedHub
  let names: [String]
  private let wearables: [VirtualPeripheral]
  private(set) var ears: [VitalsEar] = []
  private(set) var lives = 0
  private(set) var kills = 0
  private(set) var stops = 0
  private(set) var stopped = 0
  /// What is wrong beside what an ear itself says.
  private(set) var violations: [String] = []
  /// Wearers by wearable: some have two wearables, some wear no wearable.
  private var wearers: [String: String] = [:]
  private var dice: SeededRandom
  private var isOver = false

  /// The last of them are optical sensors for the arm.
  private static let optical = 3
  private static let people = 12

  init(_ loop: VirtualLoop, seed: UInt64, count: Int = 20) {
    self.loop = loop
    world = VirtualWorld(loop: loop, seed: seed, faults: .gym)
    dice = SeededRandom(seed: seed).split(9_000_001)
    var made: [VirtualPeripheral] = []
    for _ in 0..<(count - Self.optical) { made.append(world.addStrap()) }
    for _ in 0..<Self.optical {
      made.append(
        world.add { VirtualPolar($0, address: $1, random: $2, traits: PolarTraits(.veritySense)) })
    }
    wearables = made
    names = made.indices.map { $0 < count - Self.optical ? "strap-\($0 + 1)" : "arm-\($0 + 1)" }
    var options = SimulatedHubOptions()
    options.hub.pairing = .always
    // Mostly there is room for all of them; else some wait for a slot.
    options.radio.slots = dice.integer(in: count - 4...count + 2)
    options.starvationBound = .seconds(3600)
    options.visitBound = .seconds(7200)
    hub = SimulatedHub(world, options: options)
  }

  private func report(_ what: String) {
    if violations.count < 20 { violations.append(what) }
  }

  var faults: [String] { violations + ears.flatMap(\.faults).prefix(20) }

  // MARK: The hub

  func begin() async throws {
    try await hub.start(
      enrolling: zip(names, wearables).map { name, wearable in
        let isStrap = wearable is VirtualStrap
        return (name, wearable, isStrap ? "heart-rate" : "polar", isStrap ? "HR strap" : "sensor")
      })
    for number in 1...Self.people { _ = try await hub.hearth.addWearer("person-\(number)") }
    for (place, name) in names.enumerated() where place % 7 != 6 {
      let person = "person-\(place % Self.people + 1)"
      wearers[name] = person
      _ = try await hub.hearth.assign(name, to: person, from: nil)
    }
  }

  private func restart(byKill: Bool) async throws {
    if byKill {
      for ear in ears where !ear.isOver { ear.wasKilled = true }
      kills += 1
      await hub.kill()
    } else {
      stops += 1
      let before = loop.now
      await hub.stop()
      if loop.now - before > .seconds(20) { report("the hub needed \(loop.now - before) to stop") }
      // A client that waits for a session has received its end by now.
      try await loop.sleep(for: .milliseconds(1))
      for ear in ears where !ear.isOver { report("\(ear.label): the hub has stopped, and it has no end") }
    }
    try await judgeStore()
    try await loop.sleep(for: dice.duration(in: .seconds(1)...(.seconds(8))))
    lives += 1
    try await hub.start()
  }

  // MARK: Orders

  func order() {
    var place = dice.below(names.count)
    // Mostly a person that is free.
    for _ in 0..<6 where dice.chance(0.9) {
      if isFree(VitalsEar(-1, names[place], VitalsOrder(), life: lives, loop)) { break }
      place = dice.below(names.count)
    }
    let name = names[place]
    var seconds = dice.integer(in: 20...60)
    switch dice.below(20) {
    case 0: seconds = dice.integer(in: 61...180)
    case 1: seconds = [0, 19, 181, -5, Int.max][dice.below(5)]
    default: break
    }
    let named = dice.chance(0.3) ? "person-\(dice.integer(in: 1...(Self.people + 1)))" : nil
    let ear = VitalsEar(ears.count, name, VitalsOrder(seconds: seconds, person: named), life: lives, loop)
    if dice.chance(0.15) { ear.staysUntil = loop.now + dice.duration(in: .zero...(.seconds(80))) }
    let isStopped = dice.chance(0.2)
    let patience = dice.duration(in: .zero...(.seconds(60)))
    ears.append(ear)
    let hearth = hub.hearth
    let free = isFree(ear)
    loop.spawn { [self] in
      do throws(HearthError) {
        ear.end(
          try await hearth.measureVitals(name, ear.order, isWanted: { ear.isWanted }) { [weak self] news in
            ear.hear(news)
            if case .opened = news { self?.opened(ear) }
          })
      } catch {
        ear.end(error)
        judge(error, of: ear, wasFree: free)
      }
    }
    guard isStopped else { return }
    loop.schedule(after: patience) { [self] in
      if !ear.isOver, ear.life == lives, hub.isRunning { stop(ear) }
    }
  }

  private func stop(_ ear: VitalsEar) {
    let could = ear.state == .processing
    do throws(HearthError) {
      try hub.hearth.stopVitals(ear.wearable)
      stopped += 1
      if !could { report("\(ear.label) was stopped, and is \(ear.state.map { $0.name } ?? "no session")") }
    } catch {
      if could { report("\(ear.label) is processing, and cannot be stopped: \(error.detail)") }
    }
  }

  private func person(of ear: VitalsEar) -> String? { ear.order.person ?? wearers[ear.wearable] }

  private func isFree(_ ear: VitalsEar) -> Bool {
    let person = person(of: ear)
    return !ears.contains { other in
      other !== ear && other.isOpen
        && (other.wearable == ear.wearable || person != nil && other.session?.person == person)
    }
  }

  private func opened(_ ear: VitalsEar) {
    if !isFree(ear) { report("\(ear.label): its wearable or its person has another session") }
    if ear.session?.person != person(of: ear) {
      report("\(ear.label): measured is \(ear.session?.person ?? "nobody"), not \(person(of: ear) ?? "nobody")")
    }
  }

  private func judge(_ error: HearthError, of ear: VitalsEar, wasFree: Bool) {
    let isPerson = ear.order.person != "person-\(Self.people + 1)"
    let isRight: Bool =
      switch error.reason {
      case .controlBadParameter: !(20...180).contains(ear.order.seconds)
      case .noSuchWearer: !isPerson
      case .requestUntimely: !wasFree
      default: false
      }
    if !isRight { report("\(ear.label), \(ear.order.seconds) s: refused by \(error.reason) \(error.detail)") }
  }

  // MARK: What happens

  /// So many orders, and troubles beside them until all are over.
  func live(orders: Int) async throws {
    loop.spawn { [self] in await trouble() }
    var nextRestart = loop.now + dice.duration(in: .seconds(150)...(.seconds(500)))
    while ears.count(where: { $0.refusal == nil }) < orders {
      try await loop.sleep(for: dice.duration(in: .milliseconds(100)...(.seconds(12))))
      if loop.now >= nextRestart {
        // By turns, but not quite.
        try await restart(byKill: kills <= stops + 1 && dice.chance(0.6))
        nextRestart = loop.now + dice.duration(in: .seconds(150)...(.seconds(500)))
      }
      order()
      for ear in ears.suffix(60) { ear.look() }
    }
    let end = loop.now + .seconds(400)
    while ears.contains(where: { !$0.isOver }), loop.now < end { try await loop.sleep(for: .seconds(1)) }
    isOver = true
    for ear in ears { ear.look() }
    await hub.stop()
    try await judgeStore()
  }

  /// Wearables go and come back, hang up, and the adapter is off for a while.
  private func trouble() async {
    while !isOver {
      guard (try? await loop.sleep(for: dice.duration(in: .seconds(1)...(.seconds(25))))) != nil else { return }
      let wearable = wearables[dice.below(wearables.count)]
      switch dice.below(12) {
      case 0..<8:
        wearable.leave()
        let absence = dice.duration(in: .milliseconds(500)...(.seconds(dice.chance(0.3) ? 120 : 20)))
        loop.schedule(after: absence) { wearable.arrive() }
      case 8..<11: wearable.hangUp()
      default:
        guard hub.isRunning, dice.chance(0.3) else { continue }
        hub.radio.powerOff()
        loop.schedule(after: dice.duration(in: .seconds(2)...(.seconds(20)))) { [self] in
          if hub.isRunning { hub.radio.powerOn() }
        }
      }
    }
  }

  // MARK: The store

  /// Each record that was told is there once, as it was told; one that was not told, only of an order that a kill met.
  func judgeStore() async throws {
    var kept: [UInt64: [MeasurementRecord]] = [:]
    // Records of kind 2 are those of efforts.
    for sample in try await hub.storedSamples() where sample.series == .measurement && sample.values == [1] {
      let record = try MeasurementRecord(bytes: sample.bytes)
      // Live times are in whole ms; the clock is never set.
      if abs(sample.time.microseconds - record.start) > 20_000 {
        report("session \(record.session) began at \(record.start), and is kept at \(sample.time.microseconds)")
      }
      kept[record.session, default: []].append(record)
    }
    for ear in ears {
      guard let id = ear.session?.id else { continue }
      let found = kept.removeValue(forKey: id) ?? []
      if let told = ear.record {
        if found.count != 1 { report("\(ear.label): its record is in the store \(found.count) times") }
        if let one = found.first, one != told { report("\(ear.label): its record is another than was told") }
      } else if !found.isEmpty, !ear.wasKilled || found.count > 1 || ear.state != .stopping {
        report("\(ear.label): a record is in the store that was not told")
      }
    }
    for id in kept.keys.sorted() { report("a record is in the store of session \(id), which nobody ordered") }
  }

  /// Holds what straps sent against the records that were told.
  func judgeIntervals() {
    for ear in ears {
      guard let record = ear.record, record.basis == .rr, let place = names.firstIndex(of: ear.wearable),
        let strap = wearables[place] as? VirtualStrap
      else { continue }
      if let wrong = VitalsTruth(strap.truth).fault(of: record) { report("\(ear.label): \(wrong)") }
    }
  }

  var summary: String {
    let told = ears.count { $0.record != nil }
    let failed = ears.count { $0.result?.code != nil }
    let refused = ears.count { $0.refusal != nil }
    let killed = ears.count { $0.wasKilled }
    let optical = ears.count { $0.record?.basis == .ppi }
    let rates = ears.count { $0.record?.basis == .rate }
    return """
      \(ears.count) orders: \(told) with results (\(optical) optical, \(rates) of rates), \(failed) ended by an error, \
      \(refused) refused, \(killed) met by \(kills) kills, \(stops) stops of the hub, \(stopped) stopped by order, \
      slots \(hub.options.radio.slots)
      """
  }
}
