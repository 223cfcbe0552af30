// Data of a report, from the daemon or from the store: a sheet for a wearable, or one for each wearable of a person.

import CivilTime
import EventLoop
import Export
import Health
import HubProtocol
import Reasons
import RingStore
import StoreDocuments

/// The sheets of a report, at least one.
struct ReportSheets {
  private(set) var all: [ReportDay]

  /// - Parameters:
  ///   - coverage: of each wearable.
  ///   - days: lines of each wearable.
  ///   - events: newest first, of all wearables.
  init(
    _ coverage: [CoverageDocument], _ days: [DaysDocument], _ events: [EventDocument], _ date: LocalDate,
    _ time: HubTime, hub: String?, kind: (CoverageDocument) -> String?
  ) {
    all = coverage.map { coverage in
      let lines = days.first { $0.enrolment == coverage.enrolment && $0.device == coverage.device }?.lines ?? []
      return ReportDay(
        coverage, lines: lines.filter { $0.date == date.text }, events: Self.wanted(events, coverage, time, date),
        date: date, time: time, hub: hub, kind: kind(coverage))
    }
  }

  /// Name of the person, else of the wearable.
  var subject: String { all.first.map { $0.coverage.wearer ?? $0.coverage.device } ?? "" }

  /// A person that wore no wearable has none.
  var devices: [String] { all.filter { !($0.coverage.worn?.isEmpty ?? false) }.map(\.coverage.device) }

  /// Adds a sample to the sheet of its enrolment; nil: from a daemon that did not report it.
  mutating func add(_ enrolment: Int?, _ series: Series, _ time: Int64, end: Int64?, _ value: Double) {
    guard
      let place = all.firstIndex(where: { sheet in
        guard let enrolment, let own = sheet.coverage.enrolment else { return true }
        return own == enrolment
      })
    else { return }
    all[place].add(series, time, end: end, value)
  }

  /// Sets the zones of sheets with a single wearer.
  mutating func setZones(_ zones: (ReportDay, String) -> ReportDay.Zones?) {
    for place in all.indices where all[place].wearers.count == 1 {
      all[place].zones = zones(all[place], all[place].wearers[0])
    }
  }

  /// Events of the wearable and of the hub itself on the day, earliest first. For a person, those of the wearable only
  /// while the person wore it.
  private static func wanted(
    _ events: [EventDocument], _ coverage: CoverageDocument, _ time: HubTime, _ date: LocalDate
  ) -> [EventDocument] {
    let day = time.zone.span(of: date)
    let parts = coverage.wearer == nil ? [day] : coverage.counted
    return events.filter { event in
      guard let moment = WallTime(rfc3339: event.time)?.microseconds, day.contains(moment) else { return false }
      guard let device = event.device else { return true }
      return device == coverage.device && parts.contains { $0.contains(moment) }
    }.reversed()
  }
}

func reportSheets(
  _ name: String, _ date: LocalDate, _ time: HubTime, _ client: ControlClient?, _ session: Session
) throws -> ReportSheets {
  let span = time.zone.span(of: date)
  let (since, until) = (WallTime(microseconds: span.lowerBound), WallTime(microseconds: span.upperBound))
  let coverage = try fetchCoverage(name, nil, since, until, client, session)
  let isOfPerson = coverage.contains { $0.wearer != nil }
  if let client { return try fetch(client, name, isOfPerson: isOfPerson, coverage, date, time) }
  return try read(session, name, coverage, date, time)
}

