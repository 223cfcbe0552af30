// Slot eviction: which link yields its slot to a wearable without one, by priority class, and how slots of several
// adapters count.

import EventLoop
import HubLane
import HubModel
import RingStore
import Testing

@testable import Hub

struct SlotEvictionTests {
  private let now = Instant(nanoseconds: 1_000_000_000_000)

  private func table(_ candidates: [LaneCandidate], _ adapters: [AdapterSlots]) -> LaneTable {
    LaneTable(
      candidates, SlotTable(adapters), Scheduler(), AttemptPace(seed: 1).next(now), now: now,
      wall: WallTime(microseconds: 0))
  }

  /// Streams, and is linked for so many seconds.
  private func holder(_ number: UInt32, isStable: Bool, seconds: Int = 100) -> LaneCandidate {
    var holder = LaneCandidate(WearableID(number: number))
    (holder.isLinked, holder.isPresent, holder.needsLink, holder.isStable) = (true, true, true, isStable)
    (holder.linkReputation, holder.level) = (.proven, 1)
    holder.link = HeldLink(since: now - .seconds(seconds), hasBrought: true, lastValue: now - .seconds(1), use: [])
    return holder
  }

  /// Waits for one second.
  private func waiting(_ priority: PriorityClass) -> LaneCandidate {
    var waiting = LaneCandidate(WearableID(number: 9))
    (waiting.isPresent, waiting.needsLink, waiting.linkReputation) = (true, true, .proven)
    (waiting.dueSince, waiting.linkClass, waiting.level) = (now - .seconds(1), priority, 1)
    switch priority {
    case .reserved: (waiting.hasReservedSlot, waiting.isStable) = (true, true)
    case .shortPresence: (waiting.hasShortPresence, waiting.mayInterrupt, waiting.hasGivenReading) = (true, true, true)
    case .asked: waiting.askedAt = now
    case .recovering: (waiting.isReturning, waiting.isStable) = (true, true)
    case .firstContact: (waiting.isFirstContact, waiting.linkReputation) = (true, .new)
    case .returning: waiting.isReturning = true
    case .scheduled: break
    case .unresponsive: (waiting.linkReputation, waiting.reputation) = (.doubtful, .doubtful)
    }
    return waiting
  }

  /// In how many seconds it has the slot of the holder; nil: never.
  private func seconds(_ waiting: LaneCandidate, _ holder: LaneCandidate) -> Double? {
    table([holder, waiting], [AdapterSlots(capacity: 1, links: 1)])
      .eviction(for: waiting, waitingSince: now - .seconds(1)).map { ($0.1 - now).inSeconds }
  }

  @Test(
    arguments: [
      (.reserved, 44, 44, nil), (.shortPresence, 0, 0, nil), (.asked, 0, 0, nil), (.recovering, 0, 44, 1),
      (.firstContact, 0, 44, 0), (.returning, 44, 44, nil), (.scheduled, 44, 44, nil), (.unresponsive, nil, nil, nil),
    ] as [(PriorityClass, Double?, Double?, Double?)])
  func `each class gets the slot of an unstable link, a stable one and a visit when its row of the table says so`(
    _ priority: PriorityClass, _ unstable: Double?, _ stable: Double?, _ visit: Double?
  ) {
    let waiting = waiting(priority)
    #expect(seconds(waiting, holder(1, isStable: false)) == unstable)
    #expect(seconds(waiting, holder(1, isStable: true)) == stable)
    var visited = holder(1, isStable: false)
    visited.link?.use = .visit
    #expect(seconds(waiting, visited) == visit)
  }

  @Test func `a link without data goes first, and a measurement is never ended`() {
    var useless = holder(1, isStable: false)
    useless.linkReputation = .new
    useless.link = HeldLink(since: now - .seconds(100), hasBrought: false, lastValue: nil, use: [])
    var measuring = holder(2, isStable: false)
    measuring.link?.use = .measurement
    for priority in PriorityClass.allCases {
      let waiting = waiting(priority)
      let table = table(
        [measuring, holder(3, isStable: true), useless, waiting], [AdapterSlots(capacity: 3, links: 3)])
      #expect(table.eviction(for: waiting, waitingSince: now).map { $0.0.id.number } == 1)
      #expect(seconds(waiting, measuring) == nil)
    }
  }

