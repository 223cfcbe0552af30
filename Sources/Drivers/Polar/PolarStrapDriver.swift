// Polar's chest strap with streams, as data: a heart-rate strap that can do more.

import Bluetooth
import EventLoop
import GATTServices
public import Health
public import Wearable

/// The H10. To a hub that wants no more it is what any strap is: the same sources, a link that stays, and visits over
/// it that look for an exercise in its memory. Straps without the measurement service (H7, H9) belong to the Heart Rate
/// Service's driver altogether.
public struct PolarStrapDriver: WearableDriver, AdvertisedValuesDriver, SuccessorDriver, LinkedDriver, QuirkyDriver {
  public init() {}

  public var id: String { "polar-strap" }

  public func recognise(_ sighting: Sighting) -> Recognition? {
    guard let advertiser = Polar.Advertiser(sighting),
      Polar.ModelTable.known.facts(advertiser.modelKey).fileSystem == .h10
    else { return nil }
    return Recognition(kind: "HR strap", priority: PolarDriver.priority)
  }

  /// What it advertises without a link is all that there is of that time, as with any strap.
  public func makeListener() -> (any AdvertisementListener)? { Polar.AdvertisedHeartRate() }

  public func advertises(_ shown: ShownWearable) -> Bool { Polar.isShown(shown) }

  public var extends: Set<String> { [HeartRateStrap.driver] }

  public var liveSources: [LiveSource] { Self.sources }

  public func makeDecoder() -> any LiveDecoder { PolarDecoder() }

  public var capabilities: Capabilities { Self.abilities }

  /// Asked whenever the lane looks who is next: made once.
  private static let abilities: Capabilities = [
    .live(.heartRate), .live(.rrInterval), .live(.energyExpended), .live(.battery), .live(.ecg), .live(.acc), .battery,
    .recorded(.heartRate), .recorded(.rrInterval), .files, .erase,
  ]

  /// It answers everybody; where a request wants an encrypted link, all the rest works without.
  public var pairing: PairingNeed { .welcome }

  /// Beats are in its memory only while somebody has it record an exercise.
  public var needsLink: Bool { true }

  public var quirks: [Quirk] { Polar.knownIssues.filter { $0.models.contains("h10") }.map(\.quirk) }

  /// nil where it has neither of Polar's services: then there is nothing to arrange.
  @LoopActor public func makeSession(_ link: any WearableLink) -> (any WearableSession)? {
    let services = Set(link.database.services.map(\.uuid))
    return services.contains(PMD.service) || services.contains(PSFTP.service) ? PolarSession(link) : nil
  }

  private static let sources: [LiveSource] = HeartRateStrap.liveSources + [PolarDriver.frames]
}
