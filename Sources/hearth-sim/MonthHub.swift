// The hub of a month that many live through: what its bounds and settings are, whoever they are.

import EventLoop
import Simulation

extension SimulatedHubOptions {
  /// Eight links for all, who are heard wherever they stand.
  ///
  /// - Parameters:
  ///   - watchEvery: between two looks of the watch.
  ///   - storeBytes: so many that nothing is evicted before it is judged.
  ///   - wait: the longest that one waits for the others, without what each of them adds to it.
  init(monthOf options: TrialOptions, watchEvery: Duration, storeBytes: Int, wait: Duration) {
    self.init()
    self.watchEvery = watchEvery
    self.storeBytes = storeBytes
    radio.slots = 8
    // Somebody may have come right after the last look.
    starvationBound = wait + .seconds(60) * options.wearables + watchEvery
    visitBound = .seconds(2400) + .seconds(120) * options.wearables
    hub.nearRSSI = -127
    hub.timeZone = options.rules
  }
}
