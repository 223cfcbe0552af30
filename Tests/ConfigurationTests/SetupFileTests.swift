import Foundation
import Reasons
import Testing

@testable import Configuration

@Suite("hearth-setup.yaml")
struct SetupFileTests {
  private func read(_ text: String) -> (answers: SetupAnswers, problems: [String]) {
    let found = SetupFile.read(Array(text.utf8), file: "f")
    return (found.answers, found.problems.map { "\($0.reason.code) \($0.detail)" })
  }

  @Test("all six answers are read, and each may be left out")
  func whole() throws {
    let found = read(
      """
      name: gym-north
      preset: ward
      zone: Europe/Berlin   # ours
      lights: pi4
      enrolment: closed
      who_may_ask: [pi, anna, pi]
      """)
    #expect(found.problems == [])
    #expect(
      found.answers.values == [
        .name: "gym-north", .preset: "ward", .zone: "Europe/Berlin", .lights: "pi4", .enrolment: "closed",
      ])
    #expect(found.answers.users == ["pi", "anna"])
    #expect(read("name: a\n").answers.users == nil)
    for none in ["[]", "none"] { #expect(read("who_may_ask: \(none)\n").answers.users == []) }
    #expect(read("who_may_ask: pi, anna\n").answers.users == ["pi", "anna"])
  }

  @Test("the example in config/ is one, as it is and with every '#' taken away")
  func example() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("config/hearth-setup.yaml")
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(read(text).problems == ["H1011 f: there is no answer in it"])
    let lines = text.split(separator: "\n").map { $0.hasPrefix("# ") || !$0.hasPrefix("#") ? $0 : $0.dropFirst() }
    let found = read(lines.joined(separator: "\n"))
    #expect(found.problems == [])
    #expect(found.answers.values.count == 5 && found.answers.users == [])
  }

  @Test(
    "faults are reported with line and column, all of them at once",
    arguments: [
      ("", ["H1011 f: there is no answer in it"]), ("{}\n", ["H1011 f:1:1: there is no answer in it"]),
      ("- a\n", ["H1011 f:1:1: the file holds no keys"]), ("name:\n", ["H1011 f:1:6: name is not a name of"]),
      (
        "preset: spa\nnam: x\n",
        ["H1011 f:1:9: preset is not one of gym, ward", "H1011 f:2:1: unknown key (did you mean 'name'?)"]
      ),
      ("zone: Berlin\n", ["H1011 f:1:7: zone is not local, UTC"]), ("name: [a]\n", ["H1011 f:1:7: name is not"]),
      ("who_may_ask: {a: b}\n", ["H1011 f:1:14: who_may_ask is not"]),
      ("who_may_ask: [[a]]\n", ["H1011 f:1:14: who_may_ask is not"]),
      ("who_may_ask: [-aG]\n", ["H1011 f:1:14: who_may_ask is not"]),
      ("who_may_ask: ['a:b']\n", ["H1011 f:1:14: who_may_ask is not"]),
      ("name: a\nname: b\n", ["H1011 f:2:1: a key that is already given in line 1"]),
      ("name: 'a\n", ["H1011 f:"]), ("name: &a b\n", ["H1011 f:1:7: an anchor"]),
      ("name: *a\n", ["H1011 f:1:7: an alias"]),
      ("name: !!str a\n", ["H1011 f:1:7: a tag"]), ("name: a\n---\nname: b\n", ["H1011 f:2:1: a second document"]),
    ])
  func wrong(text: String, problems: [String]) {
    let found = read(text).problems
    #expect(found.count == problems.count, "\(found)")
    for (one, wanted) in zip(found, problems) { #expect(one.hasPrefix(wanted), "\(one)") }
  }

  @Test(
    "no text of the file is repeated: a password may have got there",
    arguments: [
      "name: 'hunter2 !'\n", "hunter2: a\n", "preset: hunter2\n", "zone: hunter2\n", "lights: 'hunter2 !'\n",
      "enrolment: hunter2\n", "who_may_ask: ['hunter2 !', 'x y']\n", "hunter2: a\nhunter2: b\n", "hunter2\n",
      "a: {hunter2: b, hunter2: c}\n", "name: &hunter2 a\n", "name: *hunter2\n", "name: !hunter2 a\n",
      "name: 'hunter2\n",
      "\"hunter2\n", "- hunter2\n", "? hunter2\n", "[hunter2]: a\n", "%hunter2\n---\nname: a\n",
      "name: a\u{0}hunter2\n",
      "name: \"\\hunter2\"\n", "# hunter2\n",
    ])
  func secrets(text: String) {
    let found = read(text).problems
    #expect(!found.isEmpty && found.allSatisfy { !$0.contains("hunter2") }, "\(found)")
  }

  @Test("a file that is too large, deep or wide is refused at once")
  func bombs() {
    #expect(read(String(repeating: "#", count: (64 << 10) + 1)).problems.map { $0.prefix(5) } == ["H1010"])
    #expect(read("name: " + String(repeating: "[", count: 30_000)).problems.first?.contains("nested deeper") == true)
    let wide = "who_may_ask: [" + String(repeating: "a,", count: 20_000) + "]"
    #expect(read(wide).problems.first?.contains("more than 10000 values") == true)
    #expect(read("who_may_ask: [" + (0..<17).map { "u\($0)" }.joined(separator: ",") + "]").problems.count == 1)
    let unknown = (0..<3000).map { "k\($0): a" }.joined(separator: "\n")
    #expect(read(unknown).problems.count == 3000)
  }

  @Test("any bytes are answers or an error", arguments: [UInt64(3)])
  func anything(seed: UInt64) {
    var state = seed
    for _ in 0..<5000 {
      let bytes: [UInt8] = (0..<24).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 40)
      }
      let found = SetupFile.read(Array("name: ".utf8) + bytes, file: "f")
      #expect(!found.problems.isEmpty || found.answers.values[.name] != nil || found.answers.values.isEmpty)
    }
  }
}
