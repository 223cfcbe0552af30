// Orders, wearers, and reports of wearables, as text.

import EventLoop
import HubProtocol
import RingStore
import StoreDocuments

// MARK: Reports

/// `name  field value, field value`: any report of a wearable, in as many lines as each row needs.
func renderReport(_ report: ReportDocument, _ style: Style) -> String {
  let how = report.topic == "streams" ? "as they run" : "as it says itself"
  var text = style.bold(String(line("\(report.device)   \(report.topic) \(how)").dropLast())) + "\n"
  if report.rows.isEmpty { return text + "no values\n" }
  // At least as wide as the labels of orders above it.
  let name = min(20, max(13, report.rows.map { columns(harmless($0.name)) }.max() ?? 8))
  for row in report.rows {
    text += fieldLines(row, name)
  }
  return text
}

/// Kinds of recordings as a table, other rows as they are.
func renderRecordings(_ report: ReportDocument, _ style: Style) -> String {
  let kinds = report.rows.filter { $0.fields["kept_going"] != nil }
  let rest = report.rows.filter { $0.fields["kept_going"] == nil }
  if report.rows.isEmpty { return line("\(report.device)   makes no recordings by order") }
  var text = ""
  if !kinds.isEmpty {
    text += recordingRow("TYPE", "RECORDING", "KEPT", "SINCE", "HZ", "RANGE", "TRIGGER")
    for row in kinds {
      let fields = row.fields
      let isMissing = fields["kept_going"] == "yes" && fields["recording"] != "yes"
      let shown = recordingRow(
        row.name, fields["recording"] ?? "?", fields["kept_going"] ?? "?",
        fields["since"].map { String($0.prefix(19)) } ?? "-", fields["rate_hz"] ?? "-", fields["range"] ?? "-",
        fields["trigger"] ?? "-")
      text += isMissing ? style.attention(String(shown.dropLast())) + "\n" : shown
    }
  }
  for row in kinds { if let can = recordableRates(row) { text += line(can) } }
  for row in rest { text += fieldLines(row, 12) }
  return text
}

/// `acc can be recorded at 52 Hz; at 13, 26 Hz in SDK mode, which ends the heart rate`
private func recordableRates(_ row: ReportDocument.Row) -> String? {
  let usual = row.fields["can_hz"].map { "at \($0) Hz" }
  let further = row.fields["can_hz_sdk"].map { "at \($0) Hz in SDK mode, which ends the heart rate" }
  let all = [usual, further].compactMap { $0 }
  return all.isEmpty
    ? nil : "\(harmless(row.name)) can be recorded \(harmless(all.joined(separator: "; "), limit: 512))"
}

/// A row with its fields behind it; fields that do not fit get lines of their own.
func fieldLines(_ row: ReportDocument.Row, _ width: Int) -> String {
  var lines: [String] = []
  var current = cell(row.name, width) + "  "
  let indent = String(repeating: " ", count: width + 2)
  for (index, field) in row.fields.entries.enumerated() {
    let text = harmless(fieldText(field), limit: 512) + (index + 1 < row.fields.entries.count ? "," : "")
    if columns(current) > width + 2, columns(current) + 1 + columns(text) > 80 {
      lines.append(current)
      current = indent
    }
    current += (columns(current) > width + 2 ? " " : "") + text
  }
  return (lines + [current]).map { line($0) }.joined()
}

/// `free 12 MB`, `off by 0.4 s`, `not recording`: a unit in the name of a field goes behind its number.
private func fieldText(_ field: Texts.Entry) -> String {
  let words = field.name.split(separator: "_").joined(separator: " ")
  switch (field.name, field.value) {
  case ("on", "yes"): return "on"
  case ("on", "no"): return "off"
  case ("state", let said), ("why", let said): return said
  case ("off_by_s", let value):
    // The wearable may report any text.
    guard let seconds = Double(value), (60..<1e12).contains(seconds.magnitude) else { break }
    return "\(span(Int(seconds.magnitude))) \(seconds < 0 ? "behind" : "ahead")"
  case (_, "yes"): return words
  case (_, "no"): return "not \(words)"
  default: break
  }
  if field.name.hasSuffix("_bytes"), let bytes = Int(field.value) { return "\(field.name.dropLast(6)) \(size(bytes))" }
  let units = [
    ("_hz", "Hz"), ("_cm", "cm"), ("_kg", "kg"), ("_bpm", "bpm"), ("_minutes", "min"), ("_kcal", "kcal"),
    ("_percent", "%"), ("_degc", "°C"), ("_ms", "ms"), ("_m", "m"), ("_s", "s"),
  ]
  let unit = Double(field.value) == nil ? nil : units.first { field.name.hasSuffix($0.0) }
  let name = field.name.dropLast(unit?.0.utf8.count ?? 0)
  return "\(name.split(separator: "_").joined(separator: " ")) \(field.value)\(unit.map { " " + $0.1 } ?? "")"
}

