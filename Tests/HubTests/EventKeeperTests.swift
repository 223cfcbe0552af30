import Bluetooth
import EventLoop
import Reasons
import RingStore
import Testing

@testable import Hub

@Suite("Events of the hub")
struct EventKeeperTests {
  /// A keeper beside the parts, as the hub has one; what it wrote, the oldest first.
  @LoopActor private func keeper(_ parts: Parts) -> EventKeeper {
    parts.context.phase = .serving
    let keeper = EventKeeper(parts.context, parts.registry)
    keeper.start()
    return keeper
  }

  @LoopActor private func told(_ store: Store, _ reasons: Reason...) throws -> [StoreEvent] {
    let wanted = Set(reasons.map(\.rawValue))
    return try store.recentEvents(10_000).reversed().filter { wanted.contains($0.reason) }
  }

  @Test(
    "one that is missing, and is back, is reported once each, with its begin; also if the hub was restarted meanwhile")
  func missing() throws {
    try inHouse(prepare: { $0.absentAfter = .seconds(3600) }) { house, _ in
      house.start()
      try await house.wait { try house.visits().contains { $0.ended != nil } }
      try await house.pass(.seconds(60))
      house.radio.isQuiet = true
      let left = house.loop.wall
      try await house.pass(.seconds(7200))
      let missing = try told(house.store, .wearableMissing)
      #expect(missing.count == 1 && missing.first?.wearable == house.store.wearables[0].id)
      let since = try #require(missing.first?.span.from)
      #expect(abs((since - left).inSeconds) < 5 && missing.first?.span.to == nil)
      try await house.stopAndRestart(isQuiet: true)
      try await house.pass(.seconds(1800))
      #expect(try house.hearth.wearable(named: "recorder-0").state == .missing)
      #expect(try told(house.store, .wearableMissing).count == 1, "the run before told it")
      try await house.stopAndRestart(isQuiet: false)
      try await house.pass(.seconds(120))
      let back = try told(house.store, .wearableBack)
      #expect(back.count == 1)
      #expect(back.first?.span.from == since && back.first?.span.to != nil)
      #expect(back.first?.text == "recorder-0 is back after 2 h; what it measured meanwhile is on it")
      try await house.stopAndRestart(isQuiet: false)
      try await house.pass(.seconds(120))
      #expect(try told(house.store, .wearableBack).count == 1)
    }
  }

  @Test("a visit that fails is an event with its code; the next ones of the hour are counted in one")
  func failedVisits() throws {
    try inHouse(files: { $0[0].files = [.of(50_000)] }) { house, twin in
      @LoopActor func silence(for seconds: Int) async throws {
        for _ in 0..<(seconds / 10) {
          twin.fallsSilentAfter = 1000
          try await house.pass(.seconds(10))
        }
      }
      house.start()
      try await silence(for: 1800)
      let first = try told(house.store, .visitSilent)
      #expect(first.count == 1 && first.first?.wearable == house.store.wearables[0].id)
      #expect(first.first?.text.hasPrefix("recorder-0 did not answer") == true && first.first?.span == EventSpan())
      try await silence(for: 2400)
      let both = try told(house.store, .visitSilent)
      #expect(both.count == 2)
      #expect(both.allSatisfy { $0.wearable == house.store.wearables[0].id })
    }
  }

  @Test("a key that is lost, and a new one, are reported")
  func keys() throws {
    try withParts { parts in
      let wearable = try await parts.enrol(1, "a")
      let keeper = keeper(parts)
      _ = parts.bonds.keysCame(on: wearable.address, BondsTests.keys(wearable.address))
      try await parts.loop.sleep(for: .seconds(1))
      parts.bonds.keyIsMissing(wearable)
      parts.bonds.keyIsMissing(wearable)
      let events = try told(parts.store, .keyMissing, .bondMade)
      #expect(events.map(\.reason) == [Reason.bondMade.rawValue, Reason.keyMissing.rawValue])
      #expect(events.map(\.text) == ["a and the hub have a new key", "a no longer knows the hub's key"])
      keeper.stop()
    }
  }

