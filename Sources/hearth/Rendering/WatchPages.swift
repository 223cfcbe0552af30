// Pages of a full-screen view without rows to select. They show the output of the command with the same name, in all
// its lines.

import EventLoop
import HubProtocol
import Reasons
import StoreDocuments

/// A page with its title; a page longer than the screen begins at `reader.top`.
func text(
  of page: WatchPage, _ model: WatchModel, _ reader: WatchReader, _ size: WatchSize, _ time: HubTime, _ room: Int,
  _ made: inout WatchFrame
) -> [WatchLine] {
  let (title, body) = content(of: page, model, size, time)
  if page == .enrolment { made.countsDown = model.status?.enrolment.open ?? false }
  if page == .visits {
    made.countsDown = model.status?.lane.visit != nil || model.status?.lane.waiting.isEmpty == false
  }
  let lines = folded(body, size.columns).split(separator: "\n", omittingEmptySubsequences: false).map {
    WatchLine(String($0))
  }
  let space = max(1, room - 1)
  let whole = lines.last?.text.isEmpty == true ? Array(lines.dropLast()) : lines
  made.rows = space
  made.top = min(max(0, reader.top), max(0, whole.count - space))
  let end = min(whole.count, made.top + space)
  let range = whole.count > space ? "\(made.top + 1)-\(end) of \(whole.count)" : ""
  return [ruleLine(title, range, size.columns)] + whole[made.top..<end]
}

private func content(of page: WatchPage, _ model: WatchModel, _ size: WatchSize, _ time: HubTime) -> (String, String) {
  let style = Style(isColoured: false, width: size.columns)
  switch page {
  case .visits:
    var list = VisitList(visits: model.visits, queue: model.status?.lane.waiting ?? [])
    // The running visit with its present state.
    list.visits.removeAll(where: \.running)
    if let visit = model.status?.lane.visit { list.visits.insert(visit, at: 0) }
    // Leave room for results of past visits.
    let more = list.queue.count - 6
    list.queue = Array(list.queue.prefix(6))
    var text = render(list, time, style)
    if more > 0 { text += "\n\(grouped(more)) more \(more == 1 ? "waits" : "wait"): hearth visits\n" }
    return ("visits", text)
  case .store:
    guard let status = model.status else { return ("store", "") }
    return ("store", renderLasting(status.store, time, KnownMutes(status)) + "\nseries by series: hearth store\n")
  case .radio: return ("radio", model.radio.map { render(quiet($0, time.now), now: time.now, style) } ?? "")
  case .lights: return ("lights", model.lights.map { render($0, style) } ?? "this hub has no LEDs\n")
  case .enrolment:
    guard var enrolment = model.status?.enrolment else { return ("enrolment", "") }
    enrolment.secondsLeft = wait(enrolment.openUntil, time.now) ?? enrolment.secondsLeft
    return ("enrolment: wearables that may join", render(enrolment, style))
  case .explain(let code):
    let trouble =
      (model.status?.attention.map(\.reason) ?? []) + model.devices.compactMap(\.reason)
    let detail = trouble.first { $0.code == code }.map { words($0) } ?? ""
    let text = Reason(code: code).map { render($0) } ?? "this program does not know \(harmless(code))\n"
    return ("what \(harmless(code)) means", (detail.isEmpty ? "" : "now: \(harmless(detail, limit: 512))\n\n") + text)
  case .help, .overview, .devices: return ("keys", helpText)
  }
}

/// A radio that heard a wearable in the last two minutes counts as hearing. The exact time changes constantly.
private func quiet(_ radio: RadioDocument, _ now: WallTime) -> RadioDocument {
  var radio = radio
  if let heard = age(radio.lastHeard, now), heard < 120 { radio.lastHeard = nil }
  return radio
}

private let helpText = """
  d  wearables, with kind, signal, free memory and last visit
  v  visits: the present one, waiting wearables and why they wait, last results
  s  store: how full, how old, what was written to the card
  r  radio: connections, and what was done to a radio that heard no wearable
  l  lights: what the LEDs show, and what to do about it
  e  enrolment: wearables that could join now; accept with hearth enroll accept
  x  why: what the code of the selected wearable means, and what to do
  /  show only wearables with the typed text in their name, kind or state
  j k, arrows, PgUp, PgDn, Home, End   up and down
  Esc, or the same key again           back to the first page
  q  quit

  > marks the selected wearable. Wearables that need a person are at the top.
  These pages never change the hub.

  """
