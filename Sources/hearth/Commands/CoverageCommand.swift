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
      unknown.

      hearth coverage strap-07                          the last 24 hours
      hearth coverage strap-07 heart_rate --since 3d    one series, with all its gaps

      \(timeForms)
      """)
  @ParentCommand var root: HearthCommand

  @Argument(help: "Name or address of the wearable.", completion: .wearables)
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
    let coverage = try fetchCoverage(name, series, span.since, span.until, client, session)
    try session.show(JSON(encoding: coverage)) {
      render(coverage, session.hubTime(coverage.zone), $0, drawing.chart($0), allGaps: gaps || series != nil)
    }
    if client == nil { try session.noteOffline() }
  }
}

/// From the daemon, else by the same rules from the store.
func fetchCoverage(
  _ name: String, _ series: String?, _ since: WallTime?, _ until: WallTime?, _ client: ControlClient?,
  _ session: Session
) throws(HearthError) -> CoverageDocument {
  if let client {
    return try client.coverage(
      .init(name: name, series: series, since: since?.rfc3339, until: until?.rfc3339), patience: 120
    ).coverage
  }
  let reader = try session.openStore()
  let now = wallNow()
  let request = try CoverageRequest(
    name, series, since: since, until: until, now: now, reader.wearables + reader.retiredWearables)
  let found = try request.counted(reader.rings).map { (series) throws(HearthError) in
    try reader.coverage(request.wearable, series, window: request.window)
  }
  let evidence = GapEvidence(
    request, rings: reader.rings, events: try reader.recentEvents(EventSearch.bound),
    visits: try reader.recentVisits(EventSearch.bound),
    battery: try reader.newest(GapEvidence.batteryReadings, of: request.wearable, .battery), now: now)
  return CoverageDocument(
    request, found, evidence, device: reader.sampleExport(.ndjson).name(of: request.wearable),
    zone: try session.time(nil).zone)
}
