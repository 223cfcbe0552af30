// Actions of a wearable. Lasting orders are in `SettingsCommand.swift`.

import ArgumentParser
import Glibc
import HubProtocol
import Reasons

/// Seconds. A wearable without a link needs a visit, for which the hub waits up to three minutes. Then it has a minute
/// to answer.
let askingPatience: Int32 = 260

/// Explains a long wait on a terminal.
func noteWaiting(for name: String, _ client: ControlClient) throws(HearthError) {
  if isatty(2) != 1 { return }
  let device = try client.device(.init(name: name)).device
  if device.linkedSince == nil, device.state != .absent {
    Output.error.say("hearth: \(harmless(name)) is visited first\n")
  }
}

struct ActionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "action", abstract: "List the actions that a wearable offers, or run one.",
    usage: "hearth action <name> [<action> [<words> ...]]",
    discussion: """
      A wearable without a link is visited first, which takes up to three minutes.

      hearth action watch-01                            its actions
      hearth action watch-01 exercise-start running     run one of them
      """)
  @ParentCommand var root: HearthCommand

  @Argument(help: "Name or address of the wearable.", completion: .wearables)
  var name: String

  @Argument(help: "An action from the list that is shown without it.")
  var action: String?

  @Argument(help: "Arguments of the action, at most 16 words.")
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

/// Lets a wearable run an action, and shows its answer.
func act(_ action: String, _ words: [String], on name: String, _ client: ControlClient, _ session: Session)
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
