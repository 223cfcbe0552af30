// Execution of orders in a visit, and their verification.

import EventLoop
import Health
import Wearable

extension PolarSession: RecordingSession {
  var unrecorded: [Series] { armed?.unrecorded ?? [] }

  /// Begins recordings that should run but do not.
  ///
  /// - Parameters:
  ///   - running: recordings that ran when the visit began.
  ///   - now: µs since 1970 on the wearable's clock, after it was set; nil if it is unknown.
  func arm(_ running: [PMD.MeasurementType], _ now: Int64?) async throws(VisitTrouble) {
    guard let armed else { return }
    let begun = try await armed.review(running, at: now)
    for type in begun { files.growing[type] = now.map { .since(Self.wholeSecond($0)) } ?? .newest(by: nil) }
    if armed.wanted.contains(where: { $0.needsSDKMode && begun.contains($0.type) }) { live?.wasSwitched(sdkMode: true) }
  }

  /// Verifies the orders at the end of a visit.
  ///
  /// - Throws: `needsAttention` if the wearable differs from an order.
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

  /// Writes settings at once. Streams are changed by the owner of their decoder.
  func bringSettings() async throws(VisitTrouble) {
    try await radio.keep()
    guard transfer.isPresent else { return }
    try await inFiles { () throws(VisitTrouble) in
      try await settings.keep()
      try await wearer.keep()
    }
  }

  /// Runs `body` within the current sync, or within a sync of its own.
  func inFiles<Value>(_ body: () async throws(VisitTrouble) -> Value) async throws(VisitTrouble) -> Value {
    isSyncing ? try await body() : try await transfer.inSync(body)
  }
}

extension WearableOrders {
  /// Key that encrypts and decrypts recordings.
  var polarSecret: PMD.Secret? { secret.flatMap { PMD.Secret(.aes128, key: $0) } }
}
