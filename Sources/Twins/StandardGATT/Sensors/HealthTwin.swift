// A simulated health sensor: its link, its indications one at a time, its ledger, and everything that can go wrong with
// any of them. What it measures is the part of its subclasses.

public import Bluetooth
public import EventLoop
public import Health
public import Simulation

/// The twin of a sensor of standard services, from the specifications of the Bluetooth SIG and not from any decoder.
public class HealthTwin: VirtualPeripheral {
  public let sensor: SensorTraits
  public internal(set) var ledger = DeliveryLedger()
  /// How a number becomes what the store holds of it; nil for what is not kept. Without it the store is not held
  /// against `liveTruth`, and a test compares the ledger itself.
  public var expectation: (@LoopActor (Fact, Delivery) -> (kind: Series, value: Int64)?)?
  /// Told when the hub's confirmation arrived: what is confirmed is forgotten, and must be durable.
  public var onConfirmed: (@LoopActor (Delivery) -> Void)?

  /// Those that were sent before a moment, which the ledger forgets: see `DeliveryLedger`.
  public final func takeDeliveries(before moment: Instant) -> [Delivery] { ledger.takeDeliveries(before: moment) }

  /// A hub that does its work keeps a link to it while it is there; false: it may come now and then.
  public final var isOwedLink = true

  var server: GATTServer
  var clock: SensorClock
  /// The true time when it was made.
  private let made: (at: Instant, time: WallTime)
  private let advertisement: [UInt8]
  private let measuring: [BluetoothUUID]
  /// The first handle behind the names, which anybody may read.
  private let protectedFrom: UInt16
  private var tick: LoopTimer?
  private var lastHeard: Instant?
  private var mutedUntil: Instant?
  var isReceiving = false
  /// Indications that wait for the confirmation of the one before.
  var outbox: [Draft] = []
  var awaiting: Int?
  var patience: LoopTimer?
  private var deliveredOnLink = 0
  private var untimed: LoopTimer?
  /// Links over which it was not given the time that it wants.
  public private(set) var untimedLinks = 0
  private var batteryWasRead = false

  public override var isJudged: Bool { true }
  /// A hub that keeps to the specifications need not get far with one that is mute, refuses or wants a bond.
  public override var mustBeServed: Bool {
    let conduct = sensor.conduct
    return isOwedLink && conduct.muteFor == .zero && conduct.refused.isEmpty && !conduct.demandsEncryption
  }
  public override var servedAt: Instant? { isHeard ? world.loop.now : lastHeard }
  public override var label: String { sensor.name }
  public override var liveTruth: LiveTruth? { expectation.map { ledger.liveTruth(by: $0) } }
  public override var advertisingData: [UInt8] { advertisement }

  /// - Parameters:
  ///   - measuring: the characteristics by which it measures: one that is subscribed makes it live.
  ///   - advertised: numbers of services in the advertisement.
  init(
    _ world: VirtualWorld, address: BluetoothAddress, random: SeededRandom, sensor: SensorTraits,
    services: [GATTServiceDefinition], advertised: [UInt16], measuring: [BluetoothUUID]
  ) {
    self.sensor = sensor
    self.measuring = measuring
    server = GATTServer(Self.database(sensor, services, address: address), ownMTU: 185)
    protectedFrom = (server.valueHandle(of: .serviceChanged) ?? 0) + 2
    advertisement = Self.advertisement(sensor, advertised)
    made = (world.loop.now, world.loop.wall)
    clock = SensorClock(sensor.clock, now: world.loop.now, time: world.loop.wall.microseconds)
    super.init(
      world, address: address, advertisingInterval: sensor.advertisingInterval, rssi: sensor.rssi, random: random)
  }

  // MARK: For subclasses

  /// Characteristics whose answers are indicated.
  var controlPoints: [BluetoothUUID] { [] }
  /// An ATT error for a write, else it is taken.
  func refusal(of value: [UInt8], to characteristic: BluetoothUUID) -> UInt8? { nil }
  func wrote(_ value: [UInt8], to characteristic: BluetoothUUID) {}
  /// A subscription changed.
  func subscriptionsChanged() {}
  /// Sets what is about to be read, where that changes with time.
  func prepareRead(of characteristic: BluetoothUUID) {}
  func confirmed(_ delivery: Delivery) {}
  /// A second passed while it was listened to.
  func passSecond() {}
  func linkBegan() {}
  func linkEnded() {}
  /// Flag bits of the first byte that announce a field, for values that promise too much.
  func fieldFlags(of characteristic: BluetoothUUID) -> UInt8 { 0 }
  /// A value of this characteristic that nobody can have.
  func absurd(_ characteristic: BluetoothUUID) -> [UInt8]? { nil }
  /// Its own second.
  var second: Duration { .nanoseconds(1_000_000_000 + Int64(sensor.clock.drift) * 1000) }

