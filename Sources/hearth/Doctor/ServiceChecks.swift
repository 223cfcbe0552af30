// Checks whether the hub runs, whether systemd supervises it, and whether it has only the rights that it needs.

import HubProtocol
import Reasons

enum ServiceChecks {
  static func findings(_ patient: Patient) -> [Finding] {
    let unit = properties(patient.machine)
    return [hub(patient), self.unit(patient, unit), sandbox(patient, unit)]
  }

  // MARK: The hub itself

  private static func hub(_ patient: Patient) -> Finding {
    if patient.hub.isLeftAlone { return .unknown("hub", "with --store no daemon is asked") }
    guard let status = patient.hub.status else {
      let trouble = patient.hub.trouble ?? HearthError(.daemonDown, "no daemon answers at \(patient.socketPath)")
      let document = TroubleDocument(trouble)
      // A user without rights is reported by the check of groups.
      if trouble.reason != .daemonDown {
        return .unknown("hub", trouble.detail, [figure("socket", patient.socketPath)], fix: Fix(document))
      }
      return Finding(
        "hub", .fail, trouble.detail, [figure("socket", patient.socketPath)], code: document.code,
        fix: start(patient))
    }
    let urgent = status.attention.filter { !isInformation($0) }
    let figures = [
      figure("uptime_s", status.uptimeSeconds), figure("needs_attention", urgent.count),
      figure("enrolled", status.enrolled), figure("present", status.present), figure("missing", status.missing),
    ]
    if status.phase != .serving {
      return Finding("hub", .warn, "it is \(status.phase)", figures, fix: Fix("wait, then", ["hearth"]))
    }
    let up = "serving for \(span(status.uptimeSeconds))"
    guard let first = urgent.first else { return Finding("hub", .ok, "\(up), and no trouble needs a person", figures) }
    let what = "\(first.device ?? "hub"): \(first.reason.code) \(first.reason.sentence)"
    let more = urgent.count > 1 ? ", and \(counted(urgent.count - 1, "thing")) more" : ""
    return Finding(
      "hub", .warn, "\(up); \(what)\(more)", figures, code: first.reason.code,
      fix: Fix("what needs a person", ["hearth", "hearth explain \(first.reason.code)"]))
  }

  private static func start(_ patient: Patient) -> Fix {
    if patient.machine.hasSystemd {
      return Fix(
        "start it; if it does not stay, see what it said", ["sudo systemctl start hearthd", "hearth log -n 50"])
    }
    return Fix("start it", ["hearthd --config \(shellWord(patient.configurationPath))"])
  }

  // MARK: The unit

  private static let facts = [
    "LoadState", "ActiveState", "SubState", "Result", "ExecMainStatus", "MainPID", "NRestarts", "UnitFileState",
    "NeedDaemonReload", "DropInPaths",
  ]

  /// Settings of board/hearthd.service that `systemctl show` reports as one word.
  static let hardening: [(name: String, value: String)] = [
    ("NoNewPrivileges", "yes"), ("ProtectSystem", "strict"), ("ProtectHome", "yes"), ("PrivateTmp", "yes"),
    ("PrivateIPC", "yes"), ("PrivateMounts", "yes"), ("ProtectClock", "yes"), ("ProtectControlGroups", "yes"),
    ("ProtectHostname", "yes"), ("ProtectKernelLogs", "yes"), ("ProtectKernelModules", "yes"),
    ("ProtectKernelTunables", "yes"), ("LockPersonality", "yes"), ("MemoryDenyWriteExecute", "yes"),
    ("RestrictRealtime", "yes"), ("RestrictSUIDSGID", "yes"), ("DevicePolicy", "closed"), ("LimitCORE", "0"),
  ]

  /// nil: there is no systemd, or it cannot be asked.
  private static func properties(_ machine: Machine) -> [String: String]? {
    guard machine.hasSystemd, let text = machine.unit(facts + hardening.map(\.name)) else { return nil }
    var found: [String: String] = [:]
    for line in text.split(separator: "\n") {
      guard let equals = line.firstIndex(of: "=") else { continue }
      found[String(line[..<equals])] = String(line[line.index(after: equals)...])
    }
    return found.isEmpty ? nil : found
  }

