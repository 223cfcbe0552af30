import Bluetooth
import EventLoop
import Health
import Testing
import Wearable

@testable import DriverTestSupport
@testable import GATTServices
@testable import StandardGATTFamily

@Suite("Observations that a sensor stored", .serialized)
struct StoredObservationTests {
  private static let driver = StandardDriver([.genericHealthSensor, .currentTime])
  /// 2026-03-01T07:30:15Z, s since 2000.
  private static let morning: UInt32 = 825_665_415

  @LoopActor
  private func sensor(_ numbers: ClosedRange<UInt32>) -> PocketSensor {
    let sensor = PocketSensor()
    sensor.records = numbers.map { ($0, PocketSensor.saturation(90 + UInt8($0 % 10), at: Self.morning + $0)) }
    return sensor
  }

  @LoopActor
  private func domain(_ sensor: PocketSensor) throws -> (domain: RecordDomain, link: ScriptedLink) {
    let link = sensor.link
    let session = try #require(Self.driver.makeSession(link))
    return (try #require(session.domains.first as? RecordDomain), link)
  }

  /// Everything that was listed, and what custody knows of it then.
  @LoopActor
  private func fetch(_ items: [HeldItem], _ domain: RecordDomain, _ known: [KnownItem] = []) async throws -> (
    samples: CollectingItems, known: [KnownItem]
  ) {
    let samples = CollectingItems()
    var now: [KnownItem] = []
    for item in items {
      if let same = known.first(where: { $0.id == item.id && $0.mark == item.mark }) {
        now.append(same)
        continue
      }
      let sink = CollectingSink()
      try await domain.fetch(item, into: sink)
      let verdict = try sink.bytes.withUnsafeBytes { bytes in
        try domain.decode(item, bytes, into: samples)
        return try domain.verify(item, bytes)
      }
      now.append(
        KnownItem(
          id: item.id, mark: verdict.mark, size: item.size, fetched: sink.bytes.count, isDurable: true,
          isErased: false, progress: verdict.progress ?? []))
    }
    return (samples, now)
  }

  @Test("are read once, put together of their segments, at their own times")
  func first() throws {
    try onLoop { _ in
      let sensor = sensor(1...300)
      let (domain, _) = try domain(sensor)
      let items = try await domain.list(known: [])
      #expect(items.map(\.id) == ["observations/0000000000", "observations/0000000256"])
      let (samples, _) = try await fetch(items, domain)
      #expect(sensor.requests == [[4, 1], [7, 1]] && samples.items.count == 300)
      #expect(samples.items.first?.time == 1_772_350_216_000_000 && samples.items.first?.values == [91])
    }
  }

  @Test("are asked for from the last number on that is durable, and what lies before stays listed")
  func resumes() throws {
    try onLoop { _ in
      let sensor = sensor(1...300)
      let (domain, _) = try domain(sensor)
      let (_, known) = try await fetch(try await domain.list(known: []), domain)
      sensor.records += [(301, PocketSensor.saturation(88, at: Self.morning + 301))]
      let items = try await domain.list(known: known)
      // 300, in four bytes.
      #expect(sensor.requests.last == [7, 3, 1, 0x2C, 1, 0, 0])
      #expect(items.map(\.id) == known.map(\.id) && items[0].mark == known[0].mark && items[1].mark != known[1].mark)
      let (samples, now) = try await fetch(items, domain, known)
      #expect(samples.items.map(\.values) == [[88]])
      #expect(try await domain.list(known: now).map(\.mark) == now.map(\.mark))
    }
  }

  @Test("come in pages, each durable before the next is asked for")
  func pages() throws {
    try onLoop { _ in
      let sensor = sensor(1...1300)
      let link = sensor.link
      let session = try #require(Self.driver.makeSession(link))
      _ = try await session.check()
      #expect(session.domains.count == 3)
      var known: [KnownItem] = []
      var total = 0
      for page in session.domains {
        let domain = try #require(session.domains.first as? RecordDomain)
        let (samples, now) = try await fetch(try await page.list(known: known), domain, known)
        total += samples.items.count
        known = now
      }
      #expect(total == 1300 && known.count == 6)
      #expect(sensor.requests.count { $0 == [3, 0] } == 2)
    }
  }

  @Test("numbered again are read from the first on, and each is taken for a new one")
  func anew() throws {
    try onLoop { _ in
      let sensor = sensor(1...40)
      let (domain, _) = try domain(sensor)
      let (_, known) = try await fetch(try await domain.list(known: []), domain)
      // After a new battery: other observations under the same numbers, and fewer of them.
      sensor.records = (1...5).map { ($0, PocketSensor.saturation(97, at: Self.morning + 9000 + $0)) }
      let (few, then) = try await fetch(try await domain.list(known: known), domain, known)
      #expect(few.items.count == 5)
      sensor.records = (1...50).map { ($0, PocketSensor.saturation(96, at: Self.morning + 9000 + $0)) }
      let (many, _) = try await fetch(try await domain.list(known: then), domain, then)
      #expect(many.items.count == 50)
    }
  }

  @Test("of an earlier timeline lie apart and are not sure; a turn that ends between the two loses neither")
  func timelines() throws {
    try onLoop { _ in
      let sensor = sensor(1...6)
      for place in [1, 3] {
        sensor.records[place].bytes = PocketSensor.saturation(80, at: Self.morning, flags: 0x02)
      }
      let (domain, _) = try domain(sensor)
      let items = try await domain.list(known: [])
      #expect(items.map(\.id) == ["observations/0000000000", "observations/0000000000-unsure"])
      // Only the first became durable: its numbers reach beyond those of the second.
      let (_, known) = try await fetch([items[0]], domain)
      let again = try await domain.list(known: known)
      let (samples, _) = try await fetch(again, domain, known)
      #expect(samples.items.map(\.values) == [[80], [80]])
    }
  }

  @Test(
    "are the same ones when the clock was set since: they are not fetched again, and what is new is asked for alone")
  func clockSet() throws {
    try onLoop { _ in
      let sensor = sensor(1...6)
      let (domain, _) = try domain(sensor)
      let (_, known) = try await fetch(try await domain.list(known: []), domain)
      // Not of the current timeline any more, and of another source: time stamps begin at byte 9.
      for place in sensor.records.indices {
        sensor.records[place].bytes[9] = 0x02
        sensor.records[place].bytes[16] = 7
      }
      let same = try await domain.list(known: known)
      #expect(same.map(\.id) == known.map(\.id) && same.map(\.mark) == known.map(\.mark))
      sensor.records += [(7, PocketSensor.saturation(88, at: Self.morning + 7))]
      let items = try await domain.list(known: known)
      #expect(sensor.requests.last == [7, 3, 1, 6, 0, 0, 0])
      let (samples, then) = try await fetch(items, domain, known)
      #expect(samples.items.map(\.values) == [[88]])
      // Read as a whole, as after a new numbering: each is found at its place.
      sensor.records = Array(sensor.records.dropLast())
      let (none, _) = try await fetch(try await domain.list(known: then), domain, then)
      #expect(sensor.requests.last == [7, 1] && none.items.isEmpty)
    }
  }

  @Test("of an earlier timeline in a bundle are the same ones too")
  func bundles() {
    let member = PocketSensor.saturation(97, at: Self.morning)
    let alone: [UInt8] = [1, 0, 0, 0] + member
    func bundle(_ flags: UInt8) -> [UInt8] {
      var member = member
      member[9] = flags
      return [1, 0, 0, 0, 0xFF, UInt8(3 + 2 * member.count), 0, 0, 0, 2] + member + member
    }
    #expect(ObservationRecord.identity(bundle(0x22)) == ObservationRecord.identity(bundle(0x02)))
    #expect(ObservationRecord.identity(bundle(0x22)) != ObservationRecord.identity(alone))
    // What cannot be read is known by all its bytes.
    let cut = Array(alone.dropLast())
    #expect(ObservationRecord.identity(cut).bytes == cut)
  }

  @Test("of a wearable without combined reports, or without numbers as operands, come all the same")
  func older() throws {
    try onLoop { _ in
      let sensor = sensor(1...40)
      (sensor.isOld, sensor.isPlain) = (true, true)
      let (domain, _) = try domain(sensor)
      let (samples, known) = try await fetch(try await domain.list(known: []), domain)
      #expect(samples.items.count == 40)
      sensor.records += [(41, PocketSensor.saturation(88, at: Self.morning + 41))]
      let (more, _) = try await fetch(try await domain.list(known: known), domain, known)
      #expect(more.items.map(\.values) == [[88]])
    }
  }

  @Test("are visited without being changed, and a link may end at any request")
  func conformance() throws {
    let exhibit = Exhibit(
      driver: StandardDriver([.genericHealthSensor]),
      peer: {
        let sensor = PocketSensor()
        sensor.records = (1...20).map { ($0, PocketSensor.saturation(97, at: Self.morning + $0)) }
        return (sensor.link, { sensor.records.flatMap(\.bytes) })
      })
    #expect(try ConformanceKit.sessionFaults(exhibit) == [])
  }
}
