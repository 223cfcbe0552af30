// Enrolment: the window, the candidates nearby, and the acceptance of one.

import ArgumentParser
import Configuration
import HubProtocol

struct EnrollCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enroll", abstract: "Enrol wearables: open the window, list candidates, accept one.",
    discussion: """
      The hub connects only to enrolled wearables, except for a short try with enroll.mode: all.

      hearth enroll open                        then hold the wearable to the hub
      hearth enroll list                        candidates, each with a letter
      hearth enroll accept A --name strap-07    enrol the first one
      """,
    subcommands: [Open.self, List.self, Accept.self, Close.self], defaultSubcommand: List.self)

  struct Open: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Open the enrolment window, in which near wearables can be accepted.")
    @ParentCommand var root: HearthCommand

    @Option(
      name: .customLong("for"),
      help: ArgumentHelp("How long, 1s to 1h, such as 5m. Default: as configured (enroll.window).", valueName: "120s"))
    var length: String?

    func validate() throws { _ = try seconds() }

    /// `90`, `120s`, `5m`
    private func seconds() throws -> Int64? {
      guard let length else { return nil }
      let units: [(String, Int64)] = [("s", 1), ("m", 60), ("h", 3600), ("", 1)]
      for (unit, factor) in units where length.hasSuffix(unit) {
        let digits = length.dropLast(unit.count)
        if digits.utf8.count <= 4, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(digits),
          (1...3600).contains(number * factor)
        {
          return number * factor
        }
      }
      throw ValidationError("--for takes 1s to 1h, such as 120s, not '\(harmless(length))'")
    }

    func run() throws {
      let session = try Session(root.options)
      let seconds = try seconds().map { Int($0) }
      let enrolment = try session.connect().enrollOpen(.init(seconds: seconds)).enrolment
      try session.show(JSON(encoding: enrolment)) { render(enrolment, $0) }
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List wearables that can be enrolled.")
    @ParentCommand var root: HearthCommand

    func run() throws {
      let session = try Session(root.options)
      let enrolment = try session.connect().enrollList().enrolment
      try session.show(JSON(encoding: enrolment)) { render(enrolment, $0) }
    }
  }

  struct Accept: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Enrol a wearable from the list of hearth enroll list.",
      discussion: """
        An enrolled wearable with unusable keys (H2206 to H2208, H2211) is paired again, under its present name. A \
        wearable with a changing address is paired at once: make it ready for pairing first.

        hearth enroll accept A --name strap-07
        """)
    @ParentCommand var root: HearthCommand

    @Argument(help: "Letter, address or advertised name, as in: hearth enroll list")
    var which: String

    @Argument(help: "Name: 1 to 32 letters, digits, '-', '_' and '.'. Default: the proposed name.")
    var newName: String?

    @Option(help: "Name for the wearable, in place of the argument.")
    var name: String?

    func run() throws {
      let session = try Session(root.options)
      let device = try session.connect().enrollAccept(.init(which: which, name: name ?? newName)).device
      try session.show(JSON(encoding: device)) { _ in renderAccepted(device) }
    }
  }

  struct Close: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Close the enrolment window now.")
    @ParentCommand var root: HearthCommand

    func run() throws {
      let session = try Session(root.options)
      try session.connect().enrollClose()
      try session.show(["schema": "io.hearth.done/1", "closed": true]) { _ in "closed\n" }
    }
  }
}
