// Driver of the Botz insole: recognition, capabilities, known quirks.

import Bluetooth
import EventLoop
import GATTServices
public import Health
public import Wearable

/// Driver of smart insoles with the Botz sensing firmware. Only the right foot is driven; the left one connects to the
/// right one.
public struct BotzDriver: WearableDriver, ProfiledDriver, PacedDriver, StreamingDriver, ClockedDriver, QuirkyDriver {
  /// Makes the driver, which has no state.
  public init() {}

  public var id: String { "botz" }

  /// Priority above every driver of a standard service.
  private static let priority = 100

  /// Recognises an insole. Both feet advertise the same service, and only the scan response has the name. A foot
  /// without a name may be either one; a visit reads the name in its database.
  public func recognise(_ scanResult: ScanResult) -> Recognition? {
    if scanResult.name == Botz.leftFootName { return nil }
    guard scanResult.name == Botz.rightFootName || scanResult.services.contains(Botz.advertisedService) else {
      return nil
    }
    return Recognition(kind: "insole", priority: Self.priority)
  }

  /// Status, streams, records of a running session, and announcements of files.
  public var liveSources: [LiveSource] { Self.sources }

  /// Time from which an unset clock counts.
  public var clockBeginning: Int64? { Int64(Botz.bootTime) * 1_000_000 }

  /// False: the insole's clock shows UTC.
  public var showsLocalTime: Bool { false }

  /// A decoder for one link.
  public func makeDecoder() -> any LiveDecoder { BotzDecoder() }

  /// Capabilities without battery, since the value is a constant of the firmware; without rate settings, since a
  /// profile changes the link only.
  public var capabilities: Capabilities { Self.abilities }

  /// Computed once, since the lane reads it at each choice of the next wearable.
  private static let abilities: Capabilities = [
    .live(.footPressure), .live(.orientation), .live(.cadence), .live(.pace), .live(.speed), .live(.groundTime),
    .live(.gaitSymmetry), .live(.footStrike),
    .live(.pronation), .live(.verticalRatio),
    .recorded(.cadence), .recorded(.pace), .recorded(.speed), .recorded(.groundTime), .recorded(.gaitSymmetry),
    .recorded(.footStrike),
    .recorded(.pronation), .recorded(.verticalRatio),
    .recordingControl, .files, .erase, .timeRead, .timeSet, .connectionProfile,
  ]

  /// Characteristic of the link profile: written, never read. Builds from September 2025 on refuse a read, and earlier
  /// ones report a guess. Discovery and the wearable's answers decide whether it is written with response, and over an
  /// encrypted link.
  public var profileCharacteristic: ProfileCharacteristic {
    ProfileCharacteristic(
      service: Botz.Control.service, characteristic: Botz.Control.connectionProfile,
      codes: Dictionary(uniqueKeysWithValues: LinkProfile.allCases.map { ($0, Self.profileCode($0)) }),
      published: Dictionary(uniqueKeysWithValues: LinkProfile.allCases.map { ($0, Botz.AskedParameters.profile($0)) }),
      deferral: .seconds(5), patience: .seconds(8))
  }

  /// Pause between commands, the profile among them: half a second to a second.
  public var writePaces: [WritePace] { [WritePace(service: Botz.Control.service, pause: InsoleClient.pacing)] }

  /// The other series come without an order while a session is recorded.
  public func streams(of wearable: KnownWearable) -> [Series]? { InsoleStreams.series }

  static func profileCode(_ profile: LinkProfile) -> UInt8 {
    switch profile {
    case .foreground: 0
    case .background: 1
    case .idle: 2
    }
  }

  /// The insole requests encryption at every connection. All builds since September 2025 work without.
  public var pairing: PairingNeed { .welcome }

  /// Known misbehaviour of the firmware.
  public var quirks: [Quirk] { Self.knownQuirks }

  /// A session over one link.
  @LoopActor public func makeSession(_ link: any WearableLink) -> (any WearableSession)? { BotzSession(link) }

  private static let sources: [LiveSource] = [
    information(Botz.Information.status, .readAndSubscribe, isRequired: true),
    information(Botz.Information.footPressure, .subscribe, perSecond: 20),
    information(Botz.Information.orientation, .subscribe, perSecond: 20),
    information(Botz.Information.liveRecord, .subscribe),
    information(Botz.Information.newestFile, .readAndSubscribe),
    information(Botz.Information.batteryLevels, .subscribe),
    text(StandardGATT.manufacturerName),
    text(StandardGATT.modelNumber),
    text(StandardGATT.serialNumber),
    text(StandardGATT.firmwareRevision),
    text(StandardGATT.hardwareRevision),
  ]

  private static func information(
    _ characteristic: BluetoothUUID, _ mode: LiveSource.Mode, isRequired: Bool = false, perSecond: Int = 10
  ) -> LiveSource {
    LiveSource(
      service: Botz.Information.service, characteristic: characteristic, mode: mode, isRequired: isRequired,
      valuesPerSecond: perSecond)
  }

  private static func text(_ characteristic: BluetoothUUID) -> LiveSource {
    LiveSource(
      service: StandardGATT.deviceInformationService, characteristic: characteristic, mode: .read, isRequired: false)
  }
}

extension BotzDriver: SyncedDriver {
  /// Activity files, as one kind of data.
  public var syncDomains: [SyncDomain] { [ActivityDomain.sessions] }
}
