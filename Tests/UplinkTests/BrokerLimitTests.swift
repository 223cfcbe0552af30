import EventLoop
import Reasons
import Testing

@testable import Uplink
@testable import UplinkMessages

/// What a broker takes, and what it drops.
@Suite(.serialized)
struct BrokerLimitTests {
  private typealias World = UplinkCourseTests.World

  @LoopActor
  private static func codes(_ world: World) -> [String] { world.course.document.troubles.map(\.code) }

  @Test func rowsThatNoClientReadsWaitAndAreSaidSo() throws {
    try UplinkCourseTests.inWorld(rows: 3000) { world in
      world.broker.isUnread = true
      world.course.start()
      try await UplinkCourseTests.until(world) { Self.codes(world) == ["H9010"] }
      let before = world.broker.messages("/rows").count
      try await world.loop.sleep(for: .seconds(600))
      #expect(world.daemon.confirmed == 0 && Self.codes(world) == ["H9010"])
      let tries = world.broker.messages("/rows").count - before
      #expect((9...20).contains(tries), "one message at a time, at last each minute: \(tries)")
      #expect(world.course.document.rowsAcknowledged == 0)
      world.broker.isUnread = false
      try await UplinkCourseTests.until(world, .seconds(90)) { world.daemon.confirmed == 3000 }
      #expect(Self.codes(world).isEmpty)
      #expect(Set(try UplinkCourseTests.ordinals(world.broker.messages("/rows"))) == Set(0..<3000))
    }
  }

  @Test func ofRowsAsJSONAReaderMayWantSome() throws {
    try UplinkCourseTests.inWorld(rows: 100, { $0.history.form = .json }) { world in
      world.broker.isUnread = true
      world.course.start()
      try await UplinkCourseTests.until(world) { world.daemon.confirmed == 100 }
    }
  }

  @Test func rowsAsJSONGoOnWhenNoClientReadsBatches() throws {
    try UplinkCourseTests.inWorld(rows: 3000, { $0.history.form = .both }) { world in
      world.broker.isUnread = true
      world.course.start()
      try await UplinkCourseTests.until(world) { world.daemon.places["uplink-json"] == 3000 }
      #expect(world.daemon.confirmed == 0 && Self.codes(world) == ["H9010"])
      #expect(world.course.document.troubles.first?.detail.hasSuffix("batches wait, rows as JSON do not") == true)
      let text = try #require(world.broker.messages("/json/").last.map { String(decoding: $0.payload, as: UTF8.self) })
      #expect(text.contains("\"first\":"))
      world.daemon.rows = 4000
      try await UplinkCourseTests.until(world) { world.daemon.places["uplink-json"] == 4000 }
      world.broker.isUnread = false
      try await UplinkCourseTests.until(world, .seconds(300)) { world.daemon.confirmed == 4000 }
      #expect(Self.codes(world).isEmpty)
    }
  }

  @Test func headsThatFitNoPacketOfAnotherBrokerHoldNothingUp() throws {
    try UplinkCourseTests.inWorld(rows: 64) { world in
      world.daemon.series = { "series_with_a_name_\($0 % 64)" }
      world.broker.keepsLongBack = true
      world.course.start()
      try await UplinkCourseTests.until(world) { world.daemon.confirmed == 64 }
      // The broker goes while the last look before the heads is under way, and the next one takes shorter packets.
      let (broker, daemon) = (world.broker, world.daemon)
      daemon.onCall = { method in
        if method != "ExportNext" { return }
        daemon.onCall = nil
        broker.packetLimit = 1100
        broker.lose(HearthError(.uplinkBrokerUnreachable, "away"))
      }
      try await UplinkCourseTests.until(world) { broker.messages("/heads/").count >= 3 }
      daemon.rows = 70
      try await UplinkCourseTests.until(world) { daemon.confirmed == 70 }
      #expect(Self.codes(world).isEmpty)
      let heads = world.broker.messages("/heads/")
      #expect(Set(heads.map(\.topic)).count >= 3 && heads.allSatisfy { $0.mostBytes <= 1100 })
      let said = try heads.flatMap { try RowBatch(reading: $0.payload).heads }
      #expect(Set(said.map(\.series)).count == 64)
    }
  }

