import Bluetooth
import EventLoop
import HubLane
import HubModel
import Reasons
import Testing

@testable import Hub

@Suite("Lane")
struct LaneTests {
  @Test("one wearable at a time has the lane, and the next when it is over")
  func turns() throws {
    try withParts { parts in
      parts.context.phase = .serving
      let first = try await parts.enrol(1, "a")
      let second = try await parts.enrol(2, "b")
      var turns: [String] = []
      parts.lane.onTurn = { [loop = parts.loop] wearable in
        turns.append(wearable.name)
        try? await loop.sleep(for: .seconds(1))
        wearable.lane.visitEnded(.done, loop.now)
      }
      parts.hear(1)
      #expect(parts.lane.holder === first && first.lane.isHolder)
      parts.hear(2)
      #expect(parts.lane.holder === first && !second.lane.isHolder)
      #expect(parts.lane.waiting().map { $0.name } == ["b"])
      try await parts.loop.sleep(for: .milliseconds(1500))
      #expect(parts.lane.holder === second && !first.lane.isHolder)
      try await parts.loop.sleep(for: .seconds(1))
      #expect(turns == ["a", "b"] && parts.lane.isFree && parts.lane.queue().allSatisfy { $0.notBefore != nil })
    }
  }

  @Test(
    "at each of the fixed times every wearable with data is visited once, also if the clock is put past one of them")
  func fixedTimes() throws {
    try withParts { options in
      // Heard once a minute, it comes back each time.
      (options.visitBound, options.fresh) = (.seconds(86_400), .seconds(86_400))
      options.visitAt = [7, 12, 19].map { .seconds($0 * 3600) }
    } _: { parts in
      parts.context.phase = .serving
      _ = try await parts.enrol(1, "a")
      var minutes: [Int64] = []
      parts.lane.onTurn = { [loop = parts.loop] in
        minutes.append(loop.wall.microseconds / 60_000_000 % 1440)
        $0.lane.visitEnded(.done, loop.now)
      }
      @LoopActor func hear(hours: Int) async throws {
        for _ in 0..<(hours * 60) {
          parts.hear(1)
          try await parts.loop.sleep(for: .seconds(60))
        }
      }
      try await hear(hours: 25)
      #expect(minutes == [600, 720, 1140, 420])
      parts.loop.stepWall(by: .seconds(5400))
      try await hear(hours: 1)
      #expect(minutes.count == 5 && (750...752).contains(minutes.last ?? 0), "\(minutes)")
    }
  }

  @Test("no wearable has a turn while the lane is reserved, and the next has one when it is released")
  func reserved() throws {
    try withParts { parts in
      parts.context.phase = .serving
      let wearable = try await parts.enrol(1, "a")
      parts.lane.onTurn = { [loop = parts.loop] in $0.lane.visitEnded(.done, loop.now) }
      parts.lane.reserve()
      parts.hear(1)
      #expect(parts.lane.holder == nil && !parts.lane.isFree)
      parts.lane.release()
      #expect(parts.lane.holder === wearable)
    }
  }

  @Test("a full adapter makes the lane rest and is no trouble; one that needs a person is shown and not tried")
  func failures() throws {
    try withParts { parts in
      parts.context.phase = .serving
      let wearable = try await parts.enrol(1, "a")
      parts.lane.onTurn = { [loop = parts.loop] in $0.lane.visitEnded(.done, loop.now) }
      parts.lane.noteFailure(wearable, HearthError(.slotsFull, "a found no free slot"), .link(.slotsFull))
      #expect(wearable.trouble == nil)
      parts.hear(1)
      #expect(parts.lane.holder == nil)
      try await parts.loop.sleep(for: SlotDecision.rest + .milliseconds(1))
      #expect(wearable.lane.visitedAt != nil, "it had its turn after the rest")
      let trouble = HearthError(.authenticationFailed, "a refused or failed pairing")
      parts.lane.noteFailure(wearable, trouble, .needsAttention)
      #expect(wearable.trouble == trouble && !wearable.lane.retry.allows(parts.loop.now))
    }
  }

