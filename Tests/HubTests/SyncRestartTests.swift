import EventLoop
import Health
import Reasons
import RingStore
import StateCodec
import Testing
import Wearable

@testable import Hub

@Suite("A sync and the end of the hub")
struct SyncRestartTests {
  @LoopActor private func settle(_ house: LaneHouse) async throws {
    house.start()
    try await house.wait { try !house.visits().isEmpty && house.hearth.lane.holder == nil }
  }

  @LoopActor private func sync(_ house: LaneHouse) throws -> SyncSnapshot {
    try #require(try house.hearth.sync(of: "recorder-0"))
  }

  @Test(
    "what was ordered goes on in the next hub, counts what the one before brought, and stores each item once",
    arguments: [true, false])
  func goesOn(_ isKilled: Bool) throws {
    try inHouse { house, twin in
      try await settle(house)
      twin.files = [.of(1000), .of(100_000, name: "b")]
      let ordered = try house.hearth.orderSync("recorder-0", SyncRequest(["heart_rate"]))
      // The first file is stored, the second one is under way.
      try await house.wait { twin.payload > 30_000 }
      if isKilled { try house.killAndRestart() } else { try await house.stopAndRestart() }
      let taken = try sync(house)
      #expect(!taken.isOver && taken.number == 1 && taken.ordered == ordered.ordered)
      #expect(taken.domains.map(\.state) == [.waiting] && taken.domains.map(\.series) == [[.heartRate]])
      try await house.wait { try sync(house).isOver }
      let over = try sync(house)
      #expect(over.trouble == nil && over.domains.map(\.state) == [.done])
      #expect(over.domains[0].itemsStored == 2 && over.domains[0].itemsListed == 2)
      #expect(try await house.values().count == 101_000)
      #expect(twin.fetches("a").count == 1)
    }
  }

  @Test("one that is over is reported by the next hub as it was, and the next one has the next number")
  func isOver() throws {
    var driver = RecorderDriver()
    driver.hasBadDomain = true
    try inHouse(driver) { house, twin in
      try await settle(house)
      twin.files = [.of(500)]
      _ = try house.hearth.orderSync("recorder-0", SyncRequest(["unknown", "files", "ecg"]))
      try await house.wait { try sync(house).isOver }
      let before = try sync(house)
      #expect(before.domains.map(\.state) == [.failed, .done, .skipped])
      try await house.pass(.seconds(1))
      try await house.stopAndRestart()
      let after = try sync(house)
      #expect(after.domains.map(\.state) == before.domains.map(\.state) && after.ended == before.ended)
      #expect(after.domains.map(\.bytes) == [0, 500, 0] && after.domains.map(\.id) == ["unknown", "files", "ecg"])
      #expect(after.domains.map(\.trouble) == before.domains.map(\.trouble) && after.trouble == nil)
      try await house.wait { house.hearth.presence.isPresent(house.hearth.registry.all[0]) }
      #expect(try house.hearth.orderSync("recorder-0", SyncRequest()).number == 2)
    }
  }

  @Test("one with a wearable that is missing after a restart ends with a code, and what it brought stays")
  func isGone() throws {
    try inHouse { house, twin in
      try await settle(house)
      twin.files = [.of(100_000)]
      _ = try house.hearth.orderSync("recorder-0", SyncRequest())
      try await house.wait { twin.payload > 70_000 }
      try await house.stopAndRestart(isQuiet: true)
      #expect(try !sync(house).isOver)
      try await house.wait(.seconds(1800)) { try sync(house).isOver }
      #expect(try sync(house).trouble?.reason == .requestNotDone && sync(house).domains.map(\.state) == [.failed])
      #expect(try house.custody().map(\.durableAt) == [nil] && house.custody()[0].fetched > 64_000)
    }
  }

  @Test("one of many hours ago is not begun again")
  func isOld() throws {
    try inHouse { house, twin in
      try await settle(house)
      twin.files = [.of(100_000)]
      _ = try house.hearth.orderSync("recorder-0", SyncRequest())
      try await house.wait { twin.payload > 30_000 }
      house.loop.stepWall(by: .seconds(7 * 3600))
      try house.killAndRestart()
      #expect(try sync(house).isOver && sync(house).trouble?.reason == .requestNotDone)
    }
  }

  // MARK: What is kept

  private func kept(_ state: SyncSnapshot) throws -> SyncSnapshot? {
    var states = RememberedStates()
    try states.keep(KeptSync(state))
    return states[KeptSync.self]?.snapshot(of: state.wearable, nil)
  }

