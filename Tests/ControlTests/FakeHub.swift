import Bluetooth
import CivilTime
import Control
import Export
import Foundation
import Health
import Hub
import HubProtocol
import Lights
import Reasons
import Vitals
import Wearable
import WrittenWords

@testable import EventLoop
@testable import RingStore

/// A hub made of a few values.
@LoopActor
final class FakeHub: HubService, StoreService {
  nonisolated static let now = VirtualLoop.morning
  var listeners: [Int: @LoopActor (LiveValue) -> Void] = [:]
  var subscribers: [Int: @LoopActor () -> Void] = [:]
  /// What a test makes of the wearables of this hub.
  var change: (inout [WearableSnapshot]) -> Void = { _ in }
  var locating = false
  var openFor: Duration??
  var forgotten: [String] = []
  var forgettingLeaves: HearthError?
  var pagesRead = 0
  var samples: [StoredSample] = []
  let records: [WearableRecord] = [
    WearableRecord(
      id: WearableID(number: 1), addressValue: 0xF0F1_F2F3_F400, addressKind: 2, name: "strap-01", driver: "heart-rate",
      kind: "HR strap", enrolledAt: now),
    WearableRecord(
      id: WearableID(number: 2), addressValue: 0xF0F1_F2F3_F401, addressKind: 2, name: "strap-02", driver: "heart-rate",
      kind: "HR strap", enrolledAt: now),
  ]

  nonisolated static func address(_ last: UInt64) -> BluetoothAddress {
    BluetoothAddress(value: 0xF0F1_F2F3_F400 + last, kind: .leRandom)
  }

  func snapshot() -> HubSnapshot {
    let facts = RadioFacts(
      adapter: "hci0", bus: "USB", links: 1, slots: 7, isScanning: true, counters: [("adverts", 12)])
    var snapshot = HubSnapshot(
      name: "gym-north", phase: .serving, startedAt: Self.now, uptime: .seconds(90), radioState: .ready, radio: facts)
    snapshot.enrolled = 2
    snapshot.present = 1
    snapshot.live = 1
    snapshot.laneQueue = ["strap-02"]
    snapshot.attention = [
      Attention(wearable: "strap-02", trouble: HearthError(.keyMissing, "strap-02 no longer knows our key"))
    ]
    snapshot.loop = LoopStatistics()
    snapshot.visit = runningVisit
    snapshot.queue = queue
    snapshot.radio.care.slotSource = .learned
    snapshot.radio.care.rung = "scan restart"
    snapshot.radio.care.rungs = [("scan restart", 2), ("power", 0)]
    return snapshot
  }

  func wearables() -> [WearableSnapshot] {
    var one = WearableSnapshot(
      name: "strap-01", address: Self.address(0), kind: "HR strap", state: .live, isEnrolled: true)
    one.rssi = -58
    one.battery = 81
    one.heartRate = (72, Self.now)
    one.lastSeen = Self.now
    one.counters = [("samples", 60)]
    one.visit = runningVisit
    one.lastVisit = visits.first { !$0.isRunning }
    one.queued = queue.first
    one.requestedProfile = .idle
    one.effectiveProfile = .background
    one.memoryFree = 2_300_000
    one.memoryTotal = 16_000_000
    if runningVisit?.isRunning == true { one.state = .visiting }
    var two = WearableSnapshot(
      name: "strap-02", address: Self.address(1), kind: "HR strap", state: .attention, isEnrolled: true)
    two.trouble = HearthError(.keyMissing, "strap-02 no longer knows our key")
    var all = [one, two]
    change(&all)
    return all
  }

  func subscribeChanges(_ handler: @escaping @LoopActor () -> Void) -> Int {
    subscribers[subscribers.count + 1] = handler
    return subscribers.count
  }

  func unsubscribeChanges(_ token: Int) { subscribers[token] = nil }

  /// As a hub says that something changed.
  func noteChange() { for subscriber in subscribers.values { subscriber() } }

  func wearable(named which: String) throws(HearthError) -> WearableSnapshot {
    wearablesAsked += 1
    guard let found = wearables().first(where: { $0.name == which }) else {
      throw HearthError(.noSuchWearable, "no wearable is called '\(which)'")
    }
    return found
  }

  func enrolmentSnapshot() -> EnrolmentSnapshot {
    let candidate = EnrolmentSnapshot.Candidate(
      letter: "A", name: "Strap 9", address: Self.address(9), kind: "HR strap", rssi: -41, isNear: true,
      proposedName: "strap-03")
    return EnrolmentSnapshot(mode: .window, openUntil: Self.now, secondsLeft: 5, nearRSSI: -55, candidates: [candidate])
  }

  func openEnrolment(for duration: Duration?) throws(HearthError) -> EnrolmentSnapshot {
    openFor = duration
    return enrolmentSnapshot()
  }

  func closeEnrolment() { openFor = nil }

  func accept(_ which: String, name: String?) async throws(HearthError) -> WearableSnapshot {
    await Task.yield()
    if which != "A" { throw HearthError(.enrolNotHeard, "no candidate '\(which)' is heard") }
    return WearableSnapshot(
      name: name ?? "strap-03", address: Self.address(9), kind: "HR strap", state: .due, isEnrolled: true)
  }

