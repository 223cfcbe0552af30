import Bluetooth
import EventLoop
import HubLane
import HubModel
import Reasons
import Testing

@testable import Hub

@Suite("Wearables that delivered data go first")
struct ReputationTests {
  private let start = Instant(nanoseconds: 0)
  private var random: any RandomNumberGenerator = SplitMix64(seed: 5)

  private func wait(_ reputation: Reputation) -> Double {
    reputation.notBefore(start).map { ($0 - start).inSeconds } ?? 0
  }

  @Test("a silent wearable waits doubling from two seconds to an hour, and a value ends that")
  mutating func doubling() {
    var reputation = Reputation()
    #expect(reputation.grade == .new)
    for failures in 1...14 {
      reputation.tryFailed(at: start, random: &random)
      let expected = min(Double(1 << min(failures, 12)), 3600)
      #expect(reputation.grade == .doubtful && wait(reputation) >= expected && wait(reputation) < expected * 1.2)
    }
    reputation.proved()
    #expect(reputation.grade == .proven && wait(reputation) == 0)
  }

  @Test("a wearable that delivered data is forgiven two failed tries, and not the third")
  mutating func forgiven() {
    var reputation = Reputation()
    reputation.proved()
    for _ in 0..<2 {
      reputation.tryFailed(at: start, random: &random)
      #expect(reputation.grade == .proven && wait(reputation) == 0)
    }
    reputation.tryFailed(at: start, random: &random)
    #expect(reputation.grade == .doubtful && wait(reputation) >= 8)
  }

  @Test("a short absence ends no wait, a long one does; a person that asks ends the wait and not the doubt")
  mutating func ends() {
    var reputation = Reputation()
    for _ in 0..<6 { reputation.tryFailed(at: start, random: &random) }
    reputation.seenAgain(after: .seconds(20))
    #expect(wait(reputation) >= 64)
    reputation.seenAgain(after: .seconds(300))
    #expect(wait(reputation) == 0 && reputation.grade == .doubtful)
    reputation.tryFailed(at: start, random: &random)
    reputation.asked()
    #expect(wait(reputation) == 0 && reputation.grade == .doubtful)
    reputation.tryFailed(at: start, isForeground: true, random: &random)
    #expect(wait(reputation) == 0 && reputation.grade == .doubtful)
  }

  @Test("limits shrink with each failed try, and not below what a link needs")
  mutating func shrinking() {
    var reputation = Reputation()
    #expect(reputation.share(of: .seconds(20), atLeast: .seconds(8)) == .seconds(20))
    reputation.tryFailed(at: start, random: &random)
    #expect(reputation.share(of: .seconds(20), atLeast: .seconds(8)) == .seconds(10))
    for _ in 0..<9 { reputation.tryFailed(at: start, random: &random) }
    #expect(reputation.share(of: .seconds(20), atLeast: .seconds(8)) == .seconds(8))
    #expect(reputation.share(of: .milliseconds(25), atLeast: .seconds(8)) == .milliseconds(25))
  }

