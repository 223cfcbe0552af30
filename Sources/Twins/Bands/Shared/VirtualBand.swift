// What every simulated band has, whatever it speaks: a body under it, a clock, a memory, a ledger, a battery, a
// database and the accidents of its life.

public import Bluetooth
public import EventLoop
public import Simulation

/// The common part of the twins of bands. What is said over the link is the part of the subclass.
open class VirtualBand: VirtualPeripheral {
  public let traits: BandTraits
  public internal(set) final var recorder: BandRecorder
  public internal(set) final var ledger = BandLedger()
  /// Told when a host says that it has items, before they are forgotten: they must be durable.
  public final var onConfirmed: (@LoopActor ([BandItem]) -> Void)?
  /// It hangs on its charger.
  public final var isCharging = false {
    willSet { (batteryThen, batteryAsOf) = (min(100, battery), world.loop.now) }
    didSet { if isCharging != oldValue { chargingChanged() } }
  }

  final var server: GATTServer
  private var batteryThen: Double
  private var batteryAsOf: Instant
  /// What is under way to the host, by its freight.
  private var afterwards: [UInt64: @LoopActor (Bool) -> Void] = [:]
  private var lastFreight: UInt64 = 0

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

  /// One write of the host to a characteristic that is no configuration.
  open func wrote(_ value: [UInt8], to characteristic: BluetoothUUID) {}
  /// The wearer reset it: nothing is left of what it measured, nor of whom it belonged to.
  open func resetByWearer() {
    hangUp()
    recorder.reset(at: world.loop.now)
    recorder.loseClock(at: world.loop.now)
  }
  /// A phone took it meanwhile.
  open func bindByPhone() {}
  /// A telephone sets its clock, as soon as no hub is linked to it, and takes nothing of what it keeps.
  public final func setByPhone(by step: Duration) {
    guard link == nil else { return later(.seconds(20)) { $0.setByPhone(by: step) } }
    let now = world.loop.now
    // A telephone knows the time, also where the band has lost it.
    let before =
      recorder.clock.isSet
      ? recorder.clock.nanoseconds(at: now)
      : recorder.time(of: now).microseconds * 1000 + Int64(traits.zone) * 60_000_000_000
    let shown = before + step.wholeNanoseconds
    recorder.setClock(shown.floored(by: 1_000_000_000), at: now, isForeign: true)
  }
  open func chargingChanged() {}
  /// The link began, ended.
  open func linkBegan() {}
  open func linkEnded() {}

  public final func loseTime() { recorder.loseClock(at: world.loop.now) }

  /// Measures all that it had to measure until now.
  public final func catchUp() { recorder.advance(to: world.loop.now) }

  // MARK: For checkers

  public override var label: String { traits.name }
  public override var isJudged: Bool { false }
  public override var servedAt: Instant? { link != nil ? world.loop.now : ledger.links.last?.until }

  /// Percent, 1 to 100. Its wearer charges it when it is down to 15, and one that is lower at first after half a day.
  public final var batteryLevel: Int { Int(max(1, min(100, battery))) }

  private var battery: Double {
    let hours = (world.loop.now - batteryAsOf).inSeconds / 3600
    if isCharging { return batteryThen + hours * 40 }
    let isLow = batteryThen < 15
    if isLow, hours < 12 { return batteryThen }
    let left = (isLow ? 100 : batteryThen) - (isLow ? hours - 12 : hours) * traits.batteryPerHour
    return left >= 15 ? left : 100 - (15 - left).truncatingRemainder(dividingBy: 85)
  }

  // MARK: The link

  public override func linkOpened(_ link: VirtualLink) {
    catchUp()
    (lostPieceAt, changed, usualWait) = (nil, nil, longestWait)
    ledger.links.append((world.loop.now, nil, nil))
    linkBegan()
  }

  public override func linkClosed() {
    catchUp()
    if let last = ledger.links.indices.last { ledger.links[last].until = world.loop.now }
    linkEnded()
    server.reset()
  }

  /// A host was let in.
  final func noteEntered() {
    guard let last = ledger.links.indices.last, ledger.links[last].enteredAt == nil else { return }
    ledger.links[last].enteredAt = world.loop.now
  }

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

  /// How long a write may be on its way: until a connection event that the band does not sleep through.
  final var longestWait: Duration {
    guard let parameters = link?.parameters else { return .zero }
    return .microseconds(Int64(parameters.interval) * 1250 * (Int64(parameters.latency) + 1))
  }

  private var lastPieceAt: Instant?
  /// `wait` of that piece: the first one of a frame may have waited, and the next one not.
  private var lastWait: Duration = .zero
  /// When the link's parameters changed, and how long a piece may have waited that was written before.
  private var changed: (at: Instant, wait: Duration)?
  /// `longestWait` until then.
  private var usualWait: Duration = .zero
  /// The first piece of this link that came too soon.
  private var lostPieceAt: Instant?

  public override func parametersChanged(_ parameters: EffectiveParameters) {
    changed = (world.loop.now, usualWait)
    usualWait = longestWait
  }

  /// A piece that comes now may have waited so long.
  private var wait: Duration {
    guard let changed, world.loop.now - changed.at <= changed.wait + traits.pace else { return longestWait }
    return max(longestWait, changed.wait)
  }

  /// False: a piece is lost, because it is longer than the band takes, or came too soon after the one before.
  ///
  /// Pieces arrive at connection events, so one that was sent in time may be an event early, or as many as the band
  /// slept through before the one ahead of it: that is no fault.
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

  /// A band of an unusual pace tells nobody of it. The fault is a host's that is faster than any band likes, or that
  /// goes on as fast after it heard nothing of a frame: a frame of 45 bytes is over after some 120 ms.
  private func noteTooSoon(after gap: Duration, at now: Instant) {
    let isRepeated = lostPieceAt.map { now - $0 > .seconds(1) } ?? false
    if lostPieceAt == nil { lostPieceAt = now }
    if gap < min(traits.pace, traits.statedPace) || isRepeated { ledger.faults.append(.pieceTooSoon) }
  }

  /// Notifies in pieces, if the host subscribed.
  ///
  /// - Parameter done: told once whether all of them reached the host.
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

  public override func delivered(_ freight: Freight) { ended(freight, true) }
  public override func lost(_ freight: Freight) { ended(freight, false) }
  public override func refused(_ freight: Freight) { ended(freight, false) }

  private func ended(_ freight: Freight, _ arrived: Bool) {
    if case .piece(let number) = freight { afterwards.removeValue(forKey: number)?(arrived) }
  }
}