  @Test(arguments: UplinkSettings.Form.allCases)
  func aRowThatIsLongerThanAPacketIsLeftOutAndNamedAndTheRestGoes(_ form: UplinkSettings.Form) throws {
    try UplinkCourseTests.inWorld(rows: 3000, { $0.history.form = form }) { world in
      world.daemon.wide = 700
      world.broker.packetLimit = 1100
      world.course.start()
      try await UplinkCourseTests.until(world) {
        world.daemon.confirmed == 3000 && (form != .both || world.daemon.places["uplink-json"] == 3000)
      }
      #expect(Set(Self.codes(world)) == ["H9011"] && world.broker.connects.count == 1)
      let detail = try #require(world.course.document.troubles.first?.detail)
      #expect(detail.hasPrefix("1 since 2026-11-21T") && detail.hasSuffix("and packets of at most 1100"), "\(detail)")
      if form != .json {
        #expect(Set(try UplinkCourseTests.ordinals(world.broker.messages("/rows"))) == Set(0..<3000).subtracting([700]))
        // A gap, but not one that the hub reports as lost.
        let runs = try world.broker.messages("/rows").flatMap { try RowBatch(reading: $0.payload).runs }
        #expect(runs.allSatisfy { $0.skipped == 0 })
      }
      // The broker accepts longer ones, after an operator changed it.
      world.broker.packetLimit = nil
      world.broker.lose(HearthError(.uplinkBrokerUnreachable, "restarted"))
      try await world.loop.sleep(for: .seconds(30))
      #expect(Set(Self.codes(world)) == ["H9011"])
      _ = try world.course.resend(from: "2026-11-21T09:00:00Z")
      try await UplinkCourseTests.until(world) { world.course.document.resend?.ended != nil }
      #expect(Self.codes(world).isEmpty)
      if form != .json {
        #expect(Set(try UplinkCourseTests.ordinals(world.broker.messages("/rows"))) == Set(0..<3000))
      }
    }
  }

  @Test(arguments: UplinkSettings.Form.allCases)
  func whatGoesOutFitsThePacketsThatTheBrokerTakes(_ form: UplinkSettings.Form) throws {
    try UplinkCourseTests.inWorld(rows: 3000, { $0.history.form = form }) { world in
      world.broker.packetLimit = 400
      world.course.start()
      try await UplinkCourseTests.until(world) { world.daemon.confirmed == 3000 }
      #expect(Self.codes(world).isEmpty && world.broker.connects.count == 1)
      let rows = world.broker.messages("hearth/1/")
      #expect(rows.allSatisfy { $0.mostBytes <= 400 || $0.topic.hasSuffix("/status") })
      if form != .json {
        let runs = try world.broker.messages("/rows").flatMap { try RowBatch(reading: $0.payload).runs }
        #expect(runs.flatMap(\.ordinals) == Array(0..<3000) && runs.allSatisfy { $0.skipped == 0 })
      }
    }
  }

  @Test func aBrokerThatTakesLessThanBeforeGetsTheSameRowsInMoreMessages() throws {
    try UplinkCourseTests.inWorld(rows: 3000) { world in
      world.broker.acknowledgesAfter = nil
      world.course.start()
      try await UplinkCourseTests.until(world) { world.broker.messages("/rows").count > 3 }
      world.broker.packetLimit = 400
      world.broker.acknowledgesAfter = .milliseconds(20)
      world.broker.lose(HearthError(.uplinkBrokerUnreachable, "another server"))
      try await UplinkCourseTests.until(world) { world.daemon.confirmed == 3000 }
      #expect(Set(try UplinkCourseTests.ordinals(world.broker.messages("/rows"))) == Set(0..<3000))
      #expect(world.broker.connects.count == 2)
    }
  }

  @Test func packetsThatAreTooSmallForARowAreTheBrokersRefusal() throws {
    try UplinkCourseTests.inWorld(rows: 10) { world in
      world.broker.packetLimit = 60
      world.course.start()
      try await world.loop.sleep(for: .seconds(300))
      #expect(Self.codes(world) == ["H9002"] && world.daemon.confirmed == 0)
      #expect(world.course.document.troubles.first?.detail.contains("packets of at most 60 bytes") == true)
      #expect(world.broker.connects.count == 1, "no link is begun anew over it")
    }
  }

  @Test func aBacklogIsAsOldAsItIsWhateverTheClockSays() throws {
    try UplinkCourseTests.inWorld(rows: 100) { world in
      world.broker.acknowledgesAfter = nil
      world.course.start()
      try await world.loop.sleep(for: .seconds(40))
      world.loop.stepWall(by: .seconds(7 * 86_400))
      try await world.loop.sleep(for: .seconds(40))
      let hours = try #require(world.course.document.backlogHours)
      #expect(hours > 0.01 && hours < 0.1)
    }
  }
}
