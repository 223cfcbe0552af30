import EventLoop
import Lights
import Reasons
import Testing

@testable import Hub

@Suite("Hub status")
struct HubStatusTests {
  @Test("locating ends by itself")
  func locates() throws {
    try withParts { parts in
      parts.status.locate(true)
      #expect(parts.status.lightState().locate)
      try await parts.loop.sleep(for: LightDriver.locateTime + .milliseconds(1))
      #expect(!parts.status.lightState().locate)
    }
  }

  @Test("STORE is slow until the last of its tasks ends")
  func tasks() throws {
    try withParts { parts in
      parts.status.storeTaskBegan()
      parts.status.storeTaskBegan()
      parts.status.storeTaskEnded()
      #expect(parts.status.lightState().storeBusy)
      parts.status.storeTaskEnded()
      parts.status.storeTaskEnded()
      #expect(!parts.status.lightState().storeBusy)
    }
  }

  @Test("troubles of the hub's own parts are shown until they are over; of an absent wearable those that need a person")
  func troubles() throws {
    try withParts { parts in
      let wearable = try await parts.enrol(1, "a")
      let trouble = HearthError(.configReloadRefused, "line 3")
      parts.status.noteConfiguration(trouble)
      parts.status.storeChanged(HearthError(.storeRefusing, "full"))
      wearable.trouble = HearthError(.linkLost, "a fell silent")
      #expect(parts.status.snapshot().attention.map(\.trouble.reason) == [.configReloadRefused, .storeRefusing])
      #expect(parts.status.lightState().configInvalid == .configReloadRefused)
      parts.status.noteConfiguration(nil)
      parts.status.storeChanged(nil)
      #expect(parts.status.snapshot().attention.isEmpty)
      parts.hear(1)
      #expect(parts.status.snapshot().attention.map(\.wearable) == ["a"])
      try await parts.loop.sleep(for: .seconds(3600))
      #expect(parts.status.snapshot().attention.isEmpty)
      wearable.trouble = HearthError(.authenticationFailed, "a failed")
      #expect(parts.status.snapshot().attention.map(\.trouble.reason) == [.authenticationFailed])
    }
  }

  @Test("an update that went back is shown, on HUB too, until it is acknowledged")
  func update() throws {
    try withParts { parts in
      parts.status.noteUpdate(HearthError(.updateReturned, "0.2.0 went back to 0.1.0"))
      #expect(parts.status.snapshot().attention.map(\.trouble.reason) == [.updateReturned])
      #expect(parts.status.lightState().update == .updateReturned)
      parts.status.noteUpdate(nil)
      #expect(parts.status.snapshot().attention.isEmpty && parts.status.lightState().update == nil)
    }
  }

  @Test("H5001: a clock that cannot be right is shown until a time source has set it")
  func clock() throws {
    try withParts { parts in
      @LoopActor func told() -> Bool {
        parts.status.snapshot().attention.contains { $0.trouble.reason == .clockUntrusted }
      }
      #expect(!told() && parts.status.lightState().clockTrusted)
      parts.loop.wallIsTrusted = false
      #expect(!told(), "it may well be right")
      let step: Duration = .seconds(1_700_000_000)
      parts.loop.stepWall(by: .zero - step)
      #expect(told() && !parts.status.lightState().clockTrusted)
      parts.loop.stepWall(by: step)
      parts.loop.wallIsTrusted = true
      #expect(!told() && parts.status.lightState().clockTrusted)
    }
  }

  @Test("a wearable is absent, then due, then in the hands of the lane")
  func states() throws {
    try withParts { parts in
      let wearable = try await parts.enrol(1, "a")
      #expect(parts.status.wearables.state(of: wearable) == .absent)
      parts.hear(1)
      #expect(parts.status.wearables.state(of: wearable) == .due)
      wearable.lane.isHolder = true
      #expect(parts.status.wearables.state(of: wearable) == .connecting)
      parts.hear(2)
      #expect(parts.status.wearables.all().map(\.state) == [.connecting, .candidate])
    }
  }
}
