// Stages of a visit to a band, and requests between them.

import Bands
import Bluetooth
import EventLoop
import Health
import Wearable

final class FitCloudSession: WearableSession, BindingSession, IdentifyingSession, ClockedSession, DecodingSession,
  AnnouncingSession, MonitoringSession, LiveSession, AttendedSession, MeasuringSession, ReportingSession,
  TransferringSession
{
  private let link: any WearableLink
  private let client: FitCloudClient
  private let access: FitCloudBinding
  private let clock: FitCloudClock
  private let automatic: FitCloudMonitoring
  private let onDemand: FitCloudMeasuring
  private let history: HistoryTransfers
  private let speech = FitCloudSpeech()
  private let reader: FitCloudDecoder
  private(set) var domains: [any FetchDomain] = []
  /// nil: not requested, or not reported.
  private var information: FitCloudInformation?
  /// Totals that the band sent last, unsolicited.
  private var told: FitCloudTotals?
  private var isReady = false

  /// nil if the link shows no band.
  init?(_ link: any WearableLink) {
    let memory = link.remembered(FitCloudMemory.self)
    guard let client = FitCloudClient(link, isSlow: memory?.isSlow ?? false, generation: memory?.generation) else {
      return nil
    }
    (self.link, self.client) = (link, client)
    access = FitCloudBinding(client)
    clock = FitCloudClock(client)
    automatic = FitCloudMonitoring(client)
    onDemand = FitCloudMeasuring(client)
    history = HistoryTransfers(client)
    speech.generation = client.generation
    reader = FitCloudDecoder(speech)
  }

  // MARK: Check

  func check() async throws(VisitTrouble) -> CheckReport {
    (isReady, domains) = (false, [])
    link.reached(.authenticating)
    try await access.authenticate()
    speech.generation = client.generation
    link.reached(.preparing)
    var report = CheckReport()
    information = try await readInformation()
    history.isCertain = information != nil
    report.facts = facts
    // Set before any recorded data is requested.
    report.clock = try await clock.set()
    if let battery = try await readBattery() {
      report.battery = battery.percent
      if let text = battery.text { report.facts.append(.charging(text)) }
    }
    try await tellWearer()
    try await automatic.bringAbout(features)
    domains = HistoryKind.all.filter { $0.isServed(by: features) }.map { kind in
      HistoryDomain(link, history, kind, clock)
    }
    isReady = true
    link.reached(.connected)
    return report
  }

  /// Reads the device information; nil without a reply. For the new generation the key of the request is inferred.
  private func readInformation() async throws(VisitTrouble) -> FitCloudInformation? {
    let question = FitCloudQuestion.information(client.generation)
    // Some bands may send it by themselves after the login.
    var value = try await client.next([question.reply], within: .zero)?.value
    if value == nil { value = try await client.ask(question, within: Self.patience) }
    if value == nil, client.generation == .new {
      // Repeat with the old generation's request; either reply counts.
      let older = FitCloudQuestion.information(.old)
      try await client.send(FitCloudItem(older.ask))
      value = try await client.next([question.reply, older.reply], within: Self.patience)?.value
    }
    guard let value else {
      link.note("it does not say what it is")
      return nil
    }
    guard let information = FitCloudInformation(value, client.generation) else {
      link.note("its description of \(value.count) bytes is unreadable")
      return nil
    }
    return information
  }

  private func readBattery() async throws(VisitTrouble) -> FitCloudBattery? {
    let value = try await client.ask(.battery(client.generation), within: Self.patience)
    return value.flatMap { FitCloudBattery($0) }
  }

  /// Time for replies that not every band sends: a check has a minute for all of them.
  private static let patience: Duration = .seconds(4)

  private var features: FitCloudFeatures? { information?.features }

  private var facts: [WearableFact] {
    guard let information else { return [] }
    var facts: [WearableFact] = [.model("FitCloud project \(information.project)")]
    if let firmware = information.firmware { facts.append(.firmware(firmware)) }
    if let serial = information.serial { facts.append(.serialNumber(serial)) }
    if information.features.has(.pressure), !information.features.has(.pressureByPump) {
      facts.append(.notServed(Self.notMeasured))
    }
    return facts
  }

  /// 64 bytes at most.
  static let notMeasured = "blood pressure: an optical estimate, no measurement"

  /// Old generation only: the layout of the newer user information is not published.
  private func tellWearer() async throws(VisitTrouble) {
    guard client.generation == .old, let next = FitCloudWearer.next(link) else { return }
    try await client.send(FitCloudItem(.setProfile, next.profile.bytes))
    try link.remember(FitCloudWearer(next.told))
  }

  func finish() async throws(VisitTrouble) {
    try clock.keep()
    if let why = automatic.refused { throw .monitoringNotTaken(why) }
  }

  var transferPatience: Duration? { history.isUnderWay ? HistoryTransfers.patience : nil }

  // MARK: Binding

  var isBound: Bool { access.isBound }

  func unbind() async throws(VisitTrouble) {
    try await access.unbind()
    isReady = false
    link.forget(FitCloudMemory.self)
    link.forget(FitCloudMonitorBefore.self)
  }

  var belongsTo: String? { client.isNextPlatform ? Band.nextDriver : nil }

  // MARK: Clock

  var clockSeen: DeviceClock? { clock.seen }
  /// Returns nil: no known key reads the clock.
  func readClock() async throws(VisitTrouble) -> DeviceClock? { nil }

  // MARK: Capabilities

  var announced: WearableCapabilities? {
    guard let features else { return nil }
    var all = WearableCapabilities()
    for kind in HistoryKind.all where kind.isServed(by: features) { all.insert(.history, kind.series) }
    all.insert(.onDemand, measurable)
    return all.union(automatic.announced)
  }

  var monitoring: [MonitoringState] { automatic.states }

  func readMonitoring() async throws(VisitTrouble) -> [MonitoringState] {
    guard isReady else { throw .unsupported("it did not accept this hub") }
    return try await automatic.readAgain()
  }

  var measurable: [Series] { onDemand.series(features) }

  func measure(_ order: MeasurementOrder, into sink: any MeasurementSink) async throws(VisitTrouble) -> MeasurementEnd {
    guard isReady else { throw .unsupported("it did not accept this hub") }
    return try await onDemand.measure(order, features, into: sink)
  }

  // MARK: While the link stays

  var decoder: any LiveDecoder { reader }

  func wentLive() async throws(VisitTrouble) {}

  func ordersChanged() async throws(VisitTrouble) {
    guard isReady else { return }
    try await tellWearer()
    try await automatic.bringAbout(features)
  }

  /// Half of the time after which the band takes a frame for lost: unsolicited frames must be acknowledged.
  var attendance: Duration? { isReady ? .seconds(5) : nil }

  func attend() async throws(VisitTrouble) {
    if onDemand.isRunning { return }
    for item in try await client.listen() where item.id == .totals { told = FitCloudTotals(item.value) }
    if clock.isOfOtherZone { _ = try await clock.set() }
    guard client.configurationChanged else { return }
    client.configurationChanged = false
    _ = try await automatic.readAgain()
  }

  // MARK: Reports

  var reports: [String] { ["today", "band"] }

  func report(_ topic: String) async throws(VisitTrouble) -> [ReportRow] {
    switch topic {
    case "today": return try await today()
    case "band": return [band] + FitCloudWearer.rows(link)
    default: throw .unsupported(topic)
    }
  }

  /// Report of today's totals, which are not stored: the history of steps and sleep has them already.
  private func today() async throws(VisitTrouble) -> [ReportRow] {
    guard isReady else { throw .unsupported("it did not accept this hub") }
    let value = try await client.ask(.totals, within: Self.patience) ?? []
    guard let totals = FitCloudTotals(value) ?? (value.isEmpty ? told : nil) else {
      return [ReportRow("today", [.init("raw", value.isEmpty ? "none" : hexadecimal(value))])]
    }
    told = totals
    var fields: [ReportRow.Field] = [
      .init("steps", "\(totals.steps)"), .init("distance_m", "\(totals.distance)"),
      .init("calories_cal", "\(totals.calories)"), .init("deep_sleep_min", "\(totals.deepSleep)"),
      .init("light_sleep_min", "\(totals.lightSleep)"),
    ]
    if totals.meanHeartRate > 0 { fields.append(.init("mean_heart_rate_bpm", "\(totals.meanHeartRate)")) }
    if value.count > FitCloudTotals.size { fields.append(.init("more", hexadecimal(value[FitCloudTotals.size...]))) }
    return [ReportRow("today", fields)]
  }

  private var band: ReportRow {
    var fields: [ReportRow.Field] = [
      .init("generation", client.generation == .old ? "old" : "new"), .init("pieces", client.isSlow ? "slow" : "usual"),
    ]
    if let information {
      let digits = String(information.features.word, radix: 16, uppercase: true)
      fields.append(.init("features", String(repeating: "0", count: 8 - digits.count) + digits))
      fields.append(.init("information", hexadecimal(information.raw)))
    }
    return ReportRow("band", fields)
  }
}
