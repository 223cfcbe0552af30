// When a wearable is tried again after a link that could not be made, ended, or was of no use.

package import Bluetooth
package import EventLoop

/// Why the last try was of no use, in the classes that are treated differently.
package enum TryFailure: Hashable {
  /// No link, or it ended.
  case link(LinkError)
  /// The wearable said: not now; for so long, where it knows.
  case busy(retryAfter: Duration?)
  /// It refused what the visit needs.
  case refused
  /// What answers at its address is not believed to be it: that says nothing about the wearable itself.
  case disbelieved
  /// It broke its protocol; the link was ended, and goes on after a new one.
  case broken
  /// It did not answer in time.
  case silent
  /// The store has no room.
  case noRoom
  /// A person has to act.
  case needsAttention
  /// Its slice was over, or an operator or the end of the hub ended the visit.
  case ended
}

/// What follows a failure.
package enum FailurePolicy: Hashable {
  /// Nobody's fault out there: no wait, no count, no trouble shown.
  case innocent
  /// The adapter is full: the lane rests for everybody, and the wearable keeps its place.
  case laneRests
  /// A try counts; the next one comes at once the first time, then after the growing wait.
  case onceAtOnce
  /// A try counts; the next one comes after the growing wait.
  case wait
  /// Not a failure: looked at again soon, and after more of them less often.
  case look
  /// Not a failure: tried again after so long.
  case later(Duration)
  /// Nothing gets better by trying: after so long, or when a person acted.
  case attention(Duration)

  /// Of all failures. What is not listed by the kernel is treated like a refusal.
  package static func of(_ failure: TryFailure) -> FailurePolicy {
    switch failure {
    case .link(let error): of(error)
    // A wearable that knows when is believed within bounds: a minute is what a recording takes to be closed, a quarter
    // of an hour a training.
    case .busy(let retryAfter): .later(min(max(retryAfter ?? .seconds(60), .seconds(5)), .seconds(900)))
    case .refused, .silent: .wait
    case .disbelieved: .look
    // Framing is broken by what was lost or doubled on the way: a new link clears it.
    case .broken: .onceAtOnce
    // Room is made by the store's own rules once a minute at most.
    case .noRoom: .later(.seconds(300))
    case .needsAttention: .attention(BackOff.attentionRest)
    case .ended: .innocent
    }
  }

  package static func of(_ error: LinkError) -> FailurePolicy {
    switch error {
    case .slotsFull: .laneRests
    // The hub itself gave up, or has no radio: the radio's return is what is waited for.
    case .aborted, .adapterGone: .innocent
    // Connection events are missed one in some hundred times (0x3E); the wearable still listens. A link that was lost
    // is worth one look.
    case .failedToEstablish, .linkLost: .onceAtOnce
    case .notHeard, .timedOut, .peerClosed, .flooded, .taken, .attemptsFull, .system: .wait
    case .bondedSlotsFull, .bondedElsewhere: .wait
    // The wearable forgot us; whether it may be paired anew is decided elsewhere, and that needs a new link soon.
    case .keyMissing: .wait
    case .authenticationFailed, .keyNotGiven, .identityClaimed: .attention(BackOff.attentionRest)
    }
  }
}

