import EventLoop
import Health
import Simulation
import Testing

@testable import BandTwin

@Suite("What a virtual Moyoung band keeps")
struct TwinHistoryTests {
  @Test("are the rates of today and yesterday, in quarters of a day")
  func rates() throws {
    try VirtualLoop.run { loop in
      let bench = try await TwinBench(loop)
      try await loop.sleep(for: .seconds(3 * 86_400))
      try await bench.connect()
      let reading = try await TwinReading.all(bench)
      let clock = bench.band.recorder.clock
      let today = clock.seconds(at: loop.now) / 86_400
      #expect(reading.rates.count > 400)
      #expect(Set(reading.rates.keys.map { $0 / 86_400 }) == [today - 1, today])
      for (shown, rate) in reading.rates {
        #expect(bench.band.groundTruth.contains { $0.shown == shown && $0.value == rate && $0.series == .heartRate })
      }
      let faults = bench.band.ledger.faults
      #expect(faults == [])
    }
  }

  @Test("are the night that ended today, and two before: the second argument is yesterday's")
  func nights() throws {
    try VirtualLoop.run { loop in
      let bench = try await TwinBench(loop)
      try await loop.sleep(for: .seconds(3 * 86_400))
      try await bench.connect()
      let today = bench.band.memory.today
      let life = bench.band.recorder.life
      for (command, payload, daysAgo): (MoyoungCommand, [UInt8], Int64) in [
        (.askSleep, [], 0), (.askPastDay, [4], 1), (.askPastDay, [3], 2),
      ] {
        let answer = try #require(try await bench.payload(command, payload))
        let night = life.night(endingOn: today - daysAgo)
        let entries = Array(answer.dropFirst(payload.count))
        #expect(entries.count == (night.stages.count + 1) * 3)
        let minute = (night.start - night.start.floored(by: 86_400) * 86_400) / 60
        #expect(Array(entries[1...2]) == [UInt8(minute / 60), UInt8(minute % 60)])
        let end = (night.end - (today - daysAgo) * 86_400) / 60
        #expect(Array(entries.suffix(3)) == [0, UInt8(end / 60), UInt8(end % 60)])
      }
    }
  }

  @Test("are in the evening those of the coming night, the last and the one before")
  func evening() throws {
    try VirtualLoop.run { loop in
      // 10:00 UTC shows as 11:00; ten hours later it is evening.
      let bench = try await TwinBench(loop)
      try await loop.sleep(for: .seconds(2 * 86_400 + 10 * 3600))
      try await bench.connect()
      #expect(try await bench.payload(.askSleep) == [])
      let life = bench.band.recorder.life
      let answer = try #require(try await bench.payload(.askPastDay, [4]))
      #expect(answer.count == 1 + (life.night(endingOn: bench.band.memory.today).stages.count + 1) * 3)
    }
  }

  @Test("are the steps of today, yesterday and the day before, as read, notified and asked for")
  func steps() throws {
    try VirtualLoop.run { loop in
      let bench = try await TwinBench(loop)
      try await loop.sleep(for: .seconds(3 * 86_400))
      try await bench.connect()
      let today = bench.band.memory.today
      var truth = bench.band.groundTruth
      func walked(_ day: Int64) -> Int64 {
        truth.filter { $0.series == .steps && $0.shown / 86_400 == day }.reduce(0) { $0 + $1.value }
      }
      let read = await bench.read(MoyoungUUID.totals)
      #expect(read.count == 9 && TwinReading.number(read[0..<3]) == walked(today))
      for (argument, day) in [(UInt8(2), today - 1), (1, today - 2)] {
        let answer = try #require(try await bench.payload(.askPastDay, [argument]))
        #expect(answer.count == 10 && answer[0] == argument)
        #expect(TwinReading.number(answer[1..<4]) == walked(day) && walked(day) > 0)
      }
      try await loop.sleep(for: .seconds(4 * 3600))
      #expect(bench.totals.count > 3)
      truth = bench.band.groundTruth
      #expect(bench.totals.last.map { TwinReading.number($0[0..<3]) } == walked(today))
    }
  }

  @Test("are the last three trainings, and the rates of the last one until they were sent")
  func trainings() throws {
    try VirtualLoop.run { loop in
      var habits = BandHabits()
      habits.trainsOn = 1
      let bench = try await TwinBench(loop, habits: habits)
      try await loop.sleep(for: .seconds(5 * 86_400))
      try await bench.connect()
      try await loop.sleep(for: .seconds(3))
      let truth = bench.band.groundTruth.filter { $0.series == .training }
      #expect(truth.count == 5 && truth.filter { $0.goneAt == nil }.count == 3)
      let answer = try #require(try await bench.payload(.askTrainings))
      #expect(answer.count == 72)
      let starts = (0..<3).map { TwinReading.number(answer[$0 * 24..<$0 * 24 + 4]) + 28_800 }
      #expect(starts.sorted() == truth.suffix(3).map(\.shown))
      #expect([answer[10], answer[34], answer[58]] == [0, 1, 2])

      // The band offered the rates by itself when a host had subscribed.
      let offered = try #require(TwinBench.frames(bench.pieces).first { $0[4] == 52 })
      let last = try #require(truth.last)
      #expect(offered[5] == 0 && TwinReading.number(offered[6..<10]) + 28_800 == last.shown)
      var rates = Array(offered[10...])
      for _ in 0..<10 {
        let part = try #require(try await bench.payload(.trainingRates))
        if part == [2] { break }
        #expect(part[0] == 1)
        rates += part.dropFirst()
      }
      #expect(rates.count == Int(last.length.components.seconds / 60))
      for (minute, rate) in rates.enumerated() where rate > 0 {
        let shown = last.shown + Int64(minute) * 60
        #expect(bench.band.groundTruth.contains { $0.shown == shown && $0.value == Int64(rate) })
      }
      try await bench.hangUp()
      try await bench.connect()
      try await loop.sleep(for: .seconds(3))
      #expect(!TwinBench.frames(bench.pieces).contains { $0[4] == 52 })
    }
  }

  @Test("is gone after a reset, and its clock with it; what it measures then is deleted when the time is set")
  func reset() throws {
    try VirtualLoop.run { loop in
      let bench = try await TwinBench(loop)
      try await loop.sleep(for: .seconds(2 * 86_400))
      bench.band.resetByWearer()
      #expect(bench.band.groundTruth.allSatisfy { $0.end == .reset || $0.end == .overwritten })
      try await loop.sleep(for: .seconds(7200))
      try await bench.connect()
      let before = try await TwinReading.all(bench)
      #expect(before.rates.count > 10 && before.rates.keys.allSatisfy { $0 < 946_800_000 })
      try await bench.setTime()
      let after = try await TwinReading.all(bench)
      #expect(after.rates.isEmpty)
      #expect(abs(bench.band.recorder.clock.seconds(at: loop.now) - loop.wall.microseconds / 1_000_000 - 3600) <= 1)
    }
  }
}
