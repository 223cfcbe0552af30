import CivilTime
import EventLoop
import Foundation
import Health
import JSONText
import Testing

@testable import Export
@testable import RingStore

@Suite struct ExportTests {
  private let strap = WearableRecord(
    id: one, addressValue: 0xF0F1_F2F3_F400, addressKind: 2, name: "strap-01", driver: "heart-rate", kind: "HR strap",
    enrolledAt: VirtualLoop.morning)

  private func sample(_ series: Series, _ value: Int64, _ wearable: WearableID = one, _ origin: Origin = .live)
    -> StoredSample
  {
    StoredSample(
      wearable: wearable, series: series, way: origin == .live ? .live : .fetched, ordinal: 9,
      time: VirtualLoop.morning + .microseconds(123_999),
      flags: SampleFlags(origin: origin), value: value, values: [], bytes: [], monotonic: Instant(nanoseconds: 5),
      bootID: boot, clockTrusted: true)
  }

  @Test("ndjson is one object a line, with exact values")
  func ndjson() {
    let export = SampleExport(.ndjson, wearables: [strap])
    #expect(export.head.isEmpty)
    #expect(
      export.line(sample(.heartRate, 72))
        == #"{"device":"strap-01","address":"F0:F1:F2:F3:F4:00","series":"heart_rate","time":"2026-11-21T10:00:00.123Z","value":72,"unit":"bpm","origin":"live"}"#
    )
    #expect(
      export.line(sample(.rrInterval, 946)).contains(
        #""series":"rr_interval","time":"2026-11-21T10:00:00.123Z","value":923.828125,"unit":"ms""#))
    #expect(
      export.line(sample(.battery, 87, two, .fetched)).hasPrefix(
        #"{"device":"wearable-2","address":"","series":"battery""#))
    var bytes: [UInt8] = []
    export.append(sample(.heartRate, 1), to: &bytes)
    export.append(sample(.heartRate, 2), to: &bytes)
    #expect(bytes.filter { $0 == 0x0A }.count == 2 && bytes.last == 0x0A)
  }

  @Test("a row with its place says how many parts it is the end of, if there are several")
  func place() {
    let export = SampleExport(.ndjson, wearables: [strap])
    var sample = sample(.heartRate, 72)
    func text(_ sample: StoredSample) -> String {
      var (text, rows) = ([UInt8](), PlacedRows(export, brief: false))
      rows.append(sample, to: &text)
      return String(decoding: text, as: UTF8.self)
    }
    let line = export.line(sample).dropLast()
    #expect(text(sample) == line + #","enrolment":1,"way":"live","ordinal":9}"#)
    sample.parts = 3
    #expect(text(sample) == line + #","enrolment":1,"way":"live","ordinal":9,"parts":3}"#)
  }

  @Test("in short form a row that is like another of its page has only what was measured, and its place")
  func brief() throws {
    let export = SampleExport(.ndjson, wearables: [strap])
    var (text, rows) = (Array("[".utf8), PlacedRows(export, brief: true))
    var parts = sample(.heartRate, 75)
    parts.parts = 2
    let samples = [
      sample(.heartRate, 72), sample(.rrInterval, 946), sample(.heartRate, 73), sample(.heartRate, 74, two),
      sample(.rrInterval, 1024), parts, sample(.heartRate, 76, one, .fetched),
    ]
    for sample in samples { rows.append(sample, to: &text) }
    text.append(UInt8(ascii: "]"))
    guard case .array(let all) = try JSON.parse(text) else { return #expect(Bool(false), "a list") }
    #expect(all.map { $0["like"] } == [nil, nil, .integer(0), nil, .integer(1), .integer(0), nil])
    #expect(
      String(decoding: all[2].compact, as: UTF8.self)
        == #"{"like":0,"after":0,"value":73,"ordinal":9}"#)
    #expect(all[5]["parts"] == .integer(2))
    #expect(all[4]["value"] == .integer(1000))
  }

  @Test("CSV has a header and the same columns")
  func csv() {
    let export = SampleExport(.csv, wearables: [strap])
    #expect(
      export.head
        == """
        device,address,series,time,value,unit,origin,kind,manual,end,wearer,encoding,period_ns,count,record,data,clock,\
        quality\n
        """
    )
    #expect(
      export.line(sample(.heartRate, 72))
        == "strap-01,F0:F1:F2:F3:F4:00,heart_rate,2026-11-21T10:00:00.123Z,72,bpm,live,,,,,,,,,,,")
    #expect(
      export.line(sample(.rrInterval, -1, one, .replayed))
        == "strap-01,F0:F1:F2:F3:F4:00,rr_interval,2026-11-21T10:00:00.123Z,-0.9765625,ms,replayed,,,,,,,,,,,")
  }

  /// What comes behind `"origin":"fetched"` and before it from the time on, of a sample at 10:00:00.
  private func ndjson(
    _ series: Series, _ values: [Int64], _ bytes: [UInt8] = [], flags: SampleFlags = .fetched, micros: Int64 = 0
  ) -> (String, String) {
    let sample = item(series, values, bytes, flags: flags, micros: micros)
    let head =
      """
      {"device":"strap-01","address":"F0:F1:F2:F3:F4:00","series":"\(series.name)","time":"2026-11-21T10:00:00.
      """
    let csvHead = "strap-01,F0:F1:F2:F3:F4:00,\(series.name),2026-11-21T10:00:00."
    let lines = (
      SampleExport(.ndjson, wearables: [strap]).line(sample), SampleExport(.csv, wearables: [strap]).line(sample)
    )
    #expect(lines.0.hasPrefix(head) && lines.1.hasPrefix(csvHead), "\(lines)")
    #expect(lines.1.split(separator: ",", omittingEmptySubsequences: false).count == 18, "\(lines.1)")
    return (String(lines.0.dropFirst(head.count)), String(lines.1.dropFirst(csvHead.count)))
  }

  private func item(
    _ series: Series, _ values: [Int64], _ bytes: [UInt8] = [], flags: SampleFlags = .fetched, micros: Int64 = 0
  ) -> StoredSample {
    StoredSample(
      wearable: one, series: series, way: .fetched, ordinal: 9, time: VirtualLoop.morning + .microseconds(micros),
      flags: flags, value: values.first ?? 0,
      values: series.layout == .scalar ? [] : values, bytes: bytes, monotonic: Instant(nanoseconds: 5), bootID: boot,
      clockTrusted: true)
  }

  @Test("each layout has its members, in order, and only those that apply")
  func layouts() {
    let vector = ndjson(.ppi, [800, 5, -3], micros: 1)
    #expect(vector.0 == #"000001Z","value":[800,5,-3],"unit":"ms","origin":"fetched"}"#)
    #expect(vector.1 == "000001Z,800;5;-3,ms,fetched,,,,,,,,,,,")
    let interval = ndjson(.distance, [60_000_005, 123])
    #expect(interval.0 == #"000Z","value":12.3,"unit":"m","origin":"fetched","end":"2026-11-21T10:01:00.000005Z"}"#)
    #expect(interval.1 == "000Z,12.3,m,fetched,,,2026-11-21T10:01:00.000005Z,,,,,,,,")
    let ecg = ndjson(.ecg, [7_692_308, 2, 1], [0x00, 0x00, 0x80, 0xFF, 0xFF, 0x7F])
    #expect(ecg.0 == #"000Z","value":[-8388608,8388607],"unit":"uV","origin":"fetched","period_ns":7692308}"#)
    #expect(ecg.1 == "000Z,-8388608;8388607,uV,fetched,,,,,,7692308,,,,,")
    let acc = ndjson(.acc, [20_000_000, 2, 0], [1, 0, 0xFE, 0xFF, 3, 0, 4, 0, 5, 0, 0xFF, 0x7F])
    #expect(acc.0 == #"000Z","value":[[1,-2,3],[4,5,32767]],"unit":"mg","origin":"fetched","period_ns":20000000}"#)
    #expect(acc.1 == "000Z,1;-2;3;4;5;32767,mg,fetched,,,,,,20000000,,,,,")
    let wide = ndjson(.ecg, [1, 1, 2], [0, 0, 0, 0x80])
    #expect(wide.0.contains(#""value":[-2147483648],"#))
    let own = ndjson(.ppg, [1_000_000, 9, 300], Array("own".utf8))
    #expect(
      own.0 == #"000Z","unit":"counts","origin":"fetched","encoding":300,"period_ns":1000000,"count":9,"data":"b3du"}"#)
    #expect(own.1 == "000Z,,counts,fetched,,,,,300,1000000,9,,b3du,,")
    let record = ndjson(.exercise, [2], [0xFF])
    #expect(record.0 == #"000Z","origin":"fetched","record":2,"data":"/w=="}"#)
    #expect(record.1 == "000Z,,,fetched,,,,,,,,2,/w==,,")
    let resting = ndjson(
      .heartRate, [48], flags: SampleFlags(origin: .replayed, kind: .resting, isManual: true), micros: 999)
    #expect(resting.0 == #"000Z","value":48,"unit":"bpm","origin":"replayed","kind":"resting","manual":true}"#)
    #expect(resting.1 == "000Z,48,bpm,replayed,resting,true,,,,,,,,,")
    let doubtful = ndjson(.spo2, [88], flags: SampleFlags(origin: .fetched, isLowQuality: true))
    #expect(doubtful.0 == #"000Z","value":88,"unit":"%","origin":"fetched","quality":"low"}"#)
    #expect(doubtful.1 == "000Z,88,%,fetched,,,,,,,,,,,low")
  }

  @Test("what does not fit its layout is shown as it is stored, without omission and without a trap")
  func misfits() {
    #expect(ndjson(.ppi, [1, 2]).0.contains(#""value":[1,2],"#))
    #expect(ndjson(.steps, [Int64.max, 5]).0.contains(#""value":5,"unit":"steps","#))
    #expect(ndjson(.acc, [1, 2, 0], [1, 2, 3]).0.contains(#""encoding":0,"period_ns":1,"count":2,"data":"AQID""#))
    #expect(ndjson(.ecg, [1, .max, 0], [1, 2]).0.contains(#""count":9223372036854775807,"#))
    #expect(ndjson(.ecg, [1, -1, 2]).0.contains(#""count":-1,"data":"""#))
    #expect(ndjson(.ecg, [1, 0, 0]).0.contains(#""value":[],"#))
    #expect(ndjson(.exercise, [1, 2], [9]).0.contains(#""value":[1,2],"origin":"fetched","data":"CQ==""#))
  }

  @Test("a sample has the name of the wearer at that time; a span of several wearers names all of them")
  func wearers() {
    let ada = Wearer(id: WearerID(number: 1), name: "Ada, \"L\"", createdAt: VirtualLoop.morning)
    let bo = Wearer(id: WearerID(number: 2), name: "Bo", createdAt: VirtualLoop.morning)
    func from(_ second: Int64, _ wearer: Wearer?) -> Assignment {
      Assignment(
        wearable: one, from: VirtualLoop.morning + .seconds(second), wearer: wearer?.id, enteredAt: VirtualLoop.morning)
    }
    let people = People(wearers: [ada, bo], assignments: [from(0, ada), from(10, nil), from(20, bo), from(30, ada)])
    let json = SampleExport(.ndjson, wearables: [strap], people: people)
    #expect(json.line(item(.heartRate, [60])).hasSuffix(#","origin":"fetched","wearer":"Ada, \"L\""}"#))
    #expect(json.line(item(.heartRate, [60], micros: 10_000_000)).hasSuffix(#","origin":"fetched"}"#))
    #expect(json.line(item(.heartRate, [60], micros: -1)).hasSuffix(#","origin":"fetched"}"#))
    #expect(
      SampleExport(.csv, wearables: [strap], people: people).line(item(.heartRate, [60])).hasSuffix(
        #",fetched,,,,"Ada, ""L""",,,,,,,"#))
    func worn(_ from: Int64, _ to: Int64) -> [String] {
      json.wearers(of: one, from: VirtualLoop.morning + .seconds(from), to: VirtualLoop.morning + .seconds(to))
    }
    #expect(worn(0, 40) == ["Ada, \"L\"", "Bo"] && worn(10, 19) == [] && worn(12, 20) == ["Bo"])
  }

  @Test("base64 agrees with Foundation")
  func base64() {
    var random = Seeded(3)
    for count in 0..<100 {
      let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      var text: [UInt8] = []
      Base64.append(bytes, to: &text)
      #expect(String(decoding: text, as: UTF8.self) == Data(bytes).base64EncodedString())
    }
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
      #expect(WallTime(rfc3339: time.rfc3339) == time)
    }
    #expect(WallTime(microseconds: 0).rfc3339 == "1970-01-01T00:00:00.000Z")
    #expect(WallTime(microseconds: -1).rfc3339 == "1969-12-31T23:59:59.999Z")
    #expect(WallTime(microseconds: 951_782_400_000_000).rfc3339 == "2000-02-29T00:00:00.000Z")
    #expect(WallTime(microseconds: -62_167_219_200_000_000).rfc3339 == "0000-01-01T00:00:00.000Z")
    // Beyond RFC 3339: still a text, no trap.
    #expect(WallTime(microseconds: .max).rfc3339.hasPrefix("+294247-01-10T"))
    #expect(WallTime(microseconds: .min).rfc3339.hasPrefix("-290308-12-21T"))
    for time in [Int64.max, .max - 86_400_000_000, -62_167_219_200_000_001, .min + 86_400_000_000, .min] {
      #expect(moment(rfc3339: momentText(time, .exact)) == time)
    }
  }

  @Test("times of documents are read with any offset, and other texts are not")
  func parsing() {
    let now = VirtualLoop.morning
    func parse(_ text: String) -> WallTime? { WallTime(rfc3339: text) }
    #expect(parse("2026-11-21T10:00:00Z") == now)
    #expect(parse("2026-11-21 10:00:00z") == now)
    #expect(parse("2026-11-21T12:30:00+02:30") == now)
    #expect(parse("2026-11-20T22:00:00-12:00") == now)
    #expect(parse("2026-11-21T10:00Z") == now)
    #expect(parse("2026-11-21T10:00:00.1234567Z") == now + .microseconds(123_456))
    #expect(parse("2016-12-31T23:59:60Z") == parse("2017-01-01T00:00:00Z"))
    for bad in [
      "", "2026", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-11-21", "2026-11-21T", "2026-11-21T24:00:00Z",
      "2026-11-21T10:60:00Z", "2026-11-21T10:00:61Z", "2026-11-21T10:00:00", "2026-11-21T10:00:00.Z",
      "2026-11-21T10:00:00+2:00", "2026-11-21T10:00:00Zx", "２０２６-11-21T10:00:00Z", "\u{0}", "2h",
      String(repeating: "9", count: 100),
    ] { #expect(parse(bad) == nil, "\(bad)") }
  }
}
