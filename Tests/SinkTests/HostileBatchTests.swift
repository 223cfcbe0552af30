// Batches that contradict themselves: refused as a whole, whatever they say.

import CZlib
import Testing

@testable import UplinkMessages

@Suite("A hostile batch")
struct HostileBatchTests {
  static let changes: [(String, @Sendable (inout TestRun) -> Void)] = [
    ("no rows", { $0.rows = 0 }), ("more rows than columns", { $0.rows = 4 }), ("fewer", { $0.rows = 2 }),
    ("as many rows as nobody sends", { $0.rows = 70_000 }), ("rows of 32 bits", { $0.rows = 0xFFFF_FFFF }),
    ("times too few", { $0.times = [1] }), ("times without unit", { $0.timeStep = 0 }),
    ("times beyond", { $0.times = [.max, .max] }), ("a time of no year", { $0.timeUs = .max }),
    ("a time before all", { $0.timeUs = .min }), ("numbers too few", { $0.numbers = [1, 2] }),
    ("numbers too many", { $0.numbers = [1, 2, 3, 4] }), ("numbers beyond", { $0.numbers = [.max, 1, 0] }),
    ("numbers beyond by their unit", { ($0.multiple, $0.numbers) = (1 << 40, [1 << 40, 0, 0]) }),
    ("no unit of numbers", { $0.multiple = 0 }), ("a unit beyond", { $0.multiple = .max }),
    ("places without end", { $0.exponent = 31 }), ("ordinals beyond", { $0.first = .max }),
    ("ordinals beyond by one", { $0.first = UInt64(Int64.max) - 1 }), ("gaps too few", { $0.gaps = [1] }),
    ("gaps beyond", { $0.gaps = [.max, 0] }), ("more skipped than there is", { $0.skipped = 11 }),
    ("width times rows", { $0.width = 0xFFFF_FFFF }), ("both widths", { $0.widths = [1, 1, 1] }),
    ("widths beyond", { ($0.width, $0.widths) = (0, [0xFFFF_FFFF, 0xFFFF_FFFF, 0xFFFF_FFFF]) }),
    ("ends too few", { $0.ends = [1] }), ("an end beyond", { $0.ends = [.max, 0, 0] }),
    ("data too few", { $0.data = [[1]] }), ("counts too few", { $0.counts = [1] }),
    ("no series", { $0.series = "" }), ("a name with a zero", { $0.wearer = "a\0b" }),
    ("a name without end", { $0.wearer = String(repeating: "a", count: 257) }),
    ("an address of 49 bits", { $0.address = 1 << 48 }), ("a way that is not known", { $0.way = 2 }),
  ]

  @Test("with a run that cannot be", arguments: Self.changes.indices)
  func runs(index: Int) {
    var run = TestRun()
    Self.changes[index].1(&run)
    let batch = TestBatch(runs: [TestRun().bytes, run.bytes])
    #expect(throws: RowBatchDefect.self, "\(Self.changes[index].0)") { try RowBatch(reading: batch.bytes) }
  }

  @Test("with a head that cannot be")
  func heads() {
    #expect(throws: RowBatchDefect.unknownVersion(2)) { try RowBatch(reading: TestBatch(version: 2).bytes) }
    #expect(throws: RowBatchDefect.unknownVersion(0)) { try RowBatch(reading: []) }
    #expect(throws: RowBatchDefect.self) { try RowBatch(reading: TestBatch(hub: "").bytes) }
    #expect(throws: RowBatchDefect.self) { try RowBatch(reading: TestBatch(sentMs: .max).bytes) }
  }

  static let headChanges: [(String, @Sendable (inout TestHead) -> Void)] = [
    ("a head that ends where it begins", { $0.next = $0.first }), ("before it", { $0.next = 3 }),
    ("beyond what can be", { $0.next = 1 << 63 }), ("both beyond", { ($0.first, $0.next) = (.max - 1, .max) }),
    ("no series", { $0.series = "" }), ("a series with a zero", { $0.series = "a\0" }),
    ("a name without end", { $0.device = String(repeating: "a", count: 257) }),
    ("an address of 49 bits", { $0.address = 1 << 48 }), ("a way that is not known", { $0.way = 2 }),
    ("of no year", { $0.newestUs = .max }), ("from no year", { $0.firstUs = .min }),
  ]

  @Test("with the head of a ring that cannot be", arguments: Self.headChanges.indices)
  func heads(index: Int) throws {
    var head = TestHead()
    var good = ProtoBytes()
    good.block(9, head.bytes)
    let read = try RowBatch(reading: TestBatch(runs: [], more: good.bytes).bytes)
    #expect(read.rows == 0 && read.heads.map { [$0.first, $0.next] } == [[5, 9]])
    Self.headChanges[index].1(&head)
    good.block(9, head.bytes)
    #expect(throws: RowBatchDefect.self, "\(Self.headChanges[index].0)") {
      try RowBatch(reading: TestBatch(more: good.bytes).bytes)
    }
  }

  @Test("with more heads than a hub has rings")
  func manyHeads() {
    var more = ProtoBytes()
    for _ in 0...RowBatch.runLimit { more.block(9, TestHead().bytes) }
    #expect(throws: RowBatchDefect.tooLarge) { try RowBatch(reading: TestBatch(more: more.bytes).bytes) }
  }

  @Test("with too many runs, or rows both ways")
  func tooMuch() {
    let many = TestBatch(runs: Array(repeating: [0x08, 0x01], count: 5000))
    #expect(throws: RowBatchDefect.tooLarge) { try RowBatch(reading: many.bytes) }
    var both = ProtoBytes()
    both.block(5, TestRun().bytes)
    #expect(throws: RowBatchDefect.self) { try RowBatch(reading: TestBatch(isDeflated: true, more: both.bytes).bytes) }
  }

  @Test("with a compressed part that is a bomb, damaged, cut or followed by more")
  func compressed() {
    let zeros = deflated([UInt8](repeating: 0, count: 8 << 20))
    var whole = ProtoBytes()
    whole.block(1, TestRun().bytes)
    let good = deflated(whole.bytes)
    var damaged = good
    damaged[good.count / 2] ^= 0x55
    for part in [zeros, damaged, Array(good.dropLast(3)), good + [0], [1, 2, 3], [0x78]] {
      var field = ProtoBytes()
      field.block(6, part)
      let batch = TestBatch(runs: [], more: field.bytes)
      #expect(throws: RowBatchDefect.self) { try RowBatch(reading: batch.bytes) }
    }
  }

  @Test("cut anywhere or with any bit turned is always a batch or a defect")
  func damaged() {
    let bytes = TestBatch(runs: [TestRun().bytes, TestRun().bytes]).bytes
    for count in bytes.indices { _ = try? RowBatch(reading: Array(bytes.prefix(count))) }
    for index in bytes.indices {
      for bit in 0..<8 {
        var other = bytes
        other[index] ^= 1 << UInt8(bit)
        _ = try? RowBatch(reading: other)
      }
    }
  }
}
