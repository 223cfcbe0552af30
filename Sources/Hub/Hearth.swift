// The hub: its components, which of them know which, and their connection to radio and store.

public import Bluetooth
public import EventLoop
import Health
public import Lights
public import Logging
public import Reasons
public import RingStore
public import Wearable

/// A hub. Lives on the loop thread; holds one radio, one store and one set of LEDs.
///
/// Promises:
/// - A wearable that is not enrolled is never connected, except for a short try in enrolment mode `all`.
/// - At most one wearable holds the lane.
/// - Every decoded live value is passed to the store exactly once.
/// - Trouble with one wearable never affects another.
@LoopActor
public final class Hearth {
  let context: HubContext
  let registry: Registry
  let live: LiveValues
  let presence: PresenceMonitor
  let absence: AbsenceWatch
  let bondKeeper: Bonds
  let lane: Lane
  let pairing: Pairing
  let wearerKeeper: WearerKeeper
  let enrolment: EnrolmentKeeper
  let status: HubStatus
  let visits: Visits
  let events: EventKeeper
  let vitals: VitalsKeepers
  let pauses: PauseKeeper
  let visitOrders: VisitOrders
  let profiles: Profiles
  private let links: LinkKeeper

  /// - Parameter drivers: the families that the hub supports, in any order.
  public init(
    _ options: HearthOptions, loop: any Loop, radio: any Radio, store: Store, lights: LightDriver?, logger: Logger,
    drivers: [any WearableDriver]
  ) {
    context = HubContext(options, loop: loop, radio: radio, store: store, logger: logger, drivers: drivers)
    registry = Registry(context)
    events = EventKeeper(context, registry)
    let (alerts, trainings) = (AlertKeeper(context, registry), TrainingKeeper(context, registry))
    live = LiveValues(context, registry)
    presence = PresenceMonitor(context, registry, live)
    absence = AbsenceWatch(context, registry, presence)
    let bonds = Bonds(context, registry, presence)
    bondKeeper = bonds
    links = LinkKeeper(context: context, registry: registry, presence: presence)
    let planner = LanePlanner(context: context, registry: registry, presence: presence)
    lane = Lane(context, registry, planner, live, bonds, SlotKeeper(context, registry, links))
    pauses = PauseKeeper(context, registry, lane, links)
    pairing = Pairing(context, registry, presence, bonds)
    let wearers = WearerKeeper(context, registry)
    wearerKeeper = wearers
    let sessions = SessionKeeper(context, registry, presence, lane, wearers)
    let orders = VisitOrders(context, registry)
    visitOrders = orders
    let questions = WearableQuestions(
      context: context, registry: registry, presence: presence, lane: lane, requests: orders.requests)
    vitals = VitalsKeepers(
      alerts: alerts, sessions: sessions, trainings: trainings,
      schedules: ScheduleKeeper(context, registry, presence, .of(sessions)),
      measurements: MeasurementKeeper(context, registry, questions))
    profiles = Profiles(context, registry, lane)
    let outcomes = VisitOutcomes(context: context, registry: registry, lane: lane, bonds: bonds, orders: orders)
    let opener = LinkOpener(context, registry, presence, live, pairing, wearers, links, outcomes)
    visits = Visits(context, registry, lane, links, opener, outcomes)
    enrolment = EnrolmentKeeper(context, registry, presence, bonds, pairing, lane, links)
    status = HubStatus(context, registry, presence, absence, lane, pairing, enrolment, lights)
    connect(wearers)
    for record in store.wearables { registry.admit(record) }
    outcomes.remember()
    if let trouble = store.secretsTrouble {
      status.note(trouble)
      let (code, effect) = (trouble.reason.code, trouble.reason.text.effect)
      logger.error("\(trouble)", metadata: ["CODE": "\(code)", "EFFECT": "\(effect)"])
    }
  }

