// Checksum of bands' frames over service 01FF, and of FIT files: CRC-16/ARC.

/// CRC-16/ARC: reflected, polynomial 0x8005, start 0, no final inversion. "123456789" gives 0xBB3D.
public enum CRC16ARC {
  /// Checksum of these bytes.
  public static func of(_ bytes: some Sequence<UInt8>) -> UInt16 {
    // A sequence of unknown type costs a call into another module per byte; arrays and slices have contiguous storage.
    if let crc = bytes.withContiguousStorageIfAvailable({ over($0) }) { return crc }
    return over(bytes)
  }

  private static func over(_ bytes: some Sequence<UInt8>) -> UInt16 {
    var crc: UInt16 = 0
    for byte in bytes { crc = crc >> 8 ^ table[Int((crc ^ UInt16(byte)) & 0xFF)] }
    return crc
  }

  /// Change of the checksum by each possible byte.
  private static let table: [UInt16] = (0..<256).map { index in
    var entry = UInt16(index)
    for _ in 0..<8 { entry = entry & 1 == 1 ? 0xA001 ^ entry >> 1 : entry >> 1 }
    return entry
  }
}
