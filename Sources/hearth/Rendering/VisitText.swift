// Visits and custody as text.

import EventLoop
import HubProtocol
import RingStore
import StoreDocuments

// MARK: Words

/// Activity of a visited wearable: `fetching`.
func stageWord(_ stage: Words.VisitStage) -> String {
  switch stage {
  case .connect: "connecting"
  case .identify: "identifying"
  case .check: "checking"
  case .list: "listing"
  case .fetch: "fetching"
  case .verify: "verifying"
  case .store: "storing"
  case .erase: "erasing"
  case .finish: "finishing"
  default: harmless(stage.rawValue)
  }
}

/// State of the link of a running visit, for a wearable that belongs to one host; nil for others.
func connectionWord(_ visit: VisitDocument) -> String? {
  visit.connection.map { $0 == .preparing ? "preparing data" : harmless($0.rawValue) }
}

/// Activity of a visit: `fetching`; for a wearable that has not accepted the hub yet, the state of its link.
func doingWord(_ visit: VisitDocument) -> String {
  visit.connection == .connected ? stageWord(visit.stage) : connectionWord(visit) ?? stageWord(visit.stage)
}

/// `done`, `interrupted H2104`; for a visit without an end, its known state.
func outcomeText(_ visit: VisitDocument) -> String {
  if visit.running { return "running" }
  let word = visit.outcome.map { harmless($0.spaced) } ?? "hub stopped"
  let short = visit.outcome == .needsAttention ? "attention" : word
  return [short, visit.reason?.code].compactMap { $0 }.joined(separator: " ")
}

/// Shortened to the width of its column.
private func triggerWord(_ trigger: Words.VisitTrigger) -> String {
  switch trigger {
  case .resumption: "resumed"
  case .announcement: "new data"
  default: trigger.rawValue
  }
}

/// `[############--------]`
func bar(_ percent: Int, width: Int = 20) -> String {
  let full = min(100, max(0, percent)) * width / 100
  return "[" + String(repeating: "#", count: full) + String(repeating: "-", count: width - full) + "]"
}

/// `item 3 of 5`; empty before items are listed.
func itemCount(_ visit: VisitDocument) -> String {
  visit.itemsListed > 0 ? "item \(min(visit.itemsListed, visit.itemsDone + 1)) of \(visit.itemsListed)" : ""
}

// MARK: The list

func render(_ list: VisitList, _ time: HubTime, _ style: Style) -> String {
  var text = ""
  let now = time.now
  for visit in list.visits where visit.running { text += renderRunning(visit, now: now, style) }
  for (index, queued) in list.queue.enumerated() {
    text += line((index == 0 ? "queue  " : "       ") + queueText(queued, now))
  }
  if list.visits.isEmpty { return text + "no visits yet\n" }
  if !text.isEmpty { text += "\n" }
  let name = room(for: list.visits.map(\.device), least: 11, others: 69, style)
  text += visitRow(name, "VISIT", "WEARABLE", "WHY", "BEGAN", "TOOK", "ITEMS", "BYTES", "OUTCOME")
  for visit in list.visits {
    let took = age(visit.began, WallTime(rfc3339: visit.ended ?? "") ?? now)
    let row = visitRow(
      name, "\(visit.number)", visit.device, triggerWord(visit.trigger), time.short(visit.began) ?? "?",
      visit.ended == nil && !visit.running ? "?" : took.map(shortSpan) ?? "?",
      "\(visit.itemsDone)/\(visit.itemsListed)",
      size(Int(clamping: visit.bytesFetched)), outcomeText(visit))
    text += visit.outcome == .needsAttention ? style.attention(String(row.dropLast())) + "\n" : row
    text += remarkLines(visit)
  }
  return text + zoneLine(time)
}

/// Reason or remark of a visit; empty without one.
private func remarkLines(_ visit: VisitDocument) -> String {
  guard let remark = visit.remark ?? visit.reason?.detail, !remark.isEmpty else { return "" }
  return wrapped(harmless(remark, limit: 256), indent: "       ")
}

