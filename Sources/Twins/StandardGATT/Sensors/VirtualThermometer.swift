// Simulated clinical thermometer.

public import Bluetooth
import EventLoop
public import Simulation

extension BluetoothUUID {
  static let healthThermometer: BluetoothUUID = 0x1809
  /// Temperature Measurement.
  public static let temperatureMeasurement: BluetoothUUID = 0x2A1C
  /// Intermediate Temperature.
  public static let intermediateTemperature: BluetoothUUID = 0x2A1E
  /// Temperature Type.
  public static let temperatureType: BluetoothUUID = 0x2A1D
  /// Measurement Interval.
  public static let measurementInterval: BluetoothUUID = 0x2A21
  static let validRange: BluetoothUUID = 0x2906
}

/// Traits of a simulated thermometer. Optional parts of the Health Thermometer Service 1.0 can be left out.
public struct ThermometerTraits: Sendable {
  /// Place of the measurement, and how it is reported.
  public enum Place: Sendable, Hashable {
    case untold
    /// The type is part of each value.
    case inValue(UInt8)
    /// The type is read from 2A1D.
    case fixed(UInt8)
  }
  /// Traits of all sensors.
  public var sensor = SensorTraits(name: "Thermometer")
  /// Schedule of use.
  public var keeping = SpotCheckTraits()
  /// True: values in °F, false: in °C.
  public var isFahrenheit = false
  /// True if values have a time stamp.
  public var hasTime = false
  /// 1 armpit, 2 body, 3 ear, 4 finger, 5 gut, 6 mouth, 7 rectum, 8 toe, 9 tympanum.
  public var place = Place.inValue(2)
  /// True if it notifies intermediate temperatures.
  public var hasIntermediate = true
  /// 2A21, s, with its range: interval of measurements while subscribed. nil: it measures only when it is used.
  public var interval: UInt16?
  /// Intervals that may be set, in seconds.
  public var intervalRange: ClosedRange<UInt16> = 5...3600
  /// Hundredths instead of tenths.
  public var hasHundredths = false
  /// Share of measurements without a number.
  public var special = 0.02
  /// Value in tenths of its own unit; nil: random.
  public var firstTenths: Int?

  /// A thermometer that stays on the air.
  public init() { keeping.isIntermittent = false }
}

/// Twin of a thermometer, from the Health Thermometer Service 1.0. Final values are indicated, intermediate ones are
/// notified.
public final class VirtualThermometer: SpotCheckTwin {
  /// Traits of the thermometer.
  public let traits: ThermometerTraits
  /// Present interval of measurements, seconds; 0: only when it is used.
  public private(set) var interval: UInt16
  private var tenths: Int
  private var sinceMeasurement = 0

  /// A thermometer in a world.
  public init(_ world: VirtualWorld, address: BluetoothAddress, random: SeededRandom, traits: ThermometerTraits) {
    self.traits = traits
    interval = traits.interval ?? 0
    var draw = random.split(5)
    tenths = traits.firstTenths ?? (traits.isFahrenheit ? 986 : 368) + draw.integer(in: -6...12)
    var keeping = traits.keeping
    if traits.interval != nil, !keeping.isIntermittent { keeping.measurements = 0 }
    super.init(
      world, address: address, random: random, sensor: traits.sensor, keeping: keeping,
      services: [Self.service(traits)], advertised: [0x1809],
      measuring: [.temperatureMeasurement, .intermediateTemperature])
  }

  private static func service(_ traits: ThermometerTraits) -> GATTServiceDefinition {
    var all = [GATTCharacteristicDefinition(.temperatureMeasurement, .indicate)]
    if case .fixed(let type) = traits.place {
      all.append(GATTCharacteristicDefinition(.temperatureType, .read, value: [type]))
    }
    if traits.hasIntermediate { all.append(GATTCharacteristicDefinition(.intermediateTemperature, .notify)) }
    if let interval = traits.interval {
      var value: [UInt8] = []
      var range: [UInt8] = []
      value.append(littleEndian: interval)
      range.append(littleEndian: traits.intervalRange.lowerBound)
      range.append(littleEndian: traits.intervalRange.upperBound)
      all.append(
        GATTCharacteristicDefinition(
          .measurementInterval, [.read, .write, .indicate], value: value,
          descriptors: [GATTDescriptorDefinition(.validRange, value: range)]))
    }
    return GATTServiceDefinition(.healthThermometer, all)
  }

  // MARK: Interval

  override var settable: [BluetoothUUID] { [.measurementInterval] }

