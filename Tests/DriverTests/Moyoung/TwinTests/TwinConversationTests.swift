import EventLoop
import Health
import Testing

@testable import BandTwin

@Suite("A virtual Moyoung band answers")
struct TwinConversationTests {
  @Test("for its version, goal, units, time system and interval, in its own framing")
  func settings() throws {
    try VirtualLoop.run { loop in
      let bench = try await TwinBench(loop)
      try await bench.connect()
      #expect(try await bench.ask("FEEA10052E") == ["FEEA10062E01"])
      // Set big-endian, told little-endian.
      #expect(try await bench.ask("FEEA10091600002710") == [])
      #expect(try await bench.ask("FEEA100526") == ["FEEA10092610270000"])
      #expect(try await bench.ask("FEEA10061F02") == [])
      #expect(try await bench.ask("FEEA10052F") == ["FEEA10062F02"])
      #expect(try await bench.ask("FEEA10061701") == [])
      #expect(try await bench.ask("FEEA100527") == ["FEEA10062701"])
      #expect(try await bench.ask("FEEA10052A") == ["FEEA10062A00"])
      #expect(try await bench.ask("FEEA100912B2462200") == [])
      #expect(bench.band.settings.user == [0xB2, 0x46, 0x22, 0x00])
      #expect(bench.band.ledger.faults == [])
    }
  }

  @Test("in the other framing as MOYOUNG-V2, and not at all in the wrong one")
  func framing() throws {
    try VirtualLoop.run { loop in
      let bench = try await TwinBench(loop, .number(1))
      try await bench.connect()
      #expect(await bench.read(MoyoungUUID.manufacturer) == Array("MOYOUNG-V2".utf8))
      #expect(try await bench.ask("FEEA20052E") == ["FEEA20062E01"])
      #expect(try await bench.ask("FEEA10052E") == [])
      #expect(bench.band.ledger.faults == [.malformed])
    }
  }

  @Test("with silence to extended queries, unknown commands, and the first frame if it is such a one")
  func silence() throws {
    try VirtualLoop.run { loop in
      var traits = BandTraits()
      traits.ignoresFirstFrame = true
      let bench = try await TwinBench(loop, traits: traits)
      try await bench.connect()
      #expect(try await bench.ask("FEEA10052E") == [])
      #expect(try await bench.ask("FEEA10052E") == ["FEEA10062E01"])
      #expect(try await bench.ask("FEEA1006B911") == [])
      #expect(try await bench.ask("FEEA1005C8") == [])
    }
  }

  @Test("with one rate after a measurement that was ordered, without one after a stop, and 0 if it is not worn")
  func measurement() throws {
    try VirtualLoop.run { loop in
      let bench = try await TwinBench(loop)
      try await bench.connect()
      let answer = try await bench.ask("FEEA10066D00", for: .seconds(40))
      let rate = try #require(bench.band.ledger.live.first)
      #expect(rate.series == .heartRate)
      #expect(answer == ["FEEA10066D" + TwinVectors.hex([UInt8(rate.values[0])])])
      #expect(try await bench.ask("FEEA10066B00", for: .seconds(3)) == [])
      #expect(try await bench.ask("FEEA10066BFF", for: .seconds(60)) == [])
      var habits = BandHabits()
      habits.isWorn = false
      let drawer = try await TwinBench(loop, habits: habits)
      try await drawer.connect()
      #expect(try await drawer.ask("FEEA10066D00", for: .seconds(40)) == ["FEEA10066D00"])
      #expect(drawer.band.ledger.live.isEmpty)
    }
  }

  @Test("continuously until it is stopped")
  func continuous() throws {
    try VirtualLoop.run { loop in
      let bench = try await TwinBench(loop)
      try await bench.connect()
      #expect(try await bench.ask("FEEA10066800", for: .seconds(21)).count == 10)
      #expect(try await bench.ask("FEEA100668FF", for: .seconds(20)).count <= 1)
      #expect(bench.band.ledger.live.count >= 10)
    }
  }