  func rename(_ which: String, to name: String) async throws(HearthError) -> WearableSnapshot {
    var found = try wearable(named: which)
    found.name = name
    return found
  }

  func forget(_ which: String) async throws(HearthError) -> HearthError? {
    _ = try wearable(named: which)
    forgotten.append(which)
    return forgettingLeaves
  }

  /// What it tells of a measurement, one value after the other, and how that ends.
  var measured: [Int64] = []
  var measurementEnds: MeasurementResult?
  private(set) var measurementOrders: [MeasurementOrder] = []
  private(set) var measurementsStopped = 0
  var isMeasuring = false

  func measure(
    _ which: String, _ order: MeasurementOrder, isWanted: @escaping @LoopActor () -> Bool,
    _ tell: @escaping @LoopActor (MeasurementNews) -> Void
  ) async throws(HearthError) -> MeasurementResult {
    let found = try wearable(named: which)
    if order.series == .stress {
      throw HearthError(.requestUnsupported, "\(which) does not measure stress by order now; it measures heart_rate")
    }
    measurementOrders.append(order)
    isMeasuring = true
    defer { isMeasuring = false }
    tell(.begun(wearable: found.name))
    for value in measured {
      let sample = StoredSample.live(
        WearableID(number: 1), order.series, [value], [], flags: SampleFlags(origin: .live, isManual: true),
        at: Self.now, monotonic: Instant(nanoseconds: 0), bootID: nil, clockTrusted: true)
      tell(.value(LiveValue(wearable: found.name, address: found.address, sample: sample)))
    }
    if let measurementEnds { return measurementEnds }
    let stopped = measurementsStopped
    while isWanted(), measurementsStopped == stopped { await Task.yield() }
    return MeasurementResult(wearable: found.name, series: order.series, end: .stopped, values: measured.count)
  }

  func stopMeasuring(_ which: String) throws(HearthError) {
    _ = try wearable(named: which)
    if isMeasuring { measurementsStopped += 1 }
  }

  /// News of a measurement of vital signs, one after the other, and its end. nil: it ends when it is stopped or no
  /// longer wanted.
  var vitals: [VitalsNews] = []
  var vitalsEnd: VitalsResult?
  private(set) var vitalsOrders: [VitalsOrder] = []
  private(set) var vitalsStarted: [Int] = []
  private(set) var vitalsStopped = 0
  /// Measurements of clients that went away.
  private(set) var vitalsUnwanted = 0
  /// Repeats the last of them until it is no longer wanted.
  var repeatsVitals = false
  var isMeasuringVitals = false

  func measureVitals(
    _ which: String, _ order: VitalsOrder, isWanted: @escaping @LoopActor () -> Bool,
    _ tell: @escaping @LoopActor (VitalsNews) -> Void
  ) async throws(HearthError) -> VitalsResult {
    let found = try wearable(named: which)
    if order.person == "Bob" { throw HearthError(.noSuchWearer, "no wearer is called 'Bob'") }
    if found.name == "strap-02" {
      throw HearthError(
        .requestUnsupported, "strap-02 sends no beats by itself; hearth measure strap-02 heart_rate lets it measure")
    }
    if isMeasuringVitals { throw HearthError(.requestUntimely, "\(which) is measured already") }
    vitalsOrders.append(order)
    isMeasuringVitals = true
    defer { isMeasuringVitals = false }
    for news in vitals { tell(news) }
    if let vitalsEnd { return vitalsEnd }
    let stopped = vitalsStopped
    while isWanted(), vitalsStopped == stopped {
      if repeatsVitals, let last = vitals.last { for _ in 0..<100 { tell(last) } }
      await Task.yield()
    }
    if vitalsStopped == stopped { vitalsUnwanted += 1 }
    return VitalsResult(
      session: VitalsSession(id: 7, wearable: found.name, person: nil, sensor: .electrical, seconds: order.seconds),
      trouble: HearthError(.requestNotDone, "\(which): ended before it measured"))
  }

  func stopVitals(_ which: String) throws(HearthError) {
    _ = try wearable(named: which)
    if !isMeasuringVitals { throw HearthError(.requestUntimely, "\(which) is not measured") }
    vitalsStopped += 1
  }

  func startVitals(_ which: String, seconds: Int) throws(HearthError) {
    _ = try wearable(named: which)
    if !isMeasuringVitals { throw HearthError(.requestUntimely, "\(which) has no session that is ready") }
    vitalsStarted.append(seconds)
  }

  func terminateVitals(_ which: String) throws(HearthError) {
    _ = try wearable(named: which)
    vitalsStopped += 1
  }

  func setListening(_ which: String, _ choice: Bool?) async throws(HearthError) -> WearableSnapshot {
    var found = try wearable(named: which)
    (found.listens, found.listeningChoice) = (choice ?? true, choice)
    return found
  }

  func pause(_ which: String, until: WallTime?) async throws(HearthError) -> WearableSnapshot {
    var found = try wearable(named: which)
    (found.state, found.pause) = (.paused, PauseSnapshot(since: Self.now, until: until))
    return found
  }
  func resume(_ which: String) async throws(HearthError) -> WearableSnapshot { try wearable(named: which) }
  func mutes() -> [MuteSnapshot] { muted }
  func mute(_ reason: Reason, of which: String?, until: WallTime?) async throws(HearthError) -> [MuteSnapshot] {
    muted.append(MuteSnapshot(reason, of: which, since: Self.now, until: until))
    return muted
  }
  func unmute(_ reason: Reason, of which: String?) async throws(HearthError) -> [MuteSnapshot] {
    muted.removeAll { $0.reason == reason && $0.wearable == which }
    return muted
  }

