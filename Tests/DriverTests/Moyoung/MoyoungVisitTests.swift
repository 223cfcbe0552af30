import Bluetooth
import EventLoop
import Testing
import Wearable

@testable import CivilTime
@testable import DriverTestSupport
@testable import Health
@testable import MoyoungFamily

@Suite("Visits to a band of Moyoung", .serialized)
struct MoyoungVisitTests {
  /// 2026-11-21; the link begins at 10:00:01.
  private static let day: Int64 = 20_778
  private static var midnight: Int64 { day * 86_400 }

  @LoopActor
  private func band() -> PocketBand {
    let band = PocketBand()
    band.totals[Self.day] = (4100, 3200, 150)
    return band
  }

  @Test("write and hear these bytes: the maker, the clock, the interval, then kind after kind, oldest first")
  func conversation() throws {
    try onLoop { _ in
      let band = band()
      let link = band.link
      try await PocketHub().visit(link)
      let commands: [UInt8] = [46, 49, 47, 55] + [UInt8](repeating: 53, count: 8) + [51, 51, 50, 51, 51]
      #expect(band.requests.map(\.command) == commands)
      #expect(band.requests.filter { $0.command == 53 }.map(\.payload) == [[4], [5], [6], [7], [0], [1], [2], [3]])
      #expect(band.requests.filter { $0.command == 51 }.map(\.payload) == [[3], [4], [1], [2]])
      #expect(link.written.first?.characteristic == 0xFEE2)
      // The second framing of its maker.
      #expect(link.written.map(\.value).allSatisfy { $0.prefix(3) == [0xFE, 0xEA, 0x20] })
      #expect(link.written[2].value == [0xFE, 0xEA, 0x20, 0x05, 47])
      band.maker = "MOYOUNG"
      band.isWide = false
      let old = band.link
      _ = try await PocketHub().visit(old)
      #expect(old.written.map(\.value).allSatisfy { $0.prefix(3) == [0xFE, 0xEA, 0x10] })
    }
  }

  @Test("set the clock before anything else, eight hours off, and say what it shows from then on")
  func clock() throws {
    try onLoop { _ in
      let band = band()
      let link = band.link
      link.wait(.milliseconds(300))
      let session = try #require(MoyoungDriver().makeSession(link) as? MoyoungSession)
      let report = try await session.check()
      let clock = try #require(report.clock)
      #expect(clock.wasSet && clock.evidence == clock.afterwards)
      #expect(clock.evidence.device == clock.evidence.wall && clock.evidence.device % 1_000_000 == 0)
      #expect(band.timesSet.count == 1 && band.timesSet[0].last == 8)
      let wire = band.timesSet[0].prefix(4).reduce(Int64(0)) { $0 << 8 | Int64($1) }
      #expect((wire + 28_800) * 1_000_000 == clock.evidence.device)
      #expect(try await session.readClock() == nil && session.clockSeen == clock)
      // At the next visit the clock is set again, and was not off.
      link.wait(.seconds(900))
      let again = try #require(try await session.check().clock)
      #expect(!again.wasSet && again.afterwards == nil && band.timesSet.count == 2)
    }
  }

  @Test("report the clock as it was before it was set if the zone or the hub's own clock changed meanwhile")
  func clockChanges() throws {
    try onLoop { _ in
      let band = band()
      let link = band.link
      let session = try #require(MoyoungDriver().makeSession(link) as? MoyoungSession)
      _ = try await session.check()
      // Clocks go forward an hour in the night. What it measured by winter's time is fetched first.
      let change = link.hubTime.wall.microseconds / 1_000_000 + 3600
      link.zone = TimeZoneRules(name: "Test", changes: [change], offsets: [3600], firstOffset: 0, rule: nil)
      link.wait(.seconds(7200))
      let set = band.timesSet.count
      let hub = PocketHub()
      let clock = try #require(try await session.check().clock)
      #expect(!clock.wasSet && clock.afterwards == nil && band.timesSet.count == set)
      #expect(clock.evidence.device == clock.evidence.wall, "as it was set last, it shows winter's time")
      #expect(try await session.readClock() == nil, "not before everything was fetched")
      try await hub.visit(session)
      let after = try #require(session.clockSeen?.evidence)
      #expect(after.device - after.wall == 3600_000_000 && band.timesSet.count == set + 1)
      // The hub's wall clock is put right by a day; the band shows what it was set to.
      link.wait(.seconds(100))
      link.wall += 86_400_000_000
      let put = try #require(try await session.check().clock)
      #expect(!put.wasSet && put.evidence.device - put.evidence.wall == 3600_000_000 - 86_400_000_000)
      try await hub.visit(session)
      let right = try #require(session.clockSeen?.evidence)
      #expect(right.device - right.wall == 3600_000_000)
      // A hub without a trusted time does not set clocks.
      link.isTrusted = false
      let untouched = band.timesSet.count
      #expect(try await session.check().clock?.wasSet == false && band.timesSet.count == untouched)
    }
  }

