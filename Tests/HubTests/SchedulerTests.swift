import EventLoop
import HubLane
import HubModel
import RingStore
import Testing

@testable import Hub

@Suite("The choice of the next wearable")
struct SchedulerTests {
  private let now = Instant(nanoseconds: 1_000_000_000_000)
  private let scheduler = Scheduler()

  /// Present, heard a moment ago, keeps data, last visited half an hour ago, waits since a second.
  private func insole(_ number: UInt32, _ change: (inout LaneCandidate) -> Void = { _ in }) -> LaneCandidate {
    var candidate = LaneCandidate(WearableID(number: number))
    candidate.isPresent = true
    candidate.lastConnectable = now
    candidate.rssi = -50
    candidate.holdsData = true
    candidate.sinceVisit = .seconds(1800)
    candidate.dueSince = now - .seconds(1)
    change(&candidate)
    return candidate
  }

  private func strap(_ number: UInt32, _ change: (inout LaneCandidate) -> Void = { _ in }) -> LaneCandidate {
    insole(number) {
      $0.holdsData = false
      $0.sinceVisit = nil
      $0.staysLinked = true
      change(&$0)
    }
  }

  private func expectNext(
    _ expected: UInt32?, _ candidates: [LaneCandidate], at location: SourceLocation = #_sourceLocation
  ) {
    #expect(next(candidates) == expected, sourceLocation: location)
  }

  private func next(_ candidates: [LaneCandidate]) -> UInt32? { scheduler.plan(candidates, now: now).next?.number }

  @Test("a request goes before everything, the older request first, whatever the order in the registry")
  func requestsFirst() {
    let full = insole(1) { $0.hoursToFull = 0 }
    let asked = insole(2) { $0.askedAt = now - .seconds(1) }
    let askedEarlier = insole(3) { $0.askedAt = now - .seconds(2) }
    #expect(next([full, asked, askedEarlier]) == 3)
    #expect(next([askedEarlier, full, asked]) == 3)
    #expect(next([full, asked]) == 2)
  }

  @Test("what announced something new is due as soon as its last visit is no longer fresh, and its visit says so")
  func announcement() {
    let quiet = insole(1) { $0.sinceVisit = .seconds(60) }
    let loud = insole(1) {
      $0.sinceVisit = .seconds(60)
      $0.announced = true
    }
    #expect(scheduler.dueAt(quiet, now: now) == now + .seconds(840))
    #expect(scheduler.dueAt(loud, now: now) == now + .seconds(60))
    #expect(scheduler.trigger(loud) == .announcement && scheduler.trigger(quiet) == .schedule)
    #expect(scheduler.why(loud, now: now) == "announced something new")
  }

  @Test("a full memory goes before a fresh one, and before one that has waited a little")
  func fullMemoryFirst() {
    let full = insole(2) {
      $0.hoursToFull = 0
      $0.sinceVisit = .seconds(130)
      $0.returned = true
    }
    let fresh = insole(1) {
      $0.sinceVisit = .seconds(130)
      $0.returned = true
      $0.dueSince = now - .seconds(60)
    }
    #expect(next([fresh, full]) == 2)
  }

  @Test("the older data, the longer unvisited and the louder go first, other things being equal")
  func order() {
    func insole(_ number: UInt32, _ change: (inout LaneCandidate) -> Void = { _ in }) -> LaneCandidate {
      self.insole(number) {
        $0.sinceVisit = .seconds(200)
        $0.returned = true
        change(&$0)
      }
    }
    expectNext(2, [insole(1), insole(2) { $0.oldestUnfetched = .seconds(10_000) }])
    expectNext(
      2, [insole(1) { $0.oldestUnfetched = .seconds(8000) }, insole(2) { $0.oldestUnfetched = .seconds(9000) }])
    expectNext(2, [insole(1), insole(2) { $0.sinceVisit = .seconds(400) }])
    expectNext(2, [insole(1) { $0.rssi = -80 }, insole(2) { $0.rssi = -70 }])
    expectNext(1, [insole(1), insole(2)])
  }

