// A simulated insole: what the firmware does on the air, with its defects. The dossier of the protocol is the
// specification.

public import Bluetooth
public import EventLoop
import Health
public import Simulation

/// The twin of a Botz insole (the right foot, which talks to hubs). It keeps a ledger of custody: what it served, what
/// it erased, and what it was told that no hub should tell it.
public final class VirtualInsole: VirtualPeripheral {
  public let traits: InsoleTraits
  /// What the link was asked to be, and became, in order; the newest 64.
  public private(set) var profileLog: [String] = []
  /// Commands and frames that a hub must never send; the newest 64.
  public private(set) var forbidden: [String] = []
  /// Commands that only came in a wrong state because that began while they were on the air; the newest 64.
  public internal(set) var crossed: [String] = []
  public private(set) var bootedAt: Instant
  public private(set) var boots = 1
  /// Erase commands that came, and those that did something.
  public private(set) var eraseCommands = 0
  public private(set) var erasures = 0
  /// The hub answered its questions as a hub should.
  public internal(set) var mistookHubForItsOtherFoot = false
  public internal(set) var answersFromHub: [[UInt8]] = []
  public private(set) var timesSet: [(epoch: UInt32, at: Instant)] = []
  /// When the last link ended on which something was asked of it.
  public private(set) var lastVisitEnd: Instant?
  public private(set) var links = 0
  public private(set) var securedLinks = 0
  /// Times in which files were asked for and served: two insoles whose spans overlap were fetched at the same time.
  /// Requests that follow each other within `spanGap` are one.
  public internal(set) var fetchSpans: [(from: Instant, to: Instant)] = []

  var memory: InsoleMemory
  var server: GATTServer
  let database: InsoleDatabase
  var clock: InsoleClock
  var smp: InsoleSMP
  var state = InsoleState.idle
  var stateBeforePause = InsoleState.idle
  /// When the state last changed, and when the hub was told it, if it has asked for nothing else over this link since.
  var stateSince = Instant(nanoseconds: .min)
  var statusTold: Instant?
  var session: InsoleSession?
  var hasErased = false
  var errorBits: UInt32 = 0
  var everConnected = false
  var announcement: (id: UInt8, path: String) = (0, "")
  var streamTimer: LoopTimer?
  var recordTimer: LoopTimer?
  /// Commands as they came, over all links; the newest 256.
  public internal(set) var commands: [(command: UInt8, value: [UInt8], at: Instant)] = []
  /// Profile 2 was written over this link, or refused over it.
  var idleTold = false
  var idleRefused = false
  /// Values of streams that went out.
  public internal(set) var streamValuesSent = 0
  /// Links that ended with streams on, and management frames that came while one was.
  public private(set) var leftStreaming = 0
  public internal(set) var framesWhileStreaming = 0
  private var trainingTimer: LoopTimer?

  /// The profile that was written before the link was old enough, or the parameters that shall go out then.
  var deferredParameters: ConnectionParameters?
  var hasDeferred = false
  var updateTimer: LoopTimer?
  var smpIdleTimer: LoopTimer?
  var isBoosted = false
  /// Its own requests under way: 1 MTU, 2 search.
  var question = 0
  var questionTimer: LoopTimer?
  var writeDelay: LoopTimer?
  var held: [[UInt8]] = []
  var nextPiece: UInt64 = 1
  /// Replies on the air that carry file data, oldest first.
  var onAir: [(piece: UInt64, id: UInt8, generation: Int, offset: Int, count: Int, asked: Instant)] = []
  /// Live records on the air, oldest first, and the last one that arrived on this link.
  var recordsOnAir: [(piece: UInt64, record: [UInt8])] = []
  var lastRecord: [UInt8] = []
  var records = LiveTruth([.cadence, .pace, .speed])
  var proxyTarget: UInt8 = 0
  private let advertisement: [UInt8] = [0x02, 0x01, 0x06, 0x05, 0x03, 0x0F, 0x18, 0x05, 0x18]
  private let response: [UInt8]

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

  public override var advertisingData: [UInt8] { advertisement }
  public override var scanResponse: [UInt8] { response }
  public override var dataLength: Int { 125 }
  public override var label: String { traits.label }
  public override var acceptsPairing: Bool { traits.pairing == .justWorks && (bond == nil || !traits.keepsFirstBond) }

  // MARK: For checkers and scenarios

  public override var mustBeServed: Bool { traits.conduct == nil && !traits.isLeftFoot && traits.hasSMP }
  /// While it holds a closed file that nobody fetched it waits, whatever links there are; else a link is a visit.
  public override var servedAt: Instant? {
    if state == .idle, let since = memory.oldestUnserved { return since }
    return link != nil ? world.loop.now : lastVisitEnd
  }
  public override var isOwedVisits: Bool { true }
  public override var everHeld: [HeldContent] { memory.everHeld }
  public override var liveTruth: LiveTruth? { traits.conduct == nil ? records : nil }
  /// Files that are there now, by id.
  public var files: [InsoleFile] { memory.files }
  /// Files that were erased, oldest first.
  public var erasedFiles: [InsoleFile] { memory.erased }
  public var usedMemory: Int { memory.used }
  public var isRecording: Bool { session != nil }
  public var statusWord: UInt32 {
    errorBits | state.bits | (everConnected ? 0x4000_0000 : 0)
  }
  public var uptime: Duration { world.loop.now - bootedAt }
  /// What its clock says.
  public var deviceEpoch: UInt32 { clock.epoch(at: world.loop.now) }
  public var forbiddenFrames: [String] { smp.forbidden }

  /// Where a value is in its table.
  public func handle(_ service: BluetoothUUID, _ characteristic: BluetoothUUID) -> UInt16? {
    database.handle(InsolePlace(service: service, characteristic: characteristic))
  }

  /// Puts a closed file of these bytes there, and announces it as a boot does.
  public func put(file id: UInt8, _ bytes: [UInt8]) {
    memory.put(id, bytes, at: world.loop.now)
    announceAtBoot()
  }

  /// Somebody else sets its clock.
  public func setClock(_ epoch: UInt32) {
    clock.set(Int64(epoch), at: world.loop.now)
    clock.forget(before: world.loop.now)
  }

  func forbid(_ what: String) {
    if forbidden.count < 64 { forbidden.append(what) }
  }

  // MARK: The link

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

  /// Values stay over links, subscriptions do not (the firmware keeps them for a bonded client only while that one
  /// returns).
  private func freshServer() -> GATTServer {
    var server = server
    server.reset()
    return server
  }

  public override func linkSecured() { securedLinks += 1 }

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

  // MARK: What happens on it

  public override func received(_ pdu: RawBytes, on link: VirtualLink) { take(pdu, on: link) }
  public override func delivered(_ freight: Freight) { noteDelivered(freight) }
  public override func lost(_ freight: Freight) { noteLost(freight) }
  public override func refused(_ freight: Freight) { noteLost(freight) }

  // MARK: Notifications

  /// To a subscriber, unless its queue loses it.
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

  /// Power off and on: an open session is lost but for its header, the clock begins anew, an erase is possible again.
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

  // MARK: A wearer who trains

  private func scheduleTraining(_ training: InsoleTraits.Training) {
    trainingTimer = world.loop.schedule(after: random.duration(in: training.pause)) { [weak self] in
      guard let self else { return }
      // A phone or a button starts it; the hub has nothing to do with it.
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
