import Bluetooth
import EventLoop
import Reasons
import RingStore
import Testing
import Wearable

@testable import Hub

@Suite("Connection profiles, asked and proven")
struct ProfileTests {
  private static func driver() -> RecorderDriver {
    var driver = RecorderDriver()
    // A link that stays.
    driver.attention = .seconds(120)
    driver.profile = ProfileCharacteristic(
      service: recorderService, characteristic: recorderProfile, codes: [.foreground: 0, .background: 1, .idle: 2],
      deferral: .seconds(5), patience: .seconds(8))
    return driver
  }

  @LoopActor private func profiles(_ twin: RecorderTwin) -> [UInt8] {
    twin.log.compactMap { if case .profile(let code) = $0 { code } else { nil } }
  }

  /// After its visit, without open requests.
  @LoopActor private func settled(_ house: LaneHouse, _ twin: RecorderTwin) async throws {
    house.start()
    try await house.wait { try house.visits().first?.ended != nil }
  }

  @Test(
    "foreground while it is visited, background after it, idle after five quiet minutes", arguments: [true, false])
  func phases(isReadable: Bool) throws {
    let properties: GATTProperties = isReadable ? [.read, .write] : [.write]
    try inHouse(Self.driver(), profile: properties, files: { $0[0].files = [.of(500)] }) { house, twin in
      try await settled(house, twin)
      #expect(profiles(twin).first == 0)
      try await house.pass(.seconds(60))
      #expect(profiles(twin).last == 1)
      var link = try house.hearth.link(of: "recorder-0")
      #expect(link.requestedProfile == .background && link.effectiveProfile == .background)
      #expect(link.reportedProfile == (isReadable ? 1 : nil))
      try await house.pass(.seconds(360))
      link = try house.hearth.link(of: "recorder-0")
      // The wearable took the octet and its link did not follow: background again, and that is remembered.
      #expect(link.requestedProfile == .idle && link.effectiveProfile == .background)
      #expect(link.trouble?.reason == .linkProfileRefused)
      // What it says is read again when the link has settled on another profile, and has an age.
      #expect(link.reportedProfile == (isReadable ? 1 : nil))
      let age = link.reportedAt.map { (house.loop.wall - $0).inSeconds }
      #expect(isReadable ? (0...120).contains(age ?? -1) : age == nil)
      #expect(link.isSecured == false && link.keySize == nil && !link.isBonded)
      #expect(house.store.wearables[0].hubState[IdleRefusal.self] == IdleRefusal("ignored", firmware: "unknown"))
    }
  }

  @Test("a change that a wearable refuses is asked for again at once, at each visit over a link that stays")
  func refused() throws {
    var driver = RecorderDriver()
    driver.attention = .seconds(120)
    try inHouse(driver, prepare: { $0.visitBound = .seconds(600) }, files: { $0[0].files = [.of(500)] }) {
      house, twin in
      try await settled(house, twin)
      for _ in 0..<4 {
        try await house.pass(.seconds(400))
        #expect(try house.hearth.link(of: "recorder-0").effectiveProfile == .idle)
        house.radio.refusedUpdates = 1
        twin.files = [.of(300_000, name: "b")]
        let before = twin.payload
        _ = try house.hearth.visitNow("recorder-0")
        try await house.wait { twin.payload > before }
        try await house.pass(.seconds(1))
        #expect(try house.hearth.link(of: "recorder-0").effectiveProfile == .foreground && !twin.files.isEmpty)
        try await house.wait { twin.files.isEmpty }
      }
    }
  }

  @Test("a wearable that refuses for ever is asked ever more seldom, however often another profile is wanted")
  func refusesForEver() throws {
    var driver = RecorderDriver()
    driver.attention = .seconds(120)
    try inHouse(driver, prepare: { $0.visitBound = .seconds(86_400) }, files: { $0[0].files = [.of(500)] }) {
      house, twin in
      try await settled(house, twin)
      try await house.pass(.seconds(60))
      house.radio.refusedUpdates = .max
      let (before, changes) = (house.radio.refusedUpdates, 120)
      for number in 0..<changes {
        _ = try await house.hearth.setLink("recorder-0", profile: number.isMultiple(of: 2) ? .idle : .foreground)
        try await house.pass(.seconds(90))
      }
      // Each change is asked for once; three hours have 12 repeats at first and one each 450 s.
      let repeats = before - house.radio.refusedUpdates - changes
      #expect((12...36).contains(repeats), "\(repeats)")
      // A link that follows again gets the wanted profile.
      house.radio.refusedUpdates = 1
      _ = try await house.hearth.setLink("recorder-0", profile: .idle)
      try await house.pass(.seconds(600))
      #expect(try house.hearth.link(of: "recorder-0").effectiveProfile == .idle)
      #expect(house.radio.connects == 1)
    }
  }

