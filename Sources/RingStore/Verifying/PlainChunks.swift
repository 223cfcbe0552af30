// A second, slow reader of chunks: directly from FORMAT.md, bit by bit, sharing only the checksum with the fast
// decoders. Chunks that both decode alike were written as documented.

internal import EventLoop
internal import StateCodec

/// An item with all its parts.
struct PlainItem: Equatable, Sendable {
  /// Time of the item, microseconds since 1970.
  var time: Int64
  var flags: UInt8
  var values: [Int64]
  var hasBytes: Bool
  var bytes: [UInt8]
}

/// Chunk of a ring, decoded in the plainest way for verification.
struct PlainRingChunk: Equatable, Sendable {
  var trusted: Bool
  var continues: Bool
  var ordinal: UInt64
  var earliest: Int64
  var latest: Int64
  var highWater: Int64
  var clockOffset: Int64
  var boot: BootID
  var items: [PlainItem] = []

  /// Whether the times in the header agree with the items.
  var headerIsTrue: Bool {
    items.map(\.time).min() == earliest && items.map(\.time).max() == latest && highWater >= latest
  }
}

/// A record of the journal.
struct PlainRecord: Equatable, Sendable {
  var wearable: UInt32
  var series: UInt16
  var item: PlainItem
}

/// A chunk of the journal, of layout 1 or 3.
struct PlainJournalChunk: Equatable, Sendable {
  var trusted: Bool
  var sequence: UInt64
  var storedBefore: UInt64
  /// Monotonic clock at the base of the chunk, nanoseconds.
  var baseMonotonic: Int64
  var baseWall: Int64
  var earliest: Int64
  var latest: Int64
  var highWater: Int64
  var boot: BootID
  /// nil in layout 1.
  var odometer: UInt64?
  var records: [PlainRecord] = []

  /// Whether the times in the header agree with the records.
  var headerIsTrue: Bool {
    let times = records.map(\.item.time)
    return times.min() == earliest && times.max() == latest && highWater >= latest
  }
}

/// The slow reader. Every answer is nil for bytes that are damaged.
enum PlainChunks {
  private struct Damaged: Error {}

  static func ring(_ bytes: UnsafeRawBufferPointer, at place: ChunkPlace) -> PlainRingChunk? {
    try? ringChunk(Array(bytes), place)
  }
  static func journal(_ bytes: UnsafeRawBufferPointer, of number: StoreNumber) -> PlainJournalChunk? {
    try? journalChunk(Array(bytes), number)
  }

  // MARK: chunks of rings

  private static func ringChunk(_ bytes: [UInt8], _ place: ChunkPlace) throws -> PlainRingChunk {
    try require(bytes.count >= 68)
    let isPlaced = bytes[1] / 8 % 2 == 1
    let key = place.ring.key + [UInt8](bigEndian: place.ordinal)
    try check(bytes, headerSize: 68, covered: isPlaced ? covered(place.number, key) : [])
    try require(integer(bytes, 8, 8) == place.ordinal)
    try require(bytes[0] == 2)
    let count = Int(integer(bytes, 2, 2))
    let valueCount = Int(bytes[64])
    let heapLength = Int(integer(bytes, 66, 2))
    try require((1...8192).contains(count) && valueCount <= 16 && bytes[65] <= 1)
    let hasBytes = bytes[65] == 1
    if !isPlaced, let shape = place.ring.series?.shape {
      try require(valueCount == shape.valueCount && hasBytes == shape.hasBytes)
    }
    var chunk = PlainRingChunk(
      trusted: bytes[1] % 2 == 1, continues: bytes[1] / 2 % 2 == 1, ordinal: integer(bytes, 8, 8),
      earliest: signed(bytes, 16), latest: signed(bytes, 24),
      highWater: signed(bytes, 32), clockOffset: signed(bytes, 40),
      boot: BootID(high: integer(bytes, 48, 8), low: integer(bytes, 56, 8)))

    var place = 68
    // Columns as descriptor and numbers; those of a constant column are complete already.
    var exponents: [Int?] = []
    var columns: [[Int64]] = []
    for _ in 0..<(2 + valueCount + (hasBytes ? 1 : 0)) {
      let descriptor = try byte(bytes, &place)
      if descriptor & 0x80 != 0 {
        try require(descriptor == 0x80)
        exponents.append(nil)
        columns.append(Array(repeating: try signedVarint(bytes, &place), count: count))
      } else {
        try require(descriptor <= 6)
        exponents.append(Int(descriptor))
        columns.append([])
      }
    }
    for first in stride(from: 0, to: count, by: 128) {
      for column in columns.indices where exponents[column] != nil {
        try block(bytes, &place, min(128, count - first), &columns[column])
      }
    }
    for (column, exponent) in exponents.enumerated() {
      for _ in 0..<(exponent ?? 0) { columns[column] = columns[column].map { $0 &* 10 } }
    }

    let lengths = hasBytes ? columns[columns.count - 1] : Array(repeating: 0, count: count)
    try require(bytes.count - place == heapLength)
    for item in 0..<count {
      try require((0...3800).contains(lengths[item]) && Int(lengths[item]) <= bytes.count - place)
      chunk.items.append(
        PlainItem(
          time: columns[0][item], flags: try knownFlags(columns[1][item]),
          values: (0..<valueCount).map { columns[2 + $0][item] },
          hasBytes: hasBytes, bytes: Array(bytes[place..<(place + Int(lengths[item]))])))
      place += Int(lengths[item])
    }
    try require(place == bytes.count)
    return chunk
  }

