// Simulated insole: behaviour of the firmware on the air, with its defects. The protocol dossier is the specification.

public import Bluetooth
public import EventLoop
import Health
public import Simulation

/// Twin of a Botz insole (the right foot, which connects to hubs). Keeps a ledger of custody: data served, data erased,
/// and commands that no hub should send.
public final class VirtualInsole: VirtualPeripheral {
  /// Traits of the insole.
  public let traits: InsoleTraits
  /// Requested and actual link parameters, in order; the newest 64.
  public private(set) var profileLog: [String] = []
  /// Commands and frames that a hub must never send; the newest 64.
  public private(set) var forbidden: [String] = []
  /// Commands that were wrong only because the state changed while they were in flight; the newest 64.
  public internal(set) var crossed: [String] = []
  /// Time of the last start.
  public private(set) var bootedAt: Instant
  /// Starts so far.
  public private(set) var boots = 1
  /// Erase commands received, and those with an effect.
  public private(set) var eraseCommands = 0
  /// Erase commands with an effect.
  public private(set) var erasures = 0
  /// Whether the hub wrongly answered as the other foot.
  public internal(set) var mistookHubForItsOtherFoot = false
  /// The hub's answers to the insole's own questions.
  public internal(set) var answersFromHub: [[UInt8]] = []
  /// Times that the hub set, seconds since 1970.
  public private(set) var timesSet: [(epoch: UInt32, at: Instant)] = []
  /// End of the last link with any request.
  public private(set) var lastVisitEnd: Instant?
  /// Links so far.
  public private(set) var links = 0
  /// Links that were encrypted.
  public private(set) var securedLinks = 0
  /// Periods in which files were requested and served. Two insoles with overlapping periods were fetched at the same
  /// time. Requests within `spanGap` of each other count as one period.
  public internal(set) var fetchSpans: [(from: Instant, to: Instant)] = []

  var memory: InsoleMemory
  var server: GATTServer
  let database: InsoleDatabase
  var clock: InsoleClock
  var smp: InsoleSMP
  var state = InsoleState.idle
  var stateBeforePause = InsoleState.idle
  /// Time of the last change of state, and time of the last status read, unless another request followed over this
  /// link.
  var stateSince = Instant(nanoseconds: .min)
  var statusTold: Instant?
  var session: InsoleSession?
  var hasErased = false
  var errorBits: UInt32 = 0
  var everConnected = false
  var announcement: (id: UInt8, path: String) = (0, "")
  var streamTimer: LoopTimer?
  var recordTimer: LoopTimer?
  /// Commands in order of arrival, over all links; the newest 256.
  public internal(set) var commands: [(command: UInt8, value: [UInt8], at: Instant)] = []
  /// Whether profile 2 was written over this link, or refused over it.
  var idleTold = false
  var idleRefused = false
  /// Stream values that were sent.
  public internal(set) var streamValuesSent = 0
  /// Links that ended with active streams, and management frames received during a stream.
  public private(set) var leftStreaming = 0
  /// Management frames while a stream runs.
  public internal(set) var framesWhileStreaming = 0
  private var trainingTimer: LoopTimer?
  /// Parameters of a profile that was written before the link was old enough, to be requested then.
  var deferredParameters: ConnectionParameters?
  var hasDeferred = false
  var updateTimer: LoopTimer?
  var smpIdleTimer: LoopTimer?
  var isBoosted = false
  /// Pending request of the insole itself: 1 MTU, 2 search.
  var question = 0
  var questionTimer: LoopTimer?
  var writeDelay: LoopTimer?
  var held: [[UInt8]] = []
  var nextPiece: UInt64 = 1
  /// Replies with file data in flight, oldest first.
  var onAir: [(piece: UInt64, id: UInt8, generation: Int, offset: Int, count: Int, asked: Instant)] = []
  /// Live records in flight, oldest first, and the last one that arrived on this link.
  var recordsOnAir: [(piece: UInt64, record: [UInt8])] = []
  var lastRecord: [UInt8] = []
  var records = LiveTruth([.cadence, .pace, .speed])
  var proxyTarget: UInt8 = 0
  private let advertisement: [UInt8] = [0x02, 0x01, 0x06, 0x05, 0x03, 0x0F, 0x18, 0x05, 0x18]
  private let response: [UInt8]
  /// An insole in a world.
  public init(
    _ world: VirtualWorld, address: BluetoothAddress, random: SeededRandom, traits: InsoleTraits = InsoleTraits()
  ) {
    self.traits = traits
    bootedAt = world.loop.now
    memory = InsoleMemory(capacity: traits.memory)
    clock = InsoleClock(traits, bootedAt: world.loop.now)
    database = InsoleDatabase(traits)
    server = GATTServer(database.services, ownMTU: 121)
    smp = InsoleSMP(traits)
    let name = Array((traits.isLeftFoot ? "BotzLeftSh" : "BotzRightSh").utf8)
    response =
      [0x11, 0x07] + InsoleUUID.advertised.wireBytes + (traits.namesItself ? [UInt8(name.count + 1), 0x09] + name : [])
    super.init(
      world, address: address, advertisingInterval: traits.advertisingInterval, rssi: traits.rssi, random: random)
    fill(traits.files)
    announceAtBoot()
    if let training = traits.training { scheduleTraining(training) }
  }
  /// Flags, and the services 180F (battery) and 1805 (current time), with their numbers in full.
  public override var advertisingData: [UInt8] { advertisement }
  /// The 128-bit service of insoles, then the name of the foot unless the traits leave the name out.
  public override var scanResponse: [UInt8] { response }
  /// Longest packet of the link layer in bytes.
  public override var dataLength: Int { 125 }
  /// Label of the traits, for logs and checkers.
  public override var label: String { traits.label }
  /// True if it accepts a pairing now.
  public override var acceptsPairing: Bool { traits.pairing == .justWorks && (bond == nil || !traits.keepsFirstBond) }

