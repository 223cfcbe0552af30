// Plan of removals: from a listing to the calls that remove files, and the files that each call covers. Pure.

import CivilTime
import Health
import Reasons
import Wearable

/// Conditions for the removal of files.
struct RemovalRules {
  /// The day on the wearable's clock; the earlier one if the clock was set during the visit.
  let today: LocalDate
  /// Day of the newest night with results. Earlier nights are not computed again. nil if that is not to count.
  let lastNight: LocalDate?
  /// Days that are still to be read from the wearable.
  let wanted: [ClosedRange<LocalDate>]
  /// Folders in which the wearable is writing, each ending in `/`. A recording that began before midnight lies in the
  /// folder of a day that is over.
  let growing: [String]
  /// Whether all of a file, as listed, is durable.
  let isStored: (PSFTP.RemoteFile) -> Bool

  init(
    today: LocalDate, lastNight: LocalDate? = nil, wanted: [ClosedRange<LocalDate>] = [], growing: [String] = [],
    isStored: @escaping (PSFTP.RemoteFile) -> Bool
  ) {
    (self.today, self.lastNight, self.wanted, self.growing, self.isStored) = (
      today, lastNight, wanted, growing, isStored
    )
  }

  /// Whether this kind's data of a day no longer changes: the day is over. Sleep is computed again until 90 minutes
  /// after waking. A night is therefore final if the day after it is over too, or if a later night is there.
  func isFinal(_ day: LocalDate, _ folder: some StringProtocol) -> Bool {
    guard day < today, DayKind.ofNight.contains(String(folder)) else { return day < today }
    return day.dayNumber < today.dayNumber - 1 || lastNight.map { day < $0 } ?? false
  }

  func isWanted(_ day: LocalDate) -> Bool { wanted.contains { $0.contains(day) } }

  /// Whether neither the path nor a file below it is being written.
  func isAtRest(_ path: String) -> Bool {
    let folder = path.hasSuffix("/") ? path : path + "/"
    return !growing.contains { $0.hasPrefix(folder) || folder.hasPrefix($0) }
  }
}

/// Kinds of data in a day's folder that are removed file by file.
enum DayKind: String, Sendable, CaseIterable {
  case activity = "ACT"
  case dailySummary = "DSUM"
  case nightlyRecovery = "NR"
  case sleep = "SLEEP"
  case sleepScore = "SLEEPSCO"
  case skinContactChanges = "SKINCONT"
  case skinTemperature = "SKINTEMP"
  case bloodOxygenTest = "SPO2TEST"

  /// Kinds that are computed after waking. The temperature of the night is among them, and is removed only with its
  /// day.
  static let ofNight: Set<String> = ["NR", "SLEEP", "SLEEPSCO", "NSTRESUL"]

  /// Whether a file of this name may be removed; other files of a kind are left to the wearable.
  static func isRemovable(_ name: some StringProtocol) -> Bool {
    name.holds(".BPB") && !name.holds("USERID.BPB") && !name.holds("HIST")
  }
}

/// A REMOVE call, and the files that are gone after it.
struct RemovalCall: Sendable, Hashable {
  /// The path that is sent.
  let path: String
  /// Files that the call removes; never empty, and every one is stored.
  let covers: [PSFTP.RemoteFile]
  /// Parents that it leaves empty are removed after it, up to the user's folder.
  var clearsParents = false

  /// The removal that is reported to the hub; nil if it covers files that were not listed.
  func removal(of listed: [String: HeldItem]) -> Removal? {
    let items = covers.compactMap { listed[$0.path] }
    return items.count == covers.count ? Removal(name: path, covers: items) : nil
  }
}

/// A file of automatic samples with its day, which its path does not show.
struct DatedFile: Sendable, Hashable {
  let file: PSFTP.RemoteFile
  let day: LocalDate
}

enum RemovalPlan {
  /// Whole folders of days that are over. Every file of the day is stored, the walk saw all of it, and no order wants
  /// the day.
  static func dayFolders(_ tree: PSFTP.Tree, _ rules: RemovalRules) -> [RemovalCall] {
    let files = Dictionary(grouping: tree.files) { PolarPath.day(of: $0.path) }
    return tree.directories.compactMap { directory -> RemovalCall? in
      guard directory.utf8.count == PolarPath.user.utf8.count + 9, let day = PolarPath.day(of: directory),
        let held = files[day]
      else { return nil }
      let kinds = tree.directories.filter { $0.hasPrefix(directory) && $0 != directory }.compactMap { kind(of: $0) }
      guard rules.isFinal(day, ""), kinds.allSatisfy({ rules.isFinal(day, $0) }), !rules.isWanted(day),
        tree.knowsAll(of: directory),
        rules.isAtRest(directory), held.allSatisfy(rules.isStored)
      else { return nil }
      return RemovalCall(path: String(directory.dropLast()), covers: held)
    }
  }

  /// Empty folders of days before `day`: they contain neither files nor folders.
  static func emptyFolders(_ tree: PSFTP.Tree, before day: LocalDate) -> [String] {
    let holding = Set((tree.files.lazy.map(\.path) + tree.directories).compactMap { PolarPath.parent($0) })
    return tree.directories.filter {
      PolarPath.day(of: $0).map { $0 < day } ?? false && !holding.contains($0) && tree.knowsAll(of: $0)
    }
  }

