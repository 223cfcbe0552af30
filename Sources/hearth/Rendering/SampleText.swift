// Samples as text: a curve with its numbers, a table of days, the result of a check, and the plan of a purge.

import Drawing
import EventLoop
import Health
import HubProtocol
import StoreDocuments

/// Maximum number of components of a curve. A waveform with more, such as one of many lights, is shown as numbers.
private let drawnLimit = 4

func render(_ peek: PeekDocument, _ time: HubTime, _ style: Style, _ chart: ChartStyle) -> String {
  guard let first = peek.samples.first?["time"]?.text, let last = peek.samples.last?["time"]?.text else {
    return line("\(peek.device) \(peek.series)   no samples")
  }
  var text =
    style.bold(String(line("\(peek.device) \(peek.series)   \(counted(peek.samples.count, "sample"))").dropLast()))
    + "\n"
  text += line("\(time.span(first, last)) \(time.zone.name)   newest \(age(last, time.now).map(span) ?? "?") ago")
  let doubtful = peek.samples.count { $0["quality"]?.text == "low" }
  if doubtful > 0 { text += line("\(doubtful) of low quality: the wearable itself doubts them") }
  let advertised = peek.samples.count { $0["origin"]?.text == "advertised" }
  if advertised > 0 { text += line("\(advertised) advertised: heard without a link, which any sender can forge") }
  let curves = SampleCurves(peek, columns: TerminalChart.columns(chart))
  if curves.rows.isEmpty {
    // Without a curve: the samples, newest last.
    for sample in peek.samples.suffix(20) {
      let size = (sample["data"]?.text?.utf8.count ?? 0) * 3 / 4
      text += line("\(time.text(sample["time"]?.text))   \(hearth.size(size))")
    }
    return text
  }
  for (index, row) in curves.rows.enumerated() {
    guard let low = row.curve.low, let high = row.curve.high, let mean = row.curve.mean else { continue }
    if index < drawnLimit {
      let drawing = TerminalChart(
        row.curve.span, low: low, high: high, unit: peek.unit, zone: time.zone, style: chart)
      text += drawing.draw(row.curve, bridge: curves.bridge).map { line($0) }.joined()
    }
    let unit = peek.unit.isEmpty ? "" : " \(peek.unit)"
    let name = row.name.isEmpty ? "" : "\(row.name)   "
    text += line("\(name)min \(number(low))\(unit)   mean \(number(mean))\(unit)   max \(number(high))\(unit)")
  }
  return text
}

/// `72`, `71.4`, `0.042`: at most three digits behind the point, without trailing zeros.
func number(_ value: Double) -> String {
  let rounded = (value * 1000).rounded() / 1000
  if let whole = Int64(exactly: rounded) { return "\(whole)" }
  return "\(rounded)"
}

// MARK: - Days

func render(_ days: DaysDocument, _ style: Style) -> String {
  let shown = days.series.filter { !$0.days.isEmpty || $0.overflowed > 0 || $0.malformed > 0 }
  if shown.isEmpty { return line("\(days.device)   no days with values") }
  return shown.map { series in
    var text =
      style.bold(
        String(
          line(
            "\(days.device) \(series.series)\(series.unit.isEmpty ? "" : " in \(series.unit)")   days of \(days.zone)"
          ).dropLast())) + "\n"
    let states = Set(series.days.flatMap { $0.states.map(\.state) }).sorted()
    text += states.isEmpty ? valueRows(series.days) : stateRows(series.days, states)
    if series.overflowed > 0 {
      text += style.attention("left out: \(counted(series.overflowed, "item")) of more days than are counted") + "\n"
    }
    if series.malformed > 0 {
      text += style.attention("left out: \(counted(series.malformed, "item")) without meaning") + "\n"
    }
    return text
  }.joined(separator: "\n")
}

private func valueRows(_ days: [DaysDocument.Day]) -> String {
  func shown(_ value: Double?) -> String { value.map { number($0) } ?? "-" }
  let hasSum = days.contains { $0.sum != nil }
  return dayRows(days, ["COUNT", "MANUAL", "MIN", "MEAN", "MAX", hasSum ? "SUM" : "REST"]) { day in
    let values = [day.minimum, day.mean, day.maximum, hasSum ? day.sum : day.resting]
    return [grouped(day.count), grouped(day.manual)] + values.map(shown)
  }
}

/// Hours and minutes in each class.
private func stateRows(_ days: [DaysDocument.Day], _ states: [Int]) -> String {
  dayRows(days, ["COUNT", "MANUAL"] + states.map { "\($0)" }) { day in
    let seconds = Dictionary(day.states.map { ($0.state, $0.seconds) }) { first, _ in first }
    let times = states.map { state -> String in
      guard let minutes = seconds[state].flatMap({ Int(exactly: ($0 / 60).rounded()) }) else { return "-" }
      return "\(minutes / 60):" + (minutes % 60 < 10 ? "0" : "") + "\(minutes % 60)"
    }
    return [grouped(day.count), grouped(day.manual)] + times
  }
}

/// The wearer is only shown at changes, as most days are like the one before.
private func dayRows(_ days: [DaysDocument.Day], _ header: [String], _ columns: (DaysDocument.Day) -> [String])
  -> String
{
  var text = dayRow("DATE", header)
  var worn: [String] = []
  for day in days {
    text += dayRow(day.date, columns(day))
    if day.doubtful > 0 { text += line("            beside them \(counted(day.doubtful, "value")) of low quality") }
    if day.wearers != worn {
      text += line("            worn by \(day.wearers.isEmpty ? "not known" : day.wearers.joined(separator: ", "))")
    }
    worn = day.wearers
  }
  return text
}

private func dayRow(_ date: String, _ columns: [String]) -> String {
  line(([cell(date, 10)] + columns.map { cell($0, 9, right: true) }).joined(separator: "  "))
}

// MARK: - Checks and purges

func render(_ report: VerifyDocument, _ style: Style) -> String {
  var text = line(
    """
    read   \(counted(report.samples, "sample")) in \(counted(report.rings, "ring")) \
    (\(counted(report.ringChunks, "chunk"))) and \(counted(report.journalChunks, "journal chunk"))
    """
  )
  text += line("       \(counted(report.records, "record"))")
  if report.clean { return text + style.good("sound") + "\n" }
  text += style.attention("H4006  \(counted(report.findingCount, "finding"))") + "\n"
  for finding in report.findings {
    text += "       \(harmless(finding.place, limit: 80)): \(harmless(finding.what, limit: 160))\n"
  }
  if report.findingCount > report.findings.count {
    text += line("       and \(grouped(report.findingCount - report.findings.count)) more")
  }
  return text
}

func render(_ plan: PurgeDocument, _ time: HubTime) -> String {
  var text = ""
  for part in plan.parts {
    text += line(
      """
      \(part.device)  \(part.series) (\(part.way))   \(counted(part.samples, "sample")), \(grouped(part.unexported)) \
      never exported
      """
    )
    let worn = part.wearers.isEmpty ? "" : "   worn by \(part.wearers.joined(separator: ", "))"
    text += line("    \(time.span(part.from, part.to))\(worn)")
  }
  return text + zoneLine(time)
    + line("in all \(counted(plan.samples, "sample")), \(grouped(plan.unexported)) never exported: deleted for good")
}
