// A sync of a wearable, or of all: its order, its progress, and the result for each kind of data.

import ArgumentParser
import EventLoop
import Glibc
import HubProtocol
import Reasons
import StoreDocuments

struct SyncCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Fetch recorded data from a wearable now (sync): all of it or some kinds.",
    discussion: """
      hearth sync band-07                    everything that is not stored yet
      hearth sync band-07 sleep              one kind of data
      hearth sync band-07 heart_rate ppi     all that may have these series
      hearth sync --all --since yesterday    all present wearables, since then

      The answer for everything lists the kinds of data, such as recordings and trainings. The command shows the \
      progress and waits for the end. After Ctrl-C the hub goes on, also after a restart. A kind of data that fails \
      does not end the others.

      Items that a wearable lists are fetched if they are not stored, even if later ones are. The options --since \
      and --until select items by the time of their measurement. Items without that time are fetched too.

      Exit code 0: all fetched, or already stored. 1: something failed, or with --all no wearable was synced. 2: not \
      available. 6: busy, or a sync runs already.

      \(timeForms)
      """)
  @ParentCommand var root: HearthCommand

  @Argument(
    help: "A wearable by name or address (without --all); then kinds of data, or series.",
    completion: .wearableThenSeries)
  var words: [String] = []

  @Flag(help: "All enrolled wearables that are present.")
  var all = false

  @Flag(help: "Only automatic measurements, not those that a person began.")
  var automaticOnly = false

  @Flag(help: "Only show the running sync, or the result of the last one.")
  var last = false

  @OptionGroup var times: TimeOptions

  func validate() throws {
    if !all, words.isEmpty { throw ValidationError("which wearable? Or all that are here: --all") }
    if last, all || automaticOnly || times.isGiven || words.count > 1 {
      throw ValidationError("--last takes only the name of one wearable")
    }
  }

  func run() throws {
    try times.check()
    let session = try Session(root.options)
    let client = try session.connect()
    let time = try session.time(client)
    var result = SyncResult()
    if last {
      result.syncs += [try newest(client)].compactMap { $0 }
    } else {
      let span = try times.span(time)
      let names = try order(client, from: span.since, until: span.until, &result)
      for name in names { result.syncs += [try SyncWatch(session).wait(for: name)].compactMap { $0 } }
    }
    let shown = result
    try session.show(shown.json, code: shown.exitStatus) { render(shown, time, $0) }
  }

  /// The running sync, or the last one.
  private func newest(_ client: ControlClient) throws -> SyncDocument? {
    var found: SyncDocument?
    try client.stream(Methods.SyncWatch.self, .init(name: words[0])) { reply in
      found = reply.sync
      return false
    }
    return found
  }

  /// Orders all syncs first, so that the hub runs one after the other.
  ///
  /// - Returns: names of the accepted wearables.
  private func order(
    _ client: ControlClient, from since: WallTime?, until: WallTime?, _ result: inout SyncResult
  ) throws -> [String] {
    let kinds = Array(words.dropFirst(all ? 0 : 1))
    func order(_ name: String) throws(HearthError) -> SyncDocument {
      try client.syncNow(
        .init(
          name: name, series: kinds.isEmpty ? nil : kinds, since: since?.rfc3339, until: until?.rfc3339,
          automaticOnly: automaticOnly)
      ).sync
    }
    if !all { return [try order(words[0]).device] }
    let devices = try client.devices().devices
    var names: [String] = []
    for device in devices where device.enrolled {
      do throws(HearthError) { names.append(try order(device.name).device) } catch {
        // A wearable that is absent, has no such data, or is being synced already does not end the others.
        guard [.notLinked, .requestUnsupported, .syncRunning, .driverMissing].contains(error.reason) else {
          throw error
        }
        result.skipped.append((device.name, error))
      }
    }
    return names
  }
}

/// Result of several syncs.
struct SyncResult {
  var syncs: [SyncDocument] = []
  /// Wearables without a sync, with the reason.
  var skipped: [(device: String, error: HearthError)] = []

  var json: JSON {
    let skipped = skipped.map { skip -> JSON in
      ["device": .string(skip.device), "reason": JSON(encoding: TroubleDocument(skip.error))]
    }
    return ["schema": "io.hearth.synced/1", "syncs": JSON(encoding: syncs), "skipped": .array(skipped)]
  }

  /// 0 done, 6 busy, 1 anything else.
  var exitStatus: Int32 {
    if syncs.isEmpty { return skipped.isEmpty ? 0 : 1 }
    if syncs.count == 1, syncs[0].reason?.code == Reason.visitBusy.code { return 6 }
    return syncs.contains { $0.reason != nil || $0.domains.contains { $0.state == .failed } } ? 1 : 0
  }
}

/// Waits for a sync.
struct SyncWatch {
  private let session: Session

  init(_ session: Session) { self.session = session }

  /// - Returns: the sync at its end; nil without one.
  func wait(for name: String) throws -> SyncDocument? {
    var last: SyncDocument?
    var progress = ShownProgress(isQuiet: session.options.json)
    let interruption = Interruption()
    defer { interruption.end() }
    let client = try session.connect()
    try client.stream(Methods.SyncWatch.self, .init(name: name), tick: 250, pause: { !interruption.came }) { reply in
      last = reply.sync
      if let sync = last, !progress.show({ $0.draw(progressText(sync, isFine: $0.isTerminal)) }) { return false }
      return !interruption.came
    }
    try progress.end()
    guard interruption.came, last?.ended == nil else { return last }
    try Output.standard.flush()
    Output.error.say("hearth: what was ordered goes on; see: hearth sync \(harmless(name)) --last\n")
    interruption.end()
    raise(SIGINT)
    // Ctrl-C is ignored, as in a script's background job.
    throw ExitCode(128 + SIGINT)
  }
}
