// Checksum of all stored data: CRC-32C (Castagnoli), as in iSCSI (RFC 3720, B.4) and ext4.

/// Reflected, polynomial 0x1EDC6F41, start and final inversion. "123456789" gives 0xE3069283.
public struct CRC32C {
  private var state: UInt32 = 0xFFFF_FFFF

  /// The checksum of no bytes.
  public init() {}

  /// Checksum of the bytes so far.
  public var value: UInt32 { ~state }

  /// The checksum of bytes that are known, with others before them that `takeBack` can calculate.
  public init(ending value: UInt32) { state = ~value }

  /// The state before the given bytes, which were the last.
  public mutating func takeBack(_ bytes: some BidirectionalCollection<UInt8>) {
    for byte in bytes.reversed() {
      // The top byte of an entry is that of no other entry.
      let index = Self.places[Int(state >> 24)]
      state = (state ^ Self.tables[Int(index)]) << 8 | UInt32(index ^ byte)
    }
  }

  /// The four bytes, as a little-endian number, that lead from the start to this state.
  public var firstFour: UInt32 {
    var start = self
    start.takeBack([0, 0, 0, 0])
    return ~start.state
  }

  /// Processes eight bytes a step ("slicing by 8"): a byte at a time, the checksum of a chunk would take longer than
  /// its decoding.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    var state = state
    Self.tables.withUnsafeBufferPointer { tables in
      @inline(__always)
      func entry(_ table: Int, _ index: UInt64) -> UInt32 { tables[table << 8 | Int(truncatingIfNeeded: index & 0xFF)] }
      var offset = 0
      while bytes.count - offset >= 8 {
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) ^ UInt64(state)
        state =
          entry(7, word) ^ entry(6, word >> 8) ^ entry(5, word >> 16) ^ entry(4, word >> 24)
          ^ entry(3, word >> 32) ^ entry(2, word >> 40) ^ entry(1, word >> 48) ^ entry(0, word >> 56)
        offset += 8
      }
      for byte in bytes[offset...] { state = entry(0, UInt64(state) ^ UInt64(byte)) ^ state >> 8 }
    }
    self.state = state
  }

  /// Entries of the first table, by top byte.
  private static let places: [UInt8] = {
    var places = [UInt8](repeating: 0, count: 256)
    for index in 0..<256 { places[Int(tables[index] >> 24)] = UInt8(index) }
    return places
  }()

  /// Table n holds the effect of a byte on the state when n zero bytes follow it.
  private static let tables: [UInt32] = {
    var tables: [UInt32] = []
    for index in 0..<256 {
      var entry = UInt32(index)
      for _ in 0..<8 { entry = entry & 1 == 1 ? 0x82F6_3B78 ^ entry >> 1 : entry >> 1 }
      tables.append(entry)
    }
    for index in 256..<2048 { tables.append(tables[Int(tables[index - 256] & 0xFF)] ^ tables[index - 256] >> 8) }
    return tables
  }()
}
