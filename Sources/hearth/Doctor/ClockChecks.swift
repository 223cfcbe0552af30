// Can the times that the hub writes be believed?

import EventLoop
import HubProtocol
import Reasons

enum ClockChecks {
  static func findings(_ patient: Patient) -> [Finding] { [clock(patient)] }

  /// Where hearth-clock.service tells the hub what the kernel says, twice a minute, and where systemd-timesyncd does.
  private static let word = ClockWord.standardPath
  private static let timesyncd = "/run/systemd/timesync/synchronized"
  /// Seconds after which a word is nobody's any more: ten times the timer's interval.
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
        "clock", "whether it is synchronised is not told\(module)", figures,
        fix: machine.hasSystemd ? Fix("ask systemd", ["timedatectl"]) : nil)
    }
    if clock.synchronised { return Finding("clock", .ok, "synchronised with a time server", figures) }
    // systemd says yes, and the hub may not ask the kernel: the helper that asks in its stead does not run.
    if machine.hasSystemd, machine.isThere(timesyncd), !isTold {
      return Finding(
        "clock", .warn, "it is synchronised, and nobody tells the hub", figures,
        fix: Fix("start what does", ["sudo systemctl enable --now hearth-clock.timer"]))
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
      "clock", .fail, "not set by anything\(module): times are marked unsure", figures,
      code: Reason.clockUntrusted.code, fix: fix)
  }
}
