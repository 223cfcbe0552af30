import EventLoop
import Health
import RingStore
import Testing

@testable import Hub

@Suite("A wearable's clock over many visits")
struct ClockKeeperTests {
  private static let hour: Int64 = 3_600_000_000

  /// The hub's clocks at `hours`, and the wearable's, which is `ahead` µs ahead of them.
  private func reading(_ hours: Int64, ahead: Int64, trusted: Bool = true) -> ClockEvidence {
    let time = hours * Self.hour
    return ClockEvidence(
      device: 1_000_000_000_000_000 + time + ahead, monotonic: time * 1000, wall: 1_000_000_000_000_000 + time,
      isTrusted: trusted)
  }

  @Test("one reading corrects by its difference, and states no drift")
  func one() throws {
    var clock = ClockKeeper()
    clock.opened(1, reading(0, ahead: 5_000_000), afterSetting: nil, wasSet: false)
    let correction = try #require(clock.correction(at: 1))
    let noon = reading(0, ahead: 0).wall
    #expect(correction.hubTime(of: noon) == noon - 5_000_000)
    #expect(clock.drift.ppm == nil && clock.drift.doubt != nil)
    #expect(clock.ahead(.utc) == 5_000_000)
  }

  @Test("what was read before its source was found to be no clock is not among its readings")
  func disowned() {
    let visits = (1...4).map { (number: UInt64) -> VisitRecord in
      var visit = VisitRecord(number: number, wearable: WearableID(number: 1), began: WallTime(microseconds: 0))
      visit.opened = reading(Int64(number), ahead: 0)
      return visit
    }
    #expect(ClockKeeper(visits, boot: nil).readings.map(\.visit) == [1, 2, 3, 4])
    #expect(ClockKeeper(visits, boot: nil, disowned: DisownedClock(upTo: 3)).readings.map(\.visit) == [4])
    var clock = ClockKeeper(visits, boot: nil)
    for isForGood in [false, true] {
      clock.disown(isForGood: isForGood)
      #expect(clock.readings.isEmpty && clock.correction(at: 4) == nil)
      #expect(clock.hasReadings != isForGood, "the log has them until it is certain")
    }
    clock.takeBack()
    #expect(clock.readings.isEmpty)
  }

  @Test("readings that were set aside stand before later ones when it is a clock, as many as are kept")
  func setAside() {
    var clock = ClockKeeper()
    for visit in 1...UInt64(ClockKeeper.limit) {
      clock.opened(visit, reading(Int64(visit), ahead: 0), afterSetting: nil, wasSet: false)
    }
    let before = clock.readings
    for _ in 0..<2 { clock.disown(isForGood: false) }
    let later = UInt64(ClockKeeper.limit) + 2
    clock.opened(later, reading(Int64(later), ahead: 0), afterSetting: nil, wasSet: false)
    clock.takeBack()
    #expect(clock.readings.count == ClockKeeper.limit && clock.readings.last?.visit == later)
    #expect(Set(clock.readings.dropLast()).isSubset(of: before))
    #expect(clock.readings.map(\.visit) == clock.readings.map(\.visit).sorted())
    #expect(clock.correction(at: later) != nil)
  }