private func fetch(
  _ client: ControlClient, _ name: String, isOfPerson: Bool, _ coverage: [CoverageDocument], _ date: LocalDate,
  _ time: HubTime
) throws -> ReportSheets {
  let span = time.zone.span(of: date)
  let (since, until) = (WallTime(microseconds: span.lowerBound), WallTime(microseconds: span.upperBound))
  let days = try client.days(.init(name: name, since: since.rfc3339, until: until.rfc3339), patience: 120)
  let events = try client.events(.init(limit: 1000)).events
  // A forgotten wearable is not among the devices; its samples keep its name.
  var sheets = ReportSheets(
    coverage, [days.days] + (days.others ?? []), events, date, time, hub: try client.status().status.name,
    kind: { try? client.device(.init(name: $0.device)).device.kind })
  for (series, lead) in ReportDay.series {
    let wanted = Methods.Export.Parameters(
      device: isOfPerson ? nil : name, series: series.name,
      since: WallTime(microseconds: span.lowerBound - lead).rfc3339, until: until.rfc3339, ordinals: true,
      person: isOfPerson ? name : nil)
    try client.stream(Methods.Export.self, wanted) { reply in
      for sample in reply.samples {
        guard let time = sample["time"]?.text.flatMap({ WallTime(rfc3339: $0) }), let value = number(sample["value"])
        else { continue }
        let end = sample["end"]?.text.flatMap { WallTime(rfc3339: $0) }?.microseconds
        let enrolment = number(sample["enrolment"]).flatMap { Int(exactly: $0) }
        sheets.add(enrolment, series, time.microseconds, end: end, value)
      }
      return true
    }
  }
  let wearers = sheets.all.contains { $0.wearers.count == 1 } ? try client.wearers().wearers : []
  sheets.setZones { _, name in wearers.last { $0.name == name }.flatMap { ReportDay.Zones($0, on: date) } }
  return sheets
}

private func number(_ value: JSON?) -> Double? {
  switch value {
  case .integer(let number): Double(number)
  case .decimal(let text): Double(text)
  default: nil
  }
}

private func read(
  _ session: Session, _ name: String, _ coverage: [CoverageDocument], _ date: LocalDate, _ time: HubTime
) throws -> ReportSheets {
  let span = time.zone.span(of: date)
  let (since, until) = (WallTime(microseconds: span.lowerBound), WallTime(microseconds: span.upperBound))
  let reader = try session.openStore()
  let records = reader.wearables + reader.retiredWearables
  let names = reader.sampleExport(.ndjson)
  let subject = try ItemSubject(name, records, names)
  let days = try subject.sources.map { (source) throws(HearthError) in
    let lines = try reader.dayLines(source.wearable, zone: time.zone, since: since, until: until)
    return DaysDocument(
      device: names.name(of: source.wearable), source.wearable, zone: time.zone,
      lines: lines.filter { subject.wearer == nil || $0.wearer == subject.wearer }, series: [])
  }
  var sheets = ReportSheets(
    coverage, days, try reader.recentEvents(EventSearch.bound).map { EventDocument($0, names: names) }, date, time,
    hub: session.configuration?.hub.name,
    kind: { coverage in records.first { Int($0.id.number) == coverage.enrolment }?.kind })
  for (series, lead) in ReportDay.series {
    var query = SampleQuery(
      wearables: Set(subject.sources.map(\.wearable)), series: [series],
      since: WallTime(microseconds: span.lowerBound - lead), until: until)
    if subject.wearer != nil {
      query.stretches = Dictionary(subject.sources.map { ($0.wearable, $0) }, uniquingKeysWith: { first, _ in first })
    }
    let pages = try reader.export(query)
    while let page = try pages.next() {
      for sample in page.samples {
        let isInterval = series.layout == .interval && sample.values.count == 2
        let value = isInterval ? sample.values[1] : sample.value
        sheets.add(
          Int(sample.wearable.number), series, sample.time.microseconds,
          end: isInterval ? sample.time.microseconds &+ sample.values[0] : nil, series.inUnit(Double(value)))
      }
    }
  }
  let noon = WallTime(microseconds: span.lowerBound + (span.upperBound - span.lowerBound) / 2)
  sheets.setZones { sheet, name in
    let worn = sheet.coverage.enrolment.flatMap { UInt32(exactly: $0) }.map { WearableID(number: $0) }
    let atTimes = [noon, since].lazy.compactMap { time in worn.flatMap { reader.people.wearer(of: $0, at: time) } }
    let wearer =
      sheet.coverage.wearer.flatMap { reader.people.wearer(named: $0) }
      ?? atTimes.first.flatMap { reader.people.wearer($0) }
    guard let wearer, wearer.name == name else { return nil }
    return ReportDay.Zones(highest: wearer.body.maximumHeartRate, born: wearer.body.born, on: date)
  }
  return sheets
}
