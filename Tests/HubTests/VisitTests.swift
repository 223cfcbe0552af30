import Bluetooth
import EventLoop
import Health
import HubModel
import Reasons
import RingStore
import Testing
import Wearable

@testable import Hub

@Suite("A visit over an open link")
struct VisitTests {
  @Test("fetches what the wearable holds, stores it, and only then removes it")
  func whole() throws {
    try inHouse(files: { $0[0].files = [.of(1000, name: "a"), .of(5000, name: "b")] }) { house, twin in
      house.start()
      try await house.wait { twin.files.isEmpty }
      try await house.wait { try !house.visits().isEmpty && house.visits()[0].ended != nil }
      let custody = try house.custody()
      #expect(custody.map(\.id) == ["a", "b"])
      #expect(custody.allSatisfy { $0.durableAt != nil && $0.erasedAt != nil && $0.isFinal && $0.receipts.count == 1 })
      let removed = try #require(twin.log.firstIndex(of: .removedAll))
      #expect(twin.log[..<removed].contains(.fetched("b", from: 0)))
      #expect(twin.log.last == .finished)
      let values = try await house.values()
      #expect(values.count == 6000)
      let visit = try house.visits()[0]
      #expect(visit.laneOutcome == VisitOutcome.done.rawValue)
      #expect(visit.bytesFetched == 6000)
      #expect(visit.itemsDone == 2 && visit.itemsListed == 2)
      #expect(visit.opened != nil && visit.closed != nil)
    }
  }

  @Test(
    """
    fetches a thing that bears the name and the mark of one that was removed: what was removed is gone, and this is \
    another
    """,
    arguments: [false, true])
  func sameNameAgain(_ marksLate: Bool) throws {
    var driver = RecorderDriver()
    driver.marksLate = marksLate
    try inHouse(driver, files: { $0[0].files = [.of(1000)] }) { house, twin in
      house.start()
      try await house.wait { twin.files.isEmpty && house.hearth.lane.holder == nil }
      #expect(try house.custody().map { $0.erasedAt != nil } == [true])
      twin.files = [.of(1000)]
      _ = try house.hearth.visitNow("recorder-0")
      try await house.wait { twin.files.isEmpty && house.hearth.lane.holder == nil }
      #expect(twin.fetches("a") == [0, 0])
      let held = try #require(try house.custody().first)
      #expect(held.erasedAt != nil && held.durableAt != nil)
    }
  }

  @Test(
    "goes on after a lost link at the next byte, whichever that was",
    arguments: [1, 199, 200, 201, 65_535, 65_536, 65_800, 99_999])
  func resumes(lostAfter: Int) throws {
    try inHouse(files: { $0[0].files = [.of(100_000)] }) { house, twin in
      twin.cutsLinkAfter = lostAfter
      house.start()
      try await house.wait { twin.files.isEmpty }
      let offsets = twin.fetches("a")
      let first = (lostAfter - 1) / 200 * 200
      // What was on its way when the link went may or may not have come.
      #expect(offsets.count == 2 && offsets[0] == 0 && (max(0, first - 400)...first).contains(offsets[1]), "\(offsets)")
      #expect(try await house.values().count == 100_000)
      let outcomes = try house.visits().map(\.laneOutcome)
      #expect(outcomes.contains(VisitOutcome.interrupted.rawValue))
    }
  }

  @Test("goes on after a power cut with what was kept every 64 KiB")
  func powerCutInFetch() throws {
    try inHouse(files: { $0[0].files = [.of(100_000)] }) { house, twin in
      house.start()
      try await house.wait { twin.payload > 80_000 }
      try house.killAndRestart()
      try await house.wait { twin.files.isEmpty }
      #expect(twin.fetches("a") == [0, 65_600])
      #expect(try await house.values().count == 100_000)
    }
  }

  @Test("after a power cut between storing and removing, removes without fetching or storing again")
  func powerCutBeforeRemoval() throws {
    try inHouse(files: { $0[0].files = [.of(3000)] }) { house, twin in
      var isCut = false
      twin.onRemoveAll = {
        if isCut { return true }
        isCut = true
        return false
      }
      house.start()
      try await house.wait { isCut }
      try house.killAndRestart()
      try await house.wait { twin.files.isEmpty }
      #expect(twin.fetches("a") == [0])
      #expect(try await house.values().count == 3000)
    }
  }

