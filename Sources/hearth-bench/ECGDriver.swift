// A driver for a wearable that streams ECG already: measures the cost of a notification of a running stream.

import Bluetooth
import EventLoop
import Health
import PolarFamily
import Wearable

/// The hub's own path of a frame, without the requests that begin a stream.
struct ECGDriver: WearableDriver {
  var id: String { "ecg" }
  func recognise(_ scanResult: ScanResult) -> Recognition? { Recognition(kind: "HR strap", priority: 1) }
  var liveSources: [LiveSource] { [Self.source] }
  func makeDecoder() -> any LiveDecoder { Decoder() }
  var capabilities: Capabilities { [] }
  var pairing: PairingNeed { .never }
  func makeSession(_ link: any WearableLink) -> (any WearableSession)? { nil }

  private static let source = LiveSource(
    service: PMD.service, characteristic: PMD.data, mode: .subscribe, isRequired: true, valuesPerSecond: 100)

  private final class Decoder: LiveDecoder {
    private let streams = PMD.StreamDecoder()

    init() { streams.start(.ecg, PMD.StreamSettings(sampleRate: Double(ECGData.stampRate))) }

    func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
      try streams.decode(value, into: sink)
    }
    func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? { nil }
  }
}
