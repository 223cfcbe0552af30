import EventLoop
import Health
import RingStore
import Testing
import Vitals

@testable import Hub

@Suite("A hub that measures by itself")
struct SessionScheduleTests {
  @Test("measures each hour what is worn, says why it left one out, and goes on after it was killed")
  func hours() throws {
    try withStraps { house, straps in
      let schedule = try #require(MeasurementSchedule(text: "every=1h seconds=30"))
      let ordered = try await house.hearth.orderSchedule("recorder-0", schedule)
      let first = try #require(ordered.next)
      #expect(first.microseconds % 3_600_000_000 == 0 && ordered.skipped == nil)
      // The schedule begins just behind an hour: two minutes are for the second one.
      try await house.pass(.seconds(2 * 3600 + 120))
      let records = try await house.records()
      #expect(records.count == 2 && records.allSatisfy { $0.actual == 30_000_000 && $0.endReason == .duration })
      #expect(records.allSatisfy { $0.start % 3_600_000_000 < 2_000_000 })
      #expect(try await house.measuredByHand() == [false, false])
      // Off the body.
      straps[0].contact = 1
      try await house.pass(.seconds(3600))
      #expect(try house.hearth.schedule(of: "recorder-0").skipped?.why == "it was not on the body")
      // Measured already.
      straps[0].contact = 2
      let due = try #require(try house.hearth.schedule(of: "recorder-0").next)
      try await house.pass(due - house.loop.wall - .seconds(20))
      let ear = SessionEar()
      ear.begin(house)
      try await house.wait(.seconds(120)) { ear.isOver }
      #expect(try house.hearth.schedule(of: "recorder-0").skipped?.why == "it, or its wearer, was being measured")
      #expect(try await house.measuredByHand() == [false, false, true])
      try house.killAndRestart()
      #expect(try house.hearth.schedule(of: "recorder-0").schedule == schedule)
      try await house.pass(.seconds(3600))
      #expect(try await house.measuredByHand() == [false, false, true, false])
      // No longer.
      _ = try await house.hearth.orderSchedule("recorder-0", nil)
      try await house.pass(.seconds(2 * 3600))
      #expect(try await house.records().count == 4)
    }
  }
}

extension LaneHouse {
  /// Of each record in the store, whether a person ordered it.
  fileprivate func measuredByHand() async throws -> [Bool] {
    var all: [Bool] = []
    let session = try await store.export(SampleQuery())
    while let page = try await session.next(limit: 1000) {
      all += page.samples.filter { $0.series == .measurement }.map(\.flags.isManual)
    }
    return all
  }
}