  private static func block(_ bytes: [UInt8], _ place: inout Int, _ count: Int, _ numbers: inout [Int64]) throws {
    let head = try byte(bytes, &place)
    let predictor = head / 64
    var width = Int(head % 64)
    try require(width <= 56 || width == 63)
    if width == 63 { width = 64 }
    let start = (numbers.last ?? 0) &+ (try signedVarint(bytes, &place))
    let slope = predictor >= 2 ? try signedVarint(bytes, &place) : 0

    let residuals = [count, count - 1, max(count - 2, 0), count][Int(predictor)]
    let size = (residuals * width + 7) / 8
    try require(bytes.count - place >= size)
    func bit(_ number: Int) -> UInt64 { UInt64(bytes[place + number / 8] >> UInt8(number % 8) & 1) }
    func residual(_ number: Int) -> UInt64 { (0..<width).reduce(0) { $0 | bit(number * width + $1) << UInt64($1) } }
    func signedResidual(_ number: Int) -> Int64 { fromZigzag(residual(number)) }

    var block: [Int64] = []
    for index in 0..<count {
      switch (predictor, index) {
      case (0, _): block.append(start &+ Int64(bitPattern: residual(index)))
      case (1, 0), (2, 0): block.append(start)
      case (1, _): block.append(block[index - 1] &+ signedResidual(index - 1))
      case (2, 1): block.append(start &+ slope)
      case (2, _): block.append(block[index - 1] &+ (block[index - 1] &- block[index - 2]) &+ signedResidual(index - 2))
      default:
        // Division that rounds down: towards zero, and one less for the remainder of a negative product.
        let product = Int64(index) &* slope
        let rise = product / 256 - (product % 256 < 0 ? 1 : 0)
        block.append(start &+ rise &+ Int64(bitPattern: residual(index)))
      }
    }
    numbers += block
    place += size
  }

  // MARK: chunks of the journal

  private static func journalChunk(_ bytes: [UInt8], _ number: StoreNumber) throws -> PlainJournalChunk {
    try require(bytes.first == 1 || bytes.first == 3)
    let isOld = bytes[0] == 1
    try require(bytes.count >= 80)
    let isPlaced = !isOld && bytes[1] / 4 % 2 == 1
    try check(
      bytes, headerSize: isOld ? 80 : 88, covered: isPlaced ? covered(number, bytes[8..<16].reversed()) : [])
    let count = Int(integer(bytes, 2, 2))
    try require(count >= 1)
    var chunk = PlainJournalChunk(
      trusted: bytes[1] % 2 == 1, sequence: integer(bytes, 8, 8), storedBefore: integer(bytes, 16, 8),
      baseMonotonic: signed(bytes, 24),
      baseWall: signed(bytes, 32), earliest: signed(bytes, 40), latest: signed(bytes, 48), highWater: signed(bytes, 56),
      boot: BootID(high: integer(bytes, 64, 8), low: integer(bytes, 72, 8)),
      odometer: isOld ? nil : integer(bytes, 80, 8))
    var place = isOld ? 80 : 88
    var before = Before(time: chunk.baseWall)
    for _ in 0..<count {
      chunk.records.append(try isOld ? oldRecord(bytes, &place, &before) : record(bytes, &place, &before))
    }
    try require(place == bytes.count)
    return chunk
  }

  /// The state to which a record may refer.
  private struct Before {
    var wearable: UInt32 = 0
    var flags: UInt8 = 0
    var time: Int64
  }