  @Test("what streams is linked as soon as there is a turn, the one that has waited longest first")
  func strapsInOrder() {
    expectNext(2, [strap(1) { $0.dueSince = now - .seconds(2) }, strap(2) { $0.dueSince = now - .seconds(3) }])
    expectNext(2, [strap(1) { $0.isLinked = true }, strap(2)])
    expectNext(nil, [strap(1) { $0.isLinked = true }])
  }

  @Test("a reserved slot goes before a cuff, then stable wearables, those never linked, and those that delivered data")
  func claims() {
    let brief = strap(1) { $0.hasShortPresence = true }
    var all = [brief]
    for claim in [PriorityClass.scheduled, .returning, .firstContact, .recovering, .reserved] {
      all.append(strap(UInt32(all.count + 1)) { $0.linkClass = claim })
    }
    for expected: UInt32 in [6, 1, 5, 4, 3, 2] {
      expectNext(expected, all)
      all.removeAll { $0.id.number == expected }
    }
  }

  @Test("of those never linked the newest goes first, and going and coming change no order")
  func newest() {
    let old = strap(1) {
      $0.linkClass = .firstContact
      $0.firstDue = now - .seconds(60)
    }
    let new = strap(2) {
      $0.linkClass = .firstContact
      $0.firstDue = now - .seconds(20)
      $0.dueSince = now - .seconds(20)
    }
    expectNext(2, [old, new])
    expectNext(2, [new, old])
  }

  @Test("one that was visited is left alone until its bound, or until it returns and its visit is no longer fresh")
  func fresh() {
    expectNext(nil, [insole(1) { $0.sinceVisit = .seconds(899) }])
    let soon = insole(1) { $0.sinceVisit = .seconds(899) }
    #expect(scheduler.plan([soon], now: now).wakeAt == now + .seconds(1))
    expectNext(1, [insole(1) { $0.sinceVisit = .seconds(900) }])
    expectNext(
      nil,
      [
        insole(1) {
          $0.sinceVisit = .seconds(119)
          $0.returned = true
        }
      ])
    expectNext(
      1,
      [
        insole(1) {
          $0.sinceVisit = .seconds(120)
          $0.returned = true
        }
      ])
    expectNext(1, [insole(1) { $0.sinceVisit = nil }])
    expectNext(
      1,
      [
        insole(1) {
          $0.sinceVisit = .seconds(1)
          $0.resumes = true
        }
      ])
    // A memory that is full in twenty minutes has four chances before: five minutes.
    expectNext(
      nil,
      [
        insole(1) {
          $0.sinceVisit = .seconds(299)
          $0.hoursToFull = 1.0 / 3
        }
      ])
    expectNext(
      1,
      [
        insole(1) {
          $0.sinceVisit = .seconds(301)
          $0.hoursToFull = 1.0 / 3
        }
      ])
  }

  @Test("a visit at a fixed time is due then, and only once")
  func timed() {
    let timed = insole(1) {
      $0.sinceVisit = .seconds(300)
      $0.timedAt = now + .seconds(60)
    }
    let plan = scheduler.plan([timed], now: now)
    #expect(plan.next == nil && plan.wakeAt == now + .seconds(60))
    expectNext(
      1,
      [
        insole(1) {
          $0.sinceVisit = .seconds(300)
          $0.timedAt = now - .seconds(1)
        }
      ])
    expectNext(
      nil,
      [
        insole(1) {
          $0.sinceVisit = .seconds(300)
          $0.timedAt = now - .seconds(301)
        }
      ])
  }

  @Test("a wearable that is away, was not heard just now, or is to be left alone is not tried; it keeps its place")
  func unreachable() {
    expectNext(nil, [insole(1) { $0.isPresent = false }])
    expectNext(nil, [insole(1) { $0.lastConnectable = nil }])
    expectNext(nil, [insole(1) { $0.lastConnectable = now - .seconds(16) }])
    expectNext(
      1,
      [
        insole(1) {
          $0.lastConnectable = nil
          $0.isLinked = true
        }
      ])
    let resting = insole(1) { $0.notBefore = now + .seconds(5) }
    #expect(scheduler.plan([resting], now: now).wakeAt == now + .seconds(5))
    let unheard = insole(1) { $0.lastConnectable = nil }
    #expect(!scheduler.waits(resting, now: now) && scheduler.waits(unheard, now: now))
  }

