import Bluetooth
import EventLoop
import RingStore
import Testing
import Wearable

@testable import Hub

@Suite("The end of a turn")
struct TurnEndTests {
  @Test(
    "in the middle of an item keeps its bytes, leaves the wearable as it wants to be left, and goes on at that byte")
  func goesOn() throws {
    try inHouse(
      recorders: 2, prepare: { $0.slice = .seconds(3) },
      files: { twins in for twin in twins { twin.files = [.of(100_000)] } }
    ) { house, _ in
      @LoopActor func ended(_ number: Int) throws -> VisitRecord? {
        try house.visits(number).first { $0.laneOutcome == VisitOutcome.sliceOver.rawValue }
      }
      house.start()
      try await house.wait { try ended(0) != nil || ended(1) != nil }
      let number = try ended(0) != nil ? 0 : 1
      let visit = try #require(try ended(number))
      let item = try #require(try house.custody(number).first)
      #expect(item.durableAt == nil && item.fetched > 0 && UInt64(item.fetched) == visit.bytesFetched)
      #expect(visit.stage == VisitStage.fetch.rawValue && visit.outcome == 0 && visit.itemsDone == 0)
      #expect(house.twins[number].log.last == .finished)
      #expect(try house.hearth.wearable(named: "recorder-\(number)").trouble == nil)
      try await house.wait { house.twins.allSatisfy(\.files.isEmpty) }
      #expect(house.twins[number].fetches("a").prefix(2) == [0, item.fetched])
      #expect(try await house.values().count == 200_000)
    }
  }

  @Test("for which no more data comes is the end of the link, and no trouble; what came is kept")
  func overruns() throws {
    var driver = RecorderDriver()
    driver.stallsAfter = 10_000
    try inHouse(
      driver, recorders: 2, prepare: { $0.slice = .seconds(3) },
      files: { twins in for twin in twins { twin.files = [.of(100_000)] } }
    ) { house, _ in
      house.start()
      try await house.wait { try house.visits().contains { $0.ended != nil } }
      let visit = try #require(try house.visits().last)
      let end = try #require(visit.ended)
      #expect(visit.laneOutcome == VisitOutcome.sliceOver.rawValue && visit.outcome == 0)
      #expect(end - visit.began > .seconds(3) + VisitRunner.overrun && end - visit.began < .seconds(60))
      #expect(try #require(try house.custody().first).fetched >= 10_000)
      #expect(house.twins[0].log.last != .finished, "nobody can ask over a link that is gone")
      #expect(try house.hearth.wearable(named: "recorder-0").trouble == nil)
    }
  }

  @Test("is told with every byte that comes after it, and with none that makes the item whole")
  func enough() throws {
    try withParts { parts in
      let wearable = try await parts.enrol(1, "a")
      let turn = Turn()
      let record = CustodyRecord(wearable: wearable.id, id: "a", mark: "m", size: 40, visit: 1)
      let sink = ItemFetch(
        record, isProvisional: false, store: parts.store, book: CustodyBook(wearable.id, parts.store),
        mustYield: { turn.isOver }, onBytes: { _ in })
      let ten = [UInt8](repeating: 7, count: 10)
      #expect(try await sink.take(copyOf: ten) == .more)
      #expect(try await parts.store.staged(wearable.id, "a").isEmpty, "in memory")
      turn.isOver = true
      for count in [20, 30] {
        #expect(try await sink.take(copyOf: ten) == .enough && sink.taking == .enough)
        #expect(try await parts.store.staged(wearable.id, "a").count == count, "in the store at once")
      }
      #expect(try await sink.take(copyOf: ten) == .more && sink.taking == .more)
    }
  }

  @Test("finds an item in memory once: room is made for all of it, or for an eighth more where nobody said how much")
  func room() throws {
    try withParts { parts in
      let wearable = try await parts.enrol(1, "a")
      for size in [nil, 600_000, ItemFetch.limit * 2] {
        let record = CustodyRecord(wearable: wearable.id, id: "a", mark: "m", size: size, visit: 1)
        let sink = ItemFetch(
          record, isProvisional: true, store: parts.store, book: CustodyBook(wearable.id, parts.store),
          mustYield: { false }, onBytes: { _ in })
        let part = [UInt8](repeating: 7, count: 4000)
        for _ in 0..<150 {
          _ = try await sink.take(copyOf: part)
          // A page more than was asked for, as the allocator rounds.
          let most = min(ItemFetch.limit, max(size ?? 0, sink.bytes.count * 9 / 8 + 2 * ItemFetch.step)) + 8192
          #expect(sink.bytes.capacity <= most)
        }
        if let size, size < ItemFetch.limit { #expect(sink.bytes.count == size) }
      }
    }
  }

  @LoopActor
  private final class Turn {
    var isOver = false
  }
}