  @Test func `a slot that was given up for a wearable is free as soon as that is paused or forgotten`() {
    var waiting = waiting(.scheduled)
    waiting.dueSince = now - .seconds(5)
    var beneficiary = LaneCandidate(WearableID(number: 2))
    (beneficiary.isPresent, beneficiary.dueSince) = (true, now - .seconds(5))
    for isLeftOut in [false, true] {
      beneficiary.isLeftOut = isLeftOut
      var table = table([beneficiary, waiting], [AdapterSlots(capacity: 1, links: 0)])
      table.slots.evictions = [Eviction(at: now - .seconds(1), beneficiary: beneficiary.id, adapter: 0)]
      #expect(table.isSlotFree(besideAttempts: true, for: waiting) == isLeftOut)
    }
  }

  @Test func `a slot of any adapter is free, but one that is reserved there for another wearable`() {
    var away = LaneCandidate(WearableID(number: 2))
    (away.hasReservedSlot, away.adapter) = (true, 1)
    let waiting = waiting(.scheduled)
    let adapters = [AdapterSlots(capacity: 1, links: 1), AdapterSlots(capacity: 1, links: 0)]
    let linked = holder(1, isStable: false)
    #expect(table([linked, waiting], adapters).isSlotFree(besideAttempts: true, for: waiting))
    let reserved = table([linked, away, waiting], adapters)
    #expect(!reserved.isSlotFree(besideAttempts: true, for: waiting))
    #expect(reserved.isSlotFree(besideAttempts: true, for: away))
    away.isLeftOut = true
    let left = table([linked, away, waiting], adapters)
    #expect(left.isSlotFree(besideAttempts: true, for: waiting), "it is being forgotten, or was paused")
    let foreign = table([linked, waiting], [adapters[0], AdapterSlots(capacity: 1, links: 1)])
    #expect(!foreign.isSlotFree(besideAttempts: false, for: waiting), "another program has a link there")
    #expect(!foreign.areSlotsFull)
  }

  @Test func `attempts leave the reserved and promised slots of each adapter to those that wait for them`() {
    var away = LaneCandidate(WearableID(number: 2))
    (away.hasReservedSlot, away.adapter) = (true, 1)
    let tied = bonded(.scheduled, at: 0)
    let other = LaneCandidate(WearableID(number: 8))
    let adapters = [AdapterSlots(capacity: 2, links: 0), AdapterSlots(capacity: 2, links: 0)]
    var table = table([away, tied, other], adapters)
    #expect(table.slotsKept(from: other) == [0, 1] && table.slotsKept(from: away) == [0, 0])
    table.slots.evictions = [Eviction(at: now, beneficiary: tied.id, adapter: 0)]
    #expect(table.slotsKept(from: other) == [1, 1] && table.slotsKept(from: nil) == [1, 1])
    #expect(table.slotsKept(from: tied) == [0, 1])
    table.candidates[0].hasTurn = true
    table.candidates[1].hasTurn = true
    #expect(table.slotsKept(from: other) == [0, 0], "the radio counts their attempts")
  }

  // MARK: Bonds

  private func holder(_ number: UInt32, at adapter: Int, isStable: Bool = false, seconds: Int = 100) -> LaneCandidate {
    var holder = holder(number, isStable: isStable, seconds: seconds)
    holder.adapter = adapter
    return holder
  }

  private func bonded(_ priority: PriorityClass, at adapter: Int) -> LaneCandidate {
    var bonded = waiting(priority)
    (bonded.bond, bonded.adapter) = (.at(adapter), nil)
    return bonded
  }

  /// The first is full with one link, the second has two of five.
  private let uneven = [AdapterSlots(capacity: 1, links: 1), AdapterSlots(capacity: 5, links: 2)]

