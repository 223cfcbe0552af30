// Reports about waiting wearables: by what right each goes before the next, and what it needs.

import EventLoop
import HubLane
import RingStore
import Testing

@testable import Hub

struct LaneReasonsTests {
  private static let seed = UInt64.random(in: 0..<(1 << 32))

  @Test(arguments: [seed]) func `the next wearable is always of the first class that waits`(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let now = Instant(nanoseconds: 1_000_000_000_000)
    let order: [PriorityClass: Int] = [
      .reserved: 0, .shortPresence: 1, .asked: 2, .recovering: 3, .firstContact: 4, .returning: 5, .scheduled: 6,
      .unresponsive: 6,
    ]
    for _ in 0..<2000 {
      let candidates = (1...UInt32.random(in: 2...6, using: &random)).map { number in
        var candidate = LaneCandidate(WearableID(number: number))
        (candidate.isPresent, candidate.lastConnectable, candidate.holdsData) = (true, now, Bool.random(using: &random))
        candidate.dueSince = now - .seconds(Int64.random(in: 0...2000, using: &random))
        candidate.sinceVisit = candidate.holdsData ? .seconds(Int64.random(in: 1000...9000, using: &random)) : nil
        candidate.linkClass =
          [.reserved, .recovering, .firstContact, .returning, .scheduled, .scheduled].randomElement(using: &random)
          ?? .scheduled
        candidate.hasShortPresence = Int.random(in: 0..<5, using: &random) == 0
        candidate.reputation = [.proven, .new, .doubtful].randomElement(using: &random) ?? .new
        candidate.isUnstable = Int.random(in: 0..<4, using: &random) == 0
        if Int.random(in: 0..<5, using: &random) == 0 { candidate.askedAt = now - .seconds(3) }
        return candidate
      }
      let next = try #require(Scheduler().plan(candidates, now: now).next)
      let ranks = candidates.map { order[$0.priority] ?? .max }
      let rank = try #require(candidates.first { $0.id == next }.flatMap { order[$0.priority] })
      #expect(rank == ranks.min(), "\(candidates.map { "\($0.id.number) \($0.priority)" }), next \(next.number)")
    }
  }

  @Test func `a wearable that waits for a slot gets its holder and its time announced, and has it then`() throws {
    var driver = RecorderDriver()
    driver.attention = .seconds(3600)
    driver.needsLink = true
    try inHouse(driver, recorders: 4) { house, _ in
      house.radio.slots = 2
      house.start()
      var seen = 0
      for _ in 0..<600 {
        try await house.pass(.seconds(1))
        guard let first = house.hearth.laneReasons().first, let slot = first.slot else { continue }
        let wearable = try house.hearth.wearable(named: first.wearable)
        if wearable.linkedSince != nil {
          #expect(slot == .linked)
        } else if case .of(let holder, let at) = slot, at > house.loop.wall {
          seen += 1
          #expect(try house.hearth.wearable(named: holder).linkedSince != nil)
          #expect(first.priority == .scheduled || first.priority == .unresponsive || first.priority == .firstContact)
          try await house.pass(at - house.loop.wall + .seconds(8))
          #expect(try house.hearth.wearable(named: first.wearable).linkedSince != nil, "\(first)")
        }
      }
      #expect(seen >= 3, "\(seen)")
    }
  }

  @Test func `no slot is promised to two that wait`() throws {
    var driver = RecorderDriver()
    driver.attention = .seconds(3600)
    driver.needsLink = true
    try inHouse(driver, recorders: 5) { house, _ in
      house.radio.slots = 2
      house.start()
      var seen = 0
      for _ in 0..<300 {
        try await house.pass(.seconds(1))
        var holders: [String] = []
        for queued in house.hearth.laneReasons() where queued.hold == nil && queued.isHeard == true {
          if case .of(let holder, _) = queued.slot { holders.append(holder) }
        }
        if holders.count > 1 { seen += 1 }
        #expect(Set(holders).count == holders.count, "\(holders)")
      }
      #expect(seen >= 3, "\(seen)")
    }
  }
}
