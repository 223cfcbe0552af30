import Bluetooth
import EventLoop
import HubModel
import Testing

@testable import Hub

@Suite("Trying again")
struct ReconnectionTests {
  private let start = Instant(nanoseconds: 0)
  private var random: any RandomNumberGenerator = SplitMix64(seed: 3)

  /// Seconds to the next try.
  private func wait(_ retry: BackOff, _ now: Instant) -> Double {
    retry.notBefore(now).map { ($0 - now).inSeconds } ?? 0
  }

  @Test(
    """
    waits double from one second, with at most a fifth of jitter, and after five more tries it cools off for five \
    minutes
    """
  )
  mutating func waitsDouble() {
    var retry = BackOff()
    var now = start
    #expect(retry.allows(now))
    for expected in [1.0, 2, 4, 8, 16, 300] {
      retry.began(now)
      let policy = retry.failed(.link(.notHeard), at: now, random: &random)
      #expect(policy == .wait)
      let wait = wait(retry, now)
      #expect(wait >= expected && wait < expected * 1.2)
      #expect(retry.isCooling == (expected == 300))
      now = now + .milliseconds(Int64(wait * 1000) + 1)
      #expect(retry.allows(now))
    }
    // The cool-off ended by time: one try, then it cools off again.
    retry.failed(.link(.notHeard), at: now, random: &random)
    #expect(wait(retry, now) >= 300)
  }

  @Test("no wait is longer than thirty seconds before the cool-off, however many tries there were")
  mutating func waitsAreBounded() {
    var retry = BackOff()
    for _ in 0..<BackOff.tries {
      retry.failed(.link(.timedOut), at: start, random: &random)
      #expect(wait(retry, start) <= BackOff.longestWait.inSeconds * 1.2)
    }
  }

  @Test("a wearable that is seen again after an absence has all its tries again; one that is to be left alone has not")
  mutating func seenAgain() {
    var retry = BackOff()
    for _ in 0...BackOff.tries { retry.failed(.link(.notHeard), at: start, random: &random) }
    #expect(retry.isCooling && !retry.allows(start + .seconds(200)))
    retry.seenAgain()
    #expect(!retry.isCooling && retry.failures == 0 && retry.allows(start))
    retry.failed(.link(.authenticationFailed), at: start, random: &random)
    retry.seenAgain()
    #expect(!retry.allows(start + .seconds(599)) && retry.allows(start + .seconds(600)))
  }

  @Test("in the foreground it goes at once and never cools off; what comes after, without a waiting client, does")
  mutating func foreground() {
    var retry = BackOff()
    for _ in 0..<20 {
      retry.failed(.link(.notHeard), at: start, isForeground: true, random: &random)
      #expect(retry.allows(start) && !retry.isCooling)
    }
    retry.failed(.link(.notHeard), at: start, random: &random)
    #expect(retry.isCooling && wait(retry, start) >= 300)
    // A client begins to wait.
    retry.awaited()
    #expect(retry.allows(start) && !retry.isCooling)
    // Waiting does not solve what needs a person.
    retry.failed(.needsAttention, at: start, isForeground: true, random: &random)
    retry.awaited()
    #expect(!retry.allows(start))
  }