  /// Begins to serve: starts the radio; events of the radio drive the rest.
  public func start() {
    let radio = context.radio
    let store = context.store
    store.onCommit = { [weak self] _ in self?.status.committed() }
    store.onTrouble = { [weak self] trouble in self?.storeChanged(trouble) }
    radio.onAdvertisement = { [weak presence] advertisement in presence?.hear(advertisement) }
    radio.onStateChange = { [weak self] state in self?.radioChanged(state) }
    radio.onRung = { [weak context] rung in context?.changes.happened(.rung(rung)) }
    radio.slotsKept = { [weak lane] in lane?.slotsKept(from: $0) ?? [] }
    radio.onParameters = { [weak registry, weak profiles] address, now in
      if let wearable = registry?[address] { profiles?[wearable]?.changed(now) }
    }
    radio.onKeys = { [weak bondKeeper] in bondKeeper?.keysCame(on: $0, $1) ?? .refused(.keyNotGiven) }
    radio.onPairingFailed = { [weak pairing] address, error in pairing?.failed(address, error) }
    bondKeeper.loadKeys()
    wearerKeeper.review()
    context.phase = .serving
    syncs.resume()
    events.start()
    vitals.trainings.start()
    context.changes.raise(.shown)
    context.changes.settle()
    radio.start(owning: Set(registry.all.map(\.address)))
    absence.start()
    collection.reviewAll()
    pauses.start()
    vitals.schedules.start()
    status.start()
    let mode = context.options.enrolmentMode.rawValue
    context.logger.info("serving", metadata: ["enrolled": "\(registry.all.count)", "enrolment": "\(mode)"])
  }

  /// Ends all links and stores what is pending. The store stays open for its owner to close.
  public func stop() async {
    if context.phase == .stopping { return }
    context.phase = .stopping
    events.stop()
    vitals.schedules.stop()
    context.changes.raise(.shown)
    context.changes.settle()
    await pauses.stop()
    await vitals.sessions.endAll()
    await vitals.endAll(registry.all)
    await lane.stop()
    enrolment.stop()
    wearerKeeper.stop()
    vitals.trainings.stop()
    await links.closeSessions()
    links.close { visitOrders.requests[$0].refuse(HearthError(.visitBusy, "the hub is stopping")) }
    await visits.stop()
    await absence.stop()
    await context.radio.shutDown()
    await registry.settle()
    do { try await context.store.flush() } catch { context.logger.error("\(error)") }
    status.stop()
  }

  /// Takes settings that can change while serving: name, enrolment and times. Links and the enrolment window stay as
  /// they are.
  public func apply(_ options: HearthOptions) {
    context.options = options
    for wearable in registry.all { wearable.live.budget.share = options.shareOfDay }
    collection.reviewAll()
    context.changes.raise(.lane)
    enrolment.optionsChanged()
  }

  /// Starts the recovery of the radio.
  ///
  /// - Throws: `requestNotDone` if the hub does not serve.
  public func recoverRadio() throws(HearthError) {
    guard context.phase == .serving else {
      throw HearthError(.requestNotDone, "the hub is \(context.phase.rawValue)")
    }
    context.radio.recover()
  }

  /// Notes that the radio has its adapter again, which another program had since then.
  public func radioTakenOver(since: Instant, by program: String) {
    context.changes.happened(.takenOver(since: since, program: program))
  }

  private func storeChanged(_ trouble: HearthError?) {
    status.storeChanged(trouble)
    context.changes.happened(.store(trouble))
  }

  private func radioChanged(_ state: RadioState) {
    switch state {
    case .ready:
      context.logger.info("radio ready", metadata: ["adapter": "\(context.radio.facts.adapter)"])
      context.changes.happened(.radio(nil))
      lane.radioReturned()
    case .starting: break
    case .down(let reason):
      context.changes.happened(.radio(reason))
      context.logger.warning("\(reason.code) radio: \(reason.text.sentence)", metadata: ["CODE": "\(reason.code)"])
    }
    context.changes.raise(.shown)
    context.changes.raise(.lane)
  }
}
