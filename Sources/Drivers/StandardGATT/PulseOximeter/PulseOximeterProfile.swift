// The Pulse Oximeter Service as a profile of the standard driver.

import Bluetooth
public import GATTServices
import Health
import Wearable

/// The SIG's assigned numbers.
enum PulseOximeter {
  static let service: BluetoothUUID = 0x1822
  static let spotCheck: BluetoothUUID = 0x2A5E
  static let continuous: BluetoothUUID = 0x2A5F
  static let features: BluetoothUUID = 0x2A60
  static let recordAccess: BluetoothUUID = 0x2A52

  static let series: [Series] = [.spo2, .pulseRate, .pulseAmplitudeIndex]
}

extension ServiceProfile {
  /// Pulse Oximeter Service 1.0.1. A wearable has continuous measurements, spot-checks or both.
  public static let pulseOximeter = ServiceProfile(
    service: PulseOximeter.service, kind: "oximeter",
    sources: [
      LiveSource(
        service: PulseOximeter.service, characteristic: PulseOximeter.continuous, mode: .subscribe, isRequired: true),
      LiveSource(
        service: PulseOximeter.service, characteristic: PulseOximeter.spotCheck, mode: .subscribe, isRequired: true,
        isKept: true),
      LiveSource(
        service: PulseOximeter.service, characteristic: PulseOximeter.features, mode: .read, isRequired: false),
    ],
    capabilities: Capabilities(PulseOximeter.series.flatMap { [.live($0), .recorded($0)] } + [.erase]),
    feature: PulseOximeter.features,
    liveSeries: { shown in
      let told = shown.feature.flatMap { bytes in bytes.withUnsafeBytes { try? PLXFeatures($0) } }
      let hasIndex = told?.supported.contains(.amplitudeIndex) ?? true
      return [.spo2, .pulseRate] + (hasIndex ? [.pulseAmplitudeIndex] : [])
    },
    storedRecords: StoredRecords(
      controlPoint: PulseOximeter.recordAccess, characteristic: PulseOximeter.spotCheck, series: PulseOximeter.series),
    makeDecoder: { PulseOximeterDecoder() })
}

/// Stateless: no value depends on another.
final class PulseOximeterDecoder: LiveDecoder {
  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    switch source.characteristic {
    case PulseOximeter.continuous: tell(try PLXMeasurement(continuous: value), isManual: false, sink)
    case PulseOximeter.spotCheck:
      let measurement = try PLXMeasurement(spotCheck: value)
      sink.beginReading(
        source.characteristic, measurement.time, isUnset: measurement.clockIsNotSet,
        PLXMeasurement.identity(ofSpotCheck: value))
      tell(measurement, isManual: true, sink)
    case PulseOximeter.features:
      // Features give no sample; only their format is checked.
      let features = try PLXFeatures(value)
      if features.trailingBytes != 0 { sink.noteAnomaly("pulse oximeter: bytes after the features") }
      if features.hasReservedBits { sink.noteAnomaly("pulse oximeter: features that are reserved") }
    default: break
    }
  }

  /// Values that the wearable doubts are of low quality. Values that it declares invalid are left out and counted.
  private func tell(_ measurement: PLXMeasurement, isManual: Bool, _ sink: any SampleSink) {
    if measurement.trailingBytes != 0 { sink.noteAnomaly("pulse oximeter: bytes after the last field") }
    if measurement.hasReservedBits { sink.noteAnomaly("pulse oximeter: flags or states that are reserved") }
    if measurement.hasReservedNumber { sink.noteAnomaly("pulse oximeter: a number that is reserved, left out") }
    let worth = measurement.worth(hasOwnTime: measurement.time?.isKnown ?? false)
    if worth == .nothing {
      return sink.noteAnomaly("pulse oximeter: a value that is no measurement, by its own status")
    }
    if isManual, measurement.hasFailed {
      sink.noteAnomaly("pulse oximeter: a measurement that failed, without a number")
    }
    let flags = SampleFlags(origin: .live, isManual: isManual, isLowQuality: worth == .low)
    let (pair, odd): (PLXMeasurement.Pair, StaticString) = (measurement.normal, "pulse oximeter: a value out of range")
    sink.append(.spo2, pair.saturation.scaled(by: 1), within: 0...100, flags: flags, odd)
    sink.append(.pulseRate, pair.pulse.scaled(by: 10), within: 0...Self.fastest, flags: flags, odd)
    if let index = measurement.amplitudeIndex {
      sink.append(.pulseAmplitudeIndex, index.scaled(by: 100), within: 0...100, flags: flags, odd)
    }
  }

  /// Beats a minute: the physiological limit.
  private static let fastest: Int64 = 300

  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? { nil }
}
