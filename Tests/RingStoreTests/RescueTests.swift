import EventLoop
import Foundation
import Health
import Reasons
import Testing

@testable import RingStore

/// Damage to pages and records of a store that a hub then starts with.
@Suite(.serialized) struct RescueTests {
  @Test("H4019: whichever page of a store is damaged, it is served, and the damaged file is set aside")
  func everyPage() throws {
    let first = try PageCheckTests.Filled(count: 3000)
    let known = Set(first.samples.map(\.value))
    var rescued = 0
    var seeded = Seeded(7)
    for page in 0..<(first.bytes.count / 4096) {
      let filled = try first.copied()
      var bytes = filled.bytes
      let filler: UInt8? = [0, 0xFF, nil][page % 3]
      for place in (page * 4096)..<(page * 4096 + 4096) {
        bytes[place] = filler ?? UInt8.random(in: 0...255, using: &seeded)
      }
      try filled.write(bytes)
      let life = try filled.life()
      #expect(life.reason == nil, "page \(page)")
      #expect(life.samples.allSatisfy { sample in known.contains(sample.value) }, "page \(page)")
      let told: Set<UInt16> = [
        Reason.storeRescued.rawValue, Reason.storeChunkCorrupt.rawValue, Reason.storeMiscounted.rawValue,
      ]
      if life.samples != filled.samples { #expect(life.events.contains { told.contains($0) }, "page \(page)") }
      if life.events.contains(Reason.storeRescued.rawValue) {
        #expect(try filled.setAside().map { try [UInt8](Data(contentsOf: $0)) } == [bytes], "page \(page)")
        rescued += 1
      }
    }
    #expect(rescued >= 5)
  }

  @Test("a file that ends anywhere is served, with the wearables that the copy of the records has")
  func cut() throws {
    let first = Scratch()
    try inStore(at: first) { loop, store, _ in
      let band = try await store.enrol(name: "band", addressValue: 7, addressKind: 1, driver: "d", kind: "k").id
      let ada = try await store.addWearer(name: "Ada").id
      try await store.assign(band, to: ada, from: loop.wall)
      store.append(band, .heartRate, 60, at: loop.now)
    }
    let whole = try Data(contentsOf: URL(fileURLWithPath: first.data))
    nonisolated(unsafe) var rescued = 0
    for end in stride(from: 0, to: whole.count, by: 4096) {
      let scratch = Scratch()
      try FileManager.default.copyItem(atPath: first.store, toPath: scratch.store)
      try whole.prefix(end).write(to: URL(fileURLWithPath: scratch.data))
      try inStore(at: scratch) { loop, store, _ in
        #expect(store.wearables.map(\.name) == ["band"], "\(end)")
        #expect(store.wearers.map(\.name) == ["Ada"], "\(end)")
        #expect(store.wearer(of: one, at: loop.wall) == store.wearers.first?.id, "\(end)")
        if store.status.rescued != nil { rescued += 1 }
      }
    }
    // Without free pages no row is missing.
    #expect(rescued > whole.count / 4096 / 2)
  }

  @Test("a record with a failed checksum is restored from the copy, and that is said")
  func record() throws {
    let scratch = Scratch()
    try inStore(at: scratch) { _, store, _ in
      _ = try await store.enrol(name: "band", addressValue: 7, addressKind: 1, driver: "d", kind: "k")
      _ = try await store.addWearer(name: "Ada")
    }
    try scratch.flip(\.registry, at: 0, offset: 9)
    try scratch.flip(\.wearers, at: 0, offset: 5)
    try inStore(at: scratch) { _, store, _ in
      #expect(store.wearables.map(\.name) == ["band"] && store.wearables.map(\.addressValue) == [7])
      #expect(store.wearers.map(\.name) == ["Ada"])
      #expect(store.status.corruptRecords == 0 && store.status.rescued != nil)
      let events = try store.recentEvents(5).map(\.reason)
      #expect(events.contains(Reason.storeRescued.rawValue))
    }
  }

  @Test("a record that goes bad while the hub runs is in the copy as it was, and comes back at the next start")
  func badWhileOpen() throws {
    let scratch = Scratch()
    try inStore(at: scratch) { _, store, _ in
      _ = try await store.enrol(name: "band", addressValue: 7, addressKind: 1, driver: "d", kind: "k")
      await store.records.keep()
      let environment = try #require(store.disk.environment)
      try environment.write { transaction throws(DatabaseFailure) in
        try transaction.put(transaction.tables.registry, [0, 0, 0, 1], [1, 2, 3])
      }
      await store.records.keep()
    }
    try inStore(at: scratch) { _, store, _ in
      #expect(store.wearables.map(\.name) == ["band"] && store.status.rescued != nil)
    }
  }

  @Test("a format mark that lost a bit is written again once, and the next start has no work left")
  func mark() throws {
    let scratch = Scratch()
    try inStore(at: scratch) { _, store, _ in
      _ = try await store.enrol(name: "band", addressValue: 7, addressKind: 1, driver: "d", kind: "k")
    }
    try scratch.tamper { transaction throws(DatabaseFailure) in
      var mark = try transaction.get(transaction.tables.meta, FormatMark.key).map { Array($0) } ?? []
      mark[0] ^= 4
      try transaction.put(transaction.tables.meta, FormatMark.key, mark)
    }
    for isFirst in [true, false] {
      try inStore(at: scratch) { _, store, _ in
        #expect(store.wearables.map(\.name) == ["band"] && (store.status.rescued != nil) == isFirst)
      }
    }
  }

  @Test("a bond and a wearable that were removed are in no copy a few seconds later")
  func removed() throws {
    try inStore { loop, store, scratch in
      let band = try await store.enrol(name: "band", addressValue: 7, addressKind: 1, driver: "d", kind: "k")
      await store.records.keep()
      let before = RecordsCopy.load(scratch.store)
      try await store.remove(band.id)
      try await loop.sleep(for: .seconds(5))
      let after = RecordsCopy.load(scratch.store)
      #expect(before != nil && before?.contains { $0.table == BackupTable.registry.rawValue } == true)
      #expect(after?.map(\.value) != before?.map(\.value))
    }
  }

  @Test("an erased person is in no copy of the records any more")
  func erased() throws {
    let scratch = Scratch()
    try inStore(at: scratch) { _, store, _ in
      let ada = try await store.addWearer(name: "Adalovelace").id
      await store.records.keep()
      #expect(RecordsCopy.load(scratch.store)?.contains { Self.names("Adalovelace", $0) } == true)
      let plan = try await store.erasurePlan(of: ada)
      _ = try await store.erase(plan)
      #expect(RecordsCopy.load(scratch.store)?.contains { Self.names("Adalovelace", $0) } == false)
    }
  }

  private static func names(_ name: String, _ row: BackupRow) -> Bool {
    String(decoding: row.value, as: UTF8.self).contains(name)
  }

  @Test("two chunks that changed places have no owner: their samples are missing, and that is said")
  func swapped() throws {
    let first = Scratch()
    try inStore(at: first) { loop, store, _ in
      for index in 0..<3000 {
        store.append(one, .heartRate, 60 + noise(index) % 20, at: loop.now)
        store.append(two, .heartRate, 160 + noise(index + 7000) % 20, at: loop.now)
      }
      try await store.flush()
      try await store.pack(whole: true)
    }
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: first.data)))
    let longs = (2..<(bytes.count / 4096)).filter { page in
      bytes[page * 4096 + 10] == 4 && bytes[page * 4096 + 16] == RingChunkHeader.layout
    }
    #expect(longs.count >= 2)
    for (index, page) in longs.enumerated() {
      for other in longs.dropFirst(index + 1) {
        let scratch = Scratch()
        try FileManager.default.copyItem(atPath: first.store, toPath: scratch.store)
        var swapped = bytes
        swapped.replaceSubrange(
          (page * 4096)..<(page * 4096 + 4096), with: bytes[(other * 4096)..<(other * 4096 + 4096)])
        swapped.replaceSubrange(
          (other * 4096)..<(other * 4096 + 4096), with: bytes[(page * 4096)..<(page * 4096 + 4096)])
        try Data(swapped).write(to: URL(fileURLWithPath: scratch.data))
        let reader = try StoreReader(path: scratch.store)
        let pages = try reader.export(SampleQuery())
        var missing = 0
        while let found = try pages.next(limit: 1000) {
          missing += found.corruptChunks
          #expect(found.samples.allSatisfy { $0.wearable == one ? $0.value < 100 : $0.value > 100 })
        }
        #expect(missing > 0)
        #expect(try !reader.verify().isClean)
      }
    }
  }
}
