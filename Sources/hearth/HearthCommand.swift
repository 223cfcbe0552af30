// The command line of a hub, which a technician types over SSH.

import ArgumentParser
import Configuration
import EventLoop
import Glibc
import HubProtocol
import Reasons
import StoreDocuments

@main
struct HearthCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hearth",
    abstract: "Show and operate a Hearth hub: wearables, samples, store and radio.",
    discussion: """
      A hub visits its enrolled wearables (straps, insoles, bands), fetches their recordings and listens to their \
      live values. All samples are in its store, on its SD card.

      hearth                   whether all is well, and the next step
      hearth watch             the same on a full screen, updated live
      hearth explain H2102     what a code means, and what to do
      hearth explain battery   commands and codes for a word
      hearth doctor            checks of this machine, with fixes

      Without the daemon (hearthd), these commands read the store themselves: store, export, items, measurements, \
      days, coverage, report, events, visits, custody, access and bond.

      --hub runs a command that only reads on several hubs over SSH, in parallel. Examples are status, devices, \
      events and doctor:

      hearth --hub gym-a,gym-b status

      The exit code is then the most severe of all, in this order: 3, 4, 2, 7, 6, 5, 1. A hub that does not answer \
      counts as 3.

      Exit codes: 0 fine. 1 answered, but something needs attention. 2 wrong usage. 3 the daemon does not run (with \
      an answer from the store, if there is one). 4 not allowed. 5 not found. 6 busy. 7 refused because data would \
      be lost.
      """,
    version: "hearth \(hearthVersion)",
    subcommands: [
      StatusCommand.self, WatchCommand.self, DevicesCommand.self, DeviceCommand.self, LiveCommand.self,
      EnrollCommand.self,
      VisitsCommand.self, VisitCommand.self, SyncCommand.self,
      CustodyCommand.self, LinkCommand.self, ClockCommand.self, RadioCommand.self, PairCommand.self,
      RecordingsCommand.self, SettingsCommand.self,
      MonitorCommand.self, MeasureCommand.self, TrainingCommand.self,
      ActionCommand.self, AlertsCommand.self, MuteCommand.self, UnmuteCommand.self, WearerCommand.self,
      StoreCommand.self, ExportCommand.self,
      ItemsCommand.self, MeasurementsCommand.self,
      DaysCommand.self,
      CoverageCommand.self, ReportCommand.self, UplinkCommand.self, UpdateCommand.self,
      EventsCommand.self, LogCommand.self, AccessCommand.self, BondCommand.self, BackupCommand.self,
      RestoreCommand.self, LedCommand.self, ConfigCommand.self, SetupCommand.self, DoctorCommand.self,
      ExplainCommand.self,
      VersionCommand.self,
    ],
    defaultSubcommand: StatusCommand.self)

  @OptionGroup(title: "Options of every command")
  var options: GlobalOptions

  /// Runs `arguments` and ends the process with the exit code of the result.
  static func main() {
    // A reader that has left (`| head`) is detected by write, not by a signal.
    signal(SIGPIPE, SIG_IGN)
    if let word = unknownCommand(Array(CommandLine.arguments.dropFirst())) {
      let names = configuration.subcommands.compactMap { $0.configuration.commandName }
      Output.error.say(
        "hearth: there is no command '\(harmless(word))'\(hint(nearMiss(word, among: names))); see hearth --help\n")
      exit(withCode: 2)
    }
    do {
      let arguments = Array(CommandLine.arguments.dropFirst())
      var command = try parseAsRoot(arguments)
      try refuseRepeatedOptions(arguments, of: type(of: command))
      if let call = try FleetCall(arguments) {
        try FleetCommand.run(call)
      } else {
        try command.run()
      }
    } catch let error as HearthError {
      complain(error)
      exit(withCode: error.reason.exitStatus)
    } catch let misuse as Misuse {
      complain(misuse.error)
      exit(withCode: 2)
    } catch is ReaderGone {
      exit(withCode: 0)
    } catch let code as ExitCode {
      exit(withCode: code.rawValue)
    } catch {
      // ArgumentParser uses 64 (EX_USAGE) for usage errors.
      let code = exitCode(for: error)
      let message = fullMessage(for: error)
      if code == .success { Output.standard.say(message) } else { Output.error.say(message) }
      exit(withCode: code == .success ? 0 : 2)
    }
    exit(withCode: 0)
  }

  /// The first word if it is no command. ArgumentParser would complain about an argument of the default command.
  static func unknownCommand(_ arguments: [String]) -> String? {
    // A shell asks for completions of another command line.
    if arguments.first == "---completion" { return nil }
    var rest = arguments[...]
    while let word = rest.popFirst() {
      if optionsWithValues.contains(word) {
        _ = rest.popFirst()
      } else if !word.hasPrefix("-") {
        return word == "help" || configuration.subcommands.contains { $0.configuration.commandName == word }
          ? nil : word
      }
    }
    return nil
  }

  private static let optionsWithValues = [
    "--socket", "--store", "--config", "--hub", "--within", "--ssh-config", "--generate-completion-script",
  ]

  private static func exit(withCode code: Int32) -> Never {
    try? Output.standard.flush()
    Glibc.exit(code)
  }
}

