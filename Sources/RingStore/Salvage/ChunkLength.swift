// The length of a chunk by its own content. A page of a long value does not state it: the tree does, and may be lost.

internal import EventLoop

enum ChunkLength {
  /// Measures the ring's chunk at the start of `bytes`, at most one page.
  ///
  /// - Returns: its length in bytes; nil if no chunk begins there. The checksum is not looked at.
  static func ofRing(_ bytes: UnsafeRawBufferPointer) -> Int? {
    let page = UnsafeRawBufferPointer(rebasing: bytes.prefix(RingChunkEncoder.limit))
    guard let header = RingChunkHeader(page) else { return nil }
    var reader = StoredReader(page)
    guard reader.take(RingChunkHeader.size) != nil, let varying = varyingColumns(&reader, header) else { return nil }
    var from = 0
    while from < header.count {
      let run = min(ColumnBlock.length, header.count - from)
      for _ in 0..<varying {
        guard let block = ColumnBlock(&reader, after: 0),
          reader.take((block.residuals(of: run) * block.width + 7) / 8) != nil
        else { return nil }
      }
      from += run
    }
    return reader.take(header.heapLength) == nil ? nil : reader.offset
  }

  private static func varyingColumns(_ reader: inout StoredReader, _ header: RingChunkHeader) -> Int? {
    var varying = 0
    for _ in 0..<header.columnCount {
      guard let descriptor = reader.u8() else { return nil }
      if descriptor == RingChunkDecoder.constantColumn {
        if reader.zigzag() == nil { return nil }
      } else {
        if descriptor > DecimalScale.exponentLimit { return nil }
        varying += 1
      }
    }
    return varying
  }

  /// The same of a chunk of the journal.
  static func ofJournal(_ bytes: UnsafeRawBufferPointer) -> Int? {
    let page = UnsafeRawBufferPointer(rebasing: bytes.prefix(ChunkBuffer.capacity))
    guard let header = ChunkHeader(page) else { return nil }
    var records = ChunkRecords(page, header)
    for _ in 0..<header.count where records.next() == nil { return nil }
    return records.offset
  }
}
