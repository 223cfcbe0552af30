import Foundation
import Glibc
import ProgramSupport
import Testing

@testable import hearth

/// Each starts a daemon and a terminal.
@Suite("hearth watch on a terminal", .serialized)
struct WatchTerminalTests {
  private func watch(
    _ daemon: RunningDaemon, columns: Int = 80, rows: Int = 24, environment: [String: String] = ["TERM": "xterm"]
  ) throws -> PseudoTerminal {
    let terminal = try PseudoTerminal(columns: columns, rows: rows)
    let program = RunningDaemon.programs.appendingPathComponent("hearth")
    try terminal.run(program, ["--socket", daemon.socketPath, "watch"], environment)
    return terminal
  }

  /// The end of the program, and the terminal as it was.
  private func expectRestored(_ terminal: PseudoTerminal, _ modes: [UInt32], _ status: Int32, by signal: Bool) throws {
    try terminal.wait("it leaves the screen") { !$0.isOtherScreen && !$0.isCursorHidden }
    terminal.process.waitUntilExit()
    #expect(terminal.process.terminationStatus == status)
    #expect(terminal.process.terminationReason == (signal ? .uncaughtSignal : .exit))
    #expect(terminal.modes == modes)
    #expect(terminal.unknown.isEmpty, "\(terminal.unknown)")
  }

  @Test("it shows the hub, answers keys, follows the size, and q leaves the terminal as it was")
  func keys() throws {
    let daemon = try RunningDaemon(simulate: 3)
    try daemon.start()
    let terminal = try PseudoTerminal(columns: 80, rows: 24)
    let modes = terminal.modes
    let program = RunningDaemon.programs.appendingPathComponent("hearth")
    try terminal.run(program, ["--socket", daemon.socketPath, "watch"], ["TERM": "xterm"])
    try terminal.wait("the hub and its wearables") {
      $0.text.contains("hub test") && $0.text.contains("> strap-01") && $0.text.contains("strap-03")
    }
    #expect(terminal.isOtherScreen && terminal.isCursorHidden && terminal.modes != modes)
    #expect(terminal.text.hasSuffix("q:quit"))
    terminal.type("j")
    try terminal.wait("the second row is selected") { $0.text.contains("\n> strap-02") }
    terminal.type("\u{1B}[A")
    try terminal.wait("the first row is selected") { $0.text.contains("\n> strap-01") }
    for (key, text) in [
      ("v", "-- visits -"), ("s", "-- store -"), ("r", "-- radio -"), ("l", "-- lights -"), ("e", "-- enrolment"),
      ("?", "-- keys -"), ("d", "LAST VISIT"),
    ] {
      terminal.type(key)
      try terminal.wait("the page of \(key)") { $0.text.contains(text) }
    }
    terminal.type("\u{1B}")
    try terminal.wait("Escape goes back") { $0.text.contains("radio  simulated") }
    terminal.type("/02\r")
    try terminal.wait("only one is shown") { $0.text.contains("with \"02\": 1") && !$0.text.contains("strap-01 ") }
    terminal.resize(columns: 100, rows: 30)
    terminal.signal(SIGWINCH)
    try terminal.wait("the last line is the thirtieth") {
      $0.rows.count == 30 && $0.rows[29].joined().contains("q:quit")
    }
    terminal.type("q")
    try expectRestored(terminal, modes, 0, by: false)
    daemon.end(SIGTERM)
  }

