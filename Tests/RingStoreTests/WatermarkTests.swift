import EventLoop
import Health
import Reasons
import Testing

@testable import RingStore

/// How far a wearable is stored: what moves it, and what does not.
@Suite("Watermarks", .serialized) struct WatermarkTests {
  private func at(_ seconds: Int) -> WallTime { VirtualLoop.morning + .seconds(seconds) }

  /// Heart rates of these seconds, reaching to the last of them.
  private func batch(_ place: String, _ seconds: Range<Int>, visit: UInt64 = 1, refused: Int = 0) throws -> FetchedBatch
  {
    var batch = try FetchedBatch(
      wearable: one, place: place, visit: VisitRecord(number: visit, wearable: one, began: at(0)))
    for second in seconds { try batch.append(.heartRate, Int64(60 + second % 50), at: at(second)) }
    var reach = FetchedReach()
    if let last = seconds.last { reach.add(end: at(last)) }
    reach.refused = refused
    batch.reach = [Series.heartRate.id: reach]
    return batch
  }

  @LoopActor private func end(_ store: Store) throws -> WallTime? {
    try store.watermarks(of: one).first { $0.series == Series.heartRate.id }?.end
  }

  @Test("a watermark is in the commit of the newest item, stays through a restart, and never goes back")
  func moves() throws {
    try VirtualLoop.run(wall: at(1000)) { loop in
      let scratch = Scratch()
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      #expect(try store.watermarks(of: one).isEmpty)
      _ = try await store.commit(try batch("a", 0..<100, visit: 4))
      #expect(
        try store.watermarks(of: one) == [
          Watermark(wearable: one, series: Series.heartRate.id, end: at(99), visit: 4, movedAt: loop.wall)
        ])
      _ = try await store.commit(try batch("older", 0..<50, visit: 5))
      #expect(try end(store) == at(99))
      // An empty batch: no commit is made, and a batch without an end moves no watermark.
      var empty = try batch("empty", 0..<0)
      empty.reach = [:]
      _ = try await store.commit(empty)
      #expect(try end(store) == at(99))
      await store.close()
      let reader = try StoreReader(path: scratch.store)
      #expect(try reader.watermarks(of: one).first?.end == at(99) && reader.verify().findings == [])
    }
  }

  @Test("up to when a series was read to its end stays beside the end of what is stored")
  func readToEnd() throws {
    try VirtualLoop.run(wall: at(1000)) { loop in
      let scratch = Scratch()
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      _ = try await store.commit(try batch("a", 0..<100, visit: 4))
      let ids = [Series.heartRate.id, Series.spo2.id]
      try await store.noteRead(one, [ids[0]: at(500), ids[1]: at(2000)], visit: 5)
      var marks = try store.watermarks(of: one)
      #expect(marks.map(\.end) == [at(99), nil] && marks.map(\.readTo) == [at(500), at(1000)])
      _ = try await store.commit(try batch("b", 100..<800, visit: 6))
      marks = try store.watermarks(of: one)
      #expect(marks[0].end == at(799) && marks[0].readTo == at(500))
      await store.close()
      let reader = try StoreReader(path: scratch.store)
      #expect(try reader.watermarks(of: one) == marks && reader.verify().findings == [])
    }
  }

  @Test("a commit that the disk refused moves no watermark; the same batch once more does, and again has no effect")
  func withTheCommit() throws {
    try VirtualLoop.run(wall: at(1000)) { loop in
      let scratch = Scratch()
      let disk = FaultyDisk()
      let store = try Store.open(.test(scratch.store), loop: loop, disk: disk)
      _ = try await store.commit(try batch("a", 0..<10))
      disk.failure = DatabaseFailure(call: "mdb_txn_commit", code: 28)
      await #expect(throws: HearthError.self) { _ = try await store.commit(try self.batch("b", 10..<20)) }
      disk.failure = nil
      #expect(try end(store) == at(9))
      let receipt = try await store.commit(try batch("b", 10..<20, refused: 3))
      #expect(try end(store) == at(19))
      #expect(try await store.commit(try batch("b", 10..<20, refused: 3)) == receipt)
      #expect(try store.watermarks(of: one).first?.refused == 3, "counted with the commit, once")
      await store.close()
    }
  }

  @Test("no watermark is later than the hub's clock, and one that a wrong clock made gives way to a right one")
  func future() throws {
    try VirtualLoop.run(wall: at(50)) { loop in
      let scratch = Scratch()
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      _ = try await store.commit(try batch("a", 0..<100))
      #expect(try end(store) == at(50))
      var mark = Watermark(wearable: one, series: 1, end: at(90_000), visit: 1, movedAt: at(90_000))
      var reach = FetchedReach()
      reach.add(end: at(40))
      mark.move(reach, visit: 2, now: at(60))
      #expect(mark.end == at(40) && mark.visit == 2)
      mark.move(reach, visit: 3, now: at(60))
      reach.end = at(45)
      mark.move(reach, visit: 3, now: at(60))
      #expect(mark.end == at(45))
      await store.close()
    }
  }

  @Test("a value of a time to come counts once, however often it is fetched, over restarts and until it has come")
  func refusedOnce() throws {
    try VirtualLoop.run(wall: at(1000)) { loop in
      let scratch = Scratch()
      var store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      @LoopActor func fetch(_ place: String, _ hours: [Int], series: Series = .heartRate) async throws -> UInt64? {
        var batch = try batch(place, 0..<1)
        var reach = FetchedReach()
        for hour in hours { reach.refuse([70], at: at(hour * 3600).microseconds, .fetched) }
        batch.reach = [series.id: reach]
        _ = try await store.commit(batch)
        return try store.watermarks(of: one).first { $0.series == series.id }?.refused
      }
      #expect(try await fetch("a", [2, 3]) == 2)
      #expect(try await fetch("b", [2, 3, 4]) == 3)
      await store.close()
      store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      #expect(try await fetch("c", [2, 3, 4]) == 3)
      #expect(try await fetch("d", [2], series: .spo2) == 1)
      // Another item of the series has its own.
      #expect(try await fetch("e", [5]) == 4)
      #expect(try await fetch("f", [2, 3, 4, 5]) == 4)
      // What is beyond the bound is counted each time.
      let many = Array(6..<(AheadValues.limit + 8))
      #expect(try await fetch("g", many) == UInt64(4 + many.count))
      // A day behind its time a value is forgotten.
      loop.stepWall(by: .seconds(40 * 86_400))
      #expect(try await fetch("h", [2000]) == UInt64(5 + many.count))
      #expect(try store.watermarks(of: one).first { $0.series == Series.heartRate.id }?.ahead.count == 1)
      await store.close()
      #expect(try StoreReader(path: scratch.store).verify().findings == [])
    }
  }

  @Test("forgetting a wearable clears its watermarks, and no others")
  func forgotten() throws {
    try VirtualLoop.run(wall: at(1000)) { loop in
      let scratch = Scratch()
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      let strap = try await store.enrol(name: "strap", addressValue: 1, addressKind: 1, driver: "d", kind: "k").id
      let other = try await store.enrol(name: "other", addressValue: 2, addressKind: 1, driver: "d", kind: "k").id
      #expect(strap == one)
      _ = try await store.commit(try batch("a", 0..<10))
      var theirs = try FetchedBatch(
        wearable: other, place: "b", visit: VisitRecord(number: 2, wearable: other, began: at(0)))
      try theirs.append(.spo2, 97, at: at(5))
      theirs.reach = [Series.spo2.id: FetchedReach(end: at(5))]
      _ = try await store.commit(theirs)
      try await store.remove(strap)
      #expect(try store.watermarks(of: strap).isEmpty)
      #expect(try store.watermarks(of: other).map(\.end) == [at(5)])
      await store.close()
    }
  }

  @Test("what comes again with an overlap is left out, what only looks alike stays, and its receipt is of the rest")
  func repetitions() throws {
    try VirtualLoop.run(wall: at(1000)) { loop in
      let scratch = Scratch()
      let store = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      _ = try await store.commit(try batch("a", 0..<100))
      var again = try batch("b", 60..<130)
      again.leavesOutRepetitions = true
      // Measured by hand, in a second of which there is an automatic value.
      try again.append(.heartRate, 60 + 70 % 50, at: at(70), flags: SampleFlags(origin: .fetched, isManual: true))
      // The same value twice in one second, of which one is stored.
      try again.append(.heartRate, 60 + 80 % 50, at: at(80))
      let receipt = try await store.commit(again)
      #expect(receipt.items == 32)
      let samples = try await store.all()
      #expect(
        samples.count == 132 && samples.count { $0.time == at(70) } == 2 && samples.count { $0.time == at(80) } == 2)
      #expect(try end(store) == at(129))
      var nothing = try batch("c", 100..<130)
      nothing.leavesOutRepetitions = true
      #expect(try await store.commit(nothing).items == 0)
      #expect(try await store.all().count == 132)
      await store.close()
      #expect(try StoreReader(path: scratch.store).verify().findings == [])
    }
  }
}
