// What the choice of the next turn knows of one wearable.

import EventLoop
import RingStore

/// What is known of one wearable when the lane is free.
struct Candidate {
  let id: WearableID
  /// Heard within its own rhythm, or linked.
  var isPresent = false
  var isLinked = false
  /// When it was last heard saying that it may be connected.
  var lastConnectable: Instant?
  /// dBm.
  var rssi: Double?
  /// When an operator asked for a visit that was not made yet.
  var askedAt: Instant?
  /// It keeps data that can be fetched; one that does not is only linked.
  var holdsData = false
  /// It is there for seconds after it measured, and was not mute when it was tried last.
  var isBrief = false
  var standing = Trust.Standing.proven
  var claim = Claim.fair
  /// Its links cost more than they brought.
  var isPoor = false
  /// Its link is kept while it is present, because it streams.
  var staysLinked = false
  /// Until its memory is full, in hours; nil: it does not say, or has too much to matter.
  var hoursToFull: Double?
  /// Age of the oldest it holds that is not in the store.
  var oldestUnfetched: Duration?
  /// Since the last visit that came to its end; nil: there never was one.
  var sinceVisit: Duration?
  /// Its last visit was interrupted, or its slice was over.
  var resumes = false
  /// It was linked beside the lane, and was not visited since.
  var owesVisit = false
  /// Seen again after an absence, and not visited since.
  var returned = false
  /// It said over its link that it holds something new, and was not visited since.
  var announced = false
  /// The next visit that is made at a fixed time, whatever was visited before.
  var timedAt: Instant?
  /// Since when it waits for the lane; nil: it did not wait so far.
  var dueSince: Instant?
  /// Since when it waited for the first time, however often it came and went since; nil: it did not so far.
  var firstDue: Instant?
  /// No automatic try before this.
  var notBefore: Instant?

  init(_ id: WearableID) { self.id = id }

  /// Who is linked before whom, whenever they began to wait.
  enum Claim: Int {
    /// Its slot is its own: it needs nobody else's, and waits for nobody who does.
    case kept
    /// It was steady, and lost its link.
    case steady
    /// It was never linked.
    case first
    /// It was of use, and lost its link.
    case owed
    case fair
  }
}
