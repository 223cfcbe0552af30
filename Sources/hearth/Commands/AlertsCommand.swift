// Limits of live values, what was beyond them, and that somebody has seen to it.

import ArgumentParser
import HubProtocol

struct AlertsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "alerts", abstract: "Limits of live values, and what was beyond them; no medical alarm.",
    usage: """
      hearth alerts [<name>]
      hearth alerts <name> set <limit> NUMBER|none
      hearth alerts <name> set exercise on|off|auto
      hearth alerts <name> acknowledge
      """,
    discussion: """
      Limits: rest-above, rest-below, exercise-above, exercise-below (heart rate, bpm), spo2-below (%), temperature- \
      above, temperature-below (degrees Celsius). Outside exercise a value must stay beyond its limit for 15 \
      minutes, in exercise for 10 seconds; after a minute back inside it is watched again. What counts as exercise \
      is told by steps, wheels and sessions of whoever wears it, or ordered. What was noticed is shown until it is \
      acknowledged. Nobody is called by it.
      """)
  @ParentCommand var root: HearthCommand

  @Argument(help: "Its name or address; without one, all.", completion: .wearables)
  var name: String?

  @Argument(help: ArgumentHelp("'set' with a limit and its value, or 'acknowledge'.", valueName: "action"))
  var action: [String] = []

  private static let limits = [
    "rest-above", "rest-below", "exercise-above", "exercise-below", "spo2-below", "temperature-above",
    "temperature-below",
  ]

  func validate() throws {
    if action.isEmpty || action == ["acknowledge"] { return }
    guard action.count == 3, action[0] == "set" else {
      throw ValidationError("hearth alerts NAME takes nothing, acknowledge, or: set LIMIT NUMBER|none")
    }
    let isWord = ["on", "off", "auto"].contains(action[2])
    if action[1] == "exercise", isWord { return }
    guard Self.limits.contains(action[1]), action[2] == "none" || Double(action[2]) != nil else {
      throw ValidationError(
        "set takes exercise on|off|auto, or a limit and a number or none: \(Self.limits.joined(separator: ", "))")
    }
  }

  func run() throws {
    let session = try Session(root.options)
    let client = try session.connect()
    guard let name, let verb = action.first else { return try show(client, session) }
    let found: AlertsDocument
    if verb == "acknowledge" {
      found = try client.alertsAcknowledge(.init(name: name)).alerts
    } else if action[1] == "exercise" {
      found = try client.alertsSet(.init(name: name, exercise: action[2])).alerts
    } else {
      found = try client.alertsSet(.init(name: name, limits: Texts([(action[1], action[2])]))).alerts
    }
    let time = try session.time(client)
    try session.show(JSON(encoding: found)) { render(found, time, $0) }
  }

  private func show(_ client: ControlClient, _ session: Session) throws {
    let found = try client.alerts(.init(name: name)).alerts
    let time = try session.time(client)
    let isQuiet = !found.contains(where: hasAlerts)
    if name != nil, let one = found.first {
      return try session.show(JSON(encoding: one), code: isQuiet ? 0 : 1) { render(one, time, $0) }
    }
    try session.show(JSON(encoding: found), code: isQuiet ? 0 : 1) { renderList(found, time, $0) }
  }
}
