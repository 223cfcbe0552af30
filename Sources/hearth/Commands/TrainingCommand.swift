// A training of a strap, begun and ended by order.

import ArgumentParser
import HubProtocol

struct TrainingCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "training", abstract: "Begin or end a training of a strap.",
    usage: """
      hearth training <name> begin
      hearth training <name> end
      """,
    discussion: """
      A strap records no trainings. The hub finds them in its heart rates: where they rise for minutes, until they \
      have been down for five. What begins and ends by order is exact. hearth days NAME shows them all, hearth device \
      NAME the one that is under way. Energy and zones need to know who wears it: hearth wearer body.
      """)
  @ParentCommand var root: HearthCommand

  @Argument(help: "Its name or address.", completion: .wearables)
  var name: String

  enum Action: String, CaseIterable, ExpressibleByArgument {
    case begin, end
  }

  @Argument(help: "begin or end.")
  var action: Action

  func run() throws {
    try Session(root.options).show({ client in
      try action == .begin
        ? client.trainingBegin(.init(name: name)).effort : client.trainingEnd(.init(name: name)).effort
    }) { render($0, $1, $2) }
  }
}
