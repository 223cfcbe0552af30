// All checks in their order, with the answers of the daemon and the files of the machine.

import HubProtocol
import Reasons

/// Answers of the daemon. All members are nil if it could not be asked.
struct HubAnswers: Sendable {
  /// The reason if answers are missing.
  var trouble: HearthError?
  /// `--store`: the daemon must not be asked.
  var isLeftAlone = false
  /// Process that answers at the socket; nil: unknown.
  var process: Int32?
  var status: StatusDocument?
  /// The status as received, for members that this program does not know.
  var wholeStatus: JSON?
  var radio: RadioDocument?
  /// nil: the daemon is older than this member.
  var plan: SlotPlanDocument?
  var settings: [SettingDocument]?

  /// The radio is one of hearth-sim, so that the machine's adapters are irrelevant.
  var isSimulated: Bool { (radio?.adapter ?? status?.radio.adapter) == "simulated" }
}

/// The examined hub and machine.
struct Patient: Sendable {
  var machine: Machine
  var hub: HubAnswers
  var asker: Asker
  /// Paths of the configuration file, and of the store's folder.
  var configurationPath: String
  var storePath: String
  var socketPath: String

  /// Process of the daemon: the one that answers, else one with its name.
  var daemon: Int32? { hub.process ?? machine.processes(named: "hearthd").first }
}

/// The results of all checks.
struct Examination: Sendable {
  var findings: [Finding]

  init(findings: [Finding]) { self.findings = findings }

  /// Order: first whether the hub runs, then the radio, then storage, then users.
  init(_ patient: Patient) {
    findings =
      ServiceChecks.findings(patient) + RadioChecks.findings(patient) + AntennaChecks.findings(patient)
      + KernelChecks.findings(patient) + ClockChecks.findings(patient) + CardChecks.findings(patient)
      + RoomChecks.findings(patient) + BackupChecks.findings(patient) + DeliveryChecks.findings(patient)
      + ConfigurationChecks.findings(patient) + AccessChecks.findings(patient) + PowerChecks.findings(patient)
  }

  /// The most severe verdict. An unknown result is not a problem.
  var verdict: Verdict { findings.map(\.verdict).filter { $0 != .unknown }.max() ?? .ok }

  func count(_ verdict: Verdict) -> Int { findings.count { $0.verdict == verdict } }

  /// 0: no problem. 1: something needs attention, a warning or a failure; `verdict` distinguishes them. 3: no daemon
  /// answers, and the other checks were made.
  func exitStatus(_ hub: HubAnswers) -> Int32 {
    if hub.trouble?.reason.exitStatus == 3 { return 3 }
    return verdict >= .warn ? 1 : 0
  }

  func json(time: String, answered: Bool) -> JSON {
    [
      "schema": "io.hearth.doctor/1", "time": .string(time), "verdict": .string(verdict.word),
      "daemon": .bool(answered),
      "counts": .object(Verdict.allCases.map { JSON.Member($0.word, .integer(Int64(count($0)))) }),
      "checks": .array(findings.map(\.json)),
    ]
  }
}
