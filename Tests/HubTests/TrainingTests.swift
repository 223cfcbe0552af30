import CivilTime
import EventLoop
import Health
import Reasons
import RingStore
import StateCodec
import Testing
import Vitals
import Wearable

@testable import Hub

/// A strap's trainings, from its heart rates to the store.
@Suite("Trainings that the hub makes of heart rates")
struct TrainingTests {
  private static func strap(_ adjust: (inout RecorderDriver) -> Void = { _ in }) -> RecorderDriver {
    var driver = RecorderDriver()
    (driver.beats, driver.keepsNothing) = (true, true)
    adjust(&driver)
    return driver
  }

  /// A hub with a strap that tells 70 bpm once a second, for five minutes so far.
  private func rested(
    _ driver: RecorderDriver = TrainingTests.strap(),
    _ body: @escaping @LoopActor (LaneHouse, RecorderTwin) async throws -> Void
  ) throws {
    try inHouse(driver, files: { ($0[0].beats, $0[0].pulse) = (.seconds(1), [70]) }) { house, twin in
      house.start()
      try await house.wait { try house.hearth.wearable(named: "recorder-0").state == .live }
      try await house.pass(.seconds(300))
      try await body(house, twin)
    }
  }

  /// A person of forty, with a zone 2 that begins at 108.
  @LoopActor private func wear(_ house: LaneHouse, _ name: String = "Ada") async throws {
    _ = try await house.hearth.addWearer(name)
    _ = try await house.hearth.setBody(name) { body in
      (body.sex, body.weight, body.maximumHeartRate) = (.female, 62, 180)
      body.born = LocalDate(year: 1986, month: 1, day: 1)
    }
    _ = try await house.hearth.assign("recorder-0", to: name, from: nil)
    // Another one's rest is yet to be seen.
    try await house.pass(.seconds(120))
  }

  private struct Kept: Equatable {
    var time: WallTime
    var isManual: Bool
    var values: [Int64]
    var effort: TrainingRecord?
  }

  /// What is durable of trainings and of what belongs to them.
  @LoopActor private func kept(_ house: LaneHouse) async throws -> [Kept] {
    var trainings: [Kept] = []
    var records: [WallTime: TrainingRecord] = [:]
    let session = try await house.store.export(SampleQuery(series: [.training, .measurement]))
    while let page = try await session.next(limit: 1000) {
      for sample in page.samples {
        #expect(sample.flags.origin == .live && sample.time <= house.loop.wall)
        if sample.series == .training {
          trainings.append(
            Kept(time: sample.time, isManual: sample.flags.isManual, values: sample.values, effort: nil))
        } else if sample.value == TrainingRecord.kind {
          records[sample.time] = try TrainingRecord(sample.bytes)
        }
      }
    }
    #expect(records.count == trainings.count)
    return trainings.map { training in
      var training = training
      training.effort = records[training.time]
      return training
    }
  }

  @LoopActor private func shown(_ house: LaneHouse) throws -> TrainingSnapshot? {
    try house.hearth.wearable(named: "recorder-0").training
  }

  private func isNear(_ time: WallTime, _ other: WallTime, seconds: Int = 2) -> Bool {
    (time - other) <= .seconds(seconds) && (other - time) <= .seconds(seconds)
  }

  @Test("a run is shown while it goes on, and kept at its begin when it is over, with zones and energy")
  func found() throws {
    try rested { house, twin in
      try await wear(house)
      let begin = house.loop.wall
      twin.pulse = [150]
      try await house.pass(.seconds(170))
      #expect(try shown(house) == nil)
      try await house.pass(.seconds(20))
      let running = try #require(try shown(house))
      #expect(isNear(running.began, begin) && running.effort.origin == .found)
      #expect(running.effort.zones?.seconds[3] ?? 0 >= 180)
      try await house.pass(.seconds(1010))
      twin.pulse = [75]
      try await house.pass(.seconds(330))
      #expect(try shown(house) == nil)
      let all = try await kept(house)
      #expect(all.count == 1)
      let one = try #require(all.first)
      #expect(isNear(one.time, begin) && !one.isManual)
      // Part, sport, s, m, kcal, bpm: 41.8 kJ in each of 20 minutes are 200 kcal.
      #expect(Array(one.values[0..<2]) == [0, 0] && one.values[3] == 0)
      #expect((1198...1202).contains(one.values[2]) && (198...202).contains(one.values[4]))
      #expect(Array(one.values[5...]) == [150, 150])
      #expect(one.effort?.origin == .found && one.effort?.zones?.seconds[3] ?? 0 >= 1198)
      try await house.pass(.seconds(61))
      #expect(house.store.wearables[0].hubState[RunningTraining.self] == nil, "nothing is under way")
      try await house.pass(.seconds(3600))
      #expect(try await kept(house).count == 1)
    }
  }

