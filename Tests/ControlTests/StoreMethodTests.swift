import EventLoop
import Foundation
import Health
import Reasons
import Testing

@testable import Control
@testable import HubProtocol
@testable import RingStore

private func refusal(_ body: () throws -> Void) -> HearthError? {
  do { try body() } catch { return error as? HearthError }
  return nil
}

@Suite("The store on the control socket")
struct StoreMethodTests {
  @Test("the store is shown with its rings and cursors; a status leaves them out")
  func whole() throws {
    let (store, status) = try serve { path in
      let client = try ControlClient(path: path)
      let store: StoreDocument = try client.fetch("store", of: "Store")
      let status: StatusDocument = try client.fetch("status", of: "Status")
      return (store, status)
    }
    let ring = try #require(store.rings?.first)
    #expect(ring.device == "strap-01" && ring.series == "heart_rate" && ring.way == "live")
    #expect(ring.quotaBytes == 1_000_000 && ring.keepSeconds == 86_400 && ring.evict == "refuse" && ring.refuses)
    #expect(ring.evictedSamples == 3 && ring.evictedUnexported == 1 && ring.purgedSamples == 5 && ring.unexported == 7)
    #expect(store.readers?.map(\.by) == ["pi@10.0.0.5"])
    #expect(status.store.rings == nil && status.store.readers == nil)
  }