  @Test("whatever ends or stops it, the terminal is as it was", arguments: [SIGTERM, SIGHUP, SIGINT])
  func signals(number: Int32) throws {
    let daemon = try RunningDaemon(simulate: 1)
    try daemon.start()
    let terminal = try PseudoTerminal(columns: 80, rows: 24)
    let modes = terminal.modes
    let program = RunningDaemon.programs.appendingPathComponent("hearth")
    try terminal.run(program, ["--socket", daemon.socketPath, "watch"], ["TERM": "xterm", "NO_COLOR": "1"])
    try terminal.wait("the hub") { $0.text.contains("hub test") }
    terminal.signal(SIGTSTP)
    try terminal.wait("it leaves the screen and is stopped") { !$0.isOtherScreen && $0.isStopped }
    #expect(terminal.modes == modes)
    terminal.signal(SIGCONT)
    try terminal.wait("it is back") { $0.isOtherScreen && $0.text.contains("hub test") }
    terminal.signal(number)
    try expectRestored(terminal, modes, number, by: true)
    daemon.end(SIGTERM)
  }

  @Test("with the daemon gone it shows the last answer and says since when; with a new one it goes on by itself")
  func daemonGone() throws {
    let daemon = try RunningDaemon(simulate: 2)
    try daemon.start()
    let terminal = try watch(daemon)
    try terminal.wait("the hub") { $0.text.contains("strap-01") }
    daemon.end(SIGKILL)
    try terminal.wait("it says so") { $0.text.contains("! daemon not running since ") }
    #expect(terminal.text.contains("its last answer is shown") && terminal.text.contains("strap-01"))
    let next = try RunningDaemon(simulate: 2, in: daemon.folder)
    try next.start()
    try terminal.wait("it goes on") { !$0.text.contains("not running") && $0.text.contains("strap-01") }
    terminal.type("q")
    try terminal.wait("it ends") { !$0.isOtherScreen }
    next.end(SIGTERM)
  }

  @Test("a hub without events is drawn once, and then at most the minute")
  func idle() throws {
    let daemon = try RunningDaemon(simulate: 0)
    try daemon.start()
    let terminal = try watch(daemon)
    try terminal.wait("the hub") { $0.text.contains("q:quit") && $0.text.contains("no wearable is enrolled") }
    // What the start of a daemon still changes.
    while terminal.drawn > 0 {
      let before = terminal.drawn
      terminal.read(for: 2500)
      if terminal.drawn == before { break }
    }
    let before = terminal.drawn
    for _ in 0..<6 { terminal.read(for: 1000) }
    #expect(terminal.drawn - before <= 200, "\(terminal.drawn - before) bytes in six idle seconds")
    terminal.type("q")
    try terminal.wait("it ends") { !$0.isOtherScreen }
    daemon.end(SIGTERM)
  }

  @Test("without a terminal that can redraw, it names --once, which prints the same for a ticket")
  func once() throws {
    let daemon = try RunningDaemon(simulate: 2)
    try daemon.start()
    let refused = try daemon.hearth("watch")
    #expect(refused.status == 2 && refused.output.hasPrefix("H6022 "), "\(refused)")
    #expect(refused.output.contains("next: print one screen with hearth watch --once"))
    let dumb = try watch(daemon, environment: ["TERM": "dumb"])
    try dumb.wait("it refuses") { $0.text.contains("hearth watch --once") }
    dumb.process.waitUntilExit()
    #expect(dumb.process.terminationStatus == 2 && !dumb.isOtherScreen)
    var (status, text) = (Int32(0), "")
    // The straps join by themselves as they are heard.
    try waitUntil("both straps are on one screen", saw: { text }) {
      (status, text) = try daemon.hearth("watch", "--once", "--columns", "60")
      return text.contains("strap-02")
    }
    #expect(status == 0 && text.hasPrefix("hub test   serving ") && text.contains("strap-01"), "\(text)")
    #expect(!text.contains("\u{1B}") && !text.contains("q:quit"))
    #expect(text.split(separator: "\n").allSatisfy { columns(String($0)) <= 60 })
    #expect(try daemon.hearth("watch", "--columns", "60").status == 2)
    #expect(try daemon.hearth("watch", "--once", "--columns", "10").status == 2)
    daemon.end(SIGTERM)
    #expect(try daemon.hearth("watch", "--once").status == 3)
  }
}
