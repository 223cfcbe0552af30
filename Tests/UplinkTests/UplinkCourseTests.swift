import CivilTime
import EventLoop
import HubProtocol
import JSONText
import Reasons
import Testing

@testable import Uplink
@testable import UplinkMessages

/// The whole uplink in virtual time, between a scripted daemon and a scripted broker.
@Suite(.serialized)
struct UplinkCourseTests {
  struct World {
    let loop: VirtualLoop
    let broker: ScriptedBroker
    let daemon: ScriptedDaemon
    let course: UplinkCourse
  }

  static func inWorld(
    rows: Int, _ change: @escaping @Sendable (inout UplinkSettings) -> Void = { _ in },
    memory: (any UplinkMemory)? = nil, _ body: @escaping @LoopActor (World) async throws -> Void
  ) throws {
    try VirtualLoop.run(limit: .seconds(7200)) { loop in
      var settings = UplinkSettings()
      settings.persons = .none
      settings.secure.isOn = false
      change(&settings)
      let (broker, daemon) = (ScriptedBroker(loop), ScriptedDaemon(loop))
      daemon.rows = rows
      let course = try UplinkCourse(
        loop, broker, settings, hub: "gym", seed: 1, memory: memory, log: { _, _ in },
        connect: { () throws(HearthError) in try daemon.connect() })
      let world = World(loop: loop, broker: broker, daemon: daemon, course: course)
      try await body(world)
      await course.stop()
      daemon.end()
    }
  }

  @LoopActor
  static func ordinals(_ messages: [BrokerMessage]) throws -> [Int64] {
    try messages.flatMap { try RowBatch(reading: $0.payload).runs.flatMap(\.ordinals) }
  }

  @LoopActor
  static func until(
    _ world: World, _ limit: Duration = .seconds(600), at place: SourceLocation = #_sourceLocation,
    _ truth: () -> Bool
  ) async throws {
    let end = world.loop.now + limit
    while !truth(), world.loop.now < end { try await world.loop.sleep(for: .milliseconds(100)) }
    #expect(truth(), sourceLocation: place)
  }

  @Test func nothingIsConfirmedBeforeTheBrokerHasAllOfIt() throws {
    try Self.inWorld(rows: 3000) { world in
      world.broker.acknowledgesAfter = nil
      world.course.start()
      try await world.loop.sleep(for: .seconds(60))
      #expect(world.daemon.confirmed == 0 && !world.broker.messages("/rows").isEmpty)
      world.broker.acknowledgesAfter = .milliseconds(20)
      world.broker.lose(HearthError(.uplinkBrokerUnreachable, "cut"))
      try await Self.until(world) { world.daemon.confirmed == 3000 }
      let all = try Self.ordinals(world.broker.messages("/rows"))
      #expect(Set(all) == Set(0..<3000))
      #expect(world.course.document.rowsAcknowledged == 3000)
    }
  }

  @Test func rowsWithCorrectedTimesAreSentOnceMoreAndConfirmedWhenTheBrokerHasThem() throws {
    try Self.inWorld(rows: 10) { world in
      world.course.start()
      try await Self.until(world) { world.daemon.confirmed == 10 }
      world.broker.acknowledgesAfter = nil
      world.daemon.retimed = 5
      try await world.loop.sleep(for: .seconds(60))
      #expect(world.daemon.retimedConfirmed == 0, "what the broker has not acknowledged is not confirmed")
      world.broker.acknowledgesAfter = .milliseconds(20)
      world.broker.lose(HearthError(.uplinkBrokerUnreachable, "cut"))
      try await Self.until(world) { world.daemon.retimedConfirmed == 5 }
      let sent = world.broker.messages("/rows").count
      let runs = try world.broker.messages("/rows").flatMap { try RowBatch(reading: $0.payload).runs }
      let again = runs.filter(\.isRetimed)
      #expect(Set(again.flatMap(\.ordinals)) == Set(0..<5))
      let late = VirtualLoop.morning.microseconds + 2_880_000_000
      #expect(again.allSatisfy { run in zip(run.ordinals, run.times).allSatisfy { $1 == late + $0 * 1_000_000 } })
      #expect(again.allSatisfy { !$0.traits.isClockUnsure && $0.skipped == 0 })
      #expect(Set(runs.filter { !$0.isRetimed }.flatMap(\.ordinals)) == Set(0..<10))
      try await world.loop.sleep(for: .seconds(300))
      #expect(world.broker.messages("/rows").count <= sent + 1, "and not again: no more than a word of heads")
    }
  }

