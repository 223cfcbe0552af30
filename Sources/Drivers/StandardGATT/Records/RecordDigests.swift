// How the records of one item are known again: by digests of their own bytes, as custody keeps them.

import Wearable

/// Digests of records that are durable, or will be with what is fetched now, and up to which number all are.
///
///     0      layout, 1
///     1-4    up to this number all records are durable; 0 where they have none
///     then   four bytes for each record
///
/// Two records of one item are taken for one where their digests are the same. That befalls one new record in eight
/// million beside `limit` others.
struct RecordDigests: Sendable, Hashable {
  private(set) var digests: Set<UInt32> = []
  private(set) var highest: UInt32 = 0

  private static let layout: UInt8 = 1
  private static let head = 5
  /// Records of one item: (2048 − 5) / 4 fit what custody keeps, rounded down.
  static let limit = 500

  init() {}

  /// From what custody kept; empty for what is none.
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

  /// `highest` alone of what custody kept.
  static func highest(_ progress: [UInt8]) -> UInt32 { RecordDigests(Array(progress.prefix(head))).highest }

  var progress: [UInt8] {
    var bytes = [Self.layout]
    bytes.append(littleEndian: highest)
    for digest in digests.sorted() { bytes.append(littleEndian: digest) }
    return bytes
  }

  mutating func insert(_ digest: UInt32) { digests.insert(digest) }

  /// All records up to this number are durable, or are with this item.
  mutating func reach(_ number: UInt32) { highest = max(highest, number) }

  /// Leaves out what is not among these.
  mutating func keep(_ present: Set<UInt32>) { digests.formIntersection(present) }

  /// Tells this content from another at the same place.
  var mark: String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for digest in digests.sorted() { hash = (hash ^ UInt64(digest)) &* 0x0000_0100_0000_01B3 }
    return "\(digests.count)-\(String(hash, radix: 16))"
  }

  /// Of what is the same of a record whenever it is sent. Those without a time may have the same bytes and are two
  /// measurements all the same: `occurrence` tells how many like it came before it in one reading.
  static func digest(_ bytes: [UInt8], occurrence: Int) -> UInt32 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    hash = (hash ^ UInt64(truncatingIfNeeded: occurrence)) &* 0x0000_0100_0000_01B3
    return UInt32(truncatingIfNeeded: hash ^ (hash >> 32))
  }
}
