// Simulated band of the new platform, written from the description of the protocol only. Independence from the driver
// is its value as a proof.

public import Bluetooth
internal import EventLoop
public import Simulation

/// Twin of a band with frames of a ten-byte header and a message of proto3. `VirtualBand` has the common part of all
/// bands: wearer, memory, clock, battery, ledger.
public final class VirtualTopStepBand: VirtualBand {
  /// Traits. `traits` is the part common to all bands.
  public let next: TopStepTraits
  /// Frames in both directions.
  public internal(set) var log = TopStepLog()
  /// Owner that it remembers.
  public internal(set) var owner = TopStepOwner()
  /// Settings of the band.
  public internal(set) var settings: TopStepSettings
  /// Zones, s east of UTC, each with the setting of its clock from which it is valid.
  public private(set) var zones: [(zone: Int64, settings: Int)]

  // State of this link.
  /// True after a login over this link.
  public internal(set) var isLoggedIn = false
  var assembler = TopStepAssembler()
  var outbox = TopStepOutbox()
  var pending: PendingBind?
  var sync: TopStepSyncRun?
  var live: TopStepLive?
  var sendsWholeMTU = false
  var framesHeard = 0
  private var watch: LoopTimer?
  private var told = (battery: 0, items: 0)

  /// Whether it was reset a moment ago.
  var isResetting = false
  /// Number of confirmations requested from its wearer.
  var timesAsked = 0

  /// A band in a world.
  public init(_ world: VirtualWorld, address: BluetoothAddress, random: SeededRandom, traits: TopStepTraits) {
    next = traits
    settings = TopStepSettings(traits.settings, hasPressure: traits.days.hasOpticalPressure)
    zones = [(Int64(traits.band.zone) * 60, 0)]
    if let user = traits.owner.user {
      owner.user = user
      owner.firstBoundAt = world.loop.wall.microseconds / 1_000_000 - 86_400
    }
    super.init(
      world, address: address, random: random, traits: traits.band, model: traits.model, habits: traits.habits,
      services: Self.services(traits))
  }

  private static func services(_ traits: TopStepTraits) -> [GATTServiceDefinition] {
    let name = Array(traits.band.name.utf8)
    return [
      GATTServiceDefinition(0x1800, [GATTCharacteristicDefinition(0x2A00, .read, value: name)]),
      GATTServiceDefinition(0x1801, [GATTCharacteristicDefinition(.serviceChanged, .indicate, value: [0, 0, 0, 0])]),
      GATTServiceDefinition(
        TopStepPlace.service,
        [
          GATTCharacteristicDefinition(TopStepPlace.command, [.write, .writeWithoutResponse]),
          GATTCharacteristicDefinition(TopStepPlace.answer, .notify),
        ]),
    ]
  }

  /// Flags and its service.
  public override var advertisingData: [UInt8] { [0x02, 0x01, 0x06, 0x11, 0x07] + TopStepPlace.service.wireBytes }
  /// Name of the band.
  public override var scanResponse: [UInt8] {
    let name = Array(traits.name.utf8.prefix(29))
    return [UInt8(name.count + 1), 0x09] + name
  }
  /// False: a hub may leave it unserved.
  public override var mustBeServed: Bool { false }

  /// Handles for writes and notifications of a host.
  public var commandHandle: UInt16? { server.valueHandle(of: TopStepPlace.command) }
  /// Handle of the answers.
  public var answerHandle: UInt16? { server.valueHandle(of: TopStepPlace.answer) }

  // MARK: Time

  /// Seconds from 1970 to 2000.
  static let epoch: Int64 = 946_684_800

  /// A clock without its time has no zone, either.
  var zone: Int64 { recorder.clock.isSet ? zones[zones.count - 1].zone : 0 }

  /// Time of the last change of zone.
  var zoneSince: Instant {
    let settings = zones[zones.count - 1].settings
    return settings > 0 ? recorder.clock.settings[settings - 1].at : ledger.links.first?.from ?? world.loop.now
  }

  /// Time on its clock: seconds since 2000 in UTC.
  public var shown: Int64 { recorder.clock.seconds(at: world.loop.now) - zone - Self.epoch }
  var unixTime: Int64 { shown + Self.epoch }

  /// Reported time of an item: seconds since 2000 in UTC, by clock and zone at its recording. If the zone changed
  /// during a night, all its stages have the later one, as in `shown`.
  public func told(_ item: BandItem) -> Int64 {
    let zone = item.isClockSet ? zones.last { $0.settings <= item.settings }?.zone ?? zones[0].zone : 0
    return item.shown - zone - Self.epoch
  }

