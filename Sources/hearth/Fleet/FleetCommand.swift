// `hearth --hub a,b COMMAND`: one command on several hubs over SSH, in parallel.

import ArgumentParser
import EventLoop
import Glibc
import HubProtocol
import Reasons

enum FleetCommand {
  /// Runs the command on each hub of `call` and shows the answers.
  ///
  /// - Parameter program: ssh, or a program that plays it in tests.
  /// - Throws: `fleetNotForMany` before any hub is asked; `ExitCode` for the most severe answer; errors of
  ///   ArgumentParser for words that are no command.
  static func run(_ call: FleetCall, program: String = "ssh") throws {
    var call = call
    // Parse the words that run on the hub, without the options for this machine.
    var command = try HearthCommand.parseAsRoot(call.words)
    // Not a command of this program: help, which is shown here.
    guard let words = HearthCommand.path(to: type(of: command)) else { return try command.run() }
    guard let kind = fleetKind(of: command) else {
      throw HearthError(
        .fleetNotForMany,
        "hearth \(words), as it was given, changes something, asks, streams, fills a screen or writes a file")
    }
    let isJSON = call.words.prefix { $0 != "--" }.contains("--json")
    // Tables are made here from documents.
    let asksJSON = isJSON || kind == .status || kind == .devices
    if asksJSON, !isJSON { call.words.insert("--json", at: 0) }
    let remote = try RemoteWords.line(call.words)
    let commands = call.hubs.map { RemoteWords.ssh(program, $0, call, remote) }
    let reading = FleetReading(kind: kind, isJSON: asksJSON, patience: call.within)
    let answers = try ask(commands, call).enumerated().map { reading.answer(of: call.hubs[$0.offset], $0.element) }
    try show(answers, kind, isJSON: isJSON)
  }

  private static func ask(_ commands: [[String]], _ call: FleetCall) throws -> [FleetOutcome] {
    var bounds = FleetBounds()
    bounds.patience = call.within * 1000
    // The ssh of a jump host would open a window to ask.
    setenv("SSH_ASKPASS_REQUIRE", "never", 1)
    let ending = FleetEnding()
    var shown = FleetWaiting(call.hubs)
    let outcomes = FleetRun.run(commands, bounds) {
      ending.came != 0
    } progress: {
      shown.show($0)
    }
    shown.end()
    ending.leave()
    guard let outcomes else { throw ExitCode(1) }
    return outcomes
  }

  private static func show(_ answers: [FleetAnswer], _ kind: FleetKind, isJSON: Bool) throws {
    let code = worstExit(answers.map(\.exit))
    if isJSON {
      let document: JSON = ["schema": "io.hearth.fleet/1", "hubs": .array(answers.map(\.json))]
      try Output.standard.write(document.pretty + "\n")
    } else {
      let style = Style.ofStandardOutput
      let text =
        switch kind {
        case .status: renderHubs(answers, style)
        case .devices: renderWearables(answers, wallNow(), style)
        case .text, .lines: renderTexts(answers, style)
        }
      try Output.standard.write(folded(text, style.width))
    }
    if code != 0 { throw ExitCode(code) }
  }
}

/// Display on a terminal of the hubs that have not answered yet, in a line that is redrawn, after one second.
private struct FleetWaiting {
  private let hubs: [String]
  private let begin = wallNow()
  private let width = Terminal.isCapable(2) ? Terminal.width(2) : nil
  private var line = ""

  init(_ hubs: [String]) { self.hubs = hubs }

  mutating func show(_ running: [Int]) {
    guard let width, !running.isEmpty, wallNow() - begin >= .seconds(1) else { return }
    let names = running.map { hubs[$0] }.joined(separator: ", ")
    let text = shortened("waiting for \(running.count) of \(counted(hubs.count, "hub")): \(names)", width - 1)
    if text == line { return }
    line = text
    draw("\r\(text)\u{1B}[K")
  }

  mutating func end() {
    if !line.isEmpty { draw("\r\u{1B}[K") }
    line = ""
  }

  private func draw(_ text: String) {
    try? Output.error.write(text)
    try? Output.error.flush()
  }
}

/// The signal that came. A signal handler can write only such a variable.
private nonisolated(unsafe) var endingSignal: Int32 = 0

/// Catches Ctrl-C and other signals that end a command, until `leave`. The child processes have to be ended first.
private final class FleetEnding {
  private static let signals = [SIGINT, SIGTERM, SIGHUP]
  private var before: [sigaction] = []

  init() {
    endingSignal = 0
    // The parent process may ignore this signal. Then waiting for children would not work.
    signal(SIGCHLD, SIG_DFL)
    for signal in Self.signals {
      var action = sigaction()
      var old = sigaction()
      action.__sigaction_handler.sa_handler = { endingSignal = $0 }
      sigaction(signal, nil, &old)
      before.append(old)
      // nohup needs the signal to be ignored.
      if unsafeBitCast(old.__sigaction_handler.sa_handler, to: Int.self) != 1 { sigaction(signal, &action, nil) }
    }
  }

  var came: Int32 { endingSignal }

  /// Ends this program by the signal that came, as it would have ended without children.
  func leave() {
    for (signal, old) in zip(Self.signals, before) {
      var old = old
      sigaction(signal, &old, nil)
    }
    if came != 0 { raise(came) }
  }
}
