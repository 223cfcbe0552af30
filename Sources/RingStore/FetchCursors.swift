// Cursors: how far fetching from each wearable has come, series by series. They never move back.

public import EventLoop
public import Health

/// How far one series of a wearable was fetched. Moves in the same commit as the data it stands behind.
public struct FetchCursor: Sendable, Hashable {
  public let wearable: WearableID
  public let series: Series
  /// The driver's own measure: a record's number, a device time. Never smaller than before.
  public var position: Int64
  /// The driver's own, at most `markLimit` bytes; a longer one is not kept.
  public var mark: [UInt8]
  /// Number of the visit that moved it.
  public var visit: UInt64
  public var setAt: WallTime

  public static let markLimit = 64

  public init(wearable: WearableID, series: Series, position: Int64, mark: [UInt8] = [], visit: UInt64, setAt: WallTime) {
    self.wearable = wearable
    self.series = series
    self.position = position
    self.mark = mark
    self.visit = visit
    self.setAt = setAt
  }
}

/// The table `cursors`.
enum FetchCursors {
  enum Outcome: Equatable {
    case moved
    /// The cursor stands further already, where it stays.
    case refused(FetchCursor)
  }

  static func load(_ transaction: Transaction, _ wearable: WearableID, _ series: Series) throws(DatabaseFailure) -> FetchCursor? {
    try transaction.record(FetchCursor.self, FetchCursor.key(wearable, series))
  }

  /// Those of one wearable, by series. Cursors of series that this program does not know are passed over, and stay.
  static func all(_ transaction: Transaction, of wearable: WearableID) throws(DatabaseFailure) -> [FetchCursor] {
    try transaction.records(FetchCursor.self, prefix: [UInt8](bigEndian: wearable.number)).records
  }

  /// Moves a cursor forward, or keeps another mark at the same position. A damaged one is replaced: it would never move again.
  static func put(_ transaction: Transaction, _ cursor: FetchCursor) throws(DatabaseFailure) -> Outcome {
    if let old = try load(transaction, cursor.wearable, cursor.series), old.position > cursor.position { return .refused(old) }
    try transaction.put(cursor)
    return .moved
  }

  /// For a wearable of which nothing is left, not even its name.
  static func removeAll(_ transaction: Transaction, of wearable: WearableID) throws(DatabaseFailure) {
    let prefix = [UInt8](bigEndian: wearable.number)
    try transaction.withCursor(transaction.tables.cursors) { cursor throws(DatabaseFailure) in
      while let found = try cursor.seek(prefix), found.key.starts(with: prefix) { try cursor.delete() }
    }
  }
}

/// Key: wearable (u32), series (u16). Tags: 1 position (i64), 2 mark, 3 visit (u64), 4 when (i64).
extension FetchCursor: StoredRecord {
  static var table: any KeyPath<Tables, UInt32> & Sendable { \.cursors }
  static var tags: ClosedRange<UInt8> { 1...4 }

  static func key(_ wearable: WearableID, _ series: Series) -> [UInt8] {
    var key = [UInt8](bigEndian: wearable.number)
    key.append(bigEndian: series.id)
    return key
  }

  var key: [UInt8] { Self.key(wearable, series) }

  func write(to fields: inout FieldWriter) {
    fields.put(1, position)
    if !mark.isEmpty, mark.count <= Self.markLimit { fields.put(2, mark) }
    fields.put(3, visit)
    fields.put(4, setAt.microseconds)
  }

  init?(key: inout StoredReader, fields: inout FieldReader) {
    var position: Int64?, mark: [UInt8]?, visit: UInt64?, setAt: Int64?
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&position)
      case 2: fields.read(&mark, atMost: Self.markLimit)
      case 3: fields.read(&visit)
      case 4: fields.read(&setAt)
      default: break
      }
    }
    guard let wearable = key.bigEndian(UInt32.self), let series = key.bigEndian(UInt16.self).flatMap({ Series(id: $0) }),
      let position, let visit, let setAt
    else { return nil }
    self.init(
      wearable: WearableID(number: wearable), series: series, position: position, mark: mark ?? [], visit: visit,
      setAt: WallTime(microseconds: setAt))
  }
}
