// Back-off: when a wearable is tried again after a failed, lost or useless link.

package import Bluetooth
package import EventLoop

/// Cause of the last failed try, in the classes that are treated differently.
package enum TryFailure: Hashable {
  /// Failure without a link, or one that ended.
  case link(LinkError)
  /// The wearable is busy; with the time after which it can be tried, if it named one.
  case busy(retryAfter: Duration?)
  /// The wearable refused what the visit needs.
  case refused
  /// The device at its address failed the identity check, which is no evidence about the wearable itself.
  case disbelieved
  /// The wearable broke its protocol; the link was ended, and a new one may work.
  case broken
  /// The wearable did not answer in time.
  case silent
  /// The store has no room.
  case noRoom
  /// A person has to act.
  case needsAttention
  /// The slice was over, or an operator or the end of the hub ended the visit.
  case ended
}

/// Consequence of a failure.
package enum FailurePolicy: Hashable {
  /// Failure that is not the wearable's fault: no wait, no count, no trouble shown.
  case innocent
  /// The adapter is full: the lane rests for all, and the wearable keeps its place.
  case laneRests
  /// A try counts. The first time the next one follows at once, then after the growing wait.
  case onceAtOnce
  /// A try counts; the next one follows after the growing wait.
  case wait
  /// End that is not a failure: checked again soon, and less often after several times.
  case look
  /// End that is not a failure: tried again after this time.
  case later(Duration)
  /// Further tries do not help: after this time, or when a person acted.
  case attention(Duration)

  /// The policies of all failures. Errors that the kernel does not name count as refusals.
  package static func of(_ failure: TryFailure) -> FailurePolicy {
    switch failure {
    case .link(let error): of(error)
    // A time that the wearable named is used within bounds: a recording takes a minute to be closed, a training a
    // quarter of an hour.
    case .busy(let retryAfter): .later(min(max(retryAfter ?? .seconds(60), .seconds(5)), .seconds(900)))
    case .refused, .silent: .wait
    case .disbelieved: .look
    // Framing breaks by lost or doubled packets: a new link repairs it.
    case .broken: .onceAtOnce
    // The store's own rules make room once a minute at most.
    case .noRoom: .later(.seconds(300))
    case .needsAttention: .attention(BackOff.attentionRest)
    case .ended: .innocent
    }
  }

  package static func of(_ error: LinkError) -> FailurePolicy {
    switch error {
    case .slotsFull: .laneRests
    // The hub itself gave up, or has no radio and waits for its return.
    case .aborted, .adapterGone: .innocent
    // Connection events are missed one in some hundred times (0x3E), and the wearable still listens. A lost link is
    // worth one more try.
    case .failedToEstablish, .linkLost: .onceAtOnce
    case .notHeard, .timedOut, .peerClosed, .flooded, .taken, .attemptsFull, .system: .wait
    case .bondedSlotsFull, .bondedElsewhere: .wait
    // The wearable lost the key. Whether it may pair again is decided elsewhere, and needs a new link soon.
    case .keyMissing: .wait
    case .authenticationFailed, .keyNotGiven, .identityClaimed: .attention(BackOff.attentionRest)
    }
  }
}

