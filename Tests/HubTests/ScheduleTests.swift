import CivilTime
import EventLoop
import Health
import Reasons
import StateCodec
import Testing

@testable import Hub

private let seeds: [UInt64] = {
  let seeds = (0..<20).map { _ in UInt64.random(in: .min ... .max) }
  print("schedules: seeds \(seeds)")
  return seeds
}()

@Suite("When the hub measures by itself")
struct ScheduleTests {
  private static let berlin = TimeZoneRules.named("Europe/Berlin") ?? .utc

  private func moments(_ text: String, from start: String, _ count: Int, _ zone: TimeZoneRules) throws -> [String] {
    let schedule = try #require(MeasurementSchedule(text: text))
    var time = try #require(WallTime(rfc3339: start))
    return try (0..<count).map { _ in
      time = try #require(schedule.next(after: time, in: zone))
      return String(time.rfc3339.prefix(16))
    }
  }

  @Test("the moments of a day begin with its part, and end with it")
  func part() throws {
    #expect(
      try moments("every=4h seconds=60 between=07:00-22:00", from: "2026-11-21T10:00:00Z", 6, .utc) == [
        "2026-11-21T11:00", "2026-11-21T15:00", "2026-11-21T19:00", "2026-11-22T07:00", "2026-11-22T11:00",
        "2026-11-22T15:00",
      ])
    // The end itself belongs to it; a moment is never told again after itself.
    #expect(
      try moments("every=1h between=21:00-22:00", from: "2026-11-21T21:00:00Z", 3, .utc) == [
        "2026-11-21T22:00", "2026-11-22T21:00", "2026-11-22T22:00",
      ])
    #expect(
      try moments("every=24h between=09:30-10:00", from: "2026-11-21T10:00:00Z", 2, .utc) == [
        "2026-11-22T09:30", "2026-11-23T09:30",
      ])
  }

  @Test("a part over midnight goes on into the next day, and a whole day starts again at midnight")
  func midnight() throws {
    #expect(
      try moments("every=150m between=22:00-06:00", from: "2026-11-21T21:00:00Z", 5, .utc) == [
        "2026-11-21T22:00", "2026-11-22T00:30", "2026-11-22T03:00", "2026-11-22T05:30", "2026-11-22T22:00",
      ])
    #expect(
      try moments("every=7h", from: "2026-11-21T14:00:00Z", 4, .utc) == [
        "2026-11-21T21:00", "2026-11-22T00:00", "2026-11-22T07:00", "2026-11-22T14:00",
      ])
  }

  @Test("moments are those of clocks on the wall, also if these are changed")
  func clocks() throws {
    // Summer time: 07:00 is 05:00 of UTC, from 25 October on 06:00.
    #expect(
      try moments("every=24h between=07:00-08:00", from: "2026-10-24T00:00:00Z", 3, Self.berlin) == [
        "2026-10-24T05:00", "2026-10-25T06:00", "2026-10-26T06:00",
      ])
    // On 29 March 2026 clocks jump from 02:00 to 03:00: half past two comes an hour later, once.
    #expect(
      try moments("every=24h between=02:30-02:45", from: "2026-03-28T00:00:00Z", 3, Self.berlin) == [
        "2026-03-28T01:30", "2026-03-29T01:30", "2026-03-30T00:30",
      ])
    #expect(
      try moments("every=1h between=01:00-04:00", from: "2026-03-28T23:00:00Z", 4, Self.berlin) == [
        "2026-03-29T00:00", "2026-03-29T01:00", "2026-03-29T02:00", "2026-03-29T23:00",
      ])
    // On 25 October the hour from two to three comes twice: the first counts.
    #expect(
      try moments("every=1h between=02:00-03:00", from: "2026-10-24T22:00:00Z", 3, Self.berlin) == [
        "2026-10-25T00:00", "2026-10-25T02:00", "2026-10-26T01:00",
      ])
  }

  @Test("orders are read in any order of their words, and printed as they are entered")
  func words() {
    let whole = MeasurementSchedule(text: "between=07:00-22:00 seconds=90 every=4h")
    #expect(whole == MeasurementSchedule(every: 14_400, seconds: 90, begin: 420, end: 1320))
    #expect(whole?.text == "every=4h seconds=90 between=07:00-22:00")
    #expect(MeasurementSchedule(text: "every=90m")?.text == "every=90m seconds=60")
    let evening = MeasurementSchedule(text: "every=15m between=20:00-24:00")
    #expect(evening?.text == "every=15m seconds=60 between=20:00-00:00")
    for text in [
      "", "every", "every=", "every=4", "every=4x", "every=14m", "every=25h", "every=-4h", "every=4h every=4h",
      "every=4h seconds=19", "every=4h seconds=181", "every=4h seconds=", "seconds=60", "every=4h between=7-22",
      "every=4h between=07:00", "every=4h between=07:00-22:60", "every=4h between=25:00-22:00", "every=4h at=12",
      "every=4h between=07:00-22:00-23:00", "every=99999999999999999999h", "none",
    ] {
      #expect(MeasurementSchedule(text: text) == nil, "\(text)")
    }
  }

  @Test("whatever is ordered comes back from its words and its bytes, and its moments go on", arguments: seeds)
  func properties(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
    for _ in 0..<20 {
      let schedule = try #require(
        MeasurementSchedule(
          every: (15 + below(1426)) * 60, seconds: 20 + below(161), begin: below(1440), end: below(1440)))
      #expect(MeasurementSchedule(text: schedule.text) == schedule, "seed \(seed)")
      var states = RememberedStates()
      try states.keep(schedule)
      #expect(states[MeasurementSchedule.self] == schedule, "seed \(seed)")
      var time = WallTime(microseconds: 1_795_000_000_000_000 + Int64(below(400 * 86_400)) * 1_000_000)
      for _ in 0..<10 {
        let next = try #require(schedule.next(after: time, in: Self.berlin))
        // A part has a moment in every day: never more than a day and a change of clocks away.
        #expect(next > time && next - time <= .seconds(25 * 3600 + 60), "seed \(seed), \(schedule.text)")
        time = next
      }
    }
    #expect(MeasurementSchedule(every: 14_400)?.next(after: WallTime(microseconds: .max), in: .utc) == nil)
  }

  // MARK: What comes of it

  /// Sessions that tell what was asked of them.
  @LoopActor
  private final class Asked {
    var orders: [(wearable: String, seconds: Int, at: WallTime)] = []
    var isBusy = false
    var isOnBody: Bool?
    var trouble: HearthError?

    func sessions(_ loop: any Loop) -> ScheduleKeeper.Sessions {
      ScheduleKeeper.Sessions(
        measure: { name, order throws(HearthError) in
          self.orders.append((name, order.seconds, loop.wall))
          if let trouble = self.trouble { throw trouble }
          let session = VitalsSession(id: 1, wearable: name, person: nil, sensor: .electrical, seconds: order.seconds)
          return VitalsResult(session: session)
        }, isBusy: { _ in self.isBusy }, isOnBody: { _ in self.isOnBody })
    }
  }

  private func withSchedule(
    _ text: String, _ body: @escaping @LoopActor (Parts, ScheduleKeeper, Asked) async throws -> Void
  ) throws {
    let schedule = try #require(MeasurementSchedule(text: text))
    try withParts { parts in
      _ = try await parts.enrol(1, "a")
      let asked = Asked()
      let keeper = ScheduleKeeper(parts.context, parts.registry, parts.presence, asked.sessions(parts.loop))
      parts.context.phase = .serving
      keeper.start()
      _ = try await keeper.order("a", schedule)
      try await body(parts, keeper, asked)
      keeper.stop()
    }
  }

  @Test("a measurement begins at its moment, for as long as it was ordered, and the next one is known")
  func inTime() throws {
    // Now at ten o'clock.
    try withSchedule("every=1h seconds=45 between=09:00-11:30") { parts, keeper, asked in
      #expect(try keeper.schedule(of: "a").next == parts.loop.wall + .seconds(3600))
      let begin = parts.loop.wall
      try await parts.loop.sleep(for: .seconds(3590))
      parts.hear(1)
      try await parts.loop.sleep(for: .seconds(600))
      #expect(asked.orders.map(\.seconds) == [45] && asked.orders.map(\.wearable) == ["a"])
      #expect(asked.orders[0].at - begin < .seconds(3601))
      let found = try keeper.schedule(of: "a")
      #expect(found.next == begin + .seconds(23 * 3600) && found.skipped == nil)
      _ = try await keeper.order("a", nil)
      try await parts.loop.sleep(for: .seconds(48 * 3600))
      #expect(asked.orders.count == 1)
      #expect(try keeper.schedule(of: "a").schedule == nil)
    }
  }

  @Test(
    "H2146: what cannot be measured is left out with the reason, as an event",
    arguments: ["it was away", "it, or its wearer, was being measured", "it was not on the body", "no signal"])
  func leftOut(why: String) throws {
    try withSchedule("every=1h between=09:00-11:30") { parts, keeper, asked in
      var told: [HearthError] = []
      parts.context.changes.onHappening = { if case .measurementSkipped(_, let trouble) = $0 { told.append(trouble) } }
      try await parts.loop.sleep(for: .seconds(3590))
      if why != "it was away" { parts.hear(1) }
      asked.isBusy = why.contains("being measured")
      asked.isOnBody = why.contains("body") ? false : nil
      asked.trouble = why == "no signal" ? HearthError(.linkLost, why) : nil
      try await parts.loop.sleep(for: .seconds(60))
      #expect(asked.orders.count == (why == "no signal" ? 1 : 0))
      let found = try keeper.schedule(of: "a")
      #expect(found.skipped?.why == why && found.skipped?.at == VirtualLoop.morning + .seconds(3600))
      #expect(told.map(\.detail) == ["a: the measurement of 11:00 was left out: \(why)"])
      #expect(told.map(\.reason) == [.measurementSkipped])
    }
  }

  @Test("what came due while the clock was put forward is not made up for; a clock that is put back starts again")
  func steps() throws {
    try withSchedule("every=1h") { parts, keeper, asked in
      parts.loop.stepWall(by: .seconds(3 * 3600 + 600))
      parts.hear(1)
      try await parts.loop.sleep(for: .seconds(120))
      #expect(asked.orders.isEmpty)
      let hour = VirtualLoop.morning + .seconds(4 * 3600)
      #expect(try keeper.schedule(of: "a").next == hour)
      parts.loop.stepWall(by: .seconds(-7200))
      try await parts.loop.sleep(for: .seconds(120))
      #expect(try keeper.schedule(of: "a").next == hour - .seconds(7200))
    }
  }

  @Test("without orders there are no looks, and no look comes after the end")
  func rest() throws {
    try withSchedule("every=15m") { parts, keeper, asked in
      keeper.stop()
      parts.hear(1)
      try await parts.loop.sleep(for: .seconds(3600))
      #expect(asked.orders.isEmpty)
      await #expect(throws: HearthError.self) { _ = try await keeper.order("nobody", nil) }
    }
  }
}