  @Test("a link that goes to another wearable is a loss for one that needs it, but not for one that keeps its data")
  func slots() throws {
    var driver = RecorderDriver()
    driver.attention = .seconds(3600)
    for needsLink in [true, false] {
      driver.needsLink = needsLink
      try inHouse(driver, recorders: 5) { house, _ in
        house.radio.slots = 2
        house.start()
        try await house.pass(.seconds(3700))
        let given = try told(house.store, .slotsFull)
        #expect(given.isEmpty != needsLink, "\(given.map(\.text))")
        #expect(given.contains { $0.text.contains(" gave its slot to recorder-") } == needsLink)
        #expect(given.allSatisfy { $0.span.from != nil && $0.text.contains(" slot") })
        #expect(try told(house.store, .linkLost, .linkFound, .linkUnsteady).isEmpty, "nobody's link was lost")
        // Turns of 45 s for an hour: the first, and one count, of each.
        let all = try house.store.recentEvents(10_000).count
        #expect(all <= 1 + 5 * 5, "\(all)")
      }
    }
  }

  @Test("trouble of the store is reported when it is over, with how long it took and what was dropped")
  func store() throws {
    try withParts { parts in
      let keeper = keeper(parts)
      let began = parts.loop.wall
      parts.context.changes.happened(.store(HearthError(.storeFull, "the disk is full")))
      try await parts.loop.sleep(for: .seconds(30))
      parts.context.changes.happened(.store(HearthError(.storeFailing, "another reason")))
      parts.context.changes.happened(.store(nil))
      let events = try told(parts.store, .storeFull, .storeFailing, .storeBack)
      #expect(
        events.map(\.text) == ["the disk is full", "the store takes writes again after 30 s; no samples were lost"])
      #expect(events.map(\.span.from) == [began, began] && events.last?.span.to == began + .seconds(30))
      keeper.stop()
    }
  }

  @Test("a start is reported when the clock is right, or after two minutes; a span that the clock turned is left out")
  func clock() throws {
    try withParts { parts in
      parts.loop.wallIsTrusted = false
      let keeper = keeper(parts)
      try await parts.loop.sleep(for: .seconds(30))
      #expect(try told(parts.store, .startedFirst).isEmpty)
      parts.loop.stepWall(by: .seconds(86_400))
      parts.loop.wallIsTrusted = true
      try await parts.loop.sleep(for: .seconds(11))
      #expect(try told(parts.store, .startedFirst).count == 1)
      #expect(parts.store.run?.began == parts.loop.wall + .seconds(-41))
      #expect(try told(parts.store, .startedFirst).map(\.time) == [parts.loop.wall + .seconds(-41)])
      keeper.stop()
      let second = EventKeeper(parts.context, parts.registry)
      parts.loop.wallIsTrusted = false
      second.start()
      try await parts.loop.sleep(for: .seconds(125))
      #expect(try told(parts.store, .startedAfterKill).count == 1)
      second.stop()
    }
  }

  @Test("a machine that was started again without a stop is distinguished from a process that was killed")
  func powerCut() throws {
    try withParts { parts in
      var mark = RunMark(began: parts.loop.wall + .seconds(-500), boot: BootID(high: 77, low: 77))
      mark.alive = parts.loop.wall + .seconds(-400)
      parts.store.keepRun(mark)
      let keeper = keeper(parts)
      let event = try #require(try told(parts.store, .startedAfterPowerCut).first)
      #expect(event.span == EventSpan(from: mark.alive, to: parts.loop.wall))
      #expect(event.text.hasPrefix("the hub was started after 6 min with the machine; power was cut"))
      keeper.stop()
    }
  }

  @Test("the fifth start within an hour is counted, and reported when the hour is over")
  func manyStarts() throws {
    try inHouse { house, _ in
      house.start()
      for _ in 0..<8 {
        try await house.pass(.seconds(60))
        try await house.stopAndRestart()
      }
      try await house.pass(.seconds(60))
      #expect(try told(house.store, .startedFirst, .startedAfterStop).count == 4)
      #expect(house.store.run?.untold == 5)
      try await house.pass(EventKeeper.hour)
      let counted = try told(house.store, .startedAgain)
      #expect(counted.map(\.span.count) == [5] && house.store.run?.untold == 0)
      #expect(counted.first?.span.from != nil && counted.first?.span.to == house.store.run?.began)
    }
  }
}
