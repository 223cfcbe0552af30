import EventLoop
import Foundation
import Testing
import TopStepMessages
import Wearable

@testable import CivilTime
@testable import DriverTestSupport
@testable import Health
@testable import TopStepNextFamily

@Suite("What a band of the new platform hands over", .serialized)
struct TopStepSyncTests {
  @LoopActor private static func visited(_ band: PocketBand) async throws -> TopStepSession {
    let session = TopStepSession(band.link)
    _ = try await session.check()
    return session
  }

  @LoopActor private static func domain(_ kind: DayKind, _ session: TopStepSession) throws -> TopStepDomain {
    try #require(session.domains.compactMap { $0 as? TopStepDomain }.first { $0.kind == kind })
  }

  @LoopActor private static func start(_ band: PocketBand, _ kind: DayKind) throws -> TopStepSyncStart {
    try #require(
      band.requests(.syncStart).compactMap { try? TopStepSyncStart(wire: $0.payload) }
        .last { $0.type.rawValue == Int(kind.rawValue) })
  }

  @Test(
    "is asked for a month back the first time, then from the watermark on with an overlap, and a day ahead"
  )
  func incremental() throws {
    try onLoop { _ in
      let band = PocketBand()
      let session = try await Self.visited(band)
      var domain = try Self.domain(.heartRate, session)
      #expect(try await domain.list(known: []).isEmpty)
      let now = TopStep.seconds(band.link.hubTime.wall.microseconds)
      var asked = try Self.start(band, .heartRate)
      #expect(abs(asked.start - (now - 30 * 86_400)) <= 1 && abs(asked.end - now - 26 * 3600) <= 1)
      let mark = band.link.hubTime.wall.microseconds - 7_200_000_000
      band.link.wish.watermarks[Series.heartRate.id] = mark
      _ = try await domain.list(known: [])
      asked = try Self.start(band, .heartRate)
      #expect(asked.start == TopStep.seconds(mark) - 600)
      // Twice the interval, if that is longer.
      band.heartRate.monitor.interval = 60
      let other = try await Self.visited(band)
      domain = try Self.domain(.heartRate, other)
      _ = try await domain.list(known: [])
      #expect(try Self.start(band, .heartRate).start == TopStep.seconds(mark) - 7200)
      band.link.wish.since = mark
      band.link.wish.until = mark + 600_000_000
      _ = try await domain.list(known: [])
      asked = try Self.start(band, .heartRate)
      #expect(asked.start == TopStep.seconds(mark) && asked.end == asked.start + 600)
      // What begins in the future is not asked for.
      band.link.wish.since = band.link.hubTime.wall.microseconds + 3_600_000_000
      let before = band.requests(.syncStart).count
      #expect(try await domain.list(known: []).isEmpty && band.requests(.syncStart).count == before)
    }
  }

  @Test(
    "was read to its end with a whole answer, with values or without, and by as much less as others set a clock back")
  func readToEnd() throws {
    try onLoop { _ in
      let band = PocketBand()
      let session = try await Self.visited(band)
      for kind in [DayKind.heartRate, .stress] {
        let domain = try Self.domain(kind, session)
        #expect(domain.readTo == nil)
        _ = try await domain.list(known: [])
        let to = band.link.hubTime.wall.microseconds - 26 * 3_600_000_000
        #expect(abs((domain.readTo ?? 0) - to) <= 2_000_000)
      }
      // A band that falls silent after some days has not said that they were all.
      try band.recordSomething()
      let domain = try Self.domain(.heartRate, session)
      for saysEnd in [false, true] {
        band.saysEnd = saysEnd
        #expect(try await !domain.list(known: []).isEmpty && (domain.readTo != nil) == saysEnd)
      }
    }
  }

  @Test("is a transfer in which no host may hang up, from the question to its end")
  func underWay() throws {
    try onLoop { _ in
      let band = PocketBand()
      try band.recordSomething()
      let session = try await Self.visited(band)
      var patiences: Set<Duration?> = []
      band.link.onProgress = { patiences.insert(session.transferring?.transferPatience) }
      _ = try await Self.domain(.heartRate, session).list(known: [])
      #expect(patiences == [.seconds(5)] && session.transferPatience == nil)
    }
  }

  @Test("is asked for kind by kind, of what the band says that it has, and never for pressure")
  func kinds() throws {
    try onLoop { _ in
      let band = PocketBand()
      band.capabilities = PocketBand.word([3, 4, 7])
      try band.recordSomething()
      let session = try await Self.visited(band)
      #expect(session.domains.map(\.id) == ["heart-rate", "sleep", "trainings"])
      for domain in session.domains { _ = try await domain.list(known: []) }
      let types = band.requests(.syncStart).compactMap { try? TopStepSyncStart(wire: $0.payload).type.rawValue }
      #expect(types == [1, 5, 7])
      let everything = PocketBand()
      everything.capabilities = []
      let other = try await Self.visited(everything)
      #expect(other.domains.count == DayKind.allCases.count && other.announced == nil)
    }
  }

  @Test("is read day by day, whether the band says that it was all or falls silent")
  func days() throws {
    try onLoop { _ in
      for saysEnd in [false, true] {
        let band = PocketBand()
        try band.recordSomething()
        band.saysEnd = saysEnd
        let session = try await Self.visited(band)
        for domain in session.domains {
          let items = try await domain.list(known: [])
          #expect(items.count == 1, "\(domain.id)")
          let item = try #require(items.first)
          let sink = CollectingSink()
          try await domain.fetch(item, into: sink)
          let values = DaySink()
          let verdict = try sink.bytes.withUnsafeBytes { bytes in
            try domain.decode(item, bytes, into: values)
            return try domain.verify(item, bytes)
          }
          #expect(verdict.isFinal && verdict.mayRepeat && verdict.keepsBytes && verdict.mark == item.mark)
          #expect(!values.values.isEmpty && values.anomalies == [])
        }
        #expect(band.released == [], "nothing was durable")
      }
    }
  }

  /// What an item decodes to, and whether its times are sure.
  @LoopActor
  private static func decoded(_ item: HeldItem, _ domain: TopStepDomain) async throws -> (
    items: [(values: [Int64], second: Int64, isManual: Bool)], isUnsure: Bool
  ) {
    let (sink, values) = (CollectingSink(), CollectingItems())
    try await domain.fetch(item, into: sink)
    let isUnsure = try sink.bytes.withUnsafeBytes { bytes in
      try domain.decode(item, bytes, into: values)
      return try domain.verify(item, bytes).isTimeUnsure
    }
    let items = zip(values.items, values.manual).map { item, isManual in
      (item.values, TopStep.seconds(item.time), isManual)
    }
    return (items, isUnsure)
  }

  @Test("without what people began by hand, on request; the next other visit brings it all the same")
  func automatic() throws {
    try onLoop { _ in
      let band = PocketBand()
      try band.recordSomething()
      let session = try await Self.visited(band)
      let domains = session.domains.compactMap { $0 as? TopStepDomain }
      #expect(domains.map { $0.kind.syncDomain }.filter(\.tellsManual).map(\.id) == ["heart-rate", "spo2", "stress"])
      let domain = try Self.domain(.heartRate, session)
      let all = try await Self.decoded(#require(try await domain.list(known: []).first), domain).items
      #expect(all.contains { $0.isManual } && all.contains { !$0.isManual })
      band.link.wish.isAutomaticOnly = true
      let automatic = try #require(try await domain.list(known: []).first)
      let some = try await Self.decoded(automatic, domain).items
      #expect(some.count == all.count { !$0.isManual } && !some.contains { $0.isManual })
      let asked = try Self.start(band, .heartRate).start
      // The watermark moved up to now.
      band.link.wish = SyncSelection()
      band.link.wish.watermarks[Series.heartRate.id] = band.link.hubTime.wall.microseconds
      let whole = try #require(try await domain.list(known: [automatic.known()]).first)
      #expect(try Self.start(band, .heartRate).start == asked && whole.mark != automatic.mark)
      #expect(try await Self.decoded(whole, domain).items.count == all.count)
      // Once that is stored, no fetch remains.
      _ = try await domain.list(known: [whole.known()])
      _ = try await domain.list(known: [whole.known()])
      #expect(try Self.start(band, .heartRate).start > asked && band.link.memory[ManualPending.self] == nil)
    }
  }

  @Test("of a clock that was set ahead is not sure, and what is of the future is left to be refused")
  func ahead() throws {
    try onLoop { _ in
      let band = PocketBand()
      _ = try await Self.visited(band)
      band.link.wait(.seconds(7200))
      let now = TopStep.seconds(band.link.hubTime.wall.microseconds)
      let midnight = band.midnight
      let place = Int((now - midnight) / 300)
      var day = TopStepHeartRateDay()
      (day.start, day.end) = (midnight, midnight + 86_400)
      // Half an hour ahead.
      var rates = [UInt8](repeating: 0, count: 288)
      for slot in (place - 20)..<(place + 6) { rates[slot] = UInt8(60 + slot % 7) }
      day.automatic = Data(rates)
      band.days[1] = [try day.wire()]
      let session = try await Self.visited(band)
      let domain = try Self.domain(.heartRate, session)
      let items = try await domain.list(known: [])
      #expect(items.map(\.id).contains { $0.hasSuffix("-before") })
      var unsure = 0
      for item in items {
        let (values, isUnsure) = try await Self.decoded(item, domain)
        for value in values where value.second <= now { #expect(isUnsure, "it may be of that clock") }
        if isUnsure { unsure += values.count }
      }
      #expect(unsure == 20 || unsure == 21)
      // A single value, as the clock was some minutes ahead.
      let few = PocketBand()
      _ = try await Self.visited(few)
      few.link.wait(.seconds(7200))
      var slots = [UInt8](repeating: 0, count: 288)
      for slot in (place - 20)...(place + 1) { slots[slot] = slot > place ? 71 : UInt8(60 + slot % 7) }
      day.automatic = Data(slots)
      // The day before has a value in its last slot, and is over.
      var before = TopStepHeartRateDay()
      (before.start, before.end) = (midnight - 86_400, midnight - 1)
      before.automatic = Data([UInt8](repeating: 66, count: 288))
      few.days[1] = [try before.wire(), try day.wire()]
      let third = try Self.domain(.heartRate, try await Self.visited(few))
      for item in try await third.list(known: []) {
        let (values, isUnsure) = try await Self.decoded(item, third)
        for value in values where value.second <= now { #expect(isUnsure) }
      }
      #expect(few.link.notes.contains { $0.contains("clock was ahead") })
      // A number that fills the future is no evidence.
      let other = PocketBand()
      _ = try await Self.visited(other)
      other.link.wait(.seconds(7200))
      for slot in place..<288 { rates[slot] = 75 }
      day.automatic = Data(rates)
      other.days[1] = [try day.wire()]
      let second = try Self.domain(.heartRate, try await Self.visited(other))
      for item in try await second.list(known: []) where !item.id.hasSuffix("-before") {
        #expect(try await !Self.decoded(item, second).isUnsure)
      }
      #expect(!other.link.notes.contains { $0.contains("clock was ahead") })
    }
  }

  @Test(
    "of a clock that was ahead is not sure, if one value in the day's last slot says so and the band fills no slots")
  func aheadInTheLastSlot() throws {
    try onLoop { _ in
      let band = PocketBand()
      _ = try await Self.visited(band)
      let midnight = band.midnight
      var day = TopStepHeartRateDay()
      (day.start, day.end) = (midnight, midnight + 86_400)
      // A list that ends with what was measured last.
      var place = Int((TopStep.seconds(band.link.hubTime.wall.microseconds) - midnight) / 300)
      var rates = (0..<place).map { UInt8(60 + $0 % 7) }
      day.automatic = Data(rates)
      band.days[1] = [try day.wire()]
      let first = try Self.domain(.heartRate, try await Self.visited(band))
      _ = try await first.list(known: [])
      #expect(band.link.memory[SlotsLeftEmpty.self]?.kinds == [.heartRate])
      // Ten minutes before midnight, and the band's clock is six ahead.
      let now = midnight + 86_400 - 600
      band.link.wait(.seconds(now - TopStep.seconds(band.link.hubTime.wall.microseconds)))
      place = 288
      rates += (rates.count..<place).map { UInt8(60 + $0 % 7) }
      day.automatic = Data(rates)
      band.days[1] = [try day.wire()]
      let next = try Self.domain(.heartRate, try await Self.visited(band))
      for item in try await next.list(known: []) {
        let (values, isUnsure) = try await Self.decoded(item, next)
        for value in values where value.second <= now { #expect(isUnsure) }
      }
      #expect(band.link.notes.contains { $0.contains("clock was ahead") })
    }
  }

  @Test(
    "has its times in Greenwich's: every zone and season leaves them in place, in either direction", arguments: [-5, 9])
  func zones(hours: Int) throws {
    try onLoop { _ in
      let band = PocketBand()
      try band.recordSomething()
      let session = try await Self.visited(band)
      var domain = try Self.domain(.heartRate, session)
      let before = try await Self.decoded(#require(try await domain.list(known: []).first), domain)
      band.link.zone = TimeZoneRules(
        name: "There", changes: [], offsets: [], firstOffset: Int64(hours * 3600), rule: nil)
      let next = try await Self.visited(band)
      #expect(band.time?.zoneOffset == 0, "its days are those of the zone that it was given before")
      for domain in next.domains {
        for item in try await domain.list(known: []) { try await domain.fetch(item, into: CollectingSink()) }
      }
      try await next.finish()
      let offset = band.time?.zoneOffset
      #expect(offset == Int32(hours * 3600), "all is fetched, and the band is told")
      domain = try Self.domain(.heartRate, try await Self.visited(band))
      #expect(band.time?.zoneOffset == offset)
      let after = try await Self.decoded(#require(try await domain.list(known: []).first), domain)
      #expect(after.items.map(\.second) == before.items.map(\.second) && after.isUnsure == before.isUnsure)
    }
  }

  @Test("is dated by a clock that was ahead also if a band sends only what it is asked for")
  func aheadWithin() throws {
    try onLoop { _ in
      let band = PocketBand()
      _ = try await Self.visited(band)
      band.link.wait(.seconds(7200))
      let now = TopStep.seconds(band.link.hubTime.wall.microseconds)
      // By a clock that was five hours ahead.
      let times = (-24...60).map { now + $0 * 300 }
      let midnight = band.midnight
      func day(until end: Int64) throws -> [UInt8] {
        var day = TopStepHeartRateDay()
        (day.start, day.end) = (midnight, midnight + 86_399)
        day.manual = times.filter { $0 <= end }.map { .of($0, 70) }
        return try day.wire()
      }
      band.instead = { frame in
        guard frame.topic == .syncStart, let start = try? TopStepSyncStart(wire: frame.payload),
          let message = try? day(until: start.end)
        else { return nil }
        return [
          TopStepFrame(topic: .syncStart, sequence: frame.sequence, payload: [0x08, 1]).bytes,
          TopStepFrame(topic: .data(1), sequence: 9, payload: message).bytes,
          TopStepFrame(topic: .syncEnd, sequence: 10, payload: [0x08, 1]).bytes,
        ]
      }
      let domain = try Self.domain(.heartRate, try await Self.visited(band))
      for item in try await domain.list(known: []) {
        let (values, isUnsure) = try await Self.decoded(item, domain)
        for value in values where value.second <= now { #expect(isUnsure) }
      }
      // A band that refuses a future end is asked up to now, and the next kinds at once.
      band.instead = { frame in
        guard frame.topic == .syncStart, let start = try? TopStepSyncStart(wire: frame.payload), start.end > now + 60
        else { return nil }
        let failed: [UInt8] = [0x08, UInt8(start.type.rawValue), 0x10, 0x7F]
        return [TopStepFrame(topic: .syncStart, sequence: frame.sequence, payload: failed).bytes]
      }
      try band.recordSomething()
      let session = try await Self.visited(band)
      let before = band.requests(.syncStart).count
      for domain in session.domains { #expect(try await domain.list(known: []).count == 1) }
      #expect(band.requests(.syncStart).count == before + 7)
    }
  }

  /// s of the stages of a night, as a visit has them.
  @LoopActor
  private static func lengths(_ items: [TopStepSleepItem], _ band: PocketBand) async throws -> [Int64] {
    var night = TopStepSleepNight()
    night.midnight = items[0].time
    night.items = items
    band.days[5] = [try night.wire()]
    let domain = try domain(.sleep, try await visited(band))
    let item = try #require(try await domain.list(known: []).first)
    return try await decoded(item, domain).items.map { $0.values[0] / 1_000_000 }
  }

  @Test("has nights in one unit, also one of a single stage, sent by itself in another visit")
  func sleepUnit() throws {
    try onLoop { _ in
      let band = PocketBand()
      let day = band.midnight - 86_400
      let minutes = try await Self.lengths([.of(day, 90, .light), .of(day + 5400, 75, .deep)], band)
      #expect(minutes == [5400, 4500])
      #expect(try await Self.lengths([.of(day, 90, .light)], band) == [5400])
      let seconds = try await Self.lengths([.of(day, 600, .light), .of(day + 600, 900, .deep)], band)
      #expect(seconds == [600, 900])
      #expect(try await Self.lengths([.of(day, 90, .light)], band) == [90])
    }
  }

  @Test("is never confirmed and never removed: the band is asked by time, and says itself when it was all")
  func end() throws {
    try onLoop { _ in
      let band = PocketBand()
      try band.recordSomething()
      let session = try await Self.visited(band)
      for domain in session.domains {
        let items = try await domain.list(known: [])
        #expect(!items.isEmpty && domain.removals(of: items).isEmpty)
      }
      try await session.finish()
      #expect(band.requests(.syncEnd).isEmpty)
    }
  }

  @Test("that is in the store stays as it is there while its message grows with values that are not settled")
  func growth() throws {
    try onLoop { _ in
      let band = PocketBand()
      let now = TopStep.seconds(band.link.hubTime.wall.microseconds)
      var day = TopStepHeartRateDay()
      (day.start, day.end) = (band.midnight, band.midnight + 86_399)
      day.manual = [.of(now - 600, 70)]
      band.days[1] = [try day.wire()]
      let session = try await Self.visited(band)
      let domain = try Self.domain(.heartRate, session)
      let first = try #require(try await domain.list(known: []).first)
      #expect(first.id.hasSuffix("-before"))
      // What comes later is of the other item, and of the same message.
      band.link.wait(.seconds(300))
      day.manual.append(.of(now + 120, 71))
      band.days[1] = [try day.wire()]
      let stored = first.known()
      let items = try await domain.list(known: [stored])
      #expect(items.count == 2 && items.first == first)
      // Fetched again it would be other bytes, from the first on.
      let fresh = try await domain.list(known: [])
      let (old, new) = (first.size ?? 0, fresh.first?.size ?? 0)
      #expect(fresh.first?.mark == first.mark && new > old)
      let sink = CollectingSink()
      try await domain.fetch(fresh[0], into: sink)
      #expect(sink.bytes.count == new)
    }
  }

  @Test("is not ended by the end of the sync before that comes a second time")
  func lateEnd() throws {
    try onLoop { _ in
      let band = PocketBand()
      try band.recordSomething()
      let session = try await Self.visited(band)
      let domain = try Self.domain(.heartRate, session)
      let message = try #require(band.days[1]?.first)
      band.instead = { frame in
        guard frame.topic == .syncStart else { return nil }
        return [
          TopStepFrame(topic: .syncEnd, flags: 2, sequence: 8, payload: [0x08, 1]).bytes,
          TopStepFrame(topic: .syncStart, sequence: frame.sequence, payload: [0x08, 0x01]).bytes,
          TopStepFrame(topic: .data(1), sequence: 9, payload: message).bytes,
          TopStepFrame(topic: .syncEnd, sequence: 10, payload: [0x08, 1]).bytes,
        ]
      }
      #expect(try await domain.list(known: []).count == 1)
    }
  }

  @Test("has no values of slots that are still to come, whatever fills them")
  func fillers() throws {
    try onLoop { _ in
      let band = PocketBand()
      let now = TopStep.seconds(band.link.hubTime.wall.microseconds)
      var day = TopStepMeasuredDay()
      day.start = now - 900
      day.automatic = Data([97, 98, 0, 75, 75, 75])
      band.days[2] = [try day.wire()]
      let session = try await Self.visited(band)
      let domain = try Self.domain(.spo2, session)
      let values = DaySink()
      for item in try await domain.list(known: []) {
        let sink = CollectingSink()
        try await domain.fetch(item, into: sink)
        try sink.bytes.withUnsafeBytes { try domain.decode(item, $0, into: values) }
      }
      #expect(values.values.map(\.values) == [[97], [98]])
    }
  }

  @Test("of the first day is two items: what is dated before the clock was set is not sure")
  func firstDay() throws {
    try onLoop { _ in
      let band = PocketBand()
      var day = TopStepHeartRateDay()
      let now = TopStep.seconds(band.link.hubTime.wall.microseconds)
      (day.start, day.end) = (band.midnight, band.midnight + 86_399)
      day.manual = [.of(now - 600, 70), .of(now + 60, 71)]
      var earlier = TopStepHeartRateDay()
      (earlier.start, earlier.end) = (band.midnight - 86_400, band.midnight - 1)
      earlier.manual = [.of(band.midnight - 600, 69)]
      band.days[1] = [try day.wire(), try earlier.wire()]
      let session = try await Self.visited(band)
      let domain = try Self.domain(.heartRate, session)
      let items = try await domain.list(known: [])
      var told: [(unsure: Bool, values: [Int64])] = []
      for item in items {
        let sink = CollectingSink()
        try await domain.fetch(item, into: sink)
        let values = DaySink()
        let verdict = try sink.bytes.withUnsafeBytes { bytes in
          try domain.decode(item, bytes, into: values)
          return try domain.verify(item, bytes)
        }
        told.append((verdict.isTimeUnsure, values.values.flatMap(\.values)))
      }
      #expect(told.map(\.unsure) == [true, true, false] && told.map(\.values) == [[69], [70], [71]])
      #expect(Set(items.map(\.id)).count == 3)
      #expect(try await domain.list(known: []).map(\.mark) == items.map(\.mark))
    }
  }

  @Test("comes once more if a piece was lost, and is given up if it is lost again")
  func lost() throws {
    try onLoop { _ in
      let band = PocketBand()
      try band.recordSomething()
      let session = try await Self.visited(band)
      let domain = try Self.domain(.heartRate, session)
      var left = 1
      let day = TopStepFrame(topic: .data(1), sequence: 9, payload: try #require(band.days[1]?.first))
      band.instead = { frame in
        guard frame.topic == .syncStart else { return nil }
        left -= 1
        let reply = TopStepFrame(topic: .syncStart, sequence: frame.sequence, payload: [0x08, 0x01])
        var broken = day.bytes
        if left >= 0 { broken[12] ^= 1 }
        return [reply.bytes, broken]
      }
      #expect(try await domain.list(known: []).count == 1 && band.requests(.syncStart).count == 2)
      left = 9
      let end = await trouble { () throws(VisitTrouble) in _ = try await domain.list(known: []) }
      guard case .framing? = end else { return #expect(Bool(false), "\(String(describing: end))") }
    }
  }

  @Test("comes once more if a day is missing that should be there, and what both answers have counts")
  func missing() throws {
    try onLoop { _ in
      let band = PocketBand()
      let session = try await Self.visited(band)
      let domain = try Self.domain(.heartRate, session)
      let days = try (0..<3).map { day in
        var rates = TopStepHeartRateDay()
        rates.start = band.midnight - 86_400 * Int64(2 - day)
        rates.end = rates.start + 86_399
        rates.automatic = Data([UInt8(61 + day)])
        return try rates.wire()
      }
      let places = (0..<3).map { "heart-rate/\(band.midnight - 86_400 * Int64(2 - $0))" }
      // Days of each answer, and by how much the numbers of its frames go on.
      var answers: [(days: [Int], step: UInt16)] = []
      band.instead = { frame in
        guard frame.topic == .syncStart else { return nil }
        let answer = answers.isEmpty ? ([], 1) : answers.removeFirst()
        let reply = TopStepFrame(topic: .syncStart, sequence: frame.sequence, payload: [0x08, 1])
        return [reply.bytes]
          + answer.0.enumerated().map { place, day in
            TopStepFrame(topic: .data(1), sequence: 900 + UInt16(place) * answer.1, payload: days[day]).bytes
          }
      }
      func listed(_ told: [[Int]], by steps: [UInt16] = [1, 1], known: [KnownItem] = []) async throws -> [String] {
        answers = Array(zip(told, steps)).map { ($0, $1) }
        defer { #expect(answers.isEmpty, "it was not asked so often") }
        // What was measured before the clock was set has a place of its own.
        return Set(try await domain.list(known: known).map { $0.id.replacing("-before", with: "") }).sorted()
      }
      // A day between two others.
      #expect(try await listed([[0, 2], [0, 1, 2]]) == places)
      // It was not worn on that day.
      #expect(try await listed([[0, 2], [0, 2]]) == [places[0], places[2]])
      // What is missing in the second answer is there by the first.
      #expect(try await listed([[0, 2], [1, 2]]) == places)
      // The day up to which is stored.
      band.link.wish.watermarks[Series.heartRate.id] = TopStep.microseconds(band.midnight - 40_000)
      let known = [
        KnownItem(id: places[1], mark: "x", size: 9, fetched: 9, isDurable: true, isErased: false, progress: [])
      ]
      #expect(try await listed([[2], [1, 2]], known: known) == [places[1], places[2]])
      #expect(try await listed([[1, 2]], known: known) == [places[1], places[2]])
      // Numbers that jump each time are no evidence, and cost one answer more over a link; one that jumps once is
      // evidence.
      #expect(try await listed([[1, 2], [1, 2]], by: [2, 1]) == [places[1], places[2]])
      #expect(try await listed([[1, 2], [1, 2]], by: [3, 3]) == [places[1], places[2]])
      #expect(try await listed([[1, 2]], by: [3]) == [places[1], places[2]])
    }
  }

  @Test("in fragments is refused by that name, and of a band that fails to begin it costs that kind alone")
  func refused() throws {
    try onLoop { _ in
      let band = PocketBand()
      try band.recordSomething()
      let session = try await Self.visited(band)
      let domain = try Self.domain(.heartRate, session)
      band.instead = { frame in
        guard frame.topic == .syncStart else { return nil }
        let fragment = TopStepFrame(
          topic: .data(1), flags: 4, sequence: 9, payload: [0, 0, 0, 2, 0, 0, 0, 0, 0x08, 0x01])
        return [
          TopStepFrame(topic: .syncStart, sequence: frame.sequence, payload: [0x08, 0x01]).bytes, fragment.bytes,
        ]
      }
      let end = await trouble { () throws(VisitTrouble) in _ = try await domain.list(known: []) }
      guard case .unsupported(let why)? = end else { return #expect(Bool(false), "\(String(describing: end))") }
      #expect(why.contains("fragment 0 of 2") && band.link.notes.contains { $0.contains("fragment") })
      // A repetition, whatever bit marks it, loses no data.
      let message = try #require(band.days[1]?.first)
      band.instead = { frame in
        guard frame.topic == .syncStart else { return nil }
        return [
          TopStepFrame(topic: .syncStart, flags: 2, sequence: frame.sequence, payload: [0x08, 0x01]).bytes,
          TopStepFrame(topic: .data(1), flags: 2, sequence: 9, payload: message).bytes,
          TopStepFrame(topic: .data(1), flags: 2, sequence: 9, payload: message).bytes,
        ]
      }
      #expect(try await domain.list(known: []).count == 1)
      band.instead = { frame in
        frame.topic == .syncStart
          ? [TopStepFrame(topic: .syncStart, sequence: frame.sequence, payload: [0x08, 1, 0x10, 0x7F]).bytes] : nil
      }
      let failed = await trouble { () throws(VisitTrouble) in _ = try await domain.list(known: []) }
      guard case .unsupported? = failed else { return #expect(Bool(false), "\(String(describing: failed))") }
    }
  }

  @Test("is the same item as long as the band says the same, and another if it says more")
  func marks() throws {
    try onLoop { _ in
      let band = PocketBand()
      var day = TopStepHeartRateDay()
      (day.start, day.end) = (band.midnight, band.midnight + 86_399)
      day.automatic = Data([60])
      band.days[1] = [try day.wire()]
      let session = try await Self.visited(band)
      let domain = try Self.domain(.heartRate, session)
      // The day on which the clock was set.
      let first = try await domain.list(known: [])
      #expect(try await domain.list(known: []).map(\.mark) == first.map(\.mark))
      day.automatic = Data([60, 61])
      band.days[1] = [try day.wire()]
      let second = try await domain.list(known: [])
      #expect(second.map(\.id) == first.map(\.id) && second.map(\.mark) != first.map(\.mark))
    }
  }

  @Test("is not another item by its overlap, and an empty day is no item")
  func overlap() throws {
    try onLoop { _ in
      let band = PocketBand()
      try band.recordSomething()
      let session = try await Self.visited(band)
      let domain = try Self.domain(.activity, session)
      let items = try await domain.list(known: [])
      #expect(items.count == 1)
      // Half an hour later the same values are the same item.
      band.link.wait(.seconds(2000))
      #expect(try await domain.list(known: items.map { $0.known() }) == items)
      var empty = TopStepActivityDay()
      empty.start = band.midnight
      band.days[6] = [try empty.wire()]
      #expect(try await domain.list(known: []).isEmpty)
    }
  }

  @Test("that is said to come and does not is silence, and an invalid day is passed over")
  func odd() throws {
    try onLoop { _ in
      let band = PocketBand()
      let session = try await Self.visited(band)
      let domain = try Self.domain(.spo2, session)
      band.instead = { frame in
        frame.topic == .syncStart
          ? [TopStepFrame(topic: .syncStart, sequence: frame.sequence, payload: [0x08, 2]).bytes] : nil
      }
      let end = await trouble { () throws(VisitTrouble) in _ = try await domain.list(known: []) }
      guard case .silent? = end else { return #expect(Bool(false), "\(String(describing: end))") }
      // An end that came late for another kind has no effect.
      let message = try {
        var day = TopStepMeasuredDay()
        (day.start, day.automatic) = (band.midnight - 86_400, Data([97]))
        return try day.wire()
      }()
      band.instead = { frame in
        guard frame.topic == .syncStart else { return nil }
        return [
          TopStepFrame(topic: .syncStart, sequence: frame.sequence, payload: [0x08, 2]).bytes,
          TopStepFrame(topic: .syncEnd, sequence: 8, payload: [0x08, 1]).bytes,
          TopStepFrame(topic: .data(2), sequence: 9, payload: message).bytes,
        ]
      }
      #expect(try await domain.list(known: []).count == 1)
      band.instead = nil
      band.days[2] = [[], [0xFF], [0x08, 0x00]]
      #expect(try await domain.list(known: []).isEmpty)
      #expect(band.link.notes.contains { $0.contains("invalid") })
    }
  }
}
