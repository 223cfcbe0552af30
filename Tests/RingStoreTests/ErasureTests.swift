import EventLoop
import Export
import Foundation
import Health
import Reasons
import Testing

@testable import RingStore

@Suite("Erasing a person", .serialized) struct ErasureTests {
  private func at(_ seconds: Int) -> WallTime { VirtualLoop.morning + .seconds(seconds) }

  private struct Setting {
    let one: WearableID
    let two: WearableID
    let ada: WearerID
    let bo: WearerID
  }

  /// Ada wears the first wearable from second 100 to 200 and from 300 to 400, Bo in between and after; Bo the second.
  @LoopActor private func fill(_ store: Store, _ loop: VirtualLoop, packs: Bool = true) async throws -> Setting {
    let one = try await store.enrol(name: "a", addressValue: 1, addressKind: 2, driver: "d", kind: "k").id
    let two = try await store.enrol(name: "b", addressValue: 2, addressKind: 2, driver: "d", kind: "k").id
    let (ada, bo) = (try await store.addWearer(name: "Ada").id, try await store.addWearer(name: "Bo").id)
    for (second, wearer) in [(100, ada), (200, bo), (300, ada), (400, bo)] {
      try await store.assign(one, to: wearer, from: at(second))
    }
    try await store.assign(two, to: bo, from: at(0))
    for second in 0..<500 {
      store.append(one, .heartRate, Int64(60 + second % 50), at: loop.now)
      store.append(two, .heartRate, Int64(70 + second % 20), at: loop.now)
      try await loop.sleep(for: .seconds(1))
      if packs, second == 250 {
        try await store.flush()
        try await store.pack()
      }
    }
    try await store.flush()
    return Setting(one: one, two: two, ada: ada, bo: bo)
  }

  @LoopActor private func check(_ store: Store, _ setting: Setting, _ before: [StoredSample]) async throws {
    func isAdas(_ sample: StoredSample) -> Bool {
      sample.wearable == setting.one && (at(100)..<at(200) ~= sample.time || at(300)..<at(400) ~= sample.time)
    }
    let left = try await store.all().sorted { ($0.wearable, $0.ordinal) < ($1.wearable, $1.ordinal) }
    let expected = before.filter { !isAdas($0) }.sorted { ($0.wearable, $0.ordinal) < ($1.wearable, $1.ordinal) }
    #expect(before.count - expected.count == 200 && left.count == expected.count)
    #expect(zip(left, expected).allSatisfy { $0.time == $1.time && $0.value == $1.value && $0.ordinal == $1.ordinal })
    #expect(store.wearers.map(\.name) == ["Bo"])
    #expect(
      store.wearer(of: setting.one, at: at(150)) == nil && store.wearer(of: setting.one, at: at(250)) == setting.bo)
    #expect(try await store.verify().findings == [])
    let events = try store.recentEvents(10).filter { $0.reason == Reason.wearerErased.rawValue }
    #expect(events.count == 1 && events[0].text.contains("200 items") && !events[0].text.contains("Ada"))
  }

  @Test("what was measured of a person goes from rings and journal, all else keeps value, time and ordinal")
  func erase() throws {
    try inStore { loop, store, scratch in
      let setting = try await self.fill(store, loop)
      let before = try await store.all()
      let plan = try await store.erasurePlan(of: setting.ada)
      #expect(plan.samples == 200 && plan.unexported == 200 && plan.spans.count == 2 && plan.readers.isEmpty)
      #expect(plan.parts.map(\.from) == [self.at(100)] && plan.parts.map(\.samples) == [200])
      #expect(try await store.erase(plan) == 200)
      try await self.check(store, setting, before)
      // Numbers go on behind what is there, also after a start with an empty journal.
      let next = store.live.line.nextSequence
      await store.close()
      let again = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      #expect(again.live.line.nextSequence == next)
      again.append(setting.one, .heartRate, 99, at: loop.now)
      try await again.flush()
      let last = try await again.newest(1, of: setting.one, .heartRate)
      #expect(last.first?.value == 99 && last.first?.ordinal == 500)
      #expect(try await again.verify().findings == [])
      await again.close()
      #expect(try StoreReader(path: scratch.store).wearers.map(\.name) == ["Bo"])
    }
  }

  @Test("an item that names a person goes with that person, also if another person wore the wearable")
  func named() throws {
    try inStore { loop, store, _ in
      let setting = try await self.fill(store, loop)
      let time = loop.wall
      for wearable in [setting.one, setting.two] {
        try [Int64](repeating: 1, count: 1).withUnsafeBufferPointer { values in
          try [UInt8](repeating: 7, count: 9).withUnsafeBytes { bytes in
            try store.append(wearable, .measurement, values: values, bytes: bytes, flags: .live, at: loop.now)
          }
        }
      }
      try await store.flush()
      let moment = WornSpan(wearable: setting.one, from: time, to: time + .microseconds(1))
      let plan = try await store.erasurePlan(of: setting.ada, naming: [moment])
      #expect(plan.samples == 201 && plan.spans.count == 2 && plan.named == [moment])
      #expect(plan.parts.contains { $0.ring.seriesNumber == Series.measurement.id })
      #expect(try await store.erase(plan) == 201)
      #expect(try await store.newest(9, of: setting.one, .measurement).isEmpty)
      #expect(try await store.newest(9, of: setting.two, .measurement).count == 1, "Bo's stays")
      #expect(try await store.verify().findings == [])
    }
  }

  @Test("an erasure that a power cut ends after its first commit is finished by the next start")
  func cut() throws {
    let scratch = Scratch()
    try VirtualLoop.run { loop in
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      let setting = try await self.fill(store, loop)
      let before = try await store.all()
      try await store.beginErasure(try await store.erasurePlan(of: setting.ada))
      #expect(store.wearers.map(\.name) == ["Bo"] && store.wearer(of: setting.one, at: self.at(150)) == nil)
      #expect(try await store.all().count == before.count, "nothing is deleted yet")
      await store.close()
      let again = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      try await loop.sleep(for: .seconds(5))
      try await self.check(again, setting, before)
      await again.close()
      let third = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      #expect(third.registry.erasures.isEmpty, "it is done once")
      await third.close()
    }
  }

  @Test("a present wearer is not erased; a reader that has had some of it is named with how much")
  func refusals() throws {
    try inStore { loop, store, _ in
      let setting = try await self.fill(store, loop)
      let error = await #expect(throws: HearthError.self) { try await store.erasurePlan(of: setting.bo) }
      #expect(error?.reason == .wearerStillWears && error?.detail.contains("Bo") == false)
      let session = try await store.export(SampleQuery(), reader: "ward", by: "pi")
      var given = 0
      while let page = try await session.next(limit: 100) { given += page.samples.count }
      try await session.confirm()
      let plan = try await store.erasurePlan(of: setting.ada)
      #expect(given == 1000 && plan.readers.map(\.reader.name) == ["ward"] && plan.readers.map(\.samples) == [200])
      #expect(plan.unexported == 0)
      await store.close()
    }
  }

  @Test("what is fetched later of an erased time has no wearer")
  func later() throws {
    try inStore { loop, store, _ in
      let setting = try await self.fill(store, loop)
      _ = try await store.erase(try await store.erasurePlan(of: setting.ada))
      #expect(store.wearer(of: setting.one, at: self.at(399)) == nil)
      #expect(store.sampleExport(.ndjson).wearers(of: setting.one, from: self.at(100), to: self.at(199)).isEmpty)
      await #expect(throws: HearthError.self) { try await store.erasurePlan(of: setting.ada) }
      await store.close()
    }
  }
}