  func setAbsence(_ which: String, _ choice: Duration?) async throws(HearthError) -> WearableSnapshot {
    var found = try wearable(named: which)
    found.absenceChoice = choice
    found.absentAfter = choice.map { $0 == .zero ? nil : $0 } ?? .seconds(25 * 3600)
    return found
  }

  func setErasing(_ which: String, _ choice: EraseChoice?) async throws(HearthError) -> WearableSnapshot {
    erasing = choice
    var found = try wearable(named: which)
    (found.erasing, found.eraseChoice) = (choice ?? .yes, choice)
    return found
  }

  func subscribeLive(_ which: String?, _ handler: @escaping @LoopActor (LiveValue) -> Void) throws(HearthError) -> Int {
    if let which { _ = try wearable(named: which) }
    listeners[listeners.count + 1] = handler
    return listeners.count
  }

  func unsubscribeLive(_ token: Int) { listeners[token] = nil }

  func say(_ bpm: Int64) {
    say(Self.sample(1, .heartRate, bpm))
  }

  func say(_ sample: StoredSample) {
    let value = LiveValue(wearable: "strap-01", address: Self.address(0), sample: sample)
    for listener in listeners.values { listener(value) }
  }

  // MARK: Bonds

  var keys: [Bond] = []
  var imported: [(name: String, kind: String, driver: String, bond: Bond)] = []

  func bonds() -> [BondSnapshot] {
    keys.map { bond in
      var snapshot = BondSnapshot(
        wearable: records.first { $0.id == bond.wearable }?.name ?? "?", address: Self.address(0),
        createdAt: bond.createdAt)
      snapshot.isAuthenticated = bond.isAuthenticated
      snapshot.isLost = true
      return snapshot
    }
  }

  func bondKeys() throws(HearthError) -> [Bond] { keys }
  var backups: [Result<WallTime, HearthError>] = []
  func beginBackup(samples: Bool) async throws(HearthError) -> BackupSession {
    throw HearthError(.storeFailing, "a hub of values has no store")
  }
  func noteBackup(_ outcome: Result<WallTime, HearthError>) async throws(HearthError) { backups.append(outcome) }

  func importBonds(_ bonds: [(name: String, kind: String, driver: String, bond: Bond)]) async throws(HearthError) -> Int
  {
    imported += bonds
    return bonds.count
  }

  func removeBond(_ which: String) async throws(HearthError) {
    if which != "strap-01" { throw HearthError(.noSuchBond, "no wearable or address '\(which)' has a bond") }
    keys = []
  }

  // MARK: The lane

  /// Of strap-01, the newest first.
  var visits: [VisitSnapshot] = []
  var queue: [QueueSnapshot] = []
  var syncs: [SyncSnapshot] = []
  var syncRequests: [SyncRequest] = []
  var items: [CustodySnapshot] = []
  var pairingsWaiting: [PairingSnapshot] = []
  var profile: LinkProfile?
  var isByCentral = false
  var erasing: EraseChoice?
  var answers: [PairingAnswer] = []
  var watched: [String] = []
  var wearablesAsked = 0
  var recoveries = 0
  var radioRefuses: HearthError?

  var runningVisit: VisitSnapshot? { visits.first { $0.isRunning } }

  nonisolated static func visit(_ number: UInt64, _ change: (inout VisitSnapshot) -> Void = { _ in }) -> VisitSnapshot {
    var visit = VisitSnapshot(number: number, wearable: "strap-01", trigger: .seen, began: now)
    visit.stage = .fetch
    visit.item = "20261120/ACC.REC"
    (visit.itemFetched, visit.itemSize) = (735_000, 1_204_992)
    visit.slice = .seconds(45)
    change(&visit)
    return visit
  }

  func visits(_ limit: Int, of which: String?) throws(HearthError) -> [VisitSnapshot] {
    if let which { _ = try wearable(named: which) }
    return Array(visits.filter { which == nil || $0.wearable == which }.prefix(limit))
  }

  func laneQueue() -> [QueueSnapshot] { queue }

  func laneReasons() -> [QueueSnapshot] { queue }

  func slotPlan() -> SlotPlan {
    SlotPlan(
      slots: 1, wanting: 2, missing: 7,
      places: [
        .init("strap-1", SlotShare(.turns, turn: .seconds(45), gap: .seconds(50)), isPresent: true, advertises: true),
        .init("band-07", SlotShare(.visits), isPresent: false, advertises: false),
      ])
  }

  func visitNow(_ which: String) throws(HearthError) -> QueueSnapshot {
    let queued = QueueSnapshot(
      wearable: try wearable(named: which).name, why: "requested by an operator", notBefore: nil,
      trigger: .operatorAsked)
    queue.insert(queued, at: 0)
    return queued
  }

