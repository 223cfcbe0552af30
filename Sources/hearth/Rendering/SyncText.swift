// Syncs as text: progress, and the result for each kind of data.

import EventLoop
import HubProtocol
import Reasons
import StoreDocuments

/// `band-07  3 of 8  sleep 2/7  61 %`: a terminal redraws it; elsewhere each finished kind of data gets a line.
func progressText(_ sync: SyncDocument, isFine: Bool) -> String {
  let running = sync.domains.first { $0.state == .running }
  var parts = [sync.device, "\(sync.domainsOver) of \(sync.domains.count)"]
  if let running {
    if isFine { parts.append("\(running.domain) \(running.itemsStored)/\(running.itemsListed)") }
  } else if sync.ended == nil {
    parts.append("waiting for its turn")
  }
  if isFine, let fetched = sync.itemFetched {
    parts.append(sync.percent.map { "\(bar($0)) \($0) %" } ?? size(fetched))
    if let all = sync.itemSize { parts.append("of \(size(all))") }
  }
  return parts.joined(separator: "  ")
}

func render(_ result: SyncResult, _ time: HubTime, _ style: Style) -> String {
  var text = result.syncs.map { render($0, time, style) }.joined(separator: "\n")
  if result.syncs.isEmpty, result.skipped.isEmpty { return "no sync was ordered\n" }
  if !text.isEmpty, !result.skipped.isEmpty { text += "\n" }
  for (device, error) in result.skipped {
    text +=
      line("\(device): not synced, \(error.reason.code)") + wrapped(harmless(error.detail, limit: 256), indent: "  ")
  }
  return result.syncs.isEmpty ? text : text + zoneLine(time)
}

private func render(_ sync: SyncDocument, _ time: HubTime, _ style: Style) -> String {
  let isWell = sync.reason == nil && !sync.domains.contains { $0.state == .failed }
  let state = sync.ended == nil ? "goes on" : isWell ? "done" : "not all of it"
  let over = sync.ended == nil ? sync.domainsOver : sync.domains.count { $0.state != .failed }
  let head = String(
    line("\(sync.device)   sync \(sync.number)   \(state)   \(over) of \(sync.domains.count)").dropLast())
  var text = (isWell ? style.bold(head) : style.attention(head)) + "\n"
  text += syncRow("DOMAIN", "RESULT", "NEW", "BYTES")
  for part in sync.domains {
    let isTold = part.state != .skipped && part.state != .waiting
    text += syncRow(
      part.domain, resultText(part), isTold ? "\(part.itemsStored)/\(part.itemsListed)" : "-",
      isTold ? size(Int(clamping: part.bytes)) : "-")
    if part.state == .failed || part.state == .skipped, let reason = part.reason, reason != sync.reason {
      text += wrapped(harmless(reason.detail, limit: 256), indent: "  ")
    }
    if part.itemsUndated > 0 {
      text += line("  \(counted(part.itemsUndated, "item")) without a time of its own, whatever the range")
    }
  }
  // A series may come with several kinds of data, so that its watermark belongs to no single one.
  let asked = Set(sync.domains.flatMap(\.series))
  let marks = sync.watermarks.compactMap { mark in
    asked.contains(mark.series) ? mark.end.flatMap { time.short($0) }.map { "\(mark.series) \($0)" } : nil
  }
  if !marks.isEmpty { text += wrapped("stored until: \(marks.joined(separator: ", "))") }
  let refused = sync.watermarks.filter { $0.refused > 0 }
  if !refused.isEmpty {
    let sum = refused.map { "\($0.series) \(grouped($0.refused))" }.joined(separator: ", ")
    text += wrapped("times of the future that were refused, ever: \(sum)")
  }
  return text + (sync.reason.map { render($0) } ?? "")
}

private func resultText(_ part: SyncDocument.Part) -> String {
  let word = harmless(part.state.spaced)
  return part.reason.map { "\(word) \($0.code)" } ?? word
}

private func syncRow(_ cells: String...) -> String {
  let (domain, result, new, bytes) = (cell(cells[0], 18), cell(cells[1], 14), cells[2], cells[3])
  return line("\(domain) \(result) \(cell(new, 9, right: true)) \(cell(bytes, 8, right: true))")
}
