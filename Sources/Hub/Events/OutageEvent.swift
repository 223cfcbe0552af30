// An outage's news as an event: its reason, its sentence, its times. Pure.

import EventLoop
import Reasons
import RingStore

struct OutageEvent {
  /// What an event of one kind of outage says.
  struct Words {
    /// When it begins.
    var lost: (reason: Reason, text: String)
    /// When it is over.
    var found: (reason: Reason, text: String)
    /// When several were counted.
    var often: (reason: Reason, text: String)
    /// What it did to the data.
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
  /// Of a link that is meant to stay.
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

  /// What the time without it means for what it measured.
  @LoopActor
  static func effect(on wearable: EnrolledWearable) -> String {
    if wearable.isBrief { return "what it keeps of it comes when it is linked again" }
    if !wearable.lane.holdsData { return "what it measured meanwhile is lost" }
    return wearable.needsLink
      ? "what it records is on it, what it only streams is lost" : "what it measured meanwhile is on it"
  }
}

extension LinkOutages.Cause {
  /// nil for an event that tells of no link's outage, or not of its end.
  init?(_ reason: Reason) {
    switch reason {
    case .linkFound, .linkUnsteady: self = .lost
    case .slotsFull: self = .slot
    default: return nil
    }
  }
}
