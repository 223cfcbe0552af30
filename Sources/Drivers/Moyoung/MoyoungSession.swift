// A visit to a band: its clock set, its wearer told, its orders carried out, what it keeps fetched.

import Bluetooth
import EventLoop
import GATTServices
import Health
import Wearable

/// This family knows no binding: there is nothing to log in to, and nothing is undone when a band is forgotten. It
/// serves whoever connects.
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

  /// nil where the band has no channel of this family.
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
    // What a band loses first: what the next training takes the place of, what it tells once, then what midnight takes.
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

  /// Name of the maker, which says how it frames; nil where it has none.
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
  /// It cannot be read. Here one is moved that shows another time than it should: everything that it has by that time
  /// was fetched in this visit, or it waits for one that does.
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

  // MARK: What it has

  /// The wire says nothing of it: what the commands that it answers bring.
  var announced: WearableCapabilities? {
    guard isChecked else { return nil }
    var all = WearableCapabilities(.history, MoyoungDriver.kept)
    all.insert(.onDemand, measurable)
    if !interval.states.isEmpty { all.insert([.monitoring, .monitoringInterval], [.heartRate]) }
    return all
  }

  // MARK: Orders

  func wentLive() async throws(VisitTrouble) {}

  /// Another wearer may have put it on.
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

  /// The counters of today as they stand, stored nowhere: a visit stores what they grow by.
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
