// Data fetched from a wearable that becomes durable in one transaction: samples, and the visit that fetched them.

public import Custody
public import EventLoop
public import Health
public import Reasons

/// Samples of one wearable, collected before they are committed. Filled by a driver's stage, handed to `Store.commit`.
public struct FetchedBatch: Sendable {
  /// Limit in bytes of memory: a file section of several hours of heart rate, or of an hour of accelerometer blocks.
  /// Larger data comes in several batches, each with its own source.
  public static let footprintLimit = 4 << 20
  /// Limit in bytes of one record, which is cut into items of `ItemColumns.bytesLimit`.
  public static let recordLimit = ItemColumns.recordLimit

  /// Wearable that the samples came from.
  public let wearable: WearableID
  /// The place on the wearable. The same samples from another source are another batch.
  public let source: BatchSource
  /// The visit so far, written with the batch.
  public var visit: VisitRecord
  /// Reach of each series of the wearable with this batch: moves its watermark in the same transaction. By number of
  /// the series. Not part of the batch's identity.
  public var reach: [UInt16: FetchedReach] = [:]
  /// Whether items that the store already has are left out, for a series that is fetched from a time on, with an
  /// overlap.
  public var leavesOutRepetitions = false
  /// Items by series, in the order of their numbers; within a series, items with reliable times come first.
  private(set) var items: [(series: Series, isSure: Bool?, columns: ItemColumns)] = []
  private(set) var footprint = 0

  /// An empty batch that is a part of an item, fetched in a visit.
  public init(wearable: WearableID, part: ItemPart, visit: VisitRecord) {
    self.wearable = wearable
    self.source = .part(part)
    self.visit = visit
  }

  /// A batch that is not part of an item.
  ///
  /// - Parameter place: a name on the wearable; at most `BatchSource.textLimit` bytes of UTF-8.
  /// - Throws: `storeBatchTooLarge` for a name that is too long, `custodyInvalid` for one that is reserved for parts
  ///   of items.
  public init(wearable: WearableID, place: String, visit: VisitRecord) throws(HearthError) {
    if place.utf8.count > BatchSource.textLimit {
      throw HearthError(.storeBatchTooLarge, "a source of \(place.utf8.count) bytes; at most \(BatchSource.textLimit)")
    }
    guard case .place = BatchSource(text: place) else {
      throw HearthError(.custodyInvalid, "a place that is named as a part of an item is")
    }
    self.wearable = wearable
    self.source = .place(place)
    self.visit = visit
  }

  /// The series of its items, each once, in the order of their numbers.
  var series: [Series] {
    var all: [Series] = []
    for group in items where all.last != group.series { all.append(group.series) }
    return all
  }

  /// Number of samples of all series.
  public var count: Int { items.reduce(0) { $0 + $1.columns.count } }

  /// Replaces items; a group that becomes empty is removed.
  mutating func replaceItems(_ body: (Series, ItemColumns) -> ItemColumns) {
    let replaced = items.map { (series: $0.series, isSure: $0.isSure, columns: body($0.series, $0.columns)) }
    items = replaced.filter { !$0.columns.isEmpty }
  }

  /// Appends a scalar.
  ///
  /// - Parameter isSure: whether the time rests on a trusted clock; nil if that depends on the hub's clock at the
  ///   commit.
  /// - Throws: `storeBatchTooLarge`; the batch is then unchanged.
  public mutating func append(
    _ series: Series, _ value: Int64, at time: WallTime, flags: SampleFlags = .fetched, isSure: Bool? = nil
  ) throws(HearthError) {
    try withUnsafeRoom(series, isSure, 24) { columns in
      columns.append(time: time.microseconds, flags: flags.rawValue, value: value)
    }
  }

  /// Appends an item of any layout. `values` has the layout's number of values, `bytes` is empty unless the layout has
  /// bytes.
  ///
  /// - Throws: `storeBatchTooLarge`; the batch is then unchanged.
  public mutating func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8] = [], at time: WallTime, flags: SampleFlags = .fetched,
    isSure: Bool? = nil
  ) throws(HearthError) {
    guard values.count == series.layout.valueCount && (bytes.isEmpty || series.layout.hasBytes) else {
      fatalError("an item of another layout than its series'")
    }
    if bytes.count > Self.recordLimit {
      throw HearthError(.storeBatchTooLarge, "a record of \(bytes.count) bytes; at most \(Self.recordLimit)")
    }
    try withUnsafeRoom(series, isSure, 24 + values.count * 8 + bytes.count) { columns in
      values.withUnsafeBufferPointer { values in
        bytes.withUnsafeBytes { bytes in
          var rest = bytes[...]
          repeat {
            let part = rest.prefix(ItemColumns.bytesLimit)
            rest = rest.dropFirst(part.count)
            let flags = SampleFlags(
              origin: flags.origin, kind: flags.kind, isManual: flags.isManual, isLowQuality: flags.isLowQuality,
              goesOn: !rest.isEmpty)
            columns.append(
              time: time.microseconds, flags: flags.rawValue, values: values,
              bytes: UnsafeRawBufferPointer(rebasing: part))
          } while !rest.isEmpty
        }
      }
    }
  }

  private mutating func withUnsafeRoom(
    _ series: Series, _ isSure: Bool?, _ size: Int, _ body: (inout ItemColumns) -> Void
  ) throws(HearthError) {
    if footprint + size > Self.footprintLimit {
      throw HearthError(.storeBatchTooLarge, "more than \(Self.footprintLimit) bytes in one batch")
    }
    footprint += size
    func order(_ isSure: Bool?) -> Int { isSure.map { $0 ? 1 : 2 } ?? 0 }
    let place = items.firstIndex { ($0.series.id, order($0.isSure)) >= (series.id, order(isSure)) } ?? items.count
    if place == items.count || items[place].series != series || items[place].isSure != isSure {
      let layout = series.layout
      items.insert((series, isSure, ItemColumns(valueCount: layout.valueCount, hasBytes: layout.hasBytes)), at: place)
    }
    body(&items[place].columns)
  }
}
