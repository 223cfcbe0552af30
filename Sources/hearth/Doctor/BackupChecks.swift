// How old is what would outlive this hub's card?
//
// Joined to the hub by one function, `last`: what the status tells of backups. A hub that tells nothing has none.

import EventLoop
import HubProtocol
import StoreDocuments

enum BackupChecks {
  static func findings(_ patient: Patient) -> [Finding] { [backup(patient)] }

  /// Seconds after which a backup is old where no interval is configured: a week of enrolments, notes and bonds is what
  /// somebody can still remember.
  static let old = 7 * 86_400
  /// A scheduled one is late when it was left out twice.
  static let patience = 2

  /// When the last one was made, and how often it is to be, in seconds.
  struct Known: Sendable, Hashable {
    var made: String?
    /// nil: none is scheduled.
    var interval: Int?
  }

  /// From the status as it came (`backup_at`) and from the settings (`backup.to`, `backup.every`). nil: this hub knows
  /// of no backup, made or scheduled.
  static func last(_ status: JSON, _ settings: [SettingDocument]?) -> Known? {
    func setting(_ key: String) -> String? { settings?.first { $0.key == key }?.value }
    var known = Known(made: status["backup_at"]?.text)
    if let place = setting("backup.to"), place != "none" {
      known.interval = setting("backup.every").flatMap { HubTime.seconds($0) }.map { Int(clamping: $0) } ?? 86_400
    }
    return known == Known() ? nil : known
  }

  /// What makes one: the command of this program, where it has it, else the keys that cannot be had again.
  private static var make: Fix {
    let hasCommand = HearthCommand.configuration.subcommands.contains { $0.configuration.commandName == "backup" }
    return Fix(
      "make one, and keep it elsewhere than on this card (board/GUIDE.md)",
      [hasCommand ? "sudo hearth backup hub.backup" : "sudo hearth bond export --to bonds.hearth"])
  }

  private static func backup(_ patient: Patient) -> Finding {
    guard let status = patient.hub.wholeStatus else {
      return .unknown("backup", "only a hub that runs knows when its last backup was made")
    }
    guard let known = last(status, patient.hub.settings) else {
      return Finding(
        "backup", .warn, "no backup is configured, and none was made: a dead card takes all along",
        [figure("age_s", nil as Int?)], fix: make)
    }
    let age = age(known.made, patient.machine.now)
    let figures = [figure("age_s", age), figure("made_at", known.made), figure("every_s", known.interval)]
    guard let age else {
      return Finding("backup", .warn, "no backup was made yet", figures, fix: make)
    }
    let bound = known.interval.map { $0.multipliedReportingOverflow(by: patience) }
    let limit = bound.map { $0.overflow || $0.partialValue <= 0 ? old : $0.partialValue } ?? old
    let words = "the last one is \(span(age)) old"
    if age > limit { return Finding("backup", .warn, words, figures, fix: make) }
    return Finding("backup", .ok, words, figures)
  }
}
