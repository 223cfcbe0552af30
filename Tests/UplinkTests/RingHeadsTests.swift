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
    try world.broker.messages("/heads/").flatMap { try RowBatch(reading: $0.payload).heads }
  }

  @Test func aMinuteAfterTheLastRowOfAWearableTheBrokerKeepsHowFarItIs() throws {
    try UplinkCourseTests.inWorld(rows: 3000) { world in
      world.course.start()
      try await UplinkCourseTests.until(world) { world.daemon.confirmed == 3000 }
      #expect(try Self.heads(world).isEmpty)
      try await world.loop.sleep(for: .seconds(60))
      let heads = try Self.heads(world)
      #expect(heads.map { [$0.first, $0.next] } == [[0, 3000]])
      let message = try #require(world.broker.messages("/heads/").first)
      #expect(message.topic == "hearth/1/hearth/gym/heads/1" && message.isRetained && message.quality == 1)
      let head = try #require(heads.first)
      #expect(head.series == "heart_rate" && head.device == "strap-01" && head.address == 0xA09E_1A00_0001)
      #expect(head.unit == "bpm" && head.enrolment == 1 && !head.isFetched)
      let rows = try world.broker.messages("/rows").flatMap { try RowBatch(reading: $0.payload).runs }
      #expect(head.firstTime == rows.first?.times.first && head.newestTime == rows.last?.times.last)
    }
  }

  @Test func ofAWearableThatGoesOnGivingRowsItIsSaidEachTenMinutes() throws {
    try UplinkCourseTests.inWorld(rows: 10) { world in
      world.course.start()
      for _ in 0..<130 {
        try await world.loop.sleep(for: .seconds(10))
        world.daemon.rows += 1
      }
      #expect((1...3).contains(try Self.heads(world).count))
    }
  }

  @Test func whereNothingIsNewNothingIsSaidAgainButAfterANewConnection() throws {
    try UplinkCourseTests.inWorld(rows: 10) { world in
      world.course.start()
      try await world.loop.sleep(for: .seconds(3000))
      #expect(try Self.heads(world).count == 1)
      world.daemon.rows = 12
      try await world.loop.sleep(for: .seconds(200))
      #expect(try Self.heads(world).map(\.next) == [10, 12])
      try await world.loop.sleep(for: .seconds(600))
      world.broker.lose(HearthError(.uplinkBrokerUnreachable, "killed"))
      try await world.loop.sleep(for: .seconds(200))
      #expect(try Self.heads(world).map(\.next) == [10, 12, 12], "the broker may have lost what it kept")
    }
  }

  @Test func anUplinkThatWasKilledIsFollowedByOneThatSaysItsWord() throws {
    let memory = StoredMemory()
    try UplinkCourseTests.inWorld(rows: 3000, memory: memory) { world in
      world.course.start()
      try await UplinkCourseTests.until(world) { world.daemon.confirmed == 3000 }
      #expect(try Self.heads(world).isEmpty, "nothing was said yet")
    }
    let known = try #require(memory.bytes)
    try UplinkCourseTests.inWorld(rows: 0, memory: memory) { world in
      world.course.start()
      try await world.loop.sleep(for: .seconds(120))
      #expect(try Self.heads(world).map { [$0.first, $0.next] } == [[0, 3000]])
      #expect(UplinkLegacy(world.broker.will?.payload ?? []) == nil && memory.bytes != known, "births go on")
    }
    let (one, other) = (try #require(UplinkLegacy(known)), try #require(memory.bytes.flatMap { UplinkLegacy($0) }))
    #expect(other.birth == one.birth &+ 1 && other.heads == one.heads && other.store == one.store)
  }

  @Test func whatWasCutOfAMemoryIsNone() throws {
    var heads = RingHeads()
    heads.gave(Self.rows(0..<5), store: 7, Instant(nanoseconds: 0))
    heads.settled()
    var legacy = UplinkLegacy(birth: 255, store: 7, heads: heads.all)
    legacy.home = ["homeassistant/sensor/hearth-1/2_battery/config", "hearth/1/g/h/home/strap-01"]
    let whole = legacy.bytes
    #expect(UplinkLegacy(whole)?.home == legacy.home)
    // Behind its topics it is whole without a ring.
    let topics = 21 + legacy.home.joined(separator: "\n").utf8.count
    #expect(UplinkLegacy(whole)?.heads == heads.all && UplinkLegacy(whole)?.store == 7)
    for count in 0..<whole.count where count != topics { #expect(UplinkLegacy(Array(whole.prefix(count))) == nil) }
    for place in whole.indices {
      var bytes = whole
      bytes[place] ^= 0x55
      _ = UplinkLegacy(bytes)
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
      // The number is not representable in a batch.
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
    var heads = RingHeads()
    let (start, later) = (Instant(nanoseconds: 0), Instant(nanoseconds: 0) + RingHeads.rest)
    heads.gave(Self.rows(0..<5), store: 1, start)
    heads.settled()
    heads.gave(Self.rows(7..<9), store: 1, start)
    #expect(heads.take(later)?.heads.map { [$0.first, $0.next] } == [[0, 5]], "the others are on their way")
    heads.settled()
    #expect(heads.take(later)?.heads.map { [$0.first, $0.next] } == [[0, 9]])
    #expect(heads.take(later) == nil)
    heads.gave(Self.rows(2..<3), store: 2, later)
    heads.settled()
    #expect(heads.take(later) == nil, "it may go on giving rows")
    let other = heads.take(later, inTime: false)
    #expect(other?.store == 2 && other?.heads.map { [$0.first, $0.next] } == [[2, 3]])
  }

  @Test func ofWearablesThatGoNothingIsKeptForEver() {
    var (heads, places) = (RingHeads(), RingPlaces())
    let start = Instant(nanoseconds: 0)
    for enrolment in 1...UInt32(3) {
      let rows = Self.rows(0..<5, of: enrolment)
      heads.gave(rows, store: 1, start + .seconds(86_400 * Int(enrolment)))
      _ = places.runs(rows)
      heads.settled()
    }
    #expect(heads.prune(start + .seconds(86_400 * 90)).isEmpty, "what is new is said first")
    #expect(heads.take(start + .seconds(86_400 * 4))?.heads.count == 3)
    #expect(heads.prune(start + .seconds(86_400 * 30)).isEmpty)
    let gone = heads.prune(start + .seconds(86_400 * 32))
    places.forget(gone)
    #expect(gone == [1, 2] && heads.all.map(\.enrolment) == [3] && places.count == 1)
    // A ring that comes back begins again.
    heads.gave(Self.rows(5..<6, of: 1), store: 1, start + .seconds(86_400 * 33))
    heads.settled()
    #expect(heads.take(start + .seconds(86_400 * 34))?.heads.map { [$0.first, $0.next] } == [[5, 6]])
  }

  @Test func whenThereAreTooManyTheQuietestGoAndNewOnesAreSaid() {
    var heads = RingHeads()
    let start = Instant(nanoseconds: 0)
    let count = UInt32(RingHeads.limit + 100)
    for enrolment in 1...count {
      heads.gave(Self.rows(0..<1, of: enrolment), store: 1, start + .seconds(Int(enrolment)))
    }
    heads.settled()
    let gone = heads.prune(start + .seconds(Int(count)))
    #expect(gone.contains(1) && !gone.contains(count) && heads.all.count <= RingHeads.limit)
    #expect(heads.all.last?.enrolment == count)
  }

  private static func rows(_ ordinals: Range<UInt64>, of enrolment: UInt32 = 1) -> [UplinkRow] {
    ordinals.map { ordinal in
      UplinkRow(
        ring: RingName(enrolment: enrolment, series: "heart_rate", isFetched: false), ordinal: ordinal,
        likeness: UplinkRow.Likeness(), time: Int64(ordinal) * 1_000_000, numbers: [])
    }
  }
}
