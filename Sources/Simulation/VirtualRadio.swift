// The radio of the simulation: a controller with few slots, one connect at a time, and an adapter that may go away.

public import Bluetooth
public import EventLoop
public import Reasons

/// How the virtual controller is made.
public struct VirtualRadioOptions: Sendable {
  /// Links it carries; the default is what is believed of a Raspberry Pi's controller with one slot to spare.
  public var slots = 5
  /// The interval that the controller chooses within what was asked, where that allows it; nil: it draws one.
  public var preferredInterval: UInt16?
  /// The controller keeps every link at `preferredInterval` and refuses what a wearable asks for if it does not contain it: for measurements.
  public var holdsInterval = false
  /// A wearable's request for a longer interval than this is refused (1.25 ms): what the adapter is told to allow.
  public var longestInterval: UInt16 = 3200
  /// The controller's own events can be seen; else the hub must believe what was asked.
  public var observesLinks = true
  /// The kernel can change a live link.
  public var updatesLiveLinks = true

  public init() {}
}

/// A `Radio` over a `VirtualWorld`, with the same promises and the same troubles as the kernel's.
public final class VirtualRadio: Radio {
  public let world: VirtualWorld
  public let options: VirtualRadioOptions
  public private(set) var state = RadioState.starting
  public internal(set) var ledger = RadioLedger()
  public var onAdvertisement: (@LoopActor (Advertisement) -> Void)?
  /// Scan responses are heard here in any case.
  public var asksForNames = false
  public var onStateChange: (@LoopActor (RadioState) -> Void)?
  public var onParameters: (@LoopActor (BluetoothAddress, EffectiveParameters) -> Void)?
  public var onPairingRequest: (@LoopActor (PairingRequest) -> Void)?
  public var onKeys: (@LoopActor (BondKeys) -> Void)?
  public var onPairingFailed: (@LoopActor (BluetoothAddress, LinkError) -> Void)?

  /// A radio that hears nothing for so long, where something was heard before, resets its controller by itself.
  public static let silenceBound: Duration = .seconds(90)
  /// How long an adapter takes from power to scanning.
  static let startUp: Duration = .milliseconds(120)
  /// An attempt that was heard fails after six connection events without an answer (Core specification, volume 6, part B, 4.5.2).
  private static let silentEvents = 6
  /// The command round trip after which a controller refuses.
  private static let refusal: Duration = .milliseconds(10)

  var loop: any Loop { world.loop }
  private var isStarted = false
  private(set) var isDead = false
  private var powerUp: LoopTimer?
  private var attempt: Attempt?
  private var scanStoppedAt: Instant?
  private var bearers: [VirtualBearer] = []
  var random: SeededRandom
  /// All keys the kernel was given, or made.
  var keys: [BondKeys] = []
  var care = RadioCare()
  private var hangTimer: LoopTimer?
  private var silenceTimer: LoopTimer?

  public init(_ world: VirtualWorld, options: VirtualRadioOptions = VirtualRadioOptions()) {
    precondition(options.slots > 0, "a radio has at least one slot")
    self.world = world
    self.options = options
    random = world.random.split(.max - world.radiosMade)
    world.radiosMade += 1
    world.radio = self
  }

  /// Addresses of the links the controller carries, oldest first.
  public var links: [BluetoothAddress] { world.links.map(\.peripheral.address) }
  /// Addresses of the channels the hub holds, those included whose end it was not told yet; oldest first.
  public var openChannels: [BluetoothAddress] { bearers.filter { !$0.isClosed }.map(\.address) }
  /// For how long the attempt that is under way has kept it from scanning.
  var scanPause: Duration { scanStoppedAt.map { loop.now - $0 } ?? .zero }
  public var isScanning: Bool { state == .ready && attempt == nil && !isDead }

  public var facts: RadioFacts {
    var facts = RadioFacts(adapter: "simulated", bus: "virtual", links: world.links.count, slots: options.slots, isScanning: isScanning)
    facts.counters = [
      ("advertisements", ledger.advertisements), ("connect_attempts", UInt64(ledger.attempts)), ("links_made", UInt64(ledger.linksMade)),
      ("connect_failures", UInt64(ledger.failures.reduce(0) { $0 + $1.count })), ("scan_pauses", UInt64(ledger.scanPauses)),
      ("controller_hangs", UInt64(ledger.hangs)), ("recoveries", UInt64(ledger.recoveries)),
    ]
    facts.care = care
    return facts
  }

  public func start() {
    precondition(!isStarted, "a radio starts once")
    isStarted = true
    // A start initialises the controller, whatever state the last process left it in.
    world.isHung = false
    care.observesLinks = options.observesLinks
    care.updatesLiveLinks = options.updatesLiveLinks
    care.rungs = [("reset", 0)]
    bringUp()
    scheduleHang()
  }

