// Simulated health sensor: its link, its indications one at a time, its ledger, and all their faults. Subclasses make
// the measurements.

public import Bluetooth
public import EventLoop
public import Health
public import Simulation

/// Twin of a sensor of standard services, from the specifications of the Bluetooth SIG and not from any decoder.
public class HealthTwin: VirtualPeripheral {
  /// Traits of the sensor.
  public let sensor: SensorTraits
  /// Ledger of its values.
  public internal(set) var ledger = DeliveryLedger()
  /// Conversion of a number to its stored value; nil if it is not stored. Without this conversion `liveTruth` is not
  /// compared with the store, and a test compares the ledger itself.
  public var expectation: (@LoopActor (Fact, Delivery) -> (kind: Series, value: Int64)?)?
  /// Called when the hub's confirmation arrived. The sensor then deletes the value, so it must be durable.
  public var onConfirmed: (@LoopActor (Delivery) -> Void)?

  /// Takes out deliveries before a moment: see `DeliveryLedger`.
  public final func takeDeliveries(before moment: Instant) -> [Delivery] { ledger.takeDeliveries(before: moment) }

  /// Whether the hub must keep a link to it while it is present; false: visits are enough.
  public final var isOwedLink = true

  var server: GATTServer
  var clock: SensorClock
  /// True time of its creation.
  private let made: (at: Instant, time: WallTime)
  private let advertisement: [UInt8]
  private let measuring: [BluetoothUUID]
  /// First handle after the names, which can be read without encryption.
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
  /// Links over which it did not get the time that it requires.
  public private(set) var untimedLinks = 0
  private var batteryWasRead = false

  /// True: the store is compared with its ledger.
  public override var isJudged: Bool { true }
  /// A sensor that is silent, refuses or requires a bond need not be served.
  public override var mustBeServed: Bool {
    let conduct = sensor.conduct
    return isOwedLink && conduct.muteFor == .zero && conduct.refused.isEmpty && !conduct.demandsEncryption
  }
  /// Time at which a link served it last; nil: never.
  public override var servedAt: Instant? { isHeard ? world.loop.now : lastHeard }
  /// Name for reports.
  public override var label: String { sensor.name }
  /// Live values; nil: none are expected.
  public override var liveTruth: LiveTruth? { expectation.map { ledger.liveTruth(by: $0) } }
  /// Advertisement with its services.
  public override var advertisingData: [UInt8] { advertisement }
  /// - Parameters:
  ///   - measuring: characteristics of measurements: a subscription to any of them makes it live.
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

  /// Characteristics with answers as indications.
  var controlPoints: [BluetoothUUID] { [] }
  /// ATT error for a write; nil: accepted.
  func refusal(of value: [UInt8], to characteristic: BluetoothUUID) -> UInt8? { nil }
  func wrote(_ value: [UInt8], to characteristic: BluetoothUUID) {}
  /// Called after a change of subscriptions.
  func subscriptionsChanged() {}
  /// Updates a value that changes with time, before it is read.
  func prepareRead(of characteristic: BluetoothUUID) {}
  func confirmed(_ delivery: Delivery) {}
  /// Called once a second while subscribed.
  func passSecond() {}
  func linkBegan() {}
  func linkEnded() {}
  /// Flag bits of the first byte that announce a field, for values with wrong flags.
  func fieldFlags(of characteristic: BluetoothUUID) -> UInt8 { 0 }
  /// An impossible value of this characteristic.
  func absurd(_ characteristic: BluetoothUUID) -> [UInt8]? { nil }
  /// Length of its own second.
  var second: Duration { .nanoseconds(1_000_000_000 + Int64(sensor.clock.drift) * 1000) }

  // MARK: Link

  /// Whether any measuring characteristic is subscribed.
  public final var isHeard: Bool { link != nil && isSubscribed }
  private var isSubscribed: Bool { measuring.contains { server.isSubscribed(to: $0) } }
  final var isMute: Bool { mutedUntil.map { world.loop.now < $0 } ?? false }
  /// Starts a link.
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

  /// Ends a link.
  public override func linkClosed() {
    // The link is already gone.
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

  /// False if it pairs without a bond.
  public override var givesKey: Bool { !sensor.conduct.pairsWithoutBond }
  /// Takes a PDU of the host.
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

  /// ATT error before the database handles a request. Missing encryption is 05 without and 0F with a bond, a refused
  /// subscription 03. A control point has errors of its own.
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
  /// Writable characteristics that are no control points.
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

  /// Characteristics of the subclass with values that change with time.
  var readInTime: [BluetoothUUID] { [] }

  private func carryResponse(_ response: [UInt8], to opcode: UInt8, handle: UInt16, on link: VirtualLink) {
    guard opcode == 0x0A, response.first == 0x0B, handle == server.valueHandle(of: .batteryLevel) else {
      return link.carry(response, .protocolData)
    }
    // A second read on one link mostly proves that the link lives; its value may be stored or not.
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

  /// Notes that a value arrived.
  public override func delivered(_ freight: Freight) {
    guard case .piece(let number) = freight else { return }
    ledger.noteDelivered(Int(number), world.loop)
    guard ledger[Int(number)].reading > 0 else { return }
    deliveredOnLink += 1
    if deliveredOnLink == sensor.conduct.hangsUpAfter {
      world.loop.schedule(after: .milliseconds(1)) { [weak self] in self?.hangUp() }
    }
  }

  /// Notes that a value was lost.
  public override func lost(_ freight: Freight) {
    if case .piece(let number) = freight { ledger.noteLost(Int(number)) }
  }

  /// Notes that a value was refused.
  public override func refused(_ freight: Freight) { lost(freight) }

  // MARK: Power and time

  private var batteryFacts: [Fact] {
    let level = server.value(of: .batteryLevel)?.first ?? 0
    return [Fact(.battery, Exact(Int64(level)))]
  }

  /// Sets the battery level in percent.
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

  /// Settings of its clock: when, and by how much, µs.
  public var clockSettings: [(at: Instant, by: Int64)] { clock.settings }
  /// Installs another firmware, with a Date Time that shows the time of its last setting, or of this moment.
  public func update(firmware: String) {
    clock.standsAt = world.loop.now
    if let handle = server.valueHandle(of: .firmwareRevision) { server.setValue(Array(firmware.utf8), at: handle) }
  }

  /// Changes the battery: the clock counts from 2000 on.
  public func loseClock() { clock.lose(at: world.loop.now) }
  /// Civil time at a moment, by a clock that is never set.
  public func time(of moment: Instant) -> WallTime { made.time + (moment - made.at) }
  /// Number of the next measurement.
  final func nextReading() -> UInt64 {
    ledger.taken += 1
    return ledger.taken
  }
}
