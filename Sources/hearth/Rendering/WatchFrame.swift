// A full-screen view as lines: a pure function of the documents, the screen's size, the reader's position and the time.
// Pages other than the overview are in `WatchPages.swift`.

import EventLoop
import HubProtocol
import Reasons
import StoreDocuments

/// The size of a screen.
struct WatchSize: Equatable {
  var columns: Int
  var rows: Int

  /// A smaller screen has no room for a wearable below the head.
  static let least = WatchSize(columns: 40, rows: 10)
  var isEnough: Bool { columns >= Self.least.columns && rows >= Self.least.rows }
}

/// Content of the screen.
struct WatchFrame {
  /// Lines, as many as the screen has, and no wider.
  var lines: [WatchLine] = []
  /// Index of the first shown row or line, and the number that fits.
  var top = 0
  var rows = 1
  /// Some text counts seconds, so that the frame changes each second without news of the hub.
  var countsDown = false
}

/// - Parameter time: the hub's present time.
func frame(_ model: WatchModel, _ reader: WatchReader, _ size: WatchSize, _ time: HubTime) -> WatchFrame {
  guard size.isEnough else {
    let least = WatchSize.least
    let text = "this screen is \(size.columns) x \(size.rows); hearth watch needs \(least.columns) x \(least.rows)"
    let lines = folded(text, max(20, size.columns)).split(separator: "\n").map {
      WatchLine(String($0)).clipped(to: size.columns)
    }
    return WatchFrame(lines: filled(Array(lines.prefix(size.rows)), size.rows))
  }
  var made = WatchFrame()
  var head = [titleLine(model, time, size.columns)]
  if let since = model.downSince {
    let when = WallTime(rfc3339: since).map { " since \(time.minute($0))" } ?? ""
    let shown = model.status == nil ? "" : "; its last answer is shown"
    head.append(WatchLine("! daemon not running\(when)\(shown); it is tried again", .attention))
  }
  if model.status == nil {
    made.lines = filled(head, size.rows - 1) + [keyLine(reader, size.columns)]
    return finished(made, size)
  }
  switch reader.page {
  case .overview: overview(model, reader, size, time, head, &made)
  case .devices:
    let table = WatchTable(model, reader, time, width: size.columns, isWide: true)
    made.countsDown = table.countsDown
    made.lines = head + rows(table, model, reader, size, room: size.rows - head.count - 1, &made)
  case let page: made.lines = head + text(of: page, model, reader, size, time, size.rows - head.count - 1, &made)
  }
  made.lines = filled(made.lines, size.rows - 1) + [keyLine(reader, size.columns)]
  return finished(made, size)
}

private func finished(_ frame: WatchFrame, _ size: WatchSize) -> WatchFrame {
  var frame = frame
  frame.lines = frame.lines.prefix(size.rows).map { $0.clipped(to: size.columns) }
  return frame
}

/// Returns at most `count` lines, filled up with empty ones.
private func filled(_ lines: [WatchLine], _ count: Int) -> [WatchLine] {
  lines + Array(repeating: WatchLine(), count: max(0, count - lines.count))
}

// MARK: The head

private func titleLine(_ model: WatchModel, _ time: HubTime, _ width: Int) -> WatchLine {
  guard let status = model.status else { return WatchLine("hearth watch", .bold) }
  var line = WatchLine("hub \(status.name)", .bold)
  // The hub only sends changes, so that ages are counted here.
  let uptime = age(status.startedAt, time.now) ?? status.uptimeSeconds
  let up = status.phase == .serving ? "serving \(span(uptime))" : status.phase.rawValue
  line.add("   ")
  line.add(up, needsAttention(status) ? .attention : .good)
  if !status.clock.plausible, !KnownMutes(status).covers(Reason.clockUntrusted.code) {
    line.add("   clock not trusted H5001", .attention)
  }
  let right = "\(time.minute(time.now)) \(time.zone.name)"
  line = line.clipped(to: max(1, width - columns(right) - 2))
  line.pad(to: width - columns(right))
  line.add(right)
  return line
}

