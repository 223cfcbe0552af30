import Foundation
import Lights
import Reasons
import Testing

@testable import Configuration

@Suite("Board files")
struct BoardFileTests {
  @Test("name, chips and LEDs are read")
  func reads() throws {
    let folder = try Scratch()
    let board = try Board.load(
      path: folder.file(
        "my-hat.yaml",
        """
        name: my-hat
        chips: [pinctrl-bcm2711, "pinctrl-rp1"]
        lamps:
          hub: {line: GPIO17}
          link: {line: GPIO27, active_low: true}
          store: {line: GPIO22, active_low: false}
        """))
    #expect(
      board
        == Board(
          name: "my-hat", chipLabels: ["pinctrl-bcm2711", "pinctrl-rp1"],
          lines: [
            .hub: .init(name: "GPIO17"), .link: .init(name: "GPIO27", activeLow: true), .store: .init(name: "GPIO22"),
          ]))
  }

  @Test("a dimmer and a button are read if a board has them; a button may be on another chip")
  func extras() throws {
    let folder = try Scratch()
    let lamps = "name: x\nchips: [a]\nlamps: {hub: {line: b}}\n"
    let own = try Board.load(
      path: folder.file(
        "own.yaml", lamps + "dimmer: {line: d, active_low: true}\nbutton: {line: e, active_low: true}\n"))
    #expect(
      own.dimmer == .init(name: "d", activeLow: true) && own.button == .init(line: .init(name: "e", activeLow: true)))
    let other = try Board.load(path: folder.file("other.yaml", lamps + "button: {chip: keys, line: b}\n"))
    #expect(other.button == .init(chipLabel: "keys", line: .init(name: "b")) && other.dimmer == nil)
  }

  @Test(
    "what is wrong is refused with its place",
    arguments: [
      (
        "name: x\nchips: [a]\nlamps: {hub: {line: b}}\nbutton: {}\n", Reason.configBadValue,
        "4:9: button needs a 'line'"
      ),
      (
        "name: x\nchips: [a]\nlamps: {hub: {line: b}}\nbutton: {line: b}\n", .configBadValue,
        "4:16: line 'b' already drives hub"
      ),
      (
        "name: x\nchips: [a]\nlamps: {hub: {line: b}}\nbutton: {lines: c}\n", .configUnknownKey,
        "4:10: unknown key 'lines' (did you mean 'line'?)"
      ),
      (
        "name: x\nchips: [a]\nlamps: {hub: {line: b}}\nbutton: {line: c, chip: ''}\n", .configBadValue,
        "4:25: an empty value is not a chip label of 1 to 31 characters"
      ),
      (
        "name: x\nchips: [a]\nlamps: {hub: {line: b}}\ndimmer: {line: b}\n", .configBadValue,
        "4:16: line 'b' already drives hub"
      ),
      (
        "name: x\nchips: [a]\nlamps: {hub: {line: b}}\ndimmer: {line: c}\nbutton: {line: c}\n", .configBadValue,
        "5:16: line 'c' already drives dimmer"
      ),
      ("name: x\nchips: [a]\nlamp: {}\n", Reason.configUnknownKey, "3:1: unknown key 'lamp' (did you mean 'lamps'?)"),
      ("name: x\nchips: [a]\n", .configBadValue, "1:1: a board needs 'name', 'chips' and 'lamps'"),
      (
        "name: ''\nchips: [a]\nlamps: {hub: {line: b}}\n", .configBadValue,
        "1:7: an empty value is not a name of 1 to 31 characters"
      ),
      (
        "name: x\nchips: a\nlamps: {hub: {line: b}}\n", .configBadValue,
        "2:8: chips is 'a', not a list of 1 to 16 chip labels"
      ),
      (
        "name: x\nchips: []\nlamps: {hub: {line: b}}\n", .configBadValue,
        "2:8: chips is a list, not a list of 1 to 16 chip labels"
      ),
      (
        "name: x\nchips: [{}]\nlamps: {hub: {line: b}}\n", .configBadValue,
        "2:9: a mapping is not a chip label of 1 to 31 characters"
      ),
      ("name: x\nchips: [a]\nlamps: {}\n", .configBadValue, "3:8: a board has at least one lamp"),
      (
        "name: x\nchips: [a]\nlamps: {hubb: {line: b}}\n", .configUnknownKey,
        "3:9: unknown key 'hubb' (did you mean 'hub'?)"
      ),
      ("name: x\nchips: [a]\nlamps: {hub: {pin: 17}}\n", .configUnknownKey, "3:15: unknown key 'pin'"),
      ("name: x\nchips: [a]\nlamps: {hub: {active_low: true}}\n", .configBadValue, "3:14: lamps.hub needs a 'line'"),
      (
        "name: x\nchips: [a]\nlamps: {hub: {line: b, active_low: 0}}\n", .configBadValue,
        "3:36: lamps.hub.active_low is '0', not true or false"
      ),
      (
        "name: x\nchips: [a]\nlamps: {hub: {line: b}, link: {line: b}}\n", .configBadValue,
        "3:38: line 'b' already drives hub"
      ),
      (
        "name: x\nchips: [a]\nlamps: {hub: {line: 'b c'}}\n", .configBadValue,
        "3:21: 'b c' is not a line name of 1 to 31 characters"
      ),
    ])
  func refused(text: String, reason: Reason, message: String) throws {
    let folder = try Scratch()
    let path = try folder.file("board.yaml", text)
    #expect(throws: HearthError(reason, "\(path):\(message)")) { try Board.load(path: path) }
  }

  @Test("a board without a file is an unknown board")
  func unknown() throws {
    let folder = try Scratch()
    #expect(throws: HearthError(.lightsBoardUnknown, "\(folder.path)/none.yaml: no such file")) {
      try Board.load(path: "\(folder.path)/none.yaml")
    }
    let empty = try folder.file("empty.yaml", "")
    #expect(throws: HearthError(.configBadValue, "\(empty): the file is empty")) { try Board.load(path: empty) }
  }

  @Test("a missing board file is reported to the hub, which serves; faults of a present one are refused")
  func wanted() throws {
    let folder = try Scratch()
    func found(_ board: String) throws -> Result<Board, HearthError>? {
      let path = try folder.file("hearth.yaml", "lights: {board: \(board), boards: \(folder.path)}\n")
      return try Board.wanted(by: Configuration.load(path: path))
    }
    #expect(try found("none") == nil && found("terminal") == nil)
    guard case .failure(let trouble) = try found("hat") else {
      Issue.record("there is no such board")
      return
    }
    #expect(trouble.reason == .lightsBoardUnknown)
    _ = try folder.file("hat.yaml", "name: hat\nchips: [a]\nlamps: {hub: {line: b}}\n")
    #expect(try found("hat")?.get().name == "hat")
    _ = try folder.file("hat.yaml", "name: hat\nchips: [a]\nlamps: {hub: {}}\n")
    #expect(throws: HearthError.self) { try found("hat") }
  }

  @Test("every board file of the repository is read, and is called what its file is called")
  func shipped() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../board")
      .standardized.path
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".yaml") }
    #expect(files.count >= 5)
    for file in files {
      let board = try Board.load(path: "\(folder)/\(file)")
      #expect("\(board.name).yaml" == file)
      #expect(board.lines.count == 3)
    }
  }
}
