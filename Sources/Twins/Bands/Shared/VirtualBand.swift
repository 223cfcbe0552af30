// Common part of every simulated band: body, clock, memory, ledger, battery, database and accidents.

public import Bluetooth
public import EventLoop
public import Simulation

/// Common part of the twins of bands. Subclasses implement the protocol.
open class VirtualBand: VirtualPeripheral {
  /// Traits of the band.
  public let traits: BandTraits
  /// Recorder of the wearer's life.
  public internal(set) final var recorder: BandRecorder
  /// Ledger of transfers and faults.
  public internal(set) final var ledger = BandLedger()
  /// Called when a host confirms items, before they are deleted: they must be durable.
  public final var onConfirmed: (@LoopActor ([BandItem]) -> Void)?
  /// Whether it is on its charger.
  public final var isCharging = false {
    willSet { (batteryThen, batteryAsOf) = (min(100, battery), world.loop.now) }
    didSet { if isCharging != oldValue { chargingChanged() } }
  }

  final var server: GATTServer
  private var batteryThen: Double
  private var batteryAsOf: Instant
  /// Callbacks of values in flight, by their freight.
  private var afterwards: [UInt64: @LoopActor (Bool) -> Void] = [:]
  private var lastFreight: UInt64 = 0

  /// A band in a world.
  public init(
    _ world: VirtualWorld, address: BluetoothAddress, random: SeededRandom, traits: BandTraits, model: BandModel,
    habits: BandHabits, services: [GATTServiceDefinition]
  ) {
    self.traits = traits
    let now = world.loop.now
    let time = world.loop.wall
    let seconds = time.microseconds.floored(by: 1_000_000) + Int64(traits.zone) * 60
    let clock = WristClock(
      shown: traits.clockError.map { seconds + $0.wholeNanoseconds / 1_000_000_000 }, drift: traits.clockDrift, at: now)
    var draw = random.split(7)
    recorder = BandRecorder(model, BandLife(seed: draw.next(), habits: habits), clock, now: now, time: time)
    server = GATTServer(services, ownMTU: traits.ownMTU)
    batteryThen = traits.battery
    batteryAsOf = now
    super.init(
      world, address: address, advertisingInterval: traits.advertisingInterval, rssi: traits.rssi, random: random)
    if let after = traits.losesTimeAfter { later(after) { $0.loseTime() } }
    if let after = traits.isResetAfter { later(after) { $0.resetByWearer() } }
    if let after = traits.isBoundByPhoneAfter { later(after) { $0.bindByPhone() } }
    if let set = traits.isSetByPhone { later(set.after) { $0.setByPhone(by: set.by) } }
  }

  private func later(_ delay: Duration, _ body: @escaping @LoopActor (VirtualBand) -> Void) {
    world.loop.schedule(after: delay) { [weak self] in if let self { body(self) } }
  }

  // MARK: For subclasses

  /// Handles a write to a characteristic other than a configuration.
  open func wrote(_ value: [UInt8], to characteristic: BluetoothUUID) {}
  /// Resets it as its wearer would: all measurements and its owner are deleted.
  open func resetByWearer() {
    hangUp()
    recorder.reset(at: world.loop.now)
    recorder.loseClock(at: world.loop.now)
  }
  /// Binds it as a phone would.
  open func bindByPhone() {}
  /// Sets its clock as a phone would, as soon as no hub is linked. The phone fetches no data.
  public final func setByPhone(by step: Duration) {
    guard link == nil else { return later(.seconds(20)) { $0.setByPhone(by: step) } }
    let now = world.loop.now
    // A phone knows the time, even if the band has lost it.
    let before =
      recorder.clock.isSet
      ? recorder.clock.nanoseconds(at: now)
      : recorder.time(of: now).microseconds * 1000 + Int64(traits.zone) * 60_000_000_000
    let shown = before + step.wholeNanoseconds
    recorder.setClock(shown.floored(by: 1_000_000_000), at: now, isForeign: true)
  }
  /// Called when the band is put on its charger or taken off.
  open func chargingChanged() {}
  /// Called at the start and the end of a link.
  open func linkBegan() {}
  /// Called when the link has ended.
  open func linkEnded() {}

  /// Loses the time, as without power.
  public final func loseTime() { recorder.loseClock(at: world.loop.now) }

  /// Makes all measurements that are due until now.
  public final func catchUp() { recorder.advance(to: world.loop.now) }

  // MARK: For checkers

  /// Name for reports.
  public override var label: String { traits.name }
  /// False: judges of bands compare the items.
  public override var isJudged: Bool { false }
  /// Time at which a link served it last; nil: never.
  public override var servedAt: Instant? { link != nil ? world.loop.now : ledger.links.last?.until }

  /// Percent, 1 to 100. The wearer charges it at 15, or after half a day if it begins lower.
  public final var batteryLevel: Int { Int(max(1, min(100, battery))) }

  private var battery: Double {
    let hours = (world.loop.now - batteryAsOf).inSeconds / 3600
    if isCharging { return batteryThen + hours * 40 }
    let isLow = batteryThen < 15
    if isLow, hours < 12 { return batteryThen }
    let left = (isLow ? 100 : batteryThen) - (isLow ? hours - 12 : hours) * traits.batteryPerHour
    return left >= 15 ? left : 100 - (15 - left).truncatingRemainder(dividingBy: 85)
  }

