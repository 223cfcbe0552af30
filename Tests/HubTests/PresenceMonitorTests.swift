import Bluetooth
import EventLoop
import HubModel
import Reasons
import Testing

@testable import Hub

@Suite("Presence monitor")
struct PresenceMonitorTests {
  @Test("an enrolled wearable that is heard is present, may have the lane, and is absent after its silence")
  func present() throws {
    try withParts { parts in
      let wearable = try await parts.enrol(1, "a")
      #expect(!parts.presence.isPresent(wearable))
      parts.hear(1)
      #expect(parts.presence.isPresent(wearable) && parts.raised == ["lane"])
      #expect(wearable.lane.returned, "it is seen again after an absence")
      try await parts.loop.sleep(for: .seconds(3600))
      #expect(!parts.presence.isPresent(wearable))
    }
  }

  @Test("an unknown wearable is reported as a stranger and listed as a candidate, until it is enrolled")
  func strangers() throws {
    try withParts { parts in
      var strangers: [BluetoothAddress] = []
      parts.context.changes.onStranger = { strangers.append($0) }
      parts.hear(7)
      #expect(strangers == [Parts.address(7)] && parts.raised.isEmpty)
      #expect(parts.presence.candidates().map(\.address) == [Parts.address(7)])
      _ = try await parts.enrol(7, "a")
      parts.hear(7)
      #expect(parts.presence.candidates().isEmpty && strangers.count == 1)
      #expect(parts.presence.counters.first { $0.name == "advertisements" }?.value == 2)
    }
  }

  @Test("hearing one that could be connected anyway changes nothing for the lane")
  func quiet() throws {
    try withParts { parts in
      let wearable = try await parts.enrol(1, "a")
      parts.hear(1)
      parts.forgetRaised()
      wearable.lane.quietUntil = parts.loop.now + .seconds(5)
      parts.hear(1)
      #expect(parts.raised.isEmpty)
      wearable.lane.quietUntil = nil
      wearable.lane.dueSince = parts.loop.now
      parts.hear(1, isConnectable: false)
      #expect(parts.raised.isEmpty)
      parts.hear(1)
      #expect(parts.raised == ["lane"])
    }
  }

  @Test("an operator's choice to listen is refused if no values are advertised, and durable if it is made")
  func listening() throws {
    try withParts { parts in
      let wearable = try await parts.enrol(1, "a")
      let presence = parts.presence
      let refused = await refusal { () throws(HearthError) in try await presence.setListening("a", true) }
      #expect(refused == .requestUnsupported && wearable.choices.listening == nil)
      _ = try await presence.setListening("a", false)
      #expect(!presence.listens(to: wearable))
      #expect(parts.store.wearables[0].hubState[ListeningChoice.self]?.isOn == false)
    }
  }
}
