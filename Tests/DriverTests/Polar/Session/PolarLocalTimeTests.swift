import Bluetooth
import EventLoop
import PolarMessages
import StateCodec
import Testing
import Wearable

@testable import CivilTime
@testable import DriverTestSupport
@testable import Health
@testable import PolarFamily

@Suite("The local time of a Polar wearable")
struct PolarLocalTimeTests {
  private static let berlin = TimeZoneRules(
    name: "Europe/Berlin", changes: [], offsets: [], firstOffset: 3600,
    rule: YearlyRule(Array("CET-1CEST,M3.5.0,M10.5.0/3".utf8)))

  @LoopActor
  private static func band(_ wall: Int64? = nil, ahead: Int64 = 0, offset: Int) throws -> PocketTransfer {
    let pocket = PocketTransfer.band()
    pocket.link.zone = berlin
    if let wall { pocket.link.wall = wall * 1_000_000 }
    let time = WallTime(microseconds: pocket.link.hubTime.wall.microseconds + ahead * 1_000_000)
    pocket.results[4] = try PSFTP.localTime(time, offset: offset).wire()
    return pocket
  }

  @LoopActor
  private static func told(_ pocket: PocketTransfer) throws -> PbPFtpSetLocalTimeParams? {
    try pocket.parameters[3].map { try PbPFtpSetLocalTimeParams(wire: $0) }
  }

  // 2026-11-21 and 2026-07-01, 10:00 UTC.
  @Test(
    "is that of the hub's zone, summer time included, whatever zone it said before",
    arguments: [(1_795_255_200, 60), (1_782_900_000, 120)] as [(Int64, Int)], [0, 120, 60, -300])
  func zones(_ now: (wall: Int64, offset: Int), _ shown: Int) throws {
    try onLoop { _ async throws in
      let pocket = try Self.band(now.wall, offset: shown)
      let session = PolarSession(pocket.link)
      let report = try await session.check()
      let told = try Self.told(pocket)
      #expect(report.clock?.evidence.offset == shown && report.clock?.wasSet == (shown != now.offset))
      let (offset, hour): (Int?, Int?) = shown == now.offset ? (nil, nil) : (now.offset, 10 + now.offset / 60)
      #expect(told.map { Int($0.tzOffset) } == offset)
      #expect(told.map { Int($0.time.hour) } == hour)
      #expect(report.clock?.afterwards?.offset == offset)
    }
  }

  @Test("is set after the wearable said that it is free for a sync, and before the sync begins")
  func order() throws {
    try onLoop { _ async throws in
      let pocket = try Self.band(offset: 0)
      let session = PolarSession(pocket.link)
      _ = try await session.check()
      let written = pocket.link.written.map { ($0.characteristic, $0.value) }
      func place(_ characteristic: BluetoothUUID, _ head: [UInt8]) -> Int? {
        written.firstIndex {
          $0.0 == characteristic && $0.1.dropFirst(characteristic == PSFTP.transfer ? 1 : 0).starts(with: head)
        }
      }
      let (asked, opened) = (
        try #require(place(PSFTP.transfer, [13, 0x80])), try #require(place(PSFTP.toDevice, [0x02, 8]))
      )
      let (set, begun) = (
        try #require(place(PSFTP.transfer, [3, 0x80])), try #require(place(PSFTP.toDevice, [0x02, 0]))
      )
      #expect(asked < opened && opened < set && set < begun)
      try await session.finish()
      #expect(pocket.said.map { $0[1] } == [8, 0, 1, 9])
    }
  }

  @Test("is not set while a training runs, and a wearable that refuses it is visited all the same")
  func refused() throws {
    try onLoop { _ async throws in
      let training = try Self.band(offset: 0)
      training.codes[13] = 202
      _ = try await PolarSession(training.link).check()
      #expect(try Self.told(training) == nil)
      let closed = try Self.band(offset: 0)
      closed.codes[3] = 106
      let report = try await PolarSession(closed.link).check()
      #expect(
        report.mayNotFetch == nil && report.clock?.wasSet == false
          && closed.link.notes.contains { $0.contains("cannot be set") })
    }
  }

  // The clock shows 00:30 of the day after the one in Berlin.
  @Test(
    """
    is not put back into a day that is over for it, but for a day's waiting; what is wrong by days is put right at \
    once
    """
  )
  func midnight() throws {
    try onLoop { _ async throws in
      let wall: Int64 = 1_795_300_200  // 22:30 UTC, 23:30 in Berlin
      let pocket = try Self.band(wall, offset: 120)
      pocket.link.memory = RememberedStates()
      _ = try await PolarSession(pocket.link).check()
      #expect(try Self.told(pocket) == nil && pocket.link.notes.contains { $0.contains("a day again") })
      pocket.link.wall += 7200 * 1_000_000
      pocket.results[4] = try PSFTP.localTime(pocket.link.hubTime.wall, offset: 120).wire()
      _ = try await PolarSession(pocket.link).check()
      #expect(try Self.told(pocket)?.tzOffset == 60 && pocket.link.memory[PolarClockWaits.self] == nil)
      let waited = try Self.band(wall, offset: 120)
      try waited.link.remember(PolarClockWaits(seconds: wall - 86_401))
      _ = try await PolarSession(waited.link).check()
      let wrong = try Self.band(wall, ahead: 40 * 86_400, offset: 60)
      _ = try await PolarSession(wrong.link).check()
      #expect(try Self.told(waited)?.tzOffset == 60)
      #expect(try Self.told(wrong)?.tzOffset == 60)
    }
  }
}
