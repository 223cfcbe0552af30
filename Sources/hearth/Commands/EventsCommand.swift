// Events: actions and failures of the hub.

import ArgumentParser
import EventLoop
import Export
import HubProtocol
import Reasons
import RingStore
import StoreDocuments

struct EventsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events", abstract: "List events of the hub, newest last: lost links, failed visits, restarts.",
    discussion: """
      Events are lost and regained links, failed visits, missing wearables, radio troubles, evictions, damage, clock \
      steps and purges. A start of the hub also says how the run before ended. Each event has a code: hearth explain \
      H2109. Repetitions within an hour are one event with a count.

      hearth events --code H21xx --since yesterday

      \(timeForms)
      """)
  @ParentCommand var root: HearthCommand

  @Argument(help: "Only events of this wearable, by name or address.", completion: .wearables)
  var name: String?

  @Option(
    help: ArgumentHelp("The same as the argument, as in other commands.", valueName: "name"), completion: .wearables)
  var device: String?

  @Option(help: ArgumentHelp("Only this code, or a block of codes: H2104, H21xx, H21.", valueName: "code"))
  var code: String?

  @Option(name: .customShort("n"), help: ArgumentHelp("Number of events, the newest: 1 to 1000.", valueName: "n"))
  var count = 50

  @OptionGroup var times: TimeOptions

  func validate() throws {
    try refuseCount(count, of: "-n")
    if let name, let device, name != device {
      throw ValidationError("--device and the argument name two wearables: '\(harmless(device))', '\(harmless(name))'")
    }
  }

  func run() throws {
    try times.check()
    let wanted = try codePattern(code)
    let session = try Session(root.options)
    let client = try session.connectUnlessDown()
    let time = try session.time(client)
    let span = try times.span(time)
    let filter = EventFilter(name: device ?? name, code: wanted, since: span.since, until: span.until)
    let events: [EventDocument]
    if let client {
      let (since, until) = (span.since?.rfc3339, span.until?.rfc3339)
      events = try client.events(.init(limit: count, name: filter.name, code: code, since: since, until: until)).events
    } else {
      events = try read(session.openStore(), filter)
    }
    try session.show(JSON(encoding: events)) { render(events, time, $0) }
    if client == nil { try session.noteOffline() }
  }

  private func read(_ reader: StoreReader, _ filter: EventFilter) throws(HearthError) -> [EventDocument] {
    var search = try EventSearch(filter, limit: count, reader.wearables + reader.retiredWearables)
    while search.take(try reader.recentEvents(EventSearch.pageSize, before: search.before)) {}
    let names = reader.sampleExport(.ndjson)
    return search.found.map { EventDocument($0, names: names) }
  }
}

/// - Throws: `Misuse` for text that is neither a code nor a block of codes.
func codePattern(_ text: String?) throws(Misuse) -> CodePattern? {
  guard let text else { return nil }
  do throws(HearthError) { return try CodePattern(text) } catch { throw Misuse(error: error) }
}
