// Driver of Polar's chest strap with streams, a heart rate strap with additional features.

import Bluetooth
import EventLoop
import GATTServices
public import Health
public import Wearable

/// The H10. Without further orders it behaves like any strap: the same sources, and a link that stays. Visits over that
/// link look for an exercise in its memory. Straps without the measurement service (H7, H9) belong to the Heart Rate
/// Service's driver.
public struct PolarStrapDriver: WearableDriver, AdvertisedValuesDriver, SuccessorDriver, LinkedDriver, QuirkyDriver {
  /// Makes the driver, which has no state.
  public init() {}

  public var id: String { "polar-strap" }

  /// Claims straps with streams by their advertised model.
  public func recognise(_ scanResult: ScanResult) -> Recognition? {
    guard let advertiser = Polar.Advertiser(scanResult),
      Polar.ModelTable.known.facts(advertiser.modelKey).fileSystem == .h10
    else { return nil }
    return Recognition(kind: "HR strap", priority: PolarDriver.priority)
  }

  /// Listener for straps: without a link, the advertised heart rate is all that a strap provides.
  public func makeListener() -> (any AdvertisementListener)? { Polar.AdvertisedHeartRate() }

  /// True if the strap was seen to advertise its heart rate.
  public func advertises(_ shown: ShownWearable) -> Bool { Polar.isShown(shown) }

  /// The driver of plain straps, from which it may take over.
  public var extends: Set<String> { [HeartRateStrap.driver] }

  /// Services and streams with live values.
  public var liveSources: [LiveSource] { Self.sources }

  /// A decoder for one link.
  public func makeDecoder() -> any LiveDecoder { PolarDecoder() }

  /// Live values, and the exercise in its memory.
  public var capabilities: Capabilities { Self.abilities }

  /// A constant, as the lane reads it for every decision.
  private static let abilities: Capabilities = [
    .live(.heartRate), .live(.rrInterval), .live(.energyExpended), .live(.battery), .live(.ecg), .live(.acc), .battery,
    .recorded(.heartRate), .recorded(.rrInterval), .files, .erase,
  ]

  /// The strap accepts every host. If a request requires an encrypted link, all others still work without.
  public var pairing: PairingNeed { .welcome }

  /// The strap stores beats only while a host has it record an exercise.
  public var needsLink: Bool { true }

  /// Known misbehaviour of the model.
  public var quirks: [Quirk] { Polar.knownIssues.filter { $0.models.contains("h10") }.map(\.quirk) }

  /// nil without Polar's services: the session would have no task.
  @LoopActor public func makeSession(_ link: any WearableLink) -> (any WearableSession)? {
    let services = Set(link.database.services.map(\.uuid))
    return services.contains(PMD.service) || services.contains(PSFTP.service) ? PolarSession(link) : nil
  }

  private static let sources: [LiveSource] = HeartRateStrap.liveSources + [PolarDriver.frames]
}
