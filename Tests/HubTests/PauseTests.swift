import EventLoop
import Health
import HubModel
import Reasons
import RingStore
import Testing
import Wearable

@testable import Hub

@Suite("Wearables that are left alone by order")
struct PauseTests {
  private static func driver() -> RecorderDriver {
    var driver = RecorderDriver()
    driver.beats = true
    return driver
  }

  @LoopActor private func state(_ house: LaneHouse) throws -> WearableState {
    try house.hearth.wearable(named: "recorder-0").state
  }

  @LoopActor private func events(_ house: LaneHouse) throws -> [StoreEvent] {
    try house.store.recentEvents(1000).filter { $0.reason == Reason.collectionPaused.rawValue }
  }

  /// The first visit is over; a value a second comes over its link.
  @LoopActor private func settle(_ house: LaneHouse, _ twin: RecorderTwin) async throws {
    twin.beats = .seconds(1)
    house.start()
    try await house.wait { try !house.visits().isEmpty && house.hearth.lane.holder == nil }
  }

  @Test("H2461: a paused wearable is left alone until it is resumed, keeps what it is, and is never missing")
  func paused() throws {
    try inHouse(Self.driver(), prepare: { $0.absentAfter = .seconds(3600) }) { house, twin in
      try await settle(house, twin)
      #expect(try state(house) == .live)
      twin.files = [.of(500)]
      let shown = try await house.hearth.pause("recorder-0", until: nil)
      #expect(shown.state == .paused && shown.pause?.until == nil && shown.trouble == nil)
      #expect(house.hearth.registry.all[0].link == nil)
      let (visits, connects) = (try house.visits().count, house.radio.connects)
      try await house.pass(.seconds(7200))
      house.radio.isQuiet = true
      try await house.pass(.seconds(7200))
      #expect(try state(house) == .paused && house.visits().count == visits && house.radio.connects == connects)
      #expect(house.hearth.snapshot().attention.isEmpty && house.hearth.snapshot().missing == 0)
      #expect(house.hearth.snapshot().paused == 1 && house.hearth.status.lightState().attention == nil)
      #expect(house.hearth.laneQueue().isEmpty && house.hearth.registry.all[0].lane.dueSince == nil)
      #expect(try events(house).map(\.span.to) == [nil])
      // The pause outlasts the hub.
      try await house.stopAndRestart()
      try await house.pass(.seconds(1800))
      #expect(try state(house) == .paused && house.radio.connects == 0 && !twin.files.isEmpty)
      let resumed = try await house.hearth.resume("recorder-0")
      #expect(resumed.pause == nil)
      try await house.wait { twin.files.isEmpty }
      try await house.wait { try state(house) == .live }
      let told = try events(house)
      #expect(told.count == 2 && told[0].span.to != nil && told[0].span.from == told[1].span.from)
    }
  }

  @Test("what a person asks of a paused wearable is done, and it is left alone again")
  func asked() throws {
    try inHouse(Self.driver()) { house, twin in
      try await settle(house, twin)
      _ = try await house.hearth.pause("recorder-0", until: nil)
      twin.files = [.of(500)]
      _ = try house.hearth.orderSync("recorder-0", SyncRequest())
      try await house.wait { try house.hearth.sync(of: "recorder-0")?.isOver == true }
      #expect(twin.files.isEmpty)
      #expect(try house.hearth.sync(of: "recorder-0")?.trouble == nil)
      try await house.wait(.seconds(120)) { house.hearth.registry.all[0].link == nil }
      let connects = house.radio.connects
      try await house.pass(.seconds(3600))
      #expect(house.radio.connects == connects)
      #expect(try state(house) == .paused)
    }
  }

  @Test(
    "a paused wearable has no link while a client listens or looks, and one that is asked for ends with what it was")
  func listened() throws {
    try inHouse(Self.driver()) { house, twin in
      try await settle(house, twin)
      let wearable = house.hearth.registry.all[0]
      let token = try house.hearth.subscribeLive("recorder-0") { _ in }
      house.hearth.watch("recorder-0", for: .seconds(3600))
      _ = try await house.hearth.pause("recorder-0", until: nil)
      #expect(wearable.link == nil)
      let connects = house.radio.connects
      try await house.pass(.seconds(600))
      #expect(try state(house) == .paused && house.radio.connects == connects)
      _ = try house.hearth.visitNow("recorder-0")
      try await house.wait { house.radio.connects > connects && house.hearth.lane.holder == nil }
      try await house.wait(.seconds(70)) { wearable.link == nil }
      #expect(try state(house) == .paused)
      house.hearth.unsubscribeLive(token)
    }
  }

  @Test("a pause with an end is over then, also after a restart, and while a visit runs it ends that")
  func ends() throws {
    try inHouse(Self.driver(), files: { $0[0].files = [.of(50_000)] }) { house, twin in
      house.start()
      try await house.wait { twin.payload > 10_000 }
      let until = house.loop.wall + .seconds(7200)
      _ = try await house.hearth.pause("recorder-0", until: until)
      try await house.wait(.seconds(10)) { house.hearth.registry.all[0].link == nil }
      #expect(!twin.files.isEmpty)
      try await house.pass(.seconds(3600))
      try await house.stopAndRestart()
      #expect(try state(house) == .paused)
      try await house.pass(.seconds(3500))
      #expect(try state(house) == .paused && !twin.files.isEmpty)
      try await house.wait(.seconds(200)) { twin.files.isEmpty }
      #expect(twin.payload < 51_000, "it goes on where it was")
      let refused = await refusal { () throws(HearthError) in
        try await house.hearth.pause("recorder-0", until: house.loop.wall)
      }
      #expect(refused == .controlBadParameter)
    }
  }

  @Test("a clock that is set by years while it is paused neither ends the pause at once nor prolongs it")
  func clock() throws {
    for years in [-3, 3] {
      try inHouse(Self.driver()) { house, twin in
        house.loop.wallIsTrusted = false
        try await settle(house, twin)
        _ = try await house.hearth.pause("recorder-0", until: house.loop.wall + .seconds(7200))
        try await house.pass(.seconds(1800))
        // A time server is found.
        house.loop.stepWall(by: .seconds(years * 365 * 86_400))
        house.loop.wallIsTrusted = true
        try await house.pass(.seconds(1800))
        #expect(try state(house) == .paused)
        let until = try #require(try house.hearth.wearable(named: "recorder-0").pause?.until)
        #expect((3590...3610).contains((until - house.loop.wall).components.seconds))
        try await house.stopAndRestart()
        try await house.pass(.seconds(3500))
        #expect(try state(house) == .paused)
        try await house.pass(.seconds(200))
        #expect(try state(house) != .paused)
      }
    }
  }

  @Test("while no time server sets the clock, a wrong one of a restart ends no pause, and it lasts what was left of it")
  func restartedClock() throws {
    try inHouse(Self.driver()) { house, twin in
      try await settle(house, twin)
      _ = try await house.hearth.pause("recorder-0", until: house.loop.wall + .seconds(7200))
      try await house.pass(.seconds(3600))
      house.loop.wallIsTrusted = false
      try await house.stopAndRestart()
      house.loop.stepWall(by: .seconds(10 * 365 * 86_400))
      try await house.pass(.seconds(3000))
      #expect(try state(house) == .paused)
      try await house.pass(.seconds(700))
      #expect(try state(house) != .paused)
    }
  }
}
