// Formats of an export.

import ArgumentParser
import Export
import Health
import StoreDocuments

enum ExportFormat: String, ExpressibleByArgument, CaseIterable {
  case ndjson, csv, rr, edf, fit, fhir
  case csvWide = "csv-wide"
  case fhirBundle = "fhir-bundle"

  /// Each line is a sample, as the store has it.
  var isLines: Bool { self == .ndjson || self == .csv }
  /// True for one file of bytes, of one person or wearable.
  var isBytes: Bool { self == .edf || self == .fit }

  /// Names of the series that the format has; empty: all.
  var series: [String] {
    switch self {
    case .ndjson, .csv, .edf, .fhir, .fhirBundle: []
    case .csvWide: WideTable.series.map(\.name)
    case .rr: IntervalExport.series.map(\.name)
    case .fit: FITActivity.series.map(\.name)
    }
  }

  /// Ending of a file's name.
  var ending: String {
    switch self {
    case .ndjson, .fhir: "ndjson"
    case .csv, .csvWide: "csv"
    case .rr: "txt"
    case .edf, .fit: rawValue
    case .fhirBundle: "json"
    }
  }
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

/// Form of an export.
struct ExportForm {
  var format = ExportFormat.ndjson
  /// NDJSON: with the places of rows.
  var ordinals = false
  /// With the bytes of records.
  var saysBytes = true
  /// CSV: a row for each sample of a waveform.
  var isExploded = false
  var step = TableStep.second
  var sport = FITSport.generic
  /// The rows are of one person, and may be of several wearables.
  var isOfPerson = false
}
