// Driver of Polar's wearables that store data: recognition, capabilities, known issues.

import Bluetooth
import EventLoop
import GATTServices
public import Health
public import Wearable

/// Polar's optical sensors, bands and watches, which store recordings, exercises or days in files. A chest strap keeps
/// its link and stores no days: `PolarStrapDriver`.
public struct PolarDriver: WearableDriver, AdvertisedValuesDriver, SuccessorDriver, ClockedDriver, QuirkyDriver {
  /// Makes the driver, which has no state.
  public init() {}

  public var id: String { "polar" }

  /// Priority above all drivers of standard services, as these wearables advertise the Heart Rate Service too. A name
  /// with its checksum is stronger evidence than a service.
  static let priority = 110

  /// Claims wearables of models that store data.
  public func recognise(_ scanResult: ScanResult) -> Recognition? {
    guard let advertiser = Polar.Advertiser(scanResult) else { return nil }
    let facts = Polar.ModelTable.known.facts(advertiser.modelKey)
    let records = Polar.streams(of: advertiser.modelKey)?.recordsFrom != nil
    guard facts.fileSystem == .v2, facts.hasActivityData || facts.isSensor || records else { return nil }
    return Recognition(
      kind: facts.isSensor ? facts.hasActivityData ? "band" : "optical sensor" : "watch", priority: Self.priority)
  }

  /// A listener for heart rates in advertisements.
  public func makeListener() -> (any AdvertisementListener)? { Polar.AdvertisedHeartRate() }

  /// True if the wearable was seen to advertise its heart rate.
  public func advertises(_ shown: ShownWearable) -> Bool { Polar.isShown(shown) }

  /// The driver of plain straps, from which it may take over.
  public var extends: Set<String> { [HeartRateStrap.driver] }

  /// Services and streams with live values.
  public var liveSources: [LiveSource] { Self.sources }

  /// A decoder for one link.
  public func makeDecoder() -> any LiveDecoder { PolarDecoder() }

  /// Live values and files.
  public var capabilities: Capabilities { Self.abilities }

  /// A constant, as the lane reads it for every decision.
  private static let abilities: Capabilities = {
    let live: [Series] =
      [.heartRate, .rrInterval, .energyExpended, .battery]
      + PMD.MeasurementType.allCases.filter { $0 != .offlineHR }.flatMap(\.series)
    return Capabilities(
      live.map { .live($0) } + PolarFiles.series.map { .recorded($0) } + [
        .battery, .files, .erase, .timeRead, .timeSet,
      ])
  }()

  /// The time that a clock shows after it was lost is unknown.
  public var clockBeginning: Int64? { nil }

  /// True: the wearable's clock shows local time.
  public var showsLocalTime: Bool { true }

  /// Bands and watches serve files over encrypted links only; a Verity Sense also over others.
  public var pairing: PairingNeed { .welcome }

  /// Known misbehaviour of the models.
  public var quirks: [Quirk] { Polar.knownIssues.map(\.quirk) }

  /// A session over one link.
  @LoopActor public func makeSession(_ link: any WearableLink) -> (any WearableSession)? { PolarSession(link) }

  /// The sources of any strap. All are optional: a watch has no Heart Rate Service unless its wearer switched it on,
  /// and an old sensor may serve no files.
  private static let sources: [LiveSource] =
    HeartRateStrap.liveSources.map { $0.with(.optional) } + [
      // A notification of some hundred bytes has a dozen packets on the smallest link.
      LiveSource(
        service: PSFTP.service, characteristic: PSFTP.fromDevice, mode: .subscribe, isRequired: false,
        valuesPerSecond: 50), frames,
    ]

  /// Source of live frames. All streams of SDK mode together are 35 frames a second at an MTU of 232. ECG and
  /// acceleration of a strap are 27 at its smallest MTU of 70. After a radio delay frames arrive faster.
  static let frames = LiveSource(
    service: PMD.service, characteristic: PMD.data, mode: .subscribe, isRequired: false, valuesPerSecond: 100)
}

extension PolarDriver: EncryptingDriver {
  /// Returns nil for a model that is in no table: the answer is unknown until it refuses to record.
  public func secretRefusal(for known: KnownWearable) -> String? {
    guard let streams = Polar.streams(of: known.polarModel) else { return nil }
    if streams.encrypts { return nil }
    return streams.recordsFrom == nil
      ? "makes no recordings by order that could be encrypted"
      : "cannot encrypt what it records: with a secret it would not record"
  }
}
