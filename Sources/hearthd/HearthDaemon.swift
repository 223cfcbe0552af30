// Main program of the daemon: arguments, configuration, one loop.

import ArgumentParser
import Configuration
import Daemon
import Drivers
import EventLoop
import Glibc
import Lights
import LinuxBluetooth
import Logging
import Reasons

@main
struct HearthDaemon: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hearthd",
    abstract: "Daemon of a Hearth hub: collects measurements of Bluetooth wearables.",
    discussion: """
      Hears wearables, keeps links to the enrolled ones, stores their measurements and shows its state on lights \
      (LEDs). Runs in the foreground; systemd starts it. SIGTERM stops it cleanly, SIGHUP reloads the configuration.

      hearthd --config /etc/hearth/hearth.yaml     what systemd runs

      Exit codes: 0 stopped cleanly. 1 could not start (store, socket). 2 configuration refused. 3 the radio could \
      not be revived, and a new start may help (systemd makes one). 64 arguments refused.
      """,
    version: hearthVersion)

  @Option(help: ArgumentHelp("Configuration file.", valueName: "file"))
  var config: String = "/etc/hearth/hearth.yaml"

  @Option(
    help: ArgumentHelp(
      "Write whether the kernel's clock is synchronised to this file, and end (hearth-clock.service).",
      valueName: "file"
    ))
  var tellClock: String?

  func run() throws {
    if let tellClock {
      if !ClockWord(path: tellClock).tell() { throw ExitCode(1) }
      return
    }
    // The hub has keys in its memory, so core files are disabled, also if the unit does not do it.
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    let settings: Configuration
    let board: Result<Board, HearthError>?
    do {
      settings = try Configuration.load(path: config)
      board = try Board.wanted(by: settings)
    } catch {
      complain(error)
      throw ExitCode(2)
    }
    LoggingSystem.bootstrap { _ in JournalLog() }
    JournalLog.setLevel(settings.log.level)
    let path = config
    let radioIsGone: Bool
    do {
      radioIsGone = try EpollLoop.run { loop in
        var radios: KernelRadios?
        var parts = DaemonParts(drivers: Drivers.registry) {
          let made = KernelRadios($0, loop: loop, $1, giveUp: $2)
          radios = made
          return made.pool
        }
        parts.configurationPath = path
        // The lab's stores are in memory, and its wearables are virtual.
        parts.looksAtMedium = getenv("HEARTH_ANY_MEDIUM") == nil
        parts.updateRecordPath = "/var/lib/hearth-update/trial"
        parts.watchTakeovers = { _, tell in radios?.onTakenOver = { tell($0.since, $0.program) } }
        return try await DaemonRun(loop, settings, board: board, parts).run()
      }
    } catch let error as HearthError {
      complain(error)
      throw ExitCode(1)
    }
    if radioIsGone { throw ExitCode(3) }
  }

  private func complain(_ error: HearthError) {
    var text = "hearthd: \(error)\n"
    if !error.reason.text.next.isEmpty { text += "      next: \(error.reason.text.next)\n" }
    text.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
  }
}