/// How one wearable is reconnected.
///
/// Foreground (somebody watches, measures, or waits for an order or a visit) goes at once, and never cools off; six
/// tries that come to nothing in a row
/// are followed by one in each half minute, as long as somebody waits (`wearableBucket`). In the background the wait is
/// min(30 s, 1 s × 2^n) with up to a
/// fifth of jitter, so that ten wearables that were lost together do not return together. After five more tries without
/// use (31 s of
/// waiting: longer than interference that comes and goes) it cools off: until it is seen again after an absence, or for
/// five minutes,
/// whichever comes first, because a strap that is worn all day is never absent. After a cool-off that ended by time
/// there is one try, not five:
/// a wearable that always fails then costs the lane one connect attempt of ten seconds in five minutes, 3 %.
package struct BackOff: Equatable {
  package static let firstWait: Duration = .seconds(1)
  package static let longestWait: Duration = .seconds(30)
  package static let jitter = 0.2
  /// After the first.
  package static let tries = 5
  package static let coolOff: Duration = .seconds(300)
  /// Long enough to be no burden, short enough that a wearable that was mended is not forgotten: nobody need tell the
  /// hub.
  package static let attentionRest: Duration = .seconds(600)
  /// Between two looks at an address at which an impostor answers. A look is a link of 0.3 s, an eighth of the radio's
  /// time. If there are more such addresses, each waits for as many times this, `longestWait` at most, so that all
  /// looks together cost no more. The true wearable is found within seconds of its return, however long that takes.
  package static let lookWait: Duration = .milliseconds(2500)
  /// So many in a row are told one by one, and a person's request goes on behind them.
  package static let quickLooks = 5
  /// A link that lasted so long was of use: what comes after it is a new trouble.
  package static let proven: Duration = .seconds(60)
  /// One that brought values was, after this time: who is linked and lost again sooner costs more than it brings.
  package static let useful: Duration = .seconds(10)

  /// Five retries and a first try may come as fast as they like; a wearable that comes and goes for hours gets two
  /// links a minute. Full again when the radio returns (`radioReturned`).
  package static let wearableBucket = TokenBucket(capacity: 6, period: .seconds(30))
  /// Thirty-two wearables may be visited one after the other after a start, whatever they do; then one attempt a
  /// second, because an attempt
  /// that fails at once must not become a busy loop between hub, kernel and controller.
  package static let hubBucket = TokenBucket(capacity: 32, period: .seconds(1))

  /// Tries without use since the last that was of use, or since it was seen again.
  package private(set) var failures = 0
  package private(set) var isCooling = false
  /// Looks in a row that found somebody who is not believed.
  package private(set) var disbelieved = 0
  /// The wait after tries without use.
  private var restsUntil: Instant?
  /// A wait that has another cause, and does not end because the wearable was away.
  private var barredUntil: Instant?
  /// That is because the wearable said that it was busy.
  private var isBusy = false
  private var bucket = Self.wearableBucket

  package init() {}

  /// When it may be tried; nil: at once.
  package func notBefore(_ now: Instant) -> Instant? {
    let earliest = max(restsUntil ?? now, barredUntil ?? now, bucket.next(now))
    return earliest > now ? earliest : nil
  }

  package func allows(_ now: Instant) -> Bool { notBefore(now) == nil }

  /// A try begins; counted against storms. A request of a person is counted too, but never held up here.
  package mutating func began(_ now: Instant) { _ = bucket.take(now) }

  /// A try was of no use, or a link ended.
  ///
  /// - Parameters:
  ///   - isForeground: somebody waits for it.
  ///   - squatted: addresses at which an impostor answers, with this one.
  /// - Returns: what follows; a `laneRests` is for the lane to heed.
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

  /// Heard again after an absence: whatever was wrong may have been that it went away.
  package mutating func seenAgain() {
    isCooling = false
    failures = 0
    restsUntil = nil
  }

  /// A visit came to its end, or a link lasted.
  package mutating func succeeded() {
    seenAgain()
    barredUntil = nil
    disbelieved = 0
  }

  /// A link that brought values for `useful` ended: it was no storm, and its place in the bucket is given back.
  package mutating func wasUseful() {
    succeeded()
    bucket.giveBack()
  }

  /// The radio serves again after it was away. What was tried over it before, whether it went with the adapter or hung
  /// with the controller, says nothing about the wearable: all tries may be made again, now. What the wearable or its
  /// owner asked for stays.
  package mutating func radioReturned() {
    seenAgain()
    bucket = Self.wearableBucket
  }

  /// A person acted, or asked: the waits are over, the counts stay.
  package mutating func asked() {
    restsUntil = nil
    barredUntil = nil
  }

  /// Somebody waits for it from now on: what lets others rest is over, what the wearable or its owner has to mend is
  /// not.
  package mutating func awaited() {
    restsUntil = nil
    isCooling = false
  }

  /// It said itself that it has time now: what it asked for is no longer waited for.
  package mutating func freed() {
    if isBusy { barredUntil = nil }
    isBusy = false
  }

  /// Waits without counting as a failure of the wearable.
  package mutating func postpone(until instant: Instant) { barredUntil = instant }
}
