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

@Suite("Measured items and single days on the control socket")
struct ItemMethodTests {
  private static let manual = SampleFlags(origin: .fetched, isManual: true)
  private static func marked(_ kind: SampleKind) -> SampleFlags { SampleFlags(origin: .fetched, kind: kind) }

  /// A morning of one person: by hand, by itself, at rest, and what the wearable itself computed.
  @LoopActor private static func fill(_ hub: FakeHub) {
    func rate(_ value: Int64, _ minutes: Int64, _ flags: SampleFlags, wearable: UInt32 = 1) -> StoredSample {
      FakeHub.sample(
        wearable, .heartRate, value, at: FakeHub.now + .seconds(minutes * 60), ordinal: UInt64(minutes + 100),
        flags: flags)
    }
    hub.samples = [
      rate(71, 10, .fetched), rate(64, 0, .fetched), rate(80, 10, Self.manual), rate(48, -20, Self.marked(.resting)),
      rate(50, -40, Self.marked(.resting)), rate(131, 30, Self.marked(.maximum)), rate(90, 5, .live, wearable: 2),
    ]
  }

  @Test("items are ascending by time, by hand before by itself, with everything that is said of them")
  func items() throws {
    let all: ItemsDocument = try serve { hub, _ in
      Self.fill(hub)
    } client: { path in
      try ControlClient(path: path).fetch("items", of: "Items", ["name": "strap-01", "series": "heart_rate"])
    }
    #expect(all.items.map(\.value) == [50, 48, 64, 80, 71, 131])
    #expect(all.items.map(\.kind) == ["resting", "resting", "normal", "normal", "normal", "maximum"])
    #expect(all.items.map(\.manual) == [false, false, false, true, false, false])
    #expect(all.items.allSatisfy { $0.start == $0.end && $0.durationS == 0 && $0.quality == nil })
    #expect(all.items.allSatisfy { $0.device == "strap-01" && $0.origin == "fetched" && $0.clock == nil })
    #expect(all.zone == "UTC" && all.unit == "bpm" && all.next == nil && all.components.isEmpty)
  }

  @Test("a value that its wearable doubts is marked")
  func doubtful() throws {
    let all: ItemsDocument = try serve { hub, _ in
      hub.samples = [true, false].enumerated().map { number, isLowQuality in
        FakeHub.sample(
          1, .heartRate, 60, at: FakeHub.now + .seconds(Int64(number)), ordinal: UInt64(number),
          flags: SampleFlags(origin: .live, isLowQuality: isLowQuality))
      }
    } client: { path in
      try ControlClient(path: path).fetch("items", of: "Items", ["name": "strap-01", "series": "heart_rate"])
    }
    #expect(all.items.map(\.quality) == ["low", nil])
  }

  @Test("items are filtered by kind and by hand or not, and given a page at a time")
  func pages() throws {
    let found = try serve { hub, _ in
      Self.fill(hub)
    } client: { path in
      let client = try ControlClient(path: path)
      func ask(_ more: [(String, JSON)]) throws -> ItemsDocument {
        var members: [JSON.Member] = [
          JSON.Member("name", "strap-01"), JSON.Member("series", "heart_rate"),
        ]
        members += more.map { JSON.Member($0.0, $0.1) }
        return try client.fetch("items", of: "Items", .object(members))
      }
      let resting = try ask([("kind", "resting")])
      let manual = try ask([("manual", .bool(true))])
      let automatic = try ask([("manual", .bool(false)), ("kind", "normal")])
      let first = try ask([("limit", 4)])
      let second = try ask([("limit", 4), ("after", first.next.map { .string($0) } ?? .null)])
      return [resting, manual, automatic, first, second].map { ($0.items.map(\.value), $0.next != nil) }
    }
    #expect(found.map(\.0) == [[50, 48], [80], [64, 71], [50, 48, 64, 80], [71, 131]])
    #expect(found.map(\.1) == [false, false, false, true, false])
  }

