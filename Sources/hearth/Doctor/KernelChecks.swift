// Check whether this kernel has all features that the hub needs.

import HubProtocol
import Reasons

enum KernelChecks {
  static func findings(_ patient: Patient) -> [Finding] { [kernel(patient)] }

  /// First kernel with advertisement monitors (management revision 18). Without them the hub hears no wearable for
  /// long.
  static let oldest = (major: 5, minor: 10)

  private static func kernel(_ patient: Patient) -> Finding {
    let machine = patient.machine
    guard let release = machine.text("/proc/sys/kernel/osrelease", limit: 128), let version = version(release) else {
      return .unknown("kernel", "its version may not be seen")
    }
    let radio = patient.hub.radio
    let figures = [
      figure("release", release), figure("updates_live_links", radio?.updatesLiveLinks),
    ]
    if patient.hub.isSimulated {
      return .unknown("kernel", "the hub's radio is simulated: it does not use \(release)", figures)
    }
    let isLoaded = machine.isThere("/sys/class/bluetooth")
    let isInstalled = !machine.names("/lib/modules/\(release)/kernel/net/bluetooth").isEmpty
    let saysNone = radio?.reason?.code == Reason.kernelWithoutBluetooth.code
    if saysNone || radio == nil && !isLoaded && !isInstalled {
      return Finding(
        "kernel", .fail, "\(release) has no Bluetooth", figures, code: Reason.kernelWithoutBluetooth.code,
        fix: Fix("boot a kernel that has it, or load it", ["sudo modprobe bluetooth"]))
    }
    if version.major < oldest.major || version.major == oldest.major && version.minor < oldest.minor {
      return Finding(
        "kernel", .fail, "\(release) is older than \(oldest.major).\(oldest.minor), which the hub needs", figures,
        fix: Fix("bring the system up to date", ["sudo apt-get update", "sudo apt-get full-upgrade"]))
    }
    guard let radio else {
      return Finding(
        "kernel", .ok,
        """
        \(release) has Bluetooth\(isLoaded ? "" : ", loaded when the hub starts"); only a hub that \
        runs knows what else it can do
        """, figures)
    }
    if !radio.updatesLiveLinks {
      return Finding(
        "kernel", .warn,
        """
        \(release): the timing of a connection cannot be changed while it is up, for want of CAP_NET_RAW or a newer \
        kernel
        """, figures,
        fix: ServiceChecks.mend(patient))
    }
    return Finding("kernel", .ok, "\(release): scans for all, changes the timing of connections that are up", figures)
  }

  /// 6 and 12 for `6.12.25+rpt-rpi-v8`.
  static func version(_ release: String) -> (major: Int, minor: Int)? {
    let parts = release.split(separator: ".", maxSplits: 2)
    guard parts.count >= 2, let major = Int(parts[0]), let minor = Int(parts[1].prefix { $0.isNumber }) else {
      return nil
    }
    return (major, minor)
  }
}