/// A span of time, for commands that show measurements.
struct TimeOptions: ParsableArguments {
  @Option(
    parsing: .unconditional, help: ArgumentHelp("Start time, included. A date means its start.", valueName: "time"))
  var since: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("End time, not included. A date means its end.", valueName: "time"))
  var until: String?

  var isGiven: Bool { since != nil || until != nil }

  /// - Throws: `Misuse` for text that is no time in any zone, before the hub or a person is asked.
  func check() throws(Misuse) {
    try checkTime("--since", since)
    try checkTime("--until", until)
  }

  /// Begin (included) and end (not included), in the hub's zone.
  ///
  /// - Throws: `timeNotUnderstood`; `controlBadParameter` for an end that is not later than its begin.
  func span(_ time: HubTime) throws(HearthError) -> (since: WallTime?, until: WallTime?) {
    let span: (since: WallTime?, until: WallTime?) = (
      try time.time(since, of: "--since"), try time.time(until, .end, of: "--until")
    )
    guard let begin = span.since, let end = span.until, end <= begin else { return span }
    throw HearthError(
      .controlBadParameter, "--until (\(time.text(end))) is not later than --since (\(time.text(begin)))")
  }
}

/// Help about times, for each command with times.
let timeForms = """
  TIME is one of \(HubTime.forms). Times are in the zone of the hub, which hearth clock names; a date is the whole \
  local day, also when clocks change.
  """

/// - Throws: `Misuse` for text that is no time in any zone.
func checkTime(_ option: String, _ text: String?) throws(Misuse) {
  do throws(HearthError) { _ = try HubTime(zone: .utc, now: wallNow()).time(text, of: option) } catch {
    throw Misuse(error: error)
  }
}

/// Options of every command, before or after its name.
struct GlobalOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Socket of the hub's daemon. Default: HEARTH_SOCKET, else the configuration's.", valueName: "path"),
    completion: .file())
  var socket: String?

  @Option(
    help: ArgumentHelp("Read the store in this folder instead of asking the daemon.", valueName: "path"),
    completion: .directory)
  var store: String?

  @Option(
    help: ArgumentHelp("Read the paths of socket and store from this configuration file.", valueName: "file"),
    completion: .file(extensions: ["yaml"]))
  var config: String?

  @Option(
    name: .customLong("hub"),
    help: ArgumentHelp(
      "Run on these hubs over SSH (names in ~/.ssh/config). Sockets and files are theirs.", valueName: "a,b,c"),
    completion: .hubs)
  var hubs: [String] = []

  @Option(
    help: ArgumentHelp("With --hub: timeout for all of them, 1s to 10m. Default: 60s.", valueName: "time"))
  var within: String?

  @Option(
    help: ArgumentHelp("With --hub: settings of ssh, in place of ~/.ssh/config.", valueName: "file"),
    completion: .file())
  var sshConfig: String?

  @Flag(help: "Print one JSON document; exports and live values print one object a line.")
  var json = false

  @Flag(help: "Never ask for input or agreement.")
  var noInput = false

  @Flag(name: .shortAndLong, help: "Also print addresses and counters.")
  var verbose = false

  func validate() throws {
    if hubs.isEmpty, within != nil || sshConfig != nil {
      throw ValidationError("--within and --ssh-config belong to --hub")
    }
  }
}

/// Checks a number of lines against the limit of one answer of the hub.
///
/// - Throws: `ValidationError` unless it is 1 to 1000.
func refuseCount(_ count: Int, of option: String) throws {
  if !(1...1000).contains(count) { throw ValidationError("\(option) takes 1 to 1000, not \(count)") }
}
