import EventLoop
import Foundation
import Health
import RingStore
import Testing
import Wearable

@testable import Hub

/// A disk that waits, or fails, as it is told.
@LoopActor
private final class TestDisk: DiskLane {
  nonisolated init() {}
  var isHolding = false
  var isFailing = false
  private var held: [CheckedContinuation<Void, Never>] = []

  private struct Refusal: Error {}

  func perform<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
    if isHolding { await withCheckedContinuation { held.append($0) } }
    if isFailing { throw Refusal() }
    return try work()
  }

  func letGo() {
    isHolding = false
    for one in held { one.resume() }
    held = []
  }
}

@Suite("Readings that are kept until they are confirmed, and when they are")
struct KeptReadingsTests {
  @LoopActor
  private final class House {
    let loop: VirtualLoop
    let disk = TestDisk()
    let store: Store
    let id: WearableID
    let intake: LiveIntake
    private(set) var kept: KeptReadings
    let state = LiveState()
    var confirmed: [Int] = []
    var unstored = 0
    /// What the wearable was asked and has not answered yet.
    var questions: [@LoopActor () -> Void] = []
    private var given = 0

    init(_ loop: VirtualLoop, _ path: String) async throws {
      self.loop = loop
      store = try Store.open(StoreOptions(path: path, sizeBytes: 64 << 20), loop: loop, disk: disk)
      id = try await store.enrol(
        name: "cuff", addressValue: 1, addressKind: 1, driver: "recorder", kind: "Cuff"
      ).id
      intake = LiveIntake(
        id, RecorderDriver(), isGuarded: false, loop: loop, store: store, state: state, listeners: LiveListeners())
      kept = KeptReadings(id, loop: loop, store: store, state: state)
      intake.events.unstored = { [weak self] in self?.unstored += 1 }
      intake.events.readingTimes = { ReadingTimes(now: loop.wall) }
      intake.events.asksWhetherHeard = { [weak self] isHeard in
        self?.questions.append(isHeard)
        return true
      }
    }

    /// The link ends, and another one is made.
    func relink(isHungUp: Bool = false) {
      kept.close(isHungUp: isHungUp)
      questions = []
      kept = KeptReadings(id, loop: loop, store: store, state: state)
    }

    /// A reading without a time stamp, by its bytes.
    func indicate(_ weight: Int64, _ kind: UInt8 = 0x9D, isReadable: Bool = true) async throws {
      let bytes = [UInt8(weight & 255), UInt8(weight >> 8 & 255)]
      var reading = KeptReading(
        samples: isReadable ? [Sample(.weight, weight)] : [],
        identity: UnsettledReading(characteristic: [kind, 0x2A], value: bytes))
      reading.isReadable = isReadable
      let number = given
      given += 1
      kept.take(reading, intake) { [weak self] in self?.confirmed.append(number) }
      try await loop.sleep(for: .milliseconds(1))
    }

    /// - Parameter ago: by its own time.
    func give(_ weight: Int64, ago: Int64 = 0, isIndicated: Bool = true) {
      let shown = (loop.wall.microseconds / 1_000_000 - ago) * 1_000_000
      let reading = KeptReading(
        own: OwnTime(shown: shown), mark: ReadingMark(of: [UInt8(weight & 255), UInt8(shown / 1_000_000 & 255)]),
        samples: [Sample(.weight, weight)])
      let number = given
      given += 1
      var confirm: (@LoopActor () -> Void)?
      if isIndicated { confirm = { [weak self] in self?.confirmed.append(number) } }
      kept.take(reading, intake, confirm: confirm)
    }

    /// What the wearable was asked first over this link.
    func answer() throws {
      let isHeard = try #require(questions.first)
      isHeard()
    }

    func stored() async throws -> [StoredSample] {
      let session = try await store.export(SampleQuery())
      var samples: [StoredSample] = []
      while let page = try await session.next(limit: 10_000) { samples += page.samples }
      return samples
    }
  }

