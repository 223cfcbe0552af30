// Writes of wearables' records: gathered into few, and each of them made.

import EventLoop
import RingStore
import Testing

@testable import Hub

struct RecordWriterTests {
  /// The battery that the store has of each wearable.
  @LoopActor
  private static func stored(_ parts: Parts) -> [Int?] {
    parts.registry.all.map { wearable in parts.store.wearables.first { $0.id == wearable.id }?.battery }
  }

  @LoopActor
  private static func three(_ parts: Parts) async throws -> [EnrolledWearable] {
    var all: [EnrolledWearable] = []
    for number in 1...3 as ClosedRange<UInt64> { all.append(try await parts.enrol(number, "strap-\(number)")) }
    return all
  }

  @LoopActor
  private static func charge(_ wearable: EnrolledWearable, _ percent: Int, _ parts: Parts) {
    wearable.noteBattery(percent, parts.context)
  }

  @Test func `changes that may wait are written together at the end of the shortest wait`() throws {
    try withParts { parts in
      let all = try await Self.three(parts)
      let before = parts.store.status.wear.odometer
      for (wearable, delay) in zip(all, [60, 20, 60]) {
        Self.charge(wearable, 40, parts)
        parts.registry.persist(wearable, within: .seconds(delay))
      }
      try await parts.loop.sleep(for: .milliseconds(19_900))
      #expect(Self.stored(parts) == [nil, nil, nil])
      try await parts.loop.sleep(for: .milliseconds(200))
      #expect(Self.stored(parts) == [40, 40, 40])
      let together = parts.store.status.wear.odometer - before

      for wearable in all {
        Self.charge(wearable, 50, parts)
        parts.registry.persist(wearable)
        await parts.registry.settle()
      }
      let apart = parts.store.status.wear.odometer - before - together
      #expect(apart > 2 * together, "\(apart) bytes apart, \(together) together")
    }
  }

  @Test func `a change that must not wait takes along those that wait`() throws {
    try withParts { parts in
      let all = try await Self.three(parts)
      for wearable in all { Self.charge(wearable, 40, parts) }
      parts.registry.persist(all[0], within: .seconds(60))
      parts.registry.persist(all[1])
      try await parts.loop.sleep(for: .milliseconds(1))
      #expect(Self.stored(parts) == [40, 40, nil])
    }
  }

  @Test func `the end of a hub waits only for urgent writes`() throws {
    try withParts { parts in
      let all = try await Self.three(parts)
      Self.charge(all[2], 40, parts)
      parts.registry.persist(all[2], within: .seconds(60))
      await parts.registry.settle()
      #expect(Self.stored(parts) == [nil, nil, 40])
    }
  }

  @Test func `a record that the store refuses stops no other one`() throws {
    try withParts { parts in
      let all = try await Self.three(parts)
      for wearable in all {
        Self.charge(wearable, 40, parts)
        parts.registry.persist(wearable, within: .seconds(60))
      }
      try await parts.store.remove(all[1].id)
      await parts.registry.settle()
      #expect(Self.stored(parts) == [40, nil, 40])
      #expect(parts.lines.all.filter { $0.contains("enrolled") }.count == 1)
    }
  }

  @Test func `a wearable that is removed while its change waits is not written`() throws {
    try withParts { parts in
      let all = try await Self.three(parts)
      for wearable in all {
        Self.charge(wearable, 40, parts)
        parts.registry.persist(wearable, within: .seconds(60))
      }
      parts.registry.remove(all[0])
      await parts.registry.settle()
      #expect(parts.store.wearables.map(\.battery) == [nil, 40, 40])
    }
  }
}
