import Bluetooth
import EventLoop
import Reasons
import Testing

@testable import Hub

@Suite("Profiles without a link")
struct LinkProfilesTests {
  @Test("a choice is durable without a link, and taken back")
  func choice() throws {
    try withParts { parts in
      _ = try await parts.enrol(1, "a")
      let profiles = parts.profiles
      #expect(try profiles.link(of: "a").why == "no link")
      let chosen = try await profiles.setLink("a", profile: .idle, byCentral: true)
      #expect(chosen.override == .idle && chosen.isByCentral && !chosen.isLinked)
      #expect(chosen.requestedProfile == .idle && chosen.why == "requested by an operator, of the hub alone")
      #expect(parts.store.wearables[0].hubState[ProfileChoice.self] == ProfileChoice(profile: .idle, isByCentral: true))
      _ = try await profiles.setLink("a", profile: nil, byCentral: false)
      #expect(parts.store.wearables[0].hubState[ProfileChoice.self] == nil)
    }
  }

  @Test("a viewer of a wearable waits for it, an hour at most; watching on is not news")
  func watches() throws {
    try withParts { parts in
      let wearable = try await parts.enrol(1, "a")
      let profiles = parts.profiles
      profiles.watch("a", for: .seconds(86_400))
      profiles.watch("a", for: .seconds(86_400))
      #expect(parts.raised == ["awaited"] && parts.lane.isAwaited(wearable))
      try await parts.loop.sleep(for: .seconds(3601))
      #expect(!parts.lane.isAwaited(wearable))
    }
  }
}