/// Back-off of one wearable.
///
/// **Foreground** (a person watches, measures, or waits for an order or a visit): the next try follows at once, and the
/// wearable never cools off. After six failed tries in a row there is one in each half minute, as long as the person
/// waits (`wearableBucket`).
///
/// **Background**: the wait is min(30 s, 1 s × 2^n) with up to a fifth of jitter. So ten wearables that were lost
/// together do not return together. After five more failed tries it cools off. These are 31 s of waiting, which is
/// longer than interference that comes and goes.
///
/// A cool-off ends when the wearable is seen again after an absence, but after five minutes at the latest. A strap that
/// is worn all day is never absent. After a cool-off that ended by time there is one try, not five. So a wearable that
/// always fails costs the lane one connect attempt of ten seconds in five minutes, 3 %.
package struct BackOff: Equatable {
  package static let firstWait: Duration = .seconds(1)
  package static let longestWait: Duration = .seconds(30)
  package static let jitter = 0.2
  /// Number after the first try.
  package static let tries = 5
  package static let coolOff: Duration = .seconds(300)
  /// Long enough to be no burden. Short enough that a repaired wearable is found again without any order to the hub.
  package static let attentionRest: Duration = .seconds(600)
  /// Time between two looks at an address at which an impostor answers. A look is a link of 0.3 s, an eighth of the
  /// radio's time. If there are more such addresses, each waits for as many times this, `longestWait` at most, so that
  /// all looks together cost no more. The true wearable is found within seconds of its return, however long that takes.
  package static let lookWait: Duration = .milliseconds(2500)
  /// Number of looks in a row that are logged one by one; after them a person's request ends.
  package static let quickLooks = 5
  /// Length of a link after which a failure counts as a new one.
  package static let proven: Duration = .seconds(60)
  /// The same for a link with values. A wearable that is lost again sooner costs more than it brings.
  package static let useful: Duration = .seconds(10)

  /// Five retries and a first try may come at any rate; a wearable that comes and goes for hours gets two links a
  /// minute. Full again when the radio returns (`radioReturned`).
  package static let wearableBucket = TokenBucket(capacity: 6, period: .seconds(30))
  /// Bucket of the whole hub. After a start thirty-two wearables may be visited one after the other. Then there is one
  /// attempt a second: an attempt that fails at once must not become a busy loop between hub, kernel and controller.
  package static let hubBucket = TokenBucket(capacity: 32, period: .seconds(1))

  /// Failed tries since the last success, or since it was seen again.
  package private(set) var failures = 0
  package private(set) var isCooling = false
  /// Looks in a row at which a device failed the identity check.
  package private(set) var disbelieved = 0
  /// End of the wait after failed tries.
  private var restsUntil: Instant?
  /// End of a wait with another cause, which an absence does not end.
  private var barredUntil: Instant?
  /// The cause of that is that the wearable was busy.
  private var isBusy = false
  private var bucket = Self.wearableBucket

  package init() {}

  /// Returns when it may be tried; nil: at once.
  package func notBefore(_ now: Instant) -> Instant? {
    let earliest = max(restsUntil ?? now, barredUntil ?? now, bucket.next(now))
    return earliest > now ? earliest : nil
  }

  package func allows(_ now: Instant) -> Bool { notBefore(now) == nil }

  /// Counts the start of a try, against storms. An operator's request counts too, but is never delayed here.
  package mutating func began(_ now: Instant) { _ = bucket.take(now) }

  /// Notes a failed try, or the end of a link.
  ///
  /// - Parameters:
  ///   - isForeground: a person waits for it.
  ///   - squatted: number of addresses at which an impostor answers, with this one.
  /// - Returns: the consequence; the lane handles `laneRests`.
  @discardableResult
  package mutating func failed(
    _ failure: TryFailure, at now: Instant, isForeground: Bool = false, squatted: Int = 1,
    random: inout any RandomNumberGenerator
  ) -> FailurePolicy {
    let policy = FailurePolicy.of(failure)
    isBusy = if case .busy = failure { true } else { false }
    switch policy {
    case .innocent, .laneRests: break
    case .later(let rest), .attention(let rest): barredUntil = now + rest
    case .onceAtOnce: count(at: now, isForeground: isForeground, isFirstFree: true, &random)
    case .wait: count(at: now, isForeground: isForeground, isFirstFree: false, &random)
    case .look:
      disbelieved = min(disbelieved + 1, 2 * Self.quickLooks)
      barredUntil = now + Self.spread(min(Self.lookWait * max(squatted, 1), Self.longestWait), &random)
      bucket.giveBack()
    }
    return policy
  }

  private mutating func count(
    at now: Instant, isForeground: Bool, isFirstFree: Bool, _ random: inout any RandomNumberGenerator
  ) {
    let before = failures
    failures = min(failures + 1, Self.tries + 1)
    if isForeground || (isFirstFree && before == 0) {
      isCooling = false
      restsUntil = nil
    } else if failures > Self.tries {
      isCooling = true
      restsUntil = now + Self.spread(Self.coolOff, &random)
    } else {
      let doublings = isFirstFree ? before - 1 : before
      restsUntil = now + Self.spread(Self.firstWait.doubled(doublings, atMost: Self.longestWait), &random)
    }
  }

  private static func spread(_ wait: Duration, _ random: inout any RandomNumberGenerator) -> Duration {
    wait + wait * Double.random(in: 0..<jitter, using: &random)
  }

  /// Notes that it is heard again after an absence, which may have been the cause of the failures.
  package mutating func seenAgain() {
    isCooling = false
    failures = 0
    restsUntil = nil
  }

  /// Notes a completed visit, or a link that lasted.
  package mutating func succeeded() {
    seenAgain()
    barredUntil = nil
    disbelieved = 0
  }

  /// Notes the end of a link that brought values for `useful`: it was no storm, and its token goes back into the
  /// bucket.
  package mutating func wasUseful() {
    succeeded()
    bucket.giveBack()
  }

  /// Notes that the radio serves again. Earlier tries failed with the adapter or its controller, which is no evidence
  /// about the wearable: all tries may be made again, now. Waits that the wearable or its owner requires stay.
  package mutating func radioReturned() {
    seenAgain()
    bucket = Self.wearableBucket
  }

  /// Ends the waits, as a person acted or asked; the counts stay.
  package mutating func asked() {
    restsUntil = nil
    barredUntil = nil
  }

  /// Ends the waits of failed tries, as a person waits from now on. Waits that the wearable or its owner requires stay.
  package mutating func awaited() {
    restsUntil = nil
    isCooling = false
  }

  /// Ends the wait of a busy wearable, as it reported itself that it has time now.
  package mutating func freed() {
    if isBusy { barredUntil = nil }
    isBusy = false
  }

  /// Sets a wait that does not count as a failure of the wearable.
  package mutating func postpone(until instant: Instant) { barredUntil = instant }
}
