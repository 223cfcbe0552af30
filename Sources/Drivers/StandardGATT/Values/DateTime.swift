// Date Time, as values of medical devices carry it: a local time by a clock that nothing here reads or sets.

import Bluetooth
import Wearable

/// GATT Specification Supplement, Date Time: year (two bytes, little-endian), month, day, hour, minute, second, as they
/// came; 0 in the first three stands for unknown. There is no zone.
struct DateTime: Sendable, Hashable {
  let year: UInt16
  let month: UInt8
  let day: UInt8
  let hour: UInt8
  let minute: UInt8
  let second: UInt8

  /// Throws `truncated` below seven bytes.
  init(_ reader: inout ByteReader) throws(DecodeError) {
    guard let year = reader.u16(), let month = reader.u8(), let day = reader.u8(), let hour = reader.u8(),
      let minute = reader.u8(), let second = reader.u8()
    else { throw .truncated }
    (self.year, self.month, self.day) = (year, month, day)
    (self.hour, self.minute, self.second) = (hour, minute, second)
  }

  /// The day is known.
  var isKnown: Bool { year != 0 && month != 0 && day != 0 }
}
