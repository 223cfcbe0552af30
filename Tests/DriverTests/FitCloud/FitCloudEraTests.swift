// What the records of one kind say of the times of another, and of a night: without a link.

import CivilTime
import Health
import Testing
import Wearable

@testable import DriverTestSupport
@testable import FitCloudFamily

@Suite("What a FitCloud band's clock showed")
struct FitCloudEraTests {
  private static let minute: Int64 = 60_000_000
  private static let hour = 60 * minute

  private func at(_ text: String) throws -> Int64 {
    try #require(CivilMoment(text: "2026-11-\(text):00")).microseconds(at: 0)
  }

  private func kind(_ id: String) throws -> HistoryKind { try #require(HistoryKind.all.first { $0.id == id }) }

  /// A record for each of these moments, as a clock shows them that is ahead of Greenwich's.
  private func transfer(
    _ kind: HistoryKind, _ times: [Int64], ahead: Int64, every minutes: UInt16, value: [UInt8] = [2]
  ) throws -> [UInt8] {
    var bytes = try #require(HistoryHead(code: kind.type, .new, shown: times[0], isSure: true).bytes)
    for time in times {
      let word = try #require(FitCloudTime.word(time + ahead))
      let date = UInt16(word >> 26 & 63) << 9 | UInt16(word >> 22 & 15) << 5 | UInt16(word >> 17 & 31)
      let start = UInt16(word >> 12 & 31) * 60 + UInt16(word >> 6 & 63)
      bytes += [1, date, start, minutes].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } + value
    }
    return bytes
  }

  private func places(_ eras: ClockEras, _ kind: HistoryKind, _ bytes: [UInt8], fetched: Int64)
    -> [HistoryPlacing.Place]
  {
    bytes.withUnsafeBytes { raw in
      var placing = HistoryPlacing(eras, kind, code: kind.type, fetched: fetched, in: raw)
        .resolved(raw, kind).resolved(raw, kind)
      var places: [HistoryPlacing.Place] = []
      guard var cursor = HistoryReading(kind).cursor(raw) else { return places }
      while let item = cursor.nextSound(raw) { places.append(placing.place(item)) }
      return places
    }
  }

  @Test("a setting that was not heard is known by rates of every ten minutes, for what comes once an hour too")
  func unheard() throws {
    var eras = ClockEras()
    eras.begin(ahead: Self.hour, at: try at("20T10:00"))
    eras.taken(at: try at("20T10:00"))
    eras.begin(ahead: 2 * Self.hour, at: try at("20T14:00"))
    let heard = try at("20T20:00")
    eras.taken(at: heard)
    let (rates, breaths) = (try kind("heart-rate"), try kind("respiration"))
    let first = try at("20T13:00")
    let every = (0..<42).map { first + $0 * 10 * Self.minute }
    // The value of 15:00 was missed.
    let hourly = [0, 1, 3, 4, 5, 6].map { first + $0 * Self.hour }
    let (dense, sparse) = (
      try transfer(rates, every, ahead: Self.hour, every: 10),
      try transfer(breaths, hourly, ahead: Self.hour, every: 60)
    )
    let now = heard + Self.minute
    #expect(places(eras, breaths, sparse, fetched: now).map(\.time) != hourly)
    let narrowed = dense.withUnsafeBytes { HistoryEvidence.narrowed(eras, by: $0, rates, code: 3, fetched: now) }
    let known = try #require(narrowed)
    #expect(eras.isUndecided && places(known, rates, dense, fetched: now).map(\.time) == every)
    let told = places(known, breaths, sparse, fetched: now)
    #expect(told.map(\.time) == hourly && told.allSatisfy(\.isSure))
  }

  @Test("a night at one stretch is of the clock that was set while it went on, if a telephone's was as far ahead")
  func night() throws {
    var eras = ClockEras()
    eras.begin(ahead: 2 * Self.hour, at: try at("20T10:00"))
    eras.taken(at: try at("20T10:00"))
    let set = try at("20T20:00")
    eras.begin(ahead: Self.hour, at: set)
    eras.taken(at: set)
    // By the rates of that time it was ahead by twelve minutes less than it was.
    let (before, from) = (try at("20T14:00"), try at("20T14:10"))
    let foreign = ForeignClock(from: from, ahead: 48 * Self.minute, doubtedFrom: before, lastBefore: before)
    eras.insert(foreign, at: 1, setAt: set)
    let sleep = try kind("sleep")
    let begins = try at("20T18:00")
    let stages = (0..<16).map { begins + $0 * 30 * Self.minute }
    let bytes = try transfer(sleep, stages, ahead: Self.hour, every: 30)
    #expect(places(eras, sleep, bytes, fetched: try at("21T03:00")).map(\.time) == stages)
  }

