// Daily summaries of a wearable or a person.

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
    commandName: "days", abstract: "Show daily summaries of a wearable or a person: steps, heart rate, sleep.",
    discussion: """
      A line for each local day and wearer, with the trainings below it. Columns are steps, kilometres, kilocalories \
      (of activity, trainings and rest), hours of activity, and lowest, mean and highest heart rate. Then come the \
      night that ended on that day, the sleeper's own rating of it, and its recovery. Recovery is from 1 to 6, with \
      the autonomic nervous system against the usual. For a person, the lines cover each wearable while that person \
      wore it.

      Values of today are stored tomorrow. --today reads them from the wearable now and does not store them. That \
      takes up to three minutes, over its link or in a visit.

      --day shows one day in full, of a wearable or of all that a wearer wore. Lowest, highest and resting values \
      are the wearable's own, else derived from samples. Averages, manual measurements, sums and the sleep from \
      20:00 to 20:00 follow.

      A range is widened to whole days. On a terminal, and with --bars, days are drawn below their table.

      hearth days band-02                        each day of a wearable
      hearth days Ada --day yesterday            one day in full, of a person
      hearth days strap-07 heart_rate --bars     the heart rates of each day, drawn

      \(timeForms)
      """)
  @ParentCommand var root: HearthCommand

  @Argument(help: "A wearable by name or address, or a person by name or number.", completion: .wearables)
  var name: String

  @Argument(help: "Only this series, such as heart_rate.", completion: .series)
  var series: String?

  @OptionGroup var times: TimeOptions

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Show one day in full: today, yesterday or a date.", valueName: "date"))
  var day: String?

  @Flag(help: "Print a table for each series.")
  var tables = false

  @Flag(help: "Draw bars below the table, also if the output is no terminal.")
  var bars = false

  @OptionGroup var drawing: DrawingOptions

  @Flag(help: "Read the values of today from the wearable, without storing them.")
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
      throw HearthError(.requestUnsupported, "\(harmless(name)) keeps no days that it could report")
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
        DaysDocument(device: names.name(of: source.wearable), source.wearable, zone: zone, lines: lines, series: found))
    }
    return documents.isEmpty ? [DaysDocument(device: subject.name, zone: zone, lines: [], series: [])] : documents
  }
}
