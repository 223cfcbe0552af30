// Rates at which a wearable can record, as it reports them, for people before they order a recording.

import EventLoop
import Wearable

extension PolarRecorder {
  /// Key of a query for rates.
  struct RecordableRates: Hashable {
    let type: PMD.MeasurementType
    /// Including the rates of SDK mode.
    let isFull: Bool
  }

  /// Hz, as texts: `13, 26, 52`. nil if there are no rates, or the wearable does not report them.
  struct Rates {
    let usual: String?
    /// Additional rates of SDK mode.
    let inSDKMode: String?
  }

  /// - Parameter types: types that the wearable records.
  func rates(of types: [PMD.MeasurementType]) async throws(VisitTrouble) -> [PMD.MeasurementType: Rates] {
    let hasSDKMode = try await client.features().hasSDKMode
    var all: [PMD.MeasurementType: Rates] = [:]
    for type in types where type.hasSettings {
      let usual = try await rates(of: type, isFull: false)
      let full = hasSDKMode ? try await rates(of: type, isFull: true) : []
      all[type] = Rates(usual: Self.text(usual), inSDKMode: Self.text(full.filter { !usual.contains($0) }))
    }
    return all
  }

  private func rates(of type: PMD.MeasurementType, isFull: Bool) async throws(VisitTrouble) -> [UInt32] {
    let key = RecordableRates(type: type, isFull: isFull)
    if let known = knownRates[key] { return known }
    do throws(VisitTrouble) {
      let told = try await client.settings(type, .offline, isFull: isFull).values[.sampleRate]?.sorted() ?? []
      knownRates[key] = told
      return told
    } catch {
      // The rates stay unknown; the rest of the report is still given.
      guard error.refusal != nil else { throw error }
      return []
    }
  }

  private static func text(_ rates: [UInt32]) -> String? {
    rates.isEmpty ? nil : rates.map { "\($0)" }.joined(separator: ", ")
  }
}
