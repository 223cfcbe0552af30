// Formats of an export.

import ArgumentParser
import Export
import Health

enum ExportFormat: String, ExpressibleByArgument, CaseIterable {
  case ndjson, csv, rr, edf, fit, fhir
  case csvWide = "csv-wide"
  case fhirBundle = "fhir-bundle"

  /// Each line is a sample, as the store has it.
  var isLines: Bool { self == .ndjson || self == .csv }
  /// True for one file of bytes, of one person or wearable.
  var isBytes: Bool { self == .edf || self == .fit }
}

/// The sport of a FIT file, by its name.
struct SportName: ExpressibleByArgument {
  let sport: FITSport

  init?(argument: String) {
    guard let sport = FITSport(rawValue: argument) else { return nil }
    self.sport = sport
  }

  static let allValueStrings = FITSport.allCases.map(\.rawValue)
}

/// Lengths of a row of csv-wide is.
enum TableStep: String, ExpressibleByArgument, CaseIterable {
  case second = "1s"
  case minute = "1m"

  var seconds: Int { self == .second ? 1 : 60 }
}

extension Series {
  var hasColumn: Bool { WideTable.series.contains(self) }
}
