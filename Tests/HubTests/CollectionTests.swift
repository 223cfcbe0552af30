import EventLoop
import Health
import Reasons
import RingStore
import Testing
import Wearable

@testable import Hub

@Suite("What visits bring without a request")
struct CollectionTests {
  private static func driver(_ wishes: ToldWishes) -> RecorderDriver {
    var driver = RecorderDriver()
    (driver.hasNights, driver.wishes) = (true, wishes)
    return driver
  }

  /// The first visit is over, and the wearable is empty.
  @LoopActor private func settle(_ house: LaneHouse) async throws {
    house.start()
    try await house.wait { try !house.visits().isEmpty && house.hearth.lane.holder == nil }
  }

  @LoopActor private func sync(_ house: LaneHouse, _ words: [String]) async throws {
    _ = try house.hearth.orderSync("recorder-0", SyncRequest(words))
    try await house.wait { try house.hearth.sync(of: "recorder-0")?.isOver == true }
    #expect(try house.hearth.sync(of: "recorder-0")?.trouble == nil)
  }

  private func code(_ body: () async throws(HearthError) -> Void) async -> HearthError? {
    do throws(HearthError) { try await body() } catch { return error }
    return nil
  }

  @Test("what a sync brought is not due again with the rest, and what it did not bring stays due at its own time")
  func freshness() throws {
    let wishes = ToldWishes()
    try inHouse(Self.driver(wishes)) { house, _ in
      try await settle(house)
      #expect(wishes.all.count == 1 && wishes.nights.count == 1)
      let first = house.loop.now
      try await house.pass(.seconds(600))
      try await sync(house, ["nights"])
      #expect(wishes.all.count == 1 && wishes.nights.count == 2)
      // The files are due a quarter of an hour after they were fetched, and nights are not.
      try await house.wait { wishes.all.count == 2 }
      #expect((Duration.seconds(890)...(.seconds(930))).contains(house.loop.now - first), "\(house.loop.now - first)")
      try await house.wait { house.hearth.lane.holder == nil }
      #expect(wishes.nights.count == 2)
      // Nights are due at their own time, and what is soon due comes along.
      try await house.wait(.seconds(1000)) { wishes.nights.count == 3 }
      let again = try #require(wishes.nights.last) - wishes.nights[1]
      #expect((Duration.seconds(890)...(.seconds(930))).contains(again), "\(again)")
      try await house.wait { house.hearth.lane.holder == nil }
      #expect(wishes.all.count == 3)
    }
  }

  @Test("a hub that starts after a sync of one phase does not take it for a visit of everything")
  func restart() throws {
    let wishes = ToldWishes()
    try inHouse(Self.driver(wishes)) { house, _ in
      try await settle(house)
      try await house.pass(.seconds(600))
      try await sync(house, ["nights"])
      try await house.stopAndRestart()
      // The wearable is seen again, and its files are ten minutes old.
      try await house.wait(.seconds(60)) { wishes.all.count == 2 }
      try await house.wait { house.hearth.lane.holder == nil }
      #expect(wishes.nights.count == 2, "they are as old as the sync")
    }
  }

