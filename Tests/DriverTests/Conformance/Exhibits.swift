// What the conformance kit needs of a driver beside the driver: advertisers it must claim, and a wearable it can visit.

import EventLoop
import Wearable

@testable import Drivers

/// One driver as it is shown to the kit, from the registry or not.
struct Exhibit: Sendable {
  let driver: any WearableDriver
  /// Advertisers that it must claim.
  let sightings: [Sighting]
  /// A fresh wearable that holds data and is ready to be visited, and what it holds at any time after; nil for a driver without a session.
  var peer: (@LoopActor @Sendable () -> (link: ScriptedLink, held: @LoopActor () -> [UInt8]))?

  /// Every driver of the registry: one that is missing here fails the conformance tests.
  static let registered: [Exhibit] = [
    Exhibit(driver: HeartRateDriver(), sightings: Sightings.claimed["heart-rate"] ?? []),
    Exhibit(
      driver: BotzDriver(), sightings: Sightings.claimed["botz"] ?? [],
      peer: {
        let insole = PocketInsole()
        for number in 1...3 as ClosedRange<UInt8> { insole.files[number] = PocketInsole.file(start: 1_795_000_000 + UInt32(number), records: 110) }
        insole.newest = 3
        return (insole.link, { insole.files.sorted { $0.key < $1.key }.flatMap(\.value) })
      }),
    Exhibit(
      driver: PolarDriver(), sightings: Sightings.claimed["polar"] ?? [],
      peer: {
        let pocket = PocketTransfer.onTime(behind: .seconds(3600))
        pocket.files["/U/0/20200101/ACT/ASAMPL0.BPB"] = PocketTransfer.activity
        pocket.files["/U/0/20200101/R/101010/ACC0.REC"] = PocketTransfer.recording
        return (pocket.link, { pocket.files.sorted { $0.key < $1.key }.flatMap(\.value) })
      }),
    Exhibit(
      driver: PolarStrapDriver(), sightings: Sightings.claimed["polar-strap"] ?? [],
      peer: {
        let pocket = PocketTransfer.strap()
        pocket.files["/RUN_20200101_101010_250/SAMPLES.BPB"] = PocketTransfer.exercise
        return (pocket.link, { pocket.files.sorted { $0.key < $1.key }.flatMap(\.value) })
      }),
  ]
}
