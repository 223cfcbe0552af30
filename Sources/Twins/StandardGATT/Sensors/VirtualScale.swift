// Simulated scale: weight and body composition.

public import Bluetooth
import EventLoop
public import Simulation

extension BluetoothUUID {
  static let weightScale: BluetoothUUID = 0x181D
  /// Weight Measurement.
  public static let weightMeasurement: BluetoothUUID = 0x2A9D
  /// Weight Scale Feature.
  public static let weightFeature: BluetoothUUID = 0x2A9E
  static let bodyComposition: BluetoothUUID = 0x181B
  /// Body Composition Measurement.
  public static let bodyCompositionMeasurement: BluetoothUUID = 0x2A9C
  /// Body Composition Feature.
  public static let bodyCompositionFeature: BluetoothUUID = 0x2A9B
}

/// Traits of a simulated scale. Optional parts of the Weight Scale Service 1.0 and the Body Composition Service 1.0 can
/// be left out.
public struct ScaleTraits: Sendable {
  /// Traits of all sensors.
  public var sensor = SensorTraits(name: "Scale")
  /// Schedule of use.
  public var keeping = SpotCheckTraits()
  /// Pounds and inches.
  public var isImperial = false
  /// True if values have a time stamp.
  public var hasTime = true
  /// 255: unknown user; nil: no user in its values.
  public var user: UInt8? = 1
  /// True if values have a body mass index.
  public var hasBodyMassIndex = true
  /// True if it measures body composition.
  public var hasComposition = true
  /// True for all parts of the service besides the body's fat; otherwise weight only.
  public var hasWholeComposition = true
  /// Share of failed weighings: weight and fat are FFFF.
  public var failed = 0.03

  /// A scale with all parts.
  public init() {}
}

/// Weighing, in the units that are sent.
struct Weighing {
  /// 0.005 kg or 0.01 lb.
  var weight: UInt16
  /// 0.001 m or 0.1 in.
  var height: UInt16
  /// 0.1 kg/m².
  var index: UInt16
  /// 0.1 %.
  var fat: UInt16
  var muscle: UInt16
  /// kJ.
  var metabolism: UInt16
  /// 0.1 Ω.
  var impedance: UInt16
  var hasFailed: Bool

  /// Parts of the body in units of weight: muscle, fat-free, soft lean, water.
  var masses: [UInt16] { [45, 80, 76, 55].map { UInt16(UInt32(weight) * $0 / 100) } }

  /// Weight Measurement: flags (bit 0 imperial, 1 time, 2 user, 3 BMI and height), weight, time, user, BMI, height.
  /// FFFF is a failed weighing.
  func weightBytes(_ traits: ScaleTraits, time: [UInt8]?) -> [UInt8] {
    var flags: UInt8 = traits.isImperial ? 0x01 : 0
    if time != nil { flags |= 0x02 }
    if traits.user != nil { flags |= 0x04 }
    if traits.hasBodyMassIndex { flags |= 0x08 }
    var bytes = [flags]
    bytes.append(littleEndian: hasFailed ? .max : weight)
    bytes += time ?? []
    if let user = traits.user { bytes.append(user) }
    if traits.hasBodyMassIndex {
      bytes.append(littleEndian: index)
      bytes.append(littleEndian: height)
    }
    return bytes
  }

  /// Body Composition Measurement: flags u16, fat in tenths of a percent, then the fields of the flags in the order of
  /// their bits. A fat of FFFF is a failed weighing without further fields. Flags: bit 0 imperial, 1 time, 2 user.
  /// Parts: 3 metabolism, 4 muscle in percent, 5 muscle, 6 fat-free, 7 soft lean, 8 water, 9 impedance. Others: 10
  /// weight, 11 height, 12 more packets follow.
  func compositionBytes(_ traits: ScaleTraits, time: [UInt8]?) -> [UInt8] {
    var flags: UInt16 = traits.isImperial ? 0x01 : 0
    var rest: [UInt8] = []
    if let time {
      flags |= 0x02
      rest += time
    }
    if let user = traits.user {
      flags |= 0x04
      rest.append(user)
    }
    if !hasFailed {
      if traits.hasWholeComposition {
        flags |= 0x03F8
        for value in [metabolism, muscle] + masses + [impedance] { rest.append(littleEndian: value) }
      }
      flags |= 0x0400
      rest.append(littleEndian: weight)
      if traits.hasWholeComposition {
        flags |= 0x0800
        rest.append(littleEndian: height)
      }
    }
    var bytes: [UInt8] = []
    bytes.append(littleEndian: flags)
    bytes.append(littleEndian: hasFailed ? .max : fat)
    return bytes + rest
  }

  private func mass(_ value: UInt16, _ traits: ScaleTraits) -> Exact {
    traits.isImperial
      ? UnitFactor.kilograms(pounds: Exact(Int64(value), over: 100)) : Exact(Int64(value) * 5, over: 1000)
  }

  private func length(_ traits: ScaleTraits) -> Exact {
    traits.isImperial
      ? UnitFactor.metres(inches: Exact(Int64(height), over: 10)) : Exact(Int64(height), over: 1000)
  }

  func weightFacts(_ traits: ScaleTraits) -> [Fact] {
    if hasFailed { return [] }
    var facts = [Fact(.weight, mass(weight, traits))]
    if traits.hasBodyMassIndex {
      facts.append(Fact(.bodyMassIndex, Exact(Int64(index), over: 10)))
      facts.append(Fact(.height, length(traits)))
    }
    return facts
  }