  @Test("H2460: phases that are left out by order stay on the wearable until a person asks for them")
  func leftOut() throws {
    let wishes = ToldWishes()
    try inHouse(Self.driver(wishes), prepare: { $0.phases = ["files"] }) { house, twin in
      try await settle(house)
      #expect(wishes.all.count == 1 && wishes.nights.isEmpty)
      #expect(wishes.all[0].domains == ["files"])
      #expect(try house.visits()[0].remark.hasSuffix("; not taken, by order: nights"))
      let shown = try house.hearth.collection(of: "recorder-0")
      #expect(shown.phases == ["files", "nights"] && shown.leftOut == ["nights"] && shown.phaseChoice == nil)
      #expect(try house.hearth.wearable(named: "recorder-0").leftOut == ["nights"])
      #expect(house.hearth.lane.queue()[0].why.hasSuffix("; not taken, by order: nights"))
      let began = try #require(try house.store.recentEvents(10).first { $0.reason == Reason.phasesLeftOut.rawValue })
      #expect(began.text == "recorder-0: not taken, by order: nights (sleep_stage)")
      #expect(began.span.from != nil && began.span.to == nil)
      try await sync(house, ["nights"])
      #expect(wishes.nights.count == 1)
      _ = try house.hearth.visitNow("recorder-0")
      try await house.wait { wishes.nights.count == 2 }
      try await house.wait { house.hearth.lane.holder == nil }
      #expect(wishes.all.count == 2, "a visit that a person asks for brings everything")
      // The wearable's own choice goes before the hub's, and survives the hub.
      _ = try await house.hearth.orderPhases("recorder-0", ["sleep_stage"])
      try await house.stopAndRestart()
      #expect(try house.hearth.collection(of: "recorder-0").leftOut == ["files"])
      let nights = wishes.nights.count
      try await house.wait(.seconds(2000)) { wishes.nights.count == nights + 1 }
      try await house.wait { house.hearth.lane.holder == nil }
      #expect(wishes.all.count == 2)
      let all = try await house.hearth.orderPhases("recorder-0", [])
      #expect(all.leftOut.isEmpty && all.phaseChoice == .all)
      let events = try house.store.recentEvents(10).filter { $0.reason == Reason.phasesLeftOut.rawValue }
      #expect(events[0].text == "recorder-0: not taken, by order: files (heart_rate)" && events[0].span.to != nil)
      #expect(try await house.hearth.orderPhases("recorder-0", nil).leftOut == ["nights"])
    }
  }

  @Test("a phase that its kind does not have is refused with those that it has, without any change")
  func unknown() throws {
    try inHouse(Self.driver(ToldWishes())) { house, _ in
      try await settle(house)
      let refusal = await code { () async throws(HearthError) in
        _ = try await house.hearth.orderPhases("recorder-0", ["files", "dreams"])
      }
      #expect(
        refusal == HearthError(.requestUnsupported, "recorder-0 has no phase 'dreams'; it has files, nights"))
      #expect(try house.hearth.collection(of: "recorder-0").leftOut.isEmpty)
    }
    var streamer = RecorderDriver()
    streamer.keepsNothing = true
    try inHouse(streamer) { house, _ in
      house.start()
      let refusal = await code { () async throws(HearthError) in
        _ = try await house.hearth.orderPhases("recorder-0", ["files"])
      }
      #expect(refusal?.reason == .requestUnsupported)
    }
  }

  @Test("times of visits are the wearable's own before those of the hub, and survive it")
  func times() throws {
    let wishes = ToldWishes()
    try inHouse(
      Self.driver(wishes),
      prepare: { options in
        (options.visitBound, options.fresh) = (.seconds(86_400), .seconds(86_400))
        options.visitAt = [.seconds(11 * 3600)]
      }
    ) { house, _ in
      // Now at ten o'clock.
      try await settle(house)
      let minute = { house.loop.wall.microseconds / 60_000_000 % 1440 }
      _ = try await house.hearth.orderVisitTimes("recorder-0", [13 * 60 + 30, 12 * 60])
      #expect(try house.hearth.collection(of: "recorder-0").visitAt == [720, 810])
      try await house.stopAndRestart()
      try await house.wait(.seconds(86_400)) { wishes.all.count == 2 }
      #expect((720...722).contains(minute()), "\(minute())")
      try await house.wait { house.hearth.lane.holder == nil }
      // No times at all, whatever the hub has.
      _ = try await house.hearth.orderVisitTimes("recorder-0", [])
      try await house.pass(.seconds(7200))
      #expect(wishes.all.count == 2)
      let own = try await house.hearth.orderVisitTimes("recorder-0", nil)
      #expect(own.visitAt == [660] && !own.hasOwnTimes)
      let refusal = await code { () async throws(HearthError) in
        _ = try await house.hearth.orderVisitTimes("recorder-0", [1440])
      }
      #expect(refusal?.reason == .controlBadParameter)
    }
  }
}
