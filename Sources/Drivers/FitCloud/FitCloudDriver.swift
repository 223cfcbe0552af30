// Driver of FitCloud bands: recognition, capabilities, known quirks.

import Bands
import EventLoop
public import Health
public import Wearable

/// Driver of bands on Realtek chips with the FitCloud kits, for both generations of keys.
public struct FitCloudDriver: WearableDriver, ClockedDriver, SyncedDriver, CapableDriver, MonitoringDriver, QuirkyDriver
{
  public init() {}

  public var id: String { Band.fitCloudDriver }

  public func recognise(_ scanResult: ScanResult) -> Recognition? {
    Band.family(scanResult) == .fitCloud ? Recognition(kind: Band.kind, priority: Band.priority) : nil
  }

  public var liveSources: [LiveSource] { FitCloudDecoder.sources }

  public func makeDecoder() -> any LiveDecoder { FitCloudDecoder() }

  public var capabilities: Capabilities { Self.abilities }

  /// Computed once, since the lane reads it at each choice of the next wearable.
  private static let abilities = Capabilities(
    HistoryKind.all.flatMap(\.series).map { .recorded($0) } + [.live(.battery), .battery, .erase, .timeSet])

  /// No Bluetooth pairing: binding uses the band's own frames, unencrypted.
  public var pairing: PairingNeed { .never }

  @LoopActor public func makeSession(_ link: any WearableLink) -> (any WearableSession)? { FitCloudSession(link) }

  /// What a clock shows after it lost its time is not published.
  public var clockBeginning: Int64? { nil }

  public var showsLocalTime: Bool { true }

  public var givesHubTimes: Bool { true }

  public var syncDomains: [SyncDomain] { HistoryKind.all.map(\.syncDomain) }

  public func monitoring(of wearable: KnownWearable) -> [MonitoringChoice] { FitCloudMonitoring.choices }

  public var furtherCapabilities: WearableCapabilities {
    let onDemand = WearableCapabilities(.onDemand, FitCloudMeasuring.all)
    return FitCloudMonitoring.choices.reduce(onDemand) { $0.union(WearableCapabilities($1.gates, [$1.series])) }
  }

  public var quirks: [Quirk] {
    [
      Quirk(
        "clock-unreadable", affects: "all",
        effect: "set at each visit; the hub's times are worked out from what it was given",
        source: "no key that reads it is published"),
      Quirk(
        "pressure-invented", affects: "bands without the air pump's bit",
        effect: "blood pressure is neither fetched nor measured, and said to be not served",
        source: "the older kit makes it of one byte and a random number around a value that its user typed"),
      Quirk(
        "small-pieces", affects: "all", effect: "frames are written in pieces of 20 bytes until more is known to go",
        source: "the vendor's kits, which wait 15 to 60 ms between two pieces"),
    ]
  }
}
