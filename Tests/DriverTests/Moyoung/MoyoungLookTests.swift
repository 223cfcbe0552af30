import Bluetooth
import Health
import Testing
import Wearable

@testable import DriverTestSupport
@testable import MoyoungFamily

@Suite("Looks at what a band keeps")
struct MoyoungLookTests {
  private static let day: Int64 = 20_778
  private static var midnight: Int64 { day * 86_400 }

  private static func seed() -> UInt64 {
    var system = SystemRandomNumberGenerator()
    let seed = system.next()
    print("looks: seed \(seed)")
    return seed
  }

  private func decoded(_ look: any MoyoungLook) -> CollectingItems {
    let items = CollectingItems()
    look.append(to: items)
    return items
  }

  private func values(_ items: CollectingItems) -> [[Int64]] { items.items.map(\.values) }

  /// The same after it was written and read.
  private func again<Look: MoyoungLook>(_ look: Look) throws -> Look { try look.bytes.withUnsafeBytes { try Look($0) } }

  // MARK: heart rates

  private func rates(_ rates: [UInt8], at inDay: Int64, known: [UInt8] = [], training: Set<Int64> = []) throws
    -> RatesLook
  {
    try #require(
      RatesLook(
        rates, day: Self.day, quarter: 1, readAt: Self.midnight + inDay, since: 0, known: known,
        isOfTraining: { training.contains($0) }))
  }

  @Test("store a rate once its five minutes are over, at its time; 0 and what was never written are no samples")
  func rates() throws {
    var bytes = [UInt8](repeating: 0, count: 72)
    (bytes[10], bytes[11], bytes[13], bytes[14], bytes[15]) = (70, 71, 73, 0xFF, 80)
    // 06:50, 06:55, 07:05 and 07:15, at 07:12.
    let look = try again(rates(bytes, at: 7 * 3600 + 720))
    let items = decoded(look)
    let minutes: [Int64] = items.items.map { ($0.time / 1_000_000 - Self.midnight) / 60 }
    #expect(minutes == [410, 415, 425])
    #expect(values(items) == [[70], [71], [73]])
    #expect(look.name == "heart-rate/2026-11-21T06" && look.count == 3 && !look.isWhole)
    // 07:15 lies three minutes ahead: the clock was ahead of the hub's, and no value of that time is stored.
    #expect(look.future == 1 && look.verdict.isTimeUnsure && items.refused == [.heartRate: 1])
    // A quarter of an hour later it is over.
    let later = try again(rates(bytes, at: 7 * 3600 + 1200, known: look.progress))
    #expect(values(decoded(later)) == [[80]] && later.mark != look.mark && later.future == 0)
    let last = try rates(bytes, at: 7 * 3600 + 1300, known: later.progress)
    #expect(last.count == 0 && last.mark == later.mark)
  }

  @Test("leave the minute of a training to its own rates")
  func ratesOfTraining() throws {
    var bytes = [UInt8](repeating: 0, count: 72)
    for place in 0..<4 { bytes[place] = 100 }
    let minute = Self.midnight + 6 * 3600 + 300
    let look = try rates(bytes, at: 12 * 3600, training: [minute])
    #expect(look.count == 3 && look.isWhole && !look.verdict.isTimeUnsure)
    #expect(!decoded(look).items.contains { $0.time == minute * 1_000_000 })
  }

  @Test("store every rate of a day once, however often and whenever it is looked at")
  func ratesOnce() throws {
    var generator = SeededGenerator(seed: Self.seed())
    for _ in 0..<300 {
      let truth = (0..<72).map { _ in
        Bool.random(using: &generator) ? 0 : UInt8.random(in: 40...180, using: &generator)
      }
      var progress: [UInt8] = []
      var times: [Int64] = []
      var now = Int64.random(in: 0...(7 * 3600), using: &generator)
      while true {
        // The band has what came until now, and the one it measures just now has another value yet.
        let shown = (0..<72).map { place -> UInt8 in
          let begin = 6 * 3600 + Int64(place) * 300
          return begin > now ? 0 : begin + 300 > now ? UInt8.random(in: 0...250, using: &generator) : truth[place]
        }
        let look = try again(rates(shown, at: now, known: progress))
        times += decoded(look).items.map(\.time)
        if look.count > 0 { progress = look.progress }
        if now > 12 * 3600 { break }
        now += Int64.random(in: 1...7200, using: &generator)
      }
      let places = truth.indices.filter { truth[$0] != 0 }
      let begin = Self.midnight + 6 * 3600
      let expected: [Int64] = places.map { (begin + Int64($0) * 300) * 1_000_000 }
      #expect(times.sorted() == expected)
    }
  }

  // MARK: totals

  private func totals(
    _ now: (UInt32, UInt32, UInt32), at inDay: Int64, isOver: Bool = false, known: TotalsLook.Known?
  ) throws -> TotalsLook {
    try #require(
      TotalsLook(
        DailyTotals(steps: now.0, metres: now.1, kilocalories: now.2), day: Self.day, readAt: Self.midnight + inDay,
        isOver: isOver, since: 0, isDayCertain: true, known: known))
  }

  @Test("store by how much the counters of a day have grown, in the time in which they did")
  func totals() throws {
    let first = try again(totals((290, 240, 16), at: 9 * 3600, known: nil))
    #expect(
      values(decoded(first)) == [
        [32_400_000_000, 290], [32_400_000_000, 2400], [32_400_000_000, 160],
      ])
    let known = try #require(TotalsLook.known(first.progress))
    #expect(try totals((290, 240, 16), at: 10 * 3600, known: known).count == 0)
    let second = try again(totals((1290, 1040, 16), at: 10 * 3600, known: known))
    let items = decoded(second).items
    #expect(items.map(\.values) == [[3600_000_000, 1000], [3600_000_000, 8000]])
    let nine = (Self.midnight + 9 * 3600) * 1_000_000
    #expect(items.allSatisfy { $0.time == nine })
    // The day is over: what was counted since the last look.
    let over = try again(
      totals((3290, 2040, 20), at: 30 * 3600, isOver: true, known: TotalsLook.known(second.progress)))
    #expect(
      values(decoded(over)) == [
        [50_400_000_000, 2000], [50_400_000_000, 10_000], [50_400_000_000, 40],
      ])
    #expect(TotalsLook.known(over.progress)?.isOver == true && over.isWhole)
  }

  @Test("take counters that fell below half for restarted, and those that fell by less for restored")
  func reset() throws {
    let known = TotalsLook.Known(
      until: Self.midnight + 3600, counters: DailyTotals(steps: 1000, metres: 800, kilocalories: 40), isOver: false)
    let anew = try again(totals((120, 90, 5), at: 7200, known: known))
    #expect(anew.head.marks.contains(.anew) && anew.growth == DailyTotals(steps: 120, metres: 90, kilocalories: 5))
    #expect(TotalsLook.known(anew.progress)?.counters.steps == 120)
    let restored = try totals((950, 760, 38), at: 7200, known: known)
    #expect(restored.count == 0 && TotalsLook.known(restored.progress)?.counters.steps == 1000)
    #expect(
      try totals((1050, 760, 41), at: 7200, known: known).growth == DailyTotals(steps: 50, metres: 0, kilocalories: 1))
  }

  @Test("add up to what the counters said in the end, whenever they were looked at")
  func sums() throws {
    var generator = SeededGenerator(seed: Self.seed())
    for _ in 0..<500 {
      var now: (UInt32, UInt32, UInt32) = (0, 0, 0)
      var known: TotalsLook.Known?
      var sum: Int64 = 0
      var ends: [Int64] = []
      var inDay = Int64.random(in: 60...7200, using: &generator)
      while inDay < 86_340 {
        now.0 += UInt32.random(in: 0...3000, using: &generator)
        now.1 += UInt32.random(in: 0...2000, using: &generator)
        let look = try again(totals(now, at: inDay, known: known))
        if look.count > 0 {
          known = TotalsLook.known(look.progress)
          for item in decoded(look).items where item.series == .steps {
            sum += item.values[1]
            #expect(ends.last.map { item.time >= $0 } ?? true)
            ends.append(item.time + item.values[0])
          }
        }
        inDay += Int64.random(in: 1...20_000, using: &generator)
      }
      now.0 += UInt32.random(in: 0...500, using: &generator)
      let over = try totals(now, at: 90_000, isOver: true, known: known)
      sum += Int64(over.growth.steps)
      #expect(sum == Int64(now.0))
    }
  }

  // MARK: sleep

  private static let night: [UInt8] = [1, 23, 10, 2, 0, 5, 1, 1, 40, 0, 6, 55]

  private func sleep(_ entries: [UInt8], at inDay: Int64, known: [UInt8] = []) throws -> SleepLook {
    try #require(
      SleepLook(
        SleepNight(entries), day: Self.day, readAt: Self.midnight + inDay, isSure: true, isOver: false, known: known))
  }

  @Test("store each stage until the next one, from 20:00 of the day before on; the last one's end is not reported")
  func sleep() throws {
    let look = try again(sleep(Self.night, at: 8 * 3600))
    let items = decoded(look).items
    #expect(items.map(\.values) == [[3_300_000_000, 3], [5_700_000_000, 4], [18_900_000_000, 3]])
    let begin = (Self.midnight - 50 * 60) * 1_000_000
    #expect(items.first?.time == begin)
    #expect(look.name == "sleep/2026-11-21")
    #expect(try sleep(Self.night, at: 9 * 3600, known: look.progress).count == 0)
    // REM of newer bands, and an unknown stage.
    #expect(decoded(try sleep([3, 1, 0, 9, 2, 0, 0, 3, 0], at: 36_000)).items.map { $0.values[1] } == [2, 0])
  }

  @Test("store of a night that goes on what is new, and all of one that was computed again, once more")
  func sleepGrows() throws {
    let early = try sleep(Array(Self.night.prefix(6)), at: 3600)
    #expect(early.count == 1)
    let later = try again(sleep(Self.night, at: 8 * 3600, known: early.progress))
    #expect(later.count == 2 && !later.verdict.mayRepeat)
    var other = Self.night
    other[2] = 20
    let anew = try again(sleep(other, at: 8 * 3600, known: later.progress))
    #expect(anew.count == 3 && anew.verdict.mayRepeat)
  }

  @Test("of sleep belong to a date only if no other is possible")
  func dates() {
    func date(_ entries: [UInt8], _ inDay: Int64) -> Int64? {
      SleepNight(entries).dateOfToday(readAt: Self.midnight + inDay).map { $0 - Self.day }
    }
    #expect(date(Self.night, 8 * 3600) == 0 && date(Self.night, 19 * 3600) == 0)
    // In the evening: 06:55 of tomorrow has not come.
    #expect(date(Self.night, 22 * 3600) == 0)
    // 21:10 may be of yesterday or of today: undecidable.
    #expect(date([1, 20, 30, 2, 21, 10], 22 * 3600) == nil)
    // After midnight the night that ended yesterday does not belong to today.
    #expect(date(Self.night, 1800) == nil && date([1, 23, 10, 2, 0, 5], 1800) == 0)
    #expect(date([], 1800) == nil)
  }

  @Test("of entries that are no times of day, or in no order, are defects")
  func oddSleep() throws {
    for entries: [UInt8] in [[1, 24, 0, 2, 1, 0], [1, 23, 60], [1, 3, 0, 2, 2, 0]] {
      let look = try sleep(entries, at: 36_000)
      #expect(look.isOdd)
      #expect(throws: ItemDefect.self) { try again(look) }
    }
  }

  // MARK: trainings

  @Test("store a training at its begin, without its steps, which are those of the day")
  func training() throws {
    let begin = Self.midnight + 10 * 3600
    let look = try again(
      try #require(TrainingLook(PocketBand.training(begin, minutes: 40), readAt: begin + 3600, since: 0)))
    #expect(values(decoded(look)) == [[0, 1, 2400, 1800, 200, 0, 0]] && look.isWhole)
    #expect(decoded(look).items.map(\.series) == [.training])
    #expect(TrainingLook([UInt8](repeating: 0, count: 24), readAt: begin, since: 0) == nil)
    #expect(TrainingLook([UInt8](repeating: 0xFF, count: 24), readAt: begin, since: 0) == nil)
  }

  @Test("store rates of a training minute by minute, but those of which the day has one")
  func trainingRates() throws {
    let begin = Self.midnight + 10 * 3600 + 27
    let look = try #require(
      TrainingRatesLook(
        [90, 0, 120, 121, 130], begin: begin, readAt: begin + 3600, since: 0, known: [],
        isOfDay: { $0 == Self.midnight + 10 * 3600 }))
    let items = decoded(try again(look)).items
    let seconds: [Int64] = items.map { $0.time / 1_000_000 - begin }
    #expect(seconds == [120, 180, 240])
    #expect(items.map(\.values) == [[120], [121], [130]])
    #expect(TrainingRatesLook.storedMinutes(look.progress).count == 4)
    // Told again, and longer.
    let more = try #require(
      TrainingRatesLook(
        [90, 0, 120, 121, 130, 140], begin: begin, readAt: begin + 3600, since: 0, known: look.progress,
        isOfDay: { _ in false }))
    #expect(values(decoded(more)) == [[140]])
  }

  @Test("of random bytes are read or refused, and never hold more values than bytes")
  func hostile() {
    var generator = SeededGenerator(seed: Self.seed())
    func check<Look: MoyoungLook>(_ type: Look.Type, _ kind: UInt8, _ size: Int) {
      for round in 0..<3000 {
        var bytes = (0..<(round % 2 == 0 ? size : Int.random(in: 0...(2 * size), using: &generator))).map { _ in
          UInt8.random(in: 0...255, using: &generator)
        }
        if bytes.count > 1 { (bytes[0], bytes[1]) = (1, kind) }
        guard let look = try? bytes.withUnsafeBytes({ try Look($0) }) else { continue }
        #expect(look.bytes == bytes, "does not write what it read")
        #expect(decoded(look).items.count <= bytes.count && look.progress.count <= KnownItem.progressLimit)
        #expect(look.item.isWellFormedForTest)
        _ = look.verdict
      }
    }
    check(RatesLook.self, 1, 100)
    check(SleepLook.self, 2, 11 + 12)
    check(TotalsLook.self, 3, 41)
    check(TrainingLook.self, 4, 31)
    check(TrainingRatesLook.self, 5, 13 + 20)
  }
}

extension HeldItem {
  fileprivate var isWellFormedForTest: Bool {
    !id.isEmpty && id.utf8.count <= HeldItem.idLimit && mark.utf8.count <= HeldItem.markLimit
      && (id + mark).utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}
