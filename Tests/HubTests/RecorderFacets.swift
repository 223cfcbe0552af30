// The driver of the test wearable with more facets than otherwise, and without any.

import Bluetooth
import EventLoop
import Health
import Wearable

/// All that the recorder's driver is, and profiled.
struct ProfiledRecorderDriver: WearableDriver, ProfiledDriver, PacedDriver, LinkedDriver, ConfigurableDriver,
  RatedDriver, EncryptingDriver, AdvertisedValuesDriver, SyncedDriver
{
  let base: RecorderDriver
  let profileCharacteristic: ProfileCharacteristic

  var id: String { base.id }
  var liveSources: [LiveSource] { base.liveSources }
  var capabilities: Capabilities { base.capabilities }
  var pairing: PairingNeed { base.pairing }
  var writePaces: [WritePace] { base.writePaces }
  var needsLink: Bool { base.needsLink }
  func switches(of wearable: KnownWearable) -> [WearableSwitch] { base.switches }
  var syncDomains: [SyncDomain] { base.syncDomains }
  func recognise(_ scanResult: ScanResult) -> Recognition? { base.recognise(scanResult) }
  func makeDecoder() -> any LiveDecoder { base.makeDecoder() }
  func makeSession(_ link: any WearableLink) -> (any WearableSession)? { base.makeSession(link) }
  func makeListener() -> (any AdvertisementListener)? { base.makeListener() }
  func advertises(_ shown: ShownWearable) -> Bool { base.advertises(shown) }
  func settings(of wearable: KnownWearable) -> [WearableSetting] { base.settings(of: wearable) }
  func streams(of wearable: KnownWearable) -> [Series]? { base.streams(of: wearable) }
  func rates(of wearable: KnownWearable) -> [Series: [WearableRate]] { base.rates(of: wearable) }
  func secretRefusal(for known: KnownWearable) -> String? { base.secretRefusal(for: known) }
}

/// The core of the recorder's driver, and a session without a facet.
struct PlainRecorderDriver: WearableDriver {
  let base: RecorderDriver

  var id: String { base.id }
  var liveSources: [LiveSource] { base.liveSources }
  var capabilities: Capabilities { base.capabilities }
  var pairing: PairingNeed { base.pairing }
  func recognise(_ scanResult: ScanResult) -> Recognition? { base.recognise(scanResult) }
  func makeDecoder() -> any LiveDecoder { base.makeDecoder() }
  func makeSession(_ link: any WearableLink) -> (any WearableSession)? {
    base.keepsNothing ? nil : PlainRecorderSession(RecorderSession(link, base))
  }
}

@LoopActor
private final class PlainRecorderSession: WearableSession {
  private let base: RecorderSession

  init(_ base: RecorderSession) { self.base = base }

  func check() async throws(VisitTrouble) -> CheckReport { try await base.check() }
  var domains: [any FetchDomain] { base.domains }
  func finish() async throws(VisitTrouble) { try await base.finish() }
}

extension RecorderDriver {
  /// As a hub takes it.
  var declared: any WearableDriver {
    if isPlain { return PlainRecorderDriver(base: self) }
    if let sensor { return SensorRecorderDriver(base: self, sensor: sensor) }
    if let streaming { return StreamRecorderDriver(base: self, stream: streaming) }
    if let band { return BandRecorderDriver(base: self, band: band) }
    if let monitor { return MonitoredRecorderDriver(base: self, monitor: monitor) }
    return profile.map { ProfiledRecorderDriver(base: self, profileCharacteristic: $0) } ?? self
  }
}
