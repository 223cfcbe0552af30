import RingStore
import Testing

@testable import Hub

@Suite("What the hub counts over all wearables")
struct HubTallyTests {
  @Test("is what happened to them, and stays when one of them is forgotten")
  func grows() throws {
    try inHouse(files: { $0[0].files = [.of(10_000)] }) { house, twin in
      twin.cutsLinkAfter = 5000
      house.start()
      try await house.wait { twin.files.isEmpty && house.hearth.lane.holder == nil }
      let tally = house.hearth.snapshot().tally
      #expect(tally.visits == [.interrupted: 1, .done: 1])
      #expect(tally.linksMade == 2 && tally.linksLost == 1 && tally.linkAttempts >= 2)
      let own = try house.hearth.wearable(named: "recorder-0").counters
      for (name, count) in [
        ("attempts", tally.linkAttempts), ("links", tally.linksMade), ("losses", tally.linksLost),
      ] { #expect(own.first { $0.name == name }?.value == count) }
      let status = house.store.status
      #expect(status.storedFetched >= 10_000 && status.storedLive + status.storedFetched == status.samples)
      #expect(status.events.values.reduce(0, +) > 0)
      try await house.hearth.forget("recorder-0")
      #expect(house.hearth.snapshot().tally == tally)
      #expect(house.store.status.storedFetched == status.storedFetched)
    }
  }

  @Test("the longest wait for the lane is shown with its length, and is nil if no wearable waits")
  func waits() throws {
    try inHouse(recorders: 2, files: { twins in twins.forEach { $0.files = [.of(200_000)] } }) { house, _ in
      #expect(house.hearth.snapshot().longestWait == nil)
      house.start()
      try await house.wait { house.hearth.lane.holder != nil && house.hearth.snapshot().longestWait != nil }
      let first = try #require(house.hearth.snapshot().longestWait)
      try await house.pass(.seconds(1))
      let later = try #require(house.hearth.snapshot().longestWait)
      #expect(later - first == .seconds(1))
    }
  }
}
