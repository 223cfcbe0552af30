// `hearth --hub a,b COMMAND`: one command on several hubs over SSH, side by side.

import ArgumentParser
import EventLoop
import Glibc
import HubProtocol
import Reasons

enum FleetCommand {
  /// Runs the command on each hub of `call` and shows what came.
  ///
  /// - Parameter program: ssh, or in tests what plays it.
  /// - Throws: `fleetNotForMany` before any hub is asked; `ExitCode` for the worst of all answers; as ArgumentParser
  ///   for words that are no command.
  static func run(_ call: FleetCall, program: String = "ssh") throws {
    var call = call
    // What is asked is what runs there, not how it looked among the options for this machine.
    var command = try HearthCommand.parseAsRoot(call.words)
    // None of ours: help, which is here.
    guard let words = HearthCommand.path(to: type(of: command)) else { return try command.run() }
    guard let kind = fleetKind(of: command) else {
      throw HearthError(
        .fleetNotForMany,
        "hearth \(words), as it was given, changes something, asks, streams, fills a screen or writes a file")
    }
    let isJSON = call.words.prefix { $0 != "--" }.contains("--json")
    // A table is made here, of documents.
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
    // A jump host's ssh would open a window to ask.
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

/// On a terminal, who has not answered yet: a line that is drawn over itself, from the second second on.
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

/// Which signal came; a handler can write nothing else.
private nonisolated(unsafe) var endingSignal: Int32 = 0

/// Ctrl-C, and what else ends a command, taken until `leave`: hubs are asked by children that have to be ended first.
private final class FleetEnding {
  private static let signals = [SIGINT, SIGTERM, SIGHUP]
  private var before: [sigaction] = []

  init() {
    endingSignal = 0
    // Whoever started this may ignore it: then nobody could wait for a child.
    signal(SIGCHLD, SIG_DFL)
    for signal in Self.signals {
      var action = sigaction()
      var old = sigaction()
      action.__sigaction_handler.sa_handler = { endingSignal = $0 }
      sigaction(signal, nil, &old)
      before.append(old)
      // nohup wants it ignored.
      if unsafeBitCast(old.__sigaction_handler.sa_handler, to: Int.self) != 1 { sigaction(signal, &action, nil) }
    }
  }

  var came: Int32 { endingSignal }

  /// What came ends this program now, as it would have without the children.
  func leave() {
    for (signal, old) in zip(Self.signals, before) {
      var old = old
      sigaction(signal, &old, nil)
    }
    if came != 0 { raise(came) }
  }
}
