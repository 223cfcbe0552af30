// The bytes of an item that is made of records: each with its length before it.

import Bluetooth
import Wearable

/// Two bytes of length, little-endian, then the record: as it came over the air.
enum RecordBytes {
  static func joined(_ records: [[UInt8]]) -> [UInt8] {
    var bytes: [UInt8] = []
    for record in records {
      bytes.append(littleEndian: UInt16(clamping: record.count))
      bytes += record.prefix(Int(UInt16.max))
    }
    return bytes
  }

  /// Calls with each record in place.
  ///
  /// - Throws: `cut` where the bytes end within one, and what `body` throws.
  static func each(_ bytes: RawBytes, _ body: (RawBytes) throws(ItemDefect) -> Void) throws(ItemDefect) {
    var reader = ByteReader(bytes)
    while !reader.isAtEnd {
      guard let length = reader.u16(), let record = reader.take(Int(length)) else {
        throw .cut("\(reader.remaining) bytes of a record")
      }
      try body(record)
    }
  }
}
