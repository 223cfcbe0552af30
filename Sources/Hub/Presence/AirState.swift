// How one enrolled wearable advertises.

import EventLoop

/// What is heard of one wearable without a link.
struct AirState {
  var rhythm: AdvertisingRhythm
  var lastHeard: WallTime?
  /// What it says in its advertisements; nil where its driver knows of nothing. Set once the hub has taken it in.
  var values: AdvertisedValues?

  /// - Parameter remembered: of an earlier life of the hub.
  init(_ remembered: AdvertisingInterval?) { rhythm = AdvertisingRhythm(remembered: remembered) }
}