  @Test("the newest samples are given in the form of an export")
  func peek() throws {
    let (peek, tasks) = try serve(
      prepare: { hub, _ in hub.fill(40) },
      client: { path in
        try ControlClient(path: path).call("StorePeek", ["name": "strap-02", "series": "heart_rate", "count": 2])
      }
    ) { hub, _, reply in (try? reply["peek"]?.decoded(PeekDocument.self), hub.storeTasks) }
    let document = try #require(peek)
    #expect(document.device == "strap-02" && document.unit == "bpm" && document.layout == "scalar")
    #expect(
      document.samples.compactMap { $0["time"]?.text } == ["2026-11-21T10:00:00.035Z", "2026-11-21T10:00:00.037Z"])
    #expect(document.samples.compactMap { $0["wearer"]?.text } == ["Ada", "Ada"])
    #expect(tasks == 0)
  }

  @Test("a peek of long samples keeps to what a reply may have, and keeps the newest")
  func largePeek() throws {
    let samples = (0..<1000).map {
      FakeHub.sample(
        1, .raw, 1, at: FakeHub.now + .milliseconds(Int64($0)), values: [1],
        bytes: Array(repeating: UInt8(7), count: 8000))
    }
    let peek = try serve { hub, _ in
      hub.samples = samples
    } client: { path in
      try ControlClient(path: path).call("StorePeek", ["name": "strap-01", "series": "raw", "count": 1000])
    }
    let document = try #require(try? peek["peek"]?.decoded(PeekDocument.self))
    #expect((300..<600).contains(document.samples.count))
    #expect(document.samples.last?["time"]?.text == "2026-11-21T10:00:00.999Z")
  }

  @Test("what does not exist is refused with its code")
  func refusals() throws {
    let found = try serve { path in
      let client = try ControlClient(path: path)
      return [
        refusal { _ = try client.call("StorePeek", ["name": "nobody", "series": "heart_rate"]) },
        refusal { _ = try client.call("StorePeek", ["name": "strap-01", "series": "hart_rate"]) },
        refusal { _ = try client.call("Days", ["name": "nobody"]) },
        refusal { _ = try client.call("Coverage", ["name": "nobody"]) },
        refusal { _ = try client.call("StorePurgePlan", ["name": "nobody"]) },
        refusal { _ = try client.call("ExportNext", ["cursor": "ward", "device": "nobody"]) },
      ]
    }
    #expect(
      found.map { $0?.reason } == [
        .noSuchWearable, .controlBadParameter, .noSuchWearable, .noSuchWearable, .noSuchWearable, .noSuchWearable,
      ])
  }

  @Test("days are those of the series that have values, and a date alone is a local midnight")
  func days() throws {
    let (all, none) = try serve { hub, _ in
      hub.samples = (0..<3).map {
        FakeHub.sample(1, .heartRate, Int64(60 + $0 * 10), at: FakeHub.now + .seconds(Int64($0) * 86_400))
      }
    } client: { path in
      let client = try ControlClient(path: path)
      let all: DaysDocument = try client.fetch("days", of: "Days", ["name": "strap-01"])
      let none: DaysDocument = try client.fetch(
        "days", of: "Days", ["name": "strap-01", "series": "heart_rate", "since": "2026-11-23", "until": "2026-11-23"])
      return (all, none)
    }
    #expect(all.zone == "UTC" && all.series.map(\.series) == ["heart_rate"])
    #expect(all.series.first?.days.map(\.date) == ["2026-11-21", "2026-11-22", "2026-11-23"])
    #expect(all.series.first?.days.map(\.mean) == [60, 70, 80])
    #expect(all.series.first?.days.first?.sum == nil)
    #expect(none.series.first?.days.map(\.date) == ["2026-11-23"])
    #expect(
      all.lines.map(\.date) == ["2026-11-21", "2026-11-22", "2026-11-23"]
        && all.lines.map(\.lowestHeartRate) == [60, 70, 80])
    #expect(none.lines.isEmpty, "one series was asked for")
  }

  private static func at(_ seconds: Int64) -> WallTime { FakeHub.now + .seconds(seconds) }

  @Test("coverage of a person is of each wearable that the person wore, and only of the times of wearing")
  func coverageOfPerson() throws {
    let (reply, none) = try serve { hub, _ in
      let (ada, bob) = (WearerID(number: 1), WearerID(number: 2))
      func worn(_ wearable: UInt32, _ seconds: Int64, _ wearer: WearerID?) -> Assignment {
        Assignment(
          wearable: WearableID(number: wearable), from: Self.at(seconds), wearer: wearer, enteredAt: FakeHub.now)
      }
      hub.people = People(
        wearers: [
          Wearer(id: ada, name: "Ada", createdAt: FakeHub.now), Wearer(id: bob, name: "Bob", createdAt: FakeHub.now),
          Wearer(id: WearerID(number: 3), name: "Fay", createdAt: FakeHub.now),
        ],
        // Strap 1 goes to Bob for a quarter of an hour; strap 2 is on Ada all the time.
        assignments: [worn(1, -3600, ada), worn(1, -1800, bob), worn(1, -900, ada), worn(2, -7200, ada)])
      hub.samples = (-3600..<0).map { FakeHub.sample(1, .heartRate, 60, at: Self.at(Int64($0))) }
      hub.samples += (-3600..<0).filter { $0 < -600 }.map { FakeHub.sample(2, .heartRate, 60, at: Self.at(Int64($0))) }
    } client: { path in
      let client = try ControlClient(path: path)
      let span: (String, String) = (Self.at(-3600).rfc3339, FakeHub.now.rfc3339)
      func ask(_ name: String) throws -> Methods.Coverage.Reply {
        try client.coverage(.init(name: name, series: "heart_rate", since: span.0, until: span.1))
      }
      return (try ask("Ada"), try ask("Fay"))
    }
    let one = reply.coverage
    let two = try #require(reply.others?.first)
    #expect(reply.others?.count == 1 && one.device == "strap-01" && two.device == "strap-02")
    #expect(one.wearer == "Ada" && one.enrolment == 1 && one.seconds == 2700)
    #expect(one.worn?.map(\.from) == [Self.at(-3600).rfc3339, Self.at(-900).rfc3339])
    #expect(one.worn?.map(\.to) == [Self.at(-1800).rfc3339, FakeHub.now.rfc3339])
    #expect(one.series.first?.samples == 2700 && one.series.first?.share == 1 && one.series.first?.gaps.isEmpty == true)
    #expect(two.worn?.count == 1 && two.seconds == 3600 && two.series.first?.samples == 3000)
    #expect(two.series.first?.gaps.map(\.seconds) == [600])
    #expect(none.coverage.device == "Fay" && none.coverage.worn?.isEmpty == true && none.coverage.series.isEmpty)
  }

  @Test("an invalid time is refused with its code by every method that takes one; people's words are taken")
  func times() throws {
    let reasons = try serve { path in
      let client = try ControlClient(path: path)
      func ask(_ method: String, _ parameters: JSON) -> HearthError? {
        refusal { try client.stream(method, parameters) { _ in true } }
      }
      return [
        ask("Export", ["since": "soon"]), ask("Export", ["until": "9999999999w"]),
        ask("Days", ["name": "strap-01", "since": "2026-13-01"]), ask("StorePurgePlan", ["before": "24:00"]),
        ask("Assign", ["name": "strap-01", "wearer": "Ada", "from": "--2h"]), ask("Export", ["since": "yesterday"]),
        ask("Export", ["since": "-2h", "until": "-1h"]), ask("Export", ["until": "2026-11-22 10:00"]),
      ]
    }
    #expect(reasons.prefix(5).allSatisfy { $0?.reason == .timeNotUnderstood }, "\(reasons)")
    #expect(reasons.dropFirst(5).allSatisfy { $0 == nil }, "\(reasons)")
  }

  @Test("a day's line has its night, its score, and its trainings, with null for what was not reported")
  func lines() throws {
    let days: DaysDocument = try serve { hub, _ in
      let night = FakeHub.now + .seconds(-4 * 3600)
      hub.samples = [
        FakeHub.sample(
          1, .sleep, 25_200, at: night, flags: .fetched, values: [25_200, 1200, 6000, 12_000, 6000, 0, 28_800, 0]),
        FakeHub.sample(
          1, .recharge, 4, at: FakeHub.now + .seconds(-10 * 3600), flags: .fetched,
          values: [4, 70, 3, 1050, 48, 0, 0, 0, 0]),
        FakeHub.sample(1, .ansStatus, 15, at: FakeHub.now + .seconds(-10 * 3600), flags: .fetched),
        FakeHub.sample(1, .training, 0, flags: .fetched, values: [0, 0, 2700, 8200, 612, 142, 171]),
      ]
    } client: { path in
      try ControlClient(path: path).fetch("days", of: "Days", ["name": "strap-01"])
    }
    let line = try #require(days.lines.first)
    #expect(
      days.lines.count == 1 && days.series.map(\.series) == ["ans_status"] && line.date == "2026-11-21"
        && line.steps == nil)
    #expect(
      line.nights.first?.from == "2026-11-20T23:00:00.000Z" && line.nights.first?.to == "2026-11-21T06:00:00.000Z"
        && line.nights.first?.rating == nil)
    #expect(
      line.nights.first?.deepS == 6000 && line.nights.first?.goalS == 28_800 && line.nights.first?.asleepS == 24_000)
    #expect(
      line.recharge?.recovery == 4 && line.recharge?.level == 70 && line.recharge?.ansStatus == 1.5
        && line.recharge?.breathMs == nil)
    #expect(
      line.trainings.first?.sport == nil && line.trainings.first?.distanceM == 8200
        && line.trainings.first?.meanHeartRate == 142)
  }

  @Test("a check says what it found")
  func verify() throws {
    let report: VerifyDocument = try serve { hub, _ in
      hub.report.findings = [VerifyReport.Finding(place: "chunks 3 heart_rate live 0", what: "its checksum is wrong")]
      hub.report.findingCount = 1
    } client: { path in
      try ControlClient(path: path).fetch("verify", of: "StoreVerify")
    }
    #expect(!report.clean && report.findingCount == 1)
    #expect(report.findings.map(\.place) == ["chunks 3 heart_rate live 0"])
  }

  @Test("a check that is asked for more says how far it has come, at most once a second, and at last what it found")
  func progress() throws {
    let replies: [JSON] = try serve { _, _ in
    } client: { path in
      var replies: [JSON] = []
      try ControlClient(path: path).stream("StoreVerify", [:]) { reply in
        replies.append(reply)
        return true
      }
      return replies
    }
    #expect(replies.map { $0["percent"] } == [.integer(10), .integer(100)])
    #expect(replies.first?["verify"] == .null && replies.last?["verify"]?["clean"] == true)
  }

  @Test("a purge with another count than it would delete is refused; with the right one it is done, and logged")
  func purge() throws {
    let log = LogLines()
    let (plan, differs, done, purged) = try serve(
      prepare: { hub, _ in hub.fill(12) },
      client: { path in
        let client = try ControlClient(path: path)
        let plan: PurgeDocument = try client.fetch(
          "purge", of: "StorePurgePlan", ["name": "strap-02", "before": "2026-11-21T10:00:00.006Z"])
        let differs = refusal { _ = try client.call("StorePurge", ["name": "strap-02", "losing": 5]) }
        let done: PurgeDocument = try client.fetch("purge", of: "StorePurge", ["name": "strap-02", "losing": 6])
        return (plan, differs, done)
      }, log: log
    ) { hub, _, found in (found.0, found.1, found.2, hub.purged) }
    #expect(plan.samples == 3 && plan.unexported == 2 && plan.purged == nil)
    #expect(plan.parts.map(\.device) == ["strap-02"] && plan.parts.map(\.wearers) == [["Ada"]])
    #expect(differs == HearthError(.purgeCountDiffers, "it would delete 6 samples, not 5"))
    #expect(done.purged == 6)
    #expect(purged == [6])
    #expect(
      log.all.count == 2
        && log.all.allSatisfy { $0.contains("asked to purge samples of strap-02") && $0.contains("uid \(getuid())") })
    #expect(log.all.first?.contains("H4103") == true)
  }

  @Test("a cursor is deleted by its name and returned as it was; another name is refused, and both are logged")
  func forgetsCursor() throws {
    let log = LogLines()
    let (removed, refused) = try serve(
      client: { path in
        let client = try ControlClient(path: path)
        let removed: StoreDocument.Reader = try client.fetch("reader", of: "StoreForgetCursor", ["cursor": "ward"])
        return (removed, refusal { _ = try client.call("StoreForgetCursor", ["cursor": "wald"]) })
      }, log: log
    ) { _, _, found in found }
    #expect(removed.name == "ward" && removed.samples == 93)
    #expect(refused == HearthError(.controlBadParameter, "no export cursor is called 'wald'"))
    #expect(log.all.map { $0.contains("asked to forget the export cursor") } == [true, true])
  }

  @Test("events are given the newest first, with the names of now; those of one wearable by its name or address")
  func events() throws {
    let (events, few, ofOne, ofTwo, unknown) = try serve { hub, _ in
      hub.events = [
        StoreEvent(number: 2, time: FakeHub.now, reason: 4101, wearable: WearableID(number: 1), text: "30 items"),
        StoreEvent(number: 1, time: FakeHub.now, reason: 9999, wearable: nil, text: "?"),
      ]
    } client: { path in
      let client = try ControlClient(path: path)
      func ask(_ parameters: JSON) throws -> [EventDocument] { try client.fetch("events", of: "Events", parameters) }
      return (
        try ask([:]), try ask(["limit": 1]), try ask(["name": "strap-01"]), try ask(["name": "strap-02", "limit": 1]),
        refusal { _ = try client.call("Events", ["name": "nobody"]) }
      )
    }
    #expect(
      few.map(\.number) == [2] && ofOne.map(\.number) == [2] && ofTwo.isEmpty && unknown?.reason == .noSuchWearable)
    #expect(events.map(\.code) == ["H4101", "H9999"])
    #expect(events.map(\.area) == ["store", ""])
    #expect(events.map(\.device) == ["strap-01", nil])
  }

  /// The third of a code of its own, the fourth of a wearable.
  private static func numbered(_ number: Int) -> StoreEvent {
    var span = EventSpan()
    if number == 3 { span = EventSpan(from: FakeHub.now, to: FakeHub.now + .seconds(3), count: 9) }
    let wearable = number == 4 ? WearableID(number: 1) : nil
    let time = FakeHub.now + .seconds(number)
    return StoreEvent(
      number: UInt64(number), time: time, reason: number == 3 ? 8003 : 2104, wearable: wearable, text: "", span: span)
  }

  private struct Found {
    var code, device, times, few, both: [EventDocument]
    var wrong: HearthError?
  }

  @Test("events are filtered before they are counted, by code, wearable and time, among all that the store keeps")
  func filteredEvents() throws {
    let found: Found = try serve { hub, _ in
      for number in (1...5000).reversed() { hub.events.append(Self.numbered(number)) }
    } client: { path in
      let client = try ControlClient(path: path)
      func ask(_ parameters: JSON) throws -> [EventDocument] { try client.fetch("events", of: "Events", parameters) }
      let (from, to) = ((FakeHub.now + .seconds(10)).rfc3339, (FakeHub.now + .seconds(12)).rfc3339)
      return Found(
        code: try ask(["code": "H80xx", "limit": 1]), device: try ask(["name": "strap-01", "limit": 1]),
        times: try ask(["since": .string(from), "until": .string(to)]), few: try ask(["code": "h2104", "limit": 7]),
        both: try ask(["code": "H80", "name": "strap-01"]),
        wrong: refusal { _ = try client.call("Events", ["code": "H2199"]) }
      )
    }
    #expect(found.code.map(\.number) == [3] && found.device.map(\.number) == [4])
    #expect(
      found.times.map(\.number) == [11, 10] && found.few.map(\.number) == [5000, 4999, 4998, 4997, 4996, 4995, 4994])
    #expect(found.both.isEmpty && found.wrong?.reason == .controlBadParameter)
    #expect(found.code.first?.count == 9 && found.code.first?.from == FakeHub.now.rfc3339)
  }
}

