// The program's subcommands: `run`, which may be left out, and `serve`.

import ArgumentParser
import Reasons

@main
struct Program: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hearth-sim",
    abstract: "Run the whole hub in a simulated world: judged in virtual time, or served in real time.",
    discussion:
      """
      Without a command it runs and judges. Options are in hearth-sim run --help and hearth-sim serve --help.

      hearth-sim --seed 7 --visits 200     200 visits in virtual time
      """,
    version: hearthVersion, subcommands: [HearthSim.self, ServeCommand.self], defaultSubcommand: HearthSim.self)
}
