// Coverage: which times of a span have values, and the reasons for gaps.

import ArgumentParser
import EventLoop
import Export
import HubProtocol
import Reasons
import RingStore
import StoreDocuments

struct CoverageCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coverage", abstract: "Show which times have values (coverage), with a reason for each gap.",
    discussion: """
      A line for each series: the share of the last 24 hours that has values, and the gaps. A gap is longer than \
      three usual intervals between values, and longer than half a minute. For series that a wearable keeps minute \
      by minute, it is longer than a quarter of an hour. Each gap has a reason if the hub knows one, otherwise it is \
      unknown. NAME is a wearable, or else a wearer: then each wearable follows that this person wore, and only the \
      time of wearing counts.

      hearth coverage strap-07                          the last 24 hours
      hearth coverage strap-07 heart_rate --since 3d    one series, with all its gaps
      hearth coverage Ada --since yesterday             each wearable that Ada wore, while she wore it

      \(timeForms)
      """)
  @ParentCommand var root: HearthCommand

  @Argument(help: "A wearable by name or address, or a wearer by name or number.", completion: .wearablesAndWearers)
  var name: String

  @Argument(help: "Only this series, such as heart_rate, with all its gaps.", completion: .series)
  var series: String?

  @OptionGroup var times: TimeOptions

  @Flag(help: "Show all gaps of all series.")
  var gaps = false

  @OptionGroup var drawing: DrawingOptions

  func run() throws {
    try times.check()
    let session = try Session(root.options)
    let client = try session.connectUnlessDown()
    let span = try times.span(session.time(client))
    let found = try fetchCoverage(name, series, span.since, span.until, client, session)
    let json = found.count == 1 ? JSON(encoding: found[0]) : JSON(encoding: found)
    try session.show(json) { style in
      found.map {
        render($0, session.hubTime($0.zone), style, drawing.chart(style), allGaps: gaps || series != nil)
      }.joined(separator: "\n")
    }
    if client == nil { try session.noteOffline() }
  }
}

/// Fetches coverage from the daemon, else likewise from the store: one document, or one for each wearable of a person.
func fetchCoverage(
  _ name: String, _ series: String?, _ since: WallTime?, _ until: WallTime?, _ client: ControlClient?,
  _ session: Session
) throws(HearthError) -> [CoverageDocument] {
  if let client {
    let reply = try client.coverage(
      .init(name: name, series: series, since: since?.rfc3339, until: until?.rfc3339), patience: 120)
    return [reply.coverage] + (reply.others ?? [])
  }
  let reader = try session.openStore()
  let now = wallNow()
  let zone = try session.time(nil).zone
  let requests = try CoverageRequests(
    name, series, since: since, until: until, now: now, reader.wearables + reader.retiredWearables,
    reader.sampleExport(.ndjson))
  let (events, visits) = (
    try reader.recentEvents(EventSearch.bound), try reader.recentVisits(EventSearch.bound)
  )
  let documents = try requests.all.map { (request) throws(HearthError) in
    var found: [SeriesCoverage] = []
    for series in request.counted(reader.rings) {
      for part in request.parts { found.append(try reader.coverage(request.wearable, series, window: part)) }
    }
    let evidence = GapEvidence(
      request, rings: reader.rings, events: events, visits: visits,
      battery: try reader.newest(GapEvidence.batteryReadings, of: request.wearable, .battery), now: now)
    return requests.document(request, found, evidence, zone: zone)
  }
  return documents.isEmpty ? [requests.nothingWorn(zone)] : documents
}
