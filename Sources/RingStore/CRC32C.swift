// The checksum of everything stored: CRC-32C (Castagnoli), as in iSCSI (RFC 3720, B.4) and ext4.

/// Reflected, polynomial 0x1EDC6F41, start and final inversion. "123456789" gives 0xE3069283.
struct CRC32C {
  private var state: UInt32 = 0xFFFF_FFFF

  var value: UInt32 { ~state }

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    var state = state
    Self.table.withUnsafeBufferPointer { table in
      for byte in bytes { state = table[Int((state ^ UInt32(byte)) & 0xFF)] ^ state >> 8 }
    }
    self.state = state
  }

  private static let table: [UInt32] = (0..<256).map { index in
    var entry = UInt32(index)
    for _ in 0..<8 { entry = entry & 1 == 1 ? 0x82F6_3B78 ^ entry >> 1 : entry >> 1 }
    return entry
  }
}
