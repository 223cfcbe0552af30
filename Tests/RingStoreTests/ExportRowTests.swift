import EventLoop
import Health
import JSONText
import Testing

@testable import Export
@testable import RingStore

@Suite("A line of an export is one typed row, from the store and from the socket")
struct ExportRowTests {
  private let writer = SampleExport(
    .ndjson,
    wearables: [
      WearableRecord(
        id: one, addressValue: 0xF0F1_F2F3_F400, addressKind: 2, name: "strap, \"01\"", driver: "heart-rate",
        kind: "HR strap", enrolledAt: VirtualLoop.morning)
    ])

  private func sample(
    _ series: Series, _ values: [Int64], _ bytes: [UInt8] = [], flags: SampleFlags = .fetched, at micros: Int64 = 0,
    isSure: Bool = true, shift: Int64? = nil
  ) -> StoredSample {
    var sample = StoredSample(
      wearable: one, series: series, way: .fetched, ordinal: .max - 1,
      time: WallTime(microseconds: VirtualLoop.morning.microseconds &+ micros),
      flags: flags, value: values.first ?? 0, values: series.layout == .scalar ? [] : values, bytes: bytes,
      monotonic: Instant(nanoseconds: 5), bootID: boot, clockTrusted: isSure)
    sample.shift = shift
    return sample
  }

  private func received(_ row: ExportRow) throws -> ExportRow {
    var line: [UInt8] = []
    row.appendJSON(to: &line)
    return try #require(ExportRow(JSON.parse(line)))
  }

  private var samples: [StoredSample] {
    [
      sample(.heartRate, [72]), sample(.rrInterval, [946], at: 123_999), sample(.rrInterval, [-1]),
      sample(.rrInterval, [.max]), sample(.rrInterval, [.min]), sample(.bodyTemperature, [36_600]),
      sample(.ppi, [800, 5, -3], at: 1), sample(.location, [-1, 2, 3, 4]), sample(.ppi, [1, 2]),
      sample(.distance, [60_000_005, 123]), sample(.steps, [.max, 5]), sample(.steps, [.min, 5]),
      sample(.ecg, [7_692_308, 2, 1], [0x00, 0x00, 0x80, 0xFF, 0xFF, 0x7F]), sample(.ecg, [1, 0, 0]),
      sample(.acc, [20_000_000, 2, 0], [1, 0, 0xFE, 0xFF, 3, 0, 4, 0, 5, 0, 0xFF, 0x7F]),
      sample(.gyro, [20_000_000, 1, 0], [1, 0, 0xFE, 0xFF, 3, 0]), sample(.acc, [1, 0, 0]),
      sample(.ppg, [1_000_000, 9, 300], [1, 2, 3]), sample(.acc, [1, 2, 0], [1, 2, 3]),
      sample(.ecg, [1, .max, 0], [1]),
      sample(.exercise, [2], [0xFF]), sample(.exercise, [1, 2], [9]), sample(.raw, [0]),
      sample(.heartRate, [48], flags: SampleFlags(origin: .replayed, kind: .resting, isManual: true), isSure: false),
      sample(.spo2, [88], flags: SampleFlags(origin: .advertised, isLowQuality: true), isSure: false, shift: 12),
      sample(.heartRate, [1], at: .max), sample(.heartRate, [1], at: .min &+ 5),
      sample(.ecg, [1, 1, 0], [1, 0], at: .min),
      sample(.battery, [7], at: -VirtualLoop.morning.microseconds - 1),
    ]
  }

  @Test("the row of a line is the row of the sample, whatever its layout, its time and its numbers")
  func roundTrip() throws {
    for sample in samples {
      for isPlaced in [false, true] {
        var row = writer.row(sample, placed: isPlaced)
        if isPlaced { row.was = row.time &- 7 }
        let again = try received(row)
        #expect(again == row)
        #expect(csv(again) == csv(row))
        #expect(bytes(again, ExportRow.appendLine) == bytes(row, ExportRow.appendLine))
      }
    }
  }

