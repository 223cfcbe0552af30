import Testing

@testable import RingStore

@Suite struct RingChunkTests {
  private let anchor = ClockAnchor(offset: -123_456_789, boot: boot, trusted: true)

  /// All items in chunks, one after the other.
  private func encode(_ items: ItemColumns) -> [[UInt8]] {
    var chunks: [[UInt8]] = []
    var start = 0
    var highWater = Int64.min
    while start < items.count {
      var bytes: [UInt8] = [1, 2, 3]
      let taken = RingChunkEncoder.encode(
        items, from: start, at: ChunkPlace(storeNumber, statedPlace([]).ring, 1000 + UInt64(start)),
        highWater: highWater, anchor: anchor, into: &bytes)
      #expect(taken > 0 && taken <= RingChunkHeader.itemLimit && bytes.count <= RingChunkEncoder.limit)
      start += taken
      highWater = bytes.withUnsafeBytes { RingChunkHeader($0)?.highWater ?? highWater }
      chunks.append(bytes)
    }
    return chunks
  }

  private func decode(_ bytes: [UInt8], into columns: inout ItemColumns) -> RingChunkHeader? {
    bytes.withUnsafeBytes { RingChunkDecoder.decode($0, at: statedPlace(bytes), into: &columns) }
  }

  private func plain(_ bytes: [UInt8]) -> PlainRingChunk? {
    bytes.withUnsafeBytes { PlainChunks.ring($0, at: statedPlace(bytes)) }
  }