  private func inHouse(_ body: @escaping @LoopActor (VirtualLoop, House) async throws -> Void) throws {
    let directory = NSTemporaryDirectory() + "hearth-kept-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try VirtualLoop.run { loop in
      let house = try await House(loop, directory)
      try await body(loop, house)
      await house.store.close()
    }
  }

  @Test("one with a time that another reading gave is known again when it comes alone, and without it")
  func borrowed() throws {
    try inHouse { loop, house in
      let identity = UnsettledReading(characteristic: [0x9C, 0x2A], value: [1])
      func reading(_ own: OwnTime?) -> KeptReading {
        KeptReading(
          own: own, mark: own.map { _ in ReadingMark(of: [1, 2]) }, samples: [Sample(.bodyFat, 194)],
          identity: identity)
      }
      let shown = loop.wall.microseconds - 3600 * 1_000_000
      house.kept.take(reading(OwnTime(shown: shown, isBorrowed: true)), house.intake) {}
      try await loop.sleep(for: .milliseconds(1))
      house.relink()
      house.kept.take(reading(nil), house.intake) {}
      try await loop.sleep(for: .milliseconds(1))
      #expect(house.state.counters.offeredAgain == 1)
      #expect(try await house.stored().map(\.value) == [194])
    }
  }

  @Test("one is confirmed when it is durable, by a commit of now, and not before")
  func durable() throws {
    try inHouse { loop, house in
      house.disk.isHolding = true
      house.give(70_000)
      try await loop.sleep(for: .seconds(5))
      #expect(house.confirmed.isEmpty && house.unstored == 0)
      house.disk.letGo()
      try await loop.sleep(for: .milliseconds(1))
      #expect(house.confirmed == [0])
      #expect(try await house.stored().map(\.value) == [70_000])
      // A value without a waiting reader is no reason for a commit.
      house.give(70_001, isIndicated: false)
      try await loop.sleep(for: .seconds(1))
      #expect(house.store.status.pendingSamples == 1)
    }
  }

  @Test("one that is offered again is stored once, and confirmed when the first of them is durable")
  func again() throws {
    try inHouse { loop, house in
      house.disk.isHolding = true
      house.give(70_000, ago: 300)
      house.give(70_000, ago: 300)
      try await loop.sleep(for: .seconds(5))
      #expect(house.confirmed.isEmpty)
      house.disk.letGo()
      try await loop.sleep(for: .milliseconds(1))
      #expect(house.confirmed == [0, 1] && house.state.counters.offeredAgain == 1)
      house.give(70_000, ago: 305)
      #expect(house.confirmed == [0, 1, 2])
      let all = try await house.stored()
      #expect(all.map(\.value) == [70_000] && all.map(\.origin) == [.fetched] && all.map(\.clockTrusted) == [false])
    }
  }

  @Test("if the disk refuses, or does not answer within 28 s, no reading is confirmed and the link ends")
  func refused() throws {
    try inHouse { loop, house in
      house.disk.isFailing = true
      house.give(70_000)
      try await loop.sleep(for: .milliseconds(1))
      #expect(house.confirmed.isEmpty && house.unstored == 1)
      house.disk.isFailing = false
      try await loop.sleep(for: .seconds(5))
      house.disk.isHolding = true
      house.give(71_000)
      try await loop.sleep(for: .milliseconds(27_900))
      #expect(house.unstored == 1)
      try await loop.sleep(for: .milliseconds(200))
      #expect(house.confirmed.isEmpty && house.unstored == 2)
      house.disk.letGo()
      try await loop.sleep(for: .seconds(5))
      #expect(try await house.stored().map(\.value) == [70_000, 71_000])
    }
  }

  @Test("a stream is not slowed down to the card's pace, and what was kept waits for the commit that comes")
  func stream() throws {
    try inHouse { loop, house in
      for number in 0..<40 {
        house.give(Int64(36_000 + number))
        try await loop.sleep(for: .milliseconds(200))
        #expect(house.confirmed.count == number + 1)
      }
      let commits = house.store.status.commits
      #expect(commits == 32)
      house.give(50_000, ago: 3600)
      try await loop.sleep(for: .seconds(5))
      #expect(house.confirmed.count == 40)
      try await loop.sleep(for: .seconds(15))
      #expect(house.confirmed.count == 41 && house.unstored == 0)
      try await loop.sleep(for: .seconds(120))
      house.give(60_000, ago: 3600)
      try await loop.sleep(for: .milliseconds(1))
      #expect(house.confirmed.count == 42)
    }
  }

  // MARK: Without a time stamp

  @Test(
    "one with a confirmation that may be lost, as the link broke, is known by its bytes if it comes first next time")
  func broken() throws {
    try inHouse { loop, house in
      try await house.indicate(70_000)
      #expect(house.confirmed == [0] && house.questions.count == 1)
      for again in 1...2 {
        // The second time its confirmation is lost again.
        try await loop.sleep(for: .seconds(3600))
        house.relink()
        try await house.indicate(1, isReadable: false)
        try await house.indicate(70_000)
        #expect(house.confirmed.count == 1 + 2 * again && house.state.counters.offeredAgain == again)
      }
      #expect(try await house.stored().map(\.value) == [70_000])
      // What comes after it over the same link is another one, however alike.
      try await house.indicate(70_000)
      #expect(try await house.stored().map(\.value) == [70_000, 70_000])
    }
  }

  @Test(
    """
    one with a heard confirmation is no other's twin: it indicated another one, answered a question, or hung up within \
    5 s
    """
  )
  func heard() throws {
    try inHouse { loop, house in
      try await house.indicate(70_000)
      try house.answer()
      house.relink()
      try await house.indicate(70_000)
      // Of another characteristic; what was asked before is answered too late to say anything of it.
      try await house.indicate(70_001, 0x9C)
      try house.answer()
      house.relink(isHungUp: true)
      for weight: Int64 in [70_000, 70_001] { try await house.indicate(weight, weight == 70_000 ? 0x9D : 0x9C) }
      try await loop.sleep(for: .seconds(4))
      house.relink(isHungUp: true)
      try await house.indicate(70_001, 0x9C)
      #expect(house.state.counters.offeredAgain == 0 && house.confirmed == [0, 1, 2, 3, 4, 5])
      #expect(try await house.stored().map(\.value) == [70_000, 70_000, 70_001, 70_000, 70_001, 70_001])
    }
  }

  @Test("one that hangs up long after a question that it never answered has heard no confirmation")
  func deaf() throws {
    try inHouse { loop, house in
      try await house.indicate(70_000)
      try await loop.sleep(for: .seconds(6))
      house.relink(isHungUp: true)
      try await house.indicate(70_000)
      #expect(house.state.counters.offeredAgain == 1 && house.confirmed == [0, 1])
      #expect(try await house.stored().map(\.value) == [70_000])
    }
  }

  @Test("one that was never confirmed is known again however the link ended, and is confirmed when it is durable")
  func unconfirmed() throws {
    try inHouse { loop, house in
      house.disk.isHolding = true
      try await house.indicate(70_000)
      house.relink(isHungUp: true)
      try await house.indicate(70_000)
      #expect(house.confirmed.isEmpty && house.state.counters.offeredAgain == 1)
      house.disk.letGo()
      try await loop.sleep(for: .seconds(1))
      #expect(house.confirmed == [0, 1])
      #expect(try await house.stored().map(\.value) == [70_000])
    }
  }

  @Test("another one over the next link says that it was heard: what is alike later is stored")
  func forgotten() throws {
    try inHouse { loop, house in
      try await house.indicate(70_000)
      house.relink()
      try await house.indicate(70_500)
      try house.answer()
      house.relink()
      try await house.indicate(70_000)
      #expect(house.state.counters.offeredAgain == 0)
      #expect(try await house.stored().map(\.value) == [70_000, 70_500, 70_000])
    }
  }
}