private func recordingRow(
  _ type: String, _ recording: String, _ kept: String, _ since: String, _ rate: String, _ range: String,
  _ trigger: String
) -> String {
  let cells = [
    cell(type, 16), cell(recording, 9), cell(kept, 4), cell(since, 19), cell(rate, 5, right: true),
    cell(range, 5, right: true), cell(trigger, 7),
  ]
  return line(cells.joined(separator: "  "))
}

// MARK: Orders

/// - Parameter time: for the next measurement by the hub itself.
func render(_ orders: OrdersDocument, _ style: Style, in time: HubTime? = nil) -> String {
  var text = style.bold(String(line("\(orders.device)   as it is ordered").dropLast())) + "\n"
  func row(_ label: String, _ value: String) { text += line("\(cell(label, 14)) \(value)") }
  row("streams", orders.streams.isEmpty ? "only what it sends anyway" : orders.streams.joined(separator: ", "))
  if !orders.rateChoices.isEmpty || !orders.rates.entries.isEmpty {
    let rates = orders.rates.entries.map {
      "\($0.name) \($0.value) Hz" + (orders.streams.contains($0.name) ? "" : ", once it streams")
    }
    row("rates", rates.isEmpty ? "follow the link" : rates.joined(separator: "; "))
    for choice in orders.rateChoices { row("", rateText(choice)) }
    if orders.rateChoices.contains(where: { !$0.withoutHeartRate.isEmpty }) {
      row("", "* while it streams so, it sends no heart rate")
    }
  }
  row("secret", orders.secret ? "set: recordings are encrypted" : "not set: recordings are in clear")
  let off = orders.switches.filter(\.off)
  if !orders.switches.isEmpty { row("features off", off.isEmpty ? "none" : off.map(\.name).joined(separator: ", ")) }
  for one in orders.switches { text += described(one.name, 20, one.summary, indent: 15) }
  text += settingLines(orders.settings, label: row)
  if let collection = orders.collection {
    for one in collectionRows(collection) { row(one.label, one.value) }
  }
  if let measure = orders.measure {
    func clock(_ text: String?) -> String { time.map { $0.text(text) } ?? text ?? "?" }
    row("measured", measure.text + (measure.next == nil ? "" : ", next \(clock(measure.next))"))
    if measure.skipped != nil { row("", "left out \(clock(measure.skipped)): \(measure.why ?? "?")") }
  }
  row("wearer", orders.wearer ?? "no person")
  for left in orders.skipped ?? [] {
    row("left out", "\(left.what): \(left.reason.detail) (\(left.reason.code))")
  }
  return text
}

/// Data that the hub's own visits fetch, and their times.
private func collectionRows(_ collection: OrdersDocument.Collection) -> [(label: String, value: String)] {
  let taken = collection.phases.filter { !collection.leftOut.contains($0) }
  let own = collection.ordered == nil ? "as configured" : "an operator's choice"
  let last = "\(taken.last ?? "none") (\(own))"
  var rows = listed("phases", taken.dropLast() + [last])
  if let first = collection.leftOut.first {
    rows += listed("", ["not taken: \(first)"] + collection.leftOut.dropFirst())
  }
  if !collection.visitAt.isEmpty || collection.ownTimes {
    let times = collection.visitAt.isEmpty ? "at no fixed time" : collection.visitAt.joined(separator: ", ")
    rows.append(("visited at", times + (collection.ownTimes ? " (an operator's choice)" : "")))
  }
  return rows
}

