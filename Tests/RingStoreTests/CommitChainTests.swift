// Commits that wait for the disk together.

import EventLoop
import Foundation
import Health
import Reasons
import Testing

@testable import RingStore

@Suite("Commits behind each other", .serialized)
struct CommitChainTests {
  private let one = WearableID(number: 1)

  /// Begins so many commits, of ten samples each, on a disk that holds them.
  @LoopActor
  private func begin(_ count: Int, _ store: Store, _ loop: VirtualLoop, done: @escaping @LoopActor (Int, Bool) -> Void)
    async throws
  {
    for commit in 0..<count {
      for index in 0..<10 { store.append(one, .heartRate, Int64(commit * 10 + index), at: loop.now) }
      loop.spawn {
        let isDurable = (try? await store.flush()) != nil
        done(commit, isDurable)
      }
      try await loop.sleep(for: .milliseconds(1))
    }
  }

  @Test("what was written with its root left is durable when the next commit's pages are, not before")
  func sharedWait() throws {
    try onFaultyDisk({ $0.usesJournalFile = false }) { loop, store, disk, journal in
      var told: [Int] = []
      disk.isHolding = true
      try await self.begin(2, store, loop) { commit, isDurable in if isDurable { told.append(commit) } }
      #expect(disk.attempts == 2)
      disk.letOneGo()
      try await loop.sleep(for: .milliseconds(1))
      // The chunk is in the journal, and this is not reported yet.
      #expect(store.status.journalSamples == 10)
      #expect(store.status.pendingSamples == 20)
      #expect(told.isEmpty && journal.reports.isEmpty)
      #expect(try await store.all().isEmpty)
      disk.letOneGo()
      try await loop.sleep(for: .milliseconds(1))
      #expect(told == [0, 1])
      #expect(journal.reports.map(\.samples) == [10, 10])
      #expect(journal.reports.map(\.sharesWait) == [true, false])
      #expect(store.status.pendingSamples == 0)
      #expect(try await store.all().map { $0.value } == Array(0..<20))
      disk.letGo()
    }
  }

  @Test("no more commits than four are at the disk; what comes meanwhile goes into one")
  func limit() throws {
    try onFaultyDisk({ $0.usesJournalFile = false }) { loop, store, disk, journal in
      disk.isHolding = true
      try await self.begin(9, store, loop) { _, _ in }
      #expect(disk.attempts == Store.commitsAtOnce)
      disk.letGo()
      try await loop.sleep(for: .milliseconds(1))
      #expect(journal.reports.map(\.samples) == [10, 10, 10, 10, 50])
      #expect(try await store.all().map { $0.value } == Array(0..<90))
    }
  }

  @Test(
    "if a commit fails, no later one is written before it or called durable, and all arrive once",
    arguments: 0..<4)
  func failure(place: Int) throws {
    try onFaultyDisk({ $0.usesJournalFile = false }) { loop, store, disk, journal in
      var durable: [Int] = []
      var refused: [Int] = []
      disk.isHolding = true
      try await self.begin(4, store, loop) { commit, isDurable in
        if isDurable { durable.append(commit) } else { refused.append(commit) }
      }
      disk.failsOnceAfter = place
      disk.letGo()
      try await loop.sleep(for: .milliseconds(500))
      // The commit before the one that failed had left its root to it.
      #expect(durable == Array(0..<max(0, place - 1)))
      #expect(refused == Array(max(0, place - 1)..<4))
      #expect(journal.troubles.last??.reason == .storeFailing)
      #expect(store.status.pendingSamples == 40 - durable.count * 10)
      #expect(store.status.failedCommits == 1)
      try await loop.sleep(for: .seconds(2))
      #expect(journal.troubles.last.map { $0 == nil } == true)
      #expect(try await store.all().map { $0.value } == Array(0..<40))
      #expect(try await store.all().map { $0.ordinal } == Array(0..<40))
      #expect(store.status.samples == 40 && store.status.pendingSamples == 0)
      #expect(try await store.verify().isClean)
    }
  }

  @Test(
    """
    if it is unknown whether roots arrived, what had left its root to the next commit is written again through a new \
    environment, and is there once
    """
  )
  func unknownRoots() throws {
    try onFaultyDisk({ $0.usesJournalFile = false }) { loop, store, disk, journal in
      disk.isHolding = true
      try await self.begin(3, store, loop) { _, _ in }
      disk.letOneGo()
      try await loop.sleep(for: .milliseconds(1))
      let before = store.disk.environment
      before?.spoilt = DatabaseFailure(call: Environment.proving, code: EIO)
      disk.letGo()
      try await loop.sleep(for: .milliseconds(1))
      #expect(journal.reports.isEmpty && store.status.pendingSamples == 30)
      #expect(journal.troubles.last??.reason == .storeFailing)
      try await loop.sleep(for: .seconds(2))
      #expect(store.disk.environment !== before)
      #expect(store.status.trouble == nil)
      #expect(try await store.all().map { $0.value } == Array(0..<30))
      #expect(store.status.samples == 30)
    }
  }
}