@Suite("Exports by cursor")
struct CursorTests {
  private static func next(_ client: ControlClient, _ confirm: Bool, cursor: String = "ward", series: String? = nil)
    throws -> (count: Int, isLast: Bool)
  {
    let parameters: JSON = [
      "cursor": .string(cursor), "confirm": .bool(confirm), "by": "pi@10.0.0.5",
      "series": series.map { .string($0) } ?? .null,
    ]
    let reply = try client.call("ExportNext", parameters)
    guard case .array(let samples) = reply["samples"], let last = reply["last"] else { throw POSIXError(.EINVAL) }
    return (samples.count, last.isTrue)
  }

  @Test(
    """
    pages follow each other on one connection; each confirmation covers what was given before it, the last page with \
    it
    """
  )
  func pages() throws {
    let (counts, lasts, confirmed, by, tasks) = try serve(
      prepare: { hub, _ in hub.fill(1300) },
      client: { path in
        let client = try ControlClient(path: path)
        return [
          try Self.next(client, false), try Self.next(client, true), try Self.next(client, false),
          try Self.next(client, true),
        ]
      }
    ) { hub, _, pages in (pages.map(\.count), pages.map(\.isLast), hub.confirmed, hub.confirmedBy, hub.storeTasks) }
    #expect(counts == [512, 512, 276, 0])
    #expect(lasts == [false, false, true, true])
    #expect(confirmed == ["ward": 1300])
    #expect(by == "pi@10.0.0.5")
    #expect(tasks == 0)
  }

