import Bluetooth
import EventLoop
import Health
import Testing
import Wearable

@testable import DriverTestSupport
@testable import GATTServices
@testable import StandardGATTFamily

@Suite("What stored records may take at most", .serialized)
struct RecordBoundTests {
  private static let driver = StandardDriver([.pulseOximeter, .battery, .currentTime])

  @LoopActor
  private func domain(_ oximeter: PocketOximeter) throws -> (RecordDomain, ScriptedLink) {
    let link = oximeter.link
    link.mtu = 517
    let session = try #require(Self.driver.makeSession(link))
    return (try #require(session.domains.first as? RecordDomain), link)
  }

  /// Records with bytes behind them, as an extension of the service might have.
  private static func records(_ count: Int, bytes: Int) -> [[UInt8]] {
    (0..<count).map { place in
      let time = (2026, 11, 24, place / 60, place % 60, 5)
      let record = PocketOximeter.record(time, pulse: 60 + UInt8(place % 20))
      return record + [UInt8](repeating: 0, count: max(0, bytes - record.count))
    }
  }

  @Test("is 256 KiB a reading: more is left on the wearable, which gets an abort")
  func total() throws {
    try onLoop { _ in
      let oximeter = PocketOximeter(Self.records(1000, bytes: 400))
      let (domain, link) = try domain(oximeter)
      let items = try await domain.list(known: [])
      let size = items.reduce(0) { $0 + ($1.size ?? 0) }
      #expect(size > RecordReading.sizeLimit * 9 / 10 && size < RecordReading.sizeLimit * 102 / 100)
      #expect(oximeter.requests.contains([3, 0]))
      #expect(link.notes.contains { $0.contains("more records than are read at once") })
      // As many of the usual size are read whole.
      let usual = PocketOximeter(Self.records(1000, bytes: 0))
      let (other, _) = try self.domain(usual)
      #expect(try await other.list(known: []).count == 3 && !usual.requests.contains([3, 0]))
    }
  }

  @Test("is verified and decoded 8 KiB a turn, to the same values as at once")
  func pieces() throws {
    try onLoop { _ in
      let oximeter = PocketOximeter(Self.records(300, bytes: 400))
      let (domain, _) = try domain(oximeter)
      let item = try #require(try await domain.list(known: []).first)
      let sink = CollectingSink()
      try await domain.fetch(item, into: sink)
      try sink.bytes.withUnsafeBytes { bytes in
        let pieces = domain.pieces(of: item)
        var turns = 1
        while try pieces.verifyNext(bytes) == nil { turns += 1 }
        #expect(turns == bytes.count / RecordPieces.size + 1)
        let whole = CollectingItems()
        try domain.decode(item, bytes, into: whole)
        for _ in 0..<2 {
          let part = CollectingItems()
          pieces.rewind()
          while try pieces.decodeNext(bytes, into: part) {}
          #expect(part.items.map(\.time) == whole.items.map(\.time) && part.items.count == 600)
        }
      }
    }
  }

  @Test("of a record in each quarter of a day for years is listed with a turn for all others between them")
  func slots() throws {
    try onLoop { _ in
      let oximeter = PocketOximeter(
        (0..<1000).map { place in
          let (month, hour) = (place / 112 % 12 + 1, place % 4 * 6)
          return PocketOximeter.record((2020 + place / 1344, month, place / 4 % 28 + 1, hour, 0, 0), pulse: 60)
        })
      let (domain, _) = try domain(oximeter)
      let others = Others()
      let items = try await domain.list(known: [])
      await others.end()
      #expect(items.count == 1000 && others.turns > 1000 / 16)
      // In the order of their times.
      #expect(items.map(\.id) == items.map(\.id).sorted())
    }
  }

  @Test("reaches, slot by slot, as far as no later slot has a number")
  func reaches() {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let slots = (0..<Int.random(in: 0...6, using: &generator)).map { name in
        RecordSlot(
          "\(name)",
          (0..<Int.random(in: 0...4, using: &generator)).map { _ in
            var place = RecordPlace(slot: "\(name)")
            place.number = Bool.random(using: &generator) ? UInt32.random(in: 0...20, using: &generator) : nil
            return ReadRecord(bytes: [], place: place, digest: 0, formerDigest: 0)
          })
      }.sorted()
      let expected = slots.indices.map { place -> UInt32? in
        let behind = slots[(place + 1)...].flatMap(\.records).compactMap(\.place.number).min()
        let upTo = slots[...place].flatMap(\.records).compactMap(\.place.number).max()
        return upTo.map { upTo in behind.map { min(upTo, $0 &- 1) } ?? upTo }
      }
      #expect(RecordSlot.reaches(slots) == expected)
    }
  }
}
