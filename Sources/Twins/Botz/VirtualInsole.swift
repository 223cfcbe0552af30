// A simulated insole: what the firmware does on the air, with its defects. The dossier of the protocol is the specification.

public import Bluetooth
public import EventLoop
import Health
public import Simulation

/// The twin of a Botz insole (the right foot, which talks to hubs). It keeps a ledger of custody: what it served, what it erased, and
/// what it was told that no hub should tell it.
public final class VirtualInsole: VirtualPeripheral {
  public let traits: InsoleTraits
  /// What the link was asked to be, and became, in order; the newest 64.
  public private(set) var profileLog: [String] = []
  /// Commands and frames that a hub must never send; the newest 64.
  public private(set) var forbidden: [String] = []
  public private(set) var bootedAt: Instant
  public private(set) var boots = 1
  /// Erase commands that came, and those that did something.
  public private(set) var eraseCommands = 0
  public private(set) var erasures = 0
  /// The hub answered its questions as a hub should.
  public private(set) var mistookHubForItsOtherFoot = false
  public private(set) var answersFromHub: [[UInt8]] = []
  public private(set) var timesSet: [(epoch: UInt32, at: Instant)] = []
  /// When the last link ended on which something was asked of it.
  public private(set) var lastVisitEnd: Instant?
  public private(set) var links = 0
  public private(set) var securedLinks = 0
  /// Times in which files were asked for and served: two insoles whose spans overlap were fetched at the same time. Requests that follow each other
  /// within `spanGap` are one.
  public private(set) var fetchSpans: [(from: Instant, to: Instant)] = []

  var memory: InsoleMemory
  var server: GATTServer
  let database: InsoleDatabase
  var clock: InsoleClock
  var smp: InsoleSMP
  var state = InsoleState.idle
  var stateBeforePause = InsoleState.idle
  /// When the state last changed, and when the hub was last told something over this link.
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
  public private(set) var framesWhileStreaming = 0
  private var trainingTimer: LoopTimer?

  /// The profile that was written before the link was old enough, or the parameters that shall go out then.
  private var deferredParameters: ConnectionParameters?
  private var hasDeferred = false
  private var updateTimer: LoopTimer?
  private var smpIdleTimer: LoopTimer?
  private var isBoosted = false
  /// Its own requests under way: 1 MTU, 2 search.
  private var question = 0
  private var questionTimer: LoopTimer?
  private var writeDelay: LoopTimer?
  private var held: [[UInt8]] = []
  private var nextPiece: UInt64 = 1
  /// Replies on the air that carry file data, oldest first.
  private var onAir: [(piece: UInt64, id: UInt8, generation: Int, offset: Int, count: Int, asked: Instant)] = []
  /// A hub that goes on asks at once; one that comes back after it was at another insole has looked at state and clock first.
  private static let spanGap: Duration = .milliseconds(60)
  /// Live records on the air, oldest first, and the last one that arrived on this link.
  private var recordsOnAir: [(piece: UInt64, record: [UInt8])] = []
  private var lastRecord: [UInt8] = []
  private var records = LiveTruth([.cadence, .pace, .speed])
  private var proxyTarget: UInt8 = 0
  private let advertisement: [UInt8] = [0x02, 0x01, 0x06, 0x05, 0x03, 0x0F, 0x18, 0x05, 0x18]
  private let response: [UInt8]