  @Test("all of it is kept but the words of the order, and the series, which the driver knows")
  func fields() throws {
    let now = VirtualLoop.morning
    var domains = [SyncedDomain("a", []), SyncedDomain("b", []), SyncedDomain("c", []), SyncedDomain("d", [])]
    (domains[0].state, domains[0].itemsListed, domains[0].itemsStored) = (.done, 7, 5)
    (domains[0].itemsUndated, domains[0].bytes) = (2, 1 << 40)
    (domains[1].state, domains[1].trouble) = (.failed, HearthError(.visitRefused, "it refused listing"))
    (domains[2].state, domains[2].trouble) = (.skipped, HearthError(.requestUnsupported, "no such thing"))
    domains[3].state = .nothingNew
    var state = SyncSnapshot(
      number: .max, wearable: "band", request: SyncRequest(since: now, until: now + .seconds(5), isAutomaticOnly: true),
      ordered: now, domains: domains)
    (state.ended, state.trouble) = (now + .seconds(9), HearthError(.visitBusy, "a training runs"))
    #expect(try kept(state) == state)
    // What runs waits, and what it counted so far is counted again.
    (state.ended, state.trouble) = (nil, nil)
    (state.domains[3].state, state.domains[3].itemsListed, state.domains[3].itemsStored) = (.running, 3, 1)
    let next = try #require(try kept(state))
    #expect(next.domains[3].state == .waiting && next.domains[3].itemsListed == 0 && next.domains[3].itemsStored == 0)
    #expect(!next.isOver && next.domains.prefix(3) == state.domains.prefix(3))
  }

  @Test("however much was asked for and however long the reasons are, it has its bound; text is cut between letters")
  func bounds() throws {
    var domains = (0..<SyncRequest.wordLimit).map { SyncedDomain("ö\($0)" + String(repeating: "ö", count: 40), []) }
    for place in domains.indices {
      domains[place].state = .failed
      domains[place].trouble = HearthError(.requestUnsupported, String(repeating: "€", count: 300))
    }
    let state = SyncSnapshot(
      number: 1, wearable: "band", request: SyncRequest(), ordered: VirtualLoop.morning, domains: domains)
    let next = try #require(try kept(state))
    #expect(next.domains.count == KeptSync.domainLimit)
    #expect(
      next.domains.allSatisfy { $0.id.utf8.count <= 32 && $0.trouble?.detail == String(repeating: "€", count: 32) })
    #expect(RememberedStates.Entry(KeptSync(state)).fields.count < 3072)
  }

  @Test("an invalid sync is no state")
  func nonsense() {
    var empty = FieldWriter()
    empty.put(1, UInt64(1))
    empty.put(2, Int64(5))
    var odd = empty
    odd.put(9) { nested in
      nested.put(1, "a")
      nested.put(2, UInt8(9))
    }
    for fields in [FieldWriter(), empty, odd] {
      var states = RememberedStates()
      states.load(KeptSync.name, RememberedStates.Entry(version: 1, fields: fields.fields))
      #expect(states[KeptSync.self] == nil)
    }
  }

  // MARK: The log

  @LoopActor private final class Told {
    var all: [SyncSnapshot] = []
  }

  @Test("the log has a line for what begins and what is through, with items, bytes and code")
  func log() throws {
    try VirtualLoop.run { loop in
      let lines = LoggedLines()
      let told = Told()
      let order = SyncOrder(
        SyncSnapshot(
          number: 4, wearable: "band", request: SyncRequest(), ordered: loop.wall,
          domains: [SyncedDomain("sleep", []), SyncedDomain("trainings", [])]), loop, lines.logger, isResumed: false
      ) { told.all.append($0) }
      order.visitBegan(7)
      order.began(["sleep", "trainings"])
      order.fetched("sleep", bytes: 12, isStored: true)
      #expect(told.all.isEmpty)
      order.finished(["sleep"])
      order.failed(["trainings"], HearthError(.visitRefused, "band refused listing"))
      order.visitEnded()
      #expect(
        lines.all == [
          "sync: sleep running", "sync: trainings running", "sync: sleep done",
          "sync: trainings failed: \(HearthError(.visitRefused, "band refused listing"))", "sync over",
        ])
      #expect(told.all.map(\.domainsOver) == [1, 2, 2] && told.all.map(\.isOver) == [false, false, true])
    }
  }
}
