// Commands that query and show.

import ArgumentParser
import EventLoop
import Glibc
import HubProtocol
import Reasons
import RingStore
import StoreDocuments

/// Clock of the machine on which the command runs, which is the hub.
func wallNow() -> WallTime {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return WallTime(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
}

struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show whether the hub is well, and the next step.",
    discussion: """
      The same as hearth alone. Exit code 0: fine. 1: something needs attention.

      hearth status --json     the same as a JSON document
      """)
  @ParentCommand var root: HearthCommand

  func run() throws {
    let session = try Session(root.options)
    let status = try session.connect().status().status
    try session.show(JSON(encoding: status), code: needsAttention(status) ? 1 : 0) {
      render(status, session.hubTime(status.clock.zone), $0, verbose: root.options.verbose)
    }
  }
}

struct VersionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "version", abstract: "Print the version of this program.",
    discussion: """
      hearth version --json    the same as a JSON document
      """)
  @ParentCommand var root: HearthCommand

  func run() throws {
    let text = "hearth \(hearthVersion)\n"
    let json: JSON = ["schema": "io.hearth.version/1", "version": .string(hearthVersion)]
    try Output.standard.write(root.options.json ? json.pretty + "\n" : text)
  }
}

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Explain a code such as H2102: meaning, effect and next step.",
    discussion: """
      Needs no daemon. Codes stand in events, in the log and in every message of an error.

      hearth explain H2102     what this code means
      """)
  @ParentCommand var root: HearthCommand

  @Argument(help: "A code such as H2102.", completion: .codes)
  var code: String

  func run() throws {
    guard let reason = Reason(code: code) else {
      Output.error.say("hearth: there is no reason '\(harmless(code))'; codes look like H2102\n")
      throw ExitCode(5)
    }
    try Output.standard.write(root.options.json ? json(of: reason).pretty + "\n" : render(reason))
  }
}
