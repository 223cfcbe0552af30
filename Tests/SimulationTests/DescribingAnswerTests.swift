// Answers of standard services that only describe: whatever they are, the visit goes on, and what was recorded comes.

import Bluetooth
import EventLoop
import Health
import Hub
import RingStore
import Simulation
import Testing

@Suite("Answers that only describe", .serialized)
struct DescribingAnswerTests {
  private static let count = 10

  /// Empty, cut, longer, and with each byte, and all, of an unknown meaning.
  private static func forms(of right: [UInt8]) -> [[UInt8]] {
    var forms: [[UInt8]] = [[], right + [0xFF], right + [UInt8](repeating: 0, count: 40)]
    for length in 1..<max(right.count, 1) { forms.append(Array(right.prefix(length))) }
    for place in right.indices {
      for value: UInt8 in [0, 0x7F, 0xFF] where right[place] != value {
        var form = right
        form[place] = value
        forms.append(form)
      }
    }
    forms.append([UInt8](repeating: 0xFF, count: right.count))
    return forms
  }

  /// A hub, and a wearable that stores ten records. Returns the number of links, and what is stored.
  @LoopActor
  private func visit(
    _ loop: VirtualLoop, _ kind: RecordKeeper.Kind, _ adjust: (RecordKeeper) -> Void
  ) async throws -> (links: Int, stored: [Int64], isDone: Bool) {
    let world = VirtualWorld(loop: loop, seed: 10)
    let keeper = world.add { RecordKeeper($0, address: $1, random: $2, kind: kind, ahead: 0) }
    let now = loop.wall.microseconds
    for number in 0..<Self.count { keeper.measure(at: now - Int64(Self.count - number) * 60_000_000) }
    adjust(keeper)
    let hub = SimulatedHub(world)
    try await hub.start(enrolling: [("keeper", keeper, "heart-rate", "oximeter")])
    try await loop.sleep(for: .seconds(90))
    let visits: [VisitRecord] = try hub.store.recentVisits(10)
    let stored = try await hub.storedSamples().filter { $0.series == .spo2 && $0.origin == .fetched }
    await hub.stop()
    return (
      keeper.links, stored.map(\.value).sorted(),
      visits.contains { (one: VisitRecord) in one.outcome == UInt16(VisitOutcome.done.rawValue) }
    )
  }

  @LoopActor
  private func expectAll(
    _ loop: VirtualLoop, _ kind: RecordKeeper.Kind, _ what: String, _ adjust: (RecordKeeper) -> Void
  ) async throws {
    var right: [Int64] = []
    let (links, stored, isDone) = try await visit(loop, kind) { keeper in
      adjust(keeper)
      right = keeper.ever.map { Int64($0.saturation) }.sorted()
    }
    #expect(stored == right && links == 1 && isDone, "\(what): \(stored.count) stored, \(links) links")
  }

  private static let all: [(RecordKeeper.Kind, BluetoothUUID, [UInt8])] = {
    let described = RecordKeeper.describing.flatMap { $0.1 }
    var all: [(RecordKeeper.Kind, BluetoothUUID, [UInt8])] = []
    for (number, value) in described { all.append((.oximeter, number, value)) }
    all.append((.oximeter, 0x2A60, [0x0C, 0]))
    all.append((.oximeter, 0x2A2B, [0xEA, 7, 3, 2, 10, 0, 0, 1, 0, 0]))
    all.append((.oximeter, 0x2A0F, [4, 4]))
    all.append((.sensor, 0x2BF3, [0, 1, 0xB8, 0x4B, 2, 0]))
    all.append((.sensor, 0x2BF2, [0x2A, 0, 0, 0, 0, 0xC0, 0, 1, 0]))
    return all
  }()

  @Test("what is read of it: features, clock and zone, names and numbers, charge, reconnection")
  func read() throws {
    // An eighth of them, others at each run.
    let stride = isAtLength ? 1 : 8
    var count = Int.random(in: 0..<stride)
    for (kind, number, right) in Self.all {
      for form in Self.forms(of: right) {
        count += 1
        if count % stride != 0 { continue }
        try VirtualLoop.run { loop in
          try await expectAll(loop, kind, "\(number): \(form)") { $0.said[number] = form }
        }
      }
    }
  }

  @Test(
    "how many records there are, and how their report ended",
    arguments: [RecordKeeper.Kind.oximeter, .sensor])
  func control(_ kind: RecordKeeper.Kind) throws {
    let count: [UInt8] = kind == .sensor ? [5, 0, 10, 0, 0, 0] : [5, 0, 10, 0]
    let end: [UInt8] = kind == .sensor ? [8, 0, 10, 0, 0, 0] : [6, 0, 1, 1]
    for right in [count, end] {
      for form in Self.forms(of: right) where Self.isAmiss(form, right) {
        try VirtualLoop.run { loop in
          try await expectAll(loop, kind, "\(right): \(form)") { keeper in
            keeper.worded = { $0.first == right[0] ? form : $0 }
          }
        }
      }
    }
  }