private func visitRow(
  _ name: Int, _ number: String, _ device: String, _ why: String, _ began: String, _ took: String, _ items: String,
  _ bytes: String,
  _ outcome: String
) -> String {
  let cells = [
    cell(number, 5, right: true), cell(device, name), cell(why, 8), cell(began, 8), cell(took, 6, right: true),
    cell(items, 5, right: true),
    cell(bytes, 7, right: true), outcome,
  ]
  return line(cells.joined(separator: "  "))
}

/// `band-07 in 20 s: memory full in 3 h`
func queueText(_ queued: QueuedDocument, _ now: WallTime) -> String {
  let when = wait(queued.notBefore, now).flatMap { $0 > 0 ? " in \(shortSpan($0))" : nil } ?? ""
  return "\(harmless(queued.device))\(when): \(harmless(queued.why, limit: 80))"
}

/// Wearable, stage and progress; a bar with bytes, rate and expected end; the item.
func renderRunning(_ visit: VisitDocument, now: WallTime, _ style: Style) -> String {
  let head = [
    "now    \(harmless(visit.device))", "visit \(visit.number)", connectionWord(visit) ?? "", stageWord(visit.stage),
    itemCount(visit),
  ]
  var text = style.bold(String(line(head.filter { !$0.isEmpty }.joined(separator: "   ")).dropLast())) + "\n"
  if let fetched = visit.itemFetched {
    let amount = visit.itemSize.map { "\(size(fetched)) of \(size($0))" } ?? "\(size(fetched)) so far"
    let parts = [
      visit.percent.map { "\(bar($0)) \($0) %" }, amount, visit.rate.map { "\(size($0))/s" },
      wait(visit.expectedEnd, now).map { "done in \(shortSpan($0))" },
    ]
    text += line("       " + parts.compactMap { $0 }.joined(separator: "   "))
  }
  if let item = visit.item { text += line("       \(item)") }
  return text
}

/// The end of a long name, in which items differ.
func ending(_ text: String, _ width: Int) -> String {
  let safe = harmless(text, limit: 512)
  if columns(safe) <= width { return safe }
  var kept = ""
  for character in safe.reversed() {
    if columns(kept) + columns(String(character)) > width - 1 { break }
    kept.append(character)
  }
  return "~" + String(kept.reversed())
}

// MARK: One visit

func renderAsked(_ queued: QueuedDocument, now: WallTime) -> String {
  let when = wait(queued.notBefore, now).flatMap { $0 > 0 ? ", not before \(shortSpan($0)) from now" : nil } ?? ""
  // Such a wearable only needs a link.
  if !queued.fetches {
    return line("\(queued.device): \(queued.why)\(when)") + line("see: hearth device \(queued.device)")
  }
  return line("\(queued.device) is next: \(queued.why)\(when)") + line("see: hearth visits \(queued.device)")
}

func renderEnded(_ visit: VisitDocument, _ style: Style) -> String {
  let text =
    """
    \(harmless(visit.device))   visit \(visit.number)   \(outcomeText(visit))   \(visit.itemsDone) of \
    \(counted(visit.itemsListed, "item"))   \(size(Int(clamping: visit.bytesFetched)))
    """
  return (visit.outcome == .done ? style.good(text) : style.attention(text)) + "\n" + remarkLines(visit)
}

/// Progress for a person that waits: a redrawn line on a terminal; elsewhere a line for each stage and item.
struct ProgressLine {
  let isTerminal: Bool
  /// Width of one column less than the terminal has, as a full line would scroll.
  let width: Int
  private var shown = ""

  init(isTerminal: Bool, width: Int = 79) {
    self.isTerminal = isTerminal
    self.width = width
  }

  mutating func text(_ visit: VisitDocument?, now: WallTime) -> String {
    draw(isTerminal ? Self.fine(visit, now) : Self.coarse(visit))
  }

  /// Text to draw; empty if it is already shown.
  mutating func draw(_ next: String) -> String {
    if next == shown { return "" }
    defer { shown = next }
    return isTerminal ? "\r" + cell(shortened(next, width), width) : next + "\n"
  }

