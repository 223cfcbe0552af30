// `hearth-sim serve`: the hub of hearthd in real time, with its control socket, among simulated wearables.

import ArgumentParser
import Configuration
import Daemon
import Drivers
import EventLoop
import Glibc
import Logging
import RadioPool
import Reasons
import Simulation

struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Run the hub in real time among simulated wearables, for hearth to query.",
    discussion: """
      Does what hearthd does, without LEDs, and answers all its commands: hearth --socket PATH. The seed decides \
      which wearables there are and when each comes; the clock is the machine's. Ends with SIGINT or SIGTERM. \
      Without --store and --socket, both are in a temporary folder.

      hearth-sim serve --population gym --socket /tmp/gym.sock

      Exit codes: 0 ended. 1 could not start (store, socket). 2 configuration refused. 64 arguments refused.
      """)

  @Option(
    help: """
      Straps, insoles, bands and sensors that come and go (gym). Bands, straps and watches worn all day (ward). \
      Straps that come at about the same time, with four adapters (class). Straps that are not enrolled (straps).
      """)
  var population: ServedWorld.Population = .gym
  @Option(help: ArgumentHelp("Number of wearables: 0 to 500.", valueName: "n"))
  var wearables: Int = 9
  @Option(
    help: ArgumentHelp(
      "Number of adapters, 1 to 8: of 8, 7, 5 and 20 links in turn. Usually 1; class: 4; straps: enough.",
      valueName: "n"))
  var adapters: Int?
  @Option(help: "Seed: decides which wearables there are, and when each comes.")
  var seed: UInt64 = 1
  @Option(help: ArgumentHelp("Control socket.", valueName: "path"))
  var socket: String?
  @Option(help: ArgumentHelp("Folder of the store.", valueName: "path"))
  var store: String?
  @Option(
    help: ArgumentHelp(
      "Configuration file as for hearthd, in place of one that suits the population.", valueName: "file"))
  var config: String?
  @Flag(help: "Print the hub's log as it comes.")
  var verbose = false

  func validate() throws {
    if !(0...500).contains(wearables) { throw ValidationError("--wearables takes 0 to 500, not \(wearables)") }
    if let adapters, !(1...RadioPool.limit).contains(adapters) {
      throw ValidationError("--adapters takes 1 to \(RadioPool.limit), not \(adapters)")
    }
  }

  func run() throws {
    var settings: Configuration
    do {
      settings =
        try config.map { path throws(HearthError) in try Configuration.load(path: path) } ?? Self.suitable(population)
    } catch {
      complain(error)
      throw ExitCode(2)
    }
    let scratch = config == nil && (store == nil || socket == nil) ? ScratchDirectory() : nil
    if let store = store ?? scratch.map({ $0.path + "/store" }) { settings.store.path = store }
    if let socket = socket ?? scratch.map({ $0.path + "/hearth.sock" }) { settings.control.socket = socket }
    if verbose { settings.log.level = .debug }
    LoggingSystem.bootstrap { _ in JournalLog() }
    JournalLog.setLevel(settings.log.level)
    do {
      try withExtendedLifetime(scratch) { try serve(settings) }
    } catch let error as HearthError {
      complain(error)
      throw ExitCode(1)
    }
  }

  private func serve(_ settings: Configuration) throws {
    let command = self
    _ = try EpollLoop.run { loop in
      let served = ServedWorld(loop, command.population, wearables: command.wearables, seed: command.seed)
      var parts = DaemonParts(drivers: Drivers.registry) { _, _, _ in
        served.world.makeRadio(served.radioOptions(command.adapters), loop).radio
      }
      parts.configurationPath = command.config
      // Data that virtual wearables lose is no loss.
      parts.looksAtMedium = false
      parts.seed = command.seed
      parts.prepare = { try await served.enrol(in: $0) }
      parts.onServing = { command.greet(settings, served) }
      return try await DaemonRun(loop, settings, board: nil, parts).run()
    }
  }

  /// A hub for demonstrations: samples are durable after two seconds, and wearables are visited every few minutes. At
  /// that pace it writes a gigabyte a day, beyond any budget of a card.
  static func suitable(_ population: ServedWorld.Population) -> Configuration {
    var settings = Configuration(preset: population == .ward ? .ward : .gym)
    settings.hub.name = population.rawValue
    settings.store.size = 256_000_000
    settings.store.commitEvery = .seconds(2)
    settings.store.budgetPerDay = nil
    settings.lane.visitBound = .seconds(180)
    settings.lane.fresh = .seconds(30)
    // Joining is allowed even with a ward's preset, which closes it.
    settings.enrolment.mode = .window
    // Keys are made at the first visit, as known wearables were enrolled without one.
    settings.enrolment.pairing = .always
    settings.log.level = .warning
    return settings
  }

  @LoopActor
  private func greet(_ settings: Configuration, _ served: ServedWorld) {
    let names = served.residents.map(\.name)
    let named = ["insole-", "band-", "strap-"].compactMap { start in names.first { $0.hasPrefix(start) } }
    var words = ["", "devices", "visits"]
    words += named.first.map { ["custody \($0)", "link \($0)"] } ?? []
    words += ["led explain"] + (named.last.map { ["live \($0)"] } ?? [])
    print("serving a \(population.rawValue) with \(wearables) wearables, seed \(seed); type first:")
    for word in words {
      print("  \(Self.hearth) --socket \(settings.control.socket)\(word.isEmpty ? "" : " \(word)")")
    }
    fflush(nil)
  }

  /// The command line beside this program, if there is one.
  private static let hearth: String = {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    guard count > 0, let slash = buffer[..<count].lastIndex(of: UInt8(ascii: "/")) else { return "hearth" }
    let path = String(decoding: buffer[...slash], as: UTF8.self) + "hearth"
    return access(path, X_OK) == 0 ? path : "hearth"
  }()

  private func complain(_ error: HearthError) {
    var text = "hearth-sim: \(error)\n"
    if !error.reason.text.next.isEmpty { text += "      next: \(error.reason.text.next)\n" }
    text.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
  }
}
