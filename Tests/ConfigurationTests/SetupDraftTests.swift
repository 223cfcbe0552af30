import Foundation
import Reasons
import Testing

@testable import Configuration

@Suite("The configuration that a set-up would write")
struct SetupDraftTests {
  private static let shipped = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("config/hearth.yaml")

  private func answers(_ pairs: [(SetupQuestion, String)]) -> SetupAnswers {
    var answers = SetupAnswers()
    for (question, text) in pairs where !answers.take(question, text) { Issue.record("\(question) \(text)") }
    return answers
  }

  private func drafted(_ text: String, _ pairs: [(SetupQuestion, String)]) throws -> String {
    let folder = try Scratch()
    let path = try folder.file("hearth.yaml", text)
    let draft = try ConfigurationDraft(path: path, answers: answers(pairs))
    return String(decoding: draft.text, as: UTF8.self)
  }

  private func refusal(_ text: String, _ pairs: [(SetupQuestion, String)]) throws -> HearthError? {
    let folder = try Scratch()
    let path = try folder.file("hearth.yaml", text)
    do throws(HearthError) { _ = try ConfigurationDraft(path: path, answers: answers(pairs)) } catch { return error }
    return nil
  }

  @Test("of the shipped file the five lines change, with their comments in place, and no other")
  func shippedFile() throws {
    let text = try String(contentsOf: Self.shipped, encoding: .utf8)
    let made = try drafted(
      text,
      [(.name, "gym-north"), (.preset, "ward"), (.zone, "Europe/Berlin"), (.lights, "terminal"), (.enrolment, "all")])
    let (old, new) = (text.components(separatedBy: "\n"), made.components(separatedBy: "\n"))
    #expect(old.count == new.count)
    let changed = zip(old, new).filter { $0 != $1 }.map(\.1)
    #expect(
      changed == [
        "  name: gym-north             # letters, digits, '-', '_', '.'; at most 63",
        "  preset: ward                # gym | ward: changes some defaults, see gym.yaml and ward.yaml",
        "  timezone: Europe/Berlin     # the zone of days: local (the machine's) | UTC | a zone such as Europe/Berlin",
        "  mode: all                   # closed | window (hearth enroll open) | all: every recognised wearable joins. "
          + "Ward: closed",
        "  board: terminal             # none | terminal | a board file by name (hearth-hat-1) or path",
      ])
    let again = try drafted(made, [(.name, "gym-north"), (.preset, "ward"), (.enrolment, "all")])
    #expect(again == made)
  }

  @Test("values that hold already, by the preset or by a line of the file, are not written")
  func holding() throws {
    let text = try String(contentsOf: Self.shipped, encoding: .utf8)
    #expect(
      try drafted(
        text, [(.name, "hearth"), (.preset, "gym"), (.zone, "local"), (.lights, "none"), (.enrolment, "window")])
        == text)
    let ward = try drafted("", [(.preset, "ward"), (.enrolment, "closed")])
    #expect(ward == "hub:\n  preset: ward\n")
  }

  @Test(
    "a value is set as a person would in an editor, however the file is laid out",
    arguments: [
      ("", "hub:\n  name: north\n"), ("# mine\n", "# mine\n\nhub:\n  name: north\n"),
      ("hub:\n", "hub:\n  name: north\n"), ("hub:", "hub:\n  name: north"), ("hub: {}\n", "hub: {name: north}\n"),
      ("hub: {preset: ward}\n", "hub: {name: north, preset: ward}\n"),
      ("hub: {name: south, preset: ward}\n", "hub: {name: north, preset: ward}\n"),
      ("hub:\n  name: south  # mine\n  preset: ward\n", "hub:\n  name: north  # mine\n  preset: ward\n"),
      ("hub:\n    preset: ward\n", "hub:\n    name: north\n    preset: ward\n"),
      ("hub:\n    preset: ward\n  #name: x\n", "hub:\n    name: north\n    preset: ward\n  #name: x\n"),
      ("hub:\n  name: 'south'\n", "hub:\n  name: north\n"),
      ("hub:\n  name: \"south\" # x\n", "hub:\n  name: north # x\n"),
      ("hub:\n  # name: x\n", "hub:\n  name: north\n"),
      (
        "radio:\n  #name: x\nhub:\nlane:\n  slice: 30s\n",
        "radio:\n  #name: x\nhub:\n  name: north\nlane:\n  slice: 30s\n"
      ),
      ("hub:\n  #names: x\n", "hub:\n  name: north\n  #names: x\n"),
      ("hub:\r\n  #name: x\r\n", "hub:\r\n  name: north\r\n"),
      ("hub:\r\n  preset: ward\r\n", "hub:\r\n  name: north\r\n  preset: ward\r\n"),
      ("{lane: {slice: 30s}}\n", "{hub: {name: north}, lane: {slice: 30s}}\n"),
      ("lane: {slice: 30s}", "lane: {slice: 30s}\n\nhub:\n  name: north\n"),
      ("# \u{1F525}\nhub: {name: south}  # ä\n", "# \u{1F525}\nhub: {name: north}  # ä\n"),
    ])
  func layouts(before: String, after: String) throws {
    #expect(try drafted(before, [(.name, "north")]) == after)
  }

  @Test("a value that another reader could take for something else is quoted, and reads back")
  func quoting() throws {
    for (name, written) in [("007", "'007'"), ("on", "on"), ("1.5", "'1.5'"), ("a.b_c-d", "a.b_c-d")] {
      #expect(try drafted("", [(.name, name)]) == "hub:\n  name: \(written)\n")
    }
    let folder = try Scratch()
    let board = try folder.file("it's mine.yaml", "name: b\nchips: [c]\nlamps: {hub: {line: GPIO17}}\n")
    let path = try folder.file("hearth.yaml", "lights: {boards: /tmp, board: none}\n")
    let draft = try ConfigurationDraft(path: path, answers: answers([(.lights, board)]))
    #expect(draft.configuration.boardFile == board)
    #expect(String(decoding: draft.text, as: UTF8.self).contains("it''s mine.yaml'"))
  }

  @Test("an answer that a drop-in contradicts, and one that the daemon would refuse, make no draft")
  func refusals() throws {
    let folder = try Scratch()
    let path = try folder.file("hearth.yaml", "hub: {name: south}\n")
    _ = try folder.file("hearth.d/site.yaml", "hub:\n  name: west\n")
    do throws(HearthError) {
      _ = try ConfigurationDraft(path: path, answers: answers([(.name, "north")]))
      Issue.record("it would have no effect")
    } catch {
      #expect(error.reason == .setupOverridden)
      #expect(error.detail.contains("hub.name is set in \(folder.path)/hearth.d/site.yaml, line 2"))
    }
    #expect(try refusal("", [(.lights, "no-such-board")])?.reason == .setupRefused)
    #expect(try refusal("hub: [a]\n", [(.name, "north")])?.reason == .configBadValue)
    #expect(try refusal("hub: {nam: a}\n", [(.name, "north")])?.reason == .configUnknownKey)
    #expect(try refusal("hub: {name: a\n", [(.name, "north")])?.reason == .configSyntax)
    #expect(try refusal("hub: {preset: ward}\n...\n", [(.lights, "terminal")])?.reason == .setupRefused)
  }

  @Test("what was wrong before and the daemon takes, such as a stick that is not there, is no reason to refuse")
  func oldProblems() throws {
    let text = "backup: {to: /nowhere/stick, passphrase_file: /etc/secret}\n"
    #expect(try drafted(text, [(.name, "north")]) == text + "\nhub:\n  name: north\n")
  }

  @Test("in a thousand damaged files an answer sets its key, keeps all others, or is refused", arguments: [UInt64(7)])
  func damaged(seed: UInt64) throws {
    let folder = try Scratch()
    var state = seed
    func random(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
    let base = Array("hub:\n  name: a # b\n  #preset: gym\nlane: {slice: 30s}\nlights:\n  board: none\n".utf8)
    let parts = [" ", "#", "\n", ":", "{", "}", "'", "\"", "  ", "\r\n", "-", "[", ",", "\u{FEFF}", "\u{85}"].map {
      Array($0.utf8)
    }
    let wanted = answers([(.name, "north"), (.preset, "ward"), (.lights, "terminal")])
    for _ in 0..<1000 {
      var bytes = base
      for _ in 0...random(3) { bytes.insert(contentsOf: parts[random(parts.count)], at: random(bytes.count + 1)) }
      let path = try folder.file("hearth.yaml", String(decoding: bytes, as: UTF8.self))
      do throws(HearthError) {
        let draft = try ConfigurationDraft(path: path, answers: wanted)
        let read = try Configuration.load(path: path, main: draft.text)
        #expect(read.hub.name == "north" && read.hub.preset == .ward && read.lights.board == .terminal)
      } catch {
        #expect((1001...1014).contains(error.reason.rawValue), "\(error)")
      }
    }
  }
}
