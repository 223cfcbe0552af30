// The remark of a visit that ended well: why no item was fetched, or which were.

import EventLoop
import Wearable

extension VisitRunner {
  /// A line for people; empty for an end that has a reason.
  func remark(of end: VisitEnd) -> String {
    switch end.outcome {
    case .done: found
    case .sliceOver where slice.makesWay: "interrupted for an order; the rest is fetched after it"
    case .sliceOver where !hasBrought && hadItsTime:
      "its turn ended with too little data: others go first, and its next turn waits"
    case .sliceOver: "its turn ended; the next visit continues from there"
    default: ""
    }
  }

  private var found: String { taken + CollectionOrders.aside(leftOut) }

  private var taken: String {
    let listed = progress.items.count
    let unread = session.domains.compactMap(\.unread)
    if listed == 0, !unread.isEmpty { return "no item could be listed: " + unread.joined(separator: "; ") }
    if listed == 0 { return session.domains.isEmpty ? "it stores no data" : "no data is on it" }
    func items(_ count: Int) -> String { count == 1 ? "1 item" : "\(count) items" }
    let held = listed == 1 ? "its one item is held" : "all \(listed) items are held"
    var parts = [
      progress.becameDurable == 0 ? "no new items: \(held)" : "\(items(progress.becameDurable)) of \(listed) new"
    ]
    let growing = progress.items.count { $0.isOpen }
    parts += unread
    if growing > 0 { parts.append("\(items(growing)) still recorded, fetched as far as it goes") }
    if !erased.isEmpty {
      parts.append("\(items(erased.count)) erased")
    } else if !hub.mayErase(wearable, in: trigger) {
      parts.append("erasing is switched off")
    }
    return parts.joined(separator: "; ")
  }
}
