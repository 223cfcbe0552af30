// Driver of FitCloud bands: recognition, capabilities, known quirks.

import Bands
import EventLoop
public import Health
public import Wearable

/// Driver of bands on Realtek chips with the FitCloud kits, for both generations of keys.
public struct FitCloudDriver: WearableDriver, ClockedDriver, SyncedDriver, CapableDriver, MonitoringDriver, QuirkyDriver
{
  /// Makes the driver, which has no state.
  public init() {}

  public var id: String { Band.fitCloudDriver }

  /// Claims bands of this family by their advertisement.
  public func recognise(_ scanResult: ScanResult) -> Recognition? {
    Band.family(scanResult) == .fitCloud ? Recognition(kind: Band.kind, priority: Band.priority) : nil
  }

  /// Battery and live values.
  public var liveSources: [LiveSource] { FitCloudDecoder.sources }

  /// A decoder for one link.
  public func makeDecoder() -> any LiveDecoder { FitCloudDecoder() }

  /// Recorded histories, battery, erasing, and setting of the clock.
  public var capabilities: Capabilities { Self.abilities }

  /// Computed once, since the lane reads it at each choice of the next wearable.
  private static let abilities = Capabilities(
    HistoryKind.all.flatMap(\.series).map { .recorded($0) } + [.live(.battery), .battery, .erase, .timeSet])

  /// Pairing need: never; binding uses the band's own frames, unencrypted.
  public var pairing: PairingNeed { .never }

  /// A session over one link.
  @LoopActor public func makeSession(_ link: any WearableLink) -> (any WearableSession)? { FitCloudSession(link) }

  /// Unknown: the time that a clock shows after a loss of its time is not published.
  public var clockBeginning: Int64? { nil }

  /// True: the band's clock shows local time.
  public var showsLocalTime: Bool { true }

  /// True: the hub has corrected the times of items already.
  public var givesHubTimes: Bool { true }

  /// Kinds of stored histories.
  public var syncDomains: [SyncDomain] { HistoryKind.all.map(\.syncDomain) }

  /// Measurements that the band can be ordered to make by itself.
  public func monitoring(of wearable: KnownWearable) -> [MonitoringChoice] { FitCloudMonitoring.choices }

  /// Measurements on demand, and automatic ones.
  public var furtherCapabilities: WearableCapabilities {
    let onDemand = WearableCapabilities(.onDemand, FitCloudMeasuring.all)
    return FitCloudMonitoring.choices.reduce(onDemand) { $0.union(WearableCapabilities($1.gates, [$1.series])) }
  }

  /// Known misbehaviour of the firmware.
  public var quirks: [Quirk] {
    [
      Quirk(
        "clock-unreadable", affects: "all",
        effect: "set at each visit; the hub's times are worked out from what it was given",
        source: "no key that reads it is published"),
      Quirk(
        "pressure-invented", affects: "bands without the air pump's bit",
        effect: "blood pressure is neither fetched nor measured, and reported as not served",
        source: "the older kit makes it of one byte and a random number around a value that its user typed"),
      Quirk(
        "small-pieces", affects: "all", effect: "frames are written in pieces of 20 bytes until more is known to go",
        source: "the vendor's kits, which wait 15 to 60 ms between two pieces"),
    ]
  }
}
