import Foundation
import Health
import ProgramSupport
import Testing

@testable import hearth

@Suite("What a shell offers for a word")
struct CLICompletionTests {
  /// Asks as the scripts of `--generate-completion-script` do, with the words as they were typed.
  private func offered(
    _ commands: [String], _ argument: String, at place: Int, of words: [String], socket: String? = nil
  )
    throws -> (offered: [String], error: String, seconds: Double)
  {
    let process = Process()
    let (output, error) = (Pipe(), Pipe())
    process.executableURL = RunningDaemon.programs.appendingPathComponent("hearth")
    process.arguments = ["---completion"] + commands + ["--", argument, "\(place)", "0"] + words
    process.environment = ["HEARTH_SOCKET": socket ?? "/nonexistent/hearth.sock", "SAP_SHELL": "bash"]
    (process.standardOutput, process.standardError) = (output, error)
    let begin = Date()
    try process.run()
    let lines = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let complaint = String(decoding: error.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (lines.split(separator: "\n").map(String.init), complaint, Date().timeIntervalSince(begin))
  }

  @Test("wearables are offered by name, and people if a command takes people; series are those of the wearable")
  func names() throws {
    let daemon = try RunningDaemon(simulate: 2)
    try daemon.start()
    // Both join by themselves once they are heard.
    try waitUntil(daemon, "--json", "status", says: #""live": 2"#)
    #expect(try daemon.hearth("wearer", "add", "Ada Byron").status == 0)
    let set = try daemon.hearth("wearer", "set", "Ada Byron", "id", "M-42")
    #expect(set.status == 0 && set.output.contains("identifier     M-42"), "\(set.output)")
    #expect(try daemon.hearth("wearer", "set", "Ada Byron", "name", "M-42").status == 2)
    #expect(try daemon.hearth("wearer", "set", "Ada Byron", "id", "none").output.contains("identifier") == false)
    let socket = daemon.socketPath
    let wearables = try offered(["device"], "positional@0", at: 2, of: ["hearth", "device", ""], socket: socket)
    #expect(wearables.offered == ["strap-01", "strap-02"])
    let people = try offered(
      ["wearer", "assign"], "positional@1", at: 4, of: ["hearth", "wearer", "assign", "strap-01", ""], socket: socket)
    #expect(people.offered == ["Ada Byron"])
    let both = try offered(["items"], "positional@0", at: 2, of: ["hearth", "items", ""], socket: socket)
    #expect(both.offered == ["strap-01", "strap-02", "Ada Byron"])
    let series = try offered(
      ["items"], "positional@1", at: 3, of: ["hearth", "items", "'strap-01'", ""], socket: socket)
    #expect(series.offered.contains("heart_rate") && series.offered.count < Series.all.count)
    let named = try offered(
      ["device"], "positional@0", at: 4, of: ["hearth", "--socket", socket, "device", ""])
    #expect(named.offered == ["strap-01", "strap-02"])
  }

  @Test("if no daemon answers, no names are offered and no error is printed; series are known all the same")
  func away() throws {
    let away = try offered(["device"], "positional@0", at: 2, of: ["hearth", "device", ""])
    #expect(away.offered.isEmpty && away.error.isEmpty)
    let series = try offered(["days"], "positional@1", at: 3, of: ["hearth", "days", "strap-01", ""])
    #expect(series.offered == Series.all.map(\.name))
  }

  @Test("a daemon that accepts and then is silent does not delay completion")
  func hangs() throws {
    let hub = try ScriptedHub(ScriptedHub.Script(waits: true))
    defer { hub.end() }
    let hung = try offered(["device"], "positional@0", at: 2, of: ["hearth", "device", ""], socket: hub.path)
    #expect(hung.offered.isEmpty && hung.error.isEmpty)
    #expect(hung.seconds < patience)
  }

  @Test("words are taken as the shell takes them, without their quotes")
  func quotes() {
    #expect(unquoted(#"'Ada Byron'"#) == "Ada Byron")
    #expect(unquoted(#"Ada\ Byron"#) == "Ada Byron")
    #expect(unquoted(#""Ada \"B\"""#) == #"Ada "B""#)
    #expect(unquoted(#"'a\b"#) == #"a\b"#)
  }
}
