// A day as a self-contained page of HTML: no script, no external files, one sheet of A4 in print for each wearable.
// All text in it is escaped.

import Drawing
import EventLoop
import Health
import HubProtocol
import Reasons
import StoreDocuments

/// Heights on the sheet in millimetres. With headings, tables and margins they make at most 277: A4 less two margins of
/// ten. Four units of a drawing are a millimetre.
enum ReportSize {
  static let unitsPerMillimetre = 4.0
  static let width = 190 * unitsPerMillimetre
  static let heart = 47 * unitsPerMillimetre
  static let sleep = 27 * unitsPerMillimetre
  static let steps = 24 * unitsPerMillimetre
  static let small = 22 * unitsPerMillimetre
  /// Height of the strip of one series.
  static let strip = 4.6 * unitsPerMillimetre
  /// Maximum number of entries of lists; further ones are only counted.
  static let strips = 7
  static let rows = 7
}

/// The whole page.
///
/// - Parameter reports: one of a wearable; of a person, one for each wearable.
func renderPage(_ reports: [ReportDay]) -> String {
  let title = reports.first.map { "\($0.coverage.wearer ?? $0.coverage.device), \($0.date.text)" } ?? ""
  return """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
    <meta name="viewport" content="width=device-width">
    <title>\(text(title))</title>
    <style>
    \(reportStyle)
    </style>
    </head>
    <body>
    \(reports.map { "<main>\n\(sheet($0))</main>\n" }.joined())</body>
    </html>

    """
}

private func sheet(_ report: ReportDay) -> String {
  if report.coverage.worn?.isEmpty ?? false {
    return head(report) + "<p class=\"about\">wore no wearable on this day</p>\n"
  }
  var body = head(report) + facts(report)
  body += section("Heart rate", heartNote(report), heartDrawing(report))
  let night = report.night
  if !night.isEmpty { body += section("Sleep", nightNote(report, night), sleepDrawing(night, report)) }
  if report.steps.contains(where: { $0 != nil }) {
    body += section("Steps in each hour", "", stepsDrawing(report))
  }
  body += smallDrawings(report)
  body += section("Coverage", "white: no values came", coverageDrawing(report))
  return body + tables(report)
}

/// Text from other sources: without characters that could control a terminal, and escaped so that it is never a tag.
private func text(_ words: String, limit: Int = 120) -> String { escaped(harmless(words, limit: limit)) }

private func head(_ report: ReportDay) -> String {
  let weekdays = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"]
  // Day 0 was a Thursday.
  let weekday = weekdays[Int((report.date.dayNumber % 7 + 7) % 7)]
  let hours = Double(report.span.upperBound - report.span.lowerBound) / 3.6e9
  let length = hours == 24 ? "" : ", a day of \(number(hours)) hours"
  let wearers = report.wearers.isEmpty ? "not known" : report.wearers.joined(separator: ", ")
  let worn = wornTimes(report)
  var about = [report.kind, report.hub.map { "hub \($0)" }, "times in \(report.time.zone.name)\(length)"]
    .compactMap { $0 }.filter { !$0.isEmpty }
  if report.time.now.microseconds < report.span.upperBound {
    about.append("until \(report.time.minute(report.time.now)), the day is not over")
  }
  return """
    <header>
    <h1>\(text(report.coverage.device)) <span>\(weekday), \(text(report.date.text))</span></h1>
    <p>worn by <b>\(text(wearers, limit: 200))</b>\(text(worn, limit: 200))</p>
    <p class="about">\(about.map { text($0) }.joined(separator: " · "))</p>
    </header>

    """
}

/// `, 08:00 to 12:00, 14:00 to 24:00`: the times in which the person wore the wearable, unless it was the whole day.
private func wornTimes(_ report: ReportDay) -> String {
  guard let worn = report.coverage.worn, let window = report.coverage.window, report.coverage.counted != [window]
  else { return "" }
  func minute(_ text: String) -> String { WallTime(rfc3339: text).map { report.time.minute($0) } ?? "?" }
  return worn.map { part in
    let isEnd = WallTime(rfc3339: part.to).map { $0.microseconds >= report.span.upperBound } ?? false
    return ", \(minute(part.from)) to \(isEnd ? "24:00" : minute(part.to))"
  }.joined()
}