  public func shutDown() async {
    isDead = true
    cancelOwnTimers()
    finish(.failure(.aborted))
    for bearer in bearers { bearer.close(immediately: true) }
    bearers.removeAll()
    onAdvertisement = nil
    onStateChange = nil
    onParameters = nil
    onPairingRequest = nil
    onKeys = nil
    onPairingFailed = nil
    if world.radio === self { world.radio = nil }
  }

  // MARK: What scenarios do to it

  /// The adapter goes: every link ends at once, an attempt fails. Scanning and links return after `powerOn`.
  public func powerOff(_ reason: Reason = .adapterPoweredOff) {
    if isDead { return }
    if let powerUp { loop.cancel(powerUp) }
    powerUp = nil
    scanStoppedAt = nil
    change(.down(reason))
    finish(.failure(.adapterGone))
    for link in world.links { link.end(.adapterGone) }
  }

  public func powerOn() {
    if isDead || state == .ready || powerUp != nil { return }
    bringUp()
  }

  /// What a SIGKILL of the hub looks like from outside: no callback any more, the kernel ends the links.
  public func die() {
    isDead = true
    cancelOwnTimers()
    if let attempt { cancelTimers(of: attempt) }  // its flow is never resumed: the process is gone
    for bearer in bearers { bearer.abandon() }
    bearers.removeAll()
    if world.radio === self { world.radio = nil }
  }

  private func cancelOwnTimers() {
    for timer in [powerUp, hangTimer, silenceTimer] { if let timer { loop.cancel(timer) } }
    powerUp = nil
    hangTimer = nil
    silenceTimer = nil
  }

  /// The controller stops to do anything, and says nothing about it: no reports, silent links, attempts that end by their deadline.
  public func hang() {
    if isDead || state != .ready || world.isHung { return }
    world.isHung = true
    ledger.hangs += 1
    if let attempt {
      if let step = attempt.step { loop.cancel(step) }
      attempt.step = nil
      attempt.phase = .hung
    }
    silenceTimer = loop.schedule(after: Self.silenceBound) { [weak self] in self?.recover() }
  }

  /// The one rung that this radio has: the controller is reset. Ends every link.
  public func recover() {
    if isDead || !isStarted { return }
    if let silenceTimer { loop.cancel(silenceTimer) }
    silenceTimer = nil
    world.isHung = false
    ledger.recoveries += 1
    care.rung = "reset"
    care.rungs[0].count += 1
    care.isRecovering = true
    care.lastRecovery = loop.now
    powerOff(.adapterPoweredOff)
    powerOn()
  }

  private func scheduleHang() {
    let perDay = world.faults.controllerHangsPerDay
    if perDay <= 0 { return }
    let wait = Duration.seconds(86_400) / perDay * (2 * random.fraction())
    hangTimer = loop.schedule(after: wait) { [weak self] in
      self?.hang()
      self?.scheduleHang()
    }
  }

  private func bringUp() {
    powerUp = loop.schedule(after: Self.startUp) { [weak self] in
      self?.powerUp = nil
      self?.care.isRecovering = false
      self?.change(.ready)
    }
  }

  private func change(_ new: RadioState) {
    if state == new { return }
    state = new
    onStateChange?(new)
  }

  // MARK: Scanning

  func hear(_ address: BluetoothAddress, rssi: Int8, data: [UInt8], isScanResponse: Bool) {
    guard isScanning, !world.isHung else { return }
    ledger.advertisements += 1
    care.lastHeard = loop.now
    onAdvertisement?(Advertisement(address: address, rssi: rssi, isConnectable: true, isScanResponse: isScanResponse, data: data, time: loop.now))
  }

  // MARK: Connecting

  /// One connect attempt. `phase` moves forward only.
  @LoopActor
  private final class Attempt {
    enum Phase { case refused, searching, establishing, hung }
    let address: BluetoothAddress
    var phase = Phase.searching
    let parameters: ConnectionParameters
    var step: LoopTimer?
    var deadline: LoopTimer?
    var continuation: CheckedContinuation<Result<VirtualBearer, LinkError>, Never>?
    init(_ address: BluetoothAddress, _ parameters: ConnectionParameters) {
      self.address = address
      self.parameters = parameters
    }
  }