  @Test("what is the air's fault counts against a wearable only from the third time; silence does at once")
  func faults() {
    #expect(!TryFailure.link(.failedToEstablish).countsAgainst(after: 1))
    #expect(TryFailure.link(.failedToEstablish).countsAgainst(after: 2))
    #expect(TryFailure.link(.timedOut).countsAgainst(after: 0) && TryFailure.silent.countsAgainst(after: 0))
    #expect(
      !TryFailure.link(.notHeard).countsAgainst(after: 9) && !TryFailure.busy(retryAfter: nil).countsAgainst(after: 9))
  }

  @Test("wearables without data have two attempts of four, silent ones one of them, and none while a slot is reserved")
  func pool() {
    var pool = LinkPool(slots: 5, isLinkNeeded: false)
    #expect(pool.admits(.proven, isAsked: false) && pool.admits(.new, isAsked: false))
    #expect(pool.admits(.doubtful, isAsked: false))
    pool.add(.doubtful, isLinked: false, hasBrought: false)
    #expect(!pool.admits(.doubtful, isAsked: false) && pool.admits(.doubtful, isAsked: true))
    pool.add(.new, isLinked: false, hasBrought: false)
    #expect(!pool.admits(.new, isAsked: true) && pool.admits(.proven, isAsked: false))
    var owed = LinkPool(slots: 5, isLinkNeeded: true)
    owed.add(.proven, isLinked: false, hasBrought: false)
    #expect(!owed.admits(.new, isAsked: true) && owed.admits(.proven, isAsked: false))
    #expect(owed.admits(.new, isAsked: false, isFirst: true), "there is always somebody who lost a link")
    for _ in 0..<3 { owed.add(.proven, isLinked: false, hasBrought: false) }
    #expect(!owed.admits(.proven, isAsked: false), "four at a time")
  }

  @Test("links without data fill no more than their slots, and a silent wearable waits for the last slot")
  func slots() {
    var pool = LinkPool(slots: 5, isLinkNeeded: false)
    for _ in 0..<3 { pool.add(.new, isLinked: true, hasBrought: false) }
    #expect(!pool.admits(.new, isAsked: false) && pool.admits(.proven, isAsked: false))
    var full = LinkPool(slots: 5, isLinkNeeded: false)
    for _ in 0..<4 { full.add(.new, isLinked: true, hasBrought: true) }
    #expect(full.admits(.new, isAsked: false) && !full.admits(.doubtful, isAsked: false))
    #expect(full.admits(.doubtful, isAsked: false, hasWaited: true), "idle links hold slots for ever")
    full.add(.doubtful, isLinked: false, hasBrought: false)
    #expect(!full.admits(.doubtful, isAsked: false, hasWaited: true), "one at a time all the same")
  }

  @Test("a link that had its time delays no other, and yields its slot if those of its kind are taken")
  func idle() {
    var pool = LinkPool(slots: 5, isLinkNeeded: false)
    pool.add(.doubtful, isLinked: true, hasBrought: false, isIdle: true)
    #expect(pool.admits(.doubtful, isAsked: false) && !pool.displaces(.doubtful, isFirst: false))
    pool.add(.doubtful, isLinked: true, hasBrought: false)
    #expect(!pool.admits(.doubtful, isAsked: false), "one that may still bring something")
    var full = LinkPool(slots: 5, isLinkNeeded: false)
    for _ in 0..<3 { full.add(.new, isLinked: true, hasBrought: false, isIdle: true) }
    #expect(full.admits(.new, isAsked: false) && full.displaces(.new, isFirst: false))
    #expect(!full.displaces(.new, isFirst: true) && !full.displaces(.proven, isFirst: false))
  }

  @Test("a cuff goes first as long as it gives readings, and for two tries before its first one")
  func brief() {
    var credit = ShortPresenceCredit()
    for _ in 0..<2 {
      #expect(credit.isGood)
      credit.began()
      #expect(credit.isGood, "until that try is over")
      credit.ended(withReading: false)
    }
    #expect(!credit.isGood)
    credit.renew()
    credit.began()
    credit.ended(withReading: true)
    for _ in 0..<4 {
      #expect(credit.isGood)
      credit.began()
      credit.ended(withReading: false)
    }
    #expect(!credit.isGood)
  }

  @Test("a visit without data is noticed, whatever trickles in")
  func stall() {
    var watch = StallWatch(began: start)
    var signs = StallWatch.Signs(stage: .check, items: 0, durable: 0, payload: 0, received: 0)
    let first = watch.look(signs, now: start)
    signs.received = 20
    let trickle = watch.look(signs, now: start + .seconds(29))
    #expect(first && !trickle, "20 bytes in 29 s")
    #expect(watch.silence(start + .seconds(29)) == .seconds(29))
    signs.payload = 1
    let payload = watch.look(signs, now: start + .seconds(29))
    #expect(payload && watch.silence(start + .seconds(30)) == .seconds(1))
  }

  @Test("a silent wearable says when it is tried next, in its trouble and by the state that is shown")
  func shown() throws {
    try withParts { parts in
      let wearable = try await parts.enrol(1, "a")
      parts.hear(1)
      parts.context.phase = .serving
      let trouble = HearthError(.procedureTimeout, "a was not ready")
      for _ in 0..<5 { parts.lane.noteFailure(wearable, trouble, .refused) }
      #expect(wearable.trouble?.detail.contains("a was not ready, 5 times in a row; tried again at ") == true)
      let snapshot = parts.status.wearables.snapshot(of: wearable)
      #expect(snapshot.nextTry.map { $0 - parts.loop.wall >= .seconds(32) } == true)
      parts.hear(1)
      #expect(parts.lane.holder == nil && parts.status.wearables.state(of: wearable) == .waiting)
      _ = try parts.lane.visitNow("a")
      #expect(parts.lane.holder === wearable, "a person's order does not wait")
    }
  }
}
