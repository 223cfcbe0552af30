// What every part of the adapter works with.

import EventLoop
import Logging

/// The kernel, the clock and the configuration: handed to each owner below `Adapter`, none of which keeps state in it.
struct AdapterMeans {
  let loop: any Loop
  let kernel: any RadioKernel
  let options: LinuxRadioOptions
  let timing: AdapterTiming
  let channel: ManagementChannel
  let scanner: Scanner
  let counters: RadioCounters
  let logger: Logger
  let alarm: Alarm
  /// Which adapters the hub's other radios have; nil where nobody asks for others.
  let claims: AdapterClaims?
  /// The place of this radio among them.
  let place: Int
}
