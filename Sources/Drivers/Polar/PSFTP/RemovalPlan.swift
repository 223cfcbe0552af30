// What may be removed from a wearable, by which call, and what exactly goes with it. Pure: from what was listed to
// calls.

import CivilTime
import Health
import Reasons
import Wearable

/// What decides whether something may go.
struct RemovalRules {
  /// The day on the wearable's own clock; the earlier one where the clock was set during the visit.
  let today: LocalDate
  /// The day of the newest night whose results are there: those of nights before are not worked out again; nil where
  /// that is not to count.
  let lastNight: LocalDate?
  /// Days that somebody still wants to read from the wearable.
  let wanted: [ClosedRange<LocalDate>]
  /// Folders in which something is being written, each ending in `/`: a recording that was started before midnight lies
  /// in a day that is over.
  let growing: [String]
  /// All of a file as it was listed is durable.
  let isStored: (PSFTP.RemoteFile) -> Bool

  init(
    today: LocalDate, lastNight: LocalDate? = nil, wanted: [ClosedRange<LocalDate>] = [], growing: [String] = [],
    isStored: @escaping (PSFTP.RemoteFile) -> Bool
  ) {
    (self.today, self.lastNight, self.wanted, self.growing, self.isStored) = (
      today, lastNight, wanted, growing, isStored
    )
  }

  /// The kind's data of a day does not change any more: the day is over. Of a night also the day after it has to be, or
  /// a later night has to be there: sleep is worked out again until an hour and a half after waking.
  func isFinal(_ day: LocalDate, _ folder: some StringProtocol) -> Bool {
    guard day < today, DayKind.ofNight.contains(String(folder)) else { return day < today }
    return day.dayNumber < today.dayNumber - 1 || lastNight.map { day < $0 } ?? false
  }

  func isWanted(_ day: LocalDate) -> Bool { wanted.contains { $0.contains(day) } }

  /// Neither it nor anything in it is being written.
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

  /// Worked out after waking, among them the temperature of the night, which goes only with its day.
  static let ofNight: Set<String> = ["NR", "SLEEP", "SLEEPSCO", "NSTRESUL"]

  /// Names of the files that go; what a kind has besides them is left for the wearable to look after.
  static func isRemovable(_ name: some StringProtocol) -> Bool {
    name.holds(".BPB") && !name.holds("USERID.BPB") && !name.holds("HIST")
  }
}

/// One REMOVE, and everything that is gone after it.
struct RemovalCall: Sendable, Hashable {
  /// As it is sent.
  let path: String
  /// Never empty, each stored.
  let covers: [PSFTP.RemoteFile]
  /// Directories that it leaves empty are removed after it, up to the user's.
  var clearsParents = false

  /// As the hub is told of it; nil where it covers what was not listed.
  func removal(of listed: [String: HeldItem]) -> Removal? {
    let items = covers.compactMap { listed[$0.path] }
    return items.count == covers.count ? Removal(name: path, covers: items) : nil
  }
}

/// A file of automatic samples: the day is not in its path.
struct DatedFile: Sendable, Hashable {
  let file: PSFTP.RemoteFile
  let day: LocalDate
}

enum RemovalPlan {
  /// Days that are over, whole: every file of theirs is stored, nothing in them was left unseen, nobody wants them.
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

  /// Folders in days before `day` that hold nothing, without those that hold nothing but them.
  static func emptyFolders(_ tree: PSFTP.Tree, before day: LocalDate) -> [String] {
    let holding = Set((tree.files.lazy.map(\.path) + tree.directories).compactMap { PolarPath.parent($0) })
    return tree.directories.filter {
      PolarPath.day(of: $0).map { $0 < day } ?? false && !holding.contains($0) && tree.knowsAll(of: $0)
    }
  }

  /// Files of one kind in the folders of days that are over, one by one.
  ///
  /// - Parameter until: the last day of which they go.
  static func files(of kind: DayKind, _ tree: PSFTP.Tree, _ rules: RemovalRules, until: LocalDate? = nil)
    -> [RemovalCall]
  {
    tree.files.compactMap { file in
      let parts = PolarPath.components(file.path)
      // /U/0/day/kind/name, and one deeper for tests, each with its time.
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

  /// Training sessions of days that are over: each with its folder, or all of `E/` where it holds nothing else.
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

  /// An exercise of a strap: its one file, as listed.
  static func strapExercises(_ tree: PSFTP.Tree, _ rules: RemovalRules) -> [RemovalCall] {
    single(tree, rules) { $0.count == 2 && $0[1] == "SAMPLES.BPB" }
  }

  /// Logs of sensors, of whatever day: their names tell none.
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

  /// The folder of a day in which something lies directly: `SLEEP` of `/U/0/20261121/SLEEP/`.
  private static func kind(of directory: String) -> Substring? {
    let parts = PolarPath.components(directory)
    return parts.count > 3 ? parts[3] : nil
  }

  /// All calls together. What goes with its day is not removed by itself.
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