  @Test("an order of the pressure with numbers that were never measured, and notes which central asked")
  func pressure() throws {
    try VirtualLoop.run { loop in
      let bench = try await TwinBench(loop)
      try await bench.connect()
      let answer = try await bench.ask("FEEA100869000000", for: .seconds(40))
      #expect(answer.count == 1 && answer[0].hasPrefix("FEEA10086900"))
      #expect(bench.band.ledger.live.isEmpty)
      #expect(bench.band.ledger.faults == [.dangerous(105)])
    }
  }

  @Test("never again after a write to its firmware", arguments: [false, true])
  func firmware(_ isData: Bool) throws {
    try VirtualLoop.run { loop in
      let bench = try await TwinBench(loop)
      try await bench.connect()
      try await bench.write([1, 2, 3], to: isData ? MoyoungUUID.firmwareData : MoyoungUUID.firmware)
      try await loop.sleep(for: .seconds(5))
      #expect(bench.isClosed && bench.band.isBroken)
      #expect(bench.band.ledger.faults == [.dangerous(isData ? 0xFEE6 : 0xFEE5)])
      await #expect(throws: (any Error).self) { try await bench.connect() }
    }
  }

  @Test("late, after the hub has given up, and notes no fault")
  func late() throws {
    try VirtualLoop.run { loop in
      var make = MoyoungMake()
      make.lateReplies = 1
      let bench = try await TwinBench(loop, make)
      try await bench.connect()
      #expect(try await bench.ask("FEEA10052E", for: .seconds(5)) == [])
      #expect(try await bench.ask("FEEA10052F", for: .seconds(15)) == ["FEEA10062E01", "FEEA10062F01"])
      #expect(bench.band.ledger.faults == [])
    }
  }

  @Test("a second question before the first was answered, and notes the fault")
  func twice() throws {
    try VirtualLoop.run { loop in
      var make = MoyoungMake()
      make.replyDelay = .seconds(1)...(.seconds(1))
      let bench = try await TwinBench(loop, make)
      try await bench.connect()
      try await bench.write(TwinVectors.bytes("FEEA10052E"))
      #expect(try await bench.ask("FEEA10052F").count == 2)
      #expect(bench.band.ledger.faults == [.askedDuringSync])
    }
  }

  @Test("a question that it answered shortly before, and another at once, and notes a fault only of the second one")
  func repeated() throws {
    try VirtualLoop.run { loop in
      var make = MoyoungMake()
      make.replyDelay = .seconds(1)...(.seconds(1))
      let bench = try await TwinBench(loop, make)
      try await bench.connect()
      // The answer to the first one may have arrived meanwhile.
      #expect(try await bench.ask("FEEA10063504", for: .seconds(5)).isEmpty == false)
      try await bench.write(TwinVectors.bytes("FEEA10063504"))
      try await bench.write(TwinVectors.bytes("FEEA10063505"))
      #expect(bench.band.ledger.faults == [])
      // The answer to that got lost.
      _ = try await bench.ask("FEEA10063506", for: .seconds(5))
      #expect(bench.band.ledger.faults == [.askedDuringSync])
    }
  }

  @Test("with other frames before its own, or between the pieces of its own")
  func unasked() throws {
    try VirtualLoop.run { loop in
      var make = MoyoungMake()
      make.unaskedFrames = 1
      let bench = try await TwinBench(loop, make)
      try await bench.connect()
      #expect(try await bench.ask("FEEA10052E") == ["FEEA10066700", "FEEA10062E01"])
      make.unaskedBetweenPieces = true
      let other = try await TwinBench(loop, make)
      try await other.connect()
      try await other.write(TwinVectors.bytes("FEEA10063500"))
      try await loop.sleep(for: .seconds(3))
      #expect(other.pieces.map(\.count) == [20, 6, 20, 6, 20, 6, 18])
    }
  }
}