  @Test("by order begin and end are exact, and what is ordered counts as exercise for limits")
  func ordered() throws {
    try rested { house, _ in
      let begin = house.loop.wall
      let begun = try await house.hearth.beginTraining("recorder-0")
      #expect(begun.ended == nil && begun.began == begin)
      #expect(
        await refusal { () async throws(HearthError) in try await house.hearth.beginTraining("recorder-0") }
          == .requestUntimely)
      #expect(try house.hearth.alerts(of: "recorder-0").isExercise)
      try await house.pass(.seconds(100))
      #expect(try house.hearth.alerts(of: "recorder-0").isExercise)
      let ended = try await house.hearth.endTraining("recorder-0")
      #expect(ended.ended.map { isNear($0, begin + .seconds(100)) } == true)
      #expect(try !house.hearth.alerts(of: "recorder-0").isExercise)
      let all = try await kept(house)
      let one = try #require(all.first)
      #expect(all.count == 1 && one.isManual && isNear(one.time, begin))
      #expect(one.values[2] == 100 && one.effort?.zones == nil && one.effort?.energy == nil)
      #expect(
        await refusal { () async throws(HearthError) in try await house.hearth.endTraining("recorder-0") }
          == .requestUntimely)
    }
  }

  @Test("what is found is no exercise for limits: the rate that they are set for would silence them")
  func limits() throws {
    try rested { house, twin in
      _ = try await house.hearth.orderAlerts("recorder-0") { $0.limits[.restAbove] = 120 }
      twin.pulse = [150]
      try await house.pass(.seconds(920))
      #expect(try shown(house) != nil)
      #expect(try house.hearth.alerts(of: "recorder-0").alerts.map(\.alert.kind) == [.restAbove])
    }
  }

  @Test("a wearer with the exercise limit off has no training found")
  func unwanted() throws {
    try rested { house, twin in
      _ = try await house.hearth.orderAlerts("recorder-0") { $0.exercise = .off }
      twin.pulse = [150]
      try await house.pass(.seconds(1800))
      twin.pulse = [70]
      try await house.pass(.seconds(400))
      #expect(try shown(house) == nil)
      #expect(try await kept(house).isEmpty)
    }
  }

  @Test("a wearable that keeps trainings, or the heart rate of its own accord, gets no training, found or ordered")
  func recorders() throws {
    var table = WearableCapabilities(.live, [.heartRate])
    table.insert(.history, [.heartRate])
    let driver = Self.strap { [table] in ($0.keepsNothing, $0.live, $0.announces) = (false, [.heartRate], table) }
    try rested(driver) { house, twin in
      #expect(try house.hearth.wearable(named: "recorder-0").capabilities == table)
      twin.pulse = [150]
      try await house.pass(.seconds(1800))
      twin.pulse = [70]
      try await house.pass(.seconds(400))
      #expect(try await kept(house).isEmpty)
      let reason = await refusal { () async throws(HearthError) in try await house.hearth.beginTraining("recorder-0") }
      #expect(reason == .requestUnsupported)
    }
  }

  @Test("a strap that falls silent ends it with its last value; one that is back in three minutes goes on")
  func silence() throws {
    try rested { house, twin in
      twin.pulse = [150]
      try await house.pass(.seconds(600))
      twin.isMute = true
      try await house.pass(.seconds(180))
      twin.isMute = false
      try await house.pass(.seconds(300))
      let last = house.loop.wall
      twin.isMute = true
      try await house.pass(.seconds(290))
      #expect(try await kept(house).isEmpty)
      try await house.pass(.seconds(60))
      let all = try await kept(house)
      #expect(all.count == 1)
      let effort = try #require(all.first?.effort)
      #expect(isNear(try #require(all.first).time + .microseconds(effort.length), last, seconds: 12))
      #expect(effort.length - effort.known > 160_000_000)
    }
  }

  @Test(
    "after a kill and after a stop it goes on with what is in the store, and is kept once",
    arguments: [true, false])
  func restart(isKilled: Bool) throws {
    try rested { house, twin in
      try await wear(house)
      let begin = house.loop.wall
      twin.pulse = [150]
      try await house.pass(.seconds(900))
      if isKilled { try house.killAndRestart() } else { try await house.stopAndRestart() }
      try await house.pass(.seconds(60))
      #expect(try shown(house).map { isNear($0.began, begin) } == true)
      try await house.pass(.seconds(600))
      twin.pulse = [70]
      try await house.pass(.seconds(330))
      let all = try await kept(house)
      #expect(all.count == 1)
      #expect(all.first.map { isNear($0.time, begin) } == true)
      let effort = try #require(all.first?.effort)
      #expect((1550...1570).contains(effort.length / 1_000_000))
      #expect(effort.known > 1_480_000_000 && effort.zones?.all.reduce(0, +) == effort.known)
      #expect(effort.energy != nil)
      if isKilled { try house.killAndRestart() } else { try await house.stopAndRestart() }
      try await house.pass(.seconds(600))
      #expect(try await kept(house).count == 1)
    }
  }

  @Test("one with a strap that does not come back after a kill ends with what was stored last")
  func gone() throws {
    try rested { house, twin in
      twin.pulse = [150]
      try await house.pass(.seconds(900))
      let killed = house.loop.wall
      twin.isMute = true
      try house.killAndRestart()
      try await house.pass(.seconds(400))
      let all = try await kept(house)
      #expect(all.count == 1)
      let effort = try #require(all.first?.effort)
      let end = try #require(all.first).time + .microseconds(effort.length)
      #expect(end <= killed + .seconds(10) && killed - end < .seconds(40))
      #expect(house.store.wearables[0].hubState[RunningTraining.self] == nil)
    }
  }

  @Test("one that was stored, and that a kill kept from being forgotten, is not stored again")
  func twice() throws {
    try rested { house, twin in
      twin.pulse = [150]
      try await house.pass(.seconds(900))
      let state = try #require(house.store.wearables[0].hubState[RunningTraining.self])
      twin.pulse = [70]
      try await house.pass(.seconds(330))
      #expect(try await kept(house).count == 1)
      var record = house.store.wearables[0]
      try record.hubState.keep(state)
      try await house.store.update(record)
      try house.killAndRestart()
      try await house.pass(.seconds(330))
      #expect(try await kept(house).count == 1)
      #expect(house.store.wearables[0].hubState[RunningTraining.self] == nil)
    }
  }

  @Test("another wearer ends it; the next is of the wearer of the strap at that time")
  func wearers() throws {
    try rested { house, twin in
      try await wear(house)
      twin.pulse = [150]
      try await house.pass(.seconds(900))
      try await wear(house, "Ben")
      #expect(try shown(house) == nil)
      try await house.pass(.seconds(30))
      let before = try await kept(house)
      #expect(before.count == 1)
      twin.pulse = [70]
      try await house.pass(.seconds(300))
      twin.pulse = [150]
      try await house.pass(.seconds(900))
      twin.pulse = [70]
      try await house.pass(.seconds(330))
      let all = try await kept(house)
      #expect(all.count == 2 && all.first == before.first)
      let (first, second) = (try #require(all.first), try #require(all.last))
      #expect(first.time + .microseconds(first.effort?.length ?? 0) <= second.time)
    }
  }

  @Test("of two straps of one wearer one finds it, so that no value counts twice")
  func twoStraps() throws {
    try inHouse(
      Self.strap(), recorders: 2,
      files: { for twin in $0 { (twin.beats, twin.pulse) = (.seconds(1), [70]) } }
    ) { house, first in
      house.start()
      try await wear(house)
      _ = try await house.hearth.assign("recorder-1", to: "Ada", from: nil)
      try await house.pass(.seconds(300))
      for twin in house.twins { twin.pulse = [150] }
      try await house.pass(.seconds(900))
      for twin in house.twins { twin.pulse = [70] }
      try await house.pass(.seconds(400))
      #expect(try await kept(house).count == 1)
    }
  }

  @Test("the hub's clock may be set in the middle: its length is taken by the monotonic one")
  func clock() throws {
    try rested { house, twin in
      twin.pulse = [150]
      try await house.pass(.seconds(600))
      house.loop.stepWall(by: .seconds(7200))
      try await house.pass(.seconds(600))
      let end = house.loop.wall
      twin.pulse = [70]
      try await house.pass(.seconds(330))
      let all = try await kept(house)
      #expect(all.count == 1)
      let one = try #require(all.first)
      #expect((1190...1210).contains(one.effort.map { $0.length / 1_000_000 } ?? 0))
      #expect(isNear(one.time + .seconds(1200), end, seconds: 12), "by the clock as it is now")
    }
  }

  @Test("what is under way is kept whole, and read back; a damaged one is dropped")
  func state() throws {
    var running = RunningTraining(origin: .ordered, began: WallTime(microseconds: 1_800_000_000_123_456))
    (running.bound, running.wearer) = (108, WearerID(number: 7))
    (running.boot, running.monotonic) = (BootID(high: 1, low: .max), Instant(nanoseconds: 5))
    var states = RememberedStates()
    try states.keep(running)
    #expect(states[RunningTraining.self] == running)
    let plain = RunningTraining(origin: .found, began: WallTime(microseconds: 0))
    try states.keep(plain)
    #expect(states[RunningTraining.self] == plain)
  }
}
