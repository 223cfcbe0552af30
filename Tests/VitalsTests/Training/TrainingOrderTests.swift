// Efforts by order, those of an earlier life of the hub, and their records.

import Health
import Testing
import Vitals

@Suite("Efforts by order")
struct TrainingOrderTests {
  @Test("Begin and end are exact, whatever the heart does")
  func exact() throws {
    var day = StrapDay(.forty)
    day.beat(70, minutes: 3)
    day.begin()
    day.beat(95, minutes: 7)
    day.silence(minutes: 2)
    day.end()
    #expect(day.signs.first == .began(.ordered, at: 180_000_000))
    let effort = try #require(day.efforts.first)
    #expect(effort.origin == .ordered)
    #expect((effort.begin, effort.end) == (180_000_000, 720_000_000))
    #expect(effort.active == effort.length)
    #expect(effort.known == 429_000_000)
  }

  @Test("A second begin changes nothing, and an end without a begin says so")
  func twice() {
    var day = StrapDay()
    day.end()
    #expect(day.signs.isEmpty)
    day.begin()
    day.silence(minutes: 1)
    day.begin()
    #expect(day.signs.count == 1)
  }

  @Test("An order ends what was found, and the two do not overlap")
  func overFound() throws {
    var day = StrapDay(.forty)
    day.beat(70, minutes: 5)
    day.beat(150, minutes: 15)
    day.begin()
    day.beat(150, minutes: 5)
    day.end()
    #expect(day.efforts.map(\.origin) == [.found, .ordered])
    #expect(day.efforts[0].end <= day.efforts[1].begin)
    day.beat(150, minutes: 30)
    #expect(day.efforts.count == 2)
    #expect(day.detector.running == nil, "whoever said that it is over is not found at once")
  }

  @Test("An order ends what was found at the very moment, however short it was")
  func endOfFound() throws {
    var day = StrapDay(.forty)
    day.beat(70, minutes: 5)
    day.beat(150, minutes: 4)
    day.end()
    let effort = try #require(day.efforts.first)
    #expect((effort.begin, effort.end) == (300_000_000, 540_000_000))
  }

  @Test("A forgotten one ends with its last value, an hour later; without any it is dropped")
  func forgotten() throws {
    var day = StrapDay(.forty)
    day.begin()
    day.beat(120, minutes: 20)
    day.silence(minutes: 59)
    #expect(day.efforts.isEmpty)
    day.silence(minutes: 2)
    #expect(day.seconds(try #require(day.efforts.first).end) == 1209)
    day.begin()
    day.silence(minutes: 61)
    #expect(day.signs.last == .dropped)
  }

  @Test("What went on in an earlier life goes on with the values since, as if it had never stopped")
  func resumed() throws {
    var whole = StrapDay(.forty)
    whole.beat(70, minutes: 5, noise: 0)
    whole.beat(150, minutes: 20, noise: 0)
    whole.beat(70, minutes: 6, noise: 0)
    var later = StrapDay(.forty, origin: 300_000_000)
    later.detector.resume(.found, since: 300_000_000, bound: 108)
    later.beat(150, minutes: 20, noise: 0)
    later.beat(70, minutes: 6, noise: 0)
    #expect(later.efforts == whole.efforts)
    #expect(later.efforts.count == 1)
  }

  @Test("With another wearer an effort ends: a found one at the last value at the bound, an ordered one now")
  func closed() throws {
    var day = StrapDay(.forty)
    day.beat(70, minutes: 5)
    day.beat(150, minutes: 15)
    day.beat(90, minutes: 2)
    day.close()
    #expect(day.seconds(try #require(day.efforts.first).end) == 1200)
    day.begin()
    day.beat(90, minutes: 3)
    day.close()
    #expect(day.efforts.count == 2)
    #expect(day.efforts[1].length == 180_000_000)
    #expect(!day.detector.isRunning)
  }

  @Test("An abandoned effort is not found again before a rest, and what is learned of a person counts from then on")
  func abandoned() {
    var day = StrapDay()
    day.beat(70, minutes: 5)
    day.beat(150, minutes: 5)
    day.detector.know(.forty)
    #expect(day.detector.person == VitalPerson(), "under way")
    day.detector.abandon()
    day.detector.know(.forty)
    day.beat(150, minutes: 20)
    #expect(day.signs.count == 1 && day.detector.person == .forty)
    day.beat(75, minutes: 2)
    day.beat(150, minutes: 5)
    #expect(day.signs.count == 2)
  }

  @Test("A record is read as it was written; cut or changed bytes are a defect or another record, never a trap")
  func record() throws {
    var day = StrapDay(.forty)
    day.beat(70, minutes: 5)
    day.beat(150, minutes: 20)
    day.beat(80, minutes: 6)
    let record = TrainingRecord(try #require(day.efforts.first))
    let bytes = record.bytes
    #expect(bytes.count <= 91)
    #expect(try TrainingRecord(bytes) == record)
    for length in 0..<bytes.count { _ = try? TrainingRecord(bytes.prefix(length)) }
    for seed in freshSeeds(20, for: "bytes of efforts") {
      var random = SeededRandom(seed)
      for _ in 0..<200 {
        var changed = bytes
        changed[random.below(changed.count)] = UInt8(random.below(256))
        _ = try? TrainingRecord(changed)
      }
    }
    #expect(try TrainingRecord(bytes + [9, 2, 7, 7]) == record, "later fields are passed over")
    #expect(throws: RecordDefect.version) { try TrainingRecord([2]) }
  }
}
