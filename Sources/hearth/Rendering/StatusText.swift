// The first screen: is it fine, and if not, what next.

import EventLoop
import HubProtocol
import Reasons
import StoreDocuments

/// Whether a person has to do something.
func needsAttention(_ status: StatusDocument) -> Bool {
  status.attention.contains { !isInformation($0.reason) } || status.phase != "serving" || status.radio.state == "down"
}

/// Worth knowing, and nothing to be done at once.
func isInformation(_ reason: TroubleDocument) -> Bool { Reason(code: reason.code)?.isInformation ?? false }

func render(_ status: StatusDocument, _ time: HubTime, _ style: Style, verbose: Bool = false) -> String {
  let now = time.now
  var text = hubLine(status, style)
  text += radioLine(status.radio)
  let missing = Set(status.attention.filter { $0.reason.code == Reason.wearableMissing.code }.compactMap(\.device))
  let urgent = status.attention.filter { !isInformation($0.reason) }
  let troubled = Set(urgent.compactMap(\.device)).subtracting(missing).count
  text += line(
    "wearables \(status.enrolled) enrolled   \(status.present) present   \(status.live) live"
      + (status.missing == 0 ? "" : "   \(status.missing) missing")
      + (troubled == 0 ? "" : "   \(troubled) \(troubled == 1 ? "needs" : "need") attention"))
  text += laneLine(status.lane, now)
  if status.enrolment.open {
    text += line(
      """
      enrol  window open, \(status.enrolment.secondsLeft ?? 0) s left   \
      \(counted(status.enrolment.candidates.count, "candidate"))
      """
    )
  } else if status.enrolment.mode == "all" {
    text += line("enrol  open to all that are recognised")
  }
  text += storeLine(status.store, now)
  text += clockLine(status.clock, time)
  for attention in status.attention { text += attentionLine(attention, style) }
  if verbose { text += verboseLines(status) }
  return text
}

private func hubLine(_ status: StatusDocument, _ style: Style) -> String {
  let up = status.phase == "serving" ? "serving \(span(status.uptimeSeconds))" : status.phase
  let left = "hub \(harmless(status.name))   "
  let painted = needsAttention(status) ? style.attention(up) : style.good(up)
  let right = "Hearth \(harmless(status.version))"
  let space = max(3, 66 - columns(left + up) - columns(right))
  return left + painted + String(repeating: " ", count: space) + right + "\n"
}

private func radioLine(_ radio: StatusDocument.Radio) -> String {
  if let reason = radio.reason {
    return line("radio  \(radio.adapter.isEmpty ? "none" : radio.adapter)   \(reason.code) \(reason.sentence)")
  }
  let adapter = [radio.adapter, radio.bus].filter { !$0.isEmpty }.joined(separator: " ")
  let state = radio.state == "ready" ? radio.scanning ? "scanning" : "not scanning" : radio.state
  let ladder = radio.recovering ? "   ladder at work" + (radio.rung.map { " (\($0))" } ?? "") : ""
  return line("radio  \(adapter)   \(radio.links) of \(radio.slots) slots   \(state)\(ladder)")
}

private func laneLine(_ lane: StatusDocument.Lane, _ now: WallTime) -> String {
  if lane.holder == nil, lane.visit == nil, lane.queue.isEmpty, lane.waiting.isEmpty { return line("lane   idle") }
  var parts = [lane.visit.map(visitText) ?? lane.holder.map { "connecting \($0)" } ?? "free"]
  if let next = lane.waiting.first {
    let when = wait(next.notBefore, now).flatMap { $0 > 0 ? " in \(shortSpan($0))" : nil } ?? ""
    parts += ["next: \(next.device)\(when)", "queue \(lane.waiting.count)"]
  } else if let next = lane.queue.first {
    parts += ["next: \(next)", "queue \(lane.queue.count)"]
  }
  return line("lane   " + parts.joined(separator: "   "))
}

/// `visiting band-12 (item 3/5, 61 %)`
private func visitText(_ visit: VisitDocument) -> String {
  let items =
    visit.itemsListed > 0
    ? "item \(min(visit.itemsListed, visit.itemsDone + 1))/\(visit.itemsListed)" : stageWord(visit.stage)
  return
    "visiting \(visit.device) (\([items, visit.percent.map { "\($0) %" }].compactMap { $0 }.joined(separator: ", ")))"
}

private func storeLine(_ store: StoreDocument, _ now: WallTime) -> String {
  var parts = [
    "\(size(store.usedBytes)) of \(size(store.limitBytes))"
      + (age(store.oldest, now).map { ", oldest \(shortSpan($0))" } ?? ", empty")
  ]
  let budget = store.wear.budgetPerDay.map { " (budget \(size(Int(clamping: $0))))" } ?? ""
  parts.append("\(size(Int(clamping: store.wear.bytesToday))) written today\(budget)")
  if let reason = store.reason { parts.append("\(reason.code) \(reason.sentence)") }
  return line("store  " + parts.joined(separator: "   "))
}

private func clockLine(_ clock: StatusDocument.Clock, _ time: HubTime) -> String {
  let trust =
    clock.synchronised
    ? "trusted (synchronised)"
    : clock.plausible ? "not synchronised, plausible" : "not trusted; samples are stored with evidence"
  return line("clock  \(time.text(clock.time)) \(time.zone.name)   \(trust)")
}

private func attentionLine(_ attention: StatusDocument.Attention, _ style: Style) -> String {
  let who = attention.device ?? "hub"
  let isNews = isInformation(attention.reason)
  let head = "\(isNews ? "-" : "!") \(harmless(who))  \(attention.reason.code) "
  let tail = " -> hearth explain \(attention.reason.code)"
  let what = attention.reason.sentence.isEmpty ? attention.reason.detail : attention.reason.sentence
  let text = head + harmless(what, limit: 256) + tail
  return (isNews ? text : style.attention(text)) + "\n"
}

private func verboseLines(_ status: StatusDocument) -> String {
  var text = "\n"
  if let address = status.radio.address { text += line("radio  address \(address)") }
  if let loop = status.loop {
    text += line("loop   \(grouped(loop.wakeUps)) wake-ups   \(counted(loop.stalls, "stall")) over 50 ms")
    text += line("turns  p50 \(loop.turnP50Ms) ms   p99 \(loop.turnP99Ms) ms   longest \(loop.longestTurnMs) ms")
  }
  text += counterLines("radio", status.radio.counters) + counterLines("hub", status.counters)
  return text
}

/// Counters that are not zero, one a line.
func counterLines(_ title: String, _ counters: Counters) -> String {
  counters.entries.filter { $0.value > 0 }.map {
    line("\(cell(title, 6)) \(cell($0.name, 28)) \(cell(grouped($0.value), 14, right: true))")
  }.joined()
}
