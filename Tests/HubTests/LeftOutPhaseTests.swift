import EventLoop
import Health
import HubModel
import Reasons
import RingStore
import Testing
import Wearable

@testable import Hub

/// Nights are one phase, files the other: what a visit that leaves nights out means for the next ones.
@Suite("Phases that visits leave out by order")
struct LeftOutPhaseTests {
  private static func driver(_ wishes: ToldWishes) -> RecorderDriver {
    var driver = RecorderDriver()
    (driver.hasNights, driver.wishes) = (true, wishes)
    return driver
  }

  /// A hub that leaves nights out.
  private func withoutNights(
    _ wishes: ToldWishes, files: @escaping @LoopActor ([RecorderTwin]) -> Void = { _ in },
    _ body: @escaping @LoopActor (LaneHouse, RecorderTwin) async throws -> Void
  ) throws {
    try inHouse(Self.driver(wishes), prepare: { ($0.phases, $0.erase) = (["files"], .never) }, files: files, body)
  }

  /// The first visit is over.
  @LoopActor private func settle(_ house: LaneHouse) async throws {
    house.start()
    try await house.wait { try !house.visits().isEmpty && house.hearth.lane.holder == nil }
  }

  @Test("everything that is asked for while a visit leaves phases out is brought by the visit that follows it")
  func askedMeanwhile() throws {
    let wishes = ToldWishes()
    try withoutNights(wishes, files: { $0[0].files = [.of(60_000)] }) { house, twin in
      house.start()
      let wearable = house.hearth.registry.all[0]
      try await house.wait { twin.payload > 2000 }
      let running = try #require(wearable.visits.running?.record.number)
      let queued = try house.hearth.visitNow("recorder-0")
      #expect(queued.trigger == .operatorAsked && queued.after == running)
      try await house.wait(.seconds(60)) { !wishes.nights.isEmpty }
      try await house.wait { house.hearth.lane.holder == nil }
      #expect(wearable.visits.last?.trigger == VisitTrigger.operatorAsked.rawValue)
      #expect(wearable.visits.last?.isListed == true)
      #expect(try house.custody()[0].durableAt != nil && twin.fetches("a").allSatisfy { $0 == 0 || $0 > 2000 })
      #expect(wearable.lane.askedAt == nil && !wearable.lane.asksForAll)
      // Those that come by themselves leave them out again.
      try await house.pass(.seconds(2000))
      #expect(wishes.nights.count == 1)
    }
  }

  @Test("a request for everything outlasts a sync of one phase, and ends with the request that it is")
  func requests() {
    let now = Instant(nanoseconds: 1_000_000_000)
    var lane = LaneState()
    lane.asked(now)
    lane.asksForAll = true
    lane.visitEnded(.done, now, .phases(["nights"]), isOfAll: false)
    #expect(lane.askedAt != nil && lane.asksForAll)
    lane.visitEnded(.done, now)
    #expect(lane.askedAt == nil && !lane.asksForAll)
    lane.asksForAll = true
    lane.wentLive(isVisited: false)
    #expect(!lane.asksForAll, "a later visit that nobody asks for would bring everything")
  }

  @Test("a phase that is taken again is due at once, also if the hub ended in between")
  func takenAgain() throws {
    for restarts in [false, true] {
      let wishes = ToldWishes()
      try withoutNights(wishes) { house, _ in
        try await settle(house)
        #expect(wishes.nights.isEmpty)
        house.radio.isQuiet = restarts
        _ = try await house.hearth.orderPhases("recorder-0", [])
        if restarts { try await house.stopAndRestart() }
        try await house.wait(.seconds(60)) { !wishes.nights.isEmpty }
        try await house.wait { house.hearth.lane.holder == nil }
        let wearable = house.hearth.registry.all[0]
        #expect(wearable.remembered(LeftOutPhases.self) == nil && wearable.lane.neverFetched.isEmpty)
        // Then it is as fresh as the rest.
        let count = wishes.nights.count
        try await house.pass(.seconds(300))
        #expect(wishes.nights.count == count)
      }
    }
  }

