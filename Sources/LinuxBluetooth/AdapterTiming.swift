// Every wait of the adapter's life, with its reason.

import Reasons

struct AdapterTiming: Sendable {
  /// Somebody powered our adapter off: long enough for a restart of theirs to be over, short enough to serve again
  /// within five seconds.
  var foreignPowerOff: Duration = .seconds(2)
  /// What belongs together comes within this time: an adapter that is pulled out is first told to be off, then to be
  /// gone.
  var settling: Duration = .milliseconds(100)
  /// bluetoothd changes a dozen things when it starts; one new initialisation answers all of them.
  var interference: Duration = .seconds(1)
  /// Between tries with a controller that does not answer, or a kernel that refuses. The second or third power cycle is
  /// known to revive chips; a dead one costs little at five minutes.
  var backOff: [Duration] = [.seconds(5), .seconds(30), .seconds(300)]
  /// Without an event that would wake us: nothing here gets better by itself quickly.
  var slowRetry: Duration = .seconds(300)
  /// Switches may be invisible (no access to /dev/rfkill), so that nothing tells when one moved.
  var blockedRetry: Duration = .seconds(30)
  /// Serving as long as this, a controller has recovered: the next trouble is a new one.
  var recovered: Duration = .seconds(60)
  /// Nothing heard for so long where something used to be: wearables in a room advertise at least every 10 s.
  var quiet: Duration = .seconds(90)
  /// How often running processes are looked through for bluetoothd.
  var daemonCheck: Duration = .seconds(60)
  /// Until an adapter whose bus was reset is back.
  var reenumeration: Duration = .seconds(10)
  /// Until the adapter is powered after a switch was lifted by us.
  var unblocking: Duration = .seconds(1)
  /// What the end of the daemon may cost.
  var farewell: Duration = .seconds(2)

  /// Whether nothing we could try again would mend it.
  static func waitsForOthers(_ reason: Reason) -> Bool {
    switch reason {
    case .kernelWithoutBluetooth, .capabilityMissing, .adapterMissing, .adapterNotChosen, .adapterRemoved,
      .adapterBlocked:
      true
    default: false
    }
  }

  /// Until the next try; `failures` in a row that a new one might have mended.
  func delay(after reason: Reason, failures: Int) -> Duration {
    if reason == .adapterBlocked { return blockedRetry }
    if Self.waitsForOthers(reason) { return slowRetry }
    if reason == .adapterPoweredOff, failures <= 1 { return foreignPowerOff }
    return backOff[min(max(failures, 1), backOff.count) - 1]
  }
}