  /// Both readers give back what went in, and the headers say so.
  private func check(_ items: ItemColumns) throws {
    var found = ItemColumns(valueCount: items.valueCount, hasBytes: items.hasBytes)
    var slowly: [PlainItem] = []
    var highWater = Int64.min
    for bytes in encode(items) {
      let ordinal = 1000 + UInt64(found.count)
      let header = try #require(decode(bytes, into: &found))
      let chunk = try #require(plain(bytes))
      #expect(header.ordinal == ordinal && chunk.ordinal == ordinal && header.nextOrdinal == 1000 + UInt64(found.count))
      #expect(
        header.anchor == anchor && header.trusted && chunk.trusted && chunk.clockOffset == anchor.offset
          && chunk.boot == boot)
      #expect(chunk.headerIsTrue)
      highWater = max(highWater, chunk.latest)
      #expect(chunk.highWater == highWater && header.highWater == highWater)
      #expect(header.earliest == chunk.earliest && header.latest == chunk.latest && header.count == chunk.items.count)
      slowly += chunk.items
    }
    #expect(found.plain == items.plain)
    #expect(slowly == items.plain)
  }

  @Test("whatever is encoded comes back, from both readers: any shape, any habit of any column", arguments: 0..<150)
  func roundTrip(seed: Int) throws {
    var maker = ItemMaker(seed: seed)
    let hasBytes = maker.below(3) == 0
    let values = maker.below(4) == 0 ? maker.below(17) : maker.below(3)
    let longest = [ItemColumns.bytesLimit, 200, 3][maker.below(3)]
    let count = hasBytes ? 1 + maker.below(300) : 1 + maker.below(3000)
    try check(maker.items(count, values: values, hasBytes: hasBytes, longest: longest))
  }

  @Test("each habit as the values of a scalar comes back", arguments: ItemMaker.Habit.allCases)
  func habits(habit: ItemMaker.Habit) throws {
    for (seed, count) in [1, 2, 3, 127, 128, 129, 256, 1000].enumerated() {
      var maker = ItemMaker(seed: seed)
      var items = ItemColumns(valueCount: 1, hasBytes: false)
      let times = maker.column(habit, count)
      let values = maker.column(habit, count)
      for index in 0..<count { items.append(time: times[index], flags: 0, value: values[index]) }
      try check(items)
    }
  }

  @Test("the largest item there is fits into an empty chunk")
  func largestItem() throws {
    #expect(RingChunkEncoder.oneItemLimit <= RingChunkEncoder.limit)
    var items = ItemColumns(valueCount: ItemColumns.valueLimit, hasBytes: true)
    let values = [Int64](repeating: .min, count: ItemColumns.valueLimit)
    let bytes = [UInt8](repeating: 0xA5, count: ItemColumns.bytesLimit)
    for _ in 0..<3 {
      values.withUnsafeBufferPointer { values in
        bytes.withUnsafeBytes { items.append(time: .min, flags: 0x5E, values: values, bytes: $0) }
      }
    }
    let chunks = encode(items)
    #expect(chunks.count == 3)
    #expect(chunks.allSatisfy { $0.count == RingChunkEncoder.oneItemLimit })
    try check(items)
  }

  @Test("a chunk of known items has exactly the documented bytes")
  func golden() throws {
    var items = ItemColumns(valueCount: 1, hasBytes: false)
    for (time, value) in [(5_000_000, 72), (6_001_000, 73), (7_000_000, 75), (8_000_000, 74)] as [(Int64, Int64)] {
      items.append(time: time, flags: 0, value: value)
    }
    let bytes = try #require(encode(items).first)
    #expect(bytes[0..<4].elementsEqual([2, 9, 4, 0]))
    #expect(bytes[64..<68].elementsEqual([1, 0, 0, 0]))
    // Time in thousands, flags constant 0, value as it is.
    #expect(bytes[68..<72].elementsEqual([0x03, 0x80, 0x00, 0x00]))
    // Delta of delta: 5000, 1001 to the next, and -2, 1 in two bits each; a frame: 72 + 0, 1, 3, 2.
    var blocks: [UInt8] = [0x82]
    blocks.append(varint: zigzag(5000))
    blocks.append(varint: zigzag(1001))
    blocks += [0b10_11, 0x02]
    blocks.append(varint: zigzag(72))
    blocks += [0b10_11_01_00]
    #expect(bytes[72...].elementsEqual(blocks))
  }

  @Test("a column is divided by the power of ten that all its values have, and ceases to be if one has it not")
  func exponents() throws {
    var whole = ItemColumns(valueCount: 1, hasBytes: false)
    for index in 0..<400 {
      whole.append(time: Int64(index * index % 977) * 1_000_000, flags: 0, value: Int64.max / 1000 * 1000)
    }
    #expect(try #require(encode(whole).first)[68] == 6)
    var odd = whole
    odd.append(time: 100, flags: 0, value: 1)
    #expect(try #require(encode(odd).first)[68] == 2)
    try check(odd)
  }

  @Test(
    "a run that does not fit, and would have changed how its column is divided, leaves the chunk before it as it was")
  func rejectedRun() throws {
    for fitting in [0, 1, 127] {
      var random = Seeded(UInt64(fitting))
      var items = ItemColumns(valueCount: 1, hasBytes: false)
      // Four blocks of 56 bits fit beside the times, a fifth does not.
      for index in 0..<(4 * ColumnBlock.length + fitting) {
        items.append(
          time: Int64(index) * 1_000_000, flags: 0, value: Int64(random.next() >> 16) / 1_000_000 * 1_000_000)
      }
      items.append(time: 7, flags: 1, value: 3)
      for index in 0..<ColumnBlock.length { items.append(time: noise(index), flags: 0, value: noise(index)) }
      try check(items)
    }
  }

  @Test("8,192 items of constant columns are one chunk, and the next begins another")
  func itemLimit() throws {
    var items = ItemColumns(valueCount: 2, hasBytes: false)
    let values: [Int64] = [.max, .min]
    for _ in 0..<8193 {
      values.withUnsafeBufferPointer {
        items.append(time: 7, flags: 1, values: $0, bytes: UnsafeRawBufferPointer(start: nil, count: 0))
      }
    }
    let chunks = encode(items)
    #expect(chunks.map { bytes in bytes.withUnsafeBytes { RingChunkHeader($0)?.count } } == [8192, 1])
    try check(items)
  }

  @Test("one flipped bit, or a cut, anywhere in a chunk is noticed, and the columns stay as they were")
  func damage() throws {
    var maker = ItemMaker(seed: 3)
    let items = maker.items(30, values: 2, hasBytes: true, longest: 9)
    let bytes = try #require(encode(items).first)
    var columns = items
    for index in bytes.indices {
      #expect(decode(Array(bytes[..<index]), into: &columns) == nil)
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << UInt8(bit)
        #expect(decode(damaged, into: &columns) == nil && plain(damaged) == nil)
      }
    }
    #expect(columns.plain == items.plain)
    #expect(decode(bytes, into: &columns) != nil)
    #expect(columns.plain == items.plain + items.plain)
  }

  @Test("damage that the checksum does not show never traps, and both readers say the same of it", arguments: 0..<100)
  func mutations(seed: Int) throws {
    var maker = ItemMaker(seed: seed)
    let hasBytes = maker.below(3) == 0
    let items = maker.items(1 + maker.below(300), values: maker.below(4), hasBytes: hasBytes, longest: 20)
    let bytes = try #require(encode(items).first)
    var read = 0
    for _ in 0..<60 {
      var damaged = bytes
      for _ in 0...maker.below(3) {
        switch maker.below(4) {
        case 0: damaged[maker.below(damaged.count)] = UInt8(truncatingIfNeeded: maker.any())
        case 1: damaged[2 + maker.below(2)] ^= 1 << UInt8(maker.below(8))
        case 2: damaged[min(64 + maker.below(24), damaged.count - 1)] ^= 1 << UInt8(maker.below(8))
        default: damaged.removeLast(min(maker.below(4), damaged.count - 1))
        }
      }
      damaged = checksummed(damaged)
      let slow = plain(damaged)
      let header = damaged.withUnsafeBytes { RingChunkHeader($0) }
      var found = ItemColumns(valueCount: header?.valueCount ?? 0, hasBytes: header?.hasBytes ?? false)
      let fast = decode(damaged, into: &found)
      #expect((fast == nil) == (slow == nil))
      #expect(found.plain == slow?.items ?? [])
      #expect(fast == nil || fast?.count == found.count)
      if fast != nil { read += 1 }
    }
    #expect(read < 60)
  }

  @Test("a chunk of another shape than the columns is refused")
  func otherShape() throws {
    var maker = ItemMaker(seed: 5)
    let bytes = try #require(encode(maker.items(10, values: 2, hasBytes: false)).first)
    for (values, hasBytes) in [(1, false), (3, false), (2, true)] {
      var columns = ItemColumns(valueCount: values, hasBytes: hasBytes)
      #expect(decode(bytes, into: &columns) == nil)
      #expect(columns.isEmpty)
    }
  }
}
