// The end of a transfer, by which it is found again in a later one: the band goes on behind it.

import Bluetooth
import Health

/// A digest of the last items with a value. Their numbers alone would not do, as a band overwrites its oldest.
struct HistoryTail: Sendable {
  /// Items that are compared: times and values of a clock that was set back may come twice, but hardly three of them in
  /// a row.
  private static let length = 3

  private var newest: [UInt64] = []
  private var count = 0

  /// FNV-1a's prime.
  private static let prime: UInt64 = 0x0000_0100_0000_01B3

  private mutating func note(_ item: HistoryCursor.Item) {
    let words = [UInt64(bitPattern: item.time), UInt64(truncatingIfNeeded: item.interval), UInt64(item.value)]
    newest.append(words.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ $1) &* Self.prime })
    if newest.count > Self.length { newest.removeFirst() }
    count += 1
  }

  /// Never 0.
  private var digest: UInt64 { newest.reduce(UInt64(newest.count)) { ($0 ^ $1) &* Self.prime } | 1 }

  private static func walk(
    _ bytes: RawBytes, _ kind: HistoryKind, _ body: (HistoryCursor.Item, borrowing HistoryTail) -> Void
  ) {
    var tail = HistoryTail()
    guard var cursor = HistoryReading(kind).cursor(bytes) else { return }
    while let item = cursor.nextSound(bytes) {
      if item.value == 0 { continue }
      tail.note(item)
      body(item, tail)
    }
  }

  /// Of the last item that has a time: a defect of a band's memory may stay behind all that it records.
  ///
  /// - Parameter placing: of the transfer, before its first item.
  /// - Returns: nil without one, and where items are not told apart.
  static func last(of bytes: RawBytes, _ kind: HistoryKind, _ placing: HistoryPlacing) -> UInt64? {
    var (placing, last) = (placing, nil as UInt64?)
    walk(bytes, kind) { item, tail in if placing.place(item).era != nil { last = tail.digest } }
    return last
  }

  /// Behind how many items with a value each of these ends first; none where it is not there.
  static func places(_ tails: Set<UInt64>, in bytes: RawBytes, _ kind: HistoryKind) -> [UInt64: Int] {
    var places: [UInt64: Int] = [:]
    if tails.isEmpty { return places }
    walk(bytes, kind) { _, tail in
      let digest = tail.digest
      if tails.contains(digest), places[digest] == nil { places[digest] = tail.count }
    }
    return places
  }
}