  @Test("what is asked wrong is refused, and says how it is asked right")
  func refused() throws {
    let refusals = try serve { path in
      let client = try ControlClient(path: path)
      return [
        ["name": "nobody", "series": "heart_rate"], ["name": "strap-01", "series": "hart_rate"],
        ["name": "strap-01", "series": "ecg"], ["name": "strap-01", "series": "heart_rate", "kind": "rest"],
        ["name": "strap-01", "series": "heart_rate", "after": "yesterday"],
      ].map { (parameters: JSON) in refusal { _ = try client.call("Items", parameters) } }
    }
    #expect(refusals.map { $0?.reason } == [.noSuchWearable] + Array(repeating: .controlBadParameter, count: 4))
    #expect(refusals[3]?.detail.contains("normal, maximum, minimum, resting") == true)
    #expect(refusals[2]?.detail.contains("hearth export") == true)
    #expect(
      refusals[0]?.detail
        == "no wearable is called 'nobody', and no person either (hearth wearer lists them)")
  }

  @Test("a day has what the wearable said, else what is derived, and lists of rest, by hand and by itself")
  func daily() throws {
    let (daily, days) = try serve { hub, _ in
      Self.fill(hub)
    } client: { path in
      let client = try ControlClient(path: path)
      let daily: DailyDocument = try client.fetch("daily", of: "Daily", ["name": "strap-01", "date": "2026-11-21"])
      let days: DaysDocument = try client.fetch("days", of: "Days", ["name": "strap-01"])
      return (daily, days)
    }
    #expect(daily.date == "2026-11-21" && daily.start == "2026-11-21T00:00:00.000Z")
    let rate = try #require(daily.series.first)
    #expect(daily.series.map(\.series) == ["heart_rate"] && rate.devices == ["strap-01"])
    let part = try #require(rate.day.parts.first)
    #expect(part.maximum?.value == 131 && part.derivedMax == nil)
    #expect(part.minimum == nil && part.derivedMin?.value == 64)
    #expect(part.average == 71.7 && part.resting?.value == 48, "three normal items; the latest at rest by its time")
    #expect(rate.resting.map(\.value) == [50, 48] && rate.manual.map(\.value) == [80])
    #expect(rate.automatic.map(\.value) == [64, 71] && rate.leftOut == 0)
    #expect(days.series.first?.days.first == rate.day, "one notion of a day")
    #expect(daily.lines.map(\.line) == days.lines)
  }

  @Test("a person's day is of all that the person wore, without other values of these wearables")
  func person() throws {
    let (daily, items) = try serve { hub, _ in
      Self.fill(hub)
      // strap-02 is on Ada; strap-01 is not worn.
      hub.samples.append(
        FakeHub.sample(2, .steps, 0, at: FakeHub.now + .seconds(60), flags: .fetched, values: [60_000_000, 90]))
    } client: { path in
      let client = try ControlClient(path: path)
      let daily: DailyDocument = try client.fetch("daily", of: "Daily", ["name": "Ada", "date": "2026-11-21"])
      let items: ItemsDocument = try client.fetch("items", of: "Items", ["name": "Ada", "series": "heart_rate"])
      return (daily, items)
    }
    #expect(daily.name == "Ada" && items.name == "Ada")
    #expect(items.items.map(\.value) == [90] && items.items.map(\.device) == ["strap-02"])
    #expect(items.items.map(\.wearer) == ["Ada"])
    #expect(daily.series.map(\.series) == ["heart_rate", "steps"])
    #expect(daily.series.allSatisfy { $0.devices == ["strap-02"] && $0.day.wearers == ["Ada"] })
  }

  @Test("sleep is from 20:00 to 20:00, a pressure by component, a temperature by place")
  func domains() throws {
    let daily: DailyDocument = try serve { hub, _ in
      let minute: Int64 = 60_000_000
      func stage(_ value: Int64, _ minutes: Int64, at hours: Int64) -> StoredSample {
        FakeHub.sample(
          1, .sleepStage, minutes * minute, at: FakeHub.now + .seconds(hours * 3600), ordinal: UInt64(hours + 20),
          flags: .fetched, values: [minutes * minute, value])
      }
      hub.samples = [
        stage(3, 60, at: -12), stage(4, 60, at: -11), stage(1, 30, at: -10), stage(3, 40, at: 3),
        FakeHub.sample(1, .groundTime, 240, flags: .fetched, values: [240, 90]),
        FakeHub.sample(1, .groundTime, 250, flags: .fetched, values: [250, 80]),
        FakeHub.sample(1, .skinTemperature, 33_400, flags: .fetched),
      ]
    } client: { path in
      try ControlClient(path: path).fetch("daily", of: "Daily", ["name": "strap-01", "date": "2026-11-21"])
    }
    let sleep = try #require(daily.sleep)
    #expect(sleep.from == "2026-11-20T20:00:00.000Z" && sleep.to == "2026-11-21T20:00:00.000Z")
    #expect(sleep.segments.map(\.kind) == ["night", "nap"])
    #expect(sleep.withoutNaps?.asleepS == 7200 && sleep.withNaps?.asleepS == 9600)
    #expect(sleep.withoutNaps?.stages.map(\.stage) == ["light", "deep"])
    #expect(sleep.withoutNaps?.stages.map(\.percent) == [50, 50])
    let ground = try #require(daily.series.first { $0.series == "ground_time" })
    #expect(ground.day.parts.map(\.name) == ["contact", "flight"])
    #expect(ground.day.parts.map(\.derivedMax?.value) == [250, 90])
    #expect(daily.series.first { $0.series == "skin_temperature" }?.place == "skin")
  }

  @Test("readers of items or of a day are noted, wearable by wearable")
  func noted() throws {
    let notes = try serve(
      prepare: { hub, _ in Self.fill(hub) },
      client: { path in
        let client = try ControlClient(path: path)
        _ = try client.call("Items", ["name": "strap-01", "series": "heart_rate"])
        _ = try client.call("Daily", ["name": "Ada", "date": "2026-11-21"])
      }, after: { hub, _, _ in hub.accessNotes })
    #expect(notes.map(\.method) == ["Items", "Daily"])
    #expect(notes.map(\.wearable?.number) == [1, 2])
    #expect(
      notes[1].span?.lowerBound == FakeHub.now + .milliseconds(3), "not before it was on Ada: that was somebody else's")
    #expect(notes[0].samples == 6 && notes[0].series == [Series.heartRate.id] && notes[0].span != nil)
  }
}
