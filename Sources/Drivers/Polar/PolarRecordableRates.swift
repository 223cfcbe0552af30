// At which rates a wearable records, as it says itself: for people who have not ordered yet.

import EventLoop
import Wearable

extension PolarRecorder {
  /// Of which question the rates are the answer.
  struct RecordableRates: Hashable {
    let type: PMD.MeasurementType
    /// With those of SDK mode.
    let isFull: Bool
  }

  /// Hz, as texts: `13, 26, 52`. nil where it has none, or does not say.
  struct Rates {
    let usual: String?
    /// Further ones, that there are in SDK mode alone.
    let inSDKMode: String?
  }

  /// - Parameter types: that it records.
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
      // It says no more now; what else it says of its recordings is told.
      guard error.refusal != nil else { throw error }
      return []
    }
  }

  private static func text(_ rates: [UInt32]) -> String? {
    rates.isEmpty ? nil : rates.map { "\($0)" }.joined(separator: ", ")
  }
}
