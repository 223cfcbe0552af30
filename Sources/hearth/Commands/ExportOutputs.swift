// The output of each format, for standard output and for the files of a scheduled export.

import CivilTime
import Export
import Reasons
import StoreDocuments

extension ExportForm {
  /// - Parameter zone: of the hub; asked only if the format has local times.
  /// - Throws: `storeInputOutput` without room for a temporary file; or as `zone`.
  func output(zone: () throws -> TimeZoneRules, to target: Output = .standard) throws -> any RowOutput {
    switch format {
    case .ndjson, .csv:
      LineOutput(
        isCSV: format == .csv, needsPlaces: ordinals, saysBytes: saysBytes, isExploded: isExploded, to: target)
    case .csvWide: WideOutput(WideTable(every: step.seconds), to: target)
    case .rr: IntervalOutput(IntervalExport(isOfPerson: isOfPerson), to: target)
    case .edf: try EDFOutput(EDFIdentity(equipment: "Hearth_\(hearthVersion)", zone: zone()), to: target)
    case .fit:
      try FITOutput(FITActivity(equipment: "Hearth \(hearthVersion)", zone: zone(), sport: sport), to: target)
    case .fhir, .fhirBundle: FHIROutput(bundle: format == .fhirBundle, to: target)
    }
  }
}

/// Fault of rows without content for a file of their format.
struct NoContent: Error { let why: HearthError }
