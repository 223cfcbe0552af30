// Measurements that a wearable makes by itself, as text.

import HubProtocol
import StoreDocuments

func renderMonitoring(_ found: JSON, _ time: HubTime, _ style: Style) -> String {
  let device = found["device"]?.text ?? ""
  var text = style.bold(String(line("\(device)   measuring by itself").dropLast())) + "\n"
  let all = found["series"]?.items ?? []
  if all.isEmpty { return text + "how it measures by itself cannot be changed\n" }
  for one in all {
    let progress = one["progress"]?.text ?? ""
    let row = line("\(cell(one["series"]?.text ?? "", 18)) \(progress == "none" ? "no order" : progress)")
    text += progress == "refused" ? style.attention(String(row.dropLast())) + "\n" : row
    for (label, key) in [("requested", "asked"), ("effective", "got"), ("device reports", "says")] {
      guard let values = one[key], values != .null else { continue }
      text += line("  \(cell(label, 14)) \(valueWords(values, one["unit"]?.text ?? ""))")
    }
    let can = one["can"]?.items.compactMap(\.text) ?? []
    var range = ""
    if case .integer(let lowest)? = one["lowest_s"], case .integer(let highest)? = one["highest_s"] {
      range = "; every \(lowest) s to \(highest) s"
      if case .integer(let step)? = one["step_s"], step > 1 { range += " in steps of \(step) s" }
    }
    let only = (one["only_s"]?.items ?? []).compactMap { value -> String? in
      if case .integer(let seconds) = value { "\(seconds)" } else { nil }
    }
    if let last = only.last {
      let others = only.dropLast().joined(separator: ", ")
      range = "; every \(others.isEmpty ? "" : others + " or ")\(last) s"
    }
    text += line("  \(cell("can be set", 14)) \(can.isEmpty ? "no part" : can.joined(separator: ", "))\(range)")
  }
  if let since = found["since"]?.text { text += "reported since \(time.text(since))\n" + zoneLine(time) }
  if let reason = found["reason"], reason != .null {
    text += "\(reason["code"]?.text ?? "") \(harmless(reason["detail"]?.text ?? "", limit: 512))\n"
    text += "      next: \(harmless(reason["next"]?.text ?? "", limit: 256))\n"
  }
  return text
}

/// `on, every 60 s, 08:00 to 20:00, rest-above 120 bpm`
private func valueWords(_ values: JSON, _ unit: String) -> String {
  var words: [String] = []
  if case .bool(let isOn)? = values["on"] { words.append(isOn ? "on" : "off") }
  if case .integer(let seconds)? = values["interval_s"] { words.append("every \(seconds) s") }
  if let begin = values["begin"]?.text { words.append("\(begin) to \(values["end"]?.text ?? "")") }
  if case .object(let limits)? = values["limits"] {
    words += limits.map { "\($0.key) \($0.value.text ?? "") \(unit)" }
  }
  if case .integer(let rate)? = values["maximum_heart_rate"] { words.append("highest heart rate \(rate) bpm") }
  return words.joined(separator: ", ")
}

extension JSON {
  /// Items of an array; else empty.
  fileprivate var items: [JSON] {
    if case .array(let items) = self { return items }
    return []
  }
}
