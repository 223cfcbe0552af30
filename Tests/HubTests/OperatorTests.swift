import Bluetooth
import EventLoop
import Health
import Reasons
import RingStore
import Testing
import Wearable

@testable import Hub

@Suite("What operators and wearables ask of the lane")
struct OperatorTests {
  @LoopActor private func done(_ house: LaneHouse, _ count: Int = 1) async throws {
    try await house.wait {
      try house.visits().count { $0.ended != nil && $0.laneOutcome == VisitOutcome.done.rawValue } >= count
    }
  }

  @Test("with 'ask' no item is removed but in a visit on request, also after a restart")
  func eraseAsk() throws {
    try inHouse(files: { $0[0].files = [.of(500)] }) { house, twin in
      let shown = try await house.hearth.setErasing("recorder-0", .ask)
      #expect(shown.erasing == .ask && shown.eraseChoice == .ask)
      house.start()
      try await done(house)
      #expect(!twin.log.contains(.removedAll))
      try house.killAndRestart()
      #expect(try house.hearth.wearable(named: "recorder-0").eraseChoice == .ask)
      try await house.pass(.seconds(1000))
      #expect(!twin.log.contains(.removedAll))
      try house.hearth.visitNow("recorder-0")
      try await house.wait { twin.files.isEmpty }
    }
  }

  @Test("an operator's yes or no goes before the configuration, and 'auto' gives it back", arguments: [true, false])
  func eraseChoice(isConfigured: Bool) throws {
    try inHouse(prepare: { $0.erase = isConfigured ? .verified : .never }, files: { $0[0].files = [.of(500)] }) {
      house, twin in
      var shown = try await house.hearth.setErasing("recorder-0", isConfigured ? .no : .yes)
      #expect(shown.erasing == (isConfigured ? .no : .yes))
      house.start()
      try await done(house)
      #expect(twin.log.contains(.removedAll) == !isConfigured)
      shown = try await house.hearth.setErasing("recorder-0", nil)
      #expect(shown.erasing == (isConfigured ? .yes : .no) && shown.eraseChoice == nil)
      #expect(house.store.wearables[0].hubState[ErasingNotes.self]?.choice == nil)
    }
  }