  // MARK: The link

  /// Whatever it measures with is subscribed.
  public final var isHeard: Bool { link != nil && isSubscribed }
  private var isSubscribed: Bool { measuring.contains { server.isSubscribed(to: $0) } }
  final var isMute: Bool { mutedUntil.map { world.loop.now < $0 } ?? false }

  public override func linkOpened(_ link: VirtualLink) {
    ledger.links += 1
    deliveredOnLink = 0
    mutedUntil = sensor.conduct.muteFor > .zero ? world.loop.now + sensor.conduct.muteFor : nil
    if let patience = sensor.clock.wantsTimeWithin {
      untimed = world.loop.schedule(after: patience) { [weak self] in
        self?.untimedLinks += 1
        self?.hangUp()
      }
    }
    linkBegan()
  }

  public override func linkClosed() {
    // The link is gone by now.
    if isSubscribed { lastHeard = world.loop.now }
    server.reset()
    outbox = []
    awaiting = nil
    batteryWasRead = false
    stop(&patience)
    stop(&tick)
    stop(&untimed)
    linkEnded()
  }

  public override var givesKey: Bool { !sensor.conduct.pairsWithoutBond }

  public override func received(_ pdu: RawBytes, on link: VirtualLink) {
    if isMute { return }
    isReceiving = true
    defer { isReceiving = false }
    let bytes = Array(pdu)
    guard let opcode = bytes.first else { return }
    if opcode == 0x1E { return takeConfirmation() }
    let handle = bytes.count >= 3 ? UInt16(bytes[1]) | UInt16(bytes[2]) << 8 : 0
    if let code = refusal(of: bytes, opcode: opcode, handle: handle, on: link) {
      return link.carry([0x01, opcode, bytes[1], bytes[2], code], .protocolData)
    }
    if opcode == 0x0A { readyToRead(handle) }
    if let response = server.respond(to: pdu) { carryResponse(response, to: opcode, handle: handle, on: link) }
    for write in server.takeWrites() { note(write) }
    guard isHeard, tick == nil else { return }
    tick = world.loop.schedule(after: second * random.fraction()) { [weak self] in self?.beat() }
  }

  /// Why a request is refused before the database sees it: 05 and 0F for want of encryption, without and with a bond;
  /// 03 for a subscription it does not take; whatever a control point says.
  private func refusal(of bytes: [UInt8], opcode: UInt8, handle: UInt16, on link: VirtualLink) -> UInt8? {
    guard [0x0A, 0x0C, 0x12, 0x16].contains(opcode), bytes.count >= 3 else { return nil }
    if sensor.conduct.demandsEncryption, !link.isSecured, handle >= protectedFrom { return bond == nil ? 0x05 : 0x0F }
    guard opcode == 0x12 else { return nil }
    if bytes.count == 5, sensor.conduct.refused.contains(where: { server.valueHandle(of: $0) == handle &- 1 }) {
      return 0x03
    }
    for characteristic in controlPoints where server.valueHandle(of: characteristic) == handle {
      if server.isSubscribed(to: characteristic) { break }
      ledger.faults.append(.controlledUnsubscribed)
      return 0xFD
    }
    guard let owner = writable.first(where: { server.valueHandle(of: $0) == handle }) else { return nil }
    return refusal(of: Array(bytes[3...]), writtenTo: owner)
  }

  private var writable: [BluetoothUUID] { controlPoints + settable + [.currentTime, .dateTime] }
  /// Characteristics that are written and are no control points.
  var settable: [BluetoothUUID] { [] }

  private func refusal(of value: [UInt8], writtenTo characteristic: BluetoothUUID) -> UInt8? {
    if characteristic == .currentTime || characteristic == .dateTime {
      guard sensor.clock.canBeSet, SensorClock.written(value, to: characteristic) == nil else { return nil }
      ledger.faults.append(.wroteNonsense)
      return 0x80
    }
    return refusal(of: value, to: characteristic)
  }

