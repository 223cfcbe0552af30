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
      service: recorderService, characteristic: recorderProfile, codes: [.foreground: 0, .background: 1, .idle: 2], deferral: .seconds(5), patience: .seconds(8))
    return driver
  }

  @LoopActor private func profiles(_ twin: RecorderTwin) -> [UInt8] { twin.log.compactMap { if case .profile(let code) = $0 { code } else { nil } } }

  /// After its visit, with nothing asked any more.
  @LoopActor private func settled(_ house: LaneHouse, _ twin: RecorderTwin) async throws {
    house.start()
    try await house.wait { try house.visits().first?.ended != nil }
  }

  @Test("foreground while it is visited, background after it, idle after five minutes of nothing", arguments: [true, false])
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
      // It took the octet and its link did not follow: background again, and that is remembered.
      #expect(link.requestedProfile == .idle && link.effectiveProfile == .background)
      #expect(link.trouble?.reason == .linkProfileRefused)
      #expect(house.store.wearables[0].notes[ProfileKeeper.refusalKey] == "ignored fw unknown")
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
      #expect(house.store.wearables[0].notes[ProfileKeeper.refusalKey] == "refused fw unknown")
      let tries = profiles(twin).count { $0 == 2 }
      house.hearth.watch("recorder-0", for: .seconds(10))
      // Idle again, and before the next visit.
      try await house.pass(.seconds(400))
      #expect(profiles(twin).count { $0 == 2 } == tries)
      #expect(try house.hearth.link(of: "recorder-0").trouble?.reason == .linkProfileRefused)
    }
  }

  @Test("an operator's choice outlasts policy, links and restarts")
  func override() throws {
    try inHouse(Self.driver(), profile: [.read, .write], files: { $0[0].files = [.of(500)] }) { house, twin in
      try await settled(house, twin)
      _ = try await house.hearth.setLink("recorder-0", profile: .foreground)
      try await house.pass(.seconds(600))
      var link = try house.hearth.link(of: "recorder-0")
      #expect(link.override == .foreground && link.requestedProfile == .foreground && link.effectiveProfile == .foreground)
      try house.killAndRestart()
      #expect(try house.hearth.link(of: "recorder-0").override == .foreground)
      _ = try await house.hearth.setLink("recorder-0", profile: nil)
      link = try house.hearth.link(of: "recorder-0")
      #expect(link.override == nil)
    }
  }

  @Test("a wearable that asks for something else is told again: at most once a minute, three times for one link")
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
}
