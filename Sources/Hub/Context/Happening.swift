// What components tell of what happened, for those who will ask what was lost and why.

import Bluetooth
import EventLoop
import Reasons
import RingStore

/// Something that a technician may want to know weeks later. Told by the component that knows, and acted upon by none:
/// `EventKeeper` writes it down.
enum Happening {
  /// A link that is meant to stay is up; told as often as one likes.
  case linkKept(EnrolledWearable)
  /// It ended in order, by the hub's will: nothing is lost by that.
  case linkLeft(EnrolledWearable)
  /// It ended by itself, was of no use any more, or went to another wearable.
  case linkLost(EnrolledWearable, HearthError)
  /// It was not heard for so long, and is.
  case heardAgain(EnrolledWearable, after: Duration)
  /// A visit ended with trouble, or a wearable is tried no more for now.
  case visitFailed(EnrolledWearable, HearthError)
  /// Away for longer than it should be, since then as far as anybody knows.
  case missing(EnrolledWearable, HearthError, since: WallTime?)
  case back(EnrolledWearable)
  /// Values were beyond a limit that people set.
  case alert(EnrolledWearable, HearthError)
  /// A measurement that the hub was to make by itself was not made.
  case measurementSkipped(EnrolledWearable, HearthError)
  /// By a person's order something of it is not collected: from now on, or no longer.
  case notCollected(EnrolledWearable, HearthError, EventSpan)
  /// It brought its share of the store for a day.
  case shareReached(EnrolledWearable, HearthError)
  /// It had joined by itself, brought no value, and made room for somebody new.
  case evicted(WearableID, HearthError)
  /// Somebody who would join by itself finds no room; told once, until there is some.
  case enrolmentFull(HearthError)
  case keyLost(EnrolledWearable, HearthError)
  case keyMade(EnrolledWearable)
  /// Another one gave its address as its own when it was paired.
  case identityClaimed(EnrolledWearable, HearthError)
  /// What is heard cannot join by itself; told once an hour.
  case strangerRefused(HearthError)
  /// Down with this reason; nil: it serves.
  case radio(Reason?)
  /// Another program had the adapter since then, and the hub has it again.
  case takenOver(since: Instant, program: String)
  /// Something is done to revive the radio.
  case rung(RadioRung)
  /// Commits fail with this; nil: they succeed.
  case store(HearthError?)
}