  private func readyToRead(_ handle: UInt16) {
    let now = world.loop.now
    for characteristic in [BluetoothUUID.currentTime, .localTimeInformation, .referenceTimeInformation, .dateTime]
    where server.valueHandle(of: characteristic) == handle {
      switch characteristic {
      case .currentTime: server.setValue(clock.currentTime(at: now), at: handle)
      case .localTimeInformation: server.setValue(clock.localTimeInformation(), at: handle)
      case .dateTime: server.setValue(clock.dateTimeBytes(at: clock.standsAt ?? now), at: handle)
      default: server.setValue(clock.referenceTimeInformation(), at: handle)
      }
    }
    for characteristic in readInTime where server.valueHandle(of: characteristic) == handle {
      prepareRead(of: characteristic)
    }
  }

  /// Characteristics of the subclass whose value changes with time.
  var readInTime: [BluetoothUUID] { [] }

  private func carryResponse(_ response: [UInt8], to opcode: UInt8, handle: UInt16, on link: VirtualLink) {
    guard opcode == 0x0A, response.first == 0x0B, handle == server.valueHandle(of: .batteryLevel) else {
      return link.carry(response, .protocolData)
    }
    // A second read on one link mostly proves that it lives, and is kept or not.
    let draft = Draft(
      characteristic: .batteryLevel, value: Array(response[1...]), facts: batteryFacts, worth: .good,
      takenAt: world.loop.now, isStored: batteryWasRead)
    batteryWasRead = true
    link.carry(response, .piece(UInt64(ledger.begin(draft, isIndicated: false, world.loop))))
  }

  private func note(_ write: GATTWrite) {
    if write.attribute == .clientCharacteristicConfiguration { return subscriptionsChanged() }
    ledger.requests.append((write.characteristic, write.value, world.loop.now))
    if let shown = SensorClock.written(write.value, to: write.characteristic) {
      clock.set(shown, at: world.loop.now)
      stop(&untimed)
    }
    wrote(write.value, to: write.characteristic)
  }

  private func beat() {
    tick = world.loop.schedule(after: second) { [weak self] in self?.beat() }
    if isHeard, !isMute { passSecond() }
  }

  final func stop(_ timer: inout LoopTimer?) {
    if let running = timer { world.loop.cancel(running) }
    timer = nil
  }

  // MARK: Delivery

  public override func delivered(_ freight: Freight) {
    guard case .piece(let number) = freight else { return }
    ledger.noteDelivered(Int(number), world.loop)
    guard ledger[Int(number)].reading > 0 else { return }
    deliveredOnLink += 1
    if deliveredOnLink == sensor.conduct.hangsUpAfter {
      world.loop.schedule(after: .milliseconds(1)) { [weak self] in self?.hangUp() }
    }
  }

  public override func lost(_ freight: Freight) {
    if case .piece(let number) = freight { ledger.noteLost(Int(number)) }
  }

  public override func refused(_ freight: Freight) { lost(freight) }

  // MARK: Power and time

  private var batteryFacts: [Fact] {
    let level = server.value(of: .batteryLevel)?.first ?? 0
    return [Fact(.battery, Exact(Int64(level)))]
  }

  /// Its battery has so many percent from now on.
  public func setBattery(_ percent: UInt8) {
    guard sensor.battery != nil else { return }
    server.setValue([percent], for: .batteryLevel)
    send(
      Draft(
        characteristic: .batteryLevel, value: [percent], facts: batteryFacts, worth: .good, takenAt: world.loop.now))
    guard sensor.hasBatteryStatus else { return }
    server.setValue(Self.batteryStatus(percent), for: .batteryLevelStatus)
    send(
      Draft(characteristic: .batteryLevelStatus, value: Self.batteryStatus(percent), takenAt: world.loop.now))
  }

  /// When somebody set its clock, and by how much, µs.
  public var clockSettings: [(at: Instant, by: Int64)] { clock.settings }

  /// Another firmware, whose Date Time says when it was set last, or this moment.
  public func update(firmware: String) {
    clock.standsAt = world.loop.now
    if let handle = server.valueHandle(of: .firmwareRevision) { server.setValue(Array(firmware.utf8), at: handle) }
  }

  /// Its battery was changed: the clock counts from 2000 on.
  public func loseClock() { clock.lose(at: world.loop.now) }

  /// The civil time at a moment, by a clock that nobody steps.
  public func time(of moment: Instant) -> WallTime { made.time + (moment - made.at) }

  /// The number of the next measurement.
  final func nextReading() -> UInt64 {
    ledger.taken += 1
    return ledger.taken
  }
}
