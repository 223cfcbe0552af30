// The records of an item in `verify` and `decode`, some kilobytes at a time.

import Bluetooth
import Health
import Wearable

/// Records of one slot.
final class RecordPieces: IncrementalDecoder {
  private let format: RecordFormat
  private let item: HeldItem
  /// Progress to store with the item.
  private let progress: [UInt8]?
  private var looked = 0
  private var records = 0
  private var isUnsure = false
  private let values = CountingSink()
  private var decoded = 0

  /// Bytes of a piece: 400 records of 20 bytes, each of them decoded twice, or an observation of the longest kind.
  static let size = 8 << 10

  init(_ format: RecordFormat, _ item: HeldItem, progress: [UInt8]?) {
    (self.format, self.item, self.progress) = (format, item, progress)
  }

  func verifyNext(_ bytes: RawBytes) throws(ItemDefect) -> ItemVerdict? {
    let end = looked + Self.size
    while looked < end {
      guard let (record, isTold) = try RecordBytes.next(bytes, at: &looked) else { return verdict }
      let place = format.place(record)
      guard place.slot != RecordPlace.odd.slot else { throw .malformed("a record that cannot be read") }
      guard "\(format.id)/\(place.slot)" == item.id else { throw .malformed("a record of \(place.slot)") }
      if !isTold { try format.decode(record, values) }
      records += 1
      isUnsure = isUnsure || place.isTimeUnsure
    }
    return nil
  }

  private var verdict: ItemVerdict {
    let noun = records == 1 ? "record" : "records"
    var verdict = ItemVerdict(
      summary: "\(records) \(noun), \(values.count) values", isFinal: true, mark: item.mark, isTimeUnsure: isUnsure)
    verdict.progress = progress
    return verdict
  }

  func decodeNext(_ bytes: RawBytes, into sink: any ItemSink) throws(ItemDefect) -> Bool {
    let end = decoded + Self.size
    while decoded < end {
      guard let (record, isTold) = try RecordBytes.next(bytes, at: &decoded) else { return false }
      if !isTold { try format.decode(record, sink) }
    }
    return true
  }

  func rewind() { decoded = 0 }
}

/// Records that form one item, and its position among the items of a reading.
struct RecordSlot: Comparable {
  let name: String
  let records: [ReadRecord]
  /// Range of their numbers; nil for records without numbers.
  private let numbers: ClosedRange<UInt32>?
  private let begins: Int64

  init(_ name: String, _ records: [ReadRecord]) {
    (self.name, self.records) = (name, records)
    let told = records.compactMap(\.place.number)
    numbers = told.min().flatMap { least in told.max().map { least...$0 } }
    begins = records.compactMap(\.place.begins).min() ?? .max
  }

  private var rank: (UInt32, Int64, String) { (numbers?.lowerBound ?? 0, begins, name) }
  static func < (a: RecordSlot, b: RecordSlot) -> Bool { a.rank < b.rank }
  static func == (a: RecordSlot, b: RecordSlot) -> Bool { a.rank == b.rank }

  /// Returns for each slot in order the number up to which all records are in it and earlier ones; nil without numbers.
  static func reaches(_ order: [RecordSlot]) -> [UInt32?] {
    var behind: UInt32?
    var least: [UInt32?] = []
    for slot in order.reversed() {
      least.append(behind)
      behind = [behind, slot.numbers?.lowerBound].compactMap { $0 }.min()
    }
    var upTo: UInt32?
    return zip(order, least.reversed()).map { slot, behind in
      upTo = [upTo, slot.numbers?.upperBound].compactMap { $0 }.max()
      return upTo.map { upTo in behind.map { min(upTo, $0 &- 1) } ?? upTo }
    }
  }
}

/// Counts the decoded values.
private final class CountingSink: ItemSink {
  private(set) var count = 0

  func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool
  ) { count += 1 }
  func noteAnomaly(_ what: StaticString) {}
}
