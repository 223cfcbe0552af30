// Digests by which the records of an item are recognised later; custody stores them.

import Wearable

/// Digests of records that are durable, or will be with the present fetch, and the number up to which all records are.
///
///     0      layout, 1
///     1-4    up to this number all records are durable; 0 if they have no numbers
///     then   four bytes for each record
///
/// Two records of an item with the same digest are treated as one. The probability for a new record beside `limit`
/// others is one in eight million.
struct RecordDigests: Sendable, Hashable {
  private(set) var digests: Set<UInt32> = []
  private(set) var highest: UInt32 = 0

  private static let layout: UInt8 = 1
  private static let head = 5
  /// Maximum number of records of an item: (2048 − 5) / 4 fit into the progress that custody stores, rounded down.
  static let limit = 500

  init() {}

  /// Reads stored progress; empty for malformed bytes.
  init(_ progress: [UInt8]) {
    guard progress.count >= Self.head, progress[0] == Self.layout else { return }
    func word(_ place: Int) -> UInt32 { (0..<4).reduce(0) { $0 | UInt32(progress[place + $1]) << (8 * UInt32($1)) } }
    highest = word(1)
    var place = Self.head
    while place + 4 <= progress.count {
      digests.insert(word(place))
      place += 4
    }
  }

  /// Returns only `highest` of stored progress.
  static func highest(_ progress: [UInt8]) -> UInt32 { RecordDigests(Array(progress.prefix(head))).highest }

  var progress: [UInt8] {
    var bytes = [Self.layout]
    bytes.append(littleEndian: highest)
    for digest in digests.sorted() { bytes.append(littleEndian: digest) }
    return bytes
  }

  mutating func insert(_ digest: UInt32) { digests.insert(digest) }

  /// Notes that all records up to this number are durable, or will be with this item.
  mutating func reach(_ number: UInt32) { highest = max(highest, number) }

  /// Removes all digests that are not in `present`.
  mutating func keep(_ present: Set<UInt32>) { digests.formIntersection(present) }

  /// Distinguishes this content from another at the same place.
  var mark: String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for digest in digests.sorted() { hash = (hash ^ UInt64(digest)) &* 0x0000_0100_0000_01B3 }
    return "\(digests.count)-\(String(hash, radix: 16))"
  }

  /// Digest of a record's identity. Records without a time may have equal bytes and still be two measurements.
  /// `occurrence` is the number of equal ones before it in the same reading.
  static func digest(_ bytes: [UInt8], occurrence: Int) -> UInt32 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    hash = (hash ^ UInt64(truncatingIfNeeded: occurrence)) &* 0x0000_0100_0000_01B3
    return UInt32(truncatingIfNeeded: hash ^ (hash >> 32))
  }
}
