import EventLoop
import Health
import Reasons
import RingStore
import Testing
import Wearable

@testable import Hub

@Suite("A sync that a person ordered")
struct SyncTests {
  /// The first visit is over, and the wearable is empty.
  @LoopActor private func settle(_ house: LaneHouse, _ twin: RecorderTwin) async throws {
    house.start()
    try await house.wait { try !house.visits().isEmpty && house.hearth.lane.holder == nil }
  }

  @LoopActor private func sync(_ house: LaneHouse) throws -> SyncSnapshot {
    try #require(try house.hearth.sync(of: "recorder-0"))
  }

  @LoopActor private func end(_ house: LaneHouse) throws -> WallTime? {
    let marks = try house.store.watermarks(of: house.store.wearables[0].id)
    return marks.first { $0.series == Series.heartRate.id }?.end
  }

  private func code(_ body: () throws(HearthError) -> Void) -> Reason? {
    do throws(HearthError) { try body() } catch { return error.reason }
    return nil
  }

  @Test("brings what is new, says so for each kind of data, and moves the watermark with the commit")
  func whole() throws {
    try inHouse(files: { $0[0].files = [.of(1000)] }) { house, twin in
      try await settle(house, twin)
      let first = try #require(try end(house))
      // A longer file reaches further.
      twin.files = [.of(3000, name: "b")]
      let ordered = try house.hearth.orderSync("recorder-0", SyncRequest())
      #expect(ordered.number == 1 && !ordered.isOver && ordered.domains.map(\.state) == [.waiting])
      try await house.wait { try sync(house).isOver }
      let over = try sync(house)
      let files = try #require(over.domains.first)
      #expect(over.trouble == nil && files.state == .done && files.itemsStored == 1 && files.bytes == 3000)
      #expect(try house.visits()[0].trigger == VisitTrigger.operatorAsked.rawValue)
      let second = try #require(try end(house))
      #expect((Duration.seconds(1999)...(.seconds(2001))).contains(second - first), "\(second - first)")
      #expect(over.watermarks.map(\.end) == [second])
      let visited = house.hearth.registry.all[0].lane.visitedAt
      _ = try house.hearth.orderSync("recorder-0", SyncRequest(["heart_rate"]))
      try await house.wait { try sync(house).isOver }
      #expect(try sync(house).number == 2 && sync(house).domains.map(\.state) == [.nothingNew])
      #expect(try end(house) == second, "an empty answer moves nothing")
      #expect(house.hearth.registry.all[0].lane.visitedAt != visited, "it named all that there is")
      #expect(try await house.values().count == 4000)
    }
  }

  @Test("shows how far it is: the domain that runs, and the bytes of its item")
  func progress() throws {
    try inHouse { house, twin in
      try await settle(house, twin)
      twin.files = [.of(50_000)]
      _ = try house.hearth.orderSync("recorder-0", SyncRequest())
      try await house.wait { twin.payload > 20_000 }
      let now = try sync(house)
      #expect(now.domains.map(\.state) == [.running] && now.domainsOver == 0 && now.item == "a")
      #expect(now.itemSize == 50_000 && (now.itemFetched ?? 0) > 15_000)
      try await house.wait { try sync(house).isOver }
      #expect(try sync(house).item == nil && sync(house).domainsOver == 1)
    }
  }

  @Test("one kind of data that cannot be had does not end the other, and has its code")
  func oneFails() throws {
    var driver = RecorderDriver()
    driver.hasBadDomain = true
    try inHouse(driver, files: { $0[0].files = [.of(500)] }) { house, twin in
      try await settle(house, twin)
      twin.files = [.of(700, name: "b")]
      _ = try house.hearth.orderSync("recorder-0", SyncRequest())
      try await house.wait { try sync(house).isOver }
      let domains = try sync(house).domains
      #expect(domains.map(\.state) == [.failed, .done] && domains[0].trouble?.reason == .visitUnsupported)
      #expect(try sync(house).trouble == nil && twin.files.isEmpty)
    }
  }

