// Simulated Polar wearable: an H10, a Verity Sense, a Polar 360 or a watch on the air, with their defects. Written from
// the description of the protocol, and independent of the driver except for the generated messages. That independence
// is its value as a proof.

public import Bluetooth
public import EventLoop
import PolarMessages
public import Simulation

/// Twin of a Polar wearable. Ledgers record what it measured and delivered, the contents of its files, and their
/// fetches and removals.
public final class VirtualPolar: VirtualPeripheral {
  /// Traits of the wearable.
  public let traits: PolarTraits
  /// File system of the wearable.
  public internal(set) var files: PolarFiles
  /// Clock of the wearable.
  public internal(set) var clock: PolarClock { didSet { clocks.append((clock, world.loop.now)) } }
  /// Clocks with the time from which each was valid: one entry for each setting or loss.
  public private(set) var clocks: [(clock: PolarClock, from: Instant)]
  /// Clock of the frames' time stamps. On some models it follows the clock only after the next start.
  var streamClock: PolarClock
  /// Life of the wearer.
  public internal(set) var life: PolarLife
  let firstDay: Int
  var days: [Int: PolarDay] = [:]

  // Ledgers.
  /// Every stream that was started, with its delivered samples.
  public internal(set) var liveRuns: [PolarRun] = []
  /// Every recording that was started, with its samples written to files.
  public internal(set) var recordedRuns: [PolarRun] = []
  /// Every exercise that a strap stored.
  public internal(set) var exercises: [StrapExercise] = []
  /// Every training that was written.
  public internal(set) var trainings: [PolarTraining] = []
  /// Every file of a day that became complete.
  public internal(set) var dayParts: [PolarDayPart] = []
  /// Summaries served, in the order of time.
  public internal(set) var summariesServed: [PolarSummaryServed] = []
  /// Heart rates that reached the hub while it was subscribed, if the world keeps the truth.
  public private(set) var beats: [PolarBeat] = []
  /// Requests, queries and notifications of the host, in order; the newest 1,024.
  public private(set) var requestLog: [String] = []
  /// Commands of the measurement service with their answers; the newest 256.
  public internal(set) var commandLog: [(operation: UInt8, subject: UInt8, status: UInt8)] = []
  /// Files that hosts wrote.
  public internal(set) var puts: [(path: String, bytes: [UInt8])] = []
  /// Fields that were changed when whole files were written.
  public internal(set) var changes: [PolarChange] = []
  /// Paths that hosts removed.
  public internal(set) var removals: [String] = []
  /// Removals of files that were being recorded: no hub should request that.
  public internal(set) var removalsOfRunning: [String] = []
  /// Times that hosts set, in local time.
  public internal(set) var timesSet: [(local: Int64, at: Instant)] = []
  /// Times at which a host received its complete time answer.
  public internal(set) var clockReadings: [Instant] = []
  /// Transfers that hosts cancelled.
  public internal(set) var cancellations = 0
  /// Requests that were answered with `busy`.
  public internal(set) var busyAnswers = 0
  /// Synchronisations that hosts began.
  public internal(set) var synchronisations = 0
  /// Starts so far.
  public internal(set) var boots = 1
  /// Links so far.
  public private(set) var links = 0
  /// Time of the first link, if any.
  public private(set) var firstLinkAt: Instant?
  /// Begin and end of each host's link; the last one may be open.
  public private(set) var linkSpans: [(from: Instant, until: Instant?)] = []
  /// End of the last visit, if any.
  public private(set) var lastVisitEnd: Instant?
  /// Links that ended during a synchronisation, or with active streams.
  public private(set) var leftSynchronising = 0
  /// Links that ended while a stream ran.
  public private(set) var leftStreaming = 0

