// Simulated blood pressure cuff for the arm.

public import Bluetooth
import EventLoop
public import Simulation

extension BluetoothUUID {
  static let bloodPressure: BluetoothUUID = 0x1810
  /// Blood Pressure Measurement.
  public static let bloodPressureMeasurement: BluetoothUUID = 0x2A35
  /// Intermediate Cuff Pressure.
  public static let intermediateCuffPressure: BluetoothUUID = 0x2A36
  /// Blood Pressure Feature.
  public static let bloodPressureFeature: BluetoothUUID = 0x2A49
}

/// Traits of a simulated cuff. Optional parts of the Blood Pressure Service 1.1.1 can be left out.
public struct CuffTraits: Sendable {
  /// Traits of all sensors.
  public var sensor = SensorTraits(name: "Cuff")
  /// Schedule of use.
  public var keeping = SpotCheckTraits()
  /// True: pressures in kPa, false: in mmHg.
  public var isKilopascal = false
  /// True if values have a time stamp.
  public var hasTime = true
  /// True if values have a pulse rate.
  public var hasPulse = true
  /// 255: unknown user; nil: no user in its values.
  public var user: UInt8? = 1
  /// True if values have a status.
  public var hasStatus = true
  /// True if it notifies intermediate pressures.
  public var hasIntermediate = false
  /// Share of failed measurements: all numbers are NaN.
  public var failed = 0.03

  /// A cuff with all parts but intermediate pressures.
  public init() {}
}

/// Measurement of a cuff.
struct CuffValue {
  /// mmHg, or tenths of a kPa.
  var systolic: Int
  var diastolic: Int
  var mean: Int
  var pulse: Int
  /// Bit 0 movement, 1 cuff too loose, 2 irregular pulse, 3–4 pulse above (1) or below (2) its range, 5 wrong position.
  var status: UInt16
  var hasFailed: Bool

  func number(_ value: Int, _ traits: CuffTraits) -> MedicalNumber {
    hasFailed
      ? MedicalNumber(.notANumber) : traits.isKilopascal ? MedicalNumber(value, exponent: -1) : MedicalNumber(value)
  }

  /// Blood Pressure Measurement: flags, three SFLOATs, then the fields of the flags in the order of their bits. Flags:
  /// bit 0 kPa, 1 time, 2 pulse, 3 user, 4 status.
  func bytes(_ traits: CuffTraits, time: [UInt8]?) -> [UInt8] {
    var flags: UInt8 = traits.isKilopascal ? 0x01 : 0
    if time != nil { flags |= 0x02 }
    if traits.hasPulse { flags |= 0x04 }
    if traits.user != nil { flags |= 0x08 }
    if traits.hasStatus { flags |= 0x10 }
    var bytes = [flags]
    for value in [systolic, diastolic, mean] { bytes.append(littleEndian: number(value, traits).sfloat) }
    bytes += time ?? []
    if traits.hasPulse {
      bytes.append(littleEndian: (hasFailed ? MedicalNumber(.notANumber) : MedicalNumber(pulse)).sfloat)
    }
    if let user = traits.user { bytes.append(user) }
    if traits.hasStatus { bytes.append(littleEndian: status) }
    return bytes
  }

  func facts(_ traits: CuffTraits) -> [Fact] {
    if hasFailed { return [] }
    let pressures: [(Quantity, Int)] = [(.systolic, systolic), (.diastolic, diastolic), (.meanPressure, mean)]
    var facts: [Fact] = []
    for (quantity, value) in pressures {
      guard let exact = number(value, traits).exact else { continue }
      facts.append(
        Fact(quantity, traits.isKilopascal ? UnitFactor.millimetresOfMercury(kilopascals: exact) : exact))
    }
    if traits.hasPulse { facts.append(Fact(.pulseRate, Exact(Int64(pulse)))) }
    return facts
  }
}

/// Twin of a cuff, from the Blood Pressure Service 1.1.1. Silent until it is used, then on air for some seconds.
/// Indicates unconfirmed values and disconnects.
public final class VirtualCuff: SpotCheckTwin {
  /// Traits of the cuff.
  public let traits: CuffTraits
  private var systolic: Int
  private var pulse: Int

