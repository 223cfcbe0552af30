// A day of a wearable as one self-contained page of HTML, for a browser and a printer.

import ArgumentParser
import CivilTime
import EventLoop
import Export
import Glibc
import Health
import HubProtocol
import Reasons
import RingStore
import StoreDocuments

struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Write a report: a day of a wearable as one printable page of HTML.",
    discussion: """
      A sheet of A4 with heart rate and its zones, sleep, steps, temperature, oxygen, coverage and losses. The page \
      needs no network and has no script. The wearer's name is on it: give it only to people that may know. Without \
      --day it is yesterday. An existing file is overwritten only with --force.

      hearth report band-02 --day 2026-11-22 --out ada.html
      """)
  @ParentCommand var root: HearthCommand

  @Argument(help: "Name or address of the wearable.", completion: .wearables)
  var name: String

  @Option(help: ArgumentHelp("A date in the hub's zone, today or yesterday.", valueName: "day"))
  var day = "yesterday"

  @Option(help: ArgumentHelp("File for the page; - is standard output.", valueName: "file"), completion: .file())
  var out: String

  @Flag(help: "Overwrite an existing file.")
  var force = false

  func run() throws {
    let session = try Session(root.options)
    let client = try session.connectUnlessDown()
    let time = try session.time(client)
    let date = try date(time)
    if out != "-", !force, access(out, F_OK) == 0 {
      throw Misuse(
        error: HearthError(.controlBadParameter, "\(harmless(out)) is there already; --force writes over it"))
    }
    let report = try client.map { try fetch($0, session, date, time) } ?? read(session, date, time)
    let page = renderPage(report)
    if out == "-" {
      try Output.standard.write(page)
      try Output.standard.settle()
    } else {
      try write(page)
      if root.options.json {
        let said: JSON = ["schema": "io.hearth.done/1", "written": .string(out), "day": .string(date.text)]
        try Output.standard.write(said.pretty + "\n")
      } else {
        try Output.standard.write(line("\(report.coverage.device), \(date.text): \(out), \(size(page.utf8.count))"))
      }
    }
    if client == nil { try session.noteOffline() }
  }

  private func date(_ time: HubTime) throws -> LocalDate {
    let today = time.zone.date(of: time.now.microseconds)
    let date: LocalDate? =
      switch day {
      case "today": today
      case "yesterday": LocalDate(dayNumber: today.dayNumber - 1)
      default: LocalDate(text: day)
      }
    guard let date else {
      throw Misuse(
        error: HearthError(
          .timeNotUnderstood, "--day takes a date as 2026-11-22, today or yesterday; not '\(harmless(day, limit: 64))'")
      )
    }
    if date > today {
      throw Misuse(error: HearthError(.timeNotUnderstood, "\(date.text) has not come yet"))
    }
    return date
  }

  // MARK: Gathering

  private func fetch(_ client: ControlClient, _ session: Session, _ date: LocalDate, _ time: HubTime) throws
    -> ReportDay
  {
    let span = time.zone.span(of: date)
    let since = WallTime(microseconds: span.lowerBound)
    let until = WallTime(microseconds: span.upperBound)
    let coverage = try fetchCoverage(name, nil, since, until, client, session)
    let days = try client.days(
      .init(name: name, since: since.rfc3339, until: until.rfc3339), patience: 120
    ).days
    let events = try client.events(.init(limit: 1000)).events
    let status = try client.status().status
    // A forgotten wearable is not among the devices; its samples keep its name.
    let device = try? client.device(.init(name: name)).device
    var report = ReportDay(
      coverage, lines: days.lines.filter { $0.date == date.text },
      events: wanted(events, coverage.device, since, until),
      date: date, time: time, hub: status.name, kind: device?.kind)
    for (series, lead) in ReportDay.series {
      let wanted = Methods.Export.Parameters(
        device: name, series: series.name, since: WallTime(microseconds: span.lowerBound - lead).rfc3339,
        until: until.rfc3339)
      try client.stream(Methods.Export.self, wanted) { reply in
        for sample in reply.samples {
          guard let time = sample["time"]?.text.flatMap({ WallTime(rfc3339: $0) }), let value = number(sample["value"])
          else { continue }
          let end = sample["end"]?.text.flatMap { WallTime(rfc3339: $0) }?.microseconds
          report.add(series, time.microseconds, end: end, value)
        }
        return true
      }
    }
    if report.wearers.count == 1 {
      let wearers = try client.wearers().wearers
      report.zones = wearers.last { $0.name == report.wearers[0] }.flatMap { ReportDay.Zones($0, on: date) }
    }
    return report
  }

  private func read(_ session: Session, _ date: LocalDate, _ time: HubTime) throws -> ReportDay {
    let span = time.zone.span(of: date)
    let since = WallTime(microseconds: span.lowerBound)
    let until = WallTime(microseconds: span.upperBound)
    let coverage = try fetchCoverage(name, nil, since, until, nil, session)
    let reader = try session.openStore()
    let records = reader.wearables + reader.retiredWearables
    let wearable = try ExportFilter.wearable(name, records)
    let lines = try reader.dayLines(wearable, zone: time.zone, since: since, until: until)
    let names = reader.sampleExport(.ndjson)
    let events = try reader.recentEvents(EventSearch.bound).map { EventDocument($0, names: names) }
    var report = ReportDay(
      coverage, lines: lines.filter { $0.date == date }.map { DaysDocument.Line($0) },
      events: wanted(events, coverage.device, since, until), date: date, time: time,
      hub: session.configuration?.hub.name, kind: records.first { $0.id == wearable }?.kind)
    for (series, lead) in ReportDay.series {
      let query = SampleQuery(
        wearables: [wearable], series: [series], since: WallTime(microseconds: span.lowerBound - lead), until: until)
      let pages = try reader.export(query)
      while let page = try pages.next() {
        for sample in page.samples {
          let isInterval = series.layout == .interval && sample.values.count == 2
          let value = isInterval ? sample.values[1] : sample.value
          report.add(
            series, sample.time.microseconds, end: isInterval ? sample.time.microseconds &+ sample.values[0] : nil,
            series.inUnit(Double(value)))
        }
      }
    }
    if report.wearers.count == 1 {
      let noon = WallTime(microseconds: span.lowerBound + (span.upperBound - span.lowerBound) / 2)
      let worn = [noon, since].lazy.compactMap { reader.people.wearer(of: wearable, at: $0) }.first
      if let wearer = worn.flatMap({ reader.people.wearer($0) }), wearer.name == report.wearers[0] {
        report.zones = ReportDay.Zones(
          highest: wearer.body.maximumHeartRate, born: wearer.body.born, on: date)
      }
    }
    return report
  }

  /// Events of this wearable and of the hub itself on the day, earliest first.
  private func wanted(_ events: [EventDocument], _ device: String, _ since: WallTime, _ until: WallTime)
    -> [EventDocument]
  {
    events.filter { ($0.device == nil || $0.device == device) && isWithin($0.time, since, until) }.reversed()
  }

  private func number(_ value: JSON?) -> Double? {
    switch value {
    case .integer(let number): Double(number)
    case .decimal(let text): Double(text)
    default: nil
    }
  }

  /// Writes the file completely or not at all, readable only by its owner: it has personal data.
  private func write(_ page: String) throws(Misuse) {
    do throws(HearthError) { try PrivateFile.write(Array(page.utf8), to: out, force: force) } catch {
      throw Misuse(error: HearthError(.controlBadParameter, error.detail))
    }
  }
}
