// Recordings in the wearable's own memory: which run, and how one is ended so that its file can be read.

import EventLoop
import Wearable

@LoopActor
final class PolarRecorder {
  private let link: any WearableLink
  let client: PMD.Client
  let renewals: PolarRenewals
  /// Rates at which it records, queried once over a link.
  var knownRates: [RecordableRates: [UInt32]] = [:]

  /// A recording that is younger than this goes on. Ending one costs a folder with a file on the wearable, and a moment
  /// without measurement. µs.
  static let shortest: Int64 = 30 * 60 * 1_000_000

  init(_ link: any WearableLink, _ client: PMD.Client) {
    self.link = link
    self.client = client
    renewals = PolarRenewals(link, client)
  }

  // MARK: start times

  /// Times by number of the kind, s since 1970 on the wearable's clock at that time, for as long as it is recorded.
  private var begun: [UInt8: Int64] { link.remembered(PolarBegun.self)?.times ?? [:] }

  private static func isYoung(_ begun: Int64, _ now: Int64) -> Bool {
    // A start in the future is from a clock that has since lost its time.
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

  /// Forgets the starts of recordings that no longer run.
  func keepBegun(_ running: [PMD.MeasurementType]) throws(VisitTrouble) {
    let all = begun
    let left = all.filter { one in running.contains { $0.rawValue == one.key } }
    if left.count < all.count { try link.remember(PolarBegun(left)) }
  }

  /// Start of a running recording, µs since 1970 on the wearable's clock at that time; nil if another host began it.
  func whenBegun(_ type: PMD.MeasurementType) -> Int64? {
    begun[type.rawValue].map { $0.multipliedReportingOverflow(by: 1_000_000) }.flatMap {
      $0.overflow ? nil : $0.partialValue
    }
  }

  /// Whether this hub began it, over any link, less than `shortest` ago.
  func hasBegunLately(_ type: PMD.MeasurementType, now: Int64) -> Bool {
    begun[type.rawValue].map { Self.isYoung($0, now) } ?? false
  }

  // MARK: SDK mode

  /// Whether SDK mode is on; false if the wearable does not have it.
  func isInSDKMode() async throws(VisitTrouble) -> Bool {
    guard try await client.features().hasSDKMode else { return false }
    return try await client.ifKnown { () throws(VisitTrouble) in try await client.isInSDKMode() } ?? false
  }

  /// Enters SDK mode, for a recording that no other mode offers.
  ///
  /// - Throws: `busy` while a stream or a recording runs: the wearable would refuse, or end it.
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

  /// Leaves SDK mode, unless a stream or a recording runs in it: the mode then ends with that.
  ///
  /// - Returns: whether SDK mode is off.
  @discardableResult
  func leaveSDKMode() async throws(VisitTrouble) -> Bool {
    guard try await isInSDKMode() else { return true }
    guard try await active().isEmpty else { return false }
    try await client.setSDKMode(false)
    return true
  }

  // MARK: running measurements

  /// Types that are being streamed or recorded.
  private func active() async throws(VisitTrouble) -> [PMD.MeasurementType] {
    try await client.status().filter { $0.value != .none }.map(\.key)
  }

  /// Types that are being recorded.
  func running() async throws(VisitTrouble) -> [PMD.MeasurementType] {
    guard try await client.features().recordsOffline else { return [] }
    return try await client.status().filter { $0.value.isOffline }.keys.sorted { $0.rawValue < $1.rawValue }
  }

  /// The same; nil if the wearable does not report it, or the answer is unreadable.
  func runningIfTold() async throws(VisitTrouble) -> [PMD.MeasurementType]? {
    do throws(VisitTrouble) { return try await running() } catch {
      guard case .unsupported(let why) = error else { throw error }
      link.note("it does not say what it records: \(why)")
      return nil
    }
  }
}
