// A single wearable: its state, and the choices of an operator.

import ArgumentParser
import HubProtocol
import Reasons
import StoreDocuments

/// A choice of an operator, or auto for the configured value.
enum Switching: String, CaseIterable, ExpressibleByArgument {
  case on, off, auto
}

struct DeviceCommand: ParsableCommand {
  /// Forms of the command, for the error after wrong words too.
  private static var forms: String {
    (["hearth device <name>"] + actions.compactMap { $0.configuration.usage }).joined(separator: "\n")
  }
  /// Forms except the first, in their order.
  private static var actions: [any ParsableCommand.Type] {
    [Rename.self, Forget.self, Erase.self, Listen.self, AbsentAfter.self, Pause.self, Resume.self]
  }

  static let configuration = CommandConfiguration(
    commandName: "device", abstract: "Show one wearable; rename, pause or forget it; choose erasing and listening.",
    usage: forms,
    discussion: """
      hearth device strap-07                      state, troubles, available data
      hearth device band-07 pause --for 3d        collect no data for three days
      hearth device insole-L erase ask            erase only in requested visits
      hearth device band-07 absent-after never    never report it as missing
      """,
    subcommands: [Show.self] + actions, defaultSubcommand: Show.self)
  @ParentCommand var root: HearthCommand

  @Argument(help: "Name or address of the wearable.", completion: .wearables)
  var name: String

  /// Orders one change and shows the resulting state of the wearable.
  fileprivate func change(
    _ order: (ControlClient, Session) throws -> DeviceDocument, text: (DeviceDocument, HubTime) -> String
  ) throws {
    let session = try Session(root.options)
    try session.show({ try order($0, session) }) { device, time, _ in text(device, time) }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show identity, state, troubles and available data.", usage: forms)
    @ParentCommand var device: DeviceCommand

    func run() throws {
      let session = try Session(device.root.options)
      let client = try session.connect()
      let found = try client.device(.init(name: device.name)).device
      let time = try session.time(client)
      try session.show(JSON(encoding: found), code: needsPerson(found) || hasAlerts(found) ? 1 : 0) {
        render(found, time, $0, verbose: session.options.verbose)
      }
    }
  }

  struct Rename: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Give the wearable another name; its samples stay with it.",
      usage: "hearth device <name> rename <new-name>")
    @ParentCommand var device: DeviceCommand

    @Argument(help: "1 to 32 letters, digits, '-', '_' and '.', such as strap-07.")
    var newName: String

    func run() throws {
      try device.change({ client, _ in try client.rename(.init(name: device.name, newName: newName)).device }) {
        found, _ in
        line("\(device.name) is called \(found.name) now; its samples stay with it")
      }
    }
  }

  struct Forget: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Forget the wearable: never connect to it again, and keep its samples.",
      usage: "hearth device <name> forget [--yes] [--yes-lose <n>]",
      discussion: """
        First shows what would be lost, including the bond and items not fetched yet, and asks at a terminal. A \
        script adds --yes, or --yes-lose with the number of items not fetched. Without agreement the exit code is 7. \
        A band that is bound to this hub is unbound first. If it cannot be reached, the command says so, with exit \
        code 1.

        hearth device strap-07 forget --yes
        """)
    @ParentCommand var device: DeviceCommand
    @OptionGroup var agreement: AgreementOptions

    func run() throws {
      let session = try Session(device.root.options)
      let client = try session.connect()
      let name = device.name
      try session.agree(to: session.lossOfForgetting(name, client), agreement.given)
      // A bound wearable is unbound first, which takes a turn in the lane and an answer of the wearable.
      let warning = try client.forget(.init(name: name), patience: askingPatience).warning
      var done: JSON = ["schema": "io.hearth.done/1", "forgotten": .string(name)]
      if let warning {
        done = ["schema": "io.hearth.done/1", "forgotten": .string(name), "warning": JSON(encoding: warning)]
      }
      try session.show(done, code: warning == nil ? 0 : 1) { _ in
        line("\(name) is forgotten; its samples stay in the store") + renderWarning(warning)
      }
    }
  }

  struct Erase: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Choose whether items that are safe in the store are erased on the wearable.",
      usage: "hearth device <name> erase yes|no|ask|auto")
    @ParentCommand var device: DeviceCommand

    enum Choice: String, CaseIterable, ExpressibleByArgument {
      case yes, no, ask, auto
    }

    @Argument(help: "yes, no, ask (only in a requested visit) or auto (as configured).")
    var choice: Choice

    func run() throws {
      try device.change({ client, _ in
        try client.eraseSet(.init(name: device.name, choice: choice.rawValue)).device
      }) { found, _ in renderErasing(found) }
    }
  }

  struct Listen: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Choose whether advertised values are stored while there is no link.",
      usage: "hearth device <name> listen on|off|auto")
    @ParentCommand var device: DeviceCommand

    @Argument(help: "on, off or auto (as configured).")
    var choice: Switching

    func run() throws {
      try device.change({ client, _ in
        try client.listenSet(.init(name: device.name, choice: choice.rawValue)).device
      }) { found, _ in renderListening(found) }
    }
  }

  struct AbsentAfter: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Choose how long the wearable may be away before it counts as missing.",
      usage: "hearth device <name> absent-after <time>|never|auto")
    @ParentCommand var device: DeviceCommand

    @Argument(help: "A time from 5m to 52w, such as 2h or 3d; never; or auto (as configured).")
    var choice: String

    func validate() throws {
      if absence == nil {
        throw ValidationError(
          """
          absent-after takes a time from 5m to 52w, never or auto: \
          hearth device \(harmless(device.name)) absent-after 2h
          """
        )
      }
    }

    func run() throws {
      try device.change({ client, _ in
        try client.absenceSet(.init(name: device.name, choice: absence ?? "")).device
      }) { found, _ in renderAbsence(found) }
    }

    /// Choice in the form of the hub: whole seconds, never or auto; nil for other text.
    private var absence: String? {
      if choice == "never" || choice == "auto" { return choice }
      guard let seconds = HubTime.seconds(choice), (300...31_536_000).contains(seconds) else { return nil }
      return "\(seconds)"
    }
  }

  struct Pause: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Collect no data from the wearable for a while, or until it is resumed.",
      usage: "hearth device <name> pause [--until <time>] [--for <time>]",
      discussion: """
        The wearable stays enrolled, but the hub makes no link and no visit, and stores no advertised value. Orders \
        still run: hearth sync, hearth visit now, hearth measure. The pause ends at the given time, or with hearth \
        device NAME resume. Meanwhile the wearable does not count as missing. Coverage shows that time as left out \
        by order.

        hearth device band-07 pause --for 3d

        \(timeForms)
        """)
    @ParentCommand var device: DeviceCommand
    @OptionGroup var end: EndOptions

    func run() throws {
      try end.check()
      try device.change({ client, session in
        let until = try end.end(session.time(client))?.rfc3339
        return try client.pause(.init(name: device.name, until: until)).device
      }) { renderPause($0, $1) }
    }
  }

  struct Resume: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "End the pause of the wearable.", usage: "hearth device <name> resume")
    @ParentCommand var device: DeviceCommand

    func run() throws {
      try device.change({ client, _ in try client.resume(.init(name: device.name)).device }) { renderPause($0, $1) }
    }
  }
}
