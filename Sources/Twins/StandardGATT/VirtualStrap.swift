// Simulated heart rate strap: the services of a real one, and a heart model.

public import Bluetooth
public import EventLoop
public import Simulation

/// Twin of a heart rate strap. While the hub is subscribed, it notifies about once a second by its own clock, and
/// records what was delivered.
public class VirtualStrap: VirtualPeripheral {
  /// Traits of the strap.
  public let traits: StrapTraits
  /// Delivered values; the store must contain exactly these.
  public private(set) var truth = GroundTruth()
  /// Percent, as a reader of the characteristic sees it.
  public private(set) var batteryLevel: UInt8
  /// Time of the subscription on the present link; nil without one.
  public private(set) var subscribedAt: Instant?
  /// End of the last subscription, on links that have ended.
  private var lastServed: Instant?

  private(set) var server: GATTServer
  /// Handle of its heart rate notifications.
  public let measurementHandle: UInt16
  private let batteryHandle: UInt16?
  private var heart: HeartModel
  private var beat: LoopTimer?
  private var seconds = 0
  private var battery: Double
  /// Remaining seconds of lost contact.
  private var withoutContact = 0
  /// Values in flight, oldest first.
  private var measurementsUnderWay: [HeartRateValue] = []
  private var batteriesUnderWay: [(percent: UInt8, isProof: Bool)] = []
  /// Whether its battery was read on the present link.
  private var batteryWasRead = false
  private var intervals: [UInt16] = []
  private let advertisement: [UInt8]
  private let response: [UInt8]

  /// Takes out what was delivered to the hub since the last call, so that a month needs no more memory than a day.
  public func takeTruth() -> LiveTruth {
    defer { truth = GroundTruth() }
    return truth.expectation
  }

  /// True if every value in `truth` must be in the store.
  public var hasExactTruth: Bool { true }
  /// Values that arrived; nil: not exactly known.
  public override var liveTruth: LiveTruth? { hasExactTruth ? truth.expectation : nil }
  /// True: the store is compared with its values.
  public override var isJudged: Bool { true }
  /// A working hub subscribes to it.
  public override var mustBeServed: Bool { true }
  /// Time at which a link served it last; nil: never.
  public override var servedAt: Instant? { subscribedAt == nil ? lastServed : world.loop.now }
  /// Name for reports.
  public override var label: String { traits.name }

  /// Advertisement with its services.
  public override var advertisingData: [UInt8] { advertisement }
  /// Scan response with its name.
  public override var scanResponse: [UInt8] { response }

  /// `deviceName` is the Device Name characteristic, if it differs from the advertised name.
  init(
    _ world: VirtualWorld, address: BluetoothAddress, traits: StrapTraits, random: SeededRandom,
    deviceName: [UInt8]? = nil
  ) {
    self.traits = traits
    battery = traits.battery
    batteryLevel = UInt8(traits.battery)
    server = GATTServer(Self.services(traits, battery: UInt8(traits.battery)), ownMTU: 247)
    if let deviceName { server.setValue(deviceName, for: .deviceName) }
    guard let handle = server.valueHandle(of: .heartRateMeasurement) else {
      preconditionFailure("every strap measures heart rate")
    }
    measurementHandle = handle
    batteryHandle = server.valueHandle(of: .batteryLevel)
    var draw = random.split(3)
    heart = HeartModel(&draw, held: traits.heldRate)
    (advertisement, response) = Self.advertisement(traits)
    super.init(
      world, address: address, advertisingInterval: traits.advertisingInterval, rssi: traits.rssi, random: random)
  }

  // MARK: Link

  /// Takes a PDU of the host.
  public override func received(_ pdu: RawBytes, on link: VirtualLink) {
    if let response = server.respond(to: pdu) {
      // The first read of the battery is a value that the hub stores, like a notified one.
      let isBattery =
        response.first == 0x0B && pdu.count == 3 && pdu[0] == 0x0A
        && batteryHandle == UInt16(pdu[1]) | UInt16(pdu[2]) << 8
      if isBattery {
        batteriesUnderWay.append((batteryLevel, isProof: batteryWasRead))
        batteryWasRead = true
      }
      link.carry(response, isBattery ? .battery : .protocolData)
    }
    for write in server.takeWrites() { noteWrite(write) }
  }

  /// Ends a link.
  public override func linkClosed() {
    server.reset()
    batteryWasRead = false
    stopBeating()
    precondition(measurementsUnderWay.count <= VirtualLink.receiveLimit, "the link lost track of what it carried")
  }

