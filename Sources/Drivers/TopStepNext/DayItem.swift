// Format of a stored day: its messages behind a header, so that they can be decoded again without the band.

import Bluetooth
import Health
import StateCodec
import Wearable

/// Bytes of one item.
///
///     byte 0   1, the layout
///     1        type of the data, as on the wire
///     2        bit 0: the day was over when it was read; bit 1: before the hub set the clock; bit 2: values that
///              a person started by hand are left out; bits 3-4: unit of sleep lengths that other nights of the
///              band showed (`SleepUnit`), 0 if unknown
///     3-6      first second of values in this item, s since 2000, u32, little-endian
///     7-10     first second after this item, likewise
///     11-14    limit of settled values, likewise. Left out as unsettled: slots and stages that end after it, and
///              automatic values that begin after it
///     then     messages, each behind its length, u16
struct DayItem: Sendable, Hashable {
  var kind: DayKind
  var isOver = false
  var isBeforeSetting = false
  var isAutomaticOnly = false
  var sleepUnit: SleepUnit?
  var from: UInt32 = 0
  var until: UInt32 = .max
  var settled: UInt32 = .max
  var messages: [[UInt8]] = []

  private static let layout: UInt8 = 1

  init(_ kind: DayKind) { self.kind = kind }

  var bytes: [UInt8] {
    var flags: UInt8 = (isOver ? 1 : 0) | (isBeforeSetting ? 2 : 0) | (isAutomaticOnly ? 4 : 0)
    flags |= (sleepUnit?.rawValue ?? 0) << 3
    var bytes: [UInt8] = [Self.layout, kind.rawValue, flags]
    bytes.append(littleEndian: from)
    bytes.append(littleEndian: until)
    bytes.append(littleEndian: settled)
    for message in messages {
      bytes.append(littleEndian: UInt16(clamping: message.count))
      bytes += message
    }
    return bytes
  }

  init(_ bytes: RawBytes) throws(ItemDefect) {
    var reader = ByteReader(bytes)
    guard let layout = reader.u8() else { throw .cut("no bytes") }
    guard layout == Self.layout else { throw .unknownVersion("layout \(layout)") }
    guard let type = reader.u8(), let flags = reader.u8(), let from = reader.u32(), let until = reader.u32(),
      let settled = reader.u32()
    else { throw .cut("its header is not whole") }
    guard let kind = DayKind(rawValue: type) else { throw .unknownVersion("data of the type \(type)") }
    self.kind = kind
    (isOver, isBeforeSetting, isAutomaticOnly) = (flags & 1 != 0, flags & 2 != 0, flags & 4 != 0)
    sleepUnit = SleepUnit(rawValue: flags >> 3 & 3)
    (self.from, self.until, self.settled) = (from, until, settled)
    while !reader.isAtEnd {
      guard let length = reader.u16(), let message = reader.take(Int(length)) else {
        throw .cut("its last message is not whole")
      }
      messages.append(Array(message))
    }
  }

  /// Digest that distinguishes this content from another one of the same place.
  static func mark(_ bytes: [UInt8]) -> String {
    var crc = CRC32C()
    bytes.withUnsafeBytes { crc.update($0) }
    return String(crc.value, radix: 16) + "-\(bytes.count)"
  }

  /// Whether a value of this second belongs to this item.
  func has(_ seconds: Int64) -> Bool { seconds >= Int64(from) && seconds < Int64(until) }
}
