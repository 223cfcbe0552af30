// The reason why a waiting wearable has no link, in one line.

import EventLoop
import HubProtocol

/// `no free slot: 3 of 3 in use for 4 min by strap-01, strap-02, strap-08; strap-08 yields next, in 40 s`
func slotText(_ wait: SlotWaitDocument, _ now: WallTime) -> String {
  var parts = ["no free slot: \(wait.links) of \(wait.slots) in use"]
  if let since = age(wait.since, now) { parts[0] += " for \(span(since))" }
  // All holders of a large adapter would fill a paragraph.
  let shown = wait.holders.prefix(8)
  let more = wait.holders.count > shown.count ? " and \(counted(wait.holders.count - shown.count, "other"))" : ""
  if !shown.isEmpty { parts[0] += " by \(shown.joined(separator: ", "))\(more)" }
  if wait.holders.count < wait.links {
    parts.append("\(counted(wait.links - wait.holders.count, "link")) not of this hub")
  }
  if let next = wait.next {
    let seconds = hearth.wait(wait.nextAt, now) ?? 0
    parts.append("\(next) yields next, \(seconds > 0 ? "in \(span(seconds))" : "now")")
  } else if !wait.holders.isEmpty {
    parts.append("one is being given up")
  }
  if wait.place > 1 { parts.append("\(counted(wait.place - 1, "wearable")) before it in the line") }
  return parts.joined(separator: "; ")
}
