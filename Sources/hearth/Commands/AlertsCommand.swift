// Limits of live values, alerts, and their acknowledgement.

import ArgumentParser
import HubProtocol

struct AlertsCommand: ParsableCommand {
  /// Forms of the command, for the error after wrong words too.
  private static var forms: String {
    (["hearth alerts [<name>]"] + actions.compactMap { $0.configuration.usage }).joined(separator: "\n")
  }
  /// Forms except the first, in their order.
  private static var actions: [any ParsableCommand.Type] {
    [Limiting.self, Acknowledge.self]
  }

  static let configuration = CommandConfiguration(
    commandName: "alerts", abstract: "Set limits of live values and list alerts; not a medical alarm.",
    usage: forms,
    discussion: """
      Limits are rest-above, rest-below, exercise-above and exercise-below (heart rate, bpm), spo2-below (%), \
      temperature-above and temperature-below (degrees Celsius). Outside exercise a value must stay beyond its limit \
      for 15 minutes, in exercise for 10 seconds. After a minute back inside, the limit is watched again. The hub \
      detects exercise by steps, wheel turns and training sessions of the wearer, or you set it. An alert is shown \
      until it is acknowledged. Hearth calls no person.

      hearth alerts strap-07 set rest-above 120     alert above 120 bpm at rest
      hearth alerts strap-07 set exercise auto      let the hub detect exercise
      hearth alerts strap-07 acknowledge            clear its alerts
      """,
    subcommands: [Show.self] + actions, defaultSubcommand: Show.self)
  @ParentCommand var root: HearthCommand

  @Argument(help: "Name or address of the wearable; without one, all.", completion: .wearables)
  var name: String?

  /// Orders one change for a wearable, and shows its limits and alerts.
  fileprivate func change(_ order: (ControlClient, String) throws -> AlertsDocument) throws {
    guard let name else { throw ValidationError("which wearable?") }
    try Session(root.options).show({ try order($0, name) }) { render($0, $1, $2) }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show limits and alerts.", usage: forms)
    @ParentCommand var alerts: AlertsCommand

    func run() throws {
      let session = try Session(alerts.root.options)
      let client = try session.connect()
      let found = try client.alerts(.init(name: alerts.name)).alerts
      let time = try session.time(client)
      let code: Int32 = found.contains(where: hasAlerts) ? 1 : 0
      if alerts.name != nil, let one = found.first {
        return try session.show(JSON(encoding: one), code: code) { render(one, time, $0) }
      }
      try session.show(JSON(encoding: found), code: code) { renderList(found, time, $0) }
    }
  }

  struct Limiting: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "set", abstract: "Set a limit, or whether the wearer exercises.",
      usage: """
        hearth alerts <name> set <limit> NUMBER|none
        hearth alerts <name> set exercise on|off|auto
        """)
    @ParentCommand var alerts: AlertsCommand

    enum Key: String, CaseIterable, ExpressibleByArgument {
      case restAbove = "rest-above"
      case restBelow = "rest-below"
      case exerciseAbove = "exercise-above"
      case exerciseBelow = "exercise-below"
      case spo2Below = "spo2-below"
      case temperatureAbove = "temperature-above"
      case temperatureBelow = "temperature-below"
      case exercise
    }

    @Argument(
      help: ArgumentHelp(
        "Limit to set (heart rate in bpm, spo2 in %, temperature in degrees Celsius), or exercise.", valueName: "limit")
    )
    var key: Key

    @Argument(help: "A number, or none to remove the limit. For exercise: on, off or auto.")
    var value: String

    func validate() throws {
      let fits = key == .exercise ? Switching(rawValue: value) != nil : value == "none" || Double(value) != nil
      if !fits {
        throw ValidationError(
          key == .exercise
            ? "set exercise takes on, off or auto, not '\(harmless(value))'"
            : "set \(key.rawValue) takes a number or none, not '\(harmless(value))'")
      }
    }

    func run() throws {
      try alerts.change { client, name in
        try client.alertsSet(
          key == .exercise
            ? .init(name: name, exercise: value) : .init(name: name, limits: Texts([(key.rawValue, value)]))
        ).alerts
      }
    }
  }

  struct Acknowledge: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Acknowledge the alerts of the wearable, which clears them.", usage: "hearth alerts <name> acknowledge")
    @ParentCommand var alerts: AlertsCommand

    func run() throws { try alerts.change { try $0.alertsAcknowledge(.init(name: $1)).alerts } }
  }
}
