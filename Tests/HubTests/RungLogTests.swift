import Bluetooth
import EventLoop
import Reasons
import RingStore
import Testing

@testable import Hub

@Suite("What was done to the radio")
struct RungLogTests {
  private static let scan = RadioRung("scan restart", endsLinks: false)
  private static let power = RadioRung("power off and on", endsLinks: true)
  private static let reset = RadioRung("HCI reset", endsLinks: true)

  @Test("the first of each kind is reported at once, and what follows within the hour in one piece")
  func bounded() {
    var log = RungLog()
    let start = Instant(nanoseconds: 0)
    #expect(log.note(Self.scan, start) == nil)
    #expect(log.note(Self.power, start + .seconds(5)) == "power off and on, after its scan was restarted")
    #expect(log.note(Self.reset, start + .seconds(10)) == "HCI reset")
    #expect(log.note(Self.power, start + .seconds(20)) == nil && log.note(Self.reset, start + .seconds(30)) == nil)
    #expect(log.note(Self.power, start + .seconds(40)) == nil)
    let counted = log.hourly(start + .seconds(3600))
    #expect(
      counted
        == RungLog.Counted(
          rungs: [("power off and on", 2), ("HCI reset", 1)], from: start + .seconds(20), to: start + .seconds(40)))
    #expect(log.hourly(start + .seconds(3600)) == nil)
    #expect(log.note(Self.reset, start + .seconds(3650)) == "HCI reset", "an hour after the last of its kind")
  }

  @Test("a scan that is restarted in a room that falls quiet is not reported")
  func quietRoom() {
    var log = RungLog()
    for minute in 0..<600 { #expect(log.note(Self.scan, Instant(nanoseconds: 60_000_000_000 * Int64(minute))) == nil) }
    #expect(log.hourly(Instant(nanoseconds: 60_000_000_000 * 600)) == nil)
  }

  @Test("what the run before reported within the hour counts on")
  func remembers() {
    var log = RungLog()
    let start = Instant(nanoseconds: 0)
    log.remember(at: start)
    #expect(log.note(Self.power, start + .seconds(60)) == nil && log.hourly(start + .seconds(60)) != nil)
    #expect(log.note(Self.reset, start + .seconds(3700)) == "HCI reset")
  }

  @Test("another program that takes the adapter is an event when the hub has it again, and counted when it goes on")
  func takenOver() throws {
    try inHouse { house, _ in
      house.start()
      try await house.pass(.seconds(700))
      @LoopActor func told() throws -> [StoreEvent] {
        try house.store.recentEvents(10_000).reversed().filter { $0.reason == Reason.radioTakenOver.rawValue }
      }
      let since = house.loop.now
      try await house.pass(.seconds(3))
      house.hearth.radioTakenOver(since: since, by: "bluetoothd (process 417)")
      let first = try #require(try told().first)
      #expect(
        first.text.hasPrefix("bluetoothd (process 417) took test; the hub has it again after 3 s"), "\(first.text)")
      let (from, to) = (try #require(first.span.from), try #require(first.span.to))
      #expect(to - from == .seconds(3))
      for _ in 0..<30 {
        house.hearth.radioTakenOver(since: house.loop.now, by: "bluetoothd (process 418)")
        try await house.pass(.seconds(10))
      }
      try await house.pass(.seconds(7200))
      #expect(try told().count == 2)
      #expect(try told().last?.span.count == 30)
    }
  }

  @Test(
    "rungs are durable events, also the one with which hearthd ends; a radio that is dead for a day leaves one an hour")
  func events() throws {
    try inHouse { house, _ in
      house.start()
      try await house.pass(.seconds(700))
      let began = house.loop.wall
      let names = ["power off and on", "HCI reset", "down and up", "USB reset"]
      house.radio.onRung?(Self.scan)
      for hour in 0..<24 {
        for round in 0..<3 {
          for name in names { house.radio.onRung?(RadioRung(name, endsLinks: true)) }
          try await house.pass(.seconds(hour == 0 && round == 0 ? 1 : 1199))
        }
      }
      @LoopActor func told() throws -> [StoreEvent] {
        try house.store.recentEvents(10_000).reversed().filter { $0.reason == Reason.radioTried.rawValue }
      }
      let all = try told()
      #expect(
        all.prefix(4).map(\.text) == [
          "test: power off and on, after its scan was restarted", "test: HCI reset", "test: down and up",
          "test: USB reset",
        ])
      #expect(all.prefix(4).allSatisfy { $0.wearable == nil && $0.time == began && $0.span == EventSpan() })
      let counts = all.dropFirst(4)
      #expect((22...24).contains(counts.count), "\(counts.count)")
      #expect(counts.first?.text == "test: " + names.map { "3 times \($0)" }.joined(separator: ", "))
      #expect(counts.allSatisfy { $0.span.from != nil && $0.span.to != nil && ($0.span.count ?? 0) >= 8 })
      house.radio.onRung?(RadioRung("restart of hearthd", endsLinks: true))
      try await house.stopAndRestart()
      #expect(try house.store.recentEvents(100).contains { $0.text == "test: restart of hearthd" })
    }
  }
}
