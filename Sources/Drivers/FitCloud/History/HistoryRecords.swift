// The records of one transfer: where each item is, and when it was measured.

import Bluetooth
import Health
import Wearable

/// A place in records that follow each other. All numbers big-endian.
///
///     byte 0-1   how many items
///     2-3        day (`FitCloudTime.day`)
///     4-5        minute of the day at which the first begins
///     6-7        minutes from one item to the next
///     8-         the items, all of one size
struct HistoryCursor: Sendable {
  struct Item: Sendable, Hashable {
    /// µs of the band's wall clock, as if that were Greenwich's.
    let time: Int64
    /// Minutes to the next one.
    let interval: Int
    /// One byte, or two as a big-endian number.
    let value: UInt16
  }

  static let headerSize = 8
  /// Minutes.
  private static let day = 1440

  /// Bytes of an item: 1 or 2.
  let itemSize: Int
  private(set) var offset: Int
  private var left = 0
  private var time: Int64 = 0
  private var interval = 0

  /// - Parameter offset: where the first record begins.
  init(itemSize: Int, at offset: Int = 0) { (self.itemSize, self.offset) = (itemSize, offset) }

  /// The next item; nil behind the last.
  ///
  /// - Throws: `cut` where a record ends too soon, `malformed` for what is no day, no minute of it, or several items of
  ///   one moment.
  mutating func next(_ bytes: RawBytes) throws(ItemDefect) -> Item? {
    while left == 0 {
      if offset >= bytes.count { return nil }
      try open(bytes)
    }
    guard offset + itemSize <= bytes.count else { throw .cut("a record ends within its items") }
    let value = itemSize == 1 ? UInt16(bytes[offset]) : UInt16(bytes[offset]) << 8 | UInt16(bytes[offset + 1])
    let item = Item(time: time, interval: interval, value: value)
    offset += itemSize
    left -= 1
    // 65,535 items of as many minutes are 8,000 years: no overflow in µs.
    time += Int64(interval) * 60_000_000
    return item
  }

  private mutating func open(_ bytes: RawBytes) throws(ItemDefect) {
    var reader = FitCloudReader(RawBytes(rebasing: bytes[offset...]))
    guard let count = reader.u16(), let date = reader.u16(), let start = reader.u16(), let interval = reader.u16()
    else { throw .cut("a record ends within its header") }
    guard let day = FitCloudTime.day(date) else { throw .malformed("a record of no day") }
    guard Int(start) < Self.day else { throw .malformed("a record of minute \(start)") }
    guard interval > 0 || count < 2 else { throw .malformed("\(count) items of one moment") }
    guard Int(count) * itemSize <= reader.remaining else { throw .cut("a record ends within its items") }
    (left, time, self.interval) = (Int(count), day + Int64(start) * 60_000_000, Int(interval))
    offset += Self.headerSize
  }
}

extension HistoryCursor {
  /// All records are whole, and nothing is behind them.
  static func fits(_ bytes: RawBytes, itemSize: Int, at offset: Int = 0) -> Bool {
    var cursor = HistoryCursor(itemSize: itemSize, at: offset)
    do throws(ItemDefect) { while try cursor.next(bytes) != nil {} } catch { return false }
    return true
  }

  /// From the first moment to the end of the last; nil where the records cannot be read, or are none.
  static func span(_ bytes: RawBytes, itemSize: Int, at offset: Int = 0) -> Range<Int64>? {
    var cursor = HistoryCursor(itemSize: itemSize, at: offset)
    var (first, last): (Int64, Int64) = (.max, .min)
    do throws(ItemDefect) {
      while let item = try cursor.next(bytes) {
        first = min(first, item.time)
        last = max(last, item.time + Int64(max(1, item.interval)) * 60_000_000)
      }
    } catch { return nil }
    return first < last ? first..<last : nil
  }
}