  func orderSync(_ which: String, _ request: SyncRequest) throws(HearthError) -> SyncSnapshot {
    let name = try wearable(named: which).name
    if let last = syncs.last, !last.isOver { throw HearthError(.syncRunning, "\(name) is synced already") }
    syncRequests.append(request)
    let sync = SyncSnapshot(
      number: UInt64(syncs.count) + 1, wearable: name, request: request, ordered: Self.now,
      domains: [SyncedDomain("sleep", [.sleep, .sleepStage]), SyncedDomain("recordings", [.acc])])
    syncs.append(sync)
    return sync
  }

  func sync(of which: String) throws(HearthError) -> SyncSnapshot? {
    _ = try wearable(named: which)
    return syncs.last
  }

  func custody(of which: String, lastVisitOnly: Bool) throws(HearthError) -> (
    visit: VisitSnapshot?, items: [CustodySnapshot]
  ) {
    _ = try wearable(named: which)
    return (visits.first, lastVisitOnly ? items.filter { $0.visit == visits.first?.number } : items)
  }

  func link(of which: String) throws(HearthError) -> LinkSnapshot {
    var link = LinkSnapshot(
      wearable: try wearable(named: which).name, requestedProfile: profile ?? .idle,
      why: profile == nil ? "no request for 5 min" : "requested by an operator")
    link.isLinked = true
    link.override = profile
    link.isByCentral = isByCentral
    link.effectiveProfile = .background
    link.effective = EffectiveParameters(
      interval: 78, latency: 4, timeout: 600, source: .observed, since: Instant(nanoseconds: 0))
    link.reportedProfile = 1
    link.characteristic = "refused idle (ATT 0x0E)"
    link.mtu = 121
    return link
  }

  func setLink(_ which: String, profile: LinkProfile?, byCentral: Bool) async throws(HearthError) -> LinkSnapshot {
    isByCentral = byCentral
    await Task.yield()
    self.profile = profile
    return try link(of: which)
  }

  func clocks() throws(HearthError) -> [ClockSnapshot] {
    var one = ClockSnapshot(wearable: "strap-01")
    (one.offset, one.readAt, one.setAt, one.wasTrusted, one.driftPPM) = (-1_250_000, Self.now, Self.now, true, 12.5)
    var two = ClockSnapshot(wearable: "strap-02")
    two.driftPPM = .nan
    two.doubt = "never asked"
    return [one, two]
  }

  func pairings() -> [PairingSnapshot] { pairingsWaiting }

  func answerPairing(_ which: String, _ answer: PairingAnswer) throws(HearthError) {
    _ = try wearable(named: which)
    answers.append(answer)
  }

  func actions(of which: String) async throws(HearthError) -> (actions: [WearableAction], reports: [String]) {
    _ = try wearable(named: which)
    return ([WearableAction("start-activity", usage: "[NAME]", "Begins to record.")], ["settings"])
  }

  func perform(_ action: String, _ arguments: [String], on which: String) async throws(HearthError) -> String {
    await Task.yield()
    guard try await actions(of: which).actions.contains(where: { $0.name == action }) else {
      throw HearthError(.controlBadParameter, "no action '\(action)'")
    }
    return (["recording since now"] + arguments).joined(separator: " ")
  }

  func report(_ topic: String, of which: String) async throws(HearthError) -> [ReportRow] {
    _ = try wearable(named: which)
    if topic != "settings" { throw HearthError(.requestUnsupported, "\(which): it does not report '\(topic)'") }
    return [ReportRow("clock", [ReportRow.Field("off_by_s", "0.1"), ReportRow.Field("zone_minutes", "60")])]
  }

  // MARK: Orders and wearers

  var ordered = WearableOrders()
  var bodies: [BodyFacts] = []
  var houseID: String?
  var assigned: [(wearer: String?, from: WallTime?)] = []

  func orders(of which: String) throws(HearthError) -> OrdersSnapshot {
    let lamp = WearableSwitch("lamp", "Its lamp.")
    return OrdersSnapshot(
      wearable: try wearable(named: which).name, streams: Series.all.filter { ordered.streams.contains($0) },
      rates: Series.all.compactMap { series in ordered.rates[series].map { (series, $0) } },
      rateChoices: [
        (.ecg, [WearableRate(130)]), (.acc, [WearableRate(50), WearableRate(200, silencesHeartRate: true)]),
      ], hasSecret: ordered.secret != nil,
      switches: [(lamp, ordered.switchedOff.contains("lamp"))],
      settings: Self.settings.map { SettingOrder($0, value: ordered.settings[$0.name]) }, wearer: nil)
  }

  func orderStreams(_ which: String, _ streams: Set<Series>) async throws(HearthError) -> OrdersSnapshot {
    // The wearable has no gyroscope.
    let refused = HearthError(.requestUnsupported, "\(which): its kind sends no gyro live")
    if streams == [.gyro] { throw refused }
    ordered.streams = streams.subtracting([.gyro])
    var snapshot = try orders(of: which)
    if streams.contains(.gyro) { snapshot.skipped = [SkippedOrder(.gyro, refused)] }
    return snapshot
  }

  func orderRates(_ which: String, _ rates: [Series: Int]) async throws(HearthError) -> OrdersSnapshot {
    ordered.rates = rates
    return try orders(of: which)
  }

  func orderSwitchedOff(_ which: String, _ names: Set<String>) async throws(HearthError) -> OrdersSnapshot {
    if names != ["lamp"], !names.isEmpty { throw HearthError(.requestUnsupported, "\(which): it has no such switch") }
    ordered.switchedOff = names
    return try orders(of: which)
  }

