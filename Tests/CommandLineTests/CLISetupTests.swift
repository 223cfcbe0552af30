import Foundation
import ProgramSupport
import Reasons
import Testing

@testable import hearth

/// `hearth setup` itself, with a file of configuration in a scratch folder, and users left alone.
@Suite("hearth setup on the command line", .serialized)
struct CLISetupTests {
  private func setup(_ daemon: RunningDaemon, _ arguments: String...) throws -> (status: Int32, output: String) {
    try daemon.hearth(arguments: ["--config", daemon.configuration.path, "setup"] + arguments)
  }

  private func name(_ daemon: RunningDaemon) throws -> String {
    try String(contentsOf: daemon.configuration, encoding: .utf8)
  }

  private func file(_ daemon: RunningDaemon, _ text: String, _ name: String = "hearth-setup.yaml") throws -> String {
    let path = daemon.folder.appendingPathComponent(name).path
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  @Test("H1012: without a terminal it says what to give instead, and that is taken")
  func unasked() throws {
    let daemon = try RunningDaemon(simulate: 0)
    let before = try name(daemon)
    for arguments in [[], ["--no-input"], ["--json"]] {
      let told = try daemon.hearth(arguments: ["--config", daemon.configuration.path, "setup"] + arguments)
      #expect(told.status == 2 && told.output.contains("H1012 "), "\(told)")
      #expect(told.output.contains("next: \(Reason.setupUnasked.text.next)"))
    }
    #expect(try setup(daemon, "--defaults", "--no-join").status == 0)
    #expect(try name(daemon) == before, "somebody wrote it")
    let dry = try setup(daemon, "--file", try file(daemon, "name: north\n"), "--dry-run")
    #expect(
      dry.status == 0 && dry.output.contains(">   name: north\n") && dry.output.contains("no file was written"),
      "\(dry)")
    #expect(try name(daemon) == before)
    let done = try setup(daemon, "--file", try file(daemon, "name: north\n"))
    #expect(done.status == 0 && done.output.contains("hub.name: north   (was test)"), "\(done)")
    #expect(try name(daemon) == before.replacingOccurrences(of: "name: test", with: "name: north"))
    #expect(try String(contentsOfFile: daemon.configuration.path + ".before-setup", encoding: .utf8) == before)
  }

