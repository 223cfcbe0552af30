// Days: what each local day of a wearable was like.

import ArgumentParser
import Configuration
import Control
import EventLoop
import Health
import Reasons
import RingStore

struct DaysCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "days", abstract: "What each local day of a wearable was like.",
    discussion: "TIME is 2026-11-21 (its local midnight), 2026-11-21T10:00:00Z, or an age: 90s 15m 2h 3d 1w. Days begin where hub.timezone says.")
  @ParentCommand var root: HearthCommand

  @Argument(help: "Its name or address.")
  var name: String

  @Argument(help: "Only this series, for example heart_rate.")
  var series: String?

  @OptionGroup var times: TimeOptions

  func run() throws {
    let session = try Session(root.options)
    let client = try session.connectUnlessDown()
    let days: DaysDocument = if let client { try client.fetch("days", of: "Days", parameters, patience: 120) } else { try read(session) }
    try session.show(JSON(encoding: days)) { render(days, $0) }
    if client == nil { try session.noteOffline() }
  }

  private var parameters: JSON {
    ["name": .string(name), "series": .optional(series), "since": .optional(times.since), "until": .optional(times.until)]
  }

  private func read(_ session: Session) throws(HearthError) -> DaysDocument {
    let reader = try session.openStore()
    let zone = (session.configuration ?? Configuration()).timeZone
    let now = wallNow()
    let (from, to) = (times.since.flatMap { WallTime(parsing: $0, now: now, zone) }, times.until.flatMap { WallTime(parsing: $0, now: now, zone) })
    let wearable = try ExportFilter.wearable(name, reader.wearables + reader.retiredWearables)
    let wanted = if let series { [try ExportFilter.series(series)] } else { Series.withDays }
    let names = reader.sampleExport(.ndjson)
    var found: [DaysDocument.Days] = []
    for series in wanted {
      let days = try reader.days(wearable, series, zone: zone, since: from, until: to)
      if self.series != nil || !days.isEmpty { found.append(DaysDocument.Days(series, days, of: wearable, names: names)) }
    }
    return DaysDocument(device: names.name(of: wearable), zone: zone, series: found)
  }
}