/// A label of six columns and its text.
private func labelled(_ label: String, _ text: String, _ paint: Paint = .plain) -> WatchLine {
  var line = WatchLine(cell(label, 7), .faint)
  line.add(text, paint)
  return line
}

/// A line across the screen with a title.
func ruleLine(_ title: String, _ right: String, _ width: Int) -> WatchLine {
  var line = WatchLine("-- ", .faint)
  line.add(title, .bold)
  line.add(" ", .faint)
  let end = right.isEmpty ? "" : " \(right) --"
  line = line.clipped(to: max(4, width - columns(end)))
  line.add(String(repeating: "-", count: max(0, width - line.width - columns(end))) + end, .faint)
  return line
}

// MARK: The overview

private func overview(
  _ model: WatchModel, _ reader: WatchReader, _ size: WatchSize, _ time: HubTime, _ head: [WatchLine],
  _ made: inout WatchFrame
) {
  guard let status = model.status else { return }
  var lines = head
  let mutes = KnownMutes(status)
  let radioIsWell =
    status.radio.reason.map { mutes.covers($0.code) } ?? (status.radio.state == .ready)
  lines.append(labelled("radio", radioWords(status.radio), radioIsWell ? .plain : .attention))
  lines += visitLines(status.lane, time.now, size.columns, &made)
  if status.enrolment.open || status.enrolment.mode == .all {
    lines.append(labelled("enrol", enrolmentWords(status.enrolment, time.now)))
    made.countsDown = made.countsDown || status.enrolment.open
  }
  let store = storeWords(status.store, time, mutes)
  let storeIsWell =
    status.store.reason.map { mutes.covers($0.code) } ?? true
    && (!status.store.wear.overBudget || mutes.covers(Reason.storeBudgetExceeded.code))
  lines.append(labelled("store", store, storeIsWell ? .plain : .attention))
  if let lights = model.lights, !lights.lights.isEmpty, size.rows >= 16 { lines.append(lightLine(lights)) }
  let troubles = status.attention.filter { $0.device == nil }
  let told = min(troubles.count, size.rows >= 24 ? 3 : 1)
  for trouble in troubles.prefix(told) {
    let more = trouble == troubles[told - 1] && troubles.count > told ? "   (and \(troubles.count - told) more)" : ""
    lines.append(WatchLine("! hub  \(trouble.reason.code) \(words(trouble.reason))\(more)", .attention))
  }
  let table = WatchTable(model, reader, time, width: size.columns, isWide: false)
  made.countsDown = made.countsDown || table.countsDown
  let left = size.rows - 1 - lines.count
  // A third of the rows for events, if some wearables fit beside them; more if wearables leave room.
  let wanted = min(model.events.count, max(left / 3, left - 4 - table.lineCount))
  let events = left < 10 || model.events.isEmpty ? 0 : max(0, wanted)
  lines += rows(table, model, reader, size, room: left - (events > 0 ? events + 1 : 0), &made)
  if events > 0 {
    lines = filled(lines, size.rows - 1 - events - 1)
    lines.append(ruleLine("last events", "", size.columns))
    lines += byTime(model.events).suffix(events).reversed().map { eventLine($0, time) }
  }
  made.lines = lines
}

