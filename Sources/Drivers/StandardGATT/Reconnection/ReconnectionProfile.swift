// The Reconnection Configuration Service as a row of what standard wearables are served in: whoever has nothing left to
// say gives its slot to others.

import Bluetooth
public import GATTServices
import Health
import Wearable

/// Names of the SIG's assigned numbers. The control point (2B1F) is left alone: the hub arranges its links itself.
enum Reconnecting {
  static let service: BluetoothUUID = 0x1829
  static let feature: BluetoothUUID = 0x2B1D
  static let settings: BluetoothUUID = 0x2B1E
}

extension ServiceProfile {
  /// Reconnection Configuration Service 1.0.
  public static let reconnection = ServiceProfile(
    service: Reconnecting.service, kind: nil,
    sources: [
      LiveSource(service: Reconnecting.service, characteristic: Reconnecting.feature, mode: .read, isRequired: false),
      LiveSource(
        service: Reconnecting.service, characteristic: Reconnecting.settings, mode: .readAndSubscribe,
        isRequired: false),
    ],
    capabilities: [], makeDecoder: { ReconnectionDecoder() })
}

private final class ReconnectionDecoder: LiveDecoder {
  /// Bit 4 of the settings means something. Nil: its features could not be read.
  private var tells: Bool?

  func begin(_ database: GATTDatabase) { tells = nil }

  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    switch source.characteristic {
    case Reconnecting.feature:
      let features = try ReconnectionFeatures(value)
      if features.trailingBytes != 0 { sink.noteAnomaly("reconnection: bytes after the features") }
      tells = features.supported.contains(.readyForDisconnect)
    case Reconnecting.settings:
      let settings = try ReconnectionSettings(value)
      sink.noteDrained(settings.isReady && tells != false)
    default: break
    }
  }

  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? { nil }
}
