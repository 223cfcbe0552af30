// Measurements that a wearable makes by itself: requested, effective, as the device reports them.

import ArgumentParser
import Health
import HubProtocol
import StoreDocuments

struct MonitorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "monitor", abstract: "Show or order how a wearable measures by itself (monitoring).",
    usage: """
      hearth monitor <name> [--now]
      hearth monitor <name> <series> WORD ...
      hearth monitor <name> <series> none
      """,
    discussion: """
      Shown are the values that were asked for, those in force, and what the device itself says.

      WORD is on, off, every=60s, between=08:00-20:00 or max-hr=190. Or it is a limit at which the wearable itself \
      warns, such as rest-above=120, with the names of hearth alerts. The word every=none takes one order back. The \
      word none takes back all orders for the series, which is then as it was before. An order that this wearable \
      cannot take is refused (H2131). Orders last until they are changed, and are read back at each visit. --now \
      reads the values from the wearable. If it has no link, it is visited first.

      hearth monitor patch-02 --now                         ask the wearable
      hearth monitor patch-02 body_temperature every=5m     order an interval
      """)
  @ParentCommand var root: HearthCommand

  @Argument(help: "Name or address of the wearable.", completion: .wearables)
  var name: String

  @Argument(
    help: ArgumentHelp("A series and orders for it, such as heart_rate every=60s.", valueName: "order"),
    completion: .series)
  var order: [String] = []

  @Flag(help: "Read the values from the wearable now.")
  var now = false

  func validate() throws { _ = try parameters() }

  /// Parameters of an order; nil: show only.
  private func parameters() throws -> Methods.MonitoringSet.Parameters? {
    guard let series = order.first else { return nil }
    guard Series(name: series) != nil, order.count > 1, !now else {
      throw ValidationError(
        "give hearth monitor NAME alone, or with --now, or with a series and its order: body_temperature every=60s")
    }
    var parameters = Methods.MonitoringSet.Parameters(name: name, series: series)
    var limits: [(name: String, value: String)] = []
    var forgotten: [String] = []
    for word in order.dropFirst() {
      let parts = word.split(separator: "=", maxSplits: 1).map { String($0) }
      let (key, value) = (parts.first ?? "", parts.count == 2 ? parts[1] : nil)
      switch (key, value) {
      case ("on", nil): parameters.on = true
      case ("off", nil): parameters.on = false
      case ("none", nil) where order.count == 2:
        forgotten = ["on", "window", "interval", "rest_limits", "exercise_limits", "maximum_heart_rate"]
      case ("every", "none"?): forgotten.append("interval")
      case ("between", "none"?): forgotten.append("window")
      case ("max-hr", "none"?): forgotten.append("maximum_heart_rate")
      case ("every", let value?):
        guard let seconds = HubTime.seconds(value) else { throw Self.misuse(word) }
        parameters.intervalS = Int(seconds)
      case ("max-hr", let value?):
        guard let rate = Int(value) else { throw Self.misuse(word) }
        parameters.maximumHeartRate = rate
      case ("between", let value?):
        let ends = value.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { throw Self.misuse(word) }
        (parameters.begin, parameters.end) = (String(ends[0]), String(ends[1]))
      case (let limit, let value?): limits.append((limit, value))
      default: throw Self.misuse(word)
      }
    }
    if !limits.isEmpty { parameters.limits = Texts(limits) }
    if !forgotten.isEmpty { parameters.forget = forgotten }
    return parameters
  }

  private static func misuse(_ word: String) -> ValidationError {
    ValidationError(
      "an order is on, off, every=60s, between=08:00-20:00, max-hr=190 or a limit, not '\(harmless(word))'")
  }

  func run() throws {
    let session = try Session(root.options)
    let client = try session.connect()
    let found: JSON
    if let parameters = try parameters() {
      found = try client.monitoringSet(parameters).monitoring
    } else {
      if now { try noteWaiting(for: name, client) }
      found = try client.monitoring(.init(name: name, now: now), patience: now ? askingPatience : nil).monitoring
    }
    let time = try session.time(client)
    try session.show(found, code: found["reason"] == .null ? 0 : 1) { renderMonitoring(found, time, $0) }
  }
}
