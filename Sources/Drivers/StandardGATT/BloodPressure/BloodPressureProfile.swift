// The Blood Pressure Service as a profile of the standard driver.

import Bluetooth
public import GATTServices
import Health
import Wearable

/// The SIG's assigned numbers.
enum BloodPressure {
  static let service: BluetoothUUID = 0x1810
  static let measurement: BluetoothUUID = 0x2A35
  static let intermediate: BluetoothUUID = 0x2A36
  static let feature: BluetoothUUID = 0x2A49
}

extension ServiceProfile {
  /// Blood Pressure Service 1.1.1 of cuffs. Optical estimates of a band are refused (`PressureEstimate`).
  public static let bloodPressure = ServiceProfile(
    service: BloodPressure.service, kind: "cuff", hasShortPresence: true, dependsOnModel: true,
    sources: [
      LiveSource(
        service: BloodPressure.service, characteristic: BloodPressure.measurement, mode: .subscribe, isRequired: true,
        isKept: true),
      LiveSource(
        service: BloodPressure.service, characteristic: BloodPressure.intermediate, mode: .subscribe,
        isRequired: false),
      LiveSource(
        service: BloodPressure.service, characteristic: BloodPressure.feature, mode: .read, isRequired: false),
    ],
    capabilities: [
      .live(.systolicPressure), .live(.diastolicPressure), .live(.meanPressure), .live(.pulseRate),
      .live(.cuffPressure), .live(.userIndex),
    ],
    // The feature (2A49) says which problems it detects, and not which values it measures.
    liveSeries: { shown in
      let measured: [Series] = [.systolicPressure, .diastolicPressure, .meanPressure, .pulseRate, .userIndex]
      let inflating = shown.database.characteristic(BloodPressure.intermediate, in: BloodPressure.service)
      return measured + (inflating == nil ? [] : [.cuffPressure])
    },
    makeDecoder: { BloodPressureDecoder() })
}

/// Keeps, for one link, whether the wearable has a cuff (`PressureEstimate`).
final class BloodPressureDecoder: CompanionDecoder {
  private var isEstimate = false
  private var quirks = QuirkWatch(.swappedBytes)
  private static let odd: StaticString = "blood pressure: a value out of range"

  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    switch source.characteristic {
    case BloodPressure.measurement, BloodPressure.intermediate:
      let measurement = try BloodPressureMeasurement(value, isSwapped: quirks.effect == .swappedBytes)
      if measurement.hasReservedBits { sink.noteAnomaly("blood pressure: flags or a status that are reserved") }
      if measurement.trailingBytes != 0 { sink.noteAnomaly("blood pressure: bytes after the last field") }
      if measurement.hasReservedNumber { sink.noteAnomaly("blood pressure: a number that is reserved, left out") }
      if isEstimate { return sink.noteAnomaly(PressureEstimate.refused) }
      if source.characteristic == BloodPressure.measurement {
        sink.beginReading(source.characteristic, measurement.time, value)
        return tell(measurement, sink)
      }
      sink.append(.cuffPressure, measurement.hundredths(measurement.systolic), within: 1...400, Self.odd)
    case BloodPressure.feature:
      let feature = try BloodPressureFeature(value)
      if feature.trailingBytes != 0 { sink.noteAnomaly("blood pressure: bytes after the features") }
      if feature.hasReservedBits { sink.noteAnomaly("blood pressure: features that are reserved") }
    default: break
    }
  }

  /// Stores each number of a value, if systolic and diastolic pressure are consistent.
  private func tell(_ measurement: BloodPressureMeasurement, _ sink: any SampleSink) {
    let isDoubtful = !(measurement.status ?? []).isDisjoint(with: .doubtful)
    // A person puts the cuff on and starts it.
    let flags = SampleFlags(origin: .live, isManual: true, isLowQuality: isDoubtful)
    let (high, low) = (measurement.hundredths(measurement.systolic), measurement.hundredths(measurement.diastolic))
    if let high, let low, high != 0, low >= high { return sink.noteAnomaly("blood pressure: diastolic above systolic") }
    var isKept = sink.append(.systolicPressure, high, within: Self.possible, flags: flags, Self.odd)
    if sink.append(.diastolicPressure, low, within: Self.possible, flags: flags, Self.odd) { isKept = true }
    let mean = measurement.hundredths(measurement.mean)
    if sink.append(.meanPressure, mean, within: Self.possible, flags: flags, Self.odd) { isKept = true }
    let pulse = measurement.pulse?.scaled(by: 10)
    if sink.append(.pulseRate, pulse, within: 1...300, flags: flags, Self.odd) { isKept = true }
    if measurement.hasFailed { sink.noteAnomaly("blood pressure: a measurement that failed, without a pressure") }
    guard isKept, let user = measurement.user, user != BloodPressureMeasurement.unknownUser else { return }
    sink.append(Sample(.userIndex, Int64(user), flags: flags))
  }

  /// mmHg: the range of cuffs.
  private static let possible: ClosedRange<Int64> = 1...300

  func begin(_ database: GATTDatabase, of known: KnownWearable) {
    if PressureEstimate.isOfBand(database) { isEstimate = true }
    quirks.begin(database, known)
  }

  func learned(_ fact: WearableFact) {
    quirks.learned(fact)
    if PressureEstimate.isWorn(where: fact) { isEstimate = true }
  }

  /// Refused series are not available.
  var announced: WearableCapabilities? { isEstimate ? WearableCapabilities() : nil }

  /// The feature is read after the location of the heart rate sensor.
  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? {
    isEstimate && source.characteristic == BloodPressure.feature ? .notServed(PressureEstimate.reason) : nil
  }
}