  @Test("H1013 and H1014: an answer without effect, or a refused one, changes nothing; corrected, it is taken")
  func refused() throws {
    let daemon = try RunningDaemon(simulate: 0)
    let before = try name(daemon)
    let folder = daemon.folder.appendingPathComponent("hearth.d")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let dropIn = folder.appendingPathComponent("site.yaml")
    try "hub: {name: west}\n".write(to: dropIn, atomically: true, encoding: .utf8)
    let overridden = try setup(daemon, "--file", try file(daemon, "name: north\n"))
    #expect(
      overridden.status == 1 && overridden.output.contains("H1013 ") && overridden.output.contains(dropIn.path),
      "\(overridden)")
    try FileManager.default.removeItem(at: dropIn)
    let refused = try setup(daemon, "--file", try file(daemon, "lights: no-such-board\n"))
    #expect(refused.status == 1 && refused.output.contains("H1014 "), "\(refused)")
    #expect(try name(daemon) == before)
    #expect(try setup(daemon, "--file", try file(daemon, "name: north\nlights: terminal\n")).status == 0)
    let check = try daemon.hearth("config", "check", daemon.configuration.path)
    #expect(check.status == 0, "\(check)")
  }

  @Test("H1015: a configuration that cannot be written is reported before any question; once it can, it is written")
  func unwritable() throws {
    let daemon = try RunningDaemon(simulate: 0)
    let folder = daemon.folder.appendingPathComponent("etc")
    let path = folder.appendingPathComponent("hearth.yaml").path
    func run() throws -> (status: Int32, output: String) {
      try daemon.hearth("--config", path, "setup", "--file", try file(daemon, "name: north\n"))
    }
    let told = try run()
    #expect(told.status == 1 && told.output.contains("H1015 "), "\(told)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    #expect(try run().status == 0)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "hub:\n  name: north\n")
  }

  @Test(
    "options that do not go together are usage errors",
    arguments: [
      ["--defaults", "--file", "f"], ["--once"], ["--once", "--file", "f", "--dry-run"], ["--replace"], ["--no-join"],
      ["--file", "f", "--replace"],
    ])
  func usage(arguments: [String]) {
    #expect(throws: (any Error).self) { try HearthCommand.parseAsRoot(["setup"] + arguments) }
  }

  @Test("at a terminal the questions are asked, the file is shown, and a yes writes it")
  func terminal() throws {
    let daemon = try RunningDaemon(simulate: 0)
    let terminal = try PseudoTerminal(columns: 120, rows: 80)
    try terminal.run(
      RunningDaemon.programs.appendingPathComponent("hearth"), ["--config", daemon.configuration.path, "setup"],
      ["TERM": "xterm"])
    for (prompt, answer) in [
      ("name [test]: ", "north"), ("preset [gym]: ", ""), ("zone [local]: ", "UTC"), ("lights [none]: ", ""),
      ("enrolment [all]: ", ""), ("who_may_ask [none]: ", ""), ("yes or no [no]: ", "yes"),
    ] {
      try terminal.wait(prompt) { $0.text.contains(prompt.dropLast()) }
      terminal.type(answer + "\n")
    }
    try terminal.wait("the end") { $0.text.contains("written; as it was:") && $0.text.contains("then hearth live") }
    terminal.process.waitUntilExit()
    #expect(terminal.process.terminationStatus == 0 && terminal.unknown.isEmpty)
    #expect(terminal.text.contains(">   name: north") && terminal.text.contains("hub.timezone: UTC   (was local)"))
    #expect(try name(daemon).contains("hub:\n  timezone: UTC\n  name: north\n"))
  }

  @Test("killed at any moment at boot and started again, a set-up file is applied once and whole")
  func killed() throws {
    for delay in 0..<16 {
      let daemon = try RunningDaemon(simulate: 0)
      let before = try name(daemon)
      let path = try file(daemon, "name: north\nzone: UTC\n")
      func boot(after: useconds_t?) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = RunningDaemon.programs.appendingPathComponent("hearth")
        process.arguments = ["--config", daemon.configuration.path, "setup", "--once", "--file", path]
        process.environment = ["STATE_DIRECTORY": daemon.folder.path + "/state", "SWIFT_BACKTRACE": "enable=no"]
        (process.standardOutput, process.standardError) = (output, output)
        try process.run()
        if let after {
          usleep(after)
          kill(process.processIdentifier, SIGKILL)
        }
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
      }
      _ = try boot(after: useconds_t(delay * 700))
      let between = try name(daemon)
      #expect(between == before || between.contains("timezone: UTC\n  name: north"), "\(between)")
      _ = try boot(after: nil)
      #expect(
        try name(daemon) == before.replacingOccurrences(of: "  name: test", with: "  timezone: UTC\n  name: north"))
      let names = try FileManager.default.contentsOfDirectory(atPath: daemon.folder.path).filter {
        $0.hasPrefix("hearth-setup")
      }
      #expect(names.sorted() == ["hearth-setup-result.txt", "hearth-setup.done.yaml"], "\(delay)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: daemon.folder.path + "/state") == [])
      #expect(try boot(after: nil) == "")
    }
  }

  @Test("--defaults lets the one wearable that is held close join an empty hub, and its values come")
  func firstWearable() throws {
    let daemon = try RunningDaemon(simulate: 1, extra: "enroll: {mode: window, near_rssi: -100}")
    try daemon.start()
    let done = try setup(daemon, "--defaults")
    #expect(done.status == 0 && done.output.contains("strap-01 joined; its values: hearth live"), "\(done)")
    let live = try daemon.hearth("live", "--seconds", "10")
    #expect(live.output.contains("bpm"), "\(live)")
    let again = try setup(daemon, "--defaults", "--json")
    #expect(again.status == 0 && again.output.contains(#""wearable": null"#), "\(again)")
    #expect(try daemon.hearth("enroll", "list", "--json").output.contains(#""open": false"#))
    daemon.end(SIGTERM)
  }
}
