// Simulated cycling sensor: revolutions of wheel and crank.

public import Bluetooth
public import EventLoop
public import Simulation

extension BluetoothUUID {
  static let cyclingSpeedAndCadence: BluetoothUUID = 0x1816
  /// CSC Measurement.
  public static let cyclingMeasurement: BluetoothUUID = 0x2A5B
  /// CSC Feature.
  public static let cyclingFeature: BluetoothUUID = 0x2A5C
}

/// Traits of a simulated cycling sensor, with a wheel, a crank or both.
public struct BikeSensorTraits: Sendable {
  /// Traits of all sensors.
  public var sensor = SensorTraits(name: "Bike sensor")
  /// True if it counts revolutions of a wheel.
  public var hasWheel = true
  /// True if it counts revolutions of a crank.
  public var hasCrank = true
  /// 4 front wheel, 5 left crank, 6 right crank, 12 rear wheel; nil: without 2A5D.
  public var location: UInt8? = 12
  /// Initial counts: near their maximum the counters wrap.
  public var firstWheelRevolutions: UInt32 = 0
  /// Count of the crank at the start.
  public var firstCrankRevolutions: UInt16 = 0
  /// 1/1024 s; event times wrap every 64 s from any initial value.
  public var firstEvent: UInt16 = 0
  /// True if it sends no values at rest; otherwise it repeats the last one.
  public var isSilentAtRest = false
  /// Share of periods at rest.
  public var rest = 0.2

  /// A sensor with wheel and crank.
  public init() {}
}

/// Rotating part: number of revolutions, and time of the last one, by a clock of 1,024 ticks a second.
struct Turning {
  private(set) var revolutions: UInt32
  private(set) var lastEvent: UInt64
  /// Ticks per revolution; 0 at rest.
  private var period: UInt64 = 0

  init(revolutions: UInt32, event: UInt64) { (self.revolutions, lastEvent) = (revolutions, event) }

  mutating func turn(every period: UInt64, from now: UInt64) {
    // After a rest the first revolution takes a full period.
    if self.period == 0, period > 0 { before = now }
    self.period = period
  }

  /// Beginning of the present revolution.
  private var before: UInt64 = 0

  mutating func advance(to now: UInt64) {
    guard period > 0 else { return }
    while before + period <= now {
      before += period
      revolutions &+= 1
      lastEvent = before
    }
  }
}

/// Twin of a cycling sensor, from the Cycling Speed and Cadence Service 1.0: a notification a second.
public final class VirtualBikeSensor: HealthTwin {
  /// Traits of the sensor.
  public let traits: BikeSensorTraits
  private var wheel: Turning
  private var crank: Turning
  private var ticks: UInt64
  private var secondsLeft = 0
  private var isResting = false

  /// A sensor in a world.
  public init(_ world: VirtualWorld, address: BluetoothAddress, random: SeededRandom, traits: BikeSensorTraits) {
    precondition(traits.hasWheel || traits.hasCrank, "a cycling sensor counts something")
    self.traits = traits
    ticks = UInt64(traits.firstEvent)
    wheel = Turning(revolutions: traits.firstWheelRevolutions, event: ticks)
    crank = Turning(revolutions: UInt32(traits.firstCrankRevolutions), event: ticks)
    super.init(
      world, address: address, random: random, sensor: traits.sensor, services: [Self.service(traits)],
      advertised: [0x1816], measuring: [.cyclingMeasurement])
  }

  /// Features: bit 0 wheel, 1 crank, 2 several places.
  private static func service(_ traits: BikeSensorTraits) -> GATTServiceDefinition {
    let features: UInt8 = (traits.hasWheel ? 1 : 0) | (traits.hasCrank ? 2 : 0)
    var all = [
      GATTCharacteristicDefinition(.cyclingMeasurement, .notify),
      GATTCharacteristicDefinition(.cyclingFeature, .read, value: [features, 0]),
    ]
    if let location = traits.location {
      all.append(GATTCharacteristicDefinition(.sensorLocation, .read, value: [location]))
    }
    return GATTServiceDefinition(.cyclingSpeedAndCadence, all)
  }