  @Test("a turn ends when its slice is over and others wait, and for a request at once")
  func yields() {
    let holder = insole(1)
    let waiting = insole(2)
    let asked = insole(3) { $0.askedAt = now }
    let mine = insole(4) { $0.askedAt = now }
    func yields(_ holder: LaneCandidate, _ seconds: Int, _ others: [LaneCandidate]) -> Bool {
      scheduler.yields(holder, sliceUsed: .seconds(seconds), to: others, now: now)
    }
    let absent = insole(2) { $0.isPresent = false }
    #expect(!yields(holder, 1000, [holder]) && !yields(holder, 1000, [absent]))
    #expect(!yields(holder, 44, [waiting]) && yields(holder, 45, [waiting]) && yields(holder, 1, [waiting, asked]))
    #expect(!yields(mine, 1000, [waiting]) && !yields(mine, 44, [asked]) && yields(mine, 45, [asked]))
  }

  @Test("the queue says why, and from when")
  func reasons() {
    let queue = scheduler.queue(
      [
        insole(1), strap(2), insole(3) { $0.askedAt = now },
        insole(4) {
          $0.hoursToFull = 3
          $0.oldestUnfetched = .seconds(172_800)
        },
        insole(5) { $0.hoursToFull = 0 }, insole(6) { $0.sinceVisit = nil },
        insole(7) { $0.sinceVisit = .seconds(600) },
        insole(8) {
          $0.sinceVisit = .seconds(100)
          $0.resumes = true
        },
        insole(9) {
          $0.sinceVisit = .seconds(200)
          $0.returned = true
        },
        insole(10) {
          $0.oldestUnfetched = .seconds(50_000)
          $0.sinceVisit = .seconds(300)
          $0.returned = true
        },
      ], now: now)
    let whys = Dictionary(uniqueKeysWithValues: queue.map { ($0.id.number, $0.why) })
    let reasons: [UInt32: String] = [
      1: "not visited for 30 min", 2: "not linked", 3: "requested by an operator", 4: "not visited for 30 min",
      5: "memory full", 6: "never visited",
      7: "not visited for 10 min", 8: "goes on where it stopped", 9: "seen again", 10: "oldest data 13 h",
    ]
    #expect(whys == reasons)
    #expect(queue.first?.id.number == 3 && queue.last?.id.number == 7)
    #expect(queue.last?.notBefore == now + .seconds(300))
    #expect(queue.map(\.trigger).filter { $0 == .resumption }.count == 1)
  }

  // MARK: Nobody starves

  /// A wearable of the simulated house below.
  private struct Guest {
    var candidate: LaneCandidate
    var visitedAt: Instant?
    /// Since when it could have been served without a break.
    var servableSince: Instant?
    var left = 0  // seconds of fetching
  }

