// Driver of TopStep's new platform: recognition of its bands, and their capabilities.

import Bands
import Bluetooth
import EventLoop
public import Health
public import Wearable

/// Driver of bands on the platform that their kit calls the new one: frames of protobuf over the service that FitCloud
/// bands have too.
public struct TopStepNextDriver: WearableDriver, CapableDriver, MonitoringDriver, SyncedDriver {
  /// Makes the driver, which has no state.
  public init() {}

  public var id: String { Band.nextDriver }

  /// Claims bands of this family by their advertisement.
  public func recognise(_ scanResult: ScanResult) -> Recognition? {
    Band.family(scanResult) == .next ? Recognition(kind: Band.kind, priority: Band.priority) : nil
  }

  /// Battery and live values.
  public var liveSources: [LiveSource] { Self.sources }

  /// Notifications of the answer characteristic. A day takes some 50 pieces of 20 bytes, and a band sends one in 20 ms
  /// or less.
  private static let sources = [
    LiveSource(
      service: Band.service, characteristic: Band.answer, mode: .subscribe, isRequired: true, valuesPerSecond: 200)
  ]

  /// A decoder for one link.
  public func makeDecoder() -> any LiveDecoder { TopStepDecoder() }

  /// Recorded days, and live values.
  public var capabilities: Capabilities { Self.abilities }

  /// Computed once, since the lane reads it at each choice of the next wearable. Of the clock it declares neither
  /// `time_read` nor `time_set`: the clock is set, but never read.
  private static let abilities = Capabilities(
    DayKind.allCases.flatMap(\.series).map { .recorded($0) } + [.live(.battery), .battery])

  /// Pairing need: never; binding uses the band's own protocol, unencrypted.
  public var pairing: PairingNeed { .never }

  /// Resting heart rate, measurements on demand, and automatic ones.
  public var furtherCapabilities: WearableCapabilities {
    var all = WearableCapabilities(.resting, [.heartRate])
    all.insert(.onDemand, TopStepMeasuring.all)
    return TopStepMonitoring.choices.reduce(all) { $0.union(WearableCapabilities($1.gates, [$1.series])) }
  }

  /// Measurements that the band can be ordered to make by itself.
  public func monitoring(of wearable: KnownWearable) -> [MonitoringChoice] { TopStepMonitoring.choices }

  /// Kinds of data that a sync can name, one for each kind of day.
  public var syncDomains: [SyncDomain] { DayKind.allCases.map(\.syncDomain) }

  /// A session over one link.
  @LoopActor public func makeSession(_ link: any WearableLink) -> (any WearableSession)? { TopStepSession(link) }
}
