// How one enrolled wearable advertises.

import EventLoop

/// Advertisements of one wearable that the hub hears without a link.
@LoopActor
final class AirState {
  var rhythm: AdvertisingRhythm
  var lastHeard: WallTime?
  /// Values in its advertisements; nil if its driver ignores them.
  var values: AdvertisedValues?

  /// - Parameter wearable: with the state that an earlier run stored.
  init(_ wearable: EnrolledWearable) {
    rhythm = AdvertisingRhythm(remembered: wearable.remembered(AdvertisingInterval.self))
    lastHeard = wearable.remembered(LastSeen.self)?.time
  }
}
