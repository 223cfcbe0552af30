import EventLoop
import Health
import Testing
import Wearable

@testable import DriverTestSupport
@testable import FitCloudFamily

@Suite("The history of a FitCloud band", .serialized)
struct FitCloudHistoryTests {
  @LoopActor
  private func visited(_ band: PocketBand) async throws -> FitCloudSession {
    let session = try #require(FitCloudSession(band.link))
    _ = try await session.check()
    return session
  }

  @LoopActor
  private func domain(_ id: String, _ session: FitCloudSession) throws -> any FetchDomain {
    try #require(session.domains.first { $0.id == id })
  }

  @LoopActor
  private func band(_ generation: FitCloudGeneration = .new) -> PocketBand {
    let band = PocketBand(generation)
    // More than a frame has.
    let values = (0..<288).map { UInt8(60 + $0 % 40) }
    band.histories[3] = PocketBand.record("2026-11-20T00:00:00", interval: 5, values)
    band.histories[131] = PocketBand.record("2026-11-20T09:00:00", interval: 1, [88])
    return band
  }

  @LoopActor
  private func decoded(_ item: HeldItem, _ domain: any FetchDomain) async throws -> (CollectingItems, ItemVerdict) {
    let sink = CollectingSink()
    try await domain.fetch(item, into: sink)
    let items = CollectingItems()
    let verdict = try sink.bytes.withUnsafeBytes { bytes in
      try domain.decode(item, bytes, into: items)
      return try domain.verify(item, bytes)
    }
    return (items, verdict)
  }

  @Test("comes whole, each frame acknowledged, without a verdict before it is durable")
  func whole() throws {
    try onLoop { _ in
      let band = band()
      let session = try await visited(band)
      let domain = try domain("heart-rate", session)
      let items = try await domain.list(known: [])
      let (values, verdict) = try await decoded(try #require(items.first), domain)
      #expect(values.items.count == 288 && values.items[0].values == [60] && verdict.isFinal && verdict.mayRepeat)
      #expect(
        items[0].begins == values.items[0].time
          && domain.span(of: items[0])?.upperBound == values.items[287].time + 300_000_000)
      // A band is not asked for data since a time, so no such time is stored.
      #expect((domain as any FetchDomain).readTo == nil)
      #expect(band.verdicts.isEmpty && band.histories[3] != nil && values.sure == values.items.map { _ in false })
      #expect(Set(band.acknowledged).count == band.acknowledged.count)
      let hand = try self.domain("heart-rate-manual", session)
      let manual = try #require(try await hand.list(known: []).first)
      #expect(try await decoded(manual, hand).0.manual == [true])
      let empty = try self.domain("spo2", session)
      #expect(try await empty.list(known: []).isEmpty)
    }
  }

  @Test("is under way from its first frame to its end, and no host may hang up meanwhile")
  func underWay() throws {
    try onLoop { _ in
      let band = band()
      let session = try await visited(band)
      let domain = try domain("heart-rate", session)
      var patiences: Set<Duration?> = []
      band.link.onProgress = { patiences.insert(session.transferring?.transferPatience) }
      _ = try await domain.list(known: [])
      #expect(patiences == [.seconds(15)] && session.transferPatience == nil)
      // A band that falls silent, as another one would.
      band.deaf = [3]
      _ = try? await domain.list(known: [])
      #expect(session.transferPatience == nil)
    }
  }

  @Test("is listed the same while it is the same, and its times are sure from the first setting of the clock on")
  func steady() throws {
    try onLoop { _ in
      let band = band()
      let first = try await visited(band)
      let before = try await domain("heart-rate", first).list(known: [])
      let again = self.band()
      again.link.memory = band.link.memory
      let second = try await visited(again)
      let domain = try domain("heart-rate", second)
      let after = try await domain.list(known: before.map { $0.known() })
      #expect(after == before)
      #expect(try await decoded(after[0], domain).0.sure.allSatisfy { !$0 })
      again.link.wait(.seconds(86_400))
      // Of the minute of the setting it may be by a clock that was ahead.
      again.histories[3] = PocketBand.record("2026-11-21T10:00:00", interval: 5, [70, 71])
      let near = try #require(try await domain.list(known: []).first)
      #expect(try await decoded(near, domain).0.sure == [false, true])
      again.histories[3] = PocketBand.record("2026-11-21T10:05:00", interval: 5, [70, 71])
      let later = try #require(try await domain.list(known: []).first)
      #expect(try await decoded(later, domain).0.sure == [true, true] && later.mark != before[0].mark)
    }
  }

  @Test("is removed with a receipt, by the verdict, and read back")
  func removed() throws {
    try onLoop { loop in
      let store = try ScratchStore(loop)
      let band = band()
      let session = try await visited(band)
      let domain = try domain("heart-rate", session)
      let items = try await domain.list(known: [])
      let removal = try #require(domain.removals(of: items).first)
      #expect(removal.covers == items)
      let receipt = try await store.receipt(items[0])
      let proof = try #require(RemovalProof(removal, of: store.wearable, receipts: [receipt]))
      #expect(try await domain.remove(proof) == .erased)
      #expect(band.verdicts == [0] && band.histories[3] == nil && band.histories[131] != nil)
      await store.close()
    }
  }