  /// 1 seconds since 2000, 2 zone.
  func setTime(_ message: TopStepMessage) -> Bool {
    let (seconds, zone) = (message.number(1), message.number(2))
    guard seconds > 0, seconds < 1 << 32, abs(zone) <= 14 * 3600, zone % 900 == 0 else { return false }
    recorder.setClock(seconds + zone + Self.epoch, at: world.loop.now)
    if zones.last?.zone != zone { zones.append((zone, recorder.clock.settings.count)) }
    log.times.append((seconds, zone, world.loop.now))
    return true
  }

  // MARK: Link

  /// Starts a link.
  public override func linkBegan() {
    assembler = TopStepAssembler()
    outbox = TopStepOutbox()
    (isLoggedIn, sendsWholeMTU, framesHeard) = (false, false, 0)
  }

  /// Ends a link, and blames a host that left during a sync.
  public override func linkEnded() {
    // No fault if the band's frames do not arrive: then the host need not wait longer.
    if wasLeftByHub, sync != nil && !isUnheard || live != nil { blame(.leftInTheMiddle, TopStepCommand.sync, 0) }
    if sync != nil { endSync(isCutShort: true) }
    endLive()
    if let timer = pending?.timer { world.loop.cancel(timer) }
    pending = nil
    if let watch { world.loop.cancel(watch) }
    watch = nil
    for frame in outbox.clear() { pieceEnded(frame, false) }
    isLoggedIn = false
  }

  /// Whether its last frame has been in flight longer than on any working link: two seconds.
  private var isUnheard: Bool {
    guard let last = log.sent.last, last.deliveredAt == nil else { return false }
    return world.loop.now - last.sentAt > .seconds(2)
  }

  /// Takes a write of the host.
  public override func wrote(_ value: [UInt8], to characteristic: BluetoothUUID) {
    guard characteristic == TopStepPlace.command else { return }
    guard takes(value, isContinued: assembler.isWaiting) else {
      log.ignored += 1
      if value.count > traits.takesBytes { blame(.sentLongPiece, 0, 0) }
      return
    }
    switch assembler.take(value, at: world.loop.now) {
    case .frame(let frame): heard(frame)
    case .corrupt(let command, let key): blame(.sentNonsense, command, key)
    case .stray: blame(.sentNonsense, 0, 0)
    case nil: break
    }
  }

  func blame(_ fault: TopStepFault, _ command: UInt8, _ key: UInt8) {
    log.blame(fault, command, key, at: world.loop.now)
    if let shared = fault.shared(command, key) { ledger.faults.append(shared) }
  }

  func blame(_ fault: TopStepFault, _ frame: TopStepWireFrame) { blame(fault, frame.command, frame.key) }

  // MARK: Events

  /// Erases all data, and forgets the owner.
  public override func resetByWearer() {
    super.resetByWearer()
    forgetOwner()
  }

  /// Binds the band to a phone.
  public override func bindByPhone() { phoneBinds("phone-of-someone") }

  /// Applies the settings to automatic measuring.
  func monitorsChanged() {
    for (setting, kind) in [
      (TopStepSetting.heartRate, TopStepKind.heartRate), (.oxygen, .oxygen), (.stress, .stress), (.pressure, .pressure),
    ] {
      guard let series = kind.series, let monitor = settings.monitor(setting) else { continue }
      let schedule = BandSchedule(
        isOn: monitor.isOn, start: monitor.start, end: monitor.end, interval: monitor.interval)
      if recorder.schedules[series] != schedule { recorder.setSchedule(schedule, of: series, at: world.loop.now) }
    }
  }

  func hasSensor(_ kind: TopStepKind) -> Bool { kind != .pressure || next.days.hasOpticalPressure }

  // MARK: Unsolicited messages

  /// Checks once a minute from the login on whether there is a message to send.
  func startWatching() {
    told = (batteryLevel, recorder.items.count)
    if watch == nil, next.announces { scheduleWatch() }
  }

  private func scheduleWatch() {
    watch = world.loop.schedule(after: .seconds(60)) { [weak self] in
      self?.scheduleWatch()
      self?.look()
    }
  }

  private func look() {
    catchUp()
    if batteryLevel != told.battery { announceBattery() }
    guard recorder.items.count > told.items, sync == nil else { return }
    told.items = recorder.items.count
    announce(TopStepCommand.settings, TopStepSettingsKey.dataChanged)
  }

  /// Announces the battery.
  public override func chargingChanged() { if isLoggedIn { announceBattery() } }

  private func announceBattery() {
    told.battery = batteryLevel
    announce(TopStepCommand.environment, TopStepEnvironmentKey.batteryChanged, batteryMessage)
  }

  /// 1 level, 2 charging.
  var batteryMessage: [UInt8] {
    TopStepWriter.make {
      $0.number(1, batteryLevel)
      $0.truth(2, isCharging)
    }
  }
}
