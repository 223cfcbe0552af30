// All faults of a configuration at once, for its author. Among them are faults that no single key shows: values that
// contradict each other, and missing folders.

internal import Glibc
internal import Lights
public import Reasons
internal import SettingsText

/// The result of `hearth config check`.
public struct ConfigurationCheck: Sendable {
  /// The configuration without its invalid keys.
  public var configuration: Configuration
  /// Problems in the order of the files, then contradictions. If it is empty, the daemon accepts the configuration.
  public var problems: [HearthError]
}

extension Configuration {
  /// Reads as `load` does, but goes on after an error.
  public static func check(path: String) -> ConfigurationCheck { check(path: path, main: nil) }

  /// The same check with `main` as the content of the main file.
  static func check(path: String, main: [UInt8]?) -> ConfigurationCheck {
    var problems: [HearthError] = []
    var settings: [(file: String, setting: Schema.Setting)] = []
    func tried<Value>(_ body: () throws(HearthError) -> Value?) -> Value? {
      do throws(HearthError) { return try body() } catch {
        problems.append(error)
        return nil
      }
    }
    for file in tried({ () throws(HearthError) in try files(of: path, main: main) }) ?? [] {
      let read = tried { () throws(HearthError) in
        let bytes = if file == path, let main { main } else { try contents(of: file) }
        return try YAMLReader.read(bytes, file: file)
      }
      guard let root = read else { continue }
      let found = Schema.schema.allSettings(of: root, file: file)
      settings += found.settings.map { (file, $0) }
      problems += found.problems
    }
    var scratch = Configuration()
    for (file, setting) in settings where setting.key.path == "hub.preset" { try? scratch.apply(setting, file) }
    var configuration = Configuration(preset: scratch.hub.preset)
    for (file, setting) in settings { _ = tried { () throws(HearthError) in try configuration.apply(setting, file) } }
    _ = tried { () throws(HearthError) in try configuration.checkProfiles(settings) }
    if let path = configuration.boardFile { _ = tried { () throws(HearthError) in try board(at: path) } }
    return ConfigurationCheck(
      configuration: configuration, problems: problems + configuration.contradictions + configuration.missingFolders)
  }

  /// Values that contradict each other.
  private var contradictions: [HearthError] {
    var found: [HearthError] = []
    func say(_ key: String, _ what: String) {
      found.append(HearthError(.configBadValue, "\(place(of: key)): \(key) \(what)"))
    }
    func shown(_ key: String) -> String { Schema.keys.first { $0.path == key }?.show(self) ?? "" }
    for key in Schema.keys where key.path.hasPrefix("store.rings.") && key.path.hasSuffix(".quota") {
      let series = key.path.split(separator: ".").dropFirst(2).first.map { String($0) } ?? ""
      let quota =
        series == "default" ? store.ring.quota : store.rings.first { $0.key.name == series }?.value.quota ?? nil
      if let quota, quota > store.size {
        say(key.path, "is \(shown(key.path)), more than store.size, which is \(shown("store.size"))")
      }
    }
    if store.commitBytes > store.size / 10 {
      say("store.commit.bytes", "is \(shown("store.commit.bytes")), more than a tenth of store.size")
    }
    if lane.slice > lane.visitBound {
      say(
        "lane.slice", "is \(shown("lane.slice")), longer than lane.visit_bound, which is \(shown("lane.visit_bound"))")
    }
    if let low = battery.low, let critical = battery.critical, critical >= low {
      say("battery.critical", "is \(critical)%, not less than battery.low, which is \(low)%")
    }
    if backup.to != nil, backup.passphraseFile == nil {
      say("backup.to", "is set, and backup.passphrase_file is not: a backup is sealed under a passphrase")
    }
    if lane.fresh > lane.visitBound {
      say(
        "lane.fresh", "is \(shown("lane.fresh")), longer than lane.visit_bound, which is \(shown("lane.visit_bound"))")
    }
    return found
  }

  /// Folders that a file sets and that do not exist. The store's own folder is made, if its parent exists.
  private var missingFolders: [HearthError] {
    var found: [HearthError] = []
    func look(_ key: String, _ path: String) {
      if places[key] == nil || Self.isThere(path) { return }
      found.append(
        HearthError(.configBadValue, "\(place(of: key)): \(key) needs the folder \(path), which is not there"))
    }
    look("store.path", folder(of: store.path))
    look("control.socket", folder(of: control.socket))
    look("lights.boards", lights.boards)
    if let to = backup.to { look("backup.to", to) }
    if let problem = metricsProblem() {
      found.append(HearthError(.configBadValue, "\(place(of: "metrics.file")): \(problem)"))
    }
    return found
  }

  private func place(of key: String) -> String {
    places[key].map { "\($0.file):\($0.line)" } ?? "preset \(hub.preset.rawValue)"
  }
}

private func board(at path: String) throws(HearthError) -> Board? { try Board.load(path: path) }

/// The file and line in which a key was set.
struct Place: Sendable, Hashable {
  var file: String
  var line: Int
}