  @Test("what a wearable announces over its link is fetched as soon as its last visit is no longer fresh")
  func announcement() throws {
    var driver = RecorderDriver()
    driver.attention = .seconds(120)
    try inHouse(driver, files: { $0[0].files = [.of(500)] }) { house, twin in
      house.start()
      try await done(house)
      let ended = house.loop.now
      twin.files = [.of(700, name: "b")]
      let wearable = try #require(house.hearth.registry.all.first)
      house.hearth.context.changes.raise(.announced(wearable))
      try await house.wait { twin.files.isEmpty }
      #expect(
        house.loop.now - ended < house.options.fresh + .seconds(10) && house.options.fresh < house.options.visitBound)
      try await done(house, 2)
      #expect(try house.visits().contains { $0.trigger == VisitTrigger.announcement.rawValue })
      #expect(!wearable.lane.announced)
    }
  }

  @Test("asking for a visit of one without data that is live says so and starts no visit")
  func nothingToFetch() throws {
    var driver = RecorderDriver()
    driver.keepsNothing = true
    try inHouse(driver) { house, _ in
      let pending = try house.hearth.visitNow("recorder-0")
      #expect(!pending.fetches && pending.why == "requested by an operator")
      house.start()
      try await house.wait { house.hearth.registry.all[0].link?.isSettled == true && house.hearth.lane.holder == nil }
      #expect(house.hearth.registry.all[0].lane.askedAt == nil)
      let live = try house.hearth.visitNow("recorder-0")
      #expect(!live.fetches && live.why == "live; it stores no data to fetch")
      #expect(house.hearth.registry.all[0].lane.askedAt == nil && house.hearth.laneQueue().isEmpty)
    }
  }

  @Test("what was listed without a mark takes the place of what is durable only when its content is known")
  func unmarked() throws {
    var driver = RecorderDriver()
    driver.marksLate = true
    try inHouse(driver, prepare: { $0.erase = .never }, files: { $0[0].files = [.of(100_000)] }) { house, twin in
      house.start()
      try await done(house)
      let first = try #require(try house.custody().first)
      #expect(first.durableAt != nil && first.mark == "m1")
      // Fetched again, and cut in the middle: what is durable still is.
      twin.cutsLinkAfter = twin.payload + 80_000
      try house.hearth.visitNow("recorder-0")
      try await house.wait { twin.cutsLinkAfter == nil }
      try await house.pass(.seconds(1))
      #expect(try house.custody().first?.durableAt == first.durableAt)
      try await done(house, 2)
      #expect(try house.custody().first?.receipts == first.receipts && twin.fetches("a").count >= 3)
      #expect(try await house.values().count == 100_000)
      // Damaged: the item may be the same, and stays on the wearable.
      twin.files = [RecorderFile(name: "a", mark: 1, bytes: [0xEE] + [UInt8](repeating: 0, count: 999))]
      try house.hearth.visitNow("recorder-0")
      try await done(house, 3)
      #expect(try house.custody().first?.receipts == first.receipts)
      // Something else lies there now.
      twin.files = [.of(2000, mark: 5)]
      try house.hearth.visitNow("recorder-0")
      try await done(house, 4)
      let second = try #require(try house.custody().first)
      #expect(second.mark == "m5" && second.durableAt != nil && second.receipts != first.receipts)
      #expect(try await house.values().count == 102_000)
    }
  }

  @Test("H4015: while the store lies in memory no wearable is erased; what is fetched is stored as ever")
  func inMemory() throws {
    try inHouse(RecorderDriver(), files: { $0[0].files = [.of(2000)] }) { house, twin in
      house.store.note(StoreMedium(kind: .memory, text: "tmpfs at /run, which is memory"))
      house.start()
      try await done(house)
      _ = try await house.hearth.visits.setErasing("recorder-0", .yes)
      try house.hearth.visitNow("recorder-0")
      try await done(house, 2)
      #expect(try house.custody().first?.durableAt != nil && twin.files.count == 1)
      let attention = house.hearth.snapshot().attention
      #expect(attention.contains { $0.trouble.reason == .storeInMemory })
      // On a file system without owners it may be.
      house.store.note(StoreMedium(kind: .open, text: "vfat at /mnt, which knows no owners"))
      try house.hearth.visitNow("recorder-0")
      try await house.wait { twin.files.isEmpty }
    }
  }

  // MARK: Names

  private let stranger = BluetoothAddress(value: 0xC0_0000_0000_77, kind: .leRandom)

  @LoopActor private func say(_ house: LaneHouse, _ data: [UInt8], isResponse: Bool = false) {
    house.radio.onAdvertisement?(
      Advertisement(
        address: stranger, rssi: -50, isConnectable: true, isScanResponse: isResponse, data: data, time: house.loop.now)
    )
  }

  /// A recorder is at the unknown address, and advertisements come only from `say`.
  @LoopActor private func answers(_ house: LaneHouse) {
    house.radio.isScripted = true
    house.radio.twins.append((stranger, RecorderTwin(house.loop)))
  }

  @Test("in mode 'all' a stranger is asked for its scan response, for ten seconds, and joins by what it answers")
  func asked() throws {
    try inHouse(prepare: { $0.enrolmentMode = .all }) { house, _ in
      answers(house)
      house.start()
      say(house, [2, 1, 6])
      #expect(house.radio.asksForNames)
      say(house, [3, 3, 0xF0, 0xFF], isResponse: true)
      try await house.wait { house.store.wearables.count == 2 }
      try await house.pass(.seconds(11))
      #expect(!house.radio.asksForNames)
    }
  }

  @Test(
    """
    in mode 'all' one that is recognised joins at once by its name, and without one only after it was asked: a scan \
    response may say more of it
    """
  )
  func askedForItsName() throws {
    try inHouse(prepare: { $0.enrolmentMode = .all }) { house, _ in
      answers(house)
      house.start()
      say(house, [3, 3, 0xF0, 0xFF])
      try await house.pass(.seconds(9))
      say(house, [3, 3, 0xF0, 0xFF])
      #expect(house.radio.asksForNames && house.store.wearables.count == 1)
      try await house.pass(.seconds(2))
      say(house, [3, 3, 0xF0, 0xFF])
      try await house.wait { house.store.wearables.count == 2 }
      #expect(!house.radio.asksForNames)
    }
    try inHouse(prepare: { $0.enrolmentMode = .all }) { house, _ in
      answers(house)
      house.start()
      say(house, [3, 3, 0xF0, 0xFF, 2, 9, 0x52])
      try await house.wait(.seconds(8)) { house.store.wearables.count == 2 }
      #expect(!house.radio.asksForNames)
    }
  }

  @Test(
    "one that does not answer is asked three times, a minute apart, and without joining by itself no wearable is asked"
  )
  func askedThreeTimes() throws {
    try inHouse(prepare: { $0.enrolmentMode = .all }) { house, _ in
      house.start()
      var askings = 0
      for second in 0..<600 {
        let before = house.radio.asksForNames
        say(house, [2, 1, 6])
        if house.radio.asksForNames, !before { askings += 1 }
        if second == 30 { #expect(!house.radio.asksForNames && askings == 1) }
        try await house.pass(.seconds(1))
      }
      #expect(askings == 3)
    }
    try inHouse(prepare: { $0.enrolmentMode = .window }) { house, _ in
      house.start()
      say(house, [2, 1, 6])
      #expect(!house.radio.asksForNames)
    }
  }
}
