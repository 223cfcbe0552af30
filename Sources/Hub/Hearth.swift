// The hub: who is near, who may be visited, who is live. Everything it needs of the world is handed to it.

public import Bluetooth
public import EventLoop
import Health
public import Lights
public import Logging
public import Reasons
public import RingStore
public import Wearable

/// One hub. Lives on the loop thread; holds one radio, one store and one set of lights.
///
/// Promises: a wearable that is not enrolled is never connected; at most one wearable holds the lane; every live value that was
/// decoded is handed to the store exactly once; trouble with one wearable never touches another.
@LoopActor
public final class Hearth {
  public private(set) var options: HearthOptions
  let loop: any Loop
  let radio: any Radio
  let store: Store
  let lights: LightDriver?
  let logger: Logger
  let drivers: [any WearableDriver]

  var phase = HubPhase.starting
  let startedAt: WallTime
  let startedInstant: Instant
  var presence = PresenceTable()
  var enrolment: Enrolment
  /// In the order of their registry numbers, so that iteration never depends on a hash seed.
  var tenants: [Tenant] = []
  var tenantByAddress: [BluetoothAddress: Tenant] = [:]
  var joining: Set<BluetoothAddress> = []
  var joiningNames: [BluetoothAddress: String] = [:]
  var laneHolder: Tenant?
  var laneTask: Task<Void, Never>?
  var laneTimer: LoopTimer?
  /// Number of the last visit that was begun.
  var lastVisit: UInt64 = 0
  /// Holds off storms of connect attempts.
  var hubBucket = Reconnection.hubBucket
  /// No visit begins before this: the controller was full a moment ago.
  var laneRestsUntil = Instant(nanoseconds: .min)
  /// When a link was last told to yield, until somebody had the slot.
  var slotVacatedAt: Instant?
  /// Nobody's turn: a wearable is being paired before it is enrolled.
  var laneIsLent = false
  var waitingPairings: [WaitingPairing] = []
  /// Who waits for keys before it enrols their owner.
  var awaitedKeys: [BluetoothAddress: @LoopActor (BondKeys) -> Void] = [:]
  /// Wearables that no longer know the hub's key.
  var lostBonds: Set<BluetoothAddress> = []
  /// Wearables that refused to be paired, or failed to, and are of use without it.
  var unpairable: Set<BluetoothAddress> = []
  var windowTimer: LoopTimer?
  var wearerTimer: LoopTimer?
  /// Mode `all`: until when somebody new is asked for a scan response, or was.
  var asksStrangersUntil: Instant?
  var random: any RandomNumberGenerator
  var storeTrouble: HearthError?
  /// Checks and exports that go on.
  private(set) var storeTasks = 0
  var configTrouble: HearthError?
  /// What was wrong with the hub's own parts at start, such as lamps that cannot be reached.
  var notes: [HearthError] = []
  var isLocating = false
  var advertisements: UInt64 = 0
  let listeners = LiveListeners()

  /// - Parameter drivers: the families it knows, in no order that matters.
  public init(
    _ options: HearthOptions, loop: any Loop, radio: any Radio, store: Store, lights: LightDriver?, logger: Logger,
    drivers: [any WearableDriver]
  ) {
    self.options = options
    self.drivers = drivers
    self.loop = loop
    self.radio = radio
    self.store = store
    self.lights = lights
    self.logger = logger
    startedAt = loop.wall
    startedInstant = loop.now
    enrolment = Enrolment(mode: options.enrolmentMode, nearRSSI: options.nearRSSI, window: options.window)
    random = SplitMix64(seed: options.seed)
    for record in store.wearables { admit(record) }
    rememberVisits()
  }

