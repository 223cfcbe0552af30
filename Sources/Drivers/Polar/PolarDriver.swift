// Polar's wearables that hold data, as data: how they are recognised, what they can do, what they do wrong.

import Bluetooth
import EventLoop
import GATTServices
public import Health
public import Wearable

/// Polar's optical sensors, bands and watches, which keep recordings, exercises or days in files. A chest strap keeps
/// its link and no days: `PolarStrapDriver`.
public struct PolarDriver: WearableDriver, AdvertisedValuesDriver, SuccessorDriver, ClockedDriver, QuirkyDriver {
  public init() {}

  public var id: String { "polar" }

  /// Above every driver of a standard service, as they advertise the Heart Rate Service too, and of a service alone: a
  /// name with its checksum says more.
  static let priority = 110

  public func recognise(_ sighting: Sighting) -> Recognition? {
    guard let advertiser = Polar.Advertiser(sighting) else { return nil }
    let facts = Polar.ModelTable.known.facts(advertiser.modelKey)
    let records = Polar.streams(of: advertiser.modelKey)?.recordsFrom != nil
    guard facts.fileSystem == .v2, facts.hasActivityData || facts.isSensor || records else { return nil }
    return Recognition(
      kind: facts.isSensor ? facts.hasActivityData ? "band" : "optical sensor" : "watch", priority: Self.priority)
  }

  public func makeListener() -> (any AdvertisementListener)? { Polar.AdvertisedHeartRate() }

  public func advertises(_ shown: ShownWearable) -> Bool { Polar.isShown(shown) }

  public var extends: Set<String> { [HeartRateStrap.driver] }

  public var liveSources: [LiveSource] { Self.sources }

  public func makeDecoder() -> any LiveDecoder { PolarDecoder() }

  public var capabilities: Capabilities { Self.abilities }

  /// Asked whenever the lane looks who is next: made once.
  private static let abilities: Capabilities = {
    let live: [Series] =
      [.heartRate, .rrInterval, .energyExpended, .battery]
      + PMD.MeasurementType.allCases.filter { $0 != .offlineHR }.flatMap(\.series)
    return Capabilities(
      live.map { .live($0) } + PolarFiles.series.map { .recorded($0) } + [
        .battery, .files, .erase, .timeRead, .timeSet,
      ])
  }()

  /// What a clock shows that lost its time is not known.
  public var clockBeginning: Int64? { nil }

  public var showsLocalTime: Bool { true }

  /// Bands and watches serve files over encrypted links only; a Verity Sense does not mind.
  public var pairing: PairingNeed { .welcome }

  public var quirks: [Quirk] { Polar.knownIssues.map(\.quirk) }

  @LoopActor public func makeSession(_ link: any WearableLink) -> (any WearableSession)? { PolarSession(link) }

  /// As any strap's, but that a watch has no Heart Rate Service unless its wearer switched it on, and an old sensor may
  /// serve no files.
  private static let sources: [LiveSource] =
    HeartRateStrap.liveSources.map { $0.with(.optional) } + [
      // A notification of some hundred bytes has a dozen packets on the smallest link.
      LiveSource(
        service: PSFTP.service, characteristic: PSFTP.fromDevice, mode: .subscribe, isRequired: false,
        valuesPerSecond: 50), frames,
    ]

  /// All streams of SDK mode together are 35 frames a second at an MTU of 232, ECG and acceleration of a strap 27 at
  /// its smallest, 70; and what the air held up comes faster.
  static let frames = LiveSource(
    service: PMD.service, characteristic: PMD.data, mode: .subscribe, isRequired: false, valuesPerSecond: 100)
}

extension PolarDriver: EncryptingDriver {
  /// Of models that are in no table nobody knows before one of them refuses to record.
  public func secretRefusal(for known: KnownWearable) -> String? {
    guard let streams = Polar.streams(of: known.polarModel) else { return nil }
    if streams.encrypts { return nil }
    return streams.recordsFrom == nil
      ? "records nothing by order that could be encrypted"
      : "cannot encrypt what it records: with a secret it would record nothing"
  }
}
