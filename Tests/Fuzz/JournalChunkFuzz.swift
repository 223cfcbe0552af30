// libFuzzer harness: chunks of the journal, of both layouts, against both readers, which must agree, and records
// against the packer. Compiled together with Sources/RingStore by ./run.

import CivilTime
import EventLoop

/// The first byte chooses. With bit 0: records as bytes, of layout 3 or with bit 1 of layout 1, behind a header that is
/// made for them. Without it: records to pack, which are read and, with the rest of the input, damaged.
func fuzzJournalChunk(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = StoreInput(start, count)
  let choice = input.u8()
  if choice & 1 == 1 { fuzzRecords(&input, isOld: choice & 2 != 0) } else { fuzzPacker(&input) }
  return 0
}

private func fuzzRecords(_ input: inout StoreInput, isOld: Bool) {
  var chunk = [UInt8](repeating: 0, count: isOld ? ChunkHeader.oldSize : ChunkHeader.size)
  chunk[0] = isOld ? ChunkHeader.oldLayout : ChunkHeader.layout
  chunk[ChunkHeader.Offset.count] = input.u8()
  chunk += input.rest()
  seal(&chunk)
  _ = read(chunk)
}

private let packer = ChunkBuffer()
private let meaningless = Int64.min

private func fuzzPacker(_ input: inout StoreInput) {
  let base = input.number(near: 0)
  let wall = 1_700_000_000_000_000 &+ input.number(near: 0) >> 1
  packer.begin(
    sequence: 9, now: Instant(nanoseconds: base), wall: WallTime(microseconds: wall), trusted: true,
    boot: BootID(high: 1, low: 2))
  var expected: [PlainRecord] = []
  var at = base
  for _ in 0..<(1 + Int(input.u8())) {
    at = input.number(near: at)
    let choice = input.u8()
    let timeStep: Int64 = choice & 1 == 0 ? 1000 : 1
    let wearable = choice & 2 == 0 ? UInt32(choice >> 4) : UInt32(truncatingIfNeeded: input.number(near: 0))
    let series = choice & 4 == 0 ? UInt16(choice >> 3) : UInt16(truncatingIfNeeded: input.u16())
    let mixed = choice & 8 == 0 ? 0 : input.u8() & 0x5F
    let flags = mixed & 3 == 3 ? 0 : mixed
    let shape = choice & 0x80 == 0 ? (1, false) : input.shape()
    let values = (0..<shape.0).map { _ in input.number(near: 70) }
    let bytes =
      shape.1 ? input.take(input.u16() % (ItemColumns.bytesLimit + 1)) : UnsafeRawBufferPointer(start: nil, count: 0)
    guard packer.hasRoom(ChunkBuffer.capacity, values: values.count, bytes: bytes.count) else { break }
    if shape == (1, false) {
      packer.append(wearable, series, values[0], flags, timeStep: timeStep, at: Instant(nanoseconds: at))
    } else {
      values.withUnsafeBufferPointer {
        packer.append(
          wearable, series, values: $0, bytes: bytes, hasBytes: shape.1, flags, timeStep: timeStep,
          at: Instant(nanoseconds: at))
      }
    }
    // No clock is that far off; what such times become is without meaning, but they must not disturb the rest.
    let isSane = at.magnitude < 1 << 61 && base.magnitude < 1 << 61
    let time = isSane ? floorDivide(wall &+ floorDivide(at &- base, 1000), timeStep) &* timeStep : meaningless
    let item = PlainItem(time: time, flags: flags, values: values, hasBytes: shape.1, bytes: Array(bytes))
    expected.append(PlainRecord(wearable: wearable, series: series, item: item))
  }
  _ = packer.finish(storedBefore: 8, highWater: WallTime(microseconds: .min), odometer: 77, of: storeNumber)
  var chunk = Array(packer.bytes)
  precondition(chunk.count <= ChunkBuffer.capacity)
  guard let found = read(chunk), found.headerIsTrue, found.odometer == 77, found.records.count == expected.count else {
    preconditionFailure("not what was packed")
  }
  for (record, wanted) in zip(found.records, expected) {
    var wanted = wanted
    if wanted.item.time == meaningless { wanted.item.time = record.item.time }
    precondition(record == wanted)
  }
  if input.isAtEnd { return }
  input.damage(&chunk)
  _ = read(chunk)
}

/// With both readers.
private func read(_ chunk: [UInt8]) -> PlainJournalChunk? {
  chunk.withUnsafeBytes { bytes in
    let slow = PlainChunks.journal(bytes, of: storeNumber)
    var found: [PlainRecord] = []
    guard let header = ChunkHeader.verify(bytes, of: storeNumber) else {
      precondition(slow == nil)
      return nil
    }
    var records = ChunkRecords(bytes, header)
    var isWhole = true
    for _ in 0..<header.count {
      guard let record = records.next() else {
        isWhole = false
        break
      }
      let values = record.withValues { Array($0) }
      precondition(values.count == record.valueCount && values.first ?? 0 == record.value)
      let item = PlainItem(
        time: header.baseWall.microseconds &+ record.time, flags: record.flags, values: values,
        hasBytes: record.hasBytes, bytes: Array(record.bytes))
      found.append(PlainRecord(wearable: record.wearable, series: record.series, item: item))
    }
    isWhole = isWhole && records.isAtEnd
    precondition(isWhole == (slow != nil) && (slow == nil || slow?.records == found))
    precondition(slow == nil || (slow?.sequence == header.sequence && slow?.highWater == header.highWater.microseconds))
    return slow
  }
}