  @Test("store what was measured before the hub set the clock as not sure, and the rest as sure")
  func sure() throws {
    try onLoop { _ in
      let band = band()
      var rates = [UInt8](repeating: 0, count: 288)
      for place in 100..<118 { rates[place] = 70 }
      band.rates[Self.day] = rates
      let (link, hub) = (band.link, PocketHub())
      try await hub.visit(link)
      #expect(hub.values(.heartRate).count == 18 && hub.stored.allSatisfy(\.isUnsure))
      link.wait(.seconds(3600))
      for place in 122..<132 { rates[place] = 80 }
      band.rates[Self.day] = rates
      band.totals[Self.day] = (5100, 4000, 190)
      let before = hub.stored.count
      try await hub.visit(link)
      let fresh = hub.stored.dropFirst(before)
      #expect(fresh.filter { $0.series == .heartRate }.count == 10)
      // Rates are of the time since; steps since the look before, which was before the hub's first visit had ended.
      #expect(fresh.allSatisfy { !$0.isUnsure })
      #expect(hub.sum(.steps, Self.day) == 5100 && hub.sum(.distance, Self.day) == 40_000)
    }
  }

  @Test("of a band that lost its counters, and was looked at before anybody walked again, bring all steps of the day")
  func anewAtZero() throws {
    try onLoop { _ in
      let band = band()
      let (link, hub) = (band.link, PocketHub())
      try await hub.visit(link)
      #expect(hub.sum(.steps, Self.day) == 4100)
      for totals in [(0, 0, 0), (0, 0, 0), (3000, 2400, 110), (3500, 2800, 130)] {
        link.wait(.seconds(900))
        band.totals[Self.day] = totals
        try await hub.visit(link)
      }
      #expect(hub.sum(.steps, Self.day) == 7600 && hub.sum(.distance, Self.day) == 60_000)
    }
  }

  @Test("bring each value once over a week of visits, whatever came between them")
  func week() throws {
    var system = SystemRandomNumberGenerator()
    let seed = system.next()
    print("a week of visits: seed \(seed)")
    try onLoop { _ in
      var generator = SeededGenerator(seed: seed)
      let band = PocketBand()
      band.isNamed = Bool.random(using: &generator)
      let hub = PocketHub()
      let link = band.link
      try await hub.visit(link)
      var truth: [Int64: [UInt8]] = [:]
      var steps: [Int64: Int] = [:]
      var minutes = 0
      let begin = link.hubTime.wall.microseconds / 1_000_000 / 300 * 300 + 300
      var place = begin
      // Awake all of the time.
      while minutes < 7 * 1440 {
        let pause = Int.random(in: 3...600, using: &generator)
        minutes += pause
        link.wait(.seconds(pause * 60))
        // What it measured and counted meanwhile.
        while place + 300 <= band.shown {
          let (day, slot) = (place / 86_400, Int(place % 86_400 / 300))
          let rate: UInt8 = Bool.random(using: &generator) ? 0 : UInt8.random(in: 45...170, using: &generator)
          truth[day, default: [UInt8](repeating: 0, count: 288)][slot] = rate
          steps[day, default: 0] += Int.random(in: 0...200, using: &generator)
          place += 300
        }
        band.rates = truth
        band.totals = steps.mapValues { ($0, $0 * 4 / 5, $0 / 25) }
        try await hub.visit(link)
      }
      // The last one may have been near midnight.
      link.wait(.seconds(600))
      try await hub.visit(link)
      #expect(hub.defects == [])
      let found = hub.values(.heartRate)
      #expect(Set(found.map(\.time)).count == found.count, "no minute twice")
      for value in found {
        let place = Int(value.time % 86_400 / 300)
        #expect(truth[value.time / 86_400]?[place] == UInt8(value.values[0]))
      }
      // Seven days back, one visit in ten hours at least: all of it was there to be had.
      var all = 0
      for (day, rates) in truth {
        for (place, rate) in rates.enumerated() where rate != 0 {
          // The visits were made at whole places at most: one may be open.
          if day * 86_400 + Int64(place) * 300 + 300 <= band.shown { all += 1 }
        }
      }
      #expect(found.count == all)
      // Days that are over add up to what their counters said; today's as far as it was looked at.
      for (day, sum) in steps where day > Self.day && day < band.today {
        #expect(hub.sum(.steps, day) == Int64(sum), "day \(day) of \(band.today)")
      }
      #expect(hub.sum(.steps, band.today) == Int64(steps[band.today] ?? 0))
      #expect(link.memory[MoyoungPastDayOrder.self]?.order == (band.isNamed ? .named : .observed))
    }
  }