  /// Text that leaves the cursor at the start of an empty line.
  mutating func end() -> String {
    isTerminal && !shown.isEmpty ? "\r" + String(repeating: " ", count: width) + "\r" : ""
  }

  private static func fine(_ visit: VisitDocument?, _ now: WallTime) -> String {
    guard let visit else { return "waiting for its turn" }
    let parts = [
      doingWord(visit), itemCount(visit), visit.percent.map { "\(bar($0)) \($0) %" } ?? "",
      visit.rate.map { "\(size($0))/s" } ?? "",
      wait(visit.expectedEnd, now).map { "\(shortSpan($0)) left" } ?? "",
    ]
    return parts.filter { !$0.isEmpty }.joined(separator: "  ")
  }

  private static func coarse(_ visit: VisitDocument?) -> String {
    guard let visit else { return "waiting for its turn" }
    return [doingWord(visit), itemCount(visit), visit.item.map { ending($0, 50) } ?? ""].filter { !$0.isEmpty }
      .joined(separator: "  ")
  }
}

// MARK: Custody

func render(_ custody: CustodyDocument, _ hub: HubTime, _ style: Style) -> String {
  var text = ""
  if let visit = custody.visit {
    func time(_ text: String?) -> String { hub.short(text) ?? "?" }
    let end = visit.running ? "running" : visit.ended.map { time($0) } ?? "?"
    let slice = visit.sliceMs.map {
      "turn of \(shortSpan($0 / 1000))" + (visit.sliceUsedMs.map { ", used \(shortSpan($0 / 1000))" } ?? "")
    }
    let parts = [
      "visit \(visit.number)", "\(time(visit.began)) -> \(end)", slice, visit.rate.map { "\(size($0))/s" },
      visit.running ? nil : outcomeText(visit),
    ]
    text += line(parts.compactMap { $0 }.joined(separator: "   "))
  }
  if let visit = custody.visit, let remark = visit.remark { text += wrapped(harmless(remark, limit: 256)) }
  // A visit that is done, with a trouble left for a person.
  if let visit = custody.visit, visit.outcome == .done, let reason = visit.reason {
    text += style.attention(render(reason))
  }
  if custody.items.isEmpty { return text + line("\(custody.device): no item of it is in custody") }
  let width = room(for: custody.items.map(\.id), least: 32, others: 48, style)
  text += custodyRow(width, "ITEM", "BYTES", "FETCHED", "VERIFIED", "DURABLE", "ERASED")
  for item in custody.items {
    func time(_ text: String?) -> String { hub.short(text) ?? "-" }
    let percent = item.bytesFetched > 0 ? partly(item) : "-"
    text += custodyRow(
      width, item.id, (item.size ?? (item.bytesFetched > 0 ? item.bytesFetched : nil)).map { grouped($0) } ?? "-",
      item.fetched == nil ? percent : time(item.fetched), time(item.verified), time(item.durable), time(item.erased))
    if !item.remark.isEmpty { text += line("  \(item.remark)") }
  }
  let kept = custody.items.count { $0.durable != nil && $0.erased == nil }
  let open = custody.items.count { $0.durable == nil }
  let sum = [
    "\(counted(custody.items.count, "item"))", open > 0 ? "\(grouped(open)) not durable yet" : nil,
    kept > 0 ? "\(grouped(kept)) durable and not erased" : nil,
  ]
  return text + line(sum.compactMap { $0 }.joined(separator: "   ")) + zoneLine(hub)
}

private func partly(_ item: CustodyDocument.Item) -> String {
  guard let size = item.size, size > 0 else { return hearth.size(item.bytesFetched) }
  return "\(Int(min(1, Double(item.bytesFetched) / Double(size)) * 100)) %"
}

private func custodyRow(_ width: Int, _ id: String, _ bytes: String, _ times: String...) -> String {
  line("\(cell(id, width)) \(cell(bytes, 11, right: true)) " + times.map { cell($0, 8) }.joined(separator: " "))
}