  @Test(arguments: [UplinkSettings.Form.json, .both])
  func rowsWithCorrectedTimesAreSentOnceMoreAsJSONToo(_ form: UplinkSettings.Form) throws {
    try Self.inWorld(rows: 10, { $0.history.form = form }) { world in
      world.course.start()
      try await Self.until(world) { world.daemon.confirmed == 10 }
      #expect(try Self.runs(world).allSatisfy { $0["retimed"] == nil && $0["clock"] == nil })
      let sent = world.course.document.rowsSent
      world.broker.acknowledgesAfter = nil
      world.daemon.retimed = 5
      try await world.loop.sleep(for: .seconds(60))
      #expect(world.daemon.retimedConfirmed == 0, "what the broker has not acknowledged is not confirmed")
      world.broker.acknowledgesAfter = .milliseconds(20)
      world.broker.lose(HearthError(.uplinkBrokerUnreachable, "cut"))
      try await Self.until(world) { world.daemon.retimedConfirmed == 5 }
      let again = try Self.runs(world).filter { $0["retimed"] == .bool(true) }
      #expect(!again.isEmpty && again.allSatisfy { $0["clock"] == "corrected" && $0["first"] == .integer(0) })
      #expect(again.allSatisfy { $0["rows"] == .integer(5) && $0["time"] == .string(momentText(Self.late, .exact)) })
      #expect(world.course.document.rowsSent == sent, "they are counted once")
      if form == .json { #expect(world.broker.messages("/rows").isEmpty) }
    }
  }

  /// µs since 1970: of the first row, as its clock is known to have been.
  private static let late = VirtualLoop.morning.microseconds + 2_880_000_000

  @LoopActor
  private static func runs(_ world: World) throws -> [JSON] {
    try world.broker.messages("/json/").map { try JSON.parse($0.payload) }
  }

  @Test func rowsLeaveInOrderAlsoAgainAfterALinkWasLost() throws {
    try Self.inWorld(rows: 20_000) { world in
      world.course.start()
      for _ in 0..<12 {
        try await world.loop.sleep(for: .milliseconds(1700))
        world.broker.lose(HearthError(.uplinkBrokerUnreachable, "cut"))
        try await Self.until(world) { world.broker.isUp }
      }
      try await Self.until(world) { world.daemon.confirmed == 20_000 }
      var newest: Int64 = -1
      for ordinal in try Self.ordinals(world.broker.messages("/rows")) {
        #expect(ordinal <= newest + 1, "a row that is new follows the newest")
        newest = max(newest, ordinal)
      }
      #expect(newest == 19_999)
    }
  }

  @Test func whatIsUnderWayHasABound() throws {
    try Self.inWorld(rows: 60_000, { $0.history.window = 8 << 10 }) { world in
      world.broker.acknowledgesAfter = .milliseconds(500)
      world.course.start()
      try await Self.until(world) { world.daemon.confirmed == 60_000 }
      #expect(world.broker.mostUnacknowledged <= 10 << 10)
    }
  }

  @Test func confirmationsAreHalfAMinuteApartWhileRowsFlow() throws {
    try Self.inWorld(rows: 90_000, { $0.limit = 16_000 }) { world in
      world.course.start()
      try await Self.until(world, .seconds(3000)) { world.daemon.confirmed == 90_000 }
      let times = world.daemon.confirmations
      #expect(times.count >= 2)
      for (earlier, later) in zip(times.dropLast(2), times.dropFirst()) {
        #expect(later - earlier >= HistoryStream.confirmEvery)
      }
    }
  }

  @Test func liveValuesGoBeforeABacklogOnALimitedLink() throws {
    try Self.inWorld(rows: 200_000, { $0.limit = 16_000 }) { world in
      world.broker.acknowledgesAfter = .milliseconds(300)
      world.course.start()
      try await world.loop.sleep(for: .seconds(5))
      for second in 0..<60 {
        world.daemon.sayLive(second)
        let (asked, before) = (world.loop.now, world.broker.messages("/gym/strap-01").count)
        try await Self.until(world, .seconds(5)) { world.broker.messages("/gym/strap-01").count > before }
        #expect(world.loop.now - asked <= .milliseconds(1200))
      }
      let bytes = world.broker.said.reduce(0) { $0 + $1.message.size }
      #expect(bytes <= 2000 * 80, "the rate holds for all that is sent")
      #expect(world.daemon.confirmed < 200_000)
    }
  }

  @Test func birthsComeFirstAndOnRequestAndDeathsWhenAWearableLeaves() throws {
    try Self.inWorld(rows: 10) { world in
      world.course.start()
      try await world.loop.sleep(for: .seconds(12))
      let topics = world.broker.said.map(\.message.topic)
      #expect(topics.first == "spBv1.0/hearth/NBIRTH/gym")
      #expect(topics.contains("spBv1.0/hearth/DBIRTH/gym/strap-01"))
      #expect(world.broker.will?.topic == "spBv1.0/hearth/NDEATH/gym" && world.broker.will?.quality == 1)
      #expect(world.broker.subscriptions == ["spBv1.0/hearth/NCMD/gym"])
      let births = world.broker.messages("NBIRTH").count
      let name = Array("Node Control/Rebirth".utf8)
      let metric: [UInt8] = [0x0A, UInt8(name.count)] + name + [0x20, 0x0B, 0x70, 1]
      for _ in 0..<100 {
        world.broker.onEvent?(
          .arrived(topic: "spBv1.0/hearth/NCMD/gym", payload: [0x12, UInt8(metric.count)] + metric))
        world.broker.onEvent?(.arrived(topic: "spBv1.0/hearth/NCMD/gym", payload: [1, 2, 3]))
        world.broker.onEvent?(.arrived(topic: "elsewhere", payload: [0x12, UInt8(metric.count)] + metric))
        try await world.loop.sleep(for: .milliseconds(100))
      }
      let more = world.broker.messages("NBIRTH").count - births
      #expect((1...3).contains(more), "ten seconds of requests are answered at most each five")
      #expect(world.course.document.ignored == 200)
      world.daemon.device = "absent"
      try await world.loop.sleep(for: .seconds(11))
      #expect(world.broker.messages("DDEATH").count == 1)
    }
  }

  @Test func withoutSparkplugTheWillIsTheRetainedStatus() throws {
    try Self.inWorld(rows: 10, { $0.sparkplug = false }) { world in
      world.course.start()
      try await world.loop.sleep(for: .seconds(15))
      #expect(world.broker.messages("spBv1.0").isEmpty && world.broker.subscriptions.isEmpty)
      #expect(world.broker.will?.topic == "hearth/1/hearth/gym/status" && world.broker.will?.isRetained == true)
      #expect(world.broker.messages("/status").allSatisfy { $0.isRetained && $0.quality == 1 && $0.expiry == nil })
      #expect(world.daemon.confirmed == 10)
    }
  }

  @Test func aBrokerThatAcknowledgesNothingIsLeftAfterTwoMinutes() throws {
    try Self.inWorld(rows: 100) { world in
      world.broker.acknowledgesAfter = nil
      world.course.start()
      try await Self.until(world, .seconds(130)) { world.course.document.troubles.contains { $0.code == "H9005" } }
      world.broker.acknowledgesAfter = .milliseconds(5)
      try await Self.until(world) { world.daemon.confirmed == 100 }
      #expect(world.course.document.troubles.isEmpty)
    }
  }

  @Test func triesComeAtLastEveryMinute() throws {
    try Self.inWorld(rows: 0) { world in
      world.broker.refusals = (0..<12).map { _ in HearthError(.uplinkBrokerUnreachable, "away") }
      world.course.start()
      try await Self.until(world, .seconds(900)) { world.broker.isUp }
      let pauses = zip(world.broker.connects.dropFirst(), world.broker.connects).map { ($0 - $1).inSeconds }
      #expect(pauses.first.map { $0 < 2 } == true && pauses.allSatisfy { $0 <= 76 })
      #expect(world.course.document.troubles.isEmpty)
    }
  }

  @Test func clientsOfOneNameLeaveEachOtherTheLink() throws {
    try Self.inWorld(rows: 0) { world in
      world.course.start()
      for _ in 0..<8 {
        try await Self.until(world) { world.broker.isUp }
        // Not every broker says why.
        world.broker.lose(HearthError(.uplinkBrokerUnreachable, "hung up"))
      }
      #expect(world.course.document.troubles.map(\.code) == [Reason.uplinkSessionTaken.code])
      let pauses = zip(world.broker.connects.dropFirst(), world.broker.connects).map { ($0 - $1).inSeconds }
      #expect(pauses.last.map { $0 > 60 } == true, "it waits longer each time")
    }
  }

  @Test func anOrderSendsEverythingAgainUnderItsNumber() throws {
    try Self.inWorld(rows: 2000) { world in
      world.course.start()
      try await Self.until(world) { world.daemon.confirmed == 2000 }
      #expect(throws: HearthError.self) { try world.course.resend(from: "2027-01-01T00:00:00Z") }
      do throws(HearthError) { _ = try world.course.resend(from: "soon") } catch {
        #expect(error.reason == .uplinkOrderRefused)
      }
      let order = try world.course.resend(from: "2026-11-21T09:00:00Z")
      do throws(HearthError) { _ = try world.course.resend(from: "2026-11-21T09:00:00Z") } catch {
        #expect(error.reason == .uplinkOrderRefused)
      }
      try await Self.until(world) { world.course.document.resend?.ended != nil }
      #expect(world.course.document.resend?.acknowledged == 2000 && world.course.document.resend?.failure == nil)
      let again = try world.broker.messages("/rows").filter { try RowBatch(reading: $0.payload).resend == order.number }
      #expect(try Self.ordinals(again) == Array(0..<2000))
    }
  }

  @Test func withSparkplugTheRetainedStatusOfADeadHubGoesByItself() throws {
    try Self.inWorld(rows: 10) { world in
      world.course.start()
      try await world.loop.sleep(for: .seconds(600))
      let said = world.broker.messages("/status")
      #expect(said.count >= 9 && said.allSatisfy { $0.isRetained && $0.expiry == 150 })
    }
  }

  @Test func lossesAndASilentDaemonAreToldByTheirCodes() throws {
    try Self.inWorld(rows: 10) { world in
      world.daemon.lost = 500
      world.course.start()
      try await world.loop.sleep(for: .seconds(12))
      #expect(world.course.document.troubles.map(\.code) == [Reason.uplinkLosses.code])
      #expect(world.course.document.lostRows == 500)
      let status = try #require(world.broker.messages("/status").last)
      #expect(String(decoding: status.payload, as: UTF8.self).contains(#""losses":{"code":"H9007","rows":500"#))
      world.daemon.isDown = true
      try await world.loop.sleep(for: UplinkCourse.pollEvery + .seconds(1))
      #expect(world.course.document.troubles.contains { $0.code == Reason.uplinkHubSilent.code })
    }
  }

  @Test func aRowOfImpossibleNumbersKeepsNoOtherBack() throws {
    try Self.inWorld(rows: 100) { world in
      world.daemon.odd = 50
      world.course.start()
      try await Self.until(world) { world.daemon.confirmed == 100 }
      #expect(try Self.ordinals(world.broker.messages("/rows")) == (0..<100).filter { $0 != 50 })
      #expect(world.course.document.unsaidRows == 1)
    }
  }

  @Test func itSaysGoodbyeWhenItEndsInOrder() throws {
    try Self.inWorld(rows: 0) { world in
      world.course.start()
      try await world.loop.sleep(for: .seconds(12))
      await world.course.stop()
      #expect(world.broker.endedInOrder)
      #expect(
        world.broker.said.suffix(2).map(\.message.topic) == [
          "spBv1.0/hearth/NDEATH/gym", "hearth/1/hearth/gym/status",
        ])
    }
  }

