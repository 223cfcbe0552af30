// What a Moyoung band's clock leaves behind when it is moved, or set by others: places in work, days, nights.

import Bluetooth
import EventLoop
import Testing
import Wearable

@testable import DriverTestSupport
@testable import Health
@testable import MoyoungFamily

@Suite("Days of a Moyoung band with a moved clock", .serialized)
struct MoyoungDayTests {
  static let midnight: Int64 = 20_778 * 86_400

  private func look(
    _ rates: [UInt8], readAt: Int64, _ known: RatesProgress, isLast: Bool = false, _ overlap: MoyoungOverlap? = nil
  ) throws -> (look: RatesLook, places: [Int64], isSure: [Bool]) {
    let look = try #require(
      RatesLook(
        rates, day: 20_778, quarter: 0, readAt: Self.midnight + readAt, since: 0, known: known.bytes, isLast: isLast,
        overlap: overlap, isOfTraining: { _ in false }))
    let bytes = try look.bytes.withUnsafeBytes { try RatesLook($0) }
    #expect(bytes.bytes == look.bytes)
    let items = CollectingItems()
    bytes.append(to: items)
    return (look, items.items.map { ($0.time / 1_000_000 - Self.midnight) / 300 }, items.sure)
  }

  private static func rates(_ places: Range<Int>, _ rate: UInt8) -> [UInt8] {
    (0..<72).map { places.contains($0) ? rate : 0 }
  }

  @Test("have the rate of the place in work stored as the clock is moved, by the clock as it was, and not once more")
  func placeInWork() throws {
    var known = RatesProgress(stored: PlaceSet(72), again: nil, number: 0)
    for place in 0..<24 { (known.stored[place], known.rates[place]) = (true, 70) }
    let rates = Self.rates(0..<25, 70)
    // 02:02, and the place of 02:00 is not over.
    #expect(try look(rates, readAt: 7320, known).places == [])
    let last = try look(rates, readAt: 7320, known, isLast: true)
    #expect(last.places == [24] && last.isSure == [true])
    let overlap = try #require(
      MoyoungOverlap(from: Self.midnight + 3720, until: Self.midnight + 7320, isKnown: true, after: nil) { _ in 70 })
    // Not worn since.
    let next = RatesProgress(last.look.progress)
    #expect(try look(rates, readAt: 7860, next, overlap).places == [])
  }

  @Test("that come a third time, as others put the clock back into them, have their new rates stored, and not as sure")
  func thirdTime() throws {
    let overlap = try #require(
      MoyoungOverlap(from: Self.midnight + 3600, until: Self.midnight + 7200, isKnown: true, after: nil) { _ in 70 })
    var known = RatesProgress(stored: PlaceSet(72), again: PlaceSet(72), number: overlap.number)
    for place in 0..<36 { (known.stored[place], known.rates[place]) = (true, place < 12 ? 70 : 80) }
    for place in 12..<24 { known.again[place] = true }
    var rates = known.rates
    for place in 14..<20 { rates[place] = 90 }
    let third = try look(rates, readAt: 10_800, known, overlap)
    #expect(third.places == Array(14..<20) && third.look.wasPutBack)
    #expect(try look(rates, readAt: 11_400, RatesProgress(third.look.progress), overlap).places == [])
  }

  @Test("between two overlaps that are kept as one are stored once, and again if others put the clock back into them")
  func betweenOverlaps() throws {
    // Put back from 02:00 to 01:00, and at 03:02 seen to be ahead up to 03:25.
    let first = try #require(
      MoyoungOverlap(from: Self.midnight + 3600, until: Self.midnight + 7200, isKnown: true, after: nil) { _ in 70 })
    let both = try #require(
      first.reaching(
        Self.midnight + 12_300, next: Self.midnight + 11_100, isKnown: false, seen: Self.midnight + 10_920
      ) { $0 >= Self.midnight + 11_100 ? 75 : nil })
    #expect(
      [12, 23, 24, 36, 37, 40, 41].map { both.has(Self.midnight + $0 * 300) } == [
        true, true, false, false, true, true, false,
      ])
    // Worn all the time, and stored up to 03:00.
    var known = RatesProgress(stored: PlaceSet(72), again: PlaceSet(72), number: both.number)
    for place in 0..<36 { (known.stored[place], known.rates[place]) = (true, place < 12 ? 70 : 80) }
    for place in 12..<24 { known.again[place] = true }
    var rates = known.rates
    for place in 36..<41 { rates[place] = 90 }
    let next = try look(rates, readAt: 12_600, known, both)
    #expect(next.places == Array(36..<41))
    // A telephone put it back into them: two of the new rates are by chance what they were.
    for place in 26..<34 where place != 29 && place != 31 { rates[place] = 60 }
    let third = try look(rates, readAt: 12_900, RatesProgress(next.look.progress), both)
    #expect(third.places == [26, 27, 28, 30, 32, 33] && third.look.wasPutBack)
    #expect(try look(rates, readAt: 12_900, RatesProgress(third.look.progress), both).places == [])
  }

  @Test("that it reports after another clock's midnight are not taken for the hub's")
  func anotherMidnight() throws {
    try onLoop { _ in
      let wrist = Wrist()
      try await wrist.visit()
      let begin = wrist.wall
      // 23:50 by the hub's clock, and a telephone sets the band an hour ahead.
      wrist.wear(13 * 60 + 50)
      try await wrist.visit()
      let stored = wrist.hub.values(.heartRate).count
      wrist.band.ahead += 3600
      wrist.move(to: -1)
      try await wrist.visit()
      #expect(wrist.hub.values(.heartRate).count == stored)
      #expect(wrist.link.notes.contains { $0.contains("set by others") })
      let seen = wrist.wall
      try await wrist.visits(between: [30, 60])
      let account = wrist.account(from: seen)
      #expect(account.missing == 0 && account.double == 0)
      #expect(wrist.account(from: begin).misdated == 0)
    }
  }

  @Test("have the rate stored that was measured as the hub saw that others had set the clock ahead")
  func workAhead() throws {
    try onLoop { _ in
      let wrist = Wrist()
      wrist.band.ahead = 9 * 3600
      wrist.wear(200)
      wrist.band.mute = [53]
      try await wrist.visit()
      wrist.band.mute = []
      let begin = wrist.wall
      wrist.wear(12)
      try await wrist.visit()
      try await wrist.visits(between: [20, 45])
      let account = wrist.account(from: begin)
      #expect(account.missing == 0 && account.double == 0 && account.misdated == 0)
    }
  }

  @Test("keep what the clock showed twice until the next look, also if others set it ahead meanwhile")
  func bothOverlaps() throws {
    try onLoop { _ in
      let wrist = Wrist()
      try await wrist.visit()
      wrist.wear(400)
      wrist.move(to: -1)
      try await wrist.visit()
      let begin = wrist.wall
      wrist.wear(38)
      try await wrist.visit()
      wrist.wear(70)
      let until = wrist.wall
      wrist.band.ahead += 5 * 3600
      wrist.wear(100)
      try await wrist.visits(between: [15, 15])
      let values = wrist.hub.values(.heartRate)
      let missing = wrist.truth.filter { one in
        one.wall >= begin && one.wall + 300 < until
          && !values.contains { $0.values[0] == Int64(one.rate) && abs($0.hub - one.wall) <= 90 }
      }
      #expect(missing.isEmpty)
    }
  }

  @Test("of sleep are known again by their stages if the clock is put back behind them")
  func nightAgain() throws {
    try onLoop { _ in
      let wrist = Wrist()
      try await wrist.visit()
      let night = wrist.band.today + 1
      wrist.wear(21 * 60 + 45)
      let entries: [[UInt8]] = [[1, 23, 10], [2, 23, 35], [1, 0, 5], [2, 4, 0], [0, 5, 25]]
      wrist.band.nights[night] = entries
      try await wrist.visit()
      #expect(wrist.hub.values(.sleepStage).count == 4)
      // To 22:45 of the evening before: the band tells the night of the sleep day that has begun.
      wrist.move(to: -9)
      try await wrist.visit()
      wrist.band.nights[wrist.band.today] = entries
      try await wrist.visits(between: [15, 15])
      #expect(wrist.hub.values(.sleepStage).count == 4)
    }
  }

  @Test("of sleep that are the same to the minute are two nights if the clock showed no time twice")
  func equalNights() throws {
    try onLoop { _ in
      let wrist = Wrist()
      try await wrist.visit()
      let entries: [[UInt8]] = [[1, 23, 10], [2, 23, 35], [1, 0, 5], [2, 4, 0], [0, 5, 25]]
      let night = wrist.band.today + 1
      wrist.wear(21 * 60 + 45)
      wrist.band.nights[night] = entries
      try await wrist.visit()
      wrist.wear(24 * 60)
      wrist.band.nights[night + 1] = entries
      try await wrist.visit()
      let begins = wrist.hub.values(.sleepStage).map(\.time)
      #expect(begins.count == 8 && zip(begins, begins.dropFirst(4)).allSatisfy { $1 - $0 == 86_400 }, "\(begins)")
    }
  }

  @Test("of sleep are asked for in the evening, too, and not sure then: a band may report them as yesterday's")
  func evening() throws {
    try onLoop { _ in
      let wrist = Wrist()
      try await wrist.visit()
      wrist.wear(10 * 60 + 40)
      // The next sleep day of the band has begun.
      let today = wrist.band.today
      wrist.band.nights[today - 1] = [[1, 1, 10], [2, 3, 0], [0, 6, 30]]
      try await wrist.visit()
      let stages = wrist.hub.values(.sleepStage)
      #expect(stages.map { $0.time - today * 86_400 } == [4200, 10_800])
      #expect(stages.allSatisfy { $0.isUnsure })
      try await wrist.visit()
      #expect(wrist.hub.values(.sleepStage).count == 2)
    }
  }

  @Test("have the minutes of a training once, though a phone took its rates")
  func minutesOfTraining() throws {
    try onLoop { _ in
      let wrist = Wrist()
      try await wrist.visit()
      wrist.wear(90)
      let begin = wrist.band.shown / 60 * 60 - 40 * 60
      wrist.band.trainings = [PocketBand.training(begin, minutes: 30)]
      for minute in 0..<30 { wrist.band.minutes[Int(begin % 86_400 / 60) + minute] = UInt8(150 + minute) }
      try await wrist.visits(between: [5, 20])
      let rates = wrist.hub.values(.heartRate).filter { $0.values[0] >= 150 }
      #expect(Set(rates.map { $0.time - begin - ($0.values[0] - 150) * 60 }) == [0])
      #expect(rates.count == 30 && Set(rates.map(\.values)).count == 30)
      #expect(wrist.band.requests.count { $0.command == 54 } <= 2)
    }
  }
}
