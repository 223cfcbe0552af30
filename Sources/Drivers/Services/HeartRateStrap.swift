// What every strap serves: the Heart Rate Service, its battery, and who made it.

public import Bluetooth
import Health
public import Wearable

/// For the driver of whatever keeps to the Heart Rate Service, and for those of vendors whose wearables do that too.
public enum HeartRateStrap {
  /// The driver's identity in the registry, which those that do more name as the one they extend.
  public static let driver = "heart-rate"

  /// The measurement first: a beat that is missed while texts are read is a beat lost.
  public static let liveSources: [LiveSource] = [
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
public final class HeartRateDecoder: LiveDecoder {
  public init() {}

  public func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
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

  public func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? {
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