  @Test("fetches the chosen kind of data alone; the next visit brings the rest")
  func chosen() throws {
    var driver = RecorderDriver()
    driver.hasBadDomain = true
    let wishes = ToldWishes()
    driver.wishes = wishes
    try inHouse(driver) { house, twin in
      try await settle(house, twin)
      let listed = twin.log.count { $0 == .listed }
      twin.files = [.of(500)]
      _ = try house.hearth.orderSync("recorder-0", SyncRequest(["unknown"]))
      try await house.wait { try sync(house).isOver }
      #expect(twin.log.count { $0 == .listed } == listed && twin.files.count == 1)
      #expect(try house.custody().isEmpty, "what was not listed is not gone")
      _ = try house.hearth.orderSync("recorder-0", SyncRequest(["files", "ecg"]))
      try await house.wait { try sync(house).isOver }
      let domains = try sync(house).domains
      #expect(domains.map(\.id) == ["files", "ecg"] && domains.map(\.state) == [.done, .skipped])
      #expect(domains[1].trouble?.reason == .requestUnsupported && twin.files.isEmpty)
      #expect(wishes.all.last?.domains == ["files"])
    }
  }

  @Test("what cannot be had is refused with a code when it is asked for alone")
  func refused() throws {
    try inHouse { house, twin in
      house.radio.isQuiet = true
      house.start()
      #expect(code { () throws(HearthError) in try house.hearth.orderSync("recorder-0", SyncRequest()) } == .notLinked)
      house.radio.isQuiet = false
      try await house.wait { try !house.visits().isEmpty && house.hearth.lane.holder == nil }
      for request in [SyncRequest(["ecg"]), SyncRequest(isAutomaticOnly: true), SyncRequest(["nonsense"])] {
        #expect(
          code { () throws(HearthError) in try house.hearth.orderSync("recorder-0", request) } == .requestUnsupported)
      }
      let late = SyncRequest(since: house.loop.wall, until: house.loop.wall + .seconds(-5))
      #expect(code { () throws(HearthError) in try house.hearth.orderSync("recorder-0", late) } == .controlBadParameter)
      #expect(code { () throws(HearthError) in try house.hearth.orderSync("nobody", SyncRequest()) } == .noSuchWearable)
      #expect(try house.hearth.sync(of: "recorder-0") == nil)
    }
  }

  @Test("of a wearable that measures by itself the automatic kind comes, of one that does not say so it is refused")
  func automatic() throws {
    for (isAutomatic, tellsManual) in [(true, false), (false, false), (nil, false), (nil, true)] as [(Bool?, Bool)] {
      var driver = RecorderDriver()
      (driver.isAutomatic, driver.tellsManual) = (isAutomatic, tellsManual)
      try inHouse(driver) { house, twin in
        try await settle(house, twin)
        twin.files = [.of(100)]
        let refusal = code { () throws(HearthError) in
          try house.hearth.orderSync("recorder-0", SyncRequest(isAutomaticOnly: true))
        }
        let isHad = isAutomatic == true || tellsManual
        #expect(refusal == (isHad ? nil : .requestUnsupported))
        if !isHad { return }
        try await house.wait { try sync(house).isOver }
        #expect(try sync(house).domains.map(\.state) == [.done])
      }
    }
  }

  @Test("H2143: a second sync is refused while one runs; when that is over, it is taken")
  func syncRunning() throws {
    try inHouse { house, twin in
      try await settle(house, twin)
      twin.files = [.of(50_000)]
      _ = try house.hearth.orderSync("recorder-0", SyncRequest())
      #expect(
        code { () throws(HearthError) in try house.hearth.orderSync("recorder-0", SyncRequest()) } == .syncRunning)
      try await house.wait { twin.payload > 20_000 }
      #expect(
        code { () throws(HearthError) in try house.hearth.orderSync("recorder-0", SyncRequest()) } == .syncRunning)
      try await house.wait { try sync(house).isOver }
      #expect(code { () throws(HearthError) in try house.hearth.orderSync("recorder-0", SyncRequest()) } == nil)
      try await house.wait { try sync(house).isOver }
    }
  }

  @Test("a lost link does not end it: the next visit goes on at the byte after it")
  func lostLink() throws {
    try inHouse { house, twin in
      try await settle(house, twin)
      twin.files = [.of(100_000)]
      twin.cutsLinkAfter = twin.payload + 40_000
      _ = try house.hearth.orderSync("recorder-0", SyncRequest())
      try await house.wait { try sync(house).isOver }
      let over = try sync(house)
      #expect(over.trouble == nil && over.domains.map(\.state) == [.done])
      #expect(twin.fetches("a").count == 2 && twin.fetches("a")[1] > 30_000)
    }
  }

  @Test("one that is ordered while a visit runs does not wait for it, and goes on at its byte")
  func behindVisit() throws {
    try inHouse(files: { $0[0].files = [.of(50_000)] }) { house, twin in
      house.start()
      try await house.wait { twin.payload > 10_000 }
      _ = try house.hearth.orderSync("recorder-0", SyncRequest())
      try await house.wait { try sync(house).isOver }
      #expect(try sync(house).domains.map(\.state) == [.done])
      #expect(twin.payload < 51_000 && twin.fetches("a").count == 2)
      #expect(try house.visits().count == 2 && sync(house).visit == house.visits()[0].number)
      #expect(try house.visits()[1].remark.hasPrefix("interrupted for an order"))
    }
  }

  @Test("one that is ordered before the running visit has listed anything is carried out by that visit")
  func withinVisit() throws {
    var driver = RecorderDriver()
    driver.hasBadDomain = true
    try inHouse(driver, files: { $0[0].files = [.of(500)] }) { house, twin in
      house.start()
      try await house.wait { house.hearth.registry.all[0].visits.running != nil }
      _ = try house.hearth.orderSync("recorder-0", SyncRequest(["unknown"]))
      try await house.wait { try sync(house).isOver }
      #expect(try sync(house).visit == house.visits()[0].number && house.visits().count == 1)
      #expect(twin.files.count == 1)
      #expect(try house.visits()[0].trigger == VisitTrigger.operatorAsked.rawValue)
      try await house.wait { twin.files.isEmpty }
    }
  }

  @Test("one that goes away is waited for, and not for ever; what it had was not done has its code")
  func goesAway() throws {
    try inHouse { house, twin in
      try await settle(house, twin)
      twin.files = [.of(100_000)]
      twin.cutsLinkAfter = twin.payload + 40_000
      _ = try house.hearth.orderSync("recorder-0", SyncRequest())
      try await house.wait { twin.cutsLinkAfter == nil || twin.bearer?.isClosed == true }
      house.radio.isQuiet = true
      try await house.wait(.seconds(1800)) { try sync(house).isOver }
      let over = try sync(house)
      #expect(over.trouble != nil && over.domains.map(\.state) == [.failed])
      #expect(over.domains[0].trouble == over.trouble)
    }
  }

  @Test("one that is busy is not waited for: the order ends with its code")
  func busy() throws {
    try inHouse { house, twin in
      try await settle(house, twin)
      twin.isBusy = true
      _ = try house.hearth.orderSync("recorder-0", SyncRequest())
      try await house.wait { try sync(house).isOver }
      #expect(try sync(house).trouble?.reason == .visitBusy)
    }
  }

  @Test("killed before the commit, the watermark is unchanged; killed after it, it is at the end of the samples")
  func killed() throws {
    try inHouse { house, twin in
      try await settle(house, twin)
      twin.files = [.of(3000)]
      _ = try house.hearth.orderSync("recorder-0", SyncRequest())
      try await house.wait { twin.payload >= 1000 }
      #expect(try end(house) == nil)
      try house.killAndRestart()
      #expect(try end(house) == nil)
      var isCut = false
      twin.onRemoveAll = {
        defer { isCut = true }
        return isCut
      }
      try await house.wait { isCut }
      let moved = try #require(try end(house))
      try house.killAndRestart()
      #expect(try end(house) == moved)
      try await house.wait { twin.files.isEmpty }
      #expect(try end(house) == moved)
      #expect(try await house.values().count == 3000)
    }
  }

  @Test("a session gets how far its series are stored, so that one that is asked from a time on begins there")
  func told() throws {
    var driver = RecorderDriver()
    let wishes = ToldWishes()
    driver.wishes = wishes
    try inHouse(driver, files: { $0[0].files = [.of(1000)] }) { house, twin in
      try await settle(house, twin)
      #expect(wishes.all.first?.watermarks.isEmpty == true)
      let now = house.loop.wall
      let before = SyncSelection().start(of: [.heartRate], now: now)
      #expect(before == now.microseconds - 30 * 86_400_000_000)
      let mark = try #require(try end(house))
      _ = try house.hearth.orderSync("recorder-0", SyncRequest())
      try await house.wait { try sync(house).isOver }
      let wish = try #require(wishes.all.last)
      #expect(wish.start(of: [.heartRate], now: now) == mark.microseconds - 600_000_000)
      #expect(wish.start(of: [.spo2], now: now) == now.microseconds - 30 * 86_400_000_000)
      #expect(wish.start(of: [.heartRate], now: now, overlap: 3_600_000_000) == mark.microseconds - 3_600_000_000)
    }
  }

  @Test(
    """
    a series that was read to its end is asked for from there on, also if it brought no sample, or none of a sure \
    time; one with a rest is not
    """,
    arguments: [0, 1, 2, 3])
  func readToEnd(_ way: Int) throws {
    var driver = RecorderDriver()
    let wishes = ToldWishes()
    (driver.wishes, driver.readsToEnd, driver.isUnsure) = (wishes, way != 3, true)
    let files = [[], [RecorderFile.of(1000)], [.of(1000), RecorderFile(name: "bad", mark: 1, bytes: [0xEE, 1])], []][
      way]
    try inHouse(driver, files: { $0[0].files = files }) { house, twin in
      house.start()
      try await house.wait { try house.visits().contains { $0.ended != nil } }
      let read = house.loop.wall
      try await house.pass(.seconds(60))
      #expect(try end(house) == nil)
      _ = try house.hearth.orderSync("recorder-0", SyncRequest())
      try await house.wait { try sync(house).isOver }
      let start = try #require(wishes.all.last).start(of: [.heartRate], now: house.loop.wall)
      let isRead = way < 2
      #expect(read - WallTime(microseconds: start) < (isRead ? .seconds(660) : .seconds(31 * 86_400)))
      #expect((read - WallTime(microseconds: start) > .seconds(29 * 86_400)) != isRead)
      // Not told as a time at which something is.
      #expect(try sync(house).watermarks.isEmpty)
      // No write more than once a day.
      let marks = try house.store.watermarks(of: house.store.wearables[0].id)
      #expect(marks.map(\.visit) == (isRead ? [1] : []))
    }
  }

  @Test("what comes again with an overlap is stored once")
  func overlap() throws {
    var driver = RecorderDriver()
    driver.repeats = true
    try inHouse(driver, files: { $0[0].files = [.of(1000)] }) { house, twin in
      try await settle(house, twin)
      #expect(try await house.values().count == 1000)
      // The same thousand seconds, and five hundred behind them.
      twin.files = [.of(1500, name: "b")]
      _ = try house.hearth.orderSync("recorder-0", SyncRequest())
      try await house.wait { try sync(house).isOver }
      #expect(try sync(house).domains.map(\.state) == [.done])
      #expect(try await house.values().count == 1500)
    }
  }

  @Test("a range chooses by when an item was measured; the others come without one")
  func range() throws {
    try inHouse { house, twin in
      try await settle(house, twin)
      twin.files = [.of(500)]
      // The recording began 10,000 s before the house did, and may have lasted for a day.
      let began = house.loop.wall + .microseconds(-twin.clock)
      _ = try house.hearth.orderSync("recorder-0", SyncRequest(until: began + .seconds(-10)))
      try await house.wait { try sync(house).isOver }
      #expect(try sync(house).domains.map(\.itemsListed) == [0] && twin.files.count == 1)
      #expect(try sync(house).domains.map(\.state) == [.nothingNew])
      _ = try house.hearth.orderSync("recorder-0", SyncRequest(since: began + .seconds(60)))
      try await house.wait { try sync(house).isOver }
      #expect(try sync(house).domains.map(\.itemsStored) == [1] && twin.files.isEmpty)
    }
  }

  @Test("what is of the future is refused and counted, and its bytes are kept and removed as any others")
  func future() throws {
    var driver = RecorderDriver()
    driver.began = VirtualLoop.morning.microseconds
    try inHouse(driver) { house, twin in
      // The clock shows the hub's time: a thousand seconds, of which some are over and most are to come.
      twin.clockOffset = 0
      try await settle(house, twin)
      twin.files = [.of(1000)]
      _ = try house.hearth.orderSync("recorder-0", SyncRequest())
      try await house.wait { try sync(house).isOver }
      let over = try sync(house)
      #expect(over.domains.map(\.state) == [.done] && twin.files.isEmpty)
      let refused = try #require(over.watermarks.first { $0.series == .heartRate }?.refused)
      let values = try await house.values()
      #expect(refused > 800 && values.count + Int(refused) == 1000, "\(refused)")
      #expect(values.allSatisfy { $0.time <= house.loop.wall.microseconds + ItemTimes.tolerance })
      #expect(try await house.values(.raw).count == 1)
      #expect(try house.custody().map(\.remark) == ["1000 bytes, \(refused) of the future refused"])
      #expect(try #require(try end(house)) <= house.loop.wall)
    }
  }

  @Test("forgetting a wearable ends its sync and clears how far it was stored")
  func forgotten() throws {
    try inHouse(files: { $0[0].files = [.of(1000)] }) { house, twin in
      try await settle(house, twin)
      let id = house.store.wearables[0].id
      #expect(try !house.store.watermarks(of: id).isEmpty)
      try await house.hearth.forget("recorder-0")
      #expect(try house.store.watermarks(of: id).isEmpty)
      #expect(throws: HearthError.self) { _ = try house.hearth.sync(of: "recorder-0") }
    }
  }
}