  // MARK: For checkers and scenarios

  /// True for a right foot that behaves.
  public override var mustBeServed: Bool { traits.conduct == nil && !traits.isLeftFoot && traits.hasSMP }
  /// Waits while it holds a closed file that was not fetched, whatever links exist. Otherwise any link is a visit.
  public override var servedAt: Instant? {
    if state == .idle, let since = memory.oldestUnserved { return since }
    return link != nil ? world.loop.now : lastVisitEnd
  }
  /// True: its files are to be fetched.
  public override var isOwedVisits: Bool { true }
  /// Content of every file that was ever closed or readable while open, erased ones too, in the parts in which it grew.
  public override var everHeld: [HeldContent] { memory.everHeld }
  /// Cadence, pace and speed of the live records that reached the hub; nil for an insole that misbehaves by its traits.
  public override var liveTruth: LiveTruth? { traits.conduct == nil ? records : nil }

  func forbid(_ what: String) {
    if forbidden.count < 64 { forbidden.append(what) }
  }

  // MARK: Link

  /// Counts the link, drops the subscriptions of the last one, and requests parameters after the delay of the traits.
  /// An insole that acts as a client asks for the MTU.
  public override func linkOpened(_ link: VirtualLink) {
    links += 1
    everConnected = true
    server = freshServer()
    statusTold = nil
    hasDeferred = false
    deferredParameters = nil
    isBoosted = false
    proxyTarget = 0
    (idleTold, idleRefused) = (false, false)
    lastRecord = []
    noteProfile("link \(link.parameters.interval)/\(link.parameters.latency)/\(link.parameters.timeout)")
    updateTimer = world.loop.schedule(after: traits.updateDelay) { [weak self] in self?.sendDeferred() }
    if traits.actsAsClient { ask(1) }
    notifyStatus()
  }
  /// Stops all timers and drops replies in flight. Counts a link that ends while a stream runs.
  public override func linkClosed() {
    for timer in [updateTimer, smpIdleTimer, questionTimer, writeDelay, streamTimer, recordTimer] {
      if let timer { world.loop.cancel(timer) }
    }
    updateTimer = nil
    smpIdleTimer = nil
    questionTimer = nil
    writeDelay = nil
    streamTimer = nil
    recordTimer = nil
    held = []
    question = 0
    onAir = []
    smp.reset()
    if state.isStream { leftStreaming += 1 }
    lastVisitEnd = world.loop.now
  }
  /// Values persist over links, subscriptions do not. (The firmware keeps them for a bonded client, but only until that
  /// client returns.)
  private func freshServer() -> GATTServer {
    var server = server
    server.reset()
    return server
  }
  /// Counts the links that were encrypted.
  public override func linkSecured() { securedLinks += 1 }
  /// Logs the parameters in effect, and shows the profile that the firmware infers from the interval alone. From 200 ms
  /// on this is 2, from 50 ms on 1, else 0.
  public override func parametersChanged(_ parameters: EffectiveParameters) {
    noteProfile("now \(parameters.interval)/\(parameters.latency)/\(parameters.timeout)")
    // The firmware guesses its profile from the interval alone.
    let guess: UInt8 = parameters.interval >= 160 ? 2 : parameters.interval >= 40 ? 1 : 0
    if let handle = database.handle(.control(0x8B)) { server.setValue([guess], at: handle) }
  }