  @Test("how a deletion ended: it is counted, without loss")
  func deletion() throws {
    for right: [UInt8] in [[6, 0, 2, 1], [5, 0, 0, 0]] {
      for form in Self.forms(of: right) {
        try VirtualLoop.run { loop in
          let world = VirtualWorld(loop: loop, seed: 10)
          let keeper = world.add { RecordKeeper($0, address: $1, random: $2, kind: .oximeter, ahead: 0) }
          let now = loop.wall.microseconds
          for number in 0..<Self.count { keeper.measure(at: now - Int64(Self.count - number) * 60_000_000) }
          let hub = SimulatedHub(world)
          try await hub.start(enrolling: [("keeper", keeper, "heart-rate", "oximeter")])
          try await loop.sleep(for: .seconds(60))
          _ = try await hub.hearth.perform("records-remove", on: "keeper")
          keeper.worded = { [right] in $0.starts(with: right.prefix(3)) ? form : $0 }
          _ = try hub.hearth.visitNow("keeper")
          try await loop.sleep(for: .seconds(120))
          keeper.measure(at: loop.wall.microseconds)
          _ = try hub.hearth.visitNow("keeper")
          try await loop.sleep(for: .seconds(120))
          let visits: [VisitRecord] = try hub.store.recentVisits(10)
          let stored = try await hub.storedSamples().filter { $0.series == .spo2 && $0.origin == .fetched }
          await hub.stop()
          let right = keeper.ever.map { Int64($0.saturation) }.sorted()
          #expect(stored.map(\.value).sorted() == right && keeper.links == 1, "\(form)")
          #expect(keeper.deleted == Self.count && keeper.kept.count == 1, "\(form): what came later was not meant")
          let done = UInt16(VisitOutcome.done.rawValue)
          #expect(visits.allSatisfy { (one: VisitRecord) in one.outcome == done }, "\(form)")
        }
      }
    }
  }

  /// A hub and a shelf of sensors.
  ///
  /// - Returns: stored values of each series, and values reported as odd.
  @LoopActor
  private func listen(
    _ loop: VirtualLoop, said: [BluetoothUUID: [UInt8]] = [:], telling: [BluetoothUUID: [[UInt8]]] = [:]
  ) async throws -> (links: Int, stored: [String], odd: [String], isDone: Bool) {
    let world = VirtualWorld(loop: loop, seed: 10)
    let shelf = world.add { SensorShelf($0, address: $1, random: $2, said: said, telling: telling) }
    let hub = SimulatedHub(world)
    try await hub.start(enrolling: [("shelf", shelf, "heart-rate", "HR strap")])
    try await loop.sleep(for: .seconds(60))
    let odd = try #require(hub.hearth.wearables().first).oddities.map(\.what)
    let visits: [VisitRecord] = try hub.store.recentVisits(10)
    let stored = try await hub.storedSamples()
    await hub.stop()
    let done = UInt16(VisitOutcome.done.rawValue)
    return (
      shelf.links, stored.map { "\($0.series.name) \($0.value)" }.sorted(), odd,
      visits.allSatisfy { (one: VisitRecord) in one.outcome == done } && !visits.isEmpty
    )
  }

  private static let shelved: [String] = [
    "blood_pressure_diastolic 8000", "blood_pressure_mean 9300", "blood_pressure_systolic 12000", "body_fat 200",
    "body_temperature 36600", "cadence 78", "crank_cadence 600", "heart_rate 72", "speed 163", "temperature_place 2",
    "weight 70000",
  ]

  @Test("features and places of cuffs, scales, thermometers, foot pods and bike sensors, and a thermometer's interval")
  func features() throws {
    try VirtualLoop.run { loop in
      let (links, stored, odd, isDone) = try await listen(loop)
      #expect(links == 1 && stored == Self.shelved && odd.isEmpty && isDone)
    }
    let stride = isAtLength ? 1 : 3
    var count = Int.random(in: 0..<stride)
    for (_, number, right) in SensorShelf.describing {
      for form in Self.forms(of: right) {
        count += 1
        if count % stride != 0 { continue }
        try VirtualLoop.run { loop in
          let (links, stored, odd, isDone) = try await listen(loop, said: [number: form])
          // The description gives the place of measurement, and no other property of it.
          let isPlace = number == 0x2A1D
          func all(_ list: [String]) -> [String] { list.filter { !isPlace || !$0.hasPrefix("temperature_place") } }
          #expect(links == 1 && isDone && all(stored) == all(Self.shelved), "\(number): \(form): \(stored)")
          let isOdd = form.count != right.count || isPlace
          #expect(!isOdd || !odd.isEmpty, "\(number): \(form)")
        }
      }
    }
  }

  @Test("a measurement that cannot be read costs itself alone, and is said")
  func measurements() throws {
    for (_, number, values) in SensorShelf.measured {
      let right = values[0]
      for form in [[]] + (1..<right.count).map({ Array(right.prefix($0)) }) {
        try VirtualLoop.run { loop in
          let (links, stored, odd, isDone) = try await listen(loop, telling: [number: [form] + values])
          #expect(links == 1 && isDone && stored == Self.shelved, "\(number): \(form): \(stored)")
          #expect(odd.contains { $0.hasPrefix("a value of \(number) that is ") }, "\(number): \(form): \(odd)")
        }
      }
    }
  }

  /// True if the description is wrong or unreadable. An empty one, a busy sensor and a refusal do not count.
  private static func isAmiss(_ form: [UInt8], _ right: [UInt8]) -> Bool {
    if form.first == 5, form.count >= 4 { return form[2...].contains { $0 != 0 } }
    return true
  }
}
