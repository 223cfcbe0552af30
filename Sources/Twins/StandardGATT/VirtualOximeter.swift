// Simulated pulse oximeter, alone or combined with a heart rate sensor.

public import Bluetooth
public import EventLoop
import Health
public import Simulation

/// Twin of an oximeter, from the Pulse Oximeter Service 1.0.1. While the hub is subscribed it notifies about once a
/// second and indicates about once a minute. A ledger records what was delivered.
public final class VirtualOximeter: VirtualPeripheral {
  /// Traits of the oximeter.
  public let traits: OximeterTraits
  /// Malformed values that were delivered.
  public private(set) var malformed = 0
  /// Delivered measurements that must not be stored.
  public private(set) var doubtful = 0
  /// Writes to its Record Access Control Point: a hub that deletes records would appear here.
  public private(set) var recordRequests: [[UInt8]] = []
  /// Spot-checks that were sent.
  public private(set) var spotChecks = 0
  /// Links so far.
  public private(set) var links = 0

  private var server: GATTServer
  private var told: [Series: [LiveTruth.Value]] = [:]
  private var tick: LoopTimer?
  private var seconds = 0
  private var saturation = 970, pulse = 700, amplitude = 45
  private var condition = OximeterValue.Condition.finger
  private var conditionLeft = 0
  private var awaitsConfirmation = false
  /// End of the last subscription, on links that have ended.
  private var lastHeard: Instant?
  private var batteryWasRead = false
  private let battery: UInt8 = 77

  /// Values in flight, oldest first.
  private enum Sent {
    case values([(kind: Series, value: Int64)], isMeasurement: Bool, own: WallTime?)
    case malformed
    case battery(isProof: Bool)
  }
  private var underWay: [Sent] = []

  /// True: the store is compared with its values.
  public override var isJudged: Bool { true }
  /// True: a hub has to serve it.
  public override var mustBeServed: Bool { true }
  /// Time at which a link served it last; nil: never.
  public override var servedAt: Instant? { isHeard ? world.loop.now : lastHeard }
  /// Name for reports.
  public override var label: String { traits.name }
  /// Values that arrived.
  public override var liveTruth: LiveTruth? {
    let series = told.sorted { $0.key.id < $1.key.id }.map { (kind: $0.key, values: $0.value) }
    return LiveTruth(all: series, lastAt: series.filter { $0.kind != .battery }.compactMap(\.values.last?.at).max())
  }

  /// Takes out what was delivered to the hub since the last call.
  public func takeTruth() -> LiveTruth {
    defer { told = [:] }
    let series = told.sorted { $0.key.id < $1.key.id }.map { (kind: $0.key, values: $0.value) }
    return LiveTruth(all: series, lastAt: nil)
  }

  /// An oximeter in a world.
  public init(_ world: VirtualWorld, address: BluetoothAddress, random: SeededRandom, traits: OximeterTraits) {
    self.traits = traits
    server = GATTServer(Self.services(traits, battery: battery), ownMTU: 185)
    super.init(world, address: address, advertisingInterval: .milliseconds(250), rssi: -60, random: random)
  }

  /// Flags, the measuring services, the name.
  public override var advertisingData: [UInt8] {
    let services: [UInt8] = traits.hasHeartRate ? [0x22, 0x18, 0x0D, 0x18] : [0x22, 0x18]
    let name = Array(traits.name.utf8.prefix(16))
    return [0x02, 0x01, 0x06, UInt8(services.count + 1), 0x03] + services + [UInt8(name.count + 1), 0x09] + name
  }

