// The driver of the test wearable: as small as a driver with all stages can be.

import Bluetooth
import EventLoop
import Health
import Reasons
import Wearable

struct RecorderDriver: WearableDriver, PacedDriver, LinkedDriver, ConfigurableDriver, RatedDriver, EncryptingDriver,
  AdvertisedValuesDriver, SyncedDriver
{
  var id = "recorder"
  var attention: Duration?
  var removesSingly = false
  /// Refuses to store encrypted data.
  var refusesSecrets = false
  /// Accepts one removal between two restarts; the files are checked before.
  var removesOnce = false
  var wants = PairingNeed.never
  var needsLink = false
  var securesFirst = false
  var setsClock = false
  /// Makes the hub use a `ProfiledRecorderDriver`.
  var profile: ProfileCharacteristic?
  /// Needs such a pause between writes to its service.
  var pause: Duration?
  /// Stops reading after so many bytes of a file, and goes on waiting.
  var stallsAfter: Int?
  /// No host may hang up while it goes on with what it was asked for, and says something this often.
  var transfersWithin: Duration?
  /// Listings are complete, and say so.
  var readsToEnd = false
  /// Values have no sure time.
  var isUnsure = false
  /// Fetching changes the link, for so long after it.
  var disturbs: Duration?
  /// Values that each byte of a file decodes to.
  /// Hears of each time an item is decoded: once to count, once to store.
  var watch: DecodeWatch?
  var valuesPerByte = 1
  /// Listings do not tell contents apart; only the bytes do.
  var marksLate = false
  /// Stores no data and is only listened to.
  var keepsNothing = false
  /// Advertises manufacturer data of company 0xFFFF: a counter and a heart rate.
  var advertises = false
  /// Also before it had a link.
  var isKnownToAdvertise = false
  var switches: [WearableSwitch] = []
  func switches(of wearable: KnownWearable) -> [WearableSwitch] { switches }
  var rates: [Series: [WearableRate]] = [:]
  var settings: [WearableSetting] = []
  /// Beside what it keeps.
  var live: [Series] = []
  /// Live series of its model; nil: whatever its kind has.
  var streams: [Series]?
  /// Files are measured automatically.
  var isAutomatic: Bool?
  /// Files say of each value whether a person started it.
  var tellsManual = false
  /// Files that are asked for from a time on come again with what is new.
  var repeats = false
  /// What its sessions are to bring.
  var wishes: ToldWishes?
  /// When its files began, µs on its clock.
  var began: Int64 = 0
  /// Two kinds of data, of which the second cannot be had.
  var hasBadDomain = false
  /// What its session finds unrecorded at the end, though it was ordered.
  var unrecorded: [Series] = []
  /// Two kinds of data, of which the second is empty.
  var hasNights = false
  /// Why its files cannot be listed.
  var unread: String?
  /// Sends a heart rate over its link, which needs no key.
  var beats = false
  /// The decoder doubts each rate, and with the first one asks for a write and reports a fact.
  var asks = false
  /// Without that it is of no use.
  var needsPulse = false
  /// Makes the hub use the core alone: a `PlainRecorderDriver`.
  var isPlain = false
  /// Capabilities that its wearables report over their link; nil: they are not asked.
  var announces: WearableCapabilities?
  /// What its sessions hear of the link's profile.
  var told: ToldProfiles?
  /// Makes the hub use a `MonitoredRecorderDriver`, with orders for this.
  var monitor: RecorderMonitor?
  var monitoring: [MonitoringChoice] = []
  /// Makes the hub use a `StreamRecorderDriver`.
  var streaming: RecorderStreams?
  /// Makes the hub use a `BandRecorderDriver`.
  var band: RecorderBand?
  /// Makes the hub use a `SensorRecorderDriver`.
  var sensor: RecorderSensor?
  /// Sessions take silence for a late answer.
  var insists: Insistence?
  /// What its sessions find of its clock; nil: that it is one.
  var clock: ToldClock?
  /// Other drivers of its hub.
  var others: [any WearableDriver] = []

  func recognise(_ scanResult: ScanResult) -> Recognition? {
    scanResult.services.contains(recorderService) ? Recognition(kind: "Recorder", priority: 50) : nil
  }
  var liveSources: [LiveSource] {
    beats
      ? [LiveSource(service: recorderService, characteristic: recorderPulse, mode: .subscribe, isRequired: needsPulse)]
      : []
  }
  func makeDecoder() -> any LiveDecoder { Pulses(asks, announces) }
  var capabilities: Capabilities {
    keepsNothing ? [.live(.heartRate)] : Capabilities([.recorded(.heartRate), .erase] + live.map { .live($0) })
  }
  var syncDomains: [SyncDomain] {
    let files = SyncDomain("files", [.heartRate], isAutomatic: isAutomatic, tellsManual: tellsManual)
    if keepsNothing { return [] }
    if hasNights { return [files, SyncDomain("nights", [.sleepStage], isAutomatic: true)] }
    return hasBadDomain ? [SyncDomain("unknown", []), files] : [files]
  }
  var writePaces: [WritePace] { pause.map { [WritePace(service: recorderService, pause: $0)] } ?? [] }
  var pairing: PairingNeed { wants }
  func settings(of wearable: KnownWearable) -> [WearableSetting] { settings }
  func streams(of wearable: KnownWearable) -> [Series]? { streams }
  func rates(of wearable: KnownWearable) -> [Series: [WearableRate]] { rates }
  func secretRefusal(for known: KnownWearable) -> String? { refusesSecrets ? "keeps nothing encrypted" : nil }
  func makeSession(_ link: any WearableLink) -> (any WearableSession)? {
    keepsNothing ? nil : RecorderSession(link, self)
  }

  func makeListener() -> (any AdvertisementListener)? { advertises ? Listener() : nil }
  func advertises(_ shown: ShownWearable) -> Bool {
    advertises && (isKnownToAdvertise || shown.services.contains(recorderService))
  }

  private final class Listener: AdvertisementListener {
    private var counter: UInt8?

    func hear(company: UInt16, _ data: RawBytes, quiet: Int64, into sink: any SampleSink) {
      guard company == 0xFFFF, data.count == 2, data[0] != counter else { return }
      counter = data[0]
      sink.append(Sample(.heartRate, Int64(data[1])))
    }
  }

  private final class Pulses: LiveDecoder {
    private let isDoubtful: Bool
    private var asks: Bool
    let announced: WearableCapabilities?

    init(_ asks: Bool, _ announced: WearableCapabilities?) {
      (self.asks, isDoubtful, self.announced) = (asks, asks, announced)
    }

    func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
      guard source.characteristic == recorderPulse else { return }
      guard let rate = value.first else { throw .truncated }
      sink.append(
        Sample(.heartRate, Int64(rate), flags: SampleFlags(origin: .live, isLowQuality: isDoubtful)))
      if !asks { return }
      asks = false
      sink.learn(.charging("charging"))
      sink.ask(LiveWrite(service: recorderService, characteristic: recorderControl, value: [7]))
      // The characteristic cannot be written, and is not.
      sink.ask(LiveWrite(service: recorderService, characteristic: recorderPulse, value: [7]))
    }
    func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? { nil }
  }
}