  @Test("after a power cut between removing and noting it, knows that no item is missing")
  func powerCutAfterRemoval() throws {
    try inHouse(files: { $0[0].files = [.of(3000)] }) { house, twin in
      twin.afterRemoveAll = { false }
      house.start()
      try await house.wait { twin.files.isEmpty }
      try house.killAndRestart()
      try await house.wait { try house.custody().first?.isListed == false }
      #expect(try house.custody().first?.durableAt != nil)
      #expect(try await house.values().count == 3000)
      #expect(twin.fetches("a") == [0])
    }
  }

  @Test("leaves a busy wearable alone for as long as it asked, and comes again")
  func busy() throws {
    try inHouse(files: { $0[0].files = [.of(500)] }) { house, twin in
      twin.isBusy = true
      house.start()
      try await house.wait { try !house.visits().isEmpty }
      let visit = try house.visits()[0]
      #expect(visit.laneOutcome == VisitOutcome.busy.rawValue)
      #expect(!twin.log.contains(.listed))
      // The session ends as the wearable needs it.
      #expect(twin.log.last == .finished)
      twin.isBusy = false
      let since = house.loop.now
      try await house.wait { twin.files.isEmpty }
      #expect(house.loop.now - since > .seconds(25))
    }
  }

  @Test("says what was refused, and removes no item")
  func refused() throws {
    try inHouse(files: { $0[0].files = [.of(500)] }) { house, twin in
      twin.refusesList = true
      house.start()
      try await house.wait { try !house.visits().isEmpty }
      let visit = try #require(try house.hearth.visits(1, of: nil).first)
      #expect(visit.outcome == .refused)
      #expect(visit.trouble?.reason == .visitRefused)
      #expect(twin.files.count == 1 && twin.log.last == .finished)
    }
  }

  @Test("a kind of data that cannot be had does not keep the others from being fetched")
  func otherDomains() throws {
    var driver = RecorderDriver()
    driver.hasBadDomain = true
    try inHouse(driver, files: { $0[0].files = [.of(500)] }) { house, twin in
      house.start()
      try await house.wait { twin.files.isEmpty }
      try await house.wait { try house.visits().first?.ended != nil }
      #expect(try house.hearth.visits(1, of: nil).first?.trouble?.reason == .visitUnsupported)
    }
  }

  @Test("that it does not record what was ordered is shown beside whatever came before that, on each surface")
  func unarmedBeside() throws {
    var driver = RecorderDriver()
    driver.unrecorded = [.acc]
    for hasBadDomain in [false, true] {
      driver.hasBadDomain = hasBadDomain
      try inHouse(driver, files: { $0[0].files = [.of(500)] }) { house, twin in
        house.start()
        try await house.wait { try house.visits().first?.ended != nil }
        let words = "recorder-0 does not record acc"
        let other = "recorder-0: a version of tomorrow"
        let detail = hasBadDomain ? "\(other); H2128: \(words)" : words
        let trouble = try #require(try house.hearth.wearable(named: "recorder-0").trouble)
        #expect(trouble.reason == (hasBadDomain ? .visitUnsupported : .recordingNotArmed) && trouble.detail == detail)
        #expect(house.hearth.snapshot().attention.map(\.trouble) == [trouble])
        let visit = try #require(try house.visits().first)
        #expect(visit.outcome == trouble.reason.rawValue && visit.remark == detail)
        #expect(visit.unrecorded == [Series.acc.id])
        let events = try house.store.recentEvents(50).map(\.reason)
        #expect(events.contains(Reason.recordingNotArmed.rawValue), "\(events)")
        #expect(events.contains(Reason.visitUnsupported.rawValue) == hasBadDomain)
      }
    }
  }