  private static func services(_ traits: OximeterTraits, battery: UInt8) -> [GATTServiceDefinition] {
    var services = [
      GATTServiceDefinition(
        .genericAccess,
        [
          GATTCharacteristicDefinition(.deviceName, .read, value: Array(traits.name.utf8))
        ]),
      GATTServiceDefinition(
        .genericAttributeService,
        [
          GATTCharacteristicDefinition(.serviceChanged, .indicate, value: [0, 0, 0, 0])
        ]),
    ]
    // Features, bits: 0 measurement status, 1 sensor status, 2 storage, 3 time, 4 fast, 5 slow, 6 amplitude index. The
    // used bits of both kinds of status follow.
    let features: UInt8 =
      (traits.hasStatus ? 0x03 : 0) | (traits.hasStorage ? 0x04 : 0) | (traits.hasClock ? 0x08 : 0)
      | (traits.hasAverages ? 0x30 : 0) | (traits.hasAmplitude ? 0x40 : 0)
    let inUse: [UInt8] = traits.hasStatus ? [0xA0, 0x64, 0x60, 0x0A, 0x00] : []
    var oximeter = [GATTCharacteristicDefinition(.oximeterFeatures, .read, value: [features, 0] + inUse)]
    if traits.hasSpotChecks { oximeter.append(GATTCharacteristicDefinition(.spotCheckMeasurement, .indicate)) }
    if traits.hasContinuous { oximeter.append(GATTCharacteristicDefinition(.continuousMeasurement, .notify)) }
    if traits.hasStorage {
      oximeter.append(GATTCharacteristicDefinition(.recordAccessControlPoint, [.write, .indicate], value: [0]))
    }
    services.append(GATTServiceDefinition(.pulseOximeter, oximeter))
    if traits.hasHeartRate {
      services.append(GATTServiceDefinition(.heartRate, [GATTCharacteristicDefinition(.heartRateMeasurement, .notify)]))
    }
    if traits.hasBattery {
      services.append(
        GATTServiceDefinition(
          .batteryService,
          [
            GATTCharacteristicDefinition(.batteryLevel, .read, value: [battery])
          ]))
    }
    return services
  }

  // MARK: Link

  /// Counts a link.
  public override func linkOpened(_ link: VirtualLink) { links += 1 }

  /// Takes a PDU of the host.
  public override func received(_ pdu: RawBytes, on link: VirtualLink) {
    // Handle Value Confirmation.
    if pdu.first == 0x1E { awaitsConfirmation = false }
    if let refusal = refusal(of: pdu) { return link.carry(refusal, .protocolData) }
    if let response = server.respond(to: pdu) {
      let isBattery = pdu.first == 0x0A && pdu.count == 3 && handle(pdu) == server.valueHandle(of: .batteryLevel)
      if isBattery {
        underWay.append(.battery(isProof: batteryWasRead))
        batteryWasRead = true
      }
      link.carry(response, isBattery ? .measurement : .protocolData)
    }
    for write in server.takeWrites() where write.characteristic == .recordAccessControlPoint {
      if write.attribute != .clientCharacteristicConfiguration { recordRequests.append(write.value) }
    }
    if isHeard, tick == nil { scheduleTick(after: second * random.fraction()) }
  }

  private func handle(_ pdu: RawBytes) -> UInt16 { UInt16(pdu[1]) | UInt16(pdu[2]) << 8 }

  /// Write Not Permitted (03) for the configuration of a refused characteristic: the descriptor right after the value.
  private func refusal(of pdu: RawBytes) -> [UInt8]? {
    guard pdu.first == 0x12, pdu.count == 5 else { return nil }
    let refused = traits.refused.compactMap { server.valueHandle(of: $0) }
    return refused.contains(handle(pdu) &- 1) ? [0x01, 0x12, pdu[1], pdu[2], 0x03] : nil
  }

  /// Whether any measuring characteristic is subscribed.
  public var isHeard: Bool {
    [BluetoothUUID.continuousMeasurement, .spotCheckMeasurement, .heartRateMeasurement].contains {
      server.isSubscribed(to: $0)
    }
  }

  /// Ends a link.
  public override func linkClosed() {
    if isHeard { lastHeard = world.loop.now }
    server.reset()
    awaitsConfirmation = false
    batteryWasRead = false
    if let tick { world.loop.cancel(tick) }
    tick = nil
  }

