// The Running Speed and Cadence Service as a profile of the standard driver.

import Bluetooth
public import GATTServices
import Health
import Wearable

/// The SIG's assigned numbers.
enum RunningService {
  static let service: BluetoothUUID = 0x1814
  static let measurement: BluetoothUUID = 0x2A53
  static let features: BluetoothUUID = 0x2A54
}

extension ServiceProfile {
  /// Running Speed and Cadence Service 1.0. The control point (2A55), which sets the distance and calibrates, is not
  /// written.
  public static let running = ServiceProfile(
    service: RunningService.service, kind: "foot pod",
    sources: [
      LiveSource(
        service: RunningService.service, characteristic: RunningService.measurement, mode: .subscribe,
        isRequired: true),
      LiveSource(
        service: RunningService.service, characteristic: RunningService.features, mode: .read, isRequired: false),
      LiveSource(
        service: RunningService.service, characteristic: SensorLocation.characteristic, mode: .read, isRequired: false),
    ],
    capabilities: [.live(.speed), .live(.cadence), .live(.strideLength), .live(.totalDistance)],
    feature: RunningService.features,
    liveSeries: { shown in
      let told = shown.feature.flatMap { bytes in bytes.withUnsafeBytes { try? RunningFeatures($0) } }
      let features = told ?? [.strideLength, .totalDistance]
      let stride: [Series] = features.contains(.strideLength) ? [.strideLength] : []
      let distance: [Series] = features.contains(.totalDistance) ? [.totalDistance] : []
      return [.speed, .cadence] + stride + distance
    },
    makeDecoder: { RunningDecoder() })
}

/// Stateless: no value depends on another.
final class RunningDecoder: LiveDecoder {
  private static let odd: StaticString = "running: a value out of range"

  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    switch source.characteristic {
    case RunningService.measurement: tell(try RunningSpeedCadence(value), sink)
    case RunningService.features:
      // Features give no sample; only their format is checked.
      let features = try RunningFeatures(value)
      if features.hasReservedBits { sink.noteAnomaly("running: features that are reserved") }
      if value.count > 2 { sink.noteAnomaly("running: bytes after the features") }
    case SensorLocation.characteristic: try SensorLocation.check(value, sink)
    default: break
    }
  }

  /// Appends the values of a moving wearer: 0 is not stored as a speed, a cadence or a stride. The distance is stored
  /// while the wearer moves.
  private func tell(_ measurement: RunningSpeedCadence, _ sink: any SampleSink) {
    if measurement.trailingBytes != 0 { sink.noteAnomaly("running: bytes after the last field") }
    if measurement.hasReservedFlags { sink.noteAnomaly("running: flags that are reserved") }
    if measurement.speed == 0, measurement.cadence == 0 { return }
    sink.append(.speed, measurement.tenthsOfKilometersPerHour, within: Self.speeds, Self.odd)
    sink.append(.cadence, Int64(measurement.cadence), within: 1...255, Self.odd)
    if let stride = measurement.strideLength { sink.append(.strideLength, Int64(stride), within: 1...500, Self.odd) }
    if let distance = measurement.totalDistance {
      sink.append(.totalDistance, Int64(distance), within: Self.distances, Self.odd)
    }
  }

  /// km/h: a quarter more than the fastest runner.
  private static let speeds: ClosedRange<Int64> = 0...56
  /// Metres: twice around the earth.
  private static let distances: ClosedRange<Int64> = 0...80_000_000

  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? { SensorLocation.fact(source, value) }
}
