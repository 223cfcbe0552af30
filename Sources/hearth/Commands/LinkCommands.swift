// Links, clocks, the radio, and pairings.

import ArgumentParser
import Bluetooth
import HubProtocol
import Reasons

struct LinkCommand: ParsableCommand {
  /// Every form, also for words that are none.
  private static let forms = """
    hearth link <name>
    hearth link <name> set foreground|background|idle|auto [--central]
    """

  static let configuration = CommandConfiguration(
    commandName: "link", abstract: "The connection to one wearable: timing asked for, got, and told by it.",
    usage: forms,
    subcommands: [Show.self, Choose.self], defaultSubcommand: Show.self)
  @ParentCommand var root: HearthCommand

  @Argument(help: "Its name or address.", completion: .wearables)
  var name: String

  fileprivate func show(_ ask: (ControlClient) throws -> LinkDocument) throws {
    let session = try Session(root.options)
    let link = try ask(session.connect())
    try session.show(JSON(encoding: link)) { render(link, now: wallNow(), $0) }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Its profile and its parameters.", usage: forms)
    @ParentCommand var link: LinkCommand

    func run() throws { try link.show { try $0.link(.init(name: link.name)).link } }
  }

  struct Choose: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "set", abstract: "Choose its profile, which then lasts.",
      usage: "hearth link <name> set foreground|background|idle|auto [--central]")
    @ParentCommand var link: LinkCommand

    private static let profiles = LinkProfile.allCases.map(\.name)

    @Argument(help: "A profile; auto: by policy again.", completion: .list(profiles + ["auto"]))
    var profile: String

    @Flag(
      help: "Set the hub's side of the link alone: for a wearable that refuses a profile whose numbers it would take.")
    var central = false

    func validate() throws {
      let forms = Self.profiles.joined(separator: "|")
      if !Self.profiles.contains(profile), profile != "auto" {
        throw ValidationError("set takes \(forms)|auto, not '\(harmless(profile))'")
      }
      if central, profile == "auto" { throw ValidationError("--central belongs to: set \(forms)") }
    }

    func run() throws {
      // Asking a link with long intervals for others takes it some seconds.
      try link.show {
        try $0.linkSet(.init(name: link.name, profile: profile, central: central), patience: 60).link
      }
    }
  }
}

struct ClockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clock", abstract: "The hub's clock, and how far the wearables' clocks are off.")
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
    commandName: "radio", abstract: "The Bluetooth radio: is it well, how many connections, what restarted it.",
    subcommands: [Show.self, Recover.self],
    defaultSubcommand: Show.self)

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Adapter, connections, resets, what it was found to be able to do.")
    @ParentCommand var root: HearthCommand

    @Flag(help: "Which wearables keep a link, and which take turns, while all that are enrolled are here.")
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
      abstract: "Reset the radio, from the gentlest way to the hardest, until it hears.",
      discussion: """
        Links are lost for some seconds and come back by themselves; live values of that time are not. Asks at a \
        terminal; a script gives --yes.
        """)
    @ParentCommand var root: HearthCommand

    @Flag(help: "Agree to what would be lost, without being asked.")
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
    commandName: "pair", abstract: "Wearables that want to pair and wait for a person's answer.",
    subcommands: [List.self, Answer.self],
    defaultSubcommand: List.self)

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Who waits, and for which answer.")
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
      abstract: "Answer one: yes, no, or the digits that the wearable shows.")
    @ParentCommand var root: HearthCommand

    @Argument(help: "Its name or address.", completion: .wearables)
    var name: String

    @Argument(help: "yes, no, or six digits.")
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
