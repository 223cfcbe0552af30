// Stages of a visit to a band of the new platform, and attendance while its link stays.

import Bands
import Bluetooth
import EventLoop
import Health
import TopStepMessages
import Wearable

final class TopStepSession: WearableSession, IdentifyingSession, BindingSession, AnnouncingSession, AttendedSession,
  DecodingSession, LiveSession, MonitoringSession, MeasuringSession, ReportingSession, TransferringSession
{
  private let link: any WearableLink
  private let live = TopStepDecoder()
  /// nil if the band lacks characteristics that every band of this service has.
  private let parts: Parts?
  private(set) var belongsTo: String?
  private(set) var domains: [any FetchDomain] = []
  /// Settings changed at the band since the session last looked.
  private var changes: Set<TopStepTopic> = []

  /// Components of a session over a band with the right characteristics.
  private struct Parts {
    let channel: TopStepChannel
    let clock: TopStepClock
    let wearer: TopStepWearer
    let binding: TopStepBinding
    let identity: TopStepIdentity
    let monitoring: TopStepMonitoring
    let measuring: TopStepMeasuring
    let sync: TopStepSync
  }

  init(_ link: any WearableLink) {
    self.link = link
    guard let channel = TopStepChannel(link) else {
      parts = nil
      return
    }
    let (clock, wearer) = (TopStepClock(channel), TopStepWearer(channel))
    parts = Parts(
      channel: channel, clock: clock, wearer: wearer, binding: TopStepBinding(channel, clock, wearer),
      identity: TopStepIdentity(channel), monitoring: TopStepMonitoring(channel),
      measuring: TopStepMeasuring(channel), sync: TopStepSync(channel))
    channel.onTold = { [weak self] frame in self?.hear(frame) }
  }

  private func ready() throws(VisitTrouble) -> Parts {
    guard let parts else { throw .unsupported("a band without the characteristics of its own service") }
    return parts
  }

  private func hear(_ frame: TopStepFrame) { if frame.topic.isChange { changes.insert(frame.topic) } }

  var transferPatience: Duration? { parts?.sync.isUnderWay == true ? TopStepChannel.patience : nil }

  // MARK: Check

  func check() async throws(VisitTrouble) -> CheckReport {
    let parts = try ready()
    try await parts.channel.begin()
    var report = CheckReport()
    let battery = try await identify(parts)
    report.battery = battery?.percent
    link.reached(.authenticating)
    try await parts.binding.begin()
    link.reached(.preparing)
    // Set before any fetch. The clock cannot be read, so the report has no clock evidence.
    try await parts.clock.set()
    try await parts.identity.read()
    report.facts = parts.identity.facts
    if let battery { report.facts.append(.charging(battery.chargingText)) }
    let has = parts.identity.capabilities
    parts.monitoring.kinds = ConfigurationKind.allCases.filter { has?.has($0.bit) ?? true }
    try await parts.monitoring.bringAbout()
    _ = takeChanges()
    try await parts.wearer.tell()
    domains = DayKind.allCases.filter { kind in
      guard let has, !kind.bits.isEmpty else { return true }
      return kind.bits.contains { has.has($0) }
    }.map { TopStepDomain($0, link, parts.sync, parts.clock, parts.monitoring) }
    link.reached(.connected)
    return report
  }

  /// Identifies the platform with a request that changes no setting. FitCloud bands advertise the same, and would
  /// otherwise be bound by mistake. A band that was never bound is asked fewer times before the request in FitCloud's
  /// layout: twelve seconds of silence would cost it its turn.
  ///
  /// - Returns: the charge; nil if the answer is no message. The frame identifies the platform all the same.
  private func identify(_ parts: Parts) async throws(VisitTrouble) -> TopStepBattery? {
    let channel = parts.channel
    let isKnown = link.remembered(BandBinding.self) != nil
    do throws(VisitTrouble) {
      let answer =
        isKnown
        ? try await channel.ask(.battery)
        : try await channel.ask(.battery, within: TopStepChannel.firstPatience, repeats: 1)
      let battery = try? TopStepBattery(wire: answer)
      if battery == nil { channel.link.note("its charge is no message") }
      return battery
    } catch {
      guard case .silent = error, !channel.isCertain else { throw error }
      if !channel.isFitCloud { try await channel.askAsFitCloud() }
      guard channel.isFitCloud else { throw error }
      belongsTo = Band.fitCloudDriver
      throw .unsupported("it answers as FitCloud's bands do")
    }
  }

  /// Whether all that the band stores was listed and fetched in this visit.
  private var areAllFetched: Bool {
    domains.allSatisfy { ($0 as? TopStepDomain)?.isFetched ?? false }
  }

  func finish() async throws(VisitTrouble) {
    guard let parts, parts.binding.isBound else { return }
    // Another zone divides days otherwise, and a band may send each day only once.
    if areAllFetched { try await parts.clock.followZone() }
    if let why = parts.monitoring.refused { throw .monitoringNotTaken(why) }
  }

  // MARK: Binding

  var isBound: Bool { parts?.binding.isBound ?? false }

  func unbind() async throws(VisitTrouble) {
    let parts = try ready()
    // A band that was never bound would have to be bound first, only to be unbound.
    guard link.remembered(BandBinding.self) != nil else { return }
    try await parts.channel.begin()
    // A band accepts being unbound only from a host that has logged in.
    if !parts.binding.isBound {
      _ = try await identify(parts)
      try await parts.binding.begin()
    }
    try await parts.binding.end()
  }

  // MARK: Capabilities

  var announced: WearableCapabilities? {
    guard let parts, let has = parts.identity.capabilities else { return nil }
    var all = WearableCapabilities(.live, [.battery])
    for kind in DayKind.allCases where kind != .activity {
      if kind.bits.isEmpty || kind.bits.contains(where: { has.has($0) }) { all.insert(.history, kind.series) }
    }
    if has.has(.steps) { all.insert(.history, [.steps]) }
    if has.has(.distance) { all.insert(.history, [.distance]) }
    if has.has(.calories) { all.insert(.history, [.calories]) }
    if has.has(.dailyActivity) { all.insert(.history, [.steps, .distance, .calories, .activeTime]) }
    if has.has(.heartRate) { all.insert(.resting, [.heartRate]) }
    for kind in ConfigurationKind.allCases where has.has(kind.bit) {
      all.insert(.onDemand, [kind.series])
      if let gates = parts.monitoring.gates(kind) { all.insert(gates, [kind.series]) }
    }
    return all
  }

  var decoder: any LiveDecoder { live }

  // MARK: While the link stays

  /// Interval of attendance. Without a change there is no traffic on the air.
  private static let watch: Duration = .seconds(30)

  var attendance: Duration? { isBound ? Self.watch : nil }

  func attend() async throws(VisitTrouble) {
    guard let parts, isBound else { return }
    parts.channel.hear()
    let changed = takeChanges()
    try await parts.monitoring.readAgain(ConfigurationKind.allCases.filter { changed.contains($0.changed) })
    if changed.contains(.functionsChanged) { try await parts.identity.readFunctions() }
  }

  private func takeChanges() -> Set<TopStepTopic> {
    defer { changes = [] }
    return changes.union(live.takeChanges())
  }

  // MARK: Orders

  func wentLive() async throws(VisitTrouble) {}

  func ordersChanged() async throws(VisitTrouble) {
    guard let parts, isBound else { return }
    try await parts.monitoring.bringAbout()
    try await parts.wearer.tell()
  }

  var monitoring: [MonitoringState] { parts?.monitoring.monitoring ?? [] }

  func readMonitoring() async throws(VisitTrouble) -> [MonitoringState] {
    let parts = try ready()
    try await parts.monitoring.readAgain(ConfigurationKind.allCases)
    return parts.monitoring.monitoring
  }

  // MARK: Measuring

  var measurable: [Series] {
    guard let parts, isBound else { return [] }
    let has = parts.identity.capabilities
    return ConfigurationKind.allCases.filter { has?.has($0.bit) ?? true }.map(\.series)
  }

  func measure(_ order: MeasurementOrder, into sink: any MeasurementSink) async throws(VisitTrouble) -> MeasurementEnd {
    guard measurable.contains(order.series) else { throw .unsupported("measuring \(order.series.name)") }
    return try await ready().measuring.run(order, into: sink)
  }

  // MARK: Reports

  var reports: [String] { ["band"] }

  func report(_ topic: String) async throws(VisitTrouble) -> [ReportRow] {
    guard topic == "band" else { throw .unsupported(topic) }
    let parts = try ready()
    return parts.identity.rows + parts.wearer.rows
  }
}