  static let settings = [
    WearableSetting("worn", .words(["chest", "left-wrist"]), "Where it is worn."),
    WearableSetting("patience", .number(0...90, unit: "s"), "How long it waits."),
  ]

  func orderSettings(_ which: String, _ changes: [String: String?]) async throws(HearthError) -> OrdersSnapshot {
    for (name, value) in changes {
      guard let setting = Self.settings.first(where: { $0.name == name }), value.map(setting.takes) ?? true else {
        throw HearthError(.requestUnsupported, "\(which): it has no such setting")
      }
      ordered.settings[name] = value
    }
    return try orders(of: which)
  }

  var scheduled: MeasurementSchedule?
  var muted: [MuteSnapshot] = []
  var collected: (phases: PhaseChoice?, visitAt: [Int]?)
  func schedule(of which: String) throws(HearthError) -> ScheduleSnapshot {
    _ = try wearable(named: which)
    return ScheduleSnapshot(
      wearable: which, schedule: scheduled, next: scheduled?.next(after: Self.now, in: .utc),
      skipped: (Self.now, "it was away"))
  }
  func orderSchedule(_ which: String, _ schedule: MeasurementSchedule?) async throws(HearthError) -> ScheduleSnapshot {
    scheduled = schedule
    return try self.schedule(of: which)
  }

  func collection(of which: String) throws(HearthError) -> CollectionSnapshot {
    let name = try wearable(named: which).name
    let phases = ["sleep", "steps"]
    var leftOut: [String] = []
    if case .only(let names)? = collected.phases { leftOut = phases.filter { !names.contains($0) } }
    return CollectionSnapshot(
      wearable: name, phases: phases, leftOut: leftOut, phaseChoice: collected.phases,
      visitAt: collected.visitAt ?? [720], hasOwnTimes: collected.visitAt != nil)
  }
  func orderPhases(_ which: String, _ words: [String]?) async throws(HearthError) -> CollectionSnapshot {
    collected.phases = words.map { $0.isEmpty ? .all : .only(Set($0)) }
    return try collection(of: which)
  }
  func orderVisitTimes(_ which: String, _ minutes: [Int]?) async throws(HearthError) -> CollectionSnapshot {
    collected.visitAt = minutes
    return try collection(of: which)
  }

  func orderSecret(_ which: String, _ secret: [UInt8]?) async throws(HearthError) -> OrdersSnapshot {
    ordered.secret = secret
    return try orders(of: which)
  }

  private func wearer(_ which: String) throws(HearthError) -> WearerSnapshot {
    guard which == "Ada", var wearer = people.wearers.first else {
      throw HearthError(.noSuchWearer, "no wearer is called '\(which)'")
    }
    wearer.body = bodies.last ?? BodyFacts()
    wearer.houseID = houseID
    return WearerSnapshot(wearer: wearer, wears: ["strap-02"])
  }

  func wearers() -> [WearerSnapshot] {
    people.wearers.map { wearer in
      var wearer = wearer
      if wearer.name == "Ada" { wearer.houseID = houseID }
      return WearerSnapshot(wearer: wearer, wears: ["strap-02"])
    }
  }
  func addWearer(_ name: String) async throws(HearthError) -> WearerSnapshot { try wearer(name) }
  func renameWearer(_ which: String, to name: String) async throws(HearthError) -> WearerSnapshot {
    var found = try wearer(which)
    found.wearer.name = name
    return found
  }
  func retireWearer(_ which: String) async throws(HearthError) -> WearerSnapshot {
    var found = try wearer(which)
    found.wearer.retiredAt = Self.now
    return found
  }
  func setHouseID(_ which: String, _ houseID: String?) async throws(HearthError) -> WearerSnapshot {
    self.houseID = houseID
    return try wearer(which)
  }
  func setBody(_ which: String, _ change: (inout BodyFacts) -> Void) async throws(HearthError) -> WearerSnapshot {
    var body = bodies.last ?? BodyFacts()
    change(&body)
    bodies.append(body)
    return try wearer(which)
  }
  func assignments(of which: String) throws(HearthError) -> [AssignmentSnapshot] {
    _ = try wearable(named: which)
    return assigned.map { AssignmentSnapshot(from: $0.from ?? Self.now, wearer: $0.wearer, enteredAt: Self.now) }
  }
  func assign(_ which: String, to wearer: String?, from time: WallTime?) async throws(HearthError)
    -> [AssignmentSnapshot]
  {
    if let wearer { _ = try self.wearer(wearer) }
    assigned.append((wearer, time))
    return try assignments(of: which)
  }
  var wishes: [AssignmentCorrection] = []
  func correctAssignment(_ which: String, begin: WallTime, _ wish: AssignmentCorrection, isDry: Bool)
    async throws(HearthError) -> CorrectionPlan
  {
    _ = try wearable(named: which)
    if let wearer = wish.wearer { _ = try self.wearer(wearer) }
    if !isDry { wishes.append(wish) }
    let part = CorrectionPlan.Part(from: begin, to: Self.now, old: WearerID(number: 1), new: nil, samples: 12)
    return CorrectionPlan(wearable: WearableID(number: 1), parts: [part], readers: ["ward"])
  }
  var corrections = ReaderCorrections()

  func recoverRadio() throws(HearthError) {
    if let radioRefuses { throw radioRefuses }
    recoveries += 1
  }

