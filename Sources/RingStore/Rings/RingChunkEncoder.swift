// Encodes items of a ring into chunks. FORMAT.md, "chunks".

internal import EventLoop
internal import StateCodec

/// Fills chunks: as many items as fit, every column in its fewest bytes.
enum RingChunkEncoder {
  /// A chunk fills one overflow page of LMDB: 4096 minus its 16 bytes of page header.
  static let limit = 4080
  /// The largest chunk of one item. All its columns are constant, each a descriptor and a number. A number has at most
  /// 10 bytes for the time and the values, 2 for flags and length.
  static let oneItemLimit = RingChunkHeader.size + 11 + 3 + ItemColumns.valueLimit * 11 + 3 + ItemColumns.bytesLimit

  /// Encodes as many items from index `start` on as fit into one chunk, at least one. `start` is below `items.count`.
  ///
  /// - Parameters:
  ///   - place: the ring, and the ordinal of the first item.
  ///   - highWater: the largest time in all chunks before; `Int64.min` for the first.
  ///   - continues: whether the item at `start` is the rest of the one before.
  ///   - bytes: replaced by the chunk.
  /// - Returns: how many items were encoded.
  static func encode(
    _ items: ItemColumns, from start: Int, at place: ChunkPlace, highWater: Int64, anchor: ClockAnchor,
    continues: Bool = false, into bytes: inout [UInt8]
  ) -> Int {
    guard start >= 0 && start < items.count else { fatalError("a chunk without items") }
    assert(oneItemLimit <= limit)
    var plan = RingChunkPlan(items, from: start)
    let available = min(items.count - start, RingChunkHeader.itemLimit)
    while plan.count < available {
      let run = min(ColumnBlock.length, available - plan.count)
      if plan.extend(by: run) { continue }
      // The last run is as long as fits; a single item always fits into an empty chunk.
      var fitting = 0
      var exceeding = run
      while exceeding - fitting > 1 {
        let middle = (fitting + exceeding) / 2
        if plan.fits(middle) { fitting = middle } else { exceeding = middle }
      }
      if fitting > 0 { _ = plan.extend(by: fitting) }
      break
    }
    guard plan.count > 0 else { fatalError("an item above its limits") }

    // A block's last bits are stored with a write of seven more bytes.
    bytes.removeAll(keepingCapacity: true)
    bytes.append(contentsOf: repeatElement(0, count: limit + 8))
    let end = bytes.withUnsafeMutableBytes { bytes in
      let end = plan.write(bytes, RingChunkHeader.size)
      writeHeader(bytes, end, plan, place, highWater, anchor, continues)
      return end
    }
    bytes.removeLast(bytes.count - end)
    return plan.count
  }

  private static func writeHeader(
    _ bytes: UnsafeMutableRawBufferPointer, _ end: Int, _ plan: RingChunkPlan, _ place: ChunkPlace, _ highWater: Int64,
    _ anchor: ClockAnchor,
    _ continues: Bool
  ) {
    let (earliest, latest) = plan.timeRange
    bytes[0] = RingChunkHeader.layout
    bytes[RingChunkHeader.Offset.flags] =
      (anchor.trusted ? RingChunkHeader.clockTrustedFlag : 0) | (continues ? RingChunkHeader.continuesFlag : 0)
      | (anchor.isOwn ? RingChunkHeader.ownTimesFlag : 0) | (place.isCovered ? RingChunkHeader.placedFlag : 0)
    bytes.store(UInt16(plan.count), at: RingChunkHeader.Offset.count)
    bytes.store(place.ordinal, at: RingChunkHeader.Offset.ordinal)
    bytes.store(earliest, at: RingChunkHeader.Offset.earliest)
    bytes.store(latest, at: RingChunkHeader.Offset.latest)
    bytes.store(max(highWater, latest), at: RingChunkHeader.Offset.highWater)
    bytes.store(anchor.offset, at: RingChunkHeader.Offset.clockOffset)
    bytes.store(anchor.boot.high, at: RingChunkHeader.Offset.boot)
    bytes.store(anchor.boot.low, at: RingChunkHeader.Offset.boot + 8)
    bytes[RingChunkHeader.Offset.valueCount] = UInt8(plan.items.valueCount)
    bytes[RingChunkHeader.Offset.hasBytes] = plan.items.hasBytes ? 1 : 0
    bytes.store(UInt16(plan.heap.count), at: RingChunkHeader.Offset.heapLength)
    let checksum = ChunkHeader.checksum(
      UnsafeRawBufferPointer(rebasing: bytes[..<end]), place.isCovered ? place.start : CRC32C())
    bytes.store(checksum, at: RingChunkHeader.Offset.checksum)
  }
}