  @Test("drift counts from the reading of the visit before")
  func drift() throws {
    var clock = ClockKeeper()
    clock.opened(1, reading(0, ahead: 0), afterSetting: nil, wasSet: false)
    // 100 ppm fast over ten hours: 3.6 s.
    clock.opened(2, reading(10, ahead: 3_600_000), afterSetting: nil, wasSet: false)
    #expect(abs((clock.drift.ppm ?? 0) - 100) < 0.1)
    let middle = 1_000_000_000_000_000 + 5 * Self.hour + 1_800_000
    #expect(
      abs(try #require(clock.correction(at: 2)?.hubTime(of: middle)) - (1_000_000_000_000_000 + 5 * Self.hour)) < 1000)
  }

  @Test("what was recorded before the clock was set is corrected by the reading before that")
  func set() throws {
    var clock = ClockKeeper()
    let before = reading(0, ahead: 50 * Self.hour)
    clock.opened(1, before, afterSetting: reading(0, ahead: 0), wasSet: true)
    #expect(clock.correction(at: 1)?.hubTime(of: before.device - 1_000_000) == before.wall - 1_000_000)
    #expect(clock.of(1)?.wasSet == true)
    // The next visit goes on from the clock as it was set.
    clock.opened(2, reading(8, ahead: 0), afterSetting: nil, wasSet: false)
    #expect(clock.correction(at: 2)?.hubTime(of: reading(8, ahead: 0).device) == reading(8, ahead: 0).wall)
    #expect(abs(clock.drift.ppm ?? 99) < 0.1)
  }

  @Test("a visit after which times are others is distinguished from one that only read")
  func eras() {
    var clock = ClockKeeper()
    clock.opened(1, reading(0, ahead: 0), afterSetting: nil, wasSet: false)
    clock.opened(2, reading(1, ahead: 100_000), afterSetting: nil, wasSet: false)
    #expect(!clock.beganEra(at: 1) && !clock.beganEra(at: 2) && !clock.beganEra(at: 3))
    // Set by the hub, then by another device.
    clock.opened(3, reading(2, ahead: 200_000), afterSetting: reading(2, ahead: 0), wasSet: true)
    clock.opened(4, reading(3, ahead: 0), afterSetting: nil, wasSet: false)
    clock.opened(5, reading(4, ahead: 15_000_000), afterSetting: nil, wasSet: false)
    #expect(clock.beganEra(at: 3) && !clock.beganEra(at: 4) && clock.beganEra(at: 5))
  }

  @Test(
    """
    a clock that went otherwise since the visit before is in the log at once, even without a fetch, and a clock that \
    goes on is not
    """
  )
  func logged() throws {
    try inHouse { house, twin in
      house.start()
      try await house.wait { try house.visits().count { $0.ended != nil } == 1 }
      let visited = house.hearth.registry.all[0].lane.visitedAt
      try await house.wait(.seconds(1800)) { house.hearth.registry.all[0].lane.visitedAt != visited }
      #expect(try house.visits().count == 1, "it brought nothing")
      twin.clockOffset += 15_000_000
      try await house.wait(.seconds(1800)) { try house.visits().count { $0.ended != nil } == 3 }
      let log = try house.visits().sorted { $0.number < $1.number }
      let readings = try log.map { try #require($0.opened) }
      func moved(_ a: Int, _ b: Int) -> Int64 {
        readings[b].device - readings[a].device - (readings[b].wall - readings[a].wall)
      }
      // And the one before, which had delivered no data: until then times are those of the clock as it was.
      #expect(
        abs(moved(0, 1)) < 100_000 && abs(moved(1, 2) - 15_000_000) < 100_000 && log[2].number == log[1].number + 1)
    }
  }

  @Test(
    """
    the reading of a visit in which the hub was killed dates what was there before it set the clock; what the clock \
    has shown on both sides of that is not sure before all was listed
    """
  )
  func killed() throws {
    let noon: Int64 = 1_000_000_000_000_000
    let boot = BootID(high: 1, low: 2)
    let before = reading(0, ahead: 2 * Self.hour)
    var log = VisitRecord(
      number: 1, wearable: WearableID(number: 1), began: WallTime(microseconds: before.wall), opened: before)
    log.boot = boot
    var clock = ClockKeeper([log], boot: boot)
    clock.opened(2, reading(1, ahead: 0), afterSetting: nil, wasSet: false)
    let curve = try #require(clock.correction(at: 2, now: reading(1, ahead: 0).monotonic))
    func expect(_ curve: ClockCurve, _ device: Int64, _ time: Int64, _ isSure: Bool) {
      #expect(curve.told(device).map { [$0.time, $0.isSure ? 1 : 0] } == [time, isSure ? 1 : 0], "\(device - noon)")
    }
    expect(curve, noon - Self.hour, noon - 3 * Self.hour, true)
    expect(curve, noon + 2 * Self.hour - 1_000_000, noon - 1_000_000, true)
    expect(curve, noon + Self.hour / 2, noon + Self.hour / 2, false)
    clock.listed(2)
    clock.opened(3, reading(2, ahead: 0), afterSetting: nil, wasSet: false)
    let next = try #require(clock.correction(at: 3, now: reading(2, ahead: 0).monotonic))
    expect(next, noon + Self.hour / 2, noon + Self.hour / 2, true)
  }

  @Test("a clock that another program set between two visits is not taken for a fast one")
  func setByOthers() {
    var clock = ClockKeeper()
    clock.opened(1, reading(0, ahead: 0), afterSetting: nil, wasSet: false)
    clock.opened(2, reading(10, ahead: Self.hour), afterSetting: nil, wasSet: false)
    #expect(clock.drift.ppm == nil && clock.drift.doubt != nil)
    #expect(clock.correction(at: 2)?.hubTime(of: reading(10, ahead: Self.hour).device) == reading(10, ahead: 0).wall)
  }

  @Test("of visits every quarter of an hour so many are kept that days are covered, and what was set is not forgotten")
  func many() {
    var clock = ClockKeeper()
    func quarter(_ number: Int64, ahead: Int64) -> ClockEvidence {
      let time = number * Self.hour / 4
      return ClockEvidence(
        device: 1_000_000_000_000_000 + time + ahead, monotonic: time * 1000, wall: 1_000_000_000_000_000 + time,
        isTrusted: true)
    }
    clock.opened(0, quarter(0, ahead: 0), afterSetting: nil, wasSet: false)
    for number: Int64 in 1..<400 {
      let wasSet = number == 200
      let ahead: Int64 = number <= 200 ? 20_000_000 : 0
      clock.opened(
        UInt64(number), quarter(number, ahead: ahead), afterSetting: wasSet ? quarter(number, ahead: 0) : nil,
        wasSet: wasSet)
    }
    #expect(clock.readings.count == ClockKeeper.limit)
    #expect(clock.readings.first.map { $0.opened.wall < quarter(80, ahead: 0).wall } ?? false)
    #expect(clock.readings.contains { $0.wasSet })
    // Before and after the setting.
    #expect(
      clock.correction(at: 399)?.hubTime(of: quarter(150, ahead: 20_000_000).device) == quarter(150, ahead: 0).wall)
    #expect(clock.correction(at: 399)?.hubTime(of: quarter(300, ahead: 0).device) == quarter(300, ahead: 0).wall)
  }