  @Test("a visit that may have found no clock leaves its readings in the log, and the visit that finds one uses them")
  func mayBeNone() throws {
    var driver = RecorderDriver()
    let clock = ToldClock()
    driver.clock = clock
    try inHouse(driver, prepare: { ($0.visitBound, $0.fresh) = (.seconds(60), .seconds(30)) }) { house, twin in
      house.start()
      let memory = try house.hearth.registry.require("recorder-0").visits
      // Within the hour the log is not written for a visit without data.
      try await house.wait { memory.unlogged != nil }
      let unlogged = try #require(memory.unlogged?.number)
      let readings = memory.clock.readings
      #expect(try readings.last?.visit == unlogged && !house.visits().map(\.number).contains(unlogged))
      clock.verdict = .mayBeNone
      twin.files = [.of(500)]
      try await house.wait { try twin.files.isEmpty && house.visits().contains { $0.ended != nil && $0.itemsDone > 0 } }
      #expect(memory.clock.readings.isEmpty)
      #expect(try house.visits().first { $0.number == unlogged }?.opened == readings.last?.opened)
      clock.verdict = .isClock
      try await house.wait { !memory.clock.readings.isEmpty && house.hearth.lane.holder == nil }
      #expect(memory.clock.readings.starts(with: readings) && memory.clock.readings.count > readings.count)
    }
  }

  @Test("ends the link after nonsense, and goes on after a new one")
  func framing() throws {
    try inHouse(files: { $0[0].files = [.of(500)] }) { house, twin in
      twin.breaksFraming = true
      house.start()
      try await house.wait { twin.files.isEmpty }
      #expect(house.radio.connects == 2)
      #expect(try house.visits().last?.laneOutcome == VisitOutcome.broken.rawValue)
      // A wearable that broke its protocol gets no further requests over that link.
      let second = try #require(twin.log.lastIndex(of: .linked))
      #expect(second > 0 && !twin.log[..<second].contains(.finished))
    }
  }

  @Test("gives up a wearable that falls silent, and keeps what it had sent")
  func silent() throws {
    try inHouse(files: { $0[0].files = [.of(20_000)] }) { house, twin in
      twin.fallsSilentAfter = 10_000
      house.start()
      try await house.wait { twin.files.isEmpty }
      #expect(twin.fetches("a").count == 2 && twin.fetches("a")[1] >= 9000)
      #expect(try house.visits().last?.laneOutcome == VisitOutcome.silent.rawValue)
    }
  }

  @Test(
    """
    ends for silence while others wait, also if its session goes on after silence: that gets the end of its link, and \
    people the reason
    """
  )
  func insistsOnSilence() throws {
    var driver = RecorderDriver()
    let insists = Insistence()
    driver.insists = insists
    try inHouse(driver, recorders: 2, files: { $0[0].files = [.of(20_000)] }) { house, twin in
      twin.fallsSilentAfter = 10_000
      house.start()
      try await house.wait { twin.fallsSilentAfter == nil }
      let links = house.twins[1].log.count { $0 == .linked }
      let since = house.loop.now
      _ = try house.hearth.visitNow("recorder-1")
      try await house.wait { house.twins[1].log.count { $0 == .linked } > links }
      // As long as one may be silent that has not finished a visit yet, far less than its session would wait.
      #expect((.seconds(10)...(.seconds(20))).contains(house.loop.now - since))
      #expect((2...5).contains(insists.calls), "one each five seconds: \(insists.calls)")
      let ended = try #require(try house.hearth.visits(9, of: "recorder-0").first { !$0.isRunning })
      #expect(ended.outcome == .silent && ended.trouble?.reason == .visitSilent)
      #expect(ended.trouble?.detail.contains("while others waited") == true, "\(String(describing: ended.trouble))")
      // What had come is kept, and the rest comes with the next visit.
      try await house.wait { twin.files.isEmpty }
      #expect(twin.fetches("a").count == 2 && twin.fetches("a")[1] >= 9000)
    }
  }

