// TopStep's new platform as data: how its bands are recognised, and what they can do.

import Bands
import Bluetooth
import EventLoop
public import Health
public import Wearable

/// Bands whose kit calls their platform the new one: frames of protobuf over the service that FitCloud's have too.
public struct TopStepNextDriver: WearableDriver, CapableDriver, MonitoringDriver, SyncedDriver {
  public init() {}

  public var id: String { Band.nextDriver }

  public func recognise(_ sighting: Sighting) -> Recognition? {
    Band.family(sighting) == .next ? Recognition(kind: Band.kind, priority: Band.priority) : nil
  }

  public var liveSources: [LiveSource] { Self.sources }

  /// A day in pieces of 20 bytes are some 50 of them, and a band sends one in 20 ms or less.
  private static let sources = [
    LiveSource(
      service: Band.service, characteristic: Band.answer, mode: .subscribe, isRequired: true, valuesPerSecond: 200)
  ]

  public func makeDecoder() -> any LiveDecoder { TopStepDecoder() }

  public var capabilities: Capabilities { Self.abilities }

  /// Asked whenever the lane looks who is next: made once. A clock that is set and not read is neither of the two that
  /// are words here.
  private static let abilities = Capabilities(
    DayKind.allCases.flatMap(\.series).map { .recorded($0) } + [.live(.battery), .battery])

  /// What is bound is bound by its own protocol, in the clear.
  public var pairing: PairingNeed { .never }

  public var furtherCapabilities: WearableCapabilities {
    var all = WearableCapabilities(.resting, [.heartRate])
    all.insert(.onDemand, TopStepMeasuring.all)
    return TopStepMonitoring.choices.reduce(all) { $0.union(WearableCapabilities($1.gates, [$1.series])) }
  }

  public func monitoring(of wearable: KnownWearable) -> [MonitoringChoice] { TopStepMonitoring.choices }

  public var syncDomains: [SyncDomain] { DayKind.allCases.map(\.syncDomain) }

  @LoopActor public func makeSession(_ link: any WearableLink) -> (any WearableSession)? { TopStepSession(link) }
}
