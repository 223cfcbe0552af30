// Plan of a set-up, and the text in which a person sees it before it is carried out.

import Configuration
import HubProtocol
import Reasons

struct SetupPlan {
  let draft: ConfigurationDraft
  /// Group of the users that may operate the hub.
  let group: String
  /// Users that become members of it, and answered users that are members already.
  let joining: [String]
  let members: [String]

  /// - Throws: as `ConfigurationDraft`; `setupUserUnknown`.
  init(path: String, answers: SetupAnswers, _ machine: SetupMachine) throws(HearthError) {
    draft = try ConfigurationDraft(path: path, answers: answers)
    group = draft.configuration.roles.operate
    let users = answers.users ?? []
    let known = machine.members(of: group)
    if !users.isEmpty, known == nil {
      throw HearthError(.setupUserUnknown, "there is no group \(group) on this machine")
    }
    if let missing = users.first(where: { !machine.hasUser($0) }) {
      throw HearthError(.setupUserUnknown, "there is no user \(missing) on this machine")
    }
    members = users.filter { known?.contains($0) ?? false }
    joining = users.filter { !(known?.contains($0) ?? false) }
  }

  var isNothing: Bool { !draft.isChanged && joining.isEmpty }

  /// Name under which the former file is kept.
  var keptPath: String { draft.path + ".before-setup" }

  /// Keys that a running hub applies on a reload, without a restart.
  private static let takenByReload: Set = ["hub.name", "hub.timezone", "enroll.mode"]

  func telling(_ machine: SetupMachine) -> SetupMachine.Telling {
    if !draft.isChanged { return .nothing }
    guard machine.files.hasSystemd, draft.path == Configuration.defaultPath else { return .byHand }
    let isSmall = draft.changes.allSatisfy { Self.takenByReload.contains($0.key) }
    return isSmall && machine.isServing ? .reload : .restart
  }

  // MARK: As text

  /// The whole new file, with a mark in front of each new line.
  var fileText: String {
    let (old, new) = (lines(draft.before ?? []), lines(draft.text))
    let same = Self.kept(old, new)
    return new.indices.map { (same.contains($0) ? "  " : "> ") + harmless(new[$0], limit: 4096) + "\n" }.joined()
  }

  /// Maximum number of lines that are compared one by one. In a longer stretch between first and last change, all lines
  /// are shown as new.
  private static let comparedLines = 1000

  /// Indices of lines in `new` that are in `old` too, in the same order: the longest common subsequence.
  static func kept(_ old: [String], _ new: [String]) -> Set<Int> {
    var head = 0
    while head < min(old.count, new.count), old[head] == new[head] { head += 1 }
    var tail = 0
    while tail < min(old.count, new.count) - head, old[old.count - 1 - tail] == new[new.count - 1 - tail] { tail += 1 }
    var kept = Set(0..<head).union(Set(new.count - tail..<new.count))
    let (left, right) = (Array(old[head..<old.count - tail]), Array(new[head..<new.count - tail]))
    if left.isEmpty || right.isEmpty || max(left.count, right.count) > comparedLines { return kept }
    // Number of common lines from (i, j) on.
    var common = Array(repeating: Array(repeating: 0, count: right.count + 1), count: left.count + 1)
    for i in left.indices.reversed() {
      for j in right.indices.reversed() {
        common[i][j] = left[i] == right[j] ? common[i + 1][j + 1] + 1 : max(common[i + 1][j], common[i][j + 1])
      }
    }
    var (i, j) = (0, 0)
    while i < left.count, j < right.count {
      if left[i] == right[j] {
        kept.insert(head + j)
        (i, j) = (i + 1, j + 1)
      } else if common[i + 1][j] >= common[i][j + 1] {
        i += 1
      } else {
        j += 1
      }
    }
    return kept
  }

  private func lines(_ bytes: [UInt8]) -> [String] {
    var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last == "" { lines.removeLast() }
    return lines.map { String($0) }
  }

  /// The changes, one per line.
  var summary: String {
    var text = ""
    for change in draft.changes { text += line("  \(change.key): \(change.to)   (was \(change.from))") }
    for user in joining { text += line("  \(user) joins the group \(group)") }
    for user in members { text += line("  \(user) is in the group \(group) already") }
    return text
  }
}