  @Test("look at no day within a minute of midnight")
  func midnight() throws {
    try onLoop { _ in
      let band = band()
      let (link, hub) = (band.link, PocketHub())
      try await hub.visit(link)
      let before = band.requests.count
      link.wait(.seconds(86_400 - 36_000 - 45))
      try await hub.visit(link)
      #expect(band.requests.dropFirst(before).map(\.command) == [46, 49, 47, 55])
      link.wait(.seconds(180))
      band.totals[Self.day + 1] = (12, 9, 1)
      band.totals[Self.day] = (4500, 3500, 170)
      try await hub.visit(link)
      #expect(hub.sum(.steps, Self.day) == 4500 && hub.sum(.steps, Self.day + 1) == 12)
    }
  }

  @Test("fetch the night once its stages have ended, and the days before if a visit was missed")
  func sleep() throws {
    try onLoop { _ in
      let band = band()
      band.nights = [
        Self.day: [[1, 23, 10], [2, 0, 5], [1, 1, 40], [0, 6, 55]], Self.day - 1: [[1, 22, 0], [0, 7, 0]],
        Self.day - 2: [[1, 21, 0], [0, 5, 0]],
      ]
      let (link, hub) = (band.link, PocketHub())
      try await hub.visit(link)
      let stages = hub.values(.sleepStage)
      let begins: [Int64] = stages.map { $0.time - Self.midnight }
      #expect(begins == [-183_600, -93_600, -3000, 300, 6000])
      #expect(stages.map { $0.values[1] } == [3, 3, 3, 4, 3])
      link.wait(.seconds(3600))
      try await hub.visit(link)
      #expect(hub.values(.sleepStage).count == 5, "nothing twice")
      // The next morning: today's of yesterday is yesterday's now, and that tells the order.
      link.wait(.seconds(86_400))
      band.nights[Self.day + 1] = [[1, 23, 30], [0, 7, 0]]
      try await hub.visit(link)
      #expect(hub.values(.sleepStage).count == 6 && link.memory[MoyoungPastDayOrder.self]?.order == .observed)
    }
  }

  @Test("keep sleep that cannot be read as it is, once")
  func oddSleep() throws {
    try onLoop { _ in
      let band = band()
      band.nights[Self.day] = [[1, 25, 10], [2, 0, 5]]
      let (link, hub) = (band.link, PocketHub())
      for _ in 0..<3 { try await hub.visit(link) }
      #expect(hub.defects.count == 1 && hub.values(.sleepStage).isEmpty)
    }
  }

  @Test("fetch a training and its rates, part by part, and no minute of it twice")
  func training() throws {
    try onLoop { _ in
      let band = band()
      let hub = PocketHub()
      let begin = Self.midnight + 8 * 3600
      band.trainings = [
        PocketBand.training(begin, minutes: 25, type: 2), PocketBand.training(begin - 86_400, minutes: 10),
      ]
      let rates = (0..<25).map { UInt8(100 + $0) }
      band.parts = PocketBand.ratesOfTraining(begin, [Array(rates[..<10]), Array(rates[10..<20]), Array(rates[20...])])
      var day = [UInt8](repeating: 0, count: 288)
      for place in 90..<110 { day[place] = 99 }
      band.rates[Self.day] = day
      let link = band.link
      try await hub.visit(link)
      let trainings: [[Int64]] = hub.values(.training).map(\.values)
      #expect(trainings == [[0, 1, 600, 1800, 200, 0, 0], [0, 2, 1500, 1800, 200, 0, 0]])
      #expect(band.requests.filter { $0.command == 52 }.map(\.payload) == [[], [], []])
      let found = hub.values(.heartRate)
      #expect(Set(found.map { $0.time / 60 }).count == found.count)
      #expect(found.count == 25 + 20 - 5)
      link.wait(.seconds(900))
      try await hub.visit(link)
      #expect(hub.values(.heartRate).count == found.count && hub.values(.training).count == 2)
      // The other way round: the day's rates were stored before the training's came.
      let late = Self.midnight + 8 * 3600 + 1800
      band.parts = PocketBand.ratesOfTraining(late, [rates])
      link.wait(.seconds(900))
      try await hub.visit(link)
      let all = hub.values(.heartRate)
      #expect(Set(all.map { $0.time / 60 }).count == all.count && all.count == found.count + 25 - 5)
    }
  }

