import EventLoop
import Foundation
import Reasons
import Testing

@testable import RingStore

@Suite("The mark of a run, and the spans of events")
struct RunMarkTests {
  @LoopActor private func reopened(_ loop: VirtualLoop, _ scratch: Scratch, _ name: String) throws -> Store {
    // As a new process finds what one left that never closed its store.
    let copy = "\(scratch.path)/\(name)"
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: scratch.data, toPath: "\(copy)/data.mdb")
    return try Store.open(.test(copy), loop: loop, disk: InlineDiskLane())
  }

  @Test("a run that was stopped says when, and one that was killed says that it began and no more")
  func stoppedOrKilled() throws {
    let scratch = Scratch()
    try inStore(at: scratch) { loop, store, _ in
      #expect(store.run == nil)
      let began = loop.wall
      store.keepRun(RunMark(began: began, boot: store.bootID))
      try await store.writeRun()
      try await loop.sleep(for: .seconds(100))
      let killed = try reopened(loop, scratch, "killed")
      #expect(killed.run == RunMark(began: began, boot: boot))
      #expect(killed.run?.ended == nil)
      await killed.close()
      // No hub ran on it: the finding stays.
      let again = try Store.open(.test("\(scratch.path)/killed"), loop: loop, disk: InlineDiskLane())
      #expect(again.run?.ended == nil)
      await again.close()
      await store.close()
      let stopped = try reopened(loop, scratch, "stopped")
      #expect(stopped.run?.began == began && stopped.run?.ended == began + .seconds(100))
      await stopped.close()
    }
  }

  @Test("a mark goes with the next commit of samples, and after a minute on its own")
  func goesAlong() throws {
    let scratch = Scratch()
    try inStore(at: scratch) { loop, store, _ in
      var mark = RunMark(began: loop.wall)
      (mark.untold, mark.untoldFrom) = (7, loop.wall + .seconds(-9))
      store.keepRun(mark)
      store.append(one, .heartRate, 60, at: loop.now)
      try await loop.sleep(for: .seconds(20))
      #expect(store.events.isEmpty)
      let copy = try reopened(loop, scratch, "copy")
      #expect(copy.run == mark)
      await copy.close()
      // The minute of the first is over.
      try await loop.sleep(for: .seconds(50))
      mark.untold = 0
      store.keepRun(mark)
      try await loop.sleep(for: .seconds(59))
      #expect(!store.events.isEmpty)
      try await loop.sleep(for: .seconds(2))
      #expect(store.events.isEmpty)
    }
  }

  @Test("a mark that the disk refused waits again, and does not take the place of a newer one")
  func refused() throws {
    try onFaultyDisk { loop, store, disk, _ in
      disk.failure = DatabaseFailure(call: "mdb_txn_commit", code: 28)
      store.keepRun(RunMark(began: loop.wall))
      #expect(await reason { try await store.writeRun() } == .storeFull)
      #expect(store.events.run != nil)
      let newer = RunMark(began: loop.wall + .seconds(5))
      var queue = EventQueue(nextNumber: 1)
      queue.run = newer
      queue.putBack(EventBatch(run: store.events.run))
      #expect(queue.take().run == newer)
      disk.failure = nil
      try await store.writeRun()
      #expect(store.events.isEmpty)
    }
  }

  @Test(
    "an event has its span in the store, also for a reader without a daemon; a span that a clock turned is left out")
  func spans() throws {
    let scratch = Scratch()
    try inStore(at: scratch) { loop, store, _ in
      let (from, to) = (loop.wall + .seconds(-60), loop.wall)
      store.noteEvent(.linkLost, wearable: one, text: "a", span: EventSpan(from: from))
      store.noteEvent(.linkFound, wearable: one, text: "b", span: EventSpan(from: from, to: to, count: 1))
      store.noteEvent(.linkUnsteady, wearable: one, text: "c", span: EventSpan(from: from, to: to, count: 12))
      store.noteEvent(.linkFound, wearable: one, text: "d", span: EventSpan(from: to, to: from))
      store.noteEvent(.clockStepped, text: "e")
      await store.close()
      let events = try StoreReader(path: scratch.store).recentEvents(10).reversed().map(\.span)
      #expect(
        events == [
          EventSpan(from: from), EventSpan(from: from, to: to), EventSpan(from: from, to: to, count: 12), EventSpan(),
          EventSpan(),
        ])
      #expect(events[1].count == nil && events[3].from == nil)
    }
  }

  @Test("a mark reads back as it was written, keeps fields that it does not know, and is nil if it is damaged")
  func codec() throws {
    var mark = RunMark(began: WallTime(microseconds: 5), boot: boot, untold: 3, untoldFrom: WallTime(microseconds: -1))
    mark.ended = WallTime(microseconds: .max)
    let bytes = mark.encode(unknown: [99, 1, 7])
    #expect(bytes.withUnsafeBytes { RunMark($0) } == mark)
    for place in bytes.indices {
      var damaged = bytes
      damaged[place] ^= 4
      #expect(damaged.withUnsafeBytes { RunMark($0) } == nil, "byte \(place)")
      #expect(bytes[..<place].withUnsafeBytes { RunMark($0) } == nil)
    }
  }
}