  func watch(_ which: String, for duration: Duration) { watched.append(which) }

  // MARK: The store's figures

  func storeStatus() -> StoreStatus { StoreStatus(path: "/var/lib/hearth", sizeBytes: 1_500_000_000) }
  func wearableRecords() -> [WearableRecord] { records }

  // MARK: The store

  /// By cursor: how many of `samples` its reader has confirmed.
  var confirmed: [String: Int] = [:]
  var confirmedBy: String?
  var identity: StoreIdentity?
  /// Thrown once.
  var exportFails: HearthError?
  var purged: [UInt64] = []
  var storeTasks = 0
  var report = VerifyReport()
  var events: [StoreEvent] = []
  var accessNotes: [AccessNote] = []
  func noteAccess(_ note: AccessNote) { accessNotes.append(note) }
  func accesses(_ limit: Int) throws(HearthError) -> [AccessRecord] {
    let all = accessNotes.enumerated().map { index, note in
      AccessRecord(number: UInt64(index + 1), note: note, first: Self.now, last: Self.now + .seconds(Int64(index)))
    }
    return Array(all.reversed().prefix(limit))
  }
  var erased: [UInt64] = []
  func wearerNumber(of which: String) throws(HearthError) -> WearerID { try wearer(which).wearer.id }
  func measurements(naming id: WearerID) async throws(HearthError) -> [WornSpan] { [] }
  func erasurePlan(of id: WearerID, naming spans: [WornSpan]) async throws(HearthError) -> ErasurePlan {
    var plan = ErasurePlan(wearer: try wearer("Ada").wearer, spans: spans)
    let ring = RingID(wearable: WearableID(number: 2), seriesNumber: Series.heartRate.id, way: .live)
    plan.parts = [ErasurePlan.Part(ring: ring, samples: 12, unexported: 5, from: Self.now, to: Self.now)]
    return plan
  }
  func erase(_ plan: ErasurePlan) async throws(HearthError) -> UInt64 {
    erased.append(plan.samples)
    return plan.samples
  }
  var orderTexts: [(wearable: WearableID?, text: String)] = []
  func noteOrder(of wearable: WearableID?, _ text: String) { orderTexts.append((wearable, text)) }
  var people: People = {
    let wearer = Wearer(id: WearerID(number: 1), name: "Ada", createdAt: now)
    let assignment = Assignment(
      wearable: WearableID(number: 2), from: now + .milliseconds(3), wearer: wearer.id, enteredAt: now)
    return People(wearers: [wearer], assignments: [assignment])
  }()

  /// Samples that come one a millisecond, of both wearables in turn.
  func fill(_ count: Int) {
    samples = (0..<count).map { (index: Int) -> StoredSample in
      let series: Series = index % 3 == 0 ? .rrInterval : .heartRate
      return Self.sample(
        UInt32(1 + index % 2), series, Int64(60 + index % 100), at: Self.now + .milliseconds(Int64(index)),
        ordinal: UInt64(index))
    }
  }

  nonisolated static func sample(
    _ wearable: UInt32, _ series: Series, _ value: Int64, at time: WallTime = now, ordinal: UInt64 = 0,
    flags: SampleFlags = .live,
    values: [Int64] = [], bytes: [UInt8] = []
  ) -> StoredSample {
    StoredSample(
      wearable: WearableID(number: wearable), series: series, way: .live, ordinal: ordinal, time: time, flags: flags,
      value: value, values: values,
      bytes: bytes, monotonic: Instant(nanoseconds: Int64(ordinal)), bootID: BootID(high: 0, low: 1), clockTrusted: true
    )
  }

  /// A heart rate of now that was read 48 minutes earlier before.
  nonisolated static let retimedRow = StoredSample(
    wearable: WearableID(number: 1), series: .heartRate, way: .live, ordinal: 4, time: now, flags: .live, value: 61,
    values: [], bytes: [], monotonic: Instant(nanoseconds: 4), bootID: BootID(high: 0, low: 1), clockTrusted: false,
    shift: 2_880_000_000)

  private func fitting(_ query: SampleQuery) -> [StoredSample] {
    samples.filter { (sample: StoredSample) -> Bool in
      if let wearables = query.wearables, !wearables.contains(sample.wearable) { return false }
      if let series = query.series, !series.contains(sample.series) { return false }
      return query.wants(sample.time.microseconds, of: sample.wearable)
    }
  }

  func storeRings() -> [RingStatus] {
    let id = RingID(wearable: WearableID(number: 1), seriesNumber: Series.heartRate.id, way: .live)
    return [
      RingStatus(
        id: id, items: 100, chunks: 2, bytes: 8192,
        retention: Retention(quota: 1_000_000, keep: .seconds(86_400), whenFull: .refuse), oldest: Self.now,
        newest: Self.now, unexported: 7, evicted: 3, evictedUnexported: 1, evictedFrom: Self.now, evictedTo: Self.now,
        purged: 5, bytesPerDay: 90_000,
        refuses: true)
    ]
  }

  func storeIdentity() throws(HearthError) -> StoreIdentity? { identity }
  func makeStoreIdentity() async throws(HearthError) -> StoreIdentity {
    let made = StoreIdentity(value: 0xAB)
    identity = made
    return made
  }

