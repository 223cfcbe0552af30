// The program's words: `run`, which may be left out, and `serve`.

import ArgumentParser
import Reasons

@main
struct Program: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hearth-sim",
    abstract: "The whole hub in a simulated world: judged in virtual time, or served in real time.",
    discussion:
      """
      Without a word it runs and judges: hearth-sim --seed 7 --visits 200. See hearth-sim run --help and hearth-sim \
      serve --help.
      """,
    version: hearthVersion, subcommands: [HearthSim.self, ServeCommand.self], defaultSubcommand: HearthSim.self)
}
