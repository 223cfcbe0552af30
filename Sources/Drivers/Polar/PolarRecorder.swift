// Recordings in the wearable's own memory: which run, and how one is ended so that its file can be read while recording
// goes on.

import EventLoop
import Wearable

@LoopActor
final class PolarRecorder {
  private let link: any WearableLink
  let client: PMD.Client
  let renewals: PolarRenewals
  /// Rates at which it records, asked once over a link.
  var knownRates: [RecordableRates: [UInt32]] = [:]

  /// A recording that is younger goes on: each that is ended is a folder with a file on the wearable, and a moment in
  /// which nothing is measured. Microseconds.
  static let shortest: Int64 = 30 * 60 * 1_000_000

  init(_ link: any WearableLink, _ client: PMD.Client) {
    self.link = link
    self.client = client
    renewals = PolarRenewals(link, client)
  }

  // MARK: when this hub began what

  /// By number of its kind, s since 1970 on the wearable's clock as it was set then; as long as it is recorded.
  private var begun: [UInt8: Int64] { link.remembered(PolarBegun.self)?.times ?? [:] }

  private static func isYoung(_ begun: Int64, _ now: Int64) -> Bool {
    // One that was begun later than now was begun by a clock that has been lost since.
    let (age, overflow) = (now / 1_000_000).subtractingReportingOverflow(begun)
    return !overflow && age >= 0 && age < shortest / 1_000_000
  }

  /// - Parameter now: µs since 1970 on the wearable's clock.
  func noteBegun(_ types: [PMD.MeasurementType], at now: Int64) throws(VisitTrouble) {
    if types.isEmpty { return }
    var all = begun
    for type in types { all[type.rawValue] = now / 1_000_000 }
    try link.remember(PolarBegun(all))
  }

  /// What is not recorded any more is forgotten.
  func keepBegun(_ running: [PMD.MeasurementType]) throws(VisitTrouble) {
    let all = begun
    let left = all.filter { one in running.contains { $0.rawValue == one.key } }
    if left.count < all.count { try link.remember(PolarBegun(left)) }
  }

  /// When this hub began what is recorded, µs since 1970 on the wearable's clock as it was set then; nil: somebody else
  /// did.
  func whenBegun(_ type: PMD.MeasurementType) -> Int64? {
    begun[type.rawValue].map { $0.multipliedReportingOverflow(by: 1_000_000) }.flatMap {
      $0.overflow ? nil : $0.partialValue
    }
  }

  /// It was begun by this hub, over whichever link, and is younger than `shortest`.
  func hasBegunLately(_ type: PMD.MeasurementType, now: Int64) -> Bool {
    begun[type.rawValue].map { Self.isYoung($0, now) } ?? false
  }

  // MARK: SDK mode

  /// Whether it is in it; false where it has none.
  func isInSDKMode() async throws(VisitTrouble) -> Bool {
    guard try await client.features().hasSDKMode else { return false }
    return try await client.ifKnown { () throws(VisitTrouble) in try await client.isInSDKMode() } ?? false
  }

  /// For a recording that there is in no other mode.
  ///
  /// - Throws: `busy` while anything is streamed or recorded, which the wearable would refuse it for, or lose.
  func enterSDKMode() async throws(VisitTrouble) {
    if try await isInSDKMode() { return }
    let others = try await active()
    guard others.isEmpty else {
      throw .busy(
        what:
          "it has to enter SDK mode for that, and cannot while \(PolarSession.list(others)) is recorded or streamed",
        retryAfter: nil)
    }
    try await client.setSDKMode(true)
  }

  /// Ends it, unless something is recorded in it, or streamed: then it ends with that.
  ///
  /// - Returns: it is not in it.
  @discardableResult
  func leaveSDKMode() async throws(VisitTrouble) -> Bool {
    guard try await isInSDKMode() else { return true }
    guard try await active().isEmpty else { return false }
    try await client.setSDKMode(false)
    return true
  }

  // MARK: what runs

  /// What is streamed or recorded.
  private func active() async throws(VisitTrouble) -> [PMD.MeasurementType] {
    try await client.status().filter { $0.value != .none }.map(\.key)
  }

  /// What is being recorded.
  func running() async throws(VisitTrouble) -> [PMD.MeasurementType] {
    guard try await client.features().recordsOffline else { return [] }
    return try await client.status().filter { $0.value.isOffline }.keys.sorted { $0.rawValue < $1.rawValue }
  }

  /// The same; nil where it does not say, or says what cannot be read.
  func runningIfTold() async throws(VisitTrouble) -> [PMD.MeasurementType]? {
    do throws(VisitTrouble) { return try await running() } catch {
      guard case .unsupported(let why) = error else { throw error }
      link.note("it does not say what it records: \(why)")
      return nil
    }
  }
}