  @Test("readings of an earlier life of the hub count only if its clock was trusted")
  func otherLives() {
    func visit(_ number: UInt64, _ evidence: ClockEvidence) -> VisitRecord {
      VisitRecord(
        number: number, wearable: WearableID(number: 1), began: WallTime(microseconds: evidence.wall), opened: evidence)
    }
    var trusted = ClockKeeper([visit(1, reading(0, ahead: 0))], boot: nil)
    trusted.opened(2, reading(10, ahead: 3_600_000), afterSetting: nil, wasSet: false)
    #expect(trusted.drift.ppm != nil)
    var doubtful = ClockKeeper([visit(1, reading(0, ahead: 0, trusted: false))], boot: nil)
    doubtful.opened(2, reading(10, ahead: 3_600_000), afterSetting: nil, wasSet: false)
    #expect(doubtful.drift.ppm == nil)
  }

  @Test(
    """
    a hub that restarted since the machine did goes on with its readings, however its clock was set meanwhile; after a \
    boot it does not
    """
  )
  func sameBoot() {
    let boot = BootID(high: 1, low: 2)
    func visit(_ boot: BootID?) -> VisitRecord {
      let evidence = reading(0, ahead: 0, trusted: false)
      return VisitRecord(
        number: 1, wearable: WearableID(number: 1), began: WallTime(microseconds: evidence.wall), opened: evidence,
        boot: boot)
    }
    for (logged, now, isOne) in [
      (boot, boot, true), (boot, BootID(high: 1, low: 3), false), (nil, boot, false), (boot, nil, false),
      (nil, nil, false),
    ] as [(BootID?, BootID?, Bool)] {
      var keeper = ClockKeeper([visit(logged)], boot: now)
      keeper.opened(2, reading(10, ahead: 3_600_000), afterSetting: nil, wasSet: false)
      #expect((keeper.drift.ppm != nil) == isOne)
    }
  }
}
