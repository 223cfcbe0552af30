// What the rows of an export become: lines at once, or a file at the end.

import ArgumentParser
import Export
import HubProtocol

enum ExportFormat: String, CaseIterable, ExpressibleByArgument {
  case ndjson, csv, edf, fhir
  case fhirBundle = "fhir-bundle"

  /// A line for each sample, as the store has them.
  var isLines: Bool { self == .ndjson || self == .csv }
  var isFHIR: Bool { self == .fhir || self == .fhirBundle }
}

/// Where an export writes to.
protocol ExportOutput: AnyObject {
  func add(_ row: ExportRow) throws
  /// All rows added since the last call may be written.
  func settle() throws
  /// Rows that are missing.
  func miss(_ gaps: [MissingRowsDocument])
  /// No more rows come.
  func finish() throws
}

/// NDJSON and CSV.
final class LineOutput: ExportOutput {
  private let isCSV: Bool
  private var lines: [UInt8]

  init(isCSV: Bool) {
    self.isCSV = isCSV
    lines = Array((isCSV ? ExportRow.csvHeader + "\n" : "").utf8)
  }

  func add(_ row: ExportRow) throws {
    if isCSV { row.appendCSV(to: &lines) } else { row.appendLine(to: &lines) }
  }

  func settle() throws {
    try Output.standard.write(lines)
    lines.removeAll(keepingCapacity: true)
  }

  func miss(_ gaps: [MissingRowsDocument]) {}

  func finish() throws { try settle() }
}

/// FHIR observations, one a line or as one bundle.
final class FHIROutput: ExportOutput {
  private let isBundle: Bool
  private let isAnonymous: Bool
  private var panels = FHIRPanels()
  private var text: [UInt8] = []
  private var count = 0
  private var others = 0

  init(bundle isBundle: Bool, anonymous isAnonymous: Bool) {
    (self.isBundle, self.isAnonymous) = (isBundle, isAnonymous)
    if isBundle { text = Array(#"{"resourceType":"Bundle","type":"collection""#.utf8) }
  }

  func add(_ row: ExportRow) throws {
    guard let observation = FHIRObservation(row) else {
      others += 1
      return
    }
    if let whole = panels.add(observation) { write(whole) }
  }

  private func write(_ observation: FHIRObservation) {
    if isBundle { text += Array((count == 0 ? #","entry":[{"resource":"# : #",{"resource":"#).utf8) }
    text += observation.json(anonymous: isAnonymous).compact
    text.append(UInt8(ascii: isBundle ? "}" : "\n"))
    count += 1
  }

  func settle() throws {
    try Output.standard.write(text)
    text.removeAll(keepingCapacity: true)
  }

  func miss(_ gaps: [MissingRowsDocument]) {}

  func finish() throws {
    for observation in panels.finish() { write(observation) }
    if isBundle { text += Array((count > 0 ? "]}\n" : "}\n").utf8) }
    try settle()
    try Output.standard.flush()
    if others > 0 {
      Output.error.say("hearth: \(counted(others, "sample")) of series without a FHIR code here are left out\n")
    }
  }
}
