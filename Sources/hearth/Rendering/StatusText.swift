// The first screen: whether all is well, and the next step.

import EventLoop
import HubProtocol
import Reasons
import StoreDocuments

/// Whether a person has to act.
func needsAttention(_ status: StatusDocument) -> Bool {
  status.attention.contains { !isInformation($0) } || status.phase != .serving || isRadioDown(status)
}

/// Whether the radio is down and that is not muted.
private func isRadioDown(_ status: StatusDocument) -> Bool {
  status.radio.state == .down && !KnownMutes(status).covers(status.radio.reason?.code)
}

/// Whether a trouble is mere information, without an urgent step.
func isInformation(_ attention: StatusDocument.Attention) -> Bool {
  isInformation(attention.reason.code, ofWearable: attention.device != nil)
}

func isInformation(_ code: String, ofWearable: Bool) -> Bool {
  guard let reason = Reason(code: code) else { return false }
  return reason.isInformation || ofWearable && reason.isLeftToHub
}

func render(_ status: StatusDocument, _ time: HubTime, _ style: Style, verbose: Bool = false) -> String {
  let now = time.now
  var text = hubLine(status, style)
  text += line("radio  " + radioWords(status.radio))
  text += line("wearables " + countWords(status).joined(separator: "   "))
  text += visitsLine(status.lane, now)
  if status.enrolment.open || status.enrolment.mode == .all {
    text += line("enrol  " + enrolmentWords(status.enrolment, now))
  }
  text += line("store  " + storeWords(status.store, time, KnownMutes(status)))
  if let made = age(status.backupAt, now) { text += line("backup \(shortSpan(made)) old") }
  text += clockLine(status.clock, time)
  for attention in status.attention { text += attentionLine(attention, style) }
  for muted in status.muted ?? [] {
    let end = mutedWords(muted.mutedUntil, time)
    text += line("- \(muted.device ?? "hub")  \(muted.reason.code) \(end) -> hearth mute")
  }
  if verbose { text += verboseLines(status) }
  return text
}

private func hubLine(_ status: StatusDocument, _ style: Style) -> String {
  let up = status.phase == .serving ? "serving \(span(status.uptimeSeconds))" : status.phase.rawValue
  let left = "hub \(harmless(status.name))   "
  let painted = needsAttention(status) ? style.attention(up) : style.good(up)
  let right = "Hearth \(harmless(status.version))"
  let space = max(3, 66 - columns(left + up) - columns(right))
  return left + painted + String(repeating: " ", count: space) + right + "\n"
}

// MARK: Words that a full-screen view says too

/// `hci0 onboard   5 of 7 connections   listening`
func radioWords(_ radio: StatusDocument.Radio) -> String {
  if let reason = radio.reason {
    return "\(harmless(radio.adapter.isEmpty ? "none" : radio.adapter))   \(reason.code) \(harmless(reason.sentence))"
  }
  let adapter = [radio.adapter, radio.bus].filter { !$0.isEmpty }.map { harmless($0) }.joined(separator: " ")
  let state = radio.state == .ready ? radio.scanning ? "listening" : "not listening" : harmless(radio.state.rawValue)
  let recovery = radio.recovering ? "   being restarted" + (radio.rung.map { " (\(harmless($0)))" } ?? "") : ""
  return "\(adapter)   \(radio.links) of \(radio.slots) connections   \(state)\(recovery)"
}

/// Numbers of wearables by kind; zeros are left out unless they matter.
func countWords(_ status: StatusDocument) -> [String] {
  let missing = Set(status.attention.filter { $0.reason.code == Reason.wearableMissing.code }.compactMap(\.device))
  let urgent = status.attention.filter { !isInformation($0) }
  let troubled = Set(urgent.compactMap(\.device)).subtracting(missing).count
  var words = ["\(status.enrolled) enrolled", "\(status.present) present", "\(status.live) live"]
  if status.missing > 0 { words.append("\(status.missing) missing") }
  if let paused = status.paused { words.append("\(paused) paused") }
  if troubled > 0 { words.append("\(troubled) \(troubled == 1 ? "needs" : "need") attention") }
  return words
}

