// Measured items as text: a table of values; and a day with its extremes, resting values and sleep.

import EventLoop
import Health
import HubProtocol
import StoreDocuments

func render(_ items: ItemsDocument, _ time: HubTime, _ style: Style) -> String {
  let unit = items.unit.isEmpty ? "" : " in \(items.unit)"
  let title = "\(items.name) \(items.series)\(unit)   \(counted(items.items.count, "item")), times in \(items.zone)"
  if items.items.isEmpty { return line("\(items.name) \(items.series)   no items") }
  var text = style.bold(String(line(title).dropLast())) + "\n"
  let hasLength = items.items.contains { $0.durationS > 0 }
  let hasWearer = items.items.contains { $0.wearer != nil }
  let hasDevice = items.items.contains { $0.device != items.name }
  let hasRemark = items.items.contains { $0.quality != nil || $0.clock != nil }
  let widths = items.components.isEmpty ? [9] : items.components.map { max(9, $0.utf8.count) }
  func row(_ cells: [String], _ values: [String], _ rest: [String]) -> String {
    let numbers = zip(values, widths).map { cell($0, $1, right: true) }
    return line((cells + numbers + rest).joined(separator: "  "))
  }
  text += row(
    [cell("START", 19)] + (hasLength ? [cell("LASTED", 9, right: true)] : []),
    items.components.isEmpty ? ["VALUE"] : items.components.map { $0.uppercased() },
    [cell("KIND", 7), cell("BY", 9), cell("CAME", 10)] + (hasDevice ? [cell("FROM", 12)] : [])
      + (hasWearer ? [cell("WORN BY", 12)] : []) + (hasRemark ? ["REMARK"] : []))
  for item in items.items {
    let values = items.components.isEmpty ? [item.value] : item.components
    let remark = [item.quality.map { "quality \($0)" }, item.clock.map { "clock \($0)" }].compactMap { $0 }
    text += row(
      [cell(time.text(item.start), 19)] + (hasLength ? [cell(lasted(item.durationS), 9, right: true)] : []),
      values.map { number($0) },
      [cell(item.kind, 7), cell(hand(item.manual), 9), cell(item.origin, 10)]
        + (hasDevice ? [cell(item.device, 12)] : [])
        + (hasWearer ? [cell(item.wearer ?? "-", 12)] : []) + [remark.joined(separator: ", ")])
  }
  if let next = items.next { text += line("more behind these: --after \(next)") }
  return text
}

private func hand(_ isManual: Bool) -> String { isManual ? "hand" : "automatic" }

/// `0:05:00`, or `-` for a value of one moment.
private func lasted(_ seconds: Double) -> String {
  guard seconds > 0, let whole = Int(exactly: seconds.rounded()) else { return "-" }
  func two(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
  return "\(whole / 3600):\(two(whole / 60 % 60)):\(two(whole % 60))"
}

// MARK: - One day

func render(_ daily: DailyDocument, _ time: HubTime, _ style: Style) -> String {
  let length = (WallTime(rfc3339: daily.end) ?? time.now) - (WallTime(rfc3339: daily.start) ?? time.now)
  let hours = Int((length.inSeconds / 3600).rounded())
  let title = "\(daily.name)   \(daily.date) of \(daily.zone)" + (hours == 24 ? "" : ", \(hours) hours")
  var text = style.bold(String(line(title).dropLast())) + "\n"
  if daily.series.isEmpty, daily.sleep == nil { return text + "no value was measured\n" }
  let measured = daily.series.filter { $0.day.sum == nil && $0.day.states.isEmpty }
  if !measured.isEmpty {
    text += measuredRow("SERIES", ["LOWEST", "AVERAGE", "HIGHEST", "AT REST", "HAND", "AUTO"])
    for entry in measured {
      for part in entry.day.parts { text += render(entry, part, time) }
      text += manualLines(entry, time)
    }
    if measured.contains(where: { $0.day.parts.contains { $0.maximum != nil || $0.minimum != nil } }) {
      text += "* as the wearable said; all others are derived from what was measured\n"
    }
  }
  for entry in daily.series where entry.day.sum != nil {
    let unit = entry.unit.isEmpty || entry.unit == entry.series ? "" : " \(entry.unit)"
    let sum = entry.day.sum.map { number($0) } ?? "-"
    text += line("\(cell(entry.series, 24))  \(sum)\(unit)   \(entry.devices.joined(separator: ", "))")
  }
  if let sleep = daily.sleep { text += render(sleep, time) }
  for found in daily.lines {
    for training in trainingGroups(found.line.trainings) {
      text += line("\(found.device): " + trainingText(training, time))
    }
  }
  return text
}

private func measuredRow(_ name: String, _ cells: [String]) -> String {
  line(([cell(name, 24)] + cells.map { cell($0, 9, right: true) }).joined(separator: "  "))
}

private func render(_ entry: DailyDocument.Entry, _ part: DaysDocument.Part, _ time: HubTime) -> String {
  func shown(_ marked: DaysDocument.Value?, _ derived: DaysDocument.Value?) -> String {
    if let marked { return number(marked.value) + "*" }
    return derived.map { number($0.value) } ?? "-"
  }
  let unit = entry.unit.isEmpty ? "" : " \(entry.unit)"
  let name = part.name.isEmpty ? "\(entry.series)\(unit)" : "\(entry.series) \(part.name)"
  return measuredRow(
    name,
    [
      shown(part.minimum, part.derivedMin), part.average.map { number($0) } ?? "-",
      shown(part.maximum, part.derivedMax), part.resting.map { number($0.value) } ?? "-", grouped(entry.day.manual),
      grouped(entry.day.automatic),
    ])
}

/// Manual measurements one by one, as there are few a day, and each was made on purpose.
private func manualLines(_ entry: DailyDocument.Entry, _ time: HubTime) -> String {
  let shown = entry.manual.suffix(8)
  if shown.isEmpty { return "" }
  let values = shown.map { item -> String in
    let value = item.components.isEmpty ? number(item.value) : item.components.map { number($0) }.joined(separator: "/")
    let clock = WallTime(rfc3339: item.start).map { time.minute($0) } ?? "?"
    return "\(clock) \(value)" + (item.quality == nil ? "" : " (doubtful)")
  }
  let more = entry.day.manual > shown.count ? "the last of \(entry.day.manual): " : ""
  return line("    by hand  \(more)" + values.joined(separator: ", "))
}

private func render(_ sleep: DailyDocument.SleepDay, _ time: HubTime) -> String {
  var text = ""
  for segment in sleep.segments {
    let stages = segment.sum.stages.map { stage in
      "\(stage.stage) \(hoursAndMinutes(stage.seconds))" + (stage.percent.map { " (\(number($0)) %)" } ?? "")
    }
    let kind = segment.kind == "other" ? "sleep by day" : segment.kind
    let asleep = hoursAndMinutes(segment.sum.asleepS)
    text += line("\(cell(kind, 24))  \(time.span(segment.sum.from, segment.sum.to))   asleep \(asleep)")
    text += line("    " + stages.joined(separator: ", "))
  }
  if sleep.segments.count > 1, let all = sleep.withNaps {
    text += line("\(cell("sleep of the day", 24))  \(hoursAndMinutes(all.asleepS))")
  }
  return text
}

private func hoursAndMinutes(_ seconds: Double) -> String {
  guard let minutes = Int(exactly: (seconds / 60).rounded()) else { return "?" }
  return "\(minutes / 60):" + (minutes % 60 < 10 ? "0" : "") + "\(minutes % 60)"
}
