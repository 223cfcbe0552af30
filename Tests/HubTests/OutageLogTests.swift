import EventLoop
import Reasons
import RingStore
import Testing

@testable import Hub

@Suite("Outages in the log, reported or counted")
struct OutageLogTests {
  private func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: 0) + .seconds(seconds) }

  @Test("one after a quiet hour is reported when it begins and when it ends")
  func alone() {
    var log = OutageLog()
    #expect(log.begin(at(100)) == .began(at(100)))
    #expect(log.begin(at(101)) == nil)
    #expect(log.isOut)
    #expect(log.hourly(at(200)).isEmpty)
    #expect(log.end(at(400)) == .ended(from: at(100), to: at(400)))
    #expect(log.end(at(401)) == nil)
    #expect(!log.isIdle(at(3699)) && log.isIdle(at(3700)))
    #expect(log.begin(at(3700)) == .began(at(3700)))
  }

  @Test("those that follow within an hour are one piece of news, with count, span and sum")
  func counted() {
    var log = OutageLog()
    _ = log.begin(at(0))
    _ = log.end(at(10))
    for second in stride(from: Int64(60), to: 3600, by: 60) {
      #expect(log.begin(at(second)) == nil)
      #expect(log.end(at(second + 10)) == nil)
    }
    #expect(log.hourly(at(3600)) == [.often(59, from: at(60), to: at(3550), gone: .seconds(590))])
    #expect(log.hourly(at(3601)).isEmpty)
    // The outage goes on: still counted, however often the hour is over.
    #expect(log.begin(at(3660)) == nil)
    #expect(log.end(at(3670)) == nil)
    #expect(log.hourly(at(7200)) == [.ended(from: at(3660), to: at(3670))])
  }

  @Test("one that was counted and does not end is reported by the hour, with when it began")
  func stays() {
    var log = OutageLog()
    _ = log.begin(at(0))
    _ = log.end(at(10))
    _ = log.begin(at(60))
    #expect(log.hourly(at(3600)) == [.began(at(60))])
    #expect(log.hourly(at(7200)).isEmpty)
    #expect(log.end(at(9000)) == .ended(from: at(60), to: at(9000)))
  }

  @Test("an excused outage is reported only if it lasts beyond its excuse by two minutes")
  func excused() {
    for (end, isTold) in [(Int64(219), false), (220, true)] {
      var log = OutageLog()
      log.beginExcused(at(0), until: at(0))
      #expect(log.hourly(at(50)).isEmpty)
      log.excuse(until: at(100))
      #expect(log.end(at(end)) == (isTold ? .ended(from: at(0), to: at(end)) : nil))
      // No loss came of it: the next one is reported.
      #expect(log.begin(at(end + 1)) == .began(at(end + 1)))
    }
    var told = OutageLog()
    _ = told.begin(at(0))
    told.beginExcused(at(5), until: at(5))
    #expect(told.end(at(9)) == .ended(from: at(0), to: at(9)), "what was told to begin is told to end")
  }

  @Test("whatever a link does, an hour brings three pieces of news at most", arguments: [1, 2, 3, 4] as [UInt64])
  func bounded(seed: UInt64) {
    var random: UInt64 = seed
    func next(_ bound: UInt64) -> Int64 {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int64(random >> 33) % Int64(bound)
    }
    var log = OutageLog()
    var (news, second) = (0, Int64(0))
    for hour in 1...(24 * 7) {
      let before = news
      while second < Int64(hour) * 3600 {
        second += 1 + next(seed == 1 ? 4 : 1800 * seed)
        if (log.isOut ? log.end(at(second)) : log.begin(at(second))) != nil { news += 1 }
      }
      news += log.hourly(at(Int64(hour) * 3600 + 1)).count
      #expect(news - before <= 5)
    }
    // Three an hour; what falls on the edge of one is the other's.
    #expect(news <= 3 * 24 * 7 && news > 0)
  }

  @Test("the first of equal troubles is reported at once, the others are counted; of a wearable four codes at most")
  func repeats() {
    var log = RepeatLog()
    let one = WearableID(number: 1)
    let key = RepeatLog.Key(wearable: one, reason: .visitSilent)
    #expect(log.note(key, "a", at(0)) == RepeatLog.News(key: key, text: "a", count: 1, from: at(0), to: at(0)))
    for second in 1...1000 { #expect(log.note(key, "b\(second)", at(Int64(second))) == nil) }
    #expect(
      log.hourly(at(3600)) == [RepeatLog.News(key: key, text: "b1000", count: 1000, from: at(1), to: at(1000))])
    #expect(log.hourly(at(3601)).isEmpty)
    for reason in [Reason.visitBroken, .visitRefused, .attTimeout] {
      #expect(log.note(RepeatLog.Key(wearable: one, reason: reason), "", at(3700)) != nil)
    }
    #expect(log.note(RepeatLog.Key(wearable: one, reason: .attMalformed), "", at(3701)) == nil)
    #expect(
      log.note(RepeatLog.Key(wearable: WearableID(number: 2), reason: .attMalformed), "", at(3702)) != nil,
      "another wearable has codes of its own")
    // An hour later there is room again.
    #expect(log.hourly(at(7400)).isEmpty)
    #expect(log.note(RepeatLog.Key(wearable: one, reason: .attMalformed), "", at(7401)) != nil)
  }
}
