import EventLoop
import Foundation
import Reasons
import Testing

@testable import RingStore

@Suite("Putting assignments right", .serialized) struct CorrectionTests {
  private func at(_ seconds: Int) -> WallTime { VirtualLoop.morning + .seconds(seconds) }

  private struct Setting {
    let band: WearableID
    let ada: WearerID
    let ben: WearerID
  }

  /// Ada wears it from second 10 on, Ben from 60; it measures from 0 until 100.
  @LoopActor private func fill(_ store: Store, _ loop: VirtualLoop) async throws -> Setting {
    let band = try await store.enrol(name: "a", addressValue: 1, addressKind: 2, driver: "d", kind: "k").id
    let (ada, ben) = (try await store.addWearer(name: "Ada").id, try await store.addWearer(name: "Ben").id)
    try await store.assign(band, to: ada, from: at(10))
    try await store.assign(band, to: ben, from: at(60))
    for _ in 0..<100 {
      store.append(band, .heartRate, 70, at: loop.now)
      try await loop.sleep(for: .seconds(1))
    }
    try await store.flush()
    return Setting(band: band, ada: ada, ben: ben)
  }

  @LoopActor private func told(_ store: Store, confirms: Bool) async throws -> ReaderCorrections {
    let session = try await store.export(SampleQuery(), reader: "ward")
    while try await session.next() != nil {}
    if confirms { try await session.confirm() }
    return session.corrections
  }

  @LoopActor private func code(
    _ store: Store, _ wearable: WearableID, _ from: WallTime, _ edit: AssignmentEdit
  ) async -> Reason? {
    do throws(HearthError) { try await store.edit(wearable, from: from, edit) } catch { return error.reason }
    return nil
  }

  @Test("a reader gets them once it confirms, again while it does not, and only for what was put right after its rows")
  func reader() throws {
    try inStore { loop, store, scratch in
      let setting = try await self.fill(store, loop)
      // Before its first row: the rows themselves say it.
      try await store.edit(setting.band, from: self.at(60), .correct(from: self.at(70), .same))
      #expect(try await self.told(store, confirms: true).corrections.isEmpty)
      let edit = AssignmentEdit.correct(from: self.at(50), .same)
      let plan = try await store.correctionPlan(setting.band, from: self.at(70), edit)
      #expect(plan.parts.map(\.samples) == [20] && plan.readers == ["ward"])
      #expect(store.wearer(of: setting.band, at: self.at(55)) == setting.ada, "a plan changes nothing")
      try await store.edit(setting.band, from: self.at(70), edit)
      #expect(store.wearer(of: setting.band, at: self.at(55)) == setting.ben)
      for _ in 0..<2 {
        let found = try await self.told(store, confirms: false).corrections
        #expect(found.map(\.from) == [self.at(50)] && found.map(\.to) == [self.at(70)])
        #expect(found.first?.old == setting.ada && found.first?.new == setting.ben)
      }
      await store.close()
      let again = try Store.open(.test(scratch.store), loop: loop, disk: InlineDiskLane())
      #expect(again.assignments(of: setting.band).map(\.from) == [self.at(10), self.at(50)])
      #expect(try await self.told(again, confirms: true).corrections.count == 1)
      #expect(try await self.told(again, confirms: true).corrections.isEmpty)
      try await again.edit(setting.band, from: self.at(10), .delete)
      let last = try await self.told(again, confirms: true).corrections
      #expect(last.count == 1 && last.first?.old == setting.ada && last.first?.new == nil)
      #expect(last.first?.from == self.at(10) && last.first?.to == self.at(50))
      #expect(try await again.verify().findings == [])
      await again.close()
    }
  }

  @Test("another wearer, no wearer, a second begin, and what is refused; a change without effect is no correction")
  func edits() throws {
    try inStore { loop, store, _ in
      let setting = try await self.fill(store, loop)
      _ = try await self.told(store, confirms: true)
      try await store.edit(setting.band, from: self.at(10), .correct(from: nil, .changed(setting.ada)))
      try await store.assign(setting.band, to: setting.ada, from: loop.wall + .seconds(60))
      #expect(try await self.told(store, confirms: true).corrections.isEmpty)
      // Within the second that people see.
      try await store.edit(setting.band, from: self.at(60) + .milliseconds(-400), .correct(from: nil, .changed(nil)))
      #expect(store.wearer(of: setting.band, at: self.at(61)) == nil)
      let found = try await self.told(store, confirms: true).corrections
      #expect(found.count == 1 && found.first?.old == setting.ben && found.first?.new == nil)
      #expect(found.first?.from == self.at(60))
      #expect(await self.code(store, setting.band, self.at(30), .delete) == .noSuchAssignment)
      #expect(
        await self.code(store, setting.band, self.at(10), .correct(from: self.at(60), .same)) == .assignmentTaken)
      // A listing shows both alike.
      let soon = AssignmentEdit.correct(from: self.at(60) + .milliseconds(400), .same)
      #expect(await self.code(store, setting.band, self.at(10), soon) == .assignmentTaken)
      try await store.edit(setting.band, from: self.at(10), .correct(from: self.at(10) + .milliseconds(400), .same))
      try await store.edit(setting.band, from: self.at(10), .correct(from: self.at(10), .same))
      let stranger = AssignmentEdit.correct(from: nil, .changed(WearerID(number: 99)))
      #expect(await self.code(store, setting.band, self.at(10), stranger) == .noSuchWearer)
    }
  }

  @Test("an erased person's spans are shown without a person")
  func erased() throws {
    try inStore { loop, store, _ in
      let setting = try await self.fill(store, loop)
      _ = try await self.told(store, confirms: true)
      _ = try await store.erase(try await store.erasurePlan(of: setting.ada))
      let found = try await self.told(store, confirms: true).corrections
      #expect(found.count == 1 && found.first?.old == setting.ada && found.first?.new == nil)
      #expect(found.first?.from == self.at(10) && found.first?.to == self.at(60))
    }
  }

  @Test("the oldest corrections give way, and a reader that comes too late learns how many it missed")
  func bound() throws {
    try inStore { loop, store, _ in
      let setting = try await self.fill(store, loop)
      _ = try await self.told(store, confirms: true)
      for number in 0..<(Corrections.limit + 10) {
        let wearer = number % 2 == 0 ? nil : setting.ada
        try await store.edit(setting.band, from: self.at(10), .correct(from: nil, .changed(wearer)))
      }
      let found = try await self.told(store, confirms: true)
      #expect(found.corrections.count == Corrections.limit && found.missed == 10)
      #expect(try await self.told(store, confirms: true).missed == 0)
    }
  }
}