  public init(_ world: VirtualWorld, address: BluetoothAddress, random: SeededRandom, traits: InsoleTraits = InsoleTraits()) {
    self.traits = traits
    bootedAt = world.loop.now
    memory = InsoleMemory(capacity: traits.memory)
    clock = InsoleClock(traits, bootedAt: world.loop.now)
    database = InsoleDatabase(traits)
    server = GATTServer(database.services, ownMTU: 121)
    smp = InsoleSMP(traits)
    let name = Array((traits.isLeftFoot ? "BotzLeftSh" : "BotzRightSh").utf8)
    response = [0x11, 0x07] + InsoleUUID.advertised.wireBytes + (traits.namesItself ? [UInt8(name.count + 1), 0x09] + name : [])
    super.init(world, address: address, advertisingInterval: traits.advertisingInterval, rssi: traits.rssi, random: random)
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
  public var smpFrames: Int { smp.frames }
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
    for timer in [updateTimer, smpIdleTimer, questionTimer, writeDelay, streamTimer, recordTimer] { if let timer { world.loop.cancel(timer) } }
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

  /// Values stay over links, subscriptions do not (the firmware keeps them for a bonded client only while that one returns).
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

  private func noteProfile(_ what: String) {
    if profileLog.count == 64 { profileLog.removeFirst() }
    profileLog.append(what)
  }

  // MARK: What it asks of the hub

  private func ask(_ number: Int) {
    guard let link else { return }
    question = number
    if number == 1 {
      link.carry([0x02, 121, 0], .protocolData)
    } else {
      link.carry([0x06, 0x01, 0x00, 0xFF, 0xFF, 0x00, 0x28] + InsoleUUID.otherFoot.wireBytes, .protocolData)
    }
    // Without an answer its client is dead for this link.
    questionTimer = world.loop.schedule(after: .seconds(30)) { [weak self] in
      self?.question = 0
      self?.forbid("question \(number) was not answered")
    }
  }

  private func answered(_ pdu: RawBytes) {
    if answersFromHub.count < 64 { answersFromHub.append(Array(pdu)) }
    if let questionTimer { world.loop.cancel(questionTimer) }
    questionTimer = nil
    let asked = question
    question = 0
    if asked == 1 {
      if pdu.count == 3, pdu[0] == 0x03 { server.settleMTU(peer: Int(pdu[1]) | Int(pdu[2]) << 8) }
      if traits.hasLeftFoot { link?.askForSecurity() } else { ask(2) }
    } else if asked == 2 {
      if pdu[0] == 0x07 { mistookHubForItsOtherFoot = true } else { link?.askForSecurity() }
    }
  }

  // MARK: What the hub asks

  public override func received(_ pdu: RawBytes, on link: VirtualLink) {
    guard let opcode = pdu.first else { return }
    // Odd opcodes below a notification's are responses.
    if opcode & 1 == 1, opcode < 0x1B {
      if question != 0 { answered(pdu) }
      return
    }
    if writeDelay != nil { return held.append(Array(pdu)) }
    if let refusal = securityRefusal(pdu, link) { return link.carry(refusal, .protocolData) }
    if (opcode == 0x12 || opcode == 0x52), pdu.count >= 3 {
      let handle = UInt16(pdu[1]) | UInt16(pdu[2]) << 8
      if let place = database.place(handle), takesWrites(place) {
        return write(place, Array(pdu[3...]), handle: handle, isRequest: opcode == 0x12, on: link)
      }
    }
    refresh(pdu, opcode)
    if let response = server.respond(to: pdu) { link.carry(response, .protocolData) }
    for write in server.takeWrites() where write.attribute == .clientCharacteristicConfiguration { subscribed(write) }
  }

  /// Builds of June 2025 want an encrypted link for everything of the vendor's: 0x0F with a bond, 0x05 without.
  private func securityRefusal(_ pdu: RawBytes, _ link: VirtualLink) -> [UInt8]? {
    guard traits.era == .june2025, !link.isSecured, let opcode = pdu.first, pdu.count >= 3, [0x0A, 0x0C, 0x12, 0x16].contains(opcode) else { return nil }
    let handle = UInt16(pdu[1]) | UInt16(pdu[2]) << 8
    guard database.isVendor(handle) else { return nil }
    return [0x01, opcode, pdu[1], pdu[2], bond == nil ? 0x05 : 0x0F]
  }

  private func takesWrites(_ place: InsolePlace) -> Bool {
    place.service == InsoleUUID.control || place == .smp || place.service == InsoleUUID.smpProxy || place.service == InsoleUUID.otherFootReceiver
      || place.service == InsoleUUID.fota(1) || place.service == InsoleUUID.fileProxy(1)
  }

  /// Values that are made when somebody asks.
  private func refresh(_ pdu: RawBytes, _ opcode: UInt8) {
    guard opcode == 0x0A || opcode == 0x0C || opcode == 0x08 || opcode == 0x0E || opcode == 0x20 else { return }
    let now = world.loop.now
    statusTold = now
    set(.currentTime, clock.currentTime(at: now))
    set(.info(0xAB), littleEndian(statusWord))
    var pack = littleEndian(statusWord) + [80, 0, 25, 0]
    pack.append(littleEndian: UInt32(truncatingIfNeeded: Int64(uptime.inSeconds)))
    set(.info(0xC7), pack + [0, 0, 0, 0])
    set(.info(0xC2), [announcement.id])
    set(.info(0xC3), Array(announcement.path.utf8))
    refreshMetrics()
    guard traits.conduct == .oddValues else { return }
    for part: UInt8 in [0xAB, 0xC7, 0xC8, 0xC2] { set(.info(part), [0xFF, 0xFE, 0xFD, 0xFC, 0xFB]) }
    set(.currentTime, [0xE9])
  }

  func set(_ place: InsolePlace, _ value: [UInt8]) {
    if let handle = database.handle(place) { server.setValue(value, at: handle) }
  }

  func littleEndian(_ value: UInt32) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: value)
    return bytes
  }

  private func subscribed(_ write: GATTWrite) {
    armStreams()
    armRecords()
  }

  // MARK: Writes

  private func write(_ place: InsolePlace, _ value: [UInt8], handle: UInt16, isRequest: Bool, on link: VirtualLink) {
    if place == .smp || place.service == InsoleUUID.smpProxy {
      let isProxy = place != .smp
      if isRequest, place == .smp { return refuse(handle, 0x03, link) }
      if isProxy { writeProxy(place, value, link) } else { takeSMP(value, link) }
      if isRequest { link.carry([0x13], .protocolData) }
      return
    }
    var code: UInt8?
    if place.service == InsoleUUID.control {
      let command = UInt8(truncatingIfNeeded: place.characteristic.high >> 32)
      noteCommand(command, value)
      code = control(command, value)
    } else if place.service == InsoleUUID.otherFootReceiver {
      forbid("a write to the service of the other foot")
    } else if place.service == InsoleUUID.fileProxy(1) {
      code = fileProxy(place, value, link)
    } else if place == InsolePlace(service: InsoleUUID.fota(1), characteristic: InsoleUUID.fota(4)) {
      code = 0x03
    }
    guard isRequest else { return }
    let response: [UInt8] = code.map { [0x01, 0x12, UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8), $0] } ?? [0x13]
    let delay = random.duration(in: traits.controlLatency)
    if delay == .zero { return link.carry(response, .protocolData) }
    writeDelay = world.loop.schedule(after: delay) { [weak self] in
      guard let self, let link = self.link else { return }
      writeDelay = nil
      link.carry(response, .protocolData)
      let waiting = held
      held = []
      for pdu in waiting { pdu.withUnsafeBytes { self.received($0, on: link) } }
    }
  }

  private func refuse(_ handle: UInt16, _ code: UInt8, _ link: VirtualLink) {
    link.carry([0x01, 0x12, UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8), code], .protocolData)
  }

  // MARK: SMP

  private func takeSMP(_ bytes: [UInt8], _ link: VirtualLink) {
    if state.isStream { framesWhileStreaming += 1 }
    boost()
    guard let frame = smp.take(bytes) else { return }
    switch smp.act(on: frame, &memory) {
    case .silence: break
    case .reply(let bytes, let serves): send(bytes, serves: serves, on: link)
    case .replyAndReboot(let bytes):
      send(bytes, serves: nil, on: link)
      world.loop.schedule(after: .milliseconds(500)) { [weak self] in self?.reboot() }
    }
  }

  /// One frame in notifications of what the MTU lets through.
  private func send(_ frame: [UInt8], serves: (id: UInt8, generation: Int, offset: Int, count: Int)?, on link: VirtualLink) {
    guard let handle = database.handle(.smp), server.subscription(at: handle) & 1 != 0 else { return }
    let size = server.mtu - 3
    var start = 0
    var isWhole = true
    while start < frame.count {
      let end = min(start + size, frame.count)
      let isLast = end == frame.count
      if traits.losesReplies, random.chance(traits.notificationLoss) {
        isWhole = false
      } else {
        var pdu: [UInt8] = []
        pdu.reserveCapacity(end - start + 3)
        pdu.append(0x1B)
        pdu.append(littleEndian: handle)
        pdu += frame[start..<end]
        var freight = Freight.protocolData
        if isLast, isWhole, let serves, serves.count > 0 {
          freight = .piece(nextPiece)
          onAir.append((nextPiece, serves.id, serves.generation, serves.offset, serves.count, world.loop.now))
          nextPiece += 1
        }
        link.carry(pdu, freight)
      }
      start = end
    }
  }

  public override func delivered(_ freight: Freight) {
    guard case .piece(let piece) = freight else { return }
    if let index = recordsOnAir.firstIndex(where: { $0.piece == piece }) { return noteRecord(recordsOnAir.remove(at: index).record) }
    guard let index = onAir.firstIndex(where: { $0.piece == piece }) else { return }
    let served = onAir.remove(at: index)
    let now = world.loop.now
    memory.serve(served.id, generation: served.generation, offset: served.offset, count: served.count, at: now)
    if let last = fetchSpans.indices.last, served.asked - fetchSpans[last].to <= Self.spanGap {
      fetchSpans[last].to = now
    } else {
      if fetchSpans.count == 8192 { fetchSpans.removeFirst(4096) }
      fetchSpans.append((served.asked, now))
    }
  }

  public override func lost(_ freight: Freight) {
    guard case .piece(let piece) = freight else { return }
    onAir.removeAll { $0.piece == piece }
    recordsOnAir.removeAll { $0.piece == piece }
  }

  /// Section 9.2: cadence at 8, pace at 10 (0: nobody walks), speed at 12. A record that is told twice in a row is one.
  private func noteRecord(_ record: [UInt8]) {
    if record == lastRecord { return }
    lastRecord = record
    guard world.options.keepsGroundTruth else { return }
    func number(_ offset: Int) -> Int64 { Int64(record[offset]) | Int64(record[offset + 1]) << 8 }
    records.append(number(8), of: .cadence, world.loop)
    if number(10) == 0 { return }
    records.append(number(10), of: .pace, world.loop)
    records.append(number(12), of: .speed, world.loop)
  }

  public override func refused(_ freight: Freight) { lost(freight) }

  private func writeProxy(_ place: InsolePlace, _ value: [UInt8], _ link: VirtualLink) {
    if place == .smpTarget {
      proxyTarget = value.first ?? 0
    } else if let handle = database.handle(.smpProxy), server.subscription(at: handle) & 1 != 0 {
      link.carry(server.notification(at: handle, value: [3, 0, 0, 0, 0, 0, 0, proxyTarget == 0 ? 8 : 2]), .protocolData)
    }
  }

  /// Two invented files, whatever there is; see section 9.4.
  private func fileProxy(_ place: InsolePlace, _ value: [UInt8], _ link: VirtualLink) -> UInt8? {
    guard place.characteristic == InsoleUUID.fileProxy(3) else { return nil }
    guard let command = value.first else { return 0x0D }
    let data = InsolePlace(service: InsoleUUID.fileProxy(1), characteristic: InsoleUUID.fileProxy(4))
    guard let handle = database.handle(data) else { return nil }
    func tell(_ bytes: [UInt8]) { if server.subscription(at: handle) & 1 != 0 { link.carry(server.notification(at: handle, value: bytes), .protocolData) } }
    func name(_ text: String) -> [UInt8] { Array(text.utf8) + [UInt8](repeating: 0, count: 28 - text.utf8.count) }
    switch command {
    case 1:
      tell([1, 2])
      tell([1, 1, 0, 4, 0, 0, 0xD2, 2, 0x96, 0x49] + name("foot_1.bin"))
      tell([2, 2, 0, 8, 0, 0, 0xDC, 2, 0x96, 0x49] + name("bhi360_2.bin"))
      return nil
    case 2, 3: return value.count < 3 ? 0x0D : nil
    case 4:
      if value.count < 3 { return 0x0D }
      tell([4])
      tell([2, value[1], value[2], 0, 4, 0, 0, 0xD2, 2, 0x96, 0x49, 0x78, 0x56, 0x34, 0x12])
      return nil
    case 5: return nil
    default: return 0x06
    }
  }

  // MARK: Parameters

  /// The first frame asks for a quick link, five seconds without one ask for an ordinary one.
  private func boost() {
    if !isBoosted {
      isBoosted = true
      request(ConnectionParameters(minimumInterval: 8, maximumInterval: 9, latency: 0, timeout: 42))
    }
    if let smpIdleTimer { world.loop.cancel(smpIdleTimer) }
    smpIdleTimer = world.loop.schedule(after: .seconds(5)) { [weak self] in
      guard let self else { return }
      smpIdleTimer = nil
      isBoosted = false
      request(.preferred)
    }
  }

  private var isYoung: Bool { link.map { world.loop.now - $0.openedAt < traits.updateDelay } ?? false }

  /// Now, or when the link is old enough; the last one wins.
  func request(_ parameters: ConnectionParameters) {
    if isYoung {
      hasDeferred = true
      deferredParameters = parameters
      return
    }
    noteProfile("asks \(parameters.minimumInterval)...\(parameters.maximumInterval)/\(parameters.latency)/\(parameters.timeout)")
    link?.askForParameters(parameters) { [weak self] accepted in self?.noteProfile(accepted ? "agreed" : "rejected") }
  }

  private func sendDeferred() {
    updateTimer = nil
    if !hasDeferred { return request(.preferred) }
    hasDeferred = false
    // The stack looks at the numbers now, and drops illegal ones without a word.
    if let deferredParameters, deferredParameters.defect == nil || traits.idleProfile == .asDocumented { request(deferredParameters) }
  }

  /// A write of the profile characteristic; what ATT answers.
  func writeProfile(_ value: [UInt8]) -> UInt8? {
    guard value.count == 1 else { return 0x0D }
    noteProfile("profile \(value[0])")
    if value[0] == 2 { noteIdle() }
    let parameters: ConnectionParameters
    switch value[0] {
    case 0: parameters = .foreground
    case 1: parameters = .background
    case 2: parameters = .documentedIdle
    default: return 0x13
    }
    if !isYoung, parameters.defect != nil, traits.idleProfile == .asBuilt {
      idleRefused = true
      return 0x0E
    }
    if let handle = database.handle(.control(0x8B)) { server.setValue(value, at: handle) }
    request(parameters)
    return nil
  }

  // MARK: Notifications

  /// To a subscriber, unless its queue loses it.
  func notify(_ place: InsolePlace, _ value: [UInt8], isAnnouncement: Bool = false, isRecord: Bool = false) {
    guard let link, link.isOpen, let handle = database.handle(place), server.subscription(at: handle) & 1 != 0 else { return }
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

extension ConnectionParameters {
  /// What the firmware asks for by itself, and says in its GAP service.
  static let preferred = ConnectionParameters(minimumInterval: 24, maximumInterval: 40, latency: 0, timeout: 42)
  /// The illegal triple of the third profile.
  static let documentedIdle = ConnectionParameters(minimumInterval: 160, maximumInterval: 400, latency: 10, timeout: 1000)
}