  func storeReaders() throws(HearthError) -> [ExportReader] {
    [ExportReader(name: "ward", createdAt: Self.now, confirmedAt: Self.now, items: 93, by: "pi@10.0.0.5")]
  }

  func removeReader(_ name: String) async throws(HearthError) -> ExportReader? {
    try storeReaders().first { $0.name == name }
  }

  func sampleExport() -> SampleExport { SampleExport(.ndjson, wearables: records, people: people) }

  /// Rows that a reader is given once more.
  var retimed: [StoredSample] = []

  func export(_ query: SampleQuery, reader: String?, by: String) async throws(HearthError) -> any ExportPages {
    if let error = exportFails {
      exportFails = nil
      throw error
    }
    let start = reader.map { confirmed[$0] ?? 0 } ?? 0
    return FakePages(self, Array(fitting(query).dropFirst(start)), start, reader, by)
  }

  func newestSamples(_ count: Int, of wearable: WearableID, _ series: Series) async throws(HearthError)
    -> [StoredSample]
  {
    Array(fitting(SampleQuery(wearables: [wearable], series: [series])).suffix(count))
  }

  private func worn(_ sources: [ItemSource], _ query: SampleQuery) -> [StoredSample] {
    fitting(query).filter { sample in
      sources.contains { source in
        source.wearable == sample.wearable
          && (source.stretches?.contains { $0.contains(sample.time.microseconds) } ?? true)
      }
    }
  }

  func items(_ query: ItemQuery) async throws(HearthError) -> ItemPage {
    var page = ItemPage(after: query.after, limit: query.limit)
    let found = worn(query.sources, SampleQuery(series: [query.series], since: query.since, until: query.until))
    for sample in found where query.filter.wants(sample.flags) { page.add(MeasuredItem(sample)) }
    return page
  }

  func days(
    of sources: [ItemSource], _ series: Series, zone: TimeZoneRules, since: WallTime?, until: WallTime?
  ) async throws(HearthError) -> SeriesDays {
    var days = DayAccumulator(series, zone: zone)
    for sample in worn(sources, SampleQuery(series: [series], since: since, until: until)) {
      let item = MeasuredItem(sample)
      days.add(time: item.start, flags: item.flags.rawValue, length: item.length) { item.values[$0] }
    }
    return SeriesDays(days)
  }

  func sleep(of sources: [ItemSource], on date: LocalDate, zone: TimeZoneRules) async throws(HearthError) -> SleepDay? {
    var sleep = SleepDayAccumulator(date, zone: zone)
    for sample in worn(sources, SampleQuery(series: [.sleepStage])) {
      let item = MeasuredItem(sample)
      sleep.add(time: item.start, flags: item.flags.rawValue, length: item.length, stage: item.values[0])
    }
    return sleep.day
  }

  func coverage(of wearable: WearableID, _ series: Series, window: Range<Int64>) async throws(HearthError)
    -> SeriesCoverage
  {
    var live = CoverageAccumulator(window, least: 30_000_000)
    for sample in fitting(SampleQuery(wearables: [wearable], series: [series])) { live.add(sample.time.microseconds) }
    return SeriesCoverage(
      series: series, fetched: CoverageAccumulator(window, least: 30_000_000), live: live, damaged: 0)
  }
  func visitRecords(_ limit: Int) throws(HearthError) -> [VisitRecord] { [] }

  func dayLines(of wearable: WearableID, zone: TimeZoneRules, since: WallTime?, until: WallTime?)
    async throws(HearthError) -> [DayLine]
  {
    var lines = DayLineAccumulator(zone: zone, worn: [], since: since?.microseconds, until: until?.microseconds)
    for sample in fitting(SampleQuery(wearables: [wearable], series: DayLineAccumulator.series)) {
      let values = sample.values.isEmpty ? [sample.value] : sample.values
      lines.add(sample.series, time: sample.time.microseconds, flags: sample.flags.rawValue) { values[$0] }
    }
    return lines.days
  }

  func timeZone() -> TimeZoneRules { .utc }

  func verifyStore(_ progress: (Int) -> Void) async throws(HearthError) -> VerifyReport {
    for percent in [10, 20] { progress(percent) }
    return report
  }

  func purgePlan(_ query: SampleQuery) async throws(HearthError) -> PurgePlan {
    let found = fitting(query)
    guard let first = found.first, let last = found.last else { return PurgePlan(parts: []) }
    let ring = RingID(wearable: WearableID(number: 2), seriesNumber: Series.heartRate.id, way: .live)
    return PurgePlan(parts: [
      PurgePlan.Part(ring: ring, items: UInt64(found.count), unexported: 2, from: first.time, to: last.time, chunks: [])
    ])
  }

  func overwriteDeleted() async -> Int? { 0 }

  func purge(_ plan: PurgePlan) async throws(HearthError) -> UInt64 {
    purged.append(plan.items)
    return plan.items
  }

  func recentEvents(_ limit: Int, before: UInt64?) throws(HearthError) -> [StoreEvent] {
    Array(events.filter { event in before.map { event.number < $0 } ?? true }.prefix(limit))
  }
  func pendingEvents() -> [StoreEvent] { [] }
  func storeTaskBegan() { storeTasks += 1 }
  func storeTaskEnded() { storeTasks -= 1 }

