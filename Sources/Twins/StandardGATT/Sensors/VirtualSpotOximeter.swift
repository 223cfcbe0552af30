// Simulated oximeter that stores spot-checks, and has a clock of its own.

public import Bluetooth
import EventLoop
public import Simulation

/// Traits of an oximeter with storage. Optional parts of the Pulse Oximeter Service 1.0.1 can be left out.
public struct SpotOximeterTraits: Sendable {
  /// Traits of all sensors.
  public var sensor = SensorTraits(name: "Spot oximeter")
  /// Properties of its records.
  public var recording = RecordingTraits()
  /// True if it also notifies once a second.
  public var hasContinuous = false
  /// Measurement status and sensor status, which mark stored records.
  public var hasStatus = true
  /// True if values have the pulse amplitude index.
  public var hasAmplitude = true
  /// True if values have a time stamp.
  public var hasTime = true
  /// Values in tenths; otherwise whole numbers.
  public var isDecimal = true
  /// Share of spot-checks that are questionable, or have no number.
  public var poor = 0.1

  /// An oximeter with all parts and a clock.
  public init() { sensor.clock.isServed = true }
}

/// Spot-check of a record.
private struct SpotCheck {
  /// Tenths of a percent, of a beat per minute, of a percent.
  var saturation: Int
  var pulse: Int
  var amplitude: Int
  /// Status bits apart from those of its origin.
  var measurementStatus: UInt16
  var sensorStatus: UInt32
  var hasNumbers: Bool
}

/// Twin of an oximeter with storage. Spot-checks without a subscriber become records. The records are reported on
/// demand and stay until they are deleted.
public final class VirtualSpotOximeter: RecordingTwin {
  /// Traits of the oximeter.
  public let traits: SpotOximeterTraits
  private var checks: [UInt64: SpotCheck] = [:]
  private var saturation = 968
  private var pulse = 720

  /// An oximeter in a world.
  public init(_ world: VirtualWorld, address: BluetoothAddress, random: SeededRandom, traits: SpotOximeterTraits) {
    self.traits = traits
    super.init(
      world, address: address, random: random, sensor: traits.sensor, recording: traits.recording, firstNumber: 1,
      services: [Self.service(traits)], advertised: [0x1822],
      measuring: [.spotCheckMeasurement, .continuousMeasurement])
  }

  /// Features: bit 0 measurement status, 1 sensor status, 2 storage, 3 time, 6 amplitude; then the used bits of either
  /// status.
  private static func service(_ traits: SpotOximeterTraits) -> GATTServiceDefinition {
    let features: UInt8 =
      (traits.hasStatus ? 0x03 : 0) | (traits.recording.isRecording ? 0x04 : 0) | (traits.hasTime ? 0x08 : 0)
      | (traits.hasAmplitude ? 0x40 : 0)
    let inUse: [UInt8] = traits.hasStatus ? [0x80, 0x63, 0x60, 0x08, 0x00] : []
    var all = [
      GATTCharacteristicDefinition(.oximeterFeatures, .read, value: [features, 0] + inUse),
      GATTCharacteristicDefinition(.spotCheckMeasurement, .indicate),
    ]
    if traits.hasContinuous { all.append(GATTCharacteristicDefinition(.continuousMeasurement, .notify)) }
    if traits.recording.isRecording {
      all.append(GATTCharacteristicDefinition(.recordAccessControlPoint, [.write, .indicate], value: [0]))
    }
    return GATTServiceDefinition(.pulseOximeter, all)
  }

  // MARK: Measurements

  private func draw() -> SpotCheck {
    saturation = min(max(saturation + random.integer(in: -6...6), 860), 1000)
    pulse = min(max(pulse + random.integer(in: -40...40), 460), 1500)
    var check = SpotCheck(
      saturation: saturation, pulse: pulse, amplitude: random.integer(in: 5...150), measurementStatus: 1 << 7,
      sensorStatus: 0, hasNumbers: true)
    guard random.chance(traits.poor) else { return check }
    switch random.below(3) {
    case 0:  // a cold hand
      check.sensorStatus = 1 << 5
    case 1:  // it moved
      check.measurementStatus = 1 << 14
      check.sensorStatus = 1 << 6
    default:  // no finger
      check.measurementStatus = 1 << 13
      check.sensorStatus = 1 << 11
      check.hasNumbers = false
    }
    return check
  }

  override func took(_ record: HealthRecord) { checks[record.reading] = draw() }

  override func sendLive() -> Bool {
    guard server.isSubscribed(to: .spotCheckMeasurement), !isMute else { return false }
    let now = world.loop.now
    return send(
      draft(draw(), reading: nextReading(), takenAt: now, shown: clock.shown(at: now), isStored: false))
  }

  override func drafts(of record: HealthRecord) -> [Draft] {
    guard let check = checks[record.reading] else { return [] }
    return [draft(check, reading: record.reading, takenAt: record.takenAt, shown: record.shown, isStored: true)]
  }

