// Check of the age of the newest backup, which would outlive this hub's card.
//
// Only the function `last` depends on the hub: it reads the members about backups in the status. A hub without these
// members has no backups.

import EventLoop
import HubProtocol
import StoreDocuments

enum BackupChecks {
  static func findings(_ patient: Patient) -> [Finding] { [backup(patient)] }

  /// Seconds after which a backup is old, without a configured interval. A person can still remember a week of
  /// enrolments, notes and bonds.
  static let old = 7 * 86_400
  /// Number of intervals after which a scheduled backup is late: two were left out.
  static let patience = 2

  /// Time of the newest backup, and its interval in seconds.
  struct Known: Sendable, Hashable {
    var made: String?
    /// nil: no schedule.
    var interval: Int?
  }

  /// Reads status (`backup_at`) and settings (`backup.to`, `backup.every`). nil: this hub has no backup and no
  /// schedule.
  static func last(_ status: JSON, _ settings: [SettingDocument]?) -> Known? {
    func setting(_ key: String) -> String? { settings?.first { $0.key == key }?.value }
    var known = Known(made: status["backup_at"]?.text)
    if let place = setting("backup.to"), place != "none" {
      known.interval = setting("backup.every").flatMap { HubTime.seconds($0) }.map { Int(clamping: $0) } ?? 86_400
    }
    return known == Known() ? nil : known
  }

  /// The fix: the backup command if this program has it, else an export of the keys, which cannot be recovered.
  private static var make: Fix {
    let hasCommand = HearthCommand.configuration.subcommands.contains { $0.configuration.commandName == "backup" }
    return Fix(
      "make one, and keep it elsewhere than on this card",
      [hasCommand ? "sudo hearth backup hub.backup" : "sudo hearth bond export --to bonds.hearth"])
  }

  private static func backup(_ patient: Patient) -> Finding {
    guard let status = patient.hub.wholeStatus else {
      return .unknown("backup", "only a hub that runs knows when its last backup was made")
    }
    guard let known = last(status, patient.hub.settings) else {
      return Finding(
        "backup", .warn, "no backup is configured or was made: a dead card loses all data",
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
