// The stages of a visit to a band of the new platform, and what goes on while its link stays.

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
  /// nil: it lacks what every band of this service has.
  private let parts: Parts?
  private(set) var belongsTo: String?
  private(set) var domains: [any FetchDomain] = []
  /// What was changed at the band while nobody looked.
  private var changes: Set<TopStepTopic> = []

  /// What a session has, where the band has the characteristics.
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

  // MARK: check

  func check() async throws(VisitTrouble) -> CheckReport {
    let parts = try ready()
    try await parts.channel.begin()
    var report = CheckReport()
    let battery = try await identify(parts)
    report.battery = battery?.percent
    link.reached(.authenticating)
    try await parts.binding.begin()
    link.reached(.preparing)
    // Before anything is fetched. It cannot be read: so there is no evidence of it.
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

  /// The first request changes nothing: bands of FitCloud's advertise the same, and would be bound by mistake. Whoever
  /// was never bound is asked less often before it is asked in FitCloud's layout: one that is mute for twelve seconds
  /// loses its turn to others.
  ///
  /// - Returns: its charge; nil if the answer is no message. Its frame tells the platform all the same.
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

  /// Everything that the band keeps was listed and taken in this visit.
  private var areAllFetched: Bool {
    domains.allSatisfy { ($0 as? TopStepDomain)?.isFetched ?? false }
  }

  func finish() async throws(VisitTrouble) {
    guard let parts, parts.binding.isBound else { return }
    // Another zone has other days, and a band may tell each day once.
    if areAllFetched { try await parts.clock.followZone() }
    if let why = parts.monitoring.refused { throw .monitoringNotTaken(why) }
  }

  // MARK: Binding

  var isBound: Bool { parts?.binding.isBound ?? false }

  func unbind() async throws(VisitTrouble) {
    let parts = try ready()
    // It was never bound: it would be, to be let go of.
    guard link.remembered(BandBinding.self) != nil else { return }
    try await parts.channel.begin()
    // A band lets go of who has logged in.
    if !parts.binding.isBound {
      _ = try await identify(parts)
      try await parts.binding.begin()
    }
    try await parts.binding.end()
  }

  // MARK: What it can do

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

  /// Costs nothing on the air where nothing changed.
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
