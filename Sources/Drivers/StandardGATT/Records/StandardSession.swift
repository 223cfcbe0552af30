// A visit to a wearable of standard services with a clock, records or monitoring. The visit reads and sets the clock,
// counts the records, sets the interval, and performs operator actions.

import Bluetooth
import EventLoop
import Health
import Wearable

/// Session only for wearables with more than live values: a plain strap needs no session.
final class StandardSession: WearableSession, ClockedSession, DecodingSession, OperatedSession, LiveSession,
  AnnouncingSession, MonitoringSession
{
  private let link: any WearableLink
  private let clock: StandardClock?
  private let user: UserDataClient?
  /// Live observations that must be started.
  private let observations: ObservationStart?
  private let interval: ThermometerInterval?
  private let records: [RecordDomain]
  private let gated: LiveOnlyDecoder
  /// Further listings, by the number of records: more than one listing can have.
  private var pages: [RecordPage] = []

  /// nil if a session would have no task.
  init?(_ link: any WearableLink, _ decoder: any LiveDecoder) {
    let clock = StandardClock(link)
    let gate = RecordGate()
    let records = StoredRecordPlace.all.compactMap { $0.domain(link, gate) }
    let user = UserDataClient(link)
    let observations = ObservationStart(link)
    let interval = ThermometerInterval(link)
    // A wearable that lacks an ordered feature must report that.
    let isOrdered = interval != nil || !link.orders.monitoring.isEmpty
    if clock == nil, user == nil, observations == nil, !isOrdered, records.isEmpty { return nil }
    (self.link, self.clock, self.user, self.observations, self.records) = (link, clock, user, observations, records)
    self.interval = interval
    gated = LiveOnlyDecoder(decoder, gate, Set(StoredRecordPlace.all.map(\.records)))
  }

  var domains: [any FetchDomain] { records + pages }
  var decoder: any LiveDecoder { gated }

  func check() async throws(VisitTrouble) -> CheckReport {
    var report = CheckReport()
    report.clock = try await checkClock()
    try await user?.tellWearer()
    try await interval?.bringAbout()
    pages = []
    for domain in records where domain.isPaged && link.wish.wants(domain.id) {
      let count = try await domain.count() ?? 0
      let needed = min(RecordDomain.pages, (count + RecordDomain.page - 1) / RecordDomain.page)
      for _ in 1..<max(1, needed) { pages.append(RecordPage(domain)) }
    }
    return report
  }

  func finish() async throws(VisitTrouble) {
    if let why = lack ?? interval?.refused { throw .monitoringNotTaken(why) }
  }

  // MARK: Clock

  private(set) var clockSeen: DeviceClock?
  var clockVerdict: ClockVerdict { clock?.verdict ?? .isClock }
  var timeGiven: Int64? { clock?.given }
  var wantsTimeAtOnce: Bool { clock?.wantsTime ?? false }
  func readClock() async throws(VisitTrouble) -> DeviceClock? { try await clock?.read() }
  func checkClock() async throws(VisitTrouble) -> DeviceClock? {
    clockSeen = try await clock?.check()
    return clockSeen
  }

  // MARK: Live

  func wentLive() async throws(VisitTrouble) { try await observations?.begin() }
  /// The wearer may have changed.
  func ordersChanged() async throws(VisitTrouble) {
    try await user?.tellWearer()
    try await interval?.bringAbout()
  }

  // MARK: Monitoring

  /// An order from before the wearable's features were known.
  private var lack: String? {
    interval == nil && !link.orders.monitoring.isEmpty ? "it has no interval of its own" : nil
  }
  var announced: WearableCapabilities? { interval?.announced ?? WearableCapabilities() }
  var monitoring: [MonitoringState] { interval?.states ?? [] }
  func readMonitoring() async throws(VisitTrouble) -> [MonitoringState] { try await interval?.readAgain() ?? [] }

  // MARK: Actions

  static let removal = WearableAction(
    "records-remove",
    "Deletes the stored records on it, at a visit that finds each of them durable here; the order stands for a day.")

  var actions: [WearableAction] { records.isEmpty ? [] : [Self.removal] }

  func perform(_ action: WearableAction, _ arguments: [String]) async throws(VisitTrouble) -> String {
    guard actions.contains(where: { $0.name == action.name }) else { throw .unsupported(action.name) }
    guard arguments.isEmpty else { throw .unsupported("\(action.name) takes no more words") }
    var total = 0
    for domain in records {
      guard let count = try await domain.point.count() else { throw .unsupported("it does not say how many it has") }
      total += Int(count)
    }
    guard total > 0 else { return "no change needed: no record is stored on it" }
    try link.remember(RemovalOrder(link.hubTime))
    let noun = total == 1 ? "record goes" : "records go"
    return "ordered: \(total) stored \(noun) with the visit that has all of them durable here"
  }
}

/// A kind of stored records: service and characteristic.
struct StoredRecordPlace: Sendable {
  let service: BluetoothUUID
  let records: BluetoothUUID
  let format: RecordFormat

  static let all = [
    StoredRecordPlace(service: PulseOximeter.service, records: PulseOximeter.spotCheck, format: .spotChecks),
    StoredRecordPlace(
      service: GenericHealth.service, records: GenericHealth.storedObservations, format: .observations),
  ]

  /// nil if this wearable has no such records.
  @LoopActor
  func domain(_ link: any WearableLink, _ gate: RecordGate) -> RecordDomain? {
    guard let control = link.database.characteristic(RecordAccess.controlPoint, in: service),
      control.properties.contains(.write), control.properties.contains(.indicate),
      let values = link.database.characteristic(records, in: service)
    else { return nil }
    return RecordDomain(link, RecordAccessPoint(link, control: control, records: values), format, gate)
  }
}

/// Decodes live values, except while records arrive over the same characteristic: those are not live.
final class LiveOnlyDecoder: LiveDecoder {
  private let decoder: any LiveDecoder
  private let gate: RecordGate
  private let records: Set<BluetoothUUID>

  init(_ decoder: any LiveDecoder, _ gate: RecordGate, _ records: Set<BluetoothUUID>) {
    (self.decoder, self.gate, self.records) = (decoder, gate, records)
  }

  func begin(_ database: GATTDatabase) { decoder.begin(database) }
  func begin(_ database: GATTDatabase, of known: KnownWearable) { decoder.begin(database, of: known) }

  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    if gate.isClosed, records.contains(source.characteristic) { return }
    try decoder.decode(source, value, into: sink)
  }

  var announced: WearableCapabilities? { decoder.announced }

  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? { decoder.fact(source, value) }
}
