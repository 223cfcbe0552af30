// Rows of an export as FHIR observations.

import Export
import HubProtocol
import Reasons

/// FHIR observations, one a line or as one bundle.
final class FHIROutput: RowOutput {
  /// Identifiers are made of the place.
  let needsPlaces = true

  private let isBundle: Bool
  private let target: Output
  private var panels = FHIRPanels()
  private var text: [UInt8] = []
  private var count = 0
  private var others = 0

  init(bundle isBundle: Bool, to target: Output = .standard) {
    (self.isBundle, self.target) = (isBundle, target)
    if isBundle { text = Array(#"{"resourceType":"Bundle","type":"collection""#.utf8) }
  }

  func begin() {}

  func take(_ row: ExportRow) throws {
    guard let observation = FHIRObservation(row) else {
      others += 1
      return
    }
    if let whole = panels.add(observation) { write(whole) }
  }

  private func write(_ observation: FHIRObservation) {
    if isBundle { text += Array((count == 0 ? #","entry":[{"resource":"# : #",{"resource":"#).utf8) }
    text += observation.json().compact
    text.append(UInt8(ascii: isBundle ? "}" : "\n"))
    count += 1
  }

  func endPage() throws {
    try target.write(text)
    text.removeAll(keepingCapacity: true)
  }

  func end() throws {
    for observation in panels.finish() { write(observation) }
    if isBundle { text += Array((count > 0 ? "]}\n" : "}\n").utf8) }
    try endPage()
    try target.flush()
    if others > 0 {
      Output.error.say("hearth: \(counted(others, "sample")) of series without a FHIR code here are left out\n")
    }
  }
}