  var alertOrders = AlertOrders()
  var raised: [RaisedAlert] = []
  var mutedAlerts: [AlertSnapshot] = []
  func alerts() -> [AlertsSnapshot] {
    let shown = raised.map { AlertSnapshot($0, of: "strap-01") }
    return [
      AlertsSnapshot(wearable: "strap-01", orders: alertOrders, isExercise: false, alerts: shown, muted: mutedAlerts)
    ]
  }
  func alerts(of which: String) throws(HearthError) -> AlertsSnapshot {
    _ = try wearable(named: which)
    return alerts()[0]
  }
  func orderAlerts(_ which: String, _ change: (inout AlertOrders) -> Void) async throws(HearthError) -> AlertsSnapshot {
    _ = try wearable(named: which)
    change(&alertOrders)
    return alerts()[0]
  }
  func acknowledgeAlerts(_ which: String) async throws(HearthError) -> AlertsSnapshot {
    _ = try wearable(named: which)
    raised = []
    return alerts()[0]
  }

  /// What is under way; nil: begun by the next order.
  var effort: TrainingResult?
  func beginTraining(_ which: String) async throws(HearthError) -> TrainingSnapshot {
    let name = try wearable(named: which).name
    if effort != nil { throw HearthError(.requestUntimely, "\(name): a training is under way already, by order") }
    beginEffort()
    return try training(of: name, isOver: false)
  }
  func beginEffort() {
    var detector = TrainingDetector(VitalPerson(sex: .male, age: 30, weight: 80), at: 0)
    _ = detector.begin(at: 0)
    for second in 0...60 { _ = detector.take(140, at: Int64(second) * 1_000_000) }
    effort = detector.running
  }
  func endTraining(_ which: String) async throws(HearthError) -> TrainingSnapshot {
    let ended = try training(of: try wearable(named: which).name, isOver: true)
    effort = nil
    return ended
  }
  private func training(of name: String, isOver: Bool) throws(HearthError) -> TrainingSnapshot {
    guard let effort else { throw HearthError(.requestUntimely, "\(name): no training is under way") }
    let began = WallTime(microseconds: 1_800_000_000_000_000)
    return TrainingSnapshot(
      wearable: name, began: began, ended: isOver ? began + .seconds(60) : nil, effort: effort)
  }

  var monitoringOrder = MonitoringOrder()
  var monitoringReads = 0
  /// What the wearable got and says: what it was told, but for this.
  var monitoringInterval: Int?
  func monitoring(of which: String) throws(HearthError) -> MonitoringSnapshot {
    _ = try wearable(named: which)
    let isOrdered = !monitoringOrder.isEmpty
    var got = monitoringOrder
    got.interval = monitoringInterval ?? got.interval
    let all = MonitoringParts.all.reduce(MonitoringParts()) { $0.union($1.part) }
    var one = MonitoredSeries(.heartRate, all, intervals: MonitoringIntervals(300...3600, step: 300))
    if isOrdered {
      (one.asked, one.got, one.says) = (monitoringOrder, got, got)
      one.progress = monitoringOrder.isMet(by: got) ? .taken : .refused
    }
    return MonitoringSnapshot(
      wearable: "strap-01", series: [one], since: FakeHub.now,
      trouble: one.progress == .refused ? HearthError(.monitoringNotTaken, "strap-01 does as it likes") : nil)
  }
  func readMonitoring(of which: String) async throws(HearthError) -> MonitoringSnapshot {
    monitoringReads += 1
    return try monitoring(of: which)
  }
  func orderMonitoring(_ which: String, _ series: Series, _ change: (inout MonitoringOrder) -> Void)
    async throws(HearthError) -> MonitoringSnapshot
  {
    if series != .heartRate { throw HearthError(.requestUnsupported, "strap-01: only heart_rate") }
    change(&monitoringOrder)
    return try monitoring(of: which)
  }

  func lightMeanings() -> [LightMeaning] {
    var state = LightState()
    state.phase = .serving
    state.links = 1
    return arbitrate(state, .gym)
  }

  func lightNight() -> NightState? { .cannotDim }
  func locate(_ on: Bool) { locating = on }
  func settings() -> [SettingDocument] { [SettingDocument(key: "hub.name", value: "gym-north", origin: "default")] }
}

/// Pages of an array.
@LoopActor
final class FakePages: ExportPages {
  var corrections: ReaderCorrections { reader == nil ? ReaderCorrections() : hub.corrections }
  private let hub: FakeHub
  private let samples: [StoredSample]
  private let start: Int
  private let reader: String?
  private let by: String
  private var given = 0

  init(_ hub: FakeHub, _ samples: [StoredSample], _ start: Int, _ reader: String?, _ by: String) {
    self.hub = hub
    self.samples = samples
    self.start = start
    self.reader = reader
    self.by = by
  }

  func next(limit: Int) async throws(HearthError) -> SamplePage? {
    hub.pagesRead += 1
    await Task.yield()
    var page = SamplePage()
    page.samples = Array(samples[given...].prefix(limit))
    given += page.samples.count
    page.isLast = given == samples.count
    if reader != nil { page.retimed = hub.retimed }
    return page
  }

  func confirm() async throws(HearthError) {
    guard let reader else { return }
    hub.confirmed[reader] = start + given
    hub.corrections = ReaderCorrections()
    hub.confirmedBy = by
  }
}
