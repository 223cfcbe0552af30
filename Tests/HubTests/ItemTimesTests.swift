import EventLoop
import Health
import RingStore
import Testing

@testable import Hub

@Suite("When what was fetched was measured")
struct ItemTimesTests {
  private let now: Int64 = 1_795_255_200_000_000
  private let day: Int64 = 86_400_000_000

  /// A clock that is `ahead` µs ahead of the hub's, read now.
  private func curve(ahead: Int64, isTrusted: Bool = true) throws -> ClockCurve {
    let evidence = ClockEvidence(device: now + ahead, monotonic: 1_000_000_000, wall: now, isTrusted: isTrusted)
    return try #require(ClockCurve([ClockCurve.Reading(evidence, isOfThisBoot: true)], since: 0))
  }

  private func times(_ curves: [ClockCurve], isTrusted: Bool = true) -> ItemTimes {
    ItemTimes(curves: curves, now: WallTime(microseconds: now), isTrusted: isTrusted)
  }

  private func expect(_ told: (time: WallTime, isSure: Bool), _ time: Int64, _ isSure: Bool) {
    #expect(told.time.microseconds == time && told.isSure == isSure, "\(told)")
  }

  @Test("a reading's times are sure if the hub's clock was trusted then")
  func readings() throws {
    expect(times([try curve(ahead: 5_000_000)]).hubTime(of: now), now - 5_000_000, true)
    expect(times([try curve(ahead: 5_000_000, isTrusted: false)]).hubTime(of: now), now - 5_000_000, false)
  }

  @Test(
    """
    what no curve explains is the wearable's own, never behind now, and not sure; of several curves the first that \
    explains counts
    """
  )
  func own() throws {
    let unset = try curve(ahead: -500 * day)
    expect(times([unset]).hubTime(of: now - 400 * day), now - 400 * day, false)
    expect(times([unset]).hubTime(of: now + day), now, false)
    expect(times([]).hubTime(of: now - day), now - day, false)
    expect(times([unset, try curve(ahead: 0)]).hubTime(of: now - 100 * day), now - 100 * day, true)
    var local = times([])
    local.zone = 2 * 3_600_000_000
    expect(local.hubTime(of: now), now - 2 * 3_600_000_000, false)
    expect(local.hubTime(of: .min), .min, false)
    expect(times([unset]).hubTime(of: .max), now, false)
  }

  @Test(
    "what a reading puts behind now it cannot explain, unless the hub does not know what now is and the reading did")
  func behindNow() throws {
    // Read when the hub's clock was a day ahead.
    let ahead = ClockEvidence(device: now, monotonic: 0, wall: now + day, isTrusted: true)
    let doubtful = ClockEvidence(device: now, monotonic: 0, wall: now + day, isTrusted: false)
    func curve(_ evidence: ClockEvidence) throws -> ClockCurve {
      try #require(ClockCurve([ClockCurve.Reading(evidence, isOfThisBoot: true)], since: 0))
    }
    expect(times([try curve(ahead)]).hubTime(of: now - 5), now - 5, false)
    expect(times([try curve(ahead)], isTrusted: false).hubTime(of: now - 5), now + day - 5, true)
    expect(times([try curve(doubtful)], isTrusted: false).hubTime(of: now - 5), now - 5, false)
  }

  @Test("a time more than two minutes ahead is of the future; not if now is unknown, or what its clock shows")
  func future() throws {
    let right = try curve(ahead: 0)
    let minute: Int64 = 60_000_000
    let ahead = times([right]).told(now + 3 * minute)
    #expect(ahead.isFuture && !ahead.isSure && !ahead.isExplained && ahead.time.microseconds == now)
    #expect(!times([right]).told(now + minute).isFuture && !times([right]).told(now - minute).isFuture)
    #expect(times([right]).told(now - minute).isExplained)
    // The hub's own times; and those of a clock that cannot be read.
    var own = times([])
    own.areHubTimes = true
    #expect(own.told(now + 3 * minute).isFuture && !own.told(now + minute).isFuture)
    #expect(!times([]).told(now + 3 * minute).isFuture)
    // What a reading puts behind now while it says itself that it is over may well be.
    #expect(!times([try curve(ahead: -day)]).told(now - minute).isFuture)
    // A hub without a trusted time accepts items with later times.
    #expect(!times([], isTrusted: false).told(now + 3 * minute).isFuture)
    var guess = times([right])
    guess.isGuess = true
    #expect(!guess.told(now + 3 * minute).isFuture && !guess.told(now - minute).isExplained)
    // The hub's own clock is not disciplined: the time is not sure, and tells all the same how far was read.
    let doubtful = times([try curve(ahead: 0, isTrusted: false)], isTrusted: false).told(now - minute)
    #expect(doubtful.isExplained && !doubtful.isSure)
  }

  @Test("a span over which the clock was set is as long as the hub's times of its ends are apart")
  func spans() throws {
    // Slow by 42 s, and set right an hour ago.
    let hour: Int64 = 3_600_000_000
    let slow: Int64 = 42_000_000
    func reading(_ before: Int64, ahead: Int64) -> ClockCurve.Reading {
      let evidence = ClockEvidence(
        device: now - before + ahead, monotonic: (now - before) * 1000 - now * 999, wall: now - before, isTrusted: true)
      return ClockCurve.Reading(evidence, isOfThisBoot: true)
    }
    let readings = [reading(2 * hour, ahead: -slow), reading(hour, ahead: -slow), reading(0, ahead: 0)]
    let told = times([try #require(ClockCurve(readings, since: 0))])
    let begin = now - 2 * hour - slow
    #expect(
      told.hubTime(of: begin).time.microseconds == now - 2 * hour && told.hubTime(of: now).time.microseconds == now)
    #expect(told.length(from: begin, 2 * hour + slow) == 2 * hour)
    #expect(told.length(from: begin, hour) == hour, "one clock showed both")
    #expect(told.length(from: now - slow - 30_000_000, 60_000_000) == 60_000_000, "too short to be told by a clock")
    #expect(told.length(from: .max, hour) == hour)
  }

  @Test("times that the hub itself gave are as sure as its clock")
  func hubTimes() {
    for isTrusted in [true, false] {
      var own = times([], isTrusted: isTrusted)
      own.areHubTimes = true
      expect(own.hubTime(of: now - day), now - day, isTrusted)
      expect(own.hubTime(of: now + day), now, false)
    }
  }

  @Test("what was fetched is no evidence of the hub's clock, in a store of before too; what came live is")
  func plausible() throws {
    try inHouse { house, _ in
      house.loop.wallIsTrusted = false
      let wearable = house.store.wearables[0].id
      var batch = try FetchedBatch(
        wearable: wearable, place: "an old hub",
        visit: VisitRecord(number: 1, wearable: wearable, began: house.loop.wall))
      try batch.append(.heartRate, 60, at: house.loop.wall + .seconds(115 * 86_400))
      _ = try await house.store.commit(batch)
      #expect(house.hearth.snapshot().clockIsPlausible)
      house.store.append(wearable, .heartRate, 61, at: house.loop.now)
      try await house.store.flush()
      #expect(house.hearth.snapshot().clockIsPlausible)
      house.loop.stepWall(by: .seconds(-86_400))
      #expect(!house.hearth.snapshot().clockIsPlausible)
    }
  }
}
