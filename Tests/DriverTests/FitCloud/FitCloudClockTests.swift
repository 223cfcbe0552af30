// A band's clock that is moved, by the hub, by a phone, by a zone and by the seasons. Every value that the hub tells
// the band to erase is in a series, once, at its time.

import CivilTime
import EventLoop
import Health
import Reasons
import Testing
import Wearable

@testable import DriverTestSupport
@testable import FitCloudFamily

/// A band that measures, with a hub that visits it and keeps what it decodes, as the hub does.
@LoopActor
private final class MovedBand {
  struct Kept: Hashable {
    let time: Int64
    let value: Int64
  }

  let band = PocketBand()
  private(set) var kept: [Kept: Bool] = [:]
  private(set) var notices: [ItemNotice] = []
  /// What the hub has is not read again.
  private var marks: Set<String> = []
  /// What was measured really, and whether the band was told to forget it.
  private(set) var truth: [Int64: Int64] = [:]
  /// µs that the band shows beyond Greenwich's time.
  var ahead: Int64 = 0
  private let minute: Int64 = 60_000_000

  var now: Int64 { band.link.hubTime.wall.microseconds }

  init() throws {
    band.features = 1 << 0
    band.link.wall = try #require(CivilMoment(text: "2026-11-20T15:00:00")).microseconds(at: 0)
  }

  /// A rate every so many minutes by its own clock, until a moment of that day.
  func measure(until text: String, every minutes: Int64 = 5) throws {
    let end = try #require(CivilMoment(text: text)).microseconds(at: 0)
    var shown = (now + ahead) / (minutes * minute) * minutes * minute + minutes * minute
    while shown - ahead <= end {
      let value = UInt8(50 + (shown / minute) % 90)
      band.histories[3, default: []] += PocketBand.record(Self.text(shown), interval: UInt16(minutes), [value])
      truth[shown - ahead] = Int64(value)
      shown += minutes * minute
    }
    band.link.wait(.microseconds(end - now))
  }

  private static func text(_ time: Int64) -> String {
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let second = time / 1_000_000 % 86_400
    let day = LocalDate(dayNumber: time / 86_400_000_000).text
    return "\(day)T\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))"
  }

