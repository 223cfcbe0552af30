// The Reconnection Configuration Service as a profile of the standard driver: a wearable without further data gives up
// its slot.

import Bluetooth
public import GATTServices
import Health
import Wearable

/// The SIG's assigned numbers. The control point (2B1F) is not used: the hub sets link parameters itself.
enum ReconnectionService {
  static let service: BluetoothUUID = 0x1829
  static let feature: BluetoothUUID = 0x2B1D
  static let settings: BluetoothUUID = 0x2B1E
}

extension ServiceProfile {
  /// Reconnection Configuration Service 1.0.
  public static let reconnection = ServiceProfile(
    service: ReconnectionService.service, kind: nil,
    sources: [
      LiveSource(
        service: ReconnectionService.service, characteristic: ReconnectionService.feature, mode: .read,
        isRequired: false),
      LiveSource(
        service: ReconnectionService.service, characteristic: ReconnectionService.settings, mode: .readAndSubscribe,
        isRequired: false),
    ],
    capabilities: [], makeDecoder: { ReconnectionDecoder() })
}

private final class ReconnectionDecoder: LiveDecoder {
  /// Whether bit 4 of the settings is supported; nil if the features could not be read.
  private var tells: Bool?

  func begin(_ database: GATTDatabase) { tells = nil }

  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    switch source.characteristic {
    case ReconnectionService.feature:
      let features = try ReconnectionFeatures(value)
      if features.trailingBytes != 0 { sink.noteAnomaly("reconnection: bytes after the features") }
      tells = features.supported.contains(.readyForDisconnect)
    case ReconnectionService.settings:
      let settings = try ReconnectionSettings(value)
      sink.noteDrained(settings.isReady && tells != false)
    default: break
    }
  }

  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? { nil }
}
