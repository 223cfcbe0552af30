// Check whether the hub's times can be trusted.

import EventLoop
import HubProtocol
import Reasons

enum ClockChecks {
  static func findings(_ patient: Patient) -> [Finding] { [clock(patient)] }

  /// Reports of the kernel's clock state: of hearth-clock.service, twice a minute, and of systemd-timesyncd.
  private static let word = ClockWord.standardPath
  private static let timesyncd = "/run/systemd/timesync/synchronized"
  /// Seconds after which a report is stale: ten times the timer's interval.
  private static let freshness = 300

  private static func clock(_ patient: Patient) -> Finding {
    let machine = patient.machine
    let second = Int(machine.now.microseconds / 1_000_000)
    let isTold = machine.written(word).map { (second - freshness...second + freshness).contains($0) } ?? false
    let isKept = isTold || machine.isThere(timesyncd)
    let hasModule = machine.isThere("/sys/class/rtc/rtc0")
    let figures = [
      figure("synchronised", patient.hub.status?.clock.synchronised),
      figure("time_server_seen", isKept), figure("clock_module", hasModule),
    ]
    let module = hasModule ? "" : ", and there is no clock module"
    guard let clock = patient.hub.status?.clock else {
      if isKept { return Finding("clock", .ok, "synchronised with a time server", figures) }
      return .unknown(
        "clock", "whether it is synchronised is not known\(module)", figures,
        fix: machine.hasSystemd ? Fix("ask systemd", ["timedatectl"]) : nil)
    }
    if clock.synchronised { return Finding("clock", .ok, "synchronised with a time server", figures) }
    // systemd reports a synchronised clock, but the hub may not ask the kernel: the helper that asks for it does not
    // run.
    if machine.hasSystemd, machine.isThere(timesyncd), !isTold {
      return Finding(
        "clock", .warn, "it is synchronised, but the hub is not informed", figures,
        fix: Fix("start the timer that informs it", ["sudo systemctl enable --now hearth-clock.timer"]))
    }
    let fix = Fix(
      "give the hub a network with NTP, or a clock module; the state is",
      (machine.hasSystemd ? ["timedatectl"] : []) + ["hearth clock"])
    if clock.plausible {
      return Finding(
        "clock", .warn, "plausible, but no time server keeps it\(module)", figures,
        code: Reason.clockUntrusted.code, fix: fix)
    }
    return Finding(
      "clock", .fail, "not set by any time source\(module): times are marked unsure", figures,
      code: Reason.clockUntrusted.code, fix: fix)
  }
}