  @Test func withAnIdentifierOfTheHouseAPersonIsOneAtAllHubs() throws {
    let key = Array("0123456789abcdef".utf8)
    let here = PersonNames(.pseudonyms, hub: "hearth/gym-a", key: key)
    let there = PersonNames(.pseudonyms, hub: "hearth/gym-b", key: key)
    #expect(here.said("Ada") != there.said("Ada"), "equal names are two persons")
    here.know(["ids": .array([["wearer": "Ada", "id": "M-42"]])])
    there.know(["ids": .array([["wearer": "Ada L.", "id": "M-42"], ["wearer": "Ada", "id": "M-7"]])])
    #expect(here.said("Ada") == there.said("Ada L.") && here.said("Ada").hasPrefix("house/"))
    #expect(here.said("Ada") != there.said("Ada") && here.said("M-42") != here.said("Ada"))
    #expect(here.said("Bob").count == 16, "without one the hub's name goes under the key")
    let names = PersonNames(.names, key: [])
    names.know(["ids": .array([["wearer": "Ada", "id": "M-42"]])])
    #expect(names.said("Ada") == "house/M-42" && names.said("Bob") == "Bob")
    names.know(["ids": .array([])])
    #expect(names.said("Ada") == "Ada")
    let nobody = PersonNames(.none, key: [])
    nobody.know(["ids": .array([["wearer": "Ada", "id": "M-42"]])])
    #expect(nobody.said("Ada").isEmpty)
  }

  @Test func anIdentifierThatIsEnteredHoldsForTheRowsOfTheNextRound() throws {
    try Self.inWorld(rows: 10, { $0.persons = .names }) { world in
      world.daemon.wearer = "Ada"
      world.course.start()
      try await Self.until(world) { world.daemon.confirmed == 10 }
      world.daemon.ids = ["Ada": "M-42"]
      world.daemon.rows = 12
      try await Self.until(world) { world.daemon.confirmed == 12 }
      let runs = try world.broker.messages("/rows").flatMap { try RowBatch(reading: $0.payload).runs }
      #expect(runs.map(\.wearer) == ["Ada", "house/M-42"] && runs.map(\.count) == [10, 2])
    }
  }
}
