import EventLoop
import Health
import JSONText
import Testing

@testable import Export

@Suite("A wide table has one row a second or a minute, and one column a series")
struct WideTableTests {
  private func row(
    _ series: Series, _ value: Int64, at seconds: Double, device: String = "strap-01", wearer: String? = "Ada",
    origin: String = "live", kind: String? = nil, quality: String? = nil
  ) -> ExportRow {
    ExportRow(
      device: device, address: "F0", series: series.name, known: series,
      time: VirtualLoop.morning.microseconds + Int64(seconds * 1e6), value: .number(value), unit: series.unit,
      origin: origin, kind: kind, wearer: wearer, quality: quality)
  }

  private func take(_ row: ExportRow, _ table: inout WideTable) {
    let fits = table.take(row)
    #expect(fits)
  }

  private func lines(_ table: WideTable) -> [String] {
    var text: [UInt8] = []
    table.write { text += $0 }
    return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test("means of what is measured, the last of what counts up, empty without a measurement")
  func cells() {
    var table = WideTable(every: 1)
    for row in [
      row(.heartRate, 60, at: 0), row(.heartRate, 61, at: 0.5), row(.heartRate, 61, at: 0.9),
      row(.heartRate, 70, at: 2),
      row(.rrInterval, 946, at: 2.1), row(.energyExpended, 5, at: 0.1), row(.energyExpended, 7, at: 0.2),
      row(.heartRate, 62, at: 0.1, origin: "fetched"), row(.temperature, -1, at: 2),
    ] { take(row, &table) }
    #expect(
      lines(table) == [
        "time,device,address,wearer,heart_rate_mean [bpm],rr_interval_mean [ms],energy_expended_last [kJ],"
          + "temperature_mean [degC]",
        "2026-11-21T10:00:00Z,strap-01,F0,Ada,61,,7,", "2026-11-21T10:00:02Z,strap-01,F0,Ada,70,923.828,,-0.001",
      ])
  }

  @Test("a minute is one row, and wearer and wearable are rows of their own")
  func minutes() {
    var table = WideTable(every: 60)
    for row in [
      row(.heartRate, 60, at: 1), row(.heartRate, 63, at: 59), row(.heartRate, 90, at: 30, wearer: "Bob"),
      row(.heartRate, 50, at: 60, device: "a,b", wearer: nil), row(.heartRate, 100, at: -1),
    ] { take(row, &table) }
    #expect(
      Array(lines(table).dropFirst()) == [
        "2026-11-21T10:01:00Z,\"a,b\",F0,,50", "2026-11-21T09:59:00Z,strap-01,F0,Ada,100",
        "2026-11-21T10:00:00Z,strap-01,F0,Ada,61.5", "2026-11-21T10:00:00Z,strap-01,F0,Bob,90",
      ])
  }

  @Test("what is doubted, what was only heard, what a wearable computed and what is no single value is left out")
  func leftOut() {
    var table = WideTable(every: 1)
    var waveform = row(.ecg, 1, at: 0)
    waveform.value = .vector([1])
    var unknown = row(.heartRate, 1, at: 0)
    unknown.known = nil
    for row in [
      row(.heartRate, 60, at: 0, quality: "low"), row(.heartRate, 60, at: 0, origin: "advertised"),
      row(.heartRate, 60, at: 0, kind: "resting"), row(.steps, 60, at: 0), waveform, unknown,
    ] { take(row, &table) }
    #expect(lines(table) == ["time,device,address,wearer"])
    #expect(!WideTable.series.contains(.steps) && WideTable.series.contains(.battery))
  }

  @Test("values that arrive out of order join the row of their time")
  func order() {
    var table = WideTable(every: 1)
    for second in [5.0, 1, 5.5, 3, 1.5] { take(row(.heartRate, Int64(second * 10), at: second), &table) }
    for (second, value) in [(2.5, 9), (7.0, 3), (2.1, 8)] as [(Double, Int64)] {
      take(row(.battery, value, at: second), &table)
    }
    #expect(
      lines(table).dropFirst().map {
        $0.split(separator: ",", omittingEmptySubsequences: false)[4...].joined(separator: " ")
      }
        == ["12.5 ", " 9", "30 ", "52.5 ", " 3"])
  }
}
