// Straps and watches that keep to the Heart Rate Service.

import Bluetooth
public import Health
public import Wearable

/// Any wearable that advertises the Heart Rate Service. Vendor families that also do are claimed by their own drivers, with a higher
/// priority.
public struct HeartRateDriver: WearableDriver {
  public init() {}

  public var id: String { "heart-rate" }

  public func recognise(_ sighting: Sighting) -> Recognition? {
    guard sighting.services.contains(StandardGATT.heartRateService) else { return nil }
    return Recognition(kind: "HR strap", priority: Recognition.standardService)
  }

  /// The service says nothing in advertisements; straps of Polar's that are claimed here do, under their company's own identifier.
  public func makeListener() -> (any AdvertisementListener)? { Polar.AdvertisedHeartRate() }

  public var liveSources: [LiveSource] { Self.sources }

  public func makeDecoder() -> any LiveDecoder { HeartRateDecoder() }

  public var capabilities: Capabilities { [.live(.heartRate), .live(.rrInterval), .live(.energyExpended), .live(.battery), .battery] }

  /// The measurement first: a beat that is missed while texts are read is a beat lost.
  private static let sources: [LiveSource] = [
    LiveSource(service: StandardGATT.heartRateService, characteristic: StandardGATT.heartRateMeasurement, mode: .subscribe, isRequired: true),
    LiveSource(service: StandardGATT.heartRateService, characteristic: StandardGATT.bodySensorLocation, mode: .read, isRequired: false),
    LiveSource(service: StandardGATT.batteryService, characteristic: StandardGATT.batteryLevel, mode: .readAndSubscribe, isRequired: false),
    text(StandardGATT.manufacturerName),
    text(StandardGATT.modelNumber),
    text(StandardGATT.serialNumber),
    text(StandardGATT.firmwareRevision),
    text(StandardGATT.hardwareRevision),
    text(StandardGATT.softwareRevision),
  ]

  private static func text(_ characteristic: BluetoothUUID) -> LiveSource {
    LiveSource(service: StandardGATT.deviceInformationService, characteristic: characteristic, mode: .read, isRequired: false)
  }
}

/// Without state: every value of these services stands for itself.
final class HeartRateDecoder: LiveDecoder {
  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    switch source.characteristic {
    case StandardGATT.heartRateMeasurement: try decodeMeasurement(value, into: sink)
    case StandardGATT.batteryLevel:
      let level = try BatteryLevel(value)
      if level.trailingBytes != 0 { sink.noteAnomaly(BatteryLevel.anomaly) }
      sink.append(Sample(.battery, Int64(level.percent)))
    case StandardGATT.bodySensorLocation:
      // It gives a fact and no sample; what is left to say here is whether it was well formed.
      if try BodySensorLocation(value).trailingBytes != 0 { sink.noteAnomaly("body sensor location: bytes after the code") }
    default: break
    }
  }

  /// In the order of the wire: rate, energy, intervals from the oldest on.
  ///
  /// A rate of zero or a sensor off the skin is no measurement: rate and intervals are left out, which is normal life and no anomaly.
  /// The energy counter is kept even then, because it tells of the time before.
  private func decodeMeasurement(_ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    let measurement = try HeartRateMeasurement(value)
    if let anomaly = measurement.anomaly { sink.noteAnomaly(anomaly.text) }
    if measurement.isMeasurement { sink.append(Sample(.heartRate, Int64(measurement.beatsPerMinute))) }
    if let energy = measurement.energyKilojoules {
      if energy == HeartRateMeasurement.energyFull {
        sink.noteAnomaly("heart rate: energy counter is full")
      } else {
        sink.append(Sample(.energyExpended, Int64(energy)))
      }
    }
    if measurement.isMeasurement {
      for interval in measurement.intervals { sink.append(Sample(.rrInterval, Int64(interval))) }
    }
  }

  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? {
    switch source.characteristic {
    case StandardGATT.bodySensorLocation: (try? BodySensorLocation(value))?.place.map { .bodyLocation($0.name) }
    case StandardGATT.manufacturerName: String(cleaning: value).map { .manufacturer($0) }
    case StandardGATT.modelNumber: String(cleaning: value).map { .model($0) }
    case StandardGATT.serialNumber: String(cleaning: value).map { .serialNumber($0) }
    case StandardGATT.firmwareRevision: String(cleaning: value).map { .firmware($0) }
    case StandardGATT.hardwareRevision: String(cleaning: value).map { .hardware($0) }
    case StandardGATT.softwareRevision: String(cleaning: value).map { .software($0) }
    default: nil
    }
  }
}
