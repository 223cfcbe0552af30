// All checks in their order, over what the daemon answers and what the machine's files say.

import HubProtocol
import Reasons

/// What the daemon said. Everything is nil where it could not be asked.
struct HubAnswers: Sendable {
  /// Why nothing, or not all, was answered.
  var trouble: HearthError?
  /// `--store`: no daemon is to be asked.
  var isLeftAlone = false
  /// Who answers at the socket; nil: unknown.
  var process: Int32?
  var status: StatusDocument?
  /// The status as it came, for members that this program does not know.
  var wholeStatus: JSON?
  var radio: RadioDocument?
  /// nil: of a daemon of before it was asked for.
  var plan: SlotPlanDocument?
  var settings: [SettingDocument]?

  /// The radio is one of hearth-sim: the machine's has nothing to do with it.
  var isSimulated: Bool { (radio?.adapter ?? status?.radio.adapter) == "simulated" }
}

/// What is looked at.
struct Patient: Sendable {
  var machine: Machine
  var hub: HubAnswers
  var asker: Asker
  /// The configuration's file, and the store's folder.
  var configurationPath: String
  var storePath: String
  var socketPath: String

  /// The process of the daemon: whoever answers, else one that has its name.
  var daemon: Int32? { hub.process ?? machine.processes(named: "hearthd").first }
}

/// What came of all checks.
struct Examination: Sendable {
  var findings: [Finding]

  init(findings: [Finding]) { self.findings = findings }

  /// First whether it runs at all, then the radio, then what it stands on, then people.
  init(_ patient: Patient) {
    findings =
      ServiceChecks.findings(patient) + RadioChecks.findings(patient) + AntennaChecks.findings(patient)
      + KernelChecks.findings(patient) + ClockChecks.findings(patient) + CardChecks.findings(patient)
      + RoomChecks.findings(patient) + BackupChecks.findings(patient) + ConfigurationChecks.findings(patient)
      + AccessChecks.findings(patient) + PowerChecks.findings(patient)
  }

  /// The worst there is. What is unknown is nothing to be mended.
  var verdict: Verdict { findings.map(\.verdict).filter { $0 != .unknown }.max() ?? .ok }

  func count(_ verdict: Verdict) -> Int { findings.count { $0.verdict == verdict } }

  /// 0: nothing to be done. 1: something needs attention, be it a warning or a failure; `verdict` tells them apart. 3:
  /// no daemon answers, and the rest was looked at without it.
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
