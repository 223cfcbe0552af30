// The LEDs and their language.

public import ArgumentParser
import HubProtocol
public import Lights

struct LedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "led", abstract: "Show what the LEDs (lights) say, or find this box by them.",
    discussion: """
      At night the LEDs are dimmed, if the board can dim them. The hours are lights.night in the hub's \
      configuration, such as 22:00-07:00, or none. In the hours of lights.off they are off, but for trouble, for \
      locating and while a wearable may join.

      hearth led explain             what the LEDs say now
      hearth led legend --print      the card for the lid
      hearth led locate              find this box by its LEDs
      """, subcommands: [Explain.self, Legend.self, Locate.self],
    defaultSubcommand: Explain.self)

  struct Explain: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Explain what each LED says now.")
    @ParentCommand var root: HearthCommand

    func run() throws {
      let session = try Session(root.options)
      let lights = try session.connect().lights().lights
      try session.show(JSON(encoding: lights)) { render(lights, $0) }
    }
  }

  struct Legend: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List all patterns of the LEDs. Needs no daemon.")
    @ParentCommand var root: HearthCommand

    @Flag(help: "Print the legend as a card for the lid of the box.")
    var print = false

    @Option(help: "The language of the LEDs: gym or ward. Default: as configured.")
    var language: LightLanguage?

    func run() throws {
      let session = try Session(root.options)
      let language = language ?? (session.configuration?.hub.preset == .ward ? .ward : .gym)
      try session.show(legendJSON(language)) { _ in print ? legendCard(language) : renderLegend(language) }
    }
  }

  struct Locate: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Identify this box: its LEDs chase for 30 s.")
    @ParentCommand var root: HearthCommand

    @Flag(help: "Stop the chase before its 30 s are over.")
    var off = false

    func run() throws {
      let session = try Session(root.options)
      try session.connect().locate(.init(on: !off))
      try session.show(["schema": "io.hearth.done/1", "locating": .bool(!off)]) { _ in
        off ? "the LEDs are back to normal\n" : "the LEDs chase for 30 s\n"
      }
    }
  }
}

extension LightLanguage: ExpressibleByArgument {}