  /// - Parameter confirms: the band is told that the hub has stored it, if the hub would do so.
  func visit(confirms: Bool = true, store: ScratchStore) async throws {
    band.forgetLink()
    let session = try #require(FitCloudSession(band.link))
    _ = try await session.check()
    ahead = try #require(band.clock) - now
    ahead = (ahead + (ahead < 0 ? -minute : minute) / 2) / minute * minute
    for other in session.domains where other.id != "heart-rate" { #expect(try await other.list(known: []).isEmpty) }
    let domain = try #require(session.domains.first { $0.id == "heart-rate" })
    for item in try await domain.list(known: []) {
      let (sink, items) = (CollectingSink(), CollectingItems())
      if marks.insert(item.mark).inserted { try await domain.fetch(item, into: sink) }
      if !sink.bytes.isEmpty {
        try sink.bytes.withUnsafeBytes { bytes in
          notices += try domain.verify(item, bytes).notices
          try domain.decode(item, bytes, into: items)
        }
      }
      for (place, value) in items.items.enumerated() where value.time <= now + 120_000_000 {
        let sample = Kept(time: value.time, value: value.values[0])
        kept[sample] = kept[sample] ?? items.sure[place]
      }
      guard confirms, let removal = domain.removals(of: [item]).first else { continue }
      let receipt = try await store.receipt(item)
      let proof = try #require(RemovalProof(removal, of: store.wearable, receipts: [receipt]))
      #expect(try await domain.remove(proof) == .erased)
    }
    try await session.finish()
  }

  /// A link over which its clock is set and no data are fetched.
  func look() async throws {
    band.forgetLink()
    let session = try #require(FitCloudSession(band.link))
    _ = try await session.check()
    ahead = try #require(band.clock) - now
    ahead = (ahead + (ahead < 0 ? -minute : minute) / 2) / minute * minute
    try await session.finish()
  }

  /// The band's clock counts from 2000.
  func loseTime() throws {
    ahead = (try #require(CivilMoment(text: "2000-01-01T00:00:00")).microseconds(at: 0) - now) / minute * minute
  }

  /// Each value is there once, at most so many seconds from when it was measured.
  func hasAll(within seconds: Int64) -> Bool {
    kept.count == truth.count
      && kept.keys.allSatisfy { kept in
        truth.contains { $0.value == kept.value && abs($0.key - kept.time) <= seconds * 1_000_000 }
      }
  }

  /// Values that are not in the store at their time.
  var missing: [Int64] { truth.filter { kept[Kept(time: $0.key, value: $0.value)] == nil }.keys.sorted() }
  /// Values in the store that were not measured then.
  var strange: [Kept] { kept.keys.filter { truth[$0.time] != $0.value }.sorted { $0.time < $1.time } }
  var unsure: Int { kept.values.count { !$0 } }
}

@Suite("A FitCloud band with a moved clock", .serialized)
struct FitCloudClockTests {
  @LoopActor
  private func settled(_ loop: VirtualLoop) async throws -> (MovedBand, ScratchStore) {
    let (moved, store) = (try MovedBand(), try ScratchStore(loop))
    try await moved.visit(store: store)
    moved.band.link.wait(.seconds(600))
    return (moved, store)
  }

  @Test(
    "keeps what it measured before its hub came to another zone, west or east of it",
    arguments: ["America/New_York", "Asia/Tokyo", "Asia/Kolkata", "Pacific/Honolulu"], [true, false])
  func zone(_ name: String, confirms: Bool) throws {
    try onLoop { loop in
      let (moved, store) = try await settled(loop)
      try moved.measure(until: "2026-11-20T17:30:00")
      moved.band.link.zone = try #require(TimeZoneRules.named(name))
      // The verdict may be lost, or may not be wanted.
      try await moved.visit(confirms: confirms, store: store)
      #expect(moved.missing.isEmpty && moved.strange.isEmpty && moved.unsure == 0)
      for hour in ["2026-11-20T18:30:00", "2026-11-20T23:10:00", "2026-11-21T19:00:00"] {
        try moved.measure(until: hour)
        try await moved.visit(confirms: confirms, store: store)
        #expect(moved.missing.isEmpty && moved.strange.isEmpty && moved.unsure == 0)
      }
      #expect(moved.notices.isEmpty && moved.band.histories.isEmpty == confirms)
      await store.close()
    }
  }

  @Test("keeps what it measured over a change of the season while it was away", arguments: [true, false])
  func season(_ isAutumn: Bool) throws {
    try onLoop { loop in
      let moved = try MovedBand()
      let store = try ScratchStore(loop)
      moved.band.link.zone = try #require(TimeZoneRules.named("Europe/Berlin"))
      let (before, after) =
        isAutumn
        ? ("2026-10-24T20:00:00", "2026-10-25T07:00:00") : ("2026-03-28T20:00:00", "2026-03-29T07:00:00")
      moved.band.link.wall = try #require(CivilMoment(text: before)).microseconds(at: 0)
      try await moved.visit(store: store)
      moved.band.link.wait(.seconds(600))
      try moved.measure(until: after)
      try await moved.visit(store: store)
      #expect(moved.missing.isEmpty && moved.strange.isEmpty && moved.unsure == 0 && moved.band.histories.isEmpty)
      try moved.measure(until: String(after.prefix(11)) + "09:00:00")
      try await moved.visit(store: store)
      #expect(moved.missing.isEmpty && moved.strange.isEmpty && moved.unsure == 0 && moved.notices.isEmpty)
      await store.close()
    }
  }

  @Test(
    "keeps the time of what it measures as it shows the moment of its setting once more", arguments: [true, false])
  func again(confirms: Bool) throws {
    try onLoop { loop in
      let (moved, store) = try await settled(loop)
      try moved.measure(until: "2026-11-20T17:30:00")
      moved.band.link.zone = try #require(TimeZoneRules.named("America/New_York"))
      // At 22:30 it shows 17:30 again, and that value is the first of its transfer, or the first that is new.
      let (before, after) = ("2026-11-20T22:28:00", "2026-11-20T22:33:00")
      for hour in ["2026-11-20T17:31:00", "2026-11-20T20:00:00", before, after, "2026-11-20T23:30:00"] {
        try await moved.visit(confirms: confirms, store: store)
        try moved.measure(until: hour)
      }
      try await moved.visit(confirms: confirms, store: store)
      #expect(moved.missing.isEmpty && moved.strange.isEmpty && moved.unsure == 0 && moved.notices.isEmpty)
      await store.close()
    }
  }

  @Test("keeps the times of what it measures after its first visit, if it came from further east and was emptied then")
  func first() throws {
    try onLoop { loop in
      let (moved, store) = (try MovedBand(), try ScratchStore(loop))
      moved.band.link.zone = try #require(TimeZoneRules.named("America/New_York"))
      moved.ahead = 3_600_000_000
      try moved.measure(until: "2026-11-20T17:30:00")
      try await moved.visit(store: store)
      let before = moved.truth.count
      #expect(moved.kept.count == before && moved.unsure == before)
      for hour in ["2026-11-20T17:46:00", "2026-11-20T18:10:00", "2026-11-20T23:50:00", "2026-11-21T02:00:00"] {
        try moved.measure(until: hour)
        try await moved.visit(store: store)
      }
      let visited = try #require(CivilMoment(text: "2026-11-20T17:30:00")).microseconds(at: 0)
      let absent = moved.missing.filter { $0 > visited }
      #expect(absent.isEmpty && moved.band.histories.isEmpty)
      await store.close()
    }
  }

  @Test("keeps the time of a half-hour of steps that an earlier transfer did not have yet", arguments: [true, false])
  func stepsAgain(isEmpty: Bool) throws {
    try onLoop { loop in
      let (moved, store) = try await settled(loop)
      let band = moved.band
      var items = CollectingItems()
      @LoopActor func visit() async throws {
        band.forgetLink()
        let session = try #require(FitCloudSession(band.link))
        _ = try await session.check()
        let domain = try #require(session.domains.first { $0.id == "steps" })
        for item in try await domain.list(known: []) {
          let sink = CollectingSink()
          items = CollectingItems()
          try await domain.fetch(item, into: sink)
          try sink.bytes.withUnsafeBytes { bytes in
            _ = try domain.verify(item, bytes)
            try domain.decode(item, bytes, into: items)
          }
        }
        try await session.finish()
      }
      band.link.wait(.seconds(2 * 3600))
      if !isEmpty { band.histories[1] = PocketBand.record("2026-11-20T16:30:00", interval: 30, [0, 99], size: 2) }
      try await visit()
      band.link.wait(.seconds(1500))
      band.link.zone = try #require(TimeZoneRules.named("America/New_York"))
      try await visit()
      // From 22:20 to 22:50, told as 17:20: before it was set at 17:35 it may have shown that too.
      band.link.wait(.seconds(4 * 3600 + 3500))
      try await visit()
      band.link.wait(.seconds(1200))
      band.histories[1, default: []] += PocketBand.record("2026-11-20T17:20:00", interval: 30, [0, 175], size: 2)
      try await visit()
      #expect(items.items.last?.time == CivilMoment(text: "2026-11-20T22:20:00")?.microseconds(at: 0))
      #expect(items.sure.last == true)
      let told = items.items.map(\.time)
      band.link.wait(.seconds(3600))
      try await visit()
      #expect(items.items.map(\.time) == told)
      await store.close()
    }
  }

  @Test("begins a half-hour of steps before its clock is set back, which is stored at the time it was walked")
  func steps() throws {
    try onLoop { loop in
      let (moved, store) = try await settled(loop)
      let band = moved.band
      band.link.wait(.seconds(2 * 3600 + 1200 + 22))
      band.link.zone = try #require(TimeZoneRules.named("America/New_York"))
      try await moved.visit(store: store)
      band.link.wait(.seconds(1800))
      // Told by the new clock, with the begin of its half-hour.
      band.histories[1] = PocketBand.record("2026-11-20T12:30:00", interval: 30, [0x02, 0x7C], size: 2)
      let session = try #require(FitCloudSession(band.link))
      _ = try await session.check()
      let domain = try #require(session.domains.first { $0.id == "steps" })
      let item = try #require(try await domain.list(known: []).first)
      let (sink, items) = (CollectingSink(), CollectingItems())
      try await domain.fetch(item, into: sink)
      try sink.bytes.withUnsafeBytes { bytes in
        _ = try domain.verify(item, bytes)
        try domain.decode(item, bytes, into: items)
      }
      #expect(items.items.map(\.time) == [CivilMoment(text: "2026-11-20T17:30:00")?.microseconds(at: 0)])
      #expect(items.items.map(\.values) == [[1_800_000_000, 636]] && items.sure == [true])
      await store.close()
    }
  }

  @Test("has the night that began before the band was emptied, and was recorded at its end")
  func night() throws {
    try onLoop { loop in
      let (moved, store) = try await settled(loop)
      let band = moved.band
      band.link.wait(.seconds(8 * 3600))
      // The record began before this hub knew the band.
      band.histories[2] = PocketBand.record("2026-11-20T14:00:00", interval: 30, [2, 1, 4, 3, 2, 1, 4, 3])
      let session = try #require(FitCloudSession(band.link))
      _ = try await session.check()
      let domain = try #require(session.domains.first { $0.id == "sleep" })
      let item = try #require(try await domain.list(known: []).first)
      let (sink, items) = (CollectingSink(), CollectingItems())
      try await domain.fetch(item, into: sink)
      let verdict = try sink.bytes.withUnsafeBytes { bytes in
        try domain.decode(item, bytes, into: items)
        return try domain.verify(item, bytes)
      }
      #expect(items.items.first?.time == CivilMoment(text: "2026-11-20T14:00:00")?.microseconds(at: 0))
      #expect(items.items.count == 8 && verdict.notices.isEmpty)
      #expect(items.sure == [false, false, false, true, true, true, true, true])
      await store.close()
    }
  }

  @Test("H2151: a telephone that set the clock ahead costs no value, and its hours are not sure", arguments: [30, 540])
  func ahead(_ minutes: Int64) throws {
    try onLoop { loop in
      let (moved, store) = try await settled(loop)
      try moved.measure(until: "2026-11-20T18:40:00")
      let before = moved.truth.count
      moved.ahead += minutes * 60_000_000
      try moved.measure(until: "2026-11-20T19:40:00")
      let during = moved.truth.count - before
      try await moved.visit(store: store)
      #expect(moved.missing.isEmpty && moved.strange.isEmpty && moved.unsure >= during)
      #expect(moved.notices.map(\.reason) == [.clockMovedElsewhere] && moved.band.histories.isEmpty)
      let unsure = moved.unsure
      try moved.measure(until: "2026-11-20T23:00:00")
      try await moved.visit(store: store)
      #expect(moved.missing.isEmpty && moved.strange.isEmpty && moved.unsure <= unsure + 1)
      await store.close()
    }
  }

  @Test("loses no value if a phone set the clock back, or it lost the time", arguments: [30, 300, 300_000])
  func back(_ minutes: Int64) throws {
    try onLoop { loop in
      let (moved, store) = try await settled(loop)
      try moved.measure(until: "2026-11-20T18:40:00")
      let before = moved.truth.count
      moved.ahead -= minutes * 60_000_000
      try moved.measure(until: "2026-11-20T19:40:00")
      try await moved.visit(store: store)
      // Within an interval of when it was measured, and not sure.
      #expect(moved.kept.count == moved.truth.count && moved.unsure == moved.truth.count - before)
      for kept in moved.kept where !kept.value {
        #expect(moved.truth.contains { $0.value == kept.key.value && abs($0.key - kept.key.time) <= 300_000_000 })
      }
      #expect(moved.notices.map(\.reason) == [.clockMovedElsewhere] && moved.band.histories.isEmpty)
      await store.close()
    }
  }

  @Test(
    "keeps what it measured before a telephone set it further east, if this hub came to know it afterwards",
    arguments: ["Europe/Berlin", "America/New_York"])
  func unknown(_ name: String) throws {
    try onLoop { loop in
      let (moved, store) = (try MovedBand(), try ScratchStore(loop))
      moved.band.link.zone = try #require(TimeZoneRules.named(name))
      try moved.measure(until: "2026-11-20T18:40:00")
      let moment = moved.now
      moved.ahead += 330 * 60_000_000
      try moved.measure(until: "2026-11-20T22:00:00")
      try await moved.visit(store: store)
      #expect(moved.kept.count == moved.truth.count && moved.unsure == moved.truth.count)
      #expect(moved.missing.allSatisfy { $0 <= moment } && moved.strange.allSatisfy { $0.time <= moment })
      // The record keeps the band's time, in the zone of this hub, as long as it is not behind later ones.
      let late = name == "Europe/Berlin" ? -3_600_000_000 : 0
      #expect(
        moved.truth.filter { $0.key <= moment }.allSatisfy { time, value in
          moved.kept[MovedBand.Kept(time: time + Int64(late), value: value)] == false
        })
      #expect(moved.notices.map(\.reason) == [.clockMovedElsewhere] && moved.band.histories.isEmpty)
      await store.close()
    }
  }

  @Test("distinguishes the two passes of a minute that it shows twice in a row, as its clock was set back between")
  func twice() throws {
    try onLoop { loop in
      let (moved, store) = (try MovedBand(), try ScratchStore(loop))
      moved.band.link.zone = try #require(TimeZoneRules.named("Europe/Berlin"))
      moved.band.link.wall = try #require(CivilMoment(text: "2026-10-24T20:10:00")).microseconds(at: 0)
      try await moved.visit(store: store)
      try moved.measure(until: "2026-10-25T00:10:00", every: 60)
      try await moved.visit(store: store)
      try moved.measure(until: "2026-10-25T01:00:03", every: 60)
      // The link ends before anything is fetched.
      moved.band.forgetLink()
      let session = try #require(FitCloudSession(moved.band.link))
      _ = try await session.check()
      moved.ahead = 3_600_000_000
      try moved.measure(until: "2026-10-25T07:10:00", every: 60)
      try await moved.visit(store: store)
      #expect(moved.missing.isEmpty && moved.strange.isEmpty && moved.band.histories.isEmpty)
      await store.close()
    }
  }

  @Test("has a night at one stretch that began right after its clock was set back")
  func nightAfter() throws {
    try onLoop { loop in
      let (moved, store) = (try MovedBand(), try ScratchStore(loop))
      let band = moved.band
      band.link.zone = try #require(TimeZoneRules.named("Europe/Berlin"))
      band.link.wall = try #require(CivilMoment(text: "2026-10-24T20:10:00")).microseconds(at: 0)
      try await moved.visit(store: store)
      band.link.wall = try #require(CivilMoment(text: "2026-10-25T01:00:03")).microseconds(at: 0)
      band.forgetLink()
      _ = try await #require(FitCloudSession(band.link)).check()
      band.link.wait(.seconds(9 * 3600))
      let stages = (0..<50).map { UInt8(1 + $0 / 9 % 4) }
      band.histories[2] = PocketBand.record("2026-10-25T02:15:00", interval: 5, stages)
      let session = try #require(FitCloudSession(band.link))
      _ = try await session.check()
      let domain = try #require(session.domains.first { $0.id == "sleep" })
      let item = try #require(try await domain.list(known: []).first)
      let (sink, items) = (CollectingSink(), CollectingItems())
      try await domain.fetch(item, into: sink)
      try sink.bytes.withUnsafeBytes { bytes in
        _ = try domain.verify(item, bytes)
        try domain.decode(item, bytes, into: items)
      }
      let begin = try #require(CivilMoment(text: "2026-10-25T01:15:00")).microseconds(at: 0)
      #expect(items.items.map(\.time) == (0..<50).map { begin + $0 * 300_000_000 })
      await store.close()
    }
  }

  @Test("leaves a value of the next minutes on the band until they have come, if the hub's clock was put back")
  func moment() throws {
    try onLoop { loop in
      let (moved, store) = try await settled(loop)
      try moved.measure(until: "2026-11-20T17:30:05")
      let last = try #require(moved.truth.keys.max())
      moved.band.link.wall -= 91_000_000
      try await moved.visit(store: store)
      #expect(moved.kept.keys.allSatisfy { $0.time < last } && moved.kept.count == moved.truth.count - 1)
      #expect(moved.band.verdicts.isEmpty && moved.notices.isEmpty)
      moved.band.link.wait(.seconds(120))
      try await moved.visit(store: store)
      #expect(moved.missing.isEmpty && moved.strange.isEmpty && moved.band.histories.isEmpty)
      await store.close()
    }
  }

  @Test("H2152: a single value of tomorrow is not explained by a phone's time")
  func tomorrowAhead() throws {
    try onLoop { loop in
      let (moved, store) = try await settled(loop)
      try moved.measure(until: "2026-11-20T18:40:00")
      moved.ahead += 540 * 60_000_000
      try moved.measure(until: "2026-11-20T22:00:00")
      let record = PocketBand.record("2026-11-21T12:00:00", interval: 5, [70])
      moved.band.histories[3]? += record
      try await moved.visit(store: store)
      #expect(moved.missing.isEmpty && moved.strange.isEmpty)
      #expect(moved.notices.map(\.reason) == [.clockMovedElsewhere, .valuesAhead] && moved.band.verdicts.isEmpty)
      await store.close()
    }
  }

  @Test("dates what it measured after it lost its time, also if it was empty then")
  func lost() throws {
    try onLoop { loop in
      let (moved, store) = try await settled(loop)
      moved.ahead = try #require(CivilMoment(text: "2000-01-01T00:00:00")).microseconds(at: 0) - moved.now
      moved.ahead = moved.ahead / 60_000_000 * 60_000_000
      try moved.measure(until: "2026-11-20T15:40:00")
      try await moved.visit(store: store)
      #expect(moved.kept.count == moved.truth.count && moved.unsure == moved.truth.count)
      for kept in moved.kept.keys {
        #expect(moved.truth.contains { $0.value == kept.value && abs($0.key - kept.time) <= 300_000_000 })
      }
      #expect(moved.notices.map(\.reason) == [.clockMovedElsewhere] && moved.band.histories.isEmpty)
      await store.close()
    }
  }

  @Test("dates what it measured after it lost its time, once, if this hub came to know it afterwards")
  func lostBefore() throws {
    try onLoop { loop in
      let (moved, store) = (try MovedBand(), try ScratchStore(loop))
      try moved.loseTime()
      try moved.measure(until: "2026-11-20T16:40:00")
      // All of it is kept as long as it has a value of tomorrow.
      moved.band.histories[3]? += PocketBand.record("2026-11-21T12:00:00", interval: 5, [70])
      try await moved.visit(store: store)
      #expect(moved.hasAll(within: 300) && moved.unsure == moved.truth.count)
      let visited = moved.now
      for hour in ["2026-11-20T17:20:00", "2026-11-20T18:00:00"] {
        try moved.measure(until: hour)
        try await moved.visit(store: store)
        #expect(moved.hasAll(within: 300) && moved.missing.allSatisfy { $0 <= visited })
      }
      await store.close()
    }
  }

  @Test("dates what it measured between two times at which it lost its time")
  func lostTwice() throws {
    try onLoop { loop in
      let (moved, store) = try await settled(loop)
      try moved.loseTime()
      try moved.measure(until: "2026-11-20T16:20:00")
      try moved.loseTime()
      try moved.measure(until: "2026-11-20T17:20:00")
      try await moved.visit(store: store)
      #expect(moved.hasAll(within: 600) && moved.unsure == moved.truth.count && moved.band.histories.isEmpty)
      await store.close()
    }
  }

  @Test("dates what it measures behind a change of the season by what it was emptied of before")
  func emptiedBefore() throws {
    try onLoop { loop in
      let (moved, store) = (try MovedBand(), try ScratchStore(loop))
      moved.band.link.zone = try #require(TimeZoneRules.named("Europe/Berlin"))
      moved.band.link.wall = try #require(CivilMoment(text: "2026-10-24T20:00:00")).microseconds(at: 0)
      try await moved.visit(store: store)
      moved.band.link.wait(.seconds(600))
      for hour in ["2026-10-24T22:00:00", "2026-10-25T00:58:00"] {
        try moved.measure(until: hour)
        try await moved.visit(store: store)
      }
      moved.band.link.wait(.seconds(150))
      try await moved.look()
      // The clock shows 02:05, as an hour before.
      try moved.measure(until: "2026-10-25T01:06:00")
      try await moved.visit(store: store)
      #expect(moved.missing.isEmpty && moved.strange.isEmpty && moved.unsure == 0 && moved.notices.isEmpty)
      await store.close()
    }
  }

  @Test("dates what a phone's clock dated, also if its first value shows about now by the zone to which the hub came")
  func aboutNow() throws {
    try onLoop { loop in
      let (moved, store) = (try MovedBand(), try ScratchStore(loop))
      moved.band.link.zone = try #require(TimeZoneRules.named("Asia/Tokyo"))
      try await moved.visit(store: store)
      moved.band.link.wait(.seconds(600))
      try moved.measure(until: "2026-11-20T17:30:00")
      moved.ahead -= 7_200_000_000
      try moved.measure(until: "2026-11-20T19:05:00")
      // At 17:35 it showed 00:35, which is 19:05 by this zone.
      moved.band.link.zone = try #require(TimeZoneRules.named("Asia/Kolkata"))
      try await moved.visit(store: store)
      #expect(moved.hasAll(within: 60) && moved.band.histories.isEmpty)
      #expect(moved.notices.map(\.reason) == [.clockMovedElsewhere])
      await store.close()
    }
  }

  @Test("H2152: a single value of tomorrow is not explained by a clock of another zone")
  func tomorrowElsewhere() throws {
    try onLoop { loop in
      let (moved, store) = (try MovedBand(), try ScratchStore(loop))
      moved.band.link.zone = try #require(TimeZoneRules.named("Australia/Lord_Howe"))
      try await moved.visit(store: store)
      moved.band.link.wait(.seconds(600))
      try moved.measure(until: "2026-11-20T17:30:00")
      moved.band.link.zone = try #require(TimeZoneRules.named("America/New_York"))
      moved.band.histories[3]? += PocketBand.record("2026-11-21T12:00:00", interval: 5, [70])
      try await moved.visit(store: store)
      #expect(moved.missing.isEmpty && moved.strange.isEmpty && moved.unsure == 0)
      #expect(moved.notices.map(\.reason) == [.valuesAhead] && moved.band.verdicts.isEmpty)
      await store.close()
    }
  }

  @Test("has each value once, if two telephones further east had set it before its first visit")
  func twoTelephones() throws {
    try onLoop { loop in
      let (moved, store) = (try MovedBand(), try ScratchStore(loop))
      moved.band.link.zone = try #require(TimeZoneRules.named("America/New_York"))
      moved.ahead = 330 * 60_000_000
      try moved.measure(until: "2026-11-20T18:40:00")
      moved.ahead -= 44 * 60_000_000
      try moved.measure(until: "2026-11-20T22:00:00")
      try await moved.visit(store: store)
      let unsure = moved.truth.count
      #expect(moved.hasAll(within: 1200) && moved.unsure == unsure && moved.band.histories.isEmpty)
      try moved.measure(until: "2026-11-20T23:00:00")
      try await moved.visit(store: store)
      #expect(moved.hasAll(within: 1200) && moved.unsure <= unsure + 1)
      await store.close()
    }
  }

  @Test("H2152: a single value of tomorrow is no clock's, also if all others are further ahead than half a day")
  func tomorrowBeyond() throws {
    try onLoop { loop in
      let (moved, store) = (try MovedBand(), try ScratchStore(loop))
      moved.band.link.zone = try #require(TimeZoneRules.named("America/New_York"))
      moved.ahead = 630 * 60_000_000
      try moved.measure(until: "2026-11-20T18:40:00")
      moved.band.histories[3]? += PocketBand.record("2026-11-21T12:00:00", interval: 5, [200])
      try await moved.visit(store: store)
      #expect(moved.hasAll(within: 600) && moved.unsure == moved.truth.count && moved.band.verdicts.isEmpty)
      #expect(moved.notices.map(\.reason) == [.clockMovedElsewhere, .valuesAhead])
      await store.close()
    }
  }

  @Test("H2152: a single value of tomorrow is no clock's, right behind what its hub's former zone dated")
  func tomorrowNear() throws {
    try onLoop { loop in
      let (moved, store) = (try MovedBand(), try ScratchStore(loop))
      moved.band.link.zone = try #require(TimeZoneRules.named("Australia/Lord_Howe"))
      try await moved.visit(store: store)
      moved.band.link.wait(.seconds(600))
      // The clock shows 11:40, twenty minutes before.
      try moved.measure(until: "2026-11-21T00:40:00")
      moved.band.link.zone = try #require(TimeZoneRules.named("America/New_York"))
      moved.band.histories[3]? += PocketBand.record("2026-11-21T12:00:00", interval: 5, [200])
      try await moved.visit(store: store)
      #expect(moved.missing.isEmpty && moved.strange.isEmpty && moved.unsure == 0)
      #expect(moved.notices.map(\.reason) == [.valuesAhead] && moved.band.verdicts.isEmpty)
      await store.close()
    }
  }

  @Test("keeps the one value of before its first visit, half a day ahead, once something came behind it")
  func onlyOne() throws {
    try onLoop { loop in
      let (moved, store) = (try MovedBand(), try ScratchStore(loop))
      moved.band.link.zone = try #require(TimeZoneRules.named("America/New_York"))
      moved.ahead = 540 * 60_000_000
      try moved.measure(until: "2026-11-20T16:00:00", every: 60)
      moved.band.link.wait(.seconds(60))
      try await moved.visit(store: store)
      #expect(moved.kept.isEmpty && moved.band.verdicts.isEmpty && moved.notices.map(\.reason) == [.valuesAhead])
      try moved.measure(until: "2026-11-20T17:30:00")
      try await moved.visit(store: store)
      #expect(moved.hasAll(within: 300) && moved.unsure == 1 && moved.band.histories.isEmpty)
      await store.close()
    }
  }

  @Test("has each value once, if it lost its time before its first visit, in the season before")
  func lostInOtherSeason() throws {
    try onLoop { loop in
      let (moved, store) = (try MovedBand(), try ScratchStore(loop))
      moved.band.link.zone = try #require(TimeZoneRules.named("Europe/Berlin"))
      moved.band.link.wall = try #require(CivilMoment(text: "2026-10-24T10:00:00")).microseconds(at: 0)
      moved.ahead = 120 * 60_000_000
      try moved.measure(until: "2026-10-24T16:40:00")
      try moved.loseTime()
      try moved.measure(until: "2026-10-25T01:10:00")
      // All of it is kept as long as it has a value of tomorrow.
      moved.band.histories[3]? += PocketBand.record("2026-10-26T12:00:00", interval: 5, [200])
      try await moved.visit(store: store)
      #expect(moved.hasAll(within: 1200) && moved.unsure == moved.truth.count)
      try moved.measure(until: "2026-10-25T02:00:00")
      try await moved.visit(store: store)
      #expect(moved.hasAll(within: 1200))
      await store.close()
    }
  }

  @Test("is not sure of what comes behind an emptying, dated by a telephone as of hours before it")
  func backBehindEmptying() throws {
    try onLoop { loop in
      let (moved, store) = try await settled(loop)
      try moved.measure(until: "2026-11-20T22:00:00")
      try await moved.visit(store: store)
      moved.band.link.wait(.seconds(300))
      let (before, unsure) = (moved.truth.count, moved.unsure)
      moved.ahead -= 300 * 60_000_000
      try moved.measure(until: "2026-11-20T23:50:00")
      try await moved.visit(store: store)
      #expect(moved.hasAll(within: 600) && moved.unsure == unsure + moved.truth.count - before)
      #expect(moved.notices.map(\.reason) == [.clockMovedElsewhere] && moved.band.histories.isEmpty)
      await store.close()
    }
  }

  @Test("takes less than an hour for a clock that was wrong by minutes, and not for a zone")
  func minutes() throws {
    try onLoop { loop in
      let (moved, store) = try await settled(loop)
      try moved.measure(until: "2026-11-20T18:40:00", every: 10)
      moved.ahead += 40 * 60_000_000
      try moved.measure(until: "2026-11-20T19:40:00", every: 10)
      try await moved.visit(store: store)
      #expect(moved.missing.isEmpty && moved.strange.isEmpty && moved.notices.map(\.reason) == [.clockMovedElsewhere])
      await store.close()
    }
  }

  @Test("has one time for each value, however often it is fetched, if a phone set the clock")
  func repeated() throws {
    try onLoop { loop in
      let (moved, store) = try await settled(loop)
      try moved.measure(until: "2026-11-20T18:40:00")
      moved.ahead += 30 * 60_000_000
      try moved.measure(until: "2026-11-20T19:40:00")
      try await moved.visit(confirms: false, store: store)
      for hour in ["2026-11-20T20:00:00", "2026-11-20T21:00:00", "2026-11-21T03:00:00"] {
        try moved.measure(until: hour)
        try await moved.visit(confirms: false, store: store)
        #expect(moved.missing.isEmpty && moved.strange.isEmpty)
      }
      #expect(moved.notices.map(\.reason).count { $0 == .clockMovedElsewhere } == 1)
      await store.close()
    }
  }

  @Test("H2152: a single value of tomorrow is refused, and the band keeps it")
  func tomorrow() throws {
    try onLoop { loop in
      let (moved, store) = try await settled(loop)
      try moved.measure(until: "2026-11-20T17:00:00")
      let record = PocketBand.record("2026-11-21T12:00:00", interval: 5, [70])
      moved.band.histories[3]? += record
      try await moved.visit(store: store)
      #expect(moved.missing.isEmpty && moved.strange.isEmpty && moved.unsure == 0)
      #expect(moved.notices.map(\.reason) == [.valuesAhead] && moved.band.verdicts.isEmpty)
      #expect(moved.band.histories[3]?.suffix(record.count) == record[...])
      await store.close()
    }
  }

  @Test("H2150: a record that cannot be read keeps no other from the store")
  func unreadable() throws {
    try onLoop { loop in
      let (moved, store) = try await settled(loop)
      moved.band.histories[3] = Array(hexadecimal: "0002357B07D000054243")
      try moved.measure(until: "2026-11-20T17:00:00")
      try await moved.visit(store: store)
      #expect(moved.missing.isEmpty && moved.strange.isEmpty && moved.band.histories.isEmpty)
      #expect(moved.notices.map(\.reason) == [.recordUnreadable])
      // A count that says more than there is: what is behind it is found, and the band keeps all of it.
      moved.band.histories[3] = Array(hexadecimal: "FF02357B010000054243")
      try moved.measure(until: "2026-11-20T18:00:00")
      try await moved.visit(store: store)
      #expect(moved.missing.isEmpty && moved.strange.isEmpty && moved.band.histories[3] != nil)
      await store.close()
    }
  }

  @Test("is remembered as it may be before it is set, and as it is once that was acknowledged")
  func killed() throws {
    try onLoop { loop in
      let (moved, store) = try await settled(loop)
      try moved.measure(until: "2026-11-20T17:30:00")
      let band = moved.band
      band.link.zone = try #require(TimeZoneRules.named("America/New_York"))
      let requests = band.link.requests
      // The link ends at every request of the visit that sets it.
      for end in 0..<12 {
        let again = try MovedBand()
        again.band.histories = band.histories
        again.band.link.memory = band.link.memory
        again.band.link.zone = band.link.zone
        again.band.link.wall = moved.now - 1_000_000
        again.band.link.endsAt = end
        try? await again.visit(confirms: false, store: store)
        again.band.link.endsAt = nil
        again.band.link.wait(.seconds(60))
        try await again.visit(store: store)
        let times = Set(again.kept.keys.map(\.time))
        #expect(times == Set(moved.truth.keys), "the link ended at request \(end)")
      }
      #expect(band.link.requests == requests)
      await store.close()
    }
  }

  @Test("is remembered across restarts, and what an earlier program remembered is read")
  func memory() throws {
    var made = FitCloudMemory()
    made.eras.begin(ahead: 3_600_000_000, at: 1_000_000)
    made.eras.taken(at: 2_000_000)
    made.eras.begin(ahead: 0, at: 9_000_000)
    made.eras.taken(at: 9_500_000)
    let isNews = made.eras.note(HistoryReach(at: 9_400_000, tail: 7), of: 3)
    let isEmpty = made.eras.note(HistoryReach(at: 9_300_000), of: 131)
    made.eras.emptied(5, at: 9_600_000, newest: (shown: 9_100_000, time: 9_100_000))
    let memory = made
    try onLoop { _ in
      let link = PocketBand().link
      try link.remember(memory)
      #expect(isNews && isEmpty && memory.eras.all.count == 3)
      #expect(link.remembered(FitCloudMemory.self)?.eras == memory.eras && memory.eras.forgotten(5)?.era == 2)
    }
    let old = ClockEras(offset: 3600, firstGiven: 1_795_255_200)
    #expect(old.inForce?.from == 1_795_251_600_000_000 && old.inForce?.isSure == true)
  }
}
