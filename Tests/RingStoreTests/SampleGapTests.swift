import EventLoop
import Foundation
import Health
import Testing

@testable import RingStore

/// What an export says of rows that it should have and has not.
@Suite(.serialized) struct SampleGapTests {
  private typealias Taken = (samples: [StoredSample], gaps: [SampleGap])

  @LoopActor private func take(_ session: ExportSession, confirms: Bool = true) async throws -> Taken {
    var taken: Taken = ([], [])
    while let page = try await session.next(limit: 100) {
      taken.samples += page.samples
      taken.gaps += page.gaps
    }
    if confirms { try await session.confirm() }
    return taken
  }

  @LoopActor private func fill(_ store: Store, _ count: Int) async throws {
    for index in 0..<count {
      store.append(one, .rrInterval, 600 + noise(index) % 400, at: store.disk.loop.now)
      try await store.disk.loop.sleep(for: .milliseconds(5))
    }
    try await store.flush()
    try await store.pack(whole: true)
  }

  @Test("a reader learns once which rows went before it had them, and with the others has all ordinals of the ring")
  func gone() throws {
    try inStore { loop, store, _ in
      try await fill(store, 100)
      #expect(try await take(store.export(SampleQuery(), reader: "archive")).gaps == [])
      try await fill(store, 3000)
      let plan = try await store.purgePlan(SampleQuery(wearables: [one], until: loop.wall))
      #expect(try await store.purge(plan) > 100)
      try await fill(store, 50)

      let found = try await take(store.export(SampleQuery(), reader: "archive"))
      let gap = try #require(found.gaps.first)
      let place = try #require(gap.place)
      #expect(found.gaps.count == 1 && gap.cause == .gone)
      #expect(place.wearable == one && place.series == .rrInterval && place.way == .live)
      #expect(place.ordinals.lowerBound == 100)
      #expect(found.samples.map(\.ordinal) == Array((place.ordinals.upperBound + 1)..<3150))
      #expect(try await take(store.export(SampleQuery(), reader: "archive")).gaps == [], "it is told once")
      #expect(try await take(store.export(SampleQuery())).gaps == [], "nobody was promised them")
    }
  }

  @Test("what a damaged chunk had is a gap of these ordinals, to a reader of a cursor and to any other")
  func damaged() throws {
    let scratch = Scratch()
    try inStore(at: scratch) { _, store, _ in
      for _ in 0..<3 { try await fill(store, 2000) }
    }
    try scratch.flip(\.chunks, at: 1, offset: 60)
    try inStore(at: scratch) { _, store, _ in
      for reader in [nil, "archive"] {
        let found = try await take(store.export(SampleQuery(), reader: reader), confirms: false)
        #expect(found.gaps.count == 1 && found.gaps.first?.cause == .damaged)
        let place = try #require(found.gaps.first?.place)
        #expect(Set(found.samples.map(\.ordinal)) == Set(0..<6000).subtracting(place.ordinals))
      }
    }
    let pages = try StoreReader(path: scratch.store).export(SampleQuery())
    var gaps: [SampleGap] = []
    while let page = try pages.next() { gaps += page.gaps }
    #expect(gaps.count == 1 && gaps.first?.cause == .damaged)
  }
}
