// Radio of the simulation: a controller with few slots, one link made at a time, and an adapter that may disappear.

public import Bluetooth
import EventLoop
public import Reasons

/// Properties of the virtual controller.
public struct VirtualRadioOptions: Sendable {
  /// Links that it carries; the default is the assumed number of a Raspberry Pi's controller, with one slot to spare.
  public var slots = 5
  /// Interval that the controller chooses within the requested range, if possible; nil: a random one.
  public var preferredInterval: UInt16?
  /// Whether the controller keeps every link at `preferredInterval` and refuses requests of wearables that do not
  /// contain it: for measurements.
  public var holdsInterval = false
  /// Longest interval that a wearable may request (1.25 ms), as configured for the adapter.
  public var longestInterval: UInt16 = 3200
  /// Whether the controller's events are visible; otherwise the hub must assume the requested parameters.
  public var observesLinks = true
  /// Whether the kernel can change the parameters of an open link.
  public var updatesLiveLinks = true
  /// Whether a full controller makes one more link and drops another instead of refusing, as some controllers do.
  public var dropsWhenFull = false

  /// Properties of a usual controller.
  public init() {}

  /// A controller with so many links at most.
  public init(slots: Int) { self.slots = slots }
}

/// `Radio` over a `VirtualWorld`, with the same guarantees and failures as the kernel's.
public final class VirtualRadio: Radio {
  /// Surroundings of the radio.
  public let world: VirtualWorld
  /// Controller of the radio.
  public let controller: VirtualController
  /// Properties of the controller.
  public let options: VirtualRadioOptions
  /// State of the radio; changes are passed to `onStateChange`.
  public private(set) var state = RadioState.starting
  /// Record of its actions.
  public internal(set) var ledger = RadioLedger()
  /// Called for each advertisement.
  public var onAdvertisement: (@LoopActor (Advertisement) -> Void)?
  /// Setting without effect: scan responses are always received here.
  public var asksForNames = false
  /// Called when the state changes.
  public var onStateChange: (@LoopActor (RadioState) -> Void)?
  /// Called for each rung of the reset ladder.
  public var onRung: (@LoopActor (RadioRung) -> Void)?
  /// Called when parameters of a link change.
  public var onParameters: (@LoopActor (BluetoothAddress, EffectiveParameters) -> Void)?
  /// Called for a pairing that needs a person.
  public var onPairingRequest: (@LoopActor (PairingRequest) -> Void)?
  /// Called for new keys; decides whether they are kept.
  public var onKeys: (@LoopActor (_ link: BluetoothAddress, BondKeys) -> KeyVerdict)?
  /// Called for a failed pairing.
  public var onPairingFailed: (@LoopActor (BluetoothAddress, LinkError) -> Void)?

  /// A radio without advertisements for this long, after there were some, resets its controller by itself.
  public static let silenceBound: Duration = .seconds(90)
  /// Time of an adapter from power to scanning.
  static let startUp: Duration = .milliseconds(120)

  private enum Life {
    case alive, shutDown
    /// The process was killed, see `die`.
    case killed
  }

  var loop: any Loop { world.loop }
  var isDead: Bool { life != .alive }
  private var isStarted = false
  private var life = Life.alive
  private var powerUp: LoopTimer?
  /// Waiting attempts, in the order in which they were started.
  var attempts: [ConnectAttempt] = []
  /// The attempt that the controller is carrying out.
  var creating: ConnectAttempt?
  /// Addresses reported since the present scan was started.
  var reportedInScan: Set<BluetoothAddress> = []
  var scanStoppedAt: Instant?
  var bearers: [VirtualBearer] = []
  var random: SeededRandom
  /// Keys that the kernel was given or made.
  var keys: [BondKeys] = []
  var care = RadioCare()
  private var hangTimer: LoopTimer?
  private var silenceTimer: LoopTimer?

  /// - Parameter number: index of its controller, from 0.
  public init(_ world: VirtualWorld, options: VirtualRadioOptions = VirtualRadioOptions(), controller number: Int = 0) {
    precondition(options.slots > 0, "a radio has at least one slot")
    self.world = world
    self.options = options
    random = world.random.split(.max - world.radiosMade)
    world.radiosMade += 1
    controller = world.controller(number)
    controller.radio = self
  }

  /// Addresses of the links that the controller carries, oldest first.
  public var links: [BluetoothAddress] { controller.links.map(\.peripheral.address) }
  /// Addresses of the hub's channels, including those that ended without a report yet; oldest first.
  public var openChannels: [BluetoothAddress] { bearers.filter { !$0.isClosed }.map(\.address) }
  /// Time for which the link being made has stopped the scan.
  var scanPause: Duration { scanStoppedAt.map { loop.now - $0 } ?? .zero }
  /// True while it scans.
  public var isScanning: Bool { state == .ready && creating == nil && !isDead }

  private var name: String { controller.number == 0 ? "simulated" : "simulated-\(controller.number + 1)" }