private func visitLines(
  _ lane: StatusDocument.Lane, _ now: WallTime, _ width: Int, _ made: inout WatchFrame
) -> [WatchLine] {
  var lines: [WatchLine] = []
  if let visit = lane.visit {
    var parts = [visit.device, doingWord(visit), itemCount(visit)].filter { !$0.isEmpty }
    if let percent = visit.percent { parts.append("\(bar(percent)) \(percent) %") }
    lines.append(labelled("visit", parts.map { harmless($0) }.joined(separator: "   ")))
  } else {
    lines.append(labelled("visit", lane.holder.map { "connecting \(harmless($0))" } ?? "no wearable is visited now"))
  }
  guard let first = lane.waiting.first else { return lines }
  if let seconds = wait(first.notBefore, now), seconds > 0 { made.countsDown = true }
  var text = queueText(first, now)
  // As many names as fit, without cutting one.
  for (index, queued) in lane.waiting.enumerated().dropFirst() {
    let left = lane.waiting.count - index
    let longer = text + (index == 1 ? "   then " : ", ") + harmless(queued.device)
    // Seven columns are for the label; the remaining names may have to be counted.
    if columns(longer) + 7 + (left > 1 ? columns(", \(left - 1) more") : 0) > width {
      text += index == 1 ? "   \(left) more" : ", \(left) more"
      break
    }
    text = longer
  }
  return lines + [labelled("next", text)]
}

private func lightLine(_ lights: LightsDocument) -> WatchLine {
  var line = WatchLine(cell("lights", 7), .faint)
  for (index, light) in lights.lights.enumerated() {
    if index > 0 { line.add("   ") }
    let paint: Paint = light.code == nil || light.over == true ? .plain : .attention
    line.add("\(light.lamp) \(light.pattern)", paint)
    if let code = light.code { line.add(" \(code)" + (light.over == true ? ", over" : ""), paint) }
  }
  return line
}

func eventLine(_ event: EventDocument, _ time: HubTime) -> WatchLine {
  var line = WatchLine("\(cell(time.short(event.time) ?? "?", 8))  \(event.code)  ")
  line.add(whatHappened(event))
  return line
}

/// Detail of a trouble, else the meaning of its code.
func words(_ trouble: TroubleDocument) -> String { trouble.detail.isEmpty ? trouble.sentence : trouble.detail }

// MARK: The wearables

/// Head, and rows of the wearables that fit, including the selected one.
private func rows(
  _ table: WatchTable, _ model: WatchModel, _ reader: WatchReader, _ size: WatchSize, room: Int,
  _ made: inout WatchFrame
) -> [WatchLine] {
  let space = max(1, room - 2)
  let (top, end) = table.window(from: reader.top, space)
  made.top = top
  made.rows = space
  let range = table.rows.isEmpty || end - top == table.rows.count ? "" : "\(top + 1)-\(end) of \(table.rows.count)"
  var lines = [ruleLine(table.title(model), range, size.columns), table.head]
  for row in table.rows[top..<end] { lines += row }
  if table.rows.isEmpty {
    let none = reader.filter.isEmpty ? "no wearable is enrolled; let one join with: hearth enroll open" : "no match"
    lines.append(WatchLine("  \(none)"))
  }
  return Array(lines.prefix(max(0, room)))
}

// MARK: The last line

/// Keys in the order of their use; those that do not fit are only in the help.
private func keyLine(_ reader: WatchReader, _ width: Int) -> WatchLine {
  if reader.isTyping {
    var line = WatchLine("find: \(reader.filter)_", .bold)
    line.add("   Enter keeps it, Esc ends it", .faint)
    return line
  }
  var keys = [
    ("d", "devices"), ("v", "visits"), ("s", "store"), ("r", "radio"), ("l", "lights"), ("e", "enrol"), ("x", "why"),
    ("/", "find"), ("?", "help"), ("q", "quit"),
  ]
  func length() -> Int { keys.reduce(-1) { $0 + 3 + columns($1.1) } }
  while length() > width, keys.count > 2 { keys.remove(at: keys.count - 3) }
  var line = WatchLine()
  for (index, key) in keys.enumerated() {
    if index > 0 { line.add(" ") }
    line.add(key.0, .bold)
    line.add(":\(key.1)", reader.page == key.0.first.flatMap(WatchPage.init) ? .bold : .plain)
  }
  return line
}