/// Ordered settings, then each setting with its possible values.
private func settingLines(_ settings: [OrdersDocument.Setting], label row: (String, String) -> Void) -> String {
  if settings.isEmpty { return "" }
  let ordered = settings.compactMap { setting in
    setting.ordered.map { "\(setting.name) \($0)" + (setting.unit.map { $0.isEmpty ? "" : " " + $0 } ?? "") }
  }
  row("settings", ordered.isEmpty ? "left as they are" : ordered.joined(separator: ", "))
  return settings.map { described($0.name, 20, "\(choiceText($0)): \($0.summary)", indent: 15) }.joined()
}

/// `on, off`, `0 to 86400 s`
private func choiceText(_ setting: OrdersDocument.Setting) -> String {
  guard let lowest = setting.lowest, let highest = setting.highest else {
    return setting.values.joined(separator: ", ")
  }
  let unit = setting.unit ?? ""
  return "\(lowest) to \(highest)" + (unit.isEmpty ? "" : " " + unit)
}

/// `acc                  25, 50, 100* Hz`
private func rateText(_ choice: OrdersDocument.RateChoice) -> String {
  let rates = choice.rates.map { "\($0)" + (choice.withoutHeartRate.contains($0) ? "*" : "") }
  return "\(cell(choice.series, 20)) \(rates.isEmpty ? "any offered rate" : rates.joined(separator: ", ") + " Hz")"
}

// MARK: Wearers

func renderTable(_ wearers: [WearerDocument], _ style: Style) -> String {
  if wearers.isEmpty { return "no person is entered; enter one with: hearth wearer add NAME\n" }
  let name = room(for: wearers.map(\.name), least: 6, others: 40, style)
  var text = line("\(cell("NO", 4, right: true))  \(cell("NAME", name))  \(cell("BODY", 12))  WEARS")
  for wearer in wearers {
    let wears =
      wearer.retired != nil && wearer.wears.isEmpty
      ? "retired" : wearer.wears.isEmpty ? "-" : wearer.wears.joined(separator: ", ")
    text += line(
      "\(cell("\(wearer.number)", 4, right: true))  \(cell(wearer.name, name))  \(cell(bodyText(wearer), 12))  \(wears)"
    )
  }
  return text
}

/// Whether the body data is complete for wearables.
private func bodyText(_ wearer: WearerDocument) -> String {
  let needed: [Bool] = [wearer.born != nil, wearer.sex != nil, wearer.heightCm != nil, wearer.weightKg != nil]
  return needed.allSatisfy { $0 } ? "known" : needed.contains(true) ? "incomplete" : "-"
}

func render(_ wearer: WearerDocument, _ style: Style) -> String {
  var text =
    style.bold(
      String(line("\(wearer.name)   number \(wearer.number)\(wearer.retired == nil ? "" : "   retired")").dropLast()))
    + "\n"
  func row(_ label: String, _ value: String?) { if let value { text += line("\(cell(label, 14)) \(value)") } }
  row("identifier", wearer.id)
  row("wears", wearer.wears.isEmpty ? "no wearable" : wearer.wears.joined(separator: ", "))
  row("born", wearer.born)
  row("sex", wearer.sex)
  row("height", wearer.heightCm.map { "\($0) cm" })
  row("weight", wearer.weightKg.map { "\($0) kg" })
  row("highest HR", wearer.maximumHeartRate.map { "\($0) bpm" })
  row("resting HR", wearer.restingHeartRate.map { "\($0) bpm" })
  row("VO2max", wearer.vo2Max.map { "\($0) ml/kg/min" })
  row("trains", wearer.trainingBackground)
  row("typical day", wearer.typicalDay)
  row("sleep goal", wearer.sleepGoalMinutes.map { "\($0) min" })
  row("take off", wearer.takeOff ? "yes: a wearable without a wearer forgets the body" : nil)
  return text
}

func render(_ found: AssignmentsDocument, _ time: HubTime, _ style: Style) -> String {
  if found.assignments.isEmpty { return line("\(found.device)   was never assigned") }
  var text = line("\(cell("FROM", 19))  WEARER")
  let current = found.assignments.lastIndex { entry in
    WallTime(rfc3339: entry.from).map { $0 <= time.now } ?? false
  }
  for (index, entry) in found.assignments.enumerated() {
    let row = line(
      """
      \(cell(time.text(entry.from), 19))  \
      \(entry.wearer ?? "no person")\(index == current ? "   now" : index > (current ?? -1) ? "   to come" : "")
      """
    )
    text += index == current ? style.bold(String(row.dropLast())) + "\n" : row
  }
  return text + zoneLine(time)
}
