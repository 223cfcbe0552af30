// A training of a strap that begins and ends by order.

import ArgumentParser
import HubProtocol

struct TrainingCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "training", abstract: "Begin or end a training (exercise) of a strap.",
    usage: """
      hearth training <name> begin
      hearth training <name> end
      """,
    discussion: """
      A strap records no trainings itself. The hub detects them in its heart rates: they begin with a rise for \
      minutes, and end after five minutes back down. Trainings that you begin and end have exact times. hearth days \
      NAME shows them all, hearth device NAME the running one. Energy and zones need the body data of the wearer: \
      hearth wearer body.

      hearth training strap-07 begin     now
      hearth training strap-07 end       with zones, rates and energy
      """)
  @ParentCommand var root: HearthCommand

  @Argument(help: "Name or address of the wearable.", completion: .wearables)
  var name: String

  enum Action: String, CaseIterable, ExpressibleByArgument {
    case begin, end
  }

  @Argument(help: "begin a training, or end it and show zones, rates and energy.")
  var action: Action

  func run() throws {
    try Session(root.options).show({ client in
      try action == .begin
        ? client.trainingBegin(.init(name: name)).training : client.trainingEnd(.init(name: name)).training
    }) { render($0, $1, $2) }
  }
}
