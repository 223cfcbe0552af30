import Bluetooth
import EventLoop
import Reasons
import Testing

@testable import Hub

@Suite("Enrolment keeper")
struct EnrolmentKeeperTests {
  @Test("a window asks for names, lists heard wearables, and closes by itself")
  func window() throws {
    try withParts { parts in
      parts.hear(1)
      #expect(parts.enrolment.snapshot().candidates.isEmpty)
      let opened = try parts.enrolment.open(for: .seconds(10))
      #expect(opened.candidates.map(\.address) == [Parts.address(1)] && opened.secondsLeft == 10)
      #expect(parts.enrolment.isOpen && parts.radio.asksForNames)
      try await parts.loop.sleep(for: .seconds(11))
      #expect(!parts.enrolment.isOpen && !parts.radio.asksForNames)
    }
  }

  @Test("an accepted wearable is in the registry and in the store; one not near, not heard or late is not")
  func accepts() throws {
    try withParts { parts in
      let enrolment = parts.enrolment
      #expect(
        await refusal { () throws(HearthError) in try await enrolment.accept("A", name: nil) } == .enrolWindowClosed)
      _ = try enrolment.open(for: .seconds(60))
      parts.hear(1, rssi: -90)
      #expect(await refusal { () throws(HearthError) in try await enrolment.accept("A", name: nil) } == .enrolTooFar)
      #expect(await refusal { () throws(HearthError) in try await enrolment.accept("B", name: nil) } == .enrolNotHeard)
      parts.hear(2)
      let wearable = try await enrolment.accept("B", name: "mine")
      #expect(parts.registry.contains(wearable) && parts.store.wearables.map(\.name) == ["mine"])
      #expect(
        await refusal { () throws(HearthError) in try await enrolment.accept("mine", name: nil) } == .enrolNameTaken)
    }
  }

  @Test("what no driver knows is heard, and not accepted: that is said")
  func unknown() throws {
    try withParts { parts in
      _ = try parts.enrolment.open(for: .seconds(60))
      parts.hear(3, data: [3, 3, 0x0F, 0x18])
      let address = "\(Parts.address(3))"
      let enrolment = parts.enrolment
      #expect(
        await refusal { () throws(HearthError) in try await enrolment.accept(address, name: nil) }
          == .enrolNotRecognised)
      let other = "\(Parts.address(4))"
      #expect(
        await refusal { () throws(HearthError) in try await enrolment.accept(other, name: nil) } == .enrolNotHeard)
    }
  }

  @Test("in mode all every recognised wearable that was asked for its identity and shows its services joins by itself")
  func all() throws {
    try withParts(RecorderDriver(), { $0.enrolmentMode = .all }) { parts in
      parts.context.phase = .serving
      parts.hear(1)
      #expect(parts.radio.asksForNames && parts.registry.all.isEmpty)
      try await parts.loop.sleep(for: .seconds(11))
      // No device answers at its address: an advertisement is no wearable.
      parts.hear(1)
      try await parts.loop.sleep(for: .seconds(20))
      #expect(parts.registry.all.isEmpty && parts.store.wearables.isEmpty)
      _ = parts.radio.add(1, RecorderTwin(parts.loop))
      try await parts.loop.sleep(for: .seconds(20))
      parts.hear(1)
      try await parts.loop.sleep(for: .seconds(8))
      #expect(!parts.radio.asksForNames && parts.registry.all.map { $0.name } == ["recorder-01"])
    }
  }

  @Test("a removed wearable is gone from the registry and the store, and its requests are answered")
  func forgets() throws {
    try withParts { parts in
      let wearable = try await parts.enrol(1, "a")
      var answer: Reason?
      let request = LinkRequest("blink", work: { _ in }, refusal: { answer = $0.reason })
      parts.orders.requests[wearable].append(request, late: HearthError(.requestNotDone, "late"))
      try await parts.enrolment.forget("a")
      #expect(parts.registry.all.isEmpty && parts.store.wearables.isEmpty && answer == .noSuchWearable)
      let enrolment = parts.enrolment
      #expect(await refusal { () throws(HearthError) in try await enrolment.forget("a") } == .noSuchWearable)
    }
  }
}