  private static func record(_ bytes: [UInt8], _ place: inout Int, _ before: inout Before) throws -> PlainRecord {
    let control = try byte(bytes, &place)
    if control & 1 == 0 { before.wearable = try narrow(varint(bytes, &place)) }
    let series: UInt16 = control / 16 < 15 ? UInt16(control / 16) : try narrow(varint(bytes, &place))
    if control & 4 == 0 { before.flags = try byte(bytes, &place) }
    let shape = control & 8 == 0 ? 1 : try byte(bytes, &place)
    try require(shape & 0x60 == 0 && shape & 0x1F <= 16)
    if control & 2 == 0 {
      let distance = try signedVarint(bytes, &place)
      before.time = before.time &+ (before.flags & 0x80 != 0 ? distance : distance &* 1000)
    }
    var item = PlainItem(
      time: before.time, flags: try knownFlags(Int64(before.flags & 0x7F)), values: [], hasBytes: shape & 0x80 != 0,
      bytes: [])
    for _ in 0..<(shape & 0x1F) { item.values.append(try signedVarint(bytes, &place)) }
    if item.hasBytes {
      let length = try varint(bytes, &place)
      try require(length <= 3800 && Int(length) <= bytes.count - place)
      item.bytes = Array(bytes[place..<(place + Int(length))])
      place += Int(length)
    }
    return PlainRecord(wearable: before.wearable, series: series, item: item)
  }

  private static func oldRecord(_ bytes: [UInt8], _ place: inout Int, _ before: inout Before) throws -> PlainRecord {
    let control = try byte(bytes, &place)
    if control & 4 == 0 { before.wearable = try narrow(varint(bytes, &place)) }
    let series: UInt16 = control / 16 < 15 ? UInt16(control / 16) : try narrow(varint(bytes, &place))
    if control & 8 == 0 { before.time = before.time &+ (try signedVarint(bytes, &place)) }
    let value = try signedVarint(bytes, &place)
    let item = PlainItem(
      time: before.time, flags: try knownFlags(Int64(control & 3)), values: [value], hasBytes: false, bytes: [])
    return PlainRecord(wearable: before.wearable, series: series, item: item)
  }

  private static func require(_ condition: Bool) throws { if !condition { throw Damaged() } }

  /// Bytes that a checksum covers before those of the chunk.
  private static func covered(_ number: StoreNumber, _ key: [UInt8]) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number.value >> (8 * UInt32($0))) } + key
  }

  /// Checks size and checksum.
  private static func check(_ bytes: [UInt8], headerSize: Int, covered: [UInt8]) throws {
    try require(bytes.count >= headerSize && bytes.count <= 4080)
    var crc = CRC32C()
    (covered + bytes[..<4] + bytes[8...]).withUnsafeBytes { crc.update($0) }
    try require(UInt64(crc.value) == integer(bytes, 4, 4))
  }

  /// Reads an integer; the caller has checked that its bytes exist.
  private static func integer(_ bytes: [UInt8], _ place: Int, _ size: Int) -> UInt64 {
    (0..<size).reduce(0) { $0 | UInt64(bytes[place + $1]) << UInt64(8 * $1) }
  }

  private static func signed(_ bytes: [UInt8], _ place: Int) -> Int64 { Int64(bitPattern: integer(bytes, place, 8)) }

  private static func byte(_ bytes: [UInt8], _ place: inout Int) throws -> UInt8 {
    try require(place < bytes.count)
    place += 1
    return bytes[place - 1]
  }

  private static func varint(_ bytes: [UInt8], _ place: inout Int) throws -> UInt64 {
    var value: UInt64 = 0
    for group in 0..<10 {
      let byte = try byte(bytes, &place)
      // The tenth group is the last, and has one bit.
      if group == 9 { try require(byte <= 1) }
      value += UInt64(byte % 128) << UInt64(7 * group)
      if byte < 128 { return value }
    }
    throw Damaged()
  }

  private static func signedVarint(_ bytes: [UInt8], _ place: inout Int) throws -> Int64 {
    fromZigzag(try varint(bytes, &place))
  }

  private static func fromZigzag(_ number: UInt64) -> Int64 {
    number % 2 == 0 ? Int64(number / 2) : -1 - Int64(number / 2)
  }

  private static func narrow<T: FixedWidthInteger>(_ number: UInt64) throws -> T {
    guard let number = T(exactly: number) else { throw Damaged() }
    return number
  }

  private static func knownFlags(_ flags: Int64) throws -> UInt8 {
    try require((0...127).contains(flags))
    return UInt8(flags)
  }
}
