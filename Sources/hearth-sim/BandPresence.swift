// Spans of time in which a band could be visited, without an excuse for the hub. Items that the band's memory held
// through such a span must be in the store.

import BandTwin
import EventLoop

/// The spans of one band: near and on the air, while the hub ran with a working radio.
struct BandPresence {
  private(set) var spans: [(from: Instant, to: Instant)] = []
  private var since: Instant?

  /// Called every minute or more often.
  mutating func note(_ canBeVisited: Bool, at now: Instant) {
    if canBeVisited {
      if since == nil { since = now }
    } else if let from = since {
      spans.append((from, now))
      since = nil
    }
  }

  mutating func end(at now: Instant) { note(false, at: now) }

  /// Whether the store must have an item, because memory held it through such a span.
  ///
  /// - Parameters:
  ///   - end: when a later value took its place in the band's messages, so it was sent no more.
  ///   - length: time in which a working hub visits all present wearables, and fetches their data.
  ///   - onNewLink: it is sent when a link begins, and not over an earlier link.
  ///   - links: links of the band, and whether it accepted the host. If it refuses every host, no later items are
  ///     needed.
  func owes(
    _ item: BandItem, until end: Instant?, after length: Duration,
    _ links: [(from: Instant, enteredAt: Instant?, until: Instant?)], onNewLink: Bool = false
  ) -> Bool {
    spans.contains { span in
      // The item may have been measured in the middle of the stay.
      let from = max(span.from, item.recordedAt)
      let due = from + length
      guard span.to >= due, item.wasHeld(at: due), end.map({ $0 > due }) ?? true else { return false }
      // A link may be older than the stay, and lasts as long.
      func isEntered(_ from: Instant) -> Bool {
        links.contains { link in
          link.until.map { $0 >= from } ?? true
            && link.enteredAt.map { $0 <= due && (!onNewLink || $0 >= span.from) } ?? false
        }
      }
      // A band that last refused the hub is tried less often than others are visited.
      let last = links.last { $0.from <= due }
      let wasLetIn = last.map { $0.from < from && $0.enteredAt != nil } ?? true
      return isEntered(from) || wasLetIn && isEntered(span.from)
    }
  }
}
