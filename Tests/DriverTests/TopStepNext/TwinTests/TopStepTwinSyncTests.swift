import EventLoop
import Health
import Simulation
import Testing

@testable import BandTwin
@testable import DriverTestSupport

/// What a host makes of the messages of days, by the description and without the twin's own code for it.
struct ToldItem: Hashable, Comparable {
  enum Kind: Int { case automatic, manual, resting, marked, slot, stage, training }
  let kind: Kind
  /// Seconds since 2000.
  let time: Int64
  let values: [Int64]

  static func < (a: Self, b: Self) -> Bool {
    (a.time, a.kind.rawValue, a.values.first ?? 0) < (b.time, b.kind.rawValue, b.values.first ?? 0)
  }

  static func all(_ kind: TopStepKind, _ days: [TopStepMessage]) -> [ToldItem] {
    Array(Set(days.flatMap { of(kind, $0) })).sorted()
  }

  private static func of(_ kind: TopStepKind, _ day: TopStepMessage) -> [ToldItem] {
    let start = day.number(1)
    func entries(_ field: Int, _ kind: Kind, _ columns: ClosedRange<Int>) -> [ToldItem] {
      day.messages(field).map { entry in
        ToldItem(kind: kind, time: entry.number(1), values: columns.map { entry.number($0) })
      }
    }
    switch kind {
    case .heartRate, .oxygen, .stress, .pressure:
      let width = kind == .pressure ? 2 : 1
      let bytes = day.bytes(4)
      let automatic = stride(from: 0, to: bytes.count, by: width).compactMap { place -> ToldItem? in
        if bytes[place] == 0 { return nil }
        return ToldItem(
          kind: .automatic, time: start + Int64(place / width) * 300,
          values: bytes[place..<place + width].map { Int64($0) })
      }
      return automatic + entries(3, .manual, 2...1 + width)
        + (kind == .heartRate ? entries(5, .resting, 2...2) : [])
        + entries(kind == .heartRate ? 6 : 5, .marked, 2...1 + width)
    case .sleep: return entries(2, .stage, 2...3)
    case .activity:
      let rows = (3...5).map { day.numbers($0) }
      return rows[0].indices.compactMap { place in
        if rows[0][place] == 0 { return nil }
        return ToldItem(
          kind: .slot, time: start + Int64(place) * 1800,
          values: rows.map { place < $0.count ? Int64($0[place]) : 0 })
      }
    case .sport:
      return [ToldItem(kind: .training, time: start, values: [3, 4, 6, 7, 8, 10].map { day.number($0) })]
    }
  }
}

