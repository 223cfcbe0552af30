import ArgumentParser
import EventLoop
import Foundation
import HubProtocol
import ProgramSupport
import Reasons
import Testing

@testable import hearth

@Suite("Lines on terminals of any width")
struct CLIFoldingTests {
  @Test("what fits stays as it is; what does not goes on below, indented, cell by cell")
  func cells() {
    let row = "band-19   Polar 360   2 s   55 %   yesterday   H2207 wearable forgot our key"
    #expect(folded(row + "\n", 80) == row + "\n")
    #expect(folded(row + "\n", nil) == row + "\n")
    #expect(
      folded(row + "\nshort\n", 50) == """
        band-19   Polar 360   2 s   55 %   yesterday
               H2207 wearable forgot our key
        short

        """)
    #expect(
      folded("  evicted 12 samples of three wearables that are away since a week", 40) == """
          evicted 12 samples of three wearables
            that are away since a week
        """)
  }

  @Test("codes and names are never cut, however narrow the terminal and however long the name")
  func neverCut() {
    let name = String(repeating: "W", count: 60)
    for width in [20, 40, 80, 160] {
      let text = folded("! \(name)  H2208 \(name) -> hearth explain H2208\n", width)
      #expect(text.components(separatedBy: "H2208").count == 3 && text.components(separatedBy: name).count == 3)
      #expect(!text.contains("~") && text.hasSuffix("\n"))
    }
  }

  @Test("paint takes no columns, and wide characters two")
  func paint() {
    let painted = "\u{1B}[33mband  H2207\u{1B}[0m"
    #expect(folded(painted, 20) == painted)
    #expect(folded("漢字漢字漢字  漢字漢字", 20) == "漢字漢字漢字\n       漢字漢字")
  }

  @Test("in a terminal of 160 columns a table is as wide as its names, in one of 80 only its long names are folded")
  func rooms() {
    let names = ["strap-01", String(repeating: "n", count: 50)]
    #expect(room(for: names, least: 8, others: 60, Style(isColoured: false, width: 160)) == 50)
    #expect(room(for: names, least: 8, others: 60, Style(isColoured: false, width: 80)) == 20)
    #expect(room(for: names, least: 8, others: 60, Style(isColoured: false, width: nil)) == 50)
  }

  /// Output of a shell line in a terminal, or of a pipe.
  private func said(_ command: String, _ environment: [String: String]) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", command]
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }

  @Test("the completion script for bash is taken by bash and completes commands")
  func completion() throws {
    let hearth = RunningDaemon.programs.appendingPathComponent("hearth").path
    let script = try said("'\(hearth)' --generate-completion-script bash", [:])
    #expect(script.contains("complete -o filenames -F _hearth hearth"), "\(script.suffix(300))")
    let tried = try said(
      """
      source <('\(hearth)' --generate-completion-script bash) && COMP_WORDS=(hearth dev) COMP_CWORD=1 \
      COMP_LINE='hearth dev' COMP_POINT=10 && _hearth hearth dev hearth && echo "${COMPREPLY[@]}"
      """, [:])
    #expect(tried.contains("devices") && tried.contains("device"), "\(tried)")
  }
}