  func noteProfile(_ what: String) {
    if profileLog.count == 64 { profileLog.removeFirst() }
    profileLog.append(what)
  }

  // MARK: Events of the link

  /// Handles a PDU of the hub. While an earlier write is delayed, requests and commands are queued.
  public override func received(_ pdu: RawBytes, on link: VirtualLink) { take(pdu, on: link) }
  /// Notes file data and live records that reached the hub.
  public override func delivered(_ freight: Freight) { noteDelivered(freight) }
  /// Drops a lost reply or record: it does not count as served.
  public override func lost(_ freight: Freight) { noteLost(freight) }
  /// Drops a refused reply or record: it does not count as served.
  public override func refused(_ freight: Freight) { noteLost(freight) }

  // MARK: Notifications

  /// Notifies a subscriber, unless the insole's queue loses the value.
  func notify(_ place: InsolePlace, _ value: [UInt8], isAnnouncement: Bool = false, isRecord: Bool = false) {
    guard let link, link.isOpen, let handle = database.handle(place), server.subscription(at: handle) & 1 != 0 else {
      return
    }
    if traits.notificationLoss > 0, random.chance(traits.notificationLoss) { return }
    if isAnnouncement, traits.losesAnnouncements { return }
    var freight = Freight.protocolData
    if isRecord {
      freight = .piece(nextPiece)
      recordsOnAir.append((nextPiece, value))
      nextPiece += 1
    }
    link.carry(server.notification(at: handle, value: value), freight)
  }

  func notifyStatus() { notify(.info(0xAB), littleEndian(statusWord)) }

  // MARK: Boot

  func announceAtBoot() {
    let highest = memory.highestID
    announcement = highest == 0 ? (0, "") : (highest, InsoleSMP.path(highest, suffix: traits.bootSuffix))
  }
  /// Switches off and on: an open session keeps only its header, the clock restarts, an erase is possible again.
  public func reboot() {
    link?.peripheralHangsUp()
    boots += 1
    bootedAt = world.loop.now
    if let session, session.hasFile { memory.close(session.id, at: bootedAt) }
    session = nil
    state = .idle
    stateBeforePause = .idle
    hasErased = false
    errorBits = 0
    everConnected = false
    clock = InsoleClock(traits, bootedAt: bootedAt)
    announceAtBoot()
  }

  func countErase(effective: Bool) {
    eraseCommands += 1
    if effective { erasures += 1 }
  }

  func noteTimeSet(_ epoch: UInt32) {
    if timesSet.count == 256 { timesSet.removeFirst() }
    timesSet.append((epoch, world.loop.now))
  }

  // MARK: Training wearer

  private func scheduleTraining(_ training: InsoleTraits.Training) {
    trainingTimer = world.loop.schedule(after: random.duration(in: training.pause)) { [weak self] in
      guard let self else { return }
      // Started by a phone or a button, not by the hub.
      if state == .idle { startSession() }
      let length = random.duration(in: training.length)
      trainingTimer = world.loop.schedule(after: length) { [weak self] in
        self?.endTraining()
        self?.scheduleTraining(training)
      }
    }
  }

  private func endTraining() { if state == .running || state == .paused { stopSession() } }
}
