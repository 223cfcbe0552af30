// What the conformance kit needs of a driver beside the driver: advertisers it must claim, and a wearable it can visit.

import EventLoop
import Wearable

/// A driver as it is shown to the kit, from the registry or not.
struct Exhibit: Sendable {
  let driver: any WearableDriver
  /// Advertisers that it must claim.
  var scanResults: [ScanResult] = []
  /// A fresh wearable that holds data and is ready to be visited, and its data at any time after. It is nil for a
  /// driver without a session.
  var peer: (@LoopActor @Sendable () -> (link: ScriptedLink, held: @LoopActor () -> [UInt8]))?
}
