// Services that tell nothing of what a wearable is, and accompany those that measure: its battery, and who made it.

import Bluetooth
import Health
import Wearable

extension ServiceProfile {
  /// Battery Service 1.1: the level.
  public static let battery = ServiceProfile(
    service: StandardGATT.batteryService, kind: nil,
    sources: [
      LiveSource(
        service: StandardGATT.batteryService, characteristic: StandardGATT.batteryLevel, mode: .readAndSubscribe,
        isRequired: false)
    ],
    capabilities: [.live(.battery), .battery], makeDecoder: { BatteryDecoder() })

  /// Device Information Service 1.2: the texts.
  public static let deviceInformation = ServiceProfile(
    service: StandardGATT.deviceInformationService, kind: nil,
    sources: [
      StandardGATT.manufacturerName, StandardGATT.modelNumber, StandardGATT.serialNumber, StandardGATT.firmwareRevision,
      StandardGATT.hardwareRevision, StandardGATT.softwareRevision,
    ].map {
      LiveSource(
        service: StandardGATT.deviceInformationService, characteristic: $0, mode: .read, isRequired: false)
    },
    capabilities: [], makeDecoder: { DeviceInformationDecoder() })
}

private final class BatteryDecoder: LiveDecoder {
  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    let level = try BatteryLevel(value)
    if level.trailingBytes != 0 { sink.noteAnomaly(BatteryLevel.anomaly) }
    sink.append(Sample(.battery, Int64(level.percent)))
  }

  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? { nil }
}

private final class DeviceInformationDecoder: LiveDecoder {
  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {}

  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? {
    switch source.characteristic {
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
