// Lasting orders for a wearable, and its own report. The orders are in `OrderingCommands.swift`.

import ArgumentParser
import HubProtocol
import Reasons

struct SettingsCommand: ParsableCommand {
  /// Forms of the command, for the error after wrong words too.
  private static let forms = """
    hearth settings <name> [--orders]
    hearth settings <name> set streams|rates|features-off LIST|none
    hearth settings <name> set <setting> VALUE|none
    hearth settings <name> set measure "every=4h seconds=60"|none
    hearth settings <name> set phases LIST|all|none
    hearth settings <name> set visit-at "07:00,19:00"|never|none
    hearth settings <name> set secret [--generate] [--secret-file <file>]
    hearth settings <name> set secret none
    """

  static let configuration = CommandConfiguration(
    commandName: "settings", abstract: "Show the orders for a wearable (settings) and its own report; change orders.",
    usage: forms,
    discussion: """
      Orders last until they are changed, and are read back at each visit. The report is read from the wearable now. \
      If it has no link, it is visited first, which takes up to three minutes.

      hearth settings band-07 --orders                only the orders
      hearth settings band-07 set streams acc,ppi     series to stream live
      """,
    subcommands: [Show.self, Order.self], defaultSubcommand: Show.self)
  @ParentCommand var root: HearthCommand

  @Argument(help: "Name or address of the wearable.", completion: .wearables)
  var name: String

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show orders and the wearable's own report.", usage: forms)
    @ParentCommand var settings: SettingsCommand

    @Flag(help: "Show only the orders; the wearable is not asked.")
    var orders = false

    func run() throws {
      let session = try Session(settings.root.options)
      let client = try session.connect()
      let orders = try client.orders(.init(name: settings.name)).orders
      let time = try session.time(client)
      if self.orders { return try session.show(JSON(encoding: orders)) { render(orders, $0, in: time) } }
      try noteWaiting(for: settings.name, client)
      var reports: [ReportDocument] = []
      var refusal: HearthError?
      do throws(HearthError) {
        if let said = try report("settings", client) { reports.append(said) }
        // Orders beside the resulting state.
        if !orders.streams.isEmpty, let said = try report("streams", client) { reports.append(said) }
      } catch { refusal = error }
      func document(_ topic: String) -> JSON { reports.first { $0.topic == topic }.map { JSON(encoding: $0) } ?? .null }
      let json: JSON = [
        "schema": "io.hearth.settings/1", "orders": JSON(encoding: orders), "report": document("settings"),
        "streams": document("streams"),
        "reason": refusal.map { JSON(encoding: TroubleDocument($0)) } ?? .null,
      ]
      try session.show(json, code: refusal?.reason.exitStatus ?? 0) { style in
        let none = reports.isEmpty && refusal == nil ? ["it reports no values of its own\n"] : []
        let refused = refusal.map { [render($0)] } ?? []
        return ([render(orders, style, in: time)] + reports.map { renderReport($0, style) } + none + refused).joined(
          separator: "\n")
      }
    }

    /// nil if it has no such report, which is no error.
    private func report(_ topic: String, _ client: ControlClient) throws(HearthError) -> ReportDocument? {
      do throws(HearthError) {
        return try client.report(.init(name: settings.name, topic: topic), patience: askingPatience).report
      } catch {
        if error.reason != .requestUnsupported { throw error }
        return nil
      }
    }
  }
}
