// Check whether the hub runs with the values of its file.

import Configuration
import EventLoop
import HubProtocol
import Reasons
import RingStore

enum ConfigurationChecks {
  static func findings(_ patient: Patient) -> [Finding] { [configuration(patient)] }

  /// Sections with keys that only apply at a start, even if the file is read again.
  private static let atStart = ["radio.", "store.", "lights.", "control.", "access."]
  /// Number of keys that are named in a sentence; the others are counted.
  private static let named = 3

  private static func configuration(_ patient: Patient) -> Finding {
    let machine = patient.machine
    let path = patient.configurationPath
    let written = machine.written(path)
    let started = patient.hub.status.flatMap { WallTime(rfc3339: $0.startedAt) }.map {
      Int($0.microseconds / 1_000_000)
    }
    let isNewer = started.flatMap { started in written.map { $0 > started } } ?? false
    var figures = [figure("file", path), figure("written_at_s", written), figure("newer_than_start", isNewer)]
    let check = Fix("correct what it names, then", ["hearth config check \(shellWord(path))"])
    let file: Configuration
    do throws(HearthError) { file = try Configuration.load(path: machine.root + path) } catch {
      let isHidden = machine.isThere(path) && machine.bytes(path, limit: 1) == nil
      if isHidden {
        return .unknown(
          "configuration", "\(path) may not be read", figures, fix: Fix("ask as root", ["sudo hearth doctor"]))
      }
      return Finding("configuration", .fail, error.detail, figures, code: error.reason.code, fix: check)
    }
    let problems = Configuration.check(path: machine.root + path).problems
    if let first = problems.first {
      figures.append(figure("problems", problems.count))
      return Finding("configuration", .warn, first.detail, figures, code: first.reason.code, fix: check)
    }
    let name = written == nil ? "the defaults (there is no \(path))" : path
    guard let settings = patient.hub.settings else {
      return Finding("configuration", .ok, "\(name) is sound; whether a hub runs with it is not known", figures)
    }
    let running = Dictionary(settings.map { ($0.key, $0.value) }) { first, _ in first }
    let wanted = file.entries.filter { running[$0.key] != $0.value }
    let kept = Set(file.entries.map(\.key))
    // Keys of a ring with settings of its own that the file no longer has.
    let gone = settings.map(\.key).filter { !kept.contains($0) }
    let differing = wanted.map(\.key) + gone
    figures.append(JSON.Member("differing", .array(differing.map { .string($0) })))
    if !differing.isEmpty {
      let shown = wanted.prefix(named).map { "\($0.key) is \(running[$0.key] ?? "not set"), the file says \($0.value)" }
      let words = (shown + gone.prefix(named - shown.count).map { "\($0) is not in the file" }).joined(separator: "; ")
      let more = differing.count > named ? ", and \(differing.count - named) more" : ""
      let needsStart = differing.contains { key in atStart.contains { key.hasPrefix($0) } }
      return Finding(
        "configuration", .warn, "the hub runs with another than \(path): \(words)\(more)", figures,
        fix: takeUp(patient, anew: needsStart))
    }
    if let stale = untaken(patient, file) {
      return Finding("configuration", .warn, stale, figures, fix: takeUp(patient, anew: true))
    }
    let changed = isNewer ? "; it was written after the hub's start, and read again or not changed in what it says" : ""
    return Finding("configuration", .ok, "the hub runs with \(name)\(changed)", figures)
  }

  /// Values that were read again and apply only at the next start, as far as visible.
  private static func untaken(_ patient: Patient, _ file: Configuration) -> String? {
    guard let status = patient.hub.status else { return nil }
    if file.store.size != status.store.limitBytes {
      return "store.size is read as \(size(file.store.size)), and the store runs with \(size(status.store.limitBytes))"
    }
    if file.store.path != status.store.path {
      return "store.path is read as \(file.store.path), and the store runs at \(status.store.path)"
    }
    return nil
  }

  private static func takeUp(_ patient: Patient, anew: Bool) -> Fix {
    let check = "hearth config check \(shellWord(patient.configurationPath))"
    if patient.machine.hasSystemd {
      return Fix(
        anew ? "some of it holds from the next start" : "let the hub read it again",
        [check, "sudo systemctl \(anew ? "restart" : "reload") hearthd"])
    }
    guard !anew, let process = patient.daemon, process > 0 else { return Fix("start the hub again after", [check]) }
    return Fix("let the hub read it again", [check, "kill -HUP \(process)"])
  }

  /// The configuration file in the arguments of a daemon; nil if these may not be read, or the path is relative.
  static func path(of process: Int32, _ machine: Machine) -> String? {
    let words = machine.bytes("/proc/\(process)/cmdline")?.split(separator: 0).map {
      String(decoding: $0, as: UTF8.self)
    }
    guard let words else { return nil }
    var found: String?
    for (place, word) in words.enumerated() {
      if word == "--config", place + 1 < words.count { found = words[place + 1] }
      if word.hasPrefix("--config=") { found = String(word.dropFirst("--config=".count)) }
    }
    return found.flatMap { $0.hasPrefix("/") ? $0 : nil }
  }
}
