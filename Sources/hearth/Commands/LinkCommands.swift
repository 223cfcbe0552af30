// Links, clocks, the radio, and pairings.

import ArgumentParser
import Bluetooth
import HubProtocol
import Reasons

struct LinkCommand: ParsableCommand {
  /// Forms of the command, for the error after wrong words too.
  private static let forms = """
    hearth link <name>
    hearth link <name> set foreground|background|idle|auto [--central]
    """

  static let configuration = CommandConfiguration(
    commandName: "link", abstract: "Show the link to a wearable with its connection parameters; set its profile.",
    usage: forms,
    discussion: """
      A profile is a preset of connection parameters: interval, latency and supervision timeout. Shown are the \
      parameters that were asked for, those in use, and those that the device reports.

      hearth link insole-L                 profile and parameters
      hearth link insole-L set idle        always use the profile idle
      """,
    subcommands: [Show.self, Choose.self], defaultSubcommand: Show.self)
  @ParentCommand var root: HearthCommand

  @Argument(help: "Name or address of the wearable.", completion: .wearables)
  var name: String

  fileprivate func show(_ ask: (ControlClient) throws -> LinkDocument) throws {
    let session = try Session(root.options)
    let link = try ask(session.connect())
    try session.show(JSON(encoding: link)) { render(link, now: wallNow(), $0) }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show profile and connection parameters.", usage: forms)
    @ParentCommand var link: LinkCommand

    func run() throws { try link.show { try $0.link(.init(name: link.name)).link } }
  }

  struct Choose: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "set", abstract: "Set the profile, which then stays.",
      usage: "hearth link <name> set foreground|background|idle|auto [--central]")
    @ParentCommand var link: LinkCommand

    private static let profiles = LinkProfile.allCases.map(\.name)

    @Argument(help: "foreground, background, idle; or auto: the hub chooses.", completion: .list(profiles + ["auto"]))
    var profile: String

    @Flag(
      help: "Set only the hub's side, for a wearable that refuses a profile but accepts its numbers.")
    var central = false

    func validate() throws {
      let forms = Self.profiles.joined(separator: "|")
      if !Self.profiles.contains(profile), profile != "auto" {
        throw ValidationError("set takes \(forms)|auto, not '\(harmless(profile))'")
      }
      if central, profile == "auto" { throw ValidationError("--central belongs to: set \(forms)") }
    }

    func run() throws {
      // A link with long intervals needs some seconds to change its parameters.
      try link.show {
        try $0.linkSet(.init(name: link.name, profile: profile, central: central), patience: 60).link
      }
    }
  }
}

struct ClockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clock", abstract: "Show the hub's clock and zone, and the clock error (drift) of each wearable.",
    discussion: """
      hearth clock               the hub and all wearables
      hearth clock band-07       one wearable
      """)
  @ParentCommand var root: HearthCommand

  @Argument(help: "Only this wearable, by name or address.", completion: .wearables)
  var name: String?

  func run() throws {
    let session = try Session(root.options)
    let client = try session.connect()
    let clock = try client.clock(.init(name: name)).clock
    let isFine = try clock.plausible || KnownMutes(client).covers(Reason.clockUntrusted.code)
    try session.show(JSON(encoding: clock), code: isFine ? 0 : 1) {
      render(clock, session.hubTime(clock.zone), $0)
    }
  }
}

struct RadioCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "radio", abstract: "Show or reset the Bluetooth radio (adapter): state, connections, resets.",
    discussion: """
      hearth radio                  adapter, connections, resets
      hearth radio --plan           which wearables keep a link if all are present
      hearth radio recover --yes    reset it
      """,
    subcommands: [Show.self, Recover.self],
    defaultSubcommand: Show.self)

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show adapter, connections, resets and detected capabilities.")
    @ParentCommand var root: HearthCommand

    @Flag(help: "Show which wearables keep a link and which take turns, if all enrolled ones are present.")
    var plan = false

    func run() throws {
      let session = try Session(root.options)
      let client = try session.connect()
      if plan {
        let plan = try client.radioPlan().plan
        return try session.show(JSON(encoding: plan)) { render(plan, $0) }
      }
      let radio = try client.radio().radio
      let mutes = try KnownMutes(client)
      let isMuted = !radio.warnings.isEmpty && radio.warnings.allSatisfy { mutes.covers($0.code) }
      let isFine = isMuted || radio.state == .ready && !radio.recovering && radio.warnings.isEmpty
      try session.show(JSON(encoding: radio), code: isFine ? 0 : 1) {
        render(radio, now: wallNow(), $0, verbose: root.options.verbose)
      }
    }
  }

  struct Recover: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Reset the radio, from the gentlest way to the hardest, until it hears again.",
      discussion: """
        Links are lost for some seconds and then come back. Live values of that time are lost for good. Asks at a \
        terminal; a script adds --yes.

        hearth radio recover --yes
        """)
    @ParentCommand var root: HearthCommand

    @Flag(help: "Agree to the loss without being asked.")
    var yes = false

    func run() throws {
      let session = try Session(root.options)
      let client = try session.connect()
      try session.agree(to: session.lossOfRecovering(client), Agreement(yes: yes))
      try client.radioRecover()
      try session.show(["schema": "io.hearth.done/1", "recovering": true]) { _ in
        "the reset ladder begins at its first rung; see: hearth radio\n"
      }
    }
  }
}

struct PairCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pair", abstract: "List and answer pairing requests that wait for a person.",
    discussion: """
      hearth pair                          the requests
      hearth pair answer band-07 yes       allow one
      hearth pair answer cuff-01 123456    the digits that the wearable shows
      """,
    subcommands: [List.self, Answer.self],
    defaultSubcommand: List.self)

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List waiting requests, with the answer that each needs.")
    @ParentCommand var root: HearthCommand

    func run() throws {
      let session = try Session(root.options)
      let pairings = try session.connect().pairings().pairings
      try session.show(["schema": "io.hearth.pairings/1", "pairings": JSON(encoding: pairings)]) {
        render(pairings, now: wallNow(), $0)
      }
    }
  }

  struct Answer: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Answer a request: yes, no, or the digits that the wearable shows.")
    @ParentCommand var root: HearthCommand

    @Argument(help: "Name or address of the wearable.", completion: .wearables)
    var name: String

    @Argument(help: "yes or no; or the six digits that the wearable shows, such as 123456.")
    var answer: String

    func validate() throws {
      if parameters == nil { throw ValidationError("an answer is yes, no or six digits, not '\(harmless(answer))'") }
    }

    private var parameters: Methods.PairAnswer.Parameters? {
      if answer == "yes" || answer == "no" { return .init(name: name, answer: answer) }
      guard answer.utf8.count == 6, answer.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let digits = Int(answer)
      else { return nil }
      return .init(name: name, answer: "passkey", passkey: digits)
    }

    func run() throws {
      let session = try Session(root.options)
      if let parameters { try session.connect().pairAnswer(parameters) }
      try session.show(["schema": "io.hearth.done/1", "answered": .string(name)]) { _ in
        line("answered; see: hearth device \(name)")
      }
    }
  }
}