/// The plan of a chunk that is being filled. Bytes are written only once the items of the chunk are known.
struct RingChunkPlan {
  let items: ItemColumns
  let start: Int
  private(set) var count = 0
  /// The items' part of `items.heap`.
  private(set) var heap: Range<Int>
  private var columns: [Column]
  private let found: FoundBlocks

  /// The encoding of a column so far.
  private struct Column {
    var isConstant = true
    /// Scale of a column that is not constant.
    var scale = DecimalScale.of(0)
    /// Bytes of its descriptor and its blocks.
    var size = 0
  }

  init(_ items: ItemColumns, from start: Int) {
    self.items = items
    self.start = start
    let heapStart = items.hasBytes ? items.lengths[..<start].reduce(0) { $0 + Int($1) } : 0
    heap = heapStart..<heapStart
    columns = Array(repeating: Column(), count: items.columnCount)
    found = FoundBlocks(columns: items.columnCount)
  }

  var timeRange: (earliest: Int64, latest: Int64) {
    items.times[start..<(start + count)].reduce((.max, .min)) { (min($0.0, $1), max($0.1, $1)) }
  }

  /// Adds another run of items if it fits.
  mutating func extend(by run: Int) -> Bool {
    guard let (columns, heap) = extended(by: run) else { return false }
    self.columns = columns
    self.heap = heap
    count += run
    return true
  }

  func fits(_ run: Int) -> Bool { extended(by: run) != nil }

  private func extended(by run: Int) -> (columns: [Column], heap: Range<Int>)? {
    var heap = heap
    if items.hasBytes {
      let first = start + count
      heap = heap.lowerBound..<items.lengths[first..<(first + run)].reduce(heap.upperBound) { $0 + Int($1) }
    }
    var size = RingChunkHeader.size + heap.count
    guard size <= RingChunkEncoder.limit else { return nil }
    var columns = columns
    for index in columns.indices {
      items.withColumn(index) { extend(&columns[index], index, UnsafeBufferPointer(rebasing: $0[start...]), by: run) }
      size += columns[index].size
      guard size <= RingChunkEncoder.limit else { return nil }
    }
    return (columns, heap)
  }

  /// Extends a column. `values` are those of the chunk, and more. A column that ceases to be constant, or divisible as
  /// before, is measured again from its start; that can happen seven times in all.
  private func extend(_ column: inout Column, _ index: Int, _ values: UnsafeBufferPointer<Int64>, by run: Int) {
    let end = count + run
    let added = UnsafeBufferPointer(rebasing: values[count..<end])
    if column.isConstant {
      if areAll(added, values[0]) {
        column.size = 1 + varintSize(zigzag(values[0]))
        return
      }
      column.isConstant = false
      column.scale = DecimalScale.of(DecimalScale.exponentLimit).lowered(UnsafeBufferPointer(rebasing: values[..<end]))
      column.size = 1 + size(index, values, 0..<end, column.scale)
      return
    }
    let scale = column.scale.lowered(added)
    if scale.exponent == column.scale.exponent {
      column.size += size(index, values, count..<end, scale)
    } else {
      column.scale = scale
      column.size = 1 + size(index, values, 0..<end, scale)
    }
  }

  private func areAll(_ values: UnsafeBufferPointer<Int64>, _ value: Int64) -> Bool {
    var difference: Int64 = 0
    for other in values { difference |= other ^ value }
    return difference == 0
  }

