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
    discussion: "Evictions, damage, clock steps, purges and the like. Each has a code: hearth explain H4101.")
  @ParentCommand var root: HearthCommand

  @Argument(help: "Only of this wearable, by name or address.")
  var name: String?

  @Option(name: .customShort("n"), help: ArgumentHelp("How many, 1 to 1000.", valueName: "n"))
  var count = 50

  func validate() throws {
    if !(1...1000).contains(count) { throw ValidationError("-n takes 1 to 1000, not \(count)") }
  }

  func run() throws {
    let session = try Session(root.options)
    let client = try session.connectUnlessDown()
    let events: [EventDocument] =
      if let client { try client.fetch("events", of: "Events", parameters) } else { try read(session.openStore()) }
    try session.show(JSON(encoding: events)) { render(events, $0) }
    if client == nil { try session.noteOffline() }
  }

  private var parameters: JSON { ["limit": .integer(Int64(count)), "name": .optional(name)] }

  private func read(_ reader: StoreReader) throws(HearthError) -> [EventDocument] {
    let events = try reader.recentEvents(EventDocument.searchLimit)
    return try EventDocument.list(
      events, count, of: name, reader.wearables + reader.retiredWearables, reader.sampleExport(.ndjson))
  }
}
