// End of a transfer, by which a later transfer is aligned: newer records follow it.

import Bluetooth
import Health

/// Digest of the last items with a value. Their number alone is not enough, as a band overwrites its oldest records.
struct HistoryTail: Sendable {
  /// Items that are compared. After a clock was set back the same time and value may come twice, but hardly three times
  /// in a row.
  private static let length = 3

  private var newest: [UInt64] = []
  private var count = 0

  /// Prime of FNV-1a.
  private static let prime: UInt64 = 0x0000_0100_0000_01B3

  private mutating func note(_ item: HistoryCursor.Item) {
    let words = [UInt64(bitPattern: item.time), UInt64(truncatingIfNeeded: item.interval), UInt64(item.value)]
    newest.append(words.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ $1) &* Self.prime })
    if newest.count > Self.length { newest.removeFirst() }
    count += 1
  }

  /// Digest, never 0.
  private var digest: UInt64 { newest.reduce(UInt64(newest.count)) { ($0 ^ $1) &* Self.prime } | 1 }

  private static func walk(
    _ bytes: RawBytes, _ kind: HistoryKind, _ body: (HistoryCursor.Item, borrowing HistoryTail) -> Void
  ) {
    var tail = HistoryTail()
    guard var cursor = HistoryReading(kind).cursor(bytes) else { return }
    while let item = cursor.nextSound(bytes) {
      if kind.isNone(item) { continue }
      tail.note(item)
      body(item, tail)
    }
  }

  /// Digest at the last item that has a time. A memory defect may stay behind everything that the band records.
  ///
  /// - Parameter placing: of the transfer, before its first item.
  /// - Returns: nil if no item has a time, and for kinds without items.
  static func last(of bytes: RawBytes, _ kind: HistoryKind, _ placing: HistoryPlacing) -> UInt64? {
    var (placing, last) = (placing, nil as UInt64?)
    walk(bytes, kind) { item, tail in
      if placing.place(item).era != nil || !placing.isAhead(item) { last = tail.digest }
    }
    return last
  }

  /// Finds for each digest the number of items with a value up to its place, in ascending order; nil if not found. A
  /// clock that was set back may show the same items again: the first reach of an era is their first occurrence.
  ///
  /// - Parameter tails: digests in the order in which they were the last.
  static func places(_ tails: [(digest: UInt64, isFirst: Bool)], in bytes: RawBytes, _ kind: HistoryKind) -> [Int?] {
    if tails.isEmpty { return [] }
    let wanted = Set(tails.map(\.digest))
    var ends: [UInt64: [Int]] = [:]
    walk(bytes, kind) { _, tail in
      let digest = tail.digest
      if wanted.contains(digest) { ends[digest, default: []].append(tail.count) }
    }
    var last = 0
    return tails.map { tail in
      let places = ends[tail.digest, default: []].filter { $0 >= last }
      let place = tail.isFirst ? places.first : places.last
      last = place ?? last
      return place
    }
  }
}
