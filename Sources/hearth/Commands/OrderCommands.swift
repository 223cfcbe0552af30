// What a wearable can be asked: actions, and recordings in its own memory. What is ordered of it for good is in
// `SettingsCommand.swift`.

import ArgumentParser
import Glibc
import HubProtocol
import Reasons

/// A wearable without a link is asked in a visit, for which the hub waits up to three minutes; then it has a minute to
/// answer.
let askingPatience: Int32 = 260

/// Says on a terminal why it takes long.
func noteWaiting(for name: String, _ client: ControlClient) throws(HearthError) {
  if isatty(2) != 1 { return }
  let device = try client.device(.init(name: name)).device
  if device.linkedSince == nil, device.state != .absent {
    Output.error.say("hearth: \(harmless(name)) is visited first\n")
  }
}

struct ActionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "action", abstract: "What can be asked of a wearable; ask it.",
    usage: "hearth action <name> [<action> [<words> ...]]",
    discussion: "One that is not linked is visited first, which takes up to three minutes.")
  @ParentCommand var root: HearthCommand

  @Argument(help: "Its name or address.", completion: .wearables)
  var name: String

  @Argument(help: "One of those that are listed without it.")
  var action: String?

  @Argument(help: "What the action takes, at most 16 words.")
  var words: [String] = []

  func run() throws {
    let session = try Session(root.options)
    let client = try session.connect()
    guard let action else {
      try noteWaiting(for: name, client)
      let actions = try client.actions(.init(name: name), patience: askingPatience).actions
      return try session.show([
        "schema": "io.hearth.actions/1", "device": .string(name), "actions": JSON(encoding: actions),
      ]) { _ in render(actions, of: name) }
    }
    try act(action, words, on: name, client, session)
  }
}

private func act(_ action: String, _ words: [String], on name: String, _ client: ControlClient, _ session: Session)
  throws
{
  try noteWaiting(for: name, client)
  let result = try client.act(.init(name: name, action: action, arguments: words), patience: askingPatience).result
  let json: JSON = [
    "schema": "io.hearth.acted/1", "device": .string(name), "action": .string(action),
    "arguments": .array(words.map { .string($0) }), "result": .string(result),
  ]
  try session.show(json) { _ in "\(harmless(name)): \(harmless(result, limit: 512))\n" }
}

struct RecordingsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recordings",
    abstract: "What a wearable records in its own memory; begin, end, let it begin by itself.",
    usage: """
      hearth recordings <name> [status]
      hearth recordings <name> start TYPE [rate=HZ] [range=N]
      hearth recordings <name> stop TYPE|all
      hearth recordings <name> triggers off
      hearth recordings <name> triggers system-start|exercise-start TYPE ...
      """,
    discussion: """
      The types that it records are listed with the rates that each can have.

      What was begun here is begun again where it ended by itself, until it is stopped here, and proven at the end of \
      each visit. A strap records \
      an exercise: start rr, hr or hr-5s, and a name. A wearable that is not linked is visited first, which takes up \
      to three minutes.
      """)
  @ParentCommand var root: HearthCommand

  @Argument(help: "Its name or address.", completion: .wearables)
  var name: String

  @Argument(
    help: ArgumentHelp(
      "status, start, stop or triggers, and what they take; TYPE is a series, such as acc.", valueName: "action"))
  var action: [String] = []

  private static let verbs = ["start": "recording-start", "stop": "recording-stop", "triggers": "triggers"]

  func validate() throws {
    switch action.first {
    case nil: return
    case "status" where action.count == 1: return
    case "start" where action.count > 1: return
    case "stop" where action.count <= 2: return
    case "triggers": return
    case "start": throw ValidationError("start takes a type; hearth recordings \(harmless(name)) lists them")
    case "stop": throw ValidationError("stop takes one type, or all")
    case "status": throw ValidationError("status takes nothing more")
    default:
      throw ValidationError(
        """
        recordings are shown (status), begun (start), ended (stop) and armed (triggers), not \
        '\(harmless(action.joined(separator: " ")))'
        """
      )
    }
  }

  func run() throws {
    let session = try Session(root.options)
    let client = try session.connect()
    if let verb = action.first.flatMap({ Self.verbs[$0] }), action.count > 1 || verb != "triggers" {
      return try act(verb, Array(action.dropFirst()), on: name, client, session)
    }
    try noteWaiting(for: name, client)
    let report = try client.report(.init(name: name, topic: "recordings"), patience: askingPatience).report
    try session.show(JSON(encoding: report)) { renderRecordings(report, $0) }
  }
}