  private func size(_ column: Int, _ values: UnsafeBufferPointer<Int64>, _ range: Range<Int>, _ scale: DecimalScale)
    -> Int
  {
    var size = 0
    forEachRun(range) { run in
      withNumbers(values, run, scale) { numbers, previous in
        let (block, blockSize) = ColumnBlock.smallest(numbers, run.count, after: previous)
        found.note(block, column, run.lowerBound, scale)
        size += blockSize
      }
    }
    return size
  }

  private func forEachRun(_ range: Range<Int>, _ body: (Range<Int>) -> Void) {
    var from = range.lowerBound
    while from < range.upperBound {
      let to = min(from + ColumnBlock.length, range.upperBound)
      body(from..<to)
      from = to
    }
  }

  /// A run's numbers, and the one before them.
  private func withNumbers(
    _ values: UnsafeBufferPointer<Int64>, _ run: Range<Int>, _ scale: DecimalScale,
    _ body: (UnsafePointer<Int64>, Int64) -> Void
  ) {
    guard let base = values.baseAddress else { return }
    let previous = run.lowerBound == 0 ? 0 : scale.divide(base[run.lowerBound - 1])
    if scale.exponent == 0 { return body(base + run.lowerBound, previous) }
    withUnsafeTemporaryAllocation(of: Int64.self, capacity: ColumnBlock.length) { numbers in
      guard let scaled = numbers.baseAddress else { return }
      for index in 0..<run.count { scaled[index] = scale.divide(base[run.lowerBound + index]) }
      body(scaled, previous)
    }
  }

  /// Writes descriptors, blocks and heap; returns the offset behind them.
  func write(_ bytes: UnsafeMutableRawBufferPointer, _ offset: Int) -> Int {
    var offset = offset
    for (index, column) in columns.enumerated() {
      bytes[offset] = column.isConstant ? 0x80 : UInt8(column.scale.exponent)
      offset += 1
      if column.isConstant { offset = items.withColumn(index) { putVarint(zigzag($0[start]), bytes, offset) } }
    }
    forEachRun(0..<count) { run in
      for (index, column) in columns.enumerated() where !column.isConstant {
        items.withColumn(index) { values in
          withNumbers(UnsafeBufferPointer(rebasing: values[start...]), run, column.scale) { numbers, previous in
            let block =
              found.block(index, run.lowerBound, column.scale)
              ?? ColumnBlock.smallest(numbers, run.count, after: previous).block
            assert(
              block.size(of: run.count, after: previous)
                == ColumnBlock.smallest(numbers, run.count, after: previous).size)
            offset = block.write(numbers, run.count, after: previous, bytes, offset)
          }
        }
      }
    }
    items.heap.withUnsafeBytes { source in
      bytes[offset..<(offset + heap.count)].copyBytes(from: source[heap])
    }
    return offset + heap.count
  }
}

/// The smallest blocks found while the columns of a chunk were measured, so that writing need not search again.
private final class FoundBlocks {
  private let columns: Int
  /// A block for each column, run after run.
  private var blocks: [ColumnBlock] = []
  /// Powers of ten, one a column, that divide all its blocks here. Blocks may differ because a run that did not fit had
  /// required a lower one: then nil.
  private var exponents: [Int?]

  init(columns: Int) {
    self.columns = columns
    exponents = Array(repeating: nil, count: columns)
  }

  /// Notes a block of the run that begins with item `first` of the chunk. A column is always measured again from its
  /// first run.
  func note(_ block: ColumnBlock, _ column: Int, _ first: Int, _ scale: DecimalScale) {
    let place = first / ColumnBlock.length * columns + column
    while blocks.count <= place { blocks.append(ColumnBlock(predictor: .frame, width: 0, start: 0)) }
    blocks[place] = block
    if first == 0 {
      exponents[column] = scale.exponent
    } else if exponents[column] != scale.exponent {
      exponents[column] = nil
    }
  }

  /// The last block noted for this run, if it has this scale.
  func block(_ column: Int, _ first: Int, _ scale: DecimalScale) -> ColumnBlock? {
    exponents[column] == scale.exponent ? blocks[first / ColumnBlock.length * columns + column] : nil
  }
}
