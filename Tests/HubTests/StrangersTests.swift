import Bluetooth
import EventLoop
import Reasons
import RingStore
import Testing

@testable import Hub

@Suite("Wearables that join by themselves")
struct StrangersTests {
  /// A full registry: as many as may be enrolled, all of them strangers to the air.
  @LoopActor private func fill(_ parts: Parts, joinedByItself: Set<UInt64>) async throws {
    for number in 1000..<1000 + UInt64(PresenceTable.limit) {
      let wearable = try await parts.enrol(number, "w\(number)")
      if joinedByItself.contains(number) {
        wearable.remember(JoinedByItself(at: parts.loop.wall))
        parts.registry.persist(wearable)
      }
    }
    try await parts.loop.sleep(for: .seconds(1))
  }

  private static let named: [UInt8] = [3, 3, 0xF0, 0xFF, 2, 9, 0x52]

  @Test("one that joined by itself without data makes room for a new one, the oldest first")
  func evicts() throws {
    try withParts(RecorderDriver(), { $0.enrolmentMode = .all }) { parts in
      parts.context.phase = .serving
      var told: [Happening] = []
      parts.context.changes.onHappening = { told.append($0) }
      try await fill(parts, joinedByItself: [1003, 1007, 1009])
      // The oldest of them has brought a value.
      parts.registry[Parts.address(1003)]?.live.counters.samples = 1
      _ = parts.radio.add(1, RecorderTwin(parts.loop))
      parts.hear(1, data: Self.named)
      try await parts.loop.sleep(for: .seconds(10))
      #expect(parts.registry[Parts.address(1)] == nil && parts.enrolment.strangers?.trouble?.reason == .registryFull)
      try await parts.loop.sleep(for: Strangers.grace + .seconds(1))
      parts.hear(1, data: Self.named)
      try await parts.loop.sleep(for: .seconds(10))
      #expect(parts.registry[Parts.address(1)] != nil && parts.registry.all.count == PresenceTable.limit)
      #expect(parts.registry[Parts.address(1007)] == nil && parts.registry[Parts.address(1003)] != nil)
      #expect(parts.registry[Parts.address(1009)] != nil && parts.enrolment.strangers?.evictions == 1)
      let evicted = told.compactMap { if case .evicted(_, let trouble) = $0 { trouble.reason } else { nil } }
      #expect(evicted == [.enrolmentEvicted] && parts.enrolment.strangers?.trouble == nil)
    }
  }

  @Test("a registry full of accepted wearables says so once, however many strangers are heard")
  func full() throws {
    try withParts(RecorderDriver(), { $0.enrolmentMode = .all }) { parts in
      parts.context.phase = .serving
      var told = 0
      parts.context.changes.onHappening = { if case .enrolmentFull = $0 { told += 1 } }
      try await fill(parts, joinedByItself: [])
      for second in 0..<60 {
        for number in 1...20 as ClosedRange<UInt64> { parts.hear(number + UInt64(second), data: Self.named) }
        try await parts.loop.sleep(for: .seconds(1))
      }
      #expect(told == 1 && parts.enrolment.strangers?.tries == 0)
      #expect(parts.status.snapshot().attention.contains { $0.trouble.reason == .registryFull })
      try await parts.enrolment.forget("w1000")
      parts.hear(1, data: Self.named)
      try await parts.loop.sleep(for: .seconds(1))
      #expect(parts.enrolment.strangers?.trouble == nil)
    }
  }

  @Test("twenty strangers at empty addresses get no record, and the lane is free in between")
  func fakes() throws {
    try withParts(RecorderDriver(), { $0.enrolmentMode = .all }) { parts in
      parts.context.phase = .serving
      for _ in 0..<120 {
        for number in 1...20 as ClosedRange<UInt64> { parts.hear(number, data: Self.named) }
        try await parts.loop.sleep(for: .milliseconds(500))
      }
      #expect(parts.store.wearables.isEmpty && parts.enrolment.strangers.map { $0.tries >= 20 } == true)
    }
  }
}
