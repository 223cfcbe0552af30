// Driver of Moyoung's bands: recognition, capabilities, quirks.

import Bands
import EventLoop
import GATTServices
public import Health
public import Wearable

/// Driver of Moyoung's bands: Da Fit, and "CRP" in TopStep's kit.
public struct MoyoungDriver: WearableDriver {
  /// Makes the driver, which has no state.
  public init() {}

  public var id: String { Band.moyoungDriver }

  /// Claims bands of this family by their advertisement.
  public func recognise(_ scanResult: ScanResult) -> Recognition? {
    Band.family(scanResult) == .moyoung ? Recognition(kind: Band.kind, priority: Band.priority) : nil
  }

  /// Battery and live values.
  public var liveSources: [LiveSource] { Self.sources }
  private static let sources = ServiceProfile.sources(of: ServiceProfile.ofBand)

  /// A decoder for one link.
  public func makeDecoder() -> any LiveDecoder { ProfileDecoder(ServiceProfile.ofBand) }

  /// Series that bands store: of today and one or two days before, and the last three trainings.
  static let kept: [Series] = [.heartRate, .sleepStage, .steps, .distance, .calories, .training]

  /// Computed once, since the lane reads it at each choice of the next wearable.
  public var capabilities: Capabilities { Self.abilities }
  private static let abilities = Capabilities(
    [.live(.battery), .battery, .timeSet] + kept.map { Capability.recorded($0) })

  /// The bands need no bond.
  public var pairing: PairingNeed { .never }

  /// A session over one link.
  @LoopActor public func makeSession(_ link: any WearableLink) -> (any WearableSession)? { MoyoungSession(link) }
}

extension MoyoungDriver: ClockedDriver {
  /// Unknown: what a clock shows after it lost its time.
  public var clockBeginning: Int64? { nil }
  /// The clock shows local time.
  public var showsLocalTime: Bool { true }
}

extension MoyoungDriver: SyncedDriver {
  /// Trainings, rates, sleep and activity.
  public var syncDomains: [SyncDomain] {
    [TrainingDomain.kind, TrainingRatesDomain.kind, RatesDomain.kind, SleepDomain.kind, ActivityDomain.kind]
  }
}

extension MoyoungDriver: MonitoringDriver, CapableDriver {
  /// The heart rate, which the band can be ordered to measure by itself.
  public func monitoring(of wearable: KnownWearable) -> [MonitoringChoice] { [MoyoungMonitoring.choice] }

  /// Measurements on demand, and automatic ones.
  public var furtherCapabilities: WearableCapabilities {
    var all = WearableCapabilities(.onDemand, MoyoungMeasuring.series)
    all.insert(MoyoungMonitoring.choice.gates, [MoyoungMonitoring.choice.series])
    return all
  }
}

extension MoyoungDriver: QuirkyDriver {
  /// Known misbehaviour of the firmware.
  public var quirks: [Quirk] { Self.known }

  private static let known = [
    Quirk(
      "clock-unreadable", affects: "all",
      effect: "the clock is set at each visit; what it showed before follows from how it was set last",
      source: "the command set has no query of the time"),
    Quirk(
      "standard-rate-mute", affects: "bands with service 180D",
      effect: "the standard heart rate is not listened to", source: "reported by authors of free software for them"),
    Quirk(
      "past-days-disputed", affects: "all",
      effect: "which argument of a past day is yesterday is learnt from the band's own answers; until then its past "
        + "days are not sure",
      source: "the vendor's names contradict what was observed on a watch"),
  ]
}
