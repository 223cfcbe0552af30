// The radio of the simulation: a controller with few slots, one link made at a time, and an adapter that may go away.

public import Bluetooth
import EventLoop
public import Reasons

/// How the virtual controller is made.
public struct VirtualRadioOptions: Sendable {
  /// Links it carries; the default is what is believed of a Raspberry Pi's controller with one slot to spare.
  public var slots = 5
  /// The interval that the controller chooses within what was asked, where that allows it; nil: it draws one.
  public var preferredInterval: UInt16?
  /// The controller keeps every link at `preferredInterval` and refuses what a wearable asks for if it does not contain
  /// it: for measurements.
  public var holdsInterval = false
  /// A wearable's request for a longer interval than this is refused (1.25 ms): what the adapter is told to allow.
  public var longestInterval: UInt16 = 3200
  /// The controller's own events can be seen; else the hub must believe what was asked.
  public var observesLinks = true
  /// The kernel can change a live link.
  public var updatesLiveLinks = true
  /// Beyond its links it makes one more and lets another one fall, as some controllers do, in the place of refusing.
  public var dropsWhenFull = false

  public init() {}

  public init(slots: Int) { self.slots = slots }
}

/// A `Radio` over a `VirtualWorld`, with the same promises and the same troubles as the kernel's.
public final class VirtualRadio: Radio {
  public let world: VirtualWorld
  public let controller: VirtualController
  public let options: VirtualRadioOptions
  public private(set) var state = RadioState.starting
  public internal(set) var ledger = RadioLedger()
  public var onAdvertisement: (@LoopActor (Advertisement) -> Void)?
  /// Scan responses are heard here in any case.
  public var asksForNames = false
  public var onStateChange: (@LoopActor (RadioState) -> Void)?
  public var onRung: (@LoopActor (RadioRung) -> Void)?
  public var onParameters: (@LoopActor (BluetoothAddress, EffectiveParameters) -> Void)?
  public var onPairingRequest: (@LoopActor (PairingRequest) -> Void)?
  public var onKeys: (@LoopActor (_ link: BluetoothAddress, BondKeys) -> KeyVerdict)?
  public var onPairingFailed: (@LoopActor (BluetoothAddress, LinkError) -> Void)?

  /// A radio that hears nothing for so long, where something was heard before, resets its controller by itself.
  public static let silenceBound: Duration = .seconds(90)
  /// How long an adapter takes from power to scanning.
  static let startUp: Duration = .milliseconds(120)

  private enum Life {
    case alive, shutDown
    /// Its process was killed, see `die`.
    case killed
  }

  var loop: any Loop { world.loop }
  var isDead: Bool { life != .alive }
  private var isStarted = false
  private var life = Life.alive
  private var powerUp: LoopTimer?
  /// Those that wait, in the order in which they were begun.
  var attempts: [ConnectAttempt] = []
  /// The one of them that the controller is at.
  var creating: ConnectAttempt?
  /// Who was reported since the scan that waits for them was begun.
  var reportedInScan: Set<BluetoothAddress> = []
  var scanStoppedAt: Instant?
  var bearers: [VirtualBearer] = []
  var random: SeededRandom
  /// All keys the kernel was given, or made.
  var keys: [BondKeys] = []
  var care = RadioCare()
  private var hangTimer: LoopTimer?
  private var silenceTimer: LoopTimer?

  /// - Parameter number: of its controller, from 0.
  public init(_ world: VirtualWorld, options: VirtualRadioOptions = VirtualRadioOptions(), controller number: Int = 0) {
    precondition(options.slots > 0, "a radio has at least one slot")
    self.world = world
    self.options = options
    random = world.random.split(.max - world.radiosMade)
    world.radiosMade += 1
    controller = world.controller(number)
    controller.radio = self
  }

  /// Addresses of the links the controller carries, oldest first.
  public var links: [BluetoothAddress] { controller.links.map(\.peripheral.address) }
  /// Addresses of the channels the hub holds, those included whose end it was not told yet; oldest first.
  public var openChannels: [BluetoothAddress] { bearers.filter { !$0.isClosed }.map(\.address) }
  /// For how long the link that is being made has kept it from scanning.
  var scanPause: Duration { scanStoppedAt.map { loop.now - $0 } ?? .zero }
  public var isScanning: Bool { state == .ready && creating == nil && !isDead }

  private var name: String { controller.number == 0 ? "simulated" : "simulated-\(controller.number + 1)" }

  /// What a bonded wearable knows it by; an only one has none to tell.
  private var address: BluetoothAddress? {
    guard world.controllers.count > 1 else { return nil }
    return BluetoothAddress(value: 0xAABB_CC00_0001 + UInt64(controller.number), kind: .lePublic)
  }

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

  // MARK: What scenarios do to it

  /// The adapter goes: every link ends at once, an attempt fails. Scanning and links return after `powerOn`.
  public func powerOff(_ reason: Reason = .adapterPoweredOff) {
    if isDead { return }
    if let powerUp { loop.cancel(powerUp) }
    powerUp = nil
    scanStoppedAt = nil
    change(.down(reason))
    finishAll(.adapterGone)
    for link in controller.links { link.end(.adapterGone) }
  }

  public func powerOn() {
    if isDead || state == .ready || powerUp != nil { return }
    bringUp()
  }

  /// What a SIGKILL of the hub looks like from outside: no callback any more, the kernel ends the links, and no flow
  /// that waits in here comes back: the process is gone.
  public func die() {
    life = .killed
    cancelOwnTimers()
    for attempt in attempts { cancelTimers(of: attempt) }
    for bearer in bearers { bearer.abandon() }
    bearers.removeAll()
    if controller.radio === self { controller.radio = nil }
  }

  /// What every flow passes that waited for the kernel. Links, pairings and changes of parameters end after the kill
  /// too, and end with their waits.
  func comeBack() async { if life == .killed { await endWithProcess() } }

  private func cancelOwnTimers() {
    for timer in [powerUp, hangTimer, silenceTimer] { if let timer { loop.cancel(timer) } }
    powerUp = nil
    hangTimer = nil
    silenceTimer = nil
  }

  /// The controller stops to do anything, and says nothing about it: no reports, silent links, attempts that end by
  /// their deadline.
  public func hang() {
    if isDead || state != .ready || controller.isHung { return }
    controller.isHung = true
    ledger.hangs += 1
    for attempt in attempts {
      if let step = attempt.step { loop.cancel(step) }
      attempt.step = nil
      attempt.phase = .hung
    }
    // What it does not hear from now on is no fault of a link that is being made.
    scanStoppedAt = nil
    silenceTimer = loop.schedule(after: Self.silenceBound) { [weak self] in self?.recover() }
  }

  /// The one rung that this radio has: the controller is reset. Ends every link.
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

  /// Whether an advertisement of now reaches anybody.
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