  @Test("with ordinals each row says its place and the reply which store; a page has as many rows as were asked for")
  func places() throws {
    let (plain, placed, brief, all, refused) = try serve { hub, _ in
      hub.fill(20)
    } client: { path in
      let client = try ControlClient(path: path)
      let plain = try client.call("ExportNext", ["cursor": "one", "limit": 7])
      let placed = try client.call("ExportNext", ["cursor": "two", "limit": 7, "ordinals": true])
      var all: [JSON] = []
      try client.stream("Export", ["ordinals": true]) {
        all.append($0)
        return true
      }
      let brief = try client.call("ExportNext", ["cursor": "three", "limit": 7, "ordinals": true, "brief": true])
      var refused = [0, 513].map { limit in
        refusal { _ = try client.call("ExportNext", ["cursor": "one", "limit": .integer(Int64(limit))]) }
      }
      refused.append(refusal { _ = try client.call("ExportNext", ["cursor": "one", "brief": true]) })
      return (plain, placed, brief, all, refused)
    }
    guard case .array(let bare) = plain["samples"], case .array(let rows) = placed["samples"] else {
      Issue.record("no samples")
      return
    }
    #expect(bare.count == 7 && rows.count == 7)
    #expect(plain["store"] == .null && bare.allSatisfy { $0["ordinal"] == nil && $0["enrolment"] == nil })
    #expect(placed["store"]?.text == "00000000000000ab")
    #expect(rows.map { $0["ordinal"] } == (0..<7).map { .integer($0) })
    guard case .array(let short) = brief["samples"] else {
      Issue.record("no samples")
      return
    }
    #expect(short.map { $0["ordinal"] } == (0..<7).map { .integer($0) })
    for (row, whole) in zip(short, rows) {
      #expect(row["value"] == whole["value"])
      guard case .integer(let like)? = row["like"], case .integer(let after)? = row["after"] else {
        #expect(row == whole)
        continue
      }
      let other = short[Int(like)]
      #expect(other["like"] == nil && other["series"] == whole["series"])
      let times = [other, whole].compactMap { $0["time"]?.text.flatMap { WallTime(rfc3339: $0) } }
      #expect(times.count == 2 && times[0] + .microseconds(after) == times[1])
    }
    #expect(short.contains { $0["like"] != nil })
    #expect(rows.map { $0["enrolment"] } == (0..<7).map { .integer(Int64(1 + $0 % 2)) })
    #expect(rows.allSatisfy { $0["way"]?.text == "live" })
    #expect(all.count == 1 && all.first?["store"]?.text == "00000000000000ab")
    #expect(refused.allSatisfy { $0?.reason == .controlBadParameter })
  }