  /// Begins to serve: the radio starts, and everything after comes by its events.
  public func start() {
    store.onCommit = { [weak self] _ in self?.committed() }
    store.onTrouble = { [weak self] trouble in self?.storeChanged(trouble) }
    radio.onAdvertisement = { [weak self] advertisement in self?.hear(advertisement) }
    radio.onStateChange = { [weak self] state in self?.radioChanged(state) }
    radio.onParameters = { [weak self] address, parameters in self?.tenantByAddress[address]?.profile?.changed(parameters) }
    radio.onKeys = { [weak self] keys in self?.keysCame(keys) }
    radio.onPairingFailed = { [weak self] address, error in self?.pairingFailed(address, error) }
    loadKeys()
    reviewWearers()
    phase = .serving
    showLights()
    radio.start()
    logger.info("serving", metadata: ["enrolled": "\(tenants.count)", "enrolment": "\(options.enrolmentMode.rawValue)"])
  }

  /// Ends all links and keeps what is pending; the store stays open for its owner to close.
  public func stop() async {
    if phase == .stopping { return }
    phase = .stopping
    showLights()
    await endVisit()
    if let laneTimer { loop.cancel(laneTimer) }
    if let windowTimer { loop.cancel(windowTimer) }
    if let wearerTimer { loop.cancel(wearerTimer) }
    await sayFarewells()
    for tenant in tenants {
      if tenant.noteLink(), tenant.link == nil { persist(tenant) }
      drop(tenant)
      refuseRequests(of: tenant, HearthError(.visitBusy, "the hub is stopping"))
    }
    await radio.shutDown()
    do { try await store.flush() } catch { logger.error("\(error)") }
    lights?.stop()
  }

  /// A configuration that could not be loaded on reload: shown until one can.
  public func noteConfiguration(_ trouble: HearthError?) {
    configTrouble = trouble
    showLights()
  }

  /// Something about the hub itself that a person should know.
  public func note(_ trouble: HearthError) { notes.append(trouble) }

  /// Takes over settings that can change while serving: name, enrolment and times. Links and the enrolment window stay as they are.
  public func apply(_ options: HearthOptions) {
    self.options = options
    enrolment = enrolment.with(mode: options.enrolmentMode, nearRSSI: options.nearRSSI, window: options.window)
  }

  /// Shows the locate pattern, for as long as the lights keep it, or ends it.
  public func locate(_ on: Bool) {
    isLocating = on
    showLights()
    if !on { return }
    loop.schedule(after: LightDriver.locateTime) { [weak self] in
      self?.isLocating = false
      self?.showLights()
    }
  }

  // MARK: Events

  private func radioChanged(_ state: RadioState) {
    switch state {
    case .ready: logger.info("radio ready", metadata: ["adapter": "\(radio.facts.adapter)"])
    case .starting: break
    case .down(let reason): logger.warning("\(reason.code) radio: \(reason.text.sentence)", metadata: ["CODE": "\(reason.code)"])
    }
    showLights()
    considerLane()
  }

  private func storeChanged(_ trouble: HearthError?) {
    storeTrouble = trouble
    if let trouble { logger.error("\(trouble)", metadata: ["CODE": "\(trouble.reason.code)"]) } else { logger.notice("store healthy again") }
    showLights()
  }

  private func committed() {
    lights?.wink()
    showLights()
  }

  /// A check or an export begins; STORE is slow until the last of them ends.
  public func storeTaskBegan() {
    storeTasks += 1
    showLights()
  }

  public func storeTaskEnded() {
    storeTasks = max(0, storeTasks - 1)
    showLights()
  }

  func recognise(_ sighting: Sighting) -> (driver: String, kind: String)? {
    Wearable.recognise(sighting, among: drivers).map { ($0.driver.id, $0.recognition.kind) }
  }

  // MARK: Tenants

  func driver(id: String) -> (any WearableDriver)? { drivers.first { $0.id == id } }

  /// Takes a stored wearable into the house.
  @discardableResult
  func admit(_ record: WearableRecord) -> Tenant? {
    guard let address = record.address else { return nil }
    let tenant = Tenant(record, address: address, driver: driver(id: record.driver), store: store)
    tenant.profile = ProfileKeeper(self, tenant)
    tenant.advertised = advertisedValues(of: tenant)
    reviewWearer(of: tenant)
    tenants.append(tenant)
    tenants.sort { $0.record.id.number < $1.record.id.number }
    tenantByAddress[address] = tenant
    return tenant
  }