  func compositionFacts(_ traits: ScaleTraits) -> [Fact] {
    if hasFailed { return [] }
    var facts = [Fact(.bodyFat, Exact(Int64(fat), over: 10))]
    guard traits.hasWholeComposition else { return facts + [Fact(.weight, mass(weight, traits))] }
    facts.append(Fact(.basalMetabolism, Exact(Int64(metabolism))))
    facts.append(Fact(.musclePercentage, Exact(Int64(muscle), over: 10)))
    let kinds: [Quantity] = [.muscleMass, .fatFreeMass, .softLeanMass, .bodyWaterMass]
    for (kind, value) in zip(kinds, masses) { facts.append(Fact(kind, mass(value, traits))) }
    facts.append(Fact(.impedance, Exact(Int64(impedance), over: 10)))
    facts.append(Fact(.weight, mass(weight, traits)))
    facts.append(Fact(.height, length(traits)))
    return facts
  }
}

/// Twin of a scale: silent until a person steps on it.
public final class VirtualScale: SpotCheckTwin {
  /// Traits of the scale.
  public let traits: ScaleTraits
  private var grams: Int
  private let millimetres: Int

  /// A scale in a world.
  public init(_ world: VirtualWorld, address: BluetoothAddress, random: SeededRandom, traits: ScaleTraits) {
    self.traits = traits
    var draw = random.split(5)
    grams = draw.integer(in: 52_000...98_000)
    millimetres = draw.integer(in: 1550...1960)
    super.init(
      world, address: address, random: random, sensor: traits.sensor, keeping: traits.keeping,
      services: Self.services(traits), advertised: traits.hasComposition ? [0x181D, 0x181B] : [0x181D],
      measuring: [.weightMeasurement, .bodyCompositionMeasurement])
  }

  /// Weight features: bit 0 time, 1 users, 2 BMI. Bits 3–6 resolution of the weight (7: 5 g or 0.01 lb), 7–9 of the
  /// height (3: 1 mm or 0.1 in). Features of the composition: bit 0 time, 1 users, 2–8 its parts, 9 weight, 10 height,
  /// 11–14 and 15–17 resolutions.
  private static func services(_ traits: ScaleTraits) -> [GATTServiceDefinition] {
    let shared: UInt32 = (traits.hasTime ? 1 : 0) | (traits.user == nil ? 0 : 2)
    var weight: [UInt8] = []
    weight.append(littleEndian: shared | (traits.hasBodyMassIndex ? 4 : 0) | 7 << 3 | 3 << 7)
    var services = [
      GATTServiceDefinition(
        .weightScale,
        [
          GATTCharacteristicDefinition(.weightFeature, .read, value: weight),
          GATTCharacteristicDefinition(.weightMeasurement, .indicate),
        ])
    ]
    guard traits.hasComposition else { return services }
    let parts: UInt32 = traits.hasWholeComposition ? 0x05FC : 0
    var composition: [UInt8] = []
    composition.append(littleEndian: shared | parts | 1 << 9 | 7 << 11 | 3 << 15)
    services.append(
      GATTServiceDefinition(
        .bodyComposition,
        [
          GATTCharacteristicDefinition(.bodyCompositionFeature, .read, value: composition),
          GATTCharacteristicDefinition(.bodyCompositionMeasurement, .indicate),
        ]))
    return services
  }

  override func measure() -> [Draft] {
    let now = world.loop.now
    grams = min(max(grams + random.integer(in: -600...600), 45_000), 130_000)
    let fat = random.integer(in: 120...360)
    // 1 lb = 453.59237 g, 1 in = 25.4 mm.
    let weighing = Weighing(
      weight: UInt16(traits.isImperial ? grams * 100_000 / 453_592 : grams / 5),
      height: UInt16(traits.isImperial ? millimetres * 100 / 254 : millimetres),
      index: UInt16(grams * 10_000 / (millimetres * millimetres)), fat: UInt16(fat), muscle: UInt16(900 - fat),
      metabolism: UInt16(grams / 10), impedance: UInt16(random.integer(in: 4200...6500)),
      hasFailed: random.chance(traits.failed))
    let time = traits.hasTime ? clock.dateTimeBytes(at: now) : nil
    let shown = traits.hasTime ? clock.shown(at: now) : nil
    let worth: Worth = weighing.hasFailed ? .nothing : .good
    var drafts = [
      Draft(
        characteristic: .weightMeasurement, value: weighing.weightBytes(traits, time: time),
        facts: weighing.weightFacts(traits), worth: worth, takenAt: now, shown: shown)
    ]
    if traits.hasComposition {
      drafts.append(
        Draft(
          characteristic: .bodyCompositionMeasurement, value: weighing.compositionBytes(traits, time: time),
          facts: weighing.compositionFacts(traits), worth: worth, takenAt: now, shown: shown))
    }
    return drafts
  }

  override func fieldFlags(of characteristic: BluetoothUUID) -> UInt8 {
    switch characteristic {
    case .weightMeasurement: 0x0E
    case .bodyCompositionMeasurement: 0xFE
    default: 0
    }
  }

  /// An elephant; a body of fat alone.
  override func absurd(_ characteristic: BluetoothUUID) -> [UInt8]? {
    var weighing = Weighing(
      weight: 65_500, height: 9000, index: 9000, fat: 1500, muscle: 1400, metabolism: 65_000, impedance: 1,
      hasFailed: false)
    if characteristic == .weightMeasurement { return weighing.weightBytes(traits, time: nil) }
    weighing.weight = 0
    return characteristic == .bodyCompositionMeasurement ? weighing.compositionBytes(traits, time: nil) : nil
  }
}
