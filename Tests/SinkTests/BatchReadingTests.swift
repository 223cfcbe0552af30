// A batch's columns become rows, exactly.

import Testing

@testable import UplinkMessages

@Suite("Reading a batch")
struct BatchReadingTests {
  func run(_ change: (inout TestRun) -> Void) throws -> RowRun {
    var run = TestRun()
    change(&run)
    let batch = try RowBatch(reading: TestBatch(runs: [run.bytes]).bytes)
    return try #require(batch.runs.first)
  }

  @Test("heads, times, ordinals and numbers come out", arguments: [false, true])
  func plain(isDeflated: Bool) throws {
    let batch = try RowBatch(reading: TestBatch(isDeflated: isDeflated).bytes)
    #expect(batch.store == 0x0123_4567_89AB_CDEF)
    #expect(batch.hub == "gym-a")
    #expect(batch.sentMs == 1_764_000_001_000)
    let run = try #require(batch.runs.first)
    #expect(run.enrolment == 4)
    #expect(run.device == "strap-04")
    #expect(run.ordinals == [10, 11, 12])
    #expect(run.times.map { $0 - 1_764_000_000_000_000 } == [0, 1_000_000, 2_000_000])
    #expect(run.numbers == [60, 61, 59])
    #expect(run.wearer == "ada")
    #expect(run.traits.origin == "live")
    #expect(batch.rows == 3)
  }

  @Test("times are differences of differences, in steps")
  func times() throws {
    let run = try run {
      ($0.rows, $0.timeUs, $0.timeStep, $0.times) = (4, 5, 10, [7, -4, 0])
      $0.numbers = [1, 0, 0, 0]
    }
    #expect(run.times == [5, 75, 105, 135])
  }

  @Test("gaps lie between ordinals")
  func gaps() throws {
    let run = try run { ($0.gaps, $0.skipped) = ([0, 4], 10) }
    #expect(run.ordinals == [10, 11, 16])
    #expect(run.skipped == 10)
  }

  @Test("rows of different widths are each less the row before, place by place")
  func widths() throws {
    let run = try run {
      ($0.width, $0.widths) = (0, [2, 0, 3])
      $0.numbers = [100, 200, 5, 6, 7]
    }
    #expect(run.numbers == [100, 200, 5, 6, 7])
    #expect((0..<3).map { run.numbers(of: $0).count } == [2, 0, 3])
    let other = try self.run {
      ($0.width, $0.widths) = (0, [1, 2, 1])
      $0.numbers = [100, 1, 7, -1]
    }
    #expect(other.numbers == [100, 101, 7, 100])
  }

  @Test("a value is its number times multiple over a power of ten, and no digit is lost")
  func decimals() throws {
    // 1/1024 s in milliseconds: 0.9765625 each.
    let run = try run {
      ($0.exponent, $0.multiple, $0.numbers) = (7, 9_765_625, [1024, -1, -1023])
    }
    #expect(run.numbers.map { run.decimal($0) } == ["1000", "999.0234375", "0"])
    let decimals: [(Int64, Int, String)] = [
      (-5, 1, "-0.5"), (1, 30, "0.000000000000000000000000000001"), (.min, 0, "-9223372036854775808"),
      (.max, 19, "0.9223372036854775807"), (.max, 18, "9.223372036854775807"), (1200, 2, "12"), (1200, 5, "0.012"),
      (0, 7, "0"), (10, 0, "10"),
    ]
    for (number, exponent, text) in decimals {
      var bytes: [UInt8] = []
      appendDecimal(number, exponent, to: &bytes)
      #expect(String(decoding: bytes, as: UTF8.self) == text)
    }
  }

  @Test("intervals, data and counts belong to their rows")
  func others() throws {
    let run = try run {
      ($0.ends, $0.data, $0.counts) = ([60_000_000, 0, 1], [[1], [], [2, 3]], [7, 8, 9])
      ($0.width, $0.numbers) = (0, [])
      $0.multiple = 0
      $0.way = 1
    }
    #expect(run.ends == [60_000_000, 0, 1])
    #expect(run.data == [[1], [], [2, 3]])
    #expect(run.counts == [7, 8, 9])
    #expect(run.numbers.isEmpty && run.isFetched)
  }

  @Test("corrections come with their times")
  func corrections() throws {
    var correction = ProtoBytes()
    correction.number(1, 4)
    correction.signed(2, 100)
    correction.signed(3, 200)
    correction.text(4, "bob")
    let batch = try RowBatch(reading: TestBatch(runs: [], corrections: [correction.bytes]).bytes)
    #expect(batch.corrections == [RowCorrection(enrolment: 4, times: 100..<200, wearer: "bob")])
  }

  @Test("what a later version adds is passed over")
  func unknownFields() throws {
    var more = ProtoBytes()
    more.text(99, "new")
    #expect(try RowBatch(reading: TestBatch(more: more.bytes).bytes).rows == 3)
  }
}
