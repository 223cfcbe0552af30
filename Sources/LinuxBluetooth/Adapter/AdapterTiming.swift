// Waits of the adapter's life cycle, each with its reason.

import Reasons

struct AdapterTiming: Sendable {
  /// Back-off after another program powered our adapter off, for the first, second … time within `recovered`. Long
  /// enough for that program's restart, short enough to serve again within five seconds. A program that repeats it is
  /// countered six times a minute: the hub must serve within 30 s, however often bluetoothd restarts.
  var foreignPowerOff: [Duration] = [.seconds(2), .seconds(5), .seconds(10)]
  /// Related events come within this time: an adapter that is unplugged is first reported off, then removed.
  var settling: Duration = .milliseconds(100)
  /// bluetoothd changes a dozen settings when it starts; one initialisation repairs all of them.
  var interference: Duration = .seconds(1)
  /// Waits between tries if the kernel refuses.
  var backOff: [Duration] = [.seconds(5), .seconds(30), .seconds(300)]
  /// Wait between tries if no event will wake the task, for faults that do not pass quickly.
  var slowRetry: Duration = .seconds(300)
  /// The same for switches, which may be invisible (no access to /dev/rfkill), so that no event reports their change.
  var blockedRetry: Duration = .seconds(30)
  /// A controller that serves this long has recovered: the next failure counts as a new one.
  var recovered: Duration = .seconds(60)
  /// Time between two probes of a controller in service. Together with `pulseAnswer` and `pulsesMissed` a silent
  /// controller is detected after 11 s.
  var pulse: Duration = .seconds(5)
  /// Longest delay of a probe while a link is being made, for which the kernel allows 3 s. A controller that falls
  /// silent then is detected after 14.5 s.
  var pulsePutOff: Duration = .milliseconds(3500)
  /// Time between checks whether that link is made.
  var pulseLook: Duration = .milliseconds(250)
  /// Longest wait for the response to a probe. The kernel's own limit for a command is 2 s, and one of its commands may
  /// be ahead of ours.
  var pulseAnswer: Duration = .seconds(3)
  /// Missed probes in a row until the controller counts as silent: a single one may be lost on a serial line.
  var pulsesMissed = 2
  /// Time between tries with a silent controller. A try costs one command; a return to service waits at most this.
  var silentRetry: Duration = .seconds(1)
  /// The same after `silentHaste`, because the kernel logs a line for each unanswered command.
  var silentRetryLater: Duration = .seconds(30)
  /// Period in which a silent controller is probed at the short interval. It is longer than controllers that recover by
  /// themselves were seen to need.
  var silentHaste: Duration = .seconds(600)
  /// Time between two rungs after each was tried once. The second or third power cycle is known to revive some chips.
  var rungInterval: Duration = .seconds(300)
  /// A radio silent for this long, despite every rung, is a reason to end the daemon.
  var surrender: Duration = .seconds(600)
  /// Time between checks for a missing adapter, in case the kernel's event was lost.
  var absentRetry: Duration = .seconds(5)
  /// Time between checks for further adapters while one serves, for the same reason. A check is one kernel command.
  var spareLook: Duration = .seconds(60)
  /// A radio that heard advertisements before and hears none for this long is suspect. Wearables in a room advertise at
  /// least every 10 s.
  var quiet: Duration = .seconds(90)
  /// Time between searches of the process list for bluetoothd.
  var daemonCheck: Duration = .seconds(60)
  /// Longest wait for an adapter after a reset of its bus.
  var reenumeration: Duration = .seconds(10)
  /// Longest wait for power after the hub lifted a switch.
  var unblocking: Duration = .seconds(1)
  /// Longest time that the daemon's shutdown may take.
  var farewell: Duration = .seconds(2)

  /// Whether only another program or an operator can end the failure.
  static func waitsForOthers(_ reason: Reason) -> Bool {
    switch reason {
    case .kernelWithoutBluetooth, .capabilityMissing, .adapterMissing, .adapterNotChosen, .adapterRemoved,
      .adapterBlocked:
      true
    default: false
    }
  }

  /// Wait before the next try. `failures` counts failures in a row that a new try may end, `powerLosses` the power
  /// losses in a row. `silence` is how long the controller has been silent.
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
