// The bytes of an item that is made of records: each with its length before it.

import Bluetooth
import Wearable

/// Two bytes, little-endian: the length of a record, and bit 15 where its values came live and are in the store. Then
/// the record as it came over the air.
enum RecordBytes {
  private static let toldLive: UInt16 = 0x8000

  static func joined(_ records: [(bytes: [UInt8], isTold: Bool)]) -> [UInt8] {
    var bytes: [UInt8] = []
    for (record, isTold) in records {
      let record = record.prefix(Int(~toldLive))
      bytes.append(littleEndian: UInt16(truncatingIfNeeded: record.count) | (isTold ? toldLive : 0))
      bytes += record
    }
    return bytes
  }

  /// Calls with each record in place, and whether its values came live.
  ///
  /// - Throws: `cut` where the bytes end within one, and what `body` throws.
  static func each(_ bytes: RawBytes, _ body: (RawBytes, Bool) throws(ItemDefect) -> Void) throws(ItemDefect) {
    var reader = ByteReader(bytes)
    while !reader.isAtEnd {
      guard let head = reader.u16(), let record = reader.take(Int(head & ~toldLive)) else {
        throw .cut("\(reader.remaining) bytes of a record")
      }
      try body(record, head & toldLive != 0)
    }
  }
}