  @Test("a visit says whether it brings everything: one for a sync of one phase does not, and one that follows it does")
  func says() throws {
    let wishes = ToldWishes()
    try inHouse(Self.driver(wishes), files: { $0[0].files = [.of(500)] }) { house, twin in
      try await settle(house)
      let before = try #require(house.hearth.registry.all[0].visits.last?.number)
      twin.files = [.of(20_000, name: "b")]
      _ = try house.hearth.orderSync("recorder-0", SyncRequest(["files"]))
      let queued = try house.hearth.visitNow("recorder-0")
      #expect(queued.after == before)
      var said: [UInt64: Bool?] = [:]
      try await house.wait {
        let snapshot = try house.hearth.wearable(named: "recorder-0")
        for visit in [snapshot.visit, snapshot.lastVisit].compactMap({ $0 }) { said[visit.number] = visit.isOfAll }
        return said.count == 3 && snapshot.visit == nil
      }
      #expect(said == [before: true, before + 1: false, before + 2: true])
    }
  }

  @Test("an item of a phase that is gone after a restart is missed by a listing of that phase alone")
  func goneAfterRestart() throws {
    try withoutNights(ToldWishes(), files: { $0[0].files = [.of(500), .of(500, name: "b")] }) { house, twin in
      try await settle(house)
      #expect(try house.custody().map(\.phase) == ["files", "files"])
      twin.files.removeLast()
      try await house.stopAndRestart()
      try await house.wait(.seconds(2000)) { try house.custody().map(\.isListed) == [true, false] }
      #expect(try house.visits().allSatisfy { !$0.isListed }, "nights were not listed")
    }
  }

  @Test("a phase that was left out for a moment is as fresh as it was")
  func forAMoment() throws {
    let wishes = ToldWishes()
    try inHouse(Self.driver(wishes)) { house, _ in
      try await settle(house)
      #expect(wishes.nights.count == 1)
      _ = try await house.hearth.orderPhases("recorder-0", ["files"])
      _ = try await house.hearth.orderPhases("recorder-0", nil)
      try await house.pass(.seconds(300))
      #expect(wishes.nights.count == 1)
    }
  }

  @Test("a phase that is left out for long keeps its age over a restart, also if others are left out since")
  func since() throws {
    try withoutNights(ToldWishes()) { house, _ in
      try await settle(house)
      // The visit was whole without them. Since then everything is left out.
      house.options.phases = []
      try await house.stopAndRestart(isQuiet: true)
      try await house.pass(.seconds(1))
      try await house.stopAndRestart(isQuiet: true)
      let wearable = house.hearth.registry.all[0]
      #expect(wearable.remembered(LeftOutPhases.self)?.phases == ["files", "nights"])
      #expect(wearable.lane.neverFetched == ["nights"] && wearable.lane.visitedAt != nil)
      // Taken again and left out again before a visit brought them: they are as old as before.
      house.options.phases = nil
      try await house.stopAndRestart(isQuiet: true)
      house.options.phases = []
      try await house.stopAndRestart(isQuiet: true)
      try await house.stopAndRestart(isQuiet: true)
      #expect(house.hearth.registry.all[0].lane.neverFetched == ["nights"])
    }
  }

  @Test("a listing that is whole for the phases it was of counts for them: for what is gone, and for the clock")
  func whole() throws {
    let wishes = ToldWishes()
    try withoutNights(wishes, files: { $0[0].files = [.of(500), .of(500, name: "b")] }) { house, twin in
      try await settle(house)
      let book = house.hearth.registry.all[0].visits.book
      #expect(book.all.map(\.isListed) == [true, true] && book.phase(of: "b") == "files")
      twin.files.removeLast()
      // A visit without new data is not recorded.
      try await house.wait(.seconds(2000)) { wishes.all.count == 2 && house.hearth.lane.holder == nil }
      #expect(try house.custody().map(\.isListed) == [true, false])
      #expect(house.hearth.registry.all[0].visits.clock.readings.last?.listedPhases == ["files"])
      #expect(try house.visits().allSatisfy { !$0.isListed }, "nights were not listed")
    }
  }