  @Test("the minute of a value that the band has forgotten is of the clock that a telephone set back")
  func forgotten() throws {
    var eras = ClockEras()
    eras.begin(ahead: 0, at: try at("20T10:00"))
    eras.taken(at: try at("20T10:00"))
    let (rates, pressures) = (try kind("heart-rate"), try kind("blood-pressure"))
    let first = try at("20T13:00")
    // The memory was emptied at 13:02, and the clock set back by an hour at 13:03.
    eras.emptied(rates.type, at: first + 2 * Self.minute, newest: (shown: first, time: first))
    var emptied = eras
    emptied.emptied(pressures.type, at: first + 2 * Self.minute, newest: (shown: first, time: first))
    let set = try at("20T16:01")
    let now = set + Self.minute
    let dense = try transfer(
      rates, (1...18).map { first + $0 * 10 * Self.minute }, ahead: -Self.hour, every: 10)
    let hourly = (1...3).map { first + $0 * Self.hour }
    let sparse = try transfer(pressures, hourly, ahead: -Self.hour, every: 60, value: [120, 80])
    func learn(_ known: ClockEras, _ bytes: [UInt8]) -> ClockEras {
      bytes.withUnsafeBytes {
        HistoryEvidence.eras(known, in: $0, rates, code: rates.type, fetched: now, set: set...set)
      }
    }
    let moved = learn(emptied, dense)
    #expect(moved != emptied && places(moved, pressures, sparse, fetched: now).map(\.time) == hourly)
    // A transfer that was never confirmed is sent once more. The same record has the same time, and the next one, of
    // the same minute, its own.
    let before = try transfer(pressures, [first], ahead: 0, every: 60, value: [120, 80])
    let repeated = before + Array(sparse[HistoryHead.size...])
    let told = places(learn(eras, dense), pressures, repeated, fetched: now)
    #expect(told.map(\.time) == [first] + hourly)
  }

  @Test("records that the band has lost prove no clock after the hub's own was put back")
  func forgottenAndPutBack() throws {
    var eras = ClockEras()
    eras.begin(ahead: 0, at: try at("20T10:00"))
    eras.taken(at: try at("20T10:00"))
    let first = try at("20T13:00")
    eras.emptied(5, at: first + 2 * Self.minute, newest: (shown: first, time: first))
    eras.begin(ahead: 0, at: first + Self.hour)
    #expect(eras.forgotten(5)?.shown == first)
    eras.begin(ahead: 0, at: first - Self.hour)
    #expect(eras.forgotten(5) == nil)
  }

  @Test("what another kind has between two records of different clocks is of either, and suggests no third")
  func between() throws {
    var eras = ClockEras()
    eras.begin(ahead: 0, at: try at("20T10:00"))
    eras.taken(at: try at("20T10:00"))
    let (rates, oxygen) = (try kind("heart-rate"), try kind("spo2"))
    let first = try at("20T12:00")
    // The value of 13:00 was missed; at 13:05 a telephone set it ahead.
    let own = (0..<6).map { first + $0 * 10 * Self.minute }
    let other = (7..<19).map { first + $0 * 10 * Self.minute }
    let set = try at("20T15:01")
    let now = set + Self.minute
    let head = HistoryHead.size
    let dense =
      try transfer(rates, own, ahead: 0, every: 10)
      + Array(try transfer(rates, other, ahead: 2 * Self.hour, every: 10)[head...])
    let sparse =
      try transfer(oxygen, [first, first + 30 * Self.minute, first + 60 * Self.minute], ahead: 0, every: 30)
      + Array(try transfer(oxygen, [first + 90 * Self.minute], ahead: 2 * Self.hour, every: 30)[head...])
    func learn(_ known: ClockEras, _ kind: HistoryKind, _ bytes: [UInt8]) -> ClockEras {
      bytes.withUnsafeBytes {
        HistoryEvidence.eras(known, in: $0, kind, code: kind.type, fetched: now, set: set...set)
      }
    }
    let moved = learn(eras, rates, dense)
    #expect(moved != eras && learn(moved, oxygen, sparse) == moved)
    let times = [0, 30, 60, 90].map { first + $0 * Self.minute }
    #expect(places(moved, oxygen, sparse, fetched: now).map(\.time) == times)
  }

  @Test("a slot that an old defect fills, behind the end of an earlier transfer, suggests no other clock")
  func filled() throws {
    var eras = ClockEras()
    eras.begin(ahead: 0, at: try at("20T10:00"))
    eras.taken(at: try at("20T10:00"))
    let steps = try kind("steps")
    let first = try at("20T12:00")
    let one = try transfer(steps, [first], ahead: 0, every: 30, value: [0, 99])
    let asked = first + 70 * Self.minute
    let tail = one.withUnsafeBytes {
      HistoryTail.last(of: $0, steps, HistoryPlacing(eras, steps, code: 1, fetched: asked))
    }
    let isNews = eras.note(HistoryReach(at: asked, tail: tail), of: 1)
    // 12:30 was over when the first came; it fills the gap to 13:00.
    let filler = try transfer(steps, [first + 30 * Self.minute], ahead: 0, every: 30, value: [0xFF, 0xFE])
    let next = try transfer(steps, [first + 60 * Self.minute], ahead: 0, every: 30, value: [0, 42])
    let all = one + Array(filler[HistoryHead.size...]) + Array(next[HistoryHead.size...])
    let now = first + 100 * Self.minute
    let learned = all.withUnsafeBytes {
      HistoryEvidence.eras(eras, in: $0, steps, code: 1, fetched: now, set: now...now)
    }
    #expect(isNews && learned == eras)
  }
}
