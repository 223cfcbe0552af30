// The time services as a profile of the standard driver, which has no sources and only declares a clock.

import Bluetooth
public import GATTServices
import Health
import Wearable

extension ServiceProfile {
  /// Current Time Service 1.1, and the Device Time Service: the session reads and sets the clock that is there.
  public static let currentTime = ServiceProfile(
    service: TimeServices.currentTimeService, kind: nil, sources: [], capabilities: [.timeRead, .timeSet],
    makeDecoder: { NoDecoder() })
}

private final class NoDecoder: LiveDecoder {
  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {}
  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? { nil }
}
