// A sync of one wearable, or of all: ordered, waited for, and what came of each kind of data.

import ArgumentParser
import EventLoop
import Glibc
import HubProtocol
import Reasons
import StoreDocuments

struct SyncCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Fetch what a wearable keeps now, all of it or some kinds of data.",
    discussion: """
      hearth sync band-07                    everything, on from what is stored
      hearth sync band-07 sleep              one kind of data; recordings, trainings: see the answer for all
      hearth sync band-07 heart_rate ppi     whatever may bring these series
      hearth sync --all --since yesterday    all that are here, what was measured since

      Waits until it is over and shows how far it is. Ctrl-C leaves it to the hub, which goes on, also when it is \
      started anew. A kind of data that fails does not end the others. What a wearable lists item by item is fetched \
      where it is not stored, whatever was stored after it; --since and --until choose by when an item was measured, \
      and what does not say that comes too.

      Exit code 0: all came, or nothing is new. 1: something failed, or with --all nobody was synced. 2: it cannot be \
      had. 6: it is being synced, or is busy.

      \(timeForms)
      """)
  @ParentCommand var root: HearthCommand

  @Argument(
    help: "A wearable, by name or address, without --all; then kinds of data, or series.",
    completion: .wearableThenSeries)
  var words: [String] = []

  @Flag(help: "All that are enrolled and here.")
  var all = false

  @Flag(help: "Only what it measures by itself, not what somebody began.")
  var automaticOnly = false

  @Flag(help: "Order nothing: how far the one that runs is, or what came of the last one.")
  var last = false

  @OptionGroup var times: TimeOptions

  func validate() throws {
    if !all, words.isEmpty { throw ValidationError("which wearable? Or all that are here: --all") }
    if last, all || automaticOnly || times.isGiven || words.count > 1 {
      throw ValidationError("--last takes the name of one wearable and nothing else")
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

  /// The one that runs, or the last one.
  private func newest(_ client: ControlClient) throws -> SyncDocument? {
    var found: SyncDocument?
    try client.stream(Methods.SyncWatch.self, .init(name: words[0])) { reply in
      found = reply.sync
      return false
    }
    return found
  }

  /// Orders all of them, so that the hub takes one after the other.
  ///
  /// - Returns: names of those that were taken.
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
        // One that is away, keeps nothing of this, or is being synced does not end the others.
        guard [.notLinked, .requestUnsupported, .syncRunning, .driverMissing].contains(error.reason) else {
          throw error
        }
        result.skipped.append((device.name, error))
      }
    }
    return names
  }
}

/// What came of a sync of several.
struct SyncResult {
  var syncs: [SyncDocument] = []
  /// Who was not synced, and why.
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

/// Waits for one sync.
struct SyncWatch {
  private let session: Session

  init(_ session: Session) { self.session = session }

  /// - Returns: the sync as it ended; nil where there is none.
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
    // It is ignored, as of what a script runs in the background.
    throw ExitCode(128 + SIGINT)
  }
}