  @Test("is asked for again if another was transferred since, and left alone if it grew")
  func interleaved() throws {
    try onLoop { loop in
      let store = try ScratchStore(loop)
      let band = band()
      let session = try await visited(band)
      let domain = try domain("heart-rate", session)
      let items = try await domain.list(known: [])
      _ = try await self.domain("heart-rate-manual", session).list(known: [])
      let removal = try #require(domain.removals(of: items).first)
      let proof = try #require(
        RemovalProof(removal, of: store.wearable, receipts: [try await store.receipt(items[0])]))
      band.histories[3]? += PocketBand.record("2026-11-21T00:00:00", interval: 5, [70])
      guard case .notNow = try await domain.remove(proof) else { throw DoesNotFit(description: "it was removed") }
      #expect(band.verdicts.isEmpty)
      band.histories[3]?.removeLast(9)
      _ = try await self.domain("heart-rate-manual", session).list(known: [])
      #expect(try await domain.remove(proof) == .erased && band.verdicts == [0])
      await store.close()
    }
  }

  @Test("that is sent once more in spite of the verdict is reported as such")
  func ineffective() throws {
    try onLoop { loop in
      let store = try ScratchStore(loop)
      let band = band()
      band.ignoresVerdict = true
      let session = try await visited(band)
      let domain = try domain("heart-rate", session)
      let items = try await domain.list(known: [])
      let removal = try #require(domain.removals(of: items).first)
      let proof = try #require(
        RemovalProof(removal, of: store.wearable, receipts: [try await store.receipt(items[0])]))
      guard case .ineffective = try await domain.remove(proof) else { throw DoesNotFit(description: "it is gone") }
      await store.close()
    }
  }

  @Test("that does not end in five minutes, at whatever rate, is refused and not restarted, and comes whole later")
  func tooSlow() throws {
    try onLoop { _ in
      let band = band()
      band.histories[3] = PocketBand.record("2026-11-21T00:00:00", interval: 1, [UInt8](repeating: 60, count: 1200))
      let session = try await visited(band)
      let domain = try domain("heart-rate", session)
      band.link.onProgress = { band.link.wait(.seconds(60)) }
      do throws(VisitTrouble) {
        _ = try await domain.list(known: [])
        Issue.record("it is waited for")
      } catch {
        guard case .silent = error else { throw error }
      }
      #expect(band.verdicts == [1])
      band.link.onProgress = nil
      #expect(try await domain.list(known: []).count == 1)
    }
  }

  @Test("that is miscounted is refused and transferred again, three times in all")
  func miscounted() throws {
    try onLoop { _ in
      let band = band()
      band.miscounts = 2
      let session = try await visited(band)
      let domain = try domain("heart-rate", session)
      #expect(try await domain.list(known: []).count == 1 && band.verdicts == [1, 1])
      band.miscounts = 3
      do throws(VisitTrouble) {
        _ = try await domain.list(known: [])
        Issue.record("it is taken")
      } catch {
        guard case .framing = error else { throw error }
      }
      #expect(band.histories[3] != nil)
    }
  }

  @Test("that a band does not answer for ends the link if it says that it has it, and is passed over otherwise")
  func deaf() throws {
    try onLoop { _ in
      let band = band()
      band.deaf = [3]
      let session = try await visited(band)
      let domain = try domain("heart-rate", session)
      do throws(VisitTrouble) {
        _ = try await domain.list(known: [])
        Issue.record("it is taken for nothing")
      } catch {
        #expect(error == .silent(what: "its heart-rate"))
      }
      let vague = self.band()
      vague.deaf = [4]
      vague.mute = [FitCloudQuestion.information(.new).ask]
      let other = try await visited(vague)
      #expect(try await self.domain("spo2", other).list(known: []).isEmpty)
      #expect(try await self.domain("heart-rate", other).list(known: []).count == 1)
    }
  }

  @Test("of unpublished layouts is one record of its own bytes")
  func raw() throws {
    try onLoop { _ in
      let band = band()
      band.histories[18] = [1, 2, 3, 4, 5]
      let session = try await visited(band)
      let domain = try domain("stress", session)
      let item = try #require(try await domain.list(known: []).first)
      let (items, verdict) = try await decoded(item, domain)
      #expect(items.items.map(\.series) == [.raw] && items.items[0].values == [18])
      #expect(items.bytes[0].suffix(5) == [1, 2, 3, 4, 5] && !verdict.keepsBytes)
    }
  }

  @Test("is not asked for if the order names another kind")
  func unwanted() throws {
    try onLoop { _ in
      let band = band()
      band.link.wish.domains = ["sleep"]
      let session = try await visited(band)
      #expect(try await domain("heart-rate", session).list(known: []).isEmpty)
      #expect(!band.asked.contains { $0.id == .startSync })
    }
  }

  @Test("is fetched on from its last place, and from the start if it is another one")
  func resumed() throws {
    try onLoop { _ in
      let band = band()
      let session = try await visited(band)
      let domain = try domain("heart-rate", session)
      let item = try #require(try await domain.list(known: []).first)
      let whole = CollectingSink()
      try await domain.fetch(item, into: whole)
      let half = CollectingSink(Array(whole.bytes.prefix(100)))
      try await domain.fetch(item, into: half)
      #expect(half.bytes == whole.bytes && half.starts.isEmpty)
      let other = CollectingSink([1, 2, 3])
      try await domain.fetch(HeldItem(id: item.id, mark: "other"), into: other)
      #expect(other.bytes == whole.bytes && other.starts.count == 1)
    }
  }
}