  // State.
  var server: GATTServer
  var incoming = PolarAir()
  var hostNotification = PolarAir()
  var sending: Answer?
  var answers: UInt64 = 0
  /// Running streams.
  public internal(set) var streams: [PolarKind: (run: PolarRun, began: Instant)] = [:]
  var recordings: [PolarKind: PolarRecording] = [:]
  var framesToSkip = 0
  /// Whether it lies in its charger; no recording begins there.
  public var isInCharger = false
  /// Disconnects at a command of the measurement service, counted from the first that ends something. The disconnect is
  /// before the command is carried out, or before its answer is sent.
  public var cutsLink: (command: Int, isHandled: Bool)?
  var commandsSinceEnd: Int?
  /// True in SDK mode.
  public internal(set) var isSDKMode = false
  /// Mode of the triggers.
  public internal(set) var triggerMode: UInt8 = 0
  /// Settings of the triggers.
  public internal(set) var triggers: [PolarKind: [UInt8]] = [:]
  var strapExercise: StrapExercise?
  /// True during a training.
  public internal(set) var isTraining = false
  /// Begin of the training, and the clock at that time.
  var trainingBegan: (at: Instant, clock: PolarClock)?
  /// Whether the training was paused remotely.
  public internal(set) var isTrainingPaused = false
  /// Trainings that were ended by a request for intervals.
  public internal(set) var trainingsAborted = 0
  /// Watches only.
  public var showsTrainingScreen: Bool
  var isRetired = false
  /// Whether all answers are withheld until the link ends.
  var isSilent = false
  /// True while sleep is recorded.
  public internal(set) var isSleeping = false
  /// Time at which the recording of sleep was stopped.
  public internal(set) var sleepEnded: Instant?
  /// Radio switches, by the op codes that set them.
  public internal(set) var radio: [UInt8: Bool] = [:]
  /// Changes of the radio switches.
  public internal(set) var radioTurns: [(operation: UInt8, isOn: Bool)] = []
  var changeTimer: LoopTimer?
  /// Number of automatic changes of its clock.
  public internal(set) var clockChanges = 0
  /// True during a synchronisation.
  public internal(set) var isSynchronising = false
  var isInSession = false
  var isOff = false
  private var battery: Double
  private var batteryAsOf: Instant
  let heart: PolarSignal
  var heartTimer: LoopTimer?
  var offBody: LoopTimer?
  var advertisedCounter: UInt8 = 0
  var advertisedBeat = -1

  enum Piece {
    case packet(UInt64)
    case frame(PolarRun, Range<Int>)
    case beat(rate: UInt8, interval: UInt16, second: Int)
  }
  private var pieces: [(number: UInt64, piece: Piece)] = []
  private var lastPiece: UInt64 = 0
  /// A wearable in a world.
  public init(_ world: VirtualWorld, address: BluetoothAddress, random: SeededRandom, traits: PolarTraits) {
    self.traits = traits
    showsTrainingScreen = traits.showsTrainingScreen
    var draw = random.split(7)
    files = PolarFiles(capacity: traits.memory, keepsPast: traits.keepsPast)
    clock = PolarClock(traits, wall: world.loop.wall, at: world.loop.now)
    clocks = [(clock, world.loop.now)]
    streamClock = clock
    life = PolarLife(seed: draw.next())
    heart = PolarSignal(kind: .heartRate, seed: draw.next())
    firstDay = Int(clock.now(at: world.loop.now).floored(by: VirtualPolar.dayLength)) - traits.daysBefore
    server = GATTServer(traits.services, ownMTU: traits.mtu)
    battery = traits.battery
    batteryAsOf = world.loop.now
    super.init(
      world, address: address, advertisingInterval: traits.advertisingInterval, rssi: traits.rssi, random: random)
    putOwnFiles()
    radio[RadioSwitch.broadcast.rawValue] = traits.broadcastsHeartRate
    if traits.daysBefore > 0 { flushDays() }
    if traits.training != nil { scheduleTraining() }
  }

  private func putOwnFiles() {
    var device = PbDeviceInfo()
    let numbers = traits.firmware.split(separator: ".").compactMap { UInt32($0) }
    device.deviceVersion.major = numbers.first ?? 0
    device.deviceVersion.minor = numbers.dropFirst().first ?? 0
    device.deviceVersion.patch = numbers.dropFirst(2).first ?? 0
    device.modelName = "Polar " + traits.model.rawValue
    files.put("/DEVICE.BPB", (try? device.wire()) ?? [], isWhole: false)
  }

  // MARK: For checkers and scenarios

  /// Label of the traits, for logs and checkers.
  public override var label: String { traits.label }
  /// True if it advertises and behaves.
  public override var mustBeServed: Bool { traits.conduct == nil && isAdvertising }
  /// Time of the last visit: now while a link is open, else the end of the last link.
  public override var servedAt: Instant? { link != nil ? world.loop.now : lastVisitEnd }
  /// True unless it is a plain strap.
  public override var isOwedVisits: Bool { traits.model != .h10 }
  /// Every file that was ever complete, each in one part, in the order of completion. Empty unless the traits keep the
  /// past.
  public override var everHeld: [HeldContent] { files.everWhole.map { [$0] } }
  /// True if it accepts a pairing now.
  public override var acceptsPairing: Bool { bond == nil || traits.model != .band360 }
  /// Level of the battery in percent.
  public var batteryLevel: UInt8 {
    // The value is frozen while older firmware is connected to USB.
    if traits.isCharging, traits.model == .veritySense, traits.firmware.isOlder(than: "2.2.6") { return UInt8(battery) }
    let hours = (world.loop.now - batteryAsOf).inSeconds / 3600
    return UInt8(max(1, min(100, battery + hours * (traits.isCharging ? 40 : -traits.batteryDrain))))
  }
  /// Heart rates that reached the hub since the last call, for a judge that reads them every day. A month of them has
  /// hundreds of megabytes.
  public func takeBeats() -> [PolarBeat] {
    defer { beats = [] }
    return beats
  }