  @Test("ask for no part of a training's rates twice: a band goes on to the next, with minutes unknown by then")
  func lostPartOfTraining() throws {
    try onLoop { _ in
      let band = band()
      let (link, hub) = (band.link, PocketHub())
      let begin = Self.midnight + 8 * 3600
      let rates = (0..<25).map { UInt8(100 + $0) }
      let parts = PocketBand.ratesOfTraining(begin, [Array(rates[..<10]), Array(rates[10..<20]), Array(rates[20...])])
      band.parts = [parts[0], parts[1], []] + parts[2...]
      try await hub.visit(link)
      #expect(hub.values(.heartRate).map(\.values) == rates[..<20].map { [Int64($0)] })
      // The band has sent no end, so it begins again on the next link.
      band.parts = parts
      link.wait(.seconds(900))
      try await hub.visit(link)
      let all = hub.values(.heartRate).sorted { $0.time < $1.time }
      #expect(all.map(\.values) == rates.map { [Int64($0)] })
      #expect(all.map(\.time) == rates.indices.map { begin + 60 * Int64($0) })
    }
  }

  @Test("read the begin of a training in whichever order its bytes make sense, and refuse it if neither does")
  func trainingBegin() throws {
    try onLoop { _ in
      let band = band()
      let (link, hub) = (band.link, PocketHub())
      let begin = Self.midnight + 9 * 3600
      let big = [UInt8](withUnsafeBytes(of: UInt32(begin - 28_800).bigEndian) { Array($0) })
      band.parts = [[0] + big + [120, 121], [2]]
      try await hub.visit(link)
      #expect(hub.values(.heartRate).map(\.time) == [begin, begin + 60])
      band.parts = [[0, 1, 2, 3, 4, 120, 121], [2]]
      try await hub.visit(link)
      #expect(hub.values(.heartRate).count == 2 && link.notes.contains { $0.contains("did not begin this month") })
    }
  }

  @Test("refuse a training and rates of a time that has not come, and say that the clock was ahead")
  func ahead() throws {
    try onLoop { _ in
      let band = band()
      var rates = [UInt8](repeating: 0, count: 288)
      (rates[110], rates[200]) = (70, 71)
      band.rates[Self.day] = rates
      band.trainings = [PocketBand.training(Self.midnight + 50_000, minutes: 20)]
      let (link, hub) = (band.link, PocketHub())
      try await hub.visit(link)
      #expect(hub.values(.heartRate).map { $0.values[0] } == [70] && hub.values(.training).isEmpty)
      #expect(link.notes.contains { $0.contains("clock was ahead") })
      #expect(hub.refused == [.heartRate: 1])
    }
  }

  @Test("count each value that they refuse once, whatever else is new, and also without any other value")
  func refusedOnce() throws {
    try onLoop { _ in
      let band = band()
      var rates = [UInt8](repeating: 0, count: 288)
      // 16:40 to 16:55, seen at 10:00; that quarter of the day has no other values.
      for place in 200..<204 { rates[place] = 71 }
      band.rates[Self.day] = rates
      let (link, hub) = (band.link, PocketHub())
      for _ in 0..<3 { try await hub.visit(link) }
      #expect(hub.refused == [.heartRate: 4] && hub.values(.heartRate).isEmpty)
      for place in 204..<206 { rates[place] = 72 }
      band.rates[Self.day] = rates
      for _ in 0..<3 { try await hub.visit(link) }
      #expect(hub.refused == [.heartRate: 6])
      // The hours go by, and it measures again from 12:00 on.
      for hour in 0..<10 {
        link.wait(.seconds(3600))
        if hour > 1 { for place in 0..<12 { rates[(hour + 10) * 12 + place] = UInt8(80 + place) } }
        band.rates[Self.day] = rates
        try await hub.visit(link)
      }
      #expect(hub.refused == [.heartRate: 6] && hub.values(.heartRate).count { $0.values[0] >= 80 } == 96)
      #expect(!hub.values(.heartRate).contains { $0.values[0] < 80 })
    }
  }

  @Test("count the rates of a training that they refuse")
  func refusedOfTraining() throws {
    try onLoop { _ in
      let band = band()
      band.rates = [:]
      band.parts = PocketBand.ratesOfTraining(Self.midnight + 35_880, [(0..<10).map { 120 + $0 }])
      let (link, hub) = (band.link, PocketHub())
      for _ in 0..<2 { try await hub.visit(link) }
      #expect(hub.refused[.heartRate] == 10 - hub.values(.heartRate).count)
      #expect(hub.values(.heartRate).map(\.time) == (0..<5).map { Self.midnight + 35_880 + $0 * 60 })
    }
  }

