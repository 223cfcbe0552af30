// The Weight Scale Service and the Body Composition Service as rows of what standard wearables are served in.

import Bluetooth
public import GATTServices
import Health
import Wearable

/// Names of the SIG's assigned numbers.
enum Scale {
  static let weightService: BluetoothUUID = 0x181D
  static let weight: BluetoothUUID = 0x2A9D
  static let weightFeature: BluetoothUUID = 0x2A9E

  static let compositionService: BluetoothUUID = 0x181B
  static let composition: BluetoothUUID = 0x2A9C
  static let compositionFeature: BluetoothUUID = 0x2A9B
}

extension ServiceProfile {
  /// Weight Scale Service 1.0.1.
  public static let weightScale = ServiceProfile(
    service: Scale.weightService, kind: "scale", isBrief: true,
    sources: [
      LiveSource(
        service: Scale.weightService, characteristic: Scale.weight, mode: .subscribe, isRequired: true, isKept: true),
      LiveSource(service: Scale.weightService, characteristic: Scale.weightFeature, mode: .read, isRequired: false),
    ],
    capabilities: [.live(.weight), .live(.bodyMassIndex), .live(.userIndex)], feature: Scale.weightFeature,
    liveSeries: { ScaleFeatures($0.feature).weightSeries }, makeDecoder: { WeightDecoder() })

  /// Body Composition Service 1.0.
  public static let bodyComposition = ServiceProfile(
    service: Scale.compositionService, kind: "body scale", isBrief: true,
    sources: [
      LiveSource(
        service: Scale.compositionService, characteristic: Scale.composition, mode: .subscribe, isRequired: true,
        isKept: true),
      LiveSource(
        service: Scale.compositionService, characteristic: Scale.compositionFeature, mode: .read, isRequired: false),
    ],
    capabilities: [
      .live(.bodyFat), .live(.basalMetabolism), .live(.musclePercentage), .live(.muscleMass), .live(.fatFreeMass),
      .live(.softLeanMass), .live(.bodyWaterMass), .live(.bodyImpedance), .live(.weight), .live(.userIndex),
    ],
    feature: Scale.compositionFeature, liveSeries: { ScaleFeatures($0.feature).compositionSeries },
    makeDecoder: { BodyCompositionDecoder() })
}

/// Without state: every value of the service stands for itself.
final class WeightDecoder: LiveDecoder {
  private static let odd: StaticString = "scale: a value out of range"

  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    switch source.characteristic {
    case Scale.weight:
      let measurement = try WeightMeasurement(value)
      sink.beginReading(source.characteristic, measurement.time, value)
      tell(measurement, sink)
    case Scale.weightFeature: try checkFeature(value, sink)
    default: break
    }
  }

  private func tell(_ measurement: WeightMeasurement, _ sink: any SampleSink) {
    if measurement.trailingBytes != 0 { sink.noteAnomaly("scale: bytes after the last field") }
    let grams = measurement.weight.grams(isImperial: measurement.isImperial)
    guard sink.append(.weight, grams, within: ScaleRange.weight, Self.odd) else { return }
    sink.append(.bodyMassIndex, measurement.bodyMassIndex?.value, within: 1...200, Self.odd)
    tellUser(measurement.user, sink)
  }

  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? { nil }
}

/// Remembers for one link whether the value that comes next is the rest of one.
final class BodyCompositionDecoder: LiveDecoder {
  private var isRest = false
  /// Of the value before, which the rest shares.
  private var time: DateTime?
  /// Of the measurement that goes on: its user is told once.
  private var userIsTold = false
  /// The same wearable tells its weight as a weight scale too.
  private var hasScale = false
  private static let odd: StaticString = "scale: a value out of range"

  func begin(_ database: GATTDatabase) {
    (isRest, time) = (false, nil)
    hasScale = database.characteristic(Scale.weight, in: Scale.weightService) != nil
  }

  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    switch source.characteristic {
    case Scale.composition:
      let measurement = try BodyCompositionMeasurement(value)
      time = measurement.time ?? (isRest ? time : nil)
      sink.beginReading(source.characteristic, time, Array(value) + (time?.bytes ?? []))
      tell(measurement, sink)
    case Scale.compositionFeature: try checkFeature(value, sink)
    default: break
    }
  }

  private func tell(_ measurement: BodyCompositionMeasurement, _ sink: any SampleSink) {
    if measurement.trailingBytes != 0 { sink.noteAnomaly("scale: bytes after the last field") }
    // The body fat is there in each part, the same one.
    let fat = isRest ? nil : measurement.bodyFat.value
    if !isRest { userIsTold = false }
    isRest = measurement.goesOn
    var isKept = sink.append(.bodyFat, fat, within: 0...100, Self.odd)
    func append(_ series: Series, _ value: Int64?, _ range: ClosedRange<Int64>) {
      if sink.append(series, value, within: range, Self.odd) { isKept = true }
    }
    func append(_ series: Series, mass: ScaleNumber?) {
      append(series, mass?.grams(isImperial: measurement.isImperial), ScaleRange.weight)
    }
    append(.basalMetabolism, measurement.basalMetabolism?.value, ScaleRange.energy)
    append(.musclePercentage, measurement.musclePercentage?.value, 0...100)
    append(.muscleMass, mass: measurement.muscleMass)
    append(.fatFreeMass, mass: measurement.fatFreeMass)
    append(.softLeanMass, mass: measurement.softLeanMass)
    append(.bodyWaterMass, mass: measurement.bodyWaterMass)
    append(.bodyImpedance, measurement.impedance?.value, ScaleRange.ohms)
    if !hasScale { append(.weight, mass: measurement.weight) }
    if isKept, !userIsTold { userIsTold = tellUser(measurement.user, sink) }
  }

  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? { nil }
}

private enum ScaleRange {
  /// kg: more than any scale for people bears.
  static let weight: ClosedRange<Int64> = 0...320
  /// kJ a day: 12,000 kcal.
  static let energy: ClosedRange<Int64> = 0...50_000
  static let ohms: ClosedRange<Int64> = 0...5_000
}

/// Who it was, as the scale knows people.
///
/// - Returns: somebody was told.
@discardableResult
private func tellUser(_ user: UInt8?, _ sink: any SampleSink) -> Bool {
  guard let user, user != WeightMeasurement.unknownUser else { return false }
  sink.append(Sample(.userIndex, Int64(user)))
  return true
}

/// Whether a feature (`ScaleFeatures`) was well formed; what is in a value each says itself.
private func checkFeature(_ value: RawBytes, _ sink: any SampleSink) throws(DecodeError) {
  if value.isEmpty { throw .empty }
  if value.count < 4 { throw .truncated }
  if value.count > 4 { sink.noteAnomaly("scale: bytes after the features") }
}
