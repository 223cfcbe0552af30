// The formats ndjson, csv and csv-wide.

import Export
import Reasons
import RingStore

/// NDJSON and CSV: a line for each row.
struct LineOutput: RowOutput {
  let isCSV: Bool
  let needsPlaces: Bool
  /// True for output with the bytes of records and of waveforms in an encoding of the wearable's own.
  let saysBytes: Bool
  /// A line for each sample of a waveform.
  let isExploded: Bool
  private let target: Output
  private var lines: [UInt8] = []
  private var plain: SampleLines?

  init(
    isCSV: Bool, needsPlaces: Bool = false, saysBytes: Bool = true, isExploded: Bool = false,
    to target: Output = .standard
  ) {
    (self.isCSV, self.needsPlaces, self.saysBytes, self.isExploded) = (isCSV, needsPlaces, saysBytes, isExploded)
    self.target = target
  }

  mutating func begin() throws {
    if isCSV { try target.write(ExportRow.csvHeader(bytes: saysBytes) + "\n") }
  }

  mutating func take(_ row: ExportRow) throws {
    if isExploded {
      try row.forEachSample { row in
        row.appendCSV(bytes: saysBytes, to: &lines)
        if lines.count > 64 << 10 { try endPage() }
      }
    } else {
      row.append(as: format, bytes: saysBytes, to: &lines)
    }
  }

  mutating func take(_ samples: [StoredSample], _ writer: SampleExport, placed: Bool) throws {
    if placed || isExploded { return try takeEach(samples, writer, placed: placed) }
    // One for all pages: the writer of an export stays the same.
    if plain == nil { plain = SampleLines(writer, format, bytes: saysBytes) }
    for sample in samples { plain?.append(sample, to: &lines) }
  }

  private var format: SampleExport.Format { isCSV ? .csv : .ndjson }

  mutating func endPage() throws {
    try target.write(lines)
    lines.removeAll(keepingCapacity: true)
  }

  mutating func end() throws {}
}

/// CSV with one row a second or a minute, and one column for each series.
struct WideOutput: RowOutput {
  let needsPlaces = false
  private var table: WideTable
  private let target: Output

  init(_ table: WideTable, to target: Output = .standard) { (self.table, self.target) = (table, target) }

  mutating func begin() {}

  mutating func take(_ row: ExportRow) throws {
    if table.take(row) { return }
    throw HearthError(
      .controlBadParameter,
      """
      the table would have more than \(grouped(WideTable.limit)) cells: give --device, --series, a shorter time, or \
      --every 1m
      """)
  }

  mutating func endPage() {}
  mutating func end() throws { try table.write { try target.write($0) } }
}