  override func passSecond() {
    if secondsLeft == 0 {
      secondsLeft = random.integer(in: 15...100)
      isResting = random.chance(traits.rest)
      // A wheel of 2.1 m at 10 to 40 km/h, a crank at 50 to 110 per minute.
      wheel.turn(every: isResting ? 0 : UInt64(random.integer(in: 190...770)), from: ticks)
      crank.turn(every: isResting ? 0 : UInt64(random.integer(in: 560...1228)), from: ticks)
    }
    secondsLeft -= 1
    ticks += 1024
    wheel.advance(to: ticks)
    crank.advance(to: ticks)
    if isResting, traits.isSilentAtRest { return }
    let crankRevolutions = UInt16(truncatingIfNeeded: crank.revolutions)
    let wheelEvent = UInt16(truncatingIfNeeded: wheel.lastEvent)
    let crankEvent = UInt16(truncatingIfNeeded: crank.lastEvent)
    var facts: [Fact] = []
    if traits.hasWheel {
      facts.append(Fact(.wheelRevolutions, Exact(Int64(wheel.revolutions))))
      facts.append(Fact(.wheelEvent, Exact(Int64(wheelEvent))))
    }
    if traits.hasCrank {
      facts.append(Fact(.crankRevolutions, Exact(Int64(crankRevolutions))))
      facts.append(Fact(.crankEvent, Exact(Int64(crankEvent))))
    }
    send(
      Draft(
        characteristic: .cyclingMeasurement,
        value: Self.value(
          traits, wheel: (wheel.revolutions, wheelEvent), crank: (crankRevolutions, crankEvent)),
        reading: nextReading(), facts: facts, worth: .good, takenAt: world.loop.now))
  }

  /// CSC Measurement: flags (bit 0 wheel, 1 crank), wheel revolutions u32 and event u16, crank revolutions u16 and
  /// event u16; events in 1/1024 s.
  nonisolated static func value(
    _ traits: BikeSensorTraits, wheel: (revolutions: UInt32, event: UInt16),
    crank: (revolutions: UInt16, event: UInt16)
  ) -> [UInt8] {
    var bytes: [UInt8] = [(traits.hasWheel ? 1 : 0) | (traits.hasCrank ? 2 : 0)]
    if traits.hasWheel {
      bytes.append(littleEndian: wheel.revolutions)
      bytes.append(littleEndian: wheel.event)
    }
    if traits.hasCrank {
      bytes.append(littleEndian: crank.revolutions)
      bytes.append(littleEndian: crank.event)
    }
    return bytes
  }

  override func fieldFlags(of characteristic: BluetoothUUID) -> UInt8 {
    characteristic == .cyclingMeasurement ? 0x03 : 0
  }

  // MARK: Values that a hub can compute

  /// Revolutions per minute between two consecutive notifications of one link.
  public struct Rate: Sendable, Hashable {
    /// Time of the second notification.
    public let at: Instant
    /// nil: no rotation, or unknown.
    public let wheel: Exact?
    /// Rate of the crank, if any.
    public let crank: Exact?
  }

  /// Rates for each delivered notification except the first of each link, by the specification: differences modulo the
  /// counters' width. A gap of more than 63 s yields no rate, as the event times have wrapped.
  public var rates: [Rate] {
    var rates: [Rate] = []
    var last: Delivery?
    for delivery in ledger.deliveries where delivery.wasDelivered && delivery.worth == .good && delivery.reading > 0 {
      defer { last = delivery }
      guard let before = last, before.link == delivery.link, let at = delivery.deliveredAt else { continue }
      let isFar = (delivery.takenAt - before.takenAt).inSeconds > 63
      rates.append(
        Rate(
          at: at, wheel: isFar ? nil : Self.rate(before, delivery, .wheelRevolutions, .wheelEvent, 1 << 32),
          crank: isFar ? nil : Self.rate(before, delivery, .crankRevolutions, .crankEvent, 1 << 16)))
    }
    return rates
  }

  private static func rate(_ a: Delivery, _ b: Delivery, _ count: Quantity, _ event: Quantity, _ end: Int64) -> Exact? {
    guard let first = a.fact(count)?.numerator, let second = b.fact(count)?.numerator,
      let begin = a.fact(event)?.numerator, let now = b.fact(event)?.numerator
    else { return nil }
    let turns = ((second - first) % end + end) % end
    let ticks = ((now - begin) % 65_536 + 65_536) % 65_536
    return ticks == 0 ? nil : Exact(turns * 60 * 1024, over: ticks)
  }
}
