import Bluetooth
import EventLoop
import Testing

@testable import CivilTime
@testable import Health
@testable import Hub

/// A wearable's end of a link: it keeps what the hub sends.
@LoopActor
private final class TimeAsker: Bearer {
  let address = Parts.address(1)
  var onReceive: (@LoopActor (RawBytes) -> Void)?
  var onClosed: (@LoopActor (LinkError) -> Void)?
  var onWritable: (@LoopActor () -> Void)?
  var sent: [[UInt8]] = []

  func send(_ pdu: [UInt8]) -> Bool {
    sent.append(pdu)
    return true
  }

  func close(immediately: Bool) {}

  /// - Returns: the answer.
  func ask(_ pdu: [UInt8]) -> [UInt8]? {
    sent = []
    pdu.withUnsafeBytes { onReceive?($0) }
    return sent.last
  }
}

@Suite("The hub's own Current Time")
struct TimeServiceTests {
  /// 2026-10-25T01:00:00Z, when clocks go back from two hours ahead to one.
  private static let change: Int64 = 1_792_890_000
  private static let there = TimeZoneRules(
    name: "there", changes: [change - 200 * 86_400, change], offsets: [7200, 3600], firstOffset: 3600, rule: nil)

  private func time(_ seconds: Int64, _ microseconds: Int64 = 0) -> WallTime {
    WallTime(microseconds: seconds * 1_000_000 + microseconds)
  }

  @Test("is what clocks show in the hub's zone, with weekday and fraction")
  func bytes() {
    let noon = time(Self.change + 39_600, 500_000)
    #expect(TimeService.current(noon, .utc) == [0xEA, 7, 10, 25, 12, 0, 0, 7, 128, 0])
    #expect(TimeService.current(noon, Self.there) == [0xEA, 7, 10, 25, 13, 0, 0, 7, 128, 0])
    let before = time(Self.change - 1)
    #expect(TimeService.current(before, Self.there, .daylight) == [0xEA, 7, 10, 25, 2, 59, 59, 7, 0, 8])
    #expect(TimeService.current(time(0, -1), .utc) == [0xB1, 7, 12, 31, 23, 59, 59, 3, 255, 0])
    for extreme in [Int64.min, .max] {
      #expect(TimeService.current(WallTime(microseconds: extreme), Self.there).count == 10)
    }
  }

  @Test("gives zone and daylight saving in quarters of an hour, and unknown if there is no number for it")
  func zones() {
    #expect(TimeService.local(time(Self.change - 1), Self.there) == [4, 4])
    #expect(TimeService.local(time(Self.change), Self.there) == [4, 0])
    func fixed(_ offset: Int64) -> [UInt8] {
      let zone = TimeZoneRules(name: "x", changes: [], offsets: [], firstOffset: offset, rule: nil)
      return TimeService.local(time(Self.change), zone)
    }
    #expect(fixed(-18_000) == [0xEC, 0] && fixed(20_700) == [23, 0])
    #expect(fixed(1172) == [0x80, 0xFF] && fixed(57_600) == [0x80, 0xFF])
  }

  @Test("is read as the time at the moment of the request, and sent to subscribers when the clock is set or moves")
  func served() throws {
    try withParts {
      $0.timeZone = Self.there
    } _: { parts in
      let asker = TimeAsker()
      let client = GATTClient(asker, loop: parts.loop, server: TimeService.server)
      let teller = TimeTeller(parts.context)
      teller.serve(client)
      let ask: [UInt8] = [0x0A, 3, 0]
      #expect(asker.ask(ask) == [0x0B] + TimeService.current(parts.loop.wall, Self.there))
      try await parts.loop.sleep(for: .milliseconds(61_500))
      #expect(asker.ask(ask) == [0x0B] + TimeService.current(parts.loop.wall, Self.there))
      #expect(asker.ask([0x12, 4, 0, 1, 0]) == [0x13])
      asker.sent = []
      try await parts.loop.sleep(for: .seconds(3600))
      #expect(asker.sent.isEmpty)
      parts.loop.stepWall(by: .seconds(-120))
      try await parts.loop.sleep(for: .seconds(20))
      #expect(asker.sent.count == 1 && asker.sent.first?.prefix(3) == [0x1B, 3, 0] && asker.sent.first?.last == 2)
      client.close(immediately: true)
      try await parts.loop.sleep(for: .seconds(20))
    }
  }

  @Test("is refused while the hub's clock cannot be right, and sent as soon as it is")
  func implausible() throws {
    try withParts { parts in
      let asker = TimeAsker()
      let client = GATTClient(asker, loop: parts.loop, server: TimeService.server)
      let (teller, loop) = (TimeTeller(parts.context), parts.loop)
      let years: Duration = .seconds(20 * 365 * 86_400)
      loop.wallIsTrusted = false
      loop.stepWall(by: .zero - years)
      teller.serve(client)
      for handle: UInt8 in [3, 6] { #expect(asker.ask([0x0A, handle, 0]) == [0x01, 0x0A, handle, 0, 0x0E]) }
      #expect(asker.ask([0x12, 4, 0, 1, 0]) == [0x13])
      asker.sent = []
      try await loop.sleep(for: .seconds(60))
      #expect(asker.sent.isEmpty)
      loop.stepWall(by: years)
      loop.wallIsTrusted = true
      try await loop.sleep(for: .seconds(20))
      #expect(asker.sent.count == 1 && asker.sent.first?.last == 2)
      #expect(asker.ask([0x0A, 3, 0])?.first == 0x0B)
      client.close(immediately: true)
      try await loop.sleep(for: .seconds(20))
    }
  }
}
