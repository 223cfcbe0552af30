// Readers: named cursors of exports, and what each has confirmed.

public import EventLoop
internal import StateCodec

/// A named export cursor.
public struct ExportReader: Sendable, Hashable {
  /// The same rules as for a wearable's name.
  public let name: String
  /// Time of the first export.
  public let createdAt: WallTime
  /// Time of the last confirmation.
  public var confirmedAt: WallTime
  /// Number of items confirmed since the reader was made.
  public var items: UInt64
  /// Rings, each with the ordinal below which all is confirmed.
  public var rings: [RingID: UInt64]
  /// The user of the last confirmation: at most `byLimit` bytes of UTF-8; a longer text is cut.
  public var by: String
  /// Number of the last correction that it confirmed. 0 in records of earlier writers, which made no corrections.
  public var corrections: UInt64
  /// The last boot of which it confirmed the rows with corrected times. nil for no boot, as in records of earlier
  /// writers.
  public var clock: BootID?

  /// Longest name of a user in bytes.
  public static let byLimit = 64
  /// The number of rings that one record can hold.
  public static let ringLimit = 3800

  /// A reader with the ordinals that it has confirmed.
  public init(
    name: String, createdAt: WallTime, confirmedAt: WallTime, items: UInt64 = 0, rings: [RingID: UInt64] = [:],
    by: String = "", corrections: UInt64 = 0, clock: BootID? = nil
  ) {
    self.name = name
    self.createdAt = createdAt
    self.confirmedAt = confirmedAt
    self.items = items
    self.rings = rings
    self.by = by
    self.corrections = corrections
    self.clock = clock
  }
}

/// Rows and corrections that a reader confirms.
struct GivenRows: Sendable {
  /// Ordinals, by ring, below which all was given out.
  var positions: [RingID: UInt64]
  /// Items since the last confirmation.
  var items: UInt64 = 0
  /// Number of the last correction given out.
  var corrections: UInt64 = 0
  /// The last boot of which all corrected times were given out; nil before the first.
  var clock: BootID?
}

/// The table `readers`.
enum Readers {
  static let limit = 64

  enum Outcome: Equatable {
    case kept
    /// Refusal because there are `limit` other readers already; the store is unchanged.
    case tooMany
    /// The reader names more than `ExportReader.ringLimit` rings; the store is unchanged.
    case tooLarge
  }

  static func load(_ transaction: Transaction, _ name: String) throws(DatabaseFailure) -> ExportReader? {
    if name.isEmpty { return nil }
    return try transaction.record(ExportReader.self, Array(name.utf8))
  }

  /// Returns the readers, by name.
  static func all(_ transaction: Transaction) throws(DatabaseFailure) -> RecordList<ExportReader> {
    try transaction.records(ExportReader.self)
  }

  /// Writes a reader with a valid name.
  static func put(_ transaction: Transaction, _ reader: ExportReader) throws(DatabaseFailure) -> Outcome {
    if reader.rings.count > ExportReader.ringLimit { return .tooLarge }
    let isNew = try transaction.get(transaction.tables.readers, reader.key) == nil
    if isNew, transaction.entries(transaction.tables.readers) >= limit { return .tooMany }
    try transaction.put(reader)
    return .kept
  }

  /// Stores a reader's confirmation; positions only grow.
  static func confirm(
    _ transaction: Transaction, _ name: String, _ given: GivenRows, by: String, at time: WallTime
  ) throws(DatabaseFailure) -> Outcome {
    var reader = try load(transaction, name) ?? ExportReader(name: name, createdAt: time, confirmedAt: time)
    reader.confirmedAt = time
    reader.items &+= given.items
    reader.by = by
    reader.corrections = max(reader.corrections, given.corrections)
    reader.clock = given.clock ?? reader.clock
    for (ring, ordinal) in given.positions { reader.rings[ring] = max(ordinal, reader.rings[ring] ?? 0) }
    return try put(transaction, reader)
  }

