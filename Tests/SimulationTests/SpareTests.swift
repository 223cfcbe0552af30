import BotzTwin
import EventLoop
import Health
import Hub
import RingStore
import Simulation
import Testing

/// A hub that is destroyed, and the spare that is restored from its backup.
@Suite("A spare that is restored from a backup")
struct SpareTests {
  @Test(
    """
    a hub that dies in the middle of a visit goes on as a spare: no file twice or lost, the half-fetched one from its \
    last byte, the bond without pairing
    """,
    arguments: [1, 2, 3] as [UInt64], [true, false])
  func middle(_ seed: UInt64, samples: Bool) throws {
    try VirtualLoop.run { loop in
      let (hub, insole) = try await insoleHouse(
        loop, seed: 9300 + seed, prepare: { $0.hub.erase = .never },
        adjust: { $0.files = .sessions([300, 6000, 6000, 600]) })
      let id = WearableID(number: 1)
      // Something is durable, something is half here, which is kept in steps of 64 KiB: those two have 156 kB.
      @LoopActor func items() throws -> [CustodyRecord] { try hub.store.custody(of: id) }
      var isInTheMiddle = false
      for _ in 0..<6000 where !isInTheMiddle {
        try await loop.sleep(for: .milliseconds(100))
        let now = try items()
        isInTheMiddle = now.contains { $0.durableAt != nil } && now.contains { $0.durableAt == nil && $0.fetched > 0 }
      }
      #expect(isInTheMiddle)
      let (before, secured) = (try items(), insole.securedLinks)
      let bonds = hub.store.bonds
      try await hub.destroy(restoring: try await hub.backup(samples: samples))
      try await loop.sleep(for: .seconds(600))
      let fetchedBefore = insole.fetchSpans.count
      try await hub.start()
      if samples {
        let restored = try items()
        #expect(restored == before)
      } else {
        let restored = try items()
        #expect(restored.map(\.id) == before.map(\.id))
        #expect(restored.allSatisfy { $0.durableAt == nil && $0.receipts.isEmpty })
      }
      #expect(hub.store.bonds == bonds && hub.store.wearables.map(\.name) == ["insole-1"])
      try await loop.sleep(for: .seconds(3600))
      let after = try items()
      #expect(after.count == 4 && after.allSatisfy { $0.durableAt != nil && $0.erasedAt == nil }, "\(after)")
      #expect(insole.fetchSpans.count > fetchedBefore && insole.securedLinks >= secured)
      #expect(hub.store.bonds == bonds, "nobody was paired anew")
      // Bytes over the air since: what was not here, and what was on its way when the hub died.
      let size = after.reduce(0) { $0 + ($1.size ?? 0) }
      let had = (samples ? before : before.filter { $0.receipts.isEmpty }).reduce(0) { $0 + $1.fetched }
      let spare = try hub.store.recentVisits(100).filter { $0.began > loop.wall + .seconds(-3700) }
      let fetched = spare.reduce(0) { $0 + Int($1.bytesFetched) }
      #expect(fetched <= size - had + 65_536, "\(fetched) bytes of \(size), \(had) were here")
      await hub.stop()
      let all = try await hub.storedSamples()
      let check = StoreCheck(all.filter { $0.way == .fetched }, hub)
      #expect(!all.isEmpty && check.violations.isEmpty, "\(check.violations)")
    }
  }
}