  @Test("wearables that take no connection leave the radio half of its time to scan, however many they are")
  func scans() throws {
    try withParts { parts in
      parts.context.phase = .serving
      for number in 1...10 { _ = try await parts.enrol(UInt64(number), "deaf-\(number)") }
      let loop = parts.loop
      var busy: Duration = .zero
      parts.lane.onTurn = { [lane = parts.lane] wearable in
        try? await loop.sleep(for: .seconds(3))
        busy += .seconds(3)
        let trouble = HearthError(.failedToEstablish, "\(wearable.name) did not connect in time")
        lane.noteFailure(wearable, trouble, .link(.timedOut))
      }
      @LoopActor func pass(_ seconds: Int) async throws {
        for _ in 0..<seconds {
          for number in 1...10 { parts.hear(UInt64(number)) }
          try await loop.sleep(for: .seconds(1))
        }
      }
      // Each is tried once, whatever the others are.
      try await pass(31)
      #expect(busy == .seconds(30))
      busy = .zero
      try await pass(60)
      #expect(busy >= .seconds(24) && busy <= .seconds(30))
    }
  }

  @Test("one that was never linked goes before those that were tried and not heard, and theirs is given up for it")
  func firstBeforeTried() throws {
    try withParts { parts in
      parts.context.phase = .serving
      let tried = try await parts.enrol(1, "tried")
      tried.live.counters.attempts = 2
      var turns: [String] = []
      parts.lane.onTurn = { [loop = parts.loop] wearable in
        turns.append(wearable.name)
        try? await loop.sleep(for: .seconds(10))
      }
      parts.hear(1)
      #expect(parts.lane.holder === tried)
      let first = try await parts.enrol(2, "first")
      parts.hear(2)
      try await parts.loop.sleep(for: .seconds(1))
      #expect(parts.lane.holder === first && turns == ["tried", "first"])
    }
  }

  @Test("a wearable that announced something is due when its last visit is no longer fresh; an operator need not wait")
  func announced() throws {
    try withParts { parts in
      parts.context.phase = .serving
      let wearable = try await parts.enrol(1, "a")
      var turns = 0
      parts.lane.onTurn = { [loop = parts.loop] wearable in
        turns += 1
        wearable.lane.announced = false
        wearable.lane.visitEnded(.done, loop.now)
      }
      parts.hear(1)
      try await parts.loop.sleep(for: .seconds(1))
      #expect(turns == 1)
      parts.context.changes.raise(.announced(wearable))
      #expect(wearable.lane.announced && parts.lane.isFree)
      _ = try parts.lane.visitNow("a")
      #expect(parts.lane.holder === wearable)
      try await parts.loop.sleep(for: .seconds(1))
      #expect(turns == 2)
    }
  }

  @Test("a wearable that waits for its link beside the lane ends a running visit if all slots are taken, and no other")
  func yields() throws {
    for needsLink in [false, true] {
      var driver = RecorderDriver()
      driver.needsLink = needsLink
      try withParts(driver) { parts in
        let holder = try await parts.enrol(1, "a")
        let other = try await parts.enrol(2, "b")
        parts.hear(1)
        parts.hear(2)
        holder.lane.isHolder = true
        let (now, began) = (parts.loop.now, parts.loop.now - parts.context.options.slice)
        for areFull in [false, true] {
          parts.radio.slots = areFull ? 0 : 5
          #expect(parts.lane.shouldYield(holder, since: began) == (areFull || !needsLink))
          #expect(!parts.lane.shouldYield(holder, since: now))
        }
        other.lane.asked(now)
        for areFull in [false, true] {
          parts.radio.slots = areFull ? 0 : 5
          #expect(parts.lane.shouldYield(holder, since: now) == (areFull || !needsLink))
        }
      }
    }
  }

  @Test("a wearable with a turn, or one that may have no turn, is never overdue for a slot")
  func overdue() throws {
    try withParts { parts in
      parts.radio.slots = 0
      let all = try await [parts.enrol(1, "a"), parts.enrol(2, "b"), parts.enrol(3, "c")]
      for wearable in all { wearable.lane.dueSince = parts.loop.now - .seconds(3600) }
      all[1].lane.isHolder = true
      all[2].lane.isLeaving = true
      #expect(parts.lane.overdue.map(\.name) == ["a"])
      all[0].lane.dueSince = parts.loop.now
      #expect(parts.lane.overdue.isEmpty)
    }
  }

  @Test("no slot is vacated while no link of the hub holds one, and room is looked for again soon")
  func slots() throws {
    try withParts { parts in
      let wearable = try await parts.enrol(1, "a")
      @LoopActor func slot() -> SlotDecision? {
        let table = parts.lane.table()
        return table[wearable.id].map { table.slot(for: $0, table.pool(table.demand)) }
      }
      #expect(slot() == .begin)
      parts.radio.foreignLinks = parts.radio.slots
      #expect(slot() == .wait(until: nil) && !parts.lane.slots.areFull, "it does not wait")
      wearable.lane.dueSince = parts.loop.now
      #expect(slot() == .wait(until: parts.loop.now + SlotDecision.rest))
    }
  }
}
