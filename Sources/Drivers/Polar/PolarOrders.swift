// What people ordered, brought about in a visit and read back.

import EventLoop
import Health
import Wearable

extension PolarSession: RecordingSession {
  var unrecorded: [Series] { armed?.unrecorded ?? [] }

  /// Begins what should be recorded and is not.
  ///
  /// - Parameters:
  ///   - running: what was recorded when the visit began.
  ///   - now: µs since 1970 on the wearable's clock, as it goes on; nil where it tells none.
  func arm(_ running: [PMD.MeasurementType], _ now: Int64?) async throws(VisitTrouble) {
    guard let armed else { return }
    let begun = try await armed.review(running, at: now)
    for type in begun { files.growing[type] = now.map { .since(Self.wholeSecond($0)) } ?? .newest(by: nil) }
    if armed.wanted.contains(where: { $0.needsSDKMode && begun.contains($0.type) }) { live?.wasSwitched(sdkMode: true) }
  }

  /// At the end of a visit.
  ///
  /// - Throws: `needsAttention` for what is not as it was ordered.
  func proveOrders() async throws(VisitTrouble) {
    try await armed?.prove()
    if let first = (settings.refused + radio.refused).first {
      throw .needsAttention(.settingNotTaken, "has other settings than were ordered: \(first)")
    }
    if let why = settings.monitoringRefused { throw .monitoringNotTaken(why) }
    if case .refused(let why) = wearer.state {
      throw .needsAttention(.settingNotTaken, "does not take what it should know of its wearer: \(why)")
    }
  }

  /// Settings are written at once; streams are the business of whoever decodes them.
  func bringSettings() async throws(VisitTrouble) {
    try await radio.keep()
    guard transfer.isPresent else { return }
    try await inFiles { () throws(VisitTrouble) in
      try await settings.keep()
      try await wearer.keep()
    }
  }

  /// Within the sync that goes on, or in one of its own.
  func inFiles<Value>(_ body: () async throws(VisitTrouble) -> Value) async throws(VisitTrouble) -> Value {
    isSyncing ? try await body() : try await transfer.inSync(body)
  }
}

extension WearableOrders {
  /// What recordings are kept under and opened with.
  var polarSecret: PMD.Secret? { secret.flatMap { PMD.Secret(.aes128, key: $0) } }
}
