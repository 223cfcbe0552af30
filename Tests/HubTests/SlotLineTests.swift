// Which wearable leads the line for a slot, and what makes a first contact.

import EventLoop
import HubLane
import HubModel
import RingStore
import Testing

@testable import Hub

struct SlotLineTests {
  private let now = Instant(nanoseconds: 1_000_000_000_000)

  private func table(_ candidates: [LaneCandidate], slots: Int, links: Int) -> LaneTable {
    LaneTable(
      candidates, SlotTable([AdapterSlots(capacity: slots, links: links)]), Scheduler(), AttemptPace(seed: 1).next(now),
      now: now, wall: WallTime(microseconds: 0))
  }

  /// Streams since 100 s.
  private func holder(isStable: Bool, hadUnstableLinks: Bool = false) -> LaneCandidate {
    var holder = LaneCandidate(WearableID(number: 1))
    (holder.isLinked, holder.isPresent, holder.needsLink, holder.isStable) = (true, true, true, isStable)
    (holder.linkReputation, holder.level, holder.hadUnstableLinks) = (.proven, 1, hadUnstableLinks)
    holder.link = HeldLink(since: now - .seconds(100), hasBrought: true, lastValue: now - .seconds(1), use: [])
    return holder
  }

  private func waiting(
    _ number: UInt32, seconds: Int, _ reputation: Reputation.Grade = .proven, isStable: Bool = false
  )
    -> LaneCandidate
  {
    var waiting = LaneCandidate(WearableID(number: number))
    (waiting.isPresent, waiting.needsLink, waiting.isStable, waiting.level) = (true, true, isStable, 1)
    (waiting.linkReputation, waiting.reputation) = (reputation, reputation)
    (waiting.dueSince, waiting.lastConnectable) = (now - .seconds(seconds), now)
    return waiting
  }

  @Test func `a wearable to which no link yields leads no line, however long it waited`() {
    let mute = waiting(9, seconds: 3600, .doubtful)
    let strap = waiting(4, seconds: 1)
    for isStable in [false, true] {
      let full = table([holder(isStable: isStable), mute, strap], slots: 1, links: 1)
      #expect(full.decide(LinkDemand()).link == strap.id)
      #expect(full.slotWait(of: strap, at: 2, in: [mute, strap])?.next != nil, "people are told who yields to it")
    }
    let free = table([mute, strap], slots: 1, links: 0)
    #expect(free.decide(LinkDemand()).link == mute.id, "its moment is past, and it needs no other's slot")
  }

  @Test func `those that wait are shown in the order in which the lane takes them`() {
    let mute = waiting(9, seconds: 3600, .doubtful)
    let strap = waiting(4, seconds: 1)
    let demand = LinkDemand()
    var silent = waiting(5, seconds: 600)
    silent.lastConnectable = now - .seconds(600)
    let full = table([holder(isStable: false), mute, strap, silent], slots: 1, links: 1)
    let pool = full.pool(demand)
    #expect(full.standing(of: strap, pool, demand) == .waitsForSlot, "after a slice")
    #expect(full.standing(of: mute, pool, demand) == .held, "no link yields to it")
    #expect(full.standing(of: silent, pool, demand) == .unheard)
    let lost = waiting(6, seconds: 1, isStable: true)
    let other = table([holder(isStable: false, hadUnstableLinks: true), mute, lost], slots: 1, links: 1)
    #expect(other.standing(of: lost, other.pool(demand), demand) == .ready, "takes that slot now")
    #expect(LineStanding.ready < .waitsForSlot && LineStanding.held < .unheard)
  }

  @Test func `a wearable that waits for a slice leads no line before one that has a claim to that slot now`() {
    let first = waiting(9, seconds: 20)
    let strap = waiting(4, seconds: 10, isStable: true)
    let full = table([holder(isStable: false, hadUnstableLinks: true), first, strap], slots: 1, links: 1)
    #expect(full.decide(LinkDemand()).link == strap.id)
    // A slot that was given up for it is not free for a moment. Then it is the strap's.
    var vacated = table([first, strap], slots: 1, links: 1)
    vacated.slots.evictions = [Eviction(at: now, beneficiary: strap.id, adapter: 0)]
    #expect(vacated.slot(for: strap, vacated.pool(LinkDemand())) != .begin)
    vacated.slots.adapters[0].links = 0
    #expect(vacated.decide(LinkDemand()).link == strap.id)
    #expect(vacated.slot(for: strap, vacated.pool(LinkDemand())) == .begin)
  }

  @Test func `a visit over an open link waits for no wearable that waits for a slot`() {
    var linked = holder(isStable: true)
    (linked.holdsData, linked.needsLink, linked.dueSince) = (true, false, now)
    var away = waiting(9, seconds: 60)
    (away.holdsData, away.needsLink, away.resumes) = (true, false, true)
    linked.link?.use = .measurement
    let full = table([linked, away], slots: 1, links: 1)
    #expect(full.decide(LinkDemand()).visit == linked.id)
  }

  // MARK: First contacts

  private func history(
    links: UInt64, attempts: UInt64, gaveUp: Bool = false, _ change: (inout LaneState) -> Void = { _ in }
  )
    -> LinkHistory
  {
    var lane = LaneState()
    lane.gaveUpSlot = gaveUp
    change(&lane)
    return LinkHistory(
      lane, needsLink: true, hasShortPresenceKind: false, hasLink: false, hasBrought: false, stability: LinkStability(),
      links: links, attempts: attempts)
  }

  @Test func `a first link that the hub itself gave up before it could bring a value was no first contact`() {
    #expect(history(links: 0, attempts: 1).isFirstContact)
    #expect(!history(links: 1, attempts: 1).isFirstContact, "it ended by itself")
    #expect(history(links: 1, attempts: 2, gaveUp: true).isFirstContact)
    #expect(!history(links: 2, attempts: 2, gaveUp: true).isFirstContact, "it had its second chance")
    let failed = history(links: 1, attempts: 1, gaveUp: true) { lane in
      var random: any RandomNumberGenerator = SplitMix64(seed: 1)
      lane.reputation.tryFailed(at: now, random: &random)
    }
    #expect(!failed.isFirstContact, "it had fifteen seconds and brought nothing")
    let useful = history(links: 1, attempts: 1, gaveUp: true) { $0.reputation.proved() }
    #expect(!useful.isFirstContact)
  }
}