  @Test("two that hold much take turns of a slice, never both at once, and both come to an end")
  func slices() throws {
    try inHouse(
      recorders: 2, prepare: { $0.slice = .seconds(3) },
      files: { twins in
        twins[0].files = [.of(100_000)]
        twins[1].files = [.of(100_000, name: "b")]
      }
    ) { house, twin in
      house.start()
      var most = 0
      try await house.wait {
        most = max(most, house.radio.bearers.count { !$0.isClosed })
        return house.twins.allSatisfy(\.files.isEmpty)
      }
      #expect(most == 1)
      #expect(twin.fetches("a").count > 1 && house.twins[1].fetches("b").count > 1)
      #expect(try house.visits().contains { $0.laneOutcome == VisitOutcome.sliceOver.rawValue })
      #expect(try await house.values().count == 200_000)
      // Bytes that were kept are never asked for again.
      #expect(
        twin.fetches("a") == twin.fetches("a").sorted() && Set(twin.fetches("a")).count == twin.fetches("a").count)
    }
  }

  @Test(
    "on a full adapter what needs its link takes its turn again, what keeps what it measures waits for its next visit",
    arguments: [true, false])
  func fullAdapter(needsLink: Bool) throws {
    var driver = RecorderDriver()
    driver.attention = .seconds(3600)
    driver.needsLink = needsLink
    try inHouse(driver, recorders: 5) { house, _ in
      house.radio.slots = 2
      house.start()
      let names = house.twins.indices.map { "recorder-\($0)" }
      var unlinked = [Int](repeating: 0, count: names.count)
      var longest = unlinked
      var linked = unlinked
      for _ in 0..<800 {
        try await house.pass(.seconds(1))
        for (number, name) in names.enumerated() {
          let isLinked = try house.hearth.wearable(named: name).linkedSince != nil
          unlinked[number] = isLinked ? 0 : unlinked[number] + 1
          longest[number] = max(longest[number], unlinked[number])
          linked[number] += isLinked ? 1 : 0
        }
      }
      // Three wait for a slice each, one after the other, while two are linked.
      let slice = Int(house.options.slice.inSeconds)
      if needsLink {
        #expect(longest.allSatisfy { $0 <= 3 * slice }, "\(longest)")
        #expect(linked.allSatisfy { $0 > 800 * 2 / 5 * 7 / 10 }, "\(linked)")
      } else {
        // Three gave their slots up at once, having no data.
        #expect(longest.sorted().suffix(3).allSatisfy { $0 > 700 }, "\(longest)")
      }
    }
  }

  @Test("a request for the wearable that is being visited becomes that visit")
  func absorbs() throws {
    try inHouse(files: { $0[0].files = [.of(50_000)] }) { house, twin in
      house.start()
      try await house.wait { twin.payload > 10_000 }
      #expect(try house.hearth.visitNow("recorder-0").trigger == .operatorAsked)
      let running = try #require(try house.hearth.visits(5, of: nil).first)
      #expect(
        running.isRunning && running.trigger == .operatorAsked && running.item == "a" && running.itemSize == 50_000)
      #expect((running.itemFetched ?? 0) >= 9000 && (running.itemFetched ?? 0) < 50_000)
      try await house.wait { twin.files.isEmpty }
      try await house.pass(.seconds(60))
      #expect(twin.fetches("a") == [0])
      #expect(try house.visits().map(\.trigger) == [VisitTrigger.operatorAsked.rawValue])
    }
  }

  @Test("a request for another one pauses the visit that runs, which goes on afterwards")
  func requestPausesOthers() throws {
    try inHouse(recorders: 2, files: { $0[0].files = [.of(100_000)] }) { house, twin in
      house.start()
      try await house.wait { twin.payload > 10_000 }
      let links = house.twins[1].log.count { $0 == .linked }
      let since = house.loop.now
      _ = try house.hearth.visitNow("recorder-1")
      try await house.wait { house.twins[1].log.count { $0 == .linked } > links }
      #expect(house.loop.now - since < .seconds(3))
      #expect(!twin.files.isEmpty)
      try await house.wait { twin.files.isEmpty }
      #expect(twin.fetches("a").count == 2 && twin.fetches("a")[1] >= 9000)
    }
  }

  @Test("a turn that ended for a request before it could bring anything does not speak against the wearable")
  func pausedEarly() throws {
    try inHouse(recorders: 2, files: { $0[0].files = [.of(100_000)] }) { house, twin in
      house.start()
      let paused = try #require(house.hearth.registry.all.first { $0.name == "recorder-0" })
      for _ in 0..<5 {
        // An operator requests the other one each time that it has just begun.
        try await house.wait { paused.visits.running != nil }
        _ = try house.hearth.visitNow("recorder-1")
        try await house.wait { paused.visits.running == nil }
        #expect(paused.visits.last?.laneOutcome == VisitOutcome.sliceOver.rawValue)
        #expect(paused.visits.last?.bytesFetched == 0 && paused.lane.visitReputation.failedTries == 0)
      }
      try await house.wait(.seconds(60)) { twin.files.isEmpty && paused.visits.running == nil }
      #expect(paused.lane.visitReputation.grade == .proven)
    }
  }

  @Test("a store that is full leaves the data on the wearable")
  func noRoom() throws {
    try inHouse(refuses: true, files: { $0[0].files = [.of(500)] }) { house, twin in
      house.start()
      try await house.wait { try !house.visits().isEmpty }
      #expect(try house.visits()[0].laneOutcome == VisitOutcome.noRoom.rawValue)
      #expect(twin.fetches("a").isEmpty && twin.files.count == 1)
    }
  }

  @Test("no item is removed if the configuration says never")
  func neverErases() throws {
    try inHouse(prepare: { $0.erase = .never }, files: { $0[0].files = [.of(500)] }) { house, twin in
      house.start()
      try await house.wait { try house.visits().first?.ended != nil }
      _ = try house.hearth.visitNow("recorder-0")
      try await house.pass(.seconds(30))
      #expect(twin.fetches("a") == [0])
      #expect(!twin.log.contains(.removedAll) && twin.files.count == 1)
      #expect(try house.custody().first?.durableAt != nil)
    }
  }

  @Test("a removal that is taken once is not spent by a link that is lost before it was asked for")
  func removalNotAsked() throws {
    try inHouse(RecorderDriver(removesOnce: true), files: { $0[0].files = [.of(500)] }) { house, twin in
      twin.cutsLinkAtListing = 2
      house.start()
      try await house.wait { twin.files.isEmpty }
      #expect(twin.log.count { $0 == .removedAll } == 1)
      #expect(twin.fetches("a") == [0])
    }
  }

  @Test("a removal without effect is not tried again")
  func ineffectiveRemoval() throws {
    try inHouse(files: { $0[0].files = [.of(500)] }) { house, twin in
      twin.removesNothing = true
      house.start()
      try await house.wait { try house.visits().first?.ended != nil }
      for _ in 0..<3 {
        _ = try house.hearth.visitNow("recorder-0")
        try await house.pass(.seconds(60))
      }
      #expect(twin.log.count { $0 == .removedAll } == 1)
      #expect(twin.fetches("a") == [0])
      #expect(try house.visits().count == 4)
      // Also after a restart of the hub.
      try house.killAndRestart()
      _ = try house.hearth.visitNow("recorder-0")
      try await house.wait { try house.visits().count == 5 }
      #expect(twin.log.count { $0 == .removedAll } == 1)
    }
  }

  @Test("what is damaged on the wearable is kept as it is, and no call that covers it is made")
  func defective() throws {
    var driver = RecorderDriver()
    driver.removesSingly = true
    try inHouse(driver, files: { $0[0].files = [RecorderFile(name: "bad", mark: 1, bytes: [0xEE, 1, 2]), .of(500)] }) {
      house, twin in
      house.start()
      try await house.wait { twin.files.map(\.name) == ["bad"] }
      try await house.wait { try house.visits().first?.ended != nil }
      let bad = try #require(try house.custody().first { $0.id == "bad" })
      #expect(bad.durableAt != nil && !bad.isFinal && bad.erasedAt == nil && bad.remark.hasPrefix("defective"))
      // Twice the same: it is what the wearable holds.
      #expect(twin.fetches("bad") == [0, 0])
      #expect(try house.hearth.visits(1, of: nil).first?.itemsDone == 2)
    }
  }

  @Test("what cannot be decoded is shown for as long as the wearable has it, and not longer")
  func defectiveStays() throws {
    var driver = RecorderDriver()
    driver.removesSingly = true
    try inHouse(driver, files: { $0[0].files = [RecorderFile(name: "bad", mark: 1, bytes: [0xEE, 1, 2]), .of(500)] }) {
      house, twin in
      house.start()
      let told = HearthError(.itemDefective, "a file of recorder-0 cannot be read; it is kept as it is")
      @LoopActor func ended() throws -> Int { try house.visits().count { $0.ended != nil } }
      for count in 1...3 {
        if count > 1 { _ = try house.hearth.visitNow("recorder-0") }
        try await house.wait { try ended() >= count }
        #expect(try house.hearth.wearable(named: "recorder-0").trouble == told)
        #expect(try house.hearth.visits(1, of: "recorder-0").first?.trouble == told)
        #expect(house.hearth.snapshot().attention.contains { $0.trouble == told })
      }
      #expect(twin.fetches("bad") == [0, 0], "not once more")
      try await house.stopAndRestart()
      #expect(
        try house.hearth.wearable(named: "recorder-0").trouble == told, "also by a hub that has not been there yet")
      twin.files = []
      _ = try house.hearth.visitNow("recorder-0")
      try await house.wait { try ended() >= 4 }
      #expect(try house.hearth.wearable(named: "recorder-0").trouble == nil)
    }
  }

  @Test("a wearable that is forgotten while its item is stored leaves only data that a purge has had")
  func forgottenWhileStored() throws {
    var driver = RecorderDriver()
    driver.valuesPerByte = 100
    let watch = DecodeWatch()
    driver.watch = watch
    try inHouse(driver, files: { $0[0].files = [.of(3000)] }) { house, _ in
      let id = house.store.wearables[0].id
      watch.onDecode = { count in
        guard count == 2 else { return }
        house.loop.spawn {
          // The visit gives way to others after each part.
          while (try? house.store.custody(of: id).first?.receipts.isEmpty) ?? true { await Task.yield() }
          let kept = try? house.store.custody(of: id).first
          #expect(kept != nil && kept?.durableAt == nil, "in the middle of it")
          _ = try? await house.hearth.forget("recorder-0")
          if let plan = try? await house.store.purgePlan(SampleQuery(wearables: [id])) {
            _ = try? await house.store.purge(plan)
          }
          watch.isOver = true
        }
      }
      house.start()
      try await house.wait { watch.isOver }
      try await house.pass(.seconds(60))
      #expect(try await house.values().isEmpty)
      #expect(try house.store.custody(of: id).isEmpty)
    }
  }

  @Test("a byte that was bent on the way is fetched again")
  func bentByte() throws {
    try inHouse(files: { $0[0].files = [.of(500)] }) { house, twin in
      twin.corruptsOnce = true
      house.start()
      try await house.wait { twin.files.isEmpty }
      #expect(twin.fetches("a") == [0, 0])
      #expect(try await house.values().map(\.value) == RecorderFile.of(500).bytes.map { Int64($0) })
    }
  }

  @Test("bytes that were kept of something else at the same place are not mixed with what lies there now")
  func changedFile() throws {
    try inHouse(files: { $0[0].files = [.of(20_000, mark: 1)] }) { house, twin in
      twin.cutsLinkAfter = 10_000
      house.start()
      try await house.wait { twin.cutsLinkAfter == nil }
      twin.files = [.of(15_000, mark: 2)]
      try await house.wait { twin.files.isEmpty }
      #expect(twin.fetches("a") == [0, 0])
      #expect(try await house.values().map(\.value) == RecorderFile.of(15_000, mark: 2).bytes.map { Int64($0) })
    }
  }

  @Test("something new at the place of what was removed is fetched as something new")
  func placeUsedAgain() throws {
    try inHouse(files: { $0[0].files = [.of(500, mark: 1)] }) { house, twin in
      house.start()
      try await house.wait { twin.files.isEmpty }
      try await house.wait { try house.visits().first?.ended != nil }
      twin.files = [.of(600, mark: 2)]
      _ = try house.hearth.visitNow("recorder-0")
      try await house.wait { twin.files.isEmpty }
      #expect(try await house.values().count == 1100)
    }
  }

  @Test(
    "an item that decodes to more than a batch holds comes in parts, and is removed with the receipts of all of them")
  func parts() throws {
    var driver = RecorderDriver()
    driver.valuesPerByte = 100
    try inHouse(driver, files: { $0[0].files = [.of(3000)] }) { house, twin in
      house.start()
      try await house.wait { twin.files.isEmpty }
      let record = try #require(try house.custody().first)
      #expect(record.receipts.count == 3)
      let parts = try house.store.receipts(of: record.wearable, numbers: record.receipts).map(\.part)
      #expect(parts == (1...3).map { HeldItem(id: "a", mark: "m1").part($0, of: 3) } && !parts.contains(nil))
      #expect(try await house.values().count == 300_000)
    }
  }

  @Test("invalid names, doubled names and absurd sizes are passed over; the rest is fetched")
  func hostileListing() throws {
    var driver = RecorderDriver()
    driver.removesSingly = true
    try inHouse(driver, files: { $0[0].files = [.of(500)] }) { house, twin in
      twin.hostileLines = [
        [9, 1, 1, 0, 0, 0] + Array("with space".utf8), [9, 1, 1, 0, 0, 0, 0xFF, 0xFE],
        [9, 1, 255, 255, 255, 127] + Array("huge".utf8),
        [0, 1, 244, 1, 0, 0] + Array("a".utf8),
      ]
      house.start()
      try await house.wait { try house.visits().first?.ended != nil }
      #expect(try house.custody().contains { $0.id == "a" && $0.durableAt != nil })
      #expect(try !house.custody().contains { $0.id == "huge" && $0.durableAt != nil })
    }
  }

  @Test("the end of the hub leaves the wearable in order and keeps what came")
  func stopInFetch() throws {
    try inHouse(files: { $0[0].files = [.of(50_000)] }) { house, twin in
      house.start()
      try await house.wait { twin.payload > 10_000 }
      await house.hearth.stop()
      #expect(twin.log.last == .finished)
      let record = try #require(try house.custody().first)
      #expect(record.fetched >= 9000 && record.durableAt == nil)
      #expect(try house.visits().first?.laneOutcome == VisitOutcome.abandoned.rawValue)
    }
  }

  @Test("a link that is needed stays, is attended to, and is asked for actions")
  func keptLink() throws {
    var driver = RecorderDriver()
    driver.attention = .seconds(60)
    try inHouse(driver, files: { $0[0].files = [.of(500)] }) { house, twin in
      RecorderSession.attended = 0
      house.start()
      try await house.wait { twin.files.isEmpty }
      try await house.pass(.seconds(310))
      #expect((4...6).contains(RecorderSession.attended))
      #expect(twin.log.count { $0 == .linked } == 1)
      #expect(try await house.hearth.actions(of: "recorder-0").actions.map(\.name) == ["blink"])
      #expect(try await house.hearth.perform("blink", on: "recorder-0") == "it blinks")
      await #expect(throws: HearthError.self) { try await house.hearth.perform("fly", on: "recorder-0") }
      // The next visit goes over the same link.
      twin.files = [.of(700, mark: 3)]
      _ = try house.hearth.visitNow("recorder-0")
      try await house.wait { twin.files.isEmpty }
      #expect(twin.log.count { $0 == .linked } == 1)
    }
  }

  @Test("times of the wearable become the hub's by the reading of the visit")
  func correctedTimes() throws {
    try inHouse(files: { $0[0].files = [.of(100)] }) { house, twin in
      house.start()
      let began = house.loop.wall.microseconds
      try await house.wait { twin.files.isEmpty }
      let times = try await house.values().map(\.time)
      // The clock stood at 10,000 s when the hub's stood at the start of the test; the n-th byte was made at n s.
      for (place, time) in times.enumerated() {
        #expect(abs(time - (began - 10_000_000_000 + Int64(place) * 1_000_000)) < 1_000_000)
      }
      let clock = try #require(try house.hearth.clocks().first)
      #expect(abs((clock.offset ?? 0) + began - 10_000_000_000) < 1_000_000)
      #expect(clock.driftPPM == nil && clock.doubt != nil)
    }
  }

  @Test("a hub that is stopped writes down the last reading of a clock, also of a visit without data")
  func lastReading() throws {
    try inHouse(files: { $0[0].files = [.of(100)] }) { house, twin in
      house.start()
      try await house.wait { twin.files.isEmpty }
      try await house.pass(.seconds(1))
      let logged = try house.visits().count
      @LoopActor func readings() -> [ClockReadings] {
        house.hearth.visits.registry.all.first?.visits.clock.readings ?? []
      }
      // Looks without data are not recorded within the hour.
      let before = readings().count
      try await house.wait(.seconds(3000)) { readings().count >= before + 2 }
      try await house.pass(.seconds(5))
      #expect(try house.visits().count == logged)
      let last = try #require(readings().last)
      try await house.stopAndRestart(isQuiet: true)
      #expect(readings().last?.visit == last.visit && readings().last?.last == last.last)
      #expect(try house.visits().count == logged + 1)
    }
  }
}