  /// A cuff in a world.
  public init(_ world: VirtualWorld, address: BluetoothAddress, random: SeededRandom, traits: CuffTraits) {
    self.traits = traits
    var draw = random.split(5)
    systolic = draw.integer(in: 105...160)
    pulse = draw.integer(in: 52...95)
    super.init(
      world, address: address, random: random, sensor: traits.sensor, keeping: traits.keeping,
      services: [Self.service(traits)], advertised: [0x1810],
      measuring: [.bloodPressureMeasurement, .intermediateCuffPressure])
  }

  /// Features: supported bits of the status: all six of them, or no bit.
  private static func service(_ traits: CuffTraits) -> GATTServiceDefinition {
    var all = [GATTCharacteristicDefinition(.bloodPressureMeasurement, .indicate)]
    if traits.hasIntermediate { all.append(GATTCharacteristicDefinition(.intermediateCuffPressure, .notify)) }
    all.append(
      GATTCharacteristicDefinition(.bloodPressureFeature, .read, value: [traits.hasStatus ? 0x1F : 0x00, 0x00]))
    return GATTServiceDefinition(.bloodPressure, all)
  }

  /// Pressure of the cuff during inflation: the first of three numbers; the others are NaN.
  override func tellProgress() {
    guard traits.hasIntermediate else { return }
    for pressure in [40, 90, 150] {
      let shown = traits.isKilopascal ? pressure * 4 / 3 : pressure
      let number = traits.isKilopascal ? MedicalNumber(shown, exponent: -1) : MedicalNumber(shown)
      var bytes: [UInt8] = [traits.isKilopascal ? 0x01 : 0x00]
      bytes.append(littleEndian: number.sfloat)
      for _ in 0..<2 { bytes.append(littleEndian: MedicalNumber(.notANumber).sfloat) }
      guard let exact = number.exact else { continue }
      let value = traits.isKilopascal ? UnitFactor.millimetresOfMercury(kilopascals: exact) : exact
      send(
        Draft(
          characteristic: .intermediateCuffPressure, value: bytes, reading: nextReading(),
          facts: [Fact(.cuffPressure, value)], worth: .good, takenAt: world.loop.now))
    }
  }

  override func measure() -> [Draft] {
    let now = world.loop.now
    systolic = min(max(systolic + random.integer(in: -8...8), 90), 195)
    pulse = min(max(pulse + random.integer(in: -6...6), 44), 130)
    let diastolic = systolic * 5 / 8
    let mean = (systolic + 2 * diastolic) / 3
    // A fifth of the measurements has a status bit.
    let status: UInt16 = random.chance(0.2) ? [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x03][random.below(7)] : 0
    let failed = random.chance(traits.failed)
    let inTenths = { (value: Int) in self.traits.isKilopascal ? value * 4 / 3 : value }
    let value = CuffValue(
      systolic: inTenths(systolic), diastolic: inTenths(diastolic), mean: inTenths(mean), pulse: pulse,
      status: status, hasFailed: failed)
    // Movement, a loose cuff, an irregular pulse, a wrong position.
    let isDoubtful = traits.hasStatus && status & 0x27 != 0
    return [
      Draft(
        characteristic: .bloodPressureMeasurement,
        value: value.bytes(traits, time: traits.hasTime ? clock.dateTimeBytes(at: now) : nil),
        facts: value.facts(traits), worth: failed ? .nothing : isDoubtful ? .doubtful : .good, takenAt: now,
        shown: traits.hasTime ? clock.shown(at: now) : nil)
    ]
  }

  override func fieldFlags(of characteristic: BluetoothUUID) -> UInt8 {
    [.bloodPressureMeasurement, .intermediateCuffPressure].contains(characteristic) ? 0x1E : 0
  }

  /// Impossible pressures, infinities, a month 13.
  override func absurd(_ characteristic: BluetoothUUID) -> [UInt8]? {
    guard characteristic == .bloodPressureMeasurement else { return nil }
    let time: [UInt8]? = traits.hasTime ? [0xEA, 0x07, 0x0D, 0x28, 0x19, 0x3D, 0x3D] : nil
    let value = CuffValue(
      systolic: [2000, -20, 40][random.below(3)], diastolic: [1900, -30, 120][random.below(3)], mean: 0, pulse: 900,
      status: 0xFFFF, hasFailed: false)
    return value.bytes(traits, time: time)
  }
}
