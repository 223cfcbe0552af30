// Services that tell the time, as a row of what standard wearables are served in: nothing is listened to, and it says
// that there is a clock.

import Bluetooth
public import GATTServices
import Health
import Wearable

extension ServiceProfile {
  /// Current Time Service 1.1, and the Device Time Service: the session reads and sets what there is.
  public static let currentTime = ServiceProfile(
    service: TimeServices.currentTimeService, kind: nil, sources: [], capabilities: [.timeRead, .timeSet],
    makeDecoder: { NoDecoder() })
}

private final class NoDecoder: LiveDecoder {
  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {}
  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? { nil }
}
