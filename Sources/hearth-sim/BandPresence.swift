// Through which spans of time a band could be visited without anything that would excuse a hub: what its memory kept
// through such a span is owed.

import BandTwin
import EventLoop

/// The spans of one band: it was near, on the air, and the hub ran with a radio that worked.
struct BandPresence {
  private(set) var spans: [(from: Instant, to: Instant)] = []
  private var since: Instant?

  /// Looked at every minute or more often.
  mutating func note(_ canBeVisited: Bool, at now: Instant) {
    if canBeVisited {
      if since == nil { since = now }
    } else if let from = since {
      spans.append((from, now))
      since = nil
    }
  }

  mutating func end(at now: Instant) { note(false, at: now) }

  /// Whether a store owes an item because memory kept it through such a span.
  ///
  /// - Parameters:
  ///   - end: when a later value took its place in what the band tells: it was told no more.
  ///   - length: within which a hub that does its work visits everybody who is there, and fetches what they have.
  ///   - onNewLink: it is told as a link begins, and not over one that was there before.
  ///   - links: of the band, and whether it let the host in. One that refuses whoever comes owes nothing from then on.
  func owes(
    _ item: BandItem, until end: Instant?, after length: Duration,
    _ links: [(from: Instant, enteredAt: Instant?, until: Instant?)], onNewLink: Bool = false
  ) -> Bool {
    spans.contains { span in
      // It may have been measured in the middle of the stay.
      let from = max(span.from, item.recordedAt)
      let due = from + length
      guard span.to >= due, item.wasHeld(at: due), end.map({ $0 > due }) ?? true else { return false }
      // A link may be there before its stay is looked at, and lasts as long as that.
      func isEntered(_ from: Instant) -> Bool {
        links.contains { link in
          link.until.map { $0 >= from } ?? true
            && link.enteredAt.map { $0 <= due && (!onNewLink || $0 >= span.from) } ?? false
        }
      }
      // One that refused the hub last is tried more rarely than others are visited.
      let last = links.last { $0.from <= due }
      let wasLetIn = last.map { $0.from < from && $0.enteredAt != nil } ?? true
      return isEntered(from) || wasLetIn && isEntered(span.from)
    }
  }
}
