import EventLoop
import Health
import Testing

@testable import Export
@testable import RingStore

@Suite("A waveform as rows of its samples")
struct RowSampleTests {
  private let writer = SampleExport(.csv, wearables: [])

  private func sample(_ series: Series, _ values: [Int64], _ bytes: [UInt8] = []) -> StoredSample {
    StoredSample(
      wearable: one, series: series, way: .fetched, ordinal: 9, time: VirtualLoop.morning, flags: .fetched,
      value: values.first ?? 0, values: series.layout == .scalar ? [] : values, bytes: bytes,
      monotonic: Instant(nanoseconds: 5), bootID: boot, clockTrusted: true)
  }

  @Test("a waveform is a row for each sample with its own time, and any other row is itself")
  func samples() throws {
    var times: [Int64] = []
    writer.row(sample(.gyro, [7_692_308, 2, 0], [1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0])).forEachSample { row in
      times.append(row.time - VirtualLoop.morning.microseconds)
      #expect(row.value == .vector(times.count == 1 ? [1, 2, 3] : [4, 5, 6]) && row.period == 7_692_308)
    }
    #expect(times == [0, 7692])
    var csv: [UInt8] = []
    for row in [sample(.ecg, [.max, 2, 0], [1, 0, 2, 0]), sample(.heartRate, [72]), sample(.raw, [0], [1])] {
      writer.row(row).forEachSample { $0.appendCSV(bytes: false, to: &csv) }
    }
    let lines = String(decoding: csv, as: UTF8.self).split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }
    #expect(lines.map { String($0[4]) } == ["1", "2", "72", ""])
    #expect(lines.allSatisfy { $0.count == 17 } && ExportRow.csvHeader(bytes: false).split(separator: ",").count == 17)
    #expect(ExportRow.csvHeader().split(separator: ",").count == 18)
  }
}