@Suite("The days of a simulated band of the new platform")
struct TopStepTwinSyncTests {
  @Test("each kind comes day by day, ends, and is empty the next time", arguments: TopStepKind.allCases)
  func kinds(_ kind: TopStepKind) throws {
    try VirtualLoop.run { loop in
      let bench = try await TopStepTwinBench(loop) { traits in
        traits.owner.user = TopStepTwinBench.user
        traits.days.hasOpticalPressure = kind == .pressure
        traits.habits.trainsOn = 1
      }
      try await loop.sleep(for: .seconds(3 * 86_400))
      try await bench.connect()
      _ = try await bench.login()
      let (result, days) = try #require(try await bench.sync(kind))
      #expect(result == 0 && days.count >= 3)
      if kind != .sport { #expect(days.map { $0.number(1) } == days.map { $0.number(1) }.sorted()) }
      #expect(ToldItem.all(kind, days) == bench.truth(kind))
      let record = try #require(bench.band.log.syncs.last)
      #expect(bench.band.log.isWhole(record) && record.days.count == days.count)
      let told = Set(record.days.flatMap { bench.band.log.sent[$0].items })
      #expect(told == bench.band.ledger.delivered && !told.isEmpty)
      // Asked for what is newer than all of it.
      #expect(try await bench.sync(kind, from: bench.band.shown + 1)?.result == 1)
      #expect(bench.band.log.faults.isEmpty)
    }
  }

  @Test("a band without light under it says that pressure failed, and nonsense is failed too")
  func failed() throws {
    try VirtualLoop.run { loop in
      let bench = try await TopStepTwinBench(loop) { $0.owner.user = TopStepTwinBench.user }
      try await bench.connect()
      _ = try await bench.login()
      #expect(try await bench.sync(.pressure)?.result == 127)
      #expect(bench.band.log.faults.isEmpty)
      let backwards = TopStepWriter.make {
        $0.number(1, 100 as Int64)
        $0.number(2, 50 as Int64)
        $0.number(3, 1 as Int64)
      }
      #expect(try await bench.ask(5, 0x21, backwards)?.payload == [0x08, 0x01, 0x10, 0x7F])
      #expect(bench.band.log.faults.map(\.fault) == [.wroteNonsense])
    }
  }

  @Test("days begin at the midnight of the zone, whole or from where the range begins", arguments: [false, true])
  func midnight(_ isCut: Bool) throws {
    try VirtualLoop.run { loop in
      let bench = try await TopStepTwinBench(loop) { traits in
        traits.owner.user = TopStepTwinBench.user
        traits.days.cutTo = isCut ? .range : .days
        traits.days.isPadded = !isCut
      }
      try await bench.connect()
      _ = try await bench.login()
      try await bench.hangUp()
      try await loop.sleep(for: .seconds(86_400))
      try await bench.connect()
      _ = try await bench.login()
      let start = bench.band.shown - 3 * 3600
      let day = try #require(try await bench.sync(.heartRate, from: start)?.days.first)
      #expect((day.number(2) + 1 + 3600) % 86_400 == 0, "the last second of a day at UTC+1")
      if isCut {
        #expect(day.number(1) == start / 300 * 300 && day.bytes(4).count <= 37)
      } else {
        #expect((day.number(1) + 3600) % 86_400 == 0 && day.bytes(4).count == 288)
      }
    }
  }

  @Test("a second start while days come is a fault, the same one again starts over")
  func twice() throws {
    try VirtualLoop.run { loop in
      let bench = try await TopStepTwinBench(loop) { traits in
        traits.owner.user = TopStepTwinBench.user
        traits.daysKept = 30
      }
      try await loop.sleep(for: .seconds(20 * 86_400))
      try await bench.connect()
      _ = try await bench.login()
      func start(_ kind: Int64) -> [UInt8] {
        TopStepWriter.make {
          $0.number(2, 900_000_000 as Int64)
          $0.number(3, kind)
        }
      }
      #expect(try await bench.ask(5, 0x21, start(1))?.payload == [0x08, 0x01])
      let before = bench.frames.count
      try await bench.write(TopStepWireFrame(5, 0x21, sequence: 6, start(2)).bytes)
      try await bench.write(TopStepWireFrame(5, 0x21, sequence: 7, start(1)).bytes)
      #expect(try await bench.next(5, 0x22, after: before, for: .seconds(60)) != nil)
      #expect(bench.frames.first { $0.sequence == 6 && $0.key == 0x21 }?.payload == [0x08, 0x02, 0x10, 0x7F])
      #expect(bench.band.log.faults.map(\.fault) == [.askedTwiceAtOnce])
      #expect(bench.band.log.syncs.map(\.kind) == [.heartRate, .heartRate])
      #expect(bench.band.log.syncs.map(\.wasCutShort) == [true, false])
      try await bench.hangUp()
      #expect(bench.band.log.faults.count == 1)
    }
  }

  @Test("a link that ends among the days leaves them undelivered and the sync cut short")
  func cut() throws {
    try VirtualLoop.run { loop in
      let bench = try await TopStepTwinBench(loop) { traits in
        traits.owner.user = TopStepTwinBench.user
        traits.daysKept = 30
      }
      try await loop.sleep(for: .seconds(20 * 86_400))
      try await bench.connect()
      _ = try await bench.login()
      let start = TopStepWriter.make {
        $0.number(2, 900_000_000 as Int64)
        $0.number(3, 1 as Int64)
      }
      #expect(try await bench.ask(5, 0x21, start) != nil)
      try await loop.sleep(for: .milliseconds(40))
      bench.band.link?.breaks()
      try await loop.sleep(for: .seconds(1))
      let record = try #require(bench.band.log.syncs.last)
      #expect(record.wasCutShort && !bench.band.log.isWhole(record) && bench.band.log.endArrived(record) == nil)
      #expect(bench.band.ledger.deliveries.allSatisfy { $0.fate != .underWay })
      // The air ended it, and no host.
      #expect(bench.band.log.faults.isEmpty)
    }
  }

  @Test("what is new while a host is linked is announced")
  func dataChanged() throws {
    try VirtualLoop.run { loop in
      let bench = try await TopStepTwinBench(loop) { $0.owner.user = TopStepTwinBench.user }
      try await bench.connect()
      _ = try await bench.login()
      #expect(try await bench.next(2, 0x48, after: 0, for: .seconds(900))?.payload == [])
    }
  }
}
