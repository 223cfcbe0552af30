// libFuzzer harness: chunks of rings against both decoders, which must agree, and items against the encoder. Compiled
// together with Sources/RingStore by ./run.

/// The first byte chooses. With bit 0: a chunk's body behind a header made of the next bytes. Without it: items, which
/// are encoded, decoded and, with the rest of the input, damaged.
func fuzzRingChunk(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = StoreInput(start, count)
  let choice = input.u8()
  if choice & 1 == 1 { fuzzBody(&input, choice >> 2) } else { fuzzItems(&input, choice >> 2) }
  return 0
}

private let anchor = ClockAnchor(offset: 5, boot: BootID(high: 1, low: 2), trusted: true)

private func fuzzBody(_ input: inout StoreInput, _ choice: UInt8) {
  var chunk = [UInt8](repeating: 0, count: RingChunkHeader.size)
  let shape = input.shape()
  let count = choice == 63 ? input.u16() % 8300 : input.itemCount(columns: shape.values + 3, choice)
  let heap = input.u16()
  chunk.withUnsafeMutableBytes { bytes in
    bytes[0] = RingChunkHeader.layout
    bytes.store(UInt16(count), at: RingChunkHeader.Offset.count)
    bytes[RingChunkHeader.Offset.valueCount] = UInt8(shape.values)
    bytes[RingChunkHeader.Offset.hasBytes] = shape.hasBytes ? 1 : 0
    bytes.store(UInt16(heap % 512), at: RingChunkHeader.Offset.heapLength)
  }
  chunk += input.rest()
  seal(&chunk)
  _ = decode(chunk)
}

private func fuzzItems(_ input: inout StoreInput, _ choice: UInt8) {
  let shape = input.shape()
  let count = 1 + input.itemCount(columns: shape.values + 3, choice)
  let longest = input.u8() & 1 == 0 ? 20 : ItemColumns.bytesLimit
  var items = ItemColumns(valueCount: shape.values, hasBytes: shape.hasBytes)
  var time: Int64 = 1_700_000_000_000_000
  var values = [Int64](repeating: 0, count: shape.values)
  for _ in 0..<count {
    time = input.number(near: time)
    for index in values.indices { values[index] = input.number(near: values[index]) }
    let bytes = shape.hasBytes ? input.take(input.u16() % (longest + 1)) : UnsafeRawBufferPointer(start: nil, count: 0)
    let flags = input.u8() & 0x5E
    values.withUnsafeBufferPointer {
      items.append(time: time, flags: flags & 3 == 3 ? 0 : flags, values: $0, bytes: bytes)
    }
  }

  var found = ItemColumns(valueCount: shape.values, hasBytes: shape.hasBytes)
  var first: [UInt8] = []
  var chunk: [UInt8] = []
  var highWater = Int64.min
  while found.count < count {
    let before = found.count
    let taken = RingChunkEncoder.encode(
      items, from: before, at: ChunkPlace(storeNumber, ring, UInt64(before)), highWater: highWater, anchor: anchor,
      into: &chunk)
    precondition(taken > 0 && taken <= count - before && chunk.count <= RingChunkEncoder.limit)
    guard let decoded = decode(chunk), let slow = chunk.withUnsafeBytes({ PlainChunks.ring($0, at: place($0)) }) else {
      preconditionFailure("not readable")
    }
    precondition(
      decoded.header.count == taken && decoded.header.ordinal == UInt64(before) && decoded.header.anchor == anchor
        && slow.headerIsTrue)
    highWater = decoded.header.highWater
    found.times += decoded.items.times
    found.flags += decoded.items.flags
    for index in values.indices { found.values[index] += decoded.items.values[index] }
    found.lengths += decoded.items.lengths
    found.heap += decoded.items.heap
    if before == 0 { first = chunk }
  }
  precondition(found.times == items.times && found.flags == items.flags && found.values == items.values)
  precondition(found.lengths == items.lengths && found.heap == items.heap)
  if input.isAtEnd { return }
  input.damage(&first)
  _ = decode(first)
}

/// With both decoders.
private func decode(_ chunk: [UInt8]) -> (header: RingChunkHeader, items: ItemColumns)? {
  chunk.withUnsafeBytes { bytes in
    let slow = PlainChunks.ring(bytes, at: place(bytes))
    guard let shape = RingChunkHeader(bytes) else {
      precondition(slow == nil)
      return nil
    }
    var items = ItemColumns(valueCount: shape.valueCount, hasBytes: shape.hasBytes)
    items.times = [7]
    guard let header = RingChunkDecoder.decode(bytes, at: place(bytes), into: &items) else {
      precondition(
        slow == nil && items.times == [7] && items.flags.isEmpty && items.lengths.isEmpty && items.heap.isEmpty)
      return nil
    }
    guard let slow, items.times.removeFirst() == 7 else { preconditionFailure("only the fast decoder reads it") }
    precondition(
      slow.items.count == header.count && items.times == slow.items.map(\.time)
        && items.flags == slow.items.map { Int64($0.flags) })
    for (index, column) in items.values.enumerated() { precondition(column == slow.items.map { $0.values[index] }) }
    precondition(
      items.heap == slow.items.flatMap(\.bytes)
        && items.lengths == (shape.hasBytes ? slow.items.map { Int64($0.bytes.count) } : []))
    precondition(slow.ordinal == header.ordinal && slow.latest == header.latest && slow.highWater == header.highWater)
    return (header, items)
  }
}
