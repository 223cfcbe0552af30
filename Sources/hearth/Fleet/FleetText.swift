// Answers of several hubs as text: a line for each hub, a line for each wearable, or the text of each hub under its
// name.

import EventLoop
import HubProtocol
import Reasons
import StoreDocuments

// MARK: Hubs

private struct Column {
  let title: String
  var isRight = false
}

/// A line for each hub; unknown values are dashes.
func renderHubs(_ answers: [FleetAnswer], _ style: Style) -> String {
  let columns = [
    Column(title: "HUB"), Column(title: "STATE"), Column(title: "RADIO"), Column(title: "PRESENT", isRight: true),
    Column(title: "MISSING", isRight: true), Column(title: "LIVE", isRight: true), Column(title: "STORE"),
    Column(title: "NEWEST", isRight: true), Column(title: "UP", isRight: true), Column(title: "TROUBLE"),
  ]
  let rows = answers.map { answer in (answer.exit != 0, hubCells(answer)) }
  return table(columns, rows, style) + reasons(answers) + hubSum(answers, style)
}

private func hubCells(_ answer: FleetAnswer) -> [String] {
  guard let status = answer.document else {
    return [answer.hub, withoutWord(answer)] + Array(repeating: "-", count: 7) + [answer.reason?.code ?? "-"]
  }
  let store = status["store"]
  let radio = status["radio"]
  let phase = status["phase"]?.text ?? "?"
  let state = phase != "serving" ? phase : answer.exit == 0 ? "ok" : "attention"
  // The clock of the hub, as this machine's clock may differ.
  let now = status["clock"]?["time"]?.text.flatMap { WallTime(rfc3339: $0) } ?? wallNow()
  let used = store?["used_bytes"]?.whole.map { size($0) } ?? "-"
  let limit = store?["limit_bytes"]?.whole.map { "/\(size($0))" } ?? ""
  return [
    answer.hub, state, radioWord(radio), pair(status["present"]?.whole, status["enrolled"]?.whole),
    number(status["missing"]?.whole), number(status["live"]?.whole), used + limit,
    age(store?["newest"]?.text, now).map(shortSpan) ?? "-", status["uptime_seconds"]?.whole.map(shortSpan) ?? "-",
    troubles(status),
  ]
}

/// Text in place of a state if there is no document.
private func withoutWord(_ answer: FleetAnswer) -> String {
  if !answer.isWithout { return answer.reason?.code == Reason.daemonDown.code ? "no daemon" : "refused" }
  return answer.reason?.code == Reason.fleetUnreachable.code ? "no answer" : "unreadable"
}

private func number(_ value: Int?) -> String { value.map { grouped($0) } ?? "-" }

private func pair(_ part: Int?, _ whole: Int?) -> String {
  part == nil && whole == nil ? "-" : "\(number(part))/\(number(whole))"
}

/// `ready 5/7`, `down`
private func radioWord(_ radio: JSON?) -> String {
  guard let state = radio?["state"]?.text else { return "-" }
  if state != "ready" { return state }
  if radio?["recovering"]?.isTrue == true { return "restarting" }
  return "ready \(pair(radio?["links"]?.whole, radio?["slots"]?.whole))"
}

/// First code that needs attention, and the number of the others. Mere information comes last.
private func troubles(_ status: JSON) -> String {
  guard case .array(let items)? = status["attention"] else { return "-" }
  let found = items.compactMap { item -> (code: String, device: String?)? in
    guard let code = item["reason"]?["code"]?.text else { return nil }
    return (code, item["device"]?.text)
  }
  let urgent = found.filter { !isInformation($0.code, ofWearable: $0.device != nil) }
  guard let first = urgent.first ?? found.first else { return "-" }
  return "\(first.code) \(first.device ?? "hub")" + (found.count > 1 ? " +\(found.count - 1)" : "")
}

private func hubSum(_ answers: [FleetAnswer], _ style: Style) -> String {
  let without = answers.count { $0.document == nil }
  let bad = answers.count { $0.document != nil && $0.exit != 0 }
  var words = ["\(counted(answers.count, "hub"))", "\(answers.count - without - bad) ok"]
  if bad > 0 { words.append("\(bad) \(bad == 1 ? "needs" : "need") attention") }
  if without > 0 { words.append("\(without) without an answer") }
  return line(words.joined(separator: ", "))
}

// MARK: Wearables

