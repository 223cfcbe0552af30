// Progress of the uplink, and the order to send rows again.

import ArgumentParser
import EventLoop
import Glibc
import HubProtocol
import Reasons
import RingStore
import StoreDocuments

struct UplinkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "uplink", abstract: "Show how far this hub's rows were sent to the message broker (uplink).",
    discussion: """
      Asks hearth-uplink, the program beside the daemon. Shows since when it is connected, the backlog in the store, \
      the rate, the last acknowledgement, and troubles with their codes. The settings are in \
      /etc/hearth/uplink.yaml. A hub without a network does not need it, and the LEDs do not show its troubles.

      hearth uplink resend --from 2h     send the last two hours again

      Exit code 0: fine. 1: something needs attention. 3: hearth-uplink does not run. 4: not allowed.
      """, subcommands: [Show.self, Resend.self], defaultSubcommand: Show.self)

  @OptionGroup var door: UplinkDoorOptions

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "status", abstract: "Show how far it is, as hearth uplink alone does.")
    @ParentCommand var root: HearthCommand
    @ParentCommand var uplink: UplinkCommand

    func run() throws {
      let session = try Session(root.options)
      let document: UplinkDocument = try uplink.ask("Status", "uplink")
      let time = session.hubTime(nil)
      try session.show(JSON(encoding: document), code: document.troubles.isEmpty ? 0 : 1) {
        render(document, time, $0)
      }
    }
  }

  struct Resend: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "resend", abstract: "Send everything from a time on once more.",
      discussion: """
        For a broker that took rows and lost them: the sink's gap report names the time. A sink stores each row \
        once, so this costs only the link's data volume. hearth uplink shows the progress.

        hearth uplink resend --from 2h

        \(timeForms)
        """)
    @ParentCommand var root: HearthCommand
    @ParentCommand var uplink: UplinkCommand

    @Option(
      name: .customLong("from"), parsing: .unconditional,
      help: ArgumentHelp("Start time, included. A date means its start.", valueName: "time"))
    var from: String

    func run() throws {
      try checkTime("--from", from)
      let session = try Session(root.options)
      let time = session.hubTime(nil)
      let moment: WallTime = try time.time(from, of: "--from")
      let order: UplinkDocument.Resend = try uplink.ask("Resend", "resend", ["from": .string(moment.rfc3339)])
      try session.show(JSON(encoding: order)) { style in
        line(style.good("order \(order.number): everything from \(time.text(order.from)) on is sent again"))
          + line("hearth uplink shows how far it is")
      }
    }
  }

  /// - Throws: `uplinkDown` if the program does not run; its own refusals as they are.
  fileprivate func ask<T: Decodable>(_ method: String, _ key: String, _ parameters: JSON = [:]) throws(HearthError) -> T
  {
    let path = door.uplinkSocket ?? UplinkInterface.socket
    do throws(HearthError) {
      return try ControlClient(path: path, interface: UplinkInterface.name).fetch(key, of: method, parameters)
    } catch {
      if error.reason == .daemonDown { throw HearthError(.uplinkDown, "no answer at \(path)") }
      throw error
    }
  }
}

/// The socket of hearth-uplink.
struct UplinkDoorOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Socket of hearth-uplink. Default: /run/hearth-uplink/uplink.sock.", valueName: "path"),
    completion: .file())
  var uplinkSocket: String?
}