  func log(_ what: String) {
    if requestLog.count == 1024 { requestLog.removeFirst(512) }
    requestLog.append(what)
  }

  // MARK: Advertising

  /// Flags, the services 180D (heart rate) and FEEE (Polar), and the manufacturer data with the heart rate if it
  /// broadcasts.
  public override var advertisingData: [UInt8] {
    [0x02, 0x01, 0x06, 0x05, 0x03, 0x0D, 0x18, 0xEE, 0xFE] + manufacturerData
  }
  /// The local name of the traits, at most 29 bytes.
  public override var scanResponse: [UInt8] {
    let name = Array(traits.localName.utf8.prefix(29))
    return [UInt8(name.count + 1), 0x09] + name
  }

  // MARK: Link

  /// Logs the begin of the link, and drops incomplete messages of the last one.
  public override func linkOpened(_ link: VirtualLink) {
    links += 1
    firstLinkAt = firstLinkAt ?? world.loop.now
    linkSpans.append((world.loop.now, nil))
    incoming.reset()
    hostNotification.reset()
    sending = nil
  }
  /// Ends the synchronisation and resets the server. Streams end too, except on an H10. Counts a link that ends during
  /// a synchronisation or with active streams.
  public override func linkClosed() {
    if let last = linkSpans.indices.last { linkSpans[last].until = world.loop.now }
    if isSynchronising { leftSynchronising += 1 }
    if !streams.isEmpty { leftStreaming += 1 }
    isSynchronising = false
    isInSession = false
    isSilent = false
    sending = nil
    server.reset()
    for timer in [heartTimer, offBody] { if let timer { world.loop.cancel(timer) } }
    heartTimer = nil
    offBody = nil
    // On an H10 a stream continues until it is stopped; on other models it ends with the link.
    if traits.model != .h10 { streams = [:] }
    lastVisitEnd = world.loop.now
  }
  /// Answers a PDU of the hub, with a refusal if it needs a bond and the link is not encrypted. The battery level is
  /// updated before each answer.
  public override func received(_ pdu: RawBytes, on link: VirtualLink) {
    if let refusal = securityRefusal(pdu, link) { return link.carry(refusal, .protocolData) }
    if let handle = server.valueHandle(of: 0x2A19), server.value(at: handle) != [batteryLevel] {
      server.setValue([batteryLevel], at: handle)
    }
    if let response = server.respond(to: pdu) { link.carry(response, .protocolData) }
    for write in server.takeWrites() { take(write) }
  }

  func nextPiece(_ piece: Piece) -> UInt64 {
    lastPiece += 1
    pieces.append((lastPiece, piece))
    return lastPiece
  }
  /// Notes samples, heart rates and packets of messages that reached the hub.
  public override func delivered(_ freight: Freight) { ended(freight, wasDelivered: true) }
  /// Counts a lost PDU as undelivered: a message with a lost packet goes on, but its file does not count as served.
  public override func lost(_ freight: Freight) { ended(freight, wasDelivered: false) }
  /// Counts a refused PDU as undelivered, like a lost one.
  public override func refused(_ freight: Freight) { ended(freight, wasDelivered: false) }

  private func ended(_ freight: Freight, wasDelivered: Bool) {
    guard case .piece(let number) = freight, let place = pieces.firstIndex(where: { $0.number == number }) else {
      return
    }
    switch pieces.remove(at: place).piece {
    case .packet(let answer): packetEnded(answer, wasDelivered: wasDelivered)
    case .frame(let run, let samples): if wasDelivered { run.noteDelivered(samples) }
    case .beat(let rate, let interval, let second):
      if wasDelivered, world.options.keepsGroundTruth {
        beats.append(
          PolarBeat(at: world.loop.now, wall: world.loop.wall, rate: rate, interval: interval, second: second))
      }
    }
  }
}