  @Test("idle that is refused becomes background, with the reason, and is not tried again with the same firmware")
  func idleRefused() throws {
    try inHouse(Self.driver(), profile: [.write], files: { $0[0].files = [.of(500)] }) { house, twin in
      twin.profileAnswers = [2: .unlikelyError]
      try await settled(house, twin)
      try await house.pass(.seconds(420))
      let link = try house.hearth.link(of: "recorder-0")
      #expect(link.requestedProfile == .idle && link.effectiveProfile == .background)
      #expect(link.trouble?.reason == .linkProfileRefused)
      #expect(house.store.wearables[0].hubState[IdleRefusal.self] == IdleRefusal("refused", firmware: "unknown"))
      let tries = profiles(twin).count { $0 == 2 }
      house.hearth.watch("recorder-0", for: .seconds(10))
      // Idle again, and before the next visit.
      try await house.pass(.seconds(400))
      #expect(profiles(twin).count { $0 == 2 } == tries)
      #expect(try house.hearth.link(of: "recorder-0").trouble?.reason == .linkProfileRefused)
    }
  }

  @Test(
    """
    idle that is refused is written once over a link: not again because a queue could have been full, nor for a second \
    request
    """
  )
  func idleOnce() throws {
    try inHouse(Self.driver(), profile: [.write], files: { $0[0].files = [.of(500)] }) { house, twin in
      twin.profileAnswers = [2: .unlikelyError]
      try await settled(house, twin)
      _ = try await house.hearth.setLink("recorder-0", profile: .idle)
      try await house.pass(.seconds(60))
      #expect(profiles(twin).count { $0 == 2 } == 1 && profiles(twin).last == 1)
      _ = try await house.hearth.setLink("recorder-0", profile: .idle)
      _ = try house.hearth.visitNow("recorder-0")
      try await house.pass(.seconds(60))
      #expect(profiles(twin).count { $0 == 2 } == 1)
      let link = try house.hearth.link(of: "recorder-0")
      #expect(
        link.requestedProfile == .idle && link.effectiveProfile == .background
          && link.trouble?.reason == .linkProfileRefused)
    }
  }

  @Test(
    "idle is written when the wearable acts on it and no visit can undo it; until then the visit has the foreground")
  func idleAfterVisit() throws {
    try inHouse(Self.driver(), profile: [.write], files: { $0[0].files = [.of(500)] }) { house, twin in
      _ = try await house.hearth.setLink("recorder-0", profile: .idle)
      try await settled(house, twin)
      #expect(!profiles(twin).contains(2) && profiles(twin).first == 0)
      try await house.pass(.seconds(60))
      #expect(profiles(twin).count { $0 == 2 } == 1)
    }
  }

  @Test(
    "every write to a service that wants a pause between writes waits for it, the hub's profile and the session alike",
    arguments: [500, 2000])
  func pace(_ milliseconds: Int) throws {
    var driver = Self.driver()
    driver.pause = .milliseconds(milliseconds)
    try inHouse(driver, profile: [.write], files: { $0[0].files = [.of(500), .of(700, name: "b")] }) { house, twin in
      try await settled(house, twin)
      _ = try await house.hearth.setLink("recorder-0", profile: .foreground)
      _ = try house.hearth.visitNow("recorder-0")
      try await house.pass(.seconds(60))
      let gaps = zip(twin.writes.dropFirst(), twin.writes).map { $0 - $1 }
      #expect(gaps.count > 8 && gaps.allSatisfy { $0 >= .milliseconds(milliseconds) }, "\(gaps)")
      #expect(twin.fetches("b").count == 1)
    }
  }

  @Test("an operator's choice outlasts policy, links and restarts")
  func override() throws {
    try inHouse(Self.driver(), profile: [.read, .write], files: { $0[0].files = [.of(500)] }) { house, twin in
      try await settled(house, twin)
      _ = try await house.hearth.setLink("recorder-0", profile: .foreground)
      try await house.pass(.seconds(600))
      var link = try house.hearth.link(of: "recorder-0")
      #expect(
        link.override == .foreground && link.requestedProfile == .foreground && link.effectiveProfile == .foreground)
      try house.killAndRestart()
      #expect(try house.hearth.link(of: "recorder-0").override == .foreground)
      _ = try await house.hearth.setLink("recorder-0", profile: nil)
      link = try house.hearth.link(of: "recorder-0")
      #expect(link.override == nil)
    }
  }

  @Test("an operator's idle is what an absent wearable will be asked for, after a restart too, and is written then")
  func absent() throws {
    try inHouse(Self.driver(), profile: [.read, .write], files: { $0[0].files = [.of(500)] }) { house, twin in
      _ = try await house.hearth.setLink("recorder-0", profile: .idle)
      for _ in 0..<2 {
        let link = try house.hearth.link(of: "recorder-0")
        #expect(!link.isLinked && link.requestedProfile == .idle && link.why == "requested by an operator")
        try house.killAndRestart()
      }
      house.start()
      try await house.wait { try house.visits().first?.ended != nil }
      try await house.pass(.seconds(60))
      #expect(profiles(twin).count { $0 == 2 } == 1)
      _ = try await house.hearth.setLink("recorder-0", profile: nil)
    }
  }

  @Test("a session that is visited while the link gets its profile is notified when the visit is over")
  func toldAfterwards() throws {
    // Without a characteristic the profile is not delayed until after the visit.
    var driver = RecorderDriver()
    driver.attention = .seconds(120)
    let told = ToldProfiles()
    driver.told = told
    try inHouse(driver, files: { $0[0].files = [.of(500)] }) { house, twin in
      _ = try await house.hearth.setLink("recorder-0", profile: .foreground)
      try await settled(house, twin)
      try await house.pass(.seconds(10))
      #expect(told.all == [.foreground])
    }
  }

  @Test(
    """
    an operator's choice while the session still follows another profile reaches it afterwards: the last of it, \
    without repetition
    """,
    arguments: [
      ([.background], [.background]), ([.background, .foreground], []), ([.background, .background, .idle], [.idle]),
    ] as [([LinkProfile], [LinkProfile])],
    [false, true])
  func toldAfterFollowing(_ choices: (made: [LinkProfile], told: [LinkProfile]), refuses: Bool) throws {
    var driver = RecorderDriver()
    driver.attention = .seconds(120)
    let told = ToldProfiles()
    driver.told = told
    try inHouse(driver, files: { $0[0].files = [.of(500)] }) { house, twin in
      told.followingTakes = .seconds(10)
      told.refuses = refuses
      _ = try await house.hearth.setLink("recorder-0", profile: .foreground)
      try await settled(house, twin)
      try await house.wait { told.all == [.foreground] }
      for choice in choices.made {
        try await house.pass(.seconds(1))
        _ = try await house.hearth.setLink("recorder-0", profile: choice)
      }
      try await house.pass(.seconds(2))
      #expect(told.all == [.foreground])
      // Attended to meanwhile, after which it could be told something, too.
      try await house.pass(.seconds(300))
      #expect(told.all == [.foreground] + choices.told)
    }
  }

  @Test(
    "a session that an action has while the link gets its profile is notified when both are over, whichever ends first",
    arguments: [2, 8])
  func toldAfterAction(_ blinkingTakes: Int) throws {
    var driver = RecorderDriver()
    driver.attention = .seconds(120)
    let told = ToldProfiles()
    driver.told = told
    try inHouse(driver, files: { $0[0].files = [.of(500)] }) { house, twin in
      try await settled(house, twin)
      try await house.pass(.seconds(20))
      told.blinkingTakes = .seconds(blinkingTakes)
      house.radio.updatesTake = .seconds(4)
      let before = told.all
      house.loop.spawn { _ = try? await house.hearth.perform("blink", on: "recorder-0") }
      try await house.pass(.seconds(1))
      _ = try await house.hearth.setLink("recorder-0", profile: .idle)
      try await house.pass(.milliseconds(500))
      #expect(told.all == before)
      try await house.pass(.seconds(20))
      #expect(told.all == before + [.idle])
    }
  }

  @Test("idle by the hub alone: the characteristic is left alone, the link gets legal numbers, also after a restart")
  func byCentral() throws {
    try inHouse(Self.driver(), profile: [.write], files: { $0[0].files = [.of(500)] }) { house, twin in
      twin.profileAnswers = [2: .unlikelyError]
      try await settled(house, twin)
      try await house.pass(.seconds(60))
      _ = try await house.hearth.setLink("recorder-0", profile: .idle)
      try await house.pass(.seconds(60))
      #expect(try house.hearth.link(of: "recorder-0").trouble?.reason == .linkProfileRefused)
      let written = profiles(twin).count
      _ = try await house.hearth.setLink("recorder-0", profile: .idle, byCentral: true)
      try await house.pass(.seconds(60))
      let link = try house.hearth.link(of: "recorder-0")
      #expect(link.override == .idle && link.isByCentral && link.effectiveProfile == .idle && link.trouble == nil)
      #expect(link.effective?.interval == 360 && link.effective?.latency == 10 && link.effective?.timeout == 1000)
      #expect(profiles(twin).count == written && link.characteristic == nil)
      try house.killAndRestart()
      #expect(try house.hearth.link(of: "recorder-0").isByCentral)
      _ = try await house.hearth.setLink("recorder-0", profile: .idle)
      #expect(try !house.hearth.link(of: "recorder-0").isByCentral)
    }
  }

  @Test("a wearable that asks for other parameters gets them again: at most once a minute, three times for one link")
  func reimposed() throws {
    try inHouse(Self.driver(), profile: [.write], files: { $0[0].files = [.of(500)] }) { house, twin in
      try await settled(house, twin)
      _ = try await house.hearth.setLink("recorder-0", profile: .background)
      try await house.pass(.seconds(60))
      let before = profiles(twin).count
      let foreign = ConnectionParameters(minimumInterval: 24, maximumInterval: 33, latency: 0, timeout: 42)
      house.radio.set(house.radio.twins[0].address, foreign, .askedByWearable)
      try await house.pass(.seconds(30))
      #expect(profiles(twin).count > before)
      #expect(try house.hearth.link(of: "recorder-0").effectiveProfile == .background)
      for _ in 0..<10 {
        house.radio.set(house.radio.twins[0].address, foreign, .askedByWearable)
        try await house.pass(.seconds(90))
      }
      #expect(try house.hearth.link(of: "recorder-0").effectiveProfile == nil)
      #expect(profiles(twin).count - before <= 6)
    }
  }

  @Test(
    """
    a change that its driver announced is not fought: the profile comes when it is over, however often that happens \
    on one link
    """
  )
  func disturbed() throws {
    var driver = Self.driver()
    driver.disturbs = .seconds(6)
    try inHouse(driver, profile: [.write], prepare: { $0.visitBound = .seconds(120) }) { house, twin in
      let address = house.radio.twins[0].address
      let transfer = ConnectionParameters(minimumInterval: 8, maximumInterval: 9, latency: 0, timeout: 42)
      let plain = ConnectionParameters(minimumInterval: 24, maximumInterval: 40, latency: 0, timeout: 42)
      house.start()
      for number in 1...ProfileImposer.repeatLimit + 2 {
        var settled = false
        twin.onFetch = {
          house.radio.set(address, transfer, .askedByWearable)
          house.loop.schedule(after: .seconds(5)) {
            house.radio.set(address, plain, .askedByWearable)
            settled = true
          }
        }
        twin.files = [.of(500, name: "file-\(number)")]
        try await house.wait { house.radio.effective[address]?.interval == 9 }
        let before = (profiles: profiles(twin).count, updates: house.radio.updates.count)
        try await house.wait { settled }
        #expect(
          profiles(twin).count == before.profiles && house.radio.updates.count == before.updates,
          "told while it would not have lasted")
        try await house.pass(.seconds(2))
        #expect(profiles(twin).last == 1)
        try await house.pass(.seconds(20))
        #expect(try house.hearth.link(of: "recorder-0").effectiveProfile == .background)
      }
      #expect(house.radio.connects == 1)
    }
  }
}
