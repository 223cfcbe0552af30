// How one enrolled wearable advertises.

import EventLoop

/// What is heard of one wearable without a link.
@LoopActor
final class AirState {
  var rhythm: AdvertisingRhythm
  var lastHeard: WallTime?
  /// What it says in its advertisements; nil where its driver knows of nothing.
  var values: AdvertisedValues?

  /// - Parameter wearable: what an earlier life of the hub remembered of it.
  init(_ wearable: EnrolledWearable) {
    rhythm = AdvertisingRhythm(remembered: wearable.remembered(AdvertisingInterval.self))
    lastHeard = wearable.remembered(LastSeen.self)?.time
  }
}
