// Limits of live values, and alerts, as text.

import HubProtocol
import StoreDocuments

/// Whether there are alerts that are neither acknowledged nor muted.
func hasAlerts(_ one: AlertsDocument) -> Bool { !one.alerts.isEmpty }

/// Wearables with limits, then their alerts.
func renderList(_ all: [AlertsDocument], _ time: HubTime, _ style: Style) -> String {
  let watched = all.filter { one in one.limits.contains { $0.limit != nil } || !one.alerts.isEmpty || one.muted != nil }
  if watched.isEmpty { return "no limit is set; set one with: hearth alerts NAME set rest-above 120\n" }
  let name = room(for: watched.map(\.device), least: 8, others: 40, style)
  var text = ""
  for one in watched { text += line("\(cell(one.device, name))  \(limitWords(one))") }
  for one in watched { text += alertLines(one, time, style) }
  return text + noAlarm
}

func render(_ one: AlertsDocument, _ time: HubTime, _ style: Style) -> String {
  var text = style.bold(harmless(one.device)) + "   \(limitWords(one))\n"
  let now = one.exercise ? "counts as exercise now" : "counts as rest now"
  let by = one.exerciseChoice == "auto" ? "as its wearer's wearables report" : "as ordered: \(one.exerciseChoice)"
  text += line("\(cell("measured", 14)) \(now), \(by)")
  text += alertLines(one, time, style)
  if one.alerts.isEmpty, one.muted == nil { text += line("\(cell("alerts", 14)) no unacknowledged alert") }
  return text + noAlarm
}

private let noAlarm = "this is no medical alarm\n"

/// `rest-above 120 bpm, spo2-below 90 %`
private func limitWords(_ one: AlertsDocument) -> String {
  let words = one.limits.compactMap { entry in
    entry.limit.map { "\(entry.kind) \(plain($0)) \(entry.unit)" }
  }
  return words.isEmpty ? "no limits" : words.joined(separator: ", ")
}

private func alertLines(_ one: AlertsDocument, _ time: HubTime, _ style: Style) -> String {
  one.alerts.map { style.attention("! " + alertText($0, time)) + "\n" }.joined()
    + (one.alerts.isEmpty ? "" : line("next: hearth alerts \(one.device) acknowledge"))
    + (one.muted ?? []).map { line("- \(alertText($0, time))   \(mutedWords($0.mutedUntil, time))") }.joined()
}

/// `H2401 strap-07: heart rate above 120 bpm …   131 bpm at 14:03:10, 2 times since 13:20:00, over since 14:20:11`
func alertText(_ alert: AlertDocument, _ time: HubTime) -> String {
  var words = ["\(plain(alert.value)) \(alert.unit) at \(time.text(alert.last))"]
  if alert.count > 1 { words.append("\(alert.count) times since \(time.text(alert.since))") }
  if let ended = alert.ended { words.append("over since \(time.text(ended))") }
  return "\(alert.reason.code) \(harmless(alert.reason.detail, limit: 256))   " + words.joined(separator: ", ")
}

/// `120`, `38.5`
private func plain(_ number: Double) -> String {
  number == number.rounded() && number.magnitude < 1e6 ? "\(Int(number))" : "\(number)"
}