  /// Address that bonded wearables know; nil for a single adapter.
  private var address: BluetoothAddress? {
    guard world.controllers.count > 1 else { return nil }
    return BluetoothAddress(value: 0xAABB_CC00_0001 + UInt64(controller.number), kind: .lePublic)
  }

  /// Facts at this moment.
  public var facts: RadioFacts {
    var facts = RadioFacts(
      adapter: name, address: address, bus: "virtual", links: controller.links.count, slots: options.slots,
      isScanning: isScanning)
    facts.counters = [
      ("advertisements", ledger.advertisements), ("connect_attempts", UInt64(ledger.attempts)),
      ("links_made", UInt64(ledger.linksMade)),
      ("connect_failures", UInt64(ledger.failures.reduce(0) { $0 + $1.count })),
      ("scan_pauses", UInt64(ledger.scanPauses)),
      ("controller_hangs", UInt64(ledger.hangs)), ("recoveries", UInt64(ledger.recoveries)),
    ]
    facts.care = care
    return facts
  }

  /// Powers the adapter up. A radio starts once.
  public func start() {
    precondition(!isStarted, "a radio starts once")
    isStarted = true
    // A start initialises the controller, whatever state the last process left it in.
    controller.isHung = false
    care.observesLinks = options.observesLinks
    care.updatesLiveLinks = options.updatesLiveLinks
    care.rungs = [("reset", 0)]
    bringUp()
    scheduleHang()
  }

  /// Ends links and scan.
  public func shutDown() async {
    life = .shutDown
    cancelOwnTimers()
    finishAll(.aborted)
    for bearer in bearers { bearer.close(immediately: true) }
    bearers.removeAll()
    onAdvertisement = nil
    onStateChange = nil
    onRung = nil
    onParameters = nil
    onPairingRequest = nil
    onKeys = nil
    onPairingFailed = nil
    if controller.radio === self { controller.radio = nil }
  }

  // MARK: Faults for scenarios

  /// Removes the adapter: every link ends at once, an attempt fails. Scanning and links return after `powerOn`.
  public func powerOff(_ reason: Reason = .adapterPoweredOff) {
    if isDead { return }
    if let powerUp { loop.cancel(powerUp) }
    powerUp = nil
    scanStoppedAt = nil
    change(.down(reason))
    finishAll(.adapterGone)
    for link in controller.links { link.end(.adapterGone) }
  }

  /// Powers the adapter up after it was gone.
  public func powerOn() {
    if isDead || state == .ready || powerUp != nil { return }
    bringUp()
  }

  /// Simulates a SIGKILL of the hub: no further callbacks, the kernel ends the links, and tasks that wait in here never
  /// resume.
  public func die() {
    life = .killed
    cancelOwnTimers()
    for attempt in attempts { cancelTimers(of: attempt) }
    for bearer in bearers { bearer.abandon() }
    bearers.removeAll()
    if controller.radio === self { controller.radio = nil }
  }

  /// Every task passes this after it waited for the kernel. Links, pairings and changes of parameters end after the
  /// kill too, and their waits with them.
  func comeBack() async { if life == .killed { await endWithProcess() } }

  private func cancelOwnTimers() {
    for timer in [powerUp, hangTimer, silenceTimer] { if let timer { loop.cancel(timer) } }
    powerUp = nil
    hangTimer = nil
    silenceTimer = nil
  }

  /// Makes the controller hang silently: no reports, silent links, attempts that end by their deadline.
  public func hang() {
    if isDead || state != .ready || controller.isHung { return }
    controller.isHung = true
    ledger.hangs += 1
    for attempt in attempts {
      if let step = attempt.step { loop.cancel(step) }
      attempt.step = nil
      attempt.phase = .hung
    }
    // Advertisements missed from now on are not caused by a link that is being made.
    scanStoppedAt = nil
    silenceTimer = loop.schedule(after: Self.silenceBound) { [weak self] in self?.recover() }
  }

  /// Resets the controller, the only rung of this radio. Ends every link.
  public func recover() {
    if isDead || !isStarted { return }
    if let silenceTimer { loop.cancel(silenceTimer) }
    silenceTimer = nil
    controller.isHung = false
    ledger.recoveries += 1
    care.rung = "reset"
    care.rungs[0].count += 1
    onRung?(RadioRung("reset", endsLinks: true))
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

  /// Whether an advertisement at this moment is received.
  var isListening: Bool { isScanning && !controller.isHung && onAdvertisement != nil }

  func hear(_ address: BluetoothAddress, rssi: Int8, data: [UInt8], isScanResponse: Bool) {
    guard isListening, isScanResponse || passesFilter(address) else { return }
    ledger.advertisements += 1
    care.lastHeard = loop.now
    onAdvertisement?(
      Advertisement(
        address: address, rssi: rssi, isConnectable: true, isScanResponse: isScanResponse, data: data, time: loop.now))
  }
}
