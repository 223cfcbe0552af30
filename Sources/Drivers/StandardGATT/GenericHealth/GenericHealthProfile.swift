// The Generic Health Sensor Service as a profile of the standard driver: live observations.

import Bluetooth
public import GATTServices
import Health
import Wearable

/// The SIG's assigned numbers.
enum GenericHealth {
  static let service: BluetoothUUID = 0x1840
  static let liveObservations: BluetoothUUID = 0x2B8B
  static let storedObservations: BluetoothUUID = 0x2BDD
  static let features: BluetoothUUID = 0x2BF3
  static let controlPoint: BluetoothUUID = 0x2BF4
}

extension ServiceProfile {
  /// Generic Health Sensor Service 1.0. A wearable has live observations, stored ones or both. The session fetches the
  /// stored ones.
  public static let genericHealthSensor = ServiceProfile(
    service: GenericHealth.service, kind: "health sensor",
    sources: [
      LiveSource(
        service: GenericHealth.service, characteristic: GenericHealth.liveObservations, mode: .subscribe,
        isRequired: true),
      LiveSource(
        service: GenericHealth.service, characteristic: GenericHealth.features, mode: .read, isRequired: false),
    ],
    capabilities: Capabilities(ObservationSeries.series.flatMap { [.live($0), .recorded($0)] } + [.erase]),
    feature: GenericHealth.features, liveSeries: { HealthSensorFeatures.series($0.feature) },
    storedRecords: StoredRecords(
      controlPoint: RecordAccess.controlPoint, characteristic: GenericHealth.storedObservations,
      series: ObservationSeries.series),
    makeDecoder: { GenericHealthDecoder() })
}

/// Assembles segments, and appends observations to their series. A live observation gets its time of arrival.
final class GenericHealthDecoder: LiveDecoder {
  private var segments = ObservationSegments()

  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    if source.characteristic == GenericHealth.features {
      let features = try HealthSensorFeatures(value)
      if features.hasReservedFlags { sink.noteAnomaly("health sensor: flags of the features that are reserved") }
      if features.types.isEmpty { sink.noteAnomaly("health sensor: features without a value to observe") }
      if features.trailingBytes != 0 { sink.noteAnomaly("health sensor: bytes after the features") }
      return
    }
    guard source.characteristic == GenericHealth.liveObservations else { return }
    let discarded = segments.discarded
    let body = try segments.take(Array(value))
    if segments.discarded != discarded { sink.noteAnomaly("health sensor: an observation that was not finished") }
    guard let body else { return }
    typealias Read = (observations: [HealthObservation], trailingBytes: Int)
    let read: Result<Read, DecodeError> = body.withUnsafeBytes { bytes in
      do throws(DecodeError) { return .success(try HealthObservation.read(bytes)) } catch { return .failure(error) }
    }
    let (observations, trailing) = try read.get()
    if trailing != 0 { sink.noteAnomaly("health sensor: bytes after an observation") }
    for meaning in observations.flatMap(\.meanings) {
      switch meaning {
      case .value(let series, let value): sink.append(Sample(series, value))
      case .nothing: break
      case .reserved: sink.noteAnomaly("health sensor: a number that is reserved, left out")
      case .outOfRange: sink.noteAnomaly("health sensor: a value out of range")
      case .unknown: sink.noteAnomaly("health sensor: an observation of no series")
      }
    }
  }

  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? { nil }
}