  private func number(_ tenths: Int) -> MedicalNumber {
    traits.isDecimal ? MedicalNumber(tenths, exponent: -1) : MedicalNumber(tenths / 10)
  }

  private func draft(_ check: SpotCheck, reading: UInt64, takenAt: Instant, shown: Int64, isStored: Bool) -> Draft {
    // Dates before 2001 come from a clock that was not set at the time of the measurement.
    let isUnset = shown < SensorClock.unsetEpoch + 366 * 86_400_000_000
    let pair =
      check.hasNumbers
      ? [number(check.saturation), number(check.pulse)] : [MedicalNumber(.notANumber), MedicalNumber(.notANumber)]
    // Always in tenths: the index is mostly below ten.
    let amplitude = MedicalNumber(check.amplitude, exponent: -1)
    var status = check.measurementStatus
    if isStored { status |= 1 << 9 }
    let zeros = isUnset && sensor.clock.unsetShowsZeros
    let date = dateTime(shown)
    let time = traits.hasTime ? (zeros ? [0, 0, 0, 0] + Array(date[4...]) : date) : nil
    let value = Self.value(
      pair, time: time, isClockUnset: isUnset, status: traits.hasStatus ? (status, check.sensorStatus) : nil,
      amplitude: traits.hasAmplitude ? amplitude : nil)
    var facts: [Fact] = []
    if check.hasNumbers {
      for (quantity, medical) in zip([Quantity.oxygenSaturation, .pulseRate], pair) {
        if let exact = medical.exact { facts.append(Fact(quantity, exact)) }
      }
      if traits.hasAmplitude, let exact = amplitude.exact { facts.append(Fact(.pulseAmplitude, exact)) }
    }
    let isDoubtful = traits.hasStatus && (check.sensorStatus != 0 || check.measurementStatus & 1 << 14 != 0)
    return Draft(
      characteristic: .spotCheckMeasurement, value: value, reading: reading, facts: facts,
      worth: !check.hasNumbers ? .nothing : isDoubtful ? .doubtful : .good, takenAt: takenAt,
      shown: traits.hasTime ? shown : nil, isTimeDoubted: isUnset || !traits.hasTime, isStored: isStored)
  }

  /// PLX Spot-check Measurement: flags (bit 0 time, 1 measurement status, 2 sensor status, 3 amplitude, 4 clock not
  /// set), saturation and pulse. Then the fields of the flags follow in the order of their bits.
  nonisolated static func value(
    _ pair: [MedicalNumber], time: [UInt8]?, isClockUnset: Bool, status: (measurement: UInt16, sensor: UInt32)?,
    amplitude: MedicalNumber?
  ) -> [UInt8] {
    var flags: UInt8 = 0
    if time != nil { flags |= isClockUnset ? 0x11 : 0x01 }
    if status != nil { flags |= 0x06 }
    if amplitude != nil { flags |= 0x08 }
    var bytes = [flags]
    for number in pair { bytes.append(littleEndian: number.sfloat) }
    bytes += time ?? []
    if let status {
      bytes.append(littleEndian: status.measurement)
      bytes.append(littleEndian24: status.sensor)
    }
    if let amplitude { bytes.append(littleEndian: amplitude.sfloat) }
    return bytes
  }

  override func passSecond() {
    guard traits.hasContinuous, server.isSubscribed(to: .continuousMeasurement) else { return }
    saturation = min(max(saturation + random.integer(in: -2...2), 860), 1000)
    pulse = min(max(pulse + random.integer(in: -8...8), 460), 1500)
    let pair = [number(saturation), number(pulse)]
    var bytes: [UInt8] = [0]
    for medical in pair { bytes.append(littleEndian: medical.sfloat) }
    let facts = zip([Quantity.oxygenSaturation, .pulseRate], pair).compactMap { quantity, medical in
      medical.exact.map { Fact(quantity, $0) }
    }
    send(
      Draft(
        characteristic: .continuousMeasurement, value: bytes, reading: nextReading(), facts: facts, worth: .good,
        takenAt: world.loop.now))
  }

  override func fieldFlags(of characteristic: BluetoothUUID) -> UInt8 {
    switch characteristic {
    case .spotCheckMeasurement: 0x0F
    case .continuousMeasurement: 0x1F
    default: 0
    }
  }

  /// Returns more oxygen than possible, a month 13.
  override func absurd(_ characteristic: BluetoothUUID) -> [UInt8]? {
    guard characteristic == .spotCheckMeasurement else { return nil }
    let time: [UInt8]? = traits.hasTime ? [0xEA, 0x07, 0x0D, 0x28, 0x19, 0x3D, 0x3D] : nil
    return Self.value(
      [MedicalNumber(180), MedicalNumber(-4)], time: time, isClockUnset: false, status: nil, amplitude: nil)
  }
}