  @Test("what is gone and never came whole is no reason for a visit any more, and neither is what is left out")
  func oldest() throws {
    let wishes = ToldWishes()
    try withoutNights(
      wishes,
      files: {
        $0[0].files = [.of(5000)]
        $0[0].cutsLinkAfter = 2000
      }
    ) { house, twin in
      house.start()
      let wearable = house.hearth.registry.all[0]
      try await house.wait { wearable.lane.oldestUnfetched != nil }
      #expect(wearable.visits.oldestUnfetched(now: house.loop.wall, leftOut: ["files"]) == nil)
      twin.files = []
      try await house.wait { wearable.visits.last?.laneOutcome == VisitOutcome.done.rawValue }
      try await house.wait { house.hearth.lane.holder == nil }
      #expect(wearable.lane.oldestUnfetched == nil)
    }
  }

  @Test("a wearable that moves to another driver leaves that one's phases out, and their time is known")
  func moved() throws {
    let first = RecorderBand()
    var sibling = RecorderDriver()
    (sibling.id, sibling.hasNights) = ("sibling", true)
    var driver = bandDriver(first, stays: false)
    driver.others = [sibling]
    try inHouse(driver, prepare: { $0.phases = ["files"] }) { house, _ in
      first.belongsTo = "sibling"
      house.start()
      try await house.wait { house.hearth.registry.all[0].driver?.id == "sibling" }
      try await house.wait { house.hearth.lane.holder == nil }
      #expect(house.hearth.registry.all[0].remembered(LeftOutPhases.self)?.phases == ["nights"])
      let told = try house.store.recentEvents(10).filter { $0.reason == Reason.phasesLeftOut.rawValue }
      #expect(told.map(\.text) == ["recorder-0: not taken, by order: nights (sleep_stage)"])
    }
  }

  @Test("a series is missing if no other phase brings it, or only one that people begin")
  func lacking() {
    let domains = [
      SyncDomain("spot", [.spo2, .heartRate], isAutomatic: false),
      SyncDomain("day", [.spo2, .steps], isAutomatic: true),
      SyncDomain("raw", [.steps]),
    ]
    func lacking(_ phases: [String]) -> [Series] { CollectionKeeper.lacking(phases, of: domains) }
    #expect(lacking([]).isEmpty)
    #expect(lacking(["spot"]) == [.heartRate], "what it measures by itself comes")
    #expect(lacking(["day"]) == [.spo2], "what somebody begins is none of what it measures by itself")
    #expect(Set(lacking(["day", "raw"])) == [.spo2, .steps] && Set(lacking(["spot", "day"])) == [.spo2, .heartRate])
  }

  @Test("what is left out is kept with the wearable as stretches of its series, and outlasts every event")
  func stretches() throws {
    try withoutNights(ToldWishes()) { house, _ in
      try await settle(house)
      @LoopActor func spans() -> [UncollectedSpans.Span] { house.store.wearables[0].uncollected.spans }
      try await house.wait { spans().count == 1 }
      #expect(spans()[0].to == nil && spans()[0].series == [Series.sleepStage.id])
      _ = try await house.hearth.orderPhases("recorder-0", ["nights"])
      try await house.stopAndRestart()
      #expect(spans().map { $0.to != nil } == [true, false] && spans()[1].series == [Series.heartRate.id])
      _ = try await house.hearth.orderPhases("recorder-0", [])
      _ = try await house.hearth.pause("recorder-0", until: nil)
      _ = try await house.hearth.resume("recorder-0")
      await house.hearth.registry.settle()
      #expect(spans().map { $0.to != nil } == [true, true, true] && spans()[2].series == nil)
    }
  }
}