  /// Notes that a value arrived.
  public override func delivered(_ freight: Freight) {
    switch freight {
    case .protocolData, .piece: break
    case .measurement:
      let value = measurementsUnderWay.removeFirst()
      if world.options.keepsGroundTruth { truth.append(value, world.loop) }
    case .malformedMeasurement: truth.malformed += 1
    case .battery:
      let level = batteriesUnderWay.removeFirst()
      if world.options.keepsGroundTruth { truth.append(battery: level.percent, isProof: level.isProof, world.loop) }
    }
  }

  /// Notes that a value was lost.
  public override func lost(_ freight: Freight) {
    switch freight {
    case .measurement: measurementsUnderWay.removeFirst()
    case .battery: batteriesUnderWay.removeFirst()
    case .protocolData, .malformedMeasurement, .piece: break
    }
  }

  /// Notes that a value was refused.
  public override func refused(_ freight: Freight) {
    switch freight {
    case .measurement: measurementsUnderWay.removeLast()
    case .battery: batteriesUnderWay.removeLast()
    case .protocolData, .malformedMeasurement, .piece: break
    }
  }

  private func noteWrite(_ write: GATTWrite) {
    if write.attribute == .clientCharacteristicConfiguration, write.characteristic == .heartRateMeasurement {
      if write.value.first == 1 { startBeating() } else { stopBeating() }
    } else if write.attribute == .heartRateControlPoint, write.value == [1] {
      heart.resetEnergy()
    }
  }

  // MARK: Heart

  private var second: Duration { .nanoseconds(1_000_000_000 + Int64(traits.clockDrift) * 1000) }

  private func startBeating() {
    if beat != nil { return }
    subscribedAt = world.loop.now
    scheduleBeat(after: second * random.fraction())
  }

  private func stopBeating() {
    if let beat { world.loop.cancel(beat) }
    beat = nil
    if subscribedAt != nil { lastServed = world.loop.now }
    subscribedAt = nil
  }

  private func scheduleBeat(after delay: Duration) {
    beat = world.loop.schedule(after: delay) { [weak self] in self?.passSecond() }
  }

  private func passSecond() {
    scheduleBeat(after: second)
    seconds += 1
    intervals.removeAll(keepingCapacity: true)
    heart.advanceOneSecond(&random, intervals: &intervals)
    drainBattery()
    if let link, link.isOpen { sendMeasurement(on: link) }
  }

  /// Sends the measurement of one second. Hostile straps override this.
  func sendMeasurement(on link: VirtualLink) {
    let value = measure()
    measurementsUnderWay.append(value)
    link.carry(encode(value), .measurement, direct: true)
  }

  func measure() -> HeartRateValue {
    if traits.hasContact {
      // About once in a quarter of an hour the electrodes lose contact for some seconds.
      if withoutContact > 0 {
        withoutContact -= 1
      } else if random.chance(1.0 / 900) {
        withoutContact = random.integer(in: 3...30)
      }
    }
    let isLost = withoutContact > 0
    return HeartRateValue(
      // Without contact some straps repeat the last rate and others send 0.
      rate: isLost && traits.hasWideRate ? 0 : UInt16(heart.rate.rounded()),
      hasContact: traits.hasContact ? !isLost : nil,
      energy: traits.hasEnergy && seconds % 10 == 0 ? UInt16(min(65_535, heart.energy)) : nil,
      intervals: traits.hasIntervals && !isLost ? intervals : [])
  }

  /// Notification PDU: opcode 1B, handle, value.
  func encode(_ value: HeartRateValue) -> [UInt8] {
    var pdu: [UInt8] = []
    pdu.reserveCapacity(32)
    pdu.append(0x1B)
    pdu.append(littleEndian: measurementHandle)
    value.append(to: &pdu, wide: traits.hasWideRate)
    return pdu
  }

  private func drainBattery() {
    battery = max(1, battery - traits.batteryDrain / 3600)
    let level = UInt8(battery)
    guard level != batteryLevel else { return }
    batteryLevel = level
    guard let batteryHandle else { return }
    server.setValue([level], at: batteryHandle)
    guard let link, link.isOpen, server.subscription(at: batteryHandle) == 1 else { return }
    batteriesUnderWay.append((level, isProof: false))
    link.carry(server.notification(at: batteryHandle, value: [level]), .battery)
  }
}
