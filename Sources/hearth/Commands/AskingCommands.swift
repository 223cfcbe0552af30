// Commands that ask and show.

import ArgumentParser
import EventLoop
import Glibc
import HubProtocol
import Reasons
import RingStore
import StoreDocuments

/// The clock of the machine the command runs on, which is the hub's.
func wallNow() -> WallTime {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return WallTime(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
}

struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Is the hub fine, and if not, what next.")
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
  static let configuration = CommandConfiguration(commandName: "version", abstract: "The version of this program.")
  @ParentCommand var root: HearthCommand

  func run() throws {
    let text = "hearth \(hearthVersion)\n"
    let json: JSON = ["schema": "io.hearth.version/1", "version": .string(hearthVersion)]
    try Output.standard.write(root.options.json ? json.pretty + "\n" : text)
  }
}

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "What a code such as H2102 means, and what to do.")
  @ParentCommand var root: HearthCommand

  @Argument(help: "For example H2102.", completion: .codes)
  var code: String

  func run() throws {
    guard let reason = Reason(code: code) else {
      Output.error.say("hearth: there is no reason '\(harmless(code))'; codes look like H2102\n")
      throw ExitCode(5)
    }
    try Output.standard.write(root.options.json ? json(of: reason).pretty + "\n" : render(reason))
  }
}