  private static func unit(_ patient: Patient, _ unit: [String: String]?) -> Finding {
    let machine = patient.machine
    guard machine.hasSystemd else {
      let first = machine.firstProcess.map { "process 1 is '\($0)', not systemd" } ?? "process 1 may not be seen"
      return .unknown("unit", "\(first): no unit starts hearthd again when it ends")
    }
    guard let unit else { return .unknown("unit", "systemctl does not say anything of hearthd.service") }
    let restarts = unit["NRestarts"].flatMap { Int($0) }
    let figures = [
      figure("active", unit["ActiveState"]), figure("sub", unit["SubState"]), figure("enabled", unit["UnitFileState"]),
      figure("restarts", restarts), figure("process", unit["MainPID"].flatMap { Int($0) }),
    ]
    func say(_ verdict: Verdict, _ words: String, _ fix: Fix?) -> Finding {
      Finding("unit", verdict, words, figures, fix: fix)
    }
    if unit["LoadState"] == "not-found" || unit["LoadState"] == "masked" {
      return say(
        .fail, "systemd has no unit hearthd.service that it may start (\(unit["LoadState"] ?? ""))",
        Fix(
          "install it (/usr/share/doc/hearth/board/README.md), then",
          ["sudo systemctl daemon-reload", "sudo systemctl enable --now hearthd"])
      )
    }
    if unit["ActiveState"] != "active" {
      let status = unit["ExecMainStatus"].map { ", exit status \($0)" } ?? ""
      return say(
        .fail, "hearthd.service is \(unit["ActiveState"] ?? "not active") (\(unit["Result"] ?? "unknown")\(status))",
        Fix("see why, then start it", ["hearth log -n 50", "sudo systemctl restart hearthd"]))
    }
    if let main = unit["MainPID"].flatMap({ Int32($0) }), let process = patient.hub.process, process > 0,
      main != process
    {
      return say(
        .warn, "process \(process) answers, not process \(main) of the unit",
        Fix("see which it is", ["ps -fp \(process)"]))
    }
    if unit["NeedDaemonReload"] == "yes" {
      return say(
        .warn, "the unit's files changed since systemd read them",
        Fix("take them up", ["sudo systemctl daemon-reload", "sudo systemctl restart hearthd"]))
    }
    if let state = unit["UnitFileState"], state.hasPrefix("disabled") {
      return say(.warn, "hearthd is not started at boot", Fix("let it be", ["sudo systemctl enable hearthd"]))
    }
    if let restarts, restarts > 0 {
      return say(
        .warn, "systemd had to start hearthd again \(counted(restarts, "time"))",
        Fix("see how the runs before ended", ["hearth events --code H80", "hearth log -n 50"]))
    }
    return say(.ok, "active, started at boot, no restarts", nil)
  }

  // MARK: The sandbox

  /// CAP_NET_ADMIN and CAP_NET_RAW of linux/capability.h, the only capabilities of the unit.
  private static let networkAdministration: UInt64 = 1 << 12
  private static let rawNetwork: UInt64 = 1 << 13

  private static func sandbox(_ patient: Patient, _ unit: [String: String]?) -> Finding {
    guard let process = patient.daemon, process > 0 else { return .unknown("sandbox", "no hearthd runs here") }
    guard let lines = patient.machine.lines("/proc/\(process)/status") else {
      return .unknown(
        "sandbox", "the rights of process \(process) may not be seen", fix: Fix("ask as root", ["sudo hearth doctor"]))
    }
    let rights = ProcessRights(lines)
    guard let capabilities = rights.capabilities, let user = rights.user else {
      return .unknown("sandbox", "the kernel does not report the rights of process \(process)")
    }
    var tooMuch: [String] = []
    if user == 0 { tooMuch.append("it is root") }
    let others = capabilities & ~(networkAdministration | rawNetwork)
    if others != 0 { tooMuch.append("\(others.nonzeroBitCount) of the kernel's capabilities that it does not need") }
    if rights.gainsNone != true { tooMuch.append("it may gain privileges") }
    if rights.seccomp != 2 { tooMuch.append("no filter of system calls") }
    let loosened = hardening.filter { unit?[$0.name] != nil && unit?[$0.name] != $0.value }.map(\.name)
    if !loosened.isEmpty { tooMuch.append("not as shipped: \(loosened.joined(separator: ", "))") }
    let figures = [
      figure("process", Int(process)), figure("uid", user),
      figure("capabilities", "0x" + String(capabilities, radix: 16)),
      figure("no_new_privileges", rights.gainsNone ?? false), figure("seccomp", rights.seccomp),
      figure("properties_checked", unit.map { unit in hardening.count { unit[$0.name] != nil } } ?? 0),
      JSON.Member("loosened", .array(loosened.map { .string($0) })),
    ]
    if capabilities & networkAdministration == 0, !patient.hub.isSimulated {
      return Finding(
        "sandbox", .fail, "hearthd lacks CAP_NET_ADMIN and cannot control the adapter", figures,
        code: Reason.capabilityMissing.code, fix: mend(patient))
    }
    if !tooMuch.isEmpty {
      return Finding(
        "sandbox", .warn,
        "hearthd (process \(process)) has more rights than its unit gives: \(tooMuch.joined(separator: "; "))",
        figures, fix: mend(patient))
    }
    let checked = unit == nil ? "as the process shows" : "as shipped"
    return Finding("sandbox", .ok, "\(checked): own user, two capabilities, a filter of system calls", figures)
  }

  /// Fix that gives the process the rights of its unit.
  static func mend(_ patient: Patient) -> Fix {
    if !patient.machine.hasSystemd { return Fix("run it by its systemd unit (board/hearthd.service)") }
    return Fix(
      "see which file says so, correct it, then",
      ["systemctl cat hearthd", "sudo systemctl daemon-reload", "sudo systemctl restart hearthd"])
  }
}

/// Rights of a process in /proc/PID/status. A missing field, or one without a number, is nil.
struct ProcessRights: Sendable, Hashable {
  /// The effective user.
  var user: Int?
  /// The effective set, as bits.
  var capabilities: UInt64?
  var gainsNone: Bool?
  /// 0 off, 1 strict, 2 a filter.
  var seccomp: Int?

  init(_ lines: [Substring]) {
    for line in lines {
      let words = line.split(whereSeparator: { $0 == "\t" || $0 == " " })
      guard words.count > 1 else { continue }
      switch words[0] {
      case "Uid:": user = words.count > 2 ? Int(words[2]) : nil
      case "CapEff:": capabilities = UInt64(words[1], radix: 16)
      case "NoNewPrivs:": gainsNone = words[1] == "1"
      case "Seccomp:": seccomp = Int(words[1])
      default: break
      }
    }
  }
}