  @Test("what was not confirmed comes again, to this connection and to others; what was does not")
  func resumes() throws {
    let counts = try serve { hub, _ in
      hub.fill(1300)
    } client: { path in
      let first = try ControlClient(path: path)
      var counts = [try Self.next(first, false).count, try Self.next(first, true).count]
      let second = try ControlClient(path: path)
      // The first call of a connection confirms no page, whatever it says.
      counts += [try Self.next(second, true).count, try Self.next(second, false).count]
      // After the last page, a call that does not confirm begins again.
      counts.append(try Self.next(second, false).count)
      return counts
    }
    #expect(counts == [512, 512, 512, 276, 512])
  }

  @Test("another cursor or series on the same connection starts fresh and confirms no rows of the one before")
  func changes() throws {
    let confirmed = try serve(
      prepare: { hub, _ in hub.fill(1300) },
      client: { path in
        let client = try ControlClient(path: path)
        _ = try Self.next(client, false)
        _ = try Self.next(client, true, cursor: "gym")
        _ = try Self.next(client, true, cursor: "gym", series: "heart_rate")
      }
    ) { hub, _, _ in hub.confirmed }
    #expect(confirmed.isEmpty)
  }

  @Test("an export that fails is refused with its code, and the next call begins behind what was confirmed")
  func failure() throws {
    let (error, count) = try serve { hub, _ in
      hub.fill(600)
      hub.exportFails = HearthError(.storeInputOutput, "the card")
    } client: { path in
      let client = try ControlClient(path: path)
      let error = refusal { _ = try Self.next(client, false) }
      return (error, try Self.next(client, true).count)
    }
    #expect(error == HearthError(.storeInputOutput, "the card"))
    #expect(count == 512)
  }

  @Test("a stream with a cursor begins behind what was confirmed, and confirms no rows")
  func stream() throws {
    let (count, confirmed) = try serve(
      prepare: { hub, _ in
        hub.fill(700)
        hub.confirmed["ward"] = 600
      },
      client: { path in
        var count = 0
        try ControlClient(path: path).stream("Export", ["cursor": "ward"]) { reply in
          if case .array(let samples) = reply["samples"] { count += samples.count }
          return true
        }
        return count
      }
    ) { hub, _, count in (count, hub.confirmed) }
    #expect(count == 100)
    #expect(confirmed == ["ward": 600])
  }
}