  @Test(
    "no wearable starves: each one present and due is visited within its bound and a turn of each other one",
    arguments: 1...40 as ClosedRange<UInt64>)
  func nobodyStarves(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var now = now
    let count = Int.random(in: 2...40, using: &random)
    var guests = (1...count).map { number in
      Guest(candidate: Bool.random(using: &random) ? insole(UInt32(number)) : strap(UInt32(number)), visitedAt: nil)
    }
    for index in guests.indices {
      guests[index].candidate.dueSince = nil
      guests[index].candidate.isPresent = Int.random(in: 0..<10, using: &random) > 0
      guests[index].candidate.rssi = Double.random(in: -95 ... -40, using: &random)
    }
    let bound = scheduler.longestWait(among: count)
    let end = now + .seconds(4 * 3600)
    var visits = 0
    var longest = Duration.zero
    var order: [UInt32] = []
    while now < end {
      for index in guests.indices {
        guests[index].candidate.lastConnectable = now
        guests[index].candidate.sinceVisit = guests[index].visitedAt.map { now - $0 }
        if guests[index].candidate.holdsData {
          // Some are always full, or always have old data: they must not push the others out.
          guests[index].candidate.hoursToFull = index % 3 == 0 ? 0 : Double.random(in: 0...50, using: &random)
          if index % 4 == 0 {
            guests[index].candidate.oldestUnfetched = .seconds(Int.random(in: 0...200_000, using: &random))
          }
        } else if guests[index].candidate.isLinked, Int.random(in: 0..<20, using: &random) == 0 {
          guests[index].candidate.isLinked = false
        }
        if Int.random(in: 0..<200, using: &random) == 0 {
          guests[index].candidate.isPresent.toggle()
          guests[index].candidate.returned = true
        }
        let waits = scheduler.waits(guests[index].candidate, now: now)
        guests[index].candidate.dueSince = waits ? guests[index].candidate.dueSince ?? now : nil
      }
      let plan = scheduler.plan(guests.map(\.candidate), now: now)
      #expect(
        plan.next == scheduler.plan(guests.map(\.candidate).reversed(), now: now).next,
        "the order of the registry decided")
      guard let next = plan.next, let index = guests.firstIndex(where: { $0.candidate.id == next }) else {
        now = now + .seconds(1)
        continue
      }
      order.append(next.number)
      longest = max(longest, guests[index].candidate.dueSince.map { now - $0 } ?? .zero)
      visits += 1
      // Connecting and settling, which may fail, and as much of the fetch as its slice allows.
      now = now + .seconds(Int.random(in: 1...30, using: &random))
      guests[index].candidate.dueSince = nil
      if Int.random(in: 0..<5, using: &random) == 0 { continue }
      if !guests[index].candidate.holdsData {
        guests[index].candidate.isLinked = true
        continue
      }
      if guests[index].left == 0 { guests[index].left = Int.random(in: 1...200, using: &random) }
      let turn = min(guests[index].left, 45)
      now = now + .seconds(turn)
      guests[index].left -= turn
      guests[index].candidate.resumes = guests[index].left > 0
      if guests[index].left == 0 {
        guests[index].visitedAt = now
        guests[index].candidate.returned = false
      }
    }
    for guest in guests { longest = max(longest, guest.candidate.dueSince.map { now - $0 } ?? .zero) }
    #expect(
      visits > 100 && longest <= bound,
      "\(count) wearables, \(visits) visits, the longest wait was \(longest.inSeconds) s of \(bound.inSeconds) s")
  }

  @Test("a memory that fills is foreseen from two readings, and not guessed from one")
  func memoryTrend() throws {
    var trend = MemoryTrend()
    #expect(trend.hoursToFull(now) == nil)
    trend.measured(free: 900, total: 1000, at: now)
    #expect(trend.hoursToFull(now) == nil)
    trend.measured(free: 800, total: 1000, at: now + .seconds(3600))
    #expect(try #require(trend.hoursToFull(now + .seconds(3600))) == 8)
    #expect(try #require(trend.hoursToFull(now + .seconds(7200))) == 7)
    trend.emptied(at: now + .seconds(7200))
    #expect(try #require(trend.hoursToFull(now + .seconds(7200))) == 10)
    trend.measured(free: 500, total: 1000, at: now + .seconds(10_800))
    #expect(try #require(trend.hoursToFull(now + .seconds(10_800))) == 1)
    // False figures are ignored.
    trend.measured(free: -1, total: 1000, at: now + .seconds(10_800))
    trend.measured(free: .max, total: .min, at: now + .seconds(10_801))
    #expect(trend.hoursToFull(now + .seconds(400_000)) != nil)
    var scarce = MemoryTrend()
    scarce.measured(free: 5, total: 1000, at: now)
    #expect(scarce.hoursToFull(now) == 0)
  }
}
