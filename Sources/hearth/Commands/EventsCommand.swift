// Events: what the hub did on its own, or could not do.

import ArgumentParser
import EventLoop
import Export
import HubProtocol
import Reasons
import RingStore

struct EventsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events", abstract: "What happened, the newest last.",
    discussion: """
      Evictions, damage, clock steps, purges and the like. Each has a code: hearth explain H4101.

      \(timeForms)
      """)
  @ParentCommand var root: HearthCommand

  @Argument(help: "Only of this wearable, by name or address.")
  var name: String?

  @Option(name: .customShort("n"), help: ArgumentHelp("How many, 1 to 1000.", valueName: "n"))
  var count = 50

  @OptionGroup var times: TimeOptions

  func validate() throws {
    if !(1...1000).contains(count) { throw ValidationError("-n takes 1 to 1000, not \(count)") }
  }

  func run() throws {
    try times.check()
    let session = try Session(root.options)
    let client = try session.connectUnlessDown()
    let time = try session.time(client)
    let span = try times.span(time)
    var events: [EventDocument] =
      if let client { try client.fetch("events", of: "Events", parameters) } else { try read(session.openStore()) }
    events = Array(events.filter { isWithin($0.time, span.since, span.until) }.prefix(count))
    let shown = events
    try session.show(JSON(encoding: shown)) { render(shown, time, $0) }
    if client == nil { try session.noteOffline() }
  }

  /// Of those between two times the newest are wanted, which may lie far back.
  private var limit: Int { times.isGiven ? 1000 : count }

  private var parameters: JSON { ["limit": .integer(Int64(limit)), "name": .optional(name)] }

  private func read(_ reader: StoreReader) throws(HearthError) -> [EventDocument] {
    let events = try reader.recentEvents(EventDocument.searchLimit)
    return try EventDocument.list(
      events, limit, of: name, reader.wearables + reader.retiredWearables, reader.sampleExport(.ndjson))
  }
}
