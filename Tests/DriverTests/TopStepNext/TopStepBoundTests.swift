import EventLoop
import Foundation
import Health
import Testing
import TopStepMessages
import Wearable

@testable import DriverTestSupport
@testable import TopStepNextFamily

@Suite("What a band of the new platform may hand over at most", .serialized)
struct TopStepBoundTests {
  /// Days of as many bytes as one frame has room for, the newest first.
  @LoopActor private static func days(_ count: Int, _ band: PocketBand) throws -> [[UInt8]] {
    try (0..<count).map { place in
      var day = TopStepHeartRateDay()
      day.start = band.midnight - Int64(place) * 86_400
      day.end = day.start + 86_399
      day.automatic = Data([60, 61])
      // Filled with unknown fields, up to the limit.
      let known = try day.wire().count
      let rest = TopStepFrame.payloadLimit - known - 4
      return try day.wire() + [0xFA, 0x06, UInt8(rest & 0x7F | 0x80), UInt8(rest >> 7)]
        + [UInt8](repeating: 0, count: rest)
    }
  }

  @LoopActor private static func domain(_ band: PocketBand) async throws -> TopStepDomain {
    band.link.mtu = 517
    band.piece = 500
    let session = TopStepSession(band.link)
    _ = try await session.check()
    return try #require(session.domains.compactMap { $0 as? TopStepDomain }.first { $0.kind == .heartRate })
  }

  @Test("is thirty days of the longest messages, and what exceeds that is refused as one kind of data")
  func total() throws {
    try onLoop { _ in
      let band = PocketBand()
      band.days[1] = try Self.days(30, band)
      #expect(band.days[1]?.allSatisfy { $0.count == TopStepFrame.payloadLimit } ?? false)
      #expect(try await Self.domain(band).list(known: []).count >= 30)
      let other = PocketBand()
      other.days[1] = try Self.days(33, other)
      let domain = try await Self.domain(other)
      let trouble = await trouble { () throws(VisitTrouble) in _ = try await domain.list(known: []) }
      guard case .unsupported(let why)? = trouble else { return #expect(Bool(false), "\(String(describing: trouble))") }
      #expect(why == "more than \(TopStepSync.sizeLimit) bytes of heart-rate")
    }
  }

  @Test("is listed with a turn for all others at each message, when it comes and when it is marked")
  func turns() throws {
    try onLoop { _ in
      let band = PocketBand()
      band.days[1] = try Self.days(20, band)
      let domain = try await Self.domain(band)
      let others = Others()
      let items = try await domain.list(known: [])
      await others.end()
      #expect(items.count >= 20 && others.turns >= 20)
    }
  }

  @Test("is verified and decoded a message a turn, to the same values as at once")
  func pieces() throws {
    try onLoop { _ in
      let band = PocketBand()
      var day = DayItem(.heartRate)
      day.messages = try Self.days(12, band)
      let bytes = day.bytes
      try bytes.withUnsafeBytes { bytes in
        let pieces = DayPieces(.heartRate, mark: "m")
        var turns = 1
        while try pieces.verifyNext(bytes) == nil { turns += 1 }
        #expect(turns == 12)
        for _ in 0..<2 {
          let sink = DaySink()
          turns = 1
          pieces.rewind()
          while try pieces.decodeNext(bytes, into: sink) { turns += 1 }
          let whole = try DaySink.reading(day).values
          #expect(turns == 12 && sink.values == whole && whole.count == 24)
        }
      }
      let empty = DayItem(.heartRate).bytes
      let verdict = try empty.withUnsafeBytes { try DayPieces(.heartRate, mark: "m").verifyAll($0) }
      #expect(verdict.summary == "0 values so far")
      #expect(throws: ItemDefect.self) {
        try bytes.withUnsafeBytes { try DayPieces(.sleep, mark: "m").verifyAll($0) }
      }
    }
  }
}
