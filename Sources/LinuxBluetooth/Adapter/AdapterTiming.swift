// Every wait of the adapter's life, with its reason.

import Reasons

struct AdapterTiming: Sendable {
  /// Somebody powered our adapter off, for the first, second … time within `recovered`: long enough for a restart of
  /// theirs to be over, short enough to serve again within five seconds. Who does it again and again is answered six
  /// times a minute: the hub is to serve within 30 s, however often a bluetoothd is restarted.
  var foreignPowerOff: [Duration] = [.seconds(2), .seconds(5), .seconds(10)]
  /// What belongs together comes within this time: an adapter that is pulled out is first told to be off, then to be
  /// gone.
  var settling: Duration = .milliseconds(100)
  /// bluetoothd changes a dozen things when it starts; one new initialisation answers all of them.
  var interference: Duration = .seconds(1)
  /// Between tries with a kernel that refuses.
  var backOff: [Duration] = [.seconds(5), .seconds(30), .seconds(300)]
  /// Without an event that would wake us: nothing here gets better by itself quickly.
  var slowRetry: Duration = .seconds(300)
  /// Switches may be invisible (no access to /dev/rfkill), so that nothing tells when one moved.
  var blockedRetry: Duration = .seconds(30)
  /// Serving as long as this, a controller has recovered: the next trouble is a new one.
  var recovered: Duration = .seconds(60)
  /// Between two questions to a controller that serves. With `pulseAnswer` and `pulsesMissed` a controller that falls
  /// silent is known to be after 11 s.
  var pulse: Duration = .seconds(5)
  /// For so long at most a question waits for a link that is being made: the kernel gives such a one 3 s. A controller
  /// that falls silent then is known to be after 14.5 s.
  var pulsePutOff: Duration = .milliseconds(3500)
  /// Between looks whether it is made.
  var pulseLook: Duration = .milliseconds(250)
  /// Until an answer is missing: the kernel's own limit for a command is 2 s, and one of its own may be before ours.
  var pulseAnswer: Duration = .seconds(3)
  /// In a row, until the controller is held to be silent: one may be lost on a serial line.
  var pulsesMissed = 2
  /// Between tries with a silent controller. A try costs it one command; one that answers again serves so much later.
  var silentRetry: Duration = .seconds(1)
  /// The same after `silentHaste`: the kernel writes a line for each command that is not answered.
  var silentRetryLater: Duration = .seconds(30)
  /// As long as this a silent controller is looked at again at once: longer than those that come back by themselves
  /// were seen to need.
  var silentHaste: Duration = .seconds(600)
  /// Between two rungs after each was tried once: the second or third power cycle is known to revive chips.
  var rungInterval: Duration = .seconds(300)
  /// A radio that was silent for so long, whatever was tried, is a reason to end the daemon.
  var surrender: Duration = .seconds(600)
  /// Between looks for an adapter that is not there, beside the kernel's word that one came: that word may be lost.
  var absentRetry: Duration = .seconds(5)
  /// Between looks for further adapters while one serves, for the same reason. A look is one question to the kernel.
  var spareLook: Duration = .seconds(60)
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

  /// Until the next try; `failures` in a row that a new one might have mended, `powerLosses` in a row, `silence` since
  /// when a controller that does not answer is silent.
  func delay(after reason: Reason, failures: Int, powerLosses: Int, silence: Duration) -> Duration {
    if reason == .adapterBlocked { return blockedRetry }
    if reason == .adapterRemoved || reason == .adapterMissing { return absentRetry }
    if reason == .controllerSilent { return silence < silentHaste ? silentRetry : silentRetryLater }
    if Self.waitsForOthers(reason) { return slowRetry }
    if reason == .adapterPoweredOff { return Self.wait(powerLosses, foreignPowerOff) }
    return Self.wait(failures, backOff)
  }

  private static func wait(_ count: Int, _ waits: [Duration]) -> Duration { waits[min(max(count, 1), waits.count) - 1] }
}
