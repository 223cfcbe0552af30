// The uplink as text: connection, backlog, rate, troubles and next steps.

import EventLoop
import HubProtocol
import Reasons
import StoreDocuments

func render(_ uplink: UplinkDocument, _ time: HubTime, _ style: Style) -> String {
  func row(_ head: String, _ words: String) -> String { line("\(cell(head, 8)) \(words)") }
  let place = uplink.broker + (uplink.secure ? ", TLS" : ", in clear")
  var text = ""
  if uplink.connected {
    let since = uplink.connectedSince.map { time.text($0) } ?? "?"
    text += row("broker", "\(place)   connected since \(since)   \(uplink.protocol ?? "")")
  } else {
    let next = uplink.nextTry.map { "   next try \(time.text($0))" } ?? ""
    text += style.attention(String(row("broker", "\(place)   not connected\(next)").dropLast())) + "\n"
  }
  text += row("as", "\(uplink.hub) of group \(uplink.group)   store \(uplink.store ?? "not known yet")")
  var waiting = uplink.backlogRows.map { counted($0, "row") } ?? "not known: the daemon does not answer"
  if let hours = uplink.backlogHours, uplink.backlogRows ?? 0 > 0 { waiting += " since \(span(Int(hours * 3600)))" }
  if uplink.inFlight > 0 {
    waiting += "   \(counted(uplink.inFlight, "message")) on the way (\(size(uplink.inFlightBytes)))"
  }
  text += row("backlog", waiting)
  let limit = uplink.limitBits.map { " of \($0 / 1000) kbit/s" } ?? ""
  text += row(
    "rate",
    "\(number((uplink.rowsPerSecond * 10).rounded() / 10)) rows/s   \(size(Int(uplink.bytesPerSecond)))/s\(limit)")
  let acknowledged = uplink.lastAcknowledged.map { time.text($0) } ?? "none yet"
  text += row(
    "home",
    "\(counted(uplink.rowsAcknowledged, "row")) acknowledged, the last \(acknowledged)   \(size(uplink.bytesSent)) sent"
  )
  if let order = uplink.resend {
    var words = "order \(order.number) from \(time.text(order.from)): \(counted(order.acknowledged, "row")) of "
    words += "\(grouped(order.rows)) home"
    if let ended = order.ended { words += ", ended \(time.text(ended))" }
    text += row("resend", words)
    if let failure = order.failure { text += style.attention("         \(failure.code) \(failure.detail)") + "\n" }
  }
  if uplink.ignored > 0 {
    text += row("dropped", counted(uplink.ignored, "message") + " that arrived without a use here")
  }
  if uplink.unsaidRows + uplink.corruptChunks > 0 {
    let words = "\(counted(uplink.unsaidRows, "row")) with numbers too long to be sent, "
    text += row("unsent", words + "\(counted(uplink.corruptChunks, "chunk")) that the store cannot read")
  }
  for trouble in uplink.troubles {
    text += "\n" + style.attention("\(trouble.code) \(harmless(trouble.sentence, limit: 200))") + "\n"
    text +=
      line("      \(trouble.detail)") + line("      effect  \(trouble.effect)") + line("      next  \(trouble.next)")
  }
  return text + line("times in \(time.zone.name)")
}
