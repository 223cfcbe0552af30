// Rows of an export on their way from a hub or from a store to standard output, or to a file.

import Export
import HubProtocol
import JSONText
import Reasons
import RingStore

/// Writes rows in one format.
protocol RowOutput {
  /// Rows are taken with their place in the store.
  var needsPlaces: Bool { get }
  /// Writes the text before the first row.
  mutating func begin() throws
  mutating func take(_ row: ExportRow) throws
  /// Takes samples that are written whole.
  mutating func take(_ samples: [StoredSample], _ writer: SampleExport, placed: Bool) throws
  /// Rows are missing.
  mutating func miss(_ gaps: [MissingRowsDocument])
  /// A page of rows was taken.
  mutating func endPage() throws
  /// Writes the text behind the last row.
  ///
  /// - Throws: `NoContent` for rows that make no file.
  mutating func end() throws
  /// Ending of a file's name after `end`, if it is another one than its format's.
  var ending: String? { get }
}

extension RowOutput {
  func miss(_ gaps: [MissingRowsDocument]) {}
  var ending: String? { nil }

  mutating func take(_ samples: [StoredSample], _ writer: SampleExport, placed: Bool) throws {
    try takeEach(samples, writer, placed: placed)
  }

  mutating func takeEach(_ samples: [StoredSample], _ writer: SampleExport, placed: Bool) throws {
    for sample in samples { try take(writer.row(sample, placed: placed)) }
  }
}

/// Export: what it hides, how it is written, what is missing in it.
final class ExportRun {
  var mask: RowMask
  var output: any RowOutput
  let isNDJSON: Bool
  /// Where lines go that are no rows.
  var target = Output.standard
  /// What a person that waits sees; nil for a run without one.
  var progress: ExportProgress?
  /// Chunks that could not be read, and rows that went before their reader had them.
  var missing: (corrupt: Int, gone: Int) = (0, 0)

  init(_ output: any RowOutput, _ mask: RowMask, isNDJSON: Bool) {
    (self.output, self.mask, self.isNDJSON) = (output, mask, isNDJSON)
  }

  /// Rows are to come with their place in the store.
  var wantsPlaces: Bool { output.needsPlaces || mask.numbersDevices }

  func begin() throws { try output.begin() }

  func end() throws {
    do { try output.end() } catch let none as NoContent { throw none.why }
    tellWithheld()
  }

  /// What the mask left out.
  func tellWithheld() {
    if mask.withheld > 0 {
      Output.error.say(
        """
        hearth: the bytes of \(counted(mask.withheld, "record")) are left out: they may hold names, serial numbers and \
        times

        """)
    }
  }

  func take(_ samples: [JSON]) throws {
    for sample in samples { try take(row(sample)) }
    try endPage(samples.count)
  }

  func take(_ samples: [StoredSample], _ writer: SampleExport) throws {
    let isPlaced = wantsPlaces
    if mask.hidesNothing {
      try output.take(samples, writer, placed: isPlaced)
    } else {
      for sample in samples { try take(writer.row(sample, placed: isPlaced)) }
    }
    try endPage(samples.count)
  }

  private func endPage(_ rows: Int) throws {
    try output.endPage()
    progress?.took(rows)
  }

  func take(_ row: consuming ExportRow) throws {
    hide(&row)
    try output.take(row)
  }

  func hide(_ row: inout ExportRow) {
    mask.apply(to: &row)
    if !output.needsPlaces { row.place = nil }
  }

  /// - Throws: `controlMalformed` for a line that is not about a sample.
  func row(_ json: JSON) throws(HearthError) -> ExportRow {
    guard let row = ExportRow(json) else {
      throw HearthError(.controlMalformed, "the daemon gave a line that is not about a sample")
    }
    return row
  }
}
