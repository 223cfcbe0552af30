// Messages of protobuf by hand, so that what is read was not written by what reads it.

import CZlib

struct ProtoBytes {
  var bytes: [UInt8] = []

  static func varint(_ value: UInt64) -> [UInt8] {
    var (rest, bytes): (UInt64, [UInt8]) = (value, [])
    while rest > 0x7F {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  static func zigzag(_ value: Int64) -> UInt64 { UInt64(bitPattern: value << 1 ^ value >> 63) }

  mutating func number(_ field: UInt64, _ value: UInt64) {
    bytes += Self.varint(field << 3) + Self.varint(value)
  }

  mutating func signed(_ field: UInt64, _ value: Int64) { number(field, Self.zigzag(value)) }

  mutating func fixed(_ field: UInt64, _ value: UInt64) {
    bytes += Self.varint(field << 3 | 1) + (0..<8).map { UInt8(value >> UInt64(8 * $0) & 0xFF) }
  }

  mutating func block(_ field: UInt64, _ content: [UInt8]) {
    bytes += Self.varint(field << 3 | 2) + Self.varint(UInt64(content.count)) + content
  }

  mutating func text(_ field: UInt64, _ value: String) { block(field, Array(value.utf8)) }
  mutating func packed(_ field: UInt64, _ values: [Int64]) {
    block(field, values.flatMap { Self.varint(Self.zigzag($0)) })
  }
  mutating func packedPlain(_ field: UInt64, _ values: [UInt64]) { block(field, values.flatMap { Self.varint($0) }) }
}

/// A run of three heart rates, or what a test makes of it.
struct TestRun {
  var rows: UInt64 = 3
  var first: UInt64 = 10
  var skipped: UInt64 = 0
  var gaps: [UInt64] = []
  var timeUs: Int64 = 1_764_000_000_000_000
  var timeStep: UInt64 = 1000
  var times: [Int64] = [1000, 0]
  var exponent: UInt64 = 0
  var multiple: UInt64 = 1
  var width: UInt64 = 1
  var widths: [UInt64] = []
  var numbers: [Int64] = [60, 1, -2]
  var ends: [Int64] = []
  var data: [[UInt8]] = []
  var counts: [UInt64] = []
  var series = "heart_rate"
  var wearer = "ada"
  var address: UInt64 = 0xA1B2_C3D4_E5F6
  var way: UInt64 = 0

  var bytes: [UInt8] {
    var run = ProtoBytes()
    run.number(1, 4)
    run.text(2, "strap-04")
    run.fixed(3, address)
    run.text(4, series)
    run.text(5, "bpm")
    run.number(6, way)
    run.number(7, first)
    run.number(8, skipped)
    if !gaps.isEmpty { run.packedPlain(9, gaps) }
    run.signed(10, timeUs)
    run.number(11, timeStep)
    if !times.isEmpty { run.packed(12, times) }
    run.number(13, exponent)
    run.number(14, multiple)
    run.number(15, width)
    if !widths.isEmpty { run.packedPlain(16, widths) }
    if !numbers.isEmpty { run.packed(17, numbers) }
    if !ends.isEmpty { run.packed(18, ends) }
    for piece in data { run.block(19, piece) }
    run.text(20, "live")
    run.text(23, wearer)
    if !counts.isEmpty { run.packedPlain(29, counts) }
    run.number(30, rows)
    return run.bytes
  }
}

/// How far a ring was acknowledged, or what a test makes of it.
struct TestHead {
  var device = "strap-04"
  var address: UInt64 = 0xA1B2_C3D4_E5F6
  var series = "heart_rate"
  var way: UInt64 = 0
  var first: UInt64 = 5
  var firstUs: Int64 = 1_764_000_000_000_000
  var next: UInt64 = 9
  var newestUs: Int64 = 1_764_000_003_000_000

  var bytes: [UInt8] {
    var head = ProtoBytes()
    head.number(1, 4)
    head.text(2, device)
    head.fixed(3, address)
    head.text(4, series)
    head.text(5, "bpm")
    head.number(6, way)
    head.number(7, first)
    head.signed(8, firstUs)
    head.number(9, next)
    head.signed(10, newestUs)
    return head.bytes
  }
}

struct TestBatch {
  var version: UInt64 = 1
  var hub = "gym-a"
  var sentMs: UInt64 = 1_764_000_001_000
  var runs: [[UInt8]] = [TestRun().bytes]
  var isDeflated = false
  var corrections: [[UInt8]] = []
  var more: [UInt8] = []

  var bytes: [UInt8] {
    var batch = ProtoBytes()
    batch.number(1, version)
    batch.fixed(2, 0x0123_4567_89AB_CDEF)
    batch.text(3, hub)
    batch.number(4, sentMs)
    if isDeflated {
      var inner = ProtoBytes()
      for run in runs { inner.block(1, run) }
      batch.block(6, deflated(inner.bytes))
    } else {
      for run in runs { batch.block(5, run) }
    }
    for correction in corrections { batch.block(7, correction) }
    return batch.bytes + more
  }
}

func deflated(_ bytes: [UInt8]) -> [UInt8] {
  var size = compressBound(uLong(bytes.count))
  var out = [UInt8](repeating: 0, count: Int(size))
  compress2(&out, &size, bytes, uLong(bytes.count), 9)
  return Array(out.prefix(Int(size)))
}
