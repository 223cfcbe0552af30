// What was fetched from a wearable and is to become durable as one: samples, cursors, the visit that brought them.

public import EventLoop
public import Health
public import Reasons

/// Samples of one wearable, collected before they are committed. Filled by a driver's stage, handed to `Store.commit`.
public struct FetchedBatch: Sendable {
  /// Of memory: a file section of several hours of heart rate, or of an hour of accelerometer blocks. What is larger comes in several batches,
  /// each with its own source.
  public static let footprintLimit = 4 << 20
  /// Bytes of one record, which are cut into items of `ItemColumns.bytesLimit`.
  public static let recordLimit = 1 << 20

  public let wearable: WearableID
  /// Names the place on the wearable: file, section, range. At most 255 bytes of UTF-8. The same samples under another name are another batch.
  public let source: String
  /// Where fetching of a series has come to with this batch.
  public var cursors: [FetchCursor] = []
  /// The visit as it stands, written with the batch.
  public var visit: VisitRecord
  /// By series, in the order of their numbers.
  private(set) var items: [(series: Series, columns: ItemColumns)] = []
  private(set) var footprint = 0

  /// - Throws: `storeBatchTooLarge` for a source that is too long.
  public init(wearable: WearableID, source: String, visit: VisitRecord) throws(HearthError) {
    if source.utf8.count > Receipt.sourceLimit {
      throw HearthError(.storeBatchTooLarge, "a source of \(source.utf8.count) bytes; at most \(Receipt.sourceLimit)")
    }
    self.wearable = wearable
    self.source = source
    self.visit = visit
  }

  public var count: Int { items.reduce(0) { $0 + $1.columns.count } }

  /// A scalar.
  ///
  /// - Throws: `storeBatchTooLarge`; the batch is as it was.
  public mutating func append(_ series: Series, _ value: Int64, at time: WallTime, flags: SampleFlags = .fetched) throws(HearthError) {
    try withUnsafeRoom(series, 24) { columns in columns.append(time: time.microseconds, flags: flags.rawValue, value: value) }
  }

  /// An item of any layout: `values` as many as the layout of the series has, `bytes` only where it has some.
  ///
  /// - Throws: `storeBatchTooLarge`; the batch is as it was.
  public mutating func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8] = [], at time: WallTime, flags: SampleFlags = .fetched
  ) throws(HearthError) {
    precondition(values.count == series.layout.valueCount && (bytes.isEmpty || series.layout.hasBytes), "an item of another layout than its series'")
    if bytes.count > Self.recordLimit { throw HearthError(.storeBatchTooLarge, "a record of \(bytes.count) bytes; at most \(Self.recordLimit)") }
    try withUnsafeRoom(series, 24 + values.count * 8 + bytes.count) { columns in
      values.withUnsafeBufferPointer { values in
        bytes.withUnsafeBytes { bytes in
          var rest = bytes[...]
          repeat {
            let part = rest.prefix(ItemColumns.bytesLimit)
            rest = rest.dropFirst(part.count)
            let flags = SampleFlags(origin: flags.origin, kind: flags.kind, isManual: flags.isManual, goesOn: !rest.isEmpty)
            columns.append(time: time.microseconds, flags: flags.rawValue, values: values, bytes: UnsafeRawBufferPointer(rebasing: part))
          } while !rest.isEmpty
        }
      }
    }
  }

  private mutating func withUnsafeRoom(_ series: Series, _ size: Int, _ body: (inout ItemColumns) -> Void) throws(HearthError) {
    if footprint + size > Self.footprintLimit {
      throw HearthError(.storeBatchTooLarge, "more than \(Self.footprintLimit) bytes in one batch")
    }
    footprint += size
    var place = items.firstIndex { $0.series.id >= series.id } ?? items.count
    if place == items.count || items[place].series != series {
      let layout = series.layout
      items.insert((series, ItemColumns(valueCount: layout.valueCount, hasBytes: layout.hasBytes)), at: place)
      place = items.firstIndex { $0.series == series } ?? place
    }
    body(&items[place].columns)
  }
}
