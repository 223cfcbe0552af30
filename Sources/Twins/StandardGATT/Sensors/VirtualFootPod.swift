// Simulated foot pod: running speed and cadence.

public import Bluetooth
import EventLoop
public import Simulation

extension BluetoothUUID {
  static let runningSpeedAndCadence: BluetoothUUID = 0x1814
  /// RSC Measurement.
  public static let runningMeasurement: BluetoothUUID = 0x2A53
  /// RSC Feature.
  public static let runningFeature: BluetoothUUID = 0x2A54
  /// Sensor Location.
  public static let sensorLocation: BluetoothUUID = 0x2A5D
}

/// Traits of a simulated foot pod. Optional parts of the Running Speed and Cadence Service 1.0 can be left out.
public struct FootPodTraits: Sendable {
  /// Traits of all sensors.
  public var sensor = SensorTraits(name: "Foot pod")
  /// True if values have a stride length.
  public var hasStride = true
  /// True if values have a distance.
  public var hasDistance = true
  /// True if values distinguish running and walking.
  public var tellsRunning = true
  /// 1 top of the shoe, 2 in the shoe, 3 hip; nil: without 2A5D.
  public var location: UInt8? = 1
  /// Initial distance in tenths of a metre; near 2³² the counter wraps.
  public var firstDistance: UInt32 = 0
  /// True if it sends no values at rest; otherwise a speed of 0.
  public var isSilentAtRest = false
  /// Share of minutes at rest.
  public var rest = 0.2

  /// A foot pod with all parts.
  public init() {}
}

/// Gait of a runner, minute by minute.
struct Gait {
  private(set) var speed = 0  // 1/256 m/s
  private(set) var cadence = 0  // a minute
  private var secondsLeft = 0

  mutating func advanceOneSecond(_ random: inout SeededRandom, rest: Double) {
    if secondsLeft == 0 {
      secondsLeft = random.integer(in: 20...120)
      let isResting = random.chance(rest)
      let isRunning = random.chance(0.6)
      let range = isRunning ? 600...1100 : 250...450
      speed = isResting ? 0 : random.integer(in: range)
      cadence = isResting ? 0 : isRunning ? random.integer(in: 75...95) : random.integer(in: 45...62)
    }
    secondsLeft -= 1
    guard speed > 0 else { return }
    speed = min(max(speed + random.integer(in: -6...6), 120), 1500)
  }

  var isRunning: Bool { cadence > 70 }
}

/// Twin of a foot pod, from the Running Speed and Cadence Service 1.0: a notification a second.
public final class VirtualFootPod: HealthTwin {
  /// Traits of the foot pod.
  public let traits: FootPodTraits
  private var gait = Gait()
  /// Distance since its creation, in tenths of a metre times 256.
  private var path: UInt64

  /// A foot pod in a world.
  public init(_ world: VirtualWorld, address: BluetoothAddress, random: SeededRandom, traits: FootPodTraits) {
    self.traits = traits
    path = UInt64(traits.firstDistance) * 256
    super.init(
      world, address: address, random: random, sensor: traits.sensor, services: [Self.service(traits)],
      advertised: [0x1814], measuring: [.runningMeasurement])
  }

  /// Features: bit 0 stride, 1 distance, 2 walking or running, 3 calibration, 4 several places.
  private static func service(_ traits: FootPodTraits) -> GATTServiceDefinition {
    let features: UInt8 =
      (traits.hasStride ? 1 : 0) | (traits.hasDistance ? 2 : 0) | (traits.tellsRunning ? 4 : 0)
    var all = [
      GATTCharacteristicDefinition(.runningMeasurement, .notify),
      GATTCharacteristicDefinition(.runningFeature, .read, value: [features, 0]),
    ]
    if let location = traits.location {
      all.append(GATTCharacteristicDefinition(.sensorLocation, .read, value: [location]))
    }
    return GATTServiceDefinition(.runningSpeedAndCadence, all)
  }

  override func passSecond() {
    gait.advanceOneSecond(&random, rest: traits.rest)
    // 1/256 m/s for one second is 10 units of a tenth of a metre divided by 256.
    path += UInt64(gait.speed * 10)
    if gait.speed == 0, traits.isSilentAtRest { return }
    // Two steps per revolution of the cadence: strides of one foot.
    let stride = gait.cadence == 0 ? 0 : gait.speed * 100 * 60 / (256 * gait.cadence)
    let distance = UInt32(truncatingIfNeeded: path / 256)
    var facts = [
      Fact(.speed, Exact(Int64(gait.speed), over: 256)), Fact(.cadence, Exact(Int64(gait.cadence))),
    ]
    if traits.hasStride { facts.append(Fact(.strideLength, Exact(Int64(stride), over: 100))) }
    if traits.hasDistance { facts.append(Fact(.distance, Exact(Int64(distance), over: 10))) }
    send(
      Draft(
        characteristic: .runningMeasurement,
        value: Self.value(
          traits, speed: UInt16(gait.speed), cadence: UInt8(gait.cadence), stride: UInt16(stride), distance: distance,
          isRunning: gait.isRunning),
        reading: nextReading(), facts: facts, worth: .good, takenAt: world.loop.now))
  }

  /// RSC Measurement: flags (bit 0 stride, 1 distance, 2 running), speed in 1/256 m/s, cadence, stride in cm, distance
  /// in tenths of a metre.
  nonisolated static func value(
    _ traits: FootPodTraits, speed: UInt16, cadence: UInt8, stride: UInt16, distance: UInt32, isRunning: Bool
  ) -> [UInt8] {
    let flags: UInt8 =
      (traits.hasStride ? 1 : 0) | (traits.hasDistance ? 2 : 0) | (traits.tellsRunning && isRunning ? 4 : 0)
    var bytes = [flags]
    bytes.append(littleEndian: speed)
    bytes.append(cadence)
    if traits.hasStride { bytes.append(littleEndian: stride) }
    if traits.hasDistance { bytes.append(littleEndian: distance) }
    return bytes
  }

  override func fieldFlags(of characteristic: BluetoothUUID) -> UInt8 {
    characteristic == .runningMeasurement ? 0x03 : 0
  }

  /// Faster than any runner, with an impossible number of steps.
  override func absurd(_ characteristic: BluetoothUUID) -> [UInt8]? {
    guard characteristic == .runningMeasurement else { return nil }
    return Self.value(traits, speed: .max, cadence: .max, stride: .max, distance: .max, isRunning: true)
  }
}
