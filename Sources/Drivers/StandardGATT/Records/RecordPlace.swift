// Where a stored record belongs: records of a stretch of time, or of numbers, are one item.

import Bluetooth
import Health
import Wearable

/// What one record says of where it belongs.
struct RecordPlace: Sendable, Hashable {
  /// Behind the name of the domain: names the item.
  let slot: String
  /// Its own time, µs on the wearable's clock; nil where it has none.
  var begins: Int64?
  /// Where the same record belonged before it became known, or unknown, when it was measured; nil: that never changes.
  var formerSlot: String?
  /// Nobody knows when it was measured.
  var isTimeUnsure = false
  /// As the wearable counts it; nil: it does not.
  var number: UInt32?

  /// Where a record of this place may lie: its own slot, then the former one.
  var slots: [String] { formerSlot.map { [slot, $0] } ?? [slot] }

  /// Of what cannot be read.
  static let odd = RecordPlace(slot: "odd", isTimeUnsure: true)
}

/// What tells one kind of stored records from another. Pure.
struct RecordFormat: Sendable {
  /// `spot-checks`: first part of the names of its items.
  let id: String
  let series: [Series]
  /// Records have ascending numbers, and can be asked for from one on.
  let isNumbered: Bool
  /// The wearable measures it by itself; nil: its records do not say.
  var isAutomatic: Bool?
  let place: @Sendable (RawBytes) -> RecordPlace
  /// Puts values together to records.
  let makeAssembly: @Sendable () -> any RecordAssembly
  /// What makes two records one.
  let identity: @Sendable ([UInt8]) -> RecordIdentity
  /// What a record is known by that may have come live before; nil: nothing tells it.
  var mark: @Sendable (RawBytes) -> ReadingMark? = { _ in nil }
  /// - Throws: where a record cannot be read; then nothing of it has reached the sink.
  let decode: @Sendable (RawBytes, any ItemSink) throws(ItemDefect) -> Void

  /// Time of what has none: behind any moment, so that the hub takes its own now, which is the best bound there is.
  /// The last moment of 9999, µs since 1970.
  static let noTime: Int64 = 253_402_300_799_000_000

  var syncDomain: SyncDomain { SyncDomain(id, series, isAutomatic: isAutomatic) }
}

/// What is the same of a record whenever it is sent.
struct RecordIdentity: Sendable, Hashable {
  let bytes: [UInt8]
  /// A time stamp or a number tells it from every other record: what has the same identity is the same record, however
  /// often it is sent. Else two of the same bytes are two measurements.
  let isUnique: Bool
  /// Bytes by which stores knew it that were written by earlier versions of the hub; nil: by the same.
  var formerBytes: [UInt8]?
}

/// Makes records of the values in which they come.
protocol RecordAssembly: AnyObject {
  /// - Returns: a record that is whole now; nil: more has to come.
  /// - Throws: where what came is of no use.
  func take(_ value: [UInt8]) throws(DecodeError) -> [UInt8]?
}

/// Each value is a record.
final class WholeRecords: RecordAssembly {
  func take(_ value: [UInt8]) throws(DecodeError) -> [UInt8]? {
    if value.isEmpty { throw .empty }
    return value
  }
}
