// Where a command finds its hub: the socket, the store, the configuration.

import ArgumentParser
import CivilTime
import Configuration
import Glibc
import Health
import HubProtocol
import Reasons
import RingStore
import StoreDocuments

/// The command itself was given something wrong: exit code 2, whatever the reason says elsewhere.
struct Misuse: Error {
  var error: HearthError
}

/// Resolved once for a command.
struct Session {
  let options: GlobalOptions
  /// The file of `--config`, or the hub's own where it is readable; nil where there is neither.
  let configuration: Configuration?
  let socket: String
  let storePath: String

  /// - Throws: `Misuse` for a file of `--config` that is wrong. A wrong file of the hub itself is the daemon's to
  ///   report; defaults serve here.
  init(_ options: GlobalOptions) throws(Misuse) {
    self.options = options
    // With --hub nothing is asked here.
    if !options.hubs.isEmpty { throw FleetCall.misuse("--hub stands before the command: hearth --hub a,b status") }
    if let file = options.config {
      do throws(HearthError) { configuration = try Configuration.load(path: file) } catch { throw Misuse(error: error) }
    } else {
      configuration = try? Configuration.load(path: Configuration.defaultPath)
    }
    let settings = configuration ?? Configuration()
    // What is named on the command line wins over the environment, and that over what is merely there.
    let fromEnvironment =
      options.config == nil
      ? getenv("HEARTH_SOCKET").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 } : nil
    socket = options.socket ?? fromEnvironment ?? settings.control.socket
    storePath = options.store ?? settings.store.path
  }

  /// - Throws: as `ControlClient`; `controlBadParameter` where `--store` says to ask no daemon.
  func connect() throws(HearthError) -> ControlClient {
    if options.store != nil { throw daemonMissing("this is for the daemon to answer") }
    return try ControlClient(path: socket)
  }

  /// Why there is no daemon for `what`, which only it can do: it is down, or the command was told not to ask it.
  func daemonMissing(_ what: String) -> HearthError {
    if options.store != nil { return HearthError(.controlBadParameter, "\(what), and with --store none is asked") }
    return HearthError(.daemonDown, "\(what), and none answers at \(socket)")
  }

  /// Asks the daemon; nil if it is down and the store may be read instead (`note` says so on standard error).
  func connectUnlessDown() throws(HearthError) -> ControlClient? {
    if options.store != nil { return nil }
    do throws(HearthError) { return try connect() } catch {
      if error.reason != .daemonDown { throw error }
      return nil
    }
  }

  /// Times as this hub's people read and write them. The daemon says its zone; without one the configuration does, else
  /// this machine.
  func time(_ client: ControlClient?) throws(HearthError) -> HubTime {
    guard let client else { return HubTime(zone: zone, now: wallNow()) }
    return hubTime(try client.call(Methods.Clock.name)["clock"]?["zone"]?.text)
  }

  /// The same in a zone that a document names; one that this machine does not know is its own.
  func hubTime(_ zoneName: String?) -> HubTime {
    HubTime(zone: zoneName.flatMap { TimeZoneRules.named($0) } ?? zone, now: wallNow())
  }

  private var zone: TimeZoneRules { (configuration ?? Configuration()).timeZone }

  /// The store itself, read-only.
  ///
  /// - Throws: with no daemon and no store, that the daemon is down: the store is only second best.
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
        throw HearthError(.daemonDown, "no daemon answers at \(socket), and \(error.detail)")
      }
      throw error
    }
  }

  /// The bounds of the rings as configured: a store does not know its own.
  var storeOptions: StoreOptions {
    let store = (configuration ?? Configuration()).store
    func retention(_ ring: Configuration.Ring) -> Retention {
      Retention(quota: ring.quota, keep: ring.keep, whenFull: ring.whenFull == .refuse ? .refuse : .evict)
    }
    var options = StoreOptions(
      path: storePath, sizeBytes: store.size, budgetPerDay: store.budgetPerDay.map { UInt64($0) })
    options.standardRetention = retention(store.ring)
    options.timeZone = zone
    // Of another store than the configured one the key lies beside it.
    if self.options.store == nil { options.secretsKey = store.secretsKey }
    options.credentials = nil
    for series in store.seriesWithRings { options.retention[series.id] = retention(store.ring(of: series)) }
    return options
  }

  /// Said when the store answered in place of the daemon; the exit code says it too.
  func noteOffline() throws {
    if options.store != nil { return }
    try? Output.standard.flush()
    Output.error.say("hearth: no daemon answers at \(socket); read from the store at \(storePath)\n")
    throw ExitCode(3)
  }

  /// Prints a document as JSON or as text, and ends with `code` if it is not 0.
  func show(_ json: @autoclosure () -> JSON, code: Int32 = 0, _ text: (Style) -> String) throws {
    if options.json {
      try Output.standard.write(json().pretty + "\n")
    } else {
      let style = Style.ofStandardOutput
      try Output.standard.write(folded(text(style), style.width))
    }
    if code != 0 { throw ExitCode(code) }
  }

  /// Asks the daemon once, and shows what it answers.
  func show<Document: Encodable>(
    _ ask: (ControlClient) throws -> Document, _ text: (Document, HubTime, Style) -> String
  ) throws {
    let client = try connect()
    let document = try ask(client)
    let time = try time(client)
    try show(JSON(encoding: document)) { text(document, time, $0) }
  }
}
