import EventLoop
import Health
import JSONText
import Testing

@testable import Export
@testable import RingStore

@Suite("What leaves the house says no name, no address, no free text and no date that is not to be known")
struct RowMaskTests {
  private let address = "F0:F1:F2:F3:F4:00"
  private let secret = "Ada's H10 0A1B2C3D"
  private var writer: SampleExport {
    let ada = Wearer(id: WearerID(number: 1), name: "Ada", createdAt: VirtualLoop.morning)
    return SampleExport(
      .ndjson,
      wearables: [
        WearableRecord(
          id: one, addressValue: 0xF0F1_F2F3_F400, addressKind: 2, name: "Polar H10 0A1B2C3D", driver: "polar",
          kind: "HR strap", enrolledAt: VirtualLoop.morning)
      ],
      people: People(
        wearers: [ada],
        assignments: [
          Assignment(wearable: one, from: VirtualLoop.morning, wearer: ada.id, enteredAt: VirtualLoop.morning)
        ]))
  }

  private func sample(_ series: Series, _ values: [Int64], _ bytes: [UInt8] = []) -> StoredSample {
    StoredSample(
      wearable: one, series: series, way: .fetched, ordinal: 9, time: VirtualLoop.morning, flags: .fetched,
      value: values.first ?? 0, values: series.layout == .scalar ? [] : values, bytes: bytes,
      monotonic: Instant(nanoseconds: 5), bootID: boot, clockTrusted: true)
  }

  private var rows: [ExportRow] {
    [
      sample(.heartRate, [72]), sample(.steps, [60_000_000, 5]), sample(.exercise, [2], Array(secret.utf8)),
      sample(.ppi, [1, 2], Array(secret.utf8)), sample(.measurement, [1], Array(secret.utf8)),
      sample(.ecg, [7_692_308, 2, 0], [1, 0, 2, 0]), sample(.ppg, [1_000_000, 9, 300], [1, 2, 3]),
    ].map { writer.row($0, placed: true) }
  }

  private func masked(_ mask: RowMask) -> (ndjson: String, csv: String, mask: RowMask) {
    var (mask, ndjson, csv) = (mask, [UInt8](), [UInt8]())
    for row in rows {
      var row = row
      row.others = [JSON.Member("note", "Ada")]
      mask.apply(to: &row)
      row.appendLine(to: &ndjson)
      row.appendCSV(to: &csv)
    }
    return (String(decoding: ndjson, as: UTF8.self), String(decoding: csv, as: UTF8.self), mask)
  }

  private var words: RowMask {
    RowMask(.replaced(person: { "p\($0.utf8.count)" }, thing: { "t\($0.utf8.count)" }))
  }

  /// The bytes of a FIT file of the rows, as text.
  private func fit(_ mask: RowMask) throws -> String {
    var mask = mask
    var activity = FITActivity(equipment: "Hearth", zone: .utc)
    for row in rows + [writer.row(sample(.training, [0, 1, 60, 0, 0, 0, 0]), placed: true)] {
      var row = row
      mask.apply(to: &row)
      try activity.take(row, interval: 900)
    }
    return String(decoding: try FITFile(activity).bytes, as: UTF8.self)
  }

  @Test("a FIT file has the name of no person, and that of a wearable only as the mask leaves it")
  func activity() throws {
    let shown = try fit(RowMask())
    #expect(shown.contains("Polar H10 0A1B2C3D"))
    let (hidden, replaced) = (try fit(RowMask(.hidden)), try fit(words))
    #expect(hidden.contains("device-1") && replaced.contains("t18"))
    for text in [shown, hidden, replaced] { #expect(!text.contains("Ada") && !text.contains(address)) }
    for text in [hidden, replaced] { #expect(!text.contains("Polar") && !text.contains("0A1B")) }
    let moved = try fit(RowMask(days: -325))
    #expect(moved != shown && moved.utf8.count > 0)
  }

  @Test("hidden names are empty or out, wearables have numbers, and bytes that may be texts are left out")
  func hidden() {
    let (ndjson, csv, mask) = masked(RowMask(.hidden))
    for text in ["Ada", "Polar", "0A1B", address, "wearer", "\"address\"", Base64.text(Array(secret.utf8))] {
      #expect(!ndjson.contains(text) && !csv.contains(text), "\(text)")
    }
    #expect(
      ndjson.hasPrefix(#"{"device":"device-1","series":"heart_rate","time":"2026-11-21T10:00:00.000Z","value":72,"#))
    #expect(csv.hasPrefix("device-1,,heart_rate,2026-11-21T10:00:00.000Z,72,bpm,fetched,,,,,,,,,,,\n"))
    #expect(mask.withheld == 3 && ndjson.contains(#""value":[1,2],"unit":"uV""#) && ndjson.contains(#""data":"AQID""#))
  }

  @Test("replaced names are words, the same in every row")
  func replaced() {
    let (ndjson, csv, _) = masked(words)
    for text in ["Ada", "Polar", "0A1B", address, Base64.text(Array(secret.utf8))] {
      #expect(!ndjson.contains(text) && !csv.contains(text), "\(text)")
    }
    #expect(
      ndjson.hasPrefix(#"{"device":"t18","address":"t17","series":"heart_rate""#) && ndjson.contains(#""wearer":"p3""#))
    #expect(csv.hasPrefix("t18,t17,heart_rate,") && csv.contains(",fetched,,,,p3,"))
  }

  @Test("all times of a row move by whole days, back too, and a time at the end of all times stays one")
  func days() {
    for (days, start, end) in [
      (-325, "2025-12-31T10:00:00.000Z", "2025-12-31T10:01:00.000Z"),
      (1, "2026-11-22T10:00:00.000Z", "2026-11-22T10:01:00.000Z"),
    ] {
      let (ndjson, csv, _) = masked(RowMask(days: days))
      for text in [ndjson, csv] {
        #expect(text.contains(start) && text.contains(end) && !text.contains("2026-11-21"))
        #expect(text.contains("Ada") && text.contains(address))
      }
    }
    var row = writer.row(sample(.heartRate, [72]))
    (row.time, row.was) = (.max - 5, VirtualLoop.morning.microseconds)
    var mask = RowMask(days: 1)
    mask.apply(to: &row)
    #expect(row.time == .max && row.was == VirtualLoop.morning.microseconds + 86_400_000_000)
    #expect(mask.moved("2026-11-21T10:00:00.000Z") == "2026-11-22T10:00:00.000Z" && mask.moved("then") == nil)
  }

  @Test("of a series that only a newer hub knows numbers stay and texts go")
  func foreign() throws {
    for (value, stays) in [("5", true), ("[1,[2]]", true), ("\"Ada\"", false), ("[1,\"Ada\"]", false)] {
      let line = #"{"device":"a","series":"new","time":"2026-11-21T10:00:00.000Z","value":\#(value)}"#
      var row = try #require(ExportRow(JSON.parse(Array(line.utf8))))
      var (mask, text) = (words, [UInt8]())
      mask.apply(to: &row)
      row.appendLine(to: &text)
      #expect(String(decoding: text, as: UTF8.self).contains(#""value""#) == stays)
    }
  }

  @Test("an empty mask leaves rows as they are")
  func nothing() {
    var mask = RowMask()
    for row in rows {
      var masked = row
      mask.apply(to: &masked)
      #expect(masked == row)
    }
    #expect(mask.hidesNothing && mask.withheld == 0 && !RowMask(.hidden).hidesNothing && !RowMask(days: 1).hidesNothing)
  }
}
