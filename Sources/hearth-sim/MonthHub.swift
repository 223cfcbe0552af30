// Settings and bounds of the hub in a month, shared by several populations.

import EventLoop
import Simulation

extension SimulatedHubOptions {
  /// Eight links for all wearables, which are heard everywhere.
  ///
  /// - Parameters:
  ///   - watchEvery: time between two checks of the watch.
  ///   - storeBytes: enough that no sample is evicted before it is judged.
  ///   - wait: the longest wait of one wearable for the others, without what each of them adds.
  init(monthOf options: TrialOptions, watchEvery: Duration, storeBytes: Int, wait: Duration) {
    self.init()
    self.watchEvery = watchEvery
    self.storeBytes = storeBytes
    radio.slots = 8
    // A wearable may have come right after the last check.
    starvationBound = wait + .seconds(60) * options.wearables + watchEvery
    visitBound = .seconds(2400) + .seconds(120) * options.wearables
    hub.nearRSSI = -127
    hub.timeZone = options.rules
  }
}
