// Recordings in a wearable's own memory.

import ArgumentParser
import HubProtocol

struct RecordingsCommand: ParsableCommand {
  /// Forms of the command, for the error after wrong words too.
  private static var forms: String {
    (["hearth recordings <name> [status]"] + actions.compactMap { $0.configuration.usage }).joined(separator: "\n")
  }
  /// Forms except the first, in their order.
  private static var actions: [any ParsableCommand.Type] {
    [Start.self, Stop.self, Triggers.self]
  }

  static let configuration = CommandConfiguration(
    commandName: "recordings",
    abstract: "Show, start and stop recordings in a wearable's own memory; set triggers.",
    usage: forms,
    discussion: """
      Lists the types that the wearable can record, each with its possible rates.

      A recording that was started here is started again if it ends by itself, until it is stopped here. Each visit \
      checks at its end that it runs. A strap records an exercise: start rr, hr or hr-5s, and a name. A wearable \
      without a link is visited first, which takes up to three minutes.

      hearth recordings band-07                       types and running recordings
      hearth recordings band-07 start acc rate=52     begin one
      hearth recordings band-07 stop acc              end it
      """,
    subcommands: [Status.self] + actions, defaultSubcommand: Status.self)
  @ParentCommand var root: HearthCommand

  @Argument(help: "Name or address of the wearable.", completion: .wearables)
  var name: String

  fileprivate func show() throws {
    let session = try Session(root.options)
    let client = try session.connect()
    try noteWaiting(for: name, client)
    let report = try client.report(.init(name: name, topic: "recordings"), patience: askingPatience).report
    try session.show(JSON(encoding: report)) { renderRecordings(report, $0) }
  }

  fileprivate func ask(_ action: String, _ words: [String]) throws {
    let session = try Session(root.options)
    try act(action, words, on: name, session.connect(), session)
  }

  struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List types and running recordings.", usage: forms)
    @ParentCommand var recordings: RecordingsCommand

    func run() throws { try recordings.show() }
  }

  struct Start: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Start a recording.", usage: "hearth recordings <name> start TYPE [rate=HZ] [range=N]")
    @ParentCommand var recordings: RecordingsCommand

    @Argument(help: "Type to record, such as acc; status lists those of the wearable.", completion: .series)
    var type: String

    @Argument(help: "rate=HZ and range=N, such as rate=52; of a strap, a name.")
    var words: [String] = []

    func run() throws { try recordings.ask("recording-start", [type] + words) }
  }

  struct Stop: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Stop recordings.", usage: "hearth recordings <name> stop TYPE|all")
    @ParentCommand var recordings: RecordingsCommand

    @Argument(help: "Type of a running recording, such as acc; or all.", completion: .series)
    var type: String?

    func run() throws { try recordings.ask("recording-stop", type.map { [$0] } ?? []) }
  }

  struct Triggers: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Let the wearable start recordings by itself (triggers).",
      usage: """
        hearth recordings <name> triggers off
        hearth recordings <name> triggers system-start|exercise-start TYPE ...
        """)
    @ParentCommand var recordings: RecordingsCommand

    @Argument(help: "off, or the event and the types to record; without words, triggers are shown.")
    var words: [String] = []

    func run() throws { try words.isEmpty ? recordings.show() : recordings.ask("triggers", words) }
  }
}
