// Services that accompany the measuring ones, and do not show what a wearable is: battery and device information.

import Bluetooth
import Health
import Wearable

extension ServiceProfile {
  /// Battery Service 1.1: the level, and whether it is charging.
  public static let battery = ServiceProfile(
    service: StandardGATT.batteryService, kind: nil,
    sources: [
      LiveSource(
        service: StandardGATT.batteryService, characteristic: StandardGATT.batteryLevel, mode: .readAndSubscribe,
        isRequired: false),
      LiveSource(
        service: StandardGATT.batteryService, characteristic: StandardGATT.batteryLevelStatus, mode: .readAndSubscribe,
        isRequired: false),
    ],
    capabilities: [.live(.battery), .battery], makeDecoder: { BatteryDecoder() })

  /// Device Information Service 1.2.
  public static let deviceInformation = ServiceProfile(
    service: StandardGATT.deviceInformationService, kind: nil,
    sources: [
      StandardGATT.manufacturerName, StandardGATT.modelNumber, StandardGATT.serialNumber, StandardGATT.firmwareRevision,
      StandardGATT.hardwareRevision, StandardGATT.softwareRevision, StandardGATT.systemID, StandardGATT.pnpID,
    ].map {
      LiveSource(
        service: StandardGATT.deviceInformationService, characteristic: $0, mode: .read, isRequired: false)
    },
    capabilities: [], makeDecoder: { DeviceInformationDecoder() })
}

/// Keeps, for one link, the last reported state of charging.
private final class BatteryDecoder: LiveDecoder {
  /// The level has a characteristic of its own, so that of the status would be a duplicate.
  private var hasLevel = true
  private var told: String?

  func begin(_ database: GATTDatabase) {
    hasLevel = database.characteristic(StandardGATT.batteryLevel, in: StandardGATT.batteryService) != nil
  }

  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    if source.characteristic == StandardGATT.batteryLevelStatus { return tell(try BatteryLevelStatus(value), sink) }
    let level = try BatteryLevel(value)
    if level.trailingBytes != 0 { sink.noteAnomaly(BatteryLevel.anomaly) }
    sink.append(Sample(.battery, Int64(level.percent)))
  }

  private func tell(_ status: BatteryLevelStatus, _ sink: any SampleSink) {
    if status.trailingBytes != 0 { sink.noteAnomaly("battery: bytes after the status") }
    if status.hasReservedBits { sink.noteAnomaly("battery: bits of the status that are reserved") }
    if !hasLevel, let percent = status.percent { sink.append(Sample(.battery, Int64(percent))) }
    guard let text = status.charging, text != told else { return }
    told = text
    sink.learn(.charging(text))
  }

  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? { nil }
}

private final class DeviceInformationDecoder: LiveDecoder {
  /// Checks the format of the two values that are not texts. An empty text is valid.
  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    switch source.characteristic {
    case StandardGATT.systemID:
      if try SystemID(value).trailingBytes != 0 { sink.noteAnomaly("device information: bytes after the system ID") }
    case StandardGATT.pnpID:
      let product = try PnPID(value)
      if product.trailingBytes != 0 { sink.noteAnomaly("device information: bytes after the PnP ID") }
      if case .reserved = product.vendorSource {
        sink.noteAnomaly("device information: a source of vendors that is reserved")
      }
    default: break
    }
  }

  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? {
    switch source.characteristic {
    case StandardGATT.systemID: (try? SystemID(value)).map { .systemID($0.text) }
    case StandardGATT.pnpID: (try? PnPID(value)).map { .productID($0.text) }
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
