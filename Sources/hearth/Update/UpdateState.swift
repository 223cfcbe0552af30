// State of the hub's package: installed, running, available and kept versions, and the result of the last update.

import Glibc
import HubProtocol
import Reasons
import Updates

struct UpdateState {
  /// nil: this hub was not installed from a package.
  var installed: String?
  /// Version that the daemon reports; nil: no answer.
  var running: String?
  var candidate: String?
  var record: UpdateRecord?
  /// The kept version, if it differs from the installed one.
  var kept: String?
  /// Versions that apt skips, because they failed or were rolled back.
  var leftAlone: [String] = []

  static let pin = "/etc/apt/preferences.d/hearth-went-back"
  static let helper = "/usr/libexec/hearth-update"

  static func look(_ session: Session, folder: String = UpdateRecord.folder) -> UpdateState {
    var state = UpdateState()
    state.installed = UpdateChild.answer(["dpkg-query", "-W", "-f", "${Version}", "hearth"])
    state.candidate = UpdateChild.answer(["apt-cache", "policy", "hearth"]).flatMap { AptPolicy($0).candidate }
    if let client = try? session.connect() { state.running = try? client.status().status.version }
    state.record = record(folder)
    if let from = state.record?.from, from != state.installed, hasPackage(from, folder) { state.kept = from }
    if let text = try? PrivateFile.read(pin, limit: 4096) {
      let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
      state.leftAlone = lines.filter { $0.hasPrefix("Pin: version ") }.map { String($0.dropFirst(13)) }
    }
    return state
  }

  static func record(_ folder: String = UpdateRecord.folder) -> UpdateRecord? {
    (try? PrivateFile.read(folder + "/trial", limit: UpdateRecord.limit)).flatMap {
      UpdateRecord(String(decoding: $0, as: UTF8.self))
    }
  }

  /// Named by `hearth-update`: hearth_VERSION_ARCHITECTURE.deb.
  private static func hasPackage(_ version: String, _ folder: String) -> Bool {
    guard let directory = opendir(folder) else { return false }
    defer { closedir(directory) }
    let start = "hearth_\(version.split(separator: ":").joined(separator: "%3a"))_"
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name.hasPrefix(start), name.hasSuffix(".deb") { return true }
    }
    return false
  }

  var hasNewer: Bool { candidate != nil && candidate != installed }

  var json: JSON {
    var last: JSON = .null
    if let record {
      last = [
        "from": .string(record.from), "to": .string(record.to), "verdict": .string(record.verdict.rawValue),
        "why": .string(record.why), "began": .optional(record.began), "ended": .optional(record.ended),
        "seen": .bool(record.isSeen),
      ]
    }
    return [
      "schema": "io.hearth.update/1", "installed": .optional(installed), "running": .optional(running),
      "candidate": .optional(candidate), "newer": .bool(hasNewer), "kept": .optional(kept),
      "left_alone": .array(leftAlone.map { .string($0) }), "last": last,
    ]
  }

  /// - Parameter at: formats RFC 3339 for people.
  func text(_ style: Style, _ at: (String) -> String) -> String {
    func word(_ text: String?) -> String { text.map { harmless($0, limit: 80) } ?? "none" }
    var lines = "installed   \(installed == nil ? "not as a package" : word(installed))\n"
    lines += "running     \(running == nil ? "the hub does not answer" : word(running))\n"
    lines += "available   \(hasNewer ? style.bold(word(candidate)) : "no newer version")\n"
    lines += "kept        \(kept.map { word($0) + ", for hearth update rollback" } ?? "none")\n"
    if !leftAlone.isEmpty {
      let versions = leftAlone.map { word($0) }.joined(separator: ", ")
      lines += "left alone  \(versions); hearth update apply --again takes them all the same\n"
    }
    if let record {
      let time = (record.ended ?? record.began).map { at($0) } ?? "some time"
      let verdict = record.trouble == nil ? record.words : style.attention(record.words)
      lines += "last        \(word(record.from)) to \(word(record.to)), \(time): \(verdict)"
      lines += record.why.isEmpty ? "\n" : ": \(harmless(record.why, limit: 300))\n"
    } else {
      lines += "last        no update yet\n"
    }
    return lines
  }
}

extension UpdateRecord {
  var words: String {
    switch verdict {
    case .open: "on trial"
    case .good: "serves"
    case .returning: "going back"
    case .returned: "went back by itself"
    case .rolledBack: "rolled back"
    case .stuck: "does not serve, and could not go back"
    case .aborted: "was not installed"
    }
  }
}
