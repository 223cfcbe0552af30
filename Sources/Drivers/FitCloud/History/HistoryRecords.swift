// Records of one transfer: position and time of each item.

import Bluetooth
import Health
import Wearable

/// Cursor through consecutive records. All numbers are big-endian.
///
///     byte 0-1   number of items
///     2-3        day (`FitCloudTime.day`)
///     4-5        minute of the day at which the first item begins
///     6-7        minutes from one item to the next
///     8-         the items, all of one size
struct HistoryCursor: Sendable {
  struct Item: Sendable, Hashable {
    /// µs of the band's local time, counted as if it were UTC.
    let time: Int64
    /// Minutes to the next item.
    let interval: Int
    /// Number of one or two bytes, big-endian.
    let value: UInt16

    /// µs to the next item, at least a minute.
    var length: Int64 { Int64(max(1, interval)) * HistoryPlacing.minute }
  }

  static let headerSize = 8
  /// Minutes.
  private static let day = 1440

  /// Bytes of an item: 1 or 2.
  let itemSize: Int
  private(set) var offset: Int
  /// Runs of skipped bytes that are no record.
  private(set) var unread = 0
  /// Whether a skipped record had an impossible count, so that its length is unknown.
  private(set) var isTorn = false
  private var left = 0
  private var time: Int64 = 0
  private var interval = 0

  /// - Parameter offset: start of the first record.
  init(itemSize: Int, at offset: Int = 0) { (self.itemSize, self.offset) = (itemSize, offset) }

  /// The next item; nil after the last.
  ///
  /// - Throws: `cut` if a record ends too soon; `malformed` for an invalid day or minute, or for several items at one
  ///   moment.
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

  /// The next item of a readable record; nil after the last. Unreadable records are skipped and counted, so that a
  /// single memory defect does not hide the records after it.
  mutating func nextSound(_ bytes: RawBytes) -> Item? {
    while true {
      do throws(ItemDefect) { return try next(bytes) } catch {
        unread += 1
        offset = behindDefect(bytes)
      }
    }
  }

  /// Offset after an unreadable record, according to its count. If the count exceeds the bytes, the next offset from
  /// which all records are sound; otherwise the end.
  private mutating func behindDefect(_ bytes: RawBytes) -> Int {
    var reader = FitCloudReader(RawBytes(rebasing: bytes[offset...]))
    let end = offset + Self.headerSize + Int(reader.u16() ?? .max) * itemSize
    if end <= bytes.count { return end }
    isTorn = true
    var budget = Self.searched
    var place = offset + 1
    while place + Self.headerSize < bytes.count, budget > 0 {
      if Self.chain(bytes, at: place, itemSize, &budget).isSound { return place }
      place += 1
    }
    return bytes.count
  }

  /// Maximum number of headers examined in that search: a transfer of 64 KiB has no more.
  private static let searched = 8192

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
  /// Whether all records are complete, with no bytes after them.
  static func fits(_ bytes: RawBytes, itemSize: Int, at offset: Int = 0) -> Bool {
    var cursor = HistoryCursor(itemSize: itemSize, at: offset)
    do throws(ItemDefect) { while try cursor.next(bytes) != nil {} } catch { return false }
    return true
  }

  /// Whether these bytes are mostly readable records with items of this size.
  static func reads(_ bytes: RawBytes, itemSize: Int, at offset: Int = 0) -> Bool {
    var budget = bytes.count
    let chain = chain(bytes, at: offset, itemSize, &budget)
    return chain.isWhole && chain.unsound <= chain.sound / 2
  }

  private struct Chain {
    var (sound, unsound, items) = (0, 0, 0)
    /// The last record ends with the bytes.
    var isWhole = false
    /// Last day in µs, and whether each record is within a year of its predecessor.
    var day: Int64?
    var isSteady = true
    var isSound: Bool { isWhole && isSteady && unsound == 0 && items > 0 }

    mutating func note(_ next: Int64) {
      if let day, (next - day).magnitude > 366 * 86_400_000_000 { isSteady = false }
      day = next
    }
  }

  /// Follows the counts of the records, without reading items.
  private static func chain(_ bytes: RawBytes, at offset: Int, _ itemSize: Int, _ budget: inout Int) -> Chain {
    var (chain, place) = (Chain(), offset)
    while place < bytes.count, budget > 0 {
      budget -= 1
      var reader = FitCloudReader(RawBytes(rebasing: bytes[place...]))
      guard let count = reader.u16(), let date = reader.u16(), let start = reader.u16(), let interval = reader.u16(),
        Int(count) * itemSize <= reader.remaining
      else { return chain }
      let day = FitCloudTime.day(date)
      if let day, Int(start) < Self.day, interval > 0 || count < 2 {
        chain.sound += 1
        chain.note(day)
      } else {
        chain.unsound += 1
      }
      chain.items += Int(count)
      place += headerSize + Int(count) * itemSize
    }
    chain.isWhole = place == bytes.count
    return chain
  }
}
