// Check of the scheduled export, if there is one: its last run, by the state that it keeps.

import EventLoop
import HubProtocol
import Reasons

enum DeliveryChecks {
  /// Number of intervals after which the last complete run is overdue.
  static let patience = 2

  private static let check = "hearth export --scheduled --check"

  /// What the last run said, then a check.
  private static func look(_ machine: Machine) -> Fix {
    Fix("see why", (machine.hasSystemd ? ["journalctl -u hearth-export -n 20"] : []) + [check])
  }

  /// Empty on a machine without a scheduled export.
  static func findings(_ patient: Patient) -> [Finding] {
    let machine = patient.machine
    let path = DeliverySettings.defaultPath
    if !machine.isThere(path) { return [] }
    let settings: DeliverySettings
    do throws(HearthError) { settings = try DeliverySettings.read(path: machine.root + path) } catch {
      return [Finding("export", .fail, error.detail, code: error.reason.code, fix: Fix("correct it, then", [check]))]
    }
    return settings.to == nil ? [] : [export(machine, settings)]
  }

  private static func export(_ machine: Machine, _ settings: DeliverySettings) -> Finding {
    let path = DeliveryMemory.path(settings.state, settings.cursor)
    if !machine.isThere(path) {
      return Finding(
        "export", .warn, "export.yaml names a folder, and no run was made yet",
        fix: machine.hasSystemd
          ? Fix("check it, then start its timer", [check, "sudo systemctl enable --now hearth-export.timer"])
          : Fix("check it, then run it regularly", [check, "hearth export --scheduled"]))
    }
    guard let bytes = machine.bytes(path, limit: DeliveryMemory.limit) else {
      return .unknown("export", "\(path) may not be read", fix: Fix("ask as root", ["sudo hearth doctor"]))
    }
    guard let state = DeliveryState(bytes) else {
      return Finding("export", .warn, "\(path) is no state of an export", fix: look(machine))
    }
    let age = age(state.ranAt?.rfc3339, machine.now)
    let every = Int(settings.every.components.seconds)
    let figures = [
      figure("age_s", age), figure("every_s", every), figure("failed_at", state.failedAt?.rfc3339),
      figure("gone_rows", state.gone), figure("corrupt_chunks", state.corrupt), figure("files", state.number),
    ]
    func say(_ verdict: Verdict, _ words: String, _ fix: Fix?) -> Finding {
      Finding("export", verdict, words, figures, fix: fix)
    }
    if let failure = state.failure {
      return say(.warn, "the last run failed: \(harmless(failure, limit: 512))", look(machine))
    }
    guard let age else { return say(.warn, "no run is complete yet", look(machine)) }
    let words = "the last complete run is \(span(age)) old"
    if age > patience * every {
      let timer = Fix("see whether its timer runs", ["systemctl status hearth-export.timer"])
      return say(.warn, words, machine.hasSystemd ? timer : look(machine))
    }
    if state.gone > 0 {
      let lost = "\(counted(state.gone, "row")) went before it had them"
      return say(
        .warn, "\(words); \(lost)", Fix("shorten every in export.yaml, or raise store.size", ["hearth store"]))
    }
    if state.corrupt > 0 {
      let lost = "\(counted(state.corrupt, "chunk")) could not be read"
      return say(.warn, "\(words); \(lost)", Fix("see what is damaged", ["hearth store verify"]))
    }
    return say(.ok, words, nil)
  }
}