  /// Ends a wearable's link by the hub's own will: what goes on at it is ended first.
  func part(_ tenant: Tenant) {
    guard let link = tenant.link, let turn = link.session, turn.session.needsFarewell else { return drop(tenant) }
    loop.spawn { [self] in
      await turn.part()
      if tenant.link === link { drop(tenant) }
    }
  }

  /// All at once: each is another link.
  private func sayFarewells() async {
    let farewells = tenants.compactMap { $0.link?.session }.filter { $0.session.needsFarewell }.map { turn in
      loop.spawn { await turn.part() }
    }
    for farewell in farewells { await farewell.value }
  }

  /// Ends a wearable's link, if it has one.
  func drop(_ tenant: Tenant) {
    guard let link = tenant.takeLink() else { return }
    tenant.rhythm.interrupt()
    tenant.standing.linkEndedAt = loop.now
    tenant.standing.quietUntil = nil
    link.close(immediately: true)
    tenant.profile?.detach()
    tenant.advertised?.linkEnded()
    adoptDriver(of: tenant)
    if tenantByAddress[tenant.address] === tenant { persist(tenant) }
  }

  // MARK: What live links bring

  func intake(of tenant: Tenant, _ driver: any WearableDriver) -> LiveIntake {
    let guards = driver.liveSources.map { options.floodGuard == .off ? .off : FloodGuard(valuesPerSecond: $0.valuesPerSecond) }
    return LiveIntake(tenant.record.id, driver, guards: guards, loop: loop, store: store, state: tenant.live, listeners: listeners)
  }

  func tell(_ sample: Sample, of tenant: Tenant) {
    let value = LiveValue(
      wearable: tenant.record.name, address: tenant.address, series: sample.series.id, value: sample.value, time: loop.wall)
    for listener in listeners.all where listener.wearable == nil || listener.wearable == tenant.record.id { listener.handler(value) }
  }

  func learn(_ fact: WearableFact, about tenant: Tenant) {
    let (key, value) = fact.registryEntry
    tenant.record.facts[key] = value
  }

  func noteMalformed(_ tenant: Tenant, _ source: LiveSource, _ error: DecodeError) {
    // Every value of a broken wearable would fill the log; the counter has them all.
    if tenant.live.counters.malformed.nonzeroBitCount == 1 {
      logger.warning(
        "\(Reason.gattValueMalformed.code) wire: \(tenant.record.name) sent a value of \(source.characteristic) that is \(error.rawValue)",
        metadata: ["CODE": "\(Reason.gattValueMalformed.code)", "DEVICE": "\(tenant.record.name)", "COUNT": "\(tenant.live.counters.malformed)"])
    }
  }

  /// Writes what was learned about a wearable, in the background and only if it differs: once when it has become live and once when its
  /// link ends, because a registry write costs some 25 KB of flash. A failure is the store's trouble and is shown as such.
  func persist(_ tenant: Tenant) {
    tenant.record.battery = tenant.live.battery
    if tenant.rhythm.differs(from: tenant.record.notes[AdvertisingRhythm.noteKey]) {
      tenant.record.notes[AdvertisingRhythm.noteKey] = tenant.rhythm.memory
    }
    let record = tenant.record
    loop.spawn { [store, logger] in
      do { try await store.update(record) } catch { logger.error("\(error)") }
    }
  }

  // MARK: Lights

  /// Hands the lights what they may know; they change only if it did.
  func showLights() { lights?.show(lightState()) }
}

extension WearableFact {
  /// Key in the registry, and the value.
  var registryEntry: (key: String, value: String) {
    switch self {
    case .manufacturer(let text): ("manufacturer", text)
    case .model(let text): ("model", text)
    case .serialNumber(let text): ("serial", text)
    case .firmware(let text): ("firmware", text)
    case .hardware(let text): ("hardware", text)
    case .software(let text): ("software", text)
    case .bodyLocation(let text): ("body_location", text)
    }
  }
}