  // MARK: Link

  /// Starts a link.
  public override func linkOpened(_ link: VirtualLink) {
    catchUp()
    (lostPieceAt, changed, usualWait) = (nil, nil, longestWait)
    ledger.links.append((world.loop.now, nil, nil))
    linkBegan()
  }

  /// Ends a link.
  public override func linkClosed() {
    catchUp()
    if let last = ledger.links.indices.last { ledger.links[last].until = world.loop.now }
    linkEnded()
    server.reset()
  }

  /// Notes the host's login.
  final func noteEntered() {
    guard let last = ledger.links.indices.last, ledger.links[last].enteredAt == nil else { return }
    ledger.links[last].enteredAt = world.loop.now
  }

  /// Takes a PDU of the host.
  public override func received(_ pdu: RawBytes, on link: VirtualLink) {
    catchUp()
    if let handle = server.valueHandle(of: 0x2A19), server.value(at: handle) != [UInt8(batteryLevel)] {
      server.setValue([UInt8(batteryLevel)], at: handle)
    }
    if let response = server.respond(to: pdu) { link.carry(response, .protocolData) }
    for write in server.takeWrites() where write.attribute == write.characteristic {
      wrote(write.value, to: write.characteristic)
    }
  }

  /// Longest time in flight of a write: until a connection event at which the band listens.
  final var longestWait: Duration {
    guard let parameters = link?.parameters else { return .zero }
    return .microseconds(Int64(parameters.interval) * 1250 * (Int64(parameters.latency) + 1))
  }

  private var lastPieceAt: Instant?
  /// `wait` of that piece. The first piece of a frame may have waited, and the next one not.
  private var lastWait: Duration = .zero
  /// Time of the last change of the link's parameters, and the longest wait of a piece written before.
  private var changed: (at: Instant, wait: Duration)?
  /// `longestWait` before the change.
  private var usualWait: Duration = .zero
  /// Time of the first piece of this link that came too early.
  private var lostPieceAt: Instant?

  /// Notes that the connection interval changed.
  public override func parametersChanged(_ parameters: EffectiveParameters) {
    changed = (world.loop.now, usualWait)
    usualWait = longestWait
  }

  /// Longest possible wait of a piece that arrives now.
  private var wait: Duration {
    guard let changed, world.loop.now - changed.at <= changed.wait + traits.pace else { return longestWait }
    return max(longestWait, changed.wait)
  }

  /// False: the piece is lost, because it is longer than the band accepts, or came too early after the one before.
  ///
  /// Pieces arrive at connection events. A piece sent in time may thus seem early: by an event, or by as many as the
  /// band skipped before the preceding piece. That is no fault.
  final func takes(_ piece: [UInt8], isContinued: Bool) -> Bool {
    let now = world.loop.now
    let gap = lastPieceAt.map { now - $0 + max(lastWait, wait) } ?? traits.pace
    let isTooSoon = isContinued && gap < traits.pace
    (lastPieceAt, lastWait) = (now, wait)
    if piece.count > traits.takesBytes {
      ledger.faults.append(.pieceTooLong)
      return false
    }
    if isTooSoon { noteTooSoon(after: gap, at: now) }
    return !isTooSoon
  }

  /// Notes a piece that came too early. A band does not report an unusual pace. A fault is only a pace that no band
  /// accepts, or the same pace after a frame without an answer. A frame of 45 bytes takes some 120 ms.
  private func noteTooSoon(after gap: Duration, at now: Instant) {
    let isRepeated = lostPieceAt.map { now - $0 > .seconds(1) } ?? false
    if lostPieceAt == nil { lostPieceAt = now }
    if gap < min(traits.pace, traits.statedPace) || isRepeated { ledger.faults.append(.pieceTooSoon) }
  }

  /// Notifies in pieces, if the host is subscribed.
  ///
  /// - Parameter done: called once with the result: whether all of them reached the host.
  final func notify(
    _ characteristic: BluetoothUUID, _ pieces: [[UInt8]], done: @escaping @LoopActor (Bool) -> Void = { _ in }
  ) {
    guard let link, link.isOpen, let handle = server.valueHandle(of: characteristic),
      server.subscription(at: handle) & 1 != 0
    else { return done(false) }
    var left = pieces.count
    var isWhole = true
    for piece in pieces {
      lastFreight += 1
      afterwards[lastFreight] = { arrived in
        left -= 1
        if !arrived { isWhole = false }
        if left == 0 { done(isWhole) }
      }
      link.carry(server.notification(at: handle, value: piece), .piece(lastFreight))
    }
  }

  /// Notes that a PDU arrived.
  public override func delivered(_ freight: Freight) { ended(freight, true) }
  /// Notes that a PDU was lost.
  public override func lost(_ freight: Freight) { ended(freight, false) }
  /// Notes that a PDU was refused.
  public override func refused(_ freight: Freight) { ended(freight, false) }

  private func ended(_ freight: Freight, _ arrived: Bool) {
    if case .piece(let number) = freight { afterwards.removeValue(forKey: number)?(arrived) }
  }
}
