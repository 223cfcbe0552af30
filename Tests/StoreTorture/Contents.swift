// What `Work` puts into a store and `Check` expects there: every item follows from its wearable and its ordinal.

import EventLoop
import Glibc
import Health
import RingStore

enum Contents {
  static let wearables: UInt64 = 30
  static let live = Series.rrInterval
  static let fetched = Series.ppi
  /// A record with bytes goes along with every fifth batch.
  static let record = Series.exercise
  static let reader = "torture"
  /// Fetched items are a second apart from here on: 2026-01-01.
  private static let origin: Int64 = 1_767_225_600_000_000

  static func name(_ wearable: WearableID) -> String { "w\(wearable.number)" }

  /// Live samples are dealt to the wearables in turn.
  static func wearable(ofLive number: UInt64) -> WearableID { WearableID(number: UInt32(number % wearables + 1)) }

  /// How many of the first `count` live samples are this wearable's.
  static func liveItems(of wearable: WearableID, in count: UInt64) -> UInt64 {
    (count + wearables - UInt64(wearable.number)) / wearables
  }

  /// The number of the sample, and bits that do not compress.
  static func liveValue(_ number: UInt64) -> Int64 { Int64(number << 12 | hash(number) & 0xFFF) }

  static func fetchedValues(_ wearable: WearableID, _ ordinal: UInt64) -> [Int64] {
    [Int64(ordinal), Int64(wearable.number), Int64(hash(ordinal << 8 | UInt64(wearable.number)) & 0xFFFF_FFFF)]
  }

  static func fetchedTime(_ ordinal: UInt64) -> WallTime { WallTime(microseconds: origin + Int64(ordinal) * 1_000_000) }

  static func recordBytes(_ position: UInt64) -> [UInt8] {
    [UInt8](repeating: UInt8(truncatingIfNeeded: position), count: Int(hash(position) % 65_536))
  }

  /// The item on the wearable with a batch that begins at `first`.
  static func item(_ wearable: WearableID, first: UInt64) -> String { "\(name(wearable))/\(first)" }

  /// What is fetched of that item before it is whole.
  static func stagedBytes(_ wearable: WearableID, first: UInt64) -> [UInt8] {
    let seed = first << 8 | UInt64(wearable.number)
    return (0..<Int(1000 + hash(seed) % 60_000)).map {
      UInt8(truncatingIfNeeded: hash(seed &+ UInt64($0 / 8)) >> (8 * UInt64($0 % 8)))
    }
  }

  /// Grows with every byte that is kept, and with every item that is whole.
  static func staged(_ first: UInt64, _ bytes: Int) -> UInt64 { first * 1_000_000 + UInt64(bytes) }
  /// An item that lost its bytes to make room: they need not be there.
  static let wasGivenUp = "was given up"
  static func givenUp(_ first: UInt64) -> UInt64 { staged(first, 999_999) }

  /// The batch that goes on at item `first` of this wearable; the same arguments give the same batch.
  static func batch(_ wearable: WearableID, first: UInt64, count: UInt64, visit: VisitRecord) throws -> FetchedBatch {
    var batch = try FetchedBatch(wearable: wearable, place: "\(name(wearable))/\(first)", visit: visit)
    for ordinal in first..<(first + count) {
      try batch.append(fetched, fetchedValues(wearable, ordinal), at: fetchedTime(ordinal))
    }
    if first % 5 == 0 { try batch.append(record, [Int64(first)], bytes: recordBytes(first), at: fetchedTime(first)) }
    return batch
  }

  /// Long bytes are stored in several items and given as one, which has the last one's ordinal.
  static func parts(_ item: StoredSample) -> UInt64 { UInt64(max(1, (item.bytes.count + 3799) / 3800)) }
  /// Of the longest record.
  static let partsLimit: UInt64 = (65_535 + 3799) / 3800

  /// The fault of an item; nil if it has no fault.
  static func complaint(_ item: StoredSample) -> String? {
    let expected: [Int64]
    switch (item.series, item.way) {
    case (live, .live): expected = [liveValue(item.ordinal * wearables + UInt64(item.wearable.number) - 1)]
    case (fetched, .fetched): expected = fetchedValues(item.wearable, item.ordinal)
    case (record, .fetched):
      // Of a record that was evicted in part the end is there.
      let bytes = recordBytes(UInt64(item.value))
      let isEnd = item.bytes.count <= bytes.count && memcmp(item.bytes, bytes, item.bytes.count) == 0
      return isEnd ? nil : "\(place(item)) has strange bytes"
    default: return "\(place(item)) was never written"
    }
    let values = item.values.isEmpty ? [item.value] : item.values
    return values == expected ? nil : "\(place(item)) has \(values), not \(expected)"
  }

  static func place(_ item: StoredSample) -> String {
    "item \(item.ordinal) of wearable \(item.wearable.number) \(item.series.name) (\(item.way.name))"
  }

  /// The position after the receipt, at which fetching goes on.
  static func position(_ receipt: Receipt) -> UInt64 {
    receipt.ranges.first { $0.ring.seriesNumber == fetched.id }.map { $0.first + $0.count } ?? 0
  }

  static func line(_ receipt: Receipt) -> String {
    "receipt \(receipt.number) \(receipt.source) \(receipt.items) \(position(receipt))"
  }

  /// Values of an interval that do not compress.
  static func noise(_ number: UInt64) -> Int64 { Int64(400 + hash(number) % 1200) }

  /// SplitMix64's finish.
  static func hash(_ value: UInt64) -> UInt64 {
    var z = value &+ 0x9E37_79B9_7F4A_7C15
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }
}

extension RingStatus {
  /// The last ordinal plus one, by its row: its items have no gaps.
  var end: UInt64 { items + evicted + purged }
}
