// Happenings that components report, for later questions about what was lost and why.

import Bluetooth
import EventLoop
import Reasons
import RingStore

/// Event that a technician may want to know weeks later. The component that knows it reports it, and no other acts
/// on it; `EventKeeper` records it.
enum Happening {
  /// A link that is meant to stay is up; may be reported repeatedly.
  case linkKept(EnrolledWearable)
  /// The hub ended the link in order, without loss.
  case linkLeft(EnrolledWearable)
  /// The link broke, became useless, or was given up for another wearable.
  case linkLost(EnrolledWearable, HearthError)
  /// A wearable is heard again after an absence of this length.
  case heardAgain(EnrolledWearable, after: Duration)
  /// A visit failed, or the hub tries the wearable no more for now.
  case visitFailed(EnrolledWearable, HearthError)
  /// A wearable is away for longer than permitted; `since` as far as the hub knows.
  case missing(EnrolledWearable, HearthError, since: WallTime?)
  case back(EnrolledWearable)
  /// Values were beyond a limit that people set.
  case alert(EnrolledWearable, HearthError)
  /// A scheduled measurement was not made.
  case measurementSkipped(EnrolledWearable, HearthError)
  /// Data that by an operator's order is not collected: from now on, or no longer.
  case notCollected(EnrolledWearable, HearthError, EventSpan)
  /// A wearable used up its share of the store for a day.
  case shareReached(EnrolledWearable, HearthError)
  /// A wearable that had joined by itself brought no value, and made room for a new one.
  case evicted(WearableID, HearthError)
  /// A stranger that would join by itself finds no room; reported once, until there is some.
  case enrolmentFull(HearthError)
  case keyLost(EnrolledWearable, HearthError)
  case keyMade(EnrolledWearable)
  /// Another wearable gave this one's address as its own when it was paired.
  case identityClaimed(EnrolledWearable, HearthError)
  /// A device cannot join by itself; reported once an hour.
  case strangerRefused(HearthError)
  /// The radio is down for this reason; nil: it works.
  case radio(Reason?)
  /// Another program had the adapter since then; the hub has it again.
  case takenOver(since: Instant, program: String)
  /// The hub takes a step to revive the radio.
  case rung(RadioRung)
  /// Commits to the store fail with this error; nil: they succeed.
  case store(HearthError?)
}
