// Decodes the chunks of a ring. Total: any bytes are accepted or refused without a trap. FORMAT.md, "chunks".

/// Reads whole chunks.
struct RingChunkDecoder {
  /// Appends the chunk's items to `columns` and returns its header. Returns nil, with `columns` unchanged, if the chunk
  /// is damaged, belongs to another place, or its items have another shape than the columns.
  static func decode(_ bytes: UnsafeRawBufferPointer, at place: ChunkPlace, into columns: inout ItemColumns)
    -> RingChunkHeader?
  {
    // The numbers that bound the memory below are checked before it is allocated.
    guard let shape = RingChunkHeader(bytes), shape.valueCount == columns.valueCount, shape.hasBytes == columns.hasBytes
    else { return nil }
    // Decoded from a copy: a mapped page may change under a reader without a slot in LMDB's table. The copy also has
    // the seven bytes behind the last residuals.
    return withUnsafeTemporaryAllocation(byteCount: RingChunkEncoder.limit + 8, alignment: 8) { copy in
      copy.copyMemory(from: bytes)
      let chunk = UnsafeRawBufferPointer(rebasing: copy[..<bytes.count])
      guard let header = RingChunkHeader.verify(chunk, at: place), header.valueCount == shape.valueCount,
        header.hasBytes == shape.hasBytes
      else { return nil }
      return decode(chunk, header, into: &columns) ? header : nil
    }
  }

  /// Descriptor of a column with one value for all items.
  static let constantColumn: UInt8 = 0x80

  /// Column with the way in which it is stored.
  private struct Column {
    var constant: Int64?
    /// Offset of its numbers among those of all columns that are not constant.
    var place = 0
    var factor: Int64 = 1
    /// The number before the next block.
    var previous: Int64 = 0
  }

  private static func decode(
    _ chunk: UnsafeRawBufferPointer, _ header: RingChunkHeader, into columns: inout ItemColumns
  ) -> Bool {
    var reader = StoredReader(chunk)
    _ = reader.take(RingChunkHeader.size)
    guard var descriptors = readDescriptors(&reader, header) else { return false }
    let varying = descriptors.reduce(0) { $0 + ($1.constant == nil ? 1 : 0) }
    return withUnsafeTemporaryAllocation(of: Int64.self, capacity: max(varying * header.count, 1)) { numbers in
      guard let base = numbers.baseAddress, readBlocks(&reader, header, &descriptors, base),
        let heap = reader.take(header.heapLength),
        reader.isAtEnd, flagsAreKnown(descriptors[1], base, header.count)
      else { return false }
      if header.hasBytes, let lengths = descriptors.last, !lengthsAddUp(lengths, base, header) { return false }
      for (index, column) in descriptors.enumerated() {
        if let value = column.constant {
          columns.append(value, times: header.count, column: index)
        } else {
          columns.append(UnsafeBufferPointer(start: base + column.place, count: header.count), column: index)
        }
      }
      columns.heap.append(contentsOf: heap)
      return true
    }
  }

  private static func readDescriptors(_ reader: inout StoredReader, _ header: RingChunkHeader) -> [Column]? {
    var columns: [Column] = []
    columns.reserveCapacity(header.columnCount)
    var place = 0
    for _ in 0..<header.columnCount {
      guard let descriptor = reader.u8() else { return nil }
      if descriptor == constantColumn {
        guard let value = reader.zigzag() else { return nil }
        columns.append(Column(constant: value))
      } else {
        guard descriptor <= DecimalScale.exponentLimit else { return nil }
        columns.append(Column(place: place, factor: DecimalScale.of(Int(descriptor)).factor))
        place += header.count
      }
    }
    return columns
  }

  private static func readBlocks(
    _ reader: inout StoredReader, _ header: RingChunkHeader, _ columns: inout [Column],
    _ numbers: UnsafeMutablePointer<Int64>
  ) -> Bool {
    var from = 0
    while from < header.count {
      let run = min(ColumnBlock.length, header.count - from)
      for index in columns.indices where columns[index].constant == nil {
        guard let block = ColumnBlock(&reader, after: columns[index].previous),
          let residuals = reader.take((block.residuals(of: run) * block.width + 7) / 8)?.baseAddress
        else { return false }
        let target = numbers + columns[index].place + from
        block.read(residuals, target, run)
        columns[index].previous = target[run - 1]
        let factor = columns[index].factor
        if factor != 1 {
          for item in 0..<run { target[item] = target[item] &* factor }
        }
      }
      from += run
    }
    return true
  }

  /// Whether all flags are valid `SampleFlags`: every origin has a meaning since format 6, and bit 7 is unused.
  private static func flagsAreKnown(_ column: Column, _ numbers: UnsafePointer<Int64>, _ count: Int) -> Bool {
    func strange(_ flags: Int64) -> Int64 { flags & ~0x7F }
    if let flags = column.constant { return strange(flags) == 0 }
    var all: Int64 = 0
    for index in 0..<count { all |= strange(numbers[column.place + index]) }
    return all == 0
  }

  private static func lengthsAddUp(_ column: Column, _ numbers: UnsafePointer<Int64>, _ header: RingChunkHeader) -> Bool
  {
    let allowed = 0...Int64(ItemColumns.bytesLimit)
    if let length = column.constant {
      return allowed.contains(length) && Int(length) * header.count == header.heapLength
    }
    var sum = 0
    for index in 0..<header.count {
      let length = numbers[column.place + index]
      guard allowed.contains(length) else { return false }
      sum += Int(length)
    }
    return sum == header.heapLength
  }
}
