import EventLoop
import Foundation
import Health
import Testing

@testable import RingStore

@Suite struct ExportTests {
  private let strap = WearableRecord(
    id: one, addressValue: 0xF0F1_F2F3_F400, addressKind: 2, name: "strap-01", driver: "heart-rate", kind: "HR strap", enrolledAt: VirtualLoop.morning)

  private func sample(_ series: Series, _ value: Int64, _ wearable: WearableID = one, _ origin: Origin = .live) -> StoredSample {
    StoredSample(
      wearable: wearable, series: series, value: value, time: VirtualLoop.morning + .microseconds(123_999), monotonic: Instant(nanoseconds: 5),
      bootID: boot, clockTrusted: true, origin: origin, sequence: 9)
  }

  @Test("ndjson is one object a line, with exact values")
  func ndjson() {
    let export = SampleExport(.ndjson, wearables: [strap])
    #expect(export.head.isEmpty)
    #expect(
      export.line(sample(.heartRate, 72))
        == #"{"device":"strap-01","address":"F0:F1:F2:F3:F4:00","series":"heart_rate","time":"2026-11-21T10:00:00.123Z","value":72,"unit":"bpm","origin":"live"}"#)
    #expect(export.line(sample(.rrInterval, 946)).contains(#""series":"rr_interval","time":"2026-11-21T10:00:00.123Z","value":923.828125,"unit":"ms""#))
    #expect(export.line(sample(.battery, 87, two, .fetched)).hasPrefix(#"{"device":"wearable-2","address":"","series":"battery""#))
    var bytes: [UInt8] = []
    export.append(sample(.heartRate, 1), to: &bytes)
    export.append(sample(.heartRate, 2), to: &bytes)
    #expect(bytes.filter { $0 == 0x0A }.count == 2 && bytes.last == 0x0A)
  }

  @Test("CSV has a header and the same columns")
  func csv() {
    let export = SampleExport(.csv, wearables: [strap])
    #expect(export.head == "device,address,series,time,value,unit,origin\n")
    #expect(export.line(sample(.heartRate, 72)) == "strap-01,F0:F1:F2:F3:F4:00,heart_rate,2026-11-21T10:00:00.123Z,72,bpm,live")
    #expect(export.line(sample(.rrInterval, -1, one, .replayed)) == "strap-01,F0:F1:F2:F3:F4:00,rr_interval,2026-11-21T10:00:00.123Z,-0.9765625,ms,replayed")
  }

  @Test("JSON and CSV text survives whatever it contains")
  func escaping() throws {
    for text in ["plain", "quo\"te", "back\\slash", "line\nfeed\r\t", "\u{0}\u{1F}\u{7F}", "ü😀", "a,b"] {
      var json: [UInt8] = []
      json.append(json: text)
      #expect(try JSONDecoder().decode([String].self, from: Data([0x5B] + json + [0x5D])) == [text])
    }
    var csv: [UInt8] = []
    csv.append(csv: "a,\"b\"")
    #expect(String(decoding: csv, as: UTF8.self) == #""a,""b""""#)
  }

  @Test("dates agree with Foundation's calendar over four hundred years, and around the edges")
  func dates() throws {
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withInternetDateTime]
    var random = Seeded(7)
    for index in 0..<2000 {
      let seconds = Int64(random.next() % (400 * 365 * 86_400)) - 70 * 365 * 86_400
      let time = WallTime(microseconds: seconds * 1_000_000 + Int64(index % 1000) * 1000)
      let text = formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
      #expect(time.rfc3339.prefix(19) == text.prefix(19))
      #expect(WallTime(parsing: time.rfc3339, now: time) == time)
    }
    #expect(WallTime(microseconds: 0).rfc3339 == "1970-01-01T00:00:00.000Z")
    #expect(WallTime(microseconds: -1).rfc3339 == "1969-12-31T23:59:59.999Z")
    #expect(WallTime(microseconds: 951_782_400_000_000).rfc3339 == "2000-02-29T00:00:00.000Z")
    #expect(WallTime(microseconds: -62_167_219_200_000_000).rfc3339 == "0000-01-01T00:00:00.000Z")
    // Beyond RFC 3339: still a text, no trap.
    #expect(WallTime(microseconds: .max).rfc3339.hasPrefix("+294247-01-10T"))
    #expect(WallTime(microseconds: .min).rfc3339.hasPrefix("-290308-12-21T"))
  }

  @Test("every day of every year is counted once")
  func days() {
    for days in Int64(-800_000)...800_000 {
      let date = CivilDate(days: days)
      guard date.days == days, (1...12).contains(date.month), (1...31).contains(date.day) else {
        Issue.record("day \(days) became \(date)")
        return
      }
    }
  }

  @Test("times for --since and --until are read as people write them")
  func parsing() {
    let now = VirtualLoop.morning
    func parse(_ text: String) -> WallTime? { WallTime(parsing: text, now: now) }
    #expect(parse("now") == now)
    #expect(parse("90s") == now + .seconds(-90))
    #expect(parse("15m") == now + .seconds(-900))
    #expect(parse("2h") == now + .seconds(-7200))
    #expect(parse("3d") == now + .seconds(-259_200))
    #expect(parse("1w") == now + .seconds(-604_800))
    #expect(parse("2026-11-21T10:00:00Z") == now)
    #expect(parse("2026-11-21 10:00:00z") == now)
    #expect(parse("2026-11-21T12:30:00+02:30") == now)
    #expect(parse("2026-11-20T22:00:00-12:00") == now)
    #expect(parse("2026-11-21T10:00:00.1234567Z") == now + .microseconds(123_456))
    #expect(parse("2026-11-21") == now + .seconds(-36_000))
    #expect(parse("2024-02-29") != nil)
    #expect(parse("2016-12-31T23:59:60Z") == parse("2017-01-01T00:00:00Z"))
    for bad in [
      "", "s", "-5s", "5", "5y", "1.5h", "99999999999s", "2026", "2026-13-01", "2026-00-01", "2026-02-29", "2026-04-31", "2026-11-21T", "2026-11-21T10:00Z",
      "2026-11-21T24:00:00Z", "2026-11-21T10:60:00Z", "2026-11-21T10:00:61Z", "2026-11-21T10:00:00", "2026-11-21T10:00:00.Z", "2026-11-21T10:00:00+2:00",
      "2026-11-21T10:00:00Zx", "２０２６-11-21", "\u{0}", "yesterday", String(repeating: "9", count: 100),
    ] { #expect(parse(bad) == nil, "\(bad)") }
  }
}
