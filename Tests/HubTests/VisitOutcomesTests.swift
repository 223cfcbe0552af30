import Bluetooth
import EventLoop
import HubModel
import Reasons
import RingStore
import Testing

@testable import Hub

@Suite("Outcomes of visits")
struct VisitOutcomesTests {
  @LoopActor
  private static func outcomes(_ parts: Parts) -> VisitOutcomes {
    VisitOutcomes(
      context: parts.context, registry: parts.registry, lane: parts.lane, bonds: parts.bonds,
      orders: parts.orders)
  }

  @Test("a visit that is done leaves no trouble and is news for the LEDs")
  func done() throws {
    try withParts { parts in
      let wearable = try await parts.enrol(1, "a")
      wearable.lane.askedAt = parts.loop.now
      Self.outcomes(parts).visitEnded(wearable, .done)
      #expect(wearable.trouble == nil && wearable.lane.visitedAt == parts.loop.now && wearable.lane.askedAt == nil)
      #expect(parts.raised == ["visitDone"])
      try await parts.loop.sleep(for: .milliseconds(1))
      #expect(parts.raised == ["visitDone", "shown"])
    }
  }

  @Test("a key that is lost is shown also if the visit went well without it")
  func lostKey() throws {
    try withParts { parts in
      let wearable = try await parts.enrol(1, "a")
      parts.bonds.keyIsMissing(wearable)
      wearable.trouble = nil
      Self.outcomes(parts).visitEnded(wearable, .done)
      #expect(wearable.trouble?.reason == .keyMissing)
    }
  }

  @Test("an operator's request ends with the tries")
  func tries() throws {
    try withParts { parts in
      let wearable = try await parts.enrol(1, "a")
      wearable.lane.askedAt = parts.loop.now - RequestQueue.patience
      for _ in 0...BackOff.tries {
        #expect(wearable.lane.askedAt != nil)
        Self.outcomes(parts).noLink(wearable, HearthError(.notHeard, "a was not heard in time"), .notHeard)
      }
      #expect(wearable.lane.askedAt == nil && wearable.lane.retry.isCooling && wearable.trouble?.reason == .notHeard)
    }
  }

  @Test("what is kept unread is reported for its reason, whatever is remarked of it")
  func unread() throws {
    try withParts { parts in
      let wearable = try await parts.enrol(1, "a")
      @LoopActor func record(_ id: String, _ unread: UnreadReason?, _ remark: String) -> CustodyRecord {
        var record = CustodyRecord(
          wearable: wearable.id, id: id, mark: "m", size: 1, fetched: 1, durableAt: parts.loop.wall, remark: remark,
          visit: 1)
        record.unread = unread
        return record
      }
      try await parts.store.putCustody([record("read", nil, "locked: says its summary"), record("l", .locked, "")])
      #expect(
        Self.outcomes(parts).lasting(wearable)
          == HearthError(.itemLocked, "a file of a is encrypted, and the hub has no key"))
      try await wearable.visits.book.put([record("l", .unknownVersion, ""), record("d", .defective, "")])
      #expect(
        Self.outcomes(parts).lasting(wearable)
          == HearthError(.itemDefective, "2 files of a cannot be read; they are kept as they are"))
    }
  }

  @Test("after a restart the log says when a wearable was visited, and what could not be read")
  func remembers() throws {
    try withParts { parts in
      let wearable = try await parts.enrol(1, "a")
      var visit = VisitRecord(number: 1, wearable: wearable.id, began: parts.loop.wall, boot: nil)
      visit.ended = parts.loop.wall
      visit.outcome = Reason.itemLocked.rawValue
      visit.remark = "a file of a is encrypted"
      try await parts.store.putVisit(visit)
      try await parts.loop.sleep(for: .seconds(100))
      Self.outcomes(parts).remember()
      #expect(wearable.lane.visitedAt == parts.loop.now - .seconds(100))
      #expect(wearable.trouble == HearthError(.itemLocked, "a file of a is encrypted"))
    }
  }
}
