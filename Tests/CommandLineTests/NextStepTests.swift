import Foundation
import Reasons
import Testing

@testable import hearth

/// Every command that a next step or a paragraph names is one that the command line takes.
@Suite("What next steps name")
struct NextStepTests {
  @Test(
    "commands that next steps lean on are taken whole",
    arguments: [
      "enroll open", "enroll accept strap-01", "device strap-01 forget", "device strap-01 absent-after never",
      "device strap-01 resume", "settings strap-01 set phases all", "sync strap-01 sleep",
      "link strap-01 set idle --central", "settings strap-01 set secret", "settings strap-01 --orders",
      "devices --by battery", "visit now strap-01", "export --cursor ward", "store purge", "config show --origin",
      "config check", "recordings strap-01", "custody strap-01", "action strap-01", "bond list", "explain H2207",
      "alerts strap-01", "alerts strap-01 acknowledge", "monitor strap-01", "monitor strap-01 body_temperature none",
      "radio", "setup --defaults", "setup --file /tmp/file",
      "backup --scheduled", "backup /tmp/file --samples", "restore /tmp/file --take-radio-address",
      "store salvage --dry-run /tmp/file",
    ])
  func whole(_ text: String) {
    let words = text.split(separator: " ").map { String($0) }
    #expect(NamedCommands.taken(words) == words.count)
  }

  // MARK: - The table

  private static let tests: String = {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let files =
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
    let sources = files.filter { $0.pathExtension == "swift" && $0.lastPathComponent != "NextStepTable.swift" }
    let text = sources.compactMap { try? String(contentsOf: $0, encoding: .utf8) }.joined(separator: "\n")
    return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }()

  @Test("each code is walked by a test that is there, or it is said why it is not", arguments: Reason.allCases)
  func table(reason: Reason) {
    switch nextStepWalk(of: reason) {
    case .walked(let name), .raised(let name, _):
      #expect(Self.tests.contains(name), "\(reason.code): there is no test '\(name)'")
    case .notHere: break
    }
    if case .raised(_, let why) = nextStepWalk(of: reason) { #expect(why.count > 10, "\(reason.code)") }
    if case .notHere(let why) = nextStepWalk(of: reason) { #expect(why.count > 10, "\(reason.code)") }
  }
}