/// The present way to enrol wearables.
func enrolmentWords(_ enrolment: EnrolmentDocument, _ now: WallTime) -> String {
  if !enrolment.open { return "open to all that are recognised" }
  let left = wait(enrolment.openUntil, now) ?? enrolment.secondsLeft ?? 0
  let count = enrolment.candidates.count
  return "window open, \(left) s left   \(count == 0 ? "no new wearable" : "\(grouped(count)) new") heard"
}

/// Whether the hub's clock can be trusted.
func clockWords(_ isSynchronised: Bool, _ isPlausible: Bool) -> String {
  if isSynchronised { return "trusted (time server)" }
  return isPlausible
    ? "plausible, but no time server" : "not trusted; samples are kept, their times marked unsure"
}

/// Size and age of the store, and bytes written to the card today.
func storeWords(_ store: StoreDocument, _ time: HubTime, _ mutes: KnownMutes) -> String {
  var parts = [
    "\(size(store.usedBytes)) of \(size(store.limitBytes))"
      + (age(store.oldest, time.now).map { ", oldest \(shortSpan($0))" } ?? ", empty")
  ]
  let budget = store.wear.budgetPerDay.map { " (budget \(size(Int(clamping: $0))))" } ?? ""
  parts.append("\(size(Int(clamping: store.wear.bytesToday))) written today\(budget)")
  if let reason = store.reason {
    parts.append("\(reason.code) \(mutes.words(reason.code, time) ?? harmless(reason.sentence))")
  }
  return parts.joined(separator: "   ")
}

// MARK: Lines of the first screen

/// The running visit, and the next one.
private func visitsLine(_ lane: StatusDocument.Lane, _ now: WallTime) -> String {
  if lane.holder == nil, lane.visit == nil, lane.queue.isEmpty, lane.waiting.isEmpty {
    return line("visits none now, no wearable waits")
  }
  var parts = [lane.visit.map(visitText) ?? lane.holder.map { "connecting \($0)" } ?? "none now"]
  if let next = lane.waiting.first {
    let when = wait(next.notBefore, now).flatMap { $0 > 0 ? " in \(shortSpan($0))" : nil } ?? ""
    parts += ["next: \(next.device)\(when)", "\(lane.waiting.count) \(lane.waiting.count == 1 ? "waits" : "wait")"]
  } else if let next = lane.queue.first {
    parts += ["next: \(next)", "\(lane.queue.count) \(lane.queue.count == 1 ? "waits" : "wait")"]
  }
  return line("visits " + parts.joined(separator: "   "))
}

/// `band-12: fetching item 3 of 5, 61 %`
private func visitText(_ visit: VisitDocument) -> String {
  let what = [stageWord(visit.stage), itemCount(visit)].filter { !$0.isEmpty }.joined(separator: " ")
  return "\(visit.device): \([what, visit.percent.map { "\($0) %" }].compactMap { $0 }.joined(separator: ", "))"
}

private func clockLine(_ clock: StatusDocument.Clock, _ time: HubTime) -> String {
  let trust = clockWords(clock.synchronised, clock.plausible)
  return line("clock  \(time.text(clock.time)) \(time.zone.name)   \(trust)")
}

private func attentionLine(_ attention: StatusDocument.Attention, _ style: Style) -> String {
  let who = attention.device ?? "hub"
  let isNews = isInformation(attention)
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

/// Counters other than zero, one per line.
func counterLines(_ title: String, _ counters: Counters) -> String {
  counters.entries.filter { $0.value > 0 }.map {
    line("\(cell(title, 6)) \(cell($0.name, 28)) \(cell(grouped($0.value), 14, right: true))")
  }.joined()
}
