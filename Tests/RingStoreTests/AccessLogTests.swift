import EventLoop
import Foundation
import Health
import Testing

@testable import RingStore

@Suite("Records of data that was given out", .serialized) struct AccessLogTests {
  private func note(_ user: UInt32, _ wearable: WearableID?, _ method: String = "Export") -> AccessNote {
    var note = AccessNote(user: user, userName: "pi", method: method, wearable: wearable)
    note.samples = 10
    note.series = [Series.heartRate.id]
    note.span = VirtualLoop.morning...(VirtualLoop.morning + .seconds(60))
    return note
  }

  @Test("a day of one user, wearable and method is one record, which names the wearers of the wearable in that time")
  func folding() throws {
    try inStore { loop, store, scratch in
      let wearable = try await store.enrol(name: "a", addressValue: 1, addressKind: 2, driver: "d", kind: "k").id
      let ada = try await store.addWearer(name: "Ada")
      try await store.assign(wearable, to: ada.id, from: VirtualLoop.morning + .seconds(30))
      for _ in 0..<5 {
        store.noteAccess(self.note(1000, wearable))
        try await loop.sleep(for: .seconds(60))
      }
      store.noteAccess(self.note(1001, wearable))
      store.noteAccess(self.note(1000, wearable, "Live"))
      let found = try store.accesses(100)
      #expect(found.count == 3)
      let first = try #require(found.first { $0.note.user == 1000 && $0.note.method == "Export" })
      #expect(first.note.calls == 5 && first.note.samples == 50 && first.note.wearers == [ada.id])
      #expect(first.last - first.first == .seconds(240) && first.concerns(ada.id))
      try await loop.sleep(for: .seconds(86_400))
      store.noteAccess(self.note(1000, wearable))
      #expect(try store.accesses(100).count == 4, "another day")
      await store.close()
      // What waited went with the closing.
      let reader = try StoreReader(path: scratch.store)
      #expect(try reader.accesses(100).map(\.number).sorted() == [1, 2, 3, 4])
      #expect(try reader.accesses(100).first { $0.number == 1 } == first)
      #expect(try reader.verify().findings == [])
    }
  }

  @Test("a new record is durable within a minute; what is added to it costs one write an hour")
  func writes() throws {
    try inStore { loop, store, scratch in
      store.noteAccess(self.note(1000, nil))
      try await loop.sleep(for: .seconds(61))
      let written = { () throws -> [AccessRecord] in
        try store.disk.reading { transaction throws(DatabaseFailure) in
          try transaction.latest(AccessRecord.self, limit: 10).records
        }
      }
      #expect(try written().map(\.note.calls) == [1])
      let before = store.keeper.extent.wear.odometer
      for _ in 0..<1000 { store.noteAccess(self.note(1000, nil)) }
      try await loop.sleep(for: .seconds(600))
      #expect(try written().map(\.note.calls) == [1] && store.keeper.extent.wear.odometer == before)
      try await loop.sleep(for: .seconds(3000))
      #expect(try written().map(\.note.calls) == [1001])
      await store.close()
    }
  }

  @Test("the table has its bound, the oldest records give way, and a store made before the table gets it")
  func bounds() throws {
    try inStore { loop, store, scratch in
      let limit = store.disk.limits.accesses
      #expect(limit > 100)
      for user in 0..<UInt32(limit + 50) {
        store.noteAccess(self.note(user, nil))
        if user % 500 == 499 { try await store.accessLog.write() }
      }
      try await store.accessLog.write()
      let count = try store.disk.reading { transaction throws(DatabaseFailure) in
        transaction.entries(transaction.tables.accesses)
      }
      #expect(count == limit)
      await store.close()
    }
    // The fixture of format 4 is older than the table.
    let scratch = Scratch()
    try FileManager.default.createDirectory(atPath: scratch.store, withIntermediateDirectories: true)
    let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "Fixtures/format-4/data.mdb")
    try FileManager.default.copyItem(at: fixture, to: URL(fileURLWithPath: scratch.data))
    #expect(try StoreReader(path: scratch.store).accesses(10).isEmpty)
    try VirtualLoop.run { loop in
      let store = try Store.open(FixtureMaker.options(scratch.store), loop: loop, disk: InlineDiskLane())
      store.noteAccess(self.note(1000, one))
      await store.close()
    }
    let reader = try StoreReader(path: scratch.store)
    #expect(try reader.accesses(10).map(\.note.user) == [1000])
    #expect(try reader.verify().findings == [])
  }
}