  @Test func `a bonded wearable takes a slot of its adapter by its class, though another adapter has room`() {
    let others = [holder(1, at: 0), holder(2, at: 1, seconds: 900), holder(3, at: 1, seconds: 900)]
    for (priority, seconds) in [
      (.shortPresence, 0), (.asked, 0), (.recovering, 0), (.firstContact, 0), (.returning, 44), (.scheduled, 44),
      (.unresponsive, nil),
    ] as [(PriorityClass, Double?)] {
      let waiting = bonded(priority, at: 0)
      let table = table(others + [waiting], uneven)
      #expect(!table.isSlotFree(besideAttempts: true, for: waiting))
      let found = table.eviction(for: waiting, waitingSince: now - .seconds(1))
      #expect(found.map { $0.0.id.number } == seconds.map { _ in 1 }, "\(priority)")
      #expect(found.map { ($0.1 - now).inSeconds } == seconds, "\(priority)")
      let room = bonded(priority, at: 1)
      #expect(self.table(others + [room], uneven).slot(for: room, table.pool(table.demand)) == .begin)
    }
    let stable = [holder(1, at: 0, isStable: true)] + others.dropFirst()
    let patient = bonded(.scheduled, at: 0)
    let found = table(stable + [patient], uneven).eviction(for: patient, waitingSince: now - .seconds(1))
    #expect(found?.0.id.number == 1, "links of the other adapter are no reason to wait longer")
  }

  @Test func `of links that are worth the same, one yields that another adapter can make`() {
    var tied = holder(1, at: 0, seconds: 900)
    tied.bond = .at(0)
    let waiting = bonded(.asked, at: 0)
    let adapters = [AdapterSlots(capacity: 2, links: 2), AdapterSlots(capacity: 1, links: 0)]
    let candidates = [tied, holder(2, at: 0), waiting]
    #expect(table(candidates, adapters).eviction(for: waiting, waitingSince: now)?.0.id.number == 2)
    let full = [adapters[0], AdapterSlots(capacity: 1, links: 1)]
    #expect(table(candidates, full).eviction(for: waiting, waitingSince: now)?.0.id.number == 1)
  }

  @Test func `no link is given up for a wearable with a missing adapter, and its attempt says so`() {
    var waiting = waiting(.asked)
    waiting.bond = .absent
    let table = table([holder(1, at: 0), waiting], [AdapterSlots(capacity: 1, links: 1), uneven[0]])
    #expect(table.eviction(for: waiting, waitingSince: now) == nil)
    #expect(table.slot(for: waiting, table.pool(table.demand)) == .begin)
  }

  @Test
  func `a slot that is promised on one adapter is free for no other wearable, and counts on no other adapter`() {
    let beneficiary = bonded(.scheduled, at: 0)
    let free = LaneCandidate(WearableID(number: 8))
    var other = LaneCandidate(WearableID(number: 7))
    other.bond = .at(1)
    let adapters = [AdapterSlots(capacity: 1, links: 0), AdapterSlots(capacity: 1, links: 0)]
    var table = table([beneficiary, other, free], adapters)
    table.slots.evictions = [Eviction(at: now, beneficiary: beneficiary.id, adapter: 0)]
    #expect(table.isSlotFree(besideAttempts: true, for: beneficiary))
    #expect(table.isSlotFree(besideAttempts: true, for: other))
    #expect(table.isSlotFree(besideAttempts: true, for: free), "one of two")
    table.slots.adapters[1].links = 1
    #expect(!table.isSlotFree(besideAttempts: true, for: free))
    table.slots.adapters[1].links = 0
    // An attempt with an adapter that is not yet known may be made at either.
    var attempting = LaneCandidate(WearableID(number: 6))
    (attempting.hasTurn, attempting.adapter) = (true, nil)
    table.candidates.append(attempting)
    #expect(!table.isSlotFree(besideAttempts: true, for: free))
  }