  @Test(
    "each error has its policy",
    arguments: [
      (.slotsFull, .laneRests), (.aborted, .innocent), (.adapterGone, .innocent), (.notHeard, .wait),
      (.timedOut, .wait), (.peerClosed, .wait),
      (.system(errno: 5), .wait), (.linkLost, .onceAtOnce), (.failedToEstablish, .onceAtOnce), (.keyMissing, .wait),
      (.authenticationFailed, .attention(.seconds(600))),
    ] as [(LinkError, FailurePolicy)])
  func policies(error: LinkError, policy: FailurePolicy) { #expect(FailurePolicy.of(.link(error)) == policy) }

  @Test(
    "a visit that could not do its work has its policy, too",
    arguments: [
      (.busy(retryAfter: nil), .later(.seconds(60))), (.busy(retryAfter: .seconds(300)), .later(.seconds(300))),
      (.busy(retryAfter: .zero), .later(.seconds(5))), (.busy(retryAfter: .seconds(1_000_000)), .later(.seconds(900))),
      (.refused, .wait), (.disbelieved, .look),
      (.broken, .onceAtOnce), (.silent, .wait), (.noRoom, .later(.seconds(300))),
      (.needsAttention, .attention(.seconds(600))), (.ended, .innocent),
    ] as [(TryFailure, FailurePolicy)])
  func policiesOfVisits(failure: TryFailure, policy: FailurePolicy) { #expect(FailurePolicy.of(failure) == policy) }

  @Test("a failure without blame costs no try and no wait")
  mutating func innocent() {
    var retry = BackOff()
    for error in [LinkError.slotsFull, .aborted, .adapterGone] {
      retry.failed(.link(error), at: start, random: &random)
    }
    #expect(retry == BackOff())
  }

  @Test("a radio that returns gives back all tries and ends the waits for them; troubles that need a person stay")
  mutating func radioReturned() {
    var retry = BackOff()
    for _ in 0..<6 {
      retry.began(start)
      retry.failed(.link(.adapterGone), at: start, random: &random)
    }
    #expect(!retry.allows(start))
    retry.radioReturned()
    #expect(retry == BackOff())
    for _ in 0..<6 { retry.failed(.link(.timedOut), at: start, random: &random) }
    #expect(retry.isCooling)
    retry.radioReturned()
    #expect(retry == BackOff())
    retry.failed(.needsAttention, at: start, random: &random)
    retry.radioReturned()
    #expect(!retry.allows(start))
  }

  @Test("a lost link is looked for at once, and after that as any other")
  mutating func lostLink() {
    var retry = BackOff()
    retry.failed(.link(.linkLost), at: start, random: &random)
    #expect(retry.allows(start))
    for expected in [1.0, 2, 4, 8] {
      retry.failed(.link(.linkLost), at: start, random: &random)
      #expect(wait(retry, start) >= expected && wait(retry, start) < expected * 1.2)
    }
  }

  @Test(
    "an address at which another wearable answers is looked at every few seconds, however long; that is no failure"
  )
  mutating func disbelieved() {
    var retry = BackOff()
    var waits: [Double] = []
    for _ in 0..<20 {
      retry.began(start)
      retry.failed(.disbelieved, at: start, random: &random)
      waits.append(wait(retry, start))
    }
    #expect(waits.allSatisfy { $0 >= 2.5 && $0 < 3 }, "\(waits)")
    for (squatted, longest) in [(4, 12.0), (100, 36)] {
      retry.failed(.disbelieved, at: start, squatted: squatted, random: &random)
      #expect(wait(retry, start) >= min(2.5 * Double(squatted), 30) && wait(retry, start) < longest)
    }
    #expect(retry.failures == 0 && !retry.isCooling && !TryFailure.disbelieved.countsAgainst(after: 20))
    retry.succeeded()
    #expect(retry.disbelieved == 0 && retry.allows(start))
  }

  @Test("a person's request ends every wait, a success everything")
  mutating func asked() {
    var retry = BackOff()
    for failure in [TryFailure.link(.notHeard), .noRoom, .needsAttention] {
      retry.failed(failure, at: start, random: &random)
    }
    retry.asked()
    #expect(retry.allows(start) && retry.failures == 1)
    retry.succeeded()
    #expect(retry == BackOff())
  }

  @Test("a wearable with a link that comes and goes every second is linked twice a minute in the long run")
  mutating func stormOfOne() {
    var retry = BackOff()
    var now = start
    var links = 0
    for _ in 0..<7200 {
      if retry.allows(now) {
        retry.began(now)
        links += 1
        // The link is live for a moment, which used to reset every count.
        retry.succeeded()
        retry.failed(.link(.linkLost), at: now, random: &random)
      }
      now = now + .milliseconds(500)
    }
    #expect(links >= 120 && links <= 126, "\(links) links in an hour")
  }

  @Test("a bucket gives its capacity at once and then one in each period", arguments: [1, 3, 32])
  func bucket(capacity: Int) {
    var bucket = TokenBucket(capacity: capacity, period: .seconds(2))
    func taken(_ now: Instant) -> Int { (0..<100).count { _ in bucket.take(now) } }
    let atOnce = taken(start)
    let next = bucket.next(start)
    #expect(atOnce == capacity && next == start + .seconds(2))
    let justBefore = taken(start + .milliseconds(1999))
    let then = taken(start + .seconds(2))
    let muchLater = taken(start + .seconds(1000))
    #expect(justBefore == 0 && then == 1 && muchLater == capacity)
  }
}
