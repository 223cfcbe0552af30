// Days: what each local day of a wearable was like.

import ArgumentParser
import CivilTime
import EventLoop
import Export
import Health
import HubProtocol
import Reasons
import RingStore
import StoreDocuments

struct DaysCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "days", abstract: "What each local day of a wearable, or of a person, was like.",
    discussion: """
      Of a person: of everything that was on them, wearable by wearable, while it was. \
      One line for each day and each who wore it, its trainings below: steps, kilometres, kilocalories (of activity, \
      trainings and rest), hours of activity, lowest, \
      mean and highest heart rate, the night that ended on it, what the sleeper said of it, and what it was worth \
      (recovery from 1 to 6, and the autonomic nervous \
      system against the usual). What a wearable measured today is stored tomorrow: --today asks it now, over its link \
      or in a visit, which takes up to three \
      minutes, and stores nothing. --day tells one day in full, of a wearable or of all that a wearer wore: lowest, \
      highest and resting values as the wearable said them, else derived from what was measured; averages, what was \
      measured by hand, sums, and the sleep from 20:00 to 20:00. A range is widened to whole days. On a terminal, \
      and with --bars, days are drawn below their table.

      \(timeForms)
      """)
  @ParentCommand var root: HearthCommand

  @Argument(help: "A wearable by name or address, or a person by name or number.", completion: .wearables)
  var name: String

  @Argument(help: "Only this series, for example heart_rate.", completion: .series)
  var series: String?

  @OptionGroup var times: TimeOptions

  @Option(
    parsing: .unconditional, help: ArgumentHelp("One day in full: today, yesterday or a date.", valueName: "date"))
  var day: String?

  @Flag(help: "A table for each series.")
  var tables = false

  @Flag(help: "Bars below the table, also where the output is no terminal.")
  var bars = false

  @OptionGroup var drawing: DrawingOptions

  @Flag(help: "What it says of today so far; nothing of it is stored.")
  var today = false

  func validate() throws {
    if today, tables || series != nil || times.isGiven || day != nil {
      throw ValidationError("--today takes only a name")
    }
    if day != nil, tables || times.isGiven { throw ValidationError("--day takes a name and a series") }
  }

  func run() throws {
    try times.check()
    try checkTime("--day", day)
    let session = try Session(root.options)
    if today { return try showToday(session) }
    if let day { return try show(day, session) }
    let client = try session.connectUnlessDown()
    let time = try session.time(client)
    let span = try times.span(time)
    let found =
      if let client {
        try all(
          client.days(
            .init(name: name, series: series, since: span.since?.rfc3339, until: span.until?.rfc3339), patience: 120))
      } else { try read(session, time.zone, span.since, span.until) }
    let json = found.count == 1 ? JSON(encoding: found[0]) : JSON(encoding: found)
    try session.show(json) { style in
      found.map { text(of: $0, session, style) }.joined(separator: "\n")
    }
    if client == nil { try session.noteOffline() }
  }

  private func all(_ reply: Methods.Days.Reply) -> [DaysDocument] { [reply.days] + (reply.others ?? []) }

  private func text(of days: DaysDocument, _ session: Session, _ style: Style) -> String {
    let hasBars = bars || Terminal.isCapable(1)
    if series != nil || tables || days.lines.isEmpty {
      return render(days, style) + (hasBars ? renderSeriesBars(days, style, drawing.chart(style)) : "")
    }
    return renderLines(days, session.hubTime(days.zone), style)
      + (hasBars ? renderBars(days, style, drawing.chart(style)) : "")
  }

  private func show(_ day: String, _ session: Session) throws {
    let client = try session.connectUnlessDown()
    let time = try session.time(client)
    let daily = try fetchDaily(name, time.time(day, of: "--day"), series, time, client, session)
    try session.show(JSON(encoding: daily)) { render(daily, session.hubTime(daily.zone), $0) }
    if client == nil { try session.noteOffline() }
  }

  private func showToday(_ session: Session) throws {
    let client = try session.connect()
    try noteWaiting(for: name, client)
    let report: ReportDocument
    do throws(HearthError) {
      report = try client.report(.init(name: name, topic: "today"), patience: askingPatience).report
    } catch {
      if error.reason != .requestUnsupported { throw error }
      throw HearthError(.requestUnsupported, "\(harmless(name)) keeps no days that it could tell of")
    }
    try session.show(JSON(encoding: report)) { renderToday(report, $0) }
  }

  private func read(_ session: Session, _ zone: TimeZoneRules, _ from: WallTime?, _ to: WallTime?)
    throws(HearthError) -> [DaysDocument]
  {
    let reader = try session.openStore()
    let names = reader.sampleExport(.ndjson)
    let subject = try ItemSubject(name, reader.wearables + reader.retiredWearables, names)
    let wanted = if let series { [try ExportFilter.series(series)] } else { Series.withDays }
    var documents: [DaysDocument] = []
    for source in subject.sources {
      var found: [DaysDocument.Days] = []
      for series in wanted {
        let days = try reader.days([source], series, zone: zone, since: from, until: to)
        if self.series != nil || !days.isEmpty {
          found.append(DaysDocument.Days(series, days, of: source.wearable, names: names))
        }
      }
      var lines = series == nil ? try reader.dayLines(source.wearable, zone: zone, since: from, until: to) : []
      if let wearer = subject.wearer { lines.removeAll { $0.wearer != wearer } }
      documents.append(
        DaysDocument(device: names.name(of: source.wearable), zone: zone, lines: lines, series: found))
    }
    return documents.isEmpty ? [DaysDocument(device: subject.name, zone: zone, lines: [], series: [])] : documents
  }
}
