// Days as people have them: what is found to be an effort, and what is not.

import Health
import Testing
import Vitals

@Suite("Days with a strap")
struct TrainingDayTests {
  @Test("A run is found from when the heart rose to when it fell, with zones and energy")
  func run() throws {
    var day = StrapDay(.forty)
    day.beat(70, minutes: 10)
    day.beat(150, minutes: 30)
    day.beat(85, minutes: 10)
    let effort = try #require(day.efforts.first)
    #expect(day.efforts.count == 1)
    #expect(day.signs.first == .began(.found, at: 600_000_000))
    #expect(effort.origin == .found)
    #expect(day.seconds(effort.begin) == 600)
    #expect(day.seconds(effort.end) == 2400)
    #expect(effort.active == 1800_000_000)
    #expect(effort.known == 1800_000_000)
    let zones = try #require(effort.zones)
    #expect(zones.all.reduce(0, +) == effort.known)
    #expect(zones.seconds[3] > 1500, "150 of 180 is zone 4")
    #expect(abs(try #require(effort.meanRate) - 150) < 1)
    #expect(effort.highestRate == 152)
    // Keytel for a woman: −20.4022 + 0.4472·150 − 0.1263·62 + 0.074·40 = 41.8 kJ/min, 10 kcal/min.
    #expect(abs(try #require(effort.kilocalories) - 300) < 3)
    #expect(!effort.isExtrapolated)
  }

  @Test("A training is reported when it has been going on for three minutes")
  func told() {
    var day = StrapDay(.forty)
    day.beat(70, minutes: 5)
    day.beat(140, minutes: 2.9)
    #expect(day.signs.isEmpty)
    #expect(day.detector.running == nil)
    day.beat(140, minutes: 0.2)
    #expect(day.signs == [.began(.found, at: 300_000_000)])
    #expect(day.detector.running?.begin == 300_000_000)
    #expect(day.detector.running?.zones?.seconds.reduce(0, +) ?? 0 >= 180)
  }

  @Test("A day at rest, with stairs and a dash for the bus, has no effort")
  func stairs() {
    for person in [VitalPerson(), .forty] {
      var day = StrapDay(person)
      for _ in 0..<12 {
        day.beat(68, minutes: 20, noise: 6)
        day.beat(95, to: 128, minutes: 1.5)
        day.beat(120, to: 75, minutes: 2)
        day.beat(92, minutes: 8)
      }
      #expect(day.signs.isEmpty)
    }
  }

  @Test("A patient lying at 110 bpm for hours is in no effort, of unknown age or of eighty")
  func fever() {
    for person in [VitalPerson(), VitalPerson(sex: .male, age: 80, weight: 70)] {
      var day = StrapDay(person)
      day.beat(110, minutes: 360, noise: 7)
      #expect(day.signs.isEmpty)
    }
  }

  @Test("A fever that rises by two degrees in an hour, and falls again, is no effort")
  func risingFever() {
    for person in [VitalPerson(), VitalPerson(sex: .male, age: 80, weight: 70)] {
      var day = StrapDay(person)
      day.beat(78, minutes: 60, noise: 4)
      day.beat(78, to: 98, minutes: 60, noise: 4)
      day.beat(98, to: 118, minutes: 60, noise: 4)
      day.beat(118, minutes: 240, noise: 4)
      #expect(day.signs.isEmpty)
    }
  }

  @Test("An unknown person is in effort 40 above their rest, and has no zones and no energy")
  func unknown() throws {
    var day = StrapDay()
    day.beat(65, minutes: 10)
    #expect((103...107).contains(try #require(day.detector.bound)))
    day.beat(65, to: 130, minutes: 4)
    day.beat(130, minutes: 20)
    day.beat(80, minutes: 6)
    let effort = try #require(day.efforts.first)
    #expect(effort.zones == nil)
    #expect(effort.kilocalories == nil)
    #expect((700...780).contains(day.seconds(effort.begin)), "when it passed the bound on its way up")
    #expect(day.seconds(effort.end) == 34 * 60)
  }

  @Test("Intervals are one effort, with their rests in it")
  func intervals() throws {
    var day = StrapDay(.forty)
    day.beat(72, minutes: 5)
    day.beat(125, minutes: 5)
    for _ in 0..<6 {
      day.beat(165, minutes: 2)
      day.beat(100, minutes: 1.5)
    }
    day.beat(80, minutes: 6)
    let effort = try #require(day.efforts.first)
    #expect(day.efforts.count == 1)
    #expect(day.seconds(effort.begin) == 300)
    #expect(day.seconds(effort.end) == 600 + 6 * 120 + 5 * 90)
    #expect(effort.active == effort.length - 5 * 90_000_000, "rests of more than a minute are pauses")
    #expect(effort.known == effort.length)
  }

  @Test("A run with a pause of four minutes is one, with one of six it is two")
  func pauses() {
    for (minutes, count) in [(4.0, 1), (6.0, 2)] {
      var day = StrapDay(.forty)
      day.beat(70, minutes: 5)
      day.beat(150, minutes: 15)
      day.beat(90, minutes: minutes)
      day.beat(150, minutes: 15)
      day.beat(80, minutes: 6)
      #expect(day.efforts.count == count, "\(minutes) min")
    }
  }

  @Test("A strap that is taken off in the middle of it ends it with its last value")
  func takenOff() throws {
    var day = StrapDay(.forty)
    day.beat(70, minutes: 5)
    day.beat(150, minutes: 12)
    day.silence(minutes: 4.9)
    #expect(day.efforts.isEmpty)
    day.silence(minutes: 0.3)
    let effort = try #require(day.efforts.first)
    #expect(day.seconds(effort.end) == 17 * 60 + 9, "the last value stands for ten seconds")
    day.silence(minutes: 600)
    #expect(day.signs.count == 2)
  }

  @Test("A link lost for three minutes is bridged, and its time has no values")
  func gap() throws {
    var day = StrapDay(.forty)
    day.beat(70, minutes: 5)
    day.beat(150, minutes: 10)
    day.silence(minutes: 3)
    day.beat(150, minutes: 10)
    day.beat(80, minutes: 6)
    let effort = try #require(day.efforts.first)
    #expect(day.efforts.count == 1)
    #expect(effort.length == 23 * 60_000_000)
    #expect(effort.known == effort.length - 171_000_000)
    #expect(effort.zones?.all.reduce(0, +) == effort.known)
  }

  @Test("Nine minutes are reported as begun, and are dropped")
  func short() {
    var day = StrapDay(.forty)
    day.beat(70, minutes: 5)
    day.beat(150, minutes: 9)
    day.beat(70, minutes: 6)
    #expect(day.signs == [.began(.found, at: 300_000_000), .dropped])
  }

  @Test("Twelve hours are the longest, and a heart that goes on is not found again without a rest")
  func longest() throws {
    var day = StrapDay(.forty)
    day.beat(70, minutes: 5)
    day.beat(150, minutes: 60 * 13)
    let effort = try #require(day.efforts.first)
    #expect(effort.length == TrainingLimit.longest)
    #expect(day.signs.count == 2)
    day.beat(80, minutes: 6)
    day.beat(150, minutes: 20)
    day.beat(80, minutes: 6)
    #expect(day.efforts.count == 2)
  }
}
