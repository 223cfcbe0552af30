// Session of a command: the socket, the store and the configuration of its hub.

import ArgumentParser
import CivilTime
import Configuration
import Glibc
import Health
import HubProtocol
import Reasons
import RingStore
import StoreDocuments

/// The command line itself is wrong: exit code 2, even if the reason has another one.
struct Misuse: Error {
  var error: HearthError
}

/// Paths and options, resolved once per command.
struct Session {
  let options: GlobalOptions
  /// The file of `--config`, or the hub's own if it is readable; nil without either.
  let configuration: Configuration?
  let socket: String
  let storePath: String

  /// - Throws: `Misuse` for a wrong file of `--config`. A wrong file of the hub itself is reported by the daemon;
  ///   defaults are used here.
  init(_ options: GlobalOptions) throws(Misuse) {
    self.options = options
    // With --hub, no hub of this machine is asked.
    if !options.hubs.isEmpty { throw FleetCall.misuse("give --hub before the command: hearth --hub a,b status") }
    if let file = options.config {
      do throws(HearthError) { configuration = try Configuration.load(path: file) } catch { throw Misuse(error: error) }
    } else {
      configuration = try? Configuration.load(path: Configuration.defaultPath)
    }
    let settings = configuration ?? Configuration()
    // The command line has precedence over the environment, and the environment over defaults.
    let fromEnvironment =
      options.config == nil
      ? getenv("HEARTH_SOCKET").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 } : nil
    socket = options.socket ?? fromEnvironment ?? settings.control.socket
    storePath = options.store ?? settings.store.path
  }

  /// - Throws: as `ControlClient`; `controlBadParameter` if `--store` forbids asking a daemon.
  func connect() throws(HearthError) -> ControlClient {
    if options.store != nil { throw daemonMissing("this is for the daemon to answer") }
    return try ControlClient(path: socket)
  }

  /// The error for `what`, which only a daemon can do: the daemon is down, or `--store` forbids asking it.
  func daemonMissing(_ what: String) -> HearthError {
    if options.store != nil { return HearthError(.controlBadParameter, "\(what), and --store asks no daemon") }
    return HearthError(.daemonDown, "\(what), and no daemon answers at \(socket)")
  }

  /// Connects to the daemon; nil if it is down and the store may be read instead (`note` says so on standard error).
  func connectUnlessDown() throws(HearthError) -> ControlClient? {
    if options.store != nil { return nil }
    do throws(HearthError) { return try connect() } catch {
      if error.reason != .daemonDown { throw error }
      return nil
    }
  }

  /// Times as the people of this hub read and write them. The zone is the daemon's; without a daemon, the
  /// configuration's; else this machine's.
  func time(_ client: ControlClient?) throws(HearthError) -> HubTime {
    guard let client else { return HubTime(zone: zone, now: wallNow()) }
    return hubTime(try client.call(Methods.Clock.name)["clock"]?["zone"]?.text)
  }

  /// The same in a zone that a document names. A zone that this machine does not know is replaced by its own.
  func hubTime(_ zoneName: String?) -> HubTime {
    HubTime(zone: zoneName.flatMap { TimeZoneRules.named($0) } ?? zone, now: wallNow())
  }

  private var zone: TimeZoneRules { (configuration ?? Configuration()).timeZone }

  /// The store itself, read-only.
  ///
  /// - Throws: that the daemon is down, if there is no store either. The daemon is the preferred source.
  func openStore() throws(HearthError) -> StoreReader {
    do throws(HearthError) {
      let reader = try StoreReader(path: storePath, options: storeOptions)
      if let trouble = reader.status.trouble {
        Output.error.say(
          "hearth: \(trouble.reason.code): \(trouble.reason.text.sentence): \(harmless(trouble.detail))\n")
      }
      return reader
    } catch {
      if options.store == nil, error.reason == .storeAbsent {
        throw HearthError(
          .daemonDown, "no daemon answers at \(socket), and \(error.detail): --store names another folder")
      }
      throw error
    }
  }

  /// Configured bounds of the rings: a store does not contain its own bounds.
  var storeOptions: StoreOptions {
    let store = (configuration ?? Configuration()).store
    func retention(_ ring: Configuration.Ring) -> Retention {
      Retention(quota: ring.quota, keep: ring.keep, whenFull: ring.whenFull == .refuse ? .refuse : .evict)
    }
    var options = StoreOptions(
      path: storePath, sizeBytes: store.size, budgetPerDay: store.budgetPerDay.map { UInt64($0) })
    options.standardRetention = retention(store.ring)
    options.timeZone = zone
    // The key of a store other than the configured one lies beside that store.
    if self.options.store == nil { options.secretsKey = store.secretsKey }
    options.credentials = nil
    for series in store.seriesWithRings { options.retention[series.id] = retention(store.ring(of: series)) }
    return options
  }

  /// Notes that the store answered instead of the daemon, also by the exit code.
  func noteOffline() throws {
    if options.store != nil { return }
    try? Output.standard.flush()
    Output.error.say("hearth: no daemon answers at \(socket); read from the store at \(storePath)\n")
    throw ExitCode(3)
  }

  /// Prints a document as JSON or as text, and ends with `code` unless it is 0.
  func show(_ json: @autoclosure () -> JSON, code: Int32 = 0, _ text: (Style) -> String) throws {
    if options.json {
      try Output.standard.write(json().pretty + "\n")
    } else {
      let style = Style.ofStandardOutput
      try Output.standard.write(folded(text(style), style.width))
    }
    if code != 0 { throw ExitCode(code) }
  }

  /// Sends one request to the daemon, and shows the answer.
  func show<Document: Encodable>(
    _ ask: (ControlClient) throws -> Document, _ text: (Document, HubTime, Style) -> String
  ) throws {
    let client = try connect()
    let document = try ask(client)
    let time = try time(client)
    try show(JSON(encoding: document)) { text(document, time, $0) }
  }
}
