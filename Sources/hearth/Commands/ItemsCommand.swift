// Items: measured values of a series in order of time, with all their marks.

import ArgumentParser
import EventLoop
import Export
import Health
import HubProtocol
import Reasons
import RingStore
import StoreDocuments

struct ItemsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "items", abstract: "List measured values (items) of a wearable or a person, in order of time.",
    discussion: """
      A line for each value: time, value, kind, manual or automatic, and origin. The kind is normal, or maximum, \
      minimum or resting as the wearable itself computed it. Without times, the values of today. NAME is a wearable, \
      or else a wearer: then it stands for all wearables that this person wore.

      hearth items Ada spo2 --since yesterday           of a person
      hearth items band-07 heart_rate --kind resting    today; the last is the latest

      \(timeForms)
      """)
  @ParentCommand var root: HearthCommand

  @Argument(help: "A wearable by name or address, or a wearer by name or number.", completion: .wearablesAndWearers)
  var name: String

  @Argument(help: "A series, such as heart_rate.", completion: .series)
  var series: String

  @OptionGroup var times: TimeOptions

  @Option(help: ArgumentHelp("Only values of this kind: normal, maximum, minimum or resting.", valueName: "kind"))
  var kind: String?

  @Flag(help: "Only measurements that a person began.")
  var manual = false

  @Flag(help: "Only measurements that the wearable made by itself.")
  var automatic = false

  @Option(help: ArgumentHelp("Number of values at most, 1 to 1000.", valueName: "n"))
  var count = ItemPage.limit

  @Option(help: ArgumentHelp("Continue after a page, from the place that its end shows.", valueName: "place"))
  var after: String?

  func validate() throws {
    try refuseCount(count, of: "--count")
    if manual, automatic { throw ValidationError("--manual and --automatic exclude each other") }
    if let kind, !SampleKind.allCases.contains(where: { $0.name == kind }) {
      throw ValidationError("--kind takes \(SampleKind.allCases.map(\.name).joined(separator: ", ")), not \(kind)")
    }
    if let after, ItemKey(text: after) == nil {
      throw ValidationError("--after takes what the end of a page says, not \(harmless(after, limit: 64))")
    }
  }

  func run() throws {
    try times.check()
    let session = try Session(root.options)
    let client = try session.connectUnlessDown()
    let time = try session.time(client)
    var span = try times.span(time)
    if !times.isGiven { span.since = try time.time("today", of: "--since") as WallTime }
    let items = if let client { try ask(client, span.since, span.until) } else { try read(session, time, span) }
    try session.show(JSON(encoding: items)) { render(items, session.hubTime(items.zone), $0) }
    if client == nil { try session.noteOffline() }
  }

  private var isManual: Bool? { manual ? true : automatic ? false : nil }

  private func ask(_ client: ControlClient, _ since: WallTime?, _ until: WallTime?) throws(HearthError)
    -> ItemsDocument
  {
    try client.items(
      .init(
        name: name, series: series, since: since?.rfc3339, until: until?.rfc3339, kind: kind, manual: isManual,
        after: after, limit: count), patience: 120
    ).items
  }

  private func read(_ session: Session, _ time: HubTime, _ span: (since: WallTime?, until: WallTime?))
    throws(HearthError) -> ItemsDocument
  {
    let reader = try session.openStore()
    let names = reader.sampleExport(.ndjson)
    let request = try ItemRequest(
      ItemSubject(name, reader.wearables + reader.retiredWearables, names), series: series, since: span.since,
      until: span.until, kind: kind, isManual: isManual, after: after, limit: count)
    return ItemsDocument(try reader.items(request.query), request, zone: time.zone, names: names)
  }
}