@LoopActor
final class ToldWishes {
  var all: [SyncSelection] = []
  /// When nights were looked for.
  var nights: [Instant] = []
  nonisolated init() {}
}

@LoopActor
final class ToldClock {
  var verdict = ClockVerdict.isClock
  nonisolated init() {}
}

@LoopActor
final class ToldProfiles {
  var all: [LinkProfile] = []
  /// How long its sessions are busy with one of them, and with an action.
  var followingTakes: Duration?
  var blinkingTakes: Duration?
  /// Orders are not followed.
  var refuses = false
  nonisolated init() {}
}

@LoopActor
final class RecorderSession: WearableSession, ClockedSession, AttendedSession, ProfiledSession, OperatedSession,
  TransferringSession, RecordingSession
{
  let link: any WearableLink
  let driver: RecorderDriver
  let inbox = Inbox()
  private(set) var control: GATTCharacteristic?
  static var attended = 0

  init(_ link: any WearableLink, _ driver: RecorderDriver) {
    self.link = link
    self.driver = driver
  }

  var domains: [any FetchDomain] {
    let files = Files(self)
    if driver.hasNights { return [files, Nights(self)] }
    return driver.hasBadDomain ? [Unknown(), files] : [files]
  }
  var transferPatience: Duration? { driver.transfersWithin }
  var attendance: Duration? { driver.attention }
  func attend() async throws(VisitTrouble) { Self.attended += 1 }
  func profileChanged(to profile: LinkProfile) async throws(VisitTrouble) {
    driver.told?.all.append(profile)
    if let takes = driver.told?.followingTakes { try await link.settle(for: takes) }
    if driver.told?.refuses == true { throw .refused(.unlikelyError, what: "its rates") }
  }

  func send(_ command: [UInt8]) async throws(VisitTrouble) {
    guard let control else { throw .unsupported("no control") }
    inbox.removeAll()
    try await link.write(control, command)
  }

  func answer(_ command: UInt8) async throws(VisitTrouble) -> [UInt8] {
    let limit: Duration = .seconds(5)
    let value =
      if let insists = driver.insists { try await insists.next(link, inbox, limit) } else {
        try await link.next(from: inbox, within: limit)
      }
    guard value.first == command, value.count >= 2 else { throw .framing("an answer to something else") }
    return Array(value.dropFirst())
  }

  func ask(_ command: [UInt8]) async throws(VisitTrouble) -> [UInt8] {
    try await send(command)
    return try await answer(command[0])
  }

  func check() async throws(VisitTrouble) -> CheckReport {
    guard let control = link.database.characteristic(recorderControl),
      let data = link.database.characteristic(recorderData)
    else {
      throw .unsupported("no recorder service")
    }
    self.control = control
    if driver.securesFirst {
      do throws(VisitTrouble) { try await link.secure() } catch {
        guard driver.wants == .welcome, case .needsAttention(.pairingRefused, _) = error else { throw error }
      }
    }
    try await link.subscribe(data, into: inbox)
    var report = CheckReport()
    if try await ask([5]).first == 1 { throw .busy(what: "writing its memory", retryAfter: .seconds(30)) }
    if clockVerdict == .isClock {
      report.clock = DeviceClock(evidence: try await evidence(), wasSet: driver.setsClock)
    }
    return report
  }

  private func evidence() async throws(VisitTrouble) -> ClockEvidence {
    let answer = try await ask([4])
    guard answer.count == 8 else { throw .framing("a clock of \(answer.count) bytes") }
    let device = answer.reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
    let now = link.hubTime
    return ClockEvidence(
      device: device, monotonic: now.monotonic, wall: now.wall.microseconds, isTrusted: now.isTrusted)
  }

  func readClock() async throws(VisitTrouble) -> DeviceClock? {
    clockVerdict == .isClock ? DeviceClock(evidence: try await evidence()) : nil
  }
  var clockSeen: DeviceClock? { nil }
  var clockVerdict: ClockVerdict { driver.clock?.verdict ?? .isClock }
  var unrecorded: [Series] { driver.unrecorded }
  func finish() async throws(VisitTrouble) {
    try await send([7])
    if let first = unrecorded.first { throw .needsAttention(.recordingNotArmed, "does not record \(first.name)") }
  }
  var actions: [WearableAction] { [WearableAction("blink", "Blinks.")] }
  func perform(_ action: WearableAction, _ arguments: [String]) async throws(VisitTrouble) -> String {
    if let takes = driver.told?.blinkingTakes { try await link.settle(for: takes) }
    return "it blinks"
  }

  /// A kind of data that this session cannot have.
  final class Unknown: FetchDomain {
    let id = "unknown"
    let series: [Series] = []
    func list(known: [KnownItem]) async throws(VisitTrouble) -> [HeldItem] {
      throw .unsupported("a version of tomorrow")
    }
    func fetch(_ item: HeldItem, into sink: any ByteSink) async throws(VisitTrouble) {}
    func verify(_ item: HeldItem, _ bytes: RawBytes) throws(ItemDefect) -> ItemVerdict { throw .malformed("") }
    func decode(_ item: HeldItem, _ bytes: RawBytes, into sink: any ItemSink) throws(ItemDefect) {}
  }

  /// A kind of data without any items.
  final class Nights: FetchDomain {
    let id = "nights"
    let series: [Series] = [.sleepStage]
    private let session: RecorderSession

    init(_ session: RecorderSession) { self.session = session }

    func list(known: [KnownItem]) async throws(VisitTrouble) -> [HeldItem] {
      session.driver.wishes?.nights.append(Instant(nanoseconds: session.link.hubTime.monotonic))
      return []
    }
    func fetch(_ item: HeldItem, into sink: any ByteSink) async throws(VisitTrouble) {}
    func verify(_ item: HeldItem, _ bytes: RawBytes) throws(ItemDefect) -> ItemVerdict { throw .malformed("") }
    func decode(_ item: HeldItem, _ bytes: RawBytes, into sink: any ItemSink) throws(ItemDefect) {}
  }

  final class Files: FetchDomain {
    let id = "files"
    let series: [Series] = [.heartRate]
    var unread: String? { session.driver.unread }
    private let session: RecorderSession
    private var places: [String: Int] = [:]
    private(set) var mayHaveRemoved = false
    private(set) var readTo: Int64?

    init(_ session: RecorderSession) { self.session = session }

    func list(known: [KnownItem]) async throws(VisitTrouble) -> [HeldItem] {
      session.driver.wishes?.all.append(session.link.wish)
      if unread != nil { return [] }
      try await session.send([1])
      var items: [HeldItem] = []
      (places, readTo) = ([:], nil)
      while true {
        let line = try await session.answer(1)
        if line == [0xFF] {
          readTo = session.driver.readsToEnd ? session.link.hubTime.wall.microseconds : nil
          return items
        }
        if line == [0xFE] { throw .refused(.writeRequestRejected, what: "listing") }
        guard line.count > 6 else { throw .framing("a line of \(line.count) bytes") }
        let name = String(decoding: line[6...], as: UTF8.self)
        places[name] = Int(line[0])
        items.append(
          HeldItem(
            id: name, mark: session.driver.marksLate ? "" : "m\(line[1])",
            size: line[2..<6].reversed().reduce(0) { $0 << 8 | Int($1) }, begins: session.driver.began))
      }
    }

    func fetch(_ item: HeldItem, into sink: any ByteSink) async throws(VisitTrouble) {
      guard let size = item.size, let place = places[item.id] else { throw .unsupported("no size") }
      if sink.offset == size { return }
      let offset = sink.offset
      if let disturbs = session.driver.disturbs { session.link.profileWasDisturbed(settlesAfter: disturbs) }
      defer { if let disturbs = session.driver.disturbs { session.link.profileWasDisturbed(settlesAfter: disturbs) } }
      try await session.send([2, UInt8(place)] + (0..<4).map { UInt8(truncatingIfNeeded: offset >> (8 * $0)) })
      while true {
        let piece = try await session.answer(2)
        if piece == [0xFF] { return }
        let bytes = Array(piece.dropFirst())
        if try await sink.take(copyOf: bytes) == .enough { return }
        if let stalls = session.driver.stallsAfter, sink.offset >= stalls {
          while true { try await session.link.settle(for: .seconds(20)) }
        }
      }
    }

    func verify(_ item: HeldItem, _ bytes: RawBytes) throws(ItemDefect) -> ItemVerdict {
      guard bytes.count == item.size else { throw .cut("\(bytes.count) of \(item.size ?? 0) bytes") }
      // A file begins with what its place and mark make of it; 0xEE is a file that was damaged on the wearable.
      if bytes.first == 0xEE { throw .malformed("a damaged first byte") }
      let late = (bytes.first ?? 0) &- UInt8(RecorderFile.leastByte)
      let mark = session.driver.marksLate ? late : UInt8(item.mark.dropFirst()) ?? 0
      for (place, byte) in bytes.enumerated() where byte != RecorderFile.byte(at: place, mark) {
        throw .malformed("byte \(place)")
      }
      var verdict = ItemVerdict(summary: "\(bytes.count) bytes", isFinal: true, mark: "m\(mark)")
      verdict.mayRepeat = session.driver.repeats
      verdict.isTimeUnsure = session.driver.isUnsure
      return verdict
    }

    func decode(_ item: HeldItem, _ bytes: RawBytes, into sink: any ItemSink) throws(ItemDefect) {
      session.driver.watch?.decodes()
      for (place, byte) in bytes.enumerated() {
        for copy in 0..<session.driver.valuesPerByte {
          let second = Int64(place * session.driver.valuesPerByte + copy)
          sink.append(.heartRate, Int64(byte), at: session.driver.began + second * 1_000_000)
        }
      }
    }

    func removals(of items: [HeldItem]) -> [Removal] {
      if items.isEmpty { return [] }
      if session.driver.removesSingly { return items.map { Removal(name: $0.id, covers: [$0]) } }
      return [Removal(name: "all files", covers: items, isOncePerBoot: session.driver.removesOnce)]
    }

    func remove(_ proof: RemovalProof) async throws(VisitTrouble) -> RemovalOutcome {
      if session.driver.removesSingly {
        // Places move with every removal.
        let left = try await list(known: [])
        guard let item = proof.removal.covers.first, let place = places[item.id],
          left.contains(where: { $0.id == item.id })
        else { return .notNow("gone") }
        _ = try await session.ask([6, UInt8(place)])
        return .erased
      }
      if session.driver.removesOnce { _ = try await list(known: []) }
      mayHaveRemoved = true
      return try await session.ask([3]).first == 0 ? .erased : .ineffective("they are still there")
    }
  }
}

/// Continues after silence until a time of its own, as sessions of slow wearables do.
@LoopActor
final class Insistence {
  private(set) var calls = 0
  /// More than its time has room for: no time passes between them, and it says so instead of going on for ever.
  static let callLimit = 100
  static let patience: Duration = .seconds(100)
  nonisolated init() {}

  func next(_ link: any WearableLink, _ inbox: Inbox, _ limit: Duration) async throws(VisitTrouble) -> [UInt8] {
    let end = link.hubTime.monotonic + Self.patience.wholeNanoseconds
    while true {
      do throws(VisitTrouble) { return try await link.next(from: inbox, within: limit) } catch {
        calls += 1
        if calls > Self.callLimit { throw .framing("silence without end") }
        guard case .silent = error, link.hubTime.monotonic < end else { throw error }
      }
    }
  }
}

@LoopActor
final class DecodeWatch {
  private(set) var count = 0
  var isOver = false
  var onDecode: @LoopActor (Int) -> Void = { _ in }

  nonisolated init() {}

  func decodes() {
    count += 1
    onDecode(count)
  }
}
