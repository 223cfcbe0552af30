// A class of more straps than the adapter carries.

import EventLoop
import Hub
import Reasons
import RingStore
import Simulation
import StrapTwin
import Testing

/// When each strap had no link after its first one, by looks at the world.
@LoopActor
private final class Gaps {
  private let straps: [VirtualPeripheral]
  private(set) var gaps: [[Range<Instant>]]
  private(set) var turns: [[Duration]]
  private var linked: [Instant?]
  private var ended: [Instant?]

  init(_ straps: [VirtualPeripheral]) {
    self.straps = straps
    gaps = straps.map { _ in [] }
    turns = straps.map { _ in [] }
    linked = straps.map { _ in nil }
    ended = straps.map { _ in nil }
  }

  func look(_ now: Instant) {
    for (number, strap) in straps.enumerated() {
      if strap.link != nil, linked[number] == nil {
        linked[number] = now
        if let from = ended[number] { gaps[number].append(from..<now) }
      } else if strap.link == nil, let since = linked[number] {
        (linked[number], ended[number]) = (nil, now)
        turns[number].append(now - since)
      }
    }
  }
}

@Suite("More wearables than slots")
struct ClassTests {
  @Test("twelve straps on five slots wait no longer than the plan says, and each wait is shown as no slot")
  func turns() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 7420)
      let straps = (0..<12).map { _ in world.addStrap(.manual) }
      var options = SimulatedHubOptions()
      options.radio.slots = 5
      options.starvationBound = .seconds(600)
      let hub = SimulatedHub(world, options: options)
      try await hub.start(enrolling: straps)
      let plan = hub.hearth.slotPlan()
      #expect((plan.slots, plan.wanting, plan.missing, plan.missingAdapters) == (5, 12, 7, 2))
      #expect(plan.places.allSatisfy { !$0.isPresent && !$0.advertises })
      // At least one slot of the five is shared.
      #expect(plan.places.count { $0.share.role == .turns } >= 8)
      let gap = try #require(plan.places.compactMap(\.share.gap).max())
      let turn = try #require(plan.places.compactMap(\.share.turn).min())
      for strap in straps { strap.arrive() }
      let seen = Gaps(straps)
      for _ in 0..<3600 {
        seen.look(loop.now)
        try await loop.sleep(for: .seconds(1))
      }
      let longest = seen.gaps.flatMap { $0 }.map { $0.upperBound - $0.lowerBound }.max() ?? .zero
      // By chance the ones that streamed longest keep four slots, or three: with two to share a wait is half as long.
      #expect(longest <= gap + .seconds(45) && gap <= longest * 5 / 2, "\(longest), planned \(gap)")
      // The first links of all are given up after seconds, so that each wearable has one.
      let shortest = seen.turns.flatMap { $0.dropFirst() }.min() ?? .zero
      #expect(shortest >= turn - .seconds(2), "\(shortest), planned \(turn)")
      let events = hub.hearth.pendingEvents() + (try hub.store.recentEvents(500, before: nil))
      for (number, gaps) in seen.gaps.enumerated() {
        let told = events.filter {
          $0.reason == Reason.slotsFull.rawValue && $0.wearable?.number == UInt32(number + 1)
        }
        for gap in gaps {
          let from = loop.wall + (gap.lowerBound - loop.now)
          let to = loop.wall + (gap.upperBound - loop.now)
          let isTold = told.contains { event in
            guard let began = event.span.from, began <= from + .seconds(2) else { return false }
            return event.span.to.map { $0 + .seconds(2) >= to } ?? true
          }
          #expect(isTold, "strap-\(number + 1) from \(from.rfc3339) to \(to.rfc3339)")
        }
      }
      await hub.stop()
      #expect(hub.watch.violations.isEmpty, "\(hub.watch.violations)")
    }
  }
}
