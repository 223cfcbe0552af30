// What the lights say.

public import ArgumentParser
import HubProtocol
public import Lights

struct LedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "led", abstract: "What the lights say.",
    discussion: """
      At night they are dimmed where the board can, from and to the hours of lights.night in the hub's configuration, \
      22:00-07:00 or none.
      """, subcommands: [Explain.self, Legend.self, Locate.self],
    defaultSubcommand: Explain.self)

  struct Explain: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "What each light says at this moment.")
    @ParentCommand var root: HearthCommand

    func run() throws {
      let session = try Session(root.options)
      let lights = try session.connect().lights().lights
      try session.show(JSON(encoding: lights)) { render(lights, $0) }
    }
  }

  struct Legend: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "All that the lights can say. Needs no daemon.")
    @ParentCommand var root: HearthCommand

    @Flag(help: "The card for the lid.")
    var print = false

    @Option(help: "gym or ward. Default: as configured.")
    var language: LightLanguage?

    func run() throws {
      let session = try Session(root.options)
      let language = language ?? (session.configuration?.hub.preset == .ward ? .ward : .gym)
      try session.show(legendJSON(language)) { _ in print ? legendCard(language) : renderLegend(language) }
    }
  }

  struct Locate: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show which box this is: its lights chase for 30 s.")
    @ParentCommand var root: HearthCommand

    @Flag(help: "End it now.")
    var off = false

    func run() throws {
      let session = try Session(root.options)
      try session.connect().locate(.init(on: !off))
      try session.show(["schema": "io.hearth.done/1", "locating": .bool(!off)]) { _ in
        off ? "the lights are back to normal\n" : "the lights chase for 30 s\n"
      }
    }
  }
}

extension LightLanguage: ExpressibleByArgument {}