  @Test func `a slot that is being given up on one adapter keeps no wearable from another`() {
    let beneficiary = bonded(.scheduled, at: 0)
    let free = LaneCandidate(WearableID(number: 8))
    var other = bonded(.asked, at: 1)
    other.dueSince = now
    var table = table(
      [beneficiary, free, holder(2, at: 1)], [AdapterSlots(capacity: 1, links: 1), AdapterSlots(capacity: 2, links: 1)])
    table.slots.evictions.note(Eviction(at: now, beneficiary: beneficiary.id, adapter: 0))
    #expect(table.isSlotFree(besideAttempts: true, for: free), "the slot that is promised is not free yet")
    #expect(table.isVacating(for: beneficiary) && !table.isVacating(for: other))
    table.slots.adapters[1].capacity = 1
    #expect(
      table.room(for: other) == .evict(WearableID(number: 2), isInterruption: false, lookAt: now + .milliseconds(250)))
    table.slots.evictions.note(Eviction(at: now, beneficiary: free.id, adapter: 1))
    #expect(table.slots.evictions.map(\.adapter) == [0, 1])
    let last = WearableID(number: 7)
    table.slots.evictions.note(Eviction(at: now, beneficiary: last, adapter: 1))
    #expect(table.slots.evictions.map(\.beneficiary) == [beneficiary.id, last])
  }

  @Test(arguments: [PriorityClass.shortPresence, .asked, .recovering, .firstContact, .returning, .scheduled])
  func `one that waits for its own full adapter holds up no wearable that another adapter may link to`(
    _ priority: PriorityClass
  ) {
    var bonded = bonded(priority, at: 0)
    (bonded.lastConnectable, bonded.dueSince) = (now, now - .seconds(2))
    var late = LaneCandidate(WearableID(number: 8))
    (late.isPresent, late.needsLink, late.linkReputation) = (true, true, .proven)
    (late.lastConnectable, late.dueSince) = (now, now)
    let candidates = [holder(1, at: 0, isStable: true), bonded, late]
    var two = table(candidates, [AdapterSlots(capacity: 1, links: 1), AdapterSlots(capacity: 5, links: 0)])
    let demand = two.demand
    #expect(demand == LinkDemand())
    // A wearable that has a claim to its slot now leads until that is given up, and is passed meanwhile.
    let takesAtOnce = priority == .shortPresence || priority == .asked
    #expect(two.decide(demand).link == (takesAtOnce ? bonded.id : late.id))
    let isPassed = two.pass(bonded)
    #expect(isPassed)
    let decision = two.decide(demand)
    #expect(decision.link == late.id)
    #expect(two.slot(for: late, decision.pool) == .begin)
    // Full as well, the other adapter gives a slot to the wearable that passed; its own gives no slot.
    two.slots.adapters[1] = AdapterSlots(capacity: 1, links: 1)
    two.candidates.append(holder(2, at: 1, isStable: true, seconds: 50))
    #expect(two.eviction(for: late, waitingSince: now - .seconds(900))?.0.id.number == 2)
    // With one adapter the line stays as it is.
    bonded.bond = .none
    var one = table([holder(1, isStable: true), bonded, late], [AdapterSlots(capacity: 1, links: 1)])
    #expect(one.decide(one.demand).link == bonded.id)
    let isPassedThere = one.pass(bonded)
    #expect(!isPassedThere)
  }

  @Test func `an idle link of any adapter goes first, but no other adapter's link that brings values`() {
    var waiting = bonded(.scheduled, at: 0)
    (waiting.linkReputation, waiting.reputation) = (.new, .new)
    var idle = holder(1, at: 1)
    idle.linkReputation = .new
    idle.link = HeldLink(since: now - .seconds(100), hasBrought: false, lastValue: nil, use: [])
    let adapters = [AdapterSlots(capacity: 1, links: 0), AdapterSlots(capacity: 2, links: 2)]
    var both = table([holder(2, at: 1, seconds: 900), idle, waiting], adapters)
    #expect(both.eviction(for: waiting, waitingSince: now - .seconds(100), fromAny: true)?.0.id.number == 1)
    let one = table([holder(2, at: 1, seconds: 900), waiting], adapters)
    #expect(one.eviction(for: waiting, waitingSince: now - .seconds(100), fromAny: true) == nil)
    // An attempt without an adapter fails at once, and takes no slot.
    var absent = waiting
    absent.bond = .absent
    #expect(both.slot(for: absent, both.pool(both.demand)) == .begin)
    let reasons = both.reasons(absent, both.demand)
    #expect(reasons.slot == .free)
  }

  @Test func `each gets the next slot of its own adapter, and which wearable has it before`() {
    var first = bonded(.scheduled, at: 0)
    first.dueSince = now - .seconds(40)
    var second = LaneCandidate(WearableID(number: 8))
    (second.isPresent, second.needsLink, second.bond, second.adapter) = (true, true, .at(0), nil)
    (second.linkReputation, second.dueSince) = (.proven, now)
    let adapters = [AdapterSlots(capacity: 1, links: 1), AdapterSlots(capacity: 5, links: 0)]
    let table = table([holder(1, at: 0), first, second], adapters)
    let alone = table.slotWait(of: first, at: 1, in: [first])
    #expect(alone?.nextAt == WallTime(microseconds: 5_000_000))
    #expect(table.slotWait(of: second, at: 2, in: [first, second])?.nextAt == alone?.nextAt)
    second.bond = .absent
    #expect(table.slotWait(of: second, at: 2, in: [first, second]) == nil)
  }
}
