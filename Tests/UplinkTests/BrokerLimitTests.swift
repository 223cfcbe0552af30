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