/// Renders the wearables of all hubs, grouped by hub.
func renderWearables(_ answers: [FleetAnswer], _ now: WallTime, _ style: Style) -> String {
  let columns = [
    Column(title: "HUB"), Column(title: "NAME"), Column(title: "KIND"), Column(title: "SEEN", isRight: true),
    Column(title: "RSSI", isRight: true), Column(title: "BATT", isRight: true), Column(title: "STATE"),
  ]
  var rows: [(Bool, [String])] = []
  for answer in answers {
    guard case .array(let devices)? = answer.document else { continue }
    for device in devices { rows.append(wearableCells(answer.hub, device, now)) }
  }
  let sum = line("\(counted(rows.count, "wearable")) of \(counted(answers.count { $0.document != nil }, "hub"))")
  return (rows.isEmpty ? "" : table(columns, rows, style)) + reasons(answers) + sum
}

private func wearableCells(_ hub: String, _ json: JSON, _ now: WallTime) -> (Bool, [String]) {
  let device: DeviceDocument? = try? json.decoded()
  let state = device.map { stateText($0, now) } ?? json["state"]?.text ?? "?"
  let code = json["reason"]?["code"]?.text
  let isAway = json["state"]?.text == "absent"
  let words = code.map { !isAway && !includes(state, $0) ? "\(state) \($0)" : state } ?? state
  // In single steps: Swift 6.2 cannot type-check it as one list.
  let (name, kind): (String, String) = (json["name"]?.text ?? "?", json["kind"]?.text ?? "?")
  let seen: String = age(json["last_seen"]?.text, now).map(shortSpan) ?? "-"
  let strength: String = json["rssi"]?.whole.map { "\($0)" } ?? "-"
  let battery: String = json["battery"]?.whole.map { "\($0) %" } ?? "-"
  let cells: [String] = [hub, name, kind, seen, strength, battery, words]
  let needs = ["attention", "missing"].contains(json["state"]?.text ?? "")
  return (needs || device.map(hasAlerts) ?? false, cells)
}

// MARK: Texts

/// Text of each hub under its name. The text is indented, so that a hub cannot imitate the name of another one.
func renderTexts(_ answers: [FleetAnswer], _ style: Style) -> String {
  answers.map { answer in
    let code = answer.exit == 0 ? "" : "   exit code \(answer.exit)"
    var text = (answer.exit == 0 ? style.bold(answer.hub) : style.attention(answer.hub + code)) + "\n"
    if let reason = answer.reason { text += indented(render(reason)) }
    return text + indented(answer.text) + indented(answer.remarks)
  }.joined(separator: "\n")
}

private func indented(_ text: String) -> String {
  var lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
  while lines.last?.isEmpty == true { lines.removeLast() }
  return lines.map { row in
    let untabbed = row.split(separator: "\t", omittingEmptySubsequences: false).joined(separator: "    ")
    let safe = harmless(untabbed, limit: .max)
    return safe.isEmpty ? "\n" : "  \(safe)\n"
  }.joined()
}

// MARK: Parts

/// Reasons for hubs that are missing in a table.
private func reasons(_ answers: [FleetAnswer]) -> String {
  answers.compactMap { answer in
    answer.reason.map { reason in
      let detail = reason.detail.isEmpty ? reason.sentence : reason.detail
      let who = detail.hasPrefix("\(answer.hub): ") ? "" : "\(answer.hub): "
      return line("! \(reason.code) \(who)\(detail) -> hearth explain \(reason.code)")
    }
  }.joined()
}

/// A cell of a table; the longest ones are sentences about a trouble.
private func shown(_ text: String) -> String { harmless(text, limit: 160) }

private func table(_ heads: [Column], _ rows: [(isBad: Bool, cells: [String])], _ style: Style) -> String {
  let widths = heads.indices.map { place in
    max(heads[place].title.count, rows.map { columns(shown($0.cells[place])) }.max() ?? 0)
  }
  func row(_ cells: [String]) -> String {
    line(
      heads.indices.map { place in
        cell(shown(cells[place]), widths[place], right: heads[place].isRight)
      }.joined(separator: "  "))
  }
  return rows.reduce(row(heads.map(\.title))) { text, found in
    let cells = row(found.cells)
    return text + (found.isBad ? style.attention(String(cells.dropLast())) + "\n" : cells)
  }
}

extension JSON {
  fileprivate var whole: Int? {
    if case .integer(let number) = self { Int(clamping: number) } else { nil }
  }
}