/// Numbers of the day; missing ones are left out.
private func facts(_ report: ReportDay) -> String {
  var facts: [(String, String)] = []
  func add(_ name: String, _ value: String?) { if let value { facts.append((name, value)) } }
  let lines = report.lines
  func sum(_ values: [Double?]) -> Double? {
    let known = values.compactMap { $0 }
    return known.isEmpty ? nil : known.reduce(0, +)
  }
  add("steps", sum(lines.map { $0.steps.map(Double.init) }).map { grouped(Int(min($0, 1e12))) })
  // A sum that two wearers share would be counted twice.
  let single = lines.count == 1 ? lines.first : nil
  add("distance", single?.distanceM.map { "\(number(($0 / 10).rounded() / 100)) km" })
  let energy = single.flatMap { sum([$0.caloriesKcal, $0.trainingCaloriesKcal, $0.basalCaloriesKcal]) }
  add("energy", energy.map { "\(number($0.rounded())) kcal" })
  add("lowest", lines.compactMap(\.lowestHeartRate).min().map { "\($0) bpm" })
  add("mean", single?.meanHeartRate.map { "\(number($0.rounded())) bpm" })
  add("highest", lines.compactMap(\.highestHeartRate).max().map { "\($0) bpm" })
  add("asleep", lines.flatMap(\.nights).map(\.asleepS).max().map { span($0) })
  if facts.isEmpty { return "" }
  return "<dl>"
    + facts.map { "<div><dt>\(text($0.0))</dt><dd>\(text($0.1))</dd></div>" }.joined() + "</dl>\n"
}

private func section(_ title: String, _ note: String, _ drawing: String) -> String {
  """
  <section><h2>\(text(title))\(note.isEmpty ? "" : " <span>\(text(note, limit: 200))</span>")</h2>
  \(drawing)
  </section>

  """
}

private func heartNote(_ report: ReportDay) -> String {
  guard report.heart.count > 0 else { return "no value was measured" }
  guard let zones = report.zones else { return "bpm" }
  return "bpm; zones from 50, 60, 70, 80 and 90 % \(zones.basis)"
}

private func nightNote(_ report: ReportDay, _ night: [ReportDay.Stage]) -> String {
  guard let first = night.first, let last = night.map(\.span.upperBound).max() else { return "" }
  func minutes(_ stage: Int) -> String {
    span(Int(night.filter { $0.stage == stage }.map(\.span).joined(within: 0).length / 1_000_000))
  }
  let times =
    "\(report.time.minute(WallTime(microseconds: first.span.lowerBound))) to "
    + report.time.minute(WallTime(microseconds: last))
  return "\(times): deep \(minutes(4)), light \(minutes(3)), REM \(minutes(2)), awake \(minutes(1))"
}

/// Lost data and events, side by side.
private func tables(_ report: ReportDay) -> String {
  let gaps = lostRows(report)
  let events = report.events.map { event in
    let time = WallTime(rfc3339: event.time).map { report.time.minute($0) } ?? "?"
    let sentence = Reason(code: event.code)?.text.sentence ?? event.text
    return "<tr><td>\(text(time))</td><td>\(text(sentence, limit: 90)) <i>\(text(event.code))</i></td></tr>"
  }
  return """
    <div class="pair">
    <section><h2>What is missing, and why</h2>
    \(table(gaps, none: "no gaps: each series is whole"))
    </section>
    <section><h2>What happened</h2>
    \(table(events, none: "no events"))
    </section>
    </div>

    """
}

private func table(_ rows: [String], none: String) -> String {
  if rows.isEmpty { return "<p class=\"about\">\(text(none))</p>" }
  let rest = rows.count - ReportSize.rows
  let more = rest > 0 ? "<tr><td></td><td class=\"about\">and \(rest) more</td></tr>" : ""
  return "<table>\(rows.prefix(ReportSize.rows).joined())\(more)</table>"
}

