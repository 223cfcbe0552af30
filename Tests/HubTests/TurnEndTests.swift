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

  @Test(
    """
    comes with the slice for one that answers too little while others wait, and its next one is after as long a wait, \
    then after twice as long
    """
  )
  func slow() throws {
    try inHouse(
      recorders: 4,
      prepare: {
        $0.visitBound = .seconds(60)
        $0.fresh = .seconds(20)
      },
      files: { twins in
        // Nine bytes each four seconds: two minutes and more for what it has.
        twins[0].files = (0..<36).map { .of(40, name: "f\($0)") }
        twins[0].listsEach = .seconds(4)
      }
    ) { house, _ in
      house.start()
      // Visits without data are logged once an hour: their links show them, second by second.
      var links: [Range<Int>] = []
      for second in 0..<900 {
        try await house.pass(.seconds(1))
        guard house.twins[0].bearer?.isClosed == false else { continue }
        if let last = links.last, last.upperBound == second {
          links[links.count - 1] = last.lowerBound..<second + 1
        } else {
          links.append(second..<second + 1)
        }
      }
      let first = try #require(try house.visits(0).first)
      #expect(first.laneOutcome == VisitOutcome.sliceOver.rawValue)
      #expect(first.remark == "its turn ended with too little data: others go first, and its next turn waits")
      // Others are due after a minute at the latest, and connecting takes some seconds.
      #expect(links.count >= 3 && links.allSatisfy { $0.count <= 66 }, "\(links)")
      let pauses = zip(links, links.dropFirst()).map { $1.lowerBound - $0.upperBound }
      for (place, pause) in pauses.enumerated() { #expect(pause >= (place == 0 ? 44 : 59), "\(pauses)") }
      for number in 1..<4 {
        // Due after a minute, then a slice at most and the turns of the others. Their visits take less than a second.
        let moments = house.twins[number].writes
        let waits = zip(moments, moments.dropFirst()).map { $1 - $0 }.filter { $0 > .seconds(5) }
        #expect(waits.count >= 6 && waits.allSatisfy { $0 <= .seconds(60 + 45 + 12) }, "\(waits)")
      }
      // A person asks: it has the time that it needs.
      _ = try house.hearth.visitNow("recorder-0")
      try await house.wait(.seconds(900)) { house.twins[0].files.isEmpty }
    }
  }

  @Test(
    """
    waits for the end of a transfer that must not be cut: of a new wearable that answers little for as long again, and \
    not if it falls silent
    """,
    arguments: [(14, 4, true), (40, 4, false), (8, 20, false)])
  func uncut(_ lines: Int, _ seconds: Int, _ isFinished: Bool) throws {
    var driver = RecorderDriver()
    driver.transfersWithin = .seconds(15)
    try inHouse(
      driver, recorders: 2, prepare: { $0.visitBound = .seconds(60) },
      files: { twins in
        twins[0].files = (0..<lines).map { .of(40, name: "f\($0)") }
        twins[0].listsEach = .seconds(seconds)
      }
    ) { house, _ in
      house.start()
      // A file is fetched when the whole listing came.
      try await house.wait(.seconds(200)) { try house.visits(0).first?.ended != nil }
      let visit = try #require(try house.visits(0).first)
      let held = try #require(visit.ended) - visit.began
      #expect((visit.itemsListed > 0) == isFinished, "\(visit)")
      switch (isFinished, seconds) {
      case (true, _): #expect(held > .seconds(56))
      case (false, 4): #expect(held >= .seconds(90) && held <= .seconds(95))
      default: #expect(held <= .seconds(45))
      }
    }
  }

  @Test("does not wait for one that sends its heart rate and answers no request", arguments: [false, true])
  func streamsAlone(_ isProven: Bool) throws {
    var driver = RecorderDriver()
    (driver.beats, driver.insists) = (true, Insistence())
    try inHouse(
      driver, recorders: 2, prepare: { $0.visitBound = .seconds(60) },
      files: { twins in
        twins[0].beats = .milliseconds(500)
        if !isProven { twins[0].listsEach = .seconds(100_000) }
      }
    ) { house, _ in
      house.start()
      if isProven {
        try await house.wait { try house.visits(0).contains { $0.laneOutcome == VisitOutcome.done.rawValue } }
        house.twins[0].listsEach = .seconds(100_000)
        house.twins[1].files = [.of(20)]
      }
      try await house.wait { try house.visits(0).contains { $0.laneOutcome == VisitOutcome.silent.rawValue } }
      let silent = try #require(try house.visits(0).first { $0.laneOutcome == VisitOutcome.silent.rawValue })
      let held = try #require(silent.ended) - silent.began
      #expect(held <= .seconds(isProven ? 60 + 34 : 60 + 16), "\(held)")
    }
  }

  @Test("is reported with every byte that comes after it, and with no byte that makes the item whole")
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

  @Test("finds an item in memory once: room is made for all of it, or for an eighth more if its size is unknown")
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