  /// Notes that a value arrived.
  public override func delivered(_ freight: Freight) {
    guard freight == .measurement else { return }
    switch underWay.removeFirst() {
    case .values(let values, let isMeasurement, let own):
      if !isMeasurement { doubtful += 1 }
      for (kind, value) in values { note(kind, value, own: own) }
    case .malformed: malformed += 1
    case .battery(let isProof): note(.battery, Int64(battery), isOptional: isProof)
    }
  }

  private func note(_ kind: Series, _ value: Int64, isOptional: Bool = false, own: WallTime? = nil) {
    told[kind, default: []].append(
      LiveTruth.Value(time: world.loop.wall, at: world.loop.now, value: value, isOptional: isOptional, own: own))
  }

  /// Notes that a value was lost.
  public override func lost(_ freight: Freight) { if freight == .measurement { underWay.removeFirst() } }
  /// Notes that a value was refused.
  public override func refused(_ freight: Freight) { if freight == .measurement { underWay.removeLast() } }

  // MARK: Measurements

  private let second = Duration.nanoseconds(1_000_020_000)

  private func scheduleTick(after delay: Duration) {
    tick = world.loop.schedule(after: delay) { [weak self] in self?.passSecond() }
  }

  private func passSecond() {
    scheduleTick(after: second)
    seconds += 1
    saturation = min(1000, max(850, saturation + random.integer(in: -3...3)))
    pulse = min(1800, max(450, pulse + random.integer(in: -12...12)))
    amplitude = min(180, max(2, amplitude + random.integer(in: -3...3)))
    changeCondition()
    let value = OximeterValue(condition: condition, saturation: saturation, pulse: pulse, amplitude: amplitude)
    let expected = value.expected(traits)
    send(.continuousMeasurement, value.continuous(traits), expected)
    if seconds % 60 == 5 {
      let time = world.loop.wall.microseconds
      let hasTime = traits.hasClock && traits.clockIsSet
      send(
        .spotCheckMeasurement, value.spotCheck(traits, time: time, seconds: seconds), expected,
        own: hasTime ? WallTime(microseconds: wholeSeconds(time) * 1_000_000) : nil)
    }
    // Whole beats, from a sensor of its own: never the finger's value.
    let rate = UInt8(pulse / 10 + 3)
    send(.heartRateMeasurement, [0x00, rate], [(.heartRate, Int64(rate))], isWhole: true)
  }

  /// Creates a problem for some seconds every few minutes.
  private func changeCondition() {
    if conditionLeft > 0 {
      conditionLeft -= 1
    } else if random.chance(1.0 / 90) {
      condition = [.motion, .lowPerfusion, .offFinger, .demonstration][random.below(4)]
      conditionLeft = random.integer(in: 3...20)
    } else {
      condition = .finger
    }
  }

  private func send(
    _ characteristic: BluetoothUUID, _ value: [UInt8], _ expected: [(kind: Series, value: Int64)],
    isWhole: Bool = false, own: WallTime? = nil
  ) {
    guard let link, link.isOpen, let handle = server.valueHandle(of: characteristic),
      server.isSubscribed(to: characteristic)
    else { return }
    let isIndicated = server.subscription(at: handle) & 2 != 0
    if isIndicated {
      // A single indication at a time; the client confirms each.
      if awaitsConfirmation { return }
      awaitsConfirmation = true
      spotChecks += 1
    }
    if traits.isHostile, !isIndicated, !isWhole {
      // Truncated at a random byte.
      underWay.append(.malformed)
      let cut = Array(value.prefix(random.below(value.count)))
      link.carry(server.notification(at: handle, value: cut), .measurement, direct: true)
    }
    let sent = traits.isHostile && !isWhole ? value + [0xEE, 0xFF] : value
    underWay.append(.values(expected, isMeasurement: !expected.isEmpty, own: own))
    let pdu = isIndicated ? server.indication(at: handle, value: sent) : server.notification(at: handle, value: sent)
    link.carry(pdu, .measurement, direct: true)
  }
}