  /// Returns Out of Range (80) for values outside the valid range; 0 stops periodic measurements.
  override func refusal(of value: [UInt8], to characteristic: BluetoothUUID) -> UInt8? {
    guard characteristic == .measurementInterval else { return nil }
    let seconds = value.count == 2 ? UInt16(value[0]) | UInt16(value[1]) << 8 : .max
    if seconds == 0 || traits.intervalRange.contains(seconds) { return nil }
    ledger.faults.append(.wroteNonsense)
    return 0x80
  }

  override func wrote(_ value: [UInt8], to characteristic: BluetoothUUID) {
    guard characteristic == .measurementInterval, value.count == 2 else { return }
    interval = UInt16(value[0]) | UInt16(value[1]) << 8
    sinceMeasurement = 0
  }

  /// Sets the interval on the thermometer itself: subscribers are notified.
  public func setInterval(_ seconds: UInt16) {
    guard traits.interval != nil else { return }
    interval = seconds
    var value: [UInt8] = []
    value.append(littleEndian: seconds)
    server.setValue(value, for: .measurementInterval)
    send(Draft(characteristic: .measurementInterval, value: value, takenAt: world.loop.now))
  }

  override func passSecond() {
    guard interval > 0 else { return }
    sinceMeasurement += 1
    if sinceMeasurement < Int(interval) { return }
    sinceMeasurement = 0
    measureNow()
  }

  // MARK: Measurements

  override func tellProgress() {
    guard traits.hasIntermediate else { return }
    // From room temperature up to the measured value.
    for step in [40, 15, 4] {
      var draft = self.draft(.intermediateTemperature, MedicalNumber(tenths - step, exponent: -1))
      draft.reading = nextReading()
      send(draft)
    }
  }

  override func measure() -> [Draft] {
    let range = traits.isFahrenheit ? 950...1060 : 350...412
    tenths = min(max(tenths + random.integer(in: -2...2), range.lowerBound), range.upperBound)
    if random.chance(traits.special) {
      let kinds = MedicalNumber.Special.allCases
      return [draft(.temperatureMeasurement, MedicalNumber(kinds[random.below(kinds.count)]))]
    }
    let number =
      traits.hasHundredths
      ? MedicalNumber(tenths * 10 + random.below(10), exponent: -2) : MedicalNumber(tenths, exponent: -1)
    return [draft(.temperatureMeasurement, number)]
  }

  private func draft(_ characteristic: BluetoothUUID, _ number: MedicalNumber) -> Draft {
    let now = world.loop.now
    let celsius = number.exact.map { traits.isFahrenheit ? UnitFactor.celsius(fahrenheit: $0) : $0 }
    return Draft(
      characteristic: characteristic,
      value: Self.value(number, traits, time: traits.hasTime ? clock.dateTimeBytes(at: now) : nil),
      facts: celsius.map { [Fact(.temperature, $0)] } ?? [], worth: celsius == nil ? .nothing : .good, takenAt: now,
      shown: traits.hasTime ? clock.shown(at: now) : nil)
  }

  /// Temperature Measurement: flags (bit 0 °F, 1 time, 2 type), FLOAT, Date Time, type.
  nonisolated static func value(_ number: MedicalNumber, _ traits: ThermometerTraits, time: [UInt8]?) -> [UInt8] {
    var flags: UInt8 = traits.isFahrenheit ? 0x01 : 0
    if time != nil { flags |= 0x02 }
    if case .inValue = traits.place { flags |= 0x04 }
    var bytes = [flags]
    bytes.append(littleEndian: number.float)
    bytes += time ?? []
    if case .inValue(let type) = traits.place { bytes.append(type) }
    return bytes
  }

  override func fieldFlags(of characteristic: BluetoothUUID) -> UInt8 {
    [.temperatureMeasurement, .intermediateTemperature].contains(characteristic) ? 0x06 : 0
  }

  /// A furnace, a freezer, an invalid date.
  override func absurd(_ characteristic: BluetoothUUID) -> [UInt8]? {
    guard fieldFlags(of: characteristic) != 0 else { return nil }
    let numbers = [
      MedicalNumber(3000, exponent: -1), MedicalNumber(-400, exponent: -1), MedicalNumber(36, exponent: 5),
    ]
    let time: [UInt8]? = traits.hasTime ? [0xEA, 0x07, 0x0D, 0x28, 0x19, 0x3D, 0x3D] : nil
    return Self.value(numbers[random.below(3)], traits, time: time)
  }
}