  /// Positions below which items count as exported, after the reader `name` confirmed up to `positions`.
  ///
  /// - Parameter awaited: see `StoreOptions.awaitedReaders`.
  static func exported(
    _ transaction: Transaction, _ name: String, _ positions: [RingID: UInt64], awaiting awaited: [String]
  ) throws(DatabaseFailure) -> [RingID: UInt64] {
    if awaited.isEmpty { return positions }
    if !awaited.contains(name) { return [:] }
    var exported = positions
    for other in awaited where other != name {
      let reader = try load(transaction, other)
      for (ring, ordinal) in exported { exported[ring] = min(ordinal, reader?.rings[ring] ?? 0) }
    }
    return exported
  }

  /// Ordinals below which a ring's items are confirmed: by any reader, and by all that are awaited.
  ///
  /// - Parameter awaited: see `StoreOptions.awaitedReaders`. Empty: any reader's word counts.
  static func reach(
    _ transaction: Transaction, _ ring: RingID, awaiting awaited: [String]
  ) throws(DatabaseFailure) -> (any: UInt64, all: UInt64) {
    var positions: [String: UInt64] = [:]
    for reader in try all(transaction).records {
      // A number beyond the last one is damage.
      if let ordinal = reader.rings[ring], ordinal < RecordNumber.end { positions[reader.name] = ordinal }
    }
    let furthest = positions.values.max() ?? 0
    return (furthest, awaited.map { positions[$0] ?? 0 }.min() ?? furthest)
  }

  /// Deletes a reader, and returns it. Items that it confirmed still count as exported.
  static func remove(_ transaction: Transaction, _ name: String) throws(DatabaseFailure) -> ExportReader? {
    guard let reader = try load(transaction, name) else { return nil }
    try transaction.delete(transaction.tables.readers, reader.key)
    return reader
  }
}

/// Key: name. Tags: 1 made (i64), 2 last confirmation (i64), 3 items (u64). 4 a ring: its name (7 bytes, big-endian),
/// ordinal (u64); repeated, in the order of the rings. 5 by which user; 6 corrections (u64); 7 boot of the last
/// corrected times (two u64).
extension ExportReader: StoredRecord {
  static var table: any KeyPath<Tables, UInt32> & Sendable { \.readers }
  static var tags: ClosedRange<UInt8> { 1...7 }

  var key: [UInt8] { Array(name.utf8) }

  func write(to fields: inout FieldWriter) {
    fields.put(1, createdAt.microseconds)
    fields.put(2, confirmedAt.microseconds)
    fields.put(3, items)
    for (ring, ordinal) in rings.sorted(by: { $0.key < $1.key }) {
      var content = [UInt8](bigEndian: ring.wearable.number)
      content.append(bigEndian: ring.seriesNumber)
      content.append(ring.way.rawValue)
      content.append(littleEndian: ordinal)
      fields.put(4, content)
    }
    fields.put(5, by.cut(toUTF8: Self.byLimit))
    if corrections > 0 { fields.put(6, corrections) }
    if let clock { fields.put(7, clock.bytes) }
  }

  init?(key: inout StoredReader, fields: inout FieldReader) {
    var createdAt: Int64?
    var confirmedAt: Int64?
    var items: UInt64?
    var rings: [RingID: UInt64] = [:]
    var by: String?
    var corrections: UInt64?
    var clock: BootID?
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&createdAt)
      case 2: fields.read(&confirmedAt)
      case 3: fields.read(&items)
      case 4:
        var reader = StoredReader(fields.content)
        guard let wearable = reader.bigEndian(UInt32.self), let series = reader.bigEndian(UInt16.self),
          let way = reader.u8().flatMap({ Way(rawValue: $0) }), let ordinal = reader.integer(UInt64.self),
          reader.isAtEnd
        else { return nil }
        rings[RingID(wearable: WearableID(number: wearable), seriesNumber: series, way: way)] = ordinal
      case 5: fields.read(&by, atMost: Self.byLimit)
      case 6: fields.read(&corrections)
      case 7:
        guard let boot = BootID(fields.content) else { return nil }
        clock = boot
      default: break
      }
    }
    guard let name = key.rest(), let createdAt, let confirmedAt, let items else { return nil }
    do { try WearableRecord.validate(name: name) } catch { return nil }
    self.init(
      name: name, createdAt: WallTime(microseconds: createdAt), confirmedAt: WallTime(microseconds: confirmedAt),
      items: items, rings: rings, by: by ?? "", corrections: corrections ?? 0, clock: clock)
  }
}