  @Test("go on if a command is not known, and end if every answer is missing")
  func silence() throws {
    try onLoop { _ in
      let band = band()
      band.mute = [55, 50]
      let (link, hub) = (band.link, PocketHub())
      try await hub.visit(link)
      #expect(hub.sum(.steps, Self.day) == 4100 && link.notes.contains("it does not answer command 55"))
      band.mute = [47, 51, 50, 53, 55]
      var trouble: VisitTrouble?
      do { try await hub.visit(link) } catch let error as VisitTrouble { trouble = error }
      #expect(trouble == .silent(what: "an answer to command 51"))
    }
  }

  @Test("ask for the other heart rates, too, if one answer is lost twice")
  func lostRates() throws {
    try onLoop { _ in
      let wrist = Wrist()
      try await wrist.visit()
      wrist.wear(300)
      // That of the first quarter of today, which has no such values.
      wrist.band.lost = 0
      let begin = wrist.wall - 300 * 60
      try await wrist.visit()
      let account = wrist.account(from: begin)
      #expect(account.missing == 0 && account.double == 0)
    }
  }

  @Test("pass over what is late, foreign or broken between a command and its answer")
  func noise() throws {
    try onLoop { _ in
      let band = band()
      band.rates[Self.day] = [UInt8](repeating: 66, count: 288)
      band.noise = [
        [1, 2, 3], [0xFE, 0xEA, 0x20, 0x06, 109, 80], [0xFE, 0xEA, 0x20, 0x07, 53, 9, 9], [0xFE, 0xEA, 0x20, 0x02],
      ]
      let (link, hub) = (band.link, PocketHub())
      try await hub.visit(link)
      #expect(hub.values(.heartRate).count == 120 && hub.defects == [])
      #expect(link.notes.contains { $0.contains("no frame") })
    }
  }

  @Test("send a wearer's body once, and again when it or the wearer is another")
  func wearer() throws {
    try onLoop { _ in
      let band = band()
      let (link, hub) = (band.link, PocketHub())
      var facts = BodyFacts()
      (facts.height, facts.weight, facts.sex) = (164, 61, .female)
      link.orders.wearer = WearerBody(number: 7, facts)
      try await hub.visit(link)
      #expect(band.users.isEmpty, "nobody knows how old she is")
      facts.born = LocalDate(year: 1965, month: 3, day: 1)
      link.orders.wearer = WearerBody(number: 7, facts)
      for _ in 0..<2 { try await hub.visit(link) }
      #expect(band.users == [[0xA4, 0x3D, 0x3D, 0x01]])
      let session = try await hub.visit(link)
      link.orders.wearer = WearerBody(number: 8, facts)
      try await session.ordersChanged()
      link.orders.wearer = nil
      try await session.ordersChanged()
      #expect(band.users.count == 2)
    }
  }

  @Test("show today's totals on request, and store none of them as live values")
  func today() throws {
    try onLoop { _ in
      let band = band()
      let link = band.link
      let session = try await PocketHub().visit(link)
      #expect(session.reports == ["today", "wearer"])
      let rows = try await session.report("today")
      #expect(rows.map(\.name) == ["activity"] && rows[0].fields.map(\.value) == ["4100", "3200", "150"])
      let (driver, sink) = (MoyoungDriver(), RecordingSink())
      let decoder = driver.makeDecoder()
      try decoder.tell(driver, 0xFEE1, "220100F00000100000", into: sink)
      try decoder.tell(driver, 0x2A19, "4D", into: sink)
      #expect(sink.samples.map(\.series) == [.battery] && sink.samples[0].value == 77)
      #expect(throws: DecodeError.truncated) { try decoder.tell(driver, 0xFEE1, "2201", into: sink) }
      try decoder.tell(driver, 0xFEE3, "FEEA200B340020FB006B64", into: sink)
      #expect(sink.newItems == 1, "a training came: the next visit comes sooner")
    }
  }

  @Test("claim no wearable without the family's channel")
  func channel() throws {
    try onLoop { _ in
      final class Other: LinkPeer {
        let database = GATTDatabase.made(of: [GATTServiceDefinition(0xFEEA, [])])
        func read(_ characteristic: GATTCharacteristic) throws(VisitTrouble) -> [UInt8] { [] }
        func write(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) {}
        func command(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) {}
      }
      let other = Other()
      #expect(MoyoungDriver().makeSession(ScriptedLink(other)) == nil)
    }
  }
}
