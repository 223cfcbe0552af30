import Configuration
import Foundation
import Reasons
import Synchronization

@testable import EventLoop
@testable import hearth

/// A machine of files for a set-up: users and groups, a configuration, a boot partition and a state folder. What would
/// change users is done to these files.
final class SetupBench: Sendable {
  /// The power went.
  struct Cut: Error {}

  let folder: URL
  /// Programs that were run, as their words.
  let ran = Mutex<[[String]]>([])
  /// Programs that fail from now on, by their second word.
  let failing = Mutex<Set<String>>([])
  static let shipped = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("config/hearth.yaml")

  var configuration: String { folder.path + "/etc/hearth/hearth.yaml" }
  var boot: String { folder.path + "/boot" }
  var state: String { folder.path + "/state" }

  init(_ text: String? = nil) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("setup-\(UUID().uuidString.prefix(8))")
    for name in ["etc/hearth", "boot", "state", "proc/1"] {
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
    }
    try write(
      "/etc/passwd", "root:x:0:0:root:/root:/bin/bash\npi:x:1000:1000::/home/pi:/bin/bash\nanna:x:1001:1001:::\n")
    try write("/etc/group", "root:x:0:\nhearth-read:x:992:\nhearth:x:991:\nhearth-admin:x:990:\n")
    try write("/etc/hostname", "gym-north\n")
    try write("/proc/1/comm", "init\n")
    try write("/etc/hearth/hearth.yaml", try text ?? String(contentsOf: Self.shipped, encoding: .utf8))
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func write(_ path: String, _ text: String) throws {
    try text.write(toFile: folder.path + path, atomically: false, encoding: .utf8)
  }

  func read(_ path: String) -> String? { try? String(contentsOfFile: folder.path + path, encoding: .utf8) }

  func names(_ path: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path + path)) ?? []).sorted()
  }

  var machine: SetupMachine {
    var machine = SetupMachine(files: Machine(root: folder.path, now: VirtualLoop.morning))
    machine.run = { [self] words in
      ran.withLock { $0.append(words) }
      if failing.withLock({ $0.contains(words[1]) }) { return 1 }
      switch words[0] {
      case "/usr/sbin/usermod": change(group: words[2]) { $0 + [words[3]] }
      case "/usr/bin/gpasswd": change(group: words[3]) { $0.filter { $0 != words[2] } }
      default: break
      }
      return 0
    }
    machine.caller = "pi"
    return machine
  }

  func members(of group: String) -> [String] { machine.members(of: group) ?? [] }

  private func change(group: String, _ change: ([String]) -> [String]) {
    let lines = (read("/etc/group") ?? "").split(separator: "\n").map { line in
      var words = line.split(separator: ":", omittingEmptySubsequences: false).map { String($0) }
      if words[0] == group {
        words[3] = change(words[3].split(separator: ",").map { String($0) }).joined(separator: ",")
      }
      return words.joined(separator: ":")
    }
    try? write("/etc/group", lines.joined(separator: "\n") + "\n")
  }

  /// A start of the machine. `cut`: the power fails after so many steps.
  func boot(cut: Int = .max) throws -> SetupOnce.Outcome {
    var steps = 0
    let writing = SetupWriting(
      machine: machine,
      reached: { _ in
        steps += 1
        if steps >= cut { throw Cut() }
      })
    return try SetupOnce(
      path: boot + "/hearth-setup.yaml", configuration: configuration, state: state, writing: writing,
      now: VirtualLoop.morning
    ).run()
  }

  /// The answers of a person, a line each, and all that was said. Ends with nil after the last line.
  func talk(_ lines: [String]) throws -> (answers: SetupAnswers, said: String) {
    var said = ""
    var rest = lines[...]
    let conversation = SetupConversation(
      facts: try SetupFacts(path: configuration, machine),
      ask: { prompt in
        let next = rest.popFirst()
        said += prompt + (next ?? "") + "\n"
        return next
      }, say: { said += $0 })
    let answers = try conversation.answers()
    let plan = try SetupPlan(path: configuration, answers: answers, machine)
    said += plan.fileText + plan.summary
    try conversation.confirm()
    try SetupWriting(machine: machine).apply(plan)
    return (answers, said)
  }
}
