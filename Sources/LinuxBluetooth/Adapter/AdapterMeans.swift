// Dependencies that every component of the adapter shares.

import EventLoop
import Logging

/// The kernel, the clock and the configuration, passed to each component below `Adapter`. Components do not store state
/// in it.
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
  /// Adapters of the hub's other radios; nil if the hub has one radio.
  let claims: AdapterClaims?
  /// Number of this radio among them.
  let place: Int
}
