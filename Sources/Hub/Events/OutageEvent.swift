// An outage's news as an event: its reason, its text, its times. Pure.

import EventLoop
import Reasons
import RingStore

struct OutageEvent {
  /// Texts of the events of one kind of outage.
  struct Words {
    /// Reason and text for the start.
    var lost: (reason: Reason, text: String)
    /// Reason and text for the end.
    var found: (reason: Reason, text: String)
    /// Reason and text for a count of several outages.
    var often: (reason: Reason, text: String)
    /// The effect on the data.
    var effect: String
  }

  let reason: Reason
  let text: String
  let span: EventSpan

  init(_ news: OutageNews, _ words: Words, wall: (Instant) -> WallTime) {
    switch news {
    case .began(let from):
      (reason, text) = words.lost
      span = EventSpan(from: wall(from))
    case .ended(let from, let to):
      reason = words.found.reason
      text = "\(words.found.text) after \(spoken(to - from)); \(words.effect)"
      span = EventSpan(from: wall(from), to: wall(to))
    case .often(let count, let from, let to, let gone):
      reason = words.often.reason
      let often = "\(words.often.text) \(count) times in \(spoken(to - from))"
      text = "\(often), \(spoken(gone)) altogether; \(words.effect)"
      span = EventSpan(from: wall(from), to: wall(to), count: UInt32(clamping: count))
    }
  }
}

extension OutageEvent.Words {
  /// Texts for a link that is meant to stay.
  @LoopActor
  init(_ cause: LinkOutages.Cause, of wearable: EnrolledWearable, _ trouble: HearthError?) {
    let name = wearable.name
    switch cause {
    case .lost:
      let lost = "\(name): its link was lost"
      self.init(
        lost: (trouble?.reason ?? .linkLost, trouble?.detail ?? lost), found: (.linkFound, "\(name) is linked again"),
        often: (.linkUnsteady, lost), effect: Self.effect(on: wearable))
    case .slot:
      self.init(
        lost: (.slotsFull, trouble?.detail ?? "\(name) has no slot"), found: (.slotsFull, "\(name) has a slot again"),
        often: (.slotsFull, "\(name) gave its slot to others"), effect: Self.effect(on: wearable))
    }
  }

  /// The effect of the outage on the wearable's data.
  @LoopActor
  static func effect(on wearable: EnrolledWearable) -> String {
    if wearable.hasShortPresence { return "what it keeps of it comes when it is linked again" }
    if !wearable.lane.holdsData { return "what it measured meanwhile is lost" }
    return wearable.needsLink
      ? "what it records is on it, what it only streams is lost" : "what it measured meanwhile is on it"
  }
}

extension LinkOutages.Cause {
  /// nil for an event that is not the end of a link's outage.
  init?(_ reason: Reason) {
    switch reason {
    case .linkFound, .linkUnsteady: self = .lost
    case .slotsFull: self = .slot
    default: return nil
    }
  }
}
