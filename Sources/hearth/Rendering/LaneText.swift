// The queue of waiting wearables with the reason for each place, and its rules.

import EventLoop
import HubProtocol
import StoreDocuments

/// The queue as a table, first to last, and below it the rights of each priority class.
func renderReasons(_ queue: [QueuedDocument], _ time: HubTime, _ style: Style) -> String {
  var text = ""
  if queue.isEmpty {
    text += line("no wearable waits for a visit or a link")
  } else {
    let name = room(for: queue.map(\.device), least: 10, others: 69, style)
    text += reasonRow(name, "CLASS", "WEARABLE", "CONNECTS", "SLOT", "WHY")
    for queued in queue {
      text += reasonRow(
        name, className(queued.priority), queued.device, connects(queued, time.now), slot(queued, time.now), queued.why)
      if let held = held(queued, time.now) { text += line("               held back: \(held)") }
    }
  }
  text += "\n" + line("first to last:")
  for rule in laneRules {
    text += line("\(cell(rule.name, 15))\(rule.connects)") + line("\(cell("", 15))\(rule.takes)")
  }
  return text
}

private func reasonRow(
  _ name: Int, _ priority: String, _ device: String, _ connects: String, _ slot: String, _ why: String
) -> String {
  line(
    "\(cell(priority, 14)) \(cell(device, name))  \(cell(connects, 9))  \(cell(slot, 19))  \(harmless(why, limit: 80))")
}

private func className(_ priority: Words.LanePriority?) -> String { harmless((priority ?? .scheduled).spaced) }

private func connects(_ queued: QueuedDocument, _ now: WallTime) -> String {
  if let seconds = wait(queued.notBefore, now), seconds > 0 { return "in \(shortSpan(seconds))" }
  if queued.slot == .linked { return "linked" }
  if queued.heard == false { return "not heard" }
  return queued.heldBy == nil ? "now" : "held back"
}

/// `strap-03's in 40 s`
private func slot(_ queued: QueuedDocument, _ now: WallTime) -> String {
  switch queued.slot {
  case .linked?: return "has one"
  case .free?: return queued.priority == .reserved ? "its own" : "free"
  case .attempted?: return "attempts before it"
  case .vacating?: return "being given up"
  case .taken?:
    let seconds = wait(queued.slotAt, now) ?? 0
    return "\(shortened(queued.slotOf ?? "?", 10))'s \(seconds > 0 ? "in \(shortSpan(seconds))" : "now")"
  case .nothing?: return "no slot yields"
  default: return "-"
  }
}

private func held(_ queued: QueuedDocument, _ now: WallTime) -> String? {
  switch queued.heldBy {
  case nil: nil
  case .pace?: "attempts follow each other; the next may begin in \(shortSpan(wait(queued.heldUntil, now) ?? 0))"
  case .radio?: "the radio does not serve; see: hearth radio"
  case .lane?: "another wearable is visited; one visit runs at a time"
  case .pairing?: "a wearable is being paired"
  case .attempts?: "as many attempts as the adapter takes are under way"
  case .stableFirst?: "a stable one that lost its link goes first"
  case .newcomerFirst?: "one that was never linked goes first"
  case .recoveringFirst?: "one that lost its link goes first"
  case .shortPresenceFirst?: "one that is there for seconds goes first"
  case .unproven?: "as many as allowed are tried of those that delivered no data yet"
  case let other?: harmless(other.rawValue)
  }
}

/// Rights of each priority class, as in the hub's lane.
private let laneRules: [(name: String, connects: String, takes: String)] = [
  ("reserved", "lost its link less than 30 s ago: connects at once", "its slot is kept, it takes no other"),
  (
    "short presence", "there for seconds, a cuff: connects at once, before all others",
    "takes an idle slot at once, that of a stable one now and then"
  ),
  (
    "operator", "an operator asked for it: connects at once",
    "takes any slot at once but a visit's; if it delivered no data, after a slice"
  ),
  (
    "recovering", "was stable and lost its link: goes first for 60 s",
    "takes the slot of a less stable one at once"
  ),
  (
    "first contact", "never linked: has one try before those that delivered no data",
    "takes the slot of one that is not stable after 6 s"
  ),
  (
    "returning", "streamed and lost its link: goes before visits for 15 s",
    "takes the slot of a less stable one at once"
  ),
  ("scheduled", "connects when its moment comes", "takes an idle slot at once, others after a slice"),
  (
    "unresponsive", "few or no live values came: waits 2 s to 1 h, then goes last",
    "takes the slot of an idle or silent one"
  ),
]