  public func connect(to address: BluetoothAddress, deadline: Instant, parameters: ConnectionParameters) async throws(LinkError) -> any Bearer {
    precondition(attempt == nil, "two connects at a time: the hub's lane is broken")
    precondition(parameters.defect == nil, "a link with illegal parameters was asked for")
    ledger.attempts += 1
    if !ledger.attemptedEver.contains(address) { ledger.attemptedEver.append(address) }
    ledger.lastAttempt[address] = loop.now
    guard state == .ready, !isDead else {
      ledger.note(failure: .adapterGone)
      throw .adapterGone
    }
    let attempt = Attempt(address, parameters)
    self.attempt = attempt
    scanStoppedAt = loop.now
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        attempt.continuation = continuation
        if Task.isCancelled { return finish(.failure(.aborted)) }
        begin(attempt, deadline)
      }
    } onCancel: {
      Task(executorPreference: LoopExecutor.shared) { await self.abort(attempt) }
    }
    return try result.get()
  }

  private func abort(_ attempt: Attempt) {
    if self.attempt === attempt { finish(.failure(.aborted)) }
  }

  private func begin(_ attempt: Attempt, _ deadline: Instant) {
    let peripheral = world.peripheral(attempt.address)
    let refused = peripheral.map { $0.random.chance(world.faults.refusedSlot) } ?? false
    if refused || world.links.count >= options.slots {
      attempt.phase = .refused
      attempt.step = loop.schedule(after: Self.refusal) { [weak self] in self?.finish(.failure(.slotsFull)) }
      return
    }
    attempt.deadline = loop.schedule(at: deadline) { [weak self] in
      self?.finish(.failure(attempt.phase == .searching ? .notHeard : .timedOut))
    }
    if world.isHung { attempt.phase = .hung } else if let peripheral { search(attempt, peripheral) }
  }

  /// A wearable became connectable, or is so no longer.
  func connectabilityChanged(of peripheral: VirtualPeripheral) {
    guard let attempt, attempt.address == peripheral.address, attempt.phase == .searching else { return }
    if let step = attempt.step { loop.cancel(step) }
    attempt.step = nil
    search(attempt, peripheral)
  }

  /// Waits for its next advertisement, which is when the controller can ask for a link.
  private func search(_ attempt: Attempt, _ peripheral: VirtualPeripheral) {
    guard peripheral.isConnectable else { return }
    let wait = peripheral.advertisingInterval * peripheral.random.fraction() + .milliseconds(2)
    attempt.step = loop.schedule(after: wait) { [weak self] in self?.establish(attempt, peripheral) }
  }

  private func establish(_ attempt: Attempt, _ peripheral: VirtualPeripheral) {
    let parameters = choose(attempt.parameters, source: options.observesLinks ? .observed : .assumed)
    let interval = Duration.microseconds(1250 * Int64(parameters.interval))
    if peripheral.random.chance(world.faults.hungAttempt) {
      attempt.phase = .hung
      return
    }
    let fails = peripheral.random.chance(world.faults.failedToEstablish)
    attempt.phase = .establishing
    attempt.step = loop.schedule(after: interval * (fails ? Self.silentEvents : 2)) { [weak self] in
      guard let self else { return }
      if fails || !peripheral.isConnectable { finish(.failure(.failedToEstablish)) } else { open(peripheral, parameters) }
    }
  }

  private func open(_ peripheral: VirtualPeripheral, _ parameters: EffectiveParameters) {
    let link = VirtualLink(peripheral, world, parameters: parameters)
    let bearer = VirtualBearer(link)
    link.attach(bearer)
    bearers.removeAll(where: \.isClosed)
    bearers.append(bearer)
    world.linkMade(link)
    ledger.linksMade += 1
    ledger.mostLinks = max(ledger.mostLinks, world.links.count)
    if !ledger.connectedEver.contains(peripheral.address) { ledger.connectedEver.append(peripheral.address) }
    finish(.success(bearer))
    peripheral.noteLinkOpened(link)
  }

  private func finish(_ result: Result<VirtualBearer, LinkError>) {
    guard let attempt else { return }
    self.attempt = nil
    cancelTimers(of: attempt)
    if let scanStoppedAt {
      ledger.scanPauses += 1
      ledger.longestScanPause = max(ledger.longestScanPause, loop.now - scanStoppedAt)
    }
    scanStoppedAt = nil
    if case .failure(let error) = result { ledger.note(failure: error) }
    attempt.continuation?.resume(returning: result)
    attempt.continuation = nil
  }

  private func cancelTimers(of attempt: Attempt) {
    if let step = attempt.step { loop.cancel(step) }
    if let deadline = attempt.deadline { loop.cancel(deadline) }
  }
}

/// A radio with `straps` simulated straps near it, for `hearthd --simulate`: real-time behaviour, everybody there nearly always.
@LoopActor
public func makeSimulatedRadio(loop: any Loop, straps: Int, seed: UInt64) -> VirtualRadio {
  var options = WorldOptions()
  options.keepsGroundTruth = false
  let world = VirtualWorld(loop: loop, seed: seed, options: options)
  // Near enough to be enrolled in a window with the default bound, each at a strength of its own.
  for number in 0..<straps { world.addStrap(.demonstration) { traits in traits.rssi = -38 - number % 8 } }
  var radio = VirtualRadioOptions()
  radio.slots = max(16, straps + 2)
  return VirtualRadio(world, options: radio)
}
