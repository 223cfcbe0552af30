// Visit to a band: sets its clock, writes wearer and orders, fetches its data.

import Bluetooth
import EventLoop
import GATTServices
import Health
import Wearable

/// Session of a band. This family has no binding: there is no login, and forgetting a band has no effect on it. A band
/// serves every client.
final class MoyoungSession: WearableSession, ClockedSession, AnnouncingSession, MonitoringSession, MeasuringSession,
  LiveSession, ReportingSession
{
  private let link: any WearableLink
  private let client: MoyoungClient
  private let clock: MoyoungClock
  private let wearer: MoyoungWearer
  private let interval: MoyoungMonitoring
  private let measurement: MoyoungMeasuring
  private let activity: ActivityDomain
  private let rates: RatesDomain
  private let looks: [LookDomain]
  private var isChecked = false

  /// nil if the band lacks the channel of this family.
  init?(_ link: any WearableLink) {
    guard let client = MoyoungClient(link) else { return nil }
    (self.link, self.client) = (link, client)
    clock = MoyoungClock(link, client)
    wearer = MoyoungWearer(link: link, client: client)
    interval = MoyoungMonitoring(link, client)
    measurement = MoyoungMeasuring(link, client)
    let pastDays = PastDays(link)
    activity = ActivityDomain(link, client, clock, pastDays)
    rates = RatesDomain(link, client, clock)
    let trainings = TrainingDomain(link, client, clock, rates)
    // Order of what a band loses first: places that the next training overwrites, rates sent only once, data lost at
    // midnight.
    looks = [
      trainings, TrainingRatesDomain(link, client, clock, trainings), rates,
      SleepDomain(link, client, clock, pastDays), activity,
    ]
  }

  var domains: [any FetchDomain] { looks }

  // MARK: Stages

  func check() async throws(VisitTrouble) -> CheckReport {
    if !isChecked { link.reached(.preparing) }
    try await client.begin(manufacturer: try await manufacturer())
    var report = CheckReport()
    for look in looks { look.begin() }
    let shown = try await clock.begin()
    clockSeen = shown
    report.clock = shown
    try await wearer.tell()
    try await interval.bringAbout()
    report.facts = [.notServed("blood pressure: an estimate by light, not enabled")]
    isChecked = true
    link.reached(.connected)
    return report
  }

  /// Manufacturer's name, which determines the framing; nil: not available.
  private func manufacturer() async throws(VisitTrouble) -> String? {
    guard !isChecked,
      let found = link.database.characteristic(
        StandardGATT.manufacturerName, in: StandardGATT.deviceInformationService),
      found.properties.contains(.read)
    else { return nil }
    do throws(VisitTrouble) {
      let bytes = try await link.read(found)
      return bytes.withUnsafeBytes { String(cleaning: $0) }
    } catch {
      guard case .refused = error else { throw error }
      return nil
    }
  }

  func finish() async throws(VisitTrouble) { if let why = interval.refused { throw .monitoringNotTaken(why) } }

  // MARK: Clock

  private(set) var clockSeen: DeviceClock?
  /// Moves a clock that shows a wrong time; the clock cannot be read. The move needs a visit that has fetched all data
  /// with times of that clock.
  func readClock() async throws(VisitTrouble) -> DeviceClock? {
    guard clock.isDue else { return nil }
    guard looks.allSatisfy(\.isDrained) else {
      link.note("its clock is set when all that it has by the time that it shows was fetched")
      return nil
    }
    let moved = try await clock.move { [rates] in rates.rate(at: $0) }
    if let moved { clockSeen = moved }
    return moved
  }

  // MARK: Capabilities

  /// Capabilities from the commands that the band answered, since the protocol has no list of them.
  var announced: WearableCapabilities? {
    guard isChecked else { return nil }
    var all = WearableCapabilities(.history, MoyoungDriver.kept)
    all.insert(.onDemand, measurable)
    if !interval.states.isEmpty { all.insert([.monitoring, .monitoringInterval], [.heartRate]) }
    return all
  }

  // MARK: Orders

  func wentLive() async throws(VisitTrouble) {}

  /// The wearer may have changed.
  func ordersChanged() async throws(VisitTrouble) {
    try await wearer.tell()
    try await interval.bringAbout()
  }

  var monitoring: [MonitoringState] { interval.states }
  func readMonitoring() async throws(VisitTrouble) -> [MonitoringState] { try await interval.readAgain() }

  var measurable: [Series] { MoyoungMeasuring.series }

  func measure(_ order: MeasurementOrder, into sink: any MeasurementSink) async throws(VisitTrouble) -> MeasurementEnd {
    try await measurement.measure(order, into: sink)
  }

  // MARK: Reports

  private static let today = "today"
  private static let body = "wearer"
  var reports: [String] { [Self.today, Self.body] }

  /// Current counters of today, which are not stored here: a visit stores their growth.
  func report(_ topic: String) async throws(VisitTrouble) -> [ReportRow] {
    if topic == Self.body { return wearer.rows }
    guard topic == Self.today else { throw .unsupported(topic) }
    guard let now = try await activity.now() else { throw .unsupported("it does not say what it counted today") }
    return [
      ReportRow(
        "activity",
        [
          ReportRow.Field("steps", "\(now.steps)"), ReportRow.Field("distance_m", "\(now.metres)"),
          ReportRow.Field("calories_kcal", "\(now.kilocalories)"),
        ])
    ]
  }
}
