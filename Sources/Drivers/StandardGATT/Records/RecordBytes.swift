// The bytes of an item of records: each record with its length before it.

import Bluetooth
import Wearable

/// Two bytes, little-endian: the length of a record, and bit 15 if its values came live and are stored already. The
/// record follows as it was received.
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

  /// The record at `place`, and whether its values came live; moves `place` behind it. Nil at the end.
  ///
  /// - Throws: `cut` if the bytes end within the record.
  static func next(_ bytes: RawBytes, at place: inout Int) throws(ItemDefect) -> (record: RawBytes, isTold: Bool)? {
    if place >= bytes.count { return nil }
    var reader = ByteReader(RawBytes(rebasing: bytes[place...]))
    guard let head = reader.u16(), let record = reader.take(Int(head & ~toldLive)) else {
      throw .cut("\(reader.remaining) bytes of a record")
    }
    place += reader.offset
    return (record, head & toldLive != 0)
  }
}
