// The item of a stored record: records of a stretch of time, or of numbers, form one item.

import Bluetooth
import Health
import Wearable

/// Place of one record among the items: slot, time and number.
struct RecordPlace: Sendable, Hashable {
  /// Name of the item, after that of the domain.
  let slot: String
  /// The record's own time, µs on the wearable's clock; nil without one.
  var begins: Int64?
  /// The record's slot before its time became known or unknown; nil if that never changes.
  var formerSlot: String?
  /// The time of the measurement is unknown.
  var isTimeUnsure = false
  /// The wearable's number for it; nil without one.
  var number: UInt32?

  /// Slots that may contain the record: its own, then the former one.
  var slots: [String] { formerSlot.map { [slot, $0] } ?? [slot] }

  /// The place of unreadable records.
  static let odd = RecordPlace(slot: "odd", isTimeUnsure: true)
}

/// Definition of one kind of stored records. Pure.
struct RecordFormat: Sendable {
  /// First part of the names of its items, such as `spot-checks`.
  let id: String
  let series: [Series]
  /// Records have ascending numbers, and can be requested from a number on.
  let isNumbered: Bool
  /// Whether the wearable measures by itself; nil if its records do not show it.
  var isAutomatic: Bool?
  let place: @Sendable (RawBytes) -> RecordPlace
  /// Makes an assembler of values to records.
  let makeAssembly: @Sendable () -> any RecordAssembly
  /// Identity of a record's bytes, by which a repeated one is recognised.
  let identity: @Sendable ([UInt8]) -> RecordIdentity
  /// Mark of a record that may have come live before; nil without a mark.
  var mark: @Sendable (RawBytes) -> ReadingMark? = { _ in nil }
  /// - Throws: if a record cannot be decoded; no part of it has then reached the sink.
  let decode: @Sendable (RawBytes, any ItemSink) throws(ItemDefect) -> Void

  /// Time of records without one: later than any moment, so that the hub uses its own present time, the best bound
  /// there is. The last second of 9999, µs since 1970.
  static let noTime: Int64 = 253_402_300_799_000_000

  var syncDomain: SyncDomain { SyncDomain(id, series, isAutomatic: isAutomatic) }
}

/// The part of a record that is the same in every transmission.
struct RecordIdentity: Sendable, Hashable {
  let bytes: [UInt8]
  /// A time stamp or a number makes the identity unique: equal identities are the same record, however often it is
  /// sent. Otherwise equal identities are separate measurements.
  let isUnique: Bool
  /// The identity that earlier versions of the hub stored; nil if it is the same.
  var formerBytes: [UInt8]?
}

/// Assembles records from the values that carry them.
protocol RecordAssembly: AnyObject {
  /// - Returns: a complete record; nil if more values must follow.
  /// - Throws: if the value is unusable.
  func take(_ value: [UInt8]) throws(DecodeError) -> [UInt8]?
}

/// Each value is a record.
final class WholeRecords: RecordAssembly {
  func take(_ value: [UInt8]) throws(DecodeError) -> [UInt8]? {
    if value.isEmpty { throw .empty }
    return value
  }
}
