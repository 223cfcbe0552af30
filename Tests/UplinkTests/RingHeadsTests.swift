import EventLoop
import Reasons
import Testing

@testable import Uplink
@testable import UplinkMessages

/// How far the broker acknowledged rings: what is said of it, and when.
@Suite(.serialized)
struct RingHeadsTests {
  private typealias World = UplinkCourseTests.World

  @LoopActor
  private static func heads(_ world: World) throws -> [RingHead] {
    try world.broker.messages("/rows").flatMap { try RowBatch(reading: $0.payload).heads }
  }

  @Test func tenMinutesAfterItBeganItSaysHowFarTheBrokerIs() throws {
    try UplinkCourseTests.inWorld(rows: 3000) { world in
      world.course.start()
      try await world.loop.sleep(for: .seconds(590))
      #expect(world.daemon.confirmed == 3000)
      #expect(try Self.heads(world).isEmpty)
      try await world.loop.sleep(for: .seconds(120))
      let heads = try Self.heads(world)
      #expect(heads.map { [$0.first, $0.next] } == [[0, 3000]])
      let head = try #require(heads.first)
      #expect(head.series == "heart_rate" && head.device == "strap-01" && head.address == 0xA09E_1A00_0001)
      #expect(head.unit == "bpm" && head.enrolment == 1 && !head.isFetched)
      let rows = try world.broker.messages("/rows").flatMap { try RowBatch(reading: $0.payload).runs }
      #expect(head.firstTime == rows.first?.times.first && head.newestTime == rows.last?.times.last)
    }
  }

  @Test func whereNothingIsNewNothingIsSaidAgain() throws {
    try UplinkCourseTests.inWorld(rows: 10) { world in
      world.course.start()
      try await world.loop.sleep(for: .seconds(3000))
      #expect(try Self.heads(world).count == 1)
      world.daemon.rows = 12
      try await world.loop.sleep(for: .seconds(200))
      #expect(try Self.heads(world).map(\.next) == [10, 12])
    }
  }

  @Test func whatNobodyAcknowledgedIsNotSaid() throws {
    try UplinkCourseTests.inWorld(rows: 3000) { world in
      world.broker.acknowledgesAfter = nil
      world.course.start()
      try await world.loop.sleep(for: .seconds(1500))
      #expect(try Self.heads(world).isEmpty)
    }
  }

  @Test func theLastRowThatWasSaidCounts() throws {
    try UplinkCourseTests.inWorld(rows: 100) { world in
      // Its number is none that a batch can say.
      world.daemon.odd = 99
      world.course.start()
      try await world.loop.sleep(for: .seconds(800))
      #expect(try Self.heads(world).map(\.next) == [99])
    }
  }

  /// Else a sink would take the parts of a round's first row for rows that were lost.
  @Test func partsOfARowThatIsTheFirstOfItsRoundAreToldAsNoRows() throws {
    try UplinkCourseTests.inWorld(rows: 5) { world in
      world.daemon.ordinal = { $0 < 5 ? $0 : $0 + 2 }
      world.course.start()
      try await UplinkCourseTests.until(world) { world.daemon.confirmed == 5 }
      world.daemon.rows = 6
      try await UplinkCourseTests.until(world) { world.daemon.confirmed == 6 }
      let runs = try world.broker.messages("/rows").flatMap { try RowBatch(reading: $0.payload).runs }
      #expect(runs.map(\.ordinals) == [[0, 1, 2, 3, 4], [7]])
      #expect(runs.map(\.skipped) == [0, 2])
    }
  }

  @Test func readersOfJSONAreTroubledWithNone() throws {
    try UplinkCourseTests.inWorld(rows: 100, { $0.history.form = .json }) { world in
      world.course.start()
      try await world.loop.sleep(for: .seconds(800))
      #expect(world.broker.messages("/rows").isEmpty && world.daemon.confirmed == 100)
    }
  }

  @Test func ringsOfAnotherStoreAreOthers() {
    var heads = RingHeads(Instant(nanoseconds: 0))
    let now = Instant(nanoseconds: 1)
    heads.gave(Self.rows(0..<5), store: 1)
    heads.settled()
    heads.gave(Self.rows(7..<9), store: 1)
    #expect(heads.take(now)?.heads.map { [$0.first, $0.next] } == [[0, 5]], "the others are on their way")
    heads.settled()
    #expect(heads.take(now)?.heads.map { [$0.first, $0.next] } == [[0, 9]])
    #expect(heads.take(now) == nil)
    heads.gave(Self.rows(2..<3), store: 2)
    heads.settled()
    let other = heads.take(now)
    #expect(other?.store == 2 && other?.heads.map { [$0.first, $0.next] } == [[2, 3]])
  }

  @Test func ofManyRingsABatchTakesSome() throws {
    var rows: [UplinkRow] = []
    for enrolment in 0..<UInt32(RingHead.most + 1) {
      rows += Self.rows(0..<1).map {
        var row = $0
        row.ring.enrolment = enrolment
        return row
      }
    }
    var heads = RingHeads(Instant(nanoseconds: 0))
    heads.gave(rows, store: 1)
    heads.settled()
    let all = heads.take(Instant(nanoseconds: 1))?.heads ?? []
    let part = Array(all.prefix(RingHead.most))
    let bytes = RowBatchWriter.bytes([], BatchHead(store: 1, hub: "gym", sent: 1), heads: part)
    #expect(all.count == RingHead.most + 1 && bytes.count < 512 << 10)
    #expect(try RowBatch(reading: bytes).heads == part)
  }

  private static func rows(_ ordinals: Range<UInt64>) -> [UplinkRow] {
    ordinals.map { ordinal in
      UplinkRow(
        ring: RingName(enrolment: 1, series: "heart_rate", isFetched: false), ordinal: ordinal,
        likeness: UplinkRow.Likeness(), time: Int64(ordinal) * 1_000_000, numbers: [])
    }
  }
}
