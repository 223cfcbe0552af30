// Where a chunk of a ring belongs: its checksum covers that. FORMAT.md, "Checksums that cover a place".

internal import EventLoop
internal import Health
internal import StateCodec

/// The place of a chunk of a ring.
struct ChunkPlace: Sendable {
  let number: StoreNumber
  let ring: RingID
  /// Ordinal of its first item.
  let ordinal: UInt64

  init(_ number: StoreNumber, _ ring: RingID, _ ordinal: UInt64) {
    (self.number, self.ring, self.ordinal) = (number, ring, ordinal)
  }

  var isCovered: Bool { number != .none }

  /// The checksum of number and key, without making the key.
  var start: CRC32C {
    withUnsafeTemporaryAllocation(byteCount: RingID.keySize + 8, alignment: 1) { key in
      key.storeBytes(of: ring.wearable.number.bigEndian, as: UInt32.self)
      key.storeBytes(of: ring.seriesNumber.bigEndian, toByteOffset: 4, as: UInt16.self)
      key[6] = ring.way.rawValue
      key.storeBytes(of: ordinal.bigEndian, toByteOffset: RingID.keySize, as: UInt64.self)
      return number.start(UnsafeRawBufferPointer(key))
    }
  }

  /// Whether a chunk whose checksum does not cover its place may belong here: it has the values of this series.
  func mayHave(_ header: RingChunkHeader) -> Bool {
    guard let shape = ring.series?.shape else { return true }
    return shape.valueCount == header.valueCount && shape.hasBytes == header.hasBytes
  }
}

extension Transaction {
  func place(_ ring: RingID, _ ordinal: UInt64) -> ChunkPlace { ChunkPlace(number, ring, ordinal) }
}
