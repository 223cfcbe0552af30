// The test driver of a wearable that takes a connection profile too.

import Bluetooth
import EventLoop
import Health
import Wearable

/// All that the recorder's driver is, and profiled.
struct ProfiledRecorderDriver: WearableDriver, ProfiledDriver, PacedDriver, LinkedDriver, ConfigurableDriver, RatedDriver, EncryptingDriver, AdvertisedValuesDriver {
  let base: RecorderDriver
  let profileCharacteristic: ProfileCharacteristic

  var id: String { base.id }
  var liveSources: [LiveSource] { base.liveSources }
  var capabilities: Capabilities { base.capabilities }
  var pairing: PairingNeed { base.pairing }
  var writePaces: [WritePace] { base.writePaces }
  var needsLink: Bool { base.needsLink }
  var switches: [WearableSwitch] { base.switches }
  func recognise(_ sighting: Sighting) -> Recognition? { base.recognise(sighting) }
  func makeDecoder() -> any LiveDecoder { base.makeDecoder() }
  func makeSession(_ link: any WearableLink) -> (any WearableSession)? { base.makeSession(link) }
  func makeListener() -> (any AdvertisementListener)? { base.makeListener() }
  func settings(of wearable: KnownWearable) -> [WearableSetting] { base.settings(of: wearable) }
  func streams(of wearable: KnownWearable) -> [Series]? { base.streams(of: wearable) }
  func rates(of wearable: KnownWearable) -> [Series: [WearableRate]] { base.rates(of: wearable) }
  func secretRefusal(for known: KnownWearable) -> String? { base.secretRefusal(for: known) }
}

extension RecorderDriver {
  /// As a hub takes it: with a profile it is profiled.
  var declared: any WearableDriver {
    profile.map { ProfiledRecorderDriver(base: self, profileCharacteristic: $0) } ?? self
  }
}