  @Test("lines of many samples are those of their rows, whatever changes from one to the next")
  func lines() {
    var random = Seeded(UInt64.random(in: 0...(.max)))
    let seed = random.state
    let flags = [
      SampleFlags.live, .fetched, SampleFlags(origin: .replayed, kind: .resting, isManual: true),
      SampleFlags(origin: .advertised, isLowQuality: true),
    ]
    let times: [Int64] = [0, 1000, 86_399_999_000, 86_400_000_000, 123_456, -1, -86_400_000_001, 1 << 60]
    let plain = (0..<500).map { _ in
      sample(
        [.heartRate, .rrInterval, .bodyTemperature, .battery].randomElement(using: &random) ?? .heartRate,
        [[0, -1, 72, .max, .min].randomElement(using: &random) ?? 0],
        flags: flags.randomElement(using: &random) ?? .live, at: times.randomElement(using: &random) ?? 0,
        isSure: Bool.random(using: &random), shift: Bool.random(using: &random) ? 12 : nil)
    }
    let mixed = (samples + plain + samples).shuffled(using: &random)
    for format in SampleExport.Format.allCases {
      for saysBytes in [true, false] {
        var lines = SampleLines(writer, format, bytes: saysBytes)
        var (written, expected): ([UInt8], [UInt8]) = ([], [])
        for sample in mixed {
          lines.append(sample, to: &written)
          var row = writer.row(sample)
          if !saysBytes, format == .ndjson { row.data = nil }
          if format == .csv { row.appendCSV(bytes: saysBytes, to: &expected) } else { row.appendLine(to: &expected) }
        }
        #expect(written == expected, "seed \(seed), \(format), bytes \(saysBytes)")
      }
    }
  }

  private func csv(_ row: ExportRow) -> [UInt8] {
    var text: [UInt8] = []
    row.appendCSV(to: &text)
    return text
  }

  private func bytes(_ row: ExportRow, _ append: (ExportRow) -> (inout [UInt8]) -> Void) -> [UInt8] {
    var text: [UInt8] = []
    append(row)(&text)
    return text
  }

  @Test("numbers are those of the stored scale, sample by sample")
  func numbers() throws {
    let row = try received(writer.row(sample(.gyro, [20_000_000, 2, 0], [1, 0, 2, 0, 3, 0, 0xFF, 0xFF, 5, 0, 6, 0])))
    guard case .samples(let samples) = row.value else { return #expect(Bool(false), "samples") }
    #expect(samples.count == 2 && samples.components == 3 && row.period == 20_000_000)
    #expect((0..<2).map { sample in (0..<3).map { samples.number(sample, $0) } } == [[1, 2, 3], [-1, 5, 6]])
    #expect(samples.number(2, 0) == 0 && samples.number(0, 3) == 0 && samples.number(-1, 0) == 0)
    #expect(try received(writer.row(sample(.rrInterval, [946]))).value == .number(946))
    #expect(try received(writer.row(sample(.ppi, [800, 5, 1]))).value == .vector([800, 5, 1]))
  }

  @Test(
    "what is no line about a sample gives nil",
    arguments: [
      "1", "{}", #"{"device":"a","series":"b"}"#, #"{"device":"a","series":"b","time":"yesterday"}"#,
      #"{"device":"a","series":"b","time":"2026-11-21T10:00:00.000Z","data":"?"}"#,
      #"{"device":"a","series":"b","time":"2026-11-21T10:00:00.000Z","end":"-"}"#,
      #"{"device":"a","series":"b","time":"2026-11-21T10:00:00.000Z","ordinal":-1}"#,
      #"{"device":"a","series":"b","time":"2026-11-21T10:00:00.000Z","enrolment":4294967296}"#,
    ])
  func refused(_ text: String) throws { #expect(ExportRow(try JSON.parse(Array(text.utf8))) == nil) }

  @Test(
    "numbers that a series of this program cannot have are written as they came",
    arguments: [
      ("rr_interval", "ms", "923.5000001"), ("rr_interval", "s", "0.92"), ("heart_rate", "bpm", "72.5"),
      ("heart_rate", "bpm", "1e3"), ("heart_rate", "bpm", "123456789012345678901234567890123456789"),
      ("heart_rate", "bpm", "7.20"), ("acc", "mg", "[[1,2],[3,4]]"), ("ppi", "ms", "[1,\"a\",2]"), ("glucose", "", "5"),
      ("heart_rate", "bpm", "\"many\""),
    ])
  func foreign(_ series: String, _ unit: String, _ value: String) throws {
    let line =
      #"{"device":"a","address":"","series":"\#(series)","time":"2026-11-21T10:00:00.000Z","value":\#(value)"#
      + (unit.isEmpty ? "" : #","unit":"\#(unit)""#) + #","origin":"live"}"#
    let row = try #require(ExportRow(JSON.parse(Array(line.utf8))))
    #expect(String(decoding: bytes(row, ExportRow.appendJSON), as: UTF8.self) == line)
  }
}