/// Gaps, with those of several series at the same time in one row. The longest are shown, in order of time.
private func lostRows(_ report: ReportDay) -> [String] {
  struct Row: Hashable {
    let from: String
    let to: String
    let why: String
  }
  var order: [Row] = []
  var found: [Row: (names: [String], seconds: Double)] = [:]
  func minute(_ text: String) -> String { WallTime(rfc3339: text).map { report.time.minute($0) } ?? "?" }
  for series in report.coverage.series where !series.occasional {
    for gap in series.gaps {
      let words = gap.causes.map { causeText($0.cause) + ($0.code.map { " (\($0))" } ?? "") }
      // The end of a local day is 00:00 of the next one.
      let isEnd = WallTime(rfc3339: gap.to).map { $0.microseconds >= report.span.upperBound } ?? false
      let row = Row(
        from: minute(gap.from), to: isEnd ? "24:00" : minute(gap.to), why: words.joined(separator: ", then "))
      if found[row] == nil { order.append(row) }
      let known = found[row] ?? ([], 0)
      found[row] = (known.names + [series.series], max(known.seconds, gap.seconds))
    }
  }
  let longest = order.sorted { (found[$0]?.seconds ?? 0) > (found[$1]?.seconds ?? 0) }
  // Further ones are only counted.
  let shown = longest.prefix(ReportSize.rows).sorted { ($0.from, $0.to) < ($1.from, $1.to) }
  return (shown + longest.dropFirst(ReportSize.rows)).map { row in
    let names = found[row]?.names ?? []
    let listed = names.prefix(2).joined(separator: ", ") + (names.count > 2 ? " and \(names.count - 2) more" : "")
    return
      "<tr><td>\(text(row.from))-\(text(row.to))</td><td>\(text(listed)): \(text(row.why, limit: 60))</td></tr>"
  }
}

/// Dark on white, with colours in print too.
private let reportStyle = """
  @page { size: A4; margin: 10mm; }
  * { box-sizing: border-box; margin: 0; padding: 0; }
  html { background: #fff; color: #16191d; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  body { font: 8.5pt/1.3 system-ui, "DejaVu Sans", "Liberation Sans", Arial, sans-serif; }
  main { width: 190mm; margin: 0 auto; }
  @media screen { main { margin: 10mm auto; } }
  @media print { main { max-height: 276mm; overflow: hidden; } main + main { break-before: page; } }
  header { border-bottom: 0.4mm solid #16191d; padding-bottom: 1.2mm; margin-bottom: 1.6mm; }
  h1 { font-size: 15pt; line-height: 1.2; overflow-wrap: anywhere; }
  h1 span { font-weight: normal; font-size: 11pt; float: right; padding-top: 1mm; }
  h2 { font-size: 9pt; margin: 1.4mm 0 0.4mm; }
  h2 span { font-weight: normal; color: #444b53; font-size: 8pt; }
  p { overflow-wrap: anywhere; }
  .about { color: #444b53; font-size: 8pt; }
  dl { display: flex; gap: 2mm; margin-bottom: 0.6mm; }
  dl div { flex: 1; background: #f1f3f5; padding: 0.8mm 2mm; }
  dt { color: #444b53; font-size: 7.5pt; }
  dd { font-size: 10.5pt; font-weight: 600; white-space: nowrap; }
  svg { display: block; width: 100%; height: auto; }
  section { break-inside: avoid; }
  .pair { display: flex; gap: 4mm; }
  .pair > section { flex: 1; min-width: 0; }
  table { border-collapse: collapse; width: 100%; font-size: 7.5pt; }
  td { border-bottom: 0.15mm solid #d4d9de; padding: 0.25mm 0; vertical-align: top; overflow-wrap: anywhere; }
  td:first-child { white-space: nowrap; padding-right: 2mm; width: 1%; }
  i { font-style: normal; color: #444b53; }
  text { font-size: 10.5px; fill: #16191d; }
  .label { fill: #444b53; }
  .grid { stroke: #dde1e5; stroke-width: 0.6; }
  .axis { stroke: #16191d; stroke-width: 0.9; }
  .heart { fill: none; stroke: #a3123a; stroke-width: 1.1; stroke-linejoin: round; stroke-linecap: round; }
  .warm { fill: none; stroke: #9a5b00; stroke-width: 1.2; stroke-linejoin: round; stroke-linecap: round; }
  .blue { fill: none; stroke: #1c5d99; stroke-width: 1.2; stroke-linejoin: round; stroke-linecap: round; }
  .bar { fill: #2c6e5d; }
  .zone1 { fill: #eef2f8; } .zone2 { fill: #e2f1e4; } .zone3 { fill: #fdf4d3; }
  .zone4 { fill: #fde6cf; } .zone5 { fill: #fbd9d9; }
  .stage1 { fill: #d08a1d; } .stage2 { fill: #7d4fa8; } .stage3 { fill: #6c95cf; } .stage4 { fill: #1f3d74; }
  .covered { fill: #4d7590; } .uncovered { fill: #fff; stroke: #9aa3ab; stroke-width: 0.5; }
  """