  /// Files of one kind in the folders of days that are over, each with its own call.
  ///
  /// - Parameter until: the last day to remove.
  static func files(of kind: DayKind, _ tree: PSFTP.Tree, _ rules: RemovalRules, until: LocalDate? = nil)
    -> [RemovalCall]
  {
    tree.files.compactMap { file in
      let parts = PolarPath.components(file.path)
      // /U/0/day/kind/name. Tests lie one level deeper, in a folder for each time.
      let isInPlace =
        parts.count == 5 || kind == .bloodOxygenTest && parts.count == 6 && PolarPath.isTimeFolder(parts[4] + "/")
      guard isInPlace, parts[3] == kind.rawValue, let name = parts.last, DayKind.isRemovable(name),
        let day = PolarPath.day(of: file.path),
        rules.isFinal(day, kind.rawValue), !rules.isWanted(day), until.map({ day <= $0 }) ?? true,
        rules.isAtRest(file.path), rules.isStored(file)
      else { return nil }
      return RemovalCall(path: file.path, covers: [file], clearsParents: true)
    }
  }

  /// Files of automatic samples of days that are over. Their folder stays.
  static func automaticSamples(_ files: [DatedFile], _ rules: RemovalRules, until: LocalDate? = nil) -> [RemovalCall] {
    files.compactMap { dated in
      guard dated.file.path.hasPrefix(PolarPath.automaticSamples), dated.file.path.holds(".BPB"),
        rules.isFinal(dated.day, ""), !rules.isWanted(dated.day),
        until.map({ dated.day <= $0 }) ?? true, rules.isAtRest(dated.file.path), rules.isStored(dated.file)
      else { return nil }
      return RemovalCall(path: dated.file.path, covers: [dated.file])
    }
  }

  /// Training sessions of days that are over. Each is removed with its folder, or with all of `E/` if that has no other
  /// content.
  static func trainingSessions(_ tree: PSFTP.Tree, _ rules: RemovalRules) -> [RemovalCall] {
    tree.directories.compactMap { directory -> RemovalCall? in
      let parts = PolarPath.components(directory)
      guard parts.count == 5, parts[3] == "E", PolarPath.isTimeFolder(parts[4] + "/"),
        let day = PolarPath.day(of: directory), let exercises = PolarPath.parent(directory)
      else { return nil }
      let held = tree.files.filter { $0.path.hasPrefix(directory) }
      guard rules.isFinal(day, "E"), !rules.isWanted(day), tree.knowsAll(of: directory), rules.isAtRest(directory),
        !held.isEmpty, held.allSatisfy(rules.isStored)
      else { return nil }
      let isAlone =
        tree.knowsAll(of: exercises) && rules.isAtRest(exercises)
        && tree.files.allSatisfy { !$0.path.hasPrefix(exercises) || $0.path.hasPrefix(directory) }
        && tree.directories.allSatisfy { !$0.hasPrefix(exercises) || $0 == exercises || $0.hasPrefix(directory) }
      return RemovalCall(path: isAlone ? exercises : directory, covers: held, clearsParents: true)
    }
  }

  /// Exercises of a strap, one file each.
  static func strapExercises(_ tree: PSFTP.Tree, _ rules: RemovalRules) -> [RemovalCall] {
    single(tree, rules) { $0.count == 2 && $0[1] == "SAMPLES.BPB" }
  }

  /// Sensor logs of any day, as their names have no date.
  static func sensorLogs(_ tree: PSFTP.Tree, _ rules: RemovalRules) -> [RemovalCall] {
    single(tree, rules) {
      $0.count >= 2 && $0[0] == "SDLOGS" && ($0[$0.count - 1].holds(".SLG") || $0[$0.count - 1].holds(".TXT"))
    }
  }

  /// Traces in the root: `TRC`, one to three digits, `.BIN`.
  static func telemetry(_ tree: PSFTP.Tree, _ rules: RemovalRules) -> [RemovalCall] {
    single(tree, rules) { parts in
      guard parts.count == 1, parts[0].hasPrefix("TRC"), parts[0].hasSuffix(".BIN") else { return false }
      let digits = parts[0].dropFirst(3).dropLast(4)
      return digits.utf8.count <= 3 && PolarPath.number(digits) != nil
    }
  }

  private static func single(_ tree: PSFTP.Tree, _ rules: RemovalRules, _ matches: ([Substring]) -> Bool)
    -> [RemovalCall]
  {
    tree.files.filter { matches(PolarPath.components($0.path)) && rules.isAtRest($0.path) && rules.isStored($0) }
      .map { RemovalCall(path: $0.path, covers: [$0]) }
  }

  /// The component below the day's folder: `SLEEP` of `/U/0/20261121/SLEEP/`.
  private static func kind(of directory: String) -> Substring? {
    let parts = PolarPath.components(directory)
    return parts.count > 3 ? parts[3] : nil
  }

  /// Returns all calls together. A file that is removed with its day has no call of its own.
  static func all(_ tree: PSFTP.Tree, samples: [DatedFile], _ rules: RemovalRules) -> [RemovalCall] {
    let days = dayFolders(tree, rules)
    var gone = Set(days.flatMap(\.covers))
    var calls = days
    let others =
      trainingSessions(tree, rules) + DayKind.allCases.flatMap { files(of: $0, tree, rules) }
      + automaticSamples(samples, rules)
      + sensorLogs(tree, rules) + telemetry(tree, rules)
    for call in others where gone.isDisjoint(with: call.covers) {
      gone.formUnion(call.covers)
      calls.append(call)
    }
    return calls
  }
}
